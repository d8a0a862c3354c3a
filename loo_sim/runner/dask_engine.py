"""The engine `dask`: chunks on the workers of a dask scheduler, here or on many machines.

Only this process writes results. A worker counts a block of chunks and returns what they come to;
one that dies costs the blocks that it was at, which are counted again elsewhere. Nothing that a
worker or the scheduler does can change what is counted: a block is taken in whole or not at all.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self, cast

from loo_sim.problems import InputError, Problem
from loo_sim.runner.counting import Saving, Work
from loo_sim.runner.dask_cluster import ALLOWED_DEATHS, POLL_SECONDS, Cluster, EngineError
from loo_sim.runner.parts import Total, size_of
from loo_sim.runner.plan import Chunk

if TYPE_CHECKING:
    from distributed import Future

    from loo_sim.experiment import Cell
    from loo_sim.runner.progress import Progress
    from loo_sim.studies import Counts, Study

BLOCK_SECONDS, COUNT_BYTES_A_SECOND = 1.0, 20e6
"""A block takes about a second, so that what it costs to send one is little beside it, and little
is lost with a worker; more where counts are so large that to clear and to pack them would tell."""

WINDOW = 3
"""Blocks that are sent out at a time, for each worker: the one that it is at, and its next."""

GATHER_SECONDS, LONGEST_GATHER = 4.0, 128.0
"""What a block is waited for once it is done, for its worker may have died with it. It is twice as
long after each that was not there in time: it may have been on its way."""

SHORTEST_SECONDS = 1e-6


Blocked = tuple[Chunk, ...]
"""Chunks that are counted together."""


class WorkersDiedError(Exception):
    """Workers died, again and again, while they counted the same chunks."""

    def __init__(self, times: int, chunks: Blocked, why: str) -> None:
        first, last = chunks[0].first, chunks[-1].first + chunks[-1].deals - 1
        super().__init__(f"it was tried {times} times to count {first:,} to {last:,}: {why}")


class _DiedError(Exception):
    """Workers died of a block, as the scheduler says, or were of no use to it."""

    def __init__(self, why: str, times: int) -> None:
        self.why, self.times = why, times


class Dask:
    """Counts chunks on the workers of a dask scheduler.

    Parameters
    ----------
    scheduler : str
        ``local:N`` (which starts one with N workers here), an address or a scheduler file.
    study : str
        Name of the study that is counted.
    log : Path or None
        File for what dask has to tell; None if it goes to stderr.
    progress : Progress
        Told when workers come and go.

    Raises
    ------
    InputError
        If dask is not installed.
    """

    def __init__(self, scheduler: str, study: str, log: Path | None, progress: Progress) -> None:
        try:
            import distributed
        except ImportError:
            hint = "in the folder of loosim: pip install -e '.[cluster]'"
            what = "needs dask and distributed, which are not installed"
            raise InputError([Problem("--engine", None, "dask", what, hint)]) from None
        del distributed
        self._study = study
        self._cluster = Cluster(scheduler, log, progress)
        self._gather = GATHER_SECONDS
        self._pace = 0.0

    @property
    def jobs(self) -> int:
        """Most workers that there were at a time."""
        return self._cluster.most

    def __enter__(self) -> Self:
        """Connect, wait for a worker, and look at the code of all.

        Raises
        ------
        EngineError
            If there is no such scheduler, or none of use.
        """
        self._cluster.open()
        return self

    def __exit__(self, *error: Any) -> None:
        self._cluster.close(*error)

    def encode(self, study: Study, cell: Cell) -> Any:
        """The game of a cell, which a worker encodes for all."""
        from loo_sim.runner.dask_worker import CODE, prepare

        return self._cluster.client.submit(prepare, self._study, cell, CODE, pure=False)

    def get_ready(self, study: Study, cell: Cell, game: Any, progress: Progress) -> None:
        """Wait until a worker has the kernels ready, telling so if it takes a while."""
        with progress.compiling():
            self._wait(game)

    def totals(self, counts: Counts) -> int:
        """How many totals it keeps at a time."""
        return 1

    def count(self, work: Work, totals: Sequence[Total]) -> None:
        """Count chunks of a cell; see `threads.Threads.count`.

        Raises
        ------
        EngineError
            If the scheduler is gone, or all workers are for too long.
        """
        (total,) = totals
        saving = Saving(lambda: work.save(0, total))
        try:
            self._count(work, total, saving)
        except (KeyboardInterrupt, EngineError):
            saving.now()
            raise

    def _count(self, work: Work, total: Total, saving: Saving) -> None:
        from loo_sim.runner.dask_worker import CODE, count_block, unpack

        seconds = max(BLOCK_SECONDS, size_of(total.counts) / COUNT_BYTES_A_SECOND)
        left, again = deque(work.todo), deque[Blocked]()
        deaths: Counter[Blocked] = Counter()
        ended: SimpleQueue[Future] = SimpleQueue()
        out: dict[Future, Blocked] = {}
        try:
            while True:
                while self._has_room(len(out)) and (again or left) and work.has_time():
                    chunks = again.popleft() if again else self._next_block(left, seconds)
                    future = self._cluster.client.submit(
                        count_block, work.game, work.seed, chunks, CODE, pure=False
                    )
                    out[future] = chunks
                    future.add_done_callback(ended.put)
                if not out:
                    return
                future = self._first(ended)
                if future is None:
                    continue
                chunks = out[future]
                try:
                    block = self._result(future)
                except _DiedError as died:
                    deaths[chunks] += died.times
                    if deaths[chunks] > ALLOWED_DEATHS:
                        raise WorkersDiedError(deaths[chunks], chunks, died.why) from None
                    del out[future]
                    again.append(chunks)
                    continue
                if block is None:  # its worker went with it: it is counted again
                    future.add_done_callback(ended.put)
                    continue
                del out[future]
                deals = sum(chunk.deals for chunk in chunks)
                self._pace = deals / max(block.seconds, SHORTEST_SECONDS)
                with work.stopper.shield():
                    unpack(block.counts, total.counts)
                    total.note(block)
                    work.advance(deals)
                    saving.counted()
        finally:
            with suppress(Exception):
                self._cluster.client.cancel(list(out), force=True)

    def _has_room(self, out: int) -> bool:
        """Whether another block may be sent out."""
        return out < WINDOW * max(len(self._cluster.workers), 1)

    def _next_block(self, left: deque[Chunk], seconds: float) -> Blocked:
        """Take the next chunks off: so many seconds of work, and less towards the end."""
        size = int(self._pace * seconds / left[0].deals)
        fair = len(left) // (2 * max(len(self._cluster.workers), 1))
        return tuple(left.popleft() for _ in range(max(1, min(size, fair))))

    # --- waiting, with an eye on the scheduler ----------------------------------------------------

    def _first(self, ended: SimpleQueue[Future]) -> Future | None:
        """The next block that has ended, however it did; None if none has in a moment."""
        self._cluster.look()
        try:
            return ended.get(timeout=POLL_SECONDS)
        except Empty:
            return None

    def _wait(self, future: Future) -> None:
        """Wait until a task has ended, and raise what it raised."""
        while True:
            self._cluster.look()
            with suppress(TimeoutError), self._cluster.connected():
                error = future.exception(timeout=POLL_SECONDS)
                if error is not None:
                    raise error
                return

    def _result(self, future: Future) -> Total | None:
        """What a task that has ended returned; None if it got lost on the way.

        Raises
        ------
        _DiedError
            If its worker did, too often for the scheduler.
        """
        from distributed.scheduler import KilledWorker

        from loo_sim.runner.dask_worker import OtherCodeError

        try:
            with self._cluster.connected():
                return cast(Total, future.result(timeout=self._gather))
        except TimeoutError:
            if future.status == "error":
                raise
            self._gather = min(2 * self._gather, LONGEST_GATHER)
            return None
        except KilledWorker as killed:
            why = f"its worker died; the last was {killed.last_worker.address}"
            raise _DiedError(why, killed.allowed_failures + 1) from None
        except OtherCodeError as error:  # a late worker got it before it was kept out
            raise _DiedError(str(error), 1) from None
