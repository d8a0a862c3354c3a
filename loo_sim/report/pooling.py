"""Pools rows of the announce table, and says which announcement is best and whether surely."""

from __future__ import annotations

import numpy as np
import pandas as pd

from loo_sim.studies.aimed import aggregate_by_weight
from loo_sim.studies.estimates import FEW_DEALS, Z95, aggregate


def pool(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Pool rows of the announce table by deals, or by weight where deals were aimed at hands.

    `rows` has a column `aimed`, true in all rows of a result or in none, as `read_result` adds it.
    """
    return aggregate_by_weight(rows, by) if rows["aimed"].any() else aggregate(rows, by)


def decide(rows: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Pool rows of each seat and say what is best, by how much, and whether that is surely so.

    Folding and defending are worth exactly 0; against them the error of a value is its own.
    Standing and taking the miss are compared by their paired difference on the same deals.

    Parameters
    ----------
    rows : DataFrame
        Rows of ``announce.parquet``, and `can_defend`: whether the dealer may defend the miss;
        where he may not, folding is legal. Where the miss is gone its columns are empty.
    by : list of str
        Columns to keep apart. A seat speaks once a deal, so that rows of one seat are different
        deals and their errors are exact; rows of different seats share deals, so `by` must tell
        seats apart unless `rows` holds only one; and rows with the miss there from those without.

    Returns
    -------
    DataFrame
        What `pool` gives, with `best` (``stand``, ``miss``, ``defend`` or ``fold``), `margin`
        and `margin_se` in stakes to the next, and `sure`: the 95 % intervals of the differences
        from the best to every other legal announcement exclude 0, on `FEW_DEALS` deals or more.
    """
    pooled = pool(rows, [*by, "can_defend"])
    stand = pooled["stand"].to_numpy(np.float64)
    miss = pooled["miss"].to_numpy(np.float64)
    paired = pooled["miss_minus_stand"].to_numpy(np.float64)
    stand_se = pooled["stand_se"].to_numpy(np.float64)
    miss_se = pooled["miss_se"].to_numpy(np.float64)
    paired_se = pooled["miss_minus_stand_se"].to_numpy(np.float64)
    idle = np.where(pooled["can_defend"], "defend", "fold").astype(object)
    miss_wins = (miss > 0) & (paired > 0)
    stand_wins = (stand > 0) & ~miss_wins & ~(paired > 0)
    best = np.where(miss_wins, "miss", np.where(stand_wins, "stand", idle))
    contrasts = {
        "stand": ((stand, stand_se), (-paired, paired_se)),
        "miss": ((miss, miss_se), (paired, paired_se)),
        "idle": ((-stand, stand_se), (-miss, miss_se)),
    }
    margin, margin_se = np.full(len(pooled), np.nan), np.full(len(pooled), np.nan)
    sure = pooled["n"].to_numpy() >= FEW_DEALS
    for winner, against in contrasts.items():
        won = best == (idle if winner == "idle" else winner)
        for value, error in against:
            compared = won & ~np.isnan(value)
            nearer = compared & ~(value >= margin)
            margin[nearer], margin_se[nearer] = value[nearer], error[nearer]
            sure = sure & (~compared | (value > Z95 * error))
    # Added to 0, a margin of minus zero loses its sign.
    return pooled.assign(best=best, margin=margin + 0.0, margin_se=margin_se, sure=sure)
