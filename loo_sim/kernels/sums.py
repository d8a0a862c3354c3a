"""Sums and bins of whole numbers that may be added in any order, and never overflow."""

from __future__ import annotations

import numpy as np

from loo_sim.kernels.compiled import inner

MOMENTS = 8
"""Sums over tables of x (low and high 32 bits), of x squared (four words of 32 bits) and of x times
the deals played (low 32 bits, and what is above them): whole numbers that may be added in any
order, of up to 2**31 tables."""
LOW32, SHIFT32 = np.int64(0xFFFFFFFF), np.int64(32)
WORD, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
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
def add_moments(row, values, deals):
    """Add tables side by side, up to 2**20 of them, to the same sums as `add_moment`.

    Parameters
    ----------
    row : int64 (MOMENTS,)
        Modified in place.
    values, deals : int64 (n,)
        x of each table, and deals played at it, below 2**31.
    """
    low = high = with_low = with_high = np.int64(0)
    square_low = square_high = cross_low = cross_high = high_square = np.uint64(0)
    for lane in range(values.size):
        x, y = values[lane], deals[lane]
        low += x & LOW32
        high += x >> SHIFT32
        product = (x & LOW32) * (y & LOW32)
        with_low += product & LOW32
        with_high += (x >> SHIFT32) * y + (product >> SHIFT32)
        size = np.uint64(x if x >= 0 else -x)
        a, b = size >> HALF, size & WORD
        square, cross = b * b, a * b
        square_low += square & WORD
        square_high += square >> HALF
        cross_low += cross & WORD
        cross_high += cross >> HALF
        high_square += a * a
    row[0] += low
    row[1] += high
    row[2] += np.int64(square_low & WORD)
    carry = (square_low >> HALF) + square_high + (cross_low << np.uint64(1))
    row[3] += np.int64(carry & WORD)
    carry = (carry >> HALF) + (cross_high << np.uint64(1)) + (high_square & WORD)
    row[4] += np.int64(carry & WORD)
    row[5] += np.int64((carry >> HALF) + (high_square >> HALF))
    row[6] += with_low
    row[7] += with_high


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
