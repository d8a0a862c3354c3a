"""Entry kernel of deals given what is known: a seat's cards, and what was announced before it.

The others' hands are as likely as the policies make them, exactly: the chance of a deal is that of
its cards times the chances with which each earlier seat announces what it did. A deal is made in
three steps, each of which leaves to the next what it does not decide.

1. Where an announcement is rare, the hand of its seat is drawn from all hands that share no card
   with the one that is known, each as likely as it makes that announcement. Where two such hands
   share a card, all are drawn again: what is left are independent hands, given that they can lie on
   one table.
2. All other cards are dealt at random.
3. For each other earlier seat the deal is kept with a chance in proportion to that with which its
   hand makes it announce what it did, and thrown away otherwise.

Deals that are kept are independent and of equal weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.draws import GIVEN_STREAM
from loo_sim.kernels.aimed import exchange, keep_lanes, take_up_hands
from loo_sim.kernels.announcing import (
    ACTION,
    OPENING,
    PREFERENCE,
    SAID,
    SITUATION,
    SITUATION_IF,
    enter,
)
from loo_sim.kernels.batch import LANES, draw_choices, make_scratch, number_deals
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.contests import SECOND_TRICK_BIT, copy, fill
from loo_sim.kernels.counting import value_of
from loo_sim.kernels.dealing import HAND_SIZE, deal
from loo_sim.kernels.game import MAX_SEATS, NO_MISS, PLAYERS, RANKS, Game
from loo_sim.kernels.philox import block_words

MOST_ALTERNATIVES = 3
OUTCOMES = NO_MISS + 1
"""Results of an alternative: 0 to 3 tricks, the whole pot; `NO_MISS` where there is none such."""
ATTEMPTS = 16
"""How often the hands of a deal are drawn before it is given up: some deals fewer, no bias."""
AS_DRAWN = 255
"""In place of the ranks of a seat's cards for trick 1: those that its choices draw."""
TO_DOUBLE, FRACTION_BITS = 2.0**-53, np.uint64(11)
ONE, ZERO, HALF = np.uint8(1), np.uint8(0), np.uint64(32)


class Given(NamedTuple):
    """What is known of a deal, and what the seat may do.

    Attributes
    ----------
    at : int64 (2,)
        The seat, and the place of the card turned up in the pack.
    hand : int8 (3,)
        Card codes of its hand, in the order in which it holds them.
    said : uint8 (players,)
        What each seat before it announced; 0 for the others.
    limit_of : int64 (players,)
        Row of `limits` of each earlier seat whose hand is not drawn; -1 for the others.
    limits : uint64 (any, hands)
        For every hand, the number below which the seat's word for announcing must be for the deal
        to be kept: 2**32 for hands that make it announce what it did most often.
    drawn : int64 (drawn,)
        Seats whose hands are drawn.
    start : int64 (drawn + 1,)
        Where the hands of each begin in `hands` and `reached`, and the end.
    hands : uint16 (any,)
        Hands that make the seat announce what it did, by `cards.hand_index`.
    reached : float64 (any,)
        Running sums of their chances, from 0 for each seat.
    cards : int8 (3, hands)
        Card codes of every hand.
    holds : uint64 (hands,)
        The cards of every hand, a bit a code.
    action : int64 (alternatives,)
        What the seat may announce: up to three alternatives.
    ranks : uint8 (alternatives,)
        Ranks of its cards for trick 1 as `batch.RANKS_OF_ORDER` has them, or `AS_DRAWN`.
    """

    at: npt.NDArray[np.int64]
    hand: npt.NDArray[np.int8]
    said: npt.NDArray[np.uint8]
    limit_of: npt.NDArray[np.int64]
    limits: npt.NDArray[np.uint64]
    drawn: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    hands: npt.NDArray[np.uint16]
    reached: npt.NDArray[np.float64]
    cards: npt.NDArray[np.int8]
    holds: npt.NDArray[np.uint64]
    action: npt.NDArray[np.int64]
    ranks: npt.NDArray[np.uint8]


class Drawn(NamedTuple):
    """Work rows of drawing hands, beside `batch.Scratch`.

    Attributes
    ----------
    number : uint64 (lanes,)
        Deals whose hands are still to be drawn.
    hand, kept : uint16 (16, lanes)
        Hands drawn for them, by place in `Given.drawn`; those of the deals that have theirs.
    """

    number: npt.NDArray[np.uint64]
    hand: npt.NDArray[np.uint16]
    kept: npt.NDArray[np.uint16]


def make_drawn() -> Drawn:
    """Work rows for `LANES` deals."""
    return Drawn(
        number=np.zeros(LANES, np.uint64),
        hand=np.zeros((MAX_SEATS, LANES), np.uint16),
        kept=np.zeros((MAX_SEATS, LANES), np.uint16),
    )


@inner
def draw_hands(given, seed, n, s, d):
    """Draw the hands of step 1 for the deals of `s.number`, which then are those that have theirs.

    Returns
    -------
    found, tried : int
        Deals that have their hands, and how often hands were drawn.
    """
    seats = given.drawn.size
    copy(s.number[:n], d.number[:n])
    left, found, tried = n, 0, 0
    for attempt in range(ATTEMPTS):
        if left == 0:
            break
        tried += left
        for j in range(seats):
            block_words(
                seed, d.number[:left], np.uint64(GIVEN_STREAM),
                np.uint64(attempt * MAX_SEATS + j),
                s.words[0, :left], s.words[1, :left], s.words[2, :left], s.words[3, :left],
            )  # fmt: skip
            start, end = given.start[j], given.start[j + 1]
            find_hands(
                given.hands[start:end], given.reached[start:end],
                s.words[0, :left], s.words[1, :left], d.hand[j, :left],
            )  # fmt: skip
        again = 0
        for lane in range(left):
            if are_apart(given.holds, seats, d.hand, lane):
                s.number[found] = d.number[lane]
                for j in range(seats):
                    d.kept[j, found] = d.hand[j, lane]
                found += 1
            else:
                d.number[again] = d.number[lane]
                again += 1
        left = again
    return found, tried


@inner
def find_hands(hands, reached, low, high, hand):
    """The hand that a random number of 53 bits falls on, in each lane."""
    total = reached[reached.size - 1]
    for lane in range(hand.size):
        bits = (np.uint64(high[lane]) << HALF) | np.uint64(low[lane])
        at = np.float64(np.int64(bits >> FRACTION_BITS)) * TO_DOUBLE * total
        least, most = 0, reached.size - 1
        while least < most:
            middle = (least + most) >> 1
            if reached[middle] > at:
                most = middle
            else:
                least = middle + 1
        hand[lane] = hands[least]


@inner
def are_apart(holds, seats, hand, lane):
    """Whether no two of the hands drawn in a lane share a card."""
    taken = np.uint64(0)
    for j in range(seats):
        cards = holds[hand[j, lane]]
        if taken & cards:
            return False
        taken |= cards
    return True


@inner
def pick_card(cards, hand, wanted):
    """One card of the hand drawn in each lane."""
    for lane in range(wanted.size):
        wanted[lane] = cards[hand[lane]]


@inner
def lay_out(given, n, last, s, d):
    """Bring the hands that are known or drawn to their seats, by exchanges as in `aimed`."""
    # The rows of draws are free by now.
    wanted = s.draw[0, :n]
    for i in range(HAND_SIZE):
        fill(wanted, given.hand[i])
        exchange(s.card, HAND_SIZE * (given.at[0] + 1) + i, last, wanted)
    for j in range(given.drawn.size):
        for i in range(HAND_SIZE):
            pick_card(given.cards[i], d.kept[j, :n], wanted)
            exchange(s.card, HAND_SIZE * (given.drawn[j] + 1) + i, last, wanted)


@inner
def announce_as_said(given, n, s):
    """Enter the earlier seats as they announced, and mark the lanes that are kept."""
    situation, said, kept = s.row[SITUATION, :n], s.row[SAID, :n], s.row[SITUATION_IF, :n]
    fill(situation, OPENING)
    fill(kept, ONE)
    for seat in range(given.at[0]):
        row = given.limit_of[seat]
        if row >= 0:
            unmark(given.limits[row], s.index[seat + 1, :n], s.announce_word[seat, :n], kept)
        fill(said, given.said[seat])
        enter(seat, s.entry_in, situation, said)


@inner
def unmark(limit, index, word, kept):
    """Unmark the lanes in which a seat's word is not below the limit of its hand."""
    for lane in range(kept.size):
        same = kept[lane]
        kept[lane] = same if np.uint64(word[lane]) < limit[index[lane]] else ZERO


@inner
def list_marked(kept, order):
    """List the lanes that are marked; how many they are."""
    found = 0
    for lane in range(kept.size):
        if kept[lane]:
            order[found] = lane
            found += 1
    return found


@entry
def deal_given(game, given, seed, n, s, d, tried):
    """Make deals of `s.number[:n]`, and keep those that are as is known at the front of their rows.

    Parameters
    ----------
    game : Game
        The game; nobody is forced to stand in it under the card turned up.
    given : Given
        What is known.
    seed : uint64
        Seed.
    n : int
        Deals, at most `LANES`.
    s, d : Scratch, Drawn
        Work rows. What `counting.value_of` reads is filled, and the hands of all seats.
    tried : int64 (1,)
        Modified in place: more by how often cards were drawn.

    Returns
    -------
    int
        Deals kept.
    """
    hands = game.settings[PLAYERS] + 1
    ranks = game.settings[RANKS]
    attempts = n
    if given.drawn.size:
        n, attempts = draw_hands(given, seed, n, s, d)
    tried[0] += attempts
    deal(seed, n, hands, ranks, s)
    fill(s.turn_up[:n], np.uint8(given.at[1]))
    lay_out(given, n, HAND_SIZE * hands, s, d)
    take_up_hands(n, hands, ranks, s)
    draw_choices(game, seed, n, s)
    announce_as_said(given, n, s)
    m = list_marked(s.row[SITUATION_IF, :n], s.order)
    keep_lanes(game, given.at[0], s.order[:m], s)
    return m


@inner
def prefer_card(ranks, preference):
    """Give a seat's cards these ranks for trick 1; those for trick 2 stay."""
    for lane in range(preference.size):
        preference[lane] = np.uint8((preference[lane] & SECOND_TRICK_BIT) | ranks)


@entry
def run_given(game, given, seed, first, count, s, d, counts, tried):
    """Count what the alternatives of a seat lead to; see `count_given`."""
    seat = given.at[0]
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        number_deals(first + np.uint64(done), s.number[:n])
        m = deal_given(game, given, seed, n, s, d, tried)
        # The rows of what seats announced are free: those of `value_of` are others.
        for i in range(MOST_ALTERNATIVES):
            result = s.row[ACTION + i, :m]
            fill(result, np.uint8(NO_MISS))
            if i < given.action.size:
                if given.ranks[i] != AS_DRAWN:
                    prefer_card(given.ranks[i], s.row[PREFERENCE + seat, :m])
                value_of(game, seat, given.action[i], m, s, result)
        for lane in range(m):
            one, other, third = (
                s.row[ACTION, lane],
                s.row[ACTION + 1, lane],
                s.row[ACTION + 2, lane],
            )
            counts[one, other, third] += 1


def count_given(
    game: Game,
    given: Given,
    seed: int,
    first: int,
    count: int,
    counts: npt.NDArray[np.int64],
) -> int:
    """Count what the alternatives of a seat lead to, in deals that are as is known.

    Parameters
    ----------
    game : Game
        The game; nobody is forced to stand in it under the card turned up.
    given : Given
        What is known, and the alternatives.
    seed, first : int
        Seed, and number of the first deal, 0 to 2**64 - 1.
    count : int
        Deals to make, whether or not they are kept.
    counts : int64 (6, 6, 6)
        Modified in place: deals kept, by the result of each alternative in the same deal.

    Returns
    -------
    int
        How often cards were drawn: more than `count` where hands had to be drawn again.
    """
    tried = np.zeros(1, np.int64)
    run_given(
        game, given, np.uint64(seed), np.uint64(first), count, make_scratch(), make_drawn(),
        counts, tried,
    )  # fmt: skip
    return int(tried[0])
