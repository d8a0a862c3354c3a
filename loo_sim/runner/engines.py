"""Engines: what counts the chunks of a cell. Results do not depend on which one did."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

from loo_sim.machine import usable_cores
from loo_sim.problems import Problems, nearest
from loo_sim.runner.progress import Progress

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.runner.counting import Work
    from loo_sim.runner.parts import Total
    from loo_sim.studies import Counts, Study

ENGINES = ("threads", "inline", "dask")
SCHEMES = ("tcp://", "tls://")
_ADDRESS = re.compile(r"(?:tcp|tls)://(?:\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
MOST_LOCAL = 1024
"""Workers of ``local:N``."""


class Engine(AbstractContextManager["Engine"], Protocol):
    """What the runner asks of an engine. It is entered before anything is asked of it."""

    @property
    def jobs(self) -> int:
        """Threads, or workers."""

    def __enter__(self) -> Self:
        """Get hold of what counts."""

    def encode(self, study: Study, cell: Cell) -> Any:
        """The game of a cell as this engine counts it."""

    def get_ready(self, study: Study, cell: Cell, game: Any, progress: Progress) -> None:
        """Get the kernels ready that count a cell, telling so if it takes a while."""

    def totals(self, counts: Counts) -> int:
        """How many totals it keeps at a time, where counts have this size."""

    def count(self, work: Work, totals: Sequence[Total]) -> None:
        """Count chunks of a cell into the totals; see `threads.Threads.count`."""


class Choice(NamedTuple):
    """Which engine, as the user says it.

    Attributes
    ----------
    engine : str
        One of `ENGINES`.
    scheduler : str
        Of `dask`: ``local:N``, an address, or a scheduler file; empty for a local one with a worker
        for each job.
    """

    engine: str = "threads"
    scheduler: str = ""

    def threads(self, jobs: int | None) -> int | None:
        """Threads of this process that count about as fast, if its workers are here.

        Parameters
        ----------
        jobs : int or None
            What the user says of them.
        """
        if self.engine == "inline":
            return 1
        number = self.scheduler.removeprefix("local:")
        return int(number) if self.scheduler != number else jobs

    @property
    def words(self) -> list[str]:
        """The choice as options of a command; none for what is done without any."""
        words = [] if self.engine == "threads" else ["--engine", self.engine]
        return [*words, "--scheduler", self.scheduler] if self.scheduler else words


THREADS = Choice()
"""What counts where nothing else is asked for."""


def chosen(engine: Any, scheduler: Any, problems: Problems) -> Choice:
    """Check which engine is asked for, noting what is wrong with it."""
    if not isinstance(engine, str) or not isinstance(scheduler, str):
        what, word = ("scheduler", scheduler) if isinstance(engine, str) else ("engine", engine)
        problems.add(what, f"{word!r} is no text", '"threads", "local:2", "tcp://HOST:8786"')
    elif engine not in ENGINES:
        problems.add("engine", f"there is no engine {engine!r}", nearest(engine, ENGINES))
    elif scheduler and engine != "dask":
        hint = "give --engine dask too, or leave --scheduler out"
        problems.add("scheduler", f"the engine {engine} has none", hint)
    elif scheduler.startswith("local"):
        number = scheduler.removeprefix("local:")
        if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= MOST_LOCAL):
            hint = f"local:N starts N workers here, N from 1 to {MOST_LOCAL:,}"
            problems.add("scheduler", f"{scheduler!r} does not say how many workers", hint)
    elif scheduler and not _is_address(scheduler) and not _is_scheduler_file(scheduler):
        hint = "tcp://HOST:8786, tls://HOST:8786, local:2, or a file that `dask scheduler` wrote"
        problems.add("scheduler", f"{scheduler!r} is neither an address nor such a file", hint)
    return Choice(engine, scheduler)


def _is_address(text: Any) -> bool:
    """Whether this is an address that a scheduler can have: scheme, host and port."""
    found = _ADDRESS.fullmatch(text) if isinstance(text, str) else None
    return found is not None and 0 < int(found[1]) < 2**16


def _is_scheduler_file(name: str) -> bool:
    """Whether this is a file that names a scheduler."""
    try:
        return _is_address(json.loads(Path(name).read_text(encoding="utf-8"))["address"])
    except (OSError, ValueError, LookupError, TypeError):
        return False


def make_engine(
    choice: Choice, study: str, jobs: int | None, log: Path, progress: Progress, verbose: bool
) -> Engine:
    """The engine that was chosen.

    Parameters
    ----------
    choice : Choice
        What the user said.
    study : str
        Name of the study that is counted.
    jobs : int or None
        Threads, or workers of a scheduler that is started here; None for one a usable core.
    log : Path
        File for what the engine's libraries have to tell, ...
    progress : Progress
        ... and where it tells what the user should know.
    verbose : bool
        All of it goes to stderr.

    Raises
    ------
    InputError
        If what it needs is not installed.
    """
    jobs = jobs or usable_cores()
    if choice.engine == "inline":
        from loo_sim.runner.here import Inline

        return Inline()
    if choice.engine == "dask":
        from loo_sim.runner.dask_engine import Dask

        scheduler = choice.scheduler or f"local:{jobs}"
        return Dask(scheduler, study, None if verbose else log, progress)

    from loo_sim.runner.threads import Threads

    return Threads(jobs, progress if verbose else Progress())
