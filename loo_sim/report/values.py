"""What each announcement is worth by kind of hand: value, chance of being looed, tricks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from loo_sim.report.exhibit import Table, each
from loo_sim.report.hands import BANDS
from loo_sim.report.pooling import decide
from loo_sim.report.result import Cell
from loo_sim.report.strategy import Spot, rows_at
from loo_sim.rounding import listed, percent_with_error, share_error, with_error

BAND = ("band",)
"""Columns that tell the kinds of hands apart, as `hands.BANDS` names them."""

_WORTH = ("value", "looed", "tricks", "whole pot")
"""What is told of an announcement."""

_CHANCES = ("stand_loo", "miss_loo", "stand_pot", "miss_pot")
"""Columns that are shares of deals: looed, or the whole pot taken."""

_IN_WORDS = {
    "stand": "standing",
    "miss": "taking the miss",
    "defend": "defending",
    "fold": "folding",
}


def with_pot_share(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the announce table with the share of the pot that standing wins.

    Of a deal with t tricks the share s is t / 3, and 1 where the whole pot is taken because nobody
    else is in. With a loo of L stakes (l: 1 if looed, else 0) standing is worth P s - L l at any
    pot P. At most one of t, the whole pot and l is not 0, so that the products of any two are 0 in
    every deal, and the sample covariance of two means x and y over n deals is ``-x y / (n - 1)``.

    Returns
    -------
    DataFrame
        The rows, with `share` and its error, and `surplus`, share less chance of being looed, with
        its error: the value of standing in parts of the pot where the loo is as much as the pot.
    """
    tricks, pot, looed = rows["stand_tricks"] / 3, rows["stand_pot"], rows["stand_loo"]
    share = tricks + pot
    others = (rows["n"] - 1).where(rows["n"] > 1)
    variance = (
        rows["stand_tricks_se"] ** 2 / 9 + rows["stand_pot_se"] ** 2 - 2 * tricks * pot / others
    ).clip(lower=0)
    apart = variance + rows["stand_loo_se"] ** 2 + 2 * share * looed / others
    return rows.assign(
        share=share, share_se=np.sqrt(variance), surplus=share - looed, surplus_se=np.sqrt(apart)
    )


@lru_cache(maxsize=32)
def kinds_at(cell: Cell, spot: Spot, by: tuple[str, ...] = BAND) -> pd.DataFrame:
    """Everything that is known of standing and of taking the miss in a situation.

    Parameters
    ----------
    cell : Cell
        The game.
    spot : Spot
        The situation, the miss on offer.
    by : tuple of str
        Columns of `hands.features` that tell the kinds of hands apart.

    Returns
    -------
    DataFrame
        A row a kind: `by`, what `decide` gives, `share` and `surplus` of `with_pot_share`,
        `weight_se`, and for each of `_CHANCES` a column ending in ``_n``: so many plain deals would
        tell it with the same error.
    """
    rows = with_pot_share(rows_at(cell, spot))
    kinds = decide(rows, list(by))
    if not rows["aimed"].any():
        errors = [share_error(weight, cell.deals) for weight in kinds["weight"]]
        alike = {f"{name}_n": kinds["n"] for name in _CHANCES}
        return kinds.assign(weight_se=errors, **alike)
    # Kish's number, which needs no error: that of a share of 0 or 1 is always 0.
    squares = (rows["weight"] ** 2 / rows["n"]).groupby([rows[name] for name in by]).sum()
    equal = kinds["weight"].to_numpy() ** 2 / squares.to_numpy()
    for name in _CHANCES:
        share, error = kinds[name].to_numpy(), kinds[f"{name}_se"].to_numpy()
        with np.errstate(divide="ignore", invalid="ignore"):
            kinds[f"{name}_n"] = np.where(error > 0, share * (1 - share) / error**2, equal)
    return kinds


def in_prose(bands: Iterable[int]) -> str:
    """Kinds of hands for a sentence, those of one number of trumps together.

    Examples
    --------
    >>> in_prose([0, 5, 6])
    'three trumps and one trump (A or K–Q)'
    """
    heads: dict[str, list[str]] = {}
    for band in bands:
        head, _, tail = BANDS[band].partition(", ")
        heads.setdefault(head, []).append(tail)
    named = []
    for head, tails in heads.items():
        is_whole = len(tails) == sum(name.partition(", ")[0] == head for name in BANDS)
        named.append(head if is_whole else f"{head} ({listed(tails, 'or')})")
    return listed(named)


def divide(cell: Cell, spot: Spot) -> str:
    """A sentence on how many kinds of hands each announcement surely is best with."""
    kinds = kinds_at(cell, spot)
    best = kinds["best"].where(kinds["sure"])
    counts = best.value_counts()
    told = [f"{words} with {counts[name]}" for name, words in _IN_WORDS.items() if name in counts]
    unclear = int(best.isna().sum())
    if not told:
        return f"For {spot.who} it is too close to call with every kind of hand."
    doubt = f"; it is too close to call with {unclear}" if unclear else ""
    return (
        f"For {spot.who}, of {len(kinds)} kinds of hands, {listed(told)} surely pays best{doubt}."
    )


def value_tables(cell: Cell, spot: Spot) -> list[Table]:
    """The value, chance of being looed and tricks of standing and of the miss, by kind of hand."""
    kinds = kinds_at(cell, spot)
    title = f"{spot.title[0].upper()}{spot.title[1:]}"
    idle = "folding and defending are" if spot.seat == cell.players - 1 else "folding is"
    meaning = (
        f"stakes for this deal, {idle} worth exactly 0; chance of being looed; mean tricks won in "
        "play; chance of taking the whole pot as nobody else is in (standard error of the last "
        "digits in brackets)"
    )
    stand = tuple(
        (
            BANDS[kind.band],
            f"{with_error(100 * kind.weight, 100 * kind.weight_se, kind.n)} %",
            f"{int(kind.n):,}",
            *_worth(kind, "stand"),
        )
        for kind in each(kinds)
    )
    miss = tuple(
        (
            BANDS[kind.band],
            *_worth(kind, "miss"),
            with_error(kind.miss_minus_stand, kind.miss_minus_stand_se, kind.n),
            kind.best if kind.sure else "too close",
        )
        for kind in each(kinds)
    )
    return [
        Table(
            f"{title}: standing. How often such a hand is dealt there, of all deals; {meaning}",
            ("hand", "share", "deals", *_WORTH),
            stand,
        ),
        Table(
            f"{title}: taking the miss, with the hand that is thrown away. Less stand: against "
            f"standing in the same deals; {meaning}",
            ("hand", *_WORTH, "less stand", "best"),
            miss,
        ),
    ]


def _worth(kind: Any, announced: str) -> tuple[str, str, str, str]:
    """The entries of `_WORTH` for one announcement."""

    def known(name: str) -> float:
        return float(getattr(kind, announced + name))

    return (
        with_error(known(""), known("_se"), kind.n),
        percent_with_error(known("_loo"), known("_loo_n")),
        with_error(known("_tricks"), known("_tricks_se"), kind.n),
        percent_with_error(known("_pot"), known("_pot_n")),
    )
