"""What the engine dask costs: two one-thread workers beside two threads of this process.

Usage: python benchmarks/cluster.py [SECONDS [TIMES]]

Runs of SECONDS (60) on two threads, and the same ones on two workers that a scheduler on this
machine starts, in turns, TIMES (3) each. The best of each counts: of whole runs, the start of the
workers included, and of counting alone. A ratio of 1 is the speed of the threads.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import loo_sim
from loo_sim.settings import MOST_DEALS

STUDIES = {"deals": "small counts", "announce": "counts of 17 MB"}
JOBS = 2


class Times(NamedTuple):
    """Seconds of a run."""

    whole: float
    counting: float


def run(path: Path, deals: int, engine: str) -> Times:
    """Run an experiment anew."""
    begun = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        result = loo_sim.run(path, output=out, jobs=JOBS, deals=deals, engine=engine)
    return Times(perf_counter() - begun, result.manifest["cells"][0]["seconds"])


def main(seconds: float = 60.0, times: int = 3) -> None:
    """Measure, and print a row a study."""
    print("study     deals, million   threads, s   dask, s   ratio   counting alone")
    with tempfile.TemporaryDirectory() as folder:
        for study, what in STUDIES.items():
            path = Path(folder) / f"{study}.toml"
            path.write_text(f'study = "{study}"\nplayers = 6\n', encoding="utf-8")
            first = 20_000_000
            run(path, first, "threads")  # kernels are ready from here on
            # A cell has no more deals than its counts can hold: a fast machine does them sooner.
            rate = first / run(path, first, "threads").counting
            deals = min(int(rate * seconds), MOST_DEALS)
            threads, dask = (
                Times(*map(min, zip(*of_engine, strict=True)))
                for of_engine in zip(
                    *(
                        (run(path, deals, "threads"), run(path, deals, "dask"))
                        for _ in range(times)
                    ),
                    strict=True,
                )
            )
            print(
                f"{study:9} {deals / 1e6:14,.0f} {threads.whole:12.1f} {dask.whole:9.1f} "
                f"{threads.whole / dask.whole:7.3f} {threads.counting / dask.counting:16.3f}"
                f"   ({what})",
                flush=True,
            )


if __name__ == "__main__":
    main(*(kind(word) for kind, word in zip((float, int), sys.argv[1:], strict=False)))
