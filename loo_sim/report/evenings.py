"""The exhibit of fifty equally likely evenings: a quantile dot plot of what each person gains.

Fifty dots are counted rather than read off an axis, which people do better than they judge areas
(Kay, Kola, Hullman and Munson 2016, "When (ish) is my bus?").
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.dots import STAKES
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.result import Cell
from loo_sim.rounding import rough

DOTS = tuple(f"q{percent:02}" for percent in range(1, 100, 2))
"""Ends of the names of columns that hold the mid-points of fifty equal shares."""
MOST_PEOPLE = 6
"""People whose evenings are drawn, one of each policy."""
COLUMNS = 45
"""Dots that fit abreast."""

_COLOURS = ("#d55e00", "#999999", "#0072b2")
"""Of an evening lost, neither, won."""
_CHART = 5.0
"""Inches that the dots have for themselves across a figure, about."""


class Evenings(NamedTuple):
    """Fifty equally likely evenings of a person.

    Attributes
    ----------
    label : str
    gains : ndarray of float, shape (50,)
        Stakes won or lost, ascending.
    """

    label: str
    gains: npt.NDArray[np.float64]


def evenings(cell: Cell) -> list[Evenings]:
    """The evenings of one person of each policy; empty where the result does not hold them."""
    rows = cell.tables["purse"].sort_values("person", ignore_index=True)
    if f"final_{DOTS[0]}" not in rows:
        return []
    first_of = rows.drop_duplicates("policy").head(MOST_PEOPLE)
    gains = first_of[[f"final_{name}" for name in DOTS]].to_numpy(float) - (cell.bankroll or 0)
    people = map(cell.person_name, first_of["person"])
    return [Evenings(label, row) for label, row in zip(people, gains, strict=True)]


def heap(gains: Sequence[float], width: float) -> list[tuple[float, int]]:
    """Where dots of a width stand in heaps: dot density binning (Wilkinson 1999, "Dot plots").

    Returns
    -------
    list of (float, int)
        Middle of each heap, and the dots in it.
    """
    heaps: list[tuple[float, int]] = []
    left = sorted(gains)
    while left:
        together = [gain for gain in left if gain < left[0] + width]
        heaps.append(((together[0] + together[-1]) / 2, len(together)))
        left = left[len(together) :]
    return heaps


def draw_evenings(people: Sequence[Evenings]) -> Figure:
    """A row of heaped dots for each person, on one axis."""
    least = min(0.0, *(person.gains[0] for person in people))
    most = max(0.0, *(person.gains[-1] for person in people))
    width = (most - least or 1.0) / COLUMNS
    heaped = [heap(list(person.gains), width) for person in people]
    dot = _CHART / COLUMNS
    highs = [max(count for _, count in heaps) + 0.5 for heaps in heaped]
    figure = style.new_figure(0.7 + sum(0.35 + dot * high for high in highs))
    grid = figure.subplots(len(people), 1, sharex=True, squeeze=False, height_ratios=highs)[:, 0]
    for axes, person, heaps, high in zip(grid, people, heaped, highs, strict=True):
        places = np.array([(at, up + 0.5) for at, count in heaps for up in range(count)])
        sign = np.sign(person.gains)
        for colour, what in zip(_COLOURS, (-1, 0, 1), strict=True):
            x, y = places[sign == what].T
            # The area of a dot, in square points, a tenth narrower than its place.
            axes.scatter(x, y, s=(0.9 * 72 * dot) ** 2, color=colour, linewidths=0)
        axes.axvline(0, color=style.QUIET, linewidth=0.8)
        axes.set_ylim(0, high)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.set_title(style.shortened(person.label, 60))
    grid[-1].set_xlim(least - width, most + width)
    grid[-1].xaxis.set_major_formatter(STAKES)
    grid[-1].set_xlabel("won or lost in an evening, stakes")
    return figure


def count_won(people: Sequence[Evenings]) -> str:
    """A sentence on who of those drawn wins in most and in fewest of fifty evenings."""
    won = {person.label: int((person.gains > 0).sum()) for person in people}
    most, fewest = max(won, key=lambda name: won[name]), min(won, key=lambda name: won[name])
    if won[most] == won[fewest]:
        whom = most if len(won) == 1 else "everyone drawn here"
        return f"Of fifty equally likely evenings {whom} wins in {won[most]}."
    return (
        f"Of fifty equally likely evenings {most} wins in {won[most]}, {fewest} in {won[fewest]}."
    )


def evenings_exhibit(cell: Cell, people: Sequence[Evenings]) -> Exhibit:
    """Fifty equally likely evenings of one person of each policy."""
    numbers = Table(
        "Evenings won, neither won nor lost, and lost, of fifty equally likely ones, and the "
        "worst and the best two of the fifty, in stakes (within a 64th of the purse)",
        ("person", "won", "neither", "lost", "worst", "next", "next to best", "best"),
        tuple(
            (
                person.label,
                *(str(int((np.sign(person.gains) == sign).sum())) for sign in (1, 0, -1)),
                *(rough(person.gains[place]) for place in (0, 1, -2, -1)),
            )
            for person in people
        ),
    )
    return make_exhibit(
        f"evenings-{cell.number}",
        f"Fifty evenings: {cell.label}",
        "For each person fifty dots heaped along an axis of stakes won or lost, with a line at 0.",
        f"{count_won(people)} Each dot is one evening in fifty: blue won, orange lost, grey "
        "neither. Dots closer than one is wide stand on each other.",
        partial(draw_evenings, people),
        numbers,
    )
