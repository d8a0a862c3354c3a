"""A dask scheduler and its workers: started here or found, looked at, and left again."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from multiprocessing import resource_tracker
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from loo_sim.runner.engines import SCHEMES

if TYPE_CHECKING:
    from distributed import Client

    from loo_sim.runner.progress import Progress

ALLOWED_DEATHS = 10
"""Workers that a block may outlive. One that kills more is to blame, and its cell has failed."""

NO_WORKERS_SECONDS = 60.0
"""Without a worker the run waits so long for one, unless dask's settings say otherwise."""

START_WORKER = "NUMBA_NUM_THREADS=1 dask worker --nthreads 1"

POLL_SECONDS = 1.0
STARTING_SECONDS = 20.0
"""What is waited for the last of the workers that are started here, once there is one."""

CLOSING_SECONDS = 10.0

_LOGGERS = ("distributed", "tornado", "asyncio")


class EngineError(OSError):
    """The scheduler or its workers are of no use, or no longer there."""


class Cluster:
    """A scheduler, and the workers that it has by now.

    Parameters
    ----------
    scheduler : str
        ``local:N`` (which starts one with N workers here), an address or a scheduler file.
    log : Path or None
        File for what dask has to tell; None if it goes to stderr.
    progress : Progress
        Told when workers come and go.

    Attributes
    ----------
    client : Client
        Of dask, once it is open.
    workers : frozenset of str
        Addresses of the workers, as they were last looked at.
    most : int
        The most that there were at a time.
    """

    client: Client

    def __init__(self, scheduler: str, log: Path | None, progress: Progress) -> None:
        self._scheduler, self._log, self._progress = scheduler, log, progress
        self._open = ExitStack()
        self.workers: frozenset[str] = frozenset()
        self.most = 0
        self._looked, self._alone_since = -inf, inf

    def open(self) -> None:
        """Connect, wait for a worker, and look at the code of all.

        Raises
        ------
        EngineError
            If there is no such scheduler, no worker in time, or one of no use.
        """
        try:
            self.client = self._connect()
            self._admit()
        except BaseException:
            self.close(*sys.exc_info())
            raise

    def close(self, *error: Any) -> None:
        """Leave; what was started here ends.

        Parameters
        ----------
        *error
            What broke the work off, if anything did, as ``__exit__`` is told it.
        """
        self._open.__exit__(*error)

    @contextmanager
    def connected(self) -> Iterator[None]:
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

    def look(self) -> None:
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
        if self.client.status != "running":
            raise self._gone()
        with self.connected():
            there = frozenset(self.client.nthreads())
        if there != self.workers and self.workers:
            self._progress.say(_change(self.workers, there))
        if there:
            self._alone_since = inf
        else:
            self._alone_since = min(self._alone_since, now)
        self.workers = there
        self.most = max(self.most, len(there))
        patience = _patience()
        if now - self._alone_since > patience:
            what = f"no worker at {self._where} for {patience:.0f} seconds"
            hint = f"start one: {START_WORKER} {self._where}"
            if self._is_local:
                hint = "a program that runs this must do so below if __name__ == '__main__':"
            raise EngineError(f"{what}; {hint}")

    # --- beginning --------------------------------------------------------------------------------

    def _connect(self) -> Client:
        """Connect to the scheduler, or start one here."""
        import dask
        from distributed import Client, LocalCluster, Security

        self._open.enter_context(_logged(self._log))
        if self._is_local:
            self._open.enter_context(dask.config.set(_settings()))
            # Before a worker loads anything: it begins with the main module of this program.
            variables: dict[str, Any] = {"NUMBA_NUM_THREADS": 1}
            if self._log is not None:
                variables["DASK_LOGGING__DISTRIBUTED"] = "critical"
            before = {f"distributed.nanny.pre-spawn-environ.{k}": v for k, v in variables.items()}
            self._open.enter_context(dask.config.set(before))
            self._open.enter_context(_same_environment())
            # Bound to this machine: whoever reaches a scheduler's port can run what he likes.
            cluster = _whole(
                lambda: LocalCluster(
                    n_workers=0,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address=None,
                    memory_limit=0,
                )
            )
            self._open.callback(_quietly, cluster.close, timeout=CLOSING_SECONDS)
            client = _whole(lambda: Client(cluster, set_as_default=False))
            cluster.sync(_ignore_interrupts)
            cluster.scale(self._wanted)
        else:
            context = Security().get_connection_args("client")["ssl_context"]
            if self._scheduler.startswith("tls:") and context is None:
                what = "needs certificates, which dask's settings do not name"
                raise EngineError(f"{self._scheduler} {what}: see docs/cluster.md")
            is_file = not self._scheduler.startswith(SCHEMES)
            where = {"scheduler_file" if is_file else "address": self._scheduler}
            try:
                client = _whole(lambda: Client(**where, set_as_default=False))
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

        self.look()
        if not self.workers and not self._is_local:
            patience = _patience()
            self._progress.say(f"waiting {patience:.0f} s for a worker at {self._where}")
        wanted, begun = self._wanted, monotonic()
        while not self.workers or (
            len(self.workers) < wanted and monotonic() - begun < STARTING_SECONDS
        ):
            sleep(POLL_SECONDS / 4)
            self.look()
        with self.connected():
            told = self.client.run(unfit, CODE, on_error="return")
        refused = []
        for worker, why in sorted(told.items()):
            if isinstance(why, Exception):
                why = f"it cannot load loosim: {type(why).__name__}: {why}"
            if why:
                refused.append(f"worker {worker} is of no use: {why}")
        if refused:
            hint = "install the same there as here, and start its workers anew"
            raise EngineError("\n".join([*refused, hint]))
        log = str(self._log.resolve()) if self._log is not None and self._is_local else None
        with self.connected():
            self.client.register_plugin(Gate(CODE, log))
        self._open.callback(_quietly, self.client.unregister_worker_plugin, Gate.name)

    @property
    def _is_local(self) -> bool:
        """Whether the scheduler is started here."""
        return self._scheduler.startswith("local:")

    @property
    def _wanted(self) -> int:
        """Workers that the work begins with."""
        return int(self._scheduler.removeprefix("local:")) if self._is_local else 1

    @property
    def _where(self) -> str:
        """The scheduler's address."""
        return str(self.client.scheduler.address)


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

    A worker that is not back in time would be given up for good, though its nanny starts it again:
    after some deaths there would be none. What dask otherwise watches all the time, many times a
    second in each process, takes from the cores that the workers count on, and nobody looks at it.
    """
    import dask
    from distributed.config import defaults

    ours = {
        "distributed.scheduler.allowed-failures": ALLOWED_DEATHS,
        "distributed.deploy.lost-worker-timeout": "1000 days",
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.system-monitor.interval": "10s",
        "distributed.admin.system-monitor.disk": False,
        "distributed.worker.profile.enabled": False,
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


def _whole(make: Callable[[], Any]) -> Any:
    """What a call makes; one that a signal breaks off is made all the same, and closed again."""
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(make)
        try:
            return made.result()
        except KeyboardInterrupt:
            _quietly(lambda: made.result().close())
            raise


@contextmanager
def _same_environment() -> Iterator[None]:
    """A block after which the environment is as before: dask leaves a worker's variables in it."""
    before = dict(os.environ)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


async def _ignore_interrupts() -> None:
    """Let the processes that this thread starts, and those that they start, get no Ctrl-C.

    The terminal sends it to all of them; they end with the run, which it is meant for. The tracker
    of multiprocessing, where it is not there yet, would let the first of them get it again.
    """
    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


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
    # Where a run is broken off, dask has more to tell about it until the process ends.
    yield
    for logger, handlers, propagate in before:
        logger.handlers, logger.propagate = handlers, propagate
    file.close()
