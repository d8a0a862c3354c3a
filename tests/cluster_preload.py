"""What dask workers of the tests load: chunks that are slow, or that kill their worker.

Told by the variable ``LOOSIM_TEST_CHUNKS``: seconds that a chunk takes, and the first deal of one
that kills (-1 for none), in games for a pot of six stakes.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Any


def dask_setup(worker: Any) -> None:
    """Called by dask when the worker starts."""
    from loo_sim.kernels.game import POT
    from loo_sim.rules import UNITS_PER_STAKE
    from loo_sim.studies import deals

    seconds, fatal = os.environ["LOOSIM_TEST_CHUNKS"].split()
    count = deals.add_counts

    def add_counts(game: Any, seed: int, first: int, n: int, counts: Any) -> None:
        if first == int(fatal) and game.settings[POT] == 6 * UNITS_PER_STAKE:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(float(seconds))
        count(game, seed, first, n, counts)

    deals.add_counts = add_counts
