"""How the gains of leaving a strategy shrank while it was being solved for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.dots import STAKES
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.result import Cell
from loo_sim.rounding import interval, with_error
from loo_sim.studies.estimates import Z95

FEWEST_LOOKS = 2
"""Fewer make no line."""

_BOUNDS = (("gain_low", "lower bound"), ("gain_high", "upper bound"))


def looks_of(manifest: Mapping[str, Any], pot: float) -> list[Mapping[str, Any]]:
    """What was seen of one game on the way; empty if the files do not tell."""
    for game in manifest.get("games", ()):
        if game["pot"] == pot:
            return list(game["looks"])
    return []


def draw(looks: list[Mapping[str, Any]], until: float) -> Figure:
    """Both bounds against the deals learned from, with their intervals, and the target."""
    figure = style.new_figure(2.6)
    axes = figure.subplots()
    deals = [look["deals"] for look in looks]
    for (key, name), (colour, marker, line) in zip(_BOUNDS, style.LINES, strict=False):
        axes.errorbar(
            deals,
            [look[key] for look in looks],
            yerr=[Z95 * look[f"{key}_se"] for look in looks],
            color=colour,
            marker=marker,
            linestyle=line,
            markersize=5,
            capsize=3,
            label=name,
        )
    axes.axhline(until, color=style.QUIET, linewidth=1, linestyle=":", label="target")
    axes.set_xscale("log")
    axes.set_xticks(deals, [STAKES(value, 0) for value in deals], minor=False)
    axes.xaxis.set_minor_formatter(lambda value, _: "")
    axes.yaxis.set_major_formatter(STAKES)
    axes.set_ylim(bottom=min(0.0, *(look["gain_low"] for look in looks)))
    axes.grid()
    axes.set_xlabel("deals learned from")
    axes.set_ylabel("gain, all seats, stakes a deal")
    axes.legend(loc="upper right")
    return figure


def convergence_exhibit(cell: Cell, looks: list[Mapping[str, Any]], until: float) -> Exhibit | None:
    """What leaving the strategy gained while it was learned; None of too few looks."""
    if len(looks) < FEWEST_LOOKS:
        return None
    first, last = looks[0], looks[-1]
    told = (
        f"After {first['deals']:,} deals all seats together gained at most "
        f"{interval(first['gain_high'], first['gain_high_se'], first['looked_at'])} stakes a deal "
        f"by leaving the strategy, after {last['deals']:,} at most "
        f"{interval(last['gain_high'], last['gain_high_se'], last['looked_at'])}. Each look is on "
        "deals that nothing was learned from, half as many as were learned from: with more of them "
        "the upper bound comes down too. Bars: 95 % intervals at least as wide as they must be. "
        f"Dotted: the target of {until:g} stakes for the upper bound."
    )
    return make_exhibit(
        f"convergence-{cell.number}",
        f"How the strategy was found: {cell.label}",
        "Two lines with intervals, an upper and a lower bound of what leaving the strategy gains, "
        "against the deals learned from on a logarithmic scale.",
        told,
        lambda: draw(looks, until),
        Table(
            "What leaving the strategy gained all seats together, stakes a deal (standard error of "
            "the last digits in brackets, those of the seats added up)",
            ("deals learned from", "deals looked at", "lower bound", "upper bound", "strategy"),
            tuple(
                (
                    f"{look['deals']:,}",
                    f"{look['looked_at']:,}",
                    with_error(look["gain_low"], look["gain_low_se"], look["looked_at"]),
                    with_error(look["gain_high"], look["gain_high_se"], look["looked_at"]),
                    look["kind"],
                )
                for look in looks
            ),
        ),
    )
