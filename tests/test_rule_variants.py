"""The axis `rules` of a sweep: house rules changed one at a time, each set of changes one value."""

from __future__ import annotations

from pathlib import Path

import pytest

import loo_sim
from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError
from loo_sim.rules import PRESETS, Rules

HEAD = 'study = "deals"\nplayers = 6\npot = 6\ndeals = 10_000\n'


def experiment(folder: Path, variants: str, rules: str = 'preset = "standard"') -> Path:
    path = folder / "x.toml"
    path.write_text(f"{HEAD}[rules]\n{rules}\n[sweep]\nrules = {variants}\n", encoding="utf-8")
    return path


def test_each_variant_changes_its_options_and_no_others(tmp_path):
    path = experiment(
        tmp_path,
        '[{}, { loo = "pot", loo_cap = 9 }, { defend = "never" }, { preset = "peel" }]',
        "loo = 5",
    )
    checked = load_experiment(path)
    assert [cell.rules for cell in checked.cells] == [
        Rules(loo=5),
        Rules(loo="pot", loo_cap=9),
        Rules(loo=5, defend="never"),
        Rules(**{**PRESETS["peel"].to_dict(), "loo": 5}),  # what the file says stands over a preset
    ]
    assert [cell.name for cell in checked.cells] == [
        "rules = unchanged",
        "rules = loo pot, loo_cap 9",
        "rules = defend never",
        "rules = preset peel",
    ]


def test_variants_are_combined_with_other_axes(tmp_path):
    path = experiment(tmp_path, '[{}, { loo = 6 }]\npot = [3, 9]\n"rules.ante" = [0]')
    found = [(cell.rules.loo, cell.pot // 729) for cell in load_experiment(path).cells]
    assert found == [(3, 3), (3, 9), (6, 3), (6, 9)]


def test_of_axes_that_move_together_no_two_rows_are_the_same(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(
        HEAD.replace("pot = 6\n", "") + "[sweep.zip]\npot = [3, 6, 3]\nrules.loo = [3, 3, 3]\n"
    )
    with pytest.raises(InputError, match="number 3 of its axes is number 1 again"):
        load_experiment(path)


def test_a_variant_is_the_game_of_its_rules(tmp_path):
    swept = loo_sim.run(experiment(tmp_path, "[{}, { loo = 6 }]"), output=tmp_path / "swept")
    alone = tmp_path / "alone.toml"
    alone.write_text(f"{HEAD}[rules]\nloo = 6\n", encoding="utf-8")
    here = loo_sim.run(alone, output=tmp_path / "one").tables["deals"]
    there = swept.tables["deals"]
    assert there["rules"].unique().tolist() == ["unchanged", "loo 6"]
    of_it = there[there["rules"] == "loo 6"].drop(columns="rules").reset_index(drop=True)
    assert of_it.equals(here)


@pytest.mark.parametrize(
    ("variants", "told"),
    [
        ("[{ lo = 6 }]", "x.toml:8: sweep.rules: no such option"),
        (
            '[{ defend = "sometimes" }]',
            "x.toml:8: sweep.rules: 'sometimes' is not one of its values",
        ),
        ("[{}, 6]", "x.toml:8: sweep.rules: 6 is not a table of rules (as in { loo = 6 }"),
        (
            '[{}, { loo = 6 }]\n"rules.loo" = [3]',
            "sweep.rules.loo: is set by the axis rules too, in loo 6 (leave one of them out)",
        ),
        ("[{ loo = 6 }, { loo = 6 }]", "x.toml:8: sweep.rules: has the value loo 6 twice"),
        ("[{ deck = 32 }, { min_players = 8 }]", "x.toml:2: players: 6 players cannot play"),
    ],
)
def test_a_variant_that_is_wrong_is_told_at_its_place(tmp_path, variants, told):
    with pytest.raises(InputError) as error:
        load_experiment(experiment(tmp_path, variants))
    assert told in str(error.value), str(error.value)


@pytest.mark.parametrize(
    "sweep",
    [
        "rules = [{}, { loo = 6 }]",
        "rules = [{}, { loo = 6 }]\npot = [3, 9]",  # the first axis is still the first
        'rules = [{}, { loo = 6 }]\npolicies = ["peel", "tight"]',
        "rules = { loo = [3, 6] }\npot = [3, 9]",
        "zip = { rules = [{}, { loo = 6 }, {}], pot = [3, 9, 9] }",
    ],
)
def test_a_sweep_of_variants_is_reproduced(tmp_path, sweep):
    from loo_sim.reproduce import recipe_of, write_recipe

    path = tmp_path / "x.toml"
    text = HEAD.replace("pot = 6\n", "") + f"[sweep]\n{sweep}\n"
    path.write_text(text.replace("10_000", "1_000"), encoding="utf-8")
    first = loo_sim.run(path, output=tmp_path / "first")
    write_recipe(recipe_of(tmp_path / "first"), tmp_path / "recipe")
    (file,) = (tmp_path / "recipe").glob("*.toml")
    again = loo_sim.run(file, output=tmp_path / "again")
    assert again.manifest["tables"] == first.manifest["tables"]
