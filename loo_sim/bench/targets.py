"""What the engine is to reach, as ratios and times of one run, and whether it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from loo_sim.bench.cases import (
    ALTERNATIVES,
    ANNOUNCE_PLAYERS,
    ANNOUNCE_POLICY,
    BASELINE_POLICY,
    PLAYERS,
    POLICIES,
    PRESET_PLAYERS,
    STANDARD,
    THREADS,
    THREADS_PLAYERS,
)
from loo_sim.rules import PRESETS

TIMES_C = {5: 3.0, 8: 2.7, 16: 2.5}
"""Times as fast as scalar C, at least, by players."""
POLICY_COST, SESSION_COST, PRESET_COST = 1.5, 1.3, 1.3
"""Times the cost of the baseline's deals, at most."""
ALTERNATIVES_SAVED = 1.8
"""Times as fast as each alternative simulated as a deal of its own, at least."""
ANNOUNCED = 2.0
"""Million deals a second whose alternatives are all played out, about."""
THREADS_GAIN = 1.8
COMPILE_SECONDS, START_SECONDS = 20.0, 1.5


class Target(NamedTuple):
    """One thing that is asked.

    Attributes
    ----------
    what : str
    players : int or None
    measured : float
    bound : str
        `at least` or `at most`.
    asked : float
    unit : str
        Empty for a ratio.
    """

    what: str
    players: int | None
    measured: float
    bound: str
    asked: float
    unit: str = ""

    @property
    def is_met(self) -> bool:
        """Whether what was measured is on the right side."""
        if self.bound == "at least":
            return self.measured >= self.asked
        return self.measured <= self.asked


def find_targets(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Every target that a result of the benchmark tells of.

    Parameters
    ----------
    result : dict
        Of `run_bench`, but for its targets.

    Returns
    -------
    list of dict
        `what, players` (None where it is for all), `measured, bound, asked, unit, is_met`.
    """
    found = [*_of_rows(result["rows"]), *_of_threads(result["threads"]), *_of_process(result)]
    return [
        {**target._asdict(), "measured": round(target.measured, 3), "is_met": target.is_met}
        for target in found
    ]


def _of_rows(rows: list[dict[str, Any]]) -> Iterator[Target]:
    ns: dict[tuple[str, str, int, str], float] = {
        (row["study"], row["policy"], row["players"], row["rules"]): row["ns_per_deal"]
        for row in rows
        if row["engine"] == "loosim"
    }
    times_c = {
        row["players"]: row["ratio_to_c"]
        for row in rows
        if row["engine"] == "loosim" and row["ratio_to_c"] is not None
    }
    for players, ratio in times_c.items():
        yield Target("scalar C / deals", players, ratio, "at least", TIMES_C[players])

    def deals(players: int, policy: str = BASELINE_POLICY, rules: str = STANDARD) -> float:
        return ns["deals", policy, players, rules]

    for policy in POLICIES:
        for players in PLAYERS:
            if policy != BASELINE_POLICY:
                ratio = deals(players, policy) / deals(players)
                what = f"{policy} / {BASELINE_POLICY}"
                yield Target(what, players, ratio, "at most", POLICY_COST)
    for players in PLAYERS:
        ratio = ns["session", BASELINE_POLICY, players, STANDARD] / deals(players)
        yield Target("session / deals", players, ratio, "at most", SESSION_COST)
    for preset in PRESETS:
        if preset != STANDARD:
            ratio = deals(PRESET_PLAYERS, rules=preset) / deals(PRESET_PLAYERS)
            what = f"{preset} / {STANDARD}"
            yield Target(what, PRESET_PLAYERS, ratio, "at most", PRESET_COST)
    players = ANNOUNCE_PLAYERS[0]
    announce = ns["announce", ANNOUNCE_POLICY, players, STANDARD]
    ratio = ns[ALTERNATIVES, ANNOUNCE_POLICY, players, STANDARD] / announce
    yield Target("alternatives / announce", players, ratio, "at least", ALTERNATIVES_SAVED)
    yield Target("announce", players, 1e3 / announce, "at least", ANNOUNCED, "million deals/s")


def _of_threads(threads: list[dict[str, Any]]) -> Iterator[Target]:
    ns = {
        (row["players"], row["threads"]): row["ns_per_deal"]
        for row in threads
        if row["engine"] == "loosim"
    }
    one, several = THREADS
    for players in THREADS_PLAYERS:
        ratio = ns[players, one] / ns[players, several]
        yield Target(f"{several} threads / {one}", players, ratio, "at least", THREADS_GAIN)


def _of_process(result: dict[str, Any]) -> Iterator[Target]:
    memory = result["memory"]
    if memory["l2_bytes"] is not None:
        asked = memory["l2_bytes"] / 2**10
        for row in memory["batches"]:
            size = row["bytes"] / 2**10
            yield Target("rows of a batch", row["players"], size, "at most", asked, "KiB")
    if result["compile_seconds"] is not None:
        seconds = sum(result["compile_seconds"].values())
        yield Target("compiling everything", None, seconds, "at most", COMPILE_SECONDS, "s")
    yield Target("start of a run", None, result["start_seconds"], "at most", START_SECONDS, "s")
