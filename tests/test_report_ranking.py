"""A superlative is said only of what surpasses all others, however many are compared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from loo_sim.report.ranking import Candidate, extremes, not_told_apart, widened
from loo_sim.studies.paired import Pieces


def candidates(values, error=1.0) -> list[Candidate]:
    return [Candidate(f"for seat {i}", float(v), error, 5000) for i, v in enumerate(values)]


def names(values, highest, error=1.0) -> list[str]:
    return [one.name for one in not_told_apart(candidates(values, error), highest)]


@pytest.mark.parametrize("others", [1, 5, 23])
def test_the_width_divides_the_level_among_the_comparisons(others):
    assert 2 * norm.sf(widened(others)) * others == pytest.approx(0.05)


def test_the_runner_up_must_be_beaten_not_only_the_last():
    # Three others are compared at 2.394 * (1 + 1) = 4.79.
    assert names([0, 1, 10, 11], highest=True) == ["for seat 3", "for seat 2"]
    assert names([0, 1, 10, 11], highest=False) == ["for seat 0", "for seat 1"]
    assert names([0, 5, 10, 15], highest=True) == ["for seat 3"]
    assert names([0, 4.7, 10, 14.7], highest=True) == ["for seat 3", "for seat 2"]


def test_an_unknown_error_tells_nothing_apart():
    assert len(names([0, 100], highest=True, error=math.nan)) == 2


@pytest.mark.parametrize("k", [2, 6, 24])
def test_among_equals_one_is_seldom_told_apart(k):
    draws = np.random.default_rng(k).normal(size=(2000, k))
    # Independent means: the error of a difference is sqrt(2), which the sum of these errors is.
    wrong = sum(
        any(len(names(row, highest, error=2**-0.5)) == 1 for highest in (True, False))
        for row in draws
    )
    # 5 % for two; three binomial standard errors are 1.5 %.
    assert wrong / len(draws) < 0.065


def alike(count: int, last: float) -> list[Candidate]:
    """Candidates with the same pieces, the last off by so much in one of them."""
    luck = np.arange(12.0)
    found = []
    for number in range(count):
        means = luck + (last if number == count - 1 else 0.0) * (np.arange(12) == 3)
        pieces = Pieces(np.arange(12), np.full(12, 100.0), means)
        found.append(Candidate(f"with {number}", means.mean(), 1.0, 5000, "5.5", pieces))
    return found


def test_what_does_not_differ_at_all_is_not_too_close_to_call():
    same = "the same, piece by piece of the work"
    assert extremes("It", alike(2, 0.0), "games") == f"It is {same}, in all 2 games (5.5)."
    assert extremes("It", alike(2, 0.1), "games").startswith("It is too close to call between")
    top = Candidate("with more", 99.0, 0.01, 5000, "99")
    assert extremes("It", [*alike(2, 0.0), top], "games") == (
        f"It is highest with more (99) and lowest with 0 and with 1 ({same}: 5.5)."
    )
    assert extremes("It", [*alike(2, 0.1), top], "games") == (
        "It is highest with more (99) and lowest with 0 (5.5) or with 1 (5.5) (too close to call)."
    )
    assert extremes("It", [*alike(5, 0.0), top], "games").endswith(
        f"and lowest in 5 games ({same}: 5.5)."
    )


def test_sentences():
    def told(*values):
        return extremes("The net", candidates(values, error=0.01), "seats")

    high, low = "for seat 1 (1.000 ± 0.020 stakes)", "for seat 0 (0.000 ± 0.020 stakes)"
    assert told(0, 1) == f"The net is highest {high} and lowest {low}."
    assert told(0, 1, 0.5) == f"The net is highest {high} and lowest {low}."
    assert told(0, 0.01) == "The net is too close to call between the 2 seats."
    assert told(0) == f"The net is known {low} alone."
    assert told(0, 1, 1, 1, 1).startswith(
        "The net is highest in one of 4 seats (too close to call) and lowest for seat 0 ("
    )
