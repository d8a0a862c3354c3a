"""Keyed random numbers in plain Python: which cards deal number i holds, what its choices draw.

Everything random about a deal is a pure function of (seed, number of the deal). The generator is
Philox4x32 with 7 rounds (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2,
3", SC 2011): a *block* of four 32-bit words for each 128-bit counter under a 64-bit key.

=========  ==================================================================
key        the seed, low word first
counter    number of the deal (low, high word), stream, block within the stream
stream 0   the cards
stream s+1 the decisions of seat s
stream 17  block 0: the first dealer of a table (sessions); block 1: in which order
           the policies of a league sit
stream 18  the hand that a seat is made to hold (aimed deals)
stream 19  the hands of seats whose announcements are known: block 16 a + j is
           of the j-th of them, drawn for the (a + 1)-th time
stream 20  the announcement of each hand for some deals (solve)
=========  ==================================================================

A whole number below n is the high word of ``word * n``. Word 0 of stream 0 draws the turn-up. Each
later word draws two live cards: the second from the low word of the first product. The relative
error of any pair's probability is below 51 * 50 / 2**32 = 6e-7.

Cards are drawn in the order miss, seat 0, seat 1, ..., so that the miss and the hand of a seat are
the same for any number of players.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from loo_sim.cards import HAND_SIZE, Card, live_cards, pack

ROUNDS = 7
MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
WORD = 2**32
DEAL_STREAM = 0
TABLE_STREAM = 17
AIM_STREAM = 18
GIVEN_STREAM = 19
SOLVE_STREAM = 20
TABLE_DEALS = 2**32
"""Numbers of deals set aside for each table: deal d of table t is deal ``t * TABLE_DEALS + d``."""


def philox(
    counter: tuple[int, int, int, int], key: tuple[int, int], rounds: int = ROUNDS
) -> tuple[int, int, int, int]:
    """One block of Philox4x32.

    Parameters
    ----------
    counter, key : tuple of int
        Words, 0 to 2**32 - 1.
    rounds : int
        Rounds of mixing.

    Returns
    -------
    tuple of int
        Four words, 0 to 2**32 - 1.
    """
    x0, x1, x2, x3 = counter
    k0, k1 = key
    for _ in range(rounds):
        high0, low0 = divmod(MULTIPLIERS[0] * x0, WORD)
        high1, low1 = divmod(MULTIPLIERS[1] * x2, WORD)
        x0, x1, x2, x3 = high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0
        k0, k1 = (k0 + KEY_STEPS[0]) % WORD, (k1 + KEY_STEPS[1]) % WORD
    return x0, x1, x2, x3


def block(seed: int, index: int, stream: int, number: int) -> tuple[int, int, int, int]:
    """Block `number` of a stream of deal `index` (both from 0) under `seed`."""
    counter = (index % WORD, index // WORD, stream, number)
    return philox(counter, (seed % WORD, seed // WORD))


def below(word: int, n: int) -> int:
    """A whole number from 0 to n - 1 out of a 32-bit word."""
    return word * n // WORD


class Dealt(NamedTuple):
    """The cards of a deal.

    Attributes
    ----------
    turn_up : Card
    miss : list of Card
        Three cards, in the order dealt.
    hands : list of list of Card
        Three cards a seat, in the order dealt.
    """

    turn_up: Card
    miss: list[Card]
    hands: list[list[Card]]


def deal_cards(seed: int, index: int, players: int, deck: int = 52) -> Dealt:
    """The cards of deal `index` under `seed`.

    Parameters
    ----------
    seed : int
        0 to 2**64 - 1.
    index : int
        Number of the deal, 0 to 2**64 - 1.
    players : int
        Seats.
    deck : int
        Cards in the pack.
    """
    needed = HAND_SIZE * (players + 1)
    words = [
        word
        for number in range((1 + (needed + 1) // 2 + 3) // 4)
        for word in block(seed, index, DEAL_STREAM, number)
    ]
    turn_up, live = _turned(below(words[0], deck), deck)
    left = list(live)
    drawn: list[Card] = []
    for word in words[1:]:
        fraction = word
        for _ in range(2):
            if len(drawn) < needed:
                place, fraction = divmod(fraction * len(left), WORD)
                drawn.append(left.pop(place))
    hands = [drawn[i : i + HAND_SIZE] for i in range(0, needed, HAND_SIZE)]
    return Dealt(turn_up, hands[0], hands[1:])


@lru_cache(maxsize=128)
def _turned(place: int, deck: int) -> tuple[Card, tuple[Card, ...]]:
    """The card at a place of the pack, and the live cards once it is turned up."""
    turn_up = pack(deck)[place]
    return turn_up, tuple(live_cards(turn_up, deck))


class Choices(NamedTuple):
    """What a seat's choices of one deal draw.

    Attributes
    ----------
    announce : int
        32-bit word that decides between announcements made with a chance.
    preference : tuple of tuple of int
        For tricks 1 and 2, an order of the positions of the cards then in hand; ``random`` play
        takes the legal card whose position comes first in it.
    """

    announce: int
    preference: tuple[tuple[int, ...], tuple[int, ...]]


ORDERS_OF_THREE = tuple(permutations(range(3)))
ORDERS_OF_TWO = ((0, 1), (1, 0))


def seat_choices(seed: int, index: int, seat: int) -> Choices:
    """What the choices of `seat` draw in deal `index` under `seed`."""
    announce, first, second, _ = block(seed, index, seat + 1, 0)
    return Choices(
        announce,
        (
            ORDERS_OF_THREE[below(first, len(ORDERS_OF_THREE))],
            ORDERS_OF_TWO[below(second, len(ORDERS_OF_TWO))],
        ),
    )


def first_dealer(seed: int, table: int, players: int) -> int:
    """The person who deals first at a table (S4), 0 to ``players - 1``."""
    return below(block(seed, table * TABLE_DEALS, TABLE_STREAM, 0)[0], players)


def league_order(seed: int, number: int, policies: int) -> list[int]:
    """The order in which the policies of a league sit at a deal, each once.

    Parameters
    ----------
    seed : int
        0 to 2**64 - 1.
    number : int
        Of the deal; of a table's first deal, where a league is played in sessions.
    policies : int
        2 to 16.
    """
    low, high, _, _ = block(seed, number, TABLE_STREAM, 1)
    left = low | high << 32
    order = list(range(policies))
    for size in range(policies, 1, -1):
        left, picked = divmod(left, size)
        order[size - 1], order[picked] = order[picked], order[size - 1]
    return order
