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
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies import aimed, figures
from loo_sim.studies.by_hand import (
    MISS_GONE,
    MISS_RESULTS,
    STAND_RESULTS,
    Values,
    differences,
    half_widths,
    how_often,
    situation_in_words,
    situation_rows,
)
from loo_sim.studies.estimates import Z95, aggregate, estimate_share, nets_of_results
from loo_sim.studies.figures import Figure
from loo_sim.studies.moments import Moments, Running
from loo_sim.studies.strata import OPENING, precision_table, sharpened

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.experiment import Cell
    from loo_sim.studies import Counts

CHUNK_DEALS, SHORTEST_CHUNK = 2**18, 2**14
HEADLINE = (
    *("situation", "share of deals", "stand, stakes", "miss, stakes", "miss less stand, stakes"),
    *("miss: looed", "each hand, stakes"),
)
TABLES_SHARE = 0.9
"""0.85 if every hand came up, 0.4 in a long run."""
MAIN, MAIN_TITLE = "miss_minus_stand", "seat 0: miss less stand, less the first cell's"
FIGURE = "what announcements are worth"


def encode(cell: Cell) -> Any:
    """The game of a cell as the kernels read it, with what is aimed at if anything is."""
    if cell.aim is not None:
        return aimed.encode(cell, cell.aim)

    from loo_sim.kernels.game import encode_cell

    return encode_cell(cell)


def chunk_length(cell: Cell) -> int:
    """Most deals in a chunk of work."""
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


def running(cell: Cell, work: int, counts: Counts) -> tuple[Running, ...]:
    """What is followed from chunk to chunk: plain means of the first seat, the miss being there.

    Nothing where the cell aims: its hands are dealt as often as their errors ask for.
    """
    if cell.aim is not None:
        return ()
    opening = counts[0][OPENING.row, :, :, :MISS_GONE].sum(axis=0, dtype=np.int64)
    offered = opening.ravel().tolist()
    nets = nets_of_results(cell.pot, cell.rules.loo_units(cell.pot))
    values = (
        [of_stand for of_stand in nets for _ in nets],
        [of_miss for _ in nets for of_miss in nets],
        differences(nets),
    )
    return tuple(
        Running(figure, Moments.counted(sum(offered), offered, of), UNITS_PER_STAKE)
        for figure, of in zip(Values._fields, values, strict=True)
    )


def headline(tables: Mapping[str, pa.Table]) -> list[tuple[Figure, ...]]:
    """A row for the first seat and one for the dealer, over all hands, the miss still there.

    The dealer is shown as he most often finds the table. The last column is the widest interval of
    a value of one hand.
    """
    if "aim" in tables:
        return aimed.headline(tables)
    seat, standers = pc.field("seat"), pc.field("standers")
    rows = tables["announce"].filter(pc.field("miss_free"))
    dealer = pc.max(tables["announce"]["seat"]).as_py()
    shown = seat == 0
    for_dealer = rows.filter(seat == dealer).select(["standers", "n"]).to_pandas()
    if dealer and len(for_dealer):
        shown |= (seat == dealer) & (standers == most_common_standers(for_dealer))
    # Only these rows become a frame: the whole table may have more than a million.
    rows = rows.filter(shown)
    rows = rows.append_column("each", pa.array(half_widths(rows, miss_free=True)))
    frame = rows.to_pandas()
    pooled = sharpened(aggregate(frame, ["seat", "standers"]), tables["precision"].to_pandas())
    pooled["each"] = frame.groupby(["seat", "standers"])["each"].max().to_numpy()
    return [_row(row, row["seat"] == dealer) for row in pooled.to_dict("records")]


def _row(row: Mapping[Any, Any], is_dealer: bool) -> tuple[Figure, ...]:
    n = int(row["n"])
    deals = round(n / row["weight"])
    share = estimate_share(n, deals)
    return (
        figures.word(situation_in_words(int(row["seat"]), int(row["standers"]), is_dealer)),
        how_often(float(share.mean), float(share.se), deals),
        *(figures.mean(row[name], row[f"{name}_se"], n) for name in Values._fields),
        figures.share(row["miss_loo"], row["miss_loo_se"], n),
        figures.width(row["each"]),
    )


def most_common_standers(rows: pd.DataFrame) -> int:
    """How many are in when a seat speaks, most often: of rows of that seat, with `n`."""
    deals = rows.groupby("standers")["n"].sum()
    return int(deals.index.to_numpy()[deals.argmax()])
