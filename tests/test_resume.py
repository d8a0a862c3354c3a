"""Runs that are broken off: nothing is lost, nothing is counted twice, nobody else's is touched."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest
from commands import loosim

import loo_sim
from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.runner.durable import read_record, write_durably, write_record
from loo_sim.runner.identity import differences, identity_of
from loo_sim.runner.lock import DirectoryLock, HeldError
from loo_sim.runner.parts import Parts, Total
from loo_sim.runner.progress import LineProgress
from loo_sim.runner.run import Run, run_experiment


@pytest.fixture
def save_always(monkeypatch):
    """Totals are saved after every chunk."""
    monkeypatch.setattr("loo_sim.runner.counting.SAVE_SECONDS", 0.0)
    monkeypatch.setattr("loo_sim.runner.counting.SAVE_SHARE", float("inf"))


def run(file: Path, *overrides: str, jobs: int = 1, **options) -> Run:
    checked = load_experiment(file, overrides)
    return run_experiment(checked, file.parent / "out", jobs, **options)


def undisturbed(file: Path) -> dict[str, str]:
    """Digests of the tables of a run that nothing breaks off."""
    return run_experiment(load_experiment(file), file.parent / "whole", 1).manifest["tables"]


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def watch(study, stop_at: tuple[int, int] | None = None, error: type = KeyboardInterrupt):
    """Note (pot, first deal) of each chunk that is counted; break off at one."""
    counted = []

    def before_chunk(game, first):
        at = (game // UNITS_PER_STAKE, first)
        if at == stop_at:
            raise error
        counted.append(at)

    study.before_chunk = before_chunk
    return counted


def broken_off(study, file: Path, **options) -> Run:
    """A run that is broken off in its second cell, of which five chunks are saved."""
    watch(study, (6, 50))
    ended = run(file, **options)
    assert ended.directory is None
    study.before_chunk = lambda game, first: None
    return ended


SECOND_CELL = [(6, 0), *((6, first) for first in range(50, 95, 10))]
"""Chunks that are left of the second cell; its first deal is played once to compile."""
THIRD_CELL = [(9, first) for first in range(0, 95, 10)]


# --- going on -------------------------------------------------------------------------------------


def test_a_run_goes_on_where_it_was_broken_off(study, file, save_always, capsys):
    whole = undisturbed(file)
    broken_off(study, file)
    counted = watch(study)
    ended = run(file, progress=LineProgress())
    assert ended.manifest["tables"] == whole
    assert counted == SECOND_CELL + THIRD_CELL
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "resuming: 1 of 3 cells done, 50 of 95 deals of cell 2"
    assert names(file.parent) == ["out", "whole", "x.toml"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_at_a_signal_the_chunk_in_hand_is_ended_and_saved(study, file, number):
    whole = undisturbed(file)

    def before_chunk(game, first):
        if (game, first) == (6 * UNITS_PER_STAKE, 50):
            study.seconds = 0.3  # long enough for the main thread to see the signal
            os.kill(os.getpid(), number)

    study.before_chunk = before_chunk
    assert run(file).broken_off == "60 of 95 deals"
    study.seconds = 0.0
    counted = watch(study)
    assert run(file).manifest["tables"] == whole
    assert counted == [(6, 0), *((6, first) for first in range(60, 95, 10)), *THIRD_CELL]


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_any_number_of_threads_goes_on_with_the_work_of_others(study, file, save_always, jobs):
    whole = undisturbed(file)
    study.seconds = 0.002
    broken_off(study, file, jobs=4)
    watch(study, (6, 70))
    run(file, jobs=jobs)
    counted = watch(study)
    assert run(file, jobs=jobs).manifest["tables"] == whole
    assert len(counted) == len(set(counted)) + ((6, 0) in counted[1:])


def test_the_files_of_threads_grow_no_more_numerous_however_often_they_are_broken_off(
    study, file, save_always
):
    study.seconds = 0.002
    for first in (20, 50, 80):
        watch(study, (3, first))
        run(file, jobs=2)
        parts = {path.name for path in (file.parent / "out.partial").glob("*.part-*")}
        assert parts <= {"cell-0.part-0", "cell-0.part-1"}


def test_what_is_counted_is_not_counted_again_if_its_tables_are_broken_off(study, file):
    whole = undisturbed(file)

    def tables(cell, deals, counts):
        raise KeyboardInterrupt

    study.tables, make = tables, study.tables
    ended = run(file, jobs=2)
    assert ended.broken_off == "95 of 95 deals"
    study.tables = make
    counted = watch(study)
    assert run(file).manifest["tables"] == whole
    assert [at for at in counted if at[0] == 3] == [(3, 0)]  # the one that compiles


def test_a_run_that_was_broken_off_before_its_end_alone_runs_nothing_again(study, file, capsys):
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loo_sim.runner.partial.Partial.assemble", stop)
        assert run(file).stopped is not None
    whole = undisturbed(file)
    capsys.readouterr()
    counted = watch(study)
    ended = run(file, progress=LineProgress())
    assert (counted, ended.manifest["tables"]) == ([], whole)
    assert capsys.readouterr().err.startswith("resuming: 3 of 3 cells done\n")


def test_the_seconds_of_a_cell_are_those_of_all_its_runs(study, file, save_always):
    study.seconds = 0.02
    broken_off(study, file)
    study.seconds = 0.0
    first, second, _ = (cell["seconds"] for cell in run(file).manifest["cells"])
    assert first >= 0.2
    assert second >= 0.1  # five chunks of the first run


# --- what is finished -----------------------------------------------------------------------------


def test_a_finished_run_is_told_again_and_nothing_is_run(study, file):
    first = loosim("run", file, "-o", file.parent / "out")
    before = {item.name: item.read_bytes() for item in (file.parent / "out").iterdir()}
    counted = watch(study)
    second = loosim("run", file, "-o", file.parent / "out")
    assert (second.exit_code, second.stdout, counted) == (0, first.stdout, [])
    assert f"nothing to run: {file.parent}/out holds this result" in second.stderr
    after = {item.name: item.read_bytes() for item in (file.parent / "out").iterdir()}
    assert after == before
    assert names(file.parent) == ["out", "x.toml"]


@pytest.mark.parametrize("failing", [(3,), (6,), (9,), (3, 9)])
def test_of_a_finished_run_the_failed_cells_alone_are_run_again(study, file, failing):
    whole = undisturbed(file)

    def before_chunk(game, first):
        if game // UNITS_PER_STAKE in failing:
            raise RuntimeError

    study.before_chunk = before_chunk
    assert run(file).manifest["status"] == "failed"
    counted = watch(study)
    ended = run(file)
    assert {pot for pot, _ in counted} == set(failing)
    assert (ended.manifest["status"], ended.manifest["tables"]) == ("done", whole)
    assert [row[1] for row in ended.headline] == [("95",)] * 3
    assert names(file.parent) == ["out", "whole", "x.toml"]


def test_a_result_stays_while_its_failed_cells_are_run_again(study, file):
    watch(study, (6, 0), RuntimeError)
    failed = run(file).manifest
    watch(study, (6, 0))
    assert run(file).stopped is not None
    assert json.loads((file.parent / "out" / "manifest.json").read_text()) == failed
    study.before_chunk = lambda game, first: None
    assert run(file).manifest["tables"] == undisturbed(file)


@pytest.mark.parametrize("name", ["kinds.parquet", "manifest.json"])
def test_a_result_that_was_altered_is_not_passed_off_as_this_one(study, file, name):
    run(file)
    path = file.parent / "out" / name
    path.write_bytes(path.read_bytes().replace(b"done", b"gone") + b" " * name.endswith("t"))
    found = loosim("run", file, "-o", file.parent / "out")
    assert found.exit_code == 2
    assert str(path) in found.stderr
    assert "--fresh starts over; -o writes elsewhere" in found.stderr
    assert loosim("run", file, "-o", file.parent / "out", "--fresh").exit_code == 0


def test_fresh_starts_over(study, file, save_always):
    broken_off(study, file)
    counted = watch(study)
    ended = run(file, fresh=True)
    assert len(counted) == 1 + 3 * 10
    assert ended.manifest["tables"] == undisturbed(file)
    counted = watch(study)
    run(file, fresh=True)
    assert len(counted) == 1 + 3 * 10


def test_a_fresh_run_that_was_broken_off_goes_on_though_the_old_result_is_there(
    study, file, save_always
):
    whole = run(file).manifest["tables"]
    broken_off(study, file, fresh=True)
    counted = watch(study)
    assert run(file).manifest["tables"] == whole
    assert counted == SECOND_CELL + THIRD_CELL


# --- what is damaged ------------------------------------------------------------------------------


def cut(content: bytes) -> bytes:
    return content[:-5]


def flip(content: bytes) -> bytes:
    return content[:-9] + bytes([content[-9] ^ 1]) + content[-8:]


def empty(content: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("damage", [cut, flip, empty])
def test_a_damaged_part_is_counted_again(study, file, save_always, capsys, damage):
    whole = undisturbed(file)
    broken_off(study, file)
    path = file.parent / "out.partial" / "cell-1.part-0"
    path.write_bytes(damage(path.read_bytes()))
    counted = watch(study)
    assert run(file, progress=LineProgress()).manifest["tables"] == whole
    assert [at for at in counted if at[0] == 6] == [(6, 0), *((6, n) for n in range(0, 95, 10))]
    assert f"{path} was altered or broken off" in capsys.readouterr().err


@pytest.mark.parametrize("damage", [cut, flip, empty])
def test_a_damaged_cell_is_run_again(study, file, save_always, capsys, damage):
    whole = undisturbed(file)
    broken_off(study, file)
    path = file.parent / "out.partial" / "cells"
    path.write_bytes(damage(path.read_bytes()))
    counted = watch(study)
    assert run(file, progress=LineProgress()).manifest["tables"] == whole
    assert len([at for at in counted if at[0] == 3]) == 11
    assert f"{path} was altered or broken off" in capsys.readouterr().err


def test_a_part_of_another_cell_or_experiment_is_of_no_use(study, file, save_always):
    whole = undisturbed(file)
    broken_off(study, file)
    partial = file.parent / "out.partial"
    shutil.copy(partial / "cell-1.part-0", partial / "cell-2.part-0")
    assert run(file).manifest["tables"] == whole


def test_an_altered_identity_is_refused(study, file, save_always):
    broken_off(study, file)
    path = file.parent / "out.partial" / "identity.json"
    path.write_bytes(cut(path.read_bytes()[:-10]))
    with pytest.raises(InputError, match=r"identity.json: was altered or broken off \(--fresh"):
        run(file)
    assert run(file, fresh=True).manifest["tables"] == undisturbed(file)


def test_parts_that_a_kill_left_beside_their_sum_are_not_counted_twice(tmp_path):
    def nothing():
        return (np.zeros((2, 3), np.uint32), np.zeros(1))

    parts = Parts(tmp_path, 4, {"identity": "x"}, nothing)
    for thread, (chunks, n) in enumerate([([0, 3], 5), ([1], 7), ([2, 4, 5], 11)]):
        counts = (np.full((2, 3), n, np.uint32), np.full(1, n + 0.5))
        checksums = [2**64 - 1 - chunk for chunk in chunks]
        running = [[[chunk, 2, 0.5, nan], [3, 4, chunk, 1.5]] for chunk in chunks]
        parts.save(thread, Total(counts, chunks, checksums, running, 1.0 + n))
    left_over = (tmp_path / "cell-4.part-1").read_bytes()
    for _ in range(2):
        total, damaged = parts.load()
        assert damaged == []
        assert sorted(total.chunks) == [0, 1, 2, 3, 4, 5]
        assert total.checksums == [2**64 - 1 - chunk for chunk in total.chunks]
        for chunk, (first, second) in zip(total.chunks, total.running, strict=True):
            assert (first[:3], isnan(first[3])) == ([chunk, 2, 0.5], True)
            assert second == [3, 4, chunk, 1.5]
        assert [array.tolist() for array in total.counts] == [[[23] * 3] * 2, [24.5]]
        assert total.seconds == 12.0
        assert names(tmp_path) == ["cell-4.part-0"]
        (tmp_path / "cell-4.part-1").write_bytes(left_over)
    (tmp_path / "cell-4.part-0").unlink()
    total, _ = parts.load()
    assert (total.chunks, names(tmp_path)) == ([1], ["cell-4.part-0"])
    assert Parts(tmp_path, 4, {"identity": "y"}, nothing).load()[1] == ["cell-4.part-0"]


def test_a_file_is_whole_or_as_it_was(tmp_path):
    path = tmp_path / "a"
    write_durably(path, [b"one ", b"two"])

    def content():
        yield b"three"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_durably(path, content())
    assert path.read_bytes() == b"one two"
    assert names(tmp_path) == ["a"]


def test_a_record_tells_whether_it_was_altered(tmp_path):
    path = tmp_path / "r.json"
    assert read_record(path) is None
    write_record(path, {"a": [1, 2.5, None]})
    assert read_record(path) == {"a": [1, 2.5, None]}
    for text in (path.read_text().replace("2.5", "2.6"), "[]", "{}", "7", "nonsense", ""):
        path.write_text(text)
        assert read_record(path) is None


# --- what is another's ----------------------------------------------------------------------------


def test_a_changed_experiment_is_refused_with_every_key_that_differs(study, file, save_always):
    broken_off(study, file)
    before = {item.name: item.read_bytes() for item in (file.parent / "out.partial").iterdir()}
    words = ["-s", "deals=2000", "-s", "seed=5", "-s", "rules.loo=pot", "-s", "sweep.pot=[3, 7]"]
    found = loosim("run", file, "-o", file.parent / "out", *words)
    assert (found.exit_code, found.stdout) == (2, "")
    where = f"{file.parent}/out.partial"
    first, *keys = found.stderr.splitlines()
    assert first == (
        f"{where}: is of another experiment (--fresh starts over; -o writes elsewhere)"
    )
    assert sorted(keys) == sorted(
        f"{where}: {text}"
        for text in (
            "seed: 4 there, 5 here",
            "deals: 95 there, 2,000 here",
            "cells: 3 there, 2 here",
            "rules.loo: 3 there, pot here",
            "cells.1.axes.pot: 6 there, 7 here",
            "cells.1.pot: 6.0 there, 7.0 here",
        )
    )
    after = {item.name: item.read_bytes() for item in (file.parent / "out.partial").iterdir()}
    assert {name: after[name] for name in before} == before


def test_the_result_of_another_experiment_is_refused(study, file):
    run(file)
    before = (file.parent / "out" / "manifest.json").read_bytes()
    found = loosim("run", file, "-o", file.parent / "out", "--seed", "5")
    assert found.exit_code == 2
    assert f"{file.parent}/out: seed: 4 there, 5 here\n" in found.stderr
    assert (file.parent / "out" / "manifest.json").read_bytes() == before
    assert names(file.parent) == ["out", "x.toml"]


def test_a_policy_that_was_rewritten_is_named(study, file):
    mine = file.parent / "mine.toml"
    seats = 'policies=["peel", "mine.toml", "tight", "peel", "peel", "peel"]'
    mine.write_text('name = "mine"\n[announce]\notherwise = "stand"\n')
    run(file, seats)
    mine.write_text('# a comment\nname = "mine"\n[announce]\notherwise = "stand"\n')
    assert run(file, seats).manifest["status"] == "done"
    mine.write_text('name = "mine"\n[announce]\notherwise = "fold"\n')
    with pytest.raises(InputError, match=r"out: policies.1 \(mine\): changed\n?$"):
        run(file, seats)
    other = seats.replace("tight", "loose").replace("mine.toml", "peel")
    with pytest.raises(InputError) as caught:
        run(file, other)
    told = [(problem.key, problem.what) for problem in caught.value.problems[1:]]
    assert told == [
        ("policies.1", "mine there, peel here"),
        ("policies.2", "tight there, loose here"),
    ]


def test_other_kernels_make_another_run(study, file, monkeypatch):
    run(file)
    monkeypatch.setattr("loo_sim.kernels.digest", lambda: "1" * 64)
    with pytest.raises(InputError, match="out: kernels: changed"):
        run(file)


def test_what_differs_in_one_cell_is_told_with_its_number(file):
    there = identity_of(load_experiment(file))
    here = identity_of(load_experiment(file))
    assert differences(there, here) == []
    here["cells"][2]["policies"][0]["digest"] = "other"
    here["cells"][0]["rules"]["loo_cap"] = 9
    del here["version"]
    assert differences(there, here) == [
        ("version", f"{loo_sim.__version__} there, none here"),
        ("cells.0.rules.loo_cap", "none there, 9 here"),
        ("cells.2.policies.0 (peel)", "changed"),
    ]


def test_threads_paths_and_places_make_no_other_run(study, file):
    run(file, jobs=2)
    elsewhere = file.parent / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(file, elsewhere)
    checked = load_experiment(elsewhere / "x.toml", ['policies="peel"'])
    counted = watch(study)
    run_experiment(checked, file.parent / "out", 1)
    assert counted == []


def test_strange_files_beside_the_result_are_not_touched(study, file):
    partial = file.parent / "out.partial"
    partial.mkdir()
    (partial / "diary.txt").write_text("dear diary")
    for fresh in (False, True):
        with pytest.raises(InputError, match=r"out.partial: holds 'diary.txt', which is no part"):
            run(file, fresh=fresh)
    assert names(partial) == ["diary.txt"]
    shutil.rmtree(partial)
    partial.write_text("a file")
    with pytest.raises(InputError, match="cannot be written: a file is where its folder"):
        run(file)
    assert partial.read_text() == "a file"


def test_the_second_run_is_told_who_is_at_work(study, file):
    told = []

    def before_chunk(game, first):
        if not told:
            told.append("")
            told[0] = loosim("run", file, "-o", file.parent / "out")

    study.before_chunk = before_chunk
    since = {time.strftime("%H:%M"), time.strftime("%H:%M", time.localtime(time.time() + 60))}
    assert run(file).manifest["status"] == "done"
    (found,) = told
    assert found.exit_code == 2
    assert found.stderr in {
        f"{file.parent}/out: process {os.getpid()} on this machine, since {at}, is at work on it"
        " (wait for it to end, or write elsewhere with -o)\n"
        for at in since
    }
    assert names(file.parent) == ["out", "x.toml"]


def test_a_lock_names_its_holder_from_elsewhere_and_goes_without_a_trace(tmp_path):
    folder = tmp_path / "x"
    lock = DirectoryLock(folder)
    holder = {"pid": 7, "host": "no such host", "since": "2001-02-03T04:05:06+00:00"}
    (folder / ".holder").write_text(json.dumps(holder))
    with pytest.raises(HeldError, match=r"^process 7 on no such host, since 2001-02-0\d \d\d:\d5$"):
        DirectoryLock(folder)
    (folder / ".holder").write_text("nonsense")
    with pytest.raises(HeldError, match=r"^another process$"):
        DirectoryLock(folder)
    lock.release_empty()
    assert not folder.exists()
    DirectoryLock(folder).release()


# --- a disk that is full or will not be written ---------------------------------------------------


@pytest.fixture
def disk(tmp_path):
    """A disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=1m", "loosim-test", str(place)]
    mounted = shutil.which("mount") and subprocess.run(words, capture_output=True).returncode == 0
    if not mounted:
        pytest.skip("only who may mount disks can test with a small one")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path) -> None:
    """Write until nothing more can be written."""
    with suppress(OSError), (disk / "filler").open("wb", 0) as filler:
        while True:
            filler.write(b"x" * 512)


def test_a_full_disk_is_told_before_the_work(study, file, monkeypatch):
    free = shutil.disk_usage(file.parent)._replace(free=20_000)
    monkeypatch.setattr("shutil.disk_usage", lambda path: free)
    counted = watch(study)
    found = loosim("run", file, "-o", file.parent / "out")
    assert (found.exit_code, counted) == (2, [])
    assert "has room for 0.0 MB, and this run may need 0.8 MB" in found.stderr
    assert names(file.parent) == ["x.toml"]


def test_the_counts_of_all_threads_are_part_of_what_is_needed(file, monkeypatch):
    # Five players: 30 situations, 4,861 hands, 30 words of four bytes; each twice for a moment.
    need = 2 * 2 * 30 * 4861 * 30 * 4
    free = shutil.disk_usage(file.parent)._replace(free=need)
    monkeypatch.setattr("shutil.disk_usage", lambda path: free)
    with pytest.raises(InputError, match=r"has room for 70\.0 MB, and this run may need"):
        run(file, "study=announce", "players=5", jobs=2)


def test_a_disk_that_is_full_from_the_start(study, file, disk):
    fill(disk)
    found = loosim("run", file, "-o", disk / "out")
    assert found.exit_code == 2
    assert str(disk) in found.stderr
    assert "Traceback" not in found.stderr
    assert names(disk) == ["filler"]


@pytest.mark.parametrize("at", [(6, 50), (9, 90)])
def test_a_disk_that_fills_up_costs_nothing_but_time(study, file, disk, save_always, at):
    whole = undisturbed(file)

    def before_chunk(game, first):
        if (game // UNITS_PER_STAKE, first) == at:
            fill(disk)

    study.before_chunk = before_chunk
    found = loosim("run", file, "-o", disk / "out", "--jobs", "1")
    assert found.exit_code == 1
    assert found.stderr.splitlines()[-2:] == [
        found.stderr.splitlines()[-2],
        f"what is done is kept in {disk}/out.partial; once that is mended, go on with: "
        f"loosim run {file} -o {disk}/out",
    ]
    assert "No space left on device" in found.stderr.splitlines()[-2]
    assert not (disk / "out").exists()
    (disk / "filler").unlink()
    counted = watch(study)
    assert loosim("run", file, "-o", disk / "out").exit_code == 0
    assert json.loads((disk / "out" / "manifest.json").read_text())["tables"] == whole
    assert not [pot for pot, _ in counted if pot < at[0]]
    assert names(disk) == ["out"]


def test_a_disk_that_cannot_be_written_is_told_before_the_work(study, file, disk):
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    counted = watch(study)
    found = loosim("run", file, "-o", disk / "out")
    assert (found.exit_code, counted) == (2, [])
    assert found.stderr == (
        f"{disk}/out: cannot be written: Read-only file system (give another place with -o)\n"
    )


def test_a_finished_run_is_told_again_from_a_disk_that_cannot_be_written(study, file, disk):
    first = loosim("run", file, "-o", disk / "out")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    again = loosim("run", file, "-o", disk / "out")
    assert (again.exit_code, again.stdout) == (0, first.stdout)


def test_a_result_cannot_take_the_place_of_a_mounted_disk(study, file, disk):
    with pytest.raises(InputError, match="is where a disk is mounted"):
        run_experiment(load_experiment(file), disk)


# --- killed ---------------------------------------------------------------------------------------

NURSERY = """
import gc, json, os, signal, sys
import loo_sim, loo_sim.runner.counting as counting
from fake_study import fake_study
from loo_sim.cli import main
from loo_sim.studies import deals

if sys.argv[3] == "fake":
    fake = fake_study()
    fake.__enter__()
deals.CHUNK_DEALS = 500
counting.SAVE_SECONDS, counting.SAVE_SHARE = 0.0, float("inf")
loo_sim.run(sys.argv[1], output=sys.argv[2])
gc.freeze()  # or each child would copy what it only looks at
DISK = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate")

def kill_at(number):
    left = number
    def hook(event, args):
        nonlocal left
        writes = event == "open" and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR)
        if event in DISK or writes:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(hook)

for line in sys.stdin:
    event, words = json.loads(line)
    child = os.fork()
    if child == 0:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        sys.argv = ["loosim", *words]
        if event:
            kill_at(event)
        main()
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
KILLED = -signal.SIGKILL
TWO_CELLS = 'study = "deals"\ndeals = {deals}\nseed = 4\n[sweep]\npot = [3, 6]\n'
MAIN = "from loo_sim.cli import main; main()"


class Nursery:
    """Starts `loosim` in processes that have imported and compiled everything, one at a time."""

    def __init__(self, folder: Path, study: str) -> None:
        warm = folder / "warm.toml"
        warm.write_text(TWO_CELLS.format(deals=1000))
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY, str(warm), str(folder / "warm"), study],
            cwd=Path(__file__).parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def start(self, *words: object, event: int = 0) -> int:
        """Start a command, killed at its `event`-th change of the disk; its process."""
        self._process.stdin.write(json.dumps([event, [str(word) for word in words]]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def end(self) -> int:
        """Wait for the command; its exit code."""
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture
def two_cells(tmp_path, monkeypatch) -> Path:
    """An experiment of two cells, whose chunks are here as in the nursery."""
    monkeypatch.setattr("loo_sim.studies.deals.CHUNK_DEALS", 500)
    path = tmp_path / "x.toml"
    path.write_text(TWO_CELLS.format(deals=10_000))
    return path


@pytest.fixture(scope="module")
def nursery(tmp_path_factory):
    found = Nursery(tmp_path_factory.mktemp("nursery"), "deals")
    yield found
    found.close()


@pytest.fixture(scope="module")
def fake_nursery(tmp_path_factory):
    found = Nursery(tmp_path_factory.mktemp("nursery"), "fake")
    yield found
    found.close()


def tables_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.glob("*.parquet")}


def is_whole(directory: Path) -> bool:
    """Whether a directory is a result with every table that its manifest names."""
    tables = json.loads((directory / "manifest.json").read_text())["tables"]
    return names(directory) == sorted(["manifest.json", *(f"{name}.parquet" for name in tables)])


def test_kills_at_random_moments_change_no_table(nursery, two_cells):
    whole, out = two_cells.parent / "whole", two_cells.parent / "out"
    run_experiment(load_experiment(two_cells), whole, 1)
    chance = random.Random(20)
    kills = 0
    while kills < 50:
        longest = 0.2  # grows, so that the slowest machine comes to an end
        code = KILLED
        while code == KILLED:
            words = ["run", two_cells, "-o", out, "--jobs", chance.choice([1, 2, 3])]
            child = nursery.start(*words)
            time.sleep(chance.uniform(0.0, longest))
            longest *= 1.05
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            code = nursery.end()
            kills += code == KILLED
            assert not out.exists() or is_whole(out)
        assert code == 0
        assert tables_of(out) == tables_of(whole)
        assert names(two_cells.parent) == ["out", "whole", "x.toml"]
        shutil.rmtree(out)


def test_a_kill_at_any_change_of_the_disk_loses_nothing(study, fake_nursery, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(TWO_CELLS.format(deals=15))  # of two chunks each
    whole, older, out = tmp_path / "whole", tmp_path / "older", tmp_path / "out"
    run_experiment(load_experiment(file), whole, 1)
    run_experiment(load_experiment(file, ["seed=5"]), older, 1)
    words = ["run", file, "-o", out, "--jobs", 1]
    code, event = KILLED, 1
    while code == KILLED:
        shutil.copytree(older, out)
        fake_nursery.start(*words, "--fresh", event=event)
        code = fake_nursery.end()
        if out.exists():
            assert tables_of(out) in (tables_of(whole), tables_of(older))
        fake_nursery.start(*words)
        again = fake_nursery.end()
        if again == 2:  # the run had not begun: the other experiment's result is as it was
            assert tables_of(out) == tables_of(older)
            fake_nursery.start(*words, "--fresh")
            again = fake_nursery.end()
        assert again == 0, f"after a kill at change {event}"
        assert tables_of(out) == tables_of(whole)
        shutil.rmtree(out)
        assert names(tmp_path) == ["older", "whole", "x.toml"]
        event += 1
    assert code == 0
    assert event > 30


def test_a_command_that_was_just_started_may_be_killed(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(TWO_CELLS.format(deals=4_000_000))
    words = [sys.executable, "-c", MAIN, "run", str(path), "-o", str(tmp_path / "out")]
    for seconds in (0.7, 1.5, 2.0):
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        assert process.wait() in (KILLED, 0)
    assert subprocess.run(words, capture_output=True).returncode == 0
    run_experiment(load_experiment(path), tmp_path / "whole")
    assert tables_of(tmp_path / "out") == tables_of(tmp_path / "whole")


def test_ctrl_c_ends_in_two_seconds_and_the_same_command_goes_on(nursery, two_cells):
    whole, out = two_cells.parent / "whole", two_cells.parent / "out"
    two_cells.write_text(TWO_CELLS.format(deals=1_000_000))
    run_experiment(load_experiment(two_cells), whole, 1)
    chance = random.Random(21)
    holder = out.with_name("out.partial") / ".holder"
    stopped = 0
    while not out.exists():
        child = nursery.start("run", two_cells, "-o", out, "--jobs", 2)
        while not (holder.exists() or out.exists()):
            time.sleep(0.001)
        time.sleep(chance.uniform(0.0, 0.1 * (stopped + 1)))
        sent = time.monotonic()
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGINT)
        code = nursery.end()
        if not out.exists():
            assert code == 130
            assert time.monotonic() - sent < 2
            stopped += 1
    assert stopped > 0
    assert is_whole(out)
    assert tables_of(out) == tables_of(whole)
