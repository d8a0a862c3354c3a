"""The part of the page about a search: who is tied, read off the figures; the page of a search."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pytest

import loo_sim
from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError
from loo_sim.report import style, tuned
from loo_sim.report.axes import swept_axes
from loo_sim.studies.estimates import Z95
from loo_sim.tuning.found import as_json, table_of
from loo_sim.tuning.halving import Again, Apart, Search
from loo_sim.tuning.search import plan_search

LEAGUE = 'study = "league"\nplayers = 5\npolicies = ["loose", "peel"]\ndeals = 16_384\n'
REACH, CROWD = "policies.loose.params.reach", "policies.loose.params.crowd"


def apart(value: float, difference: float, half: float) -> Apart:
    return Apart(value, 0.01, difference, half / 2, half)


def searched(tmp_path: Path, *axes: str, tied=(1, 2), failed=()):
    """A search of which candidate 1 came first and 1, 2 and 3 were measured again."""
    path = tmp_path / "league.toml"
    path.write_text(LEAGUE)
    plan = plan_search(load_experiment(path, (), axes), least=False)
    numbers = [n for n in range(len(plan.experiment.cells)) if n not in failed]
    found = {number: apart(number / 10, -0.01, 0.02) for number in numbers}
    search = Search(1, dict.fromkeys(numbers, 1), found, (1, 2, 3))
    behind, level = (-0.5, 0.1), (0.0, 0.02)
    again = {n: apart(1 + n / 10, *(level if n in tied else behind)) for n in (1, 2, 3)}
    ended = plan, search, Again(again, tied, ()), list(failed)
    return as_json(*ended), pd.read_parquet(io.BytesIO(table_of(*ended)))


def test_candidates_are_shown_by_their_fresh_deals_where_they_have_them(tmp_path):
    _, table = searched(tmp_path, f"{REACH}=0:5:1", failed=(5,))
    found = tuned.candidates_of(table, [REACH])
    assert [one.axes[REACH] for one in found] == [0, 1, 2, 3, 4, 5]
    assert [one.told[0] for one in found[:5]] == pytest.approx([0.0, 1.1, 1.2, 1.3, 0.4])
    assert found[5].told[0] != found[5].told[0]  # nan
    assert [one.is_tied for one in found] == [False, True, True, False, False, False]
    assert [one.is_again for one in found] == [False, True, True, True, False, False]


def test_along_one_axis_those_tied_stand_on_a_band(tmp_path):
    content, table = searched(tmp_path, f"{REACH}=4,0,1,8,6")  # 0 and 1 are tied
    found = tuned.candidates_of(table, [REACH])
    (axis,) = swept_axes(found)
    with style.drawing("x"):
        axes = tuned.draw_line(axis, found, "stakes").axes[0]
    (band,) = axes.patches
    # Half-way to the next values: 0 is the first, as far from its edge as from 1.
    assert band.get_x() == pytest.approx(-0.5)
    assert band.get_x() + band.get_width() == pytest.approx(2.5)
    hollow, filled = axes.containers
    assert dict(filled.lines[0].get_xydata()) == pytest.approx({0: 1.1, 1: 1.2, 8: 1.3})
    assert dict(hollow.lines[0].get_xydata()) == pytest.approx({4: 0.0, 6: 0.4})
    bars = filled.lines[2][0].get_segments()
    assert sorted(bar[1][1] - bar[0][1] for bar in bars) == pytest.approx([2 * Z95 * 0.01] * 3)
    exhibit = tuned.search_exhibit(content, table)
    assert exhibit.title == "What loose gets more than peel, by loose reach"
    assert exhibit.caption.startswith("Too close to call among 2 of 5 tried: loose reach = 0 to 1")
    assert [row[-1] for row in exhibit.numbers.rows] == [
        *("behind", "first", "tied", "behind", "behind")
    ]


def test_of_many_values_a_few_are_named(tmp_path):
    _, table = searched(tmp_path, f"{REACH}=0:60:1")
    found = tuned.candidates_of(table, [REACH])
    (axis,) = swept_axes(found)
    with style.drawing("x"):
        axes = tuned.draw_line(axis, found, "stakes").axes[0]
    assert 2 < len(axes.get_xticks()) < 15


def test_over_two_axes_those_tied_are_framed(tmp_path):
    content, table = searched(tmp_path, f"{REACH}=0,1,2", f"{CROWD}=1,2", failed=(5,))
    found = tuned.candidates_of(table, [REACH, CROWD])
    along, down = swept_axes(found)
    with style.drawing("x"):
        plane = tuned.draw_map(down, along, found).axes[0]
    # Candidate 1 has reach 0 and crowd 2, candidate 2 reach 1 and crowd 1.
    assert sorted(patch.get_xy() for patch in plane.patches if not patch.get_fill()) == [
        *((-0.5, 0.5), (0.5, -0.5))
    ]
    exhibit = tuned.search_exhibit(content, table)
    assert "✕" in exhibit.svg or "×" in exhibit.svg
    assert "Framed: tied." in exhibit.caption
    assert exhibit.numbers.rows[5][-1] == "failed"


def test_of_many_axes_the_best_are_listed(tmp_path):
    axes = f"{REACH}=0:6:1", f"{CROWD}=1,2", "policies.loose.announce.rules.3.when.2=12,13"
    content, table = searched(tmp_path, *axes, tied=(1,))
    found = tuned.candidates_of(table, list(content["winner"]["axes"]))
    with style.drawing("x"):
        shown = tuned.draw_rows(swept_axes(found), found, "stakes", least=False).axes[0]
    labels = [label.get_text() for label in shown.get_yticklabels()]
    assert len(labels) == 24
    assert labels[:3] == ["0, 1, 13", "6, 2, 13", "6, 2, 12"]
    exhibit = tuned.search_exhibit(content, table)
    assert exhibit.caption.endswith("Filled: the best. Of 28 candidates the best 24 are shown.")


def test_a_search_has_a_page_with_its_part_first(tmp_path):
    path = tmp_path / "league.toml"
    path.write_text(LEAGUE)
    out = tmp_path / "out"
    ended = loo_sim.tune(path, output=out, axes={REACH: [2, 9]}, jobs=1)
    written = loo_sim.report(out, tmp_path / "page.html", tmp_path / "figures")
    assert written.findings == ended.found["sentences"]
    text = written.path.read_text(encoding="utf-8")
    assert text.index('id="search"') < text.index('id="league-1"')
    assert (tmp_path / "figures" / "search-candidates.csv").exists()
    for name, change, what in (
        ("tune.parquet", lambda data: data + b"x", "tune.parquet: is not as it was written"),
        ("tune.json", lambda data: data.replace(b"tried", b"tired"), "tune.json: was altered"),
        ("tune.json", lambda data: data[:9], "tune.json: cannot be read"),
        ("tune.json", None, "has no tune.json: the search has not ended"),
    ):
        whole = (out / name).read_bytes()
        if change is None:
            (out / name).unlink()
        else:
            (out / name).write_bytes(change(whole))
        with pytest.raises(InputError, match=what):
            loo_sim.report(out, tmp_path / "page.html")
        (out / name).write_bytes(whole)
