"""Checks of results: checksums that add up, chunks that come out again, and all that may not."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections import Counter
from math import ceil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import loosim
from fake_study import KINDS, THREE_CELLS, kind_of

import loo_sim
from loo_sim.experiment import load_experiment
from loo_sim.kernels.checksum import checksum
from loo_sim.problems import InputError
from loo_sim.runner.durable import digest_of_file
from loo_sim.runner.results import seal
from loo_sim.runner.run import run_experiment
from loo_sim.studies import STUDY_NAMES, find_study
from loo_sim.verification import verify

MOST = 2**64


@pytest.fixture
def out(study, tmp_path) -> Path:
    """A result of three cells, of ten chunks each in the fake study."""
    return made(tmp_path, THREE_CELLS)


def made(folder: Path, text: str, jobs: int = 1) -> Path:
    path = folder / "x.toml"
    path.write_text(text)
    run_experiment(load_experiment(path), folder / "out", jobs)
    return folder / "out"


# --- the checksum ---------------------------------------------------------------------------------


def mixed(number: int) -> int:
    """The end of splitmix64, as Steele, Lea and Flood give it."""
    z = (number + 1) * 0x9E3779B97F4A7C15 % MOST
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % MOST
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % MOST
    return z ^ (z >> 31)


def slow_checksum(arrays) -> int:
    """What the checksum is said to be, in whole numbers without bounds."""
    total = 0
    for number, array in enumerate(arrays):
        for place, count in enumerate(array.ravel().tolist()):
            block, within = divmod(place, 32)
            of_place = pow(0x9E3779B97F4A7C15, within + 1, MOST) >> 32 | 1
            total += count * of_place * (mixed(number * 2**40 + block) | 1)
    return total % MOST


def some_counts(seed: int) -> tuple[np.ndarray, ...]:
    """Counts of each type that there is, of sizes that fill no whole number of blocks; zeros."""
    draw = np.random.default_rng(seed)
    sparse = np.zeros((7, 41), np.uint32)
    sparse[draw.integers(0, 7, 9), draw.integers(0, 41, 9)] = draw.integers(1, 2**31, 9)
    signed = draw.integers(-(2**62), 2**62, (3, 5, 9))
    return sparse, signed, np.zeros(64, np.int64), draw.integers(0, 9, 5)


def test_the_checksum_is_what_it_is_said_to_be():
    for seed in range(5):
        counts = some_counts(seed)
        assert checksum(counts) == slow_checksum(counts)


def test_checksums_add_up_as_counts_do():
    a, b = some_counts(1), some_counts(2)
    together = [x + y for x, y in zip(a, b, strict=True)]
    assert checksum(together) == (checksum(a) + checksum(b)) % MOST


def test_no_change_of_a_single_count_and_no_move_of_one_is_lost():
    counts = some_counts(3)
    before = checksum(counts)
    seen = {before}
    for array in counts:
        flat = array.reshape(-1)
        for place in range(flat.size):
            flat[place] += 1
            seen.add(checksum(counts))
            flat[place] -= 1
    assert len(seen) == 1 + sum(array.size for array in counts)
    assert checksum(counts) == before
    assert checksum(counts[::-1]) != before


# --- what a run leaves ----------------------------------------------------------------------------


def counts_of_kinds(first: int, deals: int) -> np.ndarray:
    kinds = Counter(kind_of(4, number) for number in range(first, first + deals))
    return np.array([kinds[kind] for kind in range(KINDS)])


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_chunk_of_a_run_leaves_the_checksum_of_its_own_counts(study, tmp_path, jobs):
    study.seconds = 0.001  # so that each thread has its share
    rows = pq.read_table(made(tmp_path, THREE_CELLS, jobs) / "chunks.parquet").to_pylist()
    expected = [
        {
            "pot": pot,
            "chunk": first // 10,
            "first": first,
            "n": min(10, 95 - first),
            "checksum": slow_checksum([counts_of_kinds(first, min(10, 95 - first))]),
        }
        for pot in (3, 6, 9)
        for first in range(0, 95, 10)
    ]
    assert rows == expected
    assert pq.read_schema(tmp_path / "out" / "chunks.parquet").field("checksum").type == pa.uint64()


def test_a_run_that_was_broken_off_has_the_checksums_of_all_its_chunks(
    study, tmp_path, monkeypatch
):
    whole = made(tmp_path, THREE_CELLS)
    monkeypatch.setattr("loo_sim.runner.counting.SAVE_SECONDS", 0.0)
    monkeypatch.setattr("loo_sim.runner.counting.SAVE_SHARE", float("inf"))
    before = (whole / "chunks.parquet").read_bytes()
    shutil.rmtree(whole)

    def stop(game, first):
        if first == 50:
            raise KeyboardInterrupt

    study.before_chunk = stop
    assert run_experiment(load_experiment(tmp_path / "x.toml"), whole, 2).stopped is not None
    study.before_chunk = lambda game, first: None
    made(tmp_path, THREE_CELLS, 2)
    assert (whole / "chunks.parquet").read_bytes() == before


# --- verify ---------------------------------------------------------------------------------------


def watch(study) -> list[int]:
    """Note the first deal of each chunk that is counted."""
    counted: list[int] = []
    study.before_chunk = lambda game, first: counted.append(first)
    return counted


def test_eight_chunks_are_recomputed_and_a_seed_chooses_them(study, out):
    chosen = []
    for seed in (1, 1, 2):
        counted = watch(study)
        shown = loosim("verify", out, "--seed", seed, "--jobs", 1)
        assert (shown.exit_code, shown.stdout) == (0, "8 of 30 chunks recomputed, all the same\n")
        assert f"chosen at random; --seed {seed} chooses the same chunks" in shown.stderr
        assert len(counted) == 1 + 8  # one deal gets the kernels ready
        chosen.append(counted)
    assert chosen[0] == chosen[1] != chosen[2]


def test_as_many_chunks_are_recomputed_as_are_asked_for(study, out):
    for words, told, counted in (
        (["--chunks", 3], "3 of 30 chunks recomputed, all the same\n", 3),
        (["--all"], "30 of 30 chunks recomputed, all the same\n", 30),
        (["--chunks", 99], "30 of 30 chunks recomputed, all the same\n", 30),
    ):
        seen = watch(study)
        shown = loosim("verify", out, *words, "--quiet")
        assert (shown.exit_code, shown.stdout, shown.stderr) == (0, told, "")
        assert len(seen) == 1 + counted
    assert loosim("verify", out, "--all", "--chunks", 3).exit_code == 2


@pytest.mark.parametrize("jobs", [1, 4])
def test_chunks_that_come_out_otherwise_are_told(study, out, jobs):
    right = study.add_counts

    def wrong(game, seed, first, count, counts):
        right(game, seed, first, count, counts)
        if first == 90 or (first == 40 and game == 3 * 729):
            counts[0][2] += 1
            counts[0][3] -= 1

    study.add_counts = wrong
    shown = loosim("verify", out, "--all", "--jobs", jobs)
    assert shown.exit_code == 4
    assert shown.stdout.splitlines() == [
        "cell 0, chunk 4: deals 40 to 49: differs",
        "cell 0, chunk 9: deals 90 to 94: differs",
        "cell 1, chunk 9: deals 90 to 94: differs",
        "cell 2, chunk 9: deals 90 to 94: differs",
        "30 of 30 chunks recomputed, 4 differ",
    ]
    content = json.loads(loosim("verify", out, "--all", "--json", "--quiet").stdout)
    assert content["differing"][1] == {"cell": 0, "chunk": 9, "first": 90, "last": 94}
    assert (content["same"], content["chunks"], content["recomputed"]) == (False, 30, 30)
    found = loo_sim.verify(out, chunks=None)
    assert [kept.cell for kept in found.differing] == [0, 0, 1, 2]


@pytest.mark.parametrize("name", ["kinds.parquet", "chunks.parquet", "manifest.json"])
def test_a_file_that_was_altered_is_told_and_nothing_is_run(study, out, name):
    path = out / name
    path.write_bytes(path.read_bytes().replace(b"done", b"gone") + b" " * name.endswith("t"))
    counted = watch(study)
    shown = loosim("verify", out)
    assert (shown.exit_code, counted) == (4, [])
    assert name in shown.stdout.splitlines()[0]
    assert shown.stdout.splitlines()[-1] == "nothing was recomputed"


def test_a_table_that_is_gone_is_told(study, out):
    (out / "kinds.parquet").unlink()
    assert loosim("verify", out).exit_code == 4


def forge(out: Path, change) -> None:
    """Give a result another table of chunks, and a manifest that has its digest."""
    path = out / "chunks.parquet"
    table = change(pq.read_table(path))
    pq.write_table(table, path)
    manifest = json.loads((out / "manifest.json").read_text())
    del manifest["digest"]
    manifest["tables"]["chunks"] = digest_of_file(path)
    seal(manifest)
    (out / "manifest.json").write_text(json.dumps(manifest))


def with_row(table: pa.Table, row: int, **columns) -> pa.Table:
    rows = table.to_pylist()
    rows[row] |= columns
    return pa.Table.from_pylist(rows, table.schema)


def test_a_forged_checksum_is_found(study, out):
    forge(out, lambda table: with_row(table, 12, checksum=5))
    shown = loosim("verify", out, "--all")
    assert shown.exit_code == 4
    assert "cell 1, chunk 2: deals 20 to 29: differs" in shown.stdout


@pytest.mark.parametrize(
    "columns", [{"first": 21}, {"first": 19}, {"n": 9}, {"first": 10}], ids=str
)
def test_chunks_that_do_not_hold_each_deal_once_are_told(study, out, columns):
    forge(out, lambda table: with_row(table, 12, **columns))
    shown = loosim("verify", out, "--chunks", 1)
    assert shown.exit_code == 4
    assert "chunks.parquet: does not hold the deals of cell 1, each once" in shown.stdout


def test_a_result_without_checksums(study, out):
    manifest = json.loads((out / "manifest.json").read_text())
    del manifest["digest"], manifest["tables"]["chunks"]
    seal(manifest)
    (out / "manifest.json").write_text(json.dumps(manifest))
    shown = loosim("verify", out)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "is of a version that kept no checksums" in shown.stderr


def test_what_is_no_result(tmp_path):
    for folder in (tmp_path, tmp_path / "none"):
        shown = loosim("verify", folder)
        assert (shown.exit_code, shown.stdout) == (2, "")


def test_other_kernels_are_told_and_the_chunks_recomputed_all_the_same(study, out, monkeypatch):
    monkeypatch.setattr("loo_sim.kernels.digest", lambda: "1" * 64)
    shown = loosim("verify", out)
    assert shown.exit_code == 0
    assert "not here as it was there: kernels: changed" in shown.stderr
    assert {"key": "kernels", "what": "changed"} in json.loads(
        loosim("verify", out, "--json", "--quiet").stdout
    )["differences"]


def test_cells_that_failed_have_no_chunks(study, tmp_path):
    def fail(game, first):
        if game == 6 * 729:
            raise RuntimeError

    study.before_chunk = fail
    out = made(tmp_path, THREE_CELLS)
    study.before_chunk = lambda game, first: None
    shown = loosim("verify", out, "--all")
    assert (shown.exit_code, shown.stdout) == (0, "20 of 20 chunks recomputed, all the same\n")


def test_a_check_can_be_stopped(study, out):
    study.before_chunk = lambda game, first: os.kill(os.getpid(), signal.SIGINT)
    study.seconds = 0.2
    assert loosim("verify", out).exit_code == 130


def test_what_python_asks_for_is_checked(out):
    with pytest.raises(InputError) as caught:
        loo_sim.verify(out, chunks=0, seed=-1, jobs="2")
    assert [problem.key for problem in caught.value.problems] == ["chunks", "seed", "jobs"]


# --- every study ----------------------------------------------------------------------------------

SMALL = {
    "deals": ("players = 5", "deals", 1500),
    "announce": ("players = 5", "deals", 1500),
    "lead": ("players = 5", "deals", 1500),
    "session": ("players = 5\nrounds = 2", "tables", 60),
    "league": ('players = 5\npolicies = ["peel", "tight"]', "deals", 300),
}


@pytest.mark.parametrize("name", STUDY_NAMES)
def test_chunks_of_every_study_come_out_again(tmp_path, monkeypatch, name):
    study = find_study(name)
    monkeypatch.setattr(study, "CHUNK_DEALS", 100)
    game, unit, amount = SMALL[name]
    out = made(tmp_path, f'study = "{name}"\n{game}\n{unit} = {amount}\n', jobs=2)
    (cell,) = load_experiment(tmp_path / "x.toml").cells
    found = verify(out, None, jobs=2)
    assert found.same
    assert found.recomputed == found.chunks == ceil(amount / study.chunk_length(cell)) > 2
    forge(out, lambda table: with_row(table, 1, checksum=0))
    assert [kept.chunk.number for kept in verify(out, None).differing] == [1]
