"""The study `announce`: what each announcement is worth, by situation and class of hand.

For every deal and every seat that spoke, standing and taking the miss are both played out on that
same deal, the others answering by their policies. Folding and defending are worth exactly 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from loo_sim.cards import hand_classes
from loo_sim.policies.features import Situation, situations
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies.estimates import (
    Estimate,
    aggregate,
    estimate,
    estimate_share,
    nets_of_results,
    with_interval,
)

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.studies import Counts

UNIT = "deals"
CHUNK_DEALS = 2**18
HEADLINE = ("seat", "standers", "share of deals", "stand", "miss", "miss - stand", "miss looed")

STAND_RESULTS = 5
"""Tricks won 0 to 3; 4: took the whole pot, nobody else being in."""
MISS_RESULTS = 6
"""As for standing; 5: the miss was gone."""
MISS_GONE = 5


def encode(cell: Cell) -> Any:
    """The game of a cell as the kernels read it."""
    from loo_sim.kernels.game import encode_cell

    return encode_cell(cell)


def empty_counts(cell: Cell) -> Counts:
    """Counts of no deals, by situation, class of hand, stand result and miss result."""
    situations = cell.players * (cell.players + 1)
    classes = hand_classes(cell.rules.deck).size.size
    return (np.zeros((situations, classes, STAND_RESULTS, MISS_RESULTS), np.uint32),)


def add_counts(game: Any, seed: int, first: int, count: int, counts: Counts) -> None:
    """Add the counts of deals `first` to ``first + count - 1`` of an encoded game."""
    from loo_sim.kernels.counting import count_announcements

    count_announcements(game, seed, first, count, counts[0])


def tables(cell: Cell, deals: int, counts: Counts) -> dict[str, pa.Table]:
    """The table ``announce``: a row for each situation and class of hand that came up.

    Means are over the n deals in which the seat spoke in the situation with the hand; ``weight``
    is n over all deals. Tricks are those won in play: a player who takes the whole pot because
    nobody else is in has won none (``stand_pot``, ``miss_pot``: how often).

    Parameters
    ----------
    cell : Cell
        The game played.
    deals : int
        Deals counted.
    counts : tuple of one ndarray of uint32
        Shape (situations, classes, 5, 6), as the kernels return it.
    """
    parts = [
        _situation_table(cell, deals, situation, counts[0][situation.row])
        for situation in situations(cell.players)
    ]
    return {"announce": pa.concat_tables(parts)}


def headline(tables: Mapping[str, pa.Table]) -> list[tuple[str, ...]]:
    """A row for the first seat and one for the dealer, over all hands, the miss still there."""
    seat, standers = pc.field("seat"), pc.field("standers")
    dealer = pc.max(tables["announce"]["seat"]).as_py()
    shown = (seat == 0) | ((seat == dealer) & (standers == 1))
    # Only these rows become a frame: the whole table may have more than a million.
    rows = tables["announce"].filter(shown & pc.field("miss_free")).to_pandas()
    pooled = aggregate(rows, ["seat", "standers"])
    return [
        (
            "dealer" if row["seat"] == dealer else "first",
            str(row["standers"]),
            f"{row['weight']:.4f}",
            *(
                with_interval(row[name], row[f"{name}_se"])
                for name in ("stand", "miss", "miss_minus_stand")
            ),
            f"{row['miss_loo']:.1%}",
        )
        for row in pooled.to_dict("records")
    ]


def _situation_table(
    cell: Cell, deals: int, situation: Situation, counts: npt.NDArray[np.uint32]
) -> pa.Table:
    """The rows of one situation, by class of hand."""
    hands = np.flatnonzero(counts.any(axis=(1, 2)))
    result_counts = counts[hands].astype(np.int64)
    n = result_counts.sum(axis=(1, 2))
    legal = cell.rules.legal_actions(
        situation.seat == cell.players - 1, situation.standers, situation.miss_free
    )
    nets = nets_of_results(cell.pot, cell.rules.loo_units(cell.pot))
    stand = _Outcome.of(result_counts.sum(axis=2).T, nets)
    never = Estimate(np.full(hands.size, np.nan), np.full(hands.size, np.nan))
    miss, difference = _Outcome(never, never, never, never), never
    if situation.miss_free:
        miss = _Outcome.of(result_counts.sum(axis=1).T[:MISS_GONE], nets)
        difference = estimate(
            list(result_counts[:, :, :MISS_GONE].reshape(hands.size, STAND_RESULTS * MISS_GONE).T),
            [of_miss - of_stand for of_stand in nets for of_miss in nets],
            UNITS_PER_STAKE,
        )
    weight = estimate_share(n, deals)
    nothing = {action: 0.0 if action in legal else np.nan for action in ("fold", "defend")}
    names = np.array(hand_classes(cell.rules.deck).names)
    size = hands.size
    columns = {
        "seat": np.full(size, situation.seat),
        "standers": np.full(size, situation.standers),
        "miss_free": np.full(size, situation.miss_free),
        "hand": names[hands],
        "n": n,
        "weight": weight.mean,
        "fold": np.full(size, nothing["fold"]),
        "stand": stand.net.mean,
        "miss": miss.net.mean,
        "defend": np.full(size, nothing["defend"]),
        "stand_se": stand.net.se,
        "miss_se": miss.net.se,
        "miss_minus_stand": difference.mean,
        "miss_minus_stand_se": difference.se,
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
        "weight_se": weight.se,
    }
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})


class _Outcome(NamedTuple):
    """What comes of one announcement, by class of hand.

    Attributes
    ----------
    net : Estimate
        Stakes.
    loo, pot : Estimate
        Chance of being looed; of taking the whole pot without play.
    tricks : Estimate
        Tricks won in play.
    """

    net: Estimate
    loo: Estimate
    tricks: Estimate
    pot: Estimate

    @classmethod
    def of(cls, counts: npt.NDArray[np.int64], nets: list[int]) -> _Outcome:
        """From counts of shape (results, hands) and the net of each result in units.

        Sums stay below 2**63: at most 2**32 deals of at most a million stakes of 729 units.
        """
        n = counts.sum(axis=0)
        return cls(
            net=estimate(list(counts), nets, UNITS_PER_STAKE),
            loo=estimate_share(counts[0], n),
            tricks=estimate(list(counts), [0, 1, 2, 3, 0]),
            pot=estimate_share(counts[4], n),
        )
