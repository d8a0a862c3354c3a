"""Exhibits about the pot: by how much a deal changes it."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.dots import draw_dots, mean_dot, missing_dot
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.missing import divided, name_missing, table_by_game
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import Cell
from loo_sim.rounding import (
    interval,
    percent_interval,
    percent_with_error,
    signed,
    stakes,
    with_error,
)
from loo_sim.studies import deals
from loo_sim.studies.estimates import Z95

TAIL = 0.0005
"""Share of deals beyond the largest swing drawn."""


def swing_shares(cell: Cell) -> pd.DataFrame:
    """The distribution of the pot's change in a deal.

    Returns
    -------
    DataFrame
        `pot_swing` in stakes, ascending, `n` deals with it and their `share`.
    """
    columns = ["pot_swing", "n", "share"]
    return cell.tables["swings"][columns].sort_values("pot_swing", ignore_index=True)


def mean_swing(cell: Cell) -> tuple[float, float]:
    """Mean change of the pot in a deal and its standard error, stakes."""
    swings = swing_shares(cell)
    found = deals.mean_swing(swings["pot_swing"].to_numpy(float), swings["n"].to_numpy())
    return float(found.mean), float(found.se)


def compare_with_zero(cell: Cell) -> str:
    """A sentence on whether the pot grows, with the interval."""
    mean, error = mean_swing(cell)
    if not abs(mean) > Z95 * error:
        return (
            "Whether the pot grows or shrinks in a deal is too close to call: it changes by "
            f"{interval(mean, error, cell.deals)} stakes on average."
        )
    verb = "grows" if mean > 0 else "shrinks"
    swings = swing_shares(cell)
    grew = float(swings.loc[swings["pot_swing"] > 0, "share"].sum())
    larger = percent_interval(grew, cell.deals)
    return (
        f"The pot ({stakes(cell.pot)} stakes when play begins) {verb} by "
        f"{interval(abs(mean), error, cell.deals)} stakes a deal on average; it is larger after "
        f"{larger} of the deals."
    )


def no_play(cell: Cell) -> str:
    """A sentence on how often the pot goes without play, and how many are looed."""
    lone = float(cell.tables["deals"]["took_pot"].sum())
    looed = deals.mean_looed(cell.tables["pot"])
    return (
        f"In {percent_interval(lone, cell.deals)} of the deals somebody takes the whole pot "
        f"without play; {interval(*looed, cell.deals)} players are "
        "looed in the average deal."
    )


def draw_swings(cell: Cell) -> Figure:
    """Bars of the share of deals by the pot's change; the mean as a line."""
    swings = swing_shares(cell)
    mean, _ = mean_swing(cell)
    beyond = swings["share"][::-1].cumsum()[::-1]
    shown = swings[beyond >= TAIL]
    change = shown["pot_swing"].to_numpy(float)
    share = shown["share"].to_numpy(float)
    gap = float(np.diff(change).min()) if len(change) > 1 else 1.0
    figure = style.new_figure(2.6)
    axes = figure.subplots()
    colours = np.where(change > 0, "#5e3c99", np.where(change < 0, "#e08214", style.QUIET))
    axes.bar(change, share, width=min(0.8 * gap, 0.6), color=list(colours))
    axes.axvline(mean, color=style.INK, linewidth=1, linestyle="--")
    axes.text(
        mean,
        1.02,
        f"mean {signed(f'{mean:+.2f}')}",
        transform=axes.get_xaxis_transform(),
        ha="center",
        fontsize=8,
    )
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axes.xaxis.set_major_formatter(lambda value, _: signed(f"{value:+g}") if value else "0")
    axes.grid(axis="y")
    axes.set_xlabel("change of the pot, stakes")
    axes.set_ylabel("share of deals")
    return figure


def swing_exhibit(cell: Cell) -> Exhibit:
    """The distribution of pot swings."""
    rows = [
        (signed(f"{row.pot_swing:+.2f}"), percent_with_error(row.share, cell.deals))
        for row in each(swing_shares(cell))
    ]
    return make_exhibit(
        f"swings-{cell.number}",
        f"What a deal does to the pot: {cell.label}",
        "Bars of the share of deals against the change of the pot in stakes; a dashed line marks "
        "the mean.",
        f"{compare_with_zero(cell)} The stakes that the next dealer puts in are not counted."
        f" Swings beyond the largest bar: less than {100 * TAIL:g} % of deals.",
        lambda: draw_swings(cell),
        Table(
            "Change of the pot in stakes, and share of deals (standard error of the last digits)",
            ("change", "share of deals"),
            tuple(rows),
        ),
    )


def has_swings(cell: Cell) -> bool:
    """Whether a game has figures of how a deal changes the pot."""
    return cell.has("swings")


def draw_mean_swings(cells: list[Cell]) -> Figure:
    """Mean change of the pot with its 95 % interval, a row a game; a cross where it is missing."""
    dots = [
        mean_dot(cell.label, *mean_swing(cell)) if has_swings(cell) else missing_dot(cell.label)
        for cell in cells
    ]
    return draw_dots(dots, "mean change of the pot in a deal, stakes", zero=True)


def compare_means(cells: list[Cell]) -> str:
    """A sentence on the games in which the pot's mean change is highest and lowest."""
    games = [
        Candidate(
            f"with {cell.label}", *mean_swing(cell), cell.deals, pieces=cell.pieces("pot_swing")
        )
        for cell in cells
    ]
    return extremes("The mean change of the pot in a deal", games, "games")


def mean_swing_exhibit(cells: list[Cell]) -> Exhibit:
    """The mean change of the pot across the games of a sweep; one at least has figures."""
    there, gone = divided(cells, has_swings)
    told = (compare_means(there), name_missing(gone))
    return make_exhibit(
        "mean-swings",
        "The mean pot swing, game by game",
        "A dot for each game at the mean change of the pot, with its 95 % interval; a cross marks "
        "a game that has no figures.",
        " ".join(filter(None, told)),
        lambda: draw_mean_swings(cells),
        table_by_game(
            "Mean change of the pot in stakes (standard error of the last digits in brackets)",
            ("game", "mean change"),
            cells,
            has_swings,
            lambda cell: [(cell.label, with_error(*mean_swing(cell), cell.deals))],
        ),
    )
