"""What one player could gain by leaving a solved strategy, and what its seats are worth."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.dots import STAKES, Dot, draw_dots, mean_dot, new_rows
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.ranking import Candidate, extremes, widened
from loo_sim.report.result import Cell
from loo_sim.rounding import interval, listed, places_of, signed, with_error
from loo_sim.solution import VALUE_ERROR

NEAR = 0.02
"""Stakes a deal, gains of all seats together: what is surely below is called near equilibrium."""

_APART = 0.16
"""Of a row: how far above and below its middle the two bounds are drawn."""


class Bounds(NamedTuple):
    """Between what a gain lies, in stakes a deal.

    Attributes
    ----------
    low, low_se, high, high_se : float
        The two bounds, and their standard errors.
    least, most : float
        Ends of the interval of the gain; it is never below 0, as nobody has to leave.
    """

    low: float
    low_se: float
    high: float
    high_se: float
    least: float
    most: float


def seat_bounds(gain: pd.DataFrame) -> dict[int, Bounds]:
    """The gain of each seat of one game; the intervals of all seats together hold with 95 %."""
    return {
        int(row.seat): _between(
            (row.gain_low, row.gain_low_se), (row.gain_high, row.gain_high_se), len(gain)
        )
        for row in each(gain)
    }


def total_bounds(gain: pd.DataFrame) -> Bounds:
    """The gains of all seats added up.

    Seats may have been measured on the same deals, so that errors are added too: that is the most
    that the error of a sum can be.
    """
    sums: Any = gain[["gain_low", "gain_low_se", "gain_high", "gain_high_se"]].sum()
    return _between((sums.gain_low, sums.gain_low_se), (sums.gain_high, sums.gain_high_se), 1)


def _between(low: tuple[float, float], high: tuple[float, float], of: int) -> Bounds:
    wide = widened(of)
    least = max(low[0] - wide * low[1], 0.0)
    return Bounds(*low, *high, least, max(high[0] + wide * high[1], least))


def _ends(bounds: Bounds) -> str:
    """The interval of a gain, rounded outwards to the second digit of half its width."""
    places = places_of((bounds.most - bounds.least) / 2)
    step = 10.0**-places
    # What is a multiple of the step already must not move by the last digit of its quotient.
    least = floor(bounds.least / step + 1e-9) * step
    return f"{least:.{places}f} to {_at_most(bounds.most, places)}"


def _at_most(value: float, places: int) -> str:
    """A number rounded up."""
    return f"{ceil(value * 10**places - 1e-9) / 10**places:.{places}f}"


def tell_most(cell: Cell, gain: pd.DataFrame, deals: int) -> str:
    """Sentences on the seat that could gain most by leaving the strategy."""
    found = seat_bounds(gain)
    seat = max(found, key=lambda one: found[one].high)
    most = found[seat]
    rivals = [one.most for other, one in found.items() if other != seat]
    surely = most.least > max(rivals)
    who = cell.seat_in_words(seat)
    doubt = "" if most.least > 0 else ", too close to call from no gain at all"
    return (
        f"By leaving the strategy while the others keep to it, {who} "
        f"{'gains' if surely else 'may gain'} most: {_ends(most)} stakes a deal. The best "
        f"deviation found came to {interval(most.low, most.low_se, deals)} on deals it was not "
        f"fitted on{doubt}; fitted and valued on the same deals, too high on average, it came to "
        f"{interval(most.high, most.high_se, deals)}."
    )


def tell_total(gain: pd.DataFrame) -> str:
    """Sentences on whether the strategy is near an equilibrium."""
    total = total_bounds(gain)
    told = f"The gains of all {len(gain)} seats add up to {_ends(total)} stakes a deal"
    if total.most <= NEAR:
        verdict = f", at most {NEAR}: that is called near an equilibrium here"
    elif total.least > NEAR:
        verdict = f", more than {NEAR}: that is not near an equilibrium"
    else:
        verdict = f"; whether it is near an equilibrium (at most {NEAR}) is too close to call"
    return (
        f"{told}{verdict}. This is about announcing alone: the play of the cards is held fixed, "
        "and a player who announces looks at his hand, his seat, how many are in, and whether the "
        "miss is there, at nothing else."
    )


def draw_bounds(cell: Cell, gain: pd.DataFrame) -> Figure:
    """The two bounds of each seat's gain with their intervals, one above the other."""
    found = seat_bounds(gain)
    wide = widened(len(found))
    labels = [cell.seat_name(seat) for seat in found]
    figure, axes = new_rows(labels, "gain, stakes a deal", STAKES, row=0.42)
    axes.axvline(0, color=style.QUIET, linewidth=0.8)
    for name, (colour, marker, _), offset in (
        ("lower bound: on other deals than it was fitted on", style.LINES[0], -_APART),
        ("upper bound: fitted and valued on the same deals", style.LINES[1], _APART),
    ):
        is_low = offset < 0
        ends = [(b.low, b.low_se) if is_low else (b.high, b.high_se) for b in found.values()]
        axes.errorbar(
            [value for value, _ in ends],
            [place + offset for place in range(len(ends))],
            xerr=[wide * error for _, error in ends],
            color=colour,
            marker=marker,
            markersize=5.5,
            linestyle="none",
            capsize=3,
            label=name,
        )
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=1, borderaxespad=0.2)
    axes.set_ylabel("seat")
    return figure


def gain_exhibit(cell: Cell, gain: pd.DataFrame, deals: int) -> Exhibit:
    """What each seat could gain by leaving the strategy."""
    found = seat_bounds(gain)
    sure = [cell.seat_in_words(seat) for seat, one in found.items() if one.least > 0]
    told = (
        f"Some gain is sure for {listed(sure)}."
        if sure
        else "Of no seat it is sure that it gains anything."
    )
    largest = max(one.most for one in found.values())
    rows = [
        (
            cell.seat_name(seat),
            with_error(one.low, one.low_se, deals),
            with_error(one.high, one.high_se, deals),
            _ends(one),
        )
        for seat, one in found.items()
    ]
    total = total_bounds(gain)
    sums = (
        with_error(total.low, total.low_se, deals),
        with_error(total.high, total.high_se, deals),
        _ends(total),
    )
    return make_exhibit(
        f"gains-{cell.number}",
        f"What one player could gain by leaving the strategy: {cell.label}",
        "Two dots for each seat with their intervals: a lower bound of what it could gain, and "
        "below it an upper one.",
        f"{told} No seat gains more than {_at_most(largest, places_of(largest))} stakes a deal. "
        f"The intervals of all {len(found)} seats together hold with 95 %; the gain lies between "
        "the two bounds.",
        lambda: draw_bounds(cell, gain),
        Table(
            "Gain of a player who leaves the strategy while the others keep to it, stakes a deal "
            "(standard error of the last digits in brackets); intervals of the seats hold together "
            "with 95 %, in the sum errors are added up",
            ("seat", "lower bound", "upper bound", "gain"),
            (*rows, ("all together", *sums)),
        ),
    )


def games_table(found: Sequence[tuple[Cell, pd.DataFrame]], deals: int) -> Table:
    """The gains of all seats together, game by game."""
    rows = []
    for cell, gain in found:
        total = total_bounds(gain)
        low, high = (total.low, total.low_se), (total.high, total.high_se)
        sums = (with_error(*low, deals), with_error(*high, deals))
        rows.append((cell.label, *sums, _ends(total)))
    return Table(
        "Gains of all seats added up, pot by pot, stakes a deal (standard error of the last digits "
        "in brackets, the errors added up too)",
        ("game", "lower bound", "upper bound", "gain"),
        tuple(rows),
    )


def value_exhibit(cell: Cell, gain: pd.DataFrame, deals: int) -> Exhibit:
    """What each seat is worth where everyone keeps to the strategy."""
    known = bool(gain[VALUE_ERROR].map(isfinite).all())
    dots = [
        mean_dot(cell.seat_name(int(row.seat)), row.value, row.value_se)
        if known
        else Dot(cell.seat_name(int(row.seat)), row.value, row.value, row.value)
        for row in each(gain)
    ]
    if known:
        told = extremes(
            "What a deal is worth where everyone keeps to the strategy",
            [
                Candidate(
                    f"for {cell.seat_in_words(int(row.seat))}", row.value, row.value_se, deals
                )
                for row in each(gain)
            ],
            "seats",
        )
        told += " Bars: 95 % intervals, of each seat by itself."
    else:
        told = (
            f"From {_about(gain['value'].min())} to {_about(gain['value'].max())} stakes a deal; "
            "errors of these values were not kept, so that no seat is called highest."
        )
    return make_exhibit(
        f"values-{cell.number}",
        f"What each seat is worth: {cell.label}",
        "A dot for each seat at the mean net of a deal, with its interval where it is known.",
        told,
        lambda: draw_dots(dots, "value, stakes a deal", zero=True),
        Table(
            "Mean net of a deal where everyone keeps to the strategy, stakes (standard error "
            "of the last digits in brackets; ≈ where it is not known)",
            ("seat", "value"),
            tuple(
                (cell.seat_name(int(row.seat)), with_error(row.value, row.value_se, deals))
                for row in each(gain)
            ),
        ),
    )


def _about(value: float) -> str:
    return signed(f"{value:.2f}")
