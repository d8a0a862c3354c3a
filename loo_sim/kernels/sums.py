"""Sums and bins of whole numbers that may be added in any order, and never overflow."""

from __future__ import annotations

import numpy as np

from loo_sim.kernels.compiled import inner

MOMENTS = 8
"""Sums over tables of x (low and high 32 bits), of x squared (four words of 32 bits) and of x times
the deals played (low 32 bits, and what is above them): whole numbers that may be added in any
order, of up to 2**31 tables."""
LOW32, SHIFT32 = np.int64(0xFFFFFFFF), np.int64(32)
OCTAVE_BITS = 6
BINS = 54 << OCTAVE_BITS
"""Bins of units: 0, then 64 an octave, exact below 128 units."""


@inner
def add_moment(row, value, deals):
    """Add one table to the sums of x, x squared, and x times the deals played."""
    low, high = value & LOW32, value >> SHIFT32
    row[0] += low
    row[1] += high
    size = abs(value)
    a, b = size >> SHIFT32, size & LOW32
    # b * b may take all 64 bits.
    square, cross = np.uint64(b) * np.uint64(b), 2 * a * b
    carry = np.int64(square >> np.uint64(32)) + (cross & LOW32)
    row[2] += np.int64(square & np.uint64(0xFFFFFFFF))
    row[3] += carry & LOW32
    carry = (carry >> SHIFT32) + (cross >> SHIFT32) + ((a * a) & LOW32)
    row[4] += carry & LOW32
    row[5] += (carry >> SHIFT32) + ((a * a) >> SHIFT32)
    cross = low * deals
    row[6] += cross & LOW32
    row[7] += high * deals + (cross >> SHIFT32)


@inner
def bin_of(units):
    """Bin of a whole number of units from 0, and its place above the bin's start."""
    if units <= 0:
        return 0, np.int64(0)
    # The exponent and the first bits behind the point of a float name the bin.
    name = (np.float64(units).view(np.int64) >> (52 - OCTAVE_BITS)) - (1023 << OCTAVE_BITS)
    octave = name >> OCTAVE_BITS
    start = ((1 << OCTAVE_BITS) + (name & ((1 << OCTAVE_BITS) - 1))) << octave >> OCTAVE_BITS
    return name + 1, units - start
