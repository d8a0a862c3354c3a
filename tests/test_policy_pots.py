"""Tables for every pot against tables compiled for one pot, and bounds worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from loo_sim.policies.compile import compile_tables
from loo_sim.policies.features import situations
from loo_sim.policies.parse import builtin_names, load_policy, read_policy
from loo_sim.policies.policy import Policy
from loo_sim.policies.pots import PotClasses, pot_classes
from loo_sim.policies.switches import MOST_POT
from loo_sim.problems import InputError
from loo_sim.rules import MOST_LOO, PRESETS, UNITS_PER_STAKE, Rules

STAKE = UNITS_PER_STAKE
SMALL = Rules(deck=16, min_players=2)
"""Sixteen cards, four players at most: a table takes a thousandth of a second to compile."""
UNLIMITED = replace(SMALL, loo="pot")
CAPPED = replace(SMALL, loo="pot", loo_cap=7)

CONDITIONS = {
    "equal": ("pot == 7 or pot == 7.5 and trumps == 1", "pot != 9 and high == 14"),
    "chained": ("5 <= pot < 9 != 4 * standers", "standers < trick <= loo * 2 < high"),
    "arithmetic": ("pot > seat + standers * high / 2", "2 - pot * trumps < -(high - to_act)"),
    "loo": ("trick * trumps >= 1.1 * loo + to_act", "loo - pot + 12 > high", "trick >= loo / 2"),
    "the pot below": ("high / pot > 2.1 - standers / 10", "1 / (pot - 10.5) > high / 100 - 0.04"),
    "ratios": ("over_best + standers <= 3 + 3 * trick / loo", "high / loo + low / loo < 0.9"),
    "nested quotients": (
        "12 / ((high + 1) / (pot - 5.5)) > standers + 1",
        "loo / (pot / trick) < standers + 0.1",
    ),
    "sides that are equal": ("2 * trick == trick + trick and trumps == 1", "pot < pot or pot > 9"),
    "guarded division": ("trumps > 0 and (pot - 20) / trumps >= low", "trumps == 0 or pot > 11"),
    "truths": ("(pot > 6) == dealer", "not (trick * 0.7 - standers != 1.4) or not pot <= 33.3"),
    "near a whole number": (
        "pot * 729 == 5000 or pot >= 6.858710562414266",
        "pot <= 9.602194787379973 and trick * 2187 != 7000",
        "pot * 0.1 - 0.7 >= standers * 0.1",
    ),
    "far": ("pot >= 94000000 and trumps > 0", "pot - 90000000 < 4266000 and pot > 3000000.5"),
}


def written(folder: Path, *conditions: str, name: str = "custom") -> Policy:
    """A policy that stands, takes the miss or draws, by conditions in turn."""
    ends = ('do = "stand"', 'do = "miss"', 'do = "random", chance = 0.4')
    rules = [
        f'  {{ when = "{when}", {end} }},\n' for when, end in zip(conditions, ends, strict=False)
    ]
    path = folder / f"{name}.toml"
    path.write_text(f'name = "{name}"\n[announce]\nrules = [\n{"".join(rules)}]\n')
    return read_policy(path)


def tabular(folder: Path) -> Policy:
    """A table that knows pots of which some are no whole number of units."""
    rows = [
        {
            "players": players,
            "pot": pot,
            "seat": 0,
            "standers": 0,
            "miss_free": True,
            "hand": hand,
            "fold": 0.0,
            "stand": 0.5 if pot == 9.5 else float(i % 2),
            "miss": 0.5 if pot == 9.5 else float((i + 1) % 2),
            "defend": 0.0,
        }
        for i, pot in enumerate((3.0, 4.7, 6.0, 9.5, 40.1))
        for players in (3, 4)
        for hand in ("As7sKh", "AsKsQs")
    ]
    pd.DataFrame(rows).to_parquet(folder / "table.parquet")
    path = folder / "tabular.toml"
    path.write_text('name = "tabular"\n[announce]\ntable = "table.parquet"\n')
    return read_policy(path)


class Decoder:
    """Rows whose codes mean the same in all tables."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, ...], int] = {}

    def rows(self, rows: np.ndarray, mixtures: np.ndarray) -> list[bytes]:
        meaning = np.arange(4 + len(mixtures), dtype=np.uint16)
        for i, mixture in enumerate(map(tuple, mixtures.tolist())):
            meaning[4 + i] = 4 + self.numbers.setdefault(mixture, len(self.numbers))
        return [row.tobytes() for row in meaning[rows]]


def interesting_pots(
    rules: Rules, players: int, bounds: np.ndarray, drawn: int, grid: int
) -> list[int]:
    """Multiples of `grid` units up to 60 stakes, pots drawn, and all within 3 units of a bound."""
    draw = np.random.default_rng(players)
    near = (bounds[:, None] + np.arange(-3, 4)).reshape(-1)
    far = np.exp(draw.uniform(np.log(3 * STAKE), np.log(MOST_POT), drawn // 4))
    few = draw.integers(3 * STAKE, 60 * STAKE, drawn)
    pots = np.concatenate([np.arange(0, 60 * STAKE + 1, grid), few, far, near])
    pots = np.unique(pots.astype(np.int64))
    return pots[(pots >= rules.single_pot(players)) & (pots <= MOST_POT)].tolist()


def assert_right(
    classes: PotClasses,
    kinds: list[Policy],
    rules: Rules,
    players: int,
    drawn: int,
    grid: int = STAKE // 3,
) -> None:
    """At many pots every policy says in every seat what it says when compiled for that pot."""
    decoder = Decoder()
    found = decoder.rows(classes.rows, classes.mixtures)
    bounds = classes.bounds[players]
    assert (np.diff(bounds) > 0).all()
    for pot in interesting_pots(rules, players, bounds, drawn, grid):
        number = classes.class_base[players] + int((bounds <= pot).sum())
        for kind, policy in enumerate(kinds):
            tables = compile_tables([policy] * players, rules, players, pot)
            expected = decoder.rows(tables.rows, tables.mixtures)
            for seat, standers, free in situations(players):
                here = classes.row_of[number, kind, seat, standers, int(free)]
                there = tables.row_of[seat, standers, int(free)]
                assert found[here] == expected[there], (policy.name, pot, seat, standers, free)


@pytest.mark.parametrize("rules", [SMALL, UNLIMITED, CAPPED], ids=["three", "pot", "capped"])
@pytest.mark.parametrize("topic", CONDITIONS)
def test_conditions_at_every_pot(topic: str, rules: Rules, tmp_path: Path) -> None:
    policy = written(tmp_path, *CONDITIONS[topic])
    assert_right(pot_classes([policy], rules, [3]), [policy], rules, 3, 100)


def test_a_table_at_every_pot(tmp_path: Path) -> None:
    policy = tabular(tmp_path)
    rules = replace(SMALL, deck=52)
    classes = pot_classes([policy], rules, [2, 3])
    assert_right(classes, [policy], rules, 3, 50)
    assert classes.bounds[2].size == 0  # with two players it knows no pot
    # The first whole units above 3.85, 5.35, 7.75 and 24.8 stakes, half-way between known pots.
    assert classes.bounds[3].tolist() == [2807, 3901, 5650, 18080]


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("preset", ["standard", "unlimited", "peel"])
def test_built_in_policies_at_every_pot(name: str, preset: str) -> None:
    policy = load_policy(name)
    rules = PRESETS[preset]
    grid = STAKE // 3 if preset == "standard" else 2 * STAKE
    assert_right(pot_classes([policy], rules, [5]), [policy], rules, 5, 20, grid)


def test_people_share_rows_whatever_the_size_of_the_table(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    mixed = written(folder, "pot > 5", "pot > 6", "pot > 7", name="mixed")
    odds, calm, drawn = load_policy("pot-odds"), load_policy("tight"), load_policy("random")
    people = [calm, odds, mixed, odds, drawn]
    rules = replace(SMALL, deck=20, ante=1)
    classes = pot_classes(people, rules, [2, 4, 5])
    assert classes.kind_of.tolist() == [0, 1, 2, 1, 3]
    assert classes.row_of.shape[1:] == (4, 5, 5, 2)
    assert len(set(map(bytes, classes.rows))) == len(classes.rows)
    for players in (2, 4, 5):
        assert_right(classes, [calm, odds, mixed, drawn], rules, players, 0, 2 * STAKE)
    words = compile_tables(people, rules, 5, 9 * STAKE)
    assert np.array_equal(classes.play, words.play)
    assert classes.announce_draws
    assert classes.play_draws
    calm_only = pot_classes([calm] * 5, rules, [5])
    assert not calm_only.announce_draws
    assert not calm_only.play_draws


def bounds_of(policy: Policy, rules: Rules = SMALL, players: int = 3) -> list[int]:
    return pot_classes([policy], rules, [players]).bounds[players].tolist()


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("pot >= 6", [6 * STAKE]),
        ("pot > 6", [6 * STAKE + 1]),
        ("pot == 6", [6 * STAKE, 6 * STAKE + 1]),
        ("not pot != 6", [6 * STAKE, 6 * STAKE + 1]),
        ("trick < 2", [6 * STAKE]),
        ("4 <= pot <= 5", [4 * STAKE, 5 * STAKE + 1]),
        ("trick >= 1.5 * loo", [9842]),  # 13.5 stakes are 9841.5 units
        ("5 / pot < 1", [5 * STAKE + 1]),
        ("1 / (pot - 5.5) > 0", [4010]),  # 5.5 stakes are 4009.5 units
        ("pot >= standers + 3", [4 * STAKE, 5 * STAKE]),  # standers 0 to 2, the least pot is 3
        ("pot >= 3", []),
        ("trumps == 2", []),
        ("pot > 0.5 and trumps < 4", []),
    ],
)
def test_bounds_worked_out_by_hand(condition: str, expected: list[int], tmp_path: Path) -> None:
    assert bounds_of(written(tmp_path, condition)) == expected


def test_bounds_where_the_loo_is_the_pot(tmp_path: Path) -> None:
    policy = written(tmp_path, "trick >= loo")
    # Below the cap a third of the pot is never the whole; above it, at three times the cap.
    assert bounds_of(policy, CAPPED) == [21 * STAKE]
    assert bounds_of(policy, UNLIMITED) == [3 * MOST_LOO]
    policy = written(tmp_path, "pot > loo")
    assert bounds_of(policy, CAPPED) == [7 * STAKE + 1]
    # A single pot above the cap: the loo is the cap from the first.
    rich = replace(CAPPED, dealer_stake=9)
    assert bounds_of(policy, rich) == []
    assert bounds_of(written(tmp_path, "pot > 2 * loo"), rich) == [14 * STAKE + 1]


def test_bounds_of_pot_odds() -> None:
    """Standard rules, five players: 3 * trick / loo is the pot in threes of stakes.

    One trump: up to 11 above it and 4 standers, so 15 <= 3 + pot / 3 at 36 stakes. The other rules
    change at multiples of 3 stakes too, but for the miss: trick >= 4.5, at 13.5 stakes.
    """
    expected = sorted([*(stakes * STAKE for stakes in range(6, 37, 3)), 9842])
    assert bounds_of(load_policy("pot-odds"), Rules(), 5) == expected


@pytest.mark.parametrize(
    ("condition", "what"),
    [
        ("pot * pot > 50", "does not enter '\\(pot \\* pot\\) > 50' linearly"),
        ("1 / (pot - 4.1) + 1 / (pot - 8.1) > 2", "linearly"),
        ("pot * 0.1 == pot / 10", "rounding decides"),
        ("standers + 3 * trick >= pot + 1", "rounding decides"),
        ("pot + 1000000000000000 > 1000000000000004", "rounding decides"),
    ],
)
def test_comparisons_that_are_refused(condition: str, what: str, tmp_path: Path) -> None:
    policy = written(tmp_path, "trumps == 3", condition)
    with pytest.raises(InputError, match=what) as refused:
        pot_classes([policy], SMALL, [2, 3])
    (problem,) = refused.value.problems
    assert (problem.source, problem.line) == (policy.source, 5)
    assert problem.key == "announce.rules.2.when"


@pytest.mark.parametrize("condition", ["pot * 0.1 == pot / 10", "3 * trick >= pot"])
def test_rounding_would_decide_what_is_refused(condition: str, tmp_path: Path) -> None:
    """Were it constant there would be no need to refuse it."""
    policy = written(tmp_path, condition)
    said = {
        compile_tables([policy] * 2, SMALL, 2, pot).rows.tobytes() for pot in range(3000, 9000, 50)
    }
    assert len(said) == 2


def test_all_problems_are_told_together(tmp_path: Path) -> None:
    one = written(tmp_path, "pot * pot > 50", "1 < pot * trick < 9", name="one")
    two = written(tmp_path, "trick > loo * pot + 1", name="two")
    with pytest.raises(InputError) as refused:
        pot_classes([one, two, one], UNLIMITED, [3])
    keys = [(Path(problem.source).stem, problem.key) for problem in refused.value.problems]
    assert keys == [
        ("one", "announce.rules.1.when"),
        ("one", "announce.rules.2.when"),
        ("two", "announce.rules.1.when"),
    ]


def test_too_many_pots_are_refused(tmp_path: Path) -> None:
    policy = written(tmp_path, "pot > high * middle * low / 7.1 + seat / 100 + standers / 30")
    with pytest.raises(InputError, match=r"may change at .* pots, more than 1,000"):
        pot_classes([policy], replace(SMALL, deck=52), [3])


def test_too_many_rows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = written(tmp_path, "pot > high")
    # High is 0 (three trumps) or 11 to 14 in this pack. Those below the pot stand: five sets of
    # hands, each with a row, and four of them one more for the dealer, who must defend the rest.
    assert len(pot_classes([policy], SMALL, [3]).rows) == 9
    monkeypatch.setattr("loo_sim.policies.pots.MOST_ROWS", 3)
    with pytest.raises(InputError, match="more than 3 different rows"):
        pot_classes([policy], SMALL, [3])
