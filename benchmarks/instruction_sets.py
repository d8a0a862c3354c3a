"""How fast the kernels are with narrower vector instructions than this machine has.

    python benchmarks/instruction_sets.py

Each set of instructions has a process of its own, in which numba is told that the processor has no
more (NUMBA_CPU_FEATURES), and a folder of its own for compiled kernels. The processes take turns,
the least of several measurements counts, and what is printed is nanoseconds a deal and, in
brackets, times the widest set's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from llvmlite.binding import get_host_cpu_features, get_host_cpu_name

ROOT = Path(__file__).resolve().parent.parent
SETS = (("SSE4.2", "sse4.2", "avx"), ("AVX", "avx", "avx2"), ("AVX2", "avx2", "avx512f"))
"""Name, what a processor must have, and the first of the instructions beyond it."""
WIDEST = ("AVX-512", "avx512f", None)
WORK = (
    ("deals", "trumps", 5),
    ("deals", "trumps", 8),
    ("deals", "trumps", 16),
    ("announce", "peel", 6),
)
DEALS, REPEATS = 500_000, 5
WARM_UP = 1_000


def features_by_set() -> dict[str, str]:
    """What numba is told of the processor, by set of instructions that it has."""
    host = get_host_cpu_features()
    return {
        # The last word counts; without one set LLVM leaves out whatever needs it.
        name: host.flatten() + (f",-{beyond}" if beyond else "")
        for name, needed, beyond in (*SETS, WIDEST)
        if host.get(needed)
    }


def measure() -> None:
    """Print nanoseconds a deal of each piece of work, measured once in this process."""
    from loo_sim.bench.cases import cell_of, measure_study

    found = []
    for study, policy, players in WORK:
        once = measure_study(study, cell_of(study, policy, players))
        once(WARM_UP, 1)
        found.append(once(DEALS, 1))
    print(json.dumps(found))


def measured_in(folder: Path, features: str) -> list[float]:
    """The same in a process that knows no other instructions."""
    settings = {"NUMBA_CPU_FEATURES": features, "NUMBA_CACHE_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, __file__, "measure"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **settings},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return list(json.loads(done.stdout))


def main() -> None:
    """Measure in turns and print the table."""
    sets = features_by_set()
    if not sets:
        sys.exit("this processor has none of the instruction sets that are compared")
    least = {name: [float("inf")] * len(WORK) for name in sets}
    with tempfile.TemporaryDirectory(prefix="loosim-sets-") as folder:
        for _ in range(REPEATS):
            for name, features in sets.items():
                spent = measured_in(Path(folder) / name, features)
                least[name] = [min(pair) for pair in zip(least[name], spent, strict=True)]
    titles = [f"{study}, {players}" for study, _, players in WORK]
    print(f"{get_host_cpu_name()}\n{'':10}" + "".join(f"{title:>18}" for title in titles))
    widest = least[list(sets)[-1]]
    for name, spent in least.items():
        cells = [f"{ns:.1f} ({ns / best:.2f})" for ns, best in zip(spent, widest, strict=True)]
        print(f"{name:10}" + "".join(f"{cell:>18}" for cell in cells))


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        measure()
    else:
        main()
