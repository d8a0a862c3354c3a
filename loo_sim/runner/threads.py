"""Counts the deals of a cell on several threads; the kernels release the interpreter's lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Event
from typing import TYPE_CHECKING, Any

from loo_sim.runner.plan import Chunk

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.studies import Counts, Study


MOST_COUNT_BYTES = 500 * 10**6
"""Memory for the counts of all threads together, unless those of one take more."""


def affordable_threads(jobs: int, counts: Counts) -> int:
    """At most `jobs` threads, and no more than have room for counts of this size each."""
    size = sum(array.nbytes for array in counts)
    return min(jobs, max(1, MOST_COUNT_BYTES // size))


def count_cell(
    study: Study,
    cell: Cell,
    game: Any,
    seed: int,
    todo: list[Chunk],
    jobs: int,
    advance: Callable[[int], None],
) -> Counts:
    """Count all deals of a cell.

    Each thread adds to counts of its own, so that memory grows with the threads and not with the
    deals. Sums of whole numbers are the same in any order, so the result depends on neither.

    Parameters
    ----------
    study : Study
        What to count.
    cell : Cell
        The game.
    game : object
        The same, encoded for the kernels.
    seed : int
        0 to 2**64 - 1.
    todo : list of Chunk
        All deals of the cell.
    jobs : int
        Threads.
    advance : callable
        Told the number of deals done as each chunk ends, from any thread.

    Returns
    -------
    tuple of ndarray
        The study's counts.

    Raises
    ------
    Exception
        The first that a chunk raises; the other threads end with the chunks they are at.
    """
    left = deque(todo)
    stop = Event()

    def work(counts: Counts) -> None:
        while not stop.is_set():
            try:
                chunk = left.popleft()
            except IndexError:
                return
            study.add_counts(game, seed, chunk.first, chunk.deals, counts)
            advance(chunk.deals)

    parts = [study.empty_counts(cell) for _ in range(min(jobs, len(todo)))]
    with ThreadPoolExecutor(len(parts)) as pool:
        try:
            futures = [pool.submit(work, counts) for counts in parts]
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()
    for future in futures:
        future.result()
    whole = parts.pop(0)
    while parts:
        for total, part in zip(whole, parts.pop(), strict=True):
            total += part
    return whole
