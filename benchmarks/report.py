"""How long the report of a result takes, and how much memory.

    python benchmarks/report.py DIR

Runs in a process of its own, so that the peak is that of the report alone, Python and its packages
included.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from loo_sim.report import write_report


def main(directory: Path) -> None:
    """Write the report of a result once, and tell what it took."""
    with tempfile.TemporaryDirectory() as folder:
        begun = perf_counter()
        page = write_report(directory, Path(folder) / "page.html").path
        seconds, size = perf_counter() - begun, page.stat().st_size
    # Linux counts in KiB.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{seconds:.1f} s, {peak:.0f} MiB at most, a page of {size / 2**20:.1f} MiB")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/report.py DIR")
    main(Path(sys.argv[1]))
