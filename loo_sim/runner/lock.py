"""One writer a directory: a lock that the system frees however its holder ends."""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

LOCK, HOLDER = ".lock", ".holder"
ATTEMPTS = 100
"""A directory that vanishes as often as this while it is being locked is left alone."""


class HeldError(Exception):
    """Another process holds the lock; its text says which, and since when."""


class DirectoryLock:
    """The right to write in a directory, which is made if need be.

    Parameters
    ----------
    directory : Path
        Its parent must exist.

    Raises
    ------
    HeldError
        If another process has it.
    OSError
        If nothing can be written there.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = FileLock(directory / LOCK)
        for attempt in range(ATTEMPTS):
            directory.mkdir(exist_ok=True)
            try:
                self._lock.acquire(timeout=0)
                break
            except Timeout:
                raise HeldError(_who_holds(directory)) from None
            except FileNotFoundError:
                # The last holder has just taken the directory away with the lock in it.
                if attempt == ATTEMPTS - 1:
                    raise
        me = {
            "pid": os.getpid(),
            "host": platform.node(),
            "since": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
        try:
            (directory / HOLDER).write_text(json.dumps(me), encoding="utf-8")
        except OSError:
            self.release_empty()
            raise

    def release(self) -> None:
        """Give the right back; what is in the directory stays."""
        with suppress(OSError):
            (self._directory / HOLDER).unlink()
        self._lock.release()

    def release_empty(self) -> None:
        """Give the right back, and take the directory away if nothing but the lock is in it.

        The file goes while it is locked: whoever waits for it sees that it has no name any more.
        """
        (self._directory / HOLDER).unlink(missing_ok=True)
        with suppress(OSError):  # a system that keeps locked files in place keeps an empty folder
            (self._directory / LOCK).unlink()
            self._directory.rmdir()
        self._lock.release()


def holder_of(directory: Path) -> str | None:
    """Who is at work in a directory, found out without its lock; None if nobody is.

    A process of this machine that was killed leaves its name behind, and counts for nobody.
    """
    try:
        holder = json.loads((directory / HOLDER).read_text(encoding="utf-8"))
        if holder["host"] == platform.node() and os.name == "posix":
            os.kill(holder["pid"], 0)
    except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
        return None
    except (OSError, ValueError, LookupError, TypeError, OverflowError):
        pass  # somebody is there, whose name cannot be read, or who may not be asked
    return _who_holds(directory)


def _who_holds(directory: Path) -> str:
    """Who holds the lock of a directory, as far as he has told."""
    try:
        holder = json.loads((directory / HOLDER).read_text(encoding="utf-8"))
        since = datetime.fromisoformat(holder["since"]).astimezone()
        here = holder["host"] == platform.node()
        today = since.date() == datetime.now().astimezone().date()
        at = since.strftime("%H:%M" if today else "%Y-%m-%d %H:%M")
        return (
            f"process {holder['pid']} on {'this machine' if here else holder['host']}, since {at}"
        )
    except (OSError, ValueError, LookupError, TypeError):
        return "another process"
