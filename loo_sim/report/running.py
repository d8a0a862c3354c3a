"""Exhibit 14, its running estimate: a figure as the work came in, and how its pieces scatter."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from loo_sim.report import style
from loo_sim.report.dots import STAKES
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.result import DONE, Cell, Result
from loo_sim.rounding import interval, listed, with_error
from loo_sim.studies.estimates import Z95
from loo_sim.studies.paired import followed_rows

FEWEST_PIECES = 4
"""Fewer pieces of work say nothing about how a figure settles."""

MOST_PANELS = 3
"""Games drawn one by one; of more, that whose pieces scatter most and that where they do least."""

MOST_LOOKS = 40
"""Points of a line; of more pieces some, as even on a logarithmic scale as can be."""

_SHORT = 50
"""A line whose end has fewer times the deals of its beginning has more than powers of ten named."""

_NAMED = 3
"""Games named one by one."""


class Followed(NamedTuple):
    """The figure of a game that is followed.

    Attributes
    ----------
    figure : str
        As the table ``running`` has it, ...
    sign : int
        ... or with its sign turned, if -1.
    what : str
        In words.
    """

    figure: str
    sign: int
    what: str


class Track(NamedTuple):
    """A figure of a game through its work, in the order of the deals.

    Attributes
    ----------
    cell : Cell
    what : str
        The figure in words.
    n : ndarray of int64
        Deals, or tables, up to and with each piece of work.
    mean, se : ndarray of float64
        The figure over all of them, and its standard error, in stakes; nan where it has none.
    pieces : int
    scatter : float
        How the pieces' own figures spread, in terms of what their errors claim: about 1.
    """

    cell: Cell
    what: str
    n: npt.NDArray[np.int64]
    mean: npt.NDArray[np.float64]
    se: npt.NDArray[np.float64]
    pieces: int
    scatter: float

    def allowed(self, games: int) -> tuple[float, float]:
        """The bounds that the scatter keeps to by chance, in so many games together with 95 %."""
        from scipy import stats

        tail = 0.025 / games
        freedom = (self.pieces - 1, int(self.n[-1]) - self.pieces)
        low, high = stats.f.ppf((tail, 1 - tail), *freedom)
        return sqrt(low), sqrt(high)

    def is_within(self, games: int) -> bool:
        """Whether the scatter keeps to these bounds."""
        low, high = self.allowed(games)
        return low <= self.scatter <= high


def followed(cell: Cell) -> Followed:
    """The figure of a game that is followed: its headline, or what that sharpens."""
    if "standing" in cell.tables:
        first, last = cell.tables["standing"]["policy"].iloc[[0, -1]]
        what = f"net of {first} less that of {last}"
        if f"{last} minus {first}" in set(cell.tables["running"]["figure"]):
            return Followed(f"{last} minus {first}", -1, what)
        return Followed(f"{first} minus {last}", 1, what)
    if "announce" in cell.tables:
        return Followed("miss_minus_stand", 1, "net of the miss less that of standing, seat 0,")
    if "lead" in cell.tables:
        return Followed("lowest_minus_highest", 1, "net of the lowest lead less the highest,")
    if "session" in cell.tables:
        return Followed("pot", 1, "mean pot when play begins")
    return Followed("pot_swing", 1, "mean change of the pot")


def track(cell: Cell) -> Track | None:
    """Follow the figure of a game; None if it was counted in too few pieces.

    The mean of several pieces is that of all their deals, and so is its error,
    ``s^2 = (sum(s_i^2 n_i (n_i - 1)) + sum(n_i (m_i - m)^2)) / (n (n - 1))``. The scatter is the
    root of F, the variance between the pieces over that within them (one-way analysis of variance).
    """
    if "running" not in cell.tables:
        return None
    figure, sign, what = followed(cell)
    rows = followed_rows(cell.tables["running"], figure)
    pieces = len(rows)
    n, deals, mean, se = (rows[name].to_numpy(float) for name in ("n", "deals", "mean", "mean_se"))
    mean = sign * mean
    within = (np.nan_to_num(se) ** 2 * n * (n - 1)).cumsum()
    if pieces < FEWEST_PIECES or within[-1] <= 0:
        return None
    so_far, all_n = (deals * mean).cumsum() / deals.cumsum(), n.cumsum()
    # Around the end's mean, near which all are: the squares are small, and little is lost of them.
    off = mean - so_far[-1]
    between = (n * off**2).cumsum() - (n * off).cumsum() ** 2 / all_n
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt((within + np.maximum(between, 0.0)) / all_n / (all_n - 1))
    variances = between[-1] / (pieces - 1), within[-1] / (all_n[-1] - pieces)
    scatter = sqrt(variances[0] / variances[1])
    looks = _looks(pieces)
    return Track(
        cell, what, all_n[looks].astype(np.int64), so_far[looks], error[looks], pieces, scatter
    )


def _looks(pieces: int) -> npt.NDArray[np.int64]:
    """The pieces after which a line has a point: all, or the last and some before it."""
    if pieces <= MOST_LOOKS:
        return np.arange(pieces)
    return np.unique(np.geomspace(1, pieces, MOST_LOOKS).round().astype(np.int64)) - 1


def tracks(result: Result) -> list[Track]:
    """The figure of each game that was counted in pieces enough."""
    found = (track(cell) for cell in result.cells if cell.status == DONE)
    return [one for one in found if one is not None]


def tell(found: Sequence[Track]) -> str:
    """Sentences on where the figure ended, and on whether its errors are as large as they say."""
    games = len(found)
    first = _drawn(found)[0]
    unit = first.cell.unit
    name = f" with {first.cell.label}" if games > 1 else ""
    ends = interval(first.mean[-1], first.se[-1], int(first.n[-1]), " stakes")
    told = [f"The {first.what} comes to {ends} after {first.n[-1]:,} {unit}{name}."]
    if "announce" in first.cell.tables:
        told.append(
            "(Every deal counts alike here; elsewhere every hand counts by its exact chance, which "
            "is surer.)"
        )
    off = [one for one in found if not one.is_within(games)]
    if games == 1:
        low, high = first.allowed(1)
        told.append(
            f"The {first.pieces} pieces of work scatter {first.scatter:.2f} times as much as their "
            f"errors claim ({low:.2f} to {high:.2f} is what chance allows, 95 %): the errors are "
            + ("not as large as they say." if off else "as large as they say.")
        )
    elif off:
        named = [f"with {one.cell.label} ({one.scatter:.2f} times)" for one in off[:_NAMED]]
        if len(off) > _NAMED:
            named.append(f"in {len(off) - _NAMED} more")
        told.append(
            f"In {len(off)} of {games} games the pieces of work scatter otherwise than their "
            f"errors claim: {listed(named)}."
        )
    else:
        scatter = [one.scatter for one in found]
        which = "both" if games == 2 else f"all {games}"
        told.append(
            f"In {which} games the pieces of work scatter as their errors claim, within chance "
            f"({min(scatter):.2f} to {max(scatter):.2f} times as much)."
        )
    if len(_drawn(found)) < games:
        told.append(
            "Drawn are the game whose pieces scatter most, and the one where they do least."
        )
    told.append(
        f"Line and band: the figure over all {unit} up to there, with its 95 % interval; dashed: "
        "where it ended. Points of a line share most of what they rest on: it may well stay on one "
        "side."
    )
    return " ".join(told)


def _drawn(found: Sequence[Track]) -> list[Track]:
    """The games that are drawn."""
    if len(found) <= MOST_PANELS:
        return list(found)
    ordered = sorted(found, key=lambda one: one.scatter)
    return [ordered[-1], ordered[0]]


def draw(found: Sequence[Track]) -> Figure:
    """A panel a game: the figure over all that was counted up to there, with its interval."""
    shown = _drawn(found)
    figure = style.new_figure(0.6 + 1.9 * len(shown))
    colour, marker, _ = style.LINES[0]
    for one, axes in zip(shown, figure.subplots(len(shown), 1, squeeze=False)[:, 0], strict=True):
        half = Z95 * one.se
        axes.fill_between(
            one.n, one.mean - half, one.mean + half, color=colour, alpha=0.2, linewidth=0
        )
        axes.plot(one.n, one.mean, color=colour, linewidth=1.2, marker=marker, ms=3)
        axes.axhline(one.mean[-1], color=style.QUIET, linewidth=1, linestyle="--")
        axes.set_xscale("log")
        if one.n[-1] < _SHORT * one.n[0]:
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(STAKES)
        axes.xaxis.set_minor_formatter(lambda value, _: "")
        axes.yaxis.set_major_formatter(STAKES)
        axes.grid()
        axes.set_ylabel("stakes")
        if len(shown) > 1:
            axes.set_title(style.shortened(one.cell.label, 70))
    axes.set_xlabel(f"{shown[0].cell.unit} counted")
    return figure


def running_exhibit(result: Result) -> Exhibit | None:
    """The estimate as the work came in; None if no game was counted in pieces enough."""
    found = tracks(result)
    if not found:
        return None
    unit = found[0].cell.unit
    rows = [
        (one.cell.label, f"{n:,}", with_error(mean, se, int(n)))
        for one in _drawn(found)
        for n, mean, se in zip(one.n, one.mean, one.se, strict=True)
    ]
    return make_exhibit(
        "running",
        f"The estimate as the {unit} came in",
        f"A line of the {found[0].what.removesuffix(',')} over all {unit} up to there, with a band "
        "of its 95 % interval, against their number on a logarithmic scale; a dashed line where it "
        "ended.",
        tell(found),
        lambda: draw(found),
        Table(
            f"The figure over all {unit} up to there, in stakes (standard error of the last digits "
            "in brackets)",
            ("game", unit, "stakes"),
            tuple(rows),
        ),
    )
