"""Cuts the deals of a cell into chunks of work.

The cut depends on the experiment alone, never on the machine; since counts are whole numbers it
does not even show in the results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Chunk(NamedTuple):
    """Deals `first` to ``first + deals - 1``."""

    first: int
    deals: int


def chunks(deals: int, length: int) -> Iterator[Chunk]:
    """Chunks of `length` deals, the last one shorter, that hold deals 0 to ``deals - 1``."""
    for first in range(0, deals, length):
        yield Chunk(first, min(length, deals - first))
