"""What was assumed where tables play on: rounds, purses, bounds on the loo, the end of play."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loo_sim.report.result import Cell
from loo_sim.rounding import listed, percent_interval, stakes

MOST_TOLD = 4
"""Different terms told one by one."""

_ENDS = {
    "leave": "what is then in the pot is nobody’s",
    "split": "those at the table share what is in the pot",
    "no-loo": "play goes on until nobody is looed; what is then in the pot is nobody’s",
}


def terms(cells: list[Cell]) -> list[tuple[str, str]]:
    """The lines of a report's opening that say what was assumed at tables: names and values."""
    lines = {
        "purses": _purses,
        "who cannot pay": _leaving,
        "bound of a loo": _cap,
        "end of play": _end,
    }
    told = [("rounds", _rounds(cells))]
    told += [(name, _told(cells, of_cell)) for name, of_cell in lines.items()]
    return [(name, value) for name, value in told if value]


def _told(cells: list[Cell], of_cell: Callable[[Cell], str]) -> str:
    """What holds for all games, or the different things that hold for some."""
    values = [value for value in dict.fromkeys(map(of_cell, cells)) if value]
    if len(values) > MOST_TOLD:
        return f"swept, {len(values)} values"
    return "; ".join(values)


def _rounds(cells: list[Cell]) -> str:
    rounds = _listed(cell.rounds for cell in cells)
    deals = _listed(cell.rounds * cell.players for cell in cells)
    return f"{rounds}, in each of which everyone deals once: {deals} deals at a table"


def _listed(numbers: Iterable[int]) -> str:
    """Different numbers: all of them if they are few, else the smallest and the largest."""
    different = sorted(set(numbers))
    if len(different) > MOST_TOLD:
        return f"{different[0]:,} to {different[-1]:,}"
    return listed([f"{number:,}" for number in different], "or")


def _purses(cell: Cell) -> str:
    if cell.bankroll is None:
        return "without limit: they may fall below 0, and everyone plays to the end"
    return f"{stakes(cell.bankroll)} stakes each"


def _leaving(cell: Cell) -> str:
    if cell.bankroll is None:
        return ""
    return (
        "who has less than his loo pays what he has; who cannot put in what is due, or has nothing "
        f"left, is out; the table plays on while {cell.rules['min_players']} or more people are "
        "left"
    )


def _cap(cell: Cell) -> str:
    if cell.rules["loo"] != "pot":
        return ""
    if "session" not in cell.tables:
        cap = cell.rules["loo_cap"]
        return f"{cap:,} stakes" if cap else "as much as can be counted"
    row = cell.tables["session"].iloc[0]
    met = percent_interval(row["met_cap"] / cell.deals, cell.deals)
    return f"{row['loo_cap']:,.0f} stakes, met at {met} of the tables"


def _end(cell: Cell) -> str:
    end = str(cell.rules["end"])
    told = f"“{end}”: {_ENDS[end]}"
    if end != "no-loo" or "session" not in cell.tables:
        return told
    met = cell.tables["session"]["met_bound"].iloc[0] / cell.deals
    return f"{told}; {percent_interval(met, cell.deals)} of the tables met the bound of deals"
