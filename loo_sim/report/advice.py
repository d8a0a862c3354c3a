"""Says in words with which hands taking the miss is best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from loo_sim.report.hands import TRUMPS, rank_range
from loo_sim.report.miss import on_offer
from loo_sim.report.pooling import pool
from loo_sim.report.result import Cell
from loo_sim.report.strategy import KIND, Spot, matrix, rows_at, shares, spot_at, spots
from loo_sim.rounding import interval, listed, percent_in_words

MOST_PHRASES = 4
"""Phrases for hands of one number of trumps; more would be harder to read than the matrix."""

MOST_GAMES = 3
"""Games told of in one sentence."""

_ROWS = {3: "", 2: "the higher ", 1: "", 0: "best card "}
_COLUMNS = {3: "", 2: "the lower", 1: "best plain card", 0: "second card"}


class Run(NamedTuple):
    """Kinds of hands that follow one another in a row of a grid.

    Attributes
    ----------
    row : int
        Rank of the row.
    low, high : int
        Ranks of the first and the last column.
    """

    row: int
    low: int
    high: int


def runs(kinds: pd.DataFrame) -> list[Run]:
    """Where in a grid the miss is best.

    A run begins and ends with kinds of hands with which the miss surely is best and holds none with
    which something else surely is. Kinds too close to call at its ends count in if nothing but they
    lie between it and the grid's edge and the miss looks best with each.

    Parameters
    ----------
    kinds : DataFrame
        Kinds of hands with one number of trumps, from `strategy.matrix`.

    Returns
    -------
    list of Run
        By row and then by column, from the highest ranks down.
    """
    found = []
    for row in kinds["row"].unique():
        squares = kinds[kinds["row"] == row].sort_values("col")
        best = (squares["best"] == "miss").to_numpy()
        sure = squares["sure"].to_numpy(bool)
        ranks = squares["col"].to_numpy()
        # Stretches between the kinds with which something else surely is best.
        against = np.flatnonzero(sure & ~best)
        for start, stop in zip([0, *(against + 1)], [*against, len(best)], strict=True):
            surely = start + np.flatnonzero((sure & best)[start:stop])
            if not len(surely):
                continue
            first, last = int(surely[0]), int(surely[-1])
            if best[:first].all():
                first = 0
            if best[last:].all():
                last = len(best) - 1
            found.append(Run(int(row), int(ranks[first]), int(ranks[last])))
    return sorted(found, reverse=True)


def phrases(kinds: pd.DataFrame, found: list[Run], trumps: int) -> list[str]:
    """Runs in words, rows that are alike together: ``king (best plain card three or less)``.

    Parameters
    ----------
    kinds : DataFrame
        As for `runs`.
    found : list of Run
        From `runs`.
    trumps : int
        Of these kinds of hands.
    """
    rows = sorted(kinds["row"].unique())
    joined: list[tuple[int, int, str]] = []
    for run in found:
        ranks = kinds.loc[kinds["row"] == run.row, "col"]
        words = rank_range(run.low, run.high, ranks.min(), ranks.max())
        if joined:
            top, bottom, before = joined[-1]
            if words == before and rows.index(bottom) - rows.index(run.row) == 1:
                joined[-1] = (top, run.row, words)
                continue
        joined.append((run.row, run.row, words))
    told = []
    for top, bottom, words in joined:
        name = rank_range(bottom, top, rows[0], rows[-1]) or "any"
        told.append(_ROWS[trumps] + name + (f" ({_COLUMNS[trumps]} {words})" if words else ""))
    return told


def miss_hands(kinds: pd.DataFrame) -> tuple[str, pd.DataFrame]:
    """The hands with which taking the miss is best.

    Parameters
    ----------
    kinds : DataFrame
        From `strategy.matrix`; no two rows share a label.

    Returns
    -------
    str
        In words; empty if there are none.
    DataFrame
        The rows of `kinds` that the words speak of.
    """
    words: list[str] = []
    covered = pd.Series(False, index=kinds.index)
    for trumps in (3, 2, 1, 0):
        head = TRUMPS[trumps]
        grid = kinds.loc[kinds["trumps"] == trumps, ["row", "col", "best", "sure"]]
        found = runs(grid)
        if not found:
            continue
        told = phrases(grid, found, trumps)
        if trumps == 3:
            words.append(head)
        elif told == [f"{_ROWS[trumps]}any"]:
            words.append(f"any hand of {head}")
        elif len(told) > MOST_PHRASES:
            words.append(f"many hands of {head}")
        else:
            words.append(f"{head}: {listed(told, 'or')}")
        for run in found:
            told_of = (grid["row"] == run.row) & grid["col"].between(run.low, run.high)
            covered[grid.index[told_of]] = True
    return "; ".join(words), kinds[covered]


def hands_for_the_miss(cell: Cell, spot: Spot) -> str:
    """Sentences on the hands with which taking the miss is best to a seat that may fold.

    What it gains is told with its intervals, over all those hands together. Empty if the situation
    never came up.
    """
    kinds = matrix(cell, spot)
    if kinds.empty:
        return ""
    words, covered = miss_hands(kinds)
    if not words:
        told = (
            f"With {cell.label}, there is no kind of hand with which taking the miss surely is "
            f"best for {spot.who}"
        )
        doubt = shares(kinds).get("unclear", 0.0)
        if not doubt:
            return f"{told}."
        return f"{told}; it is too close to call with {percent_in_words(doubt)} of the hands."
    # Pools of pools have another error: hands of one kind share what is not known of its weight.
    rows = rows_at(cell, spot).merge(covered[KIND], on=KIND)
    pooled = pool(rows.assign(together=0), ["together"]).iloc[0]
    over_folding, over_standing = (
        interval(pooled[name], pooled[f"{name}_se"], pooled["n"])
        for name in ("miss", "miss_minus_stand")
    )
    share = percent_in_words(covered["weight"].sum() / kinds["weight"].sum())
    return (
        f"With {cell.label}, {spot.who} does best to take the miss with {words}. These are "
        f"{share} of the hands; with them the miss nets {over_folding} stakes more than "
        f"folding and {over_standing} more than standing."
    )


def first_to_speak(cells: list[Cell]) -> str:
    """Sentences on the hands with which the first seat of some games does best by the miss.

    Of a run that aims at another seat, unless it is the dealer's: what that one does best.
    """
    told = (
        hands_for_the_miss(cell, spot)
        for cell in cells[:MOST_GAMES]
        for spot in spots(cell)[:1]
        if spot.seat < cell.players - 1
    )
    return " ".join(sentence for sentence in told if sentence)


def late_to_speak(cell: Cell) -> str:
    """As `hands_for_the_miss`, of the last seat that may find nobody in and the miss there."""
    rows = on_offer(cell)
    seats = rows.loc[rows["standers"] == 0, "seat"]
    return "" if seats.empty else hands_for_the_miss(cell, spot_at(cell, int(seats.max()), 0))
