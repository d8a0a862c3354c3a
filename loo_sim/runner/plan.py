"""Cuts the work of a cell, deals or tables of deals, into chunks.

The cut depends on the experiment alone, never on the machine; since counts are whole numbers it
does not even show in the results.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple


class Chunk(NamedTuple):
    """Number `number` of a cell's chunks: deals `first` to ``first + deals - 1``."""

    number: int
    first: int
    deals: int


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
