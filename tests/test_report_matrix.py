"""The strategy matrix of every situation: maps and grids hold what the table says."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from report_samples import Page, announce_table, cell, page_of, write_result

from loo_sim.report import page, situations, strategy, style
from loo_sim.report.hands import GRIDS, features
from loo_sim.report.result import Cell, read_result

DEALS = 4_000_000


def game_of(path, table, **changes) -> Cell:
    games = [cell(**{"deals": DEALS, **changes})]
    return read_result(write_result(path, games, {"announce": table})).cells[0]


@pytest.fixture(scope="module")
def game(tmp_path_factory) -> Cell:
    """Every situation of six players, up to three in."""
    return game_of(tmp_path_factory.mktemp("matrix"), announce_table(deals=DEALS))


def grid_cells(html: str) -> list[tuple[str, str]]:
    """The class and the text of each square of a grid."""
    return re.findall(r"<td class=(\w+)>([^<\n]*)", html)


def test_every_situation_is_there_the_most_common_first(game):
    table = game.tables["announce"]
    shares = table.groupby(["seat", "standers", "miss_free"])["weight"].sum()
    found = situations.situations(game)
    # Seats 0 to 4 with nobody in; one, two and three in, the miss there or gone, where that many
    # have spoken; before the dealer one at least is in.
    assert len(found) == 5 + 2 * (4 + 3 + 2) + 2 * 3
    assert {one.key for one in found} == set(shares.index)
    assert [one.share for one in found] == sorted(shares, reverse=True)
    assert found[0].key == (0, 0, True)
    titles = [one.spot.title for one in found]
    assert len(set(titles)) == len(titles)
    assert "seat 3, 2 in, miss gone" in titles
    assert "dealer, 1 in" in titles


def test_matrices_are_those_of_each_situation_by_itself(game):
    for one in situations.situations(game):
        together = situations.matrices(game)[one.key].reset_index(drop=True)
        alone = strategy.matrix(game, one.spot)
        pd.testing.assert_frame_equal(together[list(_SHOWN)], alone[list(_SHOWN)])


_SHOWN = ("trumps", "row", "col", "n", "stand", "stand_se", "miss", "best", "margin", "sure")


def test_with_the_miss_gone_a_hand_stands_or_folds_by_its_own_error(game):
    kinds = situations.matrices(game)[5, 1, False]
    assert set(kinds["best"]) == {"stand", "fold"}
    assert kinds["miss"].isna().all()
    # Folding is worth 0, so that the margin is the value of standing or its loss.
    assert kinds["margin"].to_numpy() == pytest.approx(kinds["stand"].abs().to_numpy())
    assert kinds["margin_se"].to_numpy() == pytest.approx(kinds["stand_se"].to_numpy())
    sure = (kinds["stand"].abs() > 1.959964 * kinds["stand_se"]) & (kinds["n"] >= 30)
    assert (kinds["sure"] == sure).all()
    assert 0 < sure.sum() < len(kinds)


def test_a_grid_holds_letter_margin_and_doubt_of_each_kind(game):
    kinds = situations.matrices(game)[3, 2, True]
    for trumps in GRIDS:
        chosen = kinds[(kinds["trumps"] == trumps) & (kinds["n"] >= 30)]
        chosen = chosen.sort_values(["row", "col"], ascending=False)
        letters = chosen["best"].map({"stand": "S", "miss": "M", "fold": "F"})
        expected = [
            (letter + ("" if sure else "u"), f"{letter} {margin:.2f}")
            for letter, margin, sure in zip(letters, chosen["margin"], chosen["sure"], strict=True)
        ]
        assert grid_cells(situations.grid_html(kinds, trumps, 52)) == expected


def test_a_square_stands_in_the_row_and_the_column_of_its_ranks(game):
    kinds = situations.matrices(game)[0, 0, True]
    html = situations.grid_html(kinds, 1, 52)
    ranks = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"]
    assert re.findall(r"<th scope=col>(\w+)", html) == ranks
    lines = html.split("<tr><th scope=row>")[1:]
    # A trump, without the one turned up.
    assert [line.split("<")[0] for line in lines] == ranks[:-1]
    margins = kinds.set_index(["trumps", "row", "col"])["margin"]
    for line, trump in zip(lines, range(14, 2, -1), strict=True):
        shown = [float(text.split()[1]) for _, text in grid_cells(line)]
        expected = [margins[1, trump, plain] for plain in range(14, 1, -1)]
        assert shown == pytest.approx(expected, abs=0.0051)


def test_kinds_of_fewer_than_thirty_deals_are_left_blank(tmp_path):
    table = announce_table(seats=[0], deals=DEALS)
    kinds = features(52).loc[table["hand"]].reset_index()
    rare = (kinds["trumps"] == 1) & (kinds["row"] == 14) & (kinds["col"] == 14)
    # Three hands: two aces of one colour more, or of none; 29 deals in all.
    table.loc[rare, "n"] = [29 - (rare.sum() - 1), *[1] * (rare.sum() - 1)]
    game = game_of(tmp_path, table)
    found = situations.matrices(game)[0, 0, True]
    square = found[(found["trumps"] == 1) & (found["row"] == 14) & (found["col"] == 14)]
    assert square["n"].item() == 29
    first = situations.grid_html(found, 1, 52).split("<tr><th scope=row>")[1]
    assert first.startswith("A<td><td class=S>S ")
    assert len(grid_cells(first)) == 12
    (one,) = situations.situations(game)
    bars = situations._bars(situations.kinds_at(game, one, 1), 1, 52)
    looks = {(bar.row, bar.column) for bar in bars}
    assert (0, 0) not in looks
    assert (0, 1) in looks


def test_nothing_known_is_said_so(tmp_path):
    table = announce_table(seats=[0], deals=DEALS).head(20).assign(n=1)
    game = game_of(tmp_path, table)
    assert all(situations.multiples_exhibit(game, trumps) is None for trumps in GRIDS)
    (drawer,) = situations.drawers(game, 9)
    (_, told, grids) = drawer.situations[0]
    assert grids == ""
    assert told == "No kind of hand came up in 30 deals here."


@pytest.mark.parametrize("trumps", GRIDS)
def test_small_maps_cover_each_kind_with_what_pays_best(game, trumps):
    for one in situations.situations(game)[: situations.MOST_COMMON]:
        kinds = situations.kinds_at(game, one, trumps)
        rows, columns = strategy.grid_ranks(trumps, 52)
        covered = {}
        for bar in situations._bars(kinds, trumps, 52):
            for column in range(bar.column, bar.column + bar.columns):
                covered[rows[bar.row], columns[column]] = (bar.text, bar.colour, bar.noise)
        known = kinds[kinds["n"] >= 30]
        looks = {
            (kind.row, kind.col): (
                style.ACTIONS[kind.best].letter,
                style.ACTIONS[kind.best].colour,
                not kind.sure,
            )
            for kind in known.itertuples()
        }
        assert covered == looks


def test_small_maps_are_drawn_side_by_side_to_scale(game):
    exhibit = situations.multiples_exhibit(game, 1)
    # Points: three maps of 13 columns and 12 rows abreast, in what the labels leave.
    abreast = 72 * (style.WIDTH + situations._GAP) / 3
    labels, head, foot = (
        72 * inches for inches in (situations._LABELS, situations._HEAD, situations._FOOT)
    )
    size = (abreast - 72 * situations._GAP - labels) / 13
    expected = []
    for place, one in enumerate(situations.situations(game)[: situations.MOST_COMMON]):
        left = place % 3 * abreast + labels
        top = place // 3 * (head + 12 * size + foot) + head
        for bar in situations._bars(situations.kinds_at(game, one, 1), 1, 52):
            x, y = left + bar.column * size, top + bar.row * size
            expected.append((bar.colour, x, y, x + bar.columns * size, y + size))
        assert f">{one.spot.title}: " in exhibit.svg
    boxes = re.findall(
        r'<path d="M ([\d.]+) ([\d.]+) L ([\d.]+) [\d.]+ L [\d.]+ ([\d.]+) [^"]*" '
        r'[^>]*style="fill: (#\w{6}); stroke: #ffffff',
        exhibit.svg,
    )
    drawn = [(found[4], *sorted(map(float, found[:4]))) for found in boxes]
    expected = [(colour, *sorted(corners)) for colour, *corners in expected]
    assert len(drawn) == len(expected) > 6 * 12
    for found, wanted in zip(sorted(drawn), sorted(expected), strict=True):
        assert found[0] == wanted[0]
        assert found[1:] == pytest.approx(wanted[1:], abs=0.01)


def test_the_caption_names_where_most_and_fewest_hands_are_in(tmp_path):
    table = announce_table(seats=[0, 1], deals=DEALS)
    table = table[(table["standers"] == 0)]
    kinds = features(52).loc[table["hand"]].reset_index()
    # Of 12 trumps, all stand in seat 0 with a king or ace, in seat 1 with an ace.
    stands = (kinds["row"] >= np.where(table["seat"] == 0, 13, 14)).to_numpy()
    table["stand"] = np.where(stands, 9.0, -9.0)
    table["miss"] = -1.0
    table["miss_minus_stand"] = table["miss"] - table["stand"]
    exhibit = situations.multiples_exhibit(game_of(tmp_path, table), 1)
    # One trump of 12, whatever the two plain cards: a twelfth of the hands is 8 %.
    assert "with 8 % (seat 1, nobody in) to 17 % (seat 0) of these hands" in exhibit.caption
    assert "too close to call with none." in exhibit.caption
    never = table.assign(stand=-9.0, miss_minus_stand=8.0)
    alike = situations.multiples_exhibit(game_of(tmp_path / "0", never), 1)
    assert "surely pays best with 0 % of these hands in each situation;" in alike.caption
    by_name = {row[0]: row for row in exhibit.numbers.rows}
    assert by_name["seat 0"][2:] == ("17 %", "0 %", "0 %", "83 %", "0 %")


@pytest.mark.usefixtures("unwritten")
def test_the_page_holds_every_matrix_behind_a_click(game, tmp_path):
    table = game.tables["announce"].drop(columns="aimed")
    games = [cell(deals=DEALS)]
    shown = page_of(write_result(tmp_path, games, {"announce": table}))
    for one in situations.situations(game):
        assert f"<h3>{one.spot.title}: " in shown.html
    assert shown.html.count("<table class=grid>") == 3 * len(situations.situations(game))
    assert "<summary>The dealer: 6 situations</summary>" in shown.html
    assert "29 situations came up; the 6 most common ones" in shown.text.replace("\n", " ")


@pytest.mark.usefixtures("unwritten")
def test_what_a_page_has_no_room_for_is_counted(monkeypatch, tmp_path):
    monkeypatch.setattr(page, "MOST_SITUATIONS", 6)
    table = announce_table(seats=[0, 1], deals=DEALS)
    parts, games = [], []
    for pot in (3, 4):
        games.append(cell({"pot": pot}, pot=float(pot), deals=DEALS))
        parts.append(table.assign(pot=pot))
    shown: Page = page_of(write_result(tmp_path, games, {"announce": pd.concat(parts)}))
    # Four situations in each of two games, for which there is room for three.
    assert shown.html.count("<table class=grid>") == 2 * 3 * 3
    assert shown.text.count("The rarest one, in ") == 2


def test_a_short_pack_has_smaller_grids(tmp_path):
    rules = cell()["rules"] | {"deck": 32}
    table = announce_table(seats=[0], deck=32, deals=DEALS)
    game = game_of(tmp_path, table, rules=rules)
    kinds = situations.matrices(game)[0, 0, True]
    counts = [len(grid_cells(situations.grid_html(kinds, trumps, 32))) for trumps in (1, 0, 2)]
    # Seven live trumps by eight plain ranks; pairs of eight with repetition; pairs of seven.
    assert counts == [7 * 8, 36, 21]
