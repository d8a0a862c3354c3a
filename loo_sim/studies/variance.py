"""Sobol indices: how much of a figure's variance over a design each setting accounts for.

The indices are scipy's (`scipy.stats.sobol_indices`, method ``saltelli_2010``), their intervals
those of its bootstrap over the points of the design, with the percentiles of the resamples. They
hold for the figure as it was measured: its Monte-Carlo error is part of the variance, and since an
error belongs to a game and to no setting, all of it is in every total index and in what settings do
together. `NoiseSums` tells how much that is.
"""

from __future__ import annotations

from math import nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.studies.estimates import Floats
from loo_sim.studies.paired import FEWEST_CHUNKS, Pieces

RESAMPLES = 1_999
SEED = 1
"""Of the resamples; which they are is then no luck of a run."""

LEVEL = 0.05
"""What the intervals leave out, both sides together."""

_BATCH = 64
"""Resamples at a time: the memory for more would tell at thousands of points."""


class Share(NamedTuple):
    """Shares of a variance with the ends of their 95 % intervals: a number, or one an axis.

    The ends are nan where no resample has another value: what never changes has no known error.
    """

    value: Any
    low: Any
    high: Any


class Indices(NamedTuple):
    """The Sobol indices of a figure.

    Attributes
    ----------
    first : Share
        First order: the share of the variance that goes, on average, once the axis is known.
    total : Share
        Total order: the share that is left, on average, when all other axes are known.
    together : Share
        One number, 1 less the sum of all of the first order: what axes do together, and noise.
    behind : Share
        By how much an axis is behind that of the highest total order, whose entry is nan; the
        intervals hold for all others together (Bonferroni).
    """

    first: Share
    total: Share
    together: Share
    behind: Share


def indices(values: Floats) -> Indices:
    """The Sobol indices of a figure.

    Parameters
    ----------
    values : ndarray of float64, shape (axes + 2, points)
        The figure at the evaluations of a design (`sobol.Design.places`); not all the same.
    """
    from scipy import stats

    axes, points = len(values) - 2, values.shape[1]

    def statistic(drawn: npt.NDArray[np.int64], axis: int) -> Floats:
        """Both orders, shape (2, axes, resamples), of resampled points, the resamples in rows."""
        of_drawn = {"f_A": values[0, drawn], "f_B": values[1, drawn], "f_AB": values[2:, drawn]}
        found = stats.sobol_indices(func=of_drawn, n=points)
        orders = np.array([found.first_order, found.total_order])
        return np.moveaxis(orders.reshape(2, len(drawn), axes), 1, 2)

    first, total = statistic(np.arange(points)[None], -1)[:, :, 0]
    resampled = stats.bootstrap(
        [np.arange(points)],
        statistic,
        n_resamples=RESAMPLES,
        batch=_BATCH,
        vectorized=True,
        method="percentile",
        random_state=np.random.default_rng(SEED),
    ).bootstrap_distribution
    leader = int(np.argmax(total))
    behind = np.where(np.arange(axes) == leader, nan, total[leader] - total)
    return Indices(
        _share(first, resampled[0]),
        _share(total, resampled[1]),
        _share(1 - first.sum(), 1 - resampled[0].sum(axis=0)),
        _share(behind, resampled[1][leader] - resampled[1], axes - 1),
    )


def _share(value: Any, resampled: Floats, intervals: int = 1) -> Share:
    """A share, its interval one of so many that hold together."""
    tail = LEVEL / 2 / intervals
    low, high = np.quantile(resampled, (tail, 1 - tail), axis=-1)
    known = (low < high) & np.isfinite(value)
    return Share(value, np.where(known, low, nan), np.where(known, high, nan))


class NoiseSums:
    """The part of a figure's variance over games that is Monte-Carlo error, game after game.

    The games of a design are played on the same deals. What luck they have in common moves all of
    them alike and adds nothing to their variance, so that it must not count. The variance of N
    figures is the mean over all pairs of games of half the squared difference; errors raise it by
    half the squared error of that difference, on average over the pairs. That is known from the
    chunks of the work, whose differences are independent of each other (`paired.difference`): with
    chunk k of game g its weight w and mean m, W the sum of the weights, M the weighted mean and
    ``x[g, k] = w (m - M) / W * sqrt(K / (K - 1))``, the squared error of a difference is
    ``sum over k of (x[g, k] - x[h, k])^2``, and the mean over pairs of its half is
    ``sum over k of the variance over games of x[., k]``. A chunk that a game does not have, as
    another one went on for longer, counts as 0 there: it is not in its figure.
    """

    def __init__(self) -> None:
        self._sums: dict[int, list[float]] = {}
        self._games = 0
        self._fewest = FEWEST_CHUNKS

    def add(self, pieces: Pieces, times: int) -> None:
        """Add a game that comes up so many times among those whose variance is asked for."""
        chunks = pieces.chunk.size
        self._fewest = min(self._fewest, chunks)
        self._games += times
        if chunks < 2:
            return
        share = pieces.weight / pieces.weight.sum()
        apart = share * (pieces.mean - share @ pieces.mean) * (chunks / (chunks - 1)) ** 0.5
        for chunk, x in zip(pieces.chunk.tolist(), apart.tolist(), strict=True):
            sums = self._sums.setdefault(chunk, [0.0, 0.0])
            sums[0] += times * x
            sums[1] += times * x * x

    @property
    def variance(self) -> float:
        """That part; nan if a game has fewer than `FEWEST_CHUNKS` chunks."""
        if self._fewest < FEWEST_CHUNKS or not self._games:
            return nan
        return sum(xx / self._games - (x / self._games) ** 2 for x, xx in self._sums.values())
