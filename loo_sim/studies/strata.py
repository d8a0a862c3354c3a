"""The table `precision`: means over all hands, sharpened by how often each hand is dealt exactly.

How often a seat is dealt each class of hand is known, so that a mean over all its deals need not
suffer from how often each came up: the means of the classes are weighted by their exact chances
(post-stratification; Cochran, *Sampling Techniques*, 3rd ed., section 5A.9).

That takes every deal of a seat to be counted. Those of the first to speak are, in one situation:
forced deals are left out, but whether a deal is forced depends on the turn-up and not on the hands.
The other seats' deals are spread over situations, each of which is entered by chance whatever the
hand, which leaves little of the gain; and those in which the dealer had nothing to say are not
counted at all.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from loo_sim.cards import hand_classes
from loo_sim.policies.features import Situation
from loo_sim.studies.by_hand import Values, values

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.experiment import Cell

OPENING = Situation(0, 0, True)
STRATUM_DEALS = 100
"""Deals expected in a stratum, at least: where the hand tells nothing, what is lost by weighting is
below one part in so many of the variance."""


_COLUMNS = {
    "seat": pa.int64(),
    "standers": pa.int64(),
    "miss_free": pa.bool_(),
    "figure": pa.string(),
    "n": pa.int64(),
    **dict.fromkeys(("mean", "mean_se", "plain_mean", "plain_mean_se"), pa.float64()),
    **dict.fromkeys(("unpaired_se", "gain", "gain_of_pairing"), pa.float64()),
}


def precision_table(cell: Cell, counts: npt.NDArray[np.uint32]) -> pa.Table:
    """A row for each figure of the first seat over all hands; none if it never spoke freely.

    Beside the mean weighted by exact chances stand the plain one and the gains: how many times the
    deals the plain mean would take for the same error, and the plain difference if standing and
    taking the miss were played on different deals.

    Parameters
    ----------
    cell : Cell
        The game played.
    counts : ndarray of uint32, shape (situations, classes, 5, 6)
        As the kernels return it.
    """
    opening = counts[OPENING.row].astype(np.int64)
    n = int(opening.sum())
    plain = values(cell, opening.sum(axis=0, keepdims=True))
    by_stratum = plain
    share = np.ones(1)
    if n:
        size = hand_classes(cell.rules.deck).size
        starts = cut(size, STRATUM_DEALS / n * size.sum())
        share = np.add.reduceat(size, starts) / size.sum()
        by_stratum = values(cell, np.add.reduceat(opening, starts))
    rows = []
    for figure in Values._fields if n else ():
        simple, strata = getattr(plain, figure), getattr(by_stratum, figure)
        # Sums of `fsum`, which are the same on every machine.
        mean, se = fsum(share * strata.mean), sqrt(fsum(share**2 * strata.se**2))
        plain_se = simple.se[0]
        unpaired_se = np.hypot(plain.stand.se[0], plain.miss.se[0])
        is_paired = figure == "miss_minus_stand"
        with np.errstate(divide="ignore", invalid="ignore"):
            rows.append(
                {
                    **OPENING._asdict(),
                    "figure": figure,
                    "n": n,
                    "mean": mean,
                    "mean_se": se,
                    "plain_mean": simple.mean[0],
                    "plain_mean_se": plain_se,
                    "unpaired_se": unpaired_se if is_paired else np.nan,
                    "gain": (plain_se / se) ** 2,
                    "gain_of_pairing": (unpaired_se / plain_se) ** 2 if is_paired else np.nan,
                }
            )
    columns = {
        name: pa.array([row[name] for row in rows], kind, from_pandas=True)
        for name, kind in _COLUMNS.items()
    }
    return pa.table(columns)


def sharpened(pooled: pd.DataFrame, precision: pd.DataFrame) -> pd.DataFrame:
    """Means over all hands, with those of the first seat weighted by exact chances.

    Parameters
    ----------
    pooled : DataFrame
        Rows of ``announce`` with the miss there, pooled over all hands by ``seat`` at least.
    precision : DataFrame
        The table ``precision``; figures that `pooled` does not have are left out.
    """
    pooled = pooled.copy()
    seats = pooled["seat"].to_numpy()
    for figure in precision.to_dict("records"):
        for name, known in (("", "mean"), ("_se", "mean_se")):
            column = f"{figure['figure']}{name}"
            if column in pooled:
                exact = seats == figure["seat"]
                pooled[column] = np.where(exact, figure[known], pooled[column])
    return pooled


def cut(size: npt.NDArray[np.int64], least: float) -> npt.NDArray[np.int64]:
    """Join classes that follow each other to strata of at least so many hands.

    The order of the classes is that of their worth, so that neighbours are alike. What they are
    joined by does not depend on what came of the deals.

    Parameters
    ----------
    size : ndarray of int64, shape (classes,)
        Hands in each class.
    least : float
        Hands in a stratum; all classes are one stratum if there are fewer.

    Returns
    -------
    ndarray of int64
        The first class of each stratum.
    """
    starts, held = [0], 0
    for number, hands in enumerate(size.tolist()):
        if held >= least:
            starts.append(number)
            held = 0
        held += hands
    if held < least and len(starts) > 1:
        starts.pop()
    return np.array(starts)
