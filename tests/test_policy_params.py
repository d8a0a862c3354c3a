"""Parameters of policies, and numbers of them that are replaced."""

from __future__ import annotations

import json
import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from loo_sim.cli import cli
from loo_sim.policies.language import (
    ANNOUNCE_NAMES,
    LanguageError,
    literal,
    numbers_in,
    parse,
    with_numbers,
)
from loo_sim.policies.parse import BUILTIN, builtin_names, load_policy, read_policy
from loo_sim.policies.tree import evaluate
from loo_sim.policies.variants import can_vary, numbers, value_fault, vary
from loo_sim.problems import InputError

HEAD = 'name = "p"\n'


def written(folder: Path, params: str, rules: str, play: str = "") -> Path:
    path = folder / "p.toml"
    path.write_text(f"{HEAD}[params]\n{params}\n[announce]\nrules = [{rules}]\n{play}")
    return path


def rule(when: str, chance: str = "") -> str:
    told = f", chance = {chance}" if chance else ""
    return f'{{ when = "{when}", do = "stand"{told} }}'


# --- the language ---------------------------------------------------------------------------------


@given(st.one_of(st.integers(-(10**20), 10**20), st.floats(-1e20, 1e20), st.booleans()))
def test_a_value_stands_in_a_condition_as_a_number_that_reads_back(value):
    node = literal(value)
    assert evaluate(node, {}) == float(value)
    if isinstance(value, bool):
        assert str(node) == str(value).lower()
    else:
        condition = parse(f"pot > {node}", ANNOUNCE_NAMES)
        assert parse(str(condition), ANNOUNCE_NAMES) == condition
        assert condition.parts[1] == node


def test_a_whole_number_is_the_same_however_it_is_written():
    assert str(literal(6.0)) == str(literal(6)) == "6"
    assert str(literal(1e-7)) == "0.0000001"


@given(st.lists(st.one_of(st.integers(0, 99), st.floats(0, 9.5)), min_size=4, max_size=4))
def test_numbers_of_a_condition_are_found_and_replaced(values):
    text = "trumps>=2 and 1<over_best<= 10.5 or pot>3"
    assert numbers_in(text) == (2, 1, 10.5, 3)
    changed = with_numbers(text, dict(enumerate(values)))
    assert numbers_in(changed) == tuple(values)
    assert re.sub(r"[\d.]+", "#", changed) == re.sub(r"[\d.]+", "#", text)


def test_a_number_below_zero_is_put_in_parentheses():
    assert with_numbers("pot -1 > 0", {0: -2.5}) == "pot -(-2.5) > 0"
    assert parse(with_numbers("pot -1 > 0", {0: -2.5}), ANNOUNCE_NAMES)


def test_a_parameter_is_not_a_name_of_the_language():
    with pytest.raises(LanguageError, match="did you mean 'least'"):
        parse("trumps > leest", ANNOUNCE_NAMES, {"least": 1})
    with pytest.raises(LanguageError, match="'1' is a number and 'true' is true or false"):
        parse("brave > 1", ANNOUNCE_NAMES, {"brave": True})


# --- files ----------------------------------------------------------------------------------------


def test_parameters_stand_for_their_values(tmp_path):
    play = "[play.head]\nrules = [{ when = 'in_play >= crowd', do = 'high' }]\n"
    rules = f"{rule('trumps >= least and brave', chr(34) + 'share' + chr(34))}"
    policy = read_policy(
        written(tmp_path, "least = 2\nbrave = true\nshare = 0.2\ncrowd = 4", rules, play)
    )
    assert policy.params == {"least": 2, "brave": True, "share": 0.2, "crowd": 4}
    assert policy.announce.rules[0].chance == Fraction(1, 5)  # not the double nearest to it
    by_hand = tmp_path / "by_hand.toml"
    rules = rule("trumps >= 2 and true", "0.2")
    by_hand.write_text(f"{HEAD}[announce]\nrules = [{rules}]\n{play.replace('crowd', '4')}")
    assert policy.digest == read_policy(by_hand).digest


WRONG = {
    "names and values": (
        'pot = 1\nlast = 2\nand = 3\n"1y" = 4\nx = "a"\ny = inf\nz = [1]',
        rule("trumps >= 2"),
        [
            "3: params.pot: is a word of conditions (give the parameter another name)",
            "4: params.last: is a word of conditions (give the parameter another name)",
            "5: params.and: is a word of conditions (give the parameter another name)",
            "6: params.1y: is no name (letters, digits and _, not starting with a digit)",
            "7: params.x: 'a' is neither a number nor true or false",
            "8: params.y: inf is neither a number nor true or false",
            "9: params.z: [1] is neither a number nor true or false",
        ],
    ),
    "too large": (
        f"x = 1{'0' * 400}",
        rule("pot >= 3"),
        [f"3: params.x: 1{'0' * 400} is neither a number nor true or false"],
    ),
    "chances": (
        "x = 2\nyes = true\nshare = 0.5",
        ", ".join([rule("dealer", '"x"'), rule("dealer", '"yes"'), rule("dealer", '"shore"')]),
        [
            "7: announce.rules.1.chance: the parameter x is 2, which is no chance (a number from 0 "
            "to 1)",
            "7: announce.rules.2.chance: the parameter yes is True, which is no chance (a number "
            "from 0 to 1)",
            "7: announce.rules.3.chance: 'shore' is no parameter (did you mean 'share'?)",
        ],
    ),
    "used nowhere": (
        "used = 2\nidle = 3",
        rule("trumps >= used"),
        ["4: params.idle: is used nowhere (in a condition, or as a chance)"],
    ),
    "of the wrong kind": (
        "brave = true",
        rule("trumps >= brave"),
        [
            "5: announce.rules.1.when: column 1: 'trumps' is a number and 'true' is true or false: "
            "they cannot be compared"
        ],
    ),
    "never": (
        "least = 4",
        rule("trumps >= least"),
        ["5: announce.rules.1.when: never applies: nothing makes its condition true"],
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_parameters_is_told_at_once_with_its_lines(case, tmp_path):
    params, rules, expected = WRONG[case]
    path = written(tmp_path, params, rules)
    with pytest.raises(InputError) as caught:
        read_policy(path)
    assert [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems] == expected


# --- numbers that are replaced --------------------------------------------------------------------


def test_every_number_has_a_place(tmp_path):
    play = "[play.head]\nrules = [{ when = 'in_play >= 4 and my_tricks < 2', do = 'high' }]\n"
    rules = ", ".join([rule("trumps >= least and pot > 6", '"share"'), rule("dealer", "0.25")])
    policy = read_policy(written(tmp_path, "least = 2\nshare = 0.5", rules, play))
    assert numbers(policy) == {
        "params.least": 2,
        "params.share": 0.5,
        "announce.rules.1.when.1": 6,
        "announce.rules.2.chance": 0.25,
        "play.head.rules.1.when.1": 4,
        "play.head.rules.1.when.2": 2,
    }
    assert can_vary(policy, {"params.least": -1, "play.head.rules.1.when.2": 1})
    assert not can_vary(policy, {"params.most": 1})
    assert not can_vary(policy, {"params.share": 1.5})
    assert value_fault(policy, "announce.rules.2.chance", True) is not None
    assert vary(policy, {}).digest == policy.digest


def test_one_and_true_are_told_apart(tmp_path):
    # They are one key in Python, and two values of a parameter.
    for value, told in ((True, "true"), (1, "1")):
        policy = read_policy(written(tmp_path, f"x = {told}", rule("x == x or dealer")))
        varied = vary(policy, {"params.x": value})
        assert str(varied.announce.rules[0].when) == f"({told} == {told}) or dealer"


def test_a_chance_of_nought_leaves_everything_to_what_follows(tmp_path):
    rules = ", ".join([rule("trumps >= 1", '"share"'), rule("trumps >= 2")])
    policy = read_policy(written(tmp_path, "share = 0", rules))
    assert [r.chance for r in policy.announce.rules] == [0, 1]
    assert vary(policy, {"params.share": 1}).announce.rules[0].chance == 1


# --- built-in policies ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", builtin_names())
def test_built_in_parameters_are_the_numbers_that_stood_there(name, tmp_path):
    text = (BUILTIN / f"{name}.toml").read_text(encoding="utf-8")
    policy = load_policy(name)
    for param, value in policy.params.items():
        text = re.sub(rf"^{param} = .*\n", "", text, flags=re.MULTILINE)
        text = re.sub(rf"\b{param}\b", f"{value:g}", text)
    path = tmp_path / "plain.toml"
    path.write_text(text.replace("[params]\n", ""))
    for table in BUILTIN.glob(f"{name}.parquet"):
        shutil.copy(table, tmp_path)
    assert read_policy(path).digest == policy.digest
    assert read_policy(path).params == {}


DIGESTS = {
    "always-stand": "4d0bcdbec2a3fceb",
    "loose": "a043f2fcfa953e85",
    "peel": "f77fddca07e63af7",
    "pot-odds": "0125a3ad7938dc14",
    "random": "2e6bbc90c0d63ce2",
    "tight": "657bb8521577f574",
    "trumps": "8faadbb30bfba151",
}
"""Of the built-in policies when none had parameters: results name them."""


def test_giving_numbers_names_has_changed_no_built_in_policy():
    assert {name: load_policy(name).digest[:16] for name in DIGESTS} == DIGESTS
    assert sum(bool(load_policy(name).params) for name in DIGESTS) >= 3


def test_policies_are_listed_with_their_parameters():
    def loosim(*words):
        return CliRunner().invoke(cli, [*words]).stdout

    assert "reach = 5, crowd = 2" in loosim("policies")
    listed = {
        policy["name"]: policy["params"] for policy in json.loads(loosim("policies", "--json"))
    }
    assert listed["pot-odds"] == {"widening": 3, "miss_from": 1.5}
    assert json.loads(loosim("policies", "trumps", "--json"))["params"] == {"reach": 2}
