"""The finished cells of a run, one after another in one file that only grows.

Ten thousand cells are one file. Each entry is a line with the lengths of what follows and its
SHA-256, a head in JSON, and then bytes that the head tells apart. An entry that was altered is of
no use; those after it are found again by their lines. One that a kill broke off stands at the end,
and the next takes its place.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

SYNC_SECONDS = 1.0
"""What was appended is put on to the disk no more often; a kill of the process loses nothing."""

_MARK = b"\ncell "
_LINE = re.compile(rb"\ncell (\d{1,18}) (\d{1,18}) ([0-9a-f]{64})\n")


class Ledger:
    """The file.

    Parameters
    ----------
    path : Path
        It need not be there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._end = 0
        self._synced = monotonic()

    def read(self) -> tuple[list[tuple[dict[str, Any], int]], list[int]]:
        """All entries that are whole.

        Returns
        -------
        entries : list of (dict, int)
            Head of each, and the place of its bytes in the file.
        damaged : list of int
            Places of what is in between.
        """
        found: list[tuple[dict[str, Any], int]] = []
        damaged: list[int] = []
        self._end = 0
        if not self.path.exists():
            return found, damaged
        size = self.path.stat().st_size
        if not size:  # an empty one is never written
            return found, [0]
        with (
            self.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as m,
        ):
            place = 0
            while (start := m.find(_MARK, place)) >= 0:
                entry = _entry_at(m, start, size)
                if entry is None:
                    place = start + 1
                    continue
                if start > self._end:
                    damaged.append(self._end)
                head, at, place = entry
                found.append((head, at))
                self._end = place
        if self._end < size:
            damaged.append(self._end)
        return found, damaged

    def append(self, head: Mapping[str, Any], content: Sequence[bytes | memoryview]) -> int:
        """Add an entry after the last that is whole.

        Parameters
        ----------
        head : mapping
            What JSON can hold.
        content : sequence of bytes-like
            Written one after the other.

        Returns
        -------
        int
            The place of the content.

        Raises
        ------
        OSError
            If it cannot be written; the entries before it are as they were.
        """
        text = json.dumps(head).encode()
        digest = hashlib.sha256(text)
        for piece in content:
            digest.update(piece)
        length = sum(len(piece) for piece in content)
        line = b"\ncell %d %d %s\n" % (len(text), length, digest.hexdigest().encode())
        with self.path.open("r+b" if self.path.exists() else "wb") as file:
            file.truncate(self._end)
            file.seek(self._end)
            try:
                for piece in (line, text, *content):
                    file.write(piece)
                file.flush()
                if monotonic() - self._synced >= SYNC_SECONDS:
                    os.fsync(file.fileno())
                    self._synced = monotonic()
            except OSError:
                with suppress(OSError):
                    file.truncate(self._end)
                raise
        at = self._end + len(line) + len(text)
        self._end = at + length
        return at

    def content(self, at: int, length: int) -> bytes:
        """So many bytes from a place on."""
        with self.path.open("rb") as file:
            file.seek(at)
            return file.read(length)

    def clear(self) -> None:
        """Leave no entry."""
        self.path.unlink(missing_ok=True)
        self._end = 0


def _entry_at(m: mmap.mmap, start: int, size: int) -> tuple[dict[str, Any], int, int] | None:
    """Head, place of the content and end of an entry; None if it is not whole."""
    line = _LINE.match(m, start)
    if line is None:
        return None
    of_head, of_content = int(line[1]), int(line[2])
    at = line.end() + of_head
    end = at + of_content
    if end > size or hashlib.sha256(m[line.end() : end]).hexdigest().encode() != line[3]:
        return None
    return json.loads(m[line.end() : at]), at, end
