"""A crib to print: with what pot to stand, by number of trumps and top card."""

from __future__ import annotations

from math import ceil, floor, inf, isfinite, log10

import pandas as pd

from loo_sim.cards import ACE, lowest_rank
from loo_sim.report.break_even import break_even_pots, least_pot, verdict
from loo_sim.report.exhibit import Table, each
from loo_sim.report.hands import TRUMPS, rank_sign
from loo_sim.report.result import Cell
from loo_sim.report.strategy import Spot
from loo_sim.report.values import kinds_at
from loo_sim.rounding import NONE, listed, stakes

_TOP = ("trumps", "row")
"""Columns that tell the hands of the crib apart: how many trumps, and the top card."""


def _outward(low: float, high: float) -> tuple[str, str]:
    """Ends of an interval, each kept to the first digit of the smaller of it and the half-width.

    They are rounded away from the middle; the upper one is empty if there is none.
    """
    known = [size for size in (low, (high - low) / 2) if 0 < size < inf]
    step = 10.0 ** floor(log10(min(known)))
    places = max(-floor(log10(step)), 0)
    # What is a multiple of the step already must not move by the last digit of its quotient.
    above = f"{ceil(high / step - 1e-9) * step:,.{places}f}" if isfinite(high) else ""
    return f"{floor(low / step + 1e-9) * step:,.{places}f}", above


def crib(cell: Cell, spots: list[Spot]) -> Table:
    """With what pot to stand rather than fold, by number of trumps and top card, to be printed."""
    columns: list[dict[int, str]] = []
    heads, three = [], []
    for spot in spots:
        kinds = kinds_at(cell, spot, _TOP)
        told = _crib_entries(cell, kinds)
        for trumps in (2, 1, 0):
            columns.append({row: told[held, row] for held, row in told if held == trumps})
            heads.append(f"{spot.title}: {TRUMPS[trumps]}")
        if (3, 0) in told:
            three.append(f"{spot.title}: {told[3, 0]}")
    ranks = range(ACE, lowest_rank(cell.deck) - 1, -1)
    rows = tuple(
        (rank_sign(rank), *(column.get(rank, NONE) for column in columns)) for rank in ranks
    )
    meaning = (
        "the loo being the pot, its size does not matter"
        if cell.rules["loo"] == "pot"
        else "with less in the pot than the first number do not, from the second on stand, between "
        f"them it is too close to call; “any”: with every pot, from {stakes(least_pot(cell))} "
        "stakes on; “?”: with no pot surely"
    )
    return Table(
        "Crib: when to stand rather than fold or defend, by trumps and top card (the highest "
        f"trump, or with no trump the highest card); {meaning}; a dash: not dealt, or "
        "too seldom. The highest trump still out counts as A. "
        f"With three trumps, {listed(three) if three else NONE}",
        ("top card", *heads),
        rows,
    )


def _crib_entries(cell: Cell, kinds: pd.DataFrame) -> dict[tuple[int, int], str]:
    """What the crib says, by number of trumps and rank of the top card."""
    if cell.rules["loo"] == "pot":
        return {
            (kind.trumps, kind.row): verdict(kind.surplus, kind.surplus_se, kind.n)
            for kind in each(kinds)
        }
    return {
        (kind.trumps, kind.row): _pots_in_words(kind.low, kind.high, least_pot(cell))
        for kind in each(break_even_pots(cell, kinds))
    }


def _pots_in_words(low: float, high: float, least: float) -> str:
    """Below which pot to fold, and from which to stand: ``6.8 – 7.1``, or ``any``."""
    if not isfinite(low) or (low == 0 and high == inf):
        return NONE
    if high <= least:
        return "any"
    below, above = _outward(low, high)
    return f"{below} – {above}" if above else f"{below} – ?"
