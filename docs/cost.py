"""Draws docs/cost.svg, what a deal costs by players and by deals, and prints the tables.

    python docs/cost.py

One thread, one run, everyone on the policy `trumps` under standard rules. Whatever is compared
takes turns, and the least of several measurements counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from bench_tables import table
from matplotlib.axes import Axes

from loo_sim.bench.cases import BASELINE_POLICY, Measure, cell_of, measure_study
from loo_sim.bench.run import least_in_turns
from loo_sim.bench.scalar import BENCHMARKS, compile_scalar_c, measure_scalar_c
from loo_sim.report import style

PLAYERS = tuple(range(5, 17))
SHOWN = (5, 8, 12, 16)
"""Players that the table shows; the fit is of all."""
PLAYERS_OF_DEALS = 6
"""Players where the number of deals grows."""
DEALS = 200_000
"""Deals of a measurement where the number of players grows."""
MANY_DEALS = (10_000, 30_000, 100_000, 1_000_000, 10_000_000)
DECADES = {10_000: "10,000", 100_000: "100,000", 1_000_000: "1 million", 10_000_000: "10 million"}
REPEATS, REPEATS_OF_MANY = 9, 5
SEED = 1
HEIGHT = 3.2
PICTURE = Path(__file__).parent / "cost.svg"


class Curve(NamedTuple):
    """What is drawn.

    Attributes
    ----------
    label : str
    measure_at : callable
        From a number of players, how to measure nanoseconds.
    per : callable
        From a number of players, how many of what the label says are measured in a deal.
    """

    label: str
    measure_at: Callable[[int], Measure]
    per: Callable[[int], int]


def curves() -> Iterator[Curve]:
    """The studies and the scalar C program; of `announce`, each of a seat's two alternatives."""
    program = BENCHMARKS / "build" / "scalar"
    compile_scalar_c(BENCHMARKS / "scalar.c", program)
    yield Curve("scalar C", lambda players: measure_scalar_c(program, players), lambda players: 1)
    yield Curve("session", lambda players: measured("session", players), lambda players: 1)
    yield Curve("deals", lambda players: measured("deals", players), lambda players: 1)
    yield Curve(
        "announce, an alternative",
        lambda players: measured("announce", players),
        lambda players: 2 * players,
    )


def measured(study: str, players: int) -> Measure:
    """How to measure a study of the kernels."""
    return measure_study(study, cell_of(study, BASELINE_POLICY, players))


def by_players(drawn: list[Curve]) -> dict[str, npt.NDArray[np.float64]]:
    """Nanoseconds of each curve at each number of players."""
    todo = {(c.label, n): c.measure_at(n) for n in PLAYERS for c in drawn}
    least = least_in_turns(todo, DEALS, REPEATS, SEED, print)
    return {c.label: np.array([least[c.label, n] / c.per(n) for n in PLAYERS]) for c in drawn}


def by_deals(drawn: list[Curve]) -> dict[str, npt.NDArray[np.float64]]:
    """Nanoseconds of each curve at each number of deals."""

    def of_so_many(measure: Measure, deals: int) -> Measure:
        return lambda _, seed: measure(deals, seed)

    measures = {c.label: c.measure_at(PLAYERS_OF_DEALS) for c in drawn}
    todo = {(c.label, n): of_so_many(measures[c.label], n) for n in MANY_DEALS for c in drawn}
    least = least_in_turns(todo, 0, REPEATS_OF_MANY, SEED, print)
    return {
        c.label: np.array([least[c.label, n] / c.per(PLAYERS_OF_DEALS) for n in MANY_DEALS])
        for c in drawn
    }


def fitted(ns: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    """Least squares ``a + b players``: a, b, and the greatest residual as a share of its value."""
    b, a = np.polyfit(PLAYERS, ns, 1)
    return float(a), float(b), float(np.abs(1 - (a + b * np.array(PLAYERS)) / ns).max())


def fit_row(label: str, ns: npt.NDArray[np.float64]) -> tuple[str, ...]:
    """A row of the table by players: some values, the fit, and how far off it is at most."""
    a, b, residual = fitted(ns)
    shown = (f"{ns[PLAYERS.index(n)]:.1f}" for n in SHOWN)
    return label, *shown, f"{a:.1f} + {b:.2f} n", f"{residual:.0%}"


def draw(axes: Axes, x: tuple[int, ...], lines: dict[str, npt.NDArray[np.float64]]) -> None:
    """Draw nanoseconds against `x`."""
    axes.grid(axis="y")
    for (label, ns), (colour, marker, _) in zip(lines.items(), style.LINES, strict=False):
        axes.plot(x, ns, marker, color=colour, markersize=4, label=label)
    axes.set_ylim(bottom=0)


def main() -> None:
    """Measure, print and draw."""
    drawn = list(curves())
    players, deals = by_players(drawn), by_deals(drawn)
    print()
    titles = ("ns a deal", *(f"{n}" for n in SHOWN), "fit, n players", "greatest residual")
    print(table(titles, (fit_row(label, ns) for label, ns in players.items())))
    titles = (f"ns a deal, {PLAYERS_OF_DEALS} players", *(f"{n:,} deals" for n in MANY_DEALS))
    print(table(titles, ((label, *map("{:.1f}".format, ns)) for label, ns in deals.items())))
    with style.drawing(PICTURE.stem):
        figure = style.new_figure(HEIGHT)
        left, right = figure.subplots(1, 2, sharey=True)
        draw(left, PLAYERS, players)
        for ns, (colour, _, dash) in zip(players.values(), style.LINES, strict=False):
            a, b, _ = fitted(ns)
            ends = np.array([PLAYERS[0], PLAYERS[-1]])
            left.plot(ends, a + b * ends, color=colour, linestyle=dash, linewidth=1)
        left.set_xlabel("players")
        left.set_ylabel("nanoseconds a deal")
        left.set_xticks(PLAYERS[::3] + PLAYERS[-1:])
        draw(right, MANY_DEALS, deals)
        right.set_xscale("log")
        right.set_xticks(list(DECADES), list(DECADES.values()))
        right.minorticks_off()
        right.set_xlabel(f"deals, {PLAYERS_OF_DEALS} players")
        figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=4)
        figure.savefig(PICTURE, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
