"""Exhibits about the seats: what each is worth, and what is announced there."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.missing import divided, name_missing, table_by_game
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import Cell
from loo_sim.rounding import (
    NONE,
    interval,
    listed,
    percent_interval,
    percent_with_error,
    stakes,
    with_error,
)
from loo_sim.studies.estimates import Z95

_DONE = {"stood": "stand", "took_miss": "miss", "defended": "defend", "folded": "fold"}
"""Columns of the deals table, and the announcement that each counts."""

_VISIBLE = 0.005
"""A part of a bar that can be seen."""


def _table_of_seats(cell: Cell) -> str:
    return "seat" if cell.rounds else "deals"


def has_seats(cell: Cell) -> bool:
    """Whether a game has figures of each seat in a deal."""
    return cell.has(_table_of_seats(cell))


def seat_values(cell: Cell) -> pd.DataFrame:
    """What a deal is worth in each seat.

    Returns
    -------
    DataFrame
        A row a seat, from the first to speak: `seat`, `to_speak` (players after it), `net` and
        `net_se`, `put_in` (dealer's stake or ante) and `after` (net less what was put in), stakes.
    """
    table = cell.tables[_table_of_seats(cell)]
    rows = table.sort_values("seat", ignore_index=True)
    is_dealer = rows["seat"] == cell.players - 1
    put_in = is_dealer.map(
        {True: float(cell.rules["dealer_stake"]), False: float(cell.rules["ante"])}
    )
    return pd.DataFrame(
        {
            "seat": rows["seat"],
            "to_speak": cell.players - 1 - rows["seat"],
            "net": rows["net"],
            "net_se": rows["net_se"],
            "put_in": put_in,
            "after": rows["net"] - put_in,
        }
    )


def compare_seats(cell: Cell) -> str:
    """Sentences on which seats take most and least, and on what the deal costs the dealer."""
    values = seat_values(cell)
    ranked = extremes(
        "The net of a deal, before its cost,",
        [
            Candidate(f"for {cell.seat_in_words(int(row.seat))}", row.net, row.net_se, cell.deals)
            for row in each(values)
        ],
        "seats",
    )
    dealer = values[values["put_in"] > 0]
    if len(dealer) != 1 or not dealer["after"].item() < 0:
        return ranked
    row = dealer.iloc[0]
    return (
        f"{ranked} With the {stakes(row['put_in'])} stakes that he puts in, a deal costs the "
        f"dealer {interval(-row['after'], row['net_se'], cell.deals)} stakes."
    )


def draw_seat_values(cells: list[Cell]) -> Figure:
    """Net by seat with 95 % intervals, a line a game; a cross in the legend where it is missing."""
    lines = []
    for cell in cells:
        if not has_seats(cell):
            lines.append(style.Line.missing(cell.label))
            continue
        values = seat_values(cell)
        lines.append(
            style.Line(
                cell.label,
                values["to_speak"].to_numpy(float),
                values["net"].to_numpy(float),
                Z95 * values["net_se"].to_numpy(float),
            )
        )
    return style.draw_lines(lines, "net, stakes a deal")


def _smaller_tables(cells: list[Cell]) -> str:
    """A sentence on tables that somebody has left; empty if none was."""
    if not any(cell.bankroll and cell.tables["purse"]["out"].any() for cell in cells):
        return ""
    return (
        " At a table that somebody has left the dealer’s seat has a lower number, and counts there."
    )


def seat_value_exhibit(cells: list[Cell]) -> Exhibit:
    """What the seats are worth, all games in one figure; one of them at least has figures."""
    there, gone = divided(cells, has_seats)
    compared = compare_seats(there[0])
    if len(cells) > 1:
        compared = f"With {there[0].label}: {compared[0].lower()}{compared[1:]}"
    counted = (
        "averaged over the deals of all evenings, whoever sits there: what he puts into the pot "
        f"stands apart, in the table.{_smaller_tables(there)}"
        if cells[0].rounds
        else "in this deal only: what he puts into the pot before it stands apart, in the table, "
        "and what the pot carries over is not counted."
    )
    return make_exhibit(
        "seat-values",
        "What each seat is worth",
        "Lines of the net of each seat, in the order of speaking, with 95 % intervals.",
        f"{compared} Net is what a player takes from the pot less his loo, "
        + " ".join(filter(None, (counted, name_missing(gone)))),
        lambda: draw_seat_values(cells),
        table_by_game(
            "Net in stakes a deal (standard error of the last digits in brackets)",
            ("game", "seat", "net", "put in", "net less put in"),
            cells,
            has_seats,
            _value_rows,
        ),
    )


def _value_rows(cell: Cell) -> list[tuple[str, ...]]:
    return [
        (
            cell.label,
            cell.seat_name(int(row.seat)),
            with_error(row.net, row.net_se, cell.deals),
            stakes(row.put_in),
            with_error(row.after, row.net_se, cell.deals),
        )
        for row in each(seat_values(cell))
    ]


def announcements(cell: Cell) -> pd.DataFrame:
    """How often each announcement is made in each seat.

    Returns
    -------
    DataFrame
        A row a seat: `seat`, `n`, the shares `stand`, `miss`, `defend`, `fold`, the share `silent`
        (the dealer had nothing to say as all had folded), and `looed`.
    """
    rows = cell.tables["deals"].sort_values("seat", ignore_index=True)
    shares = rows[["seat", "n", *_DONE, "looed"]].rename(columns=_DONE)
    silent = 1 - shares[list(_DONE.values())].sum(axis=1)
    return shares.assign(silent=silent.clip(lower=0).where(silent > 1e-9, 0.0))


def draw_announcements(cell: Cell) -> Figure:
    """Stacked bars of announcements by seat, a letter in each part that has room for it."""
    shares = announcements(cell)
    figure = style.new_figure(0.9 + 0.32 * len(shares))
    axes = figure.subplots()
    for place, row in enumerate(each(shares)):
        left = 0.0
        for action, look in style.ACTIONS.items():
            share = float(getattr(row, action))
            axes.barh(
                place, share, left=left, height=0.78, color=look.colour, edgecolor="white", lw=0.6
            )
            if share >= 0.03:
                number = f" {share:.0%}".replace("%", " %") if share >= 0.1 else ""
                axes.text(
                    left + share / 2,
                    place,
                    look.letter + number,
                    color=look.ink,
                    ha="center",
                    va="center",
                    fontsize=8,
                )
            left += share
        axes.plot(
            row.looed, place + 0.39, marker="^", ms=5, mfc="white", mec="black", clip_on=False
        )
    axes.set_yticks(range(len(shares)), [cell.seat_name(int(seat)) for seat in shares["seat"]])
    axes.set_ylabel("seat")
    axes.set_ylim(len(shares) - 0.4, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.set_xlabel("share of deals   (S stand, M miss, D defend, F fold;  △ looed)")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(length=0)
    return figure


def announcement_exhibit(cell: Cell) -> Exhibit:
    """Who stands how often."""
    shares = announcements(cell)
    told = [
        f"{cell.seat_in_words(int(row.seat))} in {percent_interval(row.stand + row.miss, row.n)}"
        for row in each(shares.iloc[[0, -1]] if len(shares) > 1 else shares)
    ]
    caption = f"In, on his own hand or on the miss, is {listed(told)} of the deals."
    if shares["silent"].max() >= _VISIBLE:
        caption += (
            " White at the end of the dealer’s bar: all before him had folded, and the pot was his."
        )
    rows = []
    for row in each(shares):
        of_all = (
            percent_with_error(share, row.n)
            for share in (row.stand, row.miss, row.defend, row.fold, row.silent, row.looed)
        )
        stand, taken, defend, fold, silent, looed = of_all
        if row.seat < cell.players - 1:
            # Only the dealer can, so that a bound on how rarely it happens would mislead.
            defend = silent = NONE
        rows.append((cell.seat_name(int(row.seat)), stand, taken, defend, fold, silent, looed))
    return make_exhibit(
        f"announcements-{cell.number}",
        f"Who stands how often: {cell.label}",
        "A bar for each seat, divided into the shares of deals in which it stood, took the miss, "
        "defended or folded; a triangle below it marks how often it was looed.",
        caption,
        lambda: draw_announcements(cell),
        Table(
            "Shares of all deals (standard error of the last digits in brackets)",
            ("seat", "stands", "takes the miss", "defends", "folds", "all folded", "is looed"),
            tuple(rows),
        ),
    )
