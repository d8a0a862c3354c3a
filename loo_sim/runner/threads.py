"""The engine `threads`: chunks on several threads; the kernels release the interpreter's lock."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from loo_sim.runner.counting import Saving, Work
from loo_sim.runner.here import Here
from loo_sim.runner.parts import Total, size_of
from loo_sim.runner.progress import Progress

if TYPE_CHECKING:
    from loo_sim.studies import Counts

MOST_COUNT_BYTES = 500 * 10**6
"""Memory for the counts of all threads together, unless those of one take more."""


class Threads(Here):
    """Counts chunks on threads of this process.

    Parameters
    ----------
    jobs : int
        Threads.
    progress : Progress, optional
        Told where fewer work, for want of memory for the counts of all; by default nothing is.
    """

    def __init__(self, jobs: int, progress: Progress | None = None) -> None:
        self.jobs = jobs
        self._progress = progress or Progress()

    def totals(self, counts: Counts) -> int:
        """How many totals it keeps at a time: one a thread, of as many as have room for theirs."""
        return min(self.jobs, max(1, MOST_COUNT_BYTES // size_of(counts)))

    def count(self, work: Work, totals: Sequence[Total]) -> None:
        """Count chunks of a cell.

        Each thread adds to a total of its own, so that memory grows with the threads and not with
        the deals. Sums of whole numbers are the same in any order, so the result depends on
        neither. Totals are saved every few seconds, and where the work is broken off.

        Parameters
        ----------
        work : Work
            What to count.
        totals : sequence of Total
            One a thread; modified in place. After an exception those of chunks that were broken
            off are of no use.

        Raises
        ------
        Exception
            The first that a chunk or a save raises; the other threads end with the chunks they are
            at.
        KeyboardInterrupt
            If a signal broke the work off; what is done by then has been saved.
        """
        affordable = self.totals(totals[0].counts)
        if affordable < self.jobs:
            what = "memory for more is wanting"
            self._progress.say(f"only {affordable} of {self.jobs} threads: {what}")
        left = deque(work.todo)
        stop = Event()
        savings = [Saving(partial(work.save, thread, total)) for thread, total in enumerate(totals)]

        def count_some(thread: int, total: Total) -> None:
            tally = work.tally(total)
            while left and not stop.is_set() and work.has_time():
                try:
                    chunk = left.popleft()
                except IndexError:  # another thread was faster
                    return
                tally.count(chunk)
                work.advance(chunk.deals)
                savings[thread].counted()
            if stop.is_set():
                savings[thread].now()

        try:
            with ThreadPoolExecutor(len(totals)) as pool:
                try:
                    # The pool would not wait for a thread whose start was broken off.
                    with work.stopper.shield():
                        futures = [
                            pool.submit(count_some, thread, total)
                            for thread, total in enumerate(totals)
                        ]
                    wait(futures, return_when=FIRST_EXCEPTION)
                finally:
                    stop.set()
        except KeyboardInterrupt:
            for saving in savings:
                saving.now()  # a thread that had ended before the signal, for want of chunks
            raise
        for future in futures:
            future.result()
