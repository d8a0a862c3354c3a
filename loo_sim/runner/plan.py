"""Cuts the work of a cell, deals or tables of deals, into chunks.

The cut depends on the experiment alone, never on the machine. It is the same in all cells, so that
their chunks hold the same deals, and the cells are compared chunk by chunk.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from loo_sim.experiment import Experiment
    from loo_sim.studies import Study

CHUNKS = 32
"""A cell has so many, if they are not too short for it: intervals of the differences of cells are
then but 4 % wider than those that many more would give (Student's distribution)."""


class Chunk(NamedTuple):
    """Number `number` of a cell's chunks: deals `first` to ``first + deals - 1``."""

    number: int
    first: int
    deals: int


def length_of(experiment: Experiment, study: Study) -> int:
    """Deals (or tables) in a chunk, in all cells."""
    longest = min(study.chunk_length(cell) for cell in experiment.cells)
    if experiment.amount.until is not None:
        return longest
    steps = experiment.amount.most // CHUNKS // study.SHORTEST_CHUNK
    return min(longest, max(steps, 1) * study.SHORTEST_CHUNK)


def chunks(deals: int, length: int, done: Container[int] = ()) -> Iterator[Chunk]:
    """Chunks of `length` deals, the last one shorter, that hold deals 0 to ``deals - 1``.

    Those whose number is in `done` are left out.
    """
    for number, first in enumerate(range(0, deals, length)):
        if number not in done:
            yield Chunk(number, first, min(length, deals - first))


def deals_in(numbers: Iterable[int], deals: int, length: int) -> int:
    """How many of `deals` deals the chunks with these numbers hold."""
    return sum(min(length, deals - number * length) for number in numbers)
