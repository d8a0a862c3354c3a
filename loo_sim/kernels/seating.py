"""Who plays in which seat of a league: an order of the policies, turned by one from turn to turn.

The order is drawn for each deal or table, so that it is nobody's lot to sit behind the same rival
all the time. Its random number is the first two words, low word first, of block `ORDER_BLOCK` of
the stream of tables (`draws.TABLE_STREAM`). From the last place down to the second, the number's
remainder by the places up to there says which of them the last changes with, and its quotient goes
on: of 16 policies no order's chance is off by more than 16! / 2**64, a millionth.
"""

from __future__ import annotations

import numpy as np

from loo_sim.draws import TABLE_STREAM
from loo_sim.kernels.compiled import inner_that_makes
from loo_sim.kernels.game import MAX_SEATS
from loo_sim.kernels.philox import block_words

STREAM, ORDER_BLOCK = np.uint64(TABLE_STREAM), np.uint64(1)
HALF = np.uint64(32)


@inner_that_makes
def draw_orders(seed, number, words, order):
    """Draw an order of the policies for each deal or table.

    Parameters
    ----------
    seed : uint64
        Seed.
    number : uint64 (n,)
        Number of the deal, or of the first of the table.
    words : uint32 (4, lanes)
        Work rows.
    order : uint8 (policies, lanes)
        Modified in place: the policy at each place of the order.
    """
    n, policies = number.size, order.shape[0]
    block_words(
        seed, number, STREAM, ORDER_BLOCK, words[0, :n], words[1, :n], words[2, :n], words[3, :n]
    )
    places = np.empty(MAX_SEATS, np.uint8)
    for lane in range(n):
        x = np.uint64(words[0, lane]) | np.uint64(words[1, lane]) << HALF
        for place in range(policies):
            places[place] = place
        for size in range(policies, 1, -1):
            k = np.uint64(size)
            picked = np.int64(x % k)
            x //= k
            last = places[size - 1]
            places[size - 1] = places[picked]
            places[picked] = last
        for place in range(policies):
            order[place, lane] = places[place]
