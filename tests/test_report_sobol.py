"""What is told and drawn of Sobol indices: rows made by hand, read off sentences and figures."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest
from report_samples import cell, deals_tables, page_of, write_result, written_by_another_process

from loo_sim.report.result import read_result
from loo_sim.report.sobol import draw_indices, indices_exhibit
from loo_sim.sobol_words import (
    figure_in_words,
    no_indices,
    sentences,
    share_in_words,
    told_rows,
)

RANGES = {"points": 8, "pot": [3, 12], "rules.loo_cap": [5, 50], "players": [5, 8, 1]}


def rows(noise=0.01, figure="pot_swing", together=(0.1, 0.02, 0.18), **axes):
    """Rows of the table: of each axis its first order and total, each with its interval.

    The last three numbers are how far it is behind the leader.
    """
    found = []
    for axis, (first, total, behind) in axes.items():
        row = {"figure": figure, "axis": axis.replace("loo_cap", "rules.loo_cap"), "n": 8}
        shares = {"first": first, "total": total, "together": together, "behind": behind}
        for name, (value, low, high) in shares.items():
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        found.append(row | {"noise": noise})
    return found


NOBODY = (None, None, None)
CLEAR = rows(
    players=((0.2, 0.12, 0.28), (0.25, 0.2, 0.3), (0.35, 0.25, 0.45)),
    pot=((0.5, 0.4, 0.6), (0.6, 0.52, 0.68), NOBODY),
    loo_cap=((0.0, -0.1, 0.1), (0.012, 0.008, 0.016), (0.588, 0.5, 0.66)),
)


def test_sentences_of_a_clear_finding():
    assert sentences(CLEAR) == [
        "Of the settings pot moves the mean change of the pot most: alone and together with others "
        "it accounts for 60 (52 to 68) % of the variance over the ranges.",
        "Settings acting together account for 10 (2 to 18) % of the variance.",
        "Monte-Carlo error of the games is 1 % of the variance.",
        "Too close to call whether they move it at all: loo cap.",
    ]


def test_settings_that_are_not_told_apart_are_named():
    close = [row | ({"behind_low": -0.05} if row["axis"] == "players" else {}) for row in CLEAR]
    assert sentences(close)[0] == (
        "Which setting moves the mean change of the pot most is too close to call between pot and "
        "players."
    )


@pytest.mark.parametrize(
    ("noise", "told"),
    [
        (0.05, "Whether settings act together is too close to call: what they do one by one leaves "
               "10 (2 to 18) % of the variance."),
        (None, "Settings acting together account for 10 (2 to 18) % of the variance."),
    ],
)  # fmt: skip
def test_what_is_no_more_than_noise_is_not_called_acting_together(noise, told):
    assert sentences([row | {"noise": noise} for row in CLEAR])[1] == told


def test_where_all_is_noise_no_setting_moves_anything():
    assert sentences([row | {"noise": 0.9, "first_low": -0.1} for row in CLEAR]) == [
        "Too close to call whether any of the settings moves the mean change of the pot.",
        "Whether settings act together is too close to call: what they do one by one leaves "
        "10 (2 to 18) % of the variance.",
        "Monte-Carlo error of the games is 90 % of the variance.",
    ]


def test_an_index_of_the_first_order_above_0_is_no_noise():
    assert "loo cap" in sentences([row | {"noise": 0.9} for row in CLEAR])[-1]
    assert sentences([row | {"noise": 0.9} for row in CLEAR])[0] == sentences(CLEAR)[0]


def test_unknown_noise_and_a_setting_without_effect():
    none = rows(
        None,
        pot=((1.0, 0.9, 1.1), (1.0, 0.9, 1.1), NOBODY),
        players=((0.0, None, None), (0.0, None, None), (1.0, 0.9, 1.1)),
    )
    assert sentences(none)[2:] == [
        "How much of the variance is Monte-Carlo error is not known.",
        "At no point of the design did the figure change with players.",
    ]
    assert share_in_words(none[1], "total") == "0"


def test_figures_have_words():
    assert figure_in_words("pot") == "the mean pot when play begins"
    assert figure_in_words("peel minus tight") == "the net of peel less that of tight"


@pytest.mark.parametrize(
    ("figure", "why", "told"),
    [
        ("pot", "all is the same", "No Sobol indices of the mean pot when play begins: all is the "
         "same."),
        ("", "no figure", "No Sobol indices: no figure."),
        ("pot", "", ""),
    ],
)  # fmt: skip
def test_why_there_are_none(figure, why, told):
    assert no_indices({"figure": figure, "why": why}) == told


def test_rows_are_those_of_the_table_highest_total_first():
    assert told_rows(CLEAR, RANGES) == [
        ("pot", "3", "12", "50 (40 to 60)", "60 (52 to 68)"),
        ("players", "5", "8", "20 (12 to 28)", "25 (20 to 30)"),
        ("loo cap", "5", "50", "0 (−10 to 10)", "1.2 (0.8 to 1.6)"),
    ]


def marks_of(figure):
    """What is drawn: of each order the places of its marks, and the intervals."""
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    marks = {
        name: list(zip(*lines[f"{name} order"].get_data(), strict=True))
        for name in ("first", "total")
    }
    ends = [line for line in figure.axes[0].lines if line.get_marker() == "|"]
    return marks, [(tuple(line.get_xdata()), line.get_ydata()[0]) for line in ends]


def test_marks_stand_at_the_indices_with_their_intervals():
    figure = draw_indices(CLEAR, RANGES)
    marks, ends = marks_of(figure)
    assert [x for x, _ in marks["first"]] == [0.5, 0.2, 0.0]
    assert [x for x, _ in marks["total"]] == [0.6, 0.25, 0.012]
    assert [round(y) for _, y in marks["total"]] == [0, 1, 2]
    of = {y: x for x, y in marks["first"] + marks["total"]}
    assert len(ends) == 6
    for (low, high), y in ends:
        assert low < of[y] < high
    assert ((0.52, 0.68), marks["total"][0][1]) in ends
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["pot, 3 to 12", "players, 5 to 8", "loo cap, 5 to 50"]
    (band,) = figure.axes[0].patches
    assert (band.get_x(), band.get_width()) == (0, 0.01)


def test_marks_of_the_svg_are_to_scale():
    svg = indices_exhibit(CLEAR, RANGES).svg
    found = {}
    for colour in ("0072b2", "d55e00"):
        uses = re.findall(r'<use href="#[^"]+" x="([\d.]+)" y="([\d.]+)" style="([^"]*)"', svg)
        places = [(float(y), float(x)) for x, y, style in uses if colour in style]
        # Ends of intervals are as high as their mark: of three in a row it is the middle one.
        rows_ = {y: sorted(x for at, x in places if at == y) for y, _ in places}
        found[colour] = [row[1] for _, row in sorted(rows_.items()) if len(row) == 3]
    first, total = found["0072b2"], found["d55e00"]
    assert len(first) == len(total) == 3
    a_share = (first[0] - first[2]) / 0.5
    assert (first[1] - first[2]) / a_share == pytest.approx(0.2, abs=1e-3)
    assert (total[0] - first[2]) / a_share == pytest.approx(0.6, abs=1e-3)


def sobol_result(path, table, failed=(), **told):
    """A result of three games of a design."""
    axes = [{"pot": pot, "rules.loo_cap": 5, "players": 6} for pot in (3, 5, 12)]
    games = [
        cell(of, pot=float(of["pot"]))
        if number not in failed
        else cell(of, status="failed", error="out of memory", deals=0)
        for number, of in enumerate(axes)
    ]
    parts = [deals_tables(axes=of) for number, of in enumerate(axes) if number not in failed]
    tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
    if table:
        tables["sobol"] = pd.DataFrame(table)
    about = {"points": 8, "figure": "pot_swing", "why": "", "indices": table} | told
    return write_result(
        path, games, tables, experiment={"sweep": {"sobol": RANGES}}, sobol=json.loads(
            json.dumps(about)
        ), status="failed" if failed else "done",
    )  # fmt: skip


def test_the_page_has_the_indices_and_no_game_by_itself(tmp_path):
    directory = sobol_result(tmp_path / "r", CLEAR)
    page = page_of(directory)
    assert 'id="sobol-pot-swing-title"' in page.html
    for exhibit in ("mean-swings", "along", "map-pot", "tornado", "seat-values", "swings-1"):
        assert f'id="{exhibit}' not in page.html
    assert page.text.count("Of the settings pot moves the mean change of the pot most") == 2
    assert "8 points of a Sobol sequence" in page.text
    assert "40 points in all, 3 different games" in page.text
    assert "60 (52 to 68)" in page.text
    again = written_by_another_process(directory, tmp_path)
    assert again == (directory / "page.html").read_bytes()


def test_empty_entries_of_the_table_are_read_as_unknown(tmp_path):
    directory = sobol_result(tmp_path, [row | {"noise": None} for row in CLEAR])
    found = read_result(directory).indices
    assert [row["noise"] for row in found] == [None] * 3
    assert found[1]["behind"] is None
    assert sentences(found) == sentences([row | {"noise": None} for row in CLEAR])


def test_failed_games_are_named_and_no_indices_shown(tmp_path):
    why = "no figure is known in 1 of 3 games"
    page = page_of(sobol_result(tmp_path, [], failed=[1], why=why))
    assert page.text.count(f"No Sobol indices of the mean change of the pot: {why}.") == 2
    assert "× failed: out of memory" in page.text
    assert "sobol-pot-swing" not in page.html


def test_further_figures_have_exhibits_of_their_own(tmp_path):
    table = [
        row | {"figure": f"{name} minus peel"}
        for name in ("tight", "loose", "trumps", "random", "mine")
        for row in CLEAR
    ]
    page = page_of(sobol_result(tmp_path, table, figure="tight minus peel"))
    shown = re.findall(r'<figure role="img" aria-labelledby="sobol-([\w-]+)-title"', page.html)
    assert shown == [f"{name}-minus-peel" for name in ("tight", "loose", "trumps", "random")]
    assert "Of 5 figures the first 4 are shown" in page.text
