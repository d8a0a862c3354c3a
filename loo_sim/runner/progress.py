"""How far a run has come, told on stderr: a bar on a terminal, else a line a cell."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import TaskID

PATIENCE_SECONDS = 1.0
"""Getting ready that takes longer than this is announced: most likely kernels are compiled."""

COMPILING = "getting the kernels ready; the first time they are compiled, which takes a while"


class Progress:
    """Tells nothing; the others tell what happens.

    Used as a context manager around the run.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, text: str) -> None:
        """Tell one line."""

    def start_cell(self, name: str, unit: str) -> None:
        """A cell begins, whose work is counted in ``deals`` or another unit."""

    def go_to(self, work: int) -> None:
        """The cell goes on until so much work is done."""

    def advance(self, work: int) -> None:
        """So much more is done; called from any thread."""

    def end_cell(self, told: str) -> None:
        """The cell has ended."""

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """Announce that kernels are being compiled, if the block takes longer than a moment."""
        timer = Timer(PATIENCE_SECONDS, self.say, [COMPILING])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


class LineProgress(Progress):
    """A line on stderr for each cell."""

    def say(self, text: str) -> None:
        """Tell one line."""
        print(text, file=sys.stderr, flush=True)

    def end_cell(self, told: str) -> None:
        """The cell has ended."""
        self.say(told)


class BarProgress(Progress):
    """A bar for the cell at work, on a terminal."""

    def __init__(self, no_color: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        console = Console(stderr=True, no_color=no_color or None, highlight=False)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} {task.fields[unit]}"),
            TimeRemainingColumn(),
        )
        self._bars = Bars(*columns, console=console, transient=True)
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def say(self, text: str) -> None:
        """Tell one line above the bar."""
        self._bars.console.print(text, markup=False)

    def start_cell(self, name: str, unit: str) -> None:
        """A cell begins, whose work is counted in ``deals`` or another unit."""
        self._task = self._bars.add_task(name, total=0, unit=unit)

    def go_to(self, work: int) -> None:
        """The cell goes on until so much work is done."""
        if self._task is not None:
            self._bars.update(self._task, total=work)

    def advance(self, work: int) -> None:
        """So much more is done; called from any thread."""
        if self._task is not None:
            self._bars.advance(self._task, work)

    def end_cell(self, told: str) -> None:
        """The cell has ended."""
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
        self.say(told)


def make_progress(quiet: bool, no_color: bool) -> Progress:
    """What suits stderr: nothing if `quiet`, a bar on a terminal, else lines."""
    if quiet:
        return Progress()
    return BarProgress(no_color) if sys.stderr.isatty() else LineProgress()
