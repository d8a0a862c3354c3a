"""Sweeps: axes from the command line, over policies too; cells that fail; ten thousand cells."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from click.testing import Result
from commands import loosim

import loo_sim
from loo_sim.experiment import load_experiment
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.parse import read_policy
from loo_sim.policy_axes import axis_words, split_axis
from loo_sim.problems import InputError
from loo_sim.reproduce import recipe_of, write_recipe
from loo_sim.runner.forecast import forecast
from loo_sim.runner.replay import cell_of_run, reasons, replay
from loo_sim.runner.run import run_experiment
from loo_sim.sweep import MOST_CELLS

POLICY = """name = "mine"
[params]
bluff = 0.5
least = 2
brave = true
[announce]
rules = [
  { when = "trumps >= least", do = "stand" },
  { when = "brave and miss_free and pot >= 6", do = "miss", chance = "bluff" },
  { when = "high >= 13", do = "stand", chance = 0.25 },
]
[play]
lead = { rules = [{ when = "in_play <= 3", do = "plain" }], otherwise = "trump" }
"""


@pytest.fixture
def plain(tmp_path, monkeypatch) -> Path:
    """An experiment without a sweep, with a policy of its own, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(POLICY)
    path = tmp_path / "x.toml"
    path.write_text('study = "deals"\ndeals = 20\nseed = 4\npolicies = "mine.toml"\n')
    return path


def values_of(path: Path, *axes: str) -> list[tuple[object, ...]]:
    return [tuple(cell.axes.values()) for cell in load_experiment(path, (), axes).cells]


def complaints(path: Path, *axes: str, words: tuple[str, ...] = ()) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_experiment(path, words, axes)
    return [str(problem) for problem in caught.value.problems]


# --- values of an axis ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "values"),
    [
        ("players=5,6,8", [5, 6, 8]),
        ("players=5:8:1", [5, 6, 7, 8]),
        ("players=8:5:-2", [8, 6]),
        ("players=6:6:1", [6]),
        ("players=5, 7:9:2", [5, 7, 9]),
        ("rules.loo=3,pot", [3, "pot"]),
        ('rules.preset=peel,"classic"', ["peel", "classic"]),
        ("rules.club_law=true,false", [True, False]),
        ("policies.mine.params.bluff=0:1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("policies.mine.params.bluff=0:0.35:0.1", [0, 0.1, 0.2, 0.3]),
        ("policies.mine.params.least=-1:1:1", [-1, 0, 1]),
        ("policies.mine.params.least=1e1:1.2e1:1", [10, 11, 12]),
        ('policies=mine.toml,["peel","tight","peel","peel","peel","peel"]',
         ["mine.toml", ["peel", "tight", "peel", "peel", "peel", "peel"]]),
    ],
)  # fmt: skip
def test_the_values_of_an_axis(plain, axis, values):
    found = [value for (value,) in values_of(plain, axis)]
    assert list(map(repr, found)) == list(map(repr, values))  # tells 1, 1.0 and true apart


def test_tenths_are_written_as_a_person_writes_them(plain):
    cells = load_experiment(plain, (), ["policies.mine.params.bluff=0:1:0.1"]).cells
    told = [cell.name.removeprefix("policies.mine.params.bluff = ") for cell in cells]
    assert told == ["0", *(f"0.{tenths}" for tenths in range(1, 10)), "1"]


def test_axes_replace_those_of_the_file_in_their_places_and_are_added_to_them(plain):
    text = plain.read_text() + "[sweep]\nplayers = [5, 6]\nrules.ante = [0, 1]\n"
    plain.write_text(text + "[sweep.zip]\npot = [30, 60]\nrules.loo = [3, 6]\n")
    found = load_experiment(plain, (), ["players=7", "pot=50,70", "rules.deck=52,32"]).cells
    assert len(found) == 1 * 2 * 2 * 2
    assert [cell.players for cell in found] == [7] * 8
    assert {(c.axes["pot"], c.axes["rules.loo"]) for c in found} == {(50, 3), (70, 6)}


def test_sweep_and_run_do_the_same_with_the_same_axes(study, plain):
    ran = loosim(
        "sweep", plain, "--axis", "pot=3:9:3", "--axis", "players=5,6", "-o", "a", "--json"
    )
    assert ran.exit_code == 0
    manifest = json.loads(ran.stdout)
    assert manifest["command"] == (f"loosim sweep {plain} --axis pot=3:9:3 --axis players=5,6 -o a")
    plain.write_text(plain.read_text() + "[sweep]\npot = [3, 6, 9]\nplayers = [5, 6]\n")
    assert loosim("run", plain, "-o", "b").exit_code == 0
    assert loosim("sweep", plain, "-o", "c").exit_code == 0
    for other in "bc":
        table = pd.read_parquet(f"{other}/kinds.parquet")
        pd.testing.assert_frame_equal(table, pd.read_parquet("a/kinds.parquet"))
    assert list(table.columns[:2]) == ["pot", "players"]


def test_the_command_takes_what_run_takes(study, plain):
    words = ["--axis", "players=5,6", "-s", "deals=30", "--seed", "9", "--jobs", "1", "-o", "a"]
    assert "cells   2" in loosim("sweep", plain, *words, "--dry-run").stdout
    assert not Path("a").exists()
    found = loosim("sweep", plain, *words, "--quiet")
    assert (found.exit_code, found.stderr) == (0, "")
    manifest = json.loads(Path("a/manifest.json").read_text())
    assert (manifest["seed"], manifest["jobs"], manifest["cells"][1]["deals"]) == (9, 1, 30)


def test_axes_from_python(study, plain):
    axes = {
        "players": range(5, 8),
        "policies.mine.params.bluff": "0:1:0.5",
        "rules.loo": [3, "pot"],
    }
    found = loo_sim.run(plain, output="a", axes=axes)
    assert [cell["axes"] for cell in found.manifest["cells"]][:3] == [
        {"players": 5, "policies.mine.params.bluff": 0.0, "rules.loo": "3"},
        {"players": 5, "policies.mine.params.bluff": 0.0, "rules.loo": "pot"},
        {"players": 5, "policies.mine.params.bluff": 0.5, "rules.loo": "3"},
    ]
    assert len(found.manifest["cells"]) == 18
    with pytest.raises(InputError, match="players: 5 is neither a list of values nor a range"):
        loo_sim.run(plain, axes={"players": 5})


# --- axes that are refused ------------------------------------------------------------------------


def test_everything_wrong_with_the_axes_is_told_at_once(plain):
    axes = [
        "loo=3,6",
        "player=5,6",
        "pot=9:3:1",
        "rules.loo=3:9:0",
        "rules.ante=",
        "rules.deck=52,40",
        "players=5,6",
        "players=7",
        "rounds",
        "bankroll=1:2",
        "seed=1,2",
        "policies.mine.params.bluf=0.5",
        "policies.min.params.bluff=0.5",
        "policies.mine.params.bluff=0.5,2,x",
        "policies.mine.params.brave=1",
        "policies.mine.announce.rules.3.chance=-0.1",
        "policies.mine.announce.rules.4.chance=0.1",
    ]
    assert complaints(plain, *axes) == [
        "--axis pot=9:3:1: the step of 9:3:1 leads away from its end (a range is from:to:step, "
        "as in 0:1:0.1)",
        "--axis rules.loo=3:9:0: the step of 3:9:0 is 0 (a range is from:to:step, as in 0:1:0.1)",
        "--axis players=7: players is an axis twice (the other: --axis players=5,6)",
        "--axis rounds: is not key=values (as in --axis players=5,6 or --axis pot=3:12:3)",
        "--axis bankroll=1:2: 1:2 is no range (a range is from:to:step, as in 0:1:0.1)",
        "--axis loo=3,6: sweep.loo: no such axis (did you mean 'rules.loo'?)",
        "--axis player=5,6: sweep.player: no such axis (did you mean 'players'?)",
        "--axis rules.ante=: sweep.rules.ante: has no values",
        "--axis seed=1,2: sweep.seed: seed is the same in all cells and cannot be an axis",
        "--axis rules.deck=52,40: sweep.rules.deck: 40 is not one of its values (one of: 52, 32)",
        "--axis policies.mine.params.bluf=0.5: sweep.policies.mine.params.bluf: the policy mine "
        "has no such number (did you mean 'params.bluff'?)",
        "--axis policies.min.params.bluff=0.5: sweep.policies.min.params.bluff: there is no policy "
        "'min' here (did you mean 'mine'?)",
        "--axis policies.mine.params.bluff=0.5,2,x: sweep.policies.mine.params.bluff: 2 is no "
        "chance (a number from 0 to 1)",
        "--axis policies.mine.params.bluff=0.5,2,x: sweep.policies.mine.params.bluff: 'x' is no "
        "chance (a number from 0 to 1)",
        "--axis policies.mine.params.brave=1: sweep.policies.mine.params.brave: 1 is neither true "
        "nor false (true in the file)",
        "--axis policies.mine.announce.rules.3.chance=-0.1: "
        "sweep.policies.mine.announce.rules.3.chance: -0.1 is no chance (a number from 0 to 1)",
        "--axis policies.mine.announce.rules.4.chance=0.1: "
        "sweep.policies.mine.announce.rules.4.chance: the policy mine has no such number "
        "(did you mean 'announce.rules.3.chance'?)",
    ]  # fmt: skip


def test_an_axis_of_the_file_is_told_with_its_line(plain):
    plain.write_text(plain.read_text() + "[sweep.policies.mine.params]\nbluff = [0.5, 2]\n")
    assert complaints(plain) == [
        f"{plain}:6: sweep.policies.mine.params.bluff: 2 is no chance (a number from 0 to 1)"
    ]


def test_one_number_under_two_names_is_an_axis_twice(plain):
    axes = ["policies.mine.params.bluff=0.5", "policies.mine.toml.params.bluff=0.1"]
    (told,) = complaints(plain, *axes)
    assert told.endswith("is the axis policies.mine.params.bluff again (leave one of them out)")


def test_two_policies_of_one_name_cannot_be_told_apart(plain):
    Path("other.toml").write_text(POLICY.replace("least = 2", "least = 3"))
    axes = ["policies=mine.toml,other.toml", "policies.mine.params.bluff=0,1"]
    (told,) = complaints(plain, *axes)
    assert "sweep.policies.mine.params.bluff: 2 policies are called mine" in told


def test_an_axis_without_effect_in_some_cells_is_told_with_how_many(plain):
    axes = ["policies=mine.toml,tight", "policies.mine.params.bluff=0:1:0.25", "pot=6,9"]
    (told,) = complaints(plain, *axes)
    assert told == (
        "--axis policies.mine.params.bluff=0:1:0.25: sweep.policies.mine.params.bluff: has no "
        "effect: mine does not play (each cell plays the policies of all axes; in the cell "
        "policies = tight, policies.mine.params.bluff = 0, pot = 6, and in 9 more)"
    )


def test_a_combination_that_is_illegal_is_told_once_with_how_many_cells_have_it(plain):
    axes = ["players=5:16:1", "rules.ante=1,2", "pot=10:20:5"]
    told = complaints(plain, *axes)
    # A single pot is 3 stakes of the dealer's and the antes; each number of players has a sentence
    # of its own, of which five are told.
    wrong = {
        (p, a) for p in range(5, 17) for a in (1, 2) for x in (10, 15, 20) if 3 + a * (p - 1) > x
    }
    sentences = {(p, a, x) for p, a in wrong for x in (10, 15, 20) if 3 + a * (p - 1) > x}
    assert len(told) == 6
    assert told[-1] == f"--axis pot=10:20:5: sweep.pot: and {len(sentences) - 5} more of the kind"
    assert told[0] == (
        "--axis pot=10:20:5: sweep.pot: a pot of 10 stakes cannot be: with 5 players dealer_stake "
        "= 3 and ante = 2 put 11 in; from 11 to 1,000,000 (in the cell players = 5, rules.ante = 2,"
        " pot = 10)"
    )


def test_how_many_more_there_are_stands_below_those_that_are_told(plain):
    plain.write_text(
        'study = "deals"\ndeals = 10\n[sweep]\nplayers = [5]\n'
        "pot = [10.001, 10.002, 10.003, 10.004, 10.005, 10.006, 10.007]\n"
        'policies = ["nobody"]\n'
    )
    told = complaints(plain)
    assert [line.split(": ")[0] for line in told] == [f"{plain}:{n}" for n in [5] * 6 + [6]]
    assert told[5] == f"{plain}:5: sweep.pot: and 2 more of the kind"


def test_too_many_cells_or_values(plain):
    assert complaints(plain, "pot=3:103:1", "rules.loo=1:100:1") == [
        f"{plain}: sweep: has 10,100 cells (at most 10,000)"
    ]
    (told,) = complaints(plain, "pot=3:1e9:1e-9")
    assert "3:1e9:1e-9 has 999,999,997,000,000,001 values" in told


def test_a_sweep_without_an_axis_is_wrong_usage(plain):
    found = loosim("sweep", plain)
    assert found.exit_code == 2
    assert "there is no axis: give --axis KEY=VALUES, or [sweep] in the file" in found.stderr


def test_a_condition_that_comes_to_divide_by_zero_is_refused(plain):
    Path("mine.toml").write_text(
        'name = "mine"\n[params]\nby = 1\n'
        '[announce]\nrules = [{ when = "high / (trumps + by) > 3", do = "stand" }]\n'
    )
    told, other = complaints(plain, "policies.mine.params.by=0,1,-3", "pot=3,6")
    assert "'trumps + (-3)' is 0 where trumps = 3" in other
    assert told == (
        "--axis policies.mine.params.by=0,1,-3: sweep.policies.mine.params.by: "
        "announce.rules.1.when: divides by zero: 'trumps + 0' is 0 where trumps = 0 and high = 2 "
        "(rule that case out before the division, with 'and'; in the cell "
        "policies.mine.params.by = 0, pot = 3, and in 1 more)"
    )


def test_a_condition_that_rounding_would_decide_is_refused_in_a_session(plain):
    Path("tie.toml").write_text(
        'name = "tie"\n[params]\nby = 2\n'
        '[announce]\nrules = [{ when = "by * trick >= pot", do = "stand" }]\n'
    )
    plain.write_text('study = "session"\npolicies = "tie.toml"\n')
    assert len(values_of(plain, "policies.tie.params.by=1,2,4")) == 3
    (told,) = complaints(plain, "policies.tie.params.by=1,2,3")
    assert told.removeprefix(f"{plain.parent}/") == (
        "tie.toml:5: announce.rules.1.when: in '(3 * trick) >= pot' both sides are so nearly equal "
        "that rounding decides (let the pot stand on one side only; in the cell "
        "policies.tie.params.by = 3)"
    )


# --- policies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("axis", "parts", "words"),
    [
        ("players", None, "players"),
        ("rules.loo_cap", None, "loo cap"),
        ("policies", None, "policies"),
        ("policies.mine.params.bluff", ("mine", "params.bluff"), "mine bluff"),
        ("policies.a.b.announce.rules.12.chance", ("a.b", "announce.rules.12.chance"),
         "a.b rule 12 chance"),
        ("policies.x.announce.rules.2.when.3", ("x", "announce.rules.2.when.3"),
         "x rule 2 number 3"),
        ("policies.x.play.lead_trump.rules.1.when.1", ("x", "play.lead_trump.rules.1.when.1"),
         "x play lead trump rule 1 number 1"),
        ("policies.x.play.head", None, "policies.x.play.head"),
    ],
)  # fmt: skip
def test_an_axis_over_a_policy_names_policy_and_place(axis, parts, words):
    assert (split_axis(axis), axis_words(axis)) == (parts, words)


def test_a_cell_plays_the_policy_with_its_numbers_written_in(plain):
    """Each cell's policy compiles to the tables of a file in which the numbers were replaced."""
    axes = [
        "policies.mine.toml.params.bluff=0.125,1",
        "policies.mine.announce.rules.3.when.1=7,14",
        "policies.mine.announce.rules.3.chance=0.75",
        "policies.mine.play.lead.rules.1.when.1=2,4",
        "policies.mine.params.brave=true,false",
        "pot=9",
    ]
    cells = load_experiment(plain, (), axes).cells
    assert len({cell.policies[0].digest for cell in cells}) == len(cells) == 16
    for cell in cells:
        bluff, high, chance, in_play, brave, _ = cell.axes.values()
        text = POLICY.replace("bluff = 0.5", f"bluff = {bluff}")
        text = text.replace("brave = true", f"brave = {str(brave).lower()}")
        text = text.replace("high >= 13", f"high >= {high}").replace("0.25", str(chance))
        text = text.replace("in_play <= 3", f"in_play <= {in_play}")
        if not brave:  # a rule that never applies is a fault of a file, but not of a sweep
            text = text.replace("brave and miss_free", "(brave or pot < 0) and miss_free")
        Path("by_hand.toml").write_text(text)
        by_hand = [read_policy("by_hand.toml")] * 6
        found = compile_tables(cell.policies, cell.rules, 6, cell.pot)
        expected = compile_tables(by_hand, cell.rules, 6, cell.pot)
        assert (found.rows[found.row_of] == expected.rows[expected.row_of]).all()
        assert (found.mixtures == expected.mixtures).all()
        assert (found.play == expected.play).all()


def test_the_digest_is_that_of_the_numbers_however_they_came_in(plain):
    Path("other.toml").write_text(POLICY.replace("least = 2", "least = 3.0"))
    (cell,) = load_experiment(plain, (), ["policies.mine.params.least=3"]).cells
    assert cell.policies[0].digest == read_policy("other.toml").digest
    assert cell.policies[0].digest != read_policy("mine.toml").digest


def test_only_the_policy_that_is_meant_varies(plain):
    six = '["mine.toml", "tight", "peel", "mine.toml", "peel", "peel"]'
    axes = ["policies.mine.params.least=1,3", "policies.peel.announce.rules.3.when.3=5"]
    for cell in load_experiment(plain, [f"policies={six}"], axes).cells:
        changed = [dict(policy.changes) for policy in cell.policies]
        mine = {"params.least": cell.axes["policies.mine.params.least"]}
        peel = {"announce.rules.3.when.3": 5}
        assert changed == [mine, {}, peel, mine, peel, peel]


def test_cells_of_a_list_and_of_axes_that_move_together(plain):
    text = plain.read_text()
    one = '[[sweep.list]]\n"policies.mine.params.least" = 1\npot = 6\n'
    two = '[[sweep.list]]\n"policies.mine.toml.params.least" = 3\npot = 9\n'
    plain.write_text(text + one + two)
    assert "has other axes than the first cell" in complaints(plain)[0]
    plain.write_text(plain.read_text().replace("mine.toml.params", "mine.params"))
    assert values_of(plain) == [(1, 6), (3, 9)]
    plain.write_text(text + "[sweep.zip]\npolicies.mine.params.least = [1, 3]\npot = [6, 9]\n")
    assert values_of(plain) == [(1, 6), (3, 9)]


def test_a_swept_result_repeats_whatever_becomes_of_its_policy_file(study, plain):
    # By its whole path, which another place does not have: the axis is by the name all the same.
    where = Path("mine.toml").resolve()
    plain.write_text(f'study = "deals"\ndeals = 20\npolicies = "{where}"\n')
    axes = [f"policies.{where}.params.bluff=0,0.25", "policies.mine.announce.rules.1.when.1=1,3"]
    # Rule 1 speaks of a parameter and has no number of its own.
    assert "has no such number" in complaints(plain, *axes)[0]
    axes[1] = "policies.mine.announce.rules.2.when.1=5,6.5"
    experiment = load_experiment(plain, (), axes)
    out = Path("out").resolve()
    run_experiment(experiment, out, 1)
    manifest = json.loads((out / "manifest.json").read_text())
    assert [cell["policies"][0]["changes"] for cell in manifest["cells"]] == [
        {"params.bluff": bluff, "announce.rules.2.when.1": least}
        for bluff in (0, 0.25)
        for least in (5, 6.5)
    ]
    assert set(pd.read_parquet(out / "kinds.parquet").columns[:2]) == {
        "policies.mine.params.bluff",
        "policies.mine.announce.rules.2.when.1",
    }
    assert recipe_of(out).policies[0].state == "as it was"
    number = 3
    *_, cell = cell_of_run(out, number)
    assert cell.policies == experiment.cells[number].policies
    where.write_text(POLICY.replace("least = 2", "least = 3"))
    recipe = recipe_of(out)
    assert [policy.state for policy in recipe.policies] == ["changed since"]
    write_recipe(recipe, Path("again"))
    again = load_experiment(Path("again") / recipe.place)
    assert [[p.digest for p in c.policies] for c in again.cells] == [
        [p.digest for p in c.policies] for c in experiment.cells
    ]
    assert [dict(c.axes) for c in again.cells] == [dict(c.axes) for c in experiment.cells]
    with pytest.raises(InputError, match="is not what it was when this was run"):
        cell_of_run(out, number)
    where.write_text(POLICY.replace("bluff", "boldness"))
    with pytest.raises(InputError, match="no longer has the numbers that were replaced"):
        cell_of_run(out, number)


def test_a_told_deal_says_what_the_numbers_were(plain):
    axes = ["policies.mine.params.bluff=1", "policies.mine.announce.rules.2.when.1=4", "pot=9"]
    (cell,) = load_experiment(plain, (), axes).cells
    why = {why for index in range(40) for why in reasons(cell, replay(cell, 4, index).deal)}
    assert "rule 1: trumps >= least (least = 2)" in why
    assert "rule 2: brave and miss_free and pot >= 4 (brave = true)" in why
    (cell,) = load_experiment(plain, (), [axes[0].replace("=1", "=0"), "pot=9"]).cells
    why = {why for index in range(40) for why in reasons(cell, replay(cell, 4, index).deal)}
    assert not any(word.startswith("rule 2") for word in why)


# --- cells that fail ------------------------------------------------------------------------------


POTS = ["--axis", "pot=3:15:3"]


def failing(study, *pots: int) -> list[int]:
    """Let the cells with these pots fail; the pots that are run, as they are begun."""
    begun: list[int] = []

    def before_chunk(game, first):
        if begun[-1:] != [game // 729]:
            begun.append(game // 729)
        if game // 729 in pots:
            raise ArithmeticError("no such trick")

    study.before_chunk = before_chunk
    return begun


def statuses(found: Result) -> list[str]:
    return [cell["status"] for cell in json.loads(found.stdout)["cells"]]


def test_the_others_go_on_by_default(study, plain):
    begun = failing(study, 6, 12)
    for words in ([], ["--keep-going", "--fresh"]):
        found = loosim("sweep", plain, *POTS, "--json", "-o", "a", *words)
        assert found.exit_code == 3
        assert statuses(found) == ["done", "failed", "done", "failed", "done"]
    assert begun == [3, 6, 9, 12, 15] * 2
    assert Path("a/manifest.json").exists()


def test_fail_fast_stops_at_the_first_and_the_same_command_goes_on(study, plain):
    begun = failing(study, 6)
    words = ["sweep", plain, *POTS, "--fail-fast", "-o", "a"]
    found = loosim(*words, "--json")
    assert (found.exit_code, begun) == (3, [3, 6])
    assert statuses(found) == ["done", "failed", "not run", "not run", "not run"]
    assert found.stderr.splitlines()[-4:] == [
        "the cell pot = 6 failed: ArithmeticError: no such trick",
        "not run: the cell pot = 9, the cell pot = 12, the cell pot = 15",
        "1 of 5 cells done, kept in a.partial",
        f"go on with: loosim sweep {plain} --axis pot=3:15:3 -o a",
    ]
    assert not Path("a").exists()
    begun.clear()
    begun = failing(study)
    found = loosim(*words, "--json")
    assert (found.exit_code, begun) == (0, [6, 9, 12, 15])
    assert statuses(found) == ["done"] * 5
    assert not Path("a.partial").exists()
    whole = loosim("sweep", plain, *POTS, "-o", "b")
    assert whole.exit_code == 0
    assert Path("a/kinds.parquet").read_bytes() == Path("b/kinds.parquet").read_bytes()


def test_only_failed_of_a_run_that_was_broken_off(study, plain):
    failing(study, 6)
    words = ["sweep", plain, *POTS, "-o", "a"]
    assert loosim(*words, "--fail-fast").exit_code == 3
    begun = failing(study)
    planned = loosim(*words, "--only-failed", "--dry-run")
    assert "left    20 deals" in planned.stdout
    assert "--only-failed: 1 of these cells failed, and are run again" in planned.stdout
    begun.clear()
    found = loosim(*words, "--only-failed", "--json")
    assert (found.exit_code, begun) == (3, [6])
    assert statuses(found) == ["done", "done", "not run", "not run", "not run"]
    # That it failed is not remembered any more, and the others go on.
    again = loosim(*words, "--only-failed")
    assert (again.exit_code, begun) == (2, [6])
    assert (
        "a: has no cell that failed (without --only-failed all that is left is run)" in again.stderr
    )
    assert loosim(*words).exit_code == 0
    assert begun == [6, 9, 12, 15]


def test_only_failed_of_a_result_in_place(study, plain):
    failing(study, 6, 12)
    words = ["sweep", plain, *POTS, "-o", "a"]
    assert loosim(*words).exit_code == 3
    begun = failing(study, 12)
    assert loosim(*words, "--only-failed").exit_code == 3
    assert begun == [6, 12]
    begun = failing(study)
    found = loosim(*words, "--only-failed", "--json")
    assert (found.exit_code, begun, statuses(found)) == (0, [12], ["done"] * 5)


@pytest.mark.parametrize("option", [[], ["--dry-run"]], ids=["run", "dry run"])
@pytest.mark.parametrize("state", ["nothing", "done", "fresh"])
def test_only_failed_is_refused_where_nothing_failed(study, plain, state, option):
    words = ["sweep", plain, *POTS, "-o", "a"]
    if state == "fresh":
        failing(study, 6)
        assert loosim(*words, "--fail-fast").exit_code == 3
        words.append("--fresh")
    if state == "done":
        assert loosim(*words).exit_code == 0
    begun = failing(study)
    found = loosim(*words, "--only-failed", *option)
    assert (found.exit_code, begun) == (2, [])
    assert "has no cell that failed" in found.stderr
    assert Path("a.partial").exists() == (state == "fresh")  # what was begun is still there


def test_a_failure_is_remembered_over_a_stop(study, plain):
    """Ctrl-C after a failure: the failed cell alone can be run again, and is not called done."""
    failing(study, 3)
    before = study.before_chunk

    def stop(game, first):
        before(game, first)
        if game // 729 == 9:
            raise KeyboardInterrupt

    study.before_chunk = stop
    words = ["sweep", plain, *POTS, "-o", "a", "--jobs", "1"]
    assert loosim(*words).exit_code == 130
    begun = failing(study, 3)
    found = loosim(*words, "--only-failed", "--json")
    assert (found.exit_code, begun) == (3, [3])
    assert statuses(found)[:2] == ["failed", "done"]


def test_from_python_a_run_that_stopped_at_a_failure_raises(study, plain):
    failing(study, 6)
    axes = {"pot": [3, 6, 9]}
    with pytest.raises(RuntimeError, match="1 of 3 cells were not run: ArithmeticError"):
        loo_sim.run(plain, output="a", axes=axes, fail_fast=True)
    failing(study)
    assert (
        forecast(load_experiment(plain, (), ["pot=3,6,9"]), Path("a").resolve(), 1).cells_done == 1
    )
    assert loo_sim.forecast(plain, output="a", axes=axes, only_failed=True).deals_to_do == 20
    with pytest.raises(RuntimeError, match=r"1 of 3 cells were not run$"):
        loo_sim.run(plain, output="a", axes=axes, only_failed=True)
    assert loo_sim.run(plain, output="a", axes=axes).manifest["status"] == "done"


# --- ten thousand cells ---------------------------------------------------------------------------


def test_ten_thousand_cells_are_all_different_and_right(plain):
    axes = ["policies.mine.params.bluff=0:0.99:0.01", "policies.mine.params.least=0:9.9:0.1"]
    cells = load_experiment(plain, (), axes).cells
    assert len(cells) == MOST_CELLS
    assert len({cell.policies[0].digest for cell in cells}) == MOST_CELLS
    cell = cells[37 * 100 + 25]
    assert cell.policies[0].params == {"bluff": 0.37, "least": 2.5, "brave": True}
