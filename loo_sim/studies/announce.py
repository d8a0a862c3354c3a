"""The study `announce`: what each announcement is worth, by situation and class of hand.

For every deal and every seat that spoke, standing and taking the miss are both played out on that
same deal, the others answering by their policies. Folding and defending are worth exactly 0. A cell
that aims at one situation is counted by `aimed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from loo_sim.cards import hand_classes
from loo_sim.policies.features import situations
from loo_sim.studies import aimed
from loo_sim.studies.by_hand import MISS_RESULTS, STAND_RESULTS, half_widths, situation_rows
from loo_sim.studies.estimates import Z95, aggregate, estimate_share, with_interval
from loo_sim.studies.strata import precision_table

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.studies import Counts

CHUNK_DEALS = 2**18
HEADLINE = (
    *("seat", "standers", "share of deals", "stand", "miss", "miss - stand", "miss looed"),
    "each hand",
)
FIGURE = "what announcements are worth"


def encode(cell: Cell) -> Any:
    """The game of a cell as the kernels read it, with what is aimed at if anything is."""
    if cell.aim is not None:
        return aimed.encode(cell, cell.aim)

    from loo_sim.kernels.game import encode_cell

    return encode_cell(cell)


def chunk_length(cell: Cell) -> int:
    """Deals in a chunk of work."""
    return CHUNK_DEALS


def empty_counts(cell: Cell) -> Counts:
    """Counts of no deals, by situation, class of hand, stand result and miss result."""
    if cell.aim is not None:
        return aimed.empty_counts(cell)
    situations = cell.players * (cell.players + 1)
    classes = hand_classes(cell.rules.deck).size.size
    return (np.zeros((situations, classes, STAND_RESULTS, MISS_RESULTS), np.uint32),)


def add_counts(game: Any, seed: int, first: int, count: int, counts: Counts) -> None:
    """Add the counts of deals `first` to ``first + count - 1`` of an encoded game."""
    if isinstance(game, aimed.AimedGame):
        aimed.add_counts(game, seed, first, count, counts)
        return

    from loo_sim.kernels.counting import count_announcements

    count_announcements(game, seed, first, count, counts[0])


def tables(cell: Cell, deals: int, counts: Counts) -> dict[str, pa.Table]:
    """The tables ``announce`` (by situation and class of hand) and ``precision`` or ``aim``.

    Parameters
    ----------
    cell : Cell
        The game played.
    deals : int
        Deals counted.
    counts : tuple of ndarray
        Of one, uint32 of shape (situations, classes, 5, 6), as the kernels return it; or what
        `aimed.empty_counts` describes.
    """
    if cell.aim is not None:
        return aimed.tables(cell, cell.aim, deals, counts)
    parts = []
    for situation in situations(cell.players):
        here = counts[0][situation.row]
        weight = estimate_share(here.sum(axis=(1, 2), dtype=np.int64), deals)
        parts.append(situation_rows(cell, situation, here, weight))
    return {"announce": pa.concat_tables(parts), "precision": precision_table(cell, counts[0])}


def half_width(tables: Mapping[str, pa.Table]) -> float:
    """Half-width of the 95 % interval of miss - stand of the first seat over all hands, in stakes.

    Where the cell aims, the largest of all its hands' values. NaN if it is not known.
    """
    if "aim" in tables:
        return aimed.half_width(tables)
    found = tables["precision"].filter(pc.field("figure") == "miss_minus_stand")["mean_se"]
    return Z95 * found[0].as_py() if found and found[0].is_valid else np.nan


def headline(tables: Mapping[str, pa.Table]) -> list[tuple[str, ...]]:
    """A row for the first seat and one for the dealer, over all hands, the miss still there.

    The last column is the widest interval of a value of one hand.
    """
    if "aim" in tables:
        return aimed.headline(tables)
    seat, standers = pc.field("seat"), pc.field("standers")
    dealer = pc.max(tables["announce"]["seat"]).as_py()
    shown = (seat == 0) | ((seat == dealer) & (standers == 1))
    # Only these rows become a frame: the whole table may have more than a million.
    rows = tables["announce"].filter(shown & pc.field("miss_free"))
    rows = rows.append_column("each", pa.array(half_widths(rows, miss_free=True)))
    frame = rows.to_pandas()
    pooled = aggregate(frame, ["seat", "standers"])
    pooled["each"] = frame.groupby(["seat", "standers"])["each"].max().to_numpy()
    for figure in tables["precision"].to_pylist():
        columns = [figure["figure"], f"{figure['figure']}_se"]
        pooled.loc[pooled["seat"] == 0, columns] = figure["mean"], figure["mean_se"]
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
            f"± {row['each']:.4f}" if np.isfinite(row["each"]) else "–",
        )
        for row in pooled.to_dict("records")
    ]
