"""A checksum of counts that adds up as counts do, so that a chunk's own can be told from totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.compiled import entry, inner

BLOCK = 32
"""Counts that share a factor of their weights; a block of zeros is passed over."""
MOST_BLOCKS = 2**40
"""Blocks of one array at most; so many numbers are set aside for each array."""
_GOLDEN = 0x9E3779B97F4A7C15


@inner
def mix(number):
    """A pseudo-random 64-bit word of a number: the end of splitmix64 (Steele et al. 2014)."""
    z = (number + np.uint64(1)) * np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


# Odd, so that no change of a single count is lost; of 32 bits, so that the product with a 32-bit
# count is one instruction.
PLACE_WEIGHTS = np.array(
    [pow(_GOLDEN, 1 + place, 2**64) >> 32 | 1 for place in range(BLOCK)], np.uint32
)


@entry
def weighted_sum(words, first_block):
    """Sum of words by weights: a factor of the place in the block, times one of the block.

    Parameters
    ----------
    words : uint32 or uint64 (size,)
        Counts.
    first_block : uint64
        Number of the first block among those of all arrays.

    Returns
    -------
    uint64
        Modulo 2**64.
    """
    total = np.uint64(0)
    whole = words.size // BLOCK
    for block in range(whole):
        start = block * BLOCK
        some = words[start]
        for place in range(1, BLOCK):
            some |= words[start + place]
        if some:
            of_block = np.uint64(0)
            for place in range(BLOCK):
                of_block += np.uint64(words[start + place]) * np.uint64(PLACE_WEIGHTS[place])
            total += of_block * (mix(first_block + np.uint64(block)) | np.uint64(1))
    of_block = np.uint64(0)
    for place in range(words.size - whole * BLOCK):
        of_block += np.uint64(words[whole * BLOCK + place]) * np.uint64(PLACE_WEIGHTS[place])
    return total + of_block * (mix(first_block + np.uint64(whole)) | np.uint64(1))


def checksum(counts: Sequence[npt.NDArray[Any]]) -> int:
    """Checksum of counts: that of two sets of deals together is the sum of both, modulo 2**64.

    Parameters
    ----------
    counts : sequence of ndarray
        Contiguous arrays of whole numbers of 32 bits without a sign, or of 64 bits.

    Returns
    -------
    int
        0 to 2**64 - 1. The order of the arrays matters, their shapes do not.
    """
    total = 0
    for number, array in enumerate(counts):
        words = array.reshape(-1).view(f"u{array.itemsize}")
        total += int(weighted_sum(words, np.uint64(number * MOST_BLOCKS)))
    return total % 2**64
