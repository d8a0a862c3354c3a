"""Means, errors and rates out of exact sums over independent deals or tables."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

WORD = 2**32


class Moments(NamedTuple):
    """Exact sums over `n` tables of a whole number x and of the deals y played at the table.

    Of single deals y is 1, and the rate is the mean.

    Attributes
    ----------
    n : int
        Tables, or deals.
    x, xx, xy, y, yy : int
        Sums of x, x squared, x y, y and y squared.
    """

    n: int
    x: int
    xx: int
    xy: int
    y: int
    yy: int

    @classmethod
    def single(cls, n: int, x: int, xx: int) -> Moments:
        """Of `n` observations each of which counts once."""
        return cls(n, x, xx, x, n, n)

    @classmethod
    def counted(cls, n: int, counts: Sequence[int], values: Sequence[int]) -> Moments:
        """Of `n` observations, by how often each of some values came up; all others were 0."""
        x, xx = (
            sum(count * value**power for count, value in zip(counts, values, strict=True))
            for power in (1, 2)
        )
        return cls.single(n, x, xx)

    def since(self, before: Moments) -> Moments:
        """Of what was added to the sums that were there before."""
        return Moments(*(now - then for now, then in zip(self, before, strict=True)))

    def mean(self, per_unit: float = 1.0) -> float:
        """Mean of x over tables, divided by `per_unit`."""
        return self.x / self.n / per_unit

    def se(self, per_unit: float = 1.0) -> float:
        """Standard error of `mean`: the unbiased sample variance over n; NaN for one table."""
        if self.n < 2:
            return nan
        squares = self.n * self.xx - self.x**2
        return sqrt(squares / (self.n - 1)) / self.n / per_unit

    def rate(self, per_unit: float = 1.0) -> float:
        """Sum of x over sum of y: x a deal, over all deals; NaN without any."""
        return self.x / self.y / per_unit if self.y else nan

    def rate_se(self, per_unit: float = 1.0) -> float:
        """Standard error of `rate`, from the spread between tables.

        The ratio estimator's, ``sqrt(sum((x - r y)^2) / (n (n - 1))) / mean(y)`` (Cochran,
        *Sampling Techniques*, 3rd ed., eq. 6.13 without the correction for a finite population).
        Where all tables play equally many deals it is the error of the mean over tables.
        """
        if self.n < 2:
            return nan
        # sum((x - r y)^2) times the square of sum(y), which keeps it whole.
        squares = self.xx * self.y**2 - 2 * self.x * self.y * self.xy + self.x**2 * self.yy
        return sqrt(squares / self.y**2 * self.n / (self.n - 1)) / self.y / per_unit


class Running(NamedTuple):
    """A figure that is followed from chunk to chunk of the work: its sums so far.

    Attributes
    ----------
    figure : str
        As the tables name it.
    sums : Moments
        The figure is their rate, ...
    per_unit : int
        ... divided by this.
    """

    figure: str
    sums: Moments
    per_unit: int

    def since(self, before: Running) -> tuple[int, int, float, float]:
        """What the work since then alone gives: observations, deals, the rate and its error."""
        added = self.sums.since(before.sums)
        return added.n, added.y, added.rate(self.per_unit), added.rate_se(self.per_unit)


def read_sums(row: npt.NDArray[np.int64]) -> tuple[int, int]:
    """Exact sums of x and of x squared out of the words that a kernel keeps.

    All words but the high one of x are sums of words from 0 to 2**32 - 1: below 2**64 up to 2**32
    deals or tables, but not below 2**63, so that they are read without a sign.

    Parameters
    ----------
    row : int64 (8,)
        As `kernels.sums.MOMENTS` says.
    """
    low, high, *squares = row.tolist()[:6]
    x = low % WORD**2 + high * WORD
    return x, sum(word % WORD**2 * WORD**i for i, word in enumerate(squares))


def read_moments(row: npt.NDArray[np.int64], played: npt.NDArray[np.int64], n: int) -> Moments:
    """Exact sums out of the words that the kernel keeps (see `kernels.sums.MOMENTS`).

    Parameters
    ----------
    row, played : int64 (8,)
        The sums of the quantity, and of the deals played.
    n : int
        Tables.
    """
    low_cross, high_cross = row.tolist()[6:]
    return Moments(n, *read_sums(row), low_cross + high_cross * WORD, *read_sums(played))
