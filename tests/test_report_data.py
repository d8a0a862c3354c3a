"""What the exhibits show is worked out of the tables as by hand."""

from __future__ import annotations

import io
import re

import numpy as np
import pandas as pd
import pytest
from report_samples import DEALS, announce_table, cell, deals_tables, write_result

from loo_sim.cards import hand_classes
from loo_sim.report import miss, seats, strategy, style, swings
from loo_sim.report.exhibit import each
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
        "aimed": False,
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

    def test_rows_of_aimed_deals_are_pooled_by_weight(self):
        # As many deals of each hand, of which the first comes up three times as often.
        rows = [row(stand=2.0), row(stand=-2.0)]
        table = pd.DataFrame(rows).assign(weight=[0.3, 0.1], weight_se=[0.0, 0.0], aimed=True)
        found = decide(table, ["seat"]).iloc[0]
        assert found["stand"] == pytest.approx(1.0)
        # sqrt(0.3^2 0.1^2 + 0.1^2 0.1^2) / 0.4
        assert found["stand_se"] == pytest.approx(0.1 * 0.1**0.5 / 0.4)

    def test_rows_of_plain_deals_are_pooled_by_deals_though_their_weights_have_errors(self):
        rows = [row(stand=2.0), row(stand=-2.0)]
        table = pd.DataFrame(rows).assign(weight=[0.3, 0.1], weight_se=[0.01, 0.01])
        assert decide(table, ["seat"]).iloc[0]["stand"] == pytest.approx(0.0)

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

    def test_the_seats_that_take_most_and_least(self, tmp_path):
        sentence = seats.compare_seats(first_cell(tmp_path, deals_tables()))
        # 1.96 * 0.004 = 0.0078
        assert "highest for the dealer (0.500 ± 0.008 stakes)" in sentence
        assert "lowest for seat 0 (0.000 ± 0.008 stakes)" in sentence
        assert "costs the dealer 2.500 ± 0.008 stakes" in sentence

    def test_no_seat_takes_most_that_is_not_told_apart_from_the_next(self, tmp_path):
        tables = deals_tables()
        # Seats 4 and 5 lie 0.02 apart: less than 2.576 * (0.004 + 0.004) = 0.0206.
        tables["deals"]["net"] = [0.0, 0.1, 0.2, 0.3, 0.48, 0.5]
        sentence = seats.compare_seats(first_cell(tmp_path, tables))
        assert (
            "highest for the dealer (0.500 ± 0.008 stakes) or for seat 4 (0.480 ± 0.008 stakes) "
            "(too close to call) and lowest for seat 0 (" in sentence
        )

    def test_alike_seats_are_too_close_to_call(self, tmp_path):
        tables = deals_tables()
        tables["deals"]["net"] = 0.2 + 0.001 * np.arange(6)
        sentence = seats.compare_seats(first_cell(tmp_path, tables))
        assert "is too close to call between the 6 seats." in sentence
        assert "est for" not in sentence

    def test_what_only_the_dealer_can_do_has_no_share_elsewhere(self, tmp_path):
        rows = seats.announcement_exhibit(first_cell(tmp_path, deals_tables())).numbers.rows
        # sqrt(0.3 * 0.7 / 200,000) = 0.102 %, sqrt(0.05 * 0.95 / 200,000) = 0.0487 %
        assert [rows[0][3], rows[0][5]] == ["–", "–"]
        assert [rows[-1][3], rows[-1][5]] == ["30.00(10) %", "5.000(49) %"]

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

    def test_mean_swing_of_a_few_deals_is_that_of_the_sample(self, tmp_path):
        tables = deals_tables()
        sample = [-3.0] * 4 + [0.0] * 3 + [3.0] * 2 + [6.0]
        tables["swings"]["n"] = [4, 3, 2, 1]
        played = first_cell(tmp_path, tables, deals=10)
        expected = np.std(sample, ddof=1) / 10**0.5
        assert swings.mean_swing(played) == pytest.approx((0, expected))

    def test_one_deal_has_no_error(self, tmp_path):
        tables = deals_tables()
        tables["swings"] = tables["swings"].iloc[:1].assign(n=1, share=1.0)
        mean, error = swings.mean_swing(first_cell(tmp_path, tables, deals=1))
        assert mean == -3
        assert np.isnan(error)

    @pytest.mark.parametrize(
        ("shifts", "told"),
        [
            # The mean is the shift, its error sqrt(9 / 200,000) = 0.0067, 0.0131 at 95 %. Two
            # games are told apart by 1.96 * 2 * 0.0067 = 0.0263, three by 2.241 * 0.0134 = 0.0301.
            ((1, 2), "highest with a pot of 4 (2.000 ± 0.013 stakes) and lowest with a pot of 3 ("),
            ((-2, -1), "highest with a pot of 4 (−1.000 ± 0.013 stakes) and lowest with a pot of"),
            ((1, 1.027), "highest with a pot of 4 (1.027 ± 0.013 stakes) and lowest with a pot of"),
            ((1, 1.025), "is too close to call between the 2 games."),
            ((1, 0, 1.027), "highest with a pot of 5 (1.027 ± 0.013 stakes) or with a pot of 3 ("),
            ((1, 0, 1.032), "highest with a pot of 5 (1.032 ± 0.013 stakes) and lowest with a"),
        ],
    )
    def test_pots_that_change_differently(self, tmp_path, shifts, told):
        games, parts = [], []
        for pot, shift in enumerate(shifts, start=3):
            games.append(cell({"pot": pot}, pot=float(pot)))
            parts.append(deals_tables(axes={"pot": pot}))
            parts[-1]["swings"]["pot_swing"] += round(shift * 729) / 729
        tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
        result = read_result(write_result(tmp_path, games, tables))
        assert told in swings.compare_means(list(result.cells))

    def test_pots_taken_without_play(self, tmp_path):
        sentence = swings.no_play(first_cell(tmp_path, deals_tables()))
        # Five seats at 1 % and the dealer at 5 %.
        assert sentence.startswith("In 10.00 ± 0.13 % of the deals")
        # 0.4 * 1.2 looed; variance 0.4 * 0.16 + 0.4 * 0.6 * 1.2^2 = 0.4096, so that the half-width
        # is 1.96 * sqrt(0.4096 / 200,000) = 0.0028.
        assert "0.480 ± 0.003 players are looed" in sentence

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

    def test_the_miss_taken_blind(self, game):
        seats = miss.blind_miss(game).set_index("seat")
        table = game.tables["announce"]
        for seat in (0, 4, 5):
            rows = table[(table["seat"] == seat) & table["miss_free"]]
            n = rows["n"].sum()
            mean = (rows["n"] * rows["miss"]).sum() / n
            within = (rows["miss_se"].fillna(0) ** 2 * rows["n"] * (rows["n"] - 1)).sum()
            spread = within + (rows["n"] * (rows["miss"] - mean) ** 2).sum()
            assert seats.loc[seat, "n"] == n
            assert seats.loc[seat, "miss"] == pytest.approx(mean)
            assert seats.loc[seat, "miss_se"] == pytest.approx((spread / n / (n - 1)) ** 0.5)
        # From seat 0 the miss always nets -0.3 in the sample.
        assert seats.loc[0, "miss"] == pytest.approx(-0.3)
        assert seats.loc[0, "to_speak"] == 5

    def test_seats_are_compared_by_the_miss_taken_blind(self, game):
        sentence = miss.compare_seats(game)
        assert "highest for the dealer (" in sentence
        assert "lowest for seat 0 (−0.300 ±" in sentence

    def test_games_are_compared_by_what_the_first_who_may_ask_nets(self, tmp_path):
        games, parts = [], []
        for pot, shift in ((3, 0.0), (4, 0.5)):
            games.append(cell({"pot": pot}, pot=float(pot)))
            parts.append(announce_table(seats=[0, 5], axes={"pot": pot}))
            parts[-1]["miss"] += shift
        result = read_result(write_result(tmp_path, games, {"announce": pd.concat(parts)}))
        sentence = miss.compare_games(list(result.cells))
        # -0.3 from seat 0, the other game 0.5 more.
        assert "highest with a pot of 4 (0.200 ±" in sentence
        assert "lowest with a pot of 3 (−0.300 ±" in sentence

    def test_games_are_compared_chunk_by_chunk_of_the_work(self, tmp_path):
        games = [cell({"pot": pot}) for pot in (3, 4)]
        luck = np.random.default_rng(1).normal(0, 9, 12)
        parts, followed = [], []
        for pot, more in ((3, 0.0), (4, 0.001)):
            parts.append(announce_table(seats=[0], axes={"pot": pot}).assign(miss=-0.3 + more))
            chunks = {"chunk": np.arange(12), "figure": "miss", "n": 9, "deals": 9, "pot": pot}
            # The luck is common: 0.001 more is far below each one's error, and sure all the same.
            off = 1e-5 * (np.arange(12) % 2) * (pot == 4)
            followed.append(pd.DataFrame({**chunks, "mean": luck + more + off, "mean_se": 3.0}))
        tables = {"announce": pd.concat(parts), "running": pd.concat(followed)}
        cells = list(read_result(write_result(tmp_path, games, tables)).cells)
        sentence = miss.compare_games(cells)
        assert "is highest with a pot of 4 (" in sentence
        assert "lowest with a pot of 3 (" in sentence


def struck_through(svg: str, kinds: pd.DataFrame, trumps: int) -> set[tuple[int, int]]:
    """The kinds of hands of a grid whose squares have lines through them."""
    rows, columns = strategy.grid_ranks(trumps, 52)
    # The squares are the paths of four corners; a row above another is that of a higher rank.
    corners = r'd="M ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+) L [^"]*z'
    squares = [tuple(map(float, found)) for found in re.findall(corners, svg)][-len(kinds) :]
    assert len(squares) == len(kinds)
    left, top = (min(min(square[i::2]) for square in squares) for i in (0, 1))
    wide, tall = (max(square[i::2]) - min(square[i::2]) for square in squares[:1] for i in (0, 1))
    # A grid of triangular form has its first square in its first row and first column.
    (lines,) = re.findall(r'd="([^"]*)"[^>]*stroke: #8c8c8c', svg) or [""]
    struck = set()
    for line in re.findall(r"M ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+)", lines):
        x, y, to_x, to_y = map(float, line)
        # Up and to the right, at 45 degrees: SVG counts downwards.
        assert to_x - x == pytest.approx(y - to_y, abs=1e-3)
        place = int(((y + to_y) / 2 - top) // tall), int(((x + to_x) / 2 - left) // wide)
        struck.add((rows[place[0]], columns[place[1]]))
    return struck


@pytest.mark.parametrize(("share", "told"), [(0.05, True), (0.0049, False), (0.0, False)])
def test_white_in_the_dealers_bar_is_told_of_where_it_can_be_seen(tmp_path, share, told):
    tables = deals_tables()
    last = tables["deals"].index[-1]
    # He stands in 0.20, takes the miss in 0.05 and defends in 0.30 of the deals.
    tables["deals"].loc[last, "folded"] = 0.45 - share
    exhibit = seats.announcement_exhibit(first_cell(tmp_path, tables))
    assert ("White at the end of the dealer" in exhibit.caption) == told


class TestStrategy:
    @pytest.mark.parametrize(("common", "other"), [((2, 1), (3, 0)), ((3, 0), (2, 1))])
    def test_a_run_that_aims_elsewhere_has_its_commonest_situation(self, tmp_path, common, other):
        table = announce_table(seats=[2, 3])
        at = table["seat"].astype(str) + table["standers"].astype(str)
        both = table[at.isin([f"{seat}{standers}" for seat, standers in (common, other)])]
        rows = both.assign(weight=both["weight"].where(at != f"{other[0]}{other[1]}", 1e-9))
        (spot,) = strategy.spots(first_cell(tmp_path, {"announce": rows}))
        assert (spot.seat, spot.standers, spot.miss_free) == (*common, True)

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
            unsure = (~chosen["sure"]).sum()
            struck = struck_through(svg, chosen, trumps)
            assert struck == {(kind.row, kind.col) for kind in each(chosen[~chosen["sure"]])}
            assert trumps != 1 or 0 < unsure < len(chosen)


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
