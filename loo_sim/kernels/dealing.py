"""Deals in lanes: live card numbers from keyed draws, hand indices, card codes.

Rows are one value a lane. Cards are in dealt order: the miss at places 0-2, seat s at places
3 s + 3 to 3 s + 5.

A card's *code* is a byte in which comparing cards is comparing numbers: a plain card of rank r
(0 for the lowest) and plain suit p (0-2) is ``4 r + p``; the highest live trump is 63, the next 62,
down to ``52`` in the whole pack. Live card numbers are those of `loo_sim.cards`.

The card at place j is the draw r_j, lifted over the earlier draws from the last to the first: add 1
wherever it is at least r_i. That is the decoding of a Lehmer code, in which every card is a
function of the raw draws alone, so nothing is sorted or shuffled.
"""

from __future__ import annotations

import numpy as np

from loo_sim.kernels.compiled import inner
from loo_sim.kernels.philox import block_words, draw_below

HAND_SIZE = 3
FIRST_TRUMP = 52
TOP_TRUMP = 63
DEAL_STREAM = np.uint64(0)
LOW16, SHIFT16, ONE8 = np.uint32(0xFFFF), np.uint32(16), np.int8(1)
ONE, TWO, THREE, SIX = np.uint16(1), np.uint16(2), np.uint16(3), np.uint16(6)
THIRD = np.uint16(43691)
"""Inverse of 3 modulo 2**16: multiplying a multiple of 3 by it divides exactly."""


@inner
def deal(seed, n, hands, ranks, s):
    """Deal `n` deals, those of `s.number`: the miss and `hands - 1` seats.

    Parameters
    ----------
    seed : uint64
        Seed.
    n : int
        Deals, at most the lanes of the scratch rows.
    hands : int
        Hands to deal, the miss included.
    ranks : int
        Ranks in a suit.
    s : Scratch
        Filled: `turn_up`, `index` and `hand`. Used up: `words`, `draw` and `card`.
    """
    words, draw, card = s.words, s.draw, s.card
    turn_up, index, hand = s.turn_up, s.index, s.hand
    live = 4 * ranks - 1
    drawn = HAND_SIZE * hands
    for number in range((1 + (drawn + 1) // 2 + 3) // 4):
        block_words(
            seed, s.number[:n], DEAL_STREAM, np.uint64(number),
            words[0, :n], words[1, :n], words[2, :n], words[3, :n],
        )  # fmt: skip
        for i in range(4):
            place = 2 * (4 * number + i - 1)
            if place < 0:
                turn_cards(words[i, :n], np.uint64(4 * ranks), turn_up[:n])
            elif place < drawn:
                draw_pair(words[i, :n], live - place, draw[place, :n], draw[place + 1, :n])
    for h in range(hands):
        place = HAND_SIZE * h
        a, b, c = card[place, :n], card[place + 1, :n], card[place + 2, :n]
        start_hand(draw[place, :n], draw[place + 1, :n], draw[place + 2, :n], a, b, c)
        i = place
        while i >= 2 * HAND_SIZE:
            lift6(
                a, b, c,
                draw[i - 1, :n], draw[i - 2, :n], draw[i - 3, :n],
                draw[i - 4, :n], draw[i - 5, :n], draw[i - 6, :n],
            )  # fmt: skip
            i -= 2 * HAND_SIZE
        if i > 0:
            lift3(a, b, c, draw[i - 1, :n], draw[i - 2, :n], draw[i - 3, :n])
        double_index(a, b, c, index[h, :n])
        halve(index[h, :n])
        code_card(a, np.int8(ranks))
        code_card(b, np.int8(ranks))
        code_card(c, np.int8(ranks))
        pack_hand(a, b, c, hand[h, :n])


@inner
def turn_cards(word, deck, turn_up):
    """Draw the card turned up: its place in the pack, by suit and then by rank."""
    for lane in range(word.size):
        turn_up[lane] = np.uint8(draw_below(word[lane], deck))


@inner
def draw_pair(word, left, one, other):
    """Two draws out of one word, below `left` and `left - 1`; kept as draw - 1.

    Both are kept one less, since the lift then is a single comparison and subtraction. The products
    of 48 bits are taken by halves of 16 bits: twice as many lanes fit into a register as with 64.
    """
    n, m = np.uint32(left), np.uint32(left - 1)
    for lane in range(word.size):
        x = word[lane]
        low, high = np.uint32(x & LOW16), np.uint32(x >> SHIFT16)
        tail = np.uint32(low * n)
        head = np.uint32(np.uint32(high * n) + np.uint32(tail >> SHIFT16))
        one[lane] = np.int8(np.int8(head >> SHIFT16) - ONE8)
        tail = np.uint32(np.uint32(tail & LOW16) * m)
        head = np.uint32(np.uint32(np.uint32(head & LOW16) * m) + np.uint32(tail >> SHIFT16))
        other[lane] = np.int8(np.int8(head >> SHIFT16) - ONE8)


@inner
def start_hand(p, q, r, a, b, c):
    """The three draws of a hand themselves, the later lifted over the earlier of this hand."""
    for lane in range(a.size):
        x, y, z = p[lane], q[lane], r[lane]
        second = over(np.int8(y + ONE8), x)
        third = over(over(np.int8(z + ONE8), y), x)
        a[lane] = np.int8(x + ONE8)
        b[lane] = second
        c[lane] = third


@inner
def lift3(a, b, c, p, q, r):
    """Lift a hand over three earlier draws, the latest first: its cards together, in place."""
    for lane in range(a.size):
        x, y, z = a[lane], b[lane], c[lane]
        d, e, f = p[lane], q[lane], r[lane]
        a[lane] = over(over(over(x, d), e), f)
        b[lane] = over(over(over(y, d), e), f)
        c[lane] = over(over(over(z, d), e), f)


@inner
def lift6(a, b, c, p, q, r, u, v, w):
    """Lift a hand over six earlier draws, the latest first."""
    for lane in range(a.size):
        x, y, z = a[lane], b[lane], c[lane]
        d, e, f, g, h, i = p[lane], q[lane], r[lane], u[lane], v[lane], w[lane]
        a[lane] = over(over(over(over(over(over(x, d), e), f), g), h), i)
        b[lane] = over(over(over(over(over(over(y, d), e), f), g), h), i)
        c[lane] = over(over(over(over(over(over(z, d), e), f), g), h), i)


@inner
def over(card, draw):
    """A card lifted over an earlier draw, which is kept one less."""
    return np.int8(card + np.int8(card > draw))


@inner
def double_index(a, b, c, index):
    """Twice the combinadic of three live card numbers: 2 (C(high, 3) + C(middle, 2) + low).

    Modulo 2**16, where the inverse of 3 divides exactly and no shift stands in the way of 16-bit
    lanes; the true value is below 2**16.
    """
    for lane in range(a.size):
        x, y, z = a[lane], b[lane], c[lane]
        lesser = x if x < y else y
        greater = y if x < y else x
        high = greater if z < greater else z
        rest = z if z < greater else greater
        low = lesser if lesser < rest else rest
        middle = rest if lesser < rest else lesser
        h = np.uint16(high)
        m = np.uint16(middle)
        triples = np.uint16(h * np.uint16(np.uint16(h - ONE) * np.uint16(h - TWO)))
        couples = np.uint16(THREE * np.uint16(m * np.uint16(m - ONE)))
        singles = np.uint16(SIX * np.uint16(low))
        index[lane] = np.uint16(np.uint16(triples + np.uint16(couples + singles)) * THIRD)


@inner
def halve(index):
    """Halve a row, in place."""
    for lane in range(index.size):
        index[lane] = np.uint16(index[lane] >> ONE)


@inner
def code_card(card, ranks):
    """Turn live card numbers into card codes, in place."""
    trumps = np.int8(3 * ranks)
    # The highest trump has number 4 ranks - 2 and code 63.
    to_trump = np.int8(TOP_TRUMP - (4 * ranks - 2))
    second = np.int8(2 * ranks)
    for lane in range(card.size):
        x = card[lane]
        suit = np.int8(np.int8(x >= ranks) + np.int8(x >= second))
        less = np.int8(
            (ranks if x >= ranks else np.int8(0)) + (ranks if x >= second else np.int8(0))
        )
        plain = np.int8(np.int8(np.int8(x - less) << np.int8(2)) + suit)
        card[lane] = np.int8(x + to_trump) if x >= trumps else plain


@inner
def pack_hand(a, b, c, hand):
    """Three card codes in one word, so that a hand moves as one."""
    for lane in range(a.size):
        hand[lane] = np.uint32(
            np.uint32(a[lane])
            | np.uint32(np.uint32(b[lane]) << np.uint32(8))
            | np.uint32(np.uint32(c[lane]) << np.uint32(16))
        )
