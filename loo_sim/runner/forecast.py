"""What a run would take, and what of it is there already: found out without running it.

Nothing is written, and nobody's lock is taken. Time is measured: the first and the largest of the
cells that are left are counted for a moment, and thrown away.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from loo_sim.console import from_here
from loo_sim.experiment import Cell, Experiment
from loo_sim.machine import usable_cores
from loo_sim.runner.counting import Work
from loo_sim.runner.failures import failures_of, no_failures
from loo_sim.runner.identity import identity_of
from loo_sim.runner.lock import holder_of
from loo_sim.runner.manifest import DONE
from loo_sim.runner.needs import (
    BASE_BYTES,
    check_room,
    count_sizes,
    disk_needed,
    megabytes,
    memory_needed,
    nearest_folder,
)
from loo_sim.runner.partial import IDENTITY, Kept
from loo_sim.runner.parts import Total, put_together, totals_beside
from loo_sim.runner.plan import chunks, deals_in, length_of
from loo_sim.runner.progress import Progress
from loo_sim.runner.results import OLDER, RESULT, refuse, result_of
from loo_sim.runner.run import cells_done
from loo_sim.runner.signals import Stopper
from loo_sim.runner.stopping import MARGIN, take_up
from loo_sim.runner.threads import Threads
from loo_sim.studies import Study, find_study

if TYPE_CHECKING:
    import pyarrow as pa

MEASURE_SECONDS = 0.5
"""No chunk of a measurement is begun later than this."""
MEASURE_CHUNKS = 64
"""Most chunks a thread in a measurement."""


@dataclass(frozen=True)
class Measurement:
    """What counting a cell for a moment has shown.

    Attributes
    ----------
    cell : int
        From 0.
    seconds_a_deal : float
        With all threads; of a table, where tables are counted.
    seconds_beside : float
        For getting ready, and for making the tables.
    deals : int
        How many the cell is expected to take.
    """

    cell: int
    seconds_a_deal: float
    seconds_beside: float
    deals: int


@dataclass(frozen=True)
class Forecast:
    """What a run would take.

    Attributes
    ----------
    directory : Path
        The result's place.
    unit : str
        What is counted: ``deals``, or ``tables``.
    cells : int
    most : int
        Deals of each cell, unless `until` is reached before.
    until : float or None
        Half-width in stakes at which a cell has enough.
    cells_done, deals_done : int
        Cells that are finished already; deals that are counted already of the others.
    deals_to_do : int
        Deals expected still.
    told : tuple of str
        What is there already, and what is done again for which reason.
    threads : int
        As many as have room for their counts.
    counts_bytes, memory_bytes : int
        Of the counts of one thread; of all, at most.
    disk_bytes, free_bytes : int
        What may be written at one time, and the room that there is.
    measured : tuple of Measurement
        Empty if there is nothing to do.
    seconds : float
        Expected.
    """

    directory: Path
    unit: str
    cells: int
    most: int
    until: float | None
    cells_done: int
    deals_done: int
    deals_to_do: int
    told: tuple[str, ...]
    threads: int
    counts_bytes: int
    memory_bytes: int
    disk_bytes: int
    free_bytes: int
    measured: tuple[Measurement, ...]
    seconds: float


def forecast(
    experiment: Experiment,
    directory: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
    only_failed: bool = False,
) -> Forecast:
    """Find out what a run would take.

    Parameters
    ----------
    experiment : Experiment
        What would be run.
    directory : Path
        The result's place, resolved.
    jobs : int, optional
        Threads; by default one for each usable core.
    progress : Progress, optional
        By default nothing is told.
    fresh : bool
        Whether the run would start over.
    only_failed : bool
        Whether it would run the cells alone that failed before.

    Returns
    -------
    Forecast

    Raises
    ------
    InputError
        If the run would be refused, as `run_experiment` says.
    """
    progress = progress or Progress()
    engine = Threads(jobs or usable_cores())
    study = find_study(experiment.study)
    most = experiment.amount.most
    if fresh and only_failed:
        raise no_failures(directory)
    known = _look(experiment, study, directory, fresh)
    if not known.finished:
        _check_writable(directory)
    if only_failed and not known.failed:
        raise no_failures(directory)
    left = [n for n in range(len(experiment.cells)) if n not in known.done]
    if only_failed:
        left = [number for number in left if number in known.failed]
        known.told.append(f"--only-failed: {len(left):,} of these cells failed, and are run again")
    cells = [experiment.cells[n] for n in left]
    length = length_of(experiment, study)
    need = disk_needed(study, cells, most, length, engine) if left else 0
    free = check_room(directory, need)
    with Stopper() as stopper, progress:
        measured = _measure(experiment, study, left, engine, progress, stopper)
    seconds, to_do = 0.0, 0
    for number in left:
        like = _interpolated(experiment, measured, number)
        deals = max(0, like.deals - known.deals.get(number, 0))
        to_do += deals
        of_cell = deals * like.seconds_a_deal + like.seconds_beside
        bound = experiment.amount.max_seconds
        seconds += of_cell if bound is None else min(of_cell, bound)
    sizes = list(count_sizes(study, cells, engine))
    size, threads = max(sizes, default=(0, 0))
    return Forecast(
        directory=directory,
        unit=experiment.unit,
        cells=len(experiment.cells),
        most=most,
        until=experiment.amount.until,
        cells_done=len(known.done),
        deals_done=sum(known.deals.values()),
        deals_to_do=to_do,
        told=tuple(known.told),
        threads=threads,
        counts_bytes=size,
        memory_bytes=memory_needed(sizes),
        disk_bytes=need,
        free_bytes=free,
        measured=tuple(measured),
        seconds=seconds,
    )


# --- what is there already ------------------------------------------------------------------------


@dataclass
class _Known:
    """What is there of a run: finished cells, those that failed, deals counted, what to tell.

    `finished`: the whole result is there.
    """

    done: set[int] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    deals: dict[int, int] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    finished: bool = False


def _check_writable(directory: Path) -> None:
    """Refuse a place that nothing can be written to."""
    folder = nearest_folder(directory.parent)
    if not folder.is_dir():
        raise refuse(directory, "cannot be written: a file is where its folder should be")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise refuse(directory, f"cannot be written: nothing can be written to {folder}")


def _look(experiment: Experiment, study: Study, directory: Path, fresh: bool) -> _Known:
    """Look at what is there, as a run would, and refuse what it would refuse."""
    kept = Kept(directory)
    holder = holder_of(kept.path)
    if holder is not None:
        hint = "wait for it to end, or write elsewhere with -o"
        raise refuse(directory, f"{holder}, is at work on it", hint)
    known = _Known()
    waiting, older = kept.path / RESULT, kept.path / OLDER
    if fresh:
        if (kept.path / IDENTITY).exists():
            known.told.append(f"--fresh: what was begun in {kept.path} is thrown away")
        if directory.exists() and any(directory.iterdir()):
            known.told.append(
                f"--fresh: the result in {directory} stays until the new one is whole"
            )
        return known
    here = identity_of(experiment)
    begun = None if waiting.exists() else kept.begun()
    # A kill between two renames leaves a result in the partial folder, and none in its place.
    place = next((p for p in (waiting, directory, older) if p.exists()), directory)
    finished = None if begun and begun["fresh"] else result_of(place, here)
    if finished is not None:
        cells = finished["cells"]
        known.done |= {n for n, cell in enumerate(cells) if cell["status"] == DONE}
        if finished["status"] == DONE:
            known.finished = True
            known.told.append(
                f"nothing to run: {from_here(directory)} holds this result; --fresh runs it again"
            )
            return known
        known.told.append(
            f"{len(cells) - len(known.done):,} of {len(cells):,} cells of the result in {directory}"
            " failed, and are run again"
        )
    if begun is not None:
        damaged = kept.resume(begun["identity"], here)
        length = length_of(experiment, study)
        known.done |= kept.done.keys()
        for number, cell in enumerate(experiment.cells):
            if number not in known.done and any(kept.path.glob(f"cell-{number}.part-*")):
                parts = kept.parts(number, length, partial(study.empty_counts, cell))
                total, bad = parts.look()
                (*_, goal), lost = take_up(
                    kept.checkpoints(number), total.chunks, experiment.amount, length
                )
                if lost:
                    bad.append(f"cell-{number}.goal")
                    total.chunks.clear()
                damaged += bad
                known.deals[number] = deals_in(total.chunks, goal, length)
        known.told += [
            f"{kept.path / name} was altered or broken off: what it held is done again"
            for name in damaged
        ]
        if len(known.done) == len(experiment.cells):
            known.told.append("all is counted: the same command writes the result")
    known.failed |= failures_of(kept.path, here, finished, known.done).keys()
    return known


# --- how long it takes ----------------------------------------------------------------------------


def _measure(
    experiment: Experiment,
    study: Study,
    left: Sequence[int],
    engine: Threads,
    progress: Progress,
    stopper: Stopper,
) -> list[Measurement]:
    """Count the first and the largest of the cells that are left for a moment."""
    if not left:
        return []
    largest = max(left, key=lambda number: _size(experiment.cells[number]))
    return [
        _measured(experiment, study, number, engine, progress, stopper)
        for number in dict.fromkeys((left[0], largest))
    ]


def _measured(
    experiment: Experiment,
    study: Study,
    number: int,
    engine: Threads,
    progress: Progress,
    stopper: Stopper,
) -> Measurement:
    """Count a cell for a moment, from its first deal on."""
    cell = experiment.cells[number]
    length = length_of(experiment, study)
    begun = perf_counter()
    game = study.encode(cell)
    encoded = perf_counter()
    engine.get_ready(study, cell, game, progress)
    total = Total(study.empty_counts(cell))
    threads = engine.totals(total.counts)
    deals = min(experiment.amount.most, MEASURE_CHUNKS * threads * length)
    todo = list(chunks(deals, length))
    totals = totals_beside(total, min(threads, len(todo)), partial(study.empty_counts, cell))
    start = perf_counter()
    asked = count()
    work = Work(
        study,
        cell,
        game,
        experiment.seed,
        todo,
        stopper,
        has_time=lambda: next(asked) < threads or perf_counter() - start < MEASURE_SECONDS,
    )
    engine.count(work, totals)
    counted = perf_counter()
    put_together(totals)
    done = deals_in(total.chunks, deals, length)
    tables = study.tables(cell, done, total.counts)
    beside = encoded - begun + perf_counter() - counted
    expected = _expected(experiment, study, tables, done)
    return Measurement(number, (counted - start) / done, beside, expected)


def _expected(
    experiment: Experiment, study: Study, tables: Mapping[str, pa.Table], done: int
) -> int:
    """How many deals a cell is expected to take, of which some are done.

    A half-width shrinks as the square root of the deals.
    """
    amount = experiment.amount
    if amount.until is None:
        return amount.most
    width = study.half_width(tables)
    if not isfinite(width):
        return amount.most
    return int(min(amount.most, max(done, MARGIN * done * (width / amount.until) ** 2)))


def _size(cell: Cell) -> int:
    """What the time of a deal, or of a table, grows with: those who play, at all of its deals."""
    return cell.players * max(1, cell.rounds * cell.players)


def _interpolated(
    experiment: Experiment, measured: Sequence[Measurement], number: int
) -> Measurement:
    """What is expected of a cell, between the two that were measured."""
    first, last = measured[0], measured[-1]
    low, high, here = (_size(experiment.cells[n]) for n in (first.cell, last.cell, number))
    share = (here - low) / (high - low) if high != low else 0.0
    share = min(max(share, 0.0), 1.0)

    def between(a: float, b: float) -> float:
        return a + share * (b - a)

    return Measurement(
        number,
        between(first.seconds_a_deal, last.seconds_a_deal),
        between(first.seconds_beside, last.seconds_beside),
        round(between(first.deals, last.deals)),
    )


# --- told -----------------------------------------------------------------------------------------


def sentences(found: Forecast) -> list[tuple[str, str]]:
    """A forecast in words: what it is about, and what there is to say."""
    unit = found.unit
    whole = found.most * found.cells
    amount = f"{found.most:,} in each cell, {whole:,} in all"
    if found.until is not None:
        amount = f"until ± {found.until:g} stakes, at most {amount}"
    rows = [
        ("result", str(from_here(found.directory))),
        ("cells", f"{found.cells:,}"),
        (unit, amount),
    ]
    done = cells_done(found.cells_done, found.cells).removesuffix(" done")
    if found.deals_done:
        done += f", and {found.deals_done:,} {unit} of those that are not"
    rows.append(("done", done))
    rows += [("", told) for told in found.told]
    if not found.measured:
        return rows
    left = f"{found.deals_to_do:,}"
    if found.until is not None:
        left = f"about {float(f'{found.deals_to_do:.2g}'):,.0f}"
    counts = found.memory_bytes - BASE_BYTES
    threads = "1 thread" if found.threads == 1 else f"{found.threads} threads"
    return [
        *rows,
        ("left", f"{left} {unit}"),
        ("time", f"about {duration(found.seconds)} on {threads}, by what was measured just now"),
        (
            "memory",
            f"at most about {megabytes(found.memory_bytes)}, however many {unit}:"
            f" {megabytes(BASE_BYTES)} for Python and its packages, and {megabytes(counts)} for"
            f" what is counted",
        ),
        (
            "disk",
            f"at most {megabytes(found.disk_bytes)} at one time; {megabytes(found.free_bytes)}"
            " are free",
        ),
    ]


def duration(seconds: float) -> str:
    """``40 s``, ``12 min`` or ``3.5 h``."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def as_json(found: Forecast) -> dict[str, Any]:
    """A forecast as JSON has it."""
    content = asdict(found)
    return {**content, "directory": str(found.directory), "base_bytes": BASE_BYTES}
