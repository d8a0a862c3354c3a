"""What a report shows of a sweep is worked out of games made by hand, and read off the figures."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import PathPatch
from report_samples import (
    cell,
    deals_tables,
    league_tables,
    page_of,
    session_cell,
    session_tables,
    write_result,
)

from loo_sim.report import along, sensitivity, style, sweep_map, tornado
from loo_sim.report.axes import swept_axes
from loo_sim.report.headlines import HEADLINES, games_of, headlines_of
from loo_sim.report.provenance import what_was_played
from loo_sim.report.result import read_result
from loo_sim.report.scale import Scale

POT_CHANGE = HEADLINES[0]
N = 10_000


def swings(mean: float, axes) -> pd.DataFrame:
    """Half of the deals 1 stake above a mean of whole units, half 1 below: a variance of 1."""
    table = pd.DataFrame({"pot_swing": [mean - 1, mean + 1], "share": 0.5, "share_se": 0.005})
    return table.assign(n=N // 2, **axes)


def write_sweep(path, means, failed=()):
    """A result of the study `deals` whose pot changes by `means`, from axes to the mean."""
    games, parts = [], []
    for values, mean in means.items():
        axes = dict(values)
        if values in failed:
            games.append(cell(axes, status="failed", error="out of memory", deals=0))
            continue
        games.append(cell(axes, deals=N))
        # A column holds numbers or words: ``rules.loo`` may be both.
        column = {axis: str(value) if axis == "rules.loo" else value for axis, value in values}
        parts.append({**deals_tables(axes=column), "swings": swings(mean, column)})
    tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
    return write_result(path, games, tables, status="failed" if failed else "done")


def grid(**axes):
    """All combinations of two axes or more, as keys of `write_sweep`."""
    points = [()]
    for axis, values in axes.items():
        points = [(*point, (axis, value)) for point in points for value in values]
    return points


def games(path, means, failed=(), headline=POT_CHANGE):
    cells = list(read_result(write_sweep(path, means, failed)).cells)
    return swept_axes(cells), games_of(cells, headline)


ERROR = 1 / (N - 1) ** 0.5
"""Standard error of each mean: a variance of 1 over N deals, unbiased."""


class TestAxes:
    def test_those_that_do_not_vary_are_left_out(self, tmp_path):
        axes, _ = games(
            tmp_path, {(("pot", 3), ("players", 6)): 0.0, (("pot", 6), ("players", 6)): 1}
        )
        assert [(axis.name, axis.words, axis.numbers) for axis in axes] == [
            ("pot", ("3", "6"), (3.0, 6.0))
        ]

    def test_those_that_move_together_are_one(self, tmp_path):
        means = {(("players", n), ("pot", pot)): 0.0 for n, pot in ((5, 3), (6, 6), (8, 9))}
        axes, _ = games(tmp_path, means)
        assert [(axis.name, axis.words, axis.place) for axis in axes] == [
            ("players and pot", ("5, 3", "6, 6", "8, 9"), (0, 1, 2))
        ]

    def test_words_among_numbers_are_no_numbers(self, tmp_path):
        (axis,), _ = games(tmp_path, {((("rules.loo"), loo),): 0.0 for loo in (3, 6, "pot")})
        assert axis.words == ("3", "6", "pot")
        assert axis.numbers == ()
        assert axis.label == "loo"

    def test_one_game_has_no_axes(self, tmp_path):
        directory = write_result(tmp_path, [cell()], deals_tables())
        assert sensitivity.exhibits(list(read_result(directory).cells)) == []


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ((3, 6, "pot"), "“standard” rules; loo 3, 6 or pot"),
        ((1, 2, 3, 4, 5), "“standard” rules; loo swept, 5 values"),
    ],
)
def test_the_opening_has_the_values_of_rules_that_are_swept(tmp_path, values, told):
    means = {(("rules.loo", loo),): 0.0 for loo in values}
    assert dict(what_was_played(read_result(write_sweep(tmp_path, means))))["rules"] == told


def test_the_opening_names_the_presets_that_are_swept(tmp_path):
    means = {(("rules.preset", name),): 0.0 for name in ("standard", "unlimited")}
    lines = dict(what_was_played(read_result(write_sweep(tmp_path, means))))
    assert lines["rules"] == "preset standard or unlimited"


class TestHeadlines:
    def test_each_study_has_its_figures(self, tmp_path):
        made = {
            "session": ([session_cell()], session_tables()),
            "league": ([cell()], league_tables({"bold": 0.5, "calm": 0.1, "daft": -0.6})),
        }
        found = {}
        for study, (cells, tables) in made.items():
            result = read_result(write_result(tmp_path / study, cells, tables))
            for headline in headlines_of(list(result.cells)):
                known = headline.of(result.cells[0])
                found[headline.slug] = (round(known.value, 9), round(known.error, 9))
        # As `report_samples` sets them; the lead of 0.5 over -0.6 has an error of 0.02 / 3.
        assert found == {
            "mean-pot": (5.0, 0.01),
            "clean": (50.0, 0.1),
            "spread": (1.1, round(0.02 / 3, 9)),
        }

    def test_a_game_that_failed_knows_nothing_even_if_it_left_rows(self, tmp_path):
        directory = write_result(tmp_path, [cell(status="failed")], deals_tables())
        assert not POT_CHANGE.of(read_result(directory).cells[0]).is_there


def points_of(figure, places):
    """Heights of the marks of a chart of one line, and the half-widths of its intervals."""
    axes = figure.axes[0]
    (bars,) = axes.containers
    line, _, (stems,) = bars.lines
    halves = [(top - foot) / 2 for (_, foot), (_, top) in stems.get_segments()]
    return dict(zip(line.get_xdata(), line.get_ydata(), strict=True)), halves


BY_POT = {(("pot", pot),): mean for pot, mean in ((9, -3.0), (3, 2.0), (6, -1.0))}


class TestAlong:
    def test_marks_stand_at_the_values_with_their_intervals(self, tmp_path):
        (axis,), shown = games(tmp_path, BY_POT)
        heights, halves = points_of(along.draw_along(POT_CHANGE, axis, shown), axis)
        assert heights == pytest.approx({3.0: 2.0, 6.0: -1.0, 9.0: -3.0})
        assert halves == pytest.approx([1.959964 * ERROR] * 3)

    def test_marks_of_the_svg_are_to_scale(self, tmp_path):
        (axis,), shown = games(tmp_path, BY_POT)
        svg = along.along_exhibit(POT_CHANGE, axis, shown).svg
        marks = re.findall(
            r'<use href="#[^"]+" x="([\d.]+)" y="([\d.]+)" style="fill: #0072b2', svg
        )
        places = sorted({(float(x), float(y)) for x, y in marks})
        # Three marks, and two caps of the interval around each at the same place across.
        across = sorted({x for x, _ in places})
        assert len(across) == 3
        assert across[1] - across[0] == pytest.approx(across[2] - across[1], abs=1e-3)
        middle = [np.median([y for at, y in places if at == x]) for x in across]
        # 2 to -1 is one and a half times as far as -1 to -3, and SVG counts downwards.
        assert (middle[1] - middle[0]) / (middle[2] - middle[1]) == pytest.approx(1.5, abs=1e-3)

    def test_a_failed_game_is_marked_at_its_place_and_named(self, tmp_path):
        failed = (("pot", 6),)
        (axis,), shown = games(tmp_path, BY_POT, failed=[failed])
        figure = along.draw_along(POT_CHANGE, axis, shown)
        heights, _ = points_of(figure, axis)
        assert sorted(heights) == [3.0, 9.0]
        crosses = [line for line in figure.axes[0].lines if line.get_marker() == "x"]
        assert [list(line.get_xdata()) for line in crosses] == [[6.0]]
        assert list(figure.axes[0].get_xticks()) == [9.0, 3.0, 6.0]
        exhibit = along.along_exhibit(POT_CHANGE, axis, shown)
        assert "No figures, marked × in its place: a pot of 6 (failed)." in exhibit.caption
        assert ("6", "–", "× failed") in exhibit.numbers.rows

    def test_its_finding(self, tmp_path):
        (axis,), shown = games(tmp_path, BY_POT)
        # 1.96 / 99.995 = 0.0196
        assert along.along_exhibit(POT_CHANGE, axis, shown).caption == (
            "The mean change of the pot in a deal is highest with a pot of 3 (2.000 ± 0.020 "
            "stakes) and lowest with a pot of 9 (−3.000 ± 0.020 stakes)."
        )

    def test_close_games_are_too_close_to_call(self, tmp_path):
        # Twice the error of 0.01 each; the difference is smaller than 1.96 times their sum.
        (axis,), shown = games(tmp_path, {(("pot", 3),): 0.0, (("pot", 6),): 0.035})
        assert "too close to call" in along.along_exhibit(POT_CHANGE, axis, shown).caption

    def test_seats_have_their_nets_in_the_map(self, tmp_path):
        cells = list(read_result(write_sweep(tmp_path, BY_POT, [(("pot", 6),)])).cells)
        (axis,) = swept_axes(cells)
        exhibit = along.seats_exhibit(axis, cells)
        # The dealer nets 0.5, each earlier seat 0.1 less, with an error of 0.004.
        told = [f"{0.1 * tenths:.4f}(40)" for tenths in range(1, 6)]
        texts = re.findall(r"<text[^>]*>([^<]*\(40\)|×)</text>", exhibit.svg)
        assert texts.count("×") == 6
        for text in told:
            assert texts.count(text) == 2
        assert ("9", "dealer", "0.5000(40)") in exhibit.numbers.rows


BY_BOTH = dict(
    zip(grid(players=(5, 6, 8), pot=(3, 6)), (3.0, -1.0, 0.0, 2.0, 1.0, -2.0), strict=True)
)


class TestMap:
    def squares(self, path, failed=(), means=BY_BOTH):
        """Colours and texts of the squares by row and column, as they were drawn."""
        (players, pot), shown = games(path, means, failed)
        figure = sweep_map.draw_map(POT_CHANGE, (pot, players), shown)
        plane = figure.axes[0]
        (fills,) = plane.collections
        (lines,) = [one for one in plane.patches if isinstance(one, PathPatch)]

        def place(path_):
            # Six rows and columns at most: the corner up left is half a square away.
            left, top = path_.vertices[0]
            return round(top + 0.5), round(left + 0.5)

        middles = lines.get_path().vertices.reshape(-1, 2, 2).mean(axis=1).round().astype(int)

        colours = {
            place(one): colour[:3]
            for one, colour in zip(fills.get_paths(), fills.get_facecolor(), strict=True)
        }
        return colours, {(row, column) for column, row in middles.tolist()}, (pot, players), shown

    def test_squares_have_the_colours_of_their_values(self, tmp_path):
        colours, hatched, _, _ = self.squares(tmp_path)
        scale = Scale.of(BY_BOTH.values())
        # Rows are pots, columns players.
        for ((_, players), (_, pot)), mean in BY_BOTH.items():
            place = (3, 6).index(pot), (5, 6, 8).index(players)
            assert colours[place] == pytest.approx(scale.colour(mean)[:3], abs=1 / 255)
        assert hatched == {(0, 1)}, "only the mean of 0 is too close to call"

    def test_a_failed_game_keeps_its_place(self, tmp_path):
        failed = (("players", 6), ("pot", 6))
        colours, _, axes, shown = self.squares(tmp_path, [failed])
        assert colours[1, 1] == pytest.approx((1, 1, 1))
        exhibit = sweep_map.map_exhibit(POT_CHANGE, axes, shown)
        assert "6 players, a pot of 6 (failed)" in exhibit.caption
        assert re.findall(r"<text[^>]*>(×)</text>", exhibit.svg) == ["×"]
        assert ("6", "6", "–", "× failed") in exhibit.numbers.rows

    def test_places_that_are_no_game_are_blank(self, tmp_path):
        means = dict(list(BY_BOTH.items())[:-1])
        colours, _, axes, shown = self.squares(tmp_path, means=means)
        assert (1, 2) not in colours
        caption = sweep_map.map_exhibit(POT_CHANGE, axes, shown).caption
        assert "A place left blank is no game of this sweep." in caption

    def test_texts_are_the_numbers_of_the_table(self, tmp_path):
        *_, axes, shown = self.squares(tmp_path)
        exhibit = sweep_map.map_exhibit(POT_CHANGE, axes, shown)
        for row in exhibit.numbers.rows:
            assert f">{row[-1]}</text>" in exhibit.svg
        assert ("3", "5", "10,000", "3.000(10)") in exhibit.numbers.rows

    def test_what_is_no_difference_rises_through_other_colours(self):
        scale = Scale.rising([20.0, 40.0, 60.0], "%")
        assert scale.colours == style.SEQUENTIAL == "cividis"
        assert scale.bounds[0] <= 20 < 60 <= scale.bounds[-1]
        lightness = [sum(scale.colour(value)[:3]) for value in (20.5, 30.5, 40.5, 50.5, 59.5)]
        assert lightness == sorted(lightness)


@pytest.mark.parametrize(
    ("extent", "end"),
    [
        (0.0, 0.01),
        (0.01, 0.01),
        (0.011, 0.025),
        (0.3, 0.5),
        (0.51, 1),
        (1.0, 1),
        (1.01, 1.5),
        (2.2, 2.5),
        (4.0, 4),
        (5.5, 7.5),
        (8.0, 10),
        (10.0, 10),
        (10.5, 15),
        (26.0, 30),
        (760.0, 1_000),
        (123_456.0, 150_000),
    ],
)
def test_a_scale_ends_at_the_next_number_in_use(extent, end):
    for sign in (1, -1):
        bounds = Scale.of([sign * extent, np.nan]).bounds
        assert bounds == pytest.approx(np.linspace(-end, end, 11))


def test_a_scale_leaves_out_a_twentieth_and_lasts_where_nothing_is_known():
    # 19 intervals lie between 20 values: the quantile at 0.95 is 0.05 past the 19th.
    assert Scale.of([1.0] * 19 + [100.0]).bounds[-1] == 7.5
    assert Scale.of([1.0] * 99 + [100.0]).bounds[-1] == 1
    assert Scale.of([np.nan]).bounds[-1] == 1


ADDED = {
    "pot": {3: 0.0, 6: -1.0, 9: 1.0},
    "players": {5: 0.0, 6: 1 / 3},
    "rules.loo": {3: 0.0, 6: 1 / 729},
}


def additive(**effects):
    """Means that are a sum of what each value of each axis adds."""
    points = grid(**{axis: tuple(values) for axis, values in effects.items()})
    return {point: sum(effects[axis][value] for axis, value in point) for point in points}


class TestTornado:
    def found(self, path, failed=()):
        axes, shown = games(path, additive(**ADDED), failed)
        return tornado.effects(POT_CHANGE, axes, shown), axes, shown

    def test_of_sums_each_axis_gets_back_what_it_adds(self, tmp_path):
        found, _, _ = self.found(tmp_path)
        assert [effect.axis.name for effect in found] == ["pot", "players", "loo"]
        spans = [effect.span for effect in found]
        assert spans == pytest.approx([2, 1 / 3, 1 / 729], abs=1e-9)
        assert [effect.axis.words[effect.lowest] for effect in found] == ["6", "5", "3"]
        assert [effect.axis.words[effect.highest] for effect in found] == ["9", "6", "6"]
        assert [effect.grid for effect in found] == [4, 6, 6]

    def test_errors_do_not_shrink_by_averaging_over_the_same_deals(self, tmp_path):
        found, _, _ = self.found(tmp_path)
        for effect in found:
            assert effect.errors == pytest.approx([ERROR] * len(effect.means))
            assert effect.error == pytest.approx(2 * ERROR)

    def test_verdicts(self, tmp_path):
        found, axes, shown = self.found(tmp_path)
        assert [effect.is_sure for effect in found] == [True, True, False]
        exhibit = tornado.tornado_exhibit(POT_CHANGE, axes, shown)
        assert "Too close to call whether they matter at all: loo." in exhibit.caption
        assert "highest for pot (2.00 ± 0.05 stakes)" in exhibit.caption
        assert [row[-1] for row in exhibit.numbers.rows] == [
            "surely",
            "surely",
            "too close to call",
        ]

    def test_bars_reach_from_the_lowest_to_the_highest_mean(self, tmp_path):
        found, _, _ = self.found(tmp_path)
        figure = tornado.draw_tornado(POT_CHANGE, found)
        bars = sorted(figure.axes[0].patches, key=lambda bar: bar.get_y())
        assert len(bars) == 2 * len(found)
        for row, effect in enumerate(found):
            ends = [
                end
                for bar in bars[2 * row : 2 * row + 2]
                for end in (bar.get_x(), bar.get_x() + bar.get_width())
            ]
            assert (min(ends), max(ends)) == pytest.approx((min(effect.means), max(effect.means)))
            hatched = {bool(bar.get_hatch()) for bar in bars[2 * row : 2 * row + 2]}
            assert hatched == {not effect.is_sure}

    def test_where_a_game_failed_only_whole_rows_of_the_grid_are_compared(self, tmp_path):
        failed = (("pot", 9), ("players", 6), ("rules.loo", 6))
        found, axes, shown = self.found(tmp_path, [failed])
        # A mean over all known games would be off by what the missing one adds.
        assert [effect.span for effect in found] == pytest.approx([2, 1 / 3, 1 / 729], abs=1e-9)
        assert [(effect.grid, effect.left_out) for effect in found] == [(3, 1), (5, 1), (5, 1)]
        caption = tornado.tornado_exhibit(POT_CHANGE, axes, shown).caption
        assert "1 of 4 for pot, 1 of 6 for players and 1 of 6 for loo" in caption
        assert "a pot of 9, 6 players, loo 6 (failed)" in caption

    def test_an_axis_of_which_nothing_is_known_is_named(self, tmp_path):
        failed = [point for point in grid(pot=(3, 6, 9), players=(5, 6)) if ("pot", 9) in point]
        means = additive(pot=ADDED["pot"], players=ADDED["players"])
        axes, shown = games(tmp_path, means, failed)
        exhibit = tornado.tornado_exhibit(POT_CHANGE, axes, shown)
        assert "No two games that differ in it alone: pot." in exhibit.caption
        found = tornado.effects(POT_CHANGE, axes, shown)
        assert [(effect.axis.name, bool(effect.means)) for effect in found] == [
            ("players", True),
            ("pot", False),
        ]
        assert exhibit.numbers.rows[-1][:2] == ("pot", "–")


class TestPage:
    def test_two_axes_are_shown_as_map_and_tornado_not_as_dots_too(self, tmp_path):
        page = page_of(write_sweep(tmp_path, BY_BOTH))
        assert 'id="map-pot-change-title"' in page.html
        assert 'id="tornado-pot-change-title"' in page.html
        assert 'id="mean-swings-title"' not in page.html

    def test_with_three_axes_games_are_still_shown_one_by_one(self, tmp_path):
        means = additive(**ADDED)
        page = page_of(write_sweep(tmp_path, means))
        assert 'id="tornado-pot-change-title"' in page.html
        assert 'id="mean-swings-title"' in page.html

    def test_failed_games_are_named_at_the_top_and_where_they_are_missing(self, tmp_path):
        page = page_of(write_sweep(tmp_path, BY_BOTH, [(("players", 6), ("pot", 6))]))
        assert "Game 4, 6 players, a pot of 6: × failed: out of memory" in page.text
        top = page.text.index("Game 4, 6 players")
        assert top < page.text.index("What was found")
        assert "marked × in its place: 6 players, a pot of 6 (failed)" in page.text

    def test_sessions(self, tmp_path):
        games = [session_cell({"rules.loo_cap": cap}) for cap in (12, 1_000_000)]
        parts = [session_tables(axes={"rules.loo_cap": cap}) for cap in (12, 1_000_000)]
        tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
        page = page_of(write_result(tmp_path, games, tables, experiment={"rounds": 4}))
        assert 'id="along-mean-pot-title"' in page.html
        assert 'id="along-clean-title"' in page.html
        assert "The share of clean deals is too close to call between the 2 games." in page.text
