"""How chunks of a cell are counted into a total, whatever runs it: threads, or other machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from loo_sim.runner.parts import CHECKSUMS, Total
from loo_sim.runner.plan import Chunk
from loo_sim.runner.signals import Stopper

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.studies import Study

SAVE_SECONDS = 2.0
"""A total is not saved more often than this, ..."""

SAVE_SHARE = 1 / 30
"""... and saving takes no larger share of the time than this."""


@dataclass(frozen=True)
class Work:
    """Chunks of a cell that are to be counted, and whom to tell.

    Attributes
    ----------
    study : Study
        What to count.
    cell : Cell
        The game to count it of, ...
    game : object
        ... and it as the engine that counts has encoded it.
    seed : int
        0 to 2**64 - 1.
    todo : sequence of Chunk
        All that is left to count.
    stopper : Stopper
        Holds signals back where they would lose work.
    save : callable
        Keeps a total, told its number; by default none is kept.
    advance : callable
        Told the number of deals done as chunks end, from any thread; by default nothing is.
    has_time : callable
        Whether more may be begun; asked from any thread. By default all is done.
    """

    study: Study
    cell: Cell
    game: Any
    seed: int
    todo: Sequence[Chunk]
    stopper: Stopper
    save: Callable[[int, Total], None] = lambda number, total: None
    advance: Callable[[int], None] = lambda deals: None
    has_time: Callable[[], bool] = lambda: True

    def tally(self, total: Total) -> Tally:
        """What counts chunks into a total in this process."""
        return Tally(self.study, self.cell, self.game, self.seed, total)


class Tally:
    """Counts chunks into a total, one after the other.

    A chunk's counts are never alone; its checksum is what that of the total grows by, and so are
    the sums of the figures that are followed.

    Parameters
    ----------
    study, cell, seed
        As `Work` has them.
    game : object
        The game as the kernels read it.
    total : Total
        Modified in place. After an exception it is of no use.
    """

    def __init__(self, study: Study, cell: Cell, game: Any, seed: int, total: Total) -> None:
        self._study, self._cell, self._game, self._seed = study, cell, game, seed
        self._total = total
        self._before = sum(total.checksums)
        self._counted = 0  # from here on: only what a chunk adds is looked at
        self._figures = study.running(cell, 0, total.counts)

    def count(self, chunk: Chunk) -> None:
        """Count a chunk."""
        from loo_sim.kernels.checksum import checksum

        study, total = self._study, self._total
        study.add_counts(self._game, self._seed, chunk.first, chunk.deals, total.counts)
        after = checksum(total.counts)
        total.chunks.append(chunk.number)
        total.checksums.append((after - self._before) % CHECKSUMS)
        self._before = after
        self._counted += chunk.deals
        further = study.running(self._cell, self._counted, total.counts)
        total.running.append(
            [now.since(then) for now, then in zip(further, self._figures, strict=True)]
        )
        self._figures = further


class Saving:
    """Saves a total now and then.

    Parameters
    ----------
    save : callable
        Keeps the total.
    """

    def __init__(self, save: Callable[[], None]) -> None:
        self._save = save
        self._saved = perf_counter()
        self._patience = SAVE_SECONDS
        self.is_due = False
        """Whether something was counted since."""

    def counted(self) -> None:
        """Something was counted; save it if it is time to."""
        self.is_due = True
        begun = perf_counter()
        if begun - self._saved >= self._patience:
            self.now()
            self._patience = max(SAVE_SECONDS, (self._saved - begun) / SAVE_SHARE)

    def now(self) -> None:
        """Save what was counted since; nothing if that is nothing."""
        if self.is_due:
            self._save()
            self._saved = perf_counter()
            self.is_due = False
