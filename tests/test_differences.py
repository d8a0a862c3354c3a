"""Cells of a sweep less the first, on the same deals: worked out by hand, whatever happened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fake_study import KINDS, fake_study, kind_of
from scipy import stats

from loo_sim.experiment import load_experiment
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.runner.run import Run, run_experiment

SEED, DEALS, CHUNK = 4, 200, 10


@pytest.fixture
def study():
    """A study whose kinds depend on the pot, those of every third deal."""
    with fake_study() as study:

        def add_counts(game, seed, first, count, counts):
            study.before_chunk(game, first)
            for number in range(first, first + count):
                counts[0][kind_with(game // UNITS_PER_STAKE, number)] += 1

        study.add_counts = add_counts
        study.MAIN, study.MAIN_TITLE = "kind", "less the first"
        yield study


def kind_with(pot: int, number: int) -> int:
    return (kind_of(SEED, number) + pot * (number % 3 == 0)) % KINDS


def run(folder: Path, **options) -> Run:
    path = folder / "x.toml"
    text = f'study = "deals"\ndeals = {DEALS}\nseed = {SEED}\n[sweep]\npot = [3, 7, 11]\n'
    path.write_text(text, encoding="utf-8")
    return run_experiment(load_experiment(path), folder / "out", **options)


def differences(folder: Path) -> pd.DataFrame:
    return pd.read_parquet(folder / "out" / "difference.parquet")


def means(pot: int) -> np.ndarray:
    kinds = np.array([kind_with(pot, number) for number in range(DEALS)])
    return kinds.reshape(-1, CHUNK).mean(axis=1)


def test_each_cell_is_told_apart_from_the_first(study, tmp_path):
    ended = run(tmp_path, jobs=2)
    table = differences(tmp_path)
    assert list(table.columns) == [
        *("pot", "figure", "n", "chunks", "difference", "difference_se", "low", "high")
    ]
    assert table["pot"].tolist() == [7, 11]
    assert set(table["figure"]) == {"kind"}
    for row in table.itertuples():
        expected = stats.ttest_rel(means(row.pot), means(3))
        assert (row.n, row.chunks) == (DEALS, DEALS // CHUNK)
        assert row.difference == pytest.approx((means(row.pot) - means(3)).mean())
        assert row.difference / row.difference_se == pytest.approx(expected.statistic)
        assert (row.low, row.high) == pytest.approx(tuple(expected.confidence_interval()))
    cells = ended.manifest["cells"]
    assert [cell["rows"].get("difference", 0) for cell in cells] == [0, 1, 1]
    assert cells[0]["difference"] is None
    assert cells[2]["difference"]["value"] == table["difference"][1]
    assert cells[2]["difference"]["se"] == table["difference_se"][1]


def test_the_short_table_tells_it(study, tmp_path):
    ended = run(tmp_path)
    assert ended.titles == ("deals", "less the first")
    half = (differences(tmp_path)["high"] - differences(tmp_path)["low"])[0] / 2
    entry = ended.headline[1][1][1]
    value, shown = (float(word.replace("−", "-")) for word in entry.split(" ± "))
    assert value == pytest.approx(differences(tmp_path)["difference"][0], abs=half / 10)
    assert shown == pytest.approx(half, rel=0.5)
    assert ended.headline[0][1][1] == "–"


def test_a_run_of_one_cell_tells_none(study, tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(f'study = "deals"\ndeals = {DEALS}\n', encoding="utf-8")
    ended = run_experiment(load_experiment(path), tmp_path / "out")
    assert ended.titles == ("deals",)
    assert not (tmp_path / "out" / "difference.parquet").exists()


def failing(pot: int):
    def before_chunk(game, first):
        if game == pot * UNITS_PER_STAKE:
            raise RuntimeError

    return before_chunk


@pytest.mark.parametrize("pot", [3, 11])
def test_a_cell_that_failed_and_is_run_again_leaves_no_trace(study, tmp_path, pot):
    (tmp_path / "whole").mkdir()
    (tmp_path / "failed").mkdir()
    whole = run(tmp_path / "whole").manifest["tables"]
    study.before_chunk = failing(pot)
    assert run(tmp_path / "failed").manifest["status"] == "failed"
    without = differences(tmp_path / "failed")
    # Where the first failed the next takes its place.
    assert without["pot"].tolist() == ([11] if pot == 3 else [7])
    study.before_chunk = lambda game, first: None
    assert run(tmp_path / "failed").manifest["tables"] == whole


def test_fewer_than_ten_pieces_tell_nothing(study, tmp_path, monkeypatch):
    monkeypatch.setattr("loo_sim.studies.paired.FEWEST_CHUNKS", DEALS // CHUNK + 1)
    ended = run(tmp_path)
    assert not (tmp_path / "out" / "difference.parquet").exists()
    assert [entries[1] for _, entries in ended.headline] == ["–"] * 3
