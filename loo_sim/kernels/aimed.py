"""Entry kernel that aims: deals in which one seat holds a given class of hand, in one situation.

Deal i of a seed is dealt as always, and then made to hold a hand of class ``slots[i % slots]`` at
the seat: one by one the wanted cards change places with the cards that lie where they belong. Each
order of the pack with the first wanted card in its place comes of equally many orders, one for each
place where that card may have lain, so that all of them are equally likely; the same goes for the
second card and the third among the places that are left. Nothing is thrown away.

The wanted cards come in the order of their numbers. A hand's order matters only to random play,
which takes the legal card that comes first in a uniform random order of the places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.cards import all_hands, hand_classes
from loo_sim.draws import AIM_STREAM
from loo_sim.kernels.announcing import (
    FORCED,
    OPENING,
    PREFERENCE,
    RESULT,
    SAID,
    SITUATION,
    announce,
)
from loo_sim.kernels.batch import LANES, draw_choices, make_scratch, number_deals
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.contests import copy, fill
from loo_sim.kernels.counting import STANDS, TAKES_MISS, value_of
from loo_sim.kernels.dealing import HAND_SIZE, TOP_TRUMP, deal, double_index, halve, pack_hand
from loo_sim.kernels.game import NO_MISS, PLAYERS, RANKS, Game
from loo_sim.kernels.philox import block_words, draw_below
from loo_sim.policies.features import Situation

SEAT, BEFORE = range(2)
"""Places in `Aim.at`."""
FIRST_TRUMP = np.int8(52)
SUIT_BITS, SUIT = np.int8(2), np.int8(3)


class Aim(NamedTuple):
    """The situation that is looked at, and how often each class of hand is dealt to its seat.

    Attributes
    ----------
    at : int64 (2,)
        The seat, and 2 standers + miss_free before it speaks.
    slots : uint16 (slots,)
        Classes of hand; deal i is of the class in slot i modulo their number.
    start : int64 (classes + 1,)
        Where each class begins in `cards`, and the end.
    cards : int8 (3, hands)
        Card codes of every hand, class by class.
    """

    at: npt.NDArray[np.int64]
    slots: npt.NDArray[np.uint16]
    start: npt.NDArray[np.int64]
    cards: npt.NDArray[np.int8]


def make_aim(deck: int, situation: Situation, slots: npt.NDArray[np.uint16]) -> Aim:
    """Aim at a situation.

    Parameters
    ----------
    deck : int
        Cards in the pack.
    situation : Situation
        Where the seat is to speak.
    slots : ndarray of uint16
        The class of hand that the seat holds in deal i, by i modulo their number.

    Returns
    -------
    Aim
    """
    code = card_codes(deck)
    classes = hand_classes(deck)
    by_class = np.argsort(classes.class_of, kind="stable")
    return Aim(
        at=np.array([situation.seat, 2 * situation.standers + situation.miss_free], np.int64),
        slots=slots,
        start=np.concatenate([[0], np.cumsum(classes.size)]),
        cards=np.ascontiguousarray(code[all_hands(deck)[by_class]].T),
    )


def card_codes(deck: int) -> npt.NDArray[np.int8]:
    """The code of every live card of a pack, by its number."""
    ranks = deck // 4
    number = np.arange(deck - 1)
    plain = 4 * (number % ranks) + number // ranks
    return np.where(number < 3 * ranks, plain, TOP_TRUMP - (deck - 2) + number).astype(np.int8)


@inner
def choose_hands(aim, number, word, a, b, c):
    """The cards wanted in each deal: a hand of its slot's class, drawn by a random word."""
    slots = np.uint64(aim.slots.size)
    for lane in range(number.size):
        of_class = aim.slots[number[lane] % slots]
        first = aim.start[of_class]
        size = np.uint64(aim.start[of_class + 1] - first)
        hand = first + np.int64(draw_below(word[lane], size))
        a[lane], b[lane], c[lane] = aim.cards[0, hand], aim.cards[1, hand], aim.cards[2, hand]


@inner
def exchange(card, place, last, wanted):
    """Bring the wanted card of each lane to `place`, and what lay there to where it was.

    Where the wanted card lies in none of the rows up to `last`, what lay there is not dealt.
    """
    there = card[place, : wanted.size]
    for other in range(last):
        if other != place:
            give_back(there, wanted, card[other, : wanted.size])
    copy(wanted, there)


@inner
def give_back(there, wanted, row):
    """Put the card that lies in the wanted card's place where the wanted card is."""
    for lane in range(row.size):
        x, y = row[lane], there[lane]
        row[lane] = y if x == wanted[lane] else x


@inner
def number_card(card, ranks):
    """Turn card codes into live card numbers, in place."""
    from_trump = np.int8((4 * ranks - 2) - TOP_TRUMP)
    for lane in range(card.size):
        x = card[lane]
        plain = np.int8(np.int8(x >> SUIT_BITS) + np.int8(np.int8(x & SUIT) * np.int8(ranks)))
        card[lane] = np.int8(x + from_trump) if x >= FIRST_TRUMP else plain


@entry
def deal_aimed(game, aim, seed, n, s):
    """Deal `n` deals, those of `s.number`, the wanted hands at the seat, and draw their choices.

    What `dealing.deal` and `batch.draw_choices` fill is filled.
    """
    hands = game.settings[PLAYERS] + 1
    ranks = game.settings[RANKS]
    deal(seed, n, hands, ranks, s)
    block_words(
        seed, s.number[:n], np.uint64(AIM_STREAM), np.uint64(0),
        s.words[0, :n], s.words[1, :n], s.words[2, :n], s.words[3, :n],
    )  # fmt: skip
    # The rows of draws are free by now.
    a, b, c = s.draw[0, :n], s.draw[1, :n], s.draw[2, :n]
    choose_hands(aim, s.number[:n], s.words[0, :n], a, b, c)
    place = HAND_SIZE * (aim.at[SEAT] + 1)
    exchange(s.card, place, HAND_SIZE * hands, a)
    exchange(s.card, place + 1, HAND_SIZE * hands, b)
    exchange(s.card, place + 2, HAND_SIZE * hands, c)
    take_up_hands(n, hands, ranks, s)
    draw_choices(game, seed, n, s)


@inner
def take_up_hands(n, hands, ranks, s):
    """Fill `index` and `hand` from the codes of the cards as they lie now; these are used up."""
    for h in range(hands):
        place = HAND_SIZE * h
        a, b, c = s.card[place, :n], s.card[place + 1, :n], s.card[place + 2, :n]
        pack_hand(a, b, c, s.hand[h, :n])
        number_card(a, ranks)
        number_card(b, ranks)
        number_card(c, ranks)
        double_index(a, b, c, s.index[h, :n])
        halve(s.index[h, :n])


@inner
def find_lanes(before, situation, forced, order):
    """List the lanes in the situation in which the seat speaks freely; how many they are."""
    found = 0
    for lane in range(situation.size):
        if situation[lane] == before and not forced[lane]:
            order[found] = lane
            found += 1
    return found


@inner
def close_up(row, lanes):
    """Bring the values of some lanes, in ascending order, to the front of their row."""
    for place in range(lanes.size):
        row[place] = row[lanes[place]]


@inner
def keep_lanes(game, seat, lanes, s):
    """Keep some lanes of a batch announced up to `seat`, as far as `value_of` reads them."""
    for hand in range(seat, game.settings[PLAYERS]):
        close_up(s.index[hand + 1], lanes)
        close_up(s.announce_word[hand], lanes)
    for hand in range(game.settings[PLAYERS] + 1):
        close_up(s.hand[hand], lanes)
    for slot in range(seat):
        close_up(s.entry_in[slot], lanes)
    for player in range(game.settings[PLAYERS]):
        close_up(s.row[PREFERENCE + player], lanes)
    close_up(s.row[SITUATION], lanes)
    close_up(s.row[FORCED], lanes)


@entry
def run_aimed(game, aim, seed, first, count, s, counts):
    """Count what one seat's alternatives lead to in one situation; see `count_aimed`."""
    seat, before = aim.at
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        number_deals(first + np.uint64(done), s.number[:n])
        deal_aimed(game, aim, seed, n, s)
        situation = s.row[SITUATION, :n]
        fill(situation, OPENING)
        for earlier in range(seat):
            announce(game, earlier, s, situation, s.row[SAID, :n])
        m = find_lanes(before, situation, s.row[FORCED, :n], s.order)
        keep_lanes(game, seat, s.order[:m], s)
        stand, miss = s.row[RESULT + STANDS, :m], s.row[RESULT + TAKES_MISS, :m]
        value_of(game, seat, STANDS, m, s, stand)
        if before & 1:
            value_of(game, seat, TAKES_MISS, m, s, miss)
        else:
            fill(miss, np.uint8(NO_MISS))
        for lane in range(m):
            hand = game.class_of[s.index[seat + 1, lane]]
            counts[hand, stand[lane], miss[lane]] += np.uint32(1)


def count_aimed(
    game: Game,
    aim: Aim,
    seed: int,
    first: int,
    count: int,
    counts: npt.NDArray[np.uint32],
    dealt: npt.NDArray[np.int64],
) -> None:
    """Count what standing and taking the miss lead to in one situation, hands dealt as told.

    Parameters
    ----------
    game : Game
        The game.
    aim : Aim
        The situation, and which classes of hand its seat is dealt.
    seed, first : int
        Seed, and number of the first deal, 0 to 2**64 - 1.
    count : int
        Deals.
    counts : uint32 (classes, 5, 6)
        Modified in place: deals in which the seat spoke in the situation, by its class of hand,
        result of standing, and result of taking the miss (`NO_MISS` where it is gone).
    dealt : int64 (classes,)
        Modified in place: deals of each class, whether or not the situation came up.
    """
    run_aimed(game, aim, np.uint64(seed), np.uint64(first), count, make_scratch(), counts)
    numbers = np.uint64(first) + np.arange(count, dtype=np.uint64)
    dealt += np.bincount(aim.slots[numbers % np.uint64(aim.slots.size)], minlength=dealt.size)
