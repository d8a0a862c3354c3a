"""Entry kernel of first leads: each card that the leader may lead is led in the same deal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.cards import hand_classes
from loo_sim.kernels.aimed import card_codes
from loo_sim.kernels.announcing import ACTION, ACTION_BITS, PREFERENCE, SAYS_MISS
from loo_sim.kernels.batch import (
    LANES,
    RANKS_OF_FIRST,
    announce_all,
    deal_batch,
    make_scratch,
)
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.contests import (
    BYTE,
    PLAYED,
    SECOND_TRICK_BIT,
    SHIFT_A,
    SHIFT_B,
    TALLY,
    WINNER,
    fill,
    play_tricks,
)
from loo_sim.kernels.counting import count_tricks, tally
from loo_sim.kernels.dealing import HAND_SIZE
from loo_sim.kernels.game import PLAYERS, SEAT_BITS, Game, encode

if TYPE_CHECKING:
    from loo_sim.experiment import Cell

OUTCOMES = 5
"""Results of leading a card: 0 to 3 tricks, or `NOT_LED`."""
FEWEST_IN = 2
"""Players in with whom there is play."""
NOT_LED, LEADER = np.uint8(4), np.uint8(0)
"""Where the card may not be led; the slot of the first player in."""
FIRST_A, FIRST_B, FIRST_C = (np.uint8(ranks) for ranks in RANKS_OF_FIRST)
WANTED, LED = ACTION, ACTION + 1
"""Byte rows of the card to be led, and of what comes of leading each of the three: those of what
seats announced are free once it is known who is in."""


class LeadGame(NamedTuple):
    """A game in which first leads are told.

    Attributes
    ----------
    game : Game
        One in which the words of the first lead are `random` for all seats.
    cards : uint8 (hands, 3)
        Card codes of every hand by `cards.hand_index`, in the order of its class.
    """

    game: Game
    cards: npt.NDArray[np.uint8]


def encode_leads(cell: Cell) -> LeadGame:
    """Put a cell of an experiment into numbers, its first leads left to be told."""
    from loo_sim.policies.compile import compile_tables, leading_at_random

    tables = compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    deck = cell.rules.deck
    return LeadGame(
        encode(cell.rules, leading_at_random(tables, range(cell.players)), cell.pot),
        card_codes(deck)[hand_classes(deck).ordered].astype(np.uint8),
    )


@inner
def hand_of(who):
    """The row of `Scratch.hand` with the leader's cards; a defender is in last, and never leads."""
    took_miss = np.uint8(who >> ACTION_BITS) == SAYS_MISS
    return 0 if took_miss else (who & SEAT_BITS) + 1


@inner
def tell_lead(cards, i, lanes, s, wanted):
    """Give the leader's cards ranks for trick 1 by which card `i` of his hand is led if it may be.

    Nothing else that is drawn changes, and only leads of trick 1 go by these ranks: to all other
    tricks and places the words of the policies apply.
    """
    for place in range(lanes.size):
        lane = lanes[place]
        who = s.entry_in[LEADER, lane]
        hand = hand_of(who)
        card = cards[s.index[hand, lane], i]
        held = s.hand[hand, lane]
        is_a = np.uint8(np.uint32(held >> SHIFT_A) & BYTE) == card
        is_b = np.uint8(np.uint32(held >> SHIFT_B) & BYTE) == card
        ranks = FIRST_A if is_a else (FIRST_B if is_b else FIRST_C)
        row = PREFERENCE + (who & SEAT_BITS)
        s.row[row, lane] = np.uint8((s.row[row, lane] & SECOND_TRICK_BIT) | ranks)
        wanted[place] = card


@inner
def note(wanted, card, tricks, led):
    """What came of leading a card: the tricks won, or that another had to be led."""
    for place in range(led.size):
        x = tricks[place]
        led[place] = x if card[place] == wanted[place] else NOT_LED


@inner
def find_cells(game, k, lanes, s, counts, cell):
    """The cell of the counts that each contest adds to."""
    _, classes, outcomes, _, _ = counts.shape
    for place in range(lanes.size):
        lane = lanes[place]
        hand = game.class_of[s.index[hand_of(s.entry_in[LEADER, lane]), lane]]
        at = (k - FEWEST_IN) * classes + np.int64(hand)
        for i in range(HAND_SIZE):
            at = at * outcomes + np.int64(s.row[LED + i, place])
        cell[place] = at


@entry
def count_batch(game, cards, n, s, counts):
    """Let `n` deals that lie dealt be announced, and count their leads; see `count_leads`."""
    c = s.contest
    announce_all(game, n, s)
    for k in range(FEWEST_IN, game.settings[PLAYERS] + 1):
        lanes = s.order[s.start[k] : s.start[k + 1]]
        m = lanes.size
        if m == 0:
            continue
        wanted, slots, tricks = s.row[WANTED, :m], c[TALLY, :m], c[TALLY + 1, :m]
        for i in range(HAND_SIZE):
            tell_lead(cards, i, lanes, s, wanted)
            play_tricks(game, k, lanes, s)
            fill(slots, LEADER)
            count_tricks(c[WINNER, :m], c[WINNER + 1, :m], c[WINNER + 2, :m], slots, tricks)
            note(wanted, c[PLAYED, :m], tricks, s.row[LED + i, :m])
        # The row of random words is free by now.
        cell = s.words[0, :m]
        find_cells(game, k, lanes, s, counts, cell)
        tally(cell, counts.reshape(counts.size))


@entry
def run_leads(game, cards, seed, first, count, s, counts):
    """Count what first leads come to in consecutive deals; see `count_leads`."""
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        count_batch(game, cards, n, s, counts)


def count_leads(
    lead: LeadGame, seed: int, first: int, count: int, counts: npt.NDArray[np.uint32]
) -> None:
    """Count what each first lead comes to, in consecutive deals.

    Parameters
    ----------
    lead : LeadGame
        The game.
    seed, first : int
        Seed, and number of the first deal, 0 to 2**64 - 1.
    count : int
        Deals.
    counts : uint32 (players - 1, classes, 5, 5, 5)
        Modified in place: deals in which two or more are in, by players in less 2, class of the
        leader's hand, and tricks that he wins if he leads the first, the second and the third card
        of it (`NOT_LED` for one that he may not lead), all in the same deal.
    """
    game, cards = lead
    run_leads(game, cards, np.uint64(seed), np.uint64(first), count, make_scratch(), counts)
