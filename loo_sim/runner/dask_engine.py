"""The engine `dask`: chunks on the workers of a dask scheduler, here or on many machines.

Only this process writes results. A worker counts a block of chunks and returns what they come to;
one that dies costs the blocks that it was at, which are counted again elsewhere. Nothing that a
worker or the scheduler does can change what is counted: a block is taken in whole or not at all.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from loo_sim.problems import InputError, Problem
from loo_sim.runner.counting import Saving, Work
from loo_sim.runner.engines import SCHEMES
from loo_sim.runner.parts import Total
from loo_sim.runner.plan import Chunk

if TYPE_CHECKING:
    from distributed import Client, Future

    from loo_sim.experiment import Cell
    from loo_sim.runner.dask_worker import Block
    from loo_sim.runner.progress import Progress
    from loo_sim.studies import Counts, Study

BLOCK_SECONDS = 1.0
"""A block takes about so long: what it costs to send one is little beside it, and little is lost
with a worker."""

WINDOW = 3
"""Blocks that are sent out at a time, for each worker: the one that it is at, and its next."""

ALLOWED_DEATHS = 10
"""Workers that a block may outlive. One that kills more is to blame, and its cell has failed."""

NO_WORKERS_SECONDS = 60.0
"""Without a worker the run waits so long for one, unless dask's settings say otherwise."""

START_WORKER = "NUMBA_NUM_THREADS=1 dask worker --nthreads 1"

POLL_SECONDS = 1.0
GATHER_SECONDS, LONGEST_GATHER = 4.0, 128.0
"""What a block is waited for once it is done, for its worker may have died with it. It is twice as
long after each that was not there in time: it may have been on its way."""

CLOSING_SECONDS = 10.0
SHORTEST_SECONDS = 1e-6

_LOGGERS = ("distributed", "tornado", "asyncio")


class EngineError(OSError):
    """The scheduler or its workers are of no use, or no longer there."""


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

    name = "dask"

    def __init__(self, scheduler: str, study: str, log: Path | None, progress: Progress) -> None:
        self._scheduler, self._study, self._log, self._progress = scheduler, study, log, progress
        try:
            import distributed
        except ImportError:
            hint = "pip install 'loosim[cluster]'"
            what = "needs dask and distributed, which are not installed"
            raise InputError([Problem("--engine", None, "dask", what, hint)]) from None
        del distributed
        self.jobs = 0
        self._open = ExitStack()
        self._workers: frozenset[str] = frozenset()
        self._looked, self._alone_since = -inf, inf
        self._gather = GATHER_SECONDS
        self._pace = 0.0

    def __enter__(self) -> Self:
        """Connect, wait for a worker, and look at the code of all.

        Raises
        ------
        EngineError
            If there is no such scheduler, or none of use.
        """
        try:
            self._client = self._connect()
            self._admit()
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._open.close()

    def encode(self, study: Study, cell: Cell) -> Any:
        """The game of a cell, which a worker encodes for all."""
        from loo_sim.runner.dask_worker import CODE, prepare

        return self._client.submit(prepare, self._study, cell, CODE, pure=False)

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

        left, again = deque(work.todo), deque[Blocked]()
        deaths: Counter[Blocked] = Counter()
        ended: SimpleQueue[Future] = SimpleQueue()
        out: dict[Future, Blocked] = {}
        try:
            while True:
                while self._has_room(len(out)) and (again or left) and work.has_time():
                    chunks = again.popleft() if again else self._next_block(left)
                    future = self._client.submit(
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
                    of = block.total
                    unpack(of.counts, total.counts)
                    total.chunks += of.chunks
                    total.checksums += of.checksums
                    total.running += of.running
                    work.advance(deals)
                    saving.counted()
        finally:
            with suppress(Exception):
                self._client.cancel(list(out), force=True)

    def _has_room(self, out: int) -> bool:
        """Whether another block may be sent out."""
        return out < WINDOW * max(len(self._workers), 1)

    def _next_block(self, left: deque[Chunk]) -> Blocked:
        """Take the next chunks off: about a second of work, and fewer towards the end."""
        size = int(self._pace * BLOCK_SECONDS / left[0].deals)
        fair = len(left) // (2 * max(len(self._workers), 1))
        return tuple(left.popleft() for _ in range(max(1, min(size, fair))))

    # --- waiting, with an eye on the scheduler ----------------------------------------------------

    def _first(self, ended: SimpleQueue[Future]) -> Future | None:
        """The next block that has ended, however it did; None if none has in a moment."""
        self._look()
        try:
            return ended.get(timeout=POLL_SECONDS)
        except Empty:
            return None

    def _wait(self, future: Future) -> None:
        """Wait until a task has ended, and raise what it raised."""
        while True:
            self._look()
            with suppress(TimeoutError), self._connected():
                error = future.exception(timeout=POLL_SECONDS)
                if error is not None:
                    raise error
                return

    def _result(self, future: Future) -> Block | None:
        """What a task that has ended returned; None if it got lost on the way.

        Raises
        ------
        _DiedError
            If its worker did, too often for the scheduler.
        """
        from distributed.scheduler import KilledWorker

        from loo_sim.runner.dask_worker import OtherCodeError

        try:
            with self._connected():
                return cast("Block", future.result(timeout=self._gather))
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

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """A block in which all that tells of a scheduler that is gone becomes an `EngineError`."""
        from concurrent.futures import CancelledError

        from distributed.comm import CommClosedError
        from distributed.scheduler import NoValidWorkerError, NoWorkerError

        try:
            yield
        except (CancelledError, CommClosedError):
            raise self._gone() from None
        except (NoWorkerError, NoValidWorkerError) as error:
            raise EngineError(str(error)) from None

    def _gone(self) -> EngineError:
        return EngineError(f"the scheduler at {self._where} is gone")

    def _look(self) -> None:
        """See which workers there are, at most once in so many seconds, and tell of changes.

        Raises
        ------
        EngineError
            If the scheduler is gone, or no worker has been seen for too long.
        """
        now = monotonic()
        if now - self._looked < POLL_SECONDS:
            return
        self._looked = now
        if self._client.status != "running":
            raise self._gone()
        with self._connected():
            there = frozenset(self._client.nthreads())
        if there != self._workers and self._workers:
            self._progress.say(_change(self._workers, there))
        if there:
            self._alone_since = inf
        else:
            self._alone_since = min(self._alone_since, now)
        self._workers = there
        self.jobs = max(self.jobs, len(there))
        patience = _patience()
        if now - self._alone_since > patience:
            what = f"no worker at {self._where} for {patience:.0f} seconds"
            raise EngineError(f"{what}; start one: {START_WORKER} {self._where}")

    # --- beginning --------------------------------------------------------------------------------

    def _connect(self) -> Client:
        """Connect to the scheduler, or start one here."""
        import dask
        from distributed import Client, LocalCluster, Security

        self._open.enter_context(_logged(self._log))
        kind, _, number = self._scheduler.partition(":")
        if kind == "local":
            self._open.enter_context(dask.config.set(_settings()))
            quiet = {} if self._log is None else {"DASK_LOGGING__DISTRIBUTED": "critical"}
            # Bound to this machine: whoever reaches a scheduler's port can run what he likes.
            cluster = LocalCluster(
                n_workers=int(number),
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                memory_limit=0,
                env={"NUMBA_NUM_THREADS": "1", **quiet},
            )
            self._open.callback(_quietly, cluster.close, timeout=CLOSING_SECONDS)
            client = Client(cluster, set_as_default=False)
        else:
            context = Security().get_connection_args("client")["ssl_context"]
            if self._scheduler.startswith("tls:") and context is None:
                what = "needs certificates, which dask's settings do not name"
                raise EngineError(f"{self._scheduler} {what}: see docs/cluster.md")
            is_file = not self._scheduler.startswith(SCHEMES)
            where = {"scheduler_file" if is_file else "address": self._scheduler}
            try:
                client = Client(**where, set_as_default=False)
            except Exception as error:  # dask raises what it comes upon
                raise EngineError(f"no scheduler at {self._scheduler}: {error}") from None
        self._open.callback(_quietly, client.close, timeout=CLOSING_SECONDS)
        return client

    def _admit(self) -> None:
        """Wait for a worker, and see that every one has this code.

        Raises
        ------
        EngineError
            If there is none in time, or one of no use.
        """
        from loo_sim.runner.dask_worker import CODE, Gate, unfit

        self._look()
        if not self._workers:
            patience = _patience()
            self._progress.say(f"waiting {patience:.0f} s for a worker at {self._where}")
        while not self._workers:
            sleep(POLL_SECONDS)
            self._look()
        with self._connected():
            told = self._client.run(unfit, CODE, on_error="return")
        refused = []
        for worker, why in sorted(told.items()):
            if isinstance(why, Exception):
                why = f"it cannot load loosim: {type(why).__name__}: {why}"
            if why:
                refused.append(f"worker {worker} is of no use: {why}")
        if refused:
            hint = "install the same there as here, and start its workers anew"
            raise EngineError("\n".join([*refused, hint]))
        is_local = self._scheduler.startswith("local:")
        log = str(self._log.resolve()) if self._log is not None and is_local else None
        with self._connected():
            self._client.register_plugin(Gate(CODE, log))
        self._open.callback(_quietly, self._client.unregister_worker_plugin, Gate.name)

    @property
    def _where(self) -> str:
        """The scheduler's address."""
        return str(self._client.scheduler.address)


def _change(before: frozenset[str], now: frozenset[str]) -> str:
    """``1 worker gone, 2 new: there are 5``."""
    told = [
        f"{len(some):,} {'worker' if len(some) == 1 else 'workers'} {what}"
        for what, some in (("gone", before - now), ("new", now - before))
        if some
    ]
    return f"{', '.join(told)}: there {'is' if len(now) == 1 else 'are'} {len(now) or 'none'}"


def _settings() -> dict[str, Any]:
    """Settings of a scheduler that is started here, but for those that the user has changed.

    A worker that is not back in time would be given up for good, though its nanny restarts it: as
    many are lost as die while another is looked for.
    """
    import dask
    from distributed.config import defaults

    ours = {
        "distributed.scheduler.allowed-failures": ALLOWED_DEATHS,
        "distributed.deploy.lost-worker-timeout": "1000 days",
    }
    return {
        key: value
        for key, value in ours.items()
        if dask.config.get(key) == dask.config.get(key, config=defaults)
    }


def _patience() -> float:
    """Seconds without a worker that are waited."""
    import dask
    from dask.utils import parse_timedelta

    asked = dask.config.get("distributed.scheduler.no-workers-timeout")
    return NO_WORKERS_SECONDS if asked is None else float(parse_timedelta(asked))


def _quietly(close: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Close something of dask's, whatever is left of it."""
    with suppress(Exception):
        close(*args, **options)


@contextmanager
def _logged(log: Path | None) -> Iterator[None]:
    """A block in which what dask's loggers have to tell goes to a file, if one is given."""
    if log is None:
        yield
        return
    import distributed  # it gives its loggers their handlers when it is imported  # noqa: F401

    file = logging.FileHandler(log, encoding="utf-8", delay=True)
    file.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    loggers = [
        logging.getLogger(name)
        for name in {*logging.root.manager.loggerDict, *_LOGGERS}
        if name.partition(".")[0] in _LOGGERS
    ]
    before = [(logger, logger.handlers[:], logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [], True
    for name in _LOGGERS:
        logging.getLogger(name).handlers = [file]
        logging.getLogger(name).propagate = False
    try:
        yield
    finally:
        for logger, handlers, propagate in before:
            logger.handlers, logger.propagate = handlers, propagate
        file.close()
