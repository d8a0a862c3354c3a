"""The study `lead`: what each first lead is worth to the leader, by players in and class of hand.

For every deal in which two or more are in, each card that the first player in may lead is led in
that same deal, and all else is played by the policies: the others answer a lead as they would
answer it, and his own later plays stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from loo_sim.cards import hand_classes
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies import figures
from loo_sim.studies.by_hand import differences, how_often
from loo_sim.studies.estimates import (
    Z95,
    Estimate,
    aggregate,
    estimate,
    estimate_share,
    nets_of_results,
)
from loo_sim.studies.figures import Figure
from loo_sim.studies.moments import Moments, Running

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.experiment import Cell
    from loo_sim.studies import Counts

CHUNK_DEALS, SHORTEST_CHUNK = 2**18, 2**14
HEADLINE = (
    *("players in", "share of deals", "may choose", "highest led, stakes", "lowest led, stakes"),
    "lowest less highest, stakes",
)
TABLES_SHARE = 0.6
"""A row of 29 columns for 125 counts: 0.46 if every hand came up, and might lead any card."""
MAIN, MAIN_TITLE = "lowest_minus_highest", "lowest lead less highest, less the first cell's"
FIGURE = "the lowest lead less the highest"

CARDS = ("first", "second", "third")
"""The cards of a hand in the order of its class: trumps first, each kind from the highest down."""
FEWEST_IN = 2
"""Players in with whom there is play."""
NOT_LED = 4
"""Result of leading a card that may not be led, beside 0 to 3 tricks."""
MANY_IN = 5
"""So many players in, and more, are one row of the short table."""


def encode(cell: Cell) -> Any:
    """The game of a cell as the kernels read it."""
    from loo_sim.kernels.leads import encode_leads

    return encode_leads(cell)


def chunk_length(cell: Cell) -> int:
    """Most deals in a chunk of work."""
    return CHUNK_DEALS


def empty_counts(cell: Cell) -> Counts:
    """Counts of no deals, by players in, class of the leader's hand, and result of each card."""
    classes = hand_classes(cell.rules.deck).size.size
    outcomes = (NOT_LED + 1,) * len(CARDS)
    return (np.zeros((cell.players + 1 - FEWEST_IN, classes, *outcomes), np.uint32),)


def add_counts(game: Any, seed: int, first: int, count: int, counts: Counts) -> None:
    """Add the counts of deals `first` to ``first + count - 1`` of an encoded game."""
    from loo_sim.kernels.leads import count_leads

    count_leads(game, seed, first, count, counts[0])


def tables(cell: Cell, deals: int, counts: Counts) -> dict[str, pa.Table]:
    """The table ``lead``: a row for each number of players in and class of hand that came up.

    Parameters
    ----------
    cell : Cell
        The game played.
    deals : int
        Deals counted.
    counts : tuple of ndarray
        Of one, uint32 of shape (players - 1, classes, 5, 5, 5), as the kernel returns it.
    """
    parts = [
        _rows(cell, in_play, of_number, deals)
        for in_play, of_number in enumerate(counts[0], start=FEWEST_IN)
    ]
    return {"lead": pa.concat_tables(parts)}


def _rows(cell: Cell, in_play: int, counts: npt.NDArray[np.uint32], deals: int) -> pa.Table:
    """The rows of one number of players in; ``counts`` is of shape (classes, 5, 5, 5).

    Which cards may be led depends on the hand and the number of players in alone, so that each
    card's figures are of all deals of a row, or of none. Sums stay below 2**63, as those of
    `by_hand.values` do.
    """
    hands = np.flatnonzero(counts.any(axis=(1, 2, 3)))
    here = counts[hands].astype(np.int64)
    n = here.sum(axis=(1, 2, 3))
    nets = nets_of_results(cell.pot, cell.rules.loo_units(cell.pot))[:NOT_LED]
    values, loos, tricks = {}, {}, {}
    for axis, card in enumerate(CARDS):
        others = tuple(1 + other for other in range(len(CARDS)) if other != axis)
        led = here.sum(axis=others)[:, :NOT_LED].T
        values[card] = estimate(list(led), nets, UNITS_PER_STAKE)
        loos[f"{card}_loo"] = estimate_share(led[0], led.sum(axis=0))
        tricks[f"{card}_tricks"] = estimate(list(led), range(NOT_LED))
    pairs = {
        f"{CARDS[later]}_minus_{CARDS[earlier]}": _difference(here, earlier, later, nets)
        for earlier, later in ((0, 1), (0, 2), (1, 2))
    }
    weight = estimate_share(n, deals)
    columns = {
        "in_play": np.full(hands.size, in_play),
        "hand": np.array(hand_classes(cell.rules.deck).names)[hands],
        "n": n,
        "weight": weight.mean,
    }
    for found in (values, pairs, loos, tricks):
        columns |= {name: one.mean for name, one in found.items()}
        columns |= {f"{name}_se": one.se for name, one in found.items()}
    columns["weight_se"] = weight.se
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})


def _difference(
    counts: npt.NDArray[np.int64], earlier: int, later: int, nets: list[int]
) -> Estimate:
    """What the later card nets more than the earlier one in the same deals, in stakes."""
    (other,) = {0, 1, 2} - {earlier, later}
    both = counts.sum(axis=1 + other)[:, :NOT_LED, :NOT_LED]
    return estimate(list(both.reshape(-1, NOT_LED**2).T), differences(nets), UNITS_PER_STAKE)


def choices(table: pd.DataFrame) -> pd.DataFrame:
    """The rows in which there is a choice: the highest card led, the lowest, and the difference.

    Parameters
    ----------
    table : DataFrame
        Rows of the table ``lead``.

    Returns
    -------
    DataFrame
        ``in_play, hand, n, weight``, and ``highest``, ``lowest`` and ``lowest_minus_highest`` with
        their errors. The first card of a hand may always be led, the third only where the second
        may be.
    """
    rows = table[table["second"].notna()]
    of_three = rows["third"].notna()
    found = rows[["in_play", "hand", "n", "weight"]].assign(
        highest=rows["first"], highest_se=rows["first_se"]
    )
    for name, third, second in (
        ("lowest", "third", "second"),
        ("lowest_minus_highest", "third_minus_first", "second_minus_first"),
    ):
        for end in ("", "_se"):
            found[name + end] = rows[third + end].where(of_three, rows[second + end])
    return found


def pooled(table: pd.DataFrame) -> dict[str, Any]:
    """All `choices` of a table together, as a row; empty where nobody had one."""
    rows = choices(table)
    (found,) = aggregate(rows.assign(all=0), ["all"]).to_dict("records") or ({},)
    return {str(name): value for name, value in found.items()}


def half_width(tables: Mapping[str, pa.Table]) -> float:
    """Half-width of the 95 % interval of the lowest lead less the highest, in stakes.

    Over all deals in which the leader may choose; NaN if it is not known.
    """
    return Z95 * float(pooled(tables["lead"].to_pandas()).get(f"{MAIN}_se", np.nan))


def running(cell: Cell, work: int, counts: Counts) -> tuple[Running, ...]:
    """What is followed from chunk to chunk: the lowest lead less the highest, of two or three."""
    joint = counts[0].sum(axis=(0, 1), dtype=np.int64)
    nets = nets_of_results(cell.pot, cell.rules.loo_units(cell.pot))
    met, values = [], []
    for first, second, third in product(range(NOT_LED), range(NOT_LED), range(NOT_LED + 1)):
        met.append(int(joint[first, second, third]))
        values.append(nets[second if third == NOT_LED else third] - nets[first])
    return (Running(MAIN, Moments.counted(sum(met), met, values), UNITS_PER_STAKE),)


def headline(tables: Mapping[str, pa.Table]) -> list[tuple[Figure, ...]]:
    """A row for each number of players in: how often, and leads where the leader may choose."""
    table = tables["lead"].to_pandas()
    found = []
    for in_play, rows in table.groupby(table["in_play"].clip(upper=MANY_IN)):
        n, chosen = int(rows["n"].sum()), pooled(rows)
        # Of all deals, found from the row that says best how many there were.
        most = rows.loc[rows["n"].idxmax()]
        deals = round(most["n"] / most["weight"])
        share, free = estimate_share(n, deals), int(chosen.get("n", 0))
        may_choose = estimate_share(free, n)
        found.append(
            (
                figures.word(in_words(int(in_play))),
                how_often(float(share.mean), float(share.se), deals),
                # What none or all may do has no error, but a bound.
                figures.share(may_choose.mean, float(may_choose.se) or np.nan, n),
                *(
                    figures.mean(chosen.get(name), chosen.get(f"{name}_se"), free)
                    for name in ("highest", "lowest", MAIN)
                ),
            )
        )
    return found


def in_words(in_play: int) -> str:
    """A number of players in as a row of a table has it: ``5 or more`` for `MANY_IN`."""
    return f"{in_play} or more" if in_play == MANY_IN else str(in_play)
