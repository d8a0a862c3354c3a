"""What is timed: the kernels at a study, policy, rules and number of players."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from loo_sim.cards import hand_classes
from loo_sim.experiment import Cell
from loo_sim.rules import PRESETS, UNITS_PER_STAKE

PLAYERS = (5, 8, 16)
ANNOUNCE_PLAYERS = (6, 16)
PRESET_PLAYERS = 6
THREADS_PLAYERS = (5, 16)
THREADS = (1, 2)
BASELINE_POLICY, ANNOUNCE_POLICY = "trumps", "peel"
POLICIES = {
    BASELINE_POLICY: (BASELINE_POLICY,),
    "peel": ("peel",),
    "random": ("random",),
    "mixed": ("trumps", "peel", "tight", "loose", "pot-odds"),
}
"""Policies measured, by the name of the row; several take turns around the table."""
POT = 3 * UNITS_PER_STAKE
"""Units in the pot: the dealer's stake under standard rules."""
ROUNDS = 10
"""Times that everyone deals in an evening."""
STANDARD = "standard"
ALTERNATIVES = "alternatives"
"""What `announce` finds for every seat, each alternative simulated as a deal of its own."""

Measure = Callable[[int, int], float]
"""Plays a number of deals under a seed; nanoseconds for one deal."""


class Throughput(NamedTuple):
    """How fast several threads are together.

    Attributes
    ----------
    ns_per_deal : float
        Wall-clock time.
    processors : float
        How many the system gave them on average.
    """

    ns_per_deal: float
    processors: float


class Case(NamedTuple):
    """One thing to measure.

    Attributes
    ----------
    engine, study, policy : str
    players : int
    measure : callable
    rules : str
        A preset.
    """

    engine: str
    study: str
    policy: str
    players: int
    measure: Measure
    rules: str = STANDARD


def loosim_cases() -> list[Case]:
    """The kernels on one thread, in processor time."""
    cases = [_study_case("deals", policy, players) for policy in POLICIES for players in PLAYERS]
    cases += [_study_case("deals", BASELINE_POLICY, PRESET_PLAYERS, preset) for preset in PRESETS]
    cases += [_study_case("session", BASELINE_POLICY, players) for players in PLAYERS]
    for players in ANNOUNCE_PLAYERS:
        cases.append(_study_case("announce", ANNOUNCE_POLICY, players))
        singly = _measure_alternatives(cell_of("announce", ANNOUNCE_POLICY, players))
        cases.append(Case("loosim", ALTERNATIVES, ANNOUNCE_POLICY, players, singly))
    return cases


def thread_cases() -> dict[tuple[str, int, int], Callable[[int, int], Throughput]]:
    """The study `deals` by engine, players and threads."""
    return {
        ("loosim", players, threads): _on_threads(
            threads, cell_of("deals", BASELINE_POLICY, players)
        )
        for players in THREADS_PLAYERS
        for threads in THREADS
    }


def cell_of(study: str, policy: str, players: int, preset: str = STANDARD) -> Cell:
    """The game that is measured; an evening of `ROUNDS` rounds and unlimited purses if `session`.

    Parameters
    ----------
    study : str
        A study's name.
    policy : str
        A name in `POLICIES`.
    players : int
        Seats.
    preset : str
        Rules.
    """
    from loo_sim.policies.parse import load_policy

    loaded = [load_policy(name) for name in POLICIES[policy]]
    policies = tuple(loaded[seat % len(loaded)] for seat in range(players))
    rounds = ROUNDS if study == "session" else 0
    return Cell({}, players, POT, PRESETS[preset], policies, rounds)


def _study_case(study: str, policy: str, players: int, preset: str = STANDARD) -> Case:
    measure = measure_study(study, cell_of(study, policy, players, preset))
    return Case("loosim", study, policy, players, measure, preset)


def measure_study(study_name: str, cell: Cell) -> Measure:
    """A cell counted as a run counts it, chunk after chunk: processor time of the thread.

    Parameters
    ----------
    study_name : str
        One of the studies.
    cell : Cell
        The game, as `cell_of` has it.
    """
    from loo_sim.studies import find_study

    study = find_study(study_name)
    game, counts, length = study.encode(cell), study.empty_counts(cell), study.chunk_length(cell)
    deals_each = max(1, cell.rounds * cell.players)

    def measure(deals: int, seed: int) -> float:
        count = max(1, deals // deals_each)
        start = time.thread_time_ns()
        for first in range(0, count, length):
            study.add_counts(game, seed, first, min(length, count - first), counts)
        return (time.thread_time_ns() - start) / (count * deals_each)

    return measure


def _measure_alternatives(cell: Cell) -> Measure:
    """Both alternatives of every seat, each on deals of its own: processor time of them all."""
    from loo_sim.bench.alternatives import count_alternative
    from loo_sim.kernels.game import MISS, STAND, encode_cell

    game = encode_cell(cell)
    alternatives = [(seat, action) for seat in range(cell.players) for action in (STAND, MISS)]
    situations, classes = cell.players * (cell.players + 1), hand_classes().size.size
    counts = {action: np.zeros((situations, classes, 5), np.uint32) for action in (STAND, MISS)}

    def measure(deals: int, seed: int) -> float:
        start = time.thread_time_ns()
        for turn, (seat, action) in enumerate(alternatives):
            count_alternative(game, seat, action, seed, turn * deals, deals, counts[action])
        return (time.thread_time_ns() - start) / deals

    return measure


def _on_threads(threads: int, cell: Cell) -> Callable[[int, int], Throughput]:
    """A cell counted on several threads at once, each as many deals."""
    from loo_sim.studies import find_study

    study = find_study("deals")
    game = study.encode(cell)
    counts = [study.empty_counts(cell) for _ in range(threads)]

    def measure(deals: int, seed: int) -> Throughput:
        def work(thread: int) -> None:
            study.add_counts(game, seed, thread * deals, deals, counts[thread])

        with ThreadPoolExecutor(threads) as pool:
            start, spent_before = time.perf_counter_ns(), time.process_time_ns()
            list(pool.map(work, range(threads)))
            taken = time.perf_counter_ns() - start
        spent = time.process_time_ns() - spent_before
        return Throughput(taken / (threads * deals), spent / taken)

    return measure
