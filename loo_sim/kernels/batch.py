"""A batch of deals, some lanes side by side: dealt, announced, sorted, and its contests played."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.draws import ORDERS_OF_THREE
from loo_sim.kernels.announcing import (
    ACTION,
    BATCH_ROWS,
    FORCED,
    OPENING,
    PREFERENCE,
    SITUATION,
    announce,
)
from loo_sim.kernels.compiled import inner, merged
from loo_sim.kernels.contests import CONTEST_ROWS, fill
from loo_sim.kernels.dealing import deal
from loo_sim.kernels.game import (
    ALL_STAND,
    CLUB_LAW,
    MAX_SEATS,
    PLAYERS,
    RANKS,
)
from loo_sim.kernels.philox import block_words, draw_below

LANES = 2048
"""Deals side by side: enough to fill the registers, few enough to stay in the caches."""
QUARTERS = 4
SECOND_TRICK_SHIFT = 6
STANDERS_SHIFT, NO_SHIFT = np.int64(1), np.int64(0)
"""Bits of a situation below its players in; of a number that stands alone."""

RANKS_OF_ORDER = np.array(
    [sum(order.index(place) << (2 * place) for place in range(3)) for order in ORDERS_OF_THREE],
    dtype=np.uint8,
)
"""For each order of three cards, the rank of each place in it, two bits each."""
ALL_RANKS = np.uint64(int.from_bytes(RANKS_OF_ORDER.tobytes(), "little"))
"""The same as a number, a byte an order: a shift takes registers of lanes, a look-up does not."""
RANKS_OF_FIRST = np.array(
    [
        next(
            ranks
            for ranks, order in zip(RANKS_OF_ORDER, ORDERS_OF_THREE, strict=True)
            if order[0] == place
        )
        for place in range(3)
    ],
    dtype=np.uint8,
)
"""For each of three places, ranks of which it has the first."""
BYTE, BITS_OF_BYTE = np.uint64(255), np.uint64(3)
ORDERS, ORDERS_OF_TWO = np.uint64(6), np.uint64(2)


class Scratch(NamedTuple):
    """Work rows of a batch, a lane a deal; allocated once a call.

    Attributes
    ----------
    number : uint64 (lanes,)
        Number of each deal.
    words : uint32 (4, lanes)
        One block of random words.
    draw, card : int8 (52, lanes), (51, lanes)
        Draws less one; live card numbers, then card codes.
    turn_up : uint8 (lanes,)
        Place of the turn-up in the pack.
    index : uint16 (17, lanes)
        Hand index of the miss, seat 0, seat 1, ...
    hand : uint32 (17, lanes)
        Cards of the miss, seat 0, ...: three codes, the first dealt lowest.
    announce_word : uint32 (16, lanes)
        Word that each seat draws its announcement from.
    pot_class : uint32 (lanes,)
        Class of each pot, where pots differ (see `Game.row_of`).
    entry_in : uint8 (17, lanes)
        Entry of the player in each slot (see `announcing`); the last row is a work row.
    row : uint8 (BATCH_ROWS, lanes)
        Bytes of a deal, at the rows that `announcing` names.
    order, start : uint16 (lanes,), int64 (18,)
        Lanes sorted by number of players in; where each number starts.
    place : int64 (4, 18)
        Work rows of sorting.
    contest : uint8 (CONTEST_ROWS, lanes)
        Rows of `contests`, a lane a contest.
    """

    number: npt.NDArray[np.uint64]
    words: npt.NDArray[np.uint32]
    draw: npt.NDArray[np.int8]
    card: npt.NDArray[np.int8]
    turn_up: npt.NDArray[np.uint8]
    index: npt.NDArray[np.uint16]  # type: ignore[assignment]
    hand: npt.NDArray[np.uint32]
    announce_word: npt.NDArray[np.uint32]
    pot_class: npt.NDArray[np.uint32]
    entry_in: npt.NDArray[np.uint8]
    row: npt.NDArray[np.uint8]
    order: npt.NDArray[np.uint16]
    start: npt.NDArray[np.int64]
    place: npt.NDArray[np.int64]
    contest: npt.NDArray[np.uint8]


def make_scratch() -> Scratch:
    """Work rows for `LANES` deals."""
    hands = MAX_SEATS + 1
    return Scratch(
        number=np.zeros(LANES, np.uint64),
        words=np.zeros((4, LANES), np.uint32),
        draw=np.zeros((3 * hands + 1, LANES), np.int8),
        card=np.zeros((3 * hands, LANES), np.int8),
        turn_up=np.zeros(LANES, np.uint8),
        index=np.zeros((hands, LANES), np.uint16),
        hand=np.zeros((hands, LANES), np.uint32),
        announce_word=np.zeros((MAX_SEATS, LANES), np.uint32),
        pot_class=np.zeros(LANES, np.uint32),
        entry_in=np.zeros((MAX_SEATS + 1, LANES), np.uint8),
        row=np.zeros((BATCH_ROWS, LANES), np.uint8),
        order=np.zeros(LANES, np.uint16),
        start=np.zeros(MAX_SEATS + 2, np.int64),
        place=np.zeros((QUARTERS, MAX_SEATS + 2), np.int64),
        contest=np.zeros((CONTEST_ROWS, LANES), np.uint8),
    )


@inner
def number_deals(first, number):
    """Number consecutive deals from `first` on."""
    for lane in range(number.size):
        number[lane] = first + np.uint64(lane)


@merged
def deal_batch(game, seed, first, n, s):
    """Deal `n` consecutive deals from `first` on, and draw what their choices need."""
    number_deals(first, s.number[:n])
    deal(seed, n, game.settings[PLAYERS] + 1, game.settings[RANKS], s)
    draw_choices(game, seed, n, s)


@inner
def draw_choices(game, seed, n, s):
    """Mark who must stand, and draw what the choices of `n` deals that lie dealt need."""
    settings = game.settings
    club_cards = settings[CLUB_LAW] * settings[RANKS]
    force(s.turn_up[:n], settings[ALL_STAND], club_cards, s.row[FORCED, :n])
    for seat in range(settings[PLAYERS]):
        if game.draws[seat]:
            one, other, spare = s.words[0, :n], s.words[1, :n], s.words[2, :n]
            stream = np.uint64(seat + 1)
            announce_word = s.announce_word[seat, :n]
            block_words(seed, s.number[:n], stream, np.uint64(0), announce_word, one, other, spare)
            rank_cards(one, other, s.row[PREFERENCE + seat, :n])


@inner
def force(turn_up, all_stand, clubs, forced):
    """Mark the deals in which everyone must stand: all, or those whose turn-up is below `clubs`."""
    for lane in range(forced.size):
        forced[lane] = np.uint8(all_stand | (turn_up[lane] < clubs))


@inner
def rank_cards(one, other, preference):
    """Random ranks of a seat's cards: of all three for trick 1, of the two left for trick 2."""
    for lane in range(preference.size):
        order = ALL_RANKS >> (draw_below(one[lane], ORDERS) << BITS_OF_BYTE)
        later = draw_below(other[lane], ORDERS_OF_TWO) << np.uint64(SECOND_TRICK_SHIFT)
        preference[lane] = np.uint8((order & BYTE) | later)


@inner
def sort_by_number(number, shift, order, start, place):
    """Sort lanes or tables by a small number that each has.

    Parameters
    ----------
    number : array of int (n,)
        Its bits from `shift` up are the number, 0 to 16.
    shift : int
        0, or `STANDERS_SHIFT` to sort lanes by their situations' players in.
    order, start : uint16 (lanes,), int64 (18,)
        Modified in place: those of number k are `order[start[k] : start[k + 1]]`, ascending.
    place : int64 (4, 18)
        Work rows: the next place of each number, for each quarter of the lanes.
    """
    quarter = number.size // QUARTERS
    # A count that was just changed is not read again for a while: so four are kept side by side.
    place[:] = 0
    for lane in range(quarter):
        for q in range(QUARTERS):
            place[q, number[q * quarter + lane] >> shift] += 1
    for lane in range(QUARTERS * quarter, number.size):
        place[QUARTERS - 1, number[lane] >> shift] += 1
    at = np.int64(0)
    for k in range(start.size):
        start[k] = at
        for q in range(QUARTERS):
            lanes = place[q, k]
            place[q, k] = at
            at += lanes
    for lane in range(quarter):
        for q in range(QUARTERS):
            put_in_order(number, shift, q * quarter + lane, order, place[q])
    for lane in range(QUARTERS * quarter, number.size):
        put_in_order(number, shift, lane, order, place[QUARTERS - 1])


@inner
def put_in_order(number, shift, lane, order, place):
    """Put a lane into the next place of its number."""
    k = number[lane] >> shift
    order[place[k]] = lane
    place[k] += 1


@inner
def announce_all(game, n, s):
    """Let every seat announce, and sort the lanes by their number of players in."""
    situation = s.row[SITUATION, :n]
    fill(situation, OPENING)
    for seat in range(game.settings[PLAYERS]):
        announce(game, seat, s, situation, s.row[ACTION + seat, :n])
    sort_by_number(situation, STANDERS_SHIFT, s.order, s.start, s.place)
