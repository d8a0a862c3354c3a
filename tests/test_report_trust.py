"""Why a report can be believed: sums and chances worked out by hand, errors read off the figure."""

from __future__ import annotations

import itertools
from math import comb, sqrt

import numpy as np
import pandas as pd
import pytest
from report_samples import (
    TABLES,
    cell,
    deals_tables,
    league_tables,
    page_of,
    session_cell,
    session_tables,
    write_result,
)

from loo_sim.cards import hand_classes
from loo_sim.report import checks, trust
from loo_sim.report.result import read_result

N = 1000


def honest_deals(axes=None):
    """Tables of 1,000 deals of two hundred lone players and eight hundred contests, by hand.

    A pot of 3 stakes. In 200 deals seat 0 takes it alone. In 800 seat 0 and the dealer play: seat 0
    wins three tricks, the dealer is looed and pays 3 stakes: the pot is as large as before.
    """
    seats = pd.DataFrame({"seat": range(6), "n": N, "net": 0.0, "net_se": 0.01, "tricks": 0.0})
    shares = ["stood", "took_miss", "defended", "folded", "looed", "took_pot"]
    seats[shares] = 0.0
    seats.loc[0, ["net", "tricks", "took_pot"]] = [3.0, 2.4, 0.2]
    seats.loc[5, ["net", "looed"]] = [-2.4, 0.8]
    pot = pd.DataFrame({"standers": [1, 2], "n": [200, 800], "looed": [0.0, 1.0], "looed_se": 0.0})
    swings = pd.DataFrame({"pot_swing": [-3.0, 0.0], "n": [200, 800], "share": [0.2, 0.8]})
    tables = {"deals": seats, "pot": pot, "swings": swings}
    return {name: table.assign(**(axes or {})) for name, table in tables.items()}


def read(path, tables, cells=None, **changes):
    return read_result(write_result(path, cells or [cell(deals=N)], tables, **changes))


class TestSums:
    def off(self, path, tables):
        """By how much each sum of a game of deals is off, by what it sums."""
        (game,) = read(path, tables).cells
        found = {sum_.off_by.__name__: sum_.off_by(game) for sum_ in checks.SUMS}
        return {name: off for name, off in found.items() if off is not None}

    def test_all_come_out_of_honest_tables(self, tmp_path):
        assert self.off(tmp_path, honest_deals()) == dict.fromkeys(
            (
                "money_of_deals",
                "tricks_of_deals",
                "looed_of_deals",
                "whole_pots_of_deals",
                "deals_counted",
            ),
            0,
        )

    @pytest.mark.parametrize(
        ("table", "row", "column", "more", "name", "off"),
        [
            # A unit more in one deal of a thousand.
            ("deals", 3, "net", 1 / 729 / N, "money_of_deals", 1),
            ("deals", 5, "tricks", 1 / N, "tricks_of_deals", 1),
            ("deals", 5, "looed", -1 / N, "looed_of_deals", -1),
            ("deals", 2, "took_pot", 2 / N, "whole_pots_of_deals", 2),
        ],
    )
    def test_one_that_is_off_by_one_is_found(self, tmp_path, table, row, column, more, name, off):
        tables = honest_deals()
        tables[table].loc[row, column] += more
        found = self.off(tmp_path, tables)
        assert found.pop(name) == off
        assert set(found.values()) == {0}

    def test_a_deal_that_is_not_counted_is_found(self, tmp_path):
        tables = honest_deals()
        tables["swings"].loc[1, "n"] -= 1
        # It changed the pot by nothing: money still comes out.
        assert self.off(tmp_path, tables)["deals_counted"] == -1

    def test_purses_and_the_pot_left_are_what_was_brought(self, tmp_path):
        tables = session_tables(bankroll=20)
        # Persons end with 20, 22, ..., 28: 20 stakes more than the hundred that they brought.
        tables["session"]["pot_left"] = -20.0
        bounds = {"rounds": 4, "bankroll": 20}
        (game,) = read(tmp_path, tables, [session_cell()], experiment=bounds).cells
        assert checks.money_of_sessions(game) == 0
        tables["session"]["pot_left"] = -20.0 + 1 / 729
        (game,) = read(tmp_path, tables, [session_cell()], experiment=bounds).cells
        assert checks.money_of_sessions(game) == TABLES

    def test_differences_of_a_league(self, tmp_path):
        tables = league_tables({"bold": 0.5, "calm": 0.1})
        assert checks.nets_of_league(read(tmp_path, tables).cells[0]) == 0
        tables["league"].loc[0, "net_diff"] += 0.01
        assert checks.nets_of_league(read(tmp_path, tables).cells[0]) == 1

    @pytest.mark.usefixtures("unwritten")
    def test_the_page_says_so_if_money_is_conserved(self, tmp_path):
        page = page_of(write_result(tmp_path, [cell(deals=N)], honest_deals()))
        assert "Money is conserved to the last unit in the game" in page.text
        assert "must not be trusted" not in page.text

    @pytest.mark.usefixtures("unwritten")
    def test_the_page_says_so_if_it_is_not_and_where(self, tmp_path):
        pots = (3, 6)
        parts = [honest_deals({"pot": pot}) for pot in pots]
        parts[1]["deals"].loc[3, "net"] += 2 / 729 / N
        tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
        games = [cell({"pot": pot}, deals=N) for pot in pots]
        page = page_of(write_result(tmp_path, games, tables))
        assert "This result must not be trusted" in page.text
        (money, *others) = trust.sums_table(trust.held(read(tmp_path, tables, games).cells)).rows
        assert money[2:] == ("1 of 2", "a pot of 6 (2 units)")
        assert {row[2:] for row in others} == {("2 of 2", "–")}

    def test_games_that_failed_are_not_held_to_anything(self, tmp_path):
        games = [cell(deals=N, status="failed")]
        assert trust.held(read(tmp_path, honest_deals(), games).cells) == []


def hands_table(counts, **columns):
    """A table of the study `announce` of the first seat's hands, from hand to how often."""
    rows = pd.DataFrame({"hand": list(counts), "n": list(counts.values())})
    n = rows["n"].sum()
    nothing = {
        f"{name}{end}": np.nan
        for name in (
            *("stand", "miss", "miss_minus_stand", "stand_loo", "miss_loo"),
            *("stand_tricks", "miss_tricks", "stand_pot", "miss_pot", "fold", "defend"),
        )
        for end in ("", "_se")
    }
    rows = rows.assign(seat=0, standers=0, miss_free=True, weight=rows["n"] / n, **nothing)
    return rows.assign(**{"stand": 0.0, "miss": 0.0, "stand_loo": 0.0, **columns})


class TestChances:
    def test_numbers_of_trumps(self, tmp_path):
        # In 1,000 deals 420 hands without, 440 with one, 130 with two, 10 with three trumps.
        counts = {"KhQdJc": 420, "KsQhJd": 440, "9s8sKh": 130, "AsKsQs": 10}
        found = trust.chances(read(tmp_path, {"announce": hands_table(counts)}).cells)
        for chance, (trumps, hits) in zip(found, enumerate((420, 440, 130, 10)), strict=False):
            share = comb(12, trumps) * comb(39, 3 - trumps) / comb(51, 3)
            assert chance.exact == pytest.approx(100 * share)
            assert chance.found == pytest.approx(hits / 10)
            assert chance.z == pytest.approx((hits / N - share) / sqrt(share * (1 - share) / N))
        highest = found[4]
        assert highest.exact == pytest.approx(100 * 3 / 51)
        assert highest.found == pytest.approx(1.0)

    def test_the_short_pack_has_chances_of_its_own(self, tmp_path):
        games = [cell(rules=cell()["rules"] | {"deck": 32}, deals=N)]
        tables = {"announce": hands_table({"KhQdJc": 1000})}
        first = trust.chances(read(tmp_path, tables, games).cells)[0]
        assert first.exact == pytest.approx(100 * comb(24, 3) / comb(31, 3))

    def test_chi_squared_of_honest_hands_is_a_z_score(self):
        """Over four hundred seeds it has mean 0 and variance 1, to four of their errors."""
        classes = hand_classes()
        chance = classes.size / classes.size.sum()
        random = np.random.default_rng(5)
        drawn = [random.multinomial(20_000, chance) for _ in range(400)]
        scores = [checks.chi_squared(dealt, classes, 20_000) for dealt in drawn]
        assert abs(np.mean(scores)) < 4 / sqrt(400)
        assert abs(np.var(scores) - 1) < 4 * sqrt(2 / 400)

    def test_chi_squared_sees_hands_that_come_too_often(self):
        classes = hand_classes()
        n = 20_825 * 5
        dealt = classes.size * 5
        even = checks.chi_squared(dealt, classes, n)
        # Half of all classes twice as often, the others never.
        tilted = dealt.copy()
        order = np.argsort(np.arange(len(dealt)) % 2, kind="stable")
        half = order[: len(order) // 2]
        tilted[half] *= 2
        tilted[order[len(order) // 2 :]] = 0
        assert even < -10, "no chance brings hands as evenly as this"
        assert checks.chi_squared(tilted, classes, int(tilted.sum())) > 10

    def test_people_who_play_alike_end_alike(self, tmp_path):
        """Held to tables whose first dealer is drawn, and the spread of what each ends apart."""
        random = np.random.default_rng(3)
        tables, people = 4000, 5
        # Whoever deals first pays 5 more; what is left in the pot is nobody's.
        finals = random.normal(0, 3, (tables, people))
        first = random.integers(people, size=tables)
        finals[np.arange(tables), first] -= 5
        left = -finals.sum(axis=1)
        made = session_tables(tables=tables)
        made["purse"]["final"] = finals.mean(axis=0)
        made["purse"]["final_se"] = finals.std(axis=0, ddof=1) / sqrt(tables)
        made["session"]["pot_left"] = left.mean()
        made["session"]["pot_left_se"] = left.std(ddof=1) / sqrt(tables)
        alike = cell(players=5, deals=tables, policies=[{"name": "peel", "digest": "ab"}] * 5)
        result = read(tmp_path, made, [alike], experiment={"rounds": 4})
        found = trust.chances(result.cells)
        assert len(found) == people
        away = finals - finals.mean(axis=1, keepdims=True)
        for chance, person in zip(found, range(people), strict=True):
            error = away[:, person].std(ddof=1) / sqrt(tables)
            assert chance.found - chance.exact == pytest.approx(away[:, person].mean())
            assert chance.error == pytest.approx(error, rel=0.03)

    def test_people_who_play_differently_are_held_to_nothing(self, tmp_path):
        result = read(tmp_path, session_tables(), [session_cell()], experiment={"rounds": 4})
        assert trust.chances(result.cells) == []

    def test_the_same_hands_in_several_games_count_once(self, tmp_path):
        games = [cell({"pot": pot}, deals=N) for pot in (3, 6)]
        tables = pd.concat([hands_table({"KhQdJc": 1000}, pot=pot) for pot in (3, 6)])
        assert len(trust.chances(read(tmp_path, {"announce": tables}, games).cells)) == 6

    def test_marks_stand_at_the_z_scores(self, tmp_path):
        counts = {"KhQdJc": 420, "KsQhJd": 440, "9s8sKh": 130, "AsKsQs": 10}
        found = trust.chances(read(tmp_path, {"announce": hands_table(counts)}).cells)
        axes = trust.draw_chances(found).axes[0]
        marks = [bars.lines[0] for bars in axes.containers]
        assert [mark.get_xdata()[0] for mark in marks] == pytest.approx([one.z for one in found])
        # Six are held at once: each at 5 % / 6, both sides together.
        (band,) = axes.patches
        bound = band.get_x() + band.get_width()
        assert bound == pytest.approx(2.6383, abs=1e-4)
        hollow = [mark.get_markerfacecolor() == "white" for mark in marks]
        assert hollow == [abs(one.z) > bound for one in found]
        assert any(hollow)

    @pytest.mark.usefixtures("unwritten")
    def test_what_lies_too_far_off_is_told(self, tmp_path):
        directory = write_result(
            tmp_path, [cell(deals=N)], {"announce": hands_table({"AsKsQs": 1000})}
        )
        text = page_of(directory).text
        assert "6 of 6 figures that are known exactly lie farther off than chance allows" in text


class TestPrecision:
    def result(self, path, precision=None):
        games = [cell({"pot": pot}, deals=40_000, precision=precision) for pot in (3, 6)]
        parts = []
        for pot in (3, 6):
            tables = deals_tables(axes={"pot": pot})
            # The pot changes by plus or minus as many stakes: a variance of the pot's square.
            swings = {"pot_swing": [-pot, pot], "n": 20_000, "share": 0.5, "pot": pot}
            parts.append({**tables, "swings": pd.DataFrame(swings)})
        tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
        return read(path, tables, games)

    def test_half_widths_are_those_of_the_spread(self, tmp_path):
        found = trust.precisions(self.result(tmp_path))
        expected = [1.959964 * pot / sqrt(39_999) for pot in (3, 6)]
        assert [one.half for one in found] == pytest.approx(expected)

    def test_lines_fall_by_half_for_four_times_as_many_deals(self, tmp_path):
        figure = trust.draw_precision(trust.precisions(self.result(tmp_path)))
        falling = [line for line in figure.axes[0].lines if len(line.get_xdata()) > 2]
        assert len(falling) == 2
        for line, pot in zip(falling, (3, 6), strict=True):
            for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
                assert y == pytest.approx(1.959964 * pot / sqrt(x), rel=1e-3)
            assert line.get_xdata()[-1] == pytest.approx(40_000)

    def test_what_was_asked_for_is_drawn_and_whether_it_was_reached(self, tmp_path):
        looked = {
            "until": 0.04,
            "half_width": 0.05,
            "reached": False,
            "checkpoints": [1000, 40_000],
        }
        result = self.result(tmp_path, looked)
        found = trust.precisions(result)
        axes = trust.draw_precision(found).axes[0]
        level = [line.get_ydata()[0] for line in axes.lines if len(set(line.get_ydata())) == 1]
        assert 0.04 in level
        hollow = [line for line in axes.lines if line.get_markerfacecolor() == "white"]
        for line in hollow:
            # 40 times fewer deals, an error of the root of 40 as much.
            assert list(line.get_xdata()) == [1000]
            assert line.get_ydata() == pytest.approx([0.05 * sqrt(40)])
        exhibit = trust.precision_exhibit(result)
        assert "0 of 2 are" in exhibit.caption
        assert "interval of the mean change of the pot in a deal is ± 0.050 " in exhibit.caption
        for half, verdict in ((0.05, "not reached"), (0.04, "reached")):
            one = [found[0]._replace(half=half)]
            assert f" Asked for was ± 0.04, {verdict}; " in trust.tell_precision(result, one)
        assert {row[-1] for row in exhibit.numbers.rows} == {"± 0.04: not reached"}
        assert {row[-2] for row in exhibit.numbers.rows} == {"1,000, 40,000"}

    def test_nothing_is_drawn_where_no_error_is_known(self, tmp_path):
        tables = session_tables(tables=1)
        result = read(tmp_path, tables, [session_cell(deals=1)], experiment={"rounds": 4})
        assert trust.precision_exhibit(result) is None


def test_of_many_games_the_widest_and_the_narrowest_are_drawn(tmp_path):
    pots = range(3, 13)
    games = [cell({"pot": pot}, deals=N) for pot in pots]
    parts = [honest_deals({"pot": pot}) for pot in pots]
    for part, (many, few) in zip(parts, itertools.cycle(((150, 850), (200, 800))), strict=False):
        part["swings"]["n"] = [many, few]
    tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
    found = trust.precisions(read(tmp_path, tables, games))
    figure = trust.draw_precision(found)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert len(labels) == 2
    ordered = sorted(found, key=lambda one: one.half)
    assert labels == [ordered[-1].cell.label, ordered[0].cell.label]
