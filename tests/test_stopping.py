"""`until`: where a cell is looked at, when it ends, and that its interval is an honest one."""

from __future__ import annotations

import json
from dataclasses import replace
from math import nan, sqrt
from pathlib import Path

import numpy as np
import pytest
from fake_study import kind_of

from loo_sim.cli import main
from loo_sim.experiment import load_experiment
from loo_sim.result import read_tables
from loo_sim.runner.run import Run, run_experiment
from loo_sim.runner.stopping import first_checkpoint, is_reached, next_checkpoint, take_up
from loo_sim.settings import Amount
from loo_sim.studies import deals
from loo_sim.studies.estimates import Z95

RUNS = 1_000
LEAST_COVERED = 0.93


def test_a_checkpoint_is_where_the_interval_is_expected_to_be_narrow_enough():
    # Twice as wide as asked for: four times the deals, and a tenth more, in whole chunks.
    assert next_checkpoint(1000, 0.2, 0.1, 10**9, 100) == 4400
    assert next_checkpoint(1000, 0.2, 0.1, 10**9, 512) == 4608
    # Nearly there: still a quarter more, not a crawl. Far away, or width unknown: eight times.
    assert next_checkpoint(1000, 0.1001, 0.1, 10**9, 1) == 1250
    assert next_checkpoint(1000, 1e300, 1e-300, 10**9, 1) == 8000
    assert next_checkpoint(1000, nan, 0.1, 10**9, 1) == 8000
    # Never beyond the bound, which need not be a whole number of chunks.
    assert next_checkpoint(1000, 9.0, 0.1, 1500, 512) == 1500


def test_the_first_look_is_at_a_thousand_or_at_the_end_of_a_longer_chunk():
    assert first_checkpoint(Amount(10**9, 0.1), 2**19) == 2**19
    assert first_checkpoint(Amount(10**9, 0.1), 64) == 1024
    assert first_checkpoint(Amount(700, 0.1), 64) == 700
    assert first_checkpoint(Amount(10**9), 64) == 10**9


def test_chunks_beyond_the_last_checkpoint_that_is_known_are_of_no_use():
    amount = Amount(10**9, 0.1)
    assert take_up([], [], amount, 500) == ([1000], False)
    assert take_up([], [0, 1], amount, 500) == ([1000], False)
    assert take_up([], [0, 2], amount, 500) == ([1000], True)
    assert take_up([1000, 8000], [0, 15], amount, 500) == ([1000, 8000], False)
    assert take_up([1000, 8000], [16], amount, 500) == ([1000, 8000], True)


def test_an_interval_of_unknown_width_is_never_narrow_enough():
    assert is_reached(0.1, 0.1)
    assert not is_reached(0.1001, 0.1)
    assert not is_reached(nan, 10.0)


def written(folder: Path, text: str) -> Path:
    path = folder / "x.toml"
    path.write_text(f'study = "deals"\nseed = 4\n{text}', encoding="utf-8")
    return path


def ended(folder: Path, text: str, out: str = "out", **options) -> Run:
    checked = load_experiment(written(folder, text))
    return run_experiment(checked, folder / out, **options)


def half_width(n: int) -> float:
    """Of the mean kind of the first n deals."""
    kinds = [kind_of(4, number) for number in range(n)]
    return Z95 * float(np.std(kinds, ddof=1)) / sqrt(n)


def checkpoints_by_hand(until: float, most: int) -> list[int]:
    found = [1000]
    while half_width(found[-1]) > until and found[-1] < most:
        growth = min(max((half_width(found[-1]) / until) ** 2 * 1.1, 1.25), 8)
        found.append(min(-int(-found[-1] * growth // 10) * 10, most))
    return found


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("until", [0.12, 0.1, 0.03])
def test_a_cell_goes_from_checkpoint_to_checkpoint(study, tmp_path, until, jobs):
    (cell,) = ended(tmp_path, f"until = {until}", jobs=jobs).manifest["cells"]
    expected = checkpoints_by_hand(until, 10**9)
    assert len(expected) > 1
    assert cell["precision"] == {
        "half_width": pytest.approx(half_width(expected[-1])),
        "until": until,
        "reached": True,
        "checkpoints": expected,
    }
    assert cell["deals"] == expected[-1]
    deals = expected[-1]
    assert cell["headline"] == [{"deals": {"told": str(deals), "value": deals, "se": None}}]


def test_a_bound_that_is_met_ends_the_cell_with_its_result_and_exit_code_4(
    study, tmp_path, capsys, monkeypatch
):
    path = written(tmp_path, "until = 0.01\nmax_deals = 4_321\n[sweep]\npot = [3, 6]")
    monkeypatch.setattr("sys.argv", ["loosim", "run", str(path), "-o", str(tmp_path / "out")])
    for told_first in ("1 of 2: pot = 3: 4,321 deals", "nothing to run"):
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code == 4
        told = capsys.readouterr().err
        assert told.startswith(told_first)
        width = f"{half_width(4_321):.3g}"
        for pot in (3, 6):
            assert f"the cell pot = {pot}: the mean kind to ± {width} stakes, not to the" in told
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [cell["deals"] for cell in manifest["cells"]] == [4_321, 4_321]
    assert [cell["precision"]["reached"] for cell in manifest["cells"]] == [False, False]
    assert manifest["status"] == "done"


def test_seconds_that_are_up_end_a_cell_after_its_first_checkpoint(study, tmp_path):
    study.seconds = 0.005
    (cell,) = ended(tmp_path, "until = 0.001\nmax_seconds = 1.5", jobs=2).manifest["cells"]
    assert not cell["precision"]["reached"]
    assert 1000 <= cell["deals"] <= cell["precision"]["checkpoints"][-1]
    assert cell["headline"][0]["deals"]["value"] == cell["deals"]
    (cell,) = ended(tmp_path, "until = 0.001\nmax_seconds = 1e-9", "hasty").manifest["cells"]
    assert (cell["deals"], cell["precision"]["checkpoints"]) == (1000, [1000])


def test_a_figure_that_stays_unknown_is_not_waited_for(study, tmp_path):
    study.half_width = lambda tables: nan
    (cell,) = ended(tmp_path, "until = 0.001").manifest["cells"]
    assert cell["precision"] == {
        "half_width": None,
        "until": 0.001,
        "reached": False,
        "checkpoints": [1000, 8000],
    }


def test_a_run_that_was_broken_off_ends_as_if_it_had_not_been(study, tmp_path):
    text = "until = 0.05"
    whole = ended(tmp_path, text, "whole")
    checkpoints = whole.manifest["cells"][0]["precision"]["checkpoints"]
    for broken_at in (1000, checkpoints[-2], checkpoints[-1] - 10):

        def break_off(game: object, first: int, at: int = broken_at) -> None:
            if first == at:
                raise KeyboardInterrupt

        study.before_chunk = break_off
        assert ended(tmp_path, text, f"out{broken_at}").stopped is not None
        study.before_chunk = lambda game, first: None
        resumed = ended(tmp_path, text, f"out{broken_at}")
        for key in ("deals", "precision", "headline"):
            assert resumed.manifest["cells"][0][key] == whole.manifest["cells"][0][key]
        assert resumed.manifest["tables"] == whole.manifest["tables"]


def test_what_was_counted_for_checkpoints_that_are_lost_is_counted_again(study, tmp_path):
    text = "until = 0.05"
    whole = ended(tmp_path, text, "whole")

    def break_off(game: object, first: int) -> None:
        if first == 2500:
            raise KeyboardInterrupt

    study.before_chunk = break_off
    assert ended(tmp_path, text).stopped is not None
    goal = tmp_path / "out.partial" / "cell-0.goal"
    goal.write_text(goal.read_text().replace("1000", "1010"))
    first_chunks = []
    study.before_chunk = lambda game, first: first_chunks.append(first)
    resumed = ended(tmp_path, text)
    assert first_chunks[0] == 0
    assert resumed.manifest["tables"] == whole.manifest["tables"]


def test_intervals_are_honest_though_they_end_the_run(tmp_path, monkeypatch):
    """At least 93 % of a thousand small runs have the true mean in their interval of 95 %.

    The pot's change under unlimited loo is as skew as any figure of the game, and the first look is
    after 1,024 deals. What is true is taken of forty million other deals.
    """
    text = 'study = "deals"\npolicies = "trumps"\npot = 9\n'
    path = tmp_path / "x.toml"
    rest = '[rules]\nloo = "pot"\n'
    path.write_text(f"{text}seed = 1\ndeals = 40_000_000\n{rest}")
    truth = mean_swing(run_experiment(load_experiment(path), tmp_path / "truth"))[0]
    monkeypatch.setattr(deals, "CHUNK_DEALS", 256)
    monkeypatch.setattr("os.fsync", lambda file: None)
    monkeypatch.setattr("loo_sim.runner.manifest.versions", dict)
    path.write_text(f"{text}until = 0.2\n{rest}")
    experiment = load_experiment(path)
    covered = looks = 0
    for seed in range(RUNS):
        out = tmp_path / "out" / str(seed)
        settings = {**experiment.settings, "seed": seed + 2}
        run = run_experiment(replace(experiment, seed=seed + 2, settings=settings), out, jobs=1)
        mean, width = mean_swing(run)
        precision = run.manifest["cells"][0]["precision"]
        assert precision["half_width"] == pytest.approx(width)
        assert width <= 0.2
        covered += abs(mean - truth) <= width
        looks += len(precision["checkpoints"])
    print(covered, looks)
    assert looks > 1.9 * RUNS  # it is not the first look that ends them
    assert covered >= LEAST_COVERED * RUNS


def mean_swing(run: Run) -> tuple[float, float]:
    """The mean change of the pot and the half-width of its interval, by numpy."""
    swings = read_tables(run.directory, None, ["swings"])["swings"]
    change = np.repeat(swings["pot_swing"].to_numpy(), swings["n"].to_numpy())
    return float(change.mean()), Z95 * float(change.std(ddof=1)) / sqrt(change.size)
