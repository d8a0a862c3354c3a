"""Games without figures are marked alike wherever games are compared, and where theirs would be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from report_samples import (
    announce_table,
    cell,
    deals_tables,
    league_tables,
    page_of,
    session_cell,
    session_tables,
    write_result,
)

from loo_sim.report import league, miss, pot_path, seats, strategy, style, swings, tornado, trust
from loo_sim.report.axes import swept_axes
from loo_sim.report.headlines import HEADLINES, games_of
from loo_sim.report.missing import MOST_NAMED, name_missing
from loo_sim.report.page import MOST_LINES
from loo_sim.report.result import read_result

FAILED = {"status": "failed", "error": "out of memory", "deals": 0}
SENTENCE = "No figures, marked × in its place: a pot of 6 (failed)."
NETS = {"bold": 0.5, "calm": 0.1}


def sweep(folder, tables_of, pots=(3, 6, 9), failed=(6,), game=cell, **changes):
    """A sweep over pots, of which some failed; `tables_of` makes the tables of the others."""
    games, parts = [], []
    for pot in pots:
        axes = {"pot": pot}
        gone = FAILED if pot in failed else {}
        games.append(game(axes, pot=float(pot), **gone))
        if not gone:
            parts.append(tables_of(axes))
    tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
    return write_result(folder, games, tables, status="failed", **changes)


def deals(folder, **changes):
    return sweep(folder, lambda axes: deals_tables(axes=axes), **changes)


def announced(axes):
    return {"announce": announce_table(axes=axes, seats=[0], deals=20_000)}


def cells(directory):
    return list(read_result(directory).cells)


def legend(axes):
    """What the legend names, in its order, and whether a cross stands for it."""
    shown = axes.get_legend()
    # A line with an interval is told by the interval's stems, which have no marker.
    crossed = [
        hasattr(one, "get_marker") and one.get_marker() == "x" for one in shown.legend_handles
    ]
    return list(zip((text.get_text() for text in shown.get_texts()), crossed, strict=True))


POTS = [("a pot of 3", False), ("a pot of 6", True), ("a pot of 9", False)]


class TestCharts:
    def test_seats_have_numbers_if_all_games_have_as_many(self):
        def names(*players: int) -> list[str]:
            lines = [
                style.Line(str(n), np.arange(n)[::-1], np.ones(n), np.ones(n)) for n in players
            ]
            axes = style.draw_lines(lines, "net").axes[0]
            return [tick.get_text() for tick in axes.get_xticklabels()]

        assert names(4, 4) == ["0", "1", "2", "dealer"]
        assert names(3, 4) == ["3", "2", "1", "0\ndealer"]

    def test_seats(self, tmp_path):
        games = cells(deals(tmp_path))
        assert legend(seats.draw_seat_values(games).axes[0]) == POTS
        exhibit = seats.seat_value_exhibit(games)
        assert exhibit.caption.endswith(SENTENCE)
        assert exhibit.caption.startswith("With a pot of 3: the net")
        assert exhibit.numbers.rows[6] == ("a pot of 6", "× failed", "–", "–", "–")
        assert [row[0] for row in exhibit.numbers.rows].count("a pot of 9") == 6

    def test_seats_where_the_first_game_failed(self, tmp_path):
        exhibit = seats.seat_value_exhibit(cells(deals(tmp_path, failed=(3,))))
        assert exhibit.caption.startswith("With a pot of 6: the net")

    def test_the_miss(self, tmp_path):
        games = cells(sweep(tmp_path, announced))
        assert legend(miss.draw_blind_miss(games).axes[0]) == POTS
        exhibit = miss.blind_exhibit(games)
        assert exhibit.caption.endswith(SENTENCE)
        assert exhibit.numbers.rows[1] == ("a pot of 6", "× failed", "–", "–", "–")
        shares = strategy.shares_by_game(games)
        assert [row[:2] for row in shares.rows].count(("a pot of 6", "× failed")) == 1
        assert {len(row) for row in shares.rows} == {len(shares.columns)}

    @pytest.mark.parametrize("study", ["deals", "session"])
    def test_dots(self, tmp_path, study):
        if study == "deals":
            games = cells(deals(tmp_path))
            figure, exhibit = swings.draw_mean_swings(games), swings.mean_swing_exhibit(games)
        else:
            made = sweep(
                tmp_path,
                lambda axes: session_tables(axes=axes),
                game=session_cell,
                experiment={"rounds": 4},
            )
            games = cells(made)
            figure, exhibit = pot_path.draw_mean_pots(games), pot_path.mean_pot_exhibit(games)
        axes = figure.axes[0]
        assert [text.get_text() for text in axes.get_yticklabels()] == [name for name, _ in POTS]
        crosses = [line for line in axes.lines if line.get_marker() == "x"]
        assert [list(line.get_ydata()) for line in crosses] == [[1]]
        known = [bars.lines[0].get_ydata()[0] for bars in axes.containers]
        assert known == [0, 2]
        assert exhibit.caption.endswith(SENTENCE)
        row = exhibit.numbers.rows[1]
        assert row[:2] == ("a pot of 6", "× failed")
        assert set(row[2:]) <= {"–"}
        assert len(row) == len(exhibit.numbers.columns)

    def test_leagues(self, tmp_path):
        games = cells(sweep(tmp_path, lambda axes: league_tables(NETS, axes=axes)))
        assert league.games_table(games).rows[1] == ("a pot of 6", "× failed", "–", "–")

    def test_errors(self, tmp_path):
        result = read_result(deals(tmp_path))
        found = trust.precisions(result)
        axes = trust.draw_precision(found, trust.not_known(result, found)).axes[0]
        assert sorted(legend(axes)) == [
            ("a pot of 3", False),
            ("a pot of 6 (failed)", True),
            ("a pot of 9", False),
        ]
        exhibit = trust.precision_exhibit(result)
        assert exhibit.caption.endswith(SENTENCE)
        assert ("a pot of 6", "× failed", *["–"] * 4) in exhibit.numbers.rows

    def test_settings_from_whose_means_a_game_is_missing(self, tmp_path):
        games, parts = [], []
        for players in (5, 6):
            for pot in (3, 6, 9):
                axes = {"players": players, "pot": pot}
                gone = FAILED if (players, pot) == (6, 9) else {}
                games.append(cell(axes, players=players, pot=float(pot), **gone))
                if not gone:
                    parts.append(deals_tables(players, axes))
        tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
        found = cells(write_result(tmp_path, games, tables, status="failed"))
        axes = swept_axes(found)
        effects = tornado.effects(HEADLINES[0], axes, games_of(found, HEADLINES[0]))
        drawn = tornado.draw_tornado(HEADLINES[0], effects).axes[0]
        names = {text.get_text() for text in drawn.get_yticklabels()}
        # A mean over pots needs all pots of a number of players, and one over players all of a pot.
        assert names == {"players ×", "pot ×"}


class TestWords:
    def test_one_several_and_many(self, tmp_path):
        games = [cell({"pot": pot}, pot=float(pot), **FAILED) for pot in range(3, 12)]
        found = cells(write_result(tmp_path, games, {}, study="deals"))
        assert name_missing([]) == ""
        assert name_missing(found[:1]) == "No figures, marked × in its place: a pot of 3 (failed)."
        assert name_missing(found[:2]) == (
            "No figures, marked × in their place: a pot of 3 (failed) and a pot of 4 (failed)."
        )
        assert name_missing(found).endswith(f"a pot of 8 (failed) and {9 - MOST_NAMED} more.")

    def test_what_never_came_up_has_not_failed(self, tmp_path):
        table = announce_table(axes={"pot": 3}, seats=[0], deals=20_000)
        games = [cell({"pot": pot}, pot=float(pot)) for pot in (3, 6)]
        found = cells(write_result(tmp_path, games, {"announce": table}))
        assert miss.blind_exhibit(found).caption.endswith("a pot of 6 (no such figure).")


def headings(page):
    """The headings of the page's parts, in order."""
    parts = [part.split("</h2>")[0] for part in page.html.split("<h2 ")[1:]]
    return [part.split(">", 1)[1] for part in parts]


@pytest.mark.usefixtures("unwritten")
class TestParts:
    def test_a_failed_game_is_named_where_its_part_would_be(self, tmp_path):
        page = page_of(deals(tmp_path))
        found = headings(page)
        place = found.index("× No figures: a pot of 6")
        assert found[place - 1] == "The pot and the players: a pot of 3"
        assert found[place + 1] == "The pot and the players: a pot of 9"
        section = page.html[page.html.index('<section id="missing-2"') :]
        assert "Game 2, a pot of 6: × failed: out of memory" in section[: section.index("</sec")]

    @pytest.mark.parametrize(
        ("tables_of", "changes", "after"),
        [
            (announced, {}, "Taking the miss: a pot of 9"),
            (
                lambda axes: session_tables(axes=axes),
                {"game": session_cell, "experiment": {"rounds": 4}},
                "The pot of an evening: a pot of 9",
            ),
            (
                lambda axes: league_tables(NETS, axes=axes),
                {},
                "Which way of playing is better: a pot of 9",
            ),
        ],
    )
    def test_in_every_study(self, tmp_path, tables_of, changes, after):
        page = page_of(sweep(tmp_path, tables_of, **changes))
        found = headings(page)
        assert found[found.index("× No figures: a pot of 6") + 1] == after
        top = page.text[: page.text.index("What was found")]
        assert "Game 2, a pot of 6: × failed: out of memory" in top

    def test_games_that_failed_one_after_the_other_stand_together(self, tmp_path):
        found = headings(page_of(deals(tmp_path, pots=(3, 6, 9, 12), failed=(6, 9))))
        assert [one for one in found if one.startswith("×")] == ["× No figures: 2 games"]
        place = found.index("× No figures: 2 games")
        assert found[place + 1] == "The pot and the players: a pot of 12"

    def test_the_list_of_games_has_the_mark_too(self, tmp_path):
        page = page_of(deals(tmp_path))
        listed = page.text[page.text.index("The games of this run") :]
        assert listed.count("× failed: out of memory") == 1

    def test_where_one_game_is_left_findings_name_it(self, tmp_path):
        page = page_of(deals(tmp_path, pots=(3, 6)))
        assert "With a pot of 3: the net of a deal" in page.text


def test_no_more_lines_than_a_sheet_has_room_for(tmp_path):
    pots = range(3, 3 + MOST_LINES + 4)
    page = page_of(deals(tmp_path, pots=pots, failed=(4,)))
    figure = page.html[page.html.index('id="seat-values-title"') :]
    figure = figure[: figure.index("</svg>")]
    assert [pot for pot in pots if f">a pot of {pot}</text>" in figure] == [*pots][:MOST_LINES]


@pytest.mark.usefixtures("unwritten")
class TestSums:
    def test_a_sum_that_fails_stands_at_the_top(self, tmp_path):
        # The sample's seats net what its pots do not lose.
        page = page_of(write_result(tmp_path, [cell()], deals_tables()))
        top = page.text[: page.text.index("What was found")]
        assert "This result must not be trusted" in top
        assert "It does not hold that what the seats net and what the pot changes by" in top
        assert "off in 6 players (" in top

    def test_sums_that_come_out_are_no_warning(self, tmp_path):
        page = page_of(write_result(tmp_path, [cell()], league_tables(NETS)))
        assert "All sums that must come out exactly do." in page.text
        assert "must not be trusted" not in page.text
