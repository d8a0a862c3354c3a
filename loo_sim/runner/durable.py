"""Files that are whole or absent, whatever kills the process or the machine."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

_NEW = ".new"


def is_leftover(name: str) -> bool:
    """Whether a file of this name is one that was being written when the process was killed."""
    return name.startswith(".") and name.endswith(_NEW)


def write_durably(path: Path, content: Iterable[bytes | memoryview]) -> None:
    """Write a file: under another name, on to the disk, then renamed.

    Parameters
    ----------
    path : Path
        The file; one that is there is replaced.
    content : iterable of bytes-like
        Written one after the other.

    Raises
    ------
    OSError
        If it cannot be written; the file is as it was then.
    """
    new = path.with_name(f".{path.name}{_NEW}")
    try:
        with new.open("wb") as file:
            for piece in content:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
    sync(path.parent)


def sync(path: Path) -> None:
    """Let what was written to a file, or renamed in a directory, outlast the machine's end."""
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no directories, and keeps a journal of them itself
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(content: Any) -> str:
    """SHA-256, in hexadecimal, of what JSON can hold, its keys sorted."""
    digest = hashlib.sha256()
    for piece in json_pieces(content):
        digest.update(piece)
    return digest.hexdigest()


def json_pieces(content: Any, indent: int | None = None) -> Iterator[bytes]:
    """What JSON can hold as ``json.dumps`` writes it, in pieces: a whole text may be large.

    A mapping is cut into its values, and those that are lists into their items.

    Parameters
    ----------
    content : object
        Keys of a mapping are text.
    indent : int, optional
        As for ``json.dumps``; keys are sorted where there is none.
    """
    if not isinstance(content, Mapping) or not content:
        yield _dumped(content, indent).encode()
        return
    start, comma, end = _separators(indent, 1)
    keys = sorted(content) if indent is None else content
    for number, key in enumerate(keys):
        value = content[key]
        yield f"{comma if number else '{' + start}{json.dumps(key)}: ".encode()
        if isinstance(value, list) and value:
            before, between, after = _separators(indent, 2)
            for place, item in enumerate(value):
                sign = between if place else "[" + before
                yield f"{sign}{_dumped(item, indent, 2)}".encode()
            yield f"{after}]".encode()
        else:
            yield _dumped(value, indent, 1).encode()
    yield f"{end}}}".encode()


def _separators(indent: int | None, depth: int) -> tuple[str, str, str]:
    """What stands before the first entry, between two, and after the last, so deep inside."""
    if indent is None:
        return "", ", ", ""
    line = "\n" + " " * (indent * depth)
    return line, f",{line}", "\n" + " " * (indent * (depth - 1))


def _dumped(content: Any, indent: int | None, depth: int = 0) -> str:
    text = json.dumps(content, sort_keys=indent is None, indent=indent)
    # Lines end between entries alone: in texts they are written as two signs.
    return text if indent is None else text.replace("\n", "\n" + " " * (indent * depth))


def write_record(path: Path, content: Any) -> None:
    """Write what JSON can hold, with a digest that tells whether it was altered since."""
    text = json.dumps({"digest": digest_of(content), "content": content}, indent=1)
    write_durably(path, [text.encode() + b"\n"])


def read_record(path: Path) -> Any:
    """Read what `write_record` wrote; None if it is not there or was altered."""
    try:
        record = json.loads(path.read_bytes())
        content = record["content"]
        return content if record["digest"] == digest_of(content) else None
    except (FileNotFoundError, ValueError, LookupError, TypeError, RecursionError):
        return None
