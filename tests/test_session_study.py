"""The estimates of the study `session` against those worked out table by table in plain Python."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import ceil

import numpy as np
import pytest
from kernel_deals import seats

from loo_sim.experiment import Cell
from loo_sim.rules import PRESETS, UNITS_PER_STAKE
from loo_sim.session import Table, play_table
from loo_sim.studies import session as study
from loo_sim.studies.moments import Moments
from loo_sim.sweep import AXES

SEED, TABLES, PLAYERS, ROUNDS = 5, 60, 5, 4
DEALS = PLAYERS * ROUNDS
NAMES = ("peel", "loose", "random", "tight", "loose")


def cell_of(bankroll: int | None) -> Cell:
    rules = replace(PRESETS["standard"], min_players=3)
    policies = tuple(seats(NAMES, PLAYERS))
    return Cell({}, PLAYERS, rules.single_pot(PLAYERS), rules, policies, ROUNDS, bankroll)


def found_in(cell: Cell, parts: tuple[int, ...] = (TABLES,)) -> dict[str, list[dict[str, float]]]:
    game, counts = study.encode(cell), study.empty_counts(cell)
    first = 0
    for part in parts:
        study.add_counts(game, SEED, first, part, counts)
        first += part
    return {name: table.to_pylist() for name, table in study.tables(cell, first, counts).items()}


def tables_of(cell: Cell) -> list[Table]:
    units = None if cell.bankroll is None else cell.bankroll * UNITS_PER_STAKE
    return [
        play_table(cell.rules, cell.policies, ROUNDS, SEED, table, units) for table in range(TABLES)
    ]


def se(values: list[float]) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def test_pots_and_purses_without_limit() -> None:
    cell = cell_of(None)
    found, tables = found_in(cell), tables_of(cell)
    pots = np.array([[played.deal.pot for played in table.deals] for table in tables]) / 729
    (row,) = found["session"]
    assert row["pot"] == pytest.approx(pots.mean())
    assert row["pot_se"] == pytest.approx(se(pots.mean(axis=1).tolist()))
    naive = np.sqrt(pots.var() / (pots.size - 1))
    # Squares are kept in whole square stakes.
    assert row["pot_naive_se"] == pytest.approx(naive, rel=0.02)
    assert row["single"] == pytest.approx((pots == 3).mean())
    looed = np.array([[played.looed for played in table.deals] for table in tables])
    assert row["clean"] == pytest.approx((looed == 0).mean())
    assert row["looed"] == pytest.approx(looed.mean())
    left = [table.pot / 729 for table in tables]
    assert (row["pot_left"], row["pot_left_se"]) == pytest.approx((np.mean(left), se(left)))
    for deal, path in enumerate(found["path"]):
        here = np.sort(pots[:, deal])
        assert path["pot"] == pytest.approx(here.mean())
        assert path["pot_q50"] == pytest.approx(here[TABLES // 2 - 1], rel=1 / 64)
    for person, purse in enumerate(found["purse"]):
        final = [table.purses[person] / 729 for table in tables]
        assert (purse["final"], purse["final_se"]) == pytest.approx((np.mean(final), se(final)))
        for percent in (1, 3, 47, 50, 53, 97, 99):
            # The least purse that so many tables do not exceed; a bin is a 64th of its octave wide.
            at = np.sort(final)[ceil(TABLES * percent / 100) - 1]
            assert purse[f"final_q{percent:02}"] == pytest.approx(at, rel=1 / 64), percent
        lowest = [
            min(0, *(played.purses[person] for played in table.deals)) / 729 for table in tables
        ]
        assert purse["lowest"] == pytest.approx(np.mean(lowest))
        middle = np.sort(lowest)[TABLES // 2 - 1]
        assert purse["lowest_q50"] == pytest.approx(middle, rel=1 / 64)
    loose = [sum(table.purses[person] for person in (1, 4)) / 2 / 729 for table in tables]
    (of_loose,) = (row for row in found["policy"] if row["policy"] == "loose")
    assert (of_loose["final"], of_loose["final_se"]) == pytest.approx((np.mean(loose), se(loose)))
    assert of_loose["a_deal_se"] == pytest.approx(se(loose) / DEALS)


def test_gaps_and_longest_runs() -> None:
    cell = cell_of(None)
    found = {row["deals"]: row for row in found_in(cell)["gap"]}
    gaps, runs = [], []
    for table in tables_of(cell):
        clean = [-1, *(i for i, played in enumerate(table.deals) if played.looed == 0)]
        gaps += [after - before for before, after in pairwise(clean)]
        runs.append(max(b - a - 1 for a, b in pairwise([*clean, DEALS])))
    for length in range(DEALS + 1):
        row = found.get(length, {"gaps": 0, "longest_runs": 0})
        assert (row["gaps"], row["longest_runs"]) == (gaps.count(length), runs.count(length))


@pytest.mark.parametrize("limit", [None, 9, 40])
def test_ruin_is_first_passage(limit: int | None) -> None:
    """Ruined is who cannot put in his stake, or has nothing left after a deal."""
    cell = cell_of(limit)
    found, tables = found_in(cell), tables_of(cell)
    brought = {row["brought"] for row in found["ruin"]}
    lower = {each for each in study.BANKROLLS if limit is None or each < limit}
    assert brought == (lower if limit is None else lower | {limit})
    for row in found["ruin"]:
        person, bankroll = row["person"], row["brought"] * UNITS_PER_STAKE
        ruined = 0
        for table in tables:
            before = bankroll
            for played in table.deals:
                due = 3 * UNITS_PER_STAKE if played.dealer == person else 0
                change = played.purses[person] - (limit or 0) * UNITS_PER_STAKE
                if before < due or bankroll + change <= 0:
                    ruined += 1
                    break
                before = bankroll + change
            else:
                # He could not put in what was due, with whatever he brought: he left before it.
                ruined += limit is not None and person not in table.here
        assert row["ruined"] == ruined / TABLES, (person, row["brought"])


@pytest.mark.parametrize("limit", [9, 40])
def test_who_is_ruined_with_what_he_brought_is_out(limit: int) -> None:
    found = found_in(cell_of(limit))
    out = {row["person"]: row["out"] for row in found["purse"]}
    ruined = {row["person"]: row["ruined"] for row in found["ruin"] if row["brought"] == limit}
    assert out == ruined
    assert any(out.values())


def test_rates_where_tables_end_early() -> None:
    """The ratio of sums, with the error of the ratio estimator in floats."""
    cell = cell_of(9)
    found, tables = found_in(cell), tables_of(cell)
    x = np.array([sum(played.deal.pot for played in table.deals) for table in tables]) / 729
    y = np.array([len(table.deals) for table in tables])
    assert y.min() < DEALS
    ratio = x.sum() / y.sum()
    error = np.sqrt(((x - ratio * y) ** 2).sum() / (TABLES * (TABLES - 1))) / y.mean()
    (row,) = found["session"]
    assert (row["pot"], row["pot_se"]) == pytest.approx((ratio, error))
    for person, purse in enumerate(found["purse"]):
        assert purse["out"] == pytest.approx(np.mean([person in table.left_at for table in tables]))


def test_no_table_has_a_column_that_a_sweep_could_add() -> None:
    tables = found_in(cell_of(9))
    axes = set(AXES) - {"pot"}  # which a session cannot sweep
    assert {name: axes & row.keys() for name, (row, *_) in tables.items()} == {
        name: set() for name in tables
    }


@pytest.mark.parametrize("bankroll", [None, 9])
def test_games_of_a_sweep_over_rules_have_columns_of_the_same_types(bankroll) -> None:
    cell = cell_of(None)
    unlimited = replace(cell_of(bankroll), rules=replace(cell.rules, loo="pot"))
    schemas = []
    for one in (cell, unlimited):
        counts = study.empty_counts(one)
        study.add_counts(study.encode(one), SEED, 0, 5, counts)
        tables = study.tables(one, 5, counts)
        schemas.append({name: table.schema for name, table in tables.items()})
    assert schemas[0] == schemas[1]


def test_parts_add_up_in_any_order() -> None:
    cell = cell_of(None)
    assert repr(found_in(cell)) == repr(found_in(cell, (7, 1, 52)))


def test_moments_of_numbers_beyond_64_bits() -> None:
    from loo_sim.kernels.sums import MOMENTS, add_moment
    from loo_sim.studies.moments import read_moments

    values = [2**52 - 1, -(2**52), 12345678901, 0, -7]
    row, played = np.zeros(MOMENTS, np.int64), np.zeros(MOMENTS, np.int64)
    for deals, value in enumerate(values, start=1):
        add_moment.py_func(row, np.int64(value), np.int64(deals))
        add_moment.py_func(played, np.int64(deals), np.int64(deals))
    assert read_moments(row, played, 5) == Moments(
        5,
        sum(values),
        sum(value**2 for value in values),
        sum(deals * value for deals, value in enumerate(values, start=1)),
        15,
        55,
    )


@pytest.mark.parametrize("value", [-1, 1, -(2**44), 2**44])
def test_moments_of_as_many_tables_as_there_may_be(value: int) -> None:
    """The words of one table times as many tables as an experiment may have."""
    from loo_sim.kernels.sums import MOMENTS, add_moment
    from loo_sim.settings import MOST_TABLES
    from loo_sim.studies.moments import read_moments

    deals = 5096
    row, played = np.zeros(MOMENTS, np.int64), np.zeros(MOMENTS, np.int64)
    add_moment.py_func(row, np.int64(value), np.int64(deals))
    add_moment.py_func(played, np.int64(deals), np.int64(deals))
    exact = [int(word) * MOST_TABLES for word in row]
    assert all(-(2**63) <= word < 2**63 for word in exact)
    found = read_moments(row * MOST_TABLES, played * MOST_TABLES, MOST_TABLES)
    assert (found.x, found.xx, found.xy) == tuple(
        MOST_TABLES * each for each in (value, value**2, value * deals)
    )
