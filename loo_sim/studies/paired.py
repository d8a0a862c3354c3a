"""Differences of games that were played on the same deals, chunk by chunk of the work.

Chunk k of each game of a sweep has the same deals: what luck the cards bring is in both figures and
leaves their difference. The differences of the chunks are independent of each other, so that their
spread is the error of their mean, whatever the games have in common (batch means; Law, *Simulation
Modeling and Analysis*, 5th ed., sections 9.5.3 and 11.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

FEWEST_CHUNKS = 10
"""From fewer differences no error is told."""


class Pieces(NamedTuple):
    """A figure of a game by the chunks of its work.

    Attributes
    ----------
    chunk : ndarray of int64
        Their numbers, in ascending order.
    weight : ndarray of float64
        Deals played in each.
    mean : ndarray of float64
        The figure there.
    """

    chunk: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]


class Difference(NamedTuple):
    """A mean difference on the same deals.

    Attributes
    ----------
    mean, se : float
        In the figure's unit.
    chunks : int
        Differences that it is the mean of.
    deals : int
        Deals that these rest on.
    """

    mean: float
    se: float
    chunks: int
    deals: int

    def half_width(self, tail: float = 0.025) -> float:
        """Half-width of the interval that leaves `tail` on each side (Student's distribution)."""
        from scipy import stats

        return float(stats.t.ppf(1 - tail, self.chunks - 1)) * self.se


def followed_rows(running: pd.DataFrame, figure: str) -> pd.DataFrame:
    """The rows of a figure in a game's table ``running``, in the order of its chunks.

    Those of chunks in which it was not met are left out.
    """
    return running[(running["figure"] == figure) & (running["n"] > 0)].sort_values("chunk")


def pieces_of(running: pd.DataFrame, figure: str) -> Pieces:
    """A figure by chunks, from a game's table ``running``."""
    rows = followed_rows(running, figure)
    return Pieces(
        rows["chunk"].to_numpy(np.int64),
        rows["deals"].to_numpy(np.float64),
        rows["mean"].to_numpy(np.float64),
    )


def average(games: Sequence[Pieces]) -> Pieces:
    """The mean of a figure over several games, in the chunks that all of them have."""
    chunk = games[0].chunk
    for game in games[1:]:
        chunk = np.intersect1d(chunk, game.chunk, assume_unique=True)
    places = [np.searchsorted(game.chunk, chunk) for game in games]
    weight = [game.weight[place] for game, place in zip(games, places, strict=True)]
    mean = [game.mean[place] for game, place in zip(games, places, strict=True)]
    return Pieces(chunk, np.mean(weight, axis=0), np.mean(mean, axis=0))


def difference(one: Pieces, other: Pieces) -> Difference | None:
    """What `one` has more than `other`; None if they have fewer than `FEWEST_CHUNKS` in common.

    With differences d_k in chunks of w_k deals, ``D = sum(w_k d_k) / sum(w_k)`` and its error
    ``sqrt(sum((w_k (d_k - D))^2) K / (K - 1)) / sum(w_k)``, the ratio estimator's.
    """
    chunk, here, there = np.intersect1d(
        one.chunk, other.chunk, assume_unique=True, return_indices=True
    )
    chunks = chunk.size
    if chunks < FEWEST_CHUNKS:
        return None
    weight = (one.weight[here] + other.weight[there]) / 2
    apart = one.mean[here] - other.mean[there]
    mean = float(weight @ apart / weight.sum())
    squares = float(((weight * (apart - mean)) ** 2).sum())
    se = sqrt(squares * chunks / (chunks - 1)) / float(weight.sum())
    return Difference(mean, se, chunks, round(float(weight.sum())))
