"""Estimates out of counts, against the same figures computed from whole samples."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loo_sim.cards import hand_classes
from loo_sim.experiment import Cell
from loo_sim.rounding import interval
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.studies import announce, deals
from loo_sim.studies.estimates import aggregate, estimate, estimate_share, quantiles

FOLD, STAND, MISS, DEFEND, ALL_FOLDED = range(5)


def cell_of(players: int = 5, pot: int = 6, rules: Rules | None = None) -> Cell:
    return Cell({}, players, pot * UNITS_PER_STAKE, rules or PRESETS["standard"], ())


def standard_error(sample) -> float:
    return np.std(sample, ddof=1) / np.sqrt(len(sample))


# --- means and errors -----------------------------------------------------------------------------

COUNTS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(-5000, 5000)), min_size=1, max_size=8
).filter(lambda pairs: sum(count for count, _ in pairs) >= 2)


@given(COUNTS, st.sampled_from([1, UNITS_PER_STAKE]))
def test_an_estimate_is_the_mean_and_error_of_the_sample(pairs, per_unit):
    sample = np.repeat([value for _, value in pairs], [count for count, _ in pairs]) / per_unit
    counts = [np.array([count]) for count, _ in pairs]
    found = estimate(counts, [value for _, value in pairs], per_unit)
    assert found.mean[0] == pytest.approx(sample.mean(), abs=1e-9)
    assert found.se[0] == pytest.approx(standard_error(sample), abs=1e-9)


def test_one_observation_has_a_mean_and_no_error_and_none_has_neither():
    found = estimate([np.array([1, 0]), np.array([0, 0])], [7, 9])
    np.testing.assert_array_equal(found.mean, [7, np.nan])
    np.testing.assert_array_equal(found.se, [np.nan, np.nan])


def test_large_counts_of_large_sums_lose_nothing():
    # The most deals of a cell at the largest pot, where float sums of squares would cancel.
    counts, values = [3_999_999_999, 1], [729_000_000, 729_000_001]
    n = sum(counts)
    mean = Fraction(sum(c * x for c, x in zip(counts, values, strict=True)), n)
    squares = sum(c * (x - mean) ** 2 for c, x in zip(counts, values, strict=True))
    found = estimate([np.array([c]) for c in counts], values)
    assert found.mean[0] == float(mean)
    # A mean rounded to 2**-23 units moves squares of 1 by less than a part in a million.
    assert found.se[0] == pytest.approx(float(squares / (n - 1) / n) ** 0.5, rel=1e-6)


@given(st.integers(0, 40), st.integers(2, 40))
def test_a_share_is_the_mean_of_zeros_and_ones(hits, n):
    hits = min(hits, n)
    sample = np.repeat([1, 0], [hits, n - hits])
    found = estimate_share(np.array([hits]), n)
    assert found.mean[0] == pytest.approx(sample.mean())
    assert found.se[0] == pytest.approx(standard_error(sample))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.floats(0.01, 0.99))
def test_quantiles_are_those_of_the_sample(counts, share):
    values = np.arange(len(counts)) * 10
    sample = np.repeat(values, counts)
    expected = np.quantile(sample, share, method="inverted_cdf")
    assert quantiles(values, np.array(counts), [share]) == [expected]


# --- pooling --------------------------------------------------------------------------------------


def table_of(sample: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """A row for each combination of `by`: n, weight, mean and error of x and of y."""
    groups = sample.groupby(by)
    table = groups.size().rename("n").to_frame()
    table["weight"] = table["n"] / len(sample)
    for name in ("x", "y"):
        table[name] = groups[name].mean()
        table[f"{name}_se"] = groups[name].std(ddof=1) / np.sqrt(table["n"])
    return table.reset_index()


def test_pooled_rows_give_what_all_their_observations_give():
    draw = np.random.default_rng(5)
    n = 500
    sample = pd.DataFrame(
        {
            "seat": draw.integers(0, 3, n),
            "kind": draw.choice(["p", "q"], n),
            "hand": draw.integers(0, 60, n),  # fine enough that some rows have one observation
            "x": draw.normal(size=n),
            "y": draw.integers(-3, 4, n).astype(float),
        }
    )
    fine = table_of(sample, ["seat", "kind", "hand"])
    assert (fine["n"] == 1).any()
    found = aggregate(fine, ["seat", "kind"])
    pd.testing.assert_frame_equal(found, table_of(sample, ["seat", "kind"]))


def test_pooling_leaves_out_what_is_empty():
    table = pd.DataFrame(
        {
            "seat": [0, 0, 1],
            "n": [4, 9, 5],
            "miss": [2.0, np.nan, np.nan],
            "miss_se": [0.5, np.nan, np.nan],
        }
    )
    found = aggregate(table, ["seat"])
    assert found["n"].tolist() == [13, 5]
    assert found.loc[0, ["miss", "miss_se"]].tolist() == [2.0, 0.5]
    assert found.loc[1, ["miss", "miss_se"]].isna().all()


# --- deals ----------------------------------------------------------------------------------------


def random_seat_results(players: int, n: int) -> list[list[tuple[int, int]]]:
    """For each of n deals, an action and a result a seat; not a real game, but real cells."""
    draw = np.random.default_rng(11)
    kinds = [(FOLD, 0), (STAND, 0), (STAND, 2), (STAND, 4), (MISS, 1), (MISS, 3), (MISS, 0)]
    dealer = [*kinds, (DEFEND, 0), (DEFEND, 3), (ALL_FOLDED, 4), (ALL_FOLDED, 0)]
    return [
        [
            (dealer if seat == players - 1 else kinds)[draw.integers(0, 7 + 4 * (seat == 4))]
            for seat in range(players)
        ]
        for _ in range(n)
    ]


def net_stakes(action: int, result: int, pot: float, loo: float) -> float:
    """S7, S8, S10, S15 and S16, for a pot that divides by three."""
    if action in (FOLD, DEFEND):
        return 0.0
    if action == ALL_FOLDED or result == 4:
        return pot
    return pot * result / 3 if result else -loo


def test_the_deals_table_is_that_of_the_sample():
    results = random_seat_results(5, 300)
    seat_counts = np.zeros((5, 5, 5), np.int64)
    for of_deal in results:
        for seat, (action, result) in enumerate(of_deal):
            seat_counts[seat, action, result] += 1
    rules = Rules(loo=4, ante=1)
    counts = (seat_counts, np.zeros((17, 5, 17), np.int64))
    counts[1][3, 0, 1] = 300
    table = deals.tables(cell_of(5, 9, rules), 300, counts)["deals"].to_pandas()
    assert list(table.columns[:10]) == [
        *("seat", "n", "net", "net_se", "stood", "took_miss", "defended", "folded", "looed"),
        "tricks",
    ]
    assert table["paid_in"].tolist() == [1, 1, 1, 1, 3]
    for seat in range(5):
        row = table.iloc[seat]
        mine = [of_deal[seat] for of_deal in results]
        samples = {
            "net": [net_stakes(action, result, 9, 4) for action, result in mine],
            "stood": [action == STAND for action, _ in mine],
            "took_miss": [action == MISS for action, _ in mine],
            "defended": [action == DEFEND for action, _ in mine],
            "folded": [action == FOLD for action, _ in mine],
            "looed": [action in (STAND, MISS) and result == 0 for action, result in mine],
            "tricks": [
                result if action in (STAND, MISS, DEFEND) and result < 4 else 0
                for action, result in mine
            ],
            "took_pot": [action == ALL_FOLDED or result == 4 for action, result in mine],
        }
        assert row["n"] == 300
        for name, sample in samples.items():
            assert row[name] == pytest.approx(np.mean(sample)), name
            assert row[f"{name}_se"] == pytest.approx(standard_error(sample)), name


# Players in, defence (0, or 1 + the defender's tricks), looed; stakes left in a pot of 9, loo 4.
POTS = [
    (0, 0, 0, 0),  # S7: the dealer takes all
    (1, 0, 0, 0),  # S8: the lone player takes all
    (2, 0, 0, 0),  # all three thirds paid
    (3, 0, 1, 4),  # and one loo paid in
    (4, 0, 2, 8),
    (4, 2, 0, 3),  # less than the one before it, though counted after it
    (2, 1, 0, 0),  # a defender without a trick leaves nothing (S10)
    (2, 3, 0, 6),  # his two thirds stay
    (2, 4, 1, 9 + 4),  # all three stay, the other is looed
    (3, 2, 1, 3 + 4),
]


def pot_sample() -> pd.DataFrame:
    draw = np.random.default_rng(2)
    rows = [POTS[i] for i in draw.integers(0, len(POTS), 400)]
    sample = pd.DataFrame(rows, columns=["standers", "defence", "looed", "pot_after"])
    sample["pot_swing"] = sample["pot_after"] - 9.0
    return sample


def pot_tables() -> dict[str, pd.DataFrame]:
    sample = pot_sample()
    pot_counts = np.zeros((17, 5, 17), np.int64)
    np.add.at(pot_counts, (sample["standers"], sample["defence"], sample["looed"]), 1)
    counts = (np.zeros((5, 5, 5), np.int64), pot_counts)
    found = deals.tables(cell_of(5, 9, Rules(loo=4)), len(sample), counts)
    return {name: table.to_pandas() for name, table in found.items()}


def test_the_pot_table_is_that_of_the_sample():
    sample, table = pot_sample(), pot_tables()["pot"]
    assert table["standers"].tolist() == [0, 1, 2, 3, 4]
    for standers, group in sample.groupby("standers"):
        row = table[table["standers"] == standers].iloc[0]
        assert row["n"] == len(group)
        here = (sample["standers"] == standers).to_numpy()
        assert row["share"] == pytest.approx(here.mean())
        assert row["share_se"] == pytest.approx(standard_error(here))
        for name in ("looed", "pot_after", "pot_swing"):
            assert row[name] == pytest.approx(group[name].mean())
            assert row[f"{name}_se"] == pytest.approx(standard_error(group[name]))
        for percent in (5, 25, 50, 75, 95):
            at = np.quantile(group["pot_swing"], percent / 100, method="inverted_cdf")
            assert row[f"pot_swing_q{percent:02}"] == at


def test_the_swings_table_is_the_whole_distribution():
    sample, table = pot_sample(), pot_tables()["swings"]
    n = sample["pot_swing"].value_counts().sort_index()
    assert table["pot_swing"].tolist() == n.index.tolist()
    assert table["n"].tolist() == n.tolist()
    assert table["share"].tolist() == pytest.approx((n / len(sample)).tolist())
    for swing, error in zip(table["pot_swing"], table["share_se"], strict=True):
        assert error == pytest.approx(standard_error(sample["pot_swing"] == swing))


def test_an_unlimited_loo_is_as_much_as_the_pot_up_to_its_cap():
    pot_counts = np.zeros((17, 5, 17), np.int64)
    pot_counts[4, 0, 2] = 5
    counts = (np.zeros((5, 5, 5), np.int64), pot_counts)
    for rules, left in ((Rules(loo="pot"), 18.0), (Rules(loo="pot", loo_cap=5), 10.0)):
        table = deals.tables(cell_of(5, 9, rules), 5, counts)["pot"].to_pandas()
        assert table["pot_after"].tolist() == [left]


def test_money_in_one_deal_adds_up_where_the_pot_does_not_divide_by_three():
    # Three in, pot of 4 units: each third is 1, the fourth unit stays, the third player is looed.
    cell = Cell({}, 5, 4, Rules(loo=1), ())
    seat_counts, pot_counts = deals.empty_counts(cell)
    seat_counts[:, FOLD, 0] = 1
    for seat, result in ((0, 2), (1, 1), (2, 0)):
        seat_counts[seat, FOLD, 0] = 0
        seat_counts[seat, STAND, result] = 1
    pot_counts[3, 0, 1] = 1
    tables = deals.tables(cell, 1, (seat_counts, pot_counts))
    nets = tables["deals"].to_pandas()["net"] * UNITS_PER_STAKE
    left = tables["pot"].to_pandas()["pot_after"] * UNITS_PER_STAKE
    assert nets.tolist() == pytest.approx([2, 1, -729, 0, 0])
    assert left.tolist() == pytest.approx([1 + 729])


def test_the_headline_of_deals_sums_up_the_sample():
    sample = pot_sample()
    pot_counts = np.zeros((17, 5, 17), np.int64)
    np.add.at(pot_counts, (sample["standers"], sample["defence"], sample["looed"]), 1)
    tables = deals.tables(
        cell_of(5, 9, Rules(loo=4)), len(sample), (np.zeros((5, 5, 5), np.int64), pot_counts)
    )
    swing = sample["pot_swing"]
    low, high = np.quantile(swing, [0.05, 0.95], method="inverted_cdf")
    ((pot, change, spread, players_in, looed),) = deals.headline(tables)
    assert pot == ("9", 9.0, None)
    for figure, column in (
        (change, swing),
        (players_in, sample["standers"]),
        (looed, sample["looed"]),
    ):
        error = standard_error(column)
        assert figure.value == pytest.approx(column.mean())
        assert figure.se == pytest.approx(error)
        assert figure.told == interval(figure.value, figure.se, len(sample))
    assert spread.told == f"{low:.0f} to {high:.0f}".replace("-", "−")


def test_one_deal_has_a_headline_without_an_interval():
    pot_counts = np.zeros((17, 5, 17), np.int64)
    pot_counts[2, 0, 0] = 1
    tables = deals.tables(cell_of(5, 3), 1, (np.zeros((5, 5, 5), np.int64), pot_counts))
    (row,) = deals.headline(tables)
    assert row[1] == ("≈ −3.00 (error unknown)", -3.0, None)


# --- announce -------------------------------------------------------------------------------------

GONE = 5
"""Result of taking the miss where it was gone."""


def announce_sample(n: int = 600) -> pd.DataFrame:
    """Situations, hands and results as they might be counted."""
    draw = np.random.default_rng(3)
    situations = [(0, 0, True), (1, 0, True), (1, 1, True), (1, 1, False), (4, 1, True)]
    situations += [(4, 2, False), (4, 3, True)]
    rows = []
    for _ in range(n):
        seat, standers, miss_free = situations[draw.integers(0, len(situations))]
        miss = draw.integers(0, 5) if miss_free else GONE
        rows.append((seat, standers, miss_free, draw.integers(0, 9), draw.integers(0, 5), miss))
    rows.append((1, 0, True, 4000, 2, 0))  # a hand that came up once
    return pd.DataFrame(rows, columns=["seat", "standers", "miss_free", "class", "own", "other"])


def announce_counts(cell: Cell, sample: pd.DataFrame):
    (counts,) = announce.empty_counts(cell)
    place = sample["seat"] * (sample["seat"] + 1) + 2 * sample["standers"] + sample["miss_free"]
    np.add.at(counts, (place, sample["class"], sample["own"], sample["other"]), 1)
    return (counts,)


@pytest.mark.parametrize("rules", [Rules(loo=4), Rules(loo=4, defend="lone")], ids=["any", "lone"])
def test_the_announce_table_is_that_of_the_sample(rules):
    cell, sample = cell_of(5, 9, rules), announce_sample()
    table = announce.tables(cell, 1000, announce_counts(cell, sample))["announce"].to_pandas()
    names = hand_classes(52).names
    groups = sample.groupby(["seat", "standers", "miss_free", "class"])
    assert len(table) == groups.ngroups
    assert list(table.columns[:18]) == [
        *("seat", "standers", "miss_free", "hand", "n", "weight", "fold", "stand", "miss"),
        *("defend", "stand_se", "miss_se", "miss_minus_stand", "miss_minus_stand_se"),
        *("stand_loo", "miss_loo", "stand_tricks", "miss_tricks"),
    ]
    rows = table.set_index(["seat", "standers", "miss_free", "hand"])
    worth = np.array([-4.0, 3, 6, 9, 9])
    tricks = np.array([0, 1, 2, 3, 0])
    seen_single = False
    for (seat, standers, miss_free, number), group in groups:
        row = rows.loc[(seat, standers, miss_free, names[number])]
        own, other = group["own"].to_numpy(), group["other"].to_numpy()
        values = {
            "stand": worth[own],
            "stand_loo": own == 0,
            "stand_tricks": tricks[own],
            "stand_pot": own == 4,
        }
        if miss_free:
            values |= {
                "miss": worth[other],
                "miss_minus_stand": worth[other] - worth[own],
                "miss_loo": other == 0,
                "miss_tricks": tricks[other],
                "miss_pot": other == 4,
            }
        else:
            assert row[["miss", "miss_se", "miss_minus_stand", "miss_loo"]].isna().all()
        assert row["n"] == len(group)
        assert row["weight"] == pytest.approx(len(group) / 1000)
        for name, value in values.items():
            assert row[name] == pytest.approx(np.mean(value)), name
            if len(group) == 1:
                seen_single = True
                assert np.isnan(row[f"{name}_se"])
            else:
                assert row[f"{name}_se"] == pytest.approx(standard_error(value), abs=1e-12), name
        # S9: the dealer defends where he may, and may not fold there.
        limit = 1 if rules.defend == "lone" else 4
        may_defend = seat == 4 and miss_free and 1 <= standers <= limit
        assert (row["defend"] == 0.0) if may_defend else np.isnan(row["defend"])
        assert np.isnan(row["fold"]) if may_defend else (row["fold"] == 0.0)
    assert seen_single


def test_counts_of_four_billion_deals_at_the_largest_pot_do_not_overflow():
    cell = cell_of(5, 1_000_000, Rules(loo="pot"))
    (counts,) = announce.empty_counts(cell)
    counts[1, 0, 4, 0] = 2_000_000_001  # seat 0 would take the pot standing, and be looed else
    counts[1, 0, 0, 4] = 1_999_999_999
    table = announce.tables(cell, 4_000_000_000, (counts,))["announce"].to_pandas()
    (row,) = table.to_dict("records")
    assert row["n"] == 4_000_000_000
    assert row["weight"] == 1.0
    assert row["stand"] == pytest.approx(1e6 * 2 / 4e9)
    assert row["miss_minus_stand"] == pytest.approx(-2e6 * 2 / 4e9)
    assert row["miss_minus_stand_se"] == pytest.approx(2e6 / 4e9**0.5)


def test_nothing_counted_gives_an_empty_table_with_the_same_columns():
    cell = cell_of(5, 9)
    empty = announce.tables(cell, 10, announce.empty_counts(cell))["announce"]
    full = announce.tables(cell, 1000, announce_counts(cell, announce_sample()))["announce"]
    assert empty.num_rows == 0
    assert empty.schema == full.schema


def test_the_headline_of_announce_pools_all_hands_of_the_first_seat_and_the_dealer():
    cell, sample = cell_of(5, 9, Rules(loo=4)), announce_sample()
    tables = announce.tables(cell, 1000, announce_counts(cell, sample))
    first = sample[sample["seat"] == 0]
    worth = np.array([-4.0, 3, 6, 9, 9])
    own, other = worth[first["own"]], worth[first["other"]]
    # Some hand came up in fewer than 30 deals, so that it is not known how widely all are known.
    assert first.groupby("class").size().min() < 30
    found = announce.headline(tables)
    dealer = sample[(sample["seat"] == 4) & (sample["other"] != GONE)]
    standers = dealer["standers"].value_counts().idxmax()
    assert [row[0].told for row in found] == ["seat 0", f"dealer, {standers} in"]
    often, stand, miss, paired, looed, each = found[0][1:]
    assert often.value == pytest.approx(len(first) / 1000)
    for figure, net in ((stand, own), (miss, other), (paired, other - own)):
        assert figure.value == pytest.approx(net.mean())
        assert figure.se == pytest.approx(standard_error(net))
        assert figure.told == interval(figure.value, figure.se, len(first))
    assert looed.value == pytest.approx((first["other"] == 0).mean())
    assert looed.told.endswith(" %")
    assert each == ("–", None, None)


def test_one_deal_has_a_headline_of_announcements_without_intervals():
    cell = cell_of(5, 9, Rules(loo=4))
    counts = announce.empty_counts(cell)
    counts[0][1, 0, 1, 0] = 1  # the first seat wins a trick with its hand, none with the miss
    (row,) = announce.headline(announce.tables(cell, 1, counts))
    assert [figure.value for figure in row[2:5]] == [3.0, -4.0, -7.0]
    assert [figure.told for figure in row[2:5]] == [
        f"≈ {net} (error unknown)" for net in ("3.00", "−4.00", "−7.00")
    ]
    assert row[6].told == "–"
