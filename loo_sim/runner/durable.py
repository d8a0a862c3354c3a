"""Files that are whole or absent, whatever kills the process or the machine."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
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
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


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
