"""Memory: the rows that a batch of deals uses, beside the machine's caches; the process's peak."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

import numpy as np

from loo_sim.bench.cases import BASELINE_POLICY, cell_of

LINE = 64
"""Bytes that a cache holds or drops together."""
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 2**10, "M": 2**20}


def batch_bytes(players: int) -> int:
    """Bytes of work rows that a batch of `deals` uses, everyone on the policy of the baseline.

    A batch is played twice, over rows of zeros and over rows of ones: only what it writes is the
    same afterwards. A line of the cache counts whole.
    """
    from loo_sim.kernels.batch import LANES, make_scratch
    from loo_sim.kernels.counting import run_deals
    from loo_sim.kernels.game import encode_cell

    game = encode_cell(cell_of("deals", BASELINE_POLICY, players))
    over = []
    for before in (0, 1):
        scratch = make_scratch()
        for rows in scratch:
            rows[:] = before
        fates, pots = np.zeros((2, 256), np.int64), np.zeros((17, 256), np.int64)
        run_deals(game, np.uint64(1), np.uint64(0), LANES, scratch, fates, pots)
        over.append(scratch)
    lines = 0
    for one, other in zip(*over, strict=True):
        is_written = (one == other).ravel()
        starts = np.arange(0, is_written.size, LINE // one.itemsize)
        lines += int(np.logical_or.reduceat(is_written, starts).sum())
    return LINE * lines


def l2_bytes(caches: Path = CACHES) -> int | None:
    """Bytes of a core's second-level cache as Linux knows it; None where it is not known."""
    for level in sorted(caches.glob("index*/level")):
        try:
            size = re.fullmatch(r"(\d+)([KM])\s*", (level.parent / "size").read_text())
            if size and level.read_text().strip() == "2":
                return int(size[1]) * UNITS[size[2]]
        except OSError:
            continue
    return None


def peak_memory_mb() -> float:
    """Most memory that this process has had resident, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
