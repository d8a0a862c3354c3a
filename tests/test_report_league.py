"""What the report says of leagues is worked out of the tables as by hand."""

from __future__ import annotations

import pytest
from report_samples import DEALS, cell, league_tables, write_result

from loo_sim.report import league
from loo_sim.report.provenance import policies_in_words
from loo_sim.report.result import Cell, read_result
from loo_sim.report.scale import Scale

CLEAR = {"bold": 0.50, "calm": 0.40, "daft": -0.60}
CLOSE = {"bold": 0.500, "calm": 0.495, "daft": -0.60}


def contest(nets=CLEAR, **changes):
    """A cell whose contestants are these."""
    policies = [{"name": name, "digest": "ab" * 32} for name in sorted(nets)]
    return cell(changes.pop("axes", None), policies=policies, **changes)


def first_cell(path, nets, unit="deals", half=0.02, **manifest) -> Cell:
    tables = league_tables(nets, half=half, unit=unit)
    return read_result(write_result(path, [contest(nets)], tables, **manifest)).cells[0]


@pytest.fixture
def clear(tmp_path):
    return first_cell(tmp_path, CLEAR)


@pytest.fixture
def close(tmp_path):
    return first_cell(tmp_path, CLOSE)


def test_one_that_is_ahead_of_all(clear):
    # The error of a net is 0.005, and 1.96 * 0.005 = 0.0098; the lead 0.10 -+ 0.02.
    assert league.who_is_best(clear) == (
        "bold nets more than each other policy: 0.500 ± 0.010 stakes a deal and seat. It is ahead "
        "of calm, the next, by 0.100 (0.080 to 0.120) stakes."
    )


def test_one_that_may_be_tied_is_not_called_best(close):
    sentence = league.who_is_best(close)
    assert "calm is tied with it" in sentence
    assert "too close to call" in sentence
    assert "nets more than" not in sentence


def test_skill_against_chance(clear):
    # 1.96^2 * 2 = 7.683; over 0.1^2, 0.12^2, 0.08^2: 768.3, 533.6, 1200.5; over 1.1^2: 6.3.
    sentence = league.skill_and_chance(clear)
    assert "from one of calm after 769 (534 to 1,200) deals" in sentence
    assert "from one of daft after 7 deals" in sentence


def test_skill_is_not_told_of_one_that_is_tied(close):
    sentence = league.skill_and_chance(close)
    assert "calm" not in sentence
    assert "daft" in sentence


def test_nothing_is_told_of_skill_where_all_are_tied(tmp_path):
    alike = first_cell(tmp_path, {"bold": 0.1, "calm": 0.1})
    assert league.skill_and_chance(alike) == ""


def test_no_number_of_deals_surely_tells_those_apart_who_are_tied(close):
    rows = {row[0]: row for row in league.standing_exhibit(close).numbers.rows}
    # 7.683 / (0.005 + 0.02)^2 = 12,293
    assert rows["calm"][3:] == ("tied", "1", "more than 12,300")
    assert rows["bold"][3] == "first"
    assert rows["daft"][3] == "behind"


def test_lead_of_the_first_over_each(clear):
    leads = league.leads(clear)
    assert leads["rival"].to_list() == ["calm", "daft"]
    assert leads["net_diff"].to_list() == pytest.approx([0.1, 1.1])
    axes = league.draw_standing(clear).axes[0]
    drawn = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert drawn == pytest.approx([0.0, -0.1, -1.1])


def test_those_tied_with_the_first_are_drawn_hollow(close):
    axes = league.draw_standing(close).axes[0]
    fills = [line.get_markerfacecolor() for line in axes.lines if line.get_marker() == "o"]
    assert [fill == "white" for fill in fills] == [False, True, False]


def test_every_pair_once_in_order_of_standing(close):
    exhibit = league.pairs_exhibit(close)
    pairs = [row[:2] for row in exhibit.numbers.rows]
    assert pairs == [("bold", "calm"), ("bold", "daft"), ("calm", "daft")]
    assert "Of the 3 pairs, 2 differ surely; the others, hatched" in exhibit.caption


@pytest.mark.parametrize(
    ("nets", "told"),
    [
        (CLEAR, "All of the 3 pairs differ surely."),
        (CLOSE, "Of the 3 pairs, 2 differ surely; the others, hatched, are too close to call."),
        ({"bold": 0.5, "calm": 0.4}, "The two differ surely."),
        ({"bold": 0.5, "calm": 0.495}, "The two, hatched, are too close to call."),
    ],
)
def test_how_many_pairs_differ(tmp_path, nets, told):
    assert told in league.pairs_exhibit(first_cell(tmp_path, nets)).caption


def test_gain_of_pairing(clear):
    assert "it would take 9 times as many deals" in league.pairing(clear)


def test_in_sessions_tables_are_counted(tmp_path):
    played = first_cell(tmp_path, CLEAR, "tables", experiment={"rounds": 3})
    assert "stakes a table and person" in league.who_is_best(played)
    assert "769 (534 to 1,200) tables" in league.skill_and_chance(played)


def test_too_few_deals_for_any_interval(tmp_path):
    tables = league_tables(CLEAR)
    for column in ("low", "high", "p_value", "deals_apart_low", "deals_apart_high"):
        tables["league"][column] = None
    tables["standing"]["tied_with_best"] = True
    few = read_result(write_result(tmp_path, [contest()], tables)).cells[0]
    assert "calm and daft are tied with it" in league.who_is_best(few)
    assert league.skill_and_chance(few) == ""
    rows = league.pairs_exhibit(few).numbers.rows
    assert rows[0][3] == "≈ 0.10 (error unknown)"
    assert rows[0][4] == "–"
    assert rows[0][6] == "≈ 769"


def test_who_is_first_in_all_games(tmp_path):
    cells = [first_cell(tmp_path / "1", CLEAR), first_cell(tmp_path / "2", CLOSE)]
    assert league.compare_games(cells) == "In both games bold is first or tied with the first."
    other = first_cell(tmp_path / "3", {"daft": 1.0, "bold": 0.0, "calm": 0.0})
    assert "No policy is first" in league.compare_games([*cells, other])
    assert [row[1] for row in league.games_table([*cells, other]).rows] == ["bold", "bold", "daft"]


def test_contestants_sit_in_no_seat_of_their_own(clear):
    assert policies_in_words(clear) == "bold, calm and daft, each in every seat in turn"
    assert clear.deals == DEALS


def test_scale_of_colours_is_alike_on_both_sides_of_zero():
    # All but one of forty values lie on it, and it ends at a round number of stakes.
    scale = Scale.of([0.2] * 20 + [-0.23] * 19 + [9.0])
    assert scale.bounds.tolist() == pytest.approx([0.05 * step for step in range(-5, 6)])
    for value in (0.01, 0.13, 0.6):
        gain, loss = scale.colour(value), scale.colour(-value)
        assert gain[2] > gain[0]  # more blue than red: purple
        assert loss[0] > loss[2]  # more red than blue: orange
