"""Measures everything in one run: engines in turns, threads, memory, starting, compiling.

Machines drift, so engines take turns (A B C A B C ...) and the least time of several is kept. Times
are processor time of the thread that plays, but where several threads play; compiling is not in
them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any

from loo_sim.bench.cases import PLAYERS, POLICIES, PRESET_PLAYERS, Case, loosim_cases, thread_cases
from loo_sim.bench.memory import batch_bytes, l2_bytes, peak_memory_mb
from loo_sim.bench.scalar import (
    BENCHMARKS,
    BaselineError,
    process_cases,
    scalar_c_cases,
    scalar_numba_cases,
)
from loo_sim.bench.start import compile_seconds, start_seconds
from loo_sim.bench.targets import find_targets
from loo_sim.machine import machine, versions
from loo_sim.rules import PRESETS

DEALS = 2**18
"""Deals in one measurement: a chunk of a session, and so few that some are not disturbed."""
REPEATS = 15
"""Measurements of each engine, of which the fastest counts."""
WARM_UP = 1_000
"""Deals played before measuring, so that everything is compiled and every page touched."""
ENGINES = ("loosim", "scalar-c", "scalar-numba")
STUDIES = ("deals", "session", "announce", "alternatives")


def run_bench(
    *,
    deals: int = DEALS,
    repeats: int = REPEATS,
    seed: int = 1,
    compiling: bool = False,
    benchmarks: Path = BENCHMARKS,
    tell: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure every engine.

    Parameters
    ----------
    deals : int
        Deals in one measurement.
    repeats : int
        Measurements of each engine.
    seed : int
        0 to 2**64 - 1.
    compiling : bool
        Whether to measure how long the kernels take to compile too.
    benchmarks : Path
        Folder of the scalar programs.
    tell : callable
        Told what is being done, a line at a time.

    Returns
    -------
    dict
        Ready for JSON: `machine`, `versions`, `deals`, `repeats`, `left_out` (sentences) and

        - `rows`: `engine, study, policy, players, rules, ns_per_deal` and `ratio_to_c`, how many
          times as fast as the scalar C program at the same study, policy, players and rules; None
          where that was not measured. The study `alternatives` is what `announce` finds for every
          seat, each alternative simulated as a deal of its own: all those deals together.
        - `threads`: `engine, players, threads, ns_per_deal` in wall-clock time of all threads
          together, of scalar C as many processes, and `processors`, how many the system gave them:
          of a busy machine they get fewer than they are.
        - `memory`: `batches` (`players, bytes` of the work rows that a batch uses), `l2_bytes`
          (None if unknown); `peak_memory_mb` (of this process, the announce study at 16 players
          included).
        - `start_seconds`: wall-clock time from the start of a run to its first chunk;
          `compile_seconds`: processor time to compile the kernels by study, each after those before
          it, or None.
        - `targets`: see `targets.find_targets`.
    """
    left_out: list[str] = []
    cases, together = loosim_cases(), thread_cases()
    try:
        cases += scalar_c_cases(benchmarks)
        together.update(process_cases(benchmarks))
    except BaselineError as error:
        left_out.append(str(error))
    try:
        cases += scalar_numba_cases(benchmarks)
    except BaselineError as error:
        left_out.append(str(error))
    # Engines at the same work stand side by side, so that they are measured moments apart.
    cases.sort(key=lambda case: (case.players, case.policy, case.rules, case.study))
    todo: dict[Hashable, Callable[[int, int], Any]] = {case: case.measure for case in cases}
    todo.update(together.items())
    todo["start"] = lambda deals, seed: start_seconds()
    least = least_in_turns(todo, deals, repeats, seed, tell)
    rows = _rows({case: least[case] for case in cases})
    threads = [
        {
            "engine": engine,
            "players": players,
            "threads": count,
            "ns_per_deal": round(least[engine, players, count].ns_per_deal, 3),
            "processors": round(least[engine, players, count].processors, 2),
        }
        for engine, players, count in together
    ]
    result = {
        "machine": machine(),
        "versions": versions(),
        "deals": deals,
        "repeats": repeats,
        "left_out": left_out,
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "rows": rows,
        "threads": threads,
        "memory": {
            "batches": [
                {"players": players, "bytes": batch_bytes(players)}
                for players in sorted({*PLAYERS, PRESET_PLAYERS})
            ],
            "l2_bytes": l2_bytes(),
        },
        "start_seconds": round(least["start"], 3),
        "compile_seconds": None,
    }
    if compiling:
        tell("compiling every kernel once more, where none are kept")
        result["compile_seconds"] = compile_seconds()
    result["targets"] = find_targets(result)
    return result


def least_in_turns(
    todo: Mapping[Hashable, Callable[[int, int], Any]],
    deals: int,
    repeats: int,
    seed: int,
    tell: Callable[[str], None],
) -> dict[Hashable, Any]:
    """The least that each of several measurements comes to, all of them taking turns.

    Parameters
    ----------
    todo : mapping of object to callable
        Told how many deals to play and the seed.
    deals, repeats : int
        Deals in a measurement, measurements.
    seed : int
        0 to 2**64 - 1.
    tell : callable
        Told what is being done.
    """
    tell("compiling")
    for measure in todo.values():
        measure(WARM_UP, seed)
    measured: dict[Hashable, list[Any]] = {name: [] for name in todo}
    for turn in range(repeats):
        tell(f"measuring, {turn + 1} of {repeats}")
        for name, measure in todo.items():
            measured[name].append(measure(deals, seed))
    return {name: min(found) for name, found in measured.items()}


def _rows(least: Mapping[Case, float]) -> list[dict[str, Any]]:
    """The rows of the result, what is compared together."""

    def work(case: Case) -> tuple[str, str, int, str]:
        return case.study, case.policy, case.players, case.rules

    def reading_order(case: Case) -> tuple[int, ...]:
        return (
            STUDIES.index(case.study),
            tuple(POLICIES).index(case.policy),
            case.players,
            tuple(PRESETS).index(case.rules),
            ENGINES.index(case.engine),
        )

    of_c = {work(case): spent for case, spent in least.items() if case.engine == "scalar-c"}
    return [
        {
            "engine": case.engine,
            "study": case.study,
            "policy": case.policy,
            "players": case.players,
            "rules": case.rules,
            "ns_per_deal": round(least[case], 3),
            "ratio_to_c": round(of_c[work(case)] / least[case], 3) if work(case) in of_c else None,
        }
        for case in sorted(least, key=reading_order)
    ]
