"""The strategy matrix of every situation: small maps of the common ones, grids of all by seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from operator import itemgetter
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.hands import GRIDS, rank_sign
from loo_sim.report.pooling import decide
from loo_sim.report.result import Cell
from loo_sim.report.strategy import (
    AXES,
    IN_WORDS,
    KIND,
    VALUES,
    Spot,
    grid_ranks,
    read_rows,
    shares,
    spot_at,
    three_trumps,
    value_table,
)
from loo_sim.rounding import NONE, percent_in_words, share_error, with_error
from loo_sim.studies.estimates import FEW_DEALS

MOST_COMMON = 6
"""Situations drawn side by side."""

SITUATION = ["seat", "standers", "miss_free"]
"""Columns that tell situations apart."""

_AT_ONCE = 50_000
"""Rows of the announce table that are read at once, if those of one seat are not more."""

_IS = {True: "is", False: "are"}

_ABREAST, _GAP, _LABELS, _HEAD, _FOOT = 3, 0.12, 0.17, 0.42, 0.05
"""Small maps side by side; inches between them, of their row labels, above and below each."""

_LONGEST = 28
"""Signs over a small map that have room at 8 points."""


class Situation(NamedTuple):
    """A situation that came up.

    Attributes
    ----------
    spot : Spot
    n : int
        Deals in which it did.
    rows : int
        Of the announce table.
    share, share_se : float
        Of all deals, and its standard error.
    """

    spot: Spot
    n: int
    rows: int
    share: float
    share_se: float

    @property
    def key(self) -> tuple[int, int, bool]:
        """Its values of the columns `SITUATION`."""
        return self.spot.seat, self.spot.standers, self.spot.miss_free


@lru_cache(maxsize=8)
def situations(cell: Cell) -> tuple[Situation, ...]:
    """The situations of a game that came up, the most common ones first."""
    rows = cell.announcements([*SITUATION, "n", "weight", "weight_se"])
    is_aimed = bool(rows["aimed"].any())
    # Deals aimed at hands tell how often a situation comes up hand by hand, each with its error.
    squares = rows["weight_se"] ** 2 if is_aimed else 0.0
    rows = rows[[*SITUATION, "n", "weight"]].assign(squares=squares, rows=1)
    found = rows.groupby(SITUATION, as_index=False)[["n", "rows", "weight", "squares"]].sum()
    found = found.sort_values(["weight", *SITUATION], ascending=[False, True, True, False])
    return tuple(
        Situation(
            spot_at(cell, int(row.seat), int(row.standers), bool(row.miss_free)),
            int(row.n),
            int(row.rows),
            float(row.weight),
            row.squares**0.5 if is_aimed else share_error(row.weight, cell.deals),
        )
        for row in each(found)
    )


@lru_cache(maxsize=8)
def matrices(cell: Cell) -> dict[tuple[int, int, bool], pd.DataFrame]:
    """What `strategy.matrix` gives for every situation, by the values of `SITUATION`."""
    found: dict[tuple[int, int, bool], pd.DataFrame] = {}
    for seats in _seats_at_once(cell):
        rows = read_rows(cell, [*SITUATION, *VALUES], seat=seats)
        for key, kinds in decide(rows, [*SITUATION, *KIND]).groupby(SITUATION, sort=False):
            found[cast(tuple[int, int, bool], key)] = kinds
    return found


def _seats_at_once(cell: Cell) -> list[list[int]]:
    """The seats in groups, each of few rows: a table of sixteen players may have a million."""
    rows = Counter[int]()
    for situation in situations(cell):
        rows[situation.spot.seat] += situation.rows
    seats = sorted(rows)
    up_to = accumulate(rows[seat] for seat in seats)
    numbered = zip((last // _AT_ONCE for last in up_to), seats, strict=True)
    return [[seat for _, seat in group] for _, group in groupby(numbered, itemgetter(0))]


def how_often(cell: Cell, situation: Situation) -> str:
    """The share of deals in which a situation came up; all of them exactly if it always does."""
    if situation.n == cell.deals:
        return "100 %"
    return f"{with_error(100 * situation.share, 100 * situation.share_se, situation.n)} %"


def kinds_at(cell: Cell, situation: Situation, trumps: int) -> pd.DataFrame:
    """The kinds of hands of so many trumps in a situation, from `matrices`."""
    kinds = matrices(cell)[situation.key]
    return kinds[kinds["trumps"] == trumps]


def is_known(kinds: pd.DataFrame) -> pd.Series:
    """Which kinds of hands came up in so many deals that anything is said of them."""
    return kinds["n"] >= FEW_DEALS


def _bars(kinds: pd.DataFrame, trumps: int, deck: int) -> Iterator[style.Square]:
    """The squares of a small map, those alike that follow one another in a row as one."""
    rows, columns = grid_ranks(trumps, deck)
    looks = {
        (rows.index(kind.row), columns.index(kind.col)): (kind.best, not kind.sure)
        for kind in each(kinds[is_known(kinds)])
    }
    for row in range(len(rows)):
        first = 0
        for column in range(1, len(columns) + 1):
            if looks.get((row, column)) == looks.get((row, first)) and column < len(columns):
                continue
            look = looks.get((row, first))
            if look is not None:
                action = style.ACTIONS[look[0]]
                yield style.Square(
                    *(row, first, action.colour, action.ink, action.letter, look[1]),
                    columns=column - first,
                )
            first = column


def draw_multiples(cell: Cell, found: list[Situation], trumps: int) -> Figure:
    """Small maps of several situations, one grid each, alike in all but what pays best."""
    maps = [
        (
            f"{situation.spot.title}: {percent_in_words(situation.share)}",
            list(_bars(kinds_at(cell, situation, trumps), trumps, cell.deck)),
        )
        for situation in found
    ]
    return draw_small(maps, trumps, cell.deck)


def draw_small(
    maps: Sequence[tuple[str, Sequence[style.Square]]], trumps: int, deck: int
) -> Figure:
    """Small maps side by side, each with its title and its squares."""
    rows, columns = grid_ranks(trumps, deck)
    across = (style.WIDTH - _GAP * (_ABREAST - 1)) / _ABREAST - _LABELS
    size = across / len(columns)
    tall = size * len(rows)
    size_of_titles = min(8.0, 8 * _LONGEST / max(len(title) for title, _ in maps))
    height = -(-len(maps) // _ABREAST) * (_HEAD + tall + _FOOT)
    figure = style.map_figure(height)
    # One set of axes, its unit a square: to lay out hundreds of labels takes long.
    axes = style.map_axes(figure, (0, 0, style.WIDTH, height))
    axes.set_axis_off()
    bars: list[style.Square] = []
    labels: list[style.Square] = []
    for place, (title, squares) in enumerate(maps):
        line, column = divmod(place, _ABREAST)
        left = (column * (across + _LABELS + _GAP) + _LABELS) / size
        top = (line * (_HEAD + tall + _FOOT) + _HEAD) / size

        def moved(square: style.Square, left: float = left, top: float = top) -> style.Square:
            return square._replace(row=top + square.row, column=left + square.column)

        bars += map(moved, squares)
        labels += map(moved, _rank_labels(rows, columns))
        lines = left + np.arange(0.5, len(columns) - 1)
        axes.vlines(lines, top - 0.5, top + len(rows) - 0.5, color="white", lw=0.4, zorder=2)
        axes.text(
            left - 0.5,
            top - 0.5 - 0.2 / size,
            title,
            fontsize=size_of_titles,
            weight="bold",
            va="bottom",
        )
    style.draw_squares(axes, bars, height / size, style.WIDTH / size, 7)
    style.write_texts(axes, labels, 6.5)
    return figure


def _rank_labels(rows: list[int], columns: list[int]) -> list[style.Square]:
    """Names of ranks above a small map and at its side."""
    above = [(-1, place, rank) for place, rank in enumerate(columns)]
    beside = [(place, -1, rank) for place, rank in enumerate(rows)]
    return [
        style.Square(row, column, "", style.INK, rank_sign(rank), False)
        for row, column, rank in above + beside
    ]


def multiples_exhibit(cell: Cell, trumps: int) -> Exhibit | None:
    """Small maps of the situations that come up most often; None if no such hand is known."""
    found = [
        situation
        for situation in situations(cell)[:MOST_COMMON]
        if is_known(kinds_at(cell, situation, trumps)).any()
    ]
    if not found:
        return None
    divided = [shares(kinds_at(cell, situation, trumps)) for situation in found]
    rows = [
        (
            situation.spot.title,
            how_often(cell, situation),
            *(percent_in_words(share.get(action, 0.0)) for action in (*IN_WORDS, "unclear")),
        )
        for situation, share in zip(found, divided, strict=True)
    ]
    row_name, column_name = AXES[trumps]
    return make_exhibit(
        f"situations-{cell.number}-{trumps}",
        f"{GRIDS[trumps][0].upper()}{GRIDS[trumps][1:]}, situation by situation: {cell.label}",
        "Small maps side by side, one for each of the most common situations: rows are the "
        f"{row_name}, columns the {column_name}; the colour and the letter of a bar are those of "
        "the announcement that pays best with the hands it covers.",
        f"{_who_is_in(found, divided, trumps)} The percentage over a map is the share of all deals "
        "in which the seat finds that situation; no colour: fewer than "
        f"{FEW_DEALS} deals.",
        lambda: draw_multiples(cell, found, trumps),
        Table(
            f"With {GRIDS[trumps]}: how often each situation comes up (standard error of the last "
            "digits in brackets), and in what share of those deals each announcement surely pays "
            "best",
            ("situation", "share of deals", *IN_WORDS.values(), "too close to call"),
            tuple(rows),
        ),
    )


def _who_is_in(found: list[Situation], divided: list[pd.Series], trumps: int) -> str:
    """A sentence on where it pays with most hands, and with fewest, to stand or take the miss."""
    is_in = [
        (float(share.get("stand", 0.0) + share.get("miss", 0.0)), situation.spot.title)
        for situation, share in zip(found, divided, strict=True)
    ]
    doubt = max(float(share.get("unclear", 0.0)) for share in divided)
    (low, last), (high, first) = min(is_in), max(is_in)
    fewest, most = percent_in_words(low), percent_in_words(high)
    if len(found) == 1:
        where = f"with {most} of these hands for {first}"
    elif fewest == most:
        where = f"with {most} of these hands in each situation"
    else:
        where = f"with {fewest} ({last}) to {most} ({first}) of these hands"
    unsure = f"with {'at most ' if len(found) > 1 else ''}{percent_in_words(doubt)}"
    return (
        f"With {GRIDS[trumps]}, standing or taking the miss surely pays best {where}; it is too "
        f"close to call {unsure if doubt else 'with none'}."
    )


def grid_html(kinds: pd.DataFrame, trumps: int, deck: int) -> str:
    """A grid as a table of coloured squares, a tenth as long as a figure of it would be.

    Parameters
    ----------
    kinds : DataFrame
        Of one situation, from `matrices`.
    trumps, deck : int
        Which grid, and of which pack.

    Returns
    -------
    str
        Empty if nothing is known of such hands. The classes of the squares are the letters of the
        announcements, with a ``u`` where it is too close to call; HTML lets closing tags go.
    """
    kinds = kinds[(kinds["trumps"] == trumps) & is_known(kinds)]
    if kinds.empty:
        return ""
    squares = {}
    for kind in each(kinds[["row", "col", "best", "margin", "sure"]]):
        letter = style.ACTIONS[kind.best].letter
        look = letter if kind.sure else f"{letter}u"
        squares[kind.row, kind.col] = f"<td class={look}>{letter} {kind.margin:.2f}"
    return table_of_squares(squares, trumps, deck)


def table_of_squares(squares: Mapping[tuple[int, int], str], trumps: int, deck: int) -> str:
    """A grid of a pack as an HTML table, of cells by the ranks of their row and column."""
    rows, columns = grid_ranks(trumps, deck)
    row_name, column_name = AXES[trumps]
    head = "".join(f"<th scope=col>{rank_sign(rank)}" for rank in columns)
    lines = [
        f"<table class=grid><caption>{GRIDS[trumps]}: {row_name} down, {column_name} across"
        f"</caption><thead><tr><td>{head}<tbody>"
    ]
    for row in rows:
        line = [squares.get((row, column), "<td>") for column in columns]
        lines.append("".join([f"<tr><th scope=row>{rank_sign(row)}", *line]))
    return "\n".join(lines) + "</table>"


class Drawer(NamedTuple):
    """What opens with one click: all situations of a seat.

    Attributes
    ----------
    title : str
    situations : list of (str, str, str)
        Of each the heading, a sentence, and its grids as HTML.
    """

    title: str
    situations: list[tuple[str, str, str]]


def drawers(cell: Cell, most: int) -> list[Drawer]:
    """The matrices of the `most` common situations, by seat; of a seat the most common first."""
    shown = []
    for situation in situations(cell)[:most]:
        kinds = matrices(cell)[situation.key]
        grids = "".join(grid_html(kinds, trumps, cell.deck) for trumps in GRIDS)
        told = (
            three_trumps(kinds) if grids else f"No kind of hand came up in {FEW_DEALS} deals here."
        )
        heading = f"{situation.spot.title}: {how_often(cell, situation)} of the deals"
        shown.append((situation.spot.seat, (heading, told, grids)))
    return drawers_by_seat(cell, shown)


def drawers_by_seat(cell: Cell, shown: Iterable[tuple[int, tuple[str, str, str]]]) -> list[Drawer]:
    """A drawer for each seat, in order, of what is shown of its situations, as it comes."""
    by_seat: dict[int, list[tuple[str, str, str]]] = {}
    for seat, one in shown:
        by_seat.setdefault(seat, []).append(one)
    drawn = []
    for seat, of_seat in sorted(by_seat.items()):
        number = "1 situation" if len(of_seat) == 1 else f"{len(of_seat)} situations"
        drawn.append(Drawer(f"{cell.seat_in_words(seat)}: {number}", of_seat))
    return drawn


def how_common(cell: Cell, most: int) -> str:
    """Sentences on how many situations came up, and which of them are shown where."""
    found = situations(cell)
    if len(found) == 1:
        return f"One situation came up: {found[0].spot.title}."
    told = f"{len(found)} situations came up"
    common = (
        f"the {MOST_COMMON} most common ones stand" if len(found) > MOST_COMMON else "all stand"
    )
    left = len(found) - most
    rest = ""
    if left > 0:
        rarest = "The rarest one, in" if left == 1 else f"The {left} rarest, each in at most"
        rest = (
            f" {rarest} {percent_in_words(found[most].share)} of the deals, {_IS[left == 1]} left "
            "to the tables of the result directory."
        )
    return (
        f"{told}; {common} side by side, in bars where squares next to each other are alike. On "
        f"screen every one has its matrix below, seat by seat.{rest}"
    )


def all_values(cell: Cell) -> Table:
    """The values of every kind of hand in every situation, the most common ones first."""
    return value_table(
        ("situation", "trumps", "row of its grid", "column of its grid"),
        (
            (
                (
                    situation.spot.title,
                    str(kind.trumps),
                    *(rank_sign(rank) if rank else NONE for rank in (kind.row, kind.col)),
                ),
                kind,
            )
            for situation in situations(cell)
            for kind in each(matrices(cell)[situation.key])
        ),
    )
