"""Successive halving: its schedule, who goes on; its promises, held to many fake searches."""

from __future__ import annotations

from functools import cache
from math import ceil, log2, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from loo_sim.studies.paired import Pieces
from loo_sim.tuning.halving import Again, Search, compare, judge, schedule, search

CHUNKS = 32


def pieces(means) -> Pieces:
    means = np.asarray(means, dtype=float)
    return Pieces(np.arange(means.size), np.full(means.size, 10.0), means)


# --- the schedule ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("candidates", "most", "least", "rungs"),
    [
        (12, 100_000, 8_192, [(12, 12_500), (6, 25_000), (3, 50_000), (2, 100_000)]),
        (9, 800, 100, [(9, 100), (5, 200), (3, 400), (2, 800)]),
        (8, 10_000, 1, [(8, 2_500), (4, 5_000), (2, 10_000)]),
        (1_000, 350, 100, [(1_000, 175), (500, 350)]),
        (5, 199, 100, [(5, 199)]),
        (2, 10**9, 1, [(2, 10**9)]),
    ],
)
def test_candidates_are_halved_and_deals_doubled(candidates, most, least, rungs):
    assert schedule(candidates, most, least) == rungs


def test_every_schedule_keeps_to_its_formula():
    for candidates in range(2, 70):
        for most in (100, 399, 400, 5_000):
            rungs = schedule(candidates, most, 100)
            number = min(ceil(log2(candidates)), int(log2(most / 100)) + 1)
            assert [rung.candidates for rung in rungs] == [
                ceil(candidates / 2**r) for r in range(number)
            ]
            assert [rung.amount for rung in rungs] == [
                int(most / 2 ** (number - 1 - r)) for r in range(number)
            ]
            assert rungs[0].amount >= 100


# --- one rung -------------------------------------------------------------------------------------


def test_candidates_are_compared_on_the_same_deals():
    rng = np.random.default_rng(5)
    luck = rng.normal(size=CHUNKS)
    means = {one: luck + 0.1 * rng.normal(size=CHUNKS) + one for one in (7, 2, 4)}
    found = compare({one: pieces(of) for one, of in means.items()}, 2, 0.01)
    assert list(found) == [7, 2, 4]
    for one in (7, 4):
        apart = means[one] - means[2]
        se = np.std(apart, ddof=1) / sqrt(CHUNKS)
        half = stats.t.ppf(1 - 0.01, CHUNKS - 1) * se
        told = found[one]
        assert told[:5] == pytest.approx(
            (
                *(means[one].mean(), np.std(means[one], ddof=1) / sqrt(CHUNKS)),
                *(apart.mean(), se, half),
            )
        )
        assert (told.low, told.high) == pytest.approx((apart.mean() - half, apart.mean() + half))
        assert (told.side(1), told.side(-1)) == (1, -1)
    assert found[2][2:] == (0.0, 0.0, 0.0)
    assert found[2].side(1) == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_the_better_half_goes_on_and_the_best_is_found(sign):
    values = [3.0, 9.0, 1.0, 7.0, 8.0, 2.0, 5.0]
    rng = np.random.default_rng(3)
    luck = rng.normal(scale=100, size=CHUNKS)
    measured = []

    def measure(number, left, amount):
        measured.append((number, tuple(left), amount))
        own = {one: 0.01 * rng.normal(size=CHUNKS) for one in left}
        return {one: pieces(sign * values[one] + luck + own[one]) for one in left}

    found = search(schedule(7, 400, 100), measure, sign)
    assert measured == [
        (1, (0, 1, 2, 3, 4, 5, 6), 100),
        (2, (1, 3, 4, 6), 200),
        (3, (1, 4), 400),
    ]
    assert (found.winner, found.plateau) == (1, (1,))
    assert found.rung == {0: 1, 2: 1, 5: 1, 3: 2, 6: 2, 1: 3, 4: 3}
    apart = found.found[3]
    assert apart.difference == pytest.approx(sign * -2, abs=0.05)
    # Three rungs, in each of which any of the six others may be ahead by luck.
    half = stats.t.ppf(1 - 0.025 / 3 / 6, CHUNKS - 1) * apart.difference_se
    assert apart.half == pytest.approx(half)


def test_those_that_are_alike_are_tied_and_the_first_tried_comes_first():
    def measure(number, left, amount):
        return {one: pieces(np.arange(CHUNKS) - (one == 3)) for one in left}

    found = search(schedule(6, 100, 100), measure, 1)
    assert found.plateau == (0, 1, 2, 4, 5)
    again = judge(measure(1, [0, 1, 2, 4, 5], 100), found.winner, 1)
    assert (again.plateau, again.ahead) == ((0, 1, 2, 4, 5), ())


def test_later_rungs_come_first_on_the_plateau():
    rng = np.random.default_rng(9)

    def measure(number, left, amount):
        return {one: pieces(rng.normal(scale=10, size=CHUNKS) + one / 100) for one in left}

    found = search(schedule(8, 800, 100), measure, 1)
    rungs = [found.rung[one] for one in found.plateau]
    assert len(rungs) == 8
    assert rungs == sorted(rungs, reverse=True)
    assert found.plateau[0] == found.winner


def test_candidates_that_fail_are_out():
    gone = {1: {4}, 2: {3}}

    def measure(number, left, amount):
        return {one: pieces(np.full(CHUNKS, one)) for one in left if one not in gone[number]}

    found = search(schedule(5, 200, 100), measure, 1)
    assert found.winner == 2
    assert found.rung == {0: 1, 1: 2, 2: 2, 3: 1}
    assert set(found.found) == {0, 1, 2}
    assert found.plateau == (2,)
    gone[2] = {1, 2, 3}
    assert search(schedule(5, 200, 100), measure, 1) is None


def test_a_winner_that_is_overtaken_is_off_the_plateau():
    rng = np.random.default_rng(1)
    means = {0: 1.0, 1: 2.0, 2: 1.01, 3: 0.0}
    fresh = {one: pieces(mean + rng.normal(scale=0.1, size=CHUNKS)) for one, mean in means.items()}
    again = judge(fresh, 0, 1)
    half = stats.t.ppf(1 - 0.025 / 3, CHUNKS - 1) * again.found[3].difference_se
    assert again.found[3].half == pytest.approx(half)
    assert (again.plateau, again.ahead) == ((1, 2), (1,))
    assert judge({1: fresh[1]}, 0, 1) == Again({}, (), ())


# --- what is promised -----------------------------------------------------------------------------

SEARCHES = 300
VALUES = np.array([0.0, 0.35, 0.45, 0.5, 0.49, 0.44, 0.3, -0.3])
"""True values, the best of them with near rivals."""
BEST = int(VALUES.argmax())
NOISE = 0.25
"""Standard deviation of a candidate's own luck in a chunk of the last rung."""


class Fake(NamedTuple):
    found: Search
    again: Again


@cache
def fakes() -> list[Fake]:
    """Many searches, each on deals of its own; those of a rung are among those of the next."""
    rng = np.random.default_rng(20)
    rungs = schedule(VALUES.size, 800, 200)
    assert len(rungs) == 3
    ended = []
    for _ in range(SEARCHES):
        shape = VALUES.size, CHUNKS * 4
        deals = (
            VALUES[:, None] + 2 * NOISE * rng.normal(size=shape) + 0.6 * rng.normal(size=shape[1])
        )

        def measure(number, left, amount, deals=deals):
            grouped = deals[:, : CHUNKS * amount // 200].reshape(VALUES.size, CHUNKS, -1)
            return {one: pieces(grouped[one].mean(axis=1)) for one in left}

        found = search(rungs, measure, 1)
        luck = 0.3 * rng.normal(size=CHUNKS)
        fresh = {
            one: pieces(VALUES[one] + luck + NOISE * rng.normal(size=CHUNKS))
            for one in found.plateau
        }
        ended.append(Fake(found, judge(fresh, found.winner, 1)))
    return ended


def most_of(searches: int, share: float) -> float:
    """How often at most something happens that has at most this chance, but for one in 1,000."""
    return float(stats.binom.ppf(0.999, searches, share))


def test_the_best_candidate_is_seldom_lost():
    lost = sum(BEST not in fake.again.plateau for fake in fakes())
    assert lost <= most_of(SEARCHES, 0.05)
    # And not because nobody is ever told apart.
    sizes = [len(fake.again.plateau) for fake in fakes()]
    assert np.mean(sizes) < VALUES.size - 2
    assert sum(fake.found.winner == BEST for fake in fakes()) > SEARCHES / 4


def test_the_intervals_on_fresh_deals_hold_together():
    missed = 0
    for fake in fakes():
        true = VALUES - VALUES[fake.found.winner]
        missed += any(
            not apart.low <= true[one] <= apart.high for one, apart in fake.again.found.items()
        )
    assert missed <= most_of(SEARCHES, 0.05)
    assert missed > 0  # else they claim far too little


def test_only_one_that_is_best_is_called_so():
    called = [fake for fake in fakes() if fake.again.plateau == (fake.found.winner,)]
    wrong = sum(fake.found.winner != BEST for fake in called)
    assert wrong <= most_of(SEARCHES, 0.05)


def test_the_winner_of_the_search_is_lucky_and_on_fresh_deals_he_is_not():
    def deviation(errors):
        return np.mean(errors) / (np.std(errors, ddof=1) / sqrt(len(errors)))

    winners = [(fake, fake.found.winner) for fake in fakes()]
    lucky = [fake.found.found[one].value - VALUES[one] for fake, one in winners]
    fresh = [fake.again.found[one].value - VALUES[one] for fake, one in winners]
    assert deviation(lucky) > 4
    assert abs(deviation(fresh)) < 3.5
