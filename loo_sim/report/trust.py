"""Exhibits on why a result can be believed: how errors fall, exact chances, exact sums."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite, sqrt
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.checks import SUMS, Chance, chances
from loo_sim.report.dots import STAKES, Dot, draw_dots
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.headlines import HEADLINES, Headline
from loo_sim.report.missing import missing_row, name_each, name_missing
from loo_sim.report.ranking import widened
from loo_sim.report.result import DONE, Cell, Result
from loo_sim.rounding import NONE, listed, places_of, signed, stakes, with_error
from loo_sim.studies.estimates import Z95

MOST_SHOWN = 24
"""Exact chances that are drawn; of more, those farthest off."""

_MOST_LINES = len(style.LINES) - 1
"""Games whose errors are drawn; of more, the widest and the narrowest."""

_BEFORE = 256
"""A line is drawn from this part of the deals on, or from where it was looked at before that."""

_ASKED = {
    "deals": "pot-change",
    "announce": "miss-minus-stand",
    "lead": "lowest-minus-highest",
    "session": "mean-pot",
}
"""The headline whose error `until` is about, by study; that of others is a difference of a pair."""


class Precision(NamedTuple):
    """How well a game knows its headline figure.

    Attributes
    ----------
    cell : Cell
    half : float
        Half-width of its 95 % interval, stakes.
    looks : tuple of int
        Deals, or tables, at which it was held against the one asked for; none if none was.
    asked : float
        The half-width asked for; nan if a number of deals was.
    """

    cell: Cell
    half: float
    looks: tuple[int, ...]
    asked: float

    @property
    def is_reached(self) -> bool:
        """Whether it is as narrow as was asked for."""
        return self.half <= self.asked

    def at(self, n: float) -> float:
        """The half-width that so many deals give, by the spread that was measured over all."""
        return self.half * sqrt(self.cell.deals / n)


def _headline(result: Result) -> Headline:
    slug = _ASKED.get(str(result.manifest["study"]), "spread")
    return next(headline for headline in HEADLINES if headline.slug == slug)


def precisions(result: Result) -> list[Precision]:
    """How well each game knows its figure, of those that know an error."""
    headline = _headline(result)
    found = []
    for cell, told in zip(result.cells, result.manifest["cells"], strict=True):
        if cell.status != DONE:
            continue
        asked = told.get("precision") or {}
        # The figure that was asked for may be another: with an aim, the hand known least.
        half = asked.get("half_width") if asked else Z95 * headline.of(cell).error
        if half is None or not isfinite(half) or half <= 0:
            continue
        looks = tuple(n for n in asked.get("checkpoints", ()) if n <= cell.deals)
        found.append(Precision(cell, half, looks, float(asked.get("until", "nan"))))
    return found


def not_known(result: Result, found: Sequence[Precision]) -> list[Cell]:
    """The games of which no precision is known."""
    known = [one.cell for one in found]
    return [cell for cell in result.cells if cell not in known]


def _drawn(found: Sequence[Precision]) -> list[Precision]:
    """Those whose lines are drawn."""
    if len(found) <= _MOST_LINES:
        return list(found)
    ordered = sorted(found, key=lambda one: one.half)
    return [ordered[-1], ordered[0]]


def draw_precision(found: Sequence[Precision], missing: Sequence[Cell] = ()) -> Figure:
    """Half-widths against deals: the one measured as a mark, before it by the law of 1 / root n.

    A cross in the legend for each of the `missing` games, if they are not too many.
    """
    lines = _drawn(found)
    figure = style.new_figure(3.0 + 0.2 * (len(lines) + len(name_each(missing))))
    axes = figure.subplots()
    for one, (colour, marker, dash) in zip(lines, style.LINES, strict=False):
        n = one.cell.deals
        across = np.geomspace(min(max(n // _BEFORE, 1), *one.looks, n), n, 20)
        axes.plot(across, [one.at(x) for x in across], color=colour, linestyle=dash, linewidth=1.2)
        looks = [x for x in one.looks if x < n]
        axes.plot(looks, [one.at(x) for x in looks], marker, color=colour, mfc="white", ms=5)
        axes.plot([n], [one.half], marker, color=colour, ms=6.5, label=one.cell.label)
    for asked in sorted({one.asked for one in lines if isfinite(one.asked)}):
        axes.axhline(asked, color=style.QUIET, linewidth=1, linestyle="--")
        axes.annotate(
            f"asked for: ± {asked:g}",
            (0, asked),
            xycoords=("axes fraction", "data"),
            xytext=(4, 3),
            textcoords="offset points",
            fontsize=8.5,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(STAKES)
        axis.set_minor_formatter(lambda value, _: "")
    axes.grid()
    axes.margins(x=0.08, y=0.1)
    axes.set_xlabel(found[0].cell.unit)
    axes.set_ylabel("half-width, stakes")
    for label in name_each(missing):
        style.name_missing_line(axes, label)
    if len(lines) > 1 or missing:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=1, borderaxespad=0.2)
    return figure


def _about(result: Result, found: Sequence[Precision]) -> str:
    """What the half-widths are of, in words."""
    if any(isfinite(one.asked) for one in found):
        if result.manifest["experiment"].get("aim"):
            return "the hand known least, whose error was asked for,"
        if result.manifest["study"] not in _ASKED:
            return "the figure whose error was asked for"
    what = _headline(result).what
    return f"{what[0].lower()}{what[1:]}"


def tell_precision(result: Result, found: Sequence[Precision]) -> str:
    """Sentences on the errors that were reached, and on what smaller ones would take."""
    unit = found[0].cell.unit
    worst, best = (of(found, key=lambda one: one.half) for of in (max, min))
    told = [
        f"The 95 % interval of {_about(result, found)} is ± {_size(worst.half)} stakes after "
        f"{worst.cell.deals:,} {unit}"
    ]
    if len(found) > 1:
        told[0] += (
            f" with {worst.cell.label}, the widest of {len(found)} games, and ± "
            f"{_size(best.half)} stakes after {best.cell.deals:,} with {best.cell.label}, the "
            "narrowest"
        )
    told[0] += "."
    asked = [one for one in found if isfinite(one.asked)]
    if asked:
        reached = sum(one.is_reached for one in asked)
        told.append(
            f"Asked for was ± {stakes(asked[0].asked)}, {'' if reached else 'not '}reached;"
            if len(asked) == 1
            else f"Of the games that were to be known to a given error {reached} of {len(asked)} "
            "are;"
        )
        told[-1] += " hollow marks: where the error was looked at."
    marks = (
        "Only the filled mark is measured. The line follows from it"
        if len(found) == 1
        else "Only the filled marks are measured. The lines follow from them"
    )
    told.append(
        f"{marks}, as errors fall with the square root of the number of {unit}: half the error "
        "takes four times as many."
    )
    if len(_drawn(found)) < len(found):
        told.append("Of the games the widest and the narrowest are drawn.")
    return " ".join(told)


def _size(half: float) -> str:
    """A half-width with two significant digits."""
    return f"{half:.{places_of(half)}f}"


def precision_exhibit(result: Result) -> Exhibit | None:
    """How errors fall with the number of deals; None if no game knows its error."""
    found = precisions(result)
    if not found:
        return None
    unit = found[0].cell.unit
    missing = not_known(result, found)
    heads = ("game", unit, "half-width", "for half of it", "looked at", "asked for")
    rows = [missing_row(cell, heads) for cell in missing]
    for one in found:
        verdict = NONE
        if isfinite(one.asked):
            verdict = f"± {stakes(one.asked)}: {'reached' if one.is_reached else 'not reached'}"
        rows.append(
            (
                one.cell.label,
                f"{one.cell.deals:,}",
                f"± {_size(one.half)}",
                f"{4 * one.cell.deals:,}",
                ", ".join(f"{n:,}" for n in one.looks) or NONE,
                verdict,
            )
        )
    return make_exhibit(
        "precision",
        "How sure: the error against the number of " + unit,
        f"Lines that fall from left to right, of the half-width of a 95 % interval against the "
        f"number of {unit}, both on logarithmic scales; a filled mark where a game ended.",
        " ".join(filter(None, (tell_precision(result, found), name_missing(missing)))),
        lambda: draw_precision(found, missing),
        Table(
            f"Half-width of the 95 % interval in stakes, {unit} that would halve it, {unit} at "
            "which it was looked at, and what was asked for",
            heads,
            tuple(rows),
        ),
    )


def tell_chances(found: Sequence[Chance]) -> str:
    """Sentences on whether what is known exactly came out."""
    bound = widened(len(found))
    off = [one for one in found if abs(one.z) > bound]
    farthest = max(found, key=lambda one: abs(one.z))
    told = (
        f"{len(off)} of {len(found)} figures that are known exactly lie farther off than chance "
        f"allows: {listed([one.what for one in off[:3]])}{' and others' if len(off) > 3 else ''}."
        if off
        else f"All of {len(found)} figures that are known exactly came out within chance"
        if len(found) > 1
        else "The figure that is known exactly came out within chance"
    )
    if not off:
        far = signed(f"{farthest.z:.1f}")
        told += (
            f": the farthest off ({farthest.what}) is at {far} standard errors, of ± {bound:.1f} "
            "that hold for all together with 95 %."
        )
    return told


def draw_chances(found: Sequence[Chance]) -> Figure:
    """A mark for each exact figure, standard errors from it; a band of what chance allows."""
    bound = widened(len(found))
    shown = _farthest(found)
    figure = draw_dots(
        [Dot(one.what, one.z, one.z, one.z, abs(one.z) > bound) for one in shown],
        "standard errors from the exact value",
        zero=True,
    )
    axes = figure.axes[0]
    axes.axvspan(-bound, bound, color="#eeeeee", linewidth=0, zorder=0)
    most = max(bound, *(abs(one.z) for one in shown)) * 1.1
    axes.set_xlim(-most, most)
    return figure


def _farthest(found: Sequence[Chance]) -> list[Chance]:
    """The figures that are drawn, in their order."""
    least = sorted((abs(one.z) for one in found), reverse=True)[:MOST_SHOWN][-1]
    return [one for one in found if abs(one.z) >= least]


def chances_exhibit(cells: Sequence[Cell]) -> Exhibit | None:
    """Exact chances and what came of them; None if the tables hold none."""
    found = chances(cells)
    if not found:
        return None
    rows = [
        (
            one.what,
            f"{one.n:,}",
            f"{signed(f'{one.exact:.6g}')} {one.unit}".strip(),
            f"{with_error(one.found, one.error, one.n)} {one.unit}".strip(),
            signed(f"{one.z:+.2f}"),
        )
        for one in found
    ]
    told = [tell_chances(found)]
    if len(found) > MOST_SHOWN:
        told.append(f"The {MOST_SHOWN} farthest off are drawn.")
    told.append("Grey: what chance allows; hollow: outside.")
    return make_exhibit(
        "chances",
        "What is known exactly, and what came out",
        "A mark for each figure whose exact value is known, at its distance from that in standard "
        "errors; a grey band shows what chance allows.",
        " ".join(told),
        lambda: draw_chances(found),
        Table(
            "Exact value, what was found (standard error of the last digits, if the exact value "
            "holds, in brackets), and how many standard errors off that is",
            ("figure", "n", "exact", "found", "z"),
            tuple(rows),
        ),
    )


class Held(NamedTuple):
    """A sum that must come out exactly, and in which games it does.

    Attributes
    ----------
    what, rule, unit : str
        As in `checks.Sum`.
    games : int
        Games held to it.
    off : tuple of (Cell, int)
        Those in which it does not come out, and by how much.
    """

    what: str
    rule: str
    unit: str
    games: int
    off: tuple[tuple[Cell, int], ...]

    @property
    def where_off(self) -> str:
        """The games in which it does not come out, and by how much; empty if there are none."""
        told = [f"{cell.label} ({signed(f'{by:,}')} {self.unit})" for cell, by in self.off[:3]]
        if len(self.off) > 3:
            told.append(f"{len(self.off) - 3} more")
        return listed(told) if told else ""


@lru_cache(maxsize=1)
def held(cells: tuple[Cell, ...]) -> list[Held]:
    """All sums that games can be held to, and what came of them; the page asks for it twice."""
    found = []
    for one in SUMS:
        by_game = [(cell, one.off_by(cell)) for cell in cells if cell.status == DONE]
        known = [(cell, off) for cell, off in by_game if off is not None]
        if known:
            wrong = tuple((cell, off) for cell, off in known if off)
            found.append(Held(one.what, one.rule, one.unit, len(known), wrong))
    return found


def broken_sums(found: Sequence[Held]) -> list[str]:
    """A sentence for each sum that does not come out, with the games in which it does not."""
    return [
        f"It does not hold that {one.what}: off in {one.where_off}." for one in found if one.off
    ]


def tell_sums(found: Sequence[Held]) -> str:
    """A sentence on whether all sums come out."""
    wrong = [one for one in found if one.off]
    if wrong:
        return (
            "This result must not be trusted: it does not hold that "
            f"{listed([one.what for one in wrong])}."
        )
    money = next((one for one in found if one.unit == "units"), None)
    if money is None:
        return "All sums that must come out exactly do."
    games = {1: "the game", 2: "both games with figures"}.get(
        money.games, f"all {money.games} games with figures"
    )
    return f"Money is conserved to the last unit in {games}: {money.what}."


def sums_table(found: Sequence[Held]) -> Table:
    """What must come out exactly, and in how many games it does."""
    rows = [
        (
            one.what,
            one.rule,
            f"{one.games - len(one.off)} of {one.games}",
            one.where_off or NONE,
        )
        for one in found
    ]
    return Table(
        "What must come out exactly, by the rule, and the games in which it does (a stake is 729 "
        "units)",
        ("what must hold", "rule", "holds in", "off in"),
        tuple(rows),
    )
