"""Exhibits about a sweep of one setting: its headline figures, and what seats net, along it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.axes import Swept
from loo_sim.report.dots import STAKES
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.headlines import Game, Headline, Known, compare, games_table, missing
from loo_sim.report.missing import divided, name_missing
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import Cell
from loo_sim.report.scale import Scale
from loo_sim.report.seats import has_seats, seat_values
from loo_sim.report.sweep_map import MISSING, draw_columns, names_of
from loo_sim.rounding import with_error
from loo_sim.studies.estimates import Z95

_WIDE = 50
"""How many times its smallest value the largest may be before an axis is logarithmic."""

_MOST_ALONG, _MOST_SIGNS = 12, 70
"""Values of an axis, and signs of all, that have room side by side without a slope."""

_MOST_NAMED = 40
"""Numbers of an axis that are all named; of more a few round ones are."""

_SEAT = 0.26
"""Inches: a row of the map of seats."""


def places_along(axis: Swept) -> list[float]:
    """Where the values of an axis stand on a chart: numbers to scale, words one after the other."""
    return list(axis.numbers) or [float(place) for place in range(len(axis.words))]


def draw_along(headline: Headline, axis: Swept, games: Sequence[Game]) -> Figure:
    """A figure with its 95 % interval against an axis; a cross at the foot where it is missing."""
    figure = style.new_figure(2.9)
    axes = figure.subplots()
    at = places_along(axis)
    known = [(at[place], game.known) for place, game in zip(axis.place, games, strict=True)]
    there = sorted((x, *one[:2]) for x, one in known if one.is_there)
    x, value, error = np.array(there).T
    if headline.of_zero:
        axes.axhline(0, color=style.QUIET, linewidth=0.8)
    colour, marker, dash = style.LINES[0]
    axes.errorbar(
        *(x, value),
        yerr=Z95 * error,
        color=colour,
        marker=marker,
        linestyle=dash if axis.numbers else "none",
        markersize=5,
        linewidth=1.2,
        capsize=3,
    )
    for place, one in known:
        if not one.is_there:
            style.draw_missing(axes, place, 0.04, axes.get_xaxis_transform())
    draw_ticks(axes, axis)
    axes.set_ylabel(headline.unit.strip())
    return figure


def draw_ticks(axes: Axes, axis: Swept) -> None:
    """Mark the values of an axis at the foot of a chart along it, whose height is in stakes."""
    at = places_along(axis)
    if axis.numbers and min(at) > 0 and max(at) > _WIDE * min(at):
        axes.set_xscale("log")
        axes.minorticks_off()
    crowded = len(at) > _MOST_ALONG or max(map(len, axis.words)) * len(at) > _MOST_SIGNS
    if not axis.numbers or len(at) <= _MOST_NAMED:
        axes.set_xticks(
            at, names_of(axis), rotation=40 if crowded else 0, ha="right" if crowded else "center"
        )
    axes.yaxis.set_major_formatter(STAKES)
    axes.grid(axis="y")
    axes.margins(y=0.12)
    axes.set_xlabel(axis.label)


def along_exhibit(headline: Headline, axis: Swept, games: Sequence[Game]) -> Exhibit:
    """A figure along the one axis of a sweep."""
    told = (compare(headline, games), name_missing(missing(games)))
    return make_exhibit(
        f"along-{headline.slug}",
        f"{headline.title}, by {axis.name}",
        f"A dot for each value of {axis.name} with its 95 % interval"
        f"{', joined by a line' if axis.numbers else ''}; a cross at the foot marks a game that "
        "has no figures.",
        " ".join(filter(None, told)),
        lambda: draw_along(headline, axis, games),
        games_table(headline, [axis], games),
    )


def draw_seats(axis: Swept, cells: Sequence[Cell]) -> Figure:
    """A map of the net of each seat, the dealer lowest, against an axis."""
    rows = max(cell.players for cell in cells)
    there = {place: cell for place, cell in zip(axis.place, cells, strict=True) if has_seats(cell)}
    values = {place: seat_values(cell) for place, cell in there.items()}
    scale = Scale.of(net for table in values.values() for net in table["net"])
    squares = []
    for place in axis.place:
        if place not in values:
            squares += [MISSING._replace(row=row, column=place) for row in range(rows)]
            continue
        for seat in each(values[place]):
            known = Known(seat.net, seat.net_se, there[place].deals)
            row = rows - 1 - int(seat.to_speak)
            squares.append(scale.square(row, place, seat.net, known.told, not known.is_sure))
    labels = 1.0
    figure, plane = draw_columns(axis, rows, _SEAT, labels, squares)
    left = [str(rows - 1 - row) for row in range(rows)]
    plane.set_yticks(range(rows), [*left[:-1], "dealer"])
    plane.set_ylabel("players still to speak")
    scale.draw(figure, labels)
    return figure


def seats_exhibit(axis: Swept, cells: Sequence[Cell]) -> Exhibit:
    """What each seat nets along the one axis of a sweep."""
    there, gone = divided(cells, has_seats)
    dealers = [
        Candidate(f"with {cell.label}", row["net"], row["net_se"], cell.deals)
        for cell in there
        for row in [seat_values(cell).iloc[-1]]
    ]
    rows = [
        (
            axis.words[place],
            cell.seat_name(int(row.seat)),
            with_error(row.net, row.net_se, cell.deals),
        )
        for place, cell in zip(axis.place, cells, strict=True)
        if has_seats(cell)
        for row in each(seat_values(cell))
    ]
    told = (
        extremes("The net of the dealer, before what he puts in,", dealers, "games"),
        name_missing(gone),
        "Purple: above 0; orange: below; hatched: too close to call against 0.",
    )
    return make_exhibit(
        "along-seats",
        f"What each seat nets in a deal, by {axis.name}",
        f"A map with a column for each value of {axis.name} and a row for each seat, named by the "
        "players still to speak after it, the dealer lowest; a cross marks a game without figures.",
        " ".join(filter(None, told)),
        lambda: draw_seats(axis, cells),
        Table(
            "Net in stakes a deal (standard error of the last digits in brackets)",
            (axis.name, "seat", "net"),
            tuple(rows),
        ),
    )
