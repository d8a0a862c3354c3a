"""Numbers are written no more exactly than their errors allow."""

from __future__ import annotations

import math

import pytest

from loo_sim.rounding import (
    interval,
    percent_interval,
    percent_with_error,
    share_error,
    stakes,
    with_error,
)

NAN = math.nan


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (1.24383, 0.0312, "1.244(31)"),
        (-1.24383, 0.0312, "−1.244(31)"),
        (1.24383, 0.00996, "1.244(10)"),
        (1.24383, 0.0996, "1.24(10)"),
        (12.4383, 0.31, "12.44(31)"),
        (12.4383, 3.14, "12.4(3.1)"),
        (12345.6, 31.4, "12,346(31)"),
        (12345.6, 314.0, "12,350(310)"),
        (-0.0001, 0.031, "0.000(31)"),
        (3.0, 0.0, "3.00"),
        (-3.0, 0.0, "−3.00"),
        (3.0, NAN, "≈ 3.00"),
        (NAN, NAN, "–"),
        (math.inf, 1.0, "–"),
    ],
)
def test_standard_error_stands_in_brackets_to_its_second_digit(value, error, text):
    assert with_error(value, error, 5000) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        # 1.96 * 0.031 = 0.0608, 1.96 * 0.0071 = 0.0139, 1.96 * 5 = 9.8, 1.96 * 0.0505 = 0.09898
        (1.244, 0.031, "1.24 ± 0.06"),
        (1.2444, 0.0071, "1.244 ± 0.014"),
        (-1.2444, 0.0071, "−1.244 ± 0.014"),
        (1234.4, 5.0, "1,234 ± 10"),
        (1234.4, 20.0, "1,230 ± 40"),
        (1.25, 0.0505, "1.25 ± 0.10"),
        (-0.001, 0.031, "0.00 ± 0.06"),
        (3.0, 0.0, "3.00"),
        (NAN, 0.1, "–"),
    ],
)
def test_prose_gives_the_half_width_of_the_95_percent_interval(value, error, text):
    assert interval(value, error, 5000) == text


def test_an_unknown_error_is_said_to_be_unknown():
    assert interval(1.5, NAN, 5000) == "≈ 1.50 (error unknown)"


def test_shares_are_told_in_percent():
    # sqrt(0.25 * 0.75 / 7500) = 0.005; 1.96 * 0.5 % = 0.98 %
    assert share_error(0.25, 7500) == pytest.approx(0.005)
    assert percent_interval(0.25, 7500) == "25.0 ± 1.0 %"
    assert percent_with_error(0.25, 7500) == "25.00(50) %"
    assert math.isnan(share_error(0.25, 0))


@pytest.mark.parametrize(
    ("share", "n", "text"),
    [
        # A share p stays unseen in n deals with the chance (1 - p)^n, 5 % at the bound: for one
        # deal 95 %, for forty 1 - 0.05^(1/40) = 7.217 %, for many 2.9957 / n.
        (0.0, 1, "< 95 %"),
        (0.0, 40, "< 7.2 %"),
        (1.0, 40, "> 92.8 %"),
        (0.0, 200_000, "< 0.0015 %"),
        (1.0, 200_000, "> 99.9985 %"),
        # What rounding leaves of a sum of shares is no deal.
        (1 - 1e-12, 200_000, "> 99.9985 %"),
        (0.0, 0, "–"),
    ],
)
def test_a_share_never_seen_is_told_by_its_bound(share, n, text):
    assert percent_with_error(share, n) == text
    prose = text.replace("<", "less than").replace(">", "more than")
    assert percent_interval(share, n) == prose


def test_few_deals_that_came_out_alike_are_no_certainty():
    assert with_error(3.0, 0.0, 999) == "≈ 3.00"
    assert with_error(3.0, 0.0, 1000) == "3.00"
    # What sums in floating point leave of 0, which on some machines is not 0 itself.
    assert with_error(2.1100000000000096, 9e-18, 1000) == "2.11"
    assert interval(2.1100000000000096, 9e-18, 1000) == "2.11"
    assert with_error(2.1100000000000096, 9e-18, 999) == "≈ 2.11"
    assert interval(3.0, 0.0, 40) == "≈ 3.00 (error unknown)"


def test_stakes_are_written_as_set():
    assert [stakes(3.0), stakes(4.5), stakes(-2.0)] == ["3", "4.5", "−2"]
