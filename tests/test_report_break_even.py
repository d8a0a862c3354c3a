"""The pot from which standing pays: its figures against deals one by one, and how it is told."""

from __future__ import annotations

from math import inf, isnan, nan

import numpy as np
import pandas as pd
import pytest
from report_samples import announce_table, cell, write_result
from svg_reading import at, intervals, scale

from loo_sim.experiment import load_experiment
from loo_sim.report import break_even, crib, strategy, values
from loo_sim.report.exhibit import each
from loo_sim.report.hands import BANDS, features
from loo_sim.report.pooling import pool
from loo_sim.report.result import read_result
from loo_sim.report.style import LINES
from loo_sim.rounding import with_ends
from loo_sim.runner.run import run_experiment
from loo_sim.studies.estimates import Z95

LOOED, WHOLE_POT = 0, 4

COUNTS = (
    [120, 60, 15, 3, 0],
    [30, 90, 41, 9, 12],
    [400, 20, 2, 1, 7],
)
"""Deals by result: looed, one to three tricks, the whole pot."""


def deals(counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """For each deal the share of the pot won, and 1 if looed."""
    result = np.repeat(np.arange(5), counts)
    return np.where(result == WHOLE_POT, 1.0, result / 3), (result == LOOED).astype(float)


def error(sample: np.ndarray) -> float:
    return float(sample.std(ddof=1) / np.sqrt(sample.size))


def row(counts: list[int]) -> dict[str, float]:
    """The columns that the announce table has of such deals."""
    result = np.repeat(np.arange(5), counts)
    columns: dict[str, float] = {"n": result.size, "weight": result.size / 10_000, "aimed": False}
    for name, sample in (
        ("stand_loo", result == LOOED),
        ("stand_pot", result == WHOLE_POT),
        ("stand_tricks", np.where(result == WHOLE_POT, 0, result)),
    ):
        sample = sample.astype(float)
        columns |= {name: sample.mean(), f"{name}_se": error(sample)}
    return columns


def standing_of(counts: list[int]) -> break_even.Standing:
    share, looed = deals(counts)
    both = np.cov(share, looed) / share.size
    return break_even.Standing(
        share.mean(), looed.mean(), both[0, 0], both[1, 1], both[0, 1], share.size
    )


def value_in_errors(counts: list[int], pot: float, loo: float) -> float:
    """The mean net of standing at a pot, deal by deal, in its standard errors."""
    share, looed = deals(counts)
    net = pot * share - loo * looed
    return float(net.mean() / error(net))


@pytest.mark.parametrize("counts", COUNTS)
def test_share_of_the_pot_has_the_error_of_its_deals(counts):
    share, looed = deals(counts)
    found = values.with_pot_share(pd.DataFrame([row(counts)])).iloc[0]
    assert found["share"] == pytest.approx(share.mean())
    assert found["share_se"] == pytest.approx(error(share))
    assert found["surplus"] == pytest.approx((share - looed).mean())
    assert found["surplus_se"] == pytest.approx(error(share - looed))


def test_pooled_hands_have_the_error_of_all_their_deals():
    table = values.with_pot_share(pd.DataFrame([row(counts) for counts in COUNTS]))
    pooled = pool(table.assign(kind=0), ["kind"]).iloc[0]
    together = [sum(column) for column in zip(*COUNTS, strict=True)]
    share, looed = deals(together)
    found = break_even.standing(pooled.rename({"n": "stand_loo_n"}))
    for pot in (0.5, 3.0, 40.0):
        net = pot * share - 6 * looed
        assert found.value(pot, 6) == pytest.approx(net.mean())
        assert found.error(pot, 6) == pytest.approx(error(net))


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("loo", [3, 6])
def test_at_the_ends_of_the_interval_the_value_is_its_error_times_196_away_from_0(counts, loo):
    found = break_even.break_even(standing_of(counts), loo)
    share, looed = deals(counts)
    # 3 L P(looed) / E[tricks]
    assert found.pot == pytest.approx(3 * loo * looed.mean() / (3 * share).mean())
    assert found.low < found.pot < found.high
    assert value_in_errors(counts, found.low, loo) == pytest.approx(-Z95)
    assert value_in_errors(counts, found.high, loo) == pytest.approx(Z95)


def test_hands_that_hardly_win_have_no_upper_end():
    # Three tricks in 200 deals: mean 0.015, standard error 0.0086.
    found = break_even.break_even(standing_of([197, 3, 0, 0, 0]), 3)
    assert found.high == inf
    assert found.pot == pytest.approx(3 * 3 * 197 / 3)
    assert value_in_errors([197, 3, 0, 0, 0], found.low, 3) == pytest.approx(-Z95)
    assert all(value_in_errors([197, 3, 0, 0, 0], pot, 3) < Z95 for pot in (1e3, 1e5, 1e7))


def test_hands_that_never_were_looed_have_a_bound():
    # Wilson's upper end of 0 of 200 is z^2 / (200 + z^2); the share of the pot is a third.
    found = break_even.break_even(standing_of([0, 200, 0, 0, 0]), 3)
    assert found[:2] == (0, 0)
    assert found.high == pytest.approx(3 * Z95**2 / (200 + Z95**2) * 3)


def test_hands_that_never_won_have_a_bound():
    found = break_even.break_even(standing_of([200, 0, 0, 0, 0]), 3)
    assert (found.pot, found.high) == (inf, inf)
    assert found.low == pytest.approx(3 * 200 / Z95**2)


def test_too_few_deals_tell_nothing():
    assert all(map(isnan, break_even.break_even(standing_of([10, 19, 0, 0, 0]), 3)))
    assert not isnan(break_even.break_even(standing_of([10, 20, 0, 0, 0]), 3).pot)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Results of short runs, all with a pot of 6: their only cells by name."""
    folder = tmp_path_factory.mktemp("runs")

    def result_of(name, text, deals=4000):
        file = folder / f"{name}.toml"
        settings = 'study = "announce"\nplayers = 5\npot = 6\npolicies = ["tight"]\nseed = 5\n'
        file.write_text(f"{settings}deals = {deals}\n{text}", "utf-8")
        run_experiment(load_experiment(file), folder / name, 1)
        return read_result(folder / name).cells[0]

    aim = "[aim]\nseat = 4\nstanders = 1\nmiss_free = true\n"
    undefended = '[rules]\npreset = "classic"\ndefend = "never"\n'
    return {
        "standard": result_of("standard", ""),
        "undefended": result_of("undefended", undefended),
        "aimed": result_of("aimed", aim, 120_000),
        "unlimited": result_of("unlimited", '[rules]\npreset = "unlimited"\n'),
    }


@pytest.mark.parametrize("name", ["standard", "undefended", "aimed", "unlimited"])
def test_the_value_at_the_pot_played_is_that_of_the_study(runs, name):
    game = runs[name]
    assert strategy.spots(game)
    for spot in strategy.spots(game):
        kinds = values.kinds_at(game, spot)
        # With a single deal of one hand, aimed deals tell no error of the kind that it is of.
        kinds = kinds[kinds["stand_se"].notna()]
        assert len(kinds) >= 12
        if name == "undefended" and spot.seat == 0:
            # Without a defence whoever stands alone takes all: tricks alone would tell too little.
            assert (kinds["stand_pot"] > 0).any()
        loo = 6 if name == "unlimited" else game.rules["loo"]
        for kind in each(kinds):
            hand = break_even.standing(kind)
            assert hand.value(6, loo) == pytest.approx(kind.stand)
            assert hand.error(6, loo) == pytest.approx(kind.stand_se, abs=1e-9)


def test_where_the_loo_is_the_pot_its_size_cancels(runs):
    game = runs["unlimited"]
    spot = strategy.spots(game)[0]
    exhibit = break_even.break_even_exhibit(game, spot)
    kinds = values.kinds_at(game, spot)
    assert "as much as is in it, so that its size cancels" in break_even.how_the_pot_counts(game)
    assert "opponents are held to what they do at the pot played, 6" in (
        break_even.how_the_pot_counts(game)
    )
    assert kinds["surplus"].to_list() == pytest.approx((kinds["stand"] / 6).to_list())
    # A dot a row, at the value in parts of the pot, with its interval.
    ticks = scale(exhibit.svg)
    drawn = list(intervals(exhibit.svg, "#0072b2").values())
    assert len(drawn) == len(kinds)
    for (low, middle, high), kind in zip(drawn, each(kinds), strict=True):
        assert at(middle, ticks) == pytest.approx(kind.surplus, abs=2e-3)
        assert at(high, ticks) - at(low, ticks) == pytest.approx(
            2 * Z95 * kind.surplus_se, abs=2e-3
        )
    entries = {entry for line in crib.crib(game, [spot]).rows for entry in line[1:]}
    assert entries <= {"stand", "no", "too close", "–"}
    assert {"stand", "no"} <= entries


def test_a_bound_of_the_loo_is_told(tmp_path):
    rules = cell()["rules"] | {"loo": "pot", "loo_cap": 12}
    table = announce_table(seats=[0])
    game = read_result(write_result(tmp_path, [cell(rules=rules)], {"announce": table})).cells[0]
    assert "The loo is 12 stakes at most" in break_even.how_the_pot_counts(game)


# By band: looed, mean tricks; the pots that break even at a loo of 3 are 9 looed / tricks.
LOOED_OF_BAND = (0.0, 0.0, 0.1, 0.2, 0.33, 0.0, 0.35, 0.5, 0.6, 0.6, 0.6, 0.7, 0.8)
TRICKS_OF_BAND = (2.0, 2.0, 1.6, 1.4, 1.0, 1.6, 1.0, 0.75, 0.6, 0.5, 0.45, 0.4, 0.2)


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    """A game in which all hands of a band are looed alike and win alike."""
    table = announce_table(seats=[0], deals=2_000_000)
    band = features(52)["band"].loc[table["hand"]].to_numpy()
    looed, tricks = np.array(LOOED_OF_BAND)[band], np.array(TRICKS_OF_BAND)[band]
    table["stand_loo"], table["stand_tricks"] = looed, tricks
    table["stand_loo_se"] = np.sqrt(looed * (1 - looed) / table["n"])
    table["stand_tricks_se"] = 0.7 / np.sqrt(table["n"])
    folder = tmp_path_factory.mktemp("told")
    return read_result(write_result(folder, [cell()], {"announce": table})).cells[0]


@pytest.fixture(scope="module")
def exhibit(game):
    return break_even.break_even_exhibit(game, strategy.spots(game)[0])


class TestTold:
    def test_pots_of_the_table(self, exhibit):
        assert [line[0] for line in exhibit.numbers.rows] == list(BANDS)
        for line, looed, tricks in zip(
            exhibit.numbers.rows, LOOED_OF_BAND, TRICKS_OF_BAND, strict=True
        ):
            told = line[-1]
            assert float(told.split(" (")[0]) == pytest.approx(9 * looed / tricks, abs=0.06)
            low, high = map(float, told.split(" (")[1].rstrip(")").split(" to "))
            assert low <= 9 * looed / tricks <= high + 1e-9

    def test_caption_names_hands_for_every_pot_and_the_largest_pot(self, exhibit):
        # 9 * 0.33 / 1.0 = 2.97 is below the dealer's 3 stakes, but the end of its interval is not.
        assert exhibit.caption.startswith(
            "For seat 0 (first to speak), with three trumps, two trumps (top A, top K–Q or top "
            "J–9) and one trump (A) standing pays at every pot; it breaks even at a pot of 2.97"
        )
        assert "stakes with two trumps (top 8 or less) and 36.0" in exhibit.caption
        assert "with no trump (ten high or less), with other kinds between" in exhibit.caption
        assert "Fieller" in exhibit.caption

    def test_marks_stand_where_the_lines_cross_0(self, game, exhibit):
        kinds = break_even.break_even_pots(
            game, values.kinds_at(game, strategy.spots(game)[0])
        ).set_index("band")
        # Bands of the three panels, from above.
        for panel, bands in enumerate((range(5), range(5, 9), range(9, 13))):
            for band, (colour, *_) in zip(bands, LINES, strict=False):
                (zero, places) = list(intervals(exhibit.svg, colour).items())[panel]
                ticks = scale(exhibit.svg, zero)
                width = ticks[-1][0] - ticks[0][0]
                shown = [at(place, ticks) for place in places]
                told = kinds.loc[band, ["low", "pot", "high"]].to_list()
                assert shown == pytest.approx(told, abs=1e-4 * width)

    def test_a_line_goes_through_the_loo_and_the_pot_that_breaks_even(self, game):
        figure = break_even.draw_break_even(
            game, break_even.break_even_pots(game, values.kinds_at(game, strategy.spots(game)[0]))
        )
        # The first line of the last panel, no trump with an ace: 0.6 looed, half a trick.
        line = next(
            line
            for line in figure.axes[2].lines
            if line.get_color() == LINES[0][0] and len(line.get_xdata()) == 2
        )
        (left, right), (low, high) = line.get_xdata(), line.get_ydata()
        assert (left, low) == pytest.approx((0, -3 * 0.6))
        assert high == pytest.approx(right * 0.5 / 3 - 1.8)

    def test_what_is_held_fixed_is_said(self, game):
        told = break_even.how_the_pot_counts(game)
        assert "opponents are held to what they do at the pot played, 3 stakes" in told
        assert "3 × 3 × chance of being looed / tricks" in told

    def test_crib(self, game):
        table = crib.crib(game, strategy.spots(game))
        assert table.columns == (
            "top card",
            "seat 0: two trumps",
            "seat 0: one trump",
            "seat 0: no trump",
        )
        lines = {line[0]: line[1:] for line in table.rows}
        assert lines["A"][:2] == ("any", "any")
        below, above = map(float, lines["8"][1].split(" – "))
        # One trump, eight or less: 9 * 0.6 / 0.6.
        assert below < 9 < above
        assert above - below < 1
        # The lowest trump is turned up, so that no live one counts as a two.
        assert lines["2"][:2] == ("–", "–")
        assert "With three trumps, seat 0: any" in table.caption


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (6.87, 7.12, "6.8 – 7.2"),
        (6.8, 7.2, "6.8 – 7.2"),
        (11.47, 12.32, "11.4 – 12.4"),
        (61, 108, "60 – 110"),
        # The half-width alone would round the lower end to 0.
        (61, 380, "60 – 380"),
        (213.0, inf, "200 – ?"),
        (0.0, 3.2, "0 – 4"),
        (1.0, 2.9, "any"),
        (0.0, 3.0, "any"),
        (0.0, inf, "–"),
        (nan, nan, "–"),
    ],
)
def test_crib_entries_are_rounded_outwards(low, high, told):
    assert crib._pots_in_words(low, high, 3.0) == told


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        # Half-widths 0.0976, which rounds to 0.10, 0.0392 and 8.
        ((6.98341, 6.8872, 7.0824), "6.98 (6.89 to 7.08)"),
        ((12.3, 12.26, 12.3384), "12.30 (12.26 to 12.34)"),
        ((103.6, 96.2, 112.2), "104 (96 to 112)"),
        ((591.4, 202.4, inf), "590 (200 or more)"),
        ((5.914, 0.2024, inf), "5.91 (0.20 or more)"),
        ((inf, 202.4, inf), "200 or more"),
        ((nan, nan, nan), "–"),
        ((2.7, 2.7, 2.7), "2.70 (2.70 to 2.70)"),
    ],
)
def test_numbers_with_the_ends_of_their_interval(ends, told):
    assert with_ends(*ends) == told


@pytest.mark.parametrize(
    ("surplus", "error", "n", "verdict"),
    [
        (0.2, 0.1, 5000, "stand"),
        (0.19, 0.1, 5000, "too close"),
        (-0.2, 0.1, 5000, "no"),
        (0.2, 0.1, 29, "–"),
        (0.2, nan, 5000, "too close"),
    ],
)
def test_verdicts_where_the_loo_is_the_pot(surplus, error, n, verdict):
    assert break_even.verdict(surplus, error, n) == verdict


def test_a_pot_of_which_little_is_known_does_not_squeeze_the_others(game):
    kinds = break_even.break_even_pots(game, values.kinds_at(game, strategy.spots(game)[0]))
    kinds.loc[kinds["band"] == 12, ["pot", "high"]] = [900.0, inf]
    figure = break_even.draw_break_even(game, kinds)
    # The next largest pot of hands without a trump is 9 * 0.7 / 0.4 = 15.75.
    assert 15.75 < figure.axes[2].get_xlim()[1] < 25


def test_kinds_that_surely_pay_at_no_pot_are_told_apart(tmp_path):
    table = announce_table(seats=[0], deals=20_000)
    none = features(52)["trumps"].loc[table["hand"]].to_numpy() == 0
    # Hands without a trump win a trick in 300 deals, give or take one in 300.
    for name, chance in (("stand_loo", 0.99), ("stand_tricks", 1 / 300)):
        table.loc[none, name] = chance
    table.loc[none, "stand_loo_se"] = 0.1 / np.sqrt(table.loc[none, "n"])
    table.loc[none, "stand_tricks_se"] = 1 / np.sqrt(table.loc[none, "n"])
    game = read_result(write_result(tmp_path, [cell()], {"announce": table})).cells[0]
    spot = strategy.spots(game)[0]
    kinds = break_even.break_even_pots(game, values.kinds_at(game, spot))
    told = break_even.where_standing_pays(game, spot, kinds)
    # The sample is looed in 0.3 of the deals with all other hands, and wins one trick: 2.7 stakes.
    assert "it breaks even at a pot of 2.7" in told
    assert "with no trump it pays at no pot surely (95 %" in told
