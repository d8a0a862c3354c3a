"""Keyed random numbers in lanes: Philox4x32 with 7 rounds, the same words as `loo_sim.draws`."""

from __future__ import annotations

import numpy as np

from loo_sim.kernels.compiled import entry, inner

M0 = np.uint64(0xD2511F53)
M1 = np.uint64(0xCD9E8D57)
STEP0 = np.uint64(0x9E3779B9)
STEP1 = np.uint64(0xBB67AE85)
LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


@entry
def block_words(seed, deals, stream, number, w0, w1, w2, w3):
    """Fill four rows with the words of one block, a lane a deal.

    Parameters
    ----------
    seed : uint64
        Key.
    deals : uint64 (n,)
        Number of the deal in each lane.
    stream, number : uint64
        Stream, and block within it.
    w0, w1, w2, w3 : uint32 (n,)
        Modified in place: word i of each deal.
    """
    k0 = seed & LOW
    k1 = seed >> HALF
    # Keys of the seven rounds: loop invariants, so that the lanes only mix.
    a1, b1 = (k0 + STEP0) & LOW, (k1 + STEP1) & LOW
    a2, b2 = (a1 + STEP0) & LOW, (b1 + STEP1) & LOW
    a3, b3 = (a2 + STEP0) & LOW, (b2 + STEP1) & LOW
    a4, b4 = (a3 + STEP0) & LOW, (b3 + STEP1) & LOW
    a5, b5 = (a4 + STEP0) & LOW, (b4 + STEP1) & LOW
    a6, b6 = (a5 + STEP0) & LOW, (b5 + STEP1) & LOW
    for lane in range(w0.size):
        deal = deals[lane]
        x0, x1, x2, x3 = deal, deal >> HALF, stream, number
        x0, x1, x2, x3 = mix(x0, x1, x2, x3, k0, k1)
        x0, x1, x2, x3 = mix(x0, x1, x2, x3, a1, b1)
        x0, x1, x2, x3 = mix(x0, x1, x2, x3, a2, b2)
        x0, x1, x2, x3 = mix(x0, x1, x2, x3, a3, b3)
        x0, x1, x2, x3 = mix(x0, x1, x2, x3, a4, b4)
        x0, x1, x2, x3 = mix(x0, x1, x2, x3, a5, b5)
        x0, x1, x2, x3 = mix(x0, x1, x2, x3, a6, b6)
        w0[lane] = np.uint32(x0)
        w1[lane] = np.uint32(x1)
        w2[lane] = np.uint32(x2)
        w3[lane] = np.uint32(x3)


@inner
def mix(x0, x1, x2, x3, k0, k1):
    """One round: 32-bit words, the low halves of uint64.

    High halves hold what is left over. They are masked where they would count, in the factors,
    since a vector multiplication of 32-bit words does not read them.
    """
    p0 = M0 * (x0 & LOW)
    p1 = M1 * (x2 & LOW)
    return (p1 >> HALF) ^ x1 ^ k0, p1, (p0 >> HALF) ^ x3 ^ k1, p0


@inner
def draw_below(word, n):
    """A whole number from 0 to n - 1 (uint64) out of a 32-bit word."""
    return (np.uint64(word) * n) >> HALF
