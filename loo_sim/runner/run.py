"""Runs an experiment: each cell in turn, its deals by an engine, and the result written."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from loo_sim.console import from_here
from loo_sim.experiment import Cell, Experiment
from loo_sim.rounding import NONE
from loo_sim.runner.cell import CellAtWork, Workplace
from loo_sim.runner.differences import Differences
from loo_sim.runner.engines import THREADS, Choice, Engine, make_engine
from loo_sim.runner.failures import failures_of, no_failures, write_failures
from loo_sim.runner.identity import Identity, identity_of
from loo_sim.runner.indices import TABLE as SOBOL
from loo_sim.runner.indices import SobolTable
from loo_sim.runner.manifest import (
    DONE,
    FAILED,
    INTERRUPTED,
    NOT_RUN,
    CellOutcome,
    make_manifest,
)
from loo_sim.runner.needs import check_room, disk_needed
from loo_sim.runner.partial import LOG, OUTCOME, Partial
from loo_sim.runner.plan import length_of
from loo_sim.runner.progress import Progress
from loo_sim.runner.results import check_place, partial_of, result_of
from loo_sim.runner.signals import Stopper
from loo_sim.sobol_words import TITLES, told_rows
from loo_sim.studies import Study, find_study
from loo_sim.sweep import column_values, with_axes

RESULTS = Path("results")
"""Where results go by default."""


@dataclass(frozen=True)
class Run:
    """A run that ended.

    Attributes
    ----------
    directory : Path or None
        The result; None if it was stopped, if cells were not run, or if not one was finished.
    partial : Path or None
        Where what is done is kept, if the result is not whole and something is.
    manifest : mapping
    titles : tuple of str
        Of the columns of `headline`.
    headline : list of (str, tuple of str)
        Cells by name, with a few figures each.
    broken_off : str
        How much is done of the cell that was at work, if it was stopped; empty if nothing is.
    stopped : KeyboardInterrupt or None
        The signal that stopped it.
    """

    directory: Path | None
    partial: Path | None
    manifest: Mapping[str, Any]
    titles: tuple[str, ...]
    headline: list[tuple[str, tuple[str, ...]]]
    broken_off: str
    stopped: KeyboardInterrupt | None


def place_of(experiment: Experiment, output: Path | None) -> Path:
    """Where the result of an experiment goes: where the user says, or to ``results/``."""
    return (output or RESULTS / experiment.name).resolve()


def run_experiment(
    experiment: Experiment,
    output: Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    verbose: bool = False,
    *,
    fresh: bool = False,
    fail_fast: bool = False,
    only_failed: bool = False,
    engine: Choice = THREADS,
) -> Run:
    """Run an experiment and write its result directory, or go on with what was begun.

    A result of this very run that is in place is told again; of one in which cells failed, those
    are run. A run that was broken off, by whatever, goes on where it was. A cell that raises is a
    failed cell, and the others go on. SIGINT and SIGTERM end the run; what is done by then is kept
    in the partial folder.

    Parameters
    ----------
    experiment : Experiment
        What to run.
    output : Path, optional
        The result's place; by default ``results/`` and the experiment's name.
    jobs : int, optional
        Threads, or workers that `engine` starts here; by default one for each usable core. Fewer
        threads work where their counts would take more than `threads.MOST_COUNT_BYTES`, as those
        of `announce` do at many players.
    progress : Progress, optional
        By default nothing is told.
    verbose : bool
        Tell the traceback of a failed cell, and where fewer threads work than were asked for.
    fresh : bool
        Start over. A result that is in place stays there until the new one is whole.
    fail_fast : bool
        End at the first cell that fails. What is done by then is kept as if it had been stopped.
    only_failed : bool
        Run the cells that failed before, and no others.
    engine : Choice
        What counts; by default threads of this process.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        If the result may not or cannot be written there, if there is no room for it, if what the
        engine needs is not installed, if another process is at work on it, if another run's result
        or work is there, or if only failed cells are to be run and there are none; nothing has been
        run then.
    OSError
        If writing fails later, or the engine; what is done by then is in the partial folder.
    """
    progress = progress or Progress()
    directory = place_of(experiment, output)
    here = identity_of(experiment)
    check_place(directory)
    if fresh and only_failed:
        raise no_failures(directory)
    if not fresh and not partial_of(directory).exists():
        finished = result_of(directory, here)
        if only_failed and (finished is None or finished["status"] == DONE):
            raise no_failures(directory)
        if finished is not None and finished["status"] == DONE:
            return _told_again(experiment, directory, finished, progress)
    started = datetime.now(UTC)
    partial = Partial(directory)
    try:
        begun = None if fresh else partial.begun()
        finished = None if fresh or (begun and begun["fresh"]) else result_of(directory, here)
        if finished is not None and finished["status"] == DONE:
            partial.discard()
            if only_failed:
                raise no_failures(directory)
            return _told_again(experiment, directory, finished, progress)
        what_counts = make_engine(
            engine, experiment.study, jobs, partial.path / LOG, progress, verbose
        )
        work = _Work(experiment, partial, what_counts, progress, verbose)
        work.prepare(begun, finished, here, fresh)
        if only_failed and not work.failed_before:
            raise no_failures(directory)
        with Stopper() as stopper, progress:
            stopped = work.run_cells(stopper, fail_fast, only_failed)
            written = False
            try:
                with stopper.shield():
                    manifest = make_manifest(
                        experiment,
                        here,
                        work.outcomes(stopped),
                        work.axes,
                        output,
                        engine,
                        what_counts.jobs,
                        started,
                    )
                    if manifest["status"] == INTERRUPTED:
                        write_failures(partial.path, here, work.known_failures())
                if manifest["status"] != INTERRUPTED and partial.done:
                    partial.assemble(manifest, work.differences, work.sobol)
                    with stopper.shield():
                        partial.put_in_place()
                        written = True
            except KeyboardInterrupt as stop:
                stopped = None if written else stop
    finally:
        kept = partial.close()
    return Run(
        directory if written else None,
        partial.path if kept else None,
        manifest,
        _titles(experiment),
        _headline(experiment, manifest),
        work.broken_off(),
        stopped,
    )


def _told_again(
    experiment: Experiment, directory: Path, manifest: Mapping[str, Any], progress: Progress
) -> Run:
    """A run of which everything was there."""
    progress.say(f"nothing to run: {from_here(directory)} holds this result; --fresh runs it again")
    headline = _headline(experiment, manifest)
    return Run(directory, None, manifest, _titles(experiment), headline, "", None)


def _headline(
    experiment: Experiment, manifest: Mapping[str, Any]
) -> list[tuple[str, tuple[str, ...]]]:
    """Rows of the short table: what the cells tell, and how they differ from the first.

    Those of a design are its indices; none until they are made.
    """
    if experiment.design is not None:
        of = manifest.get(SOBOL, {"indices": []})["indices"]
        return [("", row) for row in told_rows(of, experiment.settings["sweep"][SOBOL])]
    is_compared = _is_compared(experiment)
    rows = []
    for cell, told in zip(experiment.cells, manifest["cells"], strict=True):
        apart = told["difference"]["told"] if told["difference"] else NONE
        for row in told["headline"]:
            entries = [figure["told"] for figure in row.values()]
            rows.append((cell.name, (*entries, *[apart] * is_compared)))
            apart = ""
    return rows


def _titles(experiment: Experiment) -> tuple[str, ...]:
    """Of the columns of the short table, but for the cells' names."""
    if experiment.design is not None:
        return TITLES
    study = find_study(experiment.study)
    return (*study.HEADLINE, *[study.MAIN_TITLE] * _is_compared(experiment))


def _is_compared(experiment: Experiment) -> bool:
    """Whether the short table tells how the cells differ from the first."""
    return len(experiment.cells) > 1 and bool(find_study(experiment.study).MAIN)


class _Work:
    """The cells of an experiment, done one after the other."""

    def __init__(
        self,
        experiment: Experiment,
        partial: Partial,
        engine: Engine,
        progress: Progress,
        verbose: bool,
    ) -> None:
        study = find_study(experiment.study)
        seed, amount = experiment.seed, experiment.amount
        self.experiment = experiment
        length = length_of(experiment, study)
        self.place = Workplace(study, seed, amount, length, engine, partial, progress)
        self.verbose = verbose
        self.study, self.partial, self.progress = study, partial, progress
        self.axes = column_values([cell.axes for cell in experiment.cells])
        self.differences = Differences(study.MAIN, self.axes) if any(self.axes) else None
        design = experiment.design
        self.sobol = SobolTable(study.MAIN, design, list(self.axes[0])) if design else None
        self.failed_before: dict[int, CellOutcome] = {}
        self.failed: dict[int, CellOutcome] = {}
        self.at_work: CellAtWork | None = None
        self.compiled = False
        self.resuming = False

    def prepare(
        self,
        begun: Mapping[str, Any] | None,
        finished: Mapping[str, Any] | None,
        here: Identity,
        fresh: bool,
    ) -> None:
        """Begin, or take up what was begun or finished; and see that there is room for the rest."""
        if begun is None:
            self.partial.begin(here, fresh)
        else:
            for name in self.partial.resume(begun["identity"], here):
                self.tell_damaged(name)
        if finished is not None:
            self.partial.adopt(finished)
        self.resuming = begun is not None or finished is not None
        self.failed_before = failures_of(self.partial.path, here, finished, self.partial.done)
        cells = enumerate(self.experiment.cells)
        left = [cell for number, cell in cells if number not in self.partial.done]
        place = self.place
        need = disk_needed(self.study, left, place.amount.most, place.length, place.engine)
        check_room(self.partial.directory, need)

    def run_cells(
        self, stopper: Stopper, fail_fast: bool, only_failed: bool
    ) -> KeyboardInterrupt | None:
        """Run all cells, or those that a signal leaves time for; the signal, if one came."""
        try:
            left = [
                number
                for number in range(len(self.experiment.cells))
                if number not in self.partial.done
                and (number in self.failed_before or not only_failed)
            ]
            with self.place.engine if left else nullcontext():
                for number in left:
                    self.run_cell(number, self.experiment.cells[number], stopper)
                    if fail_fast and self.failed:
                        break
        except KeyboardInterrupt as stop:
            return stop
        self.tell_resuming(0)
        return None

    def outcomes(self, stopped: KeyboardInterrupt | None) -> list[CellOutcome]:
        """What became of each cell, where the run was stopped or not."""
        found = []
        broken_off = NOT_RUN if stopped is None else INTERRUPTED
        failed = self.known_failures()
        if self.at_work is not None:
            failed.pop(self.at_work.number, None)
        for number in range(len(self.experiment.cells)):
            if number in self.partial.done:
                of = self.partial.done[number]
                rows = {name: table["rows"] for name, table in of["tables"].items()}
                kept = {key: of[key] for key in OUTCOME}
                found.append(CellOutcome(DONE, rows=rows, **kept))
            elif number in failed:
                found.append(failed[number])
            else:
                found.append(CellOutcome(broken_off, 0.0))
                broken_off = NOT_RUN
        return found

    def known_failures(self) -> dict[int, CellOutcome]:
        """The cells that failed, now or before, and were not done since."""
        known = self.failed_before | self.failed
        return {number: of for number, of in known.items() if number not in self.partial.done}

    def run_cell(self, number: int, cell: Cell, stopper: Stopper) -> None:
        """Run one cell, keep its tables or note why it failed."""
        begun = perf_counter()
        place = f"{number + 1} of {len(self.experiment.cells)}"
        name = f"{place}: {cell.name}" if cell.axes else self.experiment.name
        self.progress.start_cell(name, self.experiment.unit)
        self.at_work = at_work = CellAtWork(self.place, number, cell)
        try:
            with self.progress.compiling():
                game = self.place.engine.encode(self.study, cell)
            at_work.load()
            for damaged in at_work.damaged:
                self.tell_damaged(damaged)
            self.tell_resuming(number)
            self.progress.go_to(at_work.goal)
            self.progress.advance(at_work.deals)
            if not self.compiled:
                self.place.engine.get_ready(self.study, cell, game, self.progress)
                self.compiled = True
            tables, outcome = at_work.run(game, stopper)
        except OSError:
            raise  # the machine's fault and not the cell's: the next would fare no better
        except Exception as error:  # whatever it is, the other cells go on
            told = f"{type(error).__name__}: {error}"
            self.failed[number] = CellOutcome(FAILED, perf_counter() - begun, told)
            at_work.clear()
            self.at_work = None
            self.progress.end_cell(f"{name}: failed")
            if self.verbose:
                self.progress.say(traceback.format_exc())
            return
        told = f"{outcome['deals']:,} {self.experiment.unit} in {outcome['seconds']:.1f} s"
        if outcome["precision"] is not None:
            told += f", {precision_in_words(outcome['precision'], self.study)}"
        own = {table: with_axes(rows, self.axes[number]) for table, rows in tables.items()}
        with stopper.shield():
            self.partial.keep(number, own, outcome)
            self.at_work = None
            self.progress.end_cell(f"{name}: {told}")

    def broken_off(self) -> str:
        """How much is done of the cell at work; empty if nothing is."""
        at = self.at_work
        if at is None or not at.deals:
            return ""
        return part_of(at.deals, at.goal, self.experiment.unit)

    def tell_resuming(self, number: int) -> None:
        """Tell once what was there already."""
        if not self.resuming:
            return
        self.resuming = False
        told = f"resuming: {cells_done(len(self.partial.done), len(self.experiment.cells))}"
        part = self.broken_off()
        if part:
            told += f", {part} of cell {number + 1}"
        self.progress.say(told)

    def tell_damaged(self, name: str) -> None:
        """Tell that something is done again, and why."""
        path = self.partial.path / name
        self.progress.say(f"{path} was altered or broken off: what it held is done again")


def cells_done(done: int, cells: int) -> str:
    """``3 of 8 cells done``."""
    return f"{done:,} of {cells:,} {'cell' if cells == 1 else 'cells'} done"


def part_of(done: int, whole: int, unit: str) -> str:
    """``12.0 of 40.0 million deals``."""
    if whole < 10**6:
        return f"{done:,} of {whole:,} {unit}"
    return f"{done / 1e6:,.1f} of {whole / 1e6:,.1f} million {unit}"


def precision_in_words(precision: Mapping[str, Any], study: Study) -> str:
    """``the mean change of the pot to ± 0.0123 stakes, not to the 0.01 asked for``."""
    width = precision["half_width"]
    told = f"{study.FIGURE} to ± " + (
        "an unknown error" if width is None else f"{width:.3g} stakes"
    )
    return told if precision["reached"] else f"{told}, not to the {precision['until']:g} asked for"
