"""The matrices of a solved strategy: squares split in proportion to the chances it mixes with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from loo_sim.report import style
from loo_sim.report.announced import (
    LEAST_SHOWN,
    NUMBERS,
    Met,
    Strategy,
    divide,
    matrix,
    met,
    number_table,
    parts,
    percent,
    tell,
    totals,
)
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.hands import GRIDS, rank_sign
from loo_sim.report.situations import (
    MOST_COMMON,
    Drawer,
    draw_small,
    drawers_by_seat,
    table_of_squares,
)
from loo_sim.report.strategy import AXES, IN_WORDS, draw_on_grid, grid_ranks
from loo_sim.rounding import percent_in_words

LETTER = 0.22
"""Part of a square in which a letter has room."""

SIZE = 9.0
"""Points: letters of a grid."""

READS = (
    "A square shows the announcement of its hands; it is split where the strategy mixes, or where "
    "hands of its kind differ, in proportion to the chances, those below "
    f"{percent_in_words(LEAST_SHOWN)} left out. Ranks of trumps count as if the lowest trump were "
    "turned up: A is the highest trump still out."
)


def squares(
    kinds: pd.DataFrame, trumps: int, deck: int, least: float = LETTER
) -> Iterator[style.Square]:
    """The parts of the squares of a grid, with letters on those of the size `least` and more."""
    rows, columns = grid_ranks(trumps, deck)
    for kind in each(kinds[kinds["trumps"] == trumps]):
        left = float(columns.index(kind.col))
        for action, part in parts(kind):
            look = style.ACTIONS[action]
            letter = look.letter if part >= least else ""
            place = rows.index(kind.row), left
            yield style.Square(*place, look.colour, look.ink, letter, False, columns=part)
            left += part


def bars(kinds: pd.DataFrame, trumps: int, deck: int) -> list[style.Square]:
    """The squares of a small map: whole ones alike that follow one another in a row as one."""
    found: list[style.Square] = []
    for square in squares(kinds, trumps, deck, least=1.0):
        last = found[-1] if found else None
        if (
            last is not None
            and square.columns >= 1
            and last.columns >= 1
            and (last.row, last.colour) == (square.row, square.colour)
            and last.column + last.columns == square.column
        ):
            found[-1] = last._replace(columns=last.columns + 1)
        else:
            found.append(square)
    return found


def grid_exhibit(strategy: Strategy, one: Met, trumps: int) -> Exhibit:
    """One grid of the strategy matrix of a situation."""
    deck = strategy.cell.deck
    kinds = matrix(strategy, one.key)
    kinds = kinds[kinds["trumps"] == trumps]
    row_name, column_name = AXES[trumps]
    return make_exhibit(
        f"strategy-{strategy.cell.number}-{one.spot.slug}-{trumps}",
        f"{GRIDS[trumps][0].upper()}{GRIDS[trumps][1:]} — {one.spot.title}",
        f"A square for each kind of hand: rows are the {row_name}, columns the {column_name}. Its "
        "colour and letter are those of the announcement; it is split from left to right (stand, "
        "miss, defend, fold) in proportion to their chances.",
        f"With {GRIDS[trumps]}, of the hands dealt: {divide(strategy, kinds, one.key)}. "
        f"{_how_mixed(kinds)}",
        lambda: draw_on_grid(list(squares(kinds, trumps, deck)), trumps, deck, SIZE),
        number_table(
            strategy,
            NUMBERS,
            (f"{row_name}, {column_name}",),
            (
                ((f"{rank_sign(kind.row)}, {rank_sign(kind.col)}",), kind, one.key)
                for kind in each(kinds)
            ),
        ),
    )


def _how_mixed(kinds: pd.DataFrame) -> str:
    """A sentence on how many hands the strategy mixes with, and on squares that are split."""
    split = sum(len(parts(kind)) > 1 for kind in each(kinds))
    mixes = totals(kinds)["mixes"]
    mixed = f"The strategy mixes with {percent_in_words(mixes) if mixes else 'none'} of them"
    if not split:
        return f"{mixed}; no square is split."
    are = "is" if split == 1 else "are"
    return f"{mixed}; {split} of {len(kinds)} squares {are} split."


def multiples_exhibit(strategy: Strategy, trumps: int) -> Exhibit:
    """Small maps of the situations that come up most often."""
    deck = strategy.cell.deck
    found = met(strategy)[:MOST_COMMON]
    held = [(one, matrix(strategy, one.key)) for one in found]
    held = [(one, kinds[kinds["trumps"] == trumps]) for one, kinds in held]
    rows = []
    for one, kinds in held:
        mean, legal = totals(kinds), strategy.legal(one.key)
        said = (percent(mean[action]) if action in legal else "–" for action in IN_WORDS)
        rows.append((one.spot.title, about(one), *said, percent(mean["mixes"])))
    row_name, column_name = AXES[trumps]
    return make_exhibit(
        f"situations-{strategy.cell.number}-{trumps}",
        f"{GRIDS[trumps][0].upper()}{GRIDS[trumps][1:]}, situation by situation: "
        f"{strategy.cell.label}",
        "Small maps side by side, one for each of the most common situations: rows are the "
        f"{row_name}, columns the {column_name}; bars have the colour and the letter of the "
        "announcement with the hands they cover, and squares are split where it is mixed.",
        f"{_who_is_in(held, trumps)} The percentage over a map is about the share of all deals in "
        "which the seat finds that situation.",
        lambda: draw_small(
            [(f"{one.spot.title}: {about(one)}", bars(kinds, trumps, deck)) for one, kinds in held],
            trumps,
            deck,
        ),
        Table(
            f"With {GRIDS[trumps]}: about how often each situation comes up, how the hands dealt "
            "divide into announcements (a dash where one is illegal), and with how many of them "
            "the strategy mixes",
            ("situation", "share of deals", *IN_WORDS.values(), "mixed"),
            tuple(rows),
        ),
    )


def about(one: Met) -> str:
    """About how often a situation comes up: ``100 %``, ``≈ 45 %``, ``under 1 %``.

    Shares above a tenth are rounded to twentieths: hands are not independent, since they come from
    one pack, and shares are off by up to 3 % of the deals for it.
    """
    if one.share == 1:
        return "100 %"
    told = percent_in_words(round(20 * one.share) / 20 if one.share > 0.1 else one.share)
    return told if told.startswith("under") else f"≈ {told}"


def _who_is_in(held: Sequence[tuple[Met, pd.DataFrame]], trumps: int) -> str:
    """A sentence on where most and fewest hands stand or take the miss."""
    is_in = [
        (float(mean["stand"] + mean["miss"]), one.spot.title)
        for one, mean in ((one, totals(kinds)) for one, kinds in held)
    ]
    (low, last), (high, first) = min(is_in), max(is_in)
    fewest, most = percent_in_words(low), percent_in_words(high)
    with_what = f"With {GRIDS[trumps]}, the strategy stands or takes the miss with"
    if fewest == most:
        return f"{with_what} {most} of the hands in each of these situations."
    return f"{with_what} {fewest} ({last}) to {most} ({first}) of the hands."


def _cell(kind: Any) -> str:
    """A square of an HTML table."""
    shown = parts(kind)
    if len(shown) == 1:
        letter = style.ACTIONS[shown[0][0]].letter
        return f"<td class={letter}>{letter}"
    inner = ""
    for action, part in shown:
        letter = style.ACTIONS[action].letter
        inner += f"<i class={letter} style=flex:{100 * part:.0f}>"
        inner += f"{letter if part >= LETTER else ''}</i>"
    return f"<td class=split><div>{inner}</div>"


def grid_html(kinds: pd.DataFrame, trumps: int, deck: int) -> str:
    """A grid as an HTML table of coloured squares."""
    found = {(kind.row, kind.col): _cell(kind) for kind in each(kinds[kinds["trumps"] == trumps])}
    return table_of_squares(found, trumps, deck)


def drawers(strategy: Strategy, most: int) -> list[Drawer]:
    """The matrices of the `most` common situations, by seat; of a seat the most common first."""
    cell = strategy.cell
    shown = []
    for one in met(strategy)[:most]:
        kinds = matrix(strategy, one.key)
        grids = "".join(grid_html(kinds, trumps, cell.deck) for trumps in GRIDS)
        heading = f"{one.spot.title}: {about(one)} of the deals"
        shown.append((one.spot.seat, (heading, tell(strategy, one), grids)))
    return drawers_by_seat(cell, shown)


def how_common(strategy: Strategy, most: int) -> str:
    """Sentences on how many situations come up, and which of them are shown where."""
    found = met(strategy)
    never = len(strategy.rows) - len(found)
    told = f"{len(found)} situations come up"
    if never:
        told += f", {never} more never do under this strategy"
    common = "the most common ones stand" if len(found) > MOST_COMMON else "they stand"
    rest = ""
    if len(found) > most:
        rest = f" The {len(found) - most} rarest are left to the table of the directory."
    return (
        f"{told}; {common} side by side, in bars where squares next to each other are alike. On "
        "screen every one has its matrix below, seat by seat. How often each comes up is reckoned "
        "from the strategy as if hands were independent of each other; as they come from one pack, "
        f"that is right to a few per cent of the deals, and for rare ones only roughly.{rest}"
    )
