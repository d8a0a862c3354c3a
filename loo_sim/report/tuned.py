"""The part of the page about a search: its candidates, those tied marked, and how they came."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from loo_sim.report import style
from loo_sim.report.along import draw_ticks, places_along
from loo_sim.report.axes import Swept, swept_axes
from loo_sim.report.dots import draw_dots, mean_dot
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.page import Section
from loo_sim.report.scale import Scale
from loo_sim.report.sweep_map import MISSING, draw_plane
from loo_sim.rounding import listed, with_error
from loo_sim.studies.estimates import Z95
from loo_sim.tuning.place import TABLE, read_found
from loo_sim.tuning.told import CLEAR, TITLES, short_table

_MOST = 24
"""Candidates that a chart with a row for each shows; columns of a map."""
_COLOUR, _SEARCH, _BAND, _FRAME = "#0072b2", "#767676", "#dce8f3", "#cc0000"

APART = (
    "Candidates share their deals and are told apart by their differences on them, which are known "
    "better than each figure by itself: bars that overlap do not make a tie."
)


class Candidate(NamedTuple):
    """What a search knows of a candidate.

    Attributes
    ----------
    axes : mapping of str to object
    is_tied : bool
        Whether it is on the plateau.
    value, value_se, n : float
        In the last rung that it was in, with its deals (or tables); nan if it failed.
    fresh, fresh_se, fresh_n : float
        On fresh deals; nan if it was not measured there.
    """

    axes: Mapping[str, Any]
    is_tied: bool
    value: float
    value_se: float
    n: float
    fresh: float
    fresh_se: float
    fresh_n: float

    @property
    def is_again(self) -> bool:
        """Whether it was measured again, on fresh deals."""
        return isfinite(self.fresh)

    @property
    def told(self) -> tuple[float, float, float]:
        """The figure that is shown, its error and its deals: the fresh one, if it has one."""
        if self.is_again:
            return self.fresh, self.fresh_se, self.fresh_n
        return self.value, self.value_se, self.n


def candidates_of(table: pd.DataFrame, axes: Sequence[str]) -> list[Candidate]:
    """The candidates of ``tune.parquet``, in the order of the sweep."""
    columns = ("value", "value_se", "deals", "fresh_value", "fresh_value_se", "fresh_deals")
    found = []
    for row in table.to_dict("records"):
        figures = [nan if pd.isna(row[name]) else float(row[name]) for name in columns]
        # Of those that were not measured again no more is known than that they were tied.
        is_tied = not row["failed"] if pd.isna(row["tied"]) else bool(row["tied"])
        found.append(Candidate({axis: row[axis] for axis in axes}, is_tied, *figures))
    return found


def search_section(directory: Path) -> tuple[list[str], Section]:
    """The sentences of a search, and its part of the page.

    Parameters
    ----------
    directory : Path
        Of the search.

    Raises
    ------
    InputError
        If it has not ended, or was altered.
    """
    content = read_found(directory)
    table = pd.read_parquet(directory / TABLE)
    section = Section("search", "The search", lead=[how_it_went(content, table), APART])
    section.exhibits = [search_exhibit(content, table)]
    return list(content["sentences"]), section


def how_it_went(content: Mapping[str, Any], table: pd.DataFrame) -> str:
    """How many candidates were measured on how many deals."""
    unit = content["counted"]
    rungs = [f"{rung['candidates']:,} on {rung['amount']:,} {unit}" for rung in content["rungs"]]
    again = int(table["fresh_value"].notna().sum())
    were = "1 was" if again == 1 else f"{again:,} were"
    fresh = f"{content['fresh_amount']:,} {unit} of seed {content['fresh_seed']}"
    return (
        f"{content['tried']:,} candidates were tried: {listed(rungs, 'and')} of seed "
        f"{content['seed']}, the better half going on each time. Then {were} measured again on "
        f"{fresh}, which had chosen nobody."
    )


def search_exhibit(content: Mapping[str, Any], table: pd.DataFrame) -> Exhibit:
    """The figure of every candidate, those tied marked.

    Parameters
    ----------
    content : mapping
        ``tune.json``.
    table : DataFrame
        ``tune.parquet``.
    """
    found = candidates_of(table, list(content["winner"]["axes"]))
    axes = swept_axes(found)
    unit = content["unit"]
    title = f"{content['figure'][0].upper()}{content['figure'][1:]}"
    marked = f"the {content['sought']}" if content["verdict"] == CLEAR else "tied"
    draw: Callable[[], Figure]
    if len(axes) == 1:
        (axis,) = axes
        by = f", by {axis.name}"
        layout = f"A dot for each value of {axis.name} with its 95 % interval; dots of fresh deals "
        layout += "are filled, those of the search hollow; values that are tied stand on a band."
        key = f"Filled: on fresh deals; hollow: in the search; on the band: {marked}."
        draw = partial(draw_line, axis, found, unit)
    elif len(axes) == 2 and max(len(axis.words) for axis in axes) <= _MOST:
        down, along = sorted(axes, key=lambda axis: len(axis.words))
        by = f", by {down.name} and {along.name}"
        layout = f"A map with a row for each value of {down.name} and a column for each value of "
        layout += f"{along.name}, coloured by the figure; candidates that are tied are framed."
        key = f"Framed: {marked}. Those measured again are shown by their fresh deals."
        draw = partial(draw_map, down, along, found)
    else:
        by = ""
        layout = "A dot for each candidate with its 95 % interval, the best on top; dots of those "
        layout += "that are tied are filled."
        key = f"A row: {', '.join(axis.name for axis in axes)}. Filled: {marked}."
        if len(found) > _MOST:
            key += f" Of {len(found):,} candidates the best {_MOST} are shown."
        draw = partial(draw_rows, axes, found, unit, content["sought"] == "smallest")
    caption = f"{content['sentences'][0]} {key}"
    numbers = Table(
        f"{title}, {unit}; intervals of the last but one column hold together",
        TITLES,
        tuple(short_table(table, content)),
    )
    return make_exhibit("search-candidates", f"{title}{by}", layout, caption, draw, numbers)


def draw_line(axis: Swept, found: Sequence[Candidate], unit: str) -> Figure:
    """The figure along one axis, those tied on a band."""
    figure = style.new_figure(3.1)
    axes = figure.subplots()
    at = np.array(places_along(axis))
    order = np.argsort(at)
    middle = (at[order][1:] + at[order][:-1]) / 2
    edges = [at.min() - (middle[0] - at.min()), *middle, at.max() + (at.max() - middle[-1])]
    by_place = dict(zip(axis.place, found, strict=True))
    tied = [by_place[place].is_tied for place in order]
    for is_tied, run in groupby(range(len(tied)), key=tied.__getitem__):
        ranks = list(run)
        if is_tied:
            axes.axvspan(edges[ranks[0]], edges[ranks[-1] + 1], color=_BAND, linewidth=0)
    for colour, filled in ((_SEARCH, False), (_COLOUR, True)):
        dots = [
            (at[place], *one.told[:2])
            for place, one in zip(axis.place, found, strict=True)
            if one.is_again == filled and isfinite(one.told[0])
        ]
        if dots:
            x, value, error = np.array(dots).T
            axes.errorbar(
                *(x, value),
                yerr=Z95 * error,
                color=colour,
                marker="o",
                markersize=5.5,
                markerfacecolor=colour if filled else "white",
                linestyle="none",
                capsize=3,
            )
    for place, one in zip(axis.place, found, strict=True):
        if not isfinite(one.told[0]):
            style.draw_missing(axes, at[place], 0.04, axes.get_xaxis_transform())
    draw_ticks(axes, axis)
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylabel(unit)
    return figure


def draw_map(down: Swept, along: Swept, found: Sequence[Candidate]) -> Figure:
    """The figure over two axes, those tied framed; a cross where a candidate failed."""
    scale = Scale.rising([one.told[0] for one in found], "stakes")
    places = list(zip(down.place, along.place, found, strict=True))
    squares = [
        scale.square(row, column, one.told[0], with_error(*one.told), noise=False)
        if isfinite(one.told[0])
        else MISSING._replace(row=row, column=column)
        for row, column, one in places
    ]
    figure, plane = draw_plane(down, along, squares, scale)
    for row, column, one in places:
        if one.is_tied:
            corner = column - 0.5, row - 0.5
            plane.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=_FRAME, linewidth=2.5))
    return figure


def draw_rows(axes: Sequence[Swept], found: Sequence[Candidate], unit: str, least: bool) -> Figure:
    """The best candidates, one a row; dots of those not tied are outlines."""
    known = [number for number, one in enumerate(found) if isfinite(one.told[0])]
    sign = 1 if least else -1
    known.sort(key=lambda number: (not found[number].is_tied, sign * found[number].told[0]))
    dots = []
    for number in known[:_MOST]:
        label = ", ".join(axis.words[axis.place[number]] for axis in axes)
        dot = mean_dot(label, *found[number].told[:2])
        dots.append(dot._replace(hollow=not found[number].is_tied))
    return draw_dots(dots, unit)
