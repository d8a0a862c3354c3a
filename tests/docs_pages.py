"""What the pages show: commands, Python and TOML, in the order in which they are read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
GENERATED = ROOT / "docs" / "reference.md"
"""Its usage lines come from the commands themselves, and test_reference.py holds it to them."""
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES.remove(GENERATED)

OURS = ("loosim", "make")
OTHERS = (
    "dask",
    "docker",
    "export",
    "kubectl",
    "openssl",
    "pip",
    "python",
    "sbatch",
    "srun",
    "ssh",
)
"""Programs whose lines are commands too."""

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?:^ {4}\S.*\n)+", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`((?:loosim|make) [^`]*)`", re.DOTALL)
_PROMPT = re.compile(r"^(?:\w*\$ +)?((?:[A-Z_]+=\S+ +)*(\S+).*)$")


class Shown(NamedTuple):
    """Something that a page shows.

    Attributes
    ----------
    kind : str
        ``command``, ``inline`` (a command within a sentence), ``python`` or ``toml``.
    line : int
        Of the page.
    text : str
        The command, or the whole block.
    output : str or None
        What a command prints, as its block shows it; None if it shows nothing.
    """

    kind: str
    line: int
    text: str
    output: str | None = None


def shown_by(page: Path) -> list[Shown]:
    """All that a page shows, as it is read."""
    return of_text(page.read_text(encoding="utf-8"))


def of_text(text: str) -> list[Shown]:
    """All that a text in Markdown shows, as it is read."""
    found = []
    rest = text
    for pattern in (_FENCE, _INDENTED):
        for match in pattern.finditer(rest):
            line = text.count("\n", 0, match.start()) + 1
            language, block = match.groups() if pattern is _FENCE else ("", match[0])
            if language in ("python", "toml"):
                found.append(Shown(language, line, block))
            elif language in ("", "bash", "console", "sh", "text"):
                found += _commands(block, line + (pattern is _FENCE))
        rest = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), rest)
    for match in _INLINE.finditer(rest):
        words = " ".join(match[1].split())
        found.append(Shown("inline", text.count("\n", 0, match.start()) + 1, words))
    return sorted(found, key=lambda shown: shown.line)


def _commands(block: str, line: int) -> Iterator[Shown]:
    """The commands of a block; one after ``$`` is followed by what it prints, if by anything."""
    lines = dedent(block).splitlines()
    at = 0
    while at < len(lines):
        start, row = at, lines[at]
        at += 1
        while row.endswith("\\") and at < len(lines):
            row = row[:-1] + lines[at].strip()
            at += 1
        match = _PROMPT.match(row)
        if match is None or match[2] not in (*OURS, *OTHERS):
            continue
        printed = None
        if row.startswith("$ "):
            stop = at
            while stop < len(lines) and not lines[stop].startswith("$ "):
                stop += 1
            printed = "\n".join(lines[at:stop]).strip("\n") or None
            at = stop
        yield Shown("command", line + start, match[1], printed)


def words_of(command: str) -> list[str]:
    """The words of a command without its comment; what a shell would do with them is left."""
    return shlex.split(command, comments=True)
