"""What each announcement is worth, and the chance of being looed: figures, words and charts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from report_samples import announce_table, cell, deals_tables, page_of, write_result
from svg_reading import at, intervals, scale

from loo_sim.report import looed, strategy, values
from loo_sim.report.hands import BANDS, features
from loo_sim.report.result import read_result
from loo_sim.report.style import ACTIONS
from loo_sim.studies.estimates import Z95

DEALS = 2_000_000
SEAT_0 = strategy.Spot(0, 0, True, "first", "seat 0", "seat 0 (first to speak)")

LOOED = (0.01, 0.0, 0.1, 0.2, 0.35, 0.0, 0.399, 0.55, 0.65, 0.6, 0.65, 0.7, 0.8)
"""Chance of being looed by standing, by band; by the miss it is 0.4 whatever the hand."""


def game_of(folder, table, **changes):
    result = write_result(folder, [cell(deals=DEALS)], {"announce": table}, **changes)
    return read_result(result).cells[0]


def announced():
    """A table of seat 0, and the band of each of its hands."""
    table = announce_table(seats=[0], deals=DEALS)
    band = features(52)["band"].loc[table["hand"]].to_numpy()
    chance = np.array(LOOED)[band]
    return table.assign(
        stand_loo=chance, stand_loo_se=np.sqrt(chance * (1 - chance) / table["n"])
    ), band


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    return game_of(tmp_path_factory.mktemp("values"), announced()[0])


def wilson_ends(share, n):
    """The roots of ``(share - p)^2 = z^2 p (1 - p) / n``."""
    z = Z95**2 / n
    return sorted(np.roots([1 + z, -2 * share - z, share**2]).real)


class TestWords:
    @pytest.mark.parametrize(
        ("bands", "words"),
        [
            ([0], "three trumps"),
            ([6], "one trump (K–Q)"),
            ([0, 1, 2, 3, 4], "three trumps and two trumps"),
            ([2, 5, 6, 12],
             "two trumps (top K–Q), one trump (A or K–Q) and no trump (ten high or less)"),
            ([9, 10, 11, 12], "no trump"),
        ],
    )  # fmt: skip
    def test_kinds_of_hands(self, bands, words):
        assert values.in_prose(bands) == words

    def test_how_the_kinds_divide(self, game):
        # The sample's values of standing are far above 0 down to one trump with K-Q, but for two
        # trumps with 8 or less, and the miss nets -0.3.
        kinds = values.kinds_at(game, SEAT_0)
        stands = (kinds["stand"] > Z95 * kinds["stand_se"]).sum()
        folds = (kinds["stand"] < -Z95 * kinds["stand_se"]).sum()
        assert stands + folds == 13
        assert 0 < stands < 13
        assert values.divide(game, SEAT_0) == (
            "For seat 0 (first to speak), of 13 kinds of hands, standing with "
            f"{stands} and folding with {folds} surely pays best."
        )

    def test_what_is_too_close_to_call_is_said(self, tmp_path):
        table = announced()[0]
        unsure = game_of(tmp_path, table.assign(stand=0.0, stand_se=9.0, miss_se=9.0))
        assert values.divide(unsure, SEAT_0) == (
            "For seat 0 (first to speak) it is too close to call with every kind of hand."
        )


class TestTables:
    def test_figures_of_standing(self, game):
        stand, _ = values.value_tables(game, SEAT_0)
        assert [line[0] for line in stand.rows] == list(BANDS)
        line = dict(zip(stand.columns, stand.rows[0], strict=True))
        rows = game.tables["announce"]
        rows = rows[rows["hand"].map(features(52)["trumps"]) == 3]
        n = rows["n"].sum()
        # The error of a share of two million deals.
        error = 100 * np.sqrt(n / DEALS * (1 - n / DEALS) / DEALS)
        assert line["share"] == f"{100 * n / DEALS:.4f}({10_000 * error:.0f}) %"
        assert line["deals"] == f"{n:,}"
        assert line["looed"] == f"1.000({1000 * 100 * np.sqrt(0.0099 / n):.0f}) %"
        # Never in n deals: 1 - 0.05^(1/n), about 3/n.
        assert line["whole pot"] == f"< {100 * 2.9957 / n:.3f} %"
        mean = (rows["stand"] * rows["n"]).sum() / n
        assert line["value"].startswith(f"{mean:.3f}")

    def test_figures_of_the_miss(self, game):
        _, miss = values.value_tables(game, SEAT_0)
        line = dict(zip(miss.columns, miss.rows[-1], strict=True))
        assert line["value"].startswith("−0.300")
        assert line["looed"].startswith("40.0")
        assert line["tricks"].startswith("0.80")
        assert line["best"] == "fold"
        assert miss.rows[0][-1] == "stand"

    def test_only_the_dealer_is_told_of_defending(self, tmp_path):
        table = announce_table(seats=[0, 5], deals=DEALS)
        table = table.assign(miss=-1.0, miss_minus_stand=-1.0 - table["stand"])
        game = game_of(tmp_path, table)
        first, dealer = (values.value_tables(game, spot) for spot in strategy.spots(game))
        assert "folding is worth exactly 0" in first[0].caption
        assert "folding and defending are worth exactly 0" in dealer[0].caption
        assert dealer[1].rows[-1][-1] == "defend"


class TestAimed:
    """Where deals were aimed at hands, a hand counts by its weight and not by its deals."""

    @pytest.fixture
    def kinds(self, tmp_path):
        table, _ = announced()
        two = table[table["hand"].isin(["AsKhKd", "AsKhQh"])].copy()
        two = two.assign(n=[400, 400], weight=[0.0006, 0.0002], weight_se=1e-6)
        two["stand_loo"], two["miss_loo"] = [0.2, 0.6], [0.0, 0.0]
        two["stand_loo_se"], two["miss_loo_se"] = [0.02, 0.0245], [0.0, 0.0]
        game = game_of(tmp_path, two, experiment={"aim": {"seat": 0}})
        return values.kinds_at(game, SEAT_0).iloc[0]

    def test_deals_that_would_give_the_same_error(self, kinds):
        assert kinds["stand_loo"] == pytest.approx(0.75 * 0.2 + 0.25 * 0.6)
        # Errors of the hands by their weights; those of the weights add next to nothing.
        error = np.hypot(0.75 * 0.02, 0.25 * 0.0245)
        assert kinds["stand_loo_n"] == pytest.approx(0.3 * 0.7 / error**2, rel=1e-3)

    def test_a_share_of_none_counts_as_many_deals_as_weigh_alike(self, kinds):
        # Kish: (0.75 + 0.25)^2 / (0.75^2 / 400 + 0.25^2 / 400)
        assert kinds["miss_loo_n"] == pytest.approx(400 / (0.75**2 + 0.25**2))

    def test_error_of_the_weight(self, kinds):
        assert kinds["weight_se"] == pytest.approx(2**0.5 * 1e-6)


class TestLooed:
    def test_wilson_ends_of_each_kind(self, game):
        chances = looed.looed_by_kind(game, SEAT_0)
        own = chances[chances["announced"] == "stand"]
        assert own["looed"].to_list() == pytest.approx(LOOED)
        assert set(chances.loc[chances["announced"] == "miss", "looed"].round(9)) == {0.4}
        for chance in own.itertuples():
            assert [chance.low, chance.high] == pytest.approx(
                wilson_ends(chance.looed, chance.n), abs=1e-9
            )

    def test_dots_and_ends_stand_at_their_shares(self, game):
        chances = looed.looed_by_kind(game, SEAT_0)
        svg = looed.looed_exhibit(game, SEAT_0).svg
        ticks = scale(svg)
        for announced_as in ("stand", "miss"):
            drawn = list(intervals(svg, ACTIONS[announced_as].colour).values())
            told = chances[chances["announced"] == announced_as]
            assert len(drawn) == len(BANDS)
            for places, row in zip(drawn, told.itertuples(), strict=True):
                shown = [at(place, ticks) for place in places]
                assert shown == pytest.approx([row.low, row.looed, row.high], abs=1e-4)
        assert svg.count(">S<") == svg.count(">M<") == len(BANDS)

    def test_caption_says_which_is_safer(self, game):
        caption = looed.looed_exhibit(game, SEAT_0).caption
        assert caption.startswith(
            "For seat 0 (first to speak), standing he is looed surely less often than on the miss "
            "with three trumps, two trumps and one trump (A); surely more often with one trump "
            "(J–9 or 8 or less) and no trump; it is too close to call with one trump (K–Q)."
        )

    def test_numbers_have_both_ends(self, game):
        numbers = looed.looed_exhibit(game, SEAT_0).numbers
        line = dict(zip(numbers.columns, numbers.rows[2], strict=True))
        n = int(line["deals"].replace(",", ""))
        assert (line["hand"], line["plays"]) == (BANDS[1], "his own hand")
        # Never looed: Wilson's upper end is z^2 / (n + z^2).
        low, high = line["interval"].removesuffix(" %").split(" (")[1].rstrip(")").split(" to ")
        assert float(low) == 0
        assert float(high) == pytest.approx(100 * Z95**2 / (n + Z95**2), rel=0.05)


class TestLooedBySeat:
    @pytest.fixture
    def cell_of_deals(self, tmp_path):
        tables = deals_tables()
        # Seat 0 is looed in half of the deals in which it is in.
        tables["deals"].loc[0, "looed"] = 0.125
        return read_result(write_result(tmp_path, [cell()], tables)).cells[0]

    def test_share_of_the_deals_in_which_a_seat_was_in(self, cell_of_deals):
        seats = looed.looed_by_seat(cell_of_deals)
        # In are those who stood, 0.20, or took the miss, 0.05, of 200,000 deals.
        assert seats["of"].to_list() == [50_000] * 6
        assert seats["looed"].to_list() == pytest.approx([0.5] + [0.32] * 5)
        for row in seats.itertuples():
            assert [row.low, row.high] == pytest.approx(wilson_ends(row.looed, 50_000))

    def test_dots_and_caption(self, cell_of_deals):
        exhibit = looed.seat_exhibit(cell_of_deals)
        # 1.96 * sqrt(0.5 * 0.5 / 50,000) = 0.44 %
        assert "highest for seat 0 (50.0 ± 0.4 %)" in exhibit.caption
        assert "lowest in one of 5 seats (too close to call)" in exhibit.caption
        ticks = scale(exhibit.svg)
        middles = [at(place[1], ticks) for place in intervals(exhibit.svg, "#0072b2").values()]
        assert middles == pytest.approx([0.5] + [0.32] * 5, abs=1e-4)

    def test_where_nobody_is_ever_in_there_is_none(self, tmp_path):
        tables = deals_tables()
        tables["deals"] = tables["deals"].assign(stood=0.0, took_miss=0.0, looed=0.0)
        silent = read_result(write_result(tmp_path, [cell()], tables)).cells[0]
        assert looed.seat_exhibit(silent) is None


def test_a_page_has_the_section_with_its_crib_and_tables(tmp_path):
    table = announce_table(seats=[0, 5], deals=DEALS)
    page = page_of(write_result(tmp_path, [cell(deals=DEALS)], {"announce": table}))
    assert "What each choice is worth: 6 players" in page.text
    for what in ("Crib: when to stand", "Seat 0: standing.", "Dealer, 1 in: taking the miss"):
        assert what in page.text
    for what in ("How large the pot must be to stand", "How safe the hand is"):
        for where in ("seat 0", "dealer, 1 in"):
            assert f"{what}: {where}, 6 players" in page.text


def test_without_the_miss_on_offer_there_is_no_such_section(tmp_path):
    table = announce_table(seats=[3], deals=50_000)
    gone = pd.DataFrame(table[~table["miss_free"].astype(bool)])
    page = page_of(write_result(tmp_path, [cell()], {"announce": gone}))
    assert "What each choice is worth" not in page.text
