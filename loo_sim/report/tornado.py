"""Exhibits about a sweep of several settings: how far each moves a figure, the others averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.axes import Swept
from loo_sim.report.dots import STAKES
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.headlines import Game, Headline, missing
from loo_sim.report.missing import MARK, name_missing
from loo_sim.report.ranking import Candidate, extremes, widened
from loo_sim.rounding import NONE, interval, listed, with_error
from loo_sim.studies.estimates import FEW_DEALS, Z95
from loo_sim.studies.paired import Difference, average, difference

LONGEST = 24
"""Signs of a value at the end of a bar."""


class Effect(NamedTuple):
    """What an axis does to a figure, the other axes averaged over the grid.

    Attributes
    ----------
    axis : Swept
    means, errors : tuple of float
        For each value of the axis, the mean of the figure over the grid of the others, and the
        most that its error can be, as games share deals: the mean of theirs. Empty if unknown.
    apart : Difference or None
        The highest mean less the lowest on the same deals, if it was followed chunk by chunk.
    grid : int
        Combinations of the other axes that the means are taken over: those for which a game of
        each value of the axis is known.
    left_out : int
        Other combinations, at which one is missing.
    n : int
        Fewest deals, or tables, of a game.
    """

    axis: Swept
    means: tuple[float, ...]
    errors: tuple[float, ...]
    apart: Difference | None
    grid: int
    left_out: int
    n: int

    @property
    def lowest(self) -> int:
        """The value with the lowest mean."""
        return int(np.argmin(self.means))

    @property
    def highest(self) -> int:
        """The value with the highest mean."""
        return int(np.argmax(self.means))

    @property
    def span(self) -> float:
        """From the lowest to the highest mean."""
        return max(self.means) - min(self.means)

    @property
    def error(self) -> float:
        """Standard error of the span; if it was not followed the sum of those of its ends."""
        if self.apart:
            return self.apart.se
        return self.errors[self.lowest] + self.errors[self.highest]

    @property
    def widening(self) -> float:
        """Half-width of the span's interval in standard errors.

        The ends are the farthest apart of all pairs of values (Bonferroni).
        """
        if self.apart and self.apart.se > 0:
            return self.apart.half_width(0.025 / self._pairs) / self.apart.se
        return self.widening_of_means

    @property
    def widening_of_means(self) -> float:
        """The same of the interval of a mean."""
        return widened(self._pairs)

    @property
    def _pairs(self) -> int:
        return len(self.means) * (len(self.means) - 1) // 2

    @property
    def is_sure(self) -> bool:
        """Whether the interval of the span excludes 0, on deals enough for it to have one."""
        return self.n >= FEW_DEALS and self.span > self.widening * self.error


def effects(headline: Headline, axes: Sequence[Swept], games: Sequence[Game]) -> list[Effect]:
    """What each axis does to a figure; the widest first, then those of which nothing is known."""
    found = []
    for axis in axes:
        others = [other.place for other in axes if other is not axis]
        combinations = list(zip(*others, strict=True)) if others else [()] * len(games)
        grid: dict[tuple[int, ...], dict[int, Game]] = {}
        for combination, place, game in zip(combinations, axis.place, games, strict=True):
            here = grid.setdefault(combination, {})
            if game.known.is_there:
                here[place] = game
        levels = range(len(axis.words))
        full = [here for here in grid.values() if len(here) == len(levels)]
        means, errors = (
            tuple(float(np.mean([here[level].known[of] for here in full])) for level in levels)
            if full
            else ()
            for of in (0, 1)
        )
        found.append(
            Effect(
                axis,
                means,
                errors,
                _apart(headline, means, full),
                len(full),
                len(grid) - len(full),
                min((game.known.n for here in full for game in here.values()), default=0),
            )
        )
    return sorted(found, key=lambda effect: -effect.span if effect.means else float("inf"))


def _apart(
    headline: Headline, means: Sequence[float], full: Sequence[Mapping[int, Game]]
) -> Difference | None:
    """The highest mean less the lowest, chunk by chunk of the work."""
    if not full:
        return None
    ends = []
    for level in (int(np.argmax(means)), int(np.argmin(means))):
        pieces = [headline.pieces_of(here[level].cell) for here in full]
        known = [one for one in pieces if one is not None]
        if len(known) < len(full):
            return None
        ends.append(average(known))
    return difference(*ends)


def compare_effects(headline: Headline, found: Sequence[Effect]) -> str:
    """Sentences on what moves a figure most and least, and what may not move it at all."""
    known = [effect for effect in found if effect.means]
    told = []
    if len(known) > 1:
        ranked = [
            Candidate(
                f"for {effect.axis.name}",
                effect.span,
                effect.error,
                effect.n,
                interval(
                    effect.span, effect.widening / Z95 * effect.error, effect.n, headline.unit
                ),
            )
            for effect in known
        ]
        what = f"{headline.title}: the range of its means over the values of a setting"
        told.append(extremes(what, ranked, "settings"))
    widest = next((effect for effect in known if effect.is_sure), None)
    if widest:
        low, high = (
            f"{interval(widest.means[end], widest.errors[end], widest.n, headline.unit)} with "
            f"{widest.axis.of(end)}"
            for end in (widest.lowest, widest.highest)
        )
        told.append(f"Over the values of {widest.axis.name} it runs from {low} to {high}.")
    close = [effect.axis.name for effect in known if not effect.is_sure]
    if close:
        told.append(f"Too close to call whether they matter at all: {listed(close)}.")
    unknown = [effect.axis.name for effect in found if not effect.means]
    if unknown:
        told.append(f"No two games that differ in it alone: {listed(unknown)}.")
    left_out = [
        f"{effect.left_out} of {effect.left_out + effect.grid} for {effect.axis.name}"
        for effect in known
        if effect.left_out
    ]
    if left_out:
        told.append(
            "Left out of the means are values of the other settings at which a game is missing: "
            f"{listed(left_out)}."
        )
    return " ".join(told)


def draw_tornado(headline: Headline, found: Sequence[Effect]) -> Figure:
    """A bar for each axis from its lowest to its highest mean, hatched where too close to call."""
    figure = style.new_figure(0.85 + 0.52 * len(found))
    axes = figure.subplots()
    for row, effect in enumerate(found):
        if not effect.means:
            style.draw_missing(axes, 0.02, row, axes.get_yaxis_transform())
            continue
        centre = float(np.mean(effect.means))
        ends = ((effect.lowest, "#e08214", "right", -1), (effect.highest, "#8073ac", "left", 1))
        for end, colour, side, away in ends:
            mean = effect.means[end]
            half = effect.widening_of_means * effect.errors[end]
            axes.barh(
                *(row, mean - centre),
                left=centre,
                height=0.5,
                color=colour,
                edgecolor="white",
                hatch="" if effect.is_sure else style.HATCH,
                linewidth=0,
            )
            axes.errorbar(mean, row, xerr=half, color=style.INK, capsize=3, linewidth=1)
            axes.annotate(
                style.shortened(effect.axis.words[end], LONGEST),
                (mean + away * half, row),
                xytext=(away * 5, 0),
                textcoords="offset points",
                ha=side,
                va="center",
                fontsize=8.5,
            )
    axes.set_yticks(range(len(found)), [_name(effect) for effect in found])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.margins(x=0.2)
    axes.xaxis.set_major_formatter(STAKES)
    axes.set_xlabel(f"mean over the other settings, {headline.unit.strip()}")
    return figure


def _name(effect: Effect) -> str:
    """The name of a setting beside its bar, marked where a game is missing from its means."""
    name = style.shortened(effect.axis.name, LONGEST)
    return f"{name} {MARK}" if effect.means and effect.left_out else name


def tornado_exhibit(headline: Headline, axes: Sequence[Swept], games: Sequence[Game]) -> Exhibit:
    """What each axis does to a figure."""
    found = effects(headline, axes, games)
    rows = []
    for effect in found:
        if not effect.means:
            rows.append((effect.axis.name, *[NONE] * 6))
            continue
        ends = (
            (
                effect.axis.words[end],
                with_error(effect.means[end], effect.errors[end], effect.n),
            )
            for end in (effect.lowest, effect.highest)
        )
        rows.append(
            (
                effect.axis.name,
                *(entry for end in ends for entry in end),
                with_error(effect.span, effect.error, effect.n),
                "surely" if effect.is_sure else "too close to call",
            )
        )
    told = (
        compare_effects(headline, found),
        name_missing(missing(games), "beside each setting whose means leave something out"),
    )
    return make_exhibit(
        f"tornado-{headline.slug}",
        f"{headline.title}: which setting matters",
        "A bar for each setting that was swept, the widest on top, from the lowest to the highest "
        "of the means that its values give, averaged over the grid of the other settings; the "
        "values stand at its ends, with the intervals of the means; a cross marks a setting from "
        "whose means a game is missing, or that has none.",
        " ".join(filter(None, told))
        + " Hatched: too close to call. Intervals hold for all values of a setting together.",
        lambda: draw_tornado(headline, found),
        Table(
            f"Lowest and highest mean of each setting, {headline.unit.strip()} (in brackets the "
            "most that the standard error of the last digits can be)",
            ("setting", "lowest with", "mean", "highest with", "mean", "range", "differs"),
            tuple(rows),
        ),
    )
