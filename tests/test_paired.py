"""Differences on the same deals: held to scipy's paired t-test, and to the deals one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kernel_deals import seats
from scipy import stats

from loo_sim.experiment import Cell
from loo_sim.report.ranking import Candidate, extremes, not_told_apart
from loo_sim.rules import PRESETS
from loo_sim.studies import deals
from loo_sim.studies.paired import FEWEST_CHUNKS, Pieces, average, difference

CHUNKS = 32


def pieces(means, weight=1000.0, first: int = 0) -> Pieces:
    means = np.asarray(means, float)
    chunk = np.arange(first, first + means.size)
    return Pieces(chunk, np.full(means.size, weight), means)


@pytest.fixture
def made() -> np.random.Generator:
    return np.random.default_rng(1)


def test_it_is_the_paired_t_test_of_the_chunks(made):
    luck = made.normal(0, 3, CHUNKS)
    a, b = luck + made.normal(0.2, 0.1, CHUNKS), luck + made.normal(0, 0.1, CHUNKS)
    found = difference(pieces(a), pieces(b))
    expected = stats.ttest_rel(a, b)
    interval = expected.confidence_interval()
    assert found.mean / found.se == pytest.approx(expected.statistic)
    assert found.mean - found.half_width() == pytest.approx(interval.low)
    assert found.mean + found.half_width() == pytest.approx(interval.high)
    assert (found.chunks, found.deals) == (CHUNKS, 1000 * CHUNKS)


def test_a_short_last_chunk_weighs_what_it_has():
    weight = np.array([1000.0] * 11 + [10.0])
    apart = np.array([0.1, -0.1] * 5 + [0.0, 50.0])
    chunk = np.arange(12)
    found = difference(Pieces(chunk, weight, apart), Pieces(chunk, weight, np.zeros(12)))
    assert found.mean == pytest.approx(500 / 11_010)


def test_only_chunks_that_both_have_count(made):
    a, b = made.normal(size=30), made.normal(size=25)
    found = difference(pieces(a), pieces(b, first=10))
    assert found == difference(pieces(a[10:], first=10), pieces(b[:20], first=10))
    few = FEWEST_CHUNKS - 1
    assert difference(pieces(a[:few]), pieces(b[:few])) is None


def test_the_mean_of_games_is_taken_chunk_by_chunk():
    found = average([pieces([1, 2, 3, 4]), pieces([5, 7, 9], first=1)])
    assert found.chunk.tolist() == [1, 2, 3]
    assert found.mean.tolist() == [3.5, 5, 6.5]


def test_intervals_hold_the_true_difference(made):
    held = 0
    for _ in range(1000):
        luck = made.normal(0, 3, CHUNKS)
        a, b = luck + made.normal(0.05, 0.2, CHUNKS), luck + made.normal(0, 0.2, CHUNKS)
        found = difference(pieces(a), pieces(b))
        held += abs(found.mean - 0.05) <= found.half_width()
    assert 930 <= held <= 970


def changes(cell: Cell, count: int) -> np.ndarray:
    """The change of the pot in each deal, in stakes."""
    game, found = deals.encode(cell), []
    for number in range(count):
        counts = deals.empty_counts(cell)
        deals.add_counts(game, 7, number, 1, counts)
        found.append(deals.tables(cell, 1, counts)["swings"]["pot_swing"][0].as_py())
    return np.array(found)


def test_chunks_tell_the_error_that_the_deals_one_by_one_would():
    """Two games that differ by the loo: much of what a deal brings is common to both."""
    rules = PRESETS["standard"]
    policies = tuple(seats(("peel",) * 5, 5))
    cells = [Cell({}, 5, 9 * 729, replace(rules, loo=loo), policies) for loo in (3, 4)]
    n = 64 * CHUNKS
    one, other = (changes(cell, n) for cell in cells)
    found = difference(
        *(pieces(of.reshape(CHUNKS, -1).mean(axis=1), n / CHUNKS) for of in (one, other))
    )
    exact = stats.sem(one - other)
    alone = np.hypot(stats.sem(one), stats.sem(other))
    assert found.mean == pytest.approx((one - other).mean())
    # The ratio of variances has a chi-squared distribution with 31 degrees of freedom.
    low, high = stats.chi2.ppf((1e-4, 1 - 1e-4), CHUNKS - 1) / (CHUNKS - 1)
    assert low < (found.se / exact) ** 2 < high
    assert exact < 0.8 * alone


class TestRanking:
    def candidates(self, made, apart: float) -> list[Candidate]:
        luck = made.normal(0, 3, CHUNKS)
        found = []
        for number in range(3):
            means = luck + made.normal(number * apart, 0.1, CHUNKS)
            error = float(stats.sem(means))
            name = f"with {number}"
            found.append(Candidate(name, means.mean(), error, 1000, name, pieces(means)))
        return found

    def test_what_is_common_to_all_does_not_hide_who_is_highest(self, made):
        found = self.candidates(made, apart=0.3)
        assert not_told_apart(found, highest=True) == [found[2]]
        assert not_told_apart(found, highest=False) == [found[0]]
        alone = [one._replace(pieces=None) for one in found]
        assert extremes("It", alone, "games") == "It is too close to call between the 3 games."

    def test_too_close_stays_too_close(self, made):
        found = self.candidates(made, apart=0.0)
        assert extremes("It", found, "games") == "It is too close to call between the 3 games."

    def test_a_wrong_first_is_called_highest_in_at_most_1_of_40(self, made):
        called = sum(
            len(not_told_apart(self.candidates(made, apart=0.0), highest=True)) == 1
            for _ in range(1000)
        )
        # 2.5 % at most; 40 of 1,000 is three standard errors above that.
        assert called <= 40
