"""How large the pot must be for standing to pay, by kind of hand."""

from __future__ import annotations

from math import inf, isfinite, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.dots import STAKES, draw_dots, mean_dot
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.hands import BANDS
from loo_sim.report.result import Cell
from loo_sim.report.ruin import wilson
from loo_sim.report.strategy import Spot
from loo_sim.report.values import in_prose, kinds_at
from loo_sim.rounding import (
    NONE,
    listed,
    percent_with_error,
    stakes,
    with_ends,
    with_error,
)
from loo_sim.studies.estimates import FEW_DEALS, Z95

_PANELS = {
    "two or three trumps": ("three trumps", "two trumps"),
    "one trump": ("one trump",),
    "no trump": ("no trump",),
}
"""Titles of the panels, and the numbers of trumps, as `BANDS` names them, in each."""

_ABOVE, _PANEL, _BETWEEN, _FOOT, _LEFT, _RIGHT = 0.46, 1.4, 0.7, 0.45, 0.55, 0.12
"""Inches: above the first panel, a panel, between two, below the last, at both sides."""

_POINTS = 25
"""Pots at which the band of a line is drawn."""


class Standing(NamedTuple):
    """What standing wins and loses with some hand, by which its value follows at any pot.

    Attributes
    ----------
    share, looed : float
        Mean share of the pot that is won; chance of being looed.
    share_var, looed_var, covariance : float
        Of the two means.
    n : float
        Plain deals that would tell the chance of being looed with the same error.
    """

    share: float
    looed: float
    share_var: float
    looed_var: float
    covariance: float
    n: float

    def value(self, pot: Any, loo: float) -> Any:
        """Stakes that standing nets at a pot, or at each of an array: ``P share - L looed``."""
        return pot * self.share - loo * self.looed

    def error(self, pot: float, loo: float) -> float:
        """Standard error of `value`, in stakes."""
        variance = (
            pot**2 * self.share_var - 2 * pot * loo * self.covariance + loo**2 * self.looed_var
        )
        return sqrt(max(variance, 0.0))


def standing(kind: Any) -> Standing:
    """What standing wins and loses with a kind of hand, a row of `values.kinds_at`."""
    share_var, looed_var = kind.share_se**2, kind.stand_loo_se**2
    return Standing(
        kind.share,
        kind.stand_loo,
        share_var,
        looed_var,
        (share_var + looed_var - kind.surplus_se**2) / 2,
        kind.stand_loo_n,
    )


class BreakEven(NamedTuple):
    """The pot at which standing is worth 0, in stakes, and the ends of its 95 % interval.

    Infinite where there is none; nan where it is not known.
    """

    pot: float
    low: float
    high: float


def break_even(hand: Standing, loo: float) -> BreakEven:
    """The pot from which standing pays under a loo of `loo` stakes, with Fieller's interval.

    The pot is ``L looed / share``. The interval holds the pots at which the value of standing is
    within `Z95` standard errors of 0: with z of them, those between the roots of
    ``(s^2 - z^2 var s) P^2 - 2 L (s l - z^2 cov) P + L^2 (l^2 - z^2 var l)`` (E. C. Fieller 1954,
    *Journal of the Royal Statistical Society B* 16, 175-185). It has no upper end where the share
    is not surely above 0. Where a hand never was looed, or never won anything, the variances say
    nothing, and the bound of the chance of that takes their place (Wilson).
    """
    share, looed, z = hand.share, hand.looed, Z95
    if hand.n < FEW_DEALS or not isfinite(hand.share_var + hand.looed_var + hand.covariance):
        return BreakEven(nan, nan, nan)
    if share == 0:
        return BreakEven(inf, loo * wilson(looed, hand.n)[0] / wilson(0.0, hand.n)[1], inf)
    pot = loo * looed / share
    if looed == 0:
        return BreakEven(0.0, 0.0, loo * wilson(0.0, hand.n)[1] / share)
    a = share**2 - z**2 * hand.share_var
    b = share * looed - z**2 * hand.covariance
    c = looed**2 - z**2 * hand.looed_var
    root = sqrt(max(b**2 - a * c, 0.0))
    # c / (b + root) is (b - root) / a without the difference of two numbers that are nearly alike.
    low = max(loo * c / (b + root), 0.0) if b + root > 0 else 0.0
    high = loo * (b + root) / a if a > 0 else inf
    # Without any spread all three are one number, but for the rounding of its last digit.
    return BreakEven(pot, min(low, pot), max(high, pot))


def break_even_pots(cell: Cell, kinds: pd.DataFrame) -> pd.DataFrame:
    """Kinds of hands with the pot at which standing breaks even.

    Parameters
    ----------
    cell : Cell
        Of a game with a fixed loo.
    kinds : DataFrame
        From `values.kinds_at`.

    Returns
    -------
    DataFrame
        `kinds` with `pot`, `low` and `high`, as in `BreakEven`.
    """
    found = [break_even(standing(kind), cell.rules["loo"]) for kind in each(kinds)]
    return kinds.assign(**pd.DataFrame(found, columns=BreakEven._fields, index=kinds.index))


def least_pot(cell: Cell) -> float:
    """Stakes in the smallest pot that there can be: the dealer's stake and the antes."""
    return float(cell.rules["dealer_stake"] + cell.rules["ante"] * (cell.players - 1))


def draw_break_even(cell: Cell, kinds: pd.DataFrame) -> Figure:
    """The value of standing against the pot, a line a kind of hand, crossings of 0 marked.

    A panel for each of `_PANELS` of which there are kinds.
    """
    loo = float(cell.rules["loo"])
    drawn = {
        title: [kind for kind in each(kinds) if BANDS[kind.band].partition(", ")[0] in heads]
        for title, heads in _PANELS.items()
    }
    panels = {title: members for title, members in drawn.items() if members}
    # Placed by hand, which takes half the time of having it laid out.
    tall = _ABOVE + len(panels) * (_PANEL + _BETWEEN) - _BETWEEN + _FOOT
    figure = style.map_figure(tall)
    grid = figure.subplots(
        len(panels),
        squeeze=False,
        gridspec_kw={
            "left": _LEFT / style.WIDTH,
            "right": 1 - _RIGHT / style.WIDTH,
            "bottom": _FOOT / tall,
            "top": 1 - _ABOVE / tall,
            "hspace": _BETWEEN / _PANEL,
        },
    )[:, 0]
    for axes, (title, members) in zip(grid, panels.items(), strict=True):
        # Where the interval has no end, the pot may be anywhere, and would squeeze the others.
        known = [kind.pot for kind in members if isfinite(kind.high)]
        most = max(1.2 * max(known, default=0.0), 2 * least_pot(cell))
        pots = np.linspace(0, most, _POINTS)
        axes.axvspan(0, least_pot(cell), color="#f1f1f1", lw=0)
        axes.axhline(0, color=style.QUIET, linewidth=0.8)
        axes.grid(axis="x")
        for kind, (colour, marker, dash) in zip(members, style.LINES, strict=False):
            hand = standing(kind)
            half = [Z95 * hand.error(pot, loo) for pot in pots]
            value = hand.value(pots, loo)
            axes.fill_between(pots, value - half, value + half, color=colour, alpha=0.2, lw=0)
            ends = [0, -1]
            axes.plot(pots[ends], value[ends], color=colour, linestyle=dash, linewidth=1.2)
            if isfinite(kind.pot):
                # Beyond the panel's end a bar is cut off, however far it goes.
                high = max(min(kind.high, 2 * most), kind.pot)
                bar = [[kind.pot - kind.low], [high - kind.pot]]
                axes.errorbar(
                    kind.pot, 0, xerr=bar, color=colour, marker=marker, markersize=6, capsize=3
                )
            head, _, tail = BANDS[kind.band].partition(", ")
            # An entry of the legend: the line and the mark, which are drawn apart.
            axes.plot([], [], color=colour, marker=marker, linestyle=dash, label=tail or head)
        axes.set_xlim(-0.015 * most, most)
        axes.set_ylim(-1.1 * loo, 1.1 * loo)
        axes.set_title(title, pad=19)
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=len(members),
            borderaxespad=0.1,
            borderpad=0.2,
            columnspacing=1.4,
            handlelength=2.9,
            fontsize=8.5,
        )
        axes.yaxis.set_major_formatter(STAKES)
        axes.xaxis.set_major_formatter(STAKES)
        axes.set_ylabel("value, stakes")
    grid[-1].set_xlabel("pot, stakes")
    return figure


def how_the_pot_counts(cell: Cell) -> str:
    """Sentences on how the value of standing depends on the pot, and on what is held fixed."""
    held = (
        f"The opponents are held to what they do at the pot played, {stakes(cell.pot)} stakes, "
        "whatever the pot. Only folding, or defending, is compared here, not the miss. The whole "
        "pot, taken as nobody else is in, counts as three tricks."
    )
    if cell.rules["loo"] != "pot":
        loo = stakes(cell.rules["loo"])
        return (
            f"How large must the pot be? A looed player pays {loo} stakes, so that standing is "
            f"worth pot × tricks / 3 − {loo} × chance of being looed: it breaks even at a pot of "
            f"3 × {loo} × chance of being looed / tricks. {held}"
        )
    cap = cell.rules["loo_cap"]
    bound = (
        f" The loo is {stakes(cap)} stakes at most, so that in larger pots standing is worth more."
        if cap
        else ""
    )
    return (
        "How large must the pot be? A looed player pays as much as is in it, so that its size "
        "cancels: standing pays if tricks / 3 is more than the chance of being looed. "
        f"{held}{bound}"
    )


def where_standing_pays(cell: Cell, spot: Spot, kinds: pd.DataFrame) -> str:
    """Sentences on the `kinds` of hands that may stand at any pot, and on those that may not."""
    least = least_pot(cell)
    always = [kind.band for kind in each(kinds) if kind.high <= least]
    others = [kind for kind in each(kinds) if least < kind.high < inf]
    unbounded = [kind.band for kind in each(kinds) if kind.high == inf]
    told = []
    if always:
        told.append(f"with {in_prose(always)} standing pays at every pot")
    if others:
        named = dict.fromkeys((min(others, key=_pot), max(others, key=_pot)))
        pots = [
            f"{with_ends(kind.pot, kind.low, kind.high)} stakes with {in_prose([kind.band])}"
            for kind in named
        ]
        between = ", with other kinds between" if len(others) > 2 else ""
        told.append(f"it breaks even at a pot of {listed(pots)}{between}")
    if unbounded:
        told.append(f"with {in_prose(unbounded)} it pays at no pot surely")
    if not told:
        return f"For {spot.who} too little is known to tell from which pot standing pays."
    return (
        f"For {spot.who}, {'; '.join(told)} (95 % intervals by Fieller’s method, from the counts)."
    )


def _pot(kind: Any) -> float:
    return float(kind.pot)


def break_even_exhibit(cell: Cell, spot: Spot) -> Exhibit:
    """From which pot standing pays under a fixed loo; how it pays where the loo is the pot."""
    if cell.rules["loo"] == "pot":
        return _surplus_exhibit(cell, spot)
    kinds = break_even_pots(cell, kinds_at(cell, spot))
    caption = (
        f"{where_standing_pays(cell, spot, kinds)} Marks show where a line crosses 0, with its "
        f"interval; shading, 95 % bands, and pots below {stakes(least_pot(cell))}, which cannot "
        "be. Each panel has a scale of its own."
    )
    rows = tuple(
        (
            BANDS[kind.band],
            f"{int(kind.n):,}",
            with_error(3 * kind.share, 3 * kind.share_se, kind.n),
            percent_with_error(kind.stand_loo, kind.stand_loo_n),
            with_ends(kind.pot, kind.low, kind.high),
        )
        for kind in each(kinds)
    )
    return make_exhibit(
        f"break-even-{cell.number}-{spot.slug}",
        f"How large the pot must be to stand: {spot.title}, {cell.label}",
        "Lines of the value of standing in stakes against the pot, one for each kind of hand, in "
        "panels by number of trumps; a mark where each crosses 0, with its 95 % interval.",
        caption,
        lambda: draw_break_even(cell, kinds),
        Table(
            "Pot in stakes at which standing is worth as much as folding, and the ends of its 95 % "
            "interval; tricks count three where the whole pot is taken (standard error of the last "
            "digits in brackets)",
            ("hand", "deals", "tricks", "looed", "break-even pot"),
            rows,
        ),
    )


def verdict(surplus: float, error: float, n: float) -> str:
    """Whether standing surely pays, by its value in parts of the pot; a dash on too few deals."""
    if n < FEW_DEALS:
        return NONE
    if not abs(surplus) > Z95 * error:
        return "too close"
    return "stand" if surplus > 0 else "no"


def _surplus_exhibit(cell: Cell, spot: Spot) -> Exhibit:
    """Tricks and the chance of being looed where the loo is the pot, which then cancels."""
    kinds = kinds_at(cell, spot)
    verdicts = [verdict(kind.surplus, kind.surplus_se, kind.n) for kind in each(kinds)]
    told = []
    for told_as, words in (
        ("stand", "standing surely pays with"),
        ("no", "it surely loses with"),
        ("too close", "it is too close to call with"),
        (NONE, "there are too few deals with"),
    ):
        bands = [band for band, one in zip(kinds["band"], verdicts, strict=True) if one == told_as]
        if bands:
            told.append(f"{words} {in_prose(bands)}")
    caption = (
        f"For {spot.who}, {'; '.join(told)}. The difference is the value of standing in parts of "
        "the pot."
    )
    dots = [mean_dot(BANDS[kind.band], kind.surplus, kind.surplus_se) for kind in each(kinds)]
    rows = tuple(
        (
            BANDS[kind.band],
            f"{int(kind.n):,}",
            with_error(kind.share, kind.share_se, kind.n),
            with_error(kind.stand_loo, kind.stand_loo_se, kind.n),
            with_error(kind.surplus, kind.surplus_se, kind.n),
        )
        for kind in each(kinds)
    )
    return make_exhibit(
        f"break-even-{cell.number}-{spot.slug}",
        f"With what hands to stand, whatever the pot: {spot.title}, {cell.label}",
        "A dot for each kind of hand at its mean share of the pot less its chance of being looed, "
        "with its 95 % interval.",
        caption,
        lambda: draw_dots(dots, "tricks / 3 less chance of being looed", zero=True),
        Table(
            "Parts of the pot (standard error of the last digits in brackets); tricks count three "
            "where the whole pot is taken",
            ("hand", "deals", "tricks / 3", "looed", "difference"),
            rows,
        ),
    )
