"""What the exhibits show is worked out of the tables as by hand."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from report_samples import DEALS, announce_table, cell, deals_tables, write_result

from loo_sim.cards import hand_classes
from loo_sim.report import miss, seats, strategy, style, swings
from loo_sim.report.hands import BANDS, GRIDS, SAMPLES, features, in_words
from loo_sim.report.pooling import decide
from loo_sim.report.result import Cell, read_result


def first_cell(path, tables, **changes) -> Cell:
    return read_result(write_result(path, [cell(**changes)], tables)).cells[0]


def row(n=1000, stand=1.0, stand_se=0.1, miss=0.5, miss_se=0.1, paired_se=0.05, defend=False):
    """A row of the announce table with the miss on offer."""
    return {
        "seat": 0,
        "n": n,
        "weight": 0.1,
        "stand": stand,
        "stand_se": stand_se,
        "miss": miss,
        "miss_se": miss_se,
        "miss_minus_stand": miss - stand,
        "miss_minus_stand_se": paired_se,
        "can_defend": defend,
    }


class TestHands:
    def test_kinds_of_the_whole_pack(self):
        counts = features(52)["trumps"].value_counts()
        assert counts.to_dict() == {3: 220, 2: 858, 1: 2028, 0: 1755}
        # 12 x 13 squares; pairs of 13 ranks with repetition; pairs of 12 ranks without.
        squares = (
            features(52)
            .groupby("trumps")[["row", "col"]]
            .apply(lambda f: len(set(map(tuple, f.to_numpy()))))
        )
        assert squares[[1, 0, 2]].to_list() == [156, 91, 66]

    @pytest.mark.parametrize(
        ("hand", "trumps", "row", "col", "band"),
        [
            ("As7sKh", 2, 14, 7, "two trumps, top A"),
            ("9s8sKh", 2, 9, 8, "two trumps, top J–9"),
            ("QsTh9d", 1, 12, 10, "one trump, K–Q"),
            ("8sAhAd", 1, 8, 14, "one trump, 8 or less"),
            ("KhQdJc", 0, 13, 12, "no trump, king high"),
            ("KhKdJc", 0, 13, 13, "no trump, king high"),
            ("Th9d8c", 0, 10, 9, "no trump, ten high or less"),
            ("AsKsQs", 3, 0, 0, "three trumps"),
        ],
    )
    def test_what_is_read_off_a_hand(self, hand, trumps, row, col, band):
        for deck in (52, 32):
            found = features(deck).loc[hand] if hand in features(deck).index else None
            if found is not None:
                assert (found["trumps"], found["row"], found["col"]) == (trumps, row, col)
                assert BANDS[found["band"]] == band
        assert hand in features(52).index

    def test_chosen_hands_are_classes_of_both_packs(self):
        for deck in (52, 32):
            assert set(SAMPLES) <= set(hand_classes(deck).names)

    def test_hands_in_words(self):
        assert in_words("AsTsKh") == "A♠ 10♠ K♥"


class TestDecide:
    @pytest.mark.parametrize(
        ("changes", "best", "margin", "error", "sure"),
        [
            # stand 1.0, miss 0.5, fold 0: next is the miss, 0.5 with the paired error.
            ({}, "stand", 0.5, 0.05, True),
            ({"paired_se": 0.3}, "stand", 0.5, 0.3, False),
            # The next is sure (paired), but folding is not excluded.
            ({"stand": 0.15, "miss": 0.1, "paired_se": 0.001}, "stand", 0.05, 0.001, False),
            ({"stand": -1.0, "miss": 0.5}, "miss", 0.5, 0.1, True),
            ({"stand": -1.0, "miss": 0.15}, "miss", 0.15, 0.1, False),
            ({"stand": 0.4, "miss": 0.9}, "miss", 0.5, 0.05, True),
            ({"stand": -1.0, "miss": -0.5}, "fold", 0.5, 0.1, True),
            ({"stand": -1.0, "miss": -0.15}, "fold", 0.15, 0.1, False),
            ({"stand": -1.0, "miss": -0.5, "defend": True}, "defend", 0.5, 0.1, True),
            # Too few deals are noise however alike they were.
            ({"n": 29, "stand_se": 0.0, "paired_se": 0.0}, "stand", 0.5, 0.0, False),
            ({"n": 30, "stand_se": 0.0, "paired_se": 0.0}, "stand", 0.5, 0.0, True),
        ],
    )
    def test_best_and_margin(self, changes, best, margin, error, sure):
        found = decide(pd.DataFrame([row(**changes)]), ["seat"]).iloc[0]
        assert found["best"] == best
        assert found["margin"] == pytest.approx(margin)
        assert found["margin_se"] == pytest.approx(error)
        assert bool(found["sure"]) is sure

    def test_pooled_as_one_sample(self):
        rng = np.random.default_rng(5)
        samples = [rng.normal(loc, 1, size) for loc, size in ((1.0, 40), (3.0, 60), (-2.0, 1))]
        table = pd.DataFrame(
            [
                row(len(s), s.mean(), s.std(ddof=1) / len(s) ** 0.5 if len(s) > 1 else np.nan)
                for s in samples
            ]
        )
        found = decide(table, ["seat"]).iloc[0]
        together = np.concatenate(samples)
        assert found["n"] == 101
        assert found["stand"] == pytest.approx(together.mean())
        assert found["stand_se"] == pytest.approx(together.std(ddof=1) / 101**0.5)


class TestDeals:
    def test_the_cost_of_the_deal_stands_apart(self, tmp_path):
        played = first_cell(tmp_path, deals_tables(), rules=cell()["rules"] | {"ante": 1})
        values = seats.seat_values(played)
        assert values["put_in"].to_list() == [1, 1, 1, 1, 1, 3]
        assert values["after"].to_list() == pytest.approx([-1.0, -0.9, -0.8, -0.7, -0.6, -2.5])
        assert values["to_speak"].to_list() == [5, 4, 3, 2, 1, 0]

    def test_the_seat_that_takes_most(self, tmp_path):
        sentence = seats.compare_seats(first_cell(tmp_path, deals_tables()))
        # 1.96 * 0.004 = 0.0078; the errors of two seats are added: 1.96 * 0.008 = 0.0157
        assert "the dealer takes most, 0.500 ± 0.008 stakes a deal" in sentence
        assert "0.500 ± 0.016 more than seat 0" in sentence
        assert "costs the dealer 2.500 ± 0.008 stakes" in sentence

    def test_alike_seats_are_too_close_to_call(self, tmp_path):
        tables = deals_tables()
        tables["deals"]["net"] = 0.2 + 0.001 * np.arange(6)
        assert "too close to call" in seats.compare_seats(first_cell(tmp_path, tables))

    def test_mean_swing(self, tmp_path):
        played = first_cell(tmp_path, deals_tables())
        # -3 .4, 0 .3, 3 .2, 6 .1: mean 0, mean square 3.6 + 1.8 + 3.6 = 9
        mean, error = swings.mean_swing(played)
        assert mean == pytest.approx(0)
        assert error == pytest.approx((9 / (DEALS - 1)) ** 0.5)
        assert "too close to call" in swings.compare_with_zero(played)

    def test_a_pot_that_grows(self, tmp_path):
        tables = deals_tables()
        tables["swings"]["pot_swing"] += 1.0
        sentence = swings.compare_with_zero(first_cell(tmp_path, tables))
        # 1.96 * sqrt(9 / 200,000) = 0.0131; larger after 0.3 + 0.2 + 0.1 = 60 % of deals
        assert "grows by 1.000 ± 0.013 stakes" in sentence
        assert "larger after 60.0 ± 0.2 %" in sentence

    @pytest.mark.parametrize(
        ("shifts", "first", "second"),
        [
            # The mean is the shift; the errors of two games, 1.96 * sqrt(2 * 9 / 200,000) = 0.0186.
            ((1, 2), "grows most with a pot of 4, by 2.000 ± 0.013", "least"),
            ((-1, 2), "grows most with a pot of 4, by 2.000 ± 0.013", "shrinks most"),
            ((-2, -1), "shrinks least with a pot of 4, by 1.000 ± 0.013", "most"),
        ],
    )  # fmt: skip
    def test_pots_that_change_differently(self, tmp_path, shifts, first, second):
        games, parts = [], []
        for pot, shift in zip((3, 4), shifts, strict=True):
            games.append(cell({"pot": pot}, pot=float(pot)))
            parts.append(deals_tables(axes={"pot": pot}))
            parts[-1]["swings"]["pot_swing"] += shift
        tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
        result = read_result(write_result(tmp_path, games, tables))
        sentence = swings.compare_means(list(result.cells))
        assert sentence.startswith(f"The pot {first} stakes a deal on average, and {second} with")
        assert f"lie {shifts[1] - shifts[0]}.000 ± 0.019 stakes apart" in sentence

    def test_pots_taken_without_play(self, tmp_path):
        sentence = swings.no_play(first_cell(tmp_path, deals_tables()))
        # five seats at 1 % and the dealer at 5 %; six seats looed at 8 %
        assert sentence.startswith("In 10.00 ± 0.13 % of the deals")
        assert "0.48 players are looed" in sentence

    def test_announcements_and_silence_are_all_there_is(self, tmp_path):
        shares = seats.announcements(first_cell(tmp_path, deals_tables()))
        assert shares["silent"].to_list() == pytest.approx([0, 0, 0, 0, 0, 0.05])


@pytest.fixture(scope="module")
def game(tmp_path_factory) -> Cell:
    table = announce_table(seats=[0, 4, 5], deals=8_000_000)
    return first_cell(tmp_path_factory.mktemp("miss"), {"announce": table})


class TestMiss:
    def test_map_pools_each_band_with_the_weights_of_its_hands(self, game):
        values = miss.miss_map(game)
        table = game.tables["announce"].join(features(52), on="hand")
        of_band = table[(table["seat"] == 4) & table["miss_free"] & (table["standers"] >= 2)]
        of_band = of_band[of_band["band"] == 6]
        expected = np.average(of_band["miss_minus_stand"], weights=of_band["n"])
        found = values[
            (values["seat"] == 4)
            & (values["others"] == 2)
            & (values["band"] == 6)
            & (values["contrast"] == "miss_minus_stand")
        ]
        assert len(found) == 1
        assert found["value"].item() == pytest.approx(expected)
        assert found["n"].item() == of_band["n"].sum()

    def test_noise_is_what_the_interval_says(self, game):
        values = miss.miss_map(game)
        inside = values["value"].abs() <= 1.959964 * values["value_se"]
        assert inside.any()
        assert (~inside).any()
        assert (values["sure"] == ~inside)[values["n"] >= 30].all()

    def test_worth_of_the_offer(self, game):
        worth = miss.offer_worth(game).set_index("seat")
        # Seat 0: the miss always nets -0.3, less than folding.
        assert worth.loc[0, "worth"] == 0
        # Seat 4 nets +0.1 by the miss if nobody is in, 0 or less otherwise.
        assert 0 < worth.loc[4, "worth"] < 0.1
        assert 0 < worth.loc[4, "taken"] < 1
        rows = miss.on_offer(game)
        kinds = decide(rows[rows["seat"] == 4], ["standers", "trumps", "row", "col"])
        taken = kinds[kinds["sure"] & (kinds["miss"] > 0) & (kinds["miss_minus_stand"] > 0)]
        gain = taken["n"] * np.minimum(taken["miss"], taken["miss_minus_stand"])
        assert worth.loc[4, "worth"] == pytest.approx(gain.sum() / kinds["n"].sum())


class TestStrategy:
    def test_spots(self, tmp_path):
        game = first_cell(tmp_path, {"announce": announce_table(seats=[0, 5])})
        # The sample has most deals where one is in before the dealer.
        assert [(spot.seat, spot.standers) for spot in strategy.spots(game)] == [(0, 0), (5, 1)]

    def test_matrix_has_every_kind_once(self, tmp_path):
        game = first_cell(tmp_path, {"announce": announce_table(seats=[0])})
        kinds = strategy.matrix(game, strategy.spots(game)[0])
        assert kinds.groupby("trumps").size().to_dict() == {0: 91, 1: 156, 2: 66, 3: 1}
        assert kinds["n"].sum() == game.tables["announce"]["n"].sum()
        shares = strategy.shares(kinds)
        assert shares.sum() == pytest.approx(1)
        # The sample stands on an ace of trumps and never takes the miss from the first seat.
        assert set(kinds[(kinds["trumps"] == 1) & (kinds["row"] == 14)]["best"]) == {"stand"}
        assert "miss" not in set(kinds["best"])

    def test_every_square_is_drawn_in_its_colour_with_its_margin(self, tmp_path):
        game = first_cell(tmp_path, {"announce": announce_table(seats=[0])})
        spot = strategy.spots(game)[0]
        kinds = strategy.matrix(game, spot)
        for trumps in GRIDS:
            chosen = kinds[kinds["trumps"] == trumps]
            svg = strategy.grid_exhibit(game, spot, kinds, trumps).svg
            texts = pd.Series(pd.Series(svg).str.extractall(r">([SMDF] \d+\.\d\d)<")[0])
            letters = chosen["best"].map({"stand": "S", "fold": "F"})
            expected = letters + chosen["margin"].map(lambda margin: f" {margin:.2f}")
            assert sorted(texts) == sorted(expected)
            assert svg.count("fill: #004488") == (chosen["best"] == "stand").sum()
            hatched = svg.count("fill: url(#")
            assert hatched == (~chosen["sure"]).sum()
            assert trumps != 1 or 0 < hatched < len(chosen)


def test_a_map_shows_its_texts_in_a_picture_too():
    def dark_pixels(text: str) -> int:
        with style.drawing("picture"):
            figure = style.map_figure(1.0)
            axes = style.map_axes(figure, (0, 0, style.WIDTH, 1.0))
            axes.set_axis_off()
            square = style.Square(0, 0, "#ffffff", "#000000", text, False)
            style.draw_squares(axes, [square], 1, 1, 12)
            pixels = io.BytesIO()
            figure.savefig(pixels, format="raw", dpi=50)
        return int((np.frombuffer(pixels.getvalue(), np.uint8).reshape(-1, 4)[:, 0] < 100).sum())

    assert dark_pixels("") == 0
    # At 12 points and 50 dots to the inch a figure is about 6 pixels high.
    assert 10 < dark_pixels("M") < dark_pixels("M 0.07")
