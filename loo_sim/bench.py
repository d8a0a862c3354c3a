"""Measures deals per second, beside scalar programs of the same game, in one run on one thread.

Machines drift, so engines take turns (A B C A B C ...) and the least time of several is kept. Times
are processor time of the thread that plays; compiling is not in them.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from loo_sim.cards import hand_classes
from loo_sim.machine import machine, versions
from loo_sim.rules import UNITS_PER_STAKE, Rules

if TYPE_CHECKING:
    from rich.table import Table

DEALS = 500_000
"""Deals in one measurement."""
REPEATS = 7
"""Measurements of each engine, of which the fastest counts."""
WARM_UP = 1_000
"""Deals played before measuring, so that everything is compiled and every page touched."""
PLAYERS = (5, 8, 16)
POT = 3 * UNITS_PER_STAKE
"""Units in the pot: the dealer's stake under standard rules."""
BASELINE_POLICY = "trumps"
POLICIES = {
    BASELINE_POLICY: (BASELINE_POLICY,),
    "peel": ("peel",),
    "random": ("random",),
    "mixed": ("trumps", "peel", "tight", "loose", "pot-odds"),
}
"""Policies measured, by the name of the row; several take turns around the table."""
ANNOUNCE_PLAYERS = (6, 16)
BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
"""The scalar programs, which only a source checkout has."""
COMPILE = ("gcc", "-O3", "-march=native")

Measure = Callable[[int, int], float]
"""Plays a number of deals under a seed; nanoseconds of processor time for one deal."""


class Case(NamedTuple):
    """One thing to measure: an engine at a study, a policy and a number of players."""

    engine: str
    study: str
    policy: str
    players: int
    measure: Measure


class BaselineError(Exception):
    """A scalar program cannot be measured here; the message says why, and what would help."""


def run_bench(
    *,
    deals: int = DEALS,
    repeats: int = REPEATS,
    seed: int = 1,
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
    benchmarks : Path
        Folder of the scalar programs.
    tell : callable
        Told what is being done, a line at a time.

    Returns
    -------
    dict
        Ready for JSON: `machine`, `versions`, `deals`, `repeats`, `left_out` (sentences),
        `peak_memory_mb` (of this process, the announce study at 16 players included) and `rows`:
        `engine, study, policy, players, ns_per_deal` and `ratio_to_c`, how many times as fast as
        the scalar C program at the same study, policy and players; None where it was not measured.
    """
    left_out: list[str] = []
    cases = _loosim_cases()
    for add in (_scalar_c_cases, _scalar_numba_cases):
        try:
            cases += add(benchmarks)
        except BaselineError as error:
            left_out.append(str(error))
    # Engines at the same work stand side by side, so that they are measured moments apart.
    cases.sort(key=lambda case: (case.study, case.policy, case.players), reverse=True)
    tell("compiling")
    for case in cases:
        case.measure(WARM_UP, seed)
    least = [float("inf")] * len(cases)
    for turn in range(repeats):
        tell(f"measuring, {turn + 1} of {repeats}")
        for i, case in enumerate(cases):
            least[i] = min(least[i], case.measure(deals, seed))
    of_c = {
        (case.study, case.policy, case.players): spent
        for case, spent in zip(cases, least, strict=True)
        if case.engine == "scalar-c"
    }
    return {
        "machine": machine(),
        "versions": versions(),
        "deals": deals,
        "repeats": repeats,
        "left_out": left_out,
        "peak_memory_mb": round(_peak_memory_mb(), 1),
        "rows": [
            {
                "engine": case.engine,
                "study": case.study,
                "policy": case.policy,
                "players": case.players,
                "ns_per_deal": round(spent, 3),
                "ratio_to_c": _ratio(of_c.get((case.study, case.policy, case.players)), spent),
            }
            for case, spent in sorted(
                zip(cases, least, strict=True), key=lambda pair: _reading_order(pair[0])
            )
        ],
    }


def bench_table(result: dict[str, Any]) -> Table:
    """What `run_bench` found, as a table for people."""
    from rich.table import Table

    table = Table(
        title="One deal from shuffle to payment, one thread",
        caption=f"least of {result['repeats']} measurements of {result['deals']:,} deals, in turn; "
        f"peak memory {result['peak_memory_mb']:,.0f} MB",
    )
    table.add_column("study")
    table.add_column("policy")
    table.add_column("players", justify="right")
    table.add_column("engine")
    table.add_column("ns a deal", justify="right")
    table.add_column("million deals/s", justify="right")
    table.add_column("times as fast\nas scalar C", justify="right")
    before = None
    for row in result["rows"]:
        what = (row["study"], row["policy"], row["players"])
        if before is not None and what[:2] != before[:2]:
            table.add_section()
        shown = ("", "", "") if what == before else (what[0], what[1], str(what[2]))
        ratio = row["ratio_to_c"]
        table.add_row(
            *shown,
            row["engine"],
            f"{row['ns_per_deal']:,.1f}",
            f"{1e3 / row['ns_per_deal']:.2f}",
            "" if ratio is None else f"{ratio:.2f}",
        )
        before = what
    return table


def compile_scalar_c(source: Path, program: Path) -> None:
    """Compile the scalar C program.

    Raises
    ------
    BaselineError
        If gcc is absent or fails.
    """
    if shutil.which(COMPILE[0]) is None:
        raise BaselineError("scalar-c was left out: gcc is not installed")
    program.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [*COMPILE, str(source), "-o", str(program)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BaselineError(f"scalar-c was left out: gcc failed:\n{done.stderr.strip()}")


def _loosim_cases() -> list[Case]:
    cases = [
        Case("loosim", "deals", policy, players, _measure_deals(names, players))
        for policy, names in POLICIES.items()
        for players in PLAYERS
    ]
    return cases + [
        Case("loosim", "announce", "peel", players, _measure_announcements("peel", players))
        for players in ANNOUNCE_PLAYERS
    ]


def _measure_deals(names: Sequence[str], players: int) -> Measure:
    from loo_sim.kernels.counting import count_deals

    game = _encode(names, players)

    def measure(deals: int, seed: int) -> float:
        return _time(lambda: count_deals(game, seed, 0, deals)) / deals

    return measure


def _measure_announcements(name: str, players: int) -> Measure:
    import numpy as np

    from loo_sim.kernels.counting import count_announcements

    game = _encode([name], players)
    classes = hand_classes().size.size
    counts = np.zeros((players * (players + 1), classes, 5, 6), dtype=np.uint32)

    def measure(deals: int, seed: int) -> float:
        return _time(lambda: count_announcements(game, seed, 0, deals, counts)) / deals

    return measure


def _encode(names: Sequence[str], players: int) -> Any:
    """The game under standard rules, the policies named taking turns around the table."""
    from loo_sim.kernels.game import encode
    from loo_sim.policies.compile import compile_tables
    from loo_sim.policies.parse import load_policy

    loaded = [load_policy(name) for name in names]
    policies = [loaded[seat % len(loaded)] for seat in range(players)]
    return encode(Rules(), compile_tables(policies, Rules(), players, POT), POT)


def _scalar_c_cases(benchmarks: Path) -> list[Case]:
    source, program = _find(benchmarks, "scalar.c", "scalar-c"), benchmarks / "build" / "scalar"
    compile_scalar_c(source, program)

    def measure_at(players: int) -> Measure:
        def measure(deals: int, seed: int) -> float:
            command = [str(program), str(players), str(deals), str(seed)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return float(json.loads(done.stdout)["ns_per_deal"])

        return measure

    return [
        Case("scalar-c", "deals", BASELINE_POLICY, players, measure_at(players))
        for players in PLAYERS
    ]


def _scalar_numba_cases(benchmarks: Path) -> list[Case]:
    source = _find(benchmarks, "scalar_numba.py", "scalar-numba")
    spec = importlib.util.spec_from_file_location("scalar_numba", source)
    if spec is None or spec.loader is None:
        raise BaselineError(f"scalar-numba was left out: {source} cannot be imported")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)

    def measure_at(players: int) -> Measure:
        def measure(deals: int, seed: int) -> float:
            # numpy's generator, which it uses, takes a word of 32 bits.
            return _time(lambda: program.play_deals(players, deals, seed % 2**32)) / deals

        return measure

    return [
        Case("scalar-numba", "deals", BASELINE_POLICY, players, measure_at(players))
        for players in PLAYERS
    ]


def _find(benchmarks: Path, name: str, engine: str) -> Path:
    path = benchmarks / name
    if not path.is_file():
        raise BaselineError(
            f"{engine} was left out: there is no {path}; run from a source checkout to have it"
        )
    return path


def _time(work: Callable[[], Any]) -> float:
    """Nanoseconds of processor time that this thread spends on `work`."""
    start = time.thread_time_ns()
    work()
    return float(time.thread_time_ns() - start)


def _ratio(of_c: float | None, spent: float) -> float | None:
    return None if of_c is None else round(of_c / spent, 3)


def _reading_order(case: Case) -> tuple[Any, ...]:
    """Deals before announcements, policies as listed, the engines that are compared together."""
    engines = ("loosim", "scalar-c", "scalar-numba")
    policies = tuple(POLICIES)
    return (
        case.study != "deals",
        policies.index(case.policy),
        case.players,
        engines.index(case.engine),
    )


def _peak_memory_mb() -> float:
    """Most memory that this process has had resident, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
