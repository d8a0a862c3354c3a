"""Rows of the table `announce`: what each announcement is worth in one situation, by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from loo_sim.cards import hand_classes
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies import figures
from loo_sim.studies.estimates import (
    FEW_DEALS,
    Z95,
    Estimate,
    Floats,
    estimate,
    estimate_share,
    nets_of_results,
)
from loo_sim.studies.figures import Figure

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.policies.features import Situation

STAND_RESULTS = 5
"""Tricks won 0 to 3; 4: took the whole pot, nobody else being in."""
MISS_RESULTS = 6
"""As for standing; 5: the miss was gone."""
MISS_GONE = 5


def situation_in_words(
    seat: int, standers: int, is_dealer: bool = False, miss_free: bool = True
) -> str:
    """What a seat finds when it speaks: ``seat 0``, ``dealer, 2 in, miss gone``."""
    name = "dealer" if is_dealer else f"seat {seat}"
    if seat == 0:
        return name
    told = f"{name}, {standers if standers else 'nobody'} in"
    return told if miss_free else f"{told}, miss gone"


def how_often(weight: float, se: float, deals: int) -> Figure:
    """The share of deals in which a situation comes up; what always does has no error."""
    return Figure("100 %", 1.0) if se == 0 else figures.share(weight, se, deals)


class Values(NamedTuple):
    """Net of standing, of taking the miss, and the difference on the same deals, in stakes.

    The last two are NaN where the miss was gone.
    """

    stand: Estimate
    miss: Estimate
    miss_minus_stand: Estimate


def differences(nets: Sequence[int]) -> list[int]:
    """Net of one alternative less that of another, in units, by result of the other and the one."""
    return [of_one - of_other for of_other in nets for of_one in nets]


def values(cell: Cell, counts: npt.NDArray[np.int64]) -> Values:
    """What both announcements are worth, out of counts of their results.

    Sums stay below 2**63: at most 4 10**9 deals of at most two million stakes (a pot won instead of
    a loo paid) of 729 units: 5.8 10**18.

    Parameters
    ----------
    cell : Cell
        The game played.
    counts : ndarray of int64, shape (groups, 5, 6)
        Deals of each group by results of standing and of taking the miss, all of them with the
        miss there or all with the miss gone.

    Returns
    -------
    Values
        Arrays of shape (groups,).
    """
    nets = nets_of_results(cell.pot, cell.rules.loo_units(cell.pot))
    offered = counts[:, :, :MISS_GONE]
    return Values(
        stand=estimate(list(counts.sum(axis=2).T), nets, UNITS_PER_STAKE),
        miss=estimate(list(offered.sum(axis=1).T), nets, UNITS_PER_STAKE),
        miss_minus_stand=estimate(
            list(offered.reshape(-1, STAND_RESULTS * MISS_GONE).T),
            differences(nets),
            UNITS_PER_STAKE,
        ),
    )


def situation_rows(
    cell: Cell, situation: Situation, counts: npt.NDArray[np.uint32], weight: Estimate
) -> pa.Table:
    """The rows of one situation: one for each class of hand that came up in it.

    Means are over the n deals in which the seat spoke in the situation with the hand. Tricks are
    those won in play: a player who takes the whole pot because nobody else is in has won none
    (``stand_pot``, ``miss_pot``: how often).

    Parameters
    ----------
    cell : Cell
        The game played.
    situation : Situation
        Where the seat spoke.
    counts : ndarray of uint32, shape (classes, 5, 6)
        Deals by class of hand, stand result and miss result.
    weight : Estimate
        Shape (classes,): the share of all deals in which the seat has the hand there.
    """
    hands = np.flatnonzero(counts.any(axis=(1, 2)))
    here = counts[hands].astype(np.int64)
    worth = values(cell, here)
    stand, miss = _Course.of(here.sum(axis=2).T), _Course.of(here.sum(axis=1).T[:MISS_GONE])
    legal = cell.rules.legal_actions(
        situation.seat == cell.players - 1, situation.standers, situation.miss_free
    )
    nothing = {action: 0.0 if action in legal else np.nan for action in ("fold", "defend")}
    size = hands.size
    columns = {
        "seat": np.full(size, situation.seat),
        "standers": np.full(size, situation.standers),
        "miss_free": np.full(size, situation.miss_free),
        "hand": np.array(hand_classes(cell.rules.deck).names)[hands],
        "n": here.sum(axis=(1, 2)),
        "weight": weight.mean[hands],
        "fold": np.full(size, nothing["fold"]),
        "stand": worth.stand.mean,
        "miss": worth.miss.mean,
        "defend": np.full(size, nothing["defend"]),
        "stand_se": worth.stand.se,
        "miss_se": worth.miss.se,
        "miss_minus_stand": worth.miss_minus_stand.mean,
        "miss_minus_stand_se": worth.miss_minus_stand.se,
        "stand_loo": stand.loo.mean,
        "miss_loo": miss.loo.mean,
        "stand_tricks": stand.tricks.mean,
        "miss_tricks": miss.tricks.mean,
        "stand_pot": stand.pot.mean,
        "miss_pot": miss.pot.mean,
        "stand_loo_se": stand.loo.se,
        "miss_loo_se": miss.loo.se,
        "stand_tricks_se": stand.tricks.se,
        "miss_tricks_se": miss.tricks.se,
        "stand_pot_se": stand.pot.se,
        "miss_pot_se": miss.pot.se,
        "weight_se": weight.se[hands],
    }
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})


def half_widths(rows: pa.Table, miss_free: bool) -> Floats:
    """Half-width of the 95 % interval of each hand's values, in stakes.

    Parameters
    ----------
    rows : Table
        Rows of one situation of the table ``announce``.
    miss_free : bool
        Whether the miss is there in it.

    Returns
    -------
    ndarray of float64, shape (rows,)
        The largest of those of stand, miss and miss - stand; infinite on fewer than `FEW_DEALS`
        deals, which may well be all alike.
    """
    figures = Values._fields if miss_free else ("stand",)
    errors = np.array([rows[f"{figure}_se"].to_numpy() for figure in figures]).max(axis=0)
    return np.where(rows["n"].to_numpy() < FEW_DEALS, np.inf, Z95 * errors)


class _Course(NamedTuple):
    """What comes of one announcement beside its net, by class of hand.

    Attributes
    ----------
    loo, pot : Estimate
        Chance of being looed; of taking the whole pot without play.
    tricks : Estimate
        Tricks won in play.
    """

    loo: Estimate
    tricks: Estimate
    pot: Estimate

    @classmethod
    def of(cls, counts: npt.NDArray[np.int64]) -> _Course:
        """From counts of shape (results, hands)."""
        n = counts.sum(axis=0)
        return cls(
            loo=estimate_share(counts[0], n),
            tricks=estimate(list(counts), [0, 1, 2, 3, 0]),
            pot=estimate_share(counts[4], n),
        )
