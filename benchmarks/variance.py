"""What an error costs: deals and seconds to a given error, plainly and with what the game offers.

    python benchmarks/variance.py

One thread, one run: every way is timed on the deals that its error is taken from. The error is the
half-width of a 95 % interval, in stakes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.experiment import Cell
from loo_sim.kernels.compiled import compiling
from loo_sim.kernels.counting import count_deals
from loo_sim.kernels.game import encode_cell
from loo_sim.kernels.whole_deals import play_deals
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.features import Situation
from loo_sim.policies.parse import load_policy
from loo_sim.rules import PRESETS, UNITS_PER_STAKE
from loo_sim.studies import find_study
from loo_sim.studies.estimates import Z95

SEED = 1
PLAYERS, POT = 6, 6 * UNITS_PER_STAKE
SMALL, ROUGH = 0.01, 0.1
"""Errors asked for: of a mean, and of every single hand in a situation."""


class Cost(NamedTuple):
    """What an estimator needs for an error.

    Attributes
    ----------
    figure, way : str
        What is estimated, and how.
    error : float
        Stakes.
    deals : float
    ns : float
        Nanoseconds a deal.
    """

    figure: str
    way: str
    error: float
    deals: float
    ns: float


def cell_of(*names: str, **changes: Any) -> Cell:
    """A game of six players at a double pot: one policy for all, or one a seat."""
    policies = tuple(load_policy(name) for name in names)
    whole = policies * PLAYERS if len(policies) == 1 else policies
    return replace(Cell({}, PLAYERS, POT, PRESETS["standard"], whole), **changes)


def measured(study_name: str, cell: Cell, deals: int) -> tuple[dict[str, Any], float]:
    """The tables of a cell, and nanoseconds a deal without compiling."""
    study = find_study(study_name)
    game, counts = study.encode(cell), study.empty_counts(cell)
    with compiling():
        study.add_counts(game, SEED, 0, 1, study.empty_counts(cell))
    begun = perf_counter()
    study.add_counts(game, SEED, 0, deals, counts)
    taken = perf_counter() - begun
    tables = study.tables(cell, deals, counts)
    return {name: table.to_pandas() for name, table in tables.items()}, taken / deals * 1e9


def deals_to(se: float, deals: float, error: float) -> float:
    """Deals at which a standard error after `deals` has become the half-width asked for."""
    return deals * (Z95 * se / error) ** 2


def first_seat(deals: int = 2_000_000) -> Iterator[Cost]:
    """The miss less standing, over all hands of the first to speak."""
    tables, ns = measured("announce", cell_of("peel"), deals)
    found = tables["precision"].set_index("figure").loc["miss_minus_stand"]
    for way, se in (
        ("each on deals of its own", found["unpaired_se"]),
        ("both on the same deals", found["plain_mean_se"]),
        ("the same, exact chances of hands", found["mean_se"]),
    ):
        yield Cost("miss - stand, first seat", way, SMALL, deals_to(se, deals, SMALL), ns)


def every_hand(deals: int = 4_000_000) -> Iterator[Cost]:
    """Stand, miss and miss less stand with each of the 4,861 hands, seat 3 with one player in."""
    _, ns = measured("announce", cell_of("peel"), deals // 8)
    aimed, aimed_ns = measured("announce", cell_of("peel", aim=Situation(3, 1, True)), deals)
    row = aimed["aim"].iloc[0]
    figure = "seat 3, every hand"
    needed = row["n"] * (row["worst"] / ROUGH) ** 2
    yield Cost(figure, "plain deals", ROUGH, needed * row["gain"], ns)
    yield Cost(figure, "aimed deals", ROUGH, needed, aimed_ns)


def two_policies(deals: int = 200_000) -> Iterator[Cost]:
    """The difference of two policies, each of whom has three seats."""
    contestants = cell_of("peel", "trumps")
    tables, ns = measured("league", contestants, deals)
    row = tables["league"].iloc[0]
    for way, se in (
        ("single seats", row["plain_se"]),
        ("same cards, every seat", row["net_diff_se"]),
    ):
        yield Cost("peel - trumps, a seat", way, SMALL, deals_to(se, deals, SMALL), ns)


def pot_swing(deals: int = 1_000_000) -> Iterator[Cost]:
    """The mean change of the pot, with and without a control of known mean.

    The control is the number of seats, the dealer's left out, whose hand their policy would come in
    on if they spoke first: hands alone decide it, so that its mean is exact.
    """
    for name in ("peel", "trumps", "loose", "tight"):
        cell = cell_of(name)
        game = encode_cell(cell)
        with compiling():
            count_deals(game, SEED, 0, 1)
            play_deals(game, SEED, 0, 1)
        begun = perf_counter()
        count_deals(game, SEED, 0, deals)
        ns = (perf_counter() - begun) / deals * 1e9
        some = min(deals, 200_000)
        whole = play_deals(game, SEED, 0, some)
        swing = (whole.pot_after - cell.pot) / UNITS_PER_STAKE
        control = control_of(cell, whole.hand)
        explained = float(np.corrcoef(swing, control)[0, 1] ** 2) if control.any() else 0.0
        se = float(swing.std(ddof=1)) / np.sqrt(some)
        figure = f"change of the pot, {name}"
        needed = deals_to(se, some, SMALL)
        yield Cost(figure, "plain mean", SMALL, needed, ns)
        yield Cost(figure, "control, if it took no time", SMALL, needed * (1 - explained), ns)


def control_of(cell: Cell, hands: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """How many seats but the dealer's would come in if they spoke first, in each deal."""
    tables = compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    coming = np.zeros(len(hands), np.int64)
    for seat in range(cell.players - 1):
        codes = np.stack([hands[:, seat + 1] >> shift & 255 for shift in (0, 8, 16)], axis=1)
        # A plain card is 4 rank + suit, a trump 52 + rank (kernels/dealing.py).
        numbers = np.where(codes >= 52, codes - 13, codes % 4 * 13 + codes // 4).astype(np.int64)
        low, middle, high = np.sort(numbers, axis=1).T
        index = high * (high - 1) * (high - 2) // 6 + middle * (middle - 1) // 2 + low
        coming += tables.rows[tables.row_of[seat, 0, 1]][index] > 0
    return coming


def main() -> None:
    """Print the table; `times` is how often the first way's seconds hold those of another."""
    print(f"{'figure':34}{'way':34}{'error':>7}{'deals':>15}{'ns':>6}{'seconds':>10}{'times':>7}")
    for costs in (first_seat(), every_hand(), two_policies(), pot_swing()):
        first = ("", 0.0)
        for cost in costs:
            seconds = cost.deals * cost.ns / 1e9
            if cost.figure != first[0]:
                first = (cost.figure, seconds)
            print(
                f"{cost.figure:34}{cost.way:34}{cost.error:>7g}{cost.deals:>15,.0f}{cost.ns:>6.0f}"
                f"{seconds:>10.2f}{first[1] / seconds:>7.2f}"
            )


if __name__ == "__main__":
    main()
