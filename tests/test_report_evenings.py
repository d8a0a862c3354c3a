"""Fifty equally likely evenings: heaps of dots, read back from the drawing."""

from __future__ import annotations

import numpy as np
import pytest
from report_samples import session_cell, session_tables, write_result

from loo_sim.report import evenings
from loo_sim.report.result import read_result

# Mid-points of fifty equal shares of an even spread of -24 to 25, shifted by two for each person.
GAINS = np.arange(-24.0, 26.0)


@pytest.fixture
def cell(tmp_path):
    tables = session_tables()
    purse = tables["purse"]
    for place, name in enumerate(evenings.DOTS):
        purse[f"final_{name}"] = GAINS[place] + 2 * purse["person"]
    purse["policy"] = ["peel", "loose", "peel", "tight", "loose"]
    policies = [{"name": name, "digest": name} for name in purse["policy"]]
    return only_cell(tmp_path, tables, policies=policies)


def only_cell(directory, tables, **fields):
    return read_result(write_result(directory, [session_cell(**fields)], tables)).cells[0]


def test_one_person_of_each_policy(cell):
    found = evenings.evenings(cell)
    assert [person.label for person in found] == [
        "person 0 (peel)",
        "person 1 (loose)",
        "person 3 (tight)",
    ]
    assert found[1].gains.tolist() == (GAINS + 2).tolist()


def test_heaps():
    # 0, 0.4 and 0.9 are within a width of 1 of the first, 1 is not.
    assert evenings.heap([1, 0.4, 0, 0.9, 7], 1) == [(0.45, 3), (1, 1), (7, 1)]


def test_fifty_dots_stand_where_the_evenings_are(cell):
    found = evenings.evenings(cell)
    figure = evenings.draw_evenings(found)
    width = (31.0 - -24.0) / evenings.COLUMNS
    for axes, person in zip(figure.axes, found, strict=True):
        lost, neither, won = (np.asarray(dots.get_offsets()) for dots in axes.collections)
        dots = np.concatenate([lost, neither, won])
        assert len(dots) == 50
        assert [len(lost), len(neither)] == [(person.gains < 0).sum(), (person.gains == 0).sum()]
        assert lost[:, 0].max() < won[:, 0].min()
        # No dot is further from its evening than half a dot.
        assert np.abs(np.sort(dots[:, 0]) - person.gains).max() <= width / 2
        assert dots[:, 1].min() == 0.5


def test_count_of_the_evenings_won(cell):
    # Of -24 to 25 there are 25 above 0; of -18 to 31, 31.
    exhibit = evenings.evenings_exhibit(cell, evenings.evenings(cell))
    assert exhibit.caption.startswith(
        "Of fifty equally likely evenings person 3 (tight) wins in 31, person 0 (peel) in 25."
    )
    assert exhibit.numbers.rows[0][:4] == ("person 0 (peel)", "25", "1", "24")
    assert exhibit.numbers.rows[0][4:] == ("−24", "−23", "24", "25")


def test_results_without_the_fifty_have_no_such_exhibit(tmp_path):
    assert evenings.evenings(only_cell(tmp_path, session_tables())) == []
