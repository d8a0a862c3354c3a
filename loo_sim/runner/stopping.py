"""When a cell whose experiment says `until` has enough: how far it goes from each checkpoint.

At a checkpoint the half-width w of the 95 % interval, which shrinks as the square root of the
deals n, is held to the one that is asked for, u. If it is wider, n (w / u)^2 deals are expected to
be enough, and the next checkpoint is a little beyond, so that few checkpoints are needed: looking
often, and stopping at the first lucky look, is what would spoil the interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite

from loo_sim.settings import Amount

MARGIN = 1.1
"""How far beyond the expected deals the next checkpoint is: most cells end there."""
LEAST_DEALS = 1_000
"""Deals, or tables, before which no cell is looked at: an error on few may be far too small."""
LEAST_GROWTH, MOST_GROWTH = 1.25, 8.0
"""Bounds of the step: no crawling towards the aim, no leap on the word of few deals."""


def first_checkpoint(amount: Amount, length: int) -> int:
    """Where a cell is first looked at: at its end, or where enough chunks of `length` end."""
    if amount.until is None:
        return amount.most
    return min(ceil(LEAST_DEALS / length) * length, amount.most)


def take_up(
    kept: Sequence[int], chunks: Sequence[int], amount: Amount, length: int
) -> tuple[list[int], bool]:
    """The checkpoints that a cell goes on from.

    Parameters
    ----------
    kept : sequence of int
        Those that are known; empty if none was passed, or if they are lost.
    chunks : sequence of int
        Numbers of the chunks that are counted.
    amount : Amount
        How much is to be done.
    length : int
        Deals of a chunk.

    Returns
    -------
    checkpoints : list of int
        At least one; the last is the one to go to.
    lost : bool
        Whether chunks beyond it are counted: their checkpoints are lost, and they are of no use.
    """
    checkpoints = list(kept) or [first_checkpoint(amount, length)]
    return checkpoints, bool(chunks) and max(chunks) * length >= checkpoints[-1]


def is_reached(half_width: float, until: float) -> bool:
    """Whether an interval is narrow enough; one of unknown width is not."""
    return half_width <= until


def next_checkpoint(deals: int, half_width: float, until: float, most: int, length: int) -> int:
    """The deals at which a cell is looked at again, `until` not being reached.

    Parameters
    ----------
    deals : int
        Deals, or tables, at this checkpoint.
    half_width : float
        Of the 95 % interval now, in stakes; NaN if it is not known.
    until : float
        Half-width asked for, in stakes.
    most : int
        Bound of the work.
    length : int
        Deals of a chunk; a checkpoint is at the end of one.

    Returns
    -------
    int
        More than `deals`, unless `most` is reached.
    """
    growth = MOST_GROWTH
    if isfinite(half_width):
        # Bounded before it is squared: a half-width may be 10^300 times the one asked for.
        growth = min(half_width / until, MOST_GROWTH) ** 2 * MARGIN
    growth = min(max(growth, LEAST_GROWTH), MOST_GROWTH)
    return min(ceil(deals * growth / length) * length, most)
