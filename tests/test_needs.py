"""The room that a run is said to need: what its tables then take, and not a hundred times that."""

from __future__ import annotations

from pathlib import Path

import pytest

from loo_sim.experiment import Experiment, load_experiment
from loo_sim.runner.needs import disk_needed
from loo_sim.runner.plan import length_of
from loo_sim.runner.run import run_experiment
from loo_sim.runner.threads import Threads
from loo_sim.studies import find_study

STUDIES = {
    "deals": "players = 16\ndeals = 300_000",
    "announce": "players = 5\ndeals = 300_000",
    "lead": "players = 5\ndeals = 1_000_000",
    "session": "players = 16\nrounds = 2\ntables = 2_000",
    "league": 'players = 5\ndeals = 20_000\npolicies = ["peel", "loose", "random", "tight"]',
}


def experiment(folder: Path, study: str, more: str = "") -> Experiment:
    path = folder / "x.toml"
    path.write_text(f'study = "{study}"\n{STUDIES[study]}\n{more}', encoding="utf-8")
    return load_experiment(path)


def needed(checked: Experiment) -> int:
    study = find_study(checked.study)
    most, length = checked.amount.most, length_of(checked, study)
    return disk_needed(study, checked.cells, most, length, Threads(1))


@pytest.mark.parametrize("name", STUDIES)
def test_tables_take_no_more_than_was_said(tmp_path, name):
    checked = experiment(tmp_path, name)
    run_experiment(checked, tmp_path / "out", 1)
    taken = sum(path.stat().st_size for path in (tmp_path / "out").iterdir())
    # Both while the result is put together: the cells' own tables, and those of the result.
    assert 2 * taken < needed(checked)


@pytest.mark.parametrize("name", ["deals", "session"])
def test_a_thousand_cells_need_no_room_that_nobody_has(tmp_path, name):
    pots = "bankroll" if name == "session" else "pot"
    values = ", ".join(str(50 + value) for value in range(1000))
    checked = experiment(tmp_path, name, f"[sweep]\n{pots} = [{values}]\n")
    assert len(checked.cells) == 1000
    assert needed(checked) < 10**9
