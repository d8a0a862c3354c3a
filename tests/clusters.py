"""Real schedulers, workers and clients for the tests: processes that are ended by their ids."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parent.parent
PATIENCE = 120.0
"""Seconds after which a test that waits has failed."""

LOOSIM = (sys.executable, "-c", "from loo_sim.cli import main; main()")

EXPERIMENT = 'name = "x"\nstudy = "deals"\nplayers = 5\nseed = 7\ndeals = 262_144\n'
"""Of 32 chunks of 8,192 deals each."""


def wait_until(what: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """What a call returns as soon as that is true; it is an error if it is not in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} seconds in vain")


def environment(slow: float = 0.0, fatal: int = -1, **more: str) -> dict[str, str]:
    """Variables of a process whose workers' chunks take some seconds more; one may kill."""
    paths = [str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "LOOSIM_TEST_CHUNKS": f"{slow} {fatal}",
        "DASK_DISTRIBUTED__WORKER__PRELOAD": '["cluster_preload"]',
        **more,
    }


@contextmanager
def started(
    *words: object, log: Path, env: Mapping[str, str], cwd: Path | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A process with all that it starts, which end with the block; what it says goes to a file."""
    with log.open("w") as file:
        process = subprocess.Popen(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=cwd,
            text=True,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        kill_all(process.pid)
        process.wait(PATIENCE)


def family(pid: int) -> list[psutil.Process]:
    """A process and all that it started, if they are there."""
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def workers_of(pid: int) -> list[psutil.Process]:
    """The processes below one that count: those that hold the library of the kernels' compiler."""
    found = []
    for process in family(pid)[1:]:
        with suppress(psutil.Error):
            if any("llvmlite" in file.path for file in process.memory_maps()):
                found.append(process)
    return found


def listening(pid: int) -> set[str]:
    """Where a process, and all that it started, can be reached."""
    sockets = [socket for one in family(pid) for socket in one.net_connections()]
    return {socket.laddr.ip for socket in sockets if socket.status == psutil.CONN_LISTEN}


def kill_all(pid: int) -> None:
    """Kill a process and all that it started."""
    for process in family(pid):
        with suppress(psutil.NoSuchProcess):
            process.kill()


def are_gone(processes: list[psutil.Process]) -> bool:
    """Whether none of some processes lives."""
    return not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in processes)


class Cluster:
    """A scheduler and workers, each a process of its own, in a folder of a test."""

    def __init__(self, folder: Path, enter: Callable[[Any], Any]) -> None:
        self.folder, self._enter = folder, enter
        self.file = folder / "scheduler.json"
        self.workers = 0

    def scheduler(self, **more: str) -> subprocess.Popen[str]:
        """Start a scheduler on a free port."""
        words = ("--host", "127.0.0.1", "--port", 0, "--no-dashboard", "--no-show")
        process: subprocess.Popen[str] = self._enter(
            started(
                *(sys.executable, "-m", "distributed.cli.dask_scheduler", *words),
                *("--scheduler-file", self.file),
                log=self.folder / "scheduler.log",
                env=environment(**more),
            )
        )
        wait_until(self.file.exists)
        return process

    def worker(self, slow: float = 0.0, threads: int = 1, **more: str) -> subprocess.Popen[str]:
        """Start a worker, of whose chunks each takes some seconds more; the scheduler knows it."""
        self.workers += 1
        more = {"NUMBA_NUM_THREADS": "1", **more}
        process: subprocess.Popen[str] = self._enter(
            started(
                *(sys.executable, "-m", "distributed.cli.dask_worker"),
                *("--scheduler-file", self.file, "--host", "127.0.0.1", "--no-dashboard"),
                *("--nthreads", threads, "--local-directory", self.folder),
                log=self.log(self.workers),
                env=environment(slow, **more),
                cwd=self.folder,  # or the loosim of the folder that is worked in would be its own
            )
        )
        log = self.log(self.workers)
        wait_until(lambda: "Registered to" in log.read_text(encoding="utf-8"))
        return process

    def log(self, worker: int) -> Path:
        """What a worker, the first being 1, has to tell."""
        return self.folder / f"worker-{worker}.log"


class Client:
    """A run of an experiment, a process of its own."""

    def __init__(self, folder: Path, process: subprocess.Popen[str], out: Path) -> None:
        self.process, self.out, self._log = process, out, folder / "client.log"

    @property
    def told(self) -> str:
        """All that it has written, on stdout and stderr."""
        return self._log.read_text(encoding="utf-8")

    def code(self) -> int:
        """Its exit code, when it has ended."""
        return self.process.wait(PATIENCE)

    def counts(self) -> bool:
        """Whether something is counted and saved."""
        partial = self.out.with_name(f"{self.out.name}.partial")
        return any(partial.glob("cell-*.part-*"))


@contextmanager
def client(
    folder: Path, *words: object, slow: float = 0.0, fatal: int = -1, **more: str
) -> Iterator[Client]:
    """A process that runs the experiment of a folder into its folder ``out``."""
    path = folder / "x.toml"
    if not path.exists():
        path.write_text(EXPERIMENT, encoding="utf-8")
    out = folder / "out"
    command = (*LOOSIM, "run", path, "-o", out, *words)
    env = environment(slow, fatal, **more)
    with started(*command, log=folder / "client.log", env=env) as process:
        yield Client(folder, process, out)


def digests(out: Path) -> dict[str, str]:
    """Of the tables of a result."""
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    tables: dict[str, str] = manifest["tables"]
    return tables


def interrupt(process: subprocess.Popen[str]) -> None:
    """Press Ctrl-C: all processes of the terminal get the signal."""
    os.killpg(process.pid, signal.SIGINT)
