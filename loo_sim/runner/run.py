"""Runs an experiment: each cell in turn, its deals on several threads, and the result written."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.experiment import Cell, Experiment
from loo_sim.machine import usable_cores
from loo_sim.runner.manifest import (
    DONE,
    FAILED,
    INTERRUPTED,
    NOT_RUN,
    CellOutcome,
    make_manifest,
)
from loo_sim.runner.plan import chunks
from loo_sim.runner.progress import Progress
from loo_sim.runner.results import ResultWriter
from loo_sim.runner.signals import Stopper
from loo_sim.runner.threads import affordable_threads, count_cell
from loo_sim.studies import Study, find_study
from loo_sim.sweep import column_values

if TYPE_CHECKING:
    import pyarrow as pa

RESULTS = Path("results")
"""Where results go by default."""


@dataclass(frozen=True)
class Run:
    """A run that ended.

    Attributes
    ----------
    directory : Path or None
        The result; None if not one cell was finished.
    manifest : mapping
    titles : tuple of str
        Of the columns of `headline`.
    headline : list of (str, tuple of str)
        Cells by name, with a few figures each.
    stopped : KeyboardInterrupt or None
        The signal that stopped it.
    """

    directory: Path | None
    manifest: Mapping[str, Any]
    titles: tuple[str, ...]
    headline: list[tuple[str, tuple[str, ...]]]
    stopped: KeyboardInterrupt | None


def run_experiment(
    experiment: Experiment,
    output: Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    verbose: bool = False,
) -> Run:
    """Run an experiment and write its result directory.

    A cell that raises is a failed cell, and the others go on. SIGINT and SIGTERM end the run; the
    cells finished by then are kept.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    output : Path, optional
        The result's place; by default ``results/`` and the experiment's name.
    jobs : int, optional
        Threads; by default one for each usable core. Fewer work where their counts would take
        more than `threads.MOST_COUNT_BYTES`, as those of `announce` do at many players.
    progress : Progress, optional
        By default nothing is told.
    verbose : bool
        Tell the traceback of a failed cell, and where fewer threads work than were asked for.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        If the result may not or cannot be written there; nothing has been run then.
    OSError
        If writing fails later.
    """
    started = datetime.now(UTC)
    jobs = jobs or usable_cores()
    writer = ResultWriter(output or RESULTS / experiment.name)
    try:
        work = _Work(experiment, writer, jobs, progress or Progress(), verbose)
        with Stopper() as stopper, work.progress:
            stopped = work.run_cells(stopper)
            with stopper.shield():
                manifest = make_manifest(
                    experiment, work.outcomes, work.axes, output, jobs, started
                )
                # Without a finished cell there is nothing to put in an older result's place.
                kept = any(outcome.status == DONE for outcome in work.outcomes)
                if kept:
                    writer.finish(manifest)
    finally:
        writer.discard()
    directory = writer.directory if kept else None
    return Run(directory, manifest, work.study.HEADLINE, work.headline, stopped)


class _Work:
    """The cells of an experiment, done one after the other."""

    def __init__(
        self,
        experiment: Experiment,
        writer: ResultWriter,
        jobs: int,
        progress: Progress,
        verbose: bool,
    ) -> None:
        self.experiment = experiment
        self.writer = writer
        self.jobs = jobs
        self.progress = progress
        self.verbose = verbose
        self.study: Study = find_study(experiment.study)
        self.axes = column_values([cell.axes for cell in experiment.cells])
        self.outcomes: list[CellOutcome] = []
        self.headline: list[tuple[str, tuple[str, ...]]] = []
        self.compiled = False

    def run_cells(self, stopper: Stopper) -> KeyboardInterrupt | None:
        """Run all cells, or those that a signal leaves time for; the signal, if one came."""
        stopped = None
        begun = time.perf_counter()
        try:
            for cell, axes in zip(self.experiment.cells, self.axes, strict=True):
                begun = time.perf_counter()
                self.run_cell(cell, axes, begun, stopper)
        except KeyboardInterrupt as stop:
            stopped = stop
        left = len(self.experiment.cells) - len(self.outcomes)
        if left:
            self.outcomes.append(CellOutcome(INTERRUPTED, time.perf_counter() - begun))
            self.outcomes += [CellOutcome(NOT_RUN, 0.0)] * (left - 1)
        return stopped

    def run_cell(self, cell: Cell, axes: Mapping[str, Any], begun: float, stopper: Stopper) -> None:
        """Run one cell, write its tables and note what became of it."""
        place = f"{len(self.outcomes) + 1} of {len(self.experiment.cells)}"
        name = f"{place}: {cell.name}" if cell.axes else self.experiment.name
        self.progress.start_cell(name, self.experiment.deals)
        try:
            tables = self.tables(cell)
        except Exception as error:  # whatever it is, the other cells go on
            told = f"{type(error).__name__}: {error}"
            self.outcomes.append(CellOutcome(FAILED, time.perf_counter() - begun, told))
            self.progress.end_cell(f"{name}: failed")
            if self.verbose:
                self.progress.say(traceback.format_exc())
            return
        with stopper.shield():
            self.writer.write({table: _with_axes(rows, axes) for table, rows in tables.items()})
            seconds = time.perf_counter() - begun
            self.outcomes.append(CellOutcome(DONE, seconds))
        self.headline += [(cell.name, row) for row in self.study.headline(tables)]
        self.progress.end_cell(f"{name}: {self.experiment.deals:,} deals in {seconds:.1f} s")

    def tables(self, cell: Cell) -> dict[str, pa.Table]:
        """Count the deals of a cell and make its estimates."""
        from loo_sim.kernels.compiled import compiling
        from loo_sim.kernels.game import encode
        from loo_sim.policies.compile import compile_tables

        seed, deals = self.experiment.seed, self.experiment.deals
        policy_tables = compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
        game = encode(cell.rules, policy_tables, cell.pot)
        counts = self.study.empty_counts(cell)
        if not self.compiled:
            with self.progress.compiling(), compiling():
                self.study.add_counts(game, seed, 0, 1, counts)
            self.compiled = True
        jobs = affordable_threads(self.jobs, counts)
        if jobs < self.jobs and self.verbose:
            self.progress.say(f"only {jobs} of {self.jobs} threads: memory for more is wanting")
        todo = list(chunks(deals, self.study.CHUNK_DEALS))
        counts = count_cell(self.study, cell, game, seed, todo, jobs, self.progress.advance)
        return self.study.tables(cell, deals, counts)


def _with_axes(table: pa.Table, axes: Mapping[str, Any]) -> pa.Table:
    """The table with a column for each axis before its own."""
    import pyarrow as pa

    for axis, value in reversed(list(axes.items())):
        table = table.add_column(0, axis, pa.repeat(value, table.num_rows))
    return table
