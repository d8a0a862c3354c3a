"""Exhibits about the people of a session: what an evening brings them, how low they sink."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from loo_sim.report.dots import Spread, draw_spreads
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import QUANTILES, Cell
from loo_sim.rounding import interval, percent_with_error, rough, stakes, with_error

_SUBJECTS = {
    "final": "The mean gain of an evening",
    "lowest": "The mean lowest point of a purse, from what was brought,",
}
"""What a column of the purse table holds, less what was brought: begins a sentence."""

_AXES = {
    "final": "won or lost in an evening, stakes",
    "lowest": "purse at its lowest, less what was brought, stakes",
}


def changes(cell: Cell, column: str) -> pd.DataFrame:
    """What became of each person's purse, less what was brought.

    Parameters
    ----------
    cell : Cell
        A session.
    column : str
        ``final``: when play is over; ``lowest``: where it was least.

    Returns
    -------
    DataFrame
        A row a person: `person`, `n` tables, `mean` and `mean_se`, and the `QUANTILES`, in stakes.
    """
    rows = cell.tables["purse"].sort_values("person", ignore_index=True)
    brought = cell.bankroll or 0
    return pd.DataFrame(
        {
            "person": rows["person"],
            "n": rows["n"],
            "mean": rows[column] - brought,
            "mean_se": rows[f"{column}_se"],
            **{name: rows[f"{column}_{name}"] - brought for name in QUANTILES},
        }
    )


def compare_people(cell: Cell, column: str = "final") -> str:
    """A sentence on whose evenings, or lowest points, are best and worst on average."""
    people = [
        Candidate(f"for {cell.person_name(row.person)}", row.mean, row.mean_se, row.n)
        for row in each(changes(cell, column))
    ]
    return extremes(_SUBJECTS[column], people, "people")


def mean_swing(cell: Cell) -> str:
    """A sentence on how far a purse swings in an evening.

    People at one table are not independent: the mean of their errors is the most that the error of
    their mean can be.
    """
    rows = cell.tables["purse"]
    swing = interval(rows["swing"].mean(), rows["swing_se"].mean(skipna=False), cell.deals)
    return (
        f"In an evening a person’s purse swings by {swing} stakes on average from its lowest to "
        "its highest."
    )


def _quantiles(row: Any) -> tuple[float, float, float, float, float]:
    return row.q05, row.q25, row.q50, row.q75, row.q95


def _widest(cell: Cell, column: str) -> str:
    """A sentence on the person whose tables differ most, as the figure shows it."""
    found = changes(cell, column)
    row = max(each(found), key=lambda one: one.q95 - one.q05)
    least, low, _, high, most = map(rough, _quantiles(row))
    return (
        f"The longest bar is that of {cell.person_name(row.person)}: one table in twenty comes to "
        f"{least} or less, half to between {low} and {high}, one in twenty to {most} or more."
    )


def _exhibit(cell: Cell, column: str, title: str, caption: str, table: Table) -> Exhibit:
    spreads = [
        Spread(cell.person_name(row.person), _quantiles(row), row.mean)
        for row in each(changes(cell, column))
    ]
    return make_exhibit(
        f"{column}-{cell.number}",
        f"{title}: {cell.label}",
        "For each person a thin bar over nine tables in ten, a thick one over half of them, a ring "
        "at the median and a cross at the mean; a line marks what was brought.",
        caption,
        partial(draw_spreads, spreads, _AXES[column]),
        table,
    )


def _number_table(cell: Cell, column: str, what: str, more: dict[str, list[str]]) -> Table:
    """The distributions in numbers, with further columns."""
    rows = [
        (
            cell.person_name(row.person),
            with_error(row.mean, row.mean_se, row.n),
            *map(rough, _quantiles(row)),
            *(entries[place] for entries in more.values()),
        )
        for place, row in enumerate(each(changes(cell, column)))
    ]
    return Table(
        f"{what} (standard error of the last digits in brackets; quantiles within a 64th of the "
        "purse)",
        ("person", "mean", "5 %", "25 %", "median", "75 %", "95 %", *more),
        tuple(rows),
    )


def final_exhibit(cell: Cell) -> Exhibit:
    """What an evening brings each person."""
    rows = cell.tables["purse"].sort_values("person", ignore_index=True)
    more = {
        "swing": [with_error(row.swing, row.swing_se, row.n) for row in each(rows)],
        "looed a deal": [with_error(row.looed, row.looed_se, row.n) for row in each(rows)],
        "tricks a deal": [with_error(row.tricks, row.tricks_se, row.n) for row in each(rows)],
    }
    brought = (
        f"Each brought {stakes(cell.bankroll)} stakes and cannot lose more."
        if cell.bankroll
        else "Nobody’s purse has a limit."
    )
    return _exhibit(
        cell,
        "final",
        "What an evening brings",
        f"{compare_people(cell)} {_widest(cell, 'final')} {brought}",
        _number_table(
            cell,
            "final",
            "Stakes won or lost in an evening, with the mean swing (highest less lowest purse), "
            "and how often a person is looed and how many tricks he wins in a deal",
            more,
        ),
    )


def lowest_exhibit(cell: Cell) -> Exhibit:
    """How low each person's purse sinks."""
    rows = cell.tables["purse"].sort_values("person", ignore_index=True)
    more = (
        {"out": [percent_with_error(row.out, row.n) for row in each(rows)]} if cell.bankroll else {}
    )
    return _exhibit(
        cell,
        "lowest",
        "The lowest point of an evening",
        f"{compare_people(cell, 'lowest')} {_widest(cell, 'lowest')} Purses are "
        "seen after each deal.",
        _number_table(
            cell, "lowest", "Lowest purse after a deal less what was brought, in stakes", more
        ),
    )
