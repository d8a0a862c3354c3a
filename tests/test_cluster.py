"""The engine `dask` with real schedulers, workers and kills: `make test-cluster`.

Whatever dies, the result is that of a run that nothing befell, or the command says what to do.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pytest
from clusters import (
    EXPERIMENT,
    ROOT,
    Cluster,
    are_gone,
    client,
    digests,
    family,
    interrupt,
    kill_all,
    listening,
    wait_until,
    workers_of,
)

import loo_sim
from loo_sim.experiment import load_experiment
from loo_sim.runner import dask_worker
from loo_sim.runner.progress import COMPILING
from loo_sim.runner.run import run_experiment

pytestmark = pytest.mark.cluster

SLOW = 0.15
"""Seconds a chunk: a run takes some seconds, long enough to be disturbed, ..."""

SLOWER = 0.7
"""... and so long that another worker is there before it ends."""


@pytest.fixture(scope="module")
def right(tmp_path_factory) -> dict[str, str]:
    """Digests of the tables of a run in this process, which nothing disturbs."""
    folder = tmp_path_factory.mktemp("right")
    (folder / "x.toml").write_text(EXPERIMENT, encoding="utf-8")
    ended = run_experiment(load_experiment(folder / "x.toml"), folder / "out", 1)
    return ended.manifest["tables"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Processes that a test starts; all are gone after it."""
    with ExitStack() as stack:
        yield Cluster(tmp_path, stack.enter_context)


def dask(cluster: Cluster) -> tuple[object, ...]:
    return ("--engine", "dask", "--scheduler", cluster.file)


def address(cluster: Cluster) -> str:
    """The scheduler's."""
    return json.loads(cluster.file.read_text(encoding="utf-8"))["address"]


LOCAL = ("--engine", "dask", "--scheduler", "local:2")


# --- workers die ----------------------------------------------------------------------------------


def test_a_worker_that_is_killed_costs_nothing_but_time(tmp_path, right):
    with client(tmp_path, *LOCAL, slow=SLOW) as run:
        wait_until(run.counts)
        assert listening(run.process.pid) == {"127.0.0.1"}
        workers_of(run.process.pid)[0].kill()
        assert run.code() == 0
        assert "1 worker gone" in run.told
        assert "Traceback" not in run.told
    assert digests(tmp_path / "out") == right


def test_of_two_machines_one_goes_down(tmp_path, cluster, right):
    cluster.scheduler()
    first, _ = cluster.worker(SLOW), cluster.worker(SLOW)
    with client(tmp_path, *dask(cluster)) as run:
        wait_until(run.counts)
        kill_all(first.pid)
        assert run.code() == 0
        assert "1 worker gone" in run.told
    assert digests(tmp_path / "out") == right


def test_a_worker_that_joins_late_counts_too(tmp_path, cluster, right):
    cluster.scheduler()
    first = cluster.worker(SLOWER)
    with client(tmp_path, *dask(cluster)) as run:
        wait_until(run.counts)
        cluster.worker(0.0)
        wait_until(lambda: "1 worker new" in run.told)
        kill_all(first.pid)
        assert run.code() == 0
    assert digests(tmp_path / "out") == right


def test_a_chunk_that_kills_its_worker_fails_its_cell_and_no_other(tmp_path):
    text = EXPERIMENT + "[sweep]\npot = [3, 6, 9]\n"
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    with client(tmp_path, *LOCAL, fatal=16_384) as run:
        assert run.code() == 3
        assert "pot = 6 failed: WorkersDiedError: it was tried" in run.told
        assert re.search(r"to count [\d,]+ to [\d,]+: its worker died; the last was tcp:", run.told)
    ended = run_experiment(load_experiment(tmp_path / "x.toml"), tmp_path / "here", 1)
    there = loo_sim.read(tmp_path / "out")
    assert [cell["status"] for cell in there.manifest["cells"]] == ["done", "failed", "done"]
    here = loo_sim.read(ended.directory)
    for name in ("deals", "chunks"):
        others = here.tables[name][here.tables[name]["pot"] != 6].reset_index(drop=True)
        pd.testing.assert_frame_equal(there.tables[name], others)


# --- the scheduler, or all workers, are gone ------------------------------------------------------


def test_without_its_scheduler_a_run_ends_and_says_how_to_go_on(tmp_path, cluster, right):
    scheduler = cluster.scheduler()
    cluster.worker(SLOW)
    with client(tmp_path, *dask(cluster)) as run:
        wait_until(run.counts)
        kill_all(scheduler.pid)
        assert run.code() == 1
        assert f"the scheduler at {address(cluster)} is gone" in run.told
        words = ["run", str(tmp_path / "x.toml"), "-o", str(run.out), *map(str, dask(cluster))]
        assert f"go on with: loosim {shlex.join(words)}" in run.told
        assert "Traceback" not in run.told
    with client(tmp_path, "--jobs", 1) as again:  # any engine goes on with the work of another
        assert again.code() == 0
        assert "resuming" in again.told
    assert digests(tmp_path / "out") == right


def test_where_all_workers_are_gone_the_run_ends_in_time(tmp_path, cluster):
    cluster.scheduler()
    only = cluster.worker(SLOW)
    patience = {"DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT": "2s"}
    with client(tmp_path, *dask(cluster), **patience) as run:
        wait_until(run.counts)
        kill_all(only.pid)
        assert run.code() == 1
        assert f"no worker at {address(cluster)} for 2 seconds" in run.told
        assert "go on with: loosim run" in run.told


def test_without_any_worker_the_run_says_that_it_waits_and_ends_in_time(tmp_path, cluster):
    cluster.scheduler()
    patience = {"DASK_DISTRIBUTED__SCHEDULER__NO_WORKERS_TIMEOUT": "2s"}
    with client(tmp_path, *dask(cluster), **patience) as run:
        assert run.code() == 1
        assert f"waiting 2 s for a worker at {address(cluster)}" in run.told
        assert f"no worker at {address(cluster)} for 2 seconds; start one: " in run.told
        assert not run.out.exists()


def test_where_no_scheduler_listens_the_run_says_so(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    patience = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"}
    with client(tmp_path, "--engine", "dask", "--scheduler", nobody, **patience) as run:
        assert run.code() == 1
        assert f"no scheduler at {nobody}" in run.told
        assert "Traceback" not in run.told


# --- the client is gone ---------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_all_processes_and_keeps_what_is_done(tmp_path, right, number):
    with client(tmp_path, *LOCAL, slow=SLOW) as run:
        wait_until(run.counts)
        processes = family(run.process.pid)
        assert len(processes) >= 3
        os.killpg(run.process.pid, number)
        assert run.code() == 128 + number
        assert "stopped: 0 of 1 cell done" in run.told
        assert "Traceback" not in run.told
        wait_until(lambda: are_gone(processes))
    with client(tmp_path, *LOCAL) as again:
        assert again.code() == 0
        assert "resuming" in again.told
    assert digests(tmp_path / "out") == right
    assert not (tmp_path / "out.partial").exists()


@pytest.mark.parametrize("seconds", [1.5, 2.5, 3.5, 5.0])
def test_a_signal_while_workers_start_ends_them_without_a_word(tmp_path, seconds):
    with client(tmp_path, *LOCAL, slow=SLOW) as run:
        time.sleep(seconds)
        processes = family(run.process.pid)
        interrupt(run.process)
        assert run.code() == 130
        wait_until(lambda: are_gone(processes))
        said = [line for line in run.told.splitlines() if line != COMPILING]
        assert len(said) <= 2, run.told
        assert "Traceback" not in run.told


def test_a_client_that_is_killed_leaves_no_orphans_and_what_is_done(tmp_path, right):
    with client(tmp_path, *LOCAL, slow=SLOW) as run:
        wait_until(run.counts)
        processes = family(run.process.pid)
        run.process.kill()
        wait_until(lambda: are_gone(processes))
    with client(tmp_path, *LOCAL) as again:
        assert again.code() == 0
        assert "resuming" in again.told
    assert digests(tmp_path / "out") == right


def test_a_cluster_outlives_its_clients(tmp_path, cluster, right):
    scheduler = cluster.scheduler()
    worker = cluster.worker(SLOW)
    with client(tmp_path, *dask(cluster)) as run:
        wait_until(run.counts)
        run.process.kill()
    with client(tmp_path, *dask(cluster)) as again:
        assert again.code() == 0
    assert digests(tmp_path / "out") == right
    assert scheduler.poll() is worker.poll() is None


# --- workers that are of no use -------------------------------------------------------------------


def other_code(folder: Path) -> str:
    """A path with a loosim that differs in a comment of a kernel."""
    package = shutil.copytree(ROOT / "loo_sim", folder / "other" / "loo_sim")
    with (package / "kernels" / "dealing.py").open("a", encoding="utf-8") as file:
        file.write("# another version\n")
    return os.pathsep.join([str(folder / "other"), str(ROOT / "tests")])


def test_a_worker_with_other_code_is_refused_with_both_digests(tmp_path, cluster):
    cluster.scheduler()
    cluster.worker(PYTHONPATH=other_code(tmp_path))
    with client(tmp_path, *dask(cluster)) as run:
        assert run.code() == 1
        there, here = re.search(
            r"of no use: it has loosim \S+ \((\w{16})\); the run has loosim \S+ \((\w{16})\)",
            run.told,
        ).groups()
        assert there != here == dask_worker.CODE["loosim"].partition("(")[2].rstrip(")")
        assert not run.out.exists()


def test_a_late_worker_with_other_code_is_kept_out(tmp_path, cluster, right):
    cluster.scheduler()
    cluster.worker(SLOWER)
    with client(tmp_path, *dask(cluster)) as run:
        wait_until(run.counts)
        late = cluster.worker(PYTHONPATH=other_code(tmp_path))
        wait_until(lambda: late.poll() is not None)
        assert run.code() == 0
    assert "of no use to the run of loosim: it has loosim" in cluster.log(2).read_text()
    assert digests(tmp_path / "out") == right


def test_a_worker_of_several_threads_is_refused(tmp_path, cluster):
    cluster.scheduler()
    cluster.worker(threads=2)
    with client(tmp_path, *dask(cluster)) as run:
        assert run.code() == 1
        assert "it has 2 threads, and numba 1; start it with NUMBA_NUM_THREADS=1" in run.told


# --- what is kept ---------------------------------------------------------------------------------


def test_a_part_that_was_cut_short_is_counted_again(tmp_path, right):
    with client(tmp_path, *LOCAL, slow=SLOW) as run:
        wait_until(run.counts)
        interrupt(run.process)
        assert run.code() == 130
    (part,) = (tmp_path / "out.partial").glob("cell-0.part-*")
    os.truncate(part, part.stat().st_size - 100)
    with client(tmp_path, *LOCAL) as again:
        assert again.code() == 0
        assert f"{part} was altered or broken off" in again.told
    assert digests(tmp_path / "out") == right
