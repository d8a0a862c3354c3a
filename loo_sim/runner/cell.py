"""One cell at work: counted by an engine, from checkpoint to checkpoint, and estimated."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, isnan
from time import perf_counter
from typing import TYPE_CHECKING, Any

from loo_sim.experiment import Cell
from loo_sim.runner.counting import Work
from loo_sim.runner.engines import Engine
from loo_sim.runner.partial import OUTCOME, Partial
from loo_sim.runner.parts import Total, put_together, totals_beside
from loo_sim.runner.plan import chunks, deals_in
from loo_sim.runner.progress import Progress
from loo_sim.runner.signals import Stopper
from loo_sim.runner.stopping import is_reached, next_checkpoint, take_up
from loo_sim.settings import Amount
from loo_sim.studies import Study

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Workplace:
    """What the cells of a run have in common.

    Attributes
    ----------
    study : Study
    seed : int
    amount : Amount
        How much is done in each cell.
    length : int
        Deals (or tables) in a chunk.
    engine : Engine
        What counts.
    partial : Partial
        Where work in progress is kept.
    progress : Progress
    """

    study: Study
    seed: int
    amount: Amount
    length: int
    engine: Engine
    partial: Partial
    progress: Progress


class CellAtWork:
    """A cell, and what is counted of it.

    Parameters
    ----------
    at : Workplace
        The run that it is a cell of.
    number : int
        The cell's, from 0.
    cell : Cell
        The game.

    Attributes
    ----------
    deals : int
        Deals (or tables) counted by now.
    goal : int
        Those at the checkpoint that it is going to.
    damaged : list of str
        Names of files that were of no use: what they held is counted again.
    """

    def __init__(self, at: Workplace, number: int, cell: Cell) -> None:
        self.at, self.number, self.cell = at, number, cell
        self.deals = self.goal = 0
        self.damaged: list[str] = []
        self._begun = perf_counter()
        self._length = at.length
        self._parts = at.partial.parts(number, self._length, self._empty)
        self._total = Total(())
        self._before = 0.0
        self._checkpoints: list[int] = []

    def load(self) -> None:
        """Take up what was counted before."""
        self._total, self.damaged = self._parts.load()
        kept = self.at.partial.checkpoints(self.number)
        self._checkpoints, lost = take_up(kept, self._total.chunks, self.at.amount, self._length)
        self.goal = self._checkpoints[-1]
        if lost:
            self.damaged.append(f"cell-{self.number}.goal")
            self._parts.clear()
            self._total = Total(self._empty())
        self._before = self._total.seconds
        self.deals = deals_in(self._total.chunks, self.goal, self._length)

    def clear(self) -> None:
        """Throw away what was counted."""
        self._parts.clear()

    def run(self, game: Any, stopper: Stopper) -> tuple[dict[str, pa.Table], dict[str, Any]]:
        """Count what is not counted yet, as far as the precision asked for takes.

        A cell that goes on until a precision is reached is looked at at its checkpoints, and at
        no other time but when its seconds are up.

        Parameters
        ----------
        game : object
            The cell's game, as the engine encoded it.
        stopper : Stopper
            Holds signals back where they would lose work.

        Returns
        -------
        tables : dict of str to Table
            Its estimates.
        outcome : dict
            What else `Partial.keep` keeps.

        Raises
        ------
        KeyboardInterrupt
            If a signal broke it off; what is counted by then has been saved.
        """
        amount, study = self.at.amount, self.at.study
        self._begun = perf_counter()
        while True:
            self._count(game, stopper)
            try:
                tables = study.tables(self.cell, self.deals, self._total.counts)
                if amount.until is None:
                    precision = None
                    break
                width = study.half_width(tables)
                precision = {
                    "half_width": width if isfinite(width) else None,
                    "until": amount.until,
                    "reached": is_reached(width, amount.until),
                    "checkpoints": self._checkpoints,
                }
                if precision["reached"] or self.goal == amount.most or not self._has_time():
                    break
                if isnan(width) and len(self._checkpoints) > 1:
                    break  # there is no such figure, and more of the same would not bring one
                self._go_on(
                    next_checkpoint(self.goal, width, amount.until, amount.most, self._length)
                )
            except KeyboardInterrupt:
                self._save(0, self._total)
                raise
        headline = [
            {title: figure._asdict() for title, figure in zip(study.HEADLINE, row, strict=True)}
            for row in study.headline(tables)
        ]
        tables["chunks"] = self._total.table(self.goal, self._length)
        figures = [one.figure for one in study.running(self.cell, self.deals, self._total.counts)]
        if figures:
            tables["running"] = self._total.running_table(figures)
        told = (self._seconds(), headline, self.deals, precision)
        return tables, dict(zip(OUTCOME, told, strict=True))

    def _empty(self) -> Any:
        return self.at.study.empty_counts(self.cell)

    def _seconds(self) -> float:
        """Time that counting has taken, in runs broken off too; kernels were compiled before."""
        return self._before + perf_counter() - self._begun

    def _has_time(self) -> bool:
        bound = self.at.amount.max_seconds
        return bound is None or self._seconds() < bound

    def _go_on(self, further: int) -> None:
        """Go on to another checkpoint, which is kept before anything of it is counted.

        So is the total: a thread's next file takes the place of one whose chunks are in it.
        """
        self._save(0, self._total)
        self._checkpoints.append(further)
        self.at.partial.go_to(self.number, self._checkpoints)
        self.at.progress.go_to(further)
        self.goal = further

    def _save(self, thread: int, of_thread: Total) -> None:
        of_thread.seconds = self._seconds()
        self._parts.save(thread, of_thread)

    def _count(self, game: Any, stopper: Stopper) -> None:
        """Count up to the checkpoint what is not counted yet."""
        at, total = self.at, self._total
        todo = list(chunks(self.goal, self._length, set(total.chunks)))
        if not todo:
            return
        kept = min(at.engine.totals(total.counts), len(todo))
        totals = totals_beside(total, kept, self._empty)

        def may_go_on() -> bool:
            # Whatever the time allowed, the first checkpoint is reached: there must be a result.
            is_first = len(self._checkpoints) == 1
            return is_first or self._has_time() or not any(part.chunks for part in totals)

        work = Work(
            at.study,
            self.cell,
            game,
            at.seed,
            todo,
            stopper,
            self._save,
            at.progress.advance,
            may_go_on,
        )
        try:
            at.engine.count(work, totals)
        except KeyboardInterrupt:
            self.deals = sum(deals_in(part.chunks, self.goal, self._length) for part in totals)
            raise
        try:
            with stopper.shield():
                put_together(totals)
                self.deals = deals_in(total.chunks, self.goal, self._length)
        except KeyboardInterrupt:
            self._save(0, total)
            raise
