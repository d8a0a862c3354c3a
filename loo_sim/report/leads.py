"""What is told of first leads: the lowest card that may be led against the highest."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.hands import BANDS, with_features
from loo_sim.report.result import Cell
from loo_sim.report.scale import Scale
from loo_sim.rounding import interval, listed, places_of, signed, with_error
from loo_sim.studies.estimates import FEW_DEALS, Z95, aggregate
from loo_sim.studies.lead import MAIN, MANY_IN, choices, in_words, pooled

_KEPT = 128
"""Games of which a few rows are kept, since every exhibit that compares those of a sweep asks."""

_NUMBER = ["number"]
_ROW, _LABELS, _HEAD, _FOOT, _WIDE = 0.24, 2.0, 0.4, 0.6, 1.1
"""Inches: a row of the map, its labels, above and below the squares, the width of a square."""


@lru_cache(maxsize=_KEPT)
def overall(cell: Cell) -> dict[str, Any]:
    """All deals of a game in which the leader may choose; empty if there are none."""
    return pooled(cell.tables["lead"])


def by_number(cell: Cell) -> pd.DataFrame:
    """Where the leader may choose, by `number` of players in, `MANY_IN` for so many and more."""
    return aggregate(_choices(cell), _NUMBER)


def by_band(cell: Cell) -> pd.DataFrame:
    """The same by `number` and `band`, the place of the kind of hand in `hands.BANDS`."""
    return aggregate(with_features(_choices(cell), cell.deck), [*_NUMBER, "band"])


def _choices(cell: Cell) -> pd.DataFrame:
    rows = choices(cell.tables["lead"])
    return rows.assign(number=rows["in_play"].clip(upper=MANY_IN))


def is_sure(row: Any) -> bool:
    """Whether the 95 % interval of the difference excludes 0, on deals enough to have one."""
    difference, error = row.lowest_minus_highest, row.lowest_minus_highest_se
    return bool(row.n >= FEW_DEALS and abs(difference) > Z95 * error)


def better(row: Any) -> str:
    """Which lead nets more: ``lowest``, ``highest``, or ``too close``."""
    if not is_sure(row):
        return "too close"
    return "lowest" if row.lowest_minus_highest > 0 else "highest"


def tell(cell: Cell) -> str:
    """A sentence on which lead nets more, by players in; empty if nobody had a choice."""
    told = [
        f"{interval(row.lowest_minus_highest, row.lowest_minus_highest_se, int(row.n))} stakes "
        f"with {in_words(int(row.number))} in"
        for row in each(by_number(cell))
        if isfinite(row.lowest_minus_highest)
    ]
    if not told:
        return ""
    return (
        "Where the leader may choose, his lowest card nets, against the highest on the same deals, "
        f"{listed(told)}."
    )


def draw_leads(kinds: pd.DataFrame) -> Figure:
    """Map of the lowest lead less the highest: kinds of hands by players in."""
    bands = sorted(set(kinds["band"]))
    numbers = sorted(set(kinds["number"]))
    scale = Scale.of(kinds[MAIN])
    figure = style.map_figure(_HEAD + _ROW * len(bands) + _FOOT)
    where = (_LABELS, _HEAD, _WIDE * len(numbers), _ROW * len(bands))
    axes = style.map_axes(figure, where)
    squares = [
        scale.square(
            bands.index(row.band),
            numbers.index(row.number),
            row.lowest_minus_highest,
            signed(
                f"{row.lowest_minus_highest:.{min(places_of(abs(row.lowest_minus_highest)), 3)}f}"
            ),
            not is_sure(row),
        )
        for row in each(kinds)
    ]
    style.draw_squares(axes, squares, len(bands), len(numbers), 8.0)
    axes.set_yticks(range(len(bands)), [BANDS[band] for band in bands])
    axes.set_xticks(range(len(numbers)), [in_words(int(number)) for number in numbers])
    axes.xaxis.tick_top()
    axes.set_xlabel("players in", fontsize=8)
    axes.xaxis.set_label_position("top")
    scale.draw(figure, _LABELS)
    return figure


def leads_exhibit(cell: Cell) -> Exhibit | None:
    """The lowest lead against the highest by kind of hand; None if nobody had a choice."""
    kinds = by_band(cell)
    kinds = kinds[kinds[MAIN].notna()]
    if kinds.empty:
        return None
    rows = [
        (
            in_words(int(row.number)),
            BANDS[row.band],
            f"{int(row.n):,}",
            *(
                with_error(getattr(row, name), getattr(row, f"{name}_se"), int(row.n))
                for name in ("highest", "lowest", MAIN)
            ),
            better(row),
        )
        for row in each(kinds)
    ]
    return make_exhibit(
        f"leads-{cell.number}",
        f"Lowest card or highest: {cell.label}",
        "A map with a row for each kind of hand and a column for each number of players in; a "
        "square holds what leading the lowest card nets more than leading the highest.",
        f"{tell(cell)} Purple: the lowest nets more, in stakes; hatched: too close to call. Of the "
        "cards that may be led; trumps count above plain cards, and as if the lowest trump were "
        "turned up. A hand of a kind whose lead is forced is not in it.",
        lambda: draw_leads(kinds),
        Table(
            "Net of the leader in stakes if he leads the highest card that he may, or the lowest, "
            "and the difference in the same deals (standard error of the last digits in brackets)",
            ("players in", "hand", "deals", "highest", "lowest", "lowest less highest", "better"),
            tuple(rows),
        ),
    )
