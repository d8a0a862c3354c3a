"""How safe a hand is: the chance of being looed, with Wilson's intervals."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.dots import PERCENT, Dot, draw_dots
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.hands import BANDS
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import Cell
from loo_sim.report.ruin import wilson
from loo_sim.report.strategy import Spot
from loo_sim.report.values import in_prose, kinds_at
from loo_sim.rounding import (
    percent_interval,
    percent_with_error,
    share_error,
    with_ends,
)

_ANNOUNCED = {"stand": "his own hand", "miss": "the miss"}
"""Announcements after which a player can be looed, and what he then plays with."""

_ROW, _FOOT, _HEAD, _LABELS, _RIGHT = 0.3, 0.5, 0.08, 2.0, 0.18
"""Inches: a row, below and above all of them, their labels, at the right side."""

_APART = 0.2
"""How far above and below the middle of a row its two dots are."""


def looed_by_kind(cell: Cell, spot: Spot) -> pd.DataFrame:
    """The chance of being looed by kind of hand and announcement.

    Returns
    -------
    DataFrame
        A row for each `band` (index into `hands.BANDS`) and `announced` (``stand`` or ``miss``):
        `n` deals, `looed`, `of` (plain deals that would tell it with the same error), `low` and
        `high`, the ends of Wilson's 95 % interval over so many.
    """
    rows = []
    for kind in each(kinds_at(cell, spot)):
        for announced in _ANNOUNCED:
            share = getattr(kind, f"{announced}_loo")
            deals = getattr(kind, f"{announced}_loo_n")
            rows.append((kind.band, announced, kind.n, share, deals, *wilson(share, deals)))
    return pd.DataFrame(rows, columns=["band", "announced", "n", "looed", "of", "low", "high"])


def draw_looed(chances: pd.DataFrame) -> Figure:
    """A row for each kind of hand, in it a lettered dot for each announcement."""
    bands = list(dict.fromkeys(chances["band"]))
    tall = _FOOT + _ROW * len(bands) + _HEAD
    figure = style.map_figure(tall)
    axes = figure.add_axes(
        (
            _LABELS / style.WIDTH,
            _FOOT / tall,
            1 - (_LABELS + _RIGHT) / style.WIDTH,
            1 - (_FOOT + _HEAD) / tall,
        )
    )
    axes.grid(axis="x")
    for announced, away in (("stand", -_APART), ("miss", _APART)):
        look = style.ACTIONS[announced]
        rows = chances[chances["announced"] == announced]
        places = [bands.index(band) + away for band in rows["band"]]
        axes.errorbar(
            rows["looed"],
            places,
            xerr=[rows["looed"] - rows["low"], rows["high"] - rows["looed"]],
            color=look.colour,
            linestyle="none",
            marker="o",
            markersize=8.5,
            capsize=3,
        )
        for share, place in zip(rows["looed"], places, strict=True):
            axes.text(
                share,
                place,
                look.letter,
                color=look.ink,
                fontsize=6.5,
                weight="bold",
                ha="center",
                va="center_baseline",
            )
    axes.set_yticks(range(len(bands)), [BANDS[band] for band in bands])
    axes.set_ylim(len(bands) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(-0.03, 1.03)
    axes.xaxis.set_major_formatter(PERCENT)
    axes.set_xlabel("looed, share of deals   (S standing, M taking the miss)")
    return figure


def safer(chances: pd.DataFrame) -> str:
    """A sentence on which kinds of hands are safer than the miss, and which less safe."""
    own, miss = (chances[chances["announced"] == one].set_index("band") for one in _ANNOUNCED)
    is_safer = own["high"] < miss["low"]
    is_worse = own["low"] > miss["high"]
    told = [
        f"{words} with {in_prose(own.index[chosen])}"
        for words, chosen in (
            ("standing he is looed surely less often than on the miss", is_safer),
            ("surely more often", is_worse),
            ("it is too close to call", ~(is_safer | is_worse)),
        )
        if chosen.any()
    ]
    return "; ".join(told)


def looed_exhibit(cell: Cell, spot: Spot) -> Exhibit:
    """The chance of being looed by kind of hand, standing and on the miss."""
    chances = looed_by_kind(cell, spot)
    rows = tuple(
        (
            BANDS[row.band],
            _ANNOUNCED[row.announced],
            f"{int(row.n):,}",
            *_entries(row),
        )
        for row in each(chances)
    )
    return make_exhibit(
        f"looed-{cell.number}-{spot.slug}",
        f"How safe the hand is: {spot.title}, {cell.label}",
        "A row for each kind of hand with two dots, at the chance of being looed by standing and "
        "by taking the miss, with their 95 % intervals (Wilson).",
        f"For {spot.who}, {safer(chances)}. Surely: the two 95 % intervals (Wilson) do not "
        "overlap. What he throws away tells a little of what the miss holds. Who folds or defends "
        "is never looed.",
        lambda: draw_looed(chances),
        Table(
            "Chance of being looed (standard error of the last digits in brackets) and the ends of "
            "its 95 % interval (Wilson)",
            ("hand", "plays", "deals", "looed", "interval"),
            rows,
        ),
    )


def _entries(row: Any) -> tuple[str, str]:
    """The chance of being looed for a table: with its error, and with the ends of its interval."""
    return (
        percent_with_error(row.looed, row.of),
        f"{with_ends(100 * row.looed, 100 * row.low, 100 * row.high)} %",
    )


def looed_by_seat(cell: Cell) -> pd.DataFrame:
    """The chance of being looed of whoever is in, by seat, from a table of the study `deals`.

    Returns
    -------
    DataFrame
        A row a seat that ever was in, from the first to speak: `seat`, `of` (deals in which it
        stood or took the miss), `looed`, the share of those, `low` and `high` (Wilson, 95 %).
    """
    rows = cell.tables["deals"].sort_values("seat", ignore_index=True)
    of = (rows["n"] * (rows["stood"] + rows["took_miss"])).round()
    looed = (rows["n"] * rows["looed"]).round() / of
    seats = pd.DataFrame({"seat": rows["seat"], "of": of, "looed": looed})[of > 0]
    ends = [wilson(row.looed, row.of) for row in each(seats)]
    return seats.assign(low=[low for low, _ in ends], high=[high for _, high in ends])


def seat_exhibit(cell: Cell) -> Exhibit | None:
    """How often who is in is looed, by seat; None if nobody ever was in."""
    seats = looed_by_seat(cell)
    if seats.empty:
        return None
    compared = [
        Candidate(
            f"for {cell.seat_in_words(int(row.seat))}",
            row.looed,
            share_error(row.looed, row.of),
            int(row.of),
            percent_interval(row.looed, row.of),
        )
        for row in each(seats)
    ]
    dots = [
        Dot(cell.seat_in_words(int(row.seat)).removeprefix("the "), row.looed, row.low, row.high)
        for row in each(seats)
    ]
    rows = tuple(
        (
            cell.seat_name(int(row.seat)),
            f"{int(row.of):,}",
            *_entries(row),
        )
        for row in each(seats)
    )
    return make_exhibit(
        f"looed-by-seat-{cell.number}",
        f"How often who is in is looed: {cell.label}",
        "A dot for each seat at the share of the deals in which it was in that ended with its loo, "
        "with its 95 % interval (Wilson).",
        f"{extremes('The chance of being looed, once in,', compared, 'seats')} In is who stands on "
        "his own hand or takes the miss; who plays against nobody takes the pot and counts as not "
        "looed. What hands the seats are in with differs, as their policies have it.",
        lambda: draw_dots(dots, "looed, share of the deals in which the seat was in", PERCENT),
        Table(
            "Chance of being looed once in (standard error of the last digits in brackets) and the "
            "ends of its 95 % interval (Wilson)",
            ("seat", "deals in", "looed", "interval"),
            rows,
        ),
    )
