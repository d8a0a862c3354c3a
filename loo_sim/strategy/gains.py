"""What a seat could gain by announcing otherwise while the others keep to a strategy: two bounds.

A deviation says for each situation and hand what to announce instead. The best one is not known;
it is fitted on deals:

- *high*: fitted and valued on the same deals. What chance did for it there counts too, so that its
  mean lies above the gain of the best deviation.
- *low*: fitted on one half of the deals and valued on the other, each in turn. That is the gain of
  a deviation that anybody might make, so that its mean lies below that of the best. It leaves the
  strategy only where the half that it is fitted on shows a gain of `CAUTION` standard errors or
  more: what is told apart by chance alone would lose as much on the other half.

Deals are independent, so that for differences d_i of N deals the mean is ``sum(d_i) / N`` and its
standard error ``sqrt(sum(d_i**2) / N - mean**2) / sqrt(N)``. That of the lower bound takes the
deviation as given. In that of the upper one also count the squares of deviations that were not
made, where they lost less than `CAUTION` standard errors: chance may have hidden their gain.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from loo_sim.strategy.announcing import Announcing
from loo_sim.strategy.mixtures import PARTS, Parts

if TYPE_CHECKING:
    from loo_sim.kernels.game import Game

CAUTION = 2.0
HALVES = 2
CHUNK_DEALS = 2**16
"""Deals at a time: a signal is heeded between two."""

Floats = npt.NDArray[np.float64]
Moments = npt.NDArray[np.int64]
"""Of shape (halves, places, classes, 10), as `kernels.alternatives.MOMENTS`."""


@dataclass(frozen=True)
class Gains:
    """What each seat could gain, in stakes a deal.

    Attributes
    ----------
    deals : int
        Deals that it was measured on.
    low, low_se, high, high_se : ndarray of float64, shape (players,)
        The bounds and their standard errors.
    """

    deals: int
    low: Floats
    low_se: Floats
    high: Floats
    high_se: Floats

    @property
    def sum_high(self) -> float:
        """Sum over all seats of the upper bounds, ..."""
        return float(self.high.sum())

    @property
    def sum_low(self) -> float:
        """... and of the lower ones."""
        return float(self.low.sum())


def as_game(of: Announcing, strategy: Parts) -> Game:
    """The game in which all announce by a strategy, as the kernels read it."""
    from loo_sim.cards import hand_classes

    sets, code = np.unique(strategy.reshape(-1, 4), axis=0, return_inverse=True)
    certain = sets.max(axis=1) == PARTS
    codes = np.zeros(len(sets), dtype=np.uint8)
    codes[certain] = sets[certain].argmax(axis=1)
    codes[~certain] = 4 + np.arange(int((~certain).sum()))
    thresholds = np.cumsum(sets[~certain, :3].astype(np.uint64), axis=1)
    rows = codes[code.reshape(strategy.shape[:2])][:, hand_classes(of.rules.deck).class_of]
    draws = of.game.draws | np.uint8(bool((~certain).any()))
    mixtures = (thresholds * np.uint64(2**32 // PARTS)).reshape(-1, 3)
    return of.game._replace(rows=np.ascontiguousarray(rows), mixtures=mixtures, draws=draws)


def measure(
    of: Announcing,
    strategy: Parts,
    seed: int,
    first: int,
    deals: int,
    pool: ThreadPoolExecutor,
    jobs: int,
) -> Gains:
    """Measure what leaving a strategy gains, on deals from number `first` on.

    The result does not depend on the threads.

    Parameters
    ----------
    of : Announcing
        The game.
    strategy : ndarray of uint8, shape (places, classes, 4)
        What all keep to.
    seed, first, deals : int
        The deals; a whole number of times ``HALVES * CHUNK_DEALS``.
    pool, jobs : ThreadPoolExecutor, int
        Threads.
    """
    return gains(of, strategy, moments_of(of, strategy, seed, first, deals, pool, jobs), deals)


def moments_of(
    of: Announcing,
    strategy: Parts,
    seed: int,
    first: int,
    deals: int,
    pool: ThreadPoolExecutor,
    jobs: int,
) -> Moments:
    """Sum what the alternatives of each seat gain on folding, the others keeping to a strategy.

    Parameters are those of `measure`.
    """
    from loo_sim.kernels.alternatives import MOMENTS, sum_alternatives
    from loo_sim.kernels.batch import make_scratch

    game = as_game(of, strategy)
    shape = (HALVES, of.places, of.classes, MOMENTS)
    each = [np.zeros(shape, dtype=np.int64) for _ in range(jobs)]
    scratch = [make_scratch() for _ in range(jobs)]

    def count(job: int, chunk: int) -> None:
        at = first + chunk * CHUNK_DEALS
        sums = each[job][chunk % HALVES]
        sum_alternatives(game, of.carry, seed, at, CHUNK_DEALS, scratch[job], sums)

    chunks = deals // CHUNK_DEALS
    for begin in range(0, chunks, jobs):
        now = range(begin, min(begin + jobs, chunks))
        list(pool.map(count, range(len(now)), now))
    return sum(each[1:], each[0])


def gains(of: Announcing, strategy: Parts, moments: Moments, deals: int) -> Gains:
    """The bounds, from what the alternatives gained on folding.

    Parameters
    ----------
    of : Announcing
        The game.
    strategy : ndarray of uint8, shape (places, classes, 4)
        What all keep to.
    moments : ndarray of int64, shape (2, places, classes, 10)
        Of each half of the deals.
    deals : int
        Deals of both halves, those that brought no situation too.
    """
    chances = strategy / PARTS
    whole = moments.sum(axis=0)
    high, high_se = _by_seat(of, [_chosen(of, chances, whole)], deals)
    low, low_se = _by_seat(of, _crossed(of, chances, moments), deals)
    return Gains(deals, low, low_se, high, high_se)


def gain_of(
    of: Announcing, strategy: Parts, other: Floats, moments: Moments, deals: int
) -> tuple[Floats, Floats]:
    """What each seat gains by another strategy while the others keep to theirs.

    Parameters
    ----------
    of : Announcing
        The game.
    strategy : ndarray of uint8, shape (places, classes, 4)
        What the others keep to.
    other : ndarray of float64, shape (places, classes, 4)
        Chances of the one who leaves it; fitted on none of these deals.
    moments, deals : ndarray of int64, int
        As `gains` takes them.

    Returns
    -------
    gain, gain_se : ndarray of float64, shape (players,)
        Stakes a deal.
    """
    gain, square = _change_of(other - strategy / PARTS, moments.sum(axis=0))
    return _by_seat(of, [(gain * of.worth, square * of.worth**2)], deals)


def _crossed(of: Announcing, chances: Floats, moments: Moments) -> Iterator[tuple[Floats, Floats]]:
    """What the deviation fitted on either half comes to on the other."""
    for half in range(HALVES):
        change, seen, error = _rival(of, chances, moments[half])
        leaves = (seen > 0) & (seen >= CAUTION * error)
        yield _where(leaves, leaves, *_change_of(change, moments[1 - half]), of.worth)


def _chosen(of: Announcing, chances: Floats, moments: Moments) -> tuple[Floats, Floats]:
    """What the deviation fitted on some deals comes to on the same."""
    change, seen, error = _rival(of, chances, moments)
    doubtful = seen > -CAUTION * error
    return _where(seen > 0, doubtful, *_change_of(change, moments), of.worth)


def _rival(of: Announcing, chances: Floats, fit: Moments) -> tuple[Floats, Floats, Floats]:
    """The change to the announcement that looks best of all that are not announced for certain.

    Returns
    -------
    change : ndarray of float64, shape (places, classes, 4)
        Of chances; 0 where nothing else is legal.
    seen, error : ndarray of float64, shape (places, classes)
        What it gains on `fit`, and the standard error of that.
    """
    worth = np.concatenate([np.zeros_like(fit[..., :1]), fit[..., 1:4]], axis=-1).astype(np.float64)
    worth[~np.broadcast_to(of.legal[:, np.newaxis], worth.shape) | (chances == 1)] = -np.inf
    change = np.eye(4)[worth.argmax(axis=-1)] - chances
    change[np.isneginf(worth).all(axis=-1)] = 0.0
    seen, square = _change_of(change, fit)
    return change, seen, np.sqrt(square)


def _where(
    gains: npt.NDArray[np.bool_],
    doubtful: npt.NDArray[np.bool_],
    gain: Floats,
    square: Floats,
    worth: float,
) -> tuple[Floats, Floats]:
    """Gains and squares in stakes, 0 where they do not count."""
    return np.where(gains, gain, 0.0) * worth, np.where(doubtful, square, 0.0) * worth**2


def _change_of(change: Floats, moments: Moments) -> tuple[Floats, Floats]:
    """What a change of chances gains, and the squares of it, summed over deals."""
    stand, miss, defend = np.moveaxis(change[..., 1:], -1, 0)
    m = np.moveaxis(moments[..., 1:].astype(np.float64), -1, 0)
    gain = stand * m[0] + miss * m[1] + defend * m[2]
    squares = stand**2 * m[3] + miss**2 * m[4] + defend**2 * m[5]
    products = stand * miss * m[6] + stand * defend * m[7] + miss * defend * m[8]
    # Rounding may leave less than nothing of squares that cancel.
    return gain, np.maximum(squares + 2 * products, 0.0)


def _by_seat(
    of: Announcing, parts: Iterator[tuple[Floats, Floats]] | list[tuple[Floats, Floats]], deals: int
) -> tuple[Floats, Floats]:
    """Mean gain of each seat over all deals, and its standard error."""
    gain, square = np.zeros(of.players), np.zeros(of.players)
    for by_hand, square_by_hand in parts:
        gain += np.bincount(of.seat_of, by_hand.sum(axis=1), of.players)
        square += np.bincount(of.seat_of, square_by_hand.sum(axis=1), of.players)
    mean = gain / deals
    return mean, np.sqrt(np.maximum(square / deals - mean**2, 0.0) / deals)
