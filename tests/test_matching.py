"""Kernels of regret matching: strategies drawn as they say, regrets added up by hand."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_deals import SMALL
from scipy.stats import chisquare

from loo_sim.kernels.matching import add_regrets, choose, draw_rows

HANDS = 200 if SMALL else 20_000
ANY = np.array([[True, True, True, False]])


def thresholds(regret, legal, error=0.0):
    chances = np.zeros((1, len(regret), 3), np.float32)
    choose(np.array([regret], float), legal, error, chances)
    return chances


def drawn(chances, number=0):
    """What is announced with each of many hands of the first class."""
    class_of = np.zeros(HANDS, np.uint16)
    rows = np.full((len(chances), HANDS), 9, np.uint8)
    hands = np.arange(HANDS, dtype=np.uint64) + np.uint64(number)
    draw_rows(chances, class_of, np.uint64(7), hands, np.zeros((4, HANDS), np.uint32), rows)
    return rows


@pytest.mark.parametrize(
    ("regret", "legal", "error", "chances"),
    [
        ((1, 3, 0, 0), (1, 1, 1, 0), 0.0, (0.25, 0.75, 0, 0)),
        ((-1, 3, -9, 0), (1, 1, 1, 0), 0.0, (0, 1, 0, 0)),
        ((-1, -3, -9, 5), (1, 1, 1, 0), 0.0, (1 / 3, 1 / 3, 1 / 3, 0)),
        ((5, 1, 1, 2), (0, 1, 1, 1), 0.0, (0, 0.25, 0.25, 0.5)),
        ((5, 0, 0, 2), (0, 1, 0, 1), 0.0, (0, 0, 0, 1)),
        ((0, 1, 0, 0), (0, 1, 0, 1), 0.5, (0, 0.75, 0, 0.25)),
        ((0, 0, 1, 0), (1, 1, 1, 0), 0.3, (0.1, 0.1, 0.8, 0)),
    ],
)
def test_announcements_are_drawn_in_proportion_to_regrets(regret, legal, error, chances):
    found = drawn(thresholds([regret], np.array([legal], bool), error))[0]
    counts = np.bincount(found, minlength=4)
    assert len(counts) == 4
    chances = np.array(chances)
    assert (counts[chances == 0] == 0).all()
    if (chances > 0).sum() > 1:
        there = chances > 0
        assert chisquare(counts[there], HANDS * chances[there]).pvalue > 1e-4


def test_each_draw_is_its_own():
    """Situations of a round, and rounds, do not share their words."""
    chances = np.repeat(thresholds([(1, 1, 0, 0)], ANY), 9, axis=0)
    rows = drawn(chances)
    again = drawn(chances)
    assert (rows == again).all()
    later = drawn(chances, number=2**16)
    for one in range(9):
        for other in range(one):
            assert 0.4 < (rows[one] == rows[other]).mean() < 0.6
        assert 0.4 < (rows[one] == later[one]).mean() < 0.6


def test_regrets_by_hand():
    """Two parts of a round; the strategy stands with 3/4 and folds with 1/4."""
    sums = np.zeros((2, 2, 2, 1, 4), np.int64)
    sums[0, :, 0, 0] = [[3, 4, -2, 0], [1, 8, -4, 0]]  # stands gain 12 in all, the miss -6
    sums[1, :, 1, 0] = [[1, 100, 0, 0], [1, 20, 0, 0]]  # of the strategy that errs
    sums[0, :, 1, 0] = 77  # which the second situation does not learn from
    regret = np.array([[[1.0, 3.0, -5.0, 0.0]], [[0.0, 0.0, 0.0, 0.0]]])
    total = np.zeros((2, 1, 4))
    legal = np.array([[True, True, True, False], [True, True, False, False]])
    add_regrets(sums, np.array([0, 1]), legal, 4.0, regret, total)
    # Mean of what is announced: 9. Three quarters of the regrets from before are kept.
    assert regret[0, 0, :3] == pytest.approx([0.75 - 9, 2.25 + 3, -3.75 - 15])
    assert total[0, 0] == pytest.approx([1, 3, 0, 0])
    assert regret[1, 0, :2] == pytest.approx([-60, 60])
    assert total[1, 0] == pytest.approx([2, 2, 0, 0])
