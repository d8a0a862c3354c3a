"""Counts the deals of a cell on several threads; the kernels release the interpreter's lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any

from loo_sim.runner.parts import CHECKSUMS, Total
from loo_sim.runner.plan import Chunk
from loo_sim.runner.signals import Stopper

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.runner.progress import Progress
    from loo_sim.studies import Counts, Study


MOST_COUNT_BYTES = 500 * 10**6
"""Memory for the counts of all threads together, unless those of one take more."""

SAVE_SECONDS = 2.0
"""A total is not saved more often than this, ..."""

SAVE_SHARE = 1 / 30
"""... and saving takes no larger share of the time than this."""


def affordable_threads(jobs: int, counts: Counts) -> int:
    """At most `jobs` threads, and no more than have room for counts of this size each."""
    size = sum(array.nbytes for array in counts)
    return min(jobs, max(1, MOST_COUNT_BYTES // size))


def compile_kernels(study: Study, cell: Cell, game: Any, progress: Progress) -> None:
    """Get the kernels ready that count a cell, telling so if it takes a while."""
    from loo_sim.kernels.checksum import checksum
    from loo_sim.kernels.compiled import compiling

    with progress.compiling(), compiling():
        counts = study.empty_counts(cell)
        study.add_counts(game, 0, 0, 1, counts)
        checksum(counts)


def count_cell(
    study: Study,
    cell: Cell,
    game: Any,
    seed: int,
    todo: Iterable[Chunk],
    totals: Sequence[Total],
    save: Callable[[int, Total], None],
    advance: Callable[[int], None],
    has_time: Callable[[], bool],
    stopper: Stopper,
) -> None:
    """Count chunks of a cell.

    Each thread adds to a total of its own, so that memory grows with the threads and not with the
    deals. Sums of whole numbers are the same in any order, so the result depends on neither.
    Totals are saved every few seconds, and where the work is broken off. A chunk's counts are never
    alone; its checksum is what that of the total grows by, and so are the sums of the figures that
    are followed.

    Parameters
    ----------
    study : Study
        What to count.
    cell : Cell
        The game to count it of, ...
    game : object
        ... and it as the kernels read it.
    seed : int
        0 to 2**64 - 1.
    todo : iterable of Chunk
        All that is left to count.
    totals : sequence of Total
        One a thread; modified in place. After an exception those of chunks that were broken off
        are of no use.
    save : callable
        Keeps the total of a thread, from that thread.
    advance : callable
        Told the number of deals done as each chunk ends, from any thread.
    has_time : callable
        Whether another chunk may be begun; asked from any thread.
    stopper : Stopper
        Holds signals back while threads are started: the pool would not wait for a thread whose
        start was broken off.

    Raises
    ------
    Exception
        The first that a chunk or a save raises; the other threads end with the chunks they are at.
    KeyboardInterrupt
        If a signal broke the work off; what is done by then has been saved.
    """
    from loo_sim.kernels.checksum import checksum

    left = deque(todo)
    stop = Event()
    unsaved = [False] * len(totals)

    def work(thread: int, total: Total) -> None:
        before = sum(total.checksums)
        counted = 0  # from here on: only what a chunk adds to it is looked at
        figures = study.running(cell, counted, total.counts)
        saved = perf_counter()
        patience = SAVE_SECONDS
        while left and not stop.is_set() and has_time():
            try:
                chunk = left.popleft()
            except IndexError:  # another thread was faster
                return
            study.add_counts(game, seed, chunk.first, chunk.deals, total.counts)
            after = checksum(total.counts)
            total.chunks.append(chunk.number)
            total.checksums.append((after - before) % CHECKSUMS)
            before = after
            counted += chunk.deals
            further = study.running(cell, counted, total.counts)
            total.running.append(
                [now.since(then) for now, then in zip(further, figures, strict=True)]
            )
            figures = further
            advance(chunk.deals)
            unsaved[thread] = True
            begun = perf_counter()
            if begun - saved >= patience:
                save(thread, total)
                saved = perf_counter()
                patience = max(SAVE_SECONDS, (saved - begun) / SAVE_SHARE)
                unsaved[thread] = False
        if unsaved[thread] and stop.is_set():
            save(thread, total)
            unsaved[thread] = False

    try:
        with ThreadPoolExecutor(len(totals)) as pool:
            try:
                with stopper.shield():
                    futures = [
                        pool.submit(work, thread, total) for thread, total in enumerate(totals)
                    ]
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:
                stop.set()
    except KeyboardInterrupt:
        for thread, total in enumerate(totals):
            if unsaved[thread]:  # it had ended before the signal, for want of chunks
                save(thread, total)
        raise
    for future in futures:
        future.result()
