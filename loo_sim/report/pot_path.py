"""Exhibits about the pot of a session: its path from deal to deal, the runs without a clean one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from loo_sim.report import style
from loo_sim.report.dots import STAKES, draw_dots, mean_dot, missing_dot
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.missing import divided, name_missing, table_by_game
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import QUANTILES, Cell
from loo_sim.rounding import (
    NONE,
    interval,
    percent_interval,
    percent_with_error,
    rough,
    with_error,
)
from loo_sim.studies import session
from loo_sim.studies.estimates import Z95, quantiles

TAIL = 0.0005
"""Share of gaps and of longest runs beyond the longest drawn."""

LONGEST_COUNTED = 256
"""Deals: gaps and runs of so many or more are counted together."""

WIDE = 30
"""How many times the lowest pot drawn the highest must be for a logarithmic scale."""


def _session(cell: Cell) -> dict[str, Any]:
    """The one row of the session table."""
    return {str(name): value for name, value in cell.tables["session"].iloc[0].items()}


def mean_pot(cell: Cell) -> Candidate:
    """The mean pot when play begins, over all deals, stakes."""
    row = _session(cell)
    return Candidate(
        f"with {cell.label}", row["pot"], row["pot_se"], cell.deals, pieces=cell.pieces("pot")
    )


def describe_pot(cell: Cell) -> str:
    """A sentence on how large the pot is, how often it is single, and how long it may stay."""
    row = _session(cell)
    told = session.pot_figures(row, cell.deals)
    return (
        f"The pot holds {told['pot'].told} stakes on average when play begins; "
        f"{told['single'].told} of the deals begin with a single pot, {told['clean'].told} are "
        "clean, "
        "and the longest run of deals in which somebody is looed is of "
        f"{interval(row['longest'], row['longest_se'], cell.deals)} deals on average."
    )


def what_is_left(cell: Cell) -> str:
    """A sentence on what is in the pot when play is over."""
    row = _session(cell)
    left = interval(row["pot_left"], row["pot_left_se"], cell.deals)
    return f"When play is over {left} stakes are left in the pot on average."


def compare_pots(cells: list[Cell]) -> str:
    """A sentence on the games in which the mean pot is largest and smallest."""
    return extremes("The mean pot when play begins", [mean_pot(cell) for cell in cells], "games")


def honest_error(cell: Cell) -> str:
    """A sentence on what errors over deals in a row would have hidden."""
    ratio = session.pot_figures(_session(cell), cell.deals)["pot_error_ratio"]
    why = "Deals in a row share a pot, so that all errors here are taken over tables"
    if ratio.value is None:
        return f"{why}."
    size = "as large as" if ratio.told == "1.00" else f"{ratio.told} times"
    return (
        f"{why}: that of the mean pot is {size} what it would be if the deals were independent "
        "of each other."
    )


def growth(cell: Cell) -> str:
    """A sentence on whether the pot still grows in the second half of a session.

    Both means come from the same tables, so that the sum of both errors is taken for that of the
    difference: the most it can be. Empty if there is no second deal to compare, or if some tables
    ended before it: the others would be another kind of table.
    """
    path = cell.tables["path"].sort_values("deal", ignore_index=True)
    middle, last = path.iloc[len(path) // 2], path.iloc[-1]
    if middle["deal"] == last["deal"] or middle["n"] != last["n"]:
        return ""
    change = last["pot"] - middle["pot"]
    deals = f"deal {middle['deal']:.0f} and deal {last['deal']:.0f}"
    if not abs(change) > Z95 * (middle["pot_se"] + last["pot_se"]):
        return f"Whether it grows or shrinks between {deals} is too close to call."
    verb = "grows" if change > 0 else "shrinks"
    ends = [interval(row["pot"], row["pot_se"], row["n"]) for row in (middle, last)]
    return f"Between {deals} its mean {verb} from {ends[0]} to {ends[1]} stakes."


def still_playing(cell: Cell) -> str:
    """A sentence on the tables at which play was over before the last deal; empty if none was."""
    path = cell.tables["path"]
    last = path.sort_values("deal").iloc[-1]
    left = int(last["n"]) / cell.deals
    planned = cell.rounds * cell.players
    if left == 1 and planned - last["deal"] < _spacing(cell):
        return ""
    return (
        f"Deal {last['deal']:.0f} of {planned:,}, the last that the figure shows, is played at "
        f"{percent_interval(left, cell.deals)} of the tables: at the others too few people are "
        "left. Pots are those of the tables still playing."
    )


def _spacing(cell: Cell) -> int:
    """Deals from one that the path table holds to the next."""
    deals = cell.tables["path"]["deal"].sort_values().to_numpy()
    return int(np.diff(deals).min()) if len(deals) > 1 else 1


def draw_path(cell: Cell) -> Figure:
    """Fan of the pot's quantiles by deal, with median and mean."""
    path = cell.tables["path"].sort_values("deal", ignore_index=True)
    deal = path["deal"].to_numpy(float)
    fan = {name: path[f"pot_{name}"].to_numpy(float) for name in QUANTILES}
    figure = style.new_figure(3.1)
    axes = figure.subplots()
    for low, high, colour, share in (
        ("q05", "q95", "#dbe9f4", "nine pots in ten"),
        ("q25", "q75", "#9cc4e0", "half of the pots"),
    ):
        axes.fill_between(deal, fan[low], fan[high], color=colour, lw=0, step="mid", label=share)
    for values, colour, dash, name in (
        (fan["q50"], style.INK, "-", "median"),
        (path["pot"], "#d55e00", "--", "mean"),
    ):
        axes.step(deal, values, where="mid", color=colour, ls=dash, lw=1.4, label=name)
    if fan["q05"].min() > 0 and fan["q95"].max() > WIDE * fan["q05"].min():
        axes.set_yscale("log")
        axes.minorticks_off()
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(STAKES)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(x=0.01)
    axes.grid(axis="y")
    axes.set_xlabel("deal")
    axes.set_ylabel("pot when play begins, stakes")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, borderaxespad=0.2)
    return figure


def path_exhibit(cell: Cell) -> Exhibit:
    """The pot from deal to deal."""
    path = cell.tables["path"].sort_values("deal", ignore_index=True)
    last = path.iloc[-1]
    told = (
        f"When deal {last['deal']:.0f} begins the pot holds "
        f"{interval(last['pot'], last['pot_se'], last['n'])} stakes on average; half of the pots "
        f"hold from {rough(last['pot_q25'])} to {rough(last['pot_q75'])}, and at most one in "
        f"twenty more than {rough(last['pot_q95'])}.",
        growth(cell),
        still_playing(cell),
    )
    rows = [
        (
            str(row.deal),
            f"{row.n:,}",
            with_error(row.pot, row.pot_se, row.n),
            *(rough(getattr(row, f"pot_{name}")) for name in QUANTILES),
        )
        for row in each(path)
    ]
    return make_exhibit(
        f"path-{cell.number}",
        f"The pot from deal to deal: {cell.label}",
        "A fan of the quantiles of the pot against the number of the deal: a light band for nine "
        "pots in ten, a darker one for half of them, lines for the median and the mean.",
        " ".join(filter(None, told)),
        lambda: draw_path(cell),
        Table(
            "Pot in stakes when play of a deal begins, over the tables still playing (standard "
            "error of the last digits in brackets; quantiles within a 64th)",
            ("deal", "tables", "mean", "5 %", "25 %", "median", "75 %", "95 %"),
            tuple(rows),
        ),
    )


def _draw_lengths(axes: Axes, lengths: pd.Series, shares: pd.Series, title: str) -> None:
    """Bars of shares by length in deals, without what is beyond all but `TAIL` of them."""
    beyond = shares[::-1].cumsum()[::-1]
    shown = ((beyond >= TAIL) & (shares > 0)).to_numpy()
    deals = lengths.to_numpy()[shown]
    axes.bar(deals, shares[shown], width=0.8, color="#0072b2")
    axes.set_xlim(deals.min() - 1, deals.max() + 1)
    axes.set_title(title)
    axes.set_xlabel("deals")
    axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="y")


def draw_gaps(cell: Cell) -> Figure:
    """Bars of the gaps between clean deals, if there are any, and of the longest runs."""
    gaps = cell.tables["gap"].sort_values("deals", ignore_index=True)
    kinds = {
        "gaps": "until the next clean deal\n(share of gaps)",
        "longest_runs": "longest run without a clean deal\n(share of tables)",
    }
    met = [kind for kind in kinds if gaps[kind].sum() > 0]
    figure = style.new_figure(2.6)
    for axes, kind in zip(figure.subplots(1, len(met), squeeze=False)[0], met, strict=True):
        _draw_lengths(axes, gaps["deals"], gaps[kind] / gaps[kind].sum(), kinds[kind])
    return figure


def longest_runs(cell: Cell) -> str:
    """Sentences on how far apart clean deals are, and on the longest runs without one."""
    row, gaps = _session(cell), cell.tables["gap"].sort_values("deals", ignore_index=True)
    tables = int(gaps["longest_runs"].sum())
    long = int(quantiles(gaps["deals"].to_numpy(), gaps["longest_runs"].to_numpy(), [0.95])[0])
    longer = float(gaps.loc[gaps["deals"] >= long, "longest_runs"].sum()) / tables
    often = (
        f"From the beginning, or from a clean deal, to the next clean one it is "
        f"{row['clean_gap']:.2f} deals on average."
        if np.isfinite(row["clean_gap"])
        else "No deal was clean."
    )
    return (
        f"{often} The longest run of deals in which somebody is looed is of "
        f"{interval(row['longest'], row['longest_se'], cell.deals)} deals at the average table, "
        f"and of {long} or more at {percent_interval(longer, tables)} of the tables."
    )


def gap_exhibit(cell: Cell) -> Exhibit:
    """How long it takes until a deal is clean."""
    gaps = cell.tables["gap"].sort_values("deals", ignore_index=True)
    tables, all_gaps = int(gaps["longest_runs"].sum()), int(gaps["gaps"].sum())
    rows = [
        (
            f"{row.deals} or more" if row.deals == LONGEST_COUNTED else str(row.deals),
            f"{row.gaps:,}",
            f"{100 * row.gaps / all_gaps:.2f} %" if all_gaps else NONE,
            f"{row.longest_runs:,}",
            percent_with_error(row.longest_runs / tables, tables),
        )
        for row in each(gaps)
    ]
    return make_exhibit(
        f"gaps-{cell.number}",
        f"How long until nobody is looed: {cell.label}",
        "Bars of the share of gaps by the number of deals from one clean deal to the next, and of "
        "the share of tables by the longest run of deals without a clean one.",
        f"{longest_runs(cell)} Lengths beyond the longest bar: less than {100 * TAIL:g} %.",
        lambda: draw_gaps(cell),
        Table(
            "Gaps between clean deals and longest runs without one, by length in deals (standard "
            "error of the last digits in brackets; gaps of one table are not independent)",
            ("deals", "gaps", "share of gaps", "tables", "share of tables"),
            tuple(rows),
        ),
    )


def has_pots(cell: Cell) -> bool:
    """Whether a game has figures of the pots of a session."""
    return cell.has("session")


def games_table(cells: list[Cell]) -> Table:
    """The pots of several games side by side."""
    return table_by_game(
        "Pots game by game, in stakes (standard error of the last digits in brackets): the mean "
        "when play begins, single pots, clean deals, the longest run of deals without a clean one, "
        "what is left at the end, tables at which a loo met the cap",
        ("game", "tables", "pot", "single", "clean", "longest run", "left", "met the cap"),
        cells,
        has_pots,
        lambda cell: [_pots_row(cell)],
    )


def _pots_row(cell: Cell) -> tuple[str, ...]:
    row, pot = _session(cell), mean_pot(cell)
    told = session.pot_figures(row, cell.deals)
    return (
        cell.label,
        f"{cell.deals:,}",
        with_error(pot.value, pot.error, pot.n),
        told["single"].told,
        told["clean"].told,
        with_error(row["longest"], row["longest_se"], cell.deals),
        with_error(row["pot_left"], row["pot_left_se"], cell.deals),
        f"{row['met_cap']:,.0f}" if np.isfinite(row["loo_cap"]) else NONE,
    )


def draw_mean_pots(cells: list[Cell]) -> Figure:
    """Mean pot with its 95 % interval, a row a game; a cross where it is missing."""
    dots = []
    for cell in cells:
        if has_pots(cell):
            pot = mean_pot(cell)
            dots.append(mean_dot(cell.label, pot.value, pot.error))
        else:
            dots.append(missing_dot(cell.label))
    return draw_dots(dots, "mean pot when play begins, stakes")


def mean_pot_exhibit(cells: list[Cell]) -> Exhibit:
    """The mean pot across the games of a sweep; one of them at least has figures."""
    there, gone = divided(cells, has_pots)
    told = (compare_pots(there), name_missing(gone))
    return make_exhibit(
        "mean-pots",
        "The mean pot, game by game",
        "A dot for each game at the mean pot when play begins, with its 95 % interval; a cross "
        "marks a game that has no figures.",
        " ".join(filter(None, told)),
        lambda: draw_mean_pots(cells),
        games_table(cells),
    )
