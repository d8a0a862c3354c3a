"""The memory and the room on the disk that a run may need."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from loo_sim.experiment import Cell
from loo_sim.runner.engines import Engine
from loo_sim.runner.parts import size_of
from loo_sim.runner.results import refuse
from loo_sim.studies import Study

BASE_BYTES = 400 * 10**6
"""Memory of Python, the packages and the kernels, before anything is counted."""

COPIES = 2
"""What making a cell's tables takes beside its counts: at most so many times as much."""

TABLES_BYTES, CHUNK_BYTES = 2**17, 64
"""What a cell's tables take on the disk, at most, beside the study's share of its counts
(`TABLES_SHARE`): this much, and so much a chunk."""


def disk_needed(
    study: Study, cells: Iterable[Cell], deals: int, length: int, engine: Engine
) -> int:
    """Bytes still to be written, at most at one time: totals twice, tables twice.

    Parameters
    ----------
    study : Study
        What is counted.
    cells : iterable of Cell
        Those that are left.
    deals : int
        Most deals of a cell.
    length : int
        Deals in a chunk.
    engine : Engine
        What counts.
    """
    parts = tables = 0
    for size, threads in count_sizes(study, cells, engine):
        parts = max(parts, size * threads)
        tables += round(size * study.TABLES_SHARE) + TABLES_BYTES
        tables += CHUNK_BYTES * -(-deals // length)
    return 2 * (parts + tables)


def count_sizes(study: Study, cells: Iterable[Cell], engine: Engine) -> Iterator[tuple[int, int]]:
    """For each cell the bytes of its counts, and how many the engine keeps of them at a time."""
    known: dict[Any, tuple[int, int]] = {}
    for cell in cells:
        kind = (
            *(cell.players, cell.rules.deck, cell.aim),
            *(len(cell.policies), cell.rounds, cell.bankroll),
        )
        if kind not in known:
            counts = study.empty_counts(cell)
            known[kind] = size_of(counts), engine.totals(counts)
        yield known[kind]


def memory_needed(sizes: Iterable[tuple[int, int]]) -> int:
    """Bytes of memory, at most. They depend on the game and the threads, not on the deals.

    Parameters
    ----------
    sizes : iterable of (int, int)
        As `count_sizes` gives them.
    """
    return BASE_BYTES + max((size * (threads + COPIES) for size, threads in sizes), default=0)


def check_room(directory: Path, need: int) -> int:
    """Make sure that a disk has room for a result.

    Parameters
    ----------
    directory : Path
        The result's place, resolved.
    need : int
        Bytes.

    Returns
    -------
    int
        Bytes that are free.

    Raises
    ------
    InputError
        If there are fewer than needed.
    """
    free = shutil.disk_usage(nearest_folder(directory.parent)).free
    if free < need:
        what = f"has room for {megabytes(free)}, and this run may need {megabytes(need)}"
        raise refuse(directory.parent, what)
    return free


def nearest_folder(folder: Path) -> Path:
    """A folder, or the nearest above it that is there."""
    return next(place for place in (folder, *folder.parents) if place.exists())


def megabytes(size: int) -> str:
    """``24.5 MB``, of bytes."""
    return f"{size / 1e6:,.1f} MB"
