"""Figures with intervals: means, shares of hands, and what is made of several of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nan, sqrt
from typing import NamedTuple, Protocol

import numpy as np

from loo_sim.studies.estimates import FEW_DEALS, Z95, Floats

MANY_DEALS = 1_000
"""On fewer an error of 0 says only that all deals came out alike so far."""

Z_AHEAD = 1.6448536269514722
"""The normal quantile of 95 %: who is so many standard errors ahead on average is ahead that often.
"""

NORMAL_ERROR = 0.01
"""By how much the chance to be ahead after an evening may differ from normal theory.

It was up to 0.004 after 60 deals, and up to 0.006 after 6, where loos were of a fixed amount.
"""


class Interval(NamedTuple):
    """The ends of an interval; infinite where nothing is known."""

    low: float
    high: float


UNKNOWN = Interval(-inf, inf)


class Measured(Protocol):
    """A figure that was measured."""

    @property
    def value(self) -> float:
        """In the figure's unit."""

    @property
    def se(self) -> float:
        """Its standard error; nan where the interval comes otherwise."""

    @property
    def n(self) -> float:
        """Deals, tables or hands that it rests on."""

    def interval(self, z: float) -> Interval:
        """The interval of `z` standard errors on each side, or what stands for it."""


@dataclass(frozen=True)
class Mean:
    """A mean of independent observations.

    On fewer than `FEW_DEALS` observations, and on fewer than `MANY_DEALS` that were all alike,
    nothing is said of it.
    """

    value: float
    se: float
    n: float

    def interval(self, z: float) -> Interval:
        """``value ± z se``."""
        is_alike = self.se == 0 and self.n < MANY_DEALS
        if isnan(self.value) or isnan(self.se) or self.n < FEW_DEALS or is_alike:
            return UNKNOWN
        return Interval(self.value - z * self.se, self.value + z * self.se)


@dataclass(frozen=True)
class Between:
    """A figure whose 95 % interval is known by its ends alone, as that of a quantile.

    Attributes
    ----------
    value, low, high, n : float
        The ends are those of the 95 % interval.
    """

    value: float
    low: float
    high: float
    n: float
    se: float = nan

    def interval(self, z: float) -> Interval:
        """The ends, each as much farther off as `z` is larger than 1.96.

        The upper one by as large a factor for each error, not a sum: pots have a long tail above.
        """
        if self.n < FEW_DEALS or isnan(self.low) or isnan(self.high):
            return UNKNOWN
        widening = z / Z95
        high = self.value + widening * (self.high - self.value)
        if self.value > 0:
            high = self.value * (self.high / self.value) ** widening
        return Interval(self.value - widening * (self.value - self.low), high)


@dataclass(frozen=True)
class HandShare:
    """The share of hands of which something holds: that each of some margins is above 0.

    A hand whose intervals leave that open counts for neither end: the interval reaches from the
    share of which it surely holds to that of which it surely does not fail. The intervals of the
    hands are not widened for their number: where some of them mislead, more are open (the tests see
    it hold the share in 95 % and more, whether margins are small or large beside their errors).

    Attributes
    ----------
    weights : ndarray of float64, shape (hands,)
        How often each is held.
    margins, errors : ndarray of float64, shape (margins, hands)
        Stakes; nan where there is no such margin, as of the miss where it is gone.
    counts : ndarray of float64, shape (hands,)
        Deals with each.
    """

    weights: Floats
    margins: Floats
    errors: Floats
    counts: Floats
    se: float = nan

    @property
    def n(self) -> float:
        """Deals."""
        return float(self.counts.sum())

    @property
    def value(self) -> float:
        """The share by the margins as they were measured."""
        return self._share(np.nan_to_num(self.margins, nan=np.inf).min(axis=0) > 0)

    def interval(self, z: float) -> Interval:
        """The two shares, each margin's interval being of `z` standard errors."""
        lows = np.where(np.isnan(self.margins), np.inf, self.margins - z * self.errors)
        highs = np.where(np.isnan(self.margins), np.inf, self.margins + z * self.errors)
        is_alike = (self.errors == 0).any(axis=0) & (self.counts < MANY_DEALS)
        known = (self.counts >= FEW_DEALS) & ~is_alike
        surely = known & (np.nan_to_num(lows, nan=-np.inf).min(axis=0) > 0)
        maybe = ~known | (np.nan_to_num(highs, nan=np.inf).min(axis=0) > 0)
        return Interval(self._share(surely), self._share(maybe))

    def _share(self, which: np.ndarray) -> float:
        total = self.weights.sum()
        return float(self.weights[which].sum() / total) if total > 0 else nan


@dataclass(frozen=True)
class Least:
    """The least of several figures: what a choice is worth more than each of its rivals.

    It is above the least of the lower ends if that of the least figure holds, and below the least
    of the upper ones only if all hold: these are widened for the number of figures (Bonferroni).
    """

    parts: Sequence[Measured]

    @property
    def value(self) -> float:
        """Of the parts that are known."""
        return self._least().value

    @property
    def se(self) -> float:
        """Of the least part."""
        return self._least().se

    @property
    def n(self) -> float:
        """The fewest."""
        return min(part.n for part in self.parts)

    def interval(self, z: float) -> Interval:
        """The least of the lower ends, and of the upper ones."""
        from scipy import stats

        wider = float(stats.norm.isf(stats.norm.sf(z) / len(self.parts)))
        return Interval(
            min(part.interval(z).low for part in self.parts),
            min(part.interval(wider).high for part in self.parts),
        )

    def _least(self) -> Measured:
        return min(self.parts, key=lambda part: part.value)


@dataclass(frozen=True)
class Contrast:
    """What the second of two figures has more than the first, or a difference of differences.

    Games share their deals, so that the errors may go together in any way: widths are added, which
    never claims too much.

    Attributes
    ----------
    terms : sequence of (int, Measured)
        Each with its sign.
    """

    terms: Sequence[tuple[int, Measured]]

    @property
    def value(self) -> float:
        """The sum."""
        return sum(sign * part.value for sign, part in self.terms)

    @property
    def se(self) -> float:
        """At most: the sum of the errors."""
        return sum(part.se for _, part in self.terms)

    @property
    def n(self) -> float:
        """The fewest."""
        return min(part.n for _, part in self.terms)

    def interval(self, z: float) -> Interval:
        """The sum of the lower ends, and of the upper ones."""
        low = high = 0.0
        for sign, part in self.terms:
            ends = part.interval(z)
            low += ends.low if sign > 0 else -ends.high
            high += ends.high if sign > 0 else -ends.low
        return Interval(low, high)


@dataclass(frozen=True)
class _OfPair(ABC):
    """What follows from how much the better of two players gets more.

    Attributes
    ----------
    diff, diff_se : float
        Mean net of the one less that of the other, in stakes a deal (a table).
    variance : float
        Of that difference in one deal, in stakes squared.
    n : float
        Deals on which they were measured.
    """

    diff: float
    diff_se: float
    variance: float
    n: float
    se: float = nan

    @property
    def value(self) -> float:
        """It for the difference that was measured."""
        return self._of(abs(self.diff))

    def interval(self, z: float) -> Interval:
        """It at the ends of the interval of the difference."""
        if isnan(self.diff_se) or self.n < FEW_DEALS:
            return UNKNOWN
        size, half = abs(self.diff), z * self.diff_se
        return self._between(size - half, size + half)

    @abstractmethod
    def _of(self, size: float) -> float:
        """It for a difference of so many stakes."""

    @abstractmethod
    def _between(self, least: float, most: float) -> Interval:
        """Its interval, given that of the difference."""


@dataclass(frozen=True)
class Ahead(_OfPair):
    """After how many deals (or tables) the better of two players is ahead with 95 %.

    Deals in one seat each, at tables of their own, are as many as make the mean difference 1.645 of
    its standard errors (normal theory): ``n = 1.645^2 variance / diff^2``; infinite if there is no
    difference. For 14 deals and more that is right to 0.6 percentage points of the chance, where to
    be even counts half: the tests convolve the results of single deals. The variance is taken as
    known.
    """

    def _of(self, size: float) -> float:
        return Z_AHEAD**2 * self.variance / size**2 if size else inf

    def _between(self, least: float, most: float) -> Interval:
        return Interval(self._of(most), self._of(max(least, 0.0)))


@dataclass(frozen=True)
class AheadAfterOne(_OfPair):
    """How often the better of two players is ahead after one evening, each at a table of his own.

    ``Phi(diff / sqrt(variance))``: normal theory. `NORMAL_ERROR` is added to both ends of the
    interval. To be even counts half.
    """

    def _of(self, size: float) -> float:
        from scipy import stats

        return float(stats.norm.cdf(size / sqrt(self.variance)))

    def _between(self, least: float, most: float) -> Interval:
        return Interval(
            max(self._of(least) - NORMAL_ERROR, 0.0), min(self._of(most) + NORMAL_ERROR, 1.0)
        )
