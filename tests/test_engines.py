"""Whatever counts the chunks of a run, in whatever order, the result is the same to the byte."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
from collections import deque
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from loo_sim.cli import cli
from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError, Problems
from loo_sim.runner import cell, dask_cluster
from loo_sim.runner.dask_engine import Dask
from loo_sim.runner.dask_worker import packed, unpack
from loo_sim.runner.engines import Choice, chosen
from loo_sim.runner.plan import Chunk
from loo_sim.runner.progress import Progress
from loo_sim.runner.run import run_experiment

STUDIES = {
    "deals": "players = 5\ndeals = 100_000\n",
    "announce": "players = 5\ndeals = 300_000\n[sweep]\npot = [3, 6]\n",
    "session": "players = 5\nrounds = 2\ntables = 2_000\n",
    "league": 'players = 5\ndeals = 20_000\npolicies = ["peel", "loose", "random"]\n',
}


def result(folder: Path, study: str, engine: str, jobs: int, scheduler: str = "") -> dict[str, str]:
    """Digests of the tables of a run."""
    path = folder / "x.toml"
    path.write_text(f'study = "{study}"\nseed = 3\n{STUDIES[study]}', encoding="utf-8")
    choice = Choice(engine, scheduler)
    ended = run_experiment(load_experiment(path), folder / "out", jobs, fresh=True, engine=choice)
    assert ended.manifest["status"] == "done", ended.manifest["cells"]
    assert (ended.manifest["engine"], ended.manifest["jobs"]) == (engine, jobs)
    return ended.manifest["tables"]


def shuffled(monkeypatch) -> None:
    """Let all engines be given the chunks in another order."""
    in_order = cell.chunks

    def chunks(*args):
        found = list(in_order(*args))
        random.Random(5).shuffle(found)
        return found

    monkeypatch.setattr(cell, "chunks", chunks)


@pytest.mark.parametrize("study", STUDIES)
def test_results_do_not_depend_on_threads_or_the_order_of_work(tmp_path, monkeypatch, study):
    first = result(tmp_path, study, "inline", 1)
    assert result(tmp_path, study, "threads", 2) == first
    shuffled(monkeypatch)
    assert result(tmp_path, study, "threads", 1) == first
    assert result(tmp_path, study, "inline", 1) == first


def test_results_of_dask_are_those_of_this_process(tmp_path, monkeypatch):
    here = result(tmp_path, "announce", "inline", 1)
    shuffled(monkeypatch)
    before = dict(os.environ)
    assert result(tmp_path, "announce", "dask", 2, "local:2") == here
    assert dict(os.environ) == before


def test_a_signal_ends_inline_work_with_the_chunk_in_hand(study, file):
    counted = []

    def before_chunk(game, first):
        if len(counted) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        counted.append((game, first))

    study.before_chunk = before_chunk
    checked, inline = load_experiment(file), Choice("inline")
    stopped = run_experiment(checked, file.parent / "out", engine=inline)
    assert isinstance(stopped.stopped, KeyboardInterrupt)
    assert len(counted) == 4  # of them the first gets the kernels ready, in each run
    again = run_experiment(checked, file.parent / "out", engine=inline)
    assert len(counted) == 2 + 30  # three cells of ten chunks, each counted once
    assert len(set(counted)) == 30
    whole = run_experiment(checked, file.parent / "whole", 2)
    assert again.manifest["tables"] == whole.manifest["tables"]


# --- what is sent ---------------------------------------------------------------------------------


def test_counts_arrive_as_they_were_sent():
    rng = np.random.default_rng(1)
    sparse = (rng.random((40, 30, 5)) < 0.1) * rng.integers(0, 2**32, (40, 30, 5))
    sent = (sparse.astype(np.uint32), np.array([0, -(2**62), 2**62]), np.zeros(9, np.int64))
    onto = tuple(np.ones_like(array) for array in sent)
    unpack(packed(sent), onto)
    for there, here in zip(sent, onto, strict=True):
        np.testing.assert_array_equal(here, there + there.dtype.type(1))
    assert sum(array.nbytes for array in packed(sent)) < sum(array.nbytes for array in sent) / 3


@pytest.mark.parametrize(
    ("pace", "seconds", "left", "workers", "taken"),
    [
        (0.0, 1, 100, 2, 1),  # nothing is known yet
        (1000.0, 1, 100, 2, 10),
        (1000.0, 2, 100, 2, 20),
        (1000.0, 1, 12, 2, 3),  # half of each worker's share of the rest
        (1000.0, 1, 3, 2, 1),
        (50.0, 1, 100, 2, 1),  # a chunk that takes two seconds
    ],
)
def test_a_block_is_so_much_work_and_less_towards_the_end(pace, seconds, left, workers, taken):
    engine = Dask("local:2", "deals", None, Progress())
    engine._pace, engine._cluster.workers = pace, frozenset(map(str, range(workers)))
    chunks = deque(Chunk(number, 100 * number, 100) for number in range(left))
    assert len(engine._next_block(chunks, seconds)) == taken
    assert len(chunks) == left - taken


# --- which engine ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engine", "scheduler", "what"),
    [
        ("thread", "", "engine: there is no engine 'thread' (did you mean 'threads'?)"),
        ("threads", "local:2", "scheduler: the engine threads has none (give --engine dask too"),
        ("dask", "local:0", "scheduler: 'local:0' does not say how many workers"),
        ("dask", "local", "scheduler: 'local' does not say how many workers"),
        ("dask", "local:\u00b2", "does not say how many workers"),
        ("dask", "nowhere.json", "scheduler: 'nowhere.json' is neither an address nor such a file"),
        ("dask", "pyproject.toml", "'pyproject.toml' is neither an address nor such a file"),
        ("dask", "tcp://127.0.0.1", "'tcp://127.0.0.1' is neither an address nor such a file"),
        ("dask", "tcp://", "'tcp://' is neither an address nor such a file"),
        ("dask", "tcp://host:abc", "'tcp://host:abc' is neither an address nor such a file"),
        ("dask", "tcp://host:99999", "'tcp://host:99999' is neither an address nor such a file"),
        ("dask", "tcp://host:8786/x", "'tcp://host:8786/x' is neither an address nor such a file"),
        ("dask", "http://host:8786", "'http://host:8786' is neither an address nor such a file"),
    ],
)
def test_an_engine_that_is_none_is_refused(tmp_path, file, engine, scheduler, what):
    words = ["run", str(file), "-o", str(tmp_path / "out"), "--engine", engine]
    found = CliRunner().invoke(cli, [*words, "--scheduler", scheduler])
    assert found.exit_code == 2
    assert what in found.stderr
    assert not (tmp_path / "out").exists()


def test_without_dask_it_is_said_how_to_install_it(tmp_path, file, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ["run", str(file), "-o", str(tmp_path / "out"), "--engine", "dask"]
    found = CliRunner().invoke(cli, words)
    assert found.exit_code == 2
    assert "needs dask and distributed, which are not installed" in found.stderr
    assert "in the folder of loosim: pip install -e '.[cluster]'" in found.stderr


@pytest.mark.parametrize(
    ("engine", "scheduler", "words"),
    [
        ("threads", "", []),
        ("inline", "", ["--engine", "inline"]),
        ("dask", "local:3", ["--engine", "dask", "--scheduler", "local:3"]),
        ("dask", "tls://host:1", ["--engine", "dask", "--scheduler", "tls://host:1"]),
    ],
)
def test_a_choice_is_told_as_it_was_made(engine, scheduler, words):
    problems = Problems("loosim")
    assert chosen(engine, scheduler, problems).words == words
    assert not problems


def test_what_the_user_set_of_dask_stays(monkeypatch):
    import dask

    key = "distributed.scheduler.allowed-failures"
    assert dask_cluster._settings()[key] == 10
    with dask.config.set({key: 5}):
        assert key not in dask_cluster._settings()


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"engine": "ray"}, "there is no engine 'ray'"),
        ({"engine": None}, "engine: None is no text"),
        ({"engine": "dask", "scheduler": 8786}, "scheduler: 8786 is no text"),
        ({"engine": "dask", "scheduler": Path("none.json")}, "'none.json' is neither"),
        ({"axes": ["a=1"]}, "is no mapping of axes"),
    ],
)
def test_from_python_what_is_wrong_is_told(file, given, what):
    import loo_sim

    with pytest.raises(InputError, match=what):
        loo_sim.run(file, **given)


@pytest.mark.parametrize("address", [5, "nonsense", ["x"], ""])
def test_a_file_that_names_no_scheduler_is_refused(tmp_path, address):
    path = tmp_path / "scheduler.json"
    path.write_text(json.dumps({"address": address}), encoding="utf-8")
    problems = Problems("loosim")
    chosen("dask", str(path), problems)
    assert len(problems.found) == 1
    path.write_text(json.dumps({"address": "tcp://[::1]:8786"}), encoding="utf-8")
    problems = Problems("loosim")
    assert chosen("dask", str(path), problems) == Choice("dask", str(path))
    assert not problems


@pytest.mark.parametrize(
    ("choice", "jobs", "threads"),
    [
        (Choice(), None, None),
        (Choice("inline"), 4, 1),
        (Choice("dask", "local:3"), None, 3),
        (Choice("dask", "tcp://host:1"), 2, 2),
    ],
)
def test_a_forecast_is_of_as_many_threads_as_count(choice, jobs, threads):
    assert choice.threads(jobs) == threads
