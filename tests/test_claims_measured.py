"""Figures of claims: their intervals against formulas worked out by hand, and brute force."""

from __future__ import annotations

from math import inf, nan, sqrt

import numpy as np
import pytest

from loo_sim.claims.measured import (
    UNKNOWN,
    Ahead,
    AheadAfterOne,
    Between,
    Contrast,
    HandShare,
    Least,
    Mean,
)


def test_a_mean_is_known_to_its_errors():
    assert Mean(1.0, 0.1, 1_000).interval(2.0) == pytest.approx((0.8, 1.2))


@pytest.mark.parametrize(
    "mean", [Mean(1.0, 0.1, 29), Mean(1.0, 0.0, 999), Mean(nan, 0.1, 5_000), Mean(1.0, nan, 5_000)]
)
def test_of_few_deals_or_all_alike_nothing_is_said(mean):
    assert mean.interval(2.0) == UNKNOWN


def test_many_deals_all_alike_are_certain():
    assert Mean(0.0, 0.0, 10**6).interval(4.0) == (0.0, 0.0)


def test_a_quantile_keeps_the_shape_of_its_interval():
    # Ends at 1.96 errors; twice as many of them are twice as far off.
    half = Between(10.0, 9.0, 12.0, 400)
    assert half.interval(2 * 1.959963984540054) == pytest.approx((8.0, 14.4))
    assert half.interval(1.959963984540054) == pytest.approx((9.0, 12.0))
    zero = Between(0.0, -1.0, 2.0, 400)
    assert zero.interval(2 * 1.959963984540054) == pytest.approx((-2.0, 4.0))
    assert Between(10.0, 9.0, 12.0, 29).interval(2.0) == UNKNOWN


def test_the_widened_interval_of_a_median_holds_it_under_a_heavy_tail():
    from loo_sim.studies.estimates import quantiles
    from loo_sim.studies.session import median_interval

    rng = np.random.default_rng(6)
    n, times, outside = 400, 4_000, 0
    shares = (0.5, *median_interval(n).values())
    for _ in range(times):
        values = np.sort(np.exp(3 * rng.standard_normal(n)))
        outside += Between(*quantiles(values, np.ones(n), shares), n).interval(2.5758).high < 1
    # On a side 0.5 %, of which a sum of errors would miss twice as many.
    assert outside / times < 0.005 + 3 * sqrt(0.005 / times)


def test_a_share_of_hands_counts_the_open_ones_for_neither_end():
    share = HandShare(
        weights=np.array([1.0, 2.0, 3.0, 4.0]),
        margins=np.array([[0.5, 0.1, -0.1, -0.5]]),
        errors=np.full((1, 4), 0.1),
        counts=np.full(4, 100.0),
    )
    assert share.value == pytest.approx(0.3)  # the first two
    assert share.interval(2.0) == pytest.approx((0.1, 0.6))  # surely the first; not the last
    assert share.n == 400


def test_a_share_of_hands_asks_for_every_margin_that_there_is():
    share = HandShare(
        weights=np.ones(3),
        margins=np.array([[0.5, 0.5, 0.5], [0.5, -0.5, nan]]),
        errors=np.array([[0.1, 0.1, 0.1], [0.1, 0.1, nan]]),
        counts=np.full(3, 100.0),
    )
    assert share.value == pytest.approx(2 / 3)
    assert share.interval(3.0) == pytest.approx((2 / 3, 2 / 3))


def test_hands_that_were_seldom_dealt_are_open():
    share = HandShare(
        weights=np.ones(2),
        margins=np.array([[0.5, 0.5]]),
        errors=np.array([[0.01, 0.01]]),
        counts=np.array([100.0, 29.0]),
    )
    assert share.interval(2.0) == pytest.approx((0.5, 1.0))


def test_hands_whose_deals_were_few_and_all_alike_are_open():
    # As a mean of 999 deals that were all alike: so far is no more than so far.
    share = HandShare(
        weights=np.ones(2),
        margins=np.array([[-3.0, -3.0], [-3.0, -2.0]]),
        errors=np.array([[0.0, 0.0], [0.1, 0.1]]),
        counts=np.array([1_000.0, 999.0]),
    )
    assert share.interval(2.0) == pytest.approx((0.0, 0.5))


@pytest.mark.parametrize("size", [0.02, 0.2, 2.0, 20.0])
@pytest.mark.parametrize("margins", [1, 2])
def test_a_share_of_hands_is_in_its_interval_as_often_as_is_said(size, margins):
    rng = np.random.default_rng(5)
    true = size * rng.standard_normal((margins, 1_000))
    weights, errors = rng.random(1_000), np.ones_like(true)
    share = weights[(true > 0).all(axis=0)].sum() / weights.sum()
    held, times = 0, 400
    for _ in range(times):
        measured = true + rng.standard_normal(true.shape)
        low, high = HandShare(weights, measured, errors, np.full(1_000, 100.0)).interval(1.96)
        held += low <= share <= high
    assert held / times >= 0.95 - 3 * sqrt(0.05 * 0.95 / times)


def test_the_least_of_figures_lies_between_the_least_ends():
    least = Least([Mean(1.0, 0.1, 100), Mean(0.5, 0.5, 200)])
    assert (least.value, least.se, least.n) == (0.5, 0.5, 100)
    # 1.95996 errors leave 2.5 % on a side, 2.24140 half of that.
    assert least.interval(1.95996) == pytest.approx((0.5 - 1.95996 * 0.5, 1 + 0.224140))
    alone = Least([Mean(1.0, 0.1, 100)])
    assert alone.interval(1.95996) == pytest.approx((1 - 0.195996, 1 + 0.195996))


def test_the_least_of_figures_that_are_alike_is_in_its_interval_as_often_as_is_said():
    rng = np.random.default_rng(4)
    draws = rng.standard_normal((20_000, 2))
    outside = [0, 0]
    for pair in draws:
        low, high = Least([Mean(value, 1.0, 100) for value in pair]).interval(1.95996)
        outside[0] += low > 0
        outside[1] += high < 0
    # The upper end misses if that of either does, 1 - (1 - 0.0125)^2; without being widened 4.9 %.
    assert outside[1] / len(draws) == pytest.approx(0.0248, abs=0.0045)
    assert outside[0] / len(draws) < 0.002  # both lower ends must: 0.025^2


def test_a_contrast_adds_the_widths():
    contrast = Contrast([(-1, Mean(1.0, 0.1, 100)), (1, Mean(3.0, 0.2, 300))])
    assert contrast.value == pytest.approx(2.0)
    assert contrast.n == 100
    assert contrast.interval(2.0) == pytest.approx((1.4, 2.6))


def test_a_contrast_covers_any_correlation_of_its_terms():
    rng = np.random.default_rng(1)
    for together in (-1.0, 0.0, 0.9):
        draws = rng.multivariate_normal([0, 0], [[1, together], [together, 1]], 4_000)
        outside = sum(
            not low <= 0 <= high
            for a, b in draws
            for low, high in [
                Contrast([(-1, Mean(a, 1.0, 100)), (1, Mean(b, 1.0, 100))]).interval(1.96)
            ]
        )
        assert outside / 4_000 <= 0.06  # 5 %, and what chance adds


def test_deals_until_the_better_is_ahead():
    # A walk of steps 1 up with 60 %, 1 down with 40 %: mean 0.2, variance 0.96. By normal theory
    # it is above 0 with 95 % after (1.644854 / 0.2)^2 * 0.96 = 64.93 steps.
    ahead = Ahead(0.2, 0.01, 0.96, 10_000)
    assert ahead.value == pytest.approx(64.93, abs=0.01)
    assert ahead.interval(2.0) == pytest.approx(
        (2.705543 * 0.96 / 0.22**2, 2.705543 * 0.96 / 0.18**2), rel=1e-6
    )
    assert Ahead(0.01, 0.01, 0.96, 10_000).interval(2.0).high == inf
    rng = np.random.default_rng(2)
    walks = np.where(rng.random((20_000, 65)) < 0.6, 1, -1).sum(axis=1)
    assert (walks > 0).mean() == pytest.approx(0.95, abs=0.02)


def test_the_chance_to_be_ahead_after_one():
    # One standard deviation ahead on average: ahead with 84.134 %.
    assert AheadAfterOne(2.0, 0.1, 4.0, 10_000).value == pytest.approx(0.84134, abs=1e-5)
    low, high = AheadAfterOne(0.0, 1.0, 1.0, 10_000).interval(1.0)
    # And a percentage point to each side, by which normal theory may be off.
    assert (low, high) == pytest.approx((1 - 0.84134 - 0.01, 0.84134 + 0.01), abs=1e-5)
    assert AheadAfterOne(9.0, 0.1, 4.0, 10_000).interval(2.0).high == 1.0
    assert Ahead(0.2, nan, 0.96, 10_000).interval(2.0) == UNKNOWN
    assert AheadAfterOne(0.2, 0.1, sqrt(2), 29).interval(2.0) == UNKNOWN
