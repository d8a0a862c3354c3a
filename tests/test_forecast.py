"""Dry runs: what a run would take, told before it; and memory that does not grow with the deals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from commands import loosim
from fake_study import THREE_CELLS, kind_of

from loo_sim.experiment import load_experiment
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.runner.forecast import Measurement, _interpolated, duration, forecast
from loo_sim.runner.lock import HOLDER, DirectoryLock, holder_of
from loo_sim.runner.needs import count_sizes, memory_needed
from loo_sim.runner.run import Run, run_experiment
from loo_sim.runner.threads import Threads
from loo_sim.studies import find_study


def dry(file: Path, *words: object) -> Result:
    return loosim("run", file, "-o", file.parent / "out", "--dry-run", *words)


def told(file: Path, *words: object) -> dict:
    shown = dry(file, "--json", "--quiet", *words)
    assert (shown.exit_code, shown.stderr) == (0, "")
    return json.loads(shown.stdout)


def all_bytes(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def broken_off(study, file: Path, monkeypatch, pot: int = 6, first: int = 50, words=()) -> Run:
    """A run that is broken off at a chunk of a cell; all chunks before it are saved."""
    monkeypatch.setattr("loo_sim.runner.counting.SAVE_SECONDS", 0.0)
    monkeypatch.setattr("loo_sim.runner.counting.SAVE_SHARE", float("inf"))

    def stop(*at):
        if at == (pot * UNITS_PER_STAKE, first):
            raise KeyboardInterrupt

    study.before_chunk = stop
    ended = run_experiment(load_experiment(file, [*words[1::2]]), file.parent / "out", 1)
    assert ended.stopped is not None
    study.before_chunk = lambda game, first: None
    return ended


# --- what is told ---------------------------------------------------------------------------------


def test_nothing_is_written(study, file):
    shown = dry(file)
    assert shown.exit_code == 0
    assert shown.stderr.endswith("nothing was run\n")
    assert [item.name for item in file.parent.iterdir()] == ["x.toml"]
    lines = dict(line.split(maxsplit=1) for line in shown.stdout.splitlines())
    assert lines["result"] == str(file.parent / "out")
    assert lines["cells"] == "3"
    assert lines["deals"] == "95 in each cell, 285 in all"
    assert lines["done"] == "0 of 3 cells"
    assert lines["left"] == "285 deals"
    assert lines["time"].startswith("about ")
    assert ", however many deals: 400.0 MB for Python" in lines["memory"]


def test_what_is_done_already_is_told_and_left_as_it_is(study, file, monkeypatch):
    broken_off(study, file, monkeypatch)
    before = all_bytes(file.parent)
    found = told(file)
    assert all_bytes(file.parent) == before
    assert (found["cells_done"], found["deals_done"], found["deals_to_do"]) == (1, 50, 45 + 95)
    assert found["told"] == []
    assert "1 of 3 cells, and 50 deals of those that are not" in dry(file).stdout


def test_a_finished_result_is_told(study, file):
    run_experiment(load_experiment(file), file.parent / "out", 1)
    found = told(file)
    assert (found["cells_done"], found["deals_to_do"], found["measured"]) == (3, 0, [])
    assert found["told"] == [
        f"nothing to run: {file.parent}/out holds this result; --fresh runs it again"
    ]


def test_a_result_that_is_not_yet_written_is_told(study, file, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("loo_sim.runner.partial.Partial.assemble", stop)
        assert run_experiment(load_experiment(file), file.parent / "out", 1).stopped is not None
    found = told(file)
    assert (found["cells_done"], found["deals_to_do"]) == (3, 0)
    assert found["told"] == ["all is counted: the same command writes the result"]


@pytest.mark.parametrize("name", ["result", "older"])
def test_a_result_that_a_kill_left_beside_its_place_is_found(study, file, name):
    run_experiment(load_experiment(file), file.parent / "out", 1)
    (file.parent / "out.partial").mkdir()
    (file.parent / "out").rename(file.parent / "out.partial" / name)
    assert told(file)["told"] == [
        f"nothing to run: {file.parent}/out holds this result; --fresh runs it again"
    ]


def test_cells_that_failed_are_told(study, file):
    def fail(game, first):
        if game == 6 * UNITS_PER_STAKE:
            raise RuntimeError

    study.before_chunk = fail
    run_experiment(load_experiment(file), file.parent / "out", 1)
    study.before_chunk = lambda game, first: None
    found = told(file)
    assert (found["cells_done"], found["deals_to_do"]) == (2, 95)
    assert found["told"] == [
        f"1 of 3 cells of the result in {file.parent}/out failed, and are run again"
    ]


@pytest.mark.parametrize(("name", "left"), [("cell-1.part-0", 190), ("cells", 95 + 45 + 95)])
def test_what_is_damaged_and_done_again_is_told(study, file, monkeypatch, name, left):
    broken_off(study, file, monkeypatch)
    path = file.parent / "out.partial" / name
    path.write_bytes(path.read_bytes()[:-5])
    before = all_bytes(file.parent)
    found = told(file)
    assert found["told"] == [f"{path} was altered or broken off: what it held is done again"]
    assert found["deals_to_do"] == left
    assert all_bytes(file.parent) == before


def test_counts_whose_checkpoints_are_lost_are_told_as_a_run_tells_them(study, file, monkeypatch):
    words = ["-s", "until=0.05", "-s", "max_deals=100_000"]
    broken_off(study, file, monkeypatch, 3, 2000, words)
    before = told(file, *words)
    assert (before["cells_done"], before["deals_done"], before["told"]) == (0, 2000, [])
    path = file.parent / "out.partial" / "cell-0.goal"
    path.unlink()
    found = told(file, *words)
    assert found["deals_done"] == 0
    assert found["told"] == [f"{path} was altered or broken off: what it held is done again"]
    assert found["told"][0] in loosim("run", file, "-o", file.parent / "out", *words).stderr


def test_what_starting_over_would_do_is_told(study, file, monkeypatch):
    broken_off(study, file, monkeypatch)
    found = told(file, "--fresh")
    assert (found["cells_done"], found["deals_done"], found["deals_to_do"]) == (0, 0, 285)
    assert found["told"] == [f"--fresh: what was begun in {file.parent}/out.partial is thrown away"]


# --- what would be refused ------------------------------------------------------------------------


def other_experiment(study, file, monkeypatch):
    broken_off(study, file, monkeypatch)
    file.write_text(THREE_CELLS.replace("seed = 4", "seed = 5"))


def altered_result(study, file, monkeypatch):
    run_experiment(load_experiment(file), file.parent / "out", 1)
    (file.parent / "out" / "kinds.parquet").write_bytes(b"")


def altered_identity(study, file, monkeypatch):
    broken_off(study, file, monkeypatch)
    (file.parent / "out.partial" / "identity.json").write_text("{}")


def a_diary_in_place(study, file, monkeypatch):
    (file.parent / "out").mkdir()
    (file.parent / "out" / "diary.txt").write_text("dear diary")


def a_diary_in_the_work(study, file, monkeypatch):
    broken_off(study, file, monkeypatch)
    (file.parent / "out.partial" / "diary.txt").write_text("dear diary")


def no_room(study, file, monkeypatch):
    usage = type("Usage", (), {"free": 20_000})
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)


@pytest.mark.parametrize(
    "given",
    [
        other_experiment,
        altered_result,
        altered_identity,
        a_diary_in_place,
        a_diary_in_the_work,
        no_room,
    ],
)
def test_what_a_run_would_refuse_is_refused_alike(study, file, monkeypatch, given):
    given(study, file, monkeypatch)
    shown = dry(file)
    real = loosim("run", file, "-o", file.parent / "out")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr == real.stderr != ""


def test_a_file_where_the_folder_should_be(study, file):
    words = ["run", file, "-o", file / "out"]
    assert loosim(*words, "--dry-run").exit_code == loosim(*words).exit_code == 2


def test_who_is_at_work_is_told_and_stays_at_work(study, file):
    folder = file.parent / "out.partial"
    lock = DirectoryLock(folder)
    shown = dry(file)
    assert shown.exit_code == 2
    assert f"process {os.getpid()} on this machine, since " in shown.stderr
    assert (folder / HOLDER).exists()
    lock.release_empty()
    assert dry(file).exit_code == 0


def test_who_was_killed_is_not_at_work(study, file):
    folder = file.parent / "out.partial"
    lock = DirectoryLock(folder)
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    holder = json.loads((folder / HOLDER).read_text())
    (folder / HOLDER).write_text(json.dumps({**holder, "pid": killed.pid}))
    assert holder_of(folder) is None
    (folder / HOLDER).write_text(json.dumps({**holder, "pid": killed.pid, "host": "elsewhere"}))
    assert holder_of(folder).startswith(f"process {killed.pid} on elsewhere, since ")
    (folder / HOLDER).write_text("?")
    assert holder_of(folder) == "another process"
    lock.release_empty()
    assert holder_of(folder) is None


# --- time -----------------------------------------------------------------------------------------


def test_time_is_that_of_the_chunks(study, file):
    study.seconds = 0.01  # a chunk of ten deals sleeps as long at least
    found = told(file, "--jobs", 1)
    assert found["seconds"] >= 3 * 95 * 0.001
    assert [of["cell"] for of in found["measured"]] == [0]


def test_cells_lie_between_those_that_were_measured(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('study = "deals"\n[sweep]\nplayers = [5, 6, 9]\n')
    experiment = load_experiment(path)
    measured = [Measurement(0, 2.0, 10.0, 100), Measurement(2, 4.0, 30.0, 300)]
    assert _interpolated(experiment, measured, 0) == measured[0]
    assert _interpolated(experiment, measured, 1) == Measurement(1, 2.5, 15.0, 150)
    assert _interpolated(experiment, measured, 2) == Measurement(2, 4.0, 30.0, 300)


def test_the_deals_that_a_precision_takes_grow_as_its_square(study, file, monkeypatch):
    monkeypatch.setattr("loo_sim.runner.forecast.MEASURE_CHUNKS", 1)
    kinds = [kind_of(4, number) for number in range(10)]
    width = 1.959964 * np.std(kinds, ddof=1) / sqrt(10)
    for until, most in ((0.05, 10**6), (0.05, 500), (50.0, 10**6)):
        words = ["-s", f"until={until}", "-s", f"max_deals={most}", "--jobs", 1]
        expected = min(most, max(10, 1.1 * 10 * (width / until) ** 2))
        found = told(file, *words)
        assert found["measured"][0]["deals"] == pytest.approx(expected, abs=1)
        assert found["deals_to_do"] == 3 * found["measured"][0]["deals"]


def test_no_cell_is_expected_to_take_longer_than_it_may(study, file):
    study.seconds = 0.05
    words = ["-s", "until=1e-6", "-s", "max_deals=1_000_000", "-s", "max_seconds=2"]
    assert told(file, *words)["seconds"] == pytest.approx(3 * 2)


def test_times_in_words():
    assert [duration(seconds) for seconds in (0.1, 42.4, 600, 7200)] == [
        "1 s",
        "42 s",
        "10 min",
        "2.0 h",
    ]


# --- memory and disk ------------------------------------------------------------------------------

KINDS_OF_RUN = {
    "deals": ('study = "deals"\nplayers = 6\n', "deals", 2**20, 2**24),
    "announce": ('study = "announce"\nplayers = 5\n', "deals", 2**19, 2**23),
    "lead": ('study = "lead"\nplayers = 5\n', "deals", 2**19, 2**23),
    "session": ('study = "session"\nplayers = 5\nrounds = 4\n', "tables", 2**15, 2**19),
}
MEASURED = """
import sys
from pathlib import Path
from loo_sim.experiment import load_experiment
from loo_sim.runner.run import run_experiment

run_experiment(load_experiment(sys.argv[1]), Path(sys.argv[2]), 2)
status = Path("/proc/self/status").read_text().splitlines()
print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
STATUS = Path("/proc/self/status")


def peak_memory(file: Path, out: Path) -> int:
    """Bytes of memory that a process takes for a run on two threads, at most."""
    words = [sys.executable, "-c", MEASURED, str(file), str(out)]
    return 1024 * int(subprocess.run(words, capture_output=True, check=True, text=True).stdout)


@pytest.mark.skipif(
    not STATUS.exists() or "VmHWM" not in STATUS.read_text(), reason="no peak of memory is told"
)
@pytest.mark.parametrize("name", KINDS_OF_RUN)
def test_memory_does_not_grow_with_the_deals_and_is_forecast(tmp_path, name):
    text, unit, few, many = KINDS_OF_RUN[name]
    file = tmp_path / "x.toml"
    peaks = []
    for amount in (few, many):
        file.write_text(f"{text}{unit} = {amount}\n")
        out = tmp_path / str(amount)
        said = forecast(load_experiment(file), out, 2)  # compiles too, if need be: not in the run
        peaks.append(peak_memory(file, out))
        assert peaks[-1] < said.memory_bytes < 2.5 * peaks[-1]
        assert 2 * sum(path.stat().st_size for path in out.iterdir()) < said.disk_bytes
    # Less than eight bytes a deal; more hands come up in more deals, and take rows in the table.
    assert peaks[1] - peaks[0] < (60e6 if name in ("announce", "lead") else 12e6)


def test_the_counts_of_every_thread_are_part_of_the_memory(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text('study = "announce"\n[sweep]\nplayers = [5, 8]\n')
    cells = load_experiment(path).cells
    # Situations times hands times results of standing and of taking the miss, four bytes each.
    of_eight = 8 * 9 * 4861 * 5 * 6 * 4
    one, three = (
        memory_needed(count_sizes(find_study("announce"), cells, Threads(n))) for n in (1, 3)
    )
    assert three - one == 2 * of_eight


def test_a_forecast_says_what_the_threads_have_room_for(tmp_path, monkeypatch):
    path = tmp_path / "x.toml"
    path.write_text('study = "deals"\nplayers = 5\ndeals = 1000\n')
    # Counts of 5 seats and of pots: (5 x 25 + 17 x 5 x 17) words of eight bytes.
    size = 8 * (5 * 25 + 17 * 5 * 17)
    monkeypatch.setattr("loo_sim.runner.threads.MOST_COUNT_BYTES", 3 * size)
    found = forecast(load_experiment(path), tmp_path / "out", 8)
    assert (found.threads, found.counts_bytes) == (3, size)
