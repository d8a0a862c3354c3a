"""What engines that count in this process have in common, and the plainest of them: `inline`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from loo_sim.runner.counting import Saving, Work
from loo_sim.runner.parts import Total

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.runner.progress import Progress
    from loo_sim.studies import Counts, Study


def get_ready(study: Study, cell: Cell, game: Any) -> None:
    """Load the kernels that count a cell, or compile them."""
    from loo_sim.kernels.checksum import checksum
    from loo_sim.kernels.compiled import compiling

    with compiling():
        counts = study.empty_counts(cell)
        study.add_counts(game, 0, 0, 1, counts)
        checksum(counts)


class Here:
    """An engine that counts in this process; there is nothing to open or to close."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def encode(self, study: Study, cell: Cell) -> Any:
        """The game of a cell as the kernels read it."""
        return study.encode(cell)

    def get_ready(self, study: Study, cell: Cell, game: Any, progress: Progress) -> None:
        """Get the kernels ready that count a cell, telling so if it takes a while."""
        with progress.compiling():
            get_ready(study, cell, game)


class Inline(Here):
    """Counts chunks in the thread that asks for it, one after the other."""

    jobs = 1

    def totals(self, counts: Counts) -> int:
        """How many totals it keeps at a time."""
        return 1

    def count(self, work: Work, totals: Sequence[Total]) -> None:
        """Count chunks of a cell; see `threads.Threads.count`."""
        (total,) = totals
        tally = work.tally(total)
        saving = Saving(partial(work.save, 0, total))
        try:
            for chunk in work.todo:
                if not work.has_time():
                    break
                with work.stopper.shield():
                    tally.count(chunk)
                    work.advance(chunk.deals)
                    saving.counted()
        except KeyboardInterrupt:
            saving.now()
            raise
