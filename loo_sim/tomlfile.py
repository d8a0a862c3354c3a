"""A TOML file as data, with the line on which each of its keys stands."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from loo_sim.problems import InputError, Problem

MOST_BYTES = 1_000_000
"""Largest file read: anything longer is no file that a person wrote."""

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_VALUE = re.compile(r"[^,\]}\n#]*")
# Longest opening quotes first. A multi-line string may end with up to two quotes of its own.
_STRINGS = (
    ('"""', re.compile(r'"""(?:[^\\]|\\.)*?"""+', re.DOTALL)),
    ("'''", re.compile(r"'''.*?'''+", re.DOTALL)),
    ('"', re.compile(r'"(?:[^"\\\n]|\\.)*"')),
    ("'", re.compile(r"'[^'\n]*'")),
)
_COMMAS = re.compile(r"= *\d{1,3}(,\d{3})+ *(#|$)")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_HINTS = (
    ("Invalid value at the end", "a value, or the ] of an array, is missing"),
    ("Invalid value", 'text stands in quotes, as in do = "stand"'),
    ("Expected '='", "a line is key = value, or a [table] heading"),
    ("Invalid statement", "a line is key = value, or a [table] heading"),
    ("Cannot overwrite", "the same key or table stands twice"),
    ("Cannot declare", "the same key or table stands twice"),
    ("Duplicate inline", "the same key stands twice"),
    ("Unclosed array", "a [ without its ], or a comma left out"),
    ("Unclosed inline", "a { without its }, or a comma left out; it must stand on one line"),
    ("Unterminated string", "a quote without its partner"),
    ("Illegal character", "a quote may be missing, or stand where none belongs"),
)


@dataclass(frozen=True)
class TomlFile:
    """What a TOML file says, and where.

    Attributes
    ----------
    path : Path
        The file, as it was named.
    text : str
        The file's text, every line ended by a bare newline.
    data : dict
        Its content, as `tomllib` reads it.
    lines : mapping of str to int
        Line, from 1, of each dotted key. Items of arrays count from 1: ``announce.rules.2.when``
        is the condition of the second rule.
    """

    path: Path
    text: str
    data: dict[str, Any]
    lines: Mapping[str, int]

    def line_of(self, dotted: str) -> int | None:
        """Line of a dotted key, or of the nearest one that encloses it; None at the top."""
        while dotted and dotted not in self.lines:
            dotted = dotted.rpartition(".")[0]
        return self.lines.get(dotted)


def load(path: str | Path) -> TomlFile:
    """Read a TOML file.

    Parameters
    ----------
    path : str or Path
        A regular file of at most `MOST_BYTES` bytes, in UTF-8.

    Returns
    -------
    TomlFile

    Raises
    ------
    InputError
        If the file cannot be read or is not TOML: one problem, with the line where there is one.
    """
    path = Path(path)
    text = _read(path)
    try:
        data = tomllib.loads(text)
        repr(data)  # fails for a hexadecimal number too long to be told in a message
        return TomlFile(path, text, data, _Scanner(text).scan())
    except RecursionError:
        raise _wrong(path, "arrays or tables are nested too deeply") from None
    except ValueError as error:
        what, line = _told(str(error), text)
        hint = _likely(text, line) or next((h for start, h in _HINTS if what.startswith(start)), "")
        raise _wrong(path, f"not valid TOML: {what}", hint, line) from None


def _likely(text: str, line: int | None) -> str:
    """A hint at what people write who know no TOML, if a line that is none has it; else empty."""
    told = text.split("\n")[line - 1] if line else ""
    if re.search("[\u2018\u2019\u201c\u201d]", told):
        return 'quotes are straight: " and no others'
    return "a long number is written 1_000_000" if _COMMAS.search(told) else ""


def _wrong(path: Path, what: str, hint: str = "", line: int | None = None) -> InputError:
    return InputError([Problem(str(path), line, "", what, hint)])


def _read(path: Path) -> str:
    """The file's text, with every line ended by a bare newline."""
    try:
        if path.is_dir():
            raise _wrong(path, "is a directory, not a file")
        if path.exists() and not path.is_file():
            raise _wrong(path, "is not a regular file")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise _wrong(path, "there is no such file", _neighbour(path)) from None
    except InputError:
        raise
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise _wrong(path, f"cannot be read: {reason}") from None
    if len(content) > MOST_BYTES:
        raise _wrong(path, f"is longer than {MOST_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _wrong(path, "is not text in UTF-8", "save it as UTF-8", line) from None


def _neighbour(path: Path) -> str:
    """A hint that names the file in the same folder most like the one asked for, if any."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} either"
    # Endings left out: they are alike in all, and short names would seem alike too.
    found = {item.stem: item for item in folder.glob("*.toml")}
    close = get_close_matches(path.stem, found, n=1)
    return f"did you mean '{found[close[0]]}'?" if close else ""


def _told(message: str, text: str) -> tuple[str, int | None]:
    """Split what tomllib says into what is wrong and the line."""
    place = _PLACE.search(message)
    if place is None:  # from int(), which tomllib lets through
        return "a number has too many digits", None
    what = message[: place.start()]
    if place[1] is None:
        return f"{what} at the end of the file", text.rstrip("\n").count("\n") + 1
    return f"{what} at column {place[2]}", int(place[1])


class _Scanner:
    """Finds the line of every key in text that is known to be valid TOML."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.lines: dict[str, int] = {}
        self.tables_in: dict[tuple[str, ...], int] = {}

    def scan(self) -> dict[str, int]:
        prefix: tuple[str, ...] = ()
        self.skip_blank()
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                prefix = self.heading()
            else:
                self.entry(prefix)
            self.skip_blank()
        return self.lines

    def skip_blank(self) -> None:
        blank = _BLANK.match(self.text, self.at)
        assert blank
        self.at = blank.end()

    def note(self, path: tuple[str, ...], start: int) -> None:
        """Remember where a key stands, and the tables that it brings into being."""
        line = bisect_right(self.starts, start)
        for length in range(1, len(path) + 1):
            self.lines.setdefault(".".join(path[:length]), line)

    def heading(self) -> tuple[str, ...]:
        start = self.at
        is_array = self.text.startswith("[[", start)
        self.at += 1 + is_array
        path: tuple[str, ...] = ()
        words = self.key()
        for i, word in enumerate(words):
            path += (word,)
            if is_array and i == len(words) - 1:
                self.tables_in[path] = self.tables_in.get(path, 0) + 1
            if path in self.tables_in:
                path += (str(self.tables_in[path]),)
        self.note(path, start)
        self.at = self.text.index("]", self.at) + 1 + is_array
        return path

    def key(self) -> tuple[str, ...]:
        """The parts of a dotted key; leaves the place after it and any blanks."""
        words: list[str] = []
        while True:
            self.skip_blank()
            bare = _BARE_KEY.match(self.text, self.at)
            if bare:
                words.append(bare[0])
                self.at = bare.end()
            else:
                quoted = self.string()
                words.append(tomllib.loads(f"key = {quoted}")["key"])
            self.skip_blank()
            if self.text[self.at] != ".":
                return tuple(words)
            self.at += 1

    def entry(self, prefix: tuple[str, ...]) -> None:
        start = self.at
        path = prefix + self.key()
        self.note(path, start)
        self.at += 1
        self.value(path)

    def value(self, path: tuple[str, ...]) -> None:
        self.skip_blank()
        if self.text[self.at] == "[":
            self.items(path, "]")
        elif self.text[self.at] == "{":
            self.items(path, "}")
        elif not self.string():
            bare = _BARE_VALUE.match(self.text, self.at)
            assert bare
            self.at = bare.end()

    def items(self, path: tuple[str, ...], end: str) -> None:
        """The items of an array, or the entries of an inline table."""
        number = 0
        self.at += 1
        self.skip_blank()
        while self.text[self.at] != end:
            if end == "}":
                self.entry(path)
            else:
                number += 1
                item = (*path, str(number))
                self.note(item, self.at)
                self.value(item)
            self.skip_blank()
            if self.text[self.at] == ",":
                self.at += 1
                self.skip_blank()
        self.at += 1

    def string(self) -> str:
        """The string that stands here, quotes and all; empty if none does."""
        for quotes, pattern in _STRINGS:
            if self.text.startswith(quotes, self.at):
                match = pattern.match(self.text, self.at)
                assert match
                self.at = match.end()
                return match[0]
        return ""
