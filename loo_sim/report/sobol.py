"""Exhibits about a design for Sobol indices: what share of a figure's variance each setting has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from loo_sim.policy_axes import axis_words
from loo_sim.report import style
from loo_sim.report.dots import new_rows
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.result import Result
from loo_sim.rounding import signed
from loo_sim.sobol_words import (
    MEANING,
    TITLES,
    Row,
    by_total,
    figure_in_words,
    no_indices,
    sentences,
    told_rows,
)
from loo_sim.sweep import shown

MOST_FIGURES = 4
"""Figures with an exhibit; of a league, which follows each pair of policies, the first pairs."""

_SHARES = FuncFormatter(lambda share, _: signed(f"{100 * share:g} %"))
_APART = 0.15
"""Rows: how far the marks of a setting are from its middle."""

_LEAST_SHOWN = 0.005
"""A share of Monte-Carlo error below this would be no wider than the axis it stands on."""


def by_figure(result: Result) -> list[list[Row]]:
    """The rows of each figure that has indices, the main one first."""
    found: dict[str, list[Row]] = {}
    for row in result.indices:
        found.setdefault(row["figure"], []).append(row)
    return list(found.values())


def findings(result: Result) -> list[str]:
    """What the indices of the main figure say, or why there are none."""
    none = why_none(result)
    return [none] if none else [told for rows in by_figure(result)[:1] for told in sentences(rows)]


def why_none(result: Result) -> str:
    """A sentence that says why the main figure has no indices; empty if it has."""
    return no_indices(result.manifest["sobol"]) if "sobol" in result.manifest else ""


def how_designed(result: Result) -> str:
    """How the games of the result were chosen."""
    points, axes = result.ranges["points"], len(result.ranges) - 1
    return (
        "The settings were drawn over their ranges, each by itself and every value alike: twice "
        f"{points} points of a Sobol sequence, and these with each of {axes} settings exchanged; "
        f"{points * (axes + 2):,} points in all, {len(result.cells):,} different games. No game "
        "means anything by itself, and so none is shown."
    )


def draw_indices(rows: Sequence[Row], ranges: Mapping[str, Any]) -> Figure:
    """Both indices of each setting with their intervals; a band as wide as the share of error."""
    ordered = by_total(rows)
    labels = [
        "{}, {} to {}".format(axis_words(row["axis"]), *map(shown, ranges[row["axis"]][:2]))
        for row in ordered
    ]
    figure, axes = new_rows(labels, "share of the variance", _SHARES, 0.42)
    axes.axvline(0, color=style.QUIET, linewidth=0.8)
    noise = ordered[0]["noise"]
    if noise and noise >= _LEAST_SHOWN:
        axes.axvspan(0, noise, color="#dddddd", zorder=0, label="Monte-Carlo error")
    kinds = (("first", "white", -1), ("total", "", 1))
    for (name, fill, side), (colour, marker, _) in zip(kinds, style.LINES, strict=False):
        at = [place + side * _APART for place in range(len(ordered))]
        for row, place in zip(ordered, at, strict=True):
            if row[f"{name}_low"] is not None:
                ends = row[f"{name}_low"], row[f"{name}_high"]
                axes.plot(ends, (place, place), color=colour, marker="|", linewidth=1.5)
        axes.plot(
            [row[name] for row in ordered],
            at,
            marker,
            color=colour,
            markerfacecolor=fill or colour,
            markersize=5.5,
            label=f"{name} order",
        )
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2)
    return figure


def indices_exhibit(rows: Sequence[Row], ranges: Mapping[str, Any]) -> Exhibit:
    """The Sobol indices of a figure.

    Parameters
    ----------
    rows : sequence of mapping
        Of the table ``sobol``, those of the figure.
    ranges : mapping
        The table ``[sweep.sobol]``.
    """
    figure = rows[0]["figure"]
    words = figure_in_words(figure)
    slug = "".join(sign if sign.isalnum() else "-" for sign in figure.lower())
    return make_exhibit(
        f"sobol-{slug}",
        f"Sobol indices of {words}",
        "Two marks with their 95 % intervals for each setting that was swept, the one with the "
        "highest total order on top: a hollow circle for the first-order index, a filled square "
        "below it for the total-order index; a grey band from 0 as wide as the share of "
        "Monte-Carlo error, where it shows.",
        " ".join([*sentences(rows), MEANING]),
        lambda: draw_indices(rows, ranges),
        Table(
            f"Shares of the variance of {words} over the ranges (95 % intervals in brackets)",
            TITLES,
            tuple(told_rows(rows, ranges)),
        ),
    )
