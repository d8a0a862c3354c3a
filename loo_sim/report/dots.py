"""Charts with a row for each person, policy or game: intervals, and spreads told by quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan, nan
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import Formatter, FuncFormatter

from loo_sim.report import style
from loo_sim.rounding import signed
from loo_sim.studies.estimates import Z95

_COLOUR = "#0072b2"
_HEAD, _ROW = 0.8, 0.28
"""Inches that a chart takes without its rows, and a row."""

_LONGEST, _SHORT = 44, 28
"""Signs of a label; of one that is as large as the other texts of a chart."""

STAKES: Formatter = FuncFormatter(lambda value, _: signed(f"{value:,.10g}"))
PERCENT: Formatter = FuncFormatter(lambda value, _: f"{100 * value:g} %")


class Dot(NamedTuple):
    """A row of a chart of estimates.

    Attributes
    ----------
    label : str
    value, low, high : float
        The estimate and the ends of its interval; nan where they are not known, and a cross stands
        in the place of the estimate.
    hollow : bool
        Whether the dot is only an outline.
    """

    label: str
    value: float
    low: float
    high: float
    hollow: bool = False


def mean_dot(label: str, mean: float, error: float) -> Dot:
    """A mean with its 95 % interval, given its standard error."""
    return Dot(label, mean, mean - Z95 * error, mean + Z95 * error)


def draw_dots(
    dots: Sequence[Dot], what: str, ticks: Formatter = STAKES, zero: bool = False
) -> Figure:
    """A dot and an interval a row; `what` along the axis, which is marked and shown at `zero`."""
    figure, axes = new_rows([dot.label for dot in dots], what, ticks)
    if zero:
        axes.axvline(0, color=style.QUIET, linewidth=0.8)
    for place, dot in enumerate(dots):
        if isnan(dot.value):
            style.draw_missing(axes, 0.02, place, axes.get_yaxis_transform())
            continue
        axes.errorbar(
            dot.value,
            place,
            xerr=[[dot.value - dot.low], [dot.high - dot.value]],
            color=_COLOUR,
            marker="o",
            markersize=5.5,
            markerfacecolor="white" if dot.hollow else _COLOUR,
            capsize=3,
        )
    return figure


def missing_dot(label: str) -> Dot:
    """The row of an estimate that is not there."""
    return Dot(label, nan, nan, nan)


class Spread(NamedTuple):
    """A row of a chart of distributions.

    Attributes
    ----------
    label : str
    quantiles : tuple of float
        At 5, 25, 50, 75 and 95 %.
    mean : float
    """

    label: str
    quantiles: tuple[float, float, float, float, float]
    mean: float


def draw_spreads(spreads: Sequence[Spread], what: str) -> Figure:
    """Bars of nine in ten and of half of a distribution, its median and mean, a row each."""
    figure, axes = new_rows([spread.label for spread in spreads], what, STAKES)
    axes.axvline(0, color=style.QUIET, linewidth=0.8)
    for place, (_, (least, low, middle, high, most), mean) in enumerate(spreads):
        axes.hlines(place, least, most, color=_COLOUR, lw=1.6, label="nine in ten")
        axes.hlines(place, low, high, color=_COLOUR, lw=6.5, label="half")
        axes.plot(middle, place, "o", ms=6.5, mfc="white", mec=style.INK, label="median")
        axes.plot(mean, place, "x", ms=5, color="#d55e00", mew=1.6, label="mean")
    told, names = axes.get_legend_handles_labels()
    kinds = len(set(names))
    axes.legend(
        told[:kinds],
        names[:kinds],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=kinds,
        borderaxespad=0.2,
    )
    return figure


def new_rows(
    labels: Sequence[str], what: str, ticks: Formatter, row: float = _ROW
) -> tuple[Figure, Axes]:
    """An empty chart with a labelled row, so many inches high, for each of `labels` downwards."""
    figure = style.new_figure(_HEAD + row * len(labels))
    axes = figure.subplots()
    axes.grid(axis="x")
    names = [style.shortened(label, _LONGEST) for label in labels]
    size = None if max(map(len, names)) <= _SHORT else 8
    axes.set_yticks(range(len(names)), names, fontsize=size)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(ticks)
    axes.set_xlabel(what)
    return figure, axes
