"""Ctrl-C and SIGTERM: the work ends with what is in hand, and what is being written is written."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn, Self

AGAIN_SECONDS = 0.02
"""After this a signal comes again that could not be raised where it came."""

_CALLED_BACK = "_raw_object_cache_"
"""How the functions of llvmlite begin that LLVM calls while it compiles."""


class Terminated(KeyboardInterrupt):
    """SIGTERM asked the process to stop."""


def exit_code(stop: KeyboardInterrupt) -> int:
    """128 + number of the signal: 143 for SIGTERM, 130 for Ctrl-C."""
    return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)


def raise_terminated(number: int, frame: FrameType | None) -> NoReturn:
    """Handler that lets SIGTERM end a program as Ctrl-C does."""
    raise Terminated


def _is_called_back(frame: FrameType | None) -> bool:
    """Whether the compiler has called Python back: what is raised there is printed and lost."""
    while frame is not None:
        if frame.f_code.co_name.startswith(_CALLED_BACK):
            return True
        frame = frame.f_back
    return False


class Stopper:
    """Turns the first SIGINT or SIGTERM into an exception, which waits until a shielded block ends.

    Later ones change nothing: the end is near, and breaking it off would lose work. A context
    manager; in threads other than the main one, which get no signals, it does nothing.
    """

    def __init__(self) -> None:
        self._pending: KeyboardInterrupt | None = None
        self._shielded = False
        self._stopping = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._stopping:
            return
        if not self._shielded and _is_called_back(frame):
            again = threading.Timer(AGAIN_SECONDS, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        self._stopping = True
        stop = Terminated() if number == signal.SIGTERM else KeyboardInterrupt()
        if not self._shielded:
            raise stop
        self._pending = stop

    @contextmanager
    def shield(self) -> Iterator[None]:
        """A block that signals do not break off; the exception comes at its end."""
        self._shielded = True
        try:
            yield
        finally:
            self._shielded = False
        if self._pending is not None:
            stop, self._pending = self._pending, None
            raise stop
