"""The scalar programs of the same game, which the kernels are measured beside."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from loo_sim.bench.cases import (
    BASELINE_POLICY,
    PLAYERS,
    THREADS,
    THREADS_PLAYERS,
    Case,
    Measure,
    Throughput,
)

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"
"""The scalar programs, which only a source checkout has."""
COMPILE = ("gcc", "-O3", "-march=native")


class BaselineError(Exception):
    """A scalar program cannot be measured here; the message says why, and what would help."""


def scalar_c_cases(benchmarks: Path) -> list[Case]:
    """The C program, compiled.

    Parameters
    ----------
    benchmarks : Path
        Folder of the scalar programs.

    Raises
    ------
    BaselineError
        If it is not there or cannot be compiled.
    """
    program = benchmarks / "build" / "scalar"
    compile_scalar_c(_find(benchmarks, "scalar.c", "scalar-c"), program)
    return [
        Case("scalar-c", "deals", BASELINE_POLICY, players, measure_scalar_c(program, players))
        for players in PLAYERS
    ]


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


def measure_scalar_c(program: Path, players: int) -> Measure:
    """The compiled C program at a number of players."""

    def measure(deals: int, seed: int) -> float:
        command = [str(program), str(players), str(deals), str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(json.loads(done.stdout)["ns_per_deal"])

    return measure


def process_cases(benchmarks: Path) -> dict[tuple[str, int, int], Callable[[int, int], Throughput]]:
    """The C program in several processes at once, by engine, players and processes.

    They share nothing, so that they show what the machine itself gains by several processors.

    Parameters
    ----------
    benchmarks : Path
        Folder of the scalar programs, the C program compiled.
    """
    program = benchmarks / "build" / "scalar"
    return {
        ("scalar-c", players, processes): _in_processes(program, players, processes)
        for players in THREADS_PLAYERS
        for processes in THREADS
    }


def _in_processes(program: Path, players: int, processes: int) -> Callable[[int, int], Throughput]:
    def measure(deals: int, seed: int) -> Throughput:
        command = [str(program), str(players), str(deals), str(seed)]
        start = time.perf_counter_ns()
        children = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(processes)]
        told = [child.communicate()[0] for child in children]
        taken = time.perf_counter_ns() - start
        spent = deals * sum(json.loads(words)["ns_per_deal"] for words in told)
        return Throughput(taken / (processes * deals), spent / taken)

    return measure


def scalar_numba_cases(benchmarks: Path) -> list[Case]:
    """The plain numba program.

    Parameters
    ----------
    benchmarks : Path
        Folder of the scalar programs.

    Raises
    ------
    BaselineError
        If it is not there.
    """
    source = _find(benchmarks, "scalar_numba.py", "scalar-numba")
    spec = importlib.util.spec_from_file_location("scalar_numba", source)
    if spec is None or spec.loader is None:
        raise BaselineError(f"scalar-numba was left out: {source} cannot be imported")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)

    def measure_at(players: int) -> Measure:
        def measure(deals: int, seed: int) -> float:
            start = time.thread_time_ns()
            # numpy's generator, which it uses, takes a word of 32 bits.
            program.play_deals(players, deals, seed % 2**32)
            return (time.thread_time_ns() - start) / deals

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
