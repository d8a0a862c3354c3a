"""A study of nothing, so that runs can be tested without a game: fast, slow or failing at will."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from math import sqrt
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from loo_sim.studies.estimates import Z95
from loo_sim.studies.figures import Figure
from loo_sim.studies.moments import Moments, Running

KINDS = 7
THREE_CELLS = 'study = "deals"\ndeals = 95\nseed = 4\n[sweep]\npot = [3, 6, 9]\n'
"""An experiment of three cells, of ten chunks each."""


def kind_of(seed: int, number: int) -> int:
    """What comes of deal `number`: depends on it and on the seed, as in a game."""
    return (number * number + 3 * seed) % KINDS


HOLDERS = (
    "loo_sim.runner.forecast",
    "loo_sim.runner.run",
    "loo_sim.studies",
    "loo_sim.tuning.search",
    "loo_sim.verification",
)
"""Modules that have `find_study` as a name of their own."""


class FakeStudy:
    """Counts the kinds of deals.

    Attributes
    ----------
    seconds : float
        How long a chunk takes.
    before_chunk : callable
        Told the pot of the cell, in units, and the first deal of each chunk.
    """

    HEADLINE = ("deals",)
    MAIN, MAIN_TITLE = "", ""
    FIGURE = "the mean kind"
    SHORTEST_CHUNK, TABLES_SHARE = 10, 0.9

    def __init__(self) -> None:
        self.seconds = 0.0
        self.before_chunk: Callable[[Any, int], None] = lambda game, first: None

    def encode(self, cell: Any) -> Any:
        """The game, whose pot `before_chunk` is told."""
        return cell.pot

    def chunk_length(self, cell: Any) -> int:
        return 10

    def empty_counts(self, cell: Any) -> tuple[Any, ...]:
        return (np.zeros(KINDS, np.int64),)

    def add_counts(self, game: Any, seed: int, first: int, count: int, counts: Any) -> None:
        self.before_chunk(game, first)
        time.sleep(self.seconds)
        for number in range(first, first + count):
            counts[0][kind_of(seed, number)] += 1

    def tables(self, cell: Any, deals: int, counts: Any) -> dict[str, pa.Table]:
        return {"kinds": pa.table({"kind": np.arange(KINDS), "n": counts[0]})}

    def half_width(self, tables: Any) -> float:
        kinds = np.repeat(np.arange(KINDS), tables["kinds"]["n"].to_numpy())
        return Z95 * float(np.std(kinds, ddof=1)) / sqrt(kinds.size)

    def running(self, cell: Any, work: int, counts: Any) -> tuple[Running, ...]:
        n = counts[0].tolist()
        return (Running("kind", Moments.counted(sum(n), n, range(KINDS)), 1),)

    def headline(self, tables: Any) -> list[tuple[Figure, ...]]:
        deals = sum(tables["kinds"]["n"].to_pylist())
        return [(Figure(str(deals), deals),)]


@contextmanager
def fake_study() -> Iterator[FakeStudy]:
    """Put a fake study in the place of every study; an encoded game is the pot alone."""
    study = FakeStudy()
    for module in HOLDERS:
        import_module(module)  # one that came later would keep the fake in place of the real one
    with ExitStack() as stack:
        for module in HOLDERS:
            stack.enter_context(patch(f"{module}.find_study", lambda name: study))
        stack.enter_context(patch("loo_sim.kernels.digest", lambda: "0" * 64))
        yield study
