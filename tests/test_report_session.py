"""What the report says of sessions is worked out of the tables as by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from report_samples import TABLES, session_cell, session_tables, write_result

from loo_sim.report import pot_path, purses, ruin, seats
from loo_sim.report.result import QUANTILES, Cell, read_result
from loo_sim.report.terms import terms
from loo_sim.rounding import rough, table_percent
from loo_sim.studies.estimates import Z95

ROUNDS = {"rounds": 4}


def first_cell(path, tables, experiment=ROUNDS, **changes) -> Cell:
    directory = write_result(path, [session_cell(**changes)], tables, experiment=experiment)
    return read_result(directory).cells[0]


@pytest.fixture
def evening(tmp_path):
    return first_cell(tmp_path, session_tables())


@pytest.fixture
def limited(tmp_path):
    return first_cell(tmp_path, session_tables(bankroll=50), {**ROUNDS, "bankroll": 50})


class TestPot:
    def test_mean_single_clean_and_longest(self, evening):
        # 1.96 * 0.01 = 0.0196; 1.96 * 0.1 % = 0.196 %; 1.96 * 0.02 = 0.0392
        assert pot_path.describe_pot(evening) == (
            "The pot holds 5.000 ± 0.020 stakes on average when play begins; 40.00 ± 0.20 % of the "
            "deals begin with a single pot, 50.00 ± 0.20 % are clean, and the longest run of deals "
            "in which somebody is looed is of 4.00 ± 0.04 deals on average."
        )

    def test_what_is_left(self, evening):
        assert "2.00 ± 0.04 stakes are left" in pot_path.what_is_left(evening)

    def test_ratio_of_errors_in_words(self, evening):
        assert "1.25 times what it would be" in pot_path.honest_error(evening)

    def test_no_ratio_of_errors_from_one_table(self, tmp_path):
        one = first_cell(tmp_path, session_tables(tables=1), deals=1)
        assert pot_path.honest_error(one).endswith("are taken over tables.")

    @pytest.mark.parametrize(
        ("last", "told"),
        [
            # The middle of 20 deals is deal 11; 1.96 * (0.05 + 0.05) = 0.196.
            (5.19, "too close to call"),
            (5.20, "grows from 5.00 ± 0.10 to 5.20 ± 0.10 stakes"),
            (4.80, "shrinks from 5.00 ± 0.10 to 4.80 ± 0.10 stakes"),
        ],
    )
    def test_whether_it_still_grows(self, tmp_path, last, told):
        tables = session_tables()
        tables["path"].loc[19, "pot"] = last
        sentence = pot_path.growth(first_cell(tmp_path, tables))
        assert told in sentence
        assert "deal 11 and deal 20" in sentence

    def test_tables_whose_play_was_over_are_told(self, tmp_path, evening):
        assert pot_path.still_playing(evening) == ""
        tables = session_tables()
        tables["path"] = tables["path"].query("deal <= 12")
        tables["path"].loc[11, "n"] = TABLES // 4
        sentence = pot_path.still_playing(first_cell(tmp_path / "over", tables))
        # 1.96 * sqrt(0.25 * 0.75 / 10,000) = 0.85 %
        assert sentence.startswith("Deal 12 of 20, the last")
        assert "25.0 ± 0.8 % of the tables" in sentence

    def test_some_tables_that_play_to_the_end_are_not_all(self, tmp_path):
        tables = session_tables()
        tables["path"].loc[19, "n"] = TABLES // 4
        sentence = pot_path.still_playing(first_cell(tmp_path, tables))
        assert sentence.startswith("Deal 20 of 20, the last")

    def test_a_path_that_skips_deals_is_not_one_that_ended(self, tmp_path):
        tables = session_tables()
        # Every third deal, the last of them 19: one more would be beyond the 20th.
        tables["path"] = tables["path"].query("deal % 3 == 1")
        assert pot_path.still_playing(first_cell(tmp_path, tables)) == ""

    def test_longest_runs(self, evening):
        # The 95 % quantile of nine tables in ten with 4 and one in ten with 9 is 9.
        sentence = pot_path.longest_runs(evening)
        assert "1.90 deals on average" in sentence
        assert "of 9 or more at 10.0 ± 0.6 % of the tables" in sentence

    def test_no_clean_deal_at_all(self, tmp_path):
        tables = session_tables()
        tables["gap"]["gaps"] = 0
        tables["session"] = tables["session"].assign(clean=0.0, clean_se=0.0, clean_gap=np.nan)
        never = first_cell(tmp_path, tables)
        assert "No deal was clean." in pot_path.longest_runs(never)
        # 3 / 10,000, the rule of three
        assert "less than 0.030 % are clean" in pot_path.describe_pot(never)
        shares = [row[2] for row in pot_path.gap_exhibit(never).numbers.rows]
        assert set(shares) == {"–"}

    def test_lengths_that_are_counted_together(self, tmp_path):
        from loo_sim.kernels.table_counts import MOST_GAP

        assert pot_path.LONGEST_COUNTED == MOST_GAP
        tables = session_tables()
        tables["gap"].loc[2, "deals"] = MOST_GAP
        numbers = pot_path.gap_exhibit(first_cell(tmp_path, tables)).numbers
        assert [row[0] for row in numbers.rows] == ["1", "4", "256 or more"]

    def test_wide_paths_are_drawn_on_a_logarithmic_scale(self, tmp_path, evening):
        assert pot_path.draw_path(evening).axes[0].get_yscale() == "linear"
        tables = session_tables()
        tables["path"].loc[19, "pot_q95"] = 3 * pot_path.WIDE + 1
        wide = first_cell(tmp_path / "wide", tables)
        assert pot_path.draw_path(wide).axes[0].get_yscale() == "log"

    def test_games_are_ranked_only_where_they_differ(self, tmp_path):
        axes = [{"rules.loo": loo} for loo in (3, 6)]
        parts = [session_tables(axes=one) for one in axes]
        parts[1]["session"]["pot"] = 5.05
        tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
        games = [session_cell(one) for one in axes]
        directory = write_result(tmp_path, games, tables, experiment=ROUNDS)
        cells = list(read_result(directory).cells)
        # 1.96 * (0.01 + 0.01) = 0.039 < 0.05
        assert pot_path.compare_pots(cells) == (
            "The mean pot when play begins is highest with loo 6 (5.050 ± 0.020 stakes) and lowest "
            "with loo 3 (5.000 ± 0.020 stakes)."
        )


class TestPurses:
    def test_gain_is_what_is_more_than_was_brought(self, evening, limited):
        for cell in (evening, limited):
            gains = purses.changes(cell, "final")
            assert gains["mean"].to_list() == [0, 2, 4, 6, 8]
            assert gains["q05"].to_list() == [-20, -18, -16, -14, -12]
            assert purses.changes(cell, "lowest")["mean"].to_list() == [-10, -11, -12, -13, -14]

    def test_who_wins(self, limited):
        # 1.96 * 0.1 = 0.196
        assert purses.compare_people(limited) == (
            "The mean gain of an evening is highest for person 4 (pot-odds) (8.00 ± 0.20 stakes) "
            "and lowest for person 0 (peel) (0.00 ± 0.20 stakes)."
        )

    def test_widest_of_the_bars(self, tmp_path):
        tables = session_tables()
        tables["purse"].loc[2, "final_q95"] = 30.0
        caption = purses.final_exhibit(first_cell(tmp_path, tables)).caption
        assert (
            "The longest bar is that of person 2 (trumps): one table in twenty comes to −16 or "
            "less, half to between −1 and 9, one in twenty to 30 or more." in caption
        )

    def test_people_who_play_alike_are_told_by_number(self, tmp_path):
        alike = [{"name": "peel", "digest": ""}] * 5
        cell = first_cell(tmp_path, session_tables(), policies=alike)
        assert purses.final_exhibit(cell).numbers.rows[3][0] == "person 3"
        assert "swings by 30.00 ± 0.20 stakes" in purses.mean_swing(cell)

    def test_who_was_out_stands_beside_the_lowest_purse_only_where_purses_are_limited(
        self, evening, limited
    ):
        assert "out" not in purses.lowest_exhibit(evening).numbers.columns
        numbers = purses.lowest_exhibit(limited).numbers
        # sqrt(0.2 * 0.8 / 10,000) = 0.40 %
        assert dict(zip(numbers.columns, numbers.rows[1], strict=True))["out"] == "20.00(40) %"


class TestRuin:
    @pytest.mark.parametrize(("share", "n"), [(0.2, 50), (0.0, 10), (1.0, 7), (0.5, 1)])
    def test_wilson_ends_solve_their_equation(self, share, n):
        # An end p is where the observed share is Z95 standard errors of p itself away.
        for end in ruin.wilson(share, n):
            assert (share - end) ** 2 == pytest.approx(Z95**2 * end * (1 - end) / n, abs=1e-12)

    def test_wilson_known_interval(self):
        # 10 of 50, as R's prop.test(10, 50, correct = FALSE) gives it
        assert ruin.wilson(0.2, 50) == pytest.approx((0.1124375, 0.3303711), abs=1e-6)

    def test_curve_of_a_policy_is_the_mean_of_its_people(self, tmp_path):
        names = ["peel", "tight", "peel", "tight", "tight"]
        policies = [{"name": name, "digest": ""} for name in names]
        found = ruin.ruin_by_policy(first_cell(tmp_path, session_tables(), policies=policies))
        by_ten = found[found["brought"] == 10].set_index("policy")["ruined"]
        # People 0 and 2: 0.10 and 0.08; people 1, 3 and 4: 0.09, 0.07 and 0.06.
        assert by_ten.to_dict() == pytest.approx({"peel": 0.09, "tight": 0.22 / 3})
        assert list(dict.fromkeys(found["policy"])) == ["peel", "tight"]

    def test_least_bankroll_that_surely_keeps_ruin_rare(self, evening):
        # 1/20 is not below one in twenty, 1/50 is; 1.96 * sqrt(0.02 * 0.98 / 10,000) = 0.27 %
        assert ruin.what_to_bring(evening) == (
            "With 50 stakes everyone is ruined at less than one table in twenty, up to "
            "2.0 ± 0.3 % of them for person 0 (peel); with 20 it is up to 5.0 ± 0.4 % of them for "
            "person 0 (peel)."
        )

    def test_no_bankroll_is_enough(self, tmp_path):
        tables = session_tables()
        tables["ruin"]["ruined"] = 1.0
        sentence = ruin.what_to_bring(first_cell(tmp_path, tables))
        assert sentence.startswith("Not even with 100 stakes is it sure")
        assert "more than 99.970 %" in sentence

    def test_one_table_proves_no_bankroll_enough(self, tmp_path):
        tables = session_tables(tables=1)
        tables["ruin"]["ruined"] = 0.0
        sentence = ruin.what_to_bring(first_cell(tmp_path, tables, deals=1))
        assert sentence.startswith("Not even with 100 stakes is it sure")

    def test_who_was_out(self, limited):
        # 1.96 * 0.40 % = 0.78 %; nobody else: 3 / 10,000
        assert ruin.who_was_out(limited) == (
            "With 50 stakes each, the share of tables at which a person is out before the end is "
            "highest for person 1 (tight) (20.0 ± 0.8 %) and lowest in one of 4 people (too close "
            "to call)."
        )

    def test_nobody_was_out(self, tmp_path):
        tables = session_tables(bankroll=50)
        tables["purse"]["out"] = 0.0
        cell = first_cell(tmp_path, tables, {**ROUNDS, "bankroll": 50})
        assert "nobody is ever out (less than 0.030 %)" in ruin.who_was_out(cell)


class TestSeats:
    def test_the_cost_of_the_deal_stands_apart(self, evening):
        values = seats.seat_values(evening)
        assert values["net"].to_list() == pytest.approx([0.50, 0.51, 0.52, 0.53, 0.54])
        assert values["put_in"].to_list() == [0, 0, 0, 0, 3]
        assert values["after"].to_list()[-1] == pytest.approx(-2.46)
        caption = seats.seat_value_exhibit([evening]).caption
        assert "a deal costs the dealer 2.4600 ± 0.0020 stakes" in caption
        assert "in this deal only" not in caption

    def test_smaller_tables_are_told(self, evening, limited):
        told = "At a table that somebody has left"
        assert told in seats.seat_value_exhibit([limited]).caption
        assert told not in seats.seat_value_exhibit([evening]).caption


class TestTerms:
    def test_purses_without_limit(self, evening):
        lines = dict(terms([evening]))
        assert lines["rounds"] == "4, in each of which everyone deals once: 20 deals at a table"
        assert lines["purses"].startswith("without limit")
        assert "who cannot pay" not in lines
        assert "bound of a loo" not in lines

    def test_limited_purses(self, limited):
        lines = dict(terms([limited]))
        assert lines["purses"] == "50 stakes each"
        assert "plays on while 5 or more people are left" in lines["who cannot pay"]

    def test_tables_that_met_the_cap(self, tmp_path):
        tables = session_tables()
        tables["session"] = tables["session"].assign(loo_cap=12.0, met_cap=TABLES // 10)
        rules = session_cell()["rules"] | {"loo": "pot", "loo_cap": 12}
        lines = dict(terms([first_cell(tmp_path, tables, rules=rules)]))
        assert lines["bound of a loo"] == "12 stakes, met at 10.0 ± 0.6 % of the tables"

    def test_tables_that_met_the_bound_of_deals(self, tmp_path):
        tables = session_tables()
        tables["session"]["met_bound"] = TABLES // 2
        rules = session_cell()["rules"] | {"end": "no-loo"}
        lines = dict(terms([first_cell(tmp_path, tables, rules=rules)]))
        assert "50.0 ± 1.0 % of the tables met the bound" in lines["end of play"]

    def test_rounds_of_a_sweep_are_those_of_its_axis(self, tmp_path):
        axes = {"rounds": 2}
        cell = first_cell(tmp_path, session_tables(axes=axes, deals=10), axes=axes)
        assert cell.rounds == 2
        assert "10 deals at a table" in dict(terms([cell]))["rounds"]

    @pytest.mark.parametrize(
        ("rounds", "told"),
        [
            ((2, 4), "2 or 4, in each of which everyone deals once: 10 or 20 deals at a table"),
            (
                (400, 1, 2, 3),
                "1, 2, 3 or 400, in each of which everyone deals once: 5, 10, 15 or 2,000 deals "
                "at a table",
            ),
            (
                (5, 1, 2, 3, 400),
                "1 to 400, in each of which everyone deals once: 5 to 2,000 deals at a table",
            ),
        ],
    )
    def test_rounds_of_a_sweep_are_listed_if_they_are_few(self, tmp_path, rounds, told):
        cells = [
            first_cell(tmp_path / str(n), session_tables(axes={"rounds": n}), axes={"rounds": n})
            for n in rounds
        ]
        assert dict(terms(cells))["rounds"] == told


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (8.3333, "8.3"),
        (-26.0714, "−26.1"),
        (-0.04, "0"),
        (0.0, "0"),
        (99.96, "100"),
        (123.4, "123"),
        (12345.6, "12,300"),
        (-1101414762.77, "−1,100,000,000"),
        (np.nan, "–"),
    ],
)
def test_numbers_without_an_error_have_three_digits_at_most(value, text):
    assert rough(value) == text


@pytest.mark.parametrize(
    ("share", "error", "tables", "text"),
    [
        (0.4, 0.001, 10_000, "40.00 ± 0.20 %"),
        # A share of deals is seldom a multiple of one table's: rare is not never.
        (0.00002, 0.00001, 10_000, "0.0020 ± 0.0020 %"),
        (0.0, 0.0, 10_000, "less than 0.030 %"),
        (1.0, 0.0, 10_000, "more than 99.970 %"),
        # 1 - 0.05^(1/1)
        (0.0, np.nan, 1, "less than 95 %"),
        (0.4, np.nan, 1, "≈ 40.00 % (error unknown)"),
    ],
)
def test_shares_of_deals_have_the_errors_of_tables(share, error, tables, text):
    assert table_percent(share, error, tables) == text


def test_quantiles_are_those_of_the_study():
    from loo_sim.studies import session

    assert tuple(session.QUANTILES) == QUANTILES
