"""Games without figures: how sentences, tables and charts mark their place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from loo_sim.report.exhibit import Table
from loo_sim.report.result import DONE, Cell
from loo_sim.rounding import NONE, listed

MARK = "×"
"""Stands in the place of a game without figures."""

MOST_NAMED = 6
"""Games named one by one."""


def why_missing(cell: Cell) -> str:
    """Why a game has no figure: what befell it, or that nothing of the kind came up."""
    return "no such figure" if cell.status == DONE else cell.status


def mark_missing(cell: Cell) -> str:
    """The entry of a game without figures in a table: ``× failed``."""
    return f"{MARK} {why_missing(cell)}"


def name_each(cells: Sequence[Cell]) -> list[str]:
    """Games without figures by name with what befell them; of many, how many more there are."""
    told = [f"{cell.label} ({why_missing(cell)})" for cell in cells[:MOST_NAMED]]
    if len(cells) > MOST_NAMED:
        told.append(f"{len(cells) - MOST_NAMED} more")
    return told


def name_missing(cells: Sequence[Cell], place: str = "") -> str:
    """A sentence that names games without a figure; empty if there are none.

    Parameters
    ----------
    cells : sequence of Cell
        The games.
    place : str
        Where the mark stands; in the game's own place, if it is left out.
    """
    if not cells:
        return ""
    told = name_each(cells)
    where = place or ("in its place" if len(cells) == 1 else "in their place")
    return f"No figures, marked {MARK} {where}: {listed(told)}."


def missing_row(cell: Cell, heads: Sequence[str]) -> tuple[str, ...]:
    """The row of a game without figures in a table that names games in its first column."""
    return (cell.label, mark_missing(cell), *[NONE] * (len(heads) - 2))


def table_by_game(
    caption: str,
    heads: tuple[str, ...],
    cells: Iterable[Cell],
    has_figures: Callable[[Cell], bool],
    rows_of: Callable[[Cell], Iterable[tuple[str, ...]]],
) -> Table:
    """A table that names games in its first column, with a `missing_row` of each without figures.

    Parameters
    ----------
    caption, heads
        As `Table` has them.
    cells : iterable of Cell
        The games.
    has_figures : callable
        Whether a game has any.
    rows_of : callable
        The rows of a game that has.
    """
    rows: list[tuple[str, ...]] = []
    for cell in cells:
        rows += rows_of(cell) if has_figures(cell) else [missing_row(cell, heads)]
    return Table(caption, heads, tuple(rows))


def divided(
    cells: Iterable[Cell], has_figures: Callable[[Cell], bool]
) -> tuple[list[Cell], list[Cell]]:
    """The games that have figures, and those that have none."""
    there: list[Cell] = []
    gone: list[Cell] = []
    for cell in cells:
        (there if has_figures(cell) else gone).append(cell)
    return there, gone
