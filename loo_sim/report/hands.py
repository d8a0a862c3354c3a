"""Sorts the 4,861 hand classes into kinds and bands that a player can read."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd

from loo_sim.cards import ACE, RANK_NAMES, RANKS, hand_classes

BANDS = (
    "three trumps",
    "two trumps, top A",
    "two trumps, top K–Q",
    "two trumps, top J–9",
    "two trumps, top 8 or less",
    "one trump, A",
    "one trump, K–Q",
    "one trump, J–9",
    "one trump, 8 or less",
    "no trump, ace high",
    "no trump, king high",
    "no trump, queen or jack high",
    "no trump, ten high or less",
)
"""Bands of hands from strong to weak, for maps."""

TRUMPS = ("no trump", "one trump", "two trumps", "three trumps")
"""How many trumps a hand has, in words."""

GRIDS = {number: TRUMPS[number] for number in (1, 0, 2)}
"""The three grids of a strategy matrix, by number of trumps, in the order shown."""


def _band(trumps: int, top: int) -> str:
    """Band of a hand with so many trumps; `top` is its best trump's rank, or best plain card's."""
    if trumps == 3:
        return BANDS[0]
    if trumps == 0:
        step = 0 if top == ACE else 1 if top == 13 else 2 if top >= 11 else 3
        return BANDS[9 + step]
    step = 0 if top == ACE else 1 if top >= 12 else 2 if top >= 9 else 3
    return BANDS[(1 if trumps == 2 else 5) + step]


@lru_cache(maxsize=2)
def features(deck: int) -> pd.DataFrame:
    """What is read off each hand class.

    Parameters
    ----------
    deck : int
        Cards in the pack: 52 or 32.

    Returns
    -------
    DataFrame
        Indexed by the class's name (``As7sKh``), in the order of `cards.hand_classes`: `trumps`, 0
        to 3; `row` and `col`, the ranks (2 to 14) that place it in the grid of its number of
        trumps, 0 for three trumps; `band`, index into `BANDS`. Trumps are ranked as if the lowest
        were turned up.
    """
    rows = []
    names = hand_classes(deck).names
    for name in names:
        cards = [(RANKS.index(name[i]) + 2, name[i + 1]) for i in (0, 2, 4)]
        trump = [rank for rank, suit in cards if suit == "s"]
        plain = [rank for rank, suit in cards if suit != "s"]
        if len(trump) == 3:
            row, col = 0, 0
        elif len(trump) == 2:
            row, col = trump[0], trump[1]
        elif len(trump) == 1:
            row, col = trump[0], plain[0]
        else:
            row, col = plain[0], plain[1]
        band = BANDS.index(_band(len(trump), trump[0] if trump else plain[0]))
        rows.append((len(trump), row, col, band))
    return pd.DataFrame(
        rows, columns=["trumps", "row", "col", "band"], index=pd.Index(names, name="hand")
    )


def with_features(rows: pd.DataFrame, deck: int) -> pd.DataFrame:
    """Rows of the announce table with the columns of `features`."""
    kinds = features(deck)
    read_off = kinds.iloc[kinds.index.get_indexer(pd.Index(rows["hand"]))]
    return pd.concat([rows, read_off.set_index(rows.index)], axis=1)


SAMPLES = (
    "AsKsQs",
    "AsTsKh",
    "QsTs8h",
    "9s8sKh",
    "AsAhKd",
    "KsQhJd",
    "JsAhKd",
    "9sTh8d",
    "AhKhQh",
    "AhAdKc",
    "KhQdJc",
    "Th9d8c",
)
"""Hands for the value table, from every kind; all are classes of both packs."""


def rank_sign(rank: int) -> str:
    """``A`` for 14, ``10`` for 10."""
    return RANKS[rank - 2].replace("T", "10")


def rank_range(low: int, high: int, lowest: int, highest: int) -> str:
    """Ranks from `low` to `high` in words, of those from `lowest` to `highest`; empty for all.

    Examples
    --------
    >>> rank_range(2, 9, 2, 14), rank_range(10, 12, 2, 14), rank_range(11, 14, 2, 14)
    ('nine or less', 'ten to queen', 'jack or better')
    """
    bottom, top = RANK_NAMES[RANKS[low - 2]], RANK_NAMES[RANKS[high - 2]]
    if (low, high) == (lowest, highest):
        return ""
    if low == high:
        return top
    if low == lowest:
        return f"{top} or less"
    if high == highest:
        return f"{bottom} or better"
    return f"{bottom} or {top}" if high - low == 1 else f"{bottom} to {top}"


def in_words(hand: str) -> str:
    """A hand class for reading: ``A♠ 7♠ K♥``."""
    signs = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
    return " ".join(hand[i].replace("T", "10") + signs[hand[i + 1]] for i in (0, 2, 4))
