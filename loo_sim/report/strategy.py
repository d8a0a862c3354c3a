"""The strategy matrix: which announcement is best with which hand, and by how much."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.cards import ACE, lowest_rank
from loo_sim.report import style
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.hands import GRIDS, SAMPLES, in_words, rank_sign, with_features
from loo_sim.report.miss import has_offers, on_offer
from loo_sim.report.missing import table_by_game
from loo_sim.report.pooling import decide
from loo_sim.report.result import COLUMNS, Cell
from loo_sim.rounding import (
    interval,
    listed,
    percent_in_words,
    percent_with_error,
    with_error,
)
from loo_sim.studies.announce import most_common_standers
from loo_sim.studies.by_hand import situation_in_words

AXES = {
    1: ("live trump", "best plain card"),
    0: ("best plain card", "second plain card"),
    2: ("higher live trump", "lower live trump"),
}
"""What the rows and the columns of each grid are."""

_ROW, _LABELS, _HEAD = 0.27, 0.5, 0.5
"""Inches: a row of a grid, the labels at its side, those above it."""

_KEPT, _KEPT_MATRICES = 16, 64
"""Situations whose hands, and whose matrices, are kept while the page is put together."""

IN_WORDS = {"stand": "stand", "miss": "take the miss", "defend": "defend", "fold": "fold"}


@dataclass(frozen=True)
class Spot:
    """A situation for which the matrix is shown.

    Attributes
    ----------
    seat, standers : int
    miss_free : bool
        Whether nobody has taken the miss yet.
    slug : str
    title : str
        For headings: ``dealer, 2 in``.
    who : str
        For sentences, without a comma.
    """

    seat: int
    standers: int
    miss_free: bool
    slug: str
    title: str
    who: str

    @property
    def values(self) -> dict[str, Any]:
        """What its rows of the announce table have, by column."""
        return {"seat": self.seat, "standers": self.standers, "miss_free": self.miss_free}


def spot_at(cell: Cell, seat: int, standers: int, miss_free: bool = True) -> Spot:
    """The spot of a seat to which so many are in."""
    is_dealer = seat == cell.players - 1
    title = situation_in_words(seat, standers, is_dealer, miss_free)
    slug = title.replace(",", "").replace(" ", "-").replace("nobody", "0")
    who = "seat 0 (first to speak)"
    if seat > 0:
        in_words = f"{cell.seat_in_words(seat)} with {standers if standers else 'nobody'} in"
        who = in_words if miss_free else f"{in_words} and the miss gone"
    return Spot(seat, standers, miss_free, slug, title, who)


def spots(cell: Cell) -> list[Spot]:
    """The first seat with nobody in, and the dealer as he most often finds the table.

    Where neither is there, as in a run that aims at another seat: the most common situation.
    """
    rows = on_offer(cell)
    found = []
    if ((rows["seat"] == 0) & (rows["standers"] == 0)).any():
        found.append(spot_at(cell, 0, 0))
    dealer = rows[rows["seat"] == cell.players - 1]
    if len(dealer):
        found.append(spot_at(cell, cell.players - 1, most_common_standers(dealer)))
    if not found and len(rows):
        read = cell.announcements(["seat", "standers", "weight"], miss_free=True)
        weights = read.groupby(["seat", "standers"], as_index=False)[["weight"]].sum()
        common = int(weights["weight"].to_numpy().argmax())
        seat, standers = (int(weights[name].iloc[common]) for name in ("seat", "standers"))
        found.append(spot_at(cell, seat, standers))
    return found


KIND = ["trumps", "row", "col"]
"""Columns that tell kinds of hands apart."""

VALUES = [
    *("hand", "n", "weight", "weight_se", "defend"),
    *("stand", "stand_se", "miss", "miss_se", "miss_minus_stand", "miss_minus_stand_se"),
]
"""Columns of the announce table that a matrix is made of."""


def read_rows(cell: Cell, columns: Sequence[str], **values: Any) -> pd.DataFrame:
    """Some columns of those rows of the announce table that have certain values.

    Returns
    -------
    DataFrame
        What `Cell.announcements` gives, with the columns of `hands.features` and `can_defend`.
    """
    rows = with_features(cell.announcements(columns, **values), cell.deck)
    return rows.assign(can_defend=rows["defend"].notna())


@lru_cache(maxsize=_KEPT)
def rows_at(cell: Cell, spot: Spot) -> pd.DataFrame:
    """All that the announce table has of a situation, as `read_rows` gives it."""
    return read_rows(cell, [*COLUMNS["announce"], "weight_se"], **spot.values)


@lru_cache(maxsize=_KEPT_MATRICES)
def matrix(cell: Cell, spot: Spot) -> pd.DataFrame:
    """Values and the best announcement for every kind of hand in a situation.

    Returns
    -------
    DataFrame
        `trumps`, `row` and `col` (ranks, as in `hands.features`) and what `decide` gives.
    """
    return decide(read_rows(cell, VALUES, **spot.values), KIND)


def shares(kinds: pd.DataFrame) -> pd.Series:
    """Share of deals in which each announcement surely is best; ``unclear`` takes the rest."""
    name = kinds["best"].where(kinds["sure"], "unclear")
    return kinds.groupby(name)["weight"].sum() / kinds["weight"].sum()


def grid_ranks(trumps: int, deck: int) -> tuple[list[int], list[int]]:
    """Ranks of the rows and of the columns of a grid, from the highest down."""
    low = lowest_rank(deck)
    # The lowest trump is turned up, so that trumps begin one rank above the plain cards.
    rows = list(range(ACE, low + (trumps > 0) - 1, -1))
    columns = list(range(ACE, low + (trumps == 2) - 1, -1))
    return (rows[:-1], columns[1:]) if trumps == 2 else (rows, columns)


def draw_grid(kinds: pd.DataFrame, trumps: int, deck: int) -> Figure:
    """One grid: a square a kind of hand, its best announcement, and the margin to the next."""
    rows, columns = grid_ranks(trumps, deck)
    squares = []
    for kind in each(kinds):
        look = style.ACTIONS[kind.best]
        squares.append(
            style.Square(
                rows.index(kind.row),
                columns.index(kind.col),
                look.colour,
                look.ink,
                f"{look.letter} {kind.margin:.2f}",
                not kind.sure,
            )
        )
    return draw_on_grid(squares, trumps, deck, 6.8)


def draw_on_grid(squares: Sequence[style.Square], trumps: int, deck: int, size: float) -> Figure:
    """Squares on a grid of a pack, ranks above and at its side, texts `size` points high."""
    rows, columns = grid_ranks(trumps, deck)
    tall = _ROW * len(rows)
    figure = style.map_figure(_HEAD + tall)
    axes = style.map_axes(figure, (_LABELS, _HEAD, style.WIDTH - _LABELS, tall))
    style.draw_squares(axes, squares, len(rows), len(columns), size)
    axes.set_xticks(range(len(columns)), [rank_sign(rank) for rank in columns])
    axes.set_yticks(range(len(rows)), [rank_sign(rank) for rank in rows])
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    axes.set_ylabel(AXES[trumps][0])
    axes.set_xlabel(AXES[trumps][1])
    return figure


def grid_exhibit(cell: Cell, spot: Spot, kinds: pd.DataFrame, trumps: int) -> Exhibit | None:
    """One grid of the strategy matrix `kinds`; None if no such hand came up."""
    kinds = kinds[kinds["trumps"] == trumps]
    if kinds.empty:
        return None
    share = shares(kinds)
    found = [
        f"{words} {percent_in_words(share[action])}"
        for action, words in (*IN_WORDS.items(), ("unclear", "too close to call"))
        if action in share.index
    ]
    caption = f"With {GRIDS[trumps]}, what pays best, by share of deals: {', '.join(found)}."
    ordered = kinds.sort_values(["row", "col"], ascending=False)
    row_name, column_name = AXES[trumps]
    return make_exhibit(
        f"strategy-{cell.number}-{spot.slug}-{trumps}",
        f"{GRIDS[trumps][0].upper()}{GRIDS[trumps][1:]} — {spot.title}",
        f"A square for each kind of hand: rows are the {row_name}, columns the {column_name}. Each "
        "holds the letter of the best announcement and its margin to the next in stakes.",
        caption,
        lambda: draw_grid(kinds, trumps, cell.deck),
        value_table(
            (f"{row_name}, {column_name}",),
            (((f"{rank_sign(kind.row)}, {rank_sign(kind.col)}",), kind) for kind in each(ordered)),
        ),
    )


def value_table(heads: tuple[str, ...], kinds: Iterable[tuple[tuple[str, ...], Any]]) -> Table:
    """The values of kinds of hands, each after its entries under some `heads` of its own."""
    return Table(
        "Values in stakes, folding and defending being 0 (standard error of the last digits)",
        (*heads, "deals", "stand", "miss", "miss less stand", "best", "margin"),
        tuple(
            (
                *entries,
                f"{int(kind.n):,}",
                with_error(kind.stand, kind.stand_se, kind.n),
                with_error(kind.miss, kind.miss_se, kind.n),
                with_error(kind.miss_minus_stand, kind.miss_minus_stand_se, kind.n),
                IN_WORDS[kind.best] if kind.sure else "too close to call",
                with_error(kind.margin, kind.margin_se, kind.n),
            )
            for entries, kind in kinds
        ),
    )


def three_trumps(kinds: pd.DataFrame) -> str:
    """A sentence on hands of three trumps, which have no grid."""
    kinds = kinds[kinds["trumps"] == 3]
    if kinds.empty:
        return "No hand of three trumps came up."
    kind = kinds.iloc[0]
    if not kind["sure"]:
        return "With three trumps it is too close to call."
    return (
        f"With three trumps: {IN_WORDS[kind['best']]}, by "
        f"{interval(kind['margin'], kind['margin_se'], kind['n'])} stakes."
    )


def compare_announcements(cell: Cell) -> str:
    """A sentence on how the hands of the first spot divide; empty if there is no spot."""
    found = spots(cell)
    if not found:
        return ""
    first = found[0]
    kinds = matrix(cell, first)
    share = shares(kinds)
    parts = [
        f"{words} with {percent_in_words(share[action])}"
        for action, words in IN_WORDS.items()
        if action in share.index
    ]
    doubt = (
        f"it is too close to call with {percent_in_words(share['unclear'])}"
        if "unclear" in share.index
        else ""
    )
    if not parts:
        return f"With {cell.label}, {first.who} cannot be advised: {doubt} of the hands."
    told = f"{first.who} does best, against these opponents, to {listed(parts)} of the hands"
    return f"With {cell.label}, {told}{'; ' + doubt if doubt else ''}."


def shares_by_game(cells: list[Cell]) -> Table:
    """How the hands of each game's spots divide into announcements."""
    return table_by_game(
        "Share of deals in which each announcement surely pays best, the miss being on offer",
        ("game", "situation", *IN_WORDS.values(), "too close to call"),
        cells,
        has_offers,
        _share_rows,
    )


def _share_rows(cell: Cell) -> list[tuple[str, ...]]:
    rows = []
    for spot in spots(cell):
        share = shares(matrix(cell, spot))
        parts = (share.get(action, 0.0) for action in (*IN_WORDS, "unclear"))
        rows.append((cell.label, spot.title, *map(percent_in_words, parts)))
    return rows


def sample_values(cell: Cell, spot: Spot) -> Table:
    """What each announcement is worth with chosen hands."""
    rows = rows_at(cell, spot)
    rows = rows[rows["hand"].isin(SAMPLES)]
    valued = {row.hand: row for row in each(decide(rows, ["hand"]))} if len(rows) else {}
    shown = tuple(
        (
            in_words(hand),
            f"{row.n:,}",
            with_error(row.stand, row.stand_se, row.n),
            percent_with_error(row.stand_loo, row.n),
            with_error(row.stand_tricks, row.stand_tricks_se, row.n),
            with_error(row.miss, row.miss_se, row.n),
            percent_with_error(row.miss_loo, row.n),
            with_error(row.miss_minus_stand, row.miss_minus_stand_se, row.n),
            IN_WORDS[row.best] if row.sure else "too close",
        )
        for hand in SAMPLES
        if (row := valued.get(hand)) is not None
    )
    return Table(
        f"{spot.title[0].upper()}{spot.title[1:]}: values in stakes, folding and defending being 0 "
        "(standard error of the last digits in brackets); spades are trumps, the lowest turned up",
        (
            "hand",
            "deals",
            "stand",
            "stand: looed",
            "stand: tricks",
            "miss",
            "miss: looed",
            "miss less stand",
            "best",
        ),
        shown,
    )
