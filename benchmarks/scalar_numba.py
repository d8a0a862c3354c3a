"""Plain numba baseline: one deal of three-card Loo after another, as most people would write it.

Standard rules, every seat on the policy ``trumps``; the same game as ``scalar.c``. Small arrays,
``np.random``, a card as a suit (3 is trumps) and a rank. Numbers as S11 are those of the rulebook.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LIVE, RANKS, HAND, TRUMPS, TOP_TRUMP = 51, 13, 3, 3, 11
FOLD, STAND, DEFEND, TAKE_POT = 0, 1, 3, 4
WHOLE_POT = 4
UNITS_PER_STAKE = 729
POT = LOO = 3 * UNITS_PER_STAKE


@njit(nogil=True)
def play_deals(players, deals, seed):
    """Play `deals` deals of `players` players.

    Returns
    -------
    seat_counts : int64 (players, 5, 5)
        By seat, action (fold, stand, miss, defend, take the pot) and result (tricks won; 4 the
        whole pot).
    net : int64 (players,)
        Units that each seat took less the loos it paid.
    """
    np.random.seed(seed)  # noqa: NPY002 - what most people write is what is measured
    seat_counts = np.zeros((players, 5, 5), np.int64)
    net = np.zeros(players, np.int64)
    pack = np.arange(LIVE)
    suit = np.empty((players + 1, HAND), np.int64)
    rank = np.empty((players + 1, HAND), np.int64)
    seats_in = np.empty(players, np.int64)
    hands_in = np.empty(players, np.int64)
    tricks = np.empty(players, np.int64)
    dealer = players - 1
    for _ in range(deals):
        deal_cards(pack, suit, rank)
        k = 0
        for seat in range(dealer):
            if stands(suit[seat + 1], rank[seat + 1]):
                seats_in[k] = seat
                hands_in[k] = seat + 1
                k += 1
            else:
                seat_counts[seat, FOLD, 0] += 1
        if k == 0:  # S7
            seat_counts[dealer, TAKE_POT, WHOLE_POT] += 1
            net[dealer] += POT
            continue
        defends = not stands(suit[players], rank[players])
        seats_in[k] = dealer
        hands_in[k] = 0 if defends else players
        k += 1
        tricks[:k] = 0
        play_tricks(suit, rank, hands_in, k, tricks)
        for i in range(k):
            seat = seats_in[i]
            if defends and seat == dealer:  # S10
                seat_counts[seat, DEFEND, tricks[i]] += 1
                continue
            seat_counts[seat, STAND, tricks[i]] += 1
            net[seat] += tricks[i] * (POT // 3) if tricks[i] > 0 else -LOO
    return seat_counts, net


@njit(nogil=True)
def deal_cards(pack, suit, rank):
    """Partial Fisher-Yates shuffle; hand 0 is the miss, hand ``seat + 1`` that of a seat."""
    for i in range(suit.size):
        j = np.random.randint(i, LIVE)  # noqa: NPY002
        pack[i], pack[j] = pack[j], pack[i]
        suit[i // HAND, i % HAND] = pack[i] // RANKS
        rank[i // HAND, i % HAND] = pack[i] % RANKS


@njit(nogil=True)
def stands(suit, rank):
    """Two trumps or more, or one with at most two live trumps above it."""
    trumps = 0
    best = 0
    for i in range(HAND):
        if suit[i] == TRUMPS:
            trumps += 1
            best = max(best, rank[i])
    return trumps >= 2 or (trumps == 1 and best >= TOP_TRUMP - 2)


@njit(nogil=True)
def play_tricks(suit, rank, hands, k, tricks):
    """Play the three tricks of the `k` players in; counts who won them in `tricks`.

    A card played is marked in `suit` by -1.
    """
    leader = 0
    for trick in range(HAND):
        hand = hands[leader]
        card = lead(suit[hand], rank[hand], trick, k)
        led = best_suit = suit[hand, card]
        best_rank = rank[hand, card]
        suit[hand, card] = -1
        winner = leader
        for i in range(1, k):
            player = (leader + i) % k
            hand = hands[player]
            card = follow(suit[hand], rank[hand], led, best_suit, best_rank)
            if beats(suit[hand, card], rank[hand, card], best_suit, best_rank):
                best_suit = suit[hand, card]
                best_rank = rank[hand, card]
                winner = player
            suit[hand, card] = -1
        tricks[winner] += 1
        leader = winner


@njit(nogil=True)
def lead(suit, rank, trick, k):
    """S11, S14: the card that leads; the lowest trump where free, else the highest plain card."""
    lowest = highest = -1
    for i in range(HAND):
        if suit[i] == TRUMPS:
            if lowest < 0 or rank[i] < rank[lowest]:
                lowest = i
            if highest < 0 or rank[i] > rank[highest]:
                highest = i
    if lowest >= 0:
        must_be_highest = trick == 0 and (k == 2 or rank[highest] == TOP_TRUMP)
        return highest if must_be_highest else lowest
    for i in range(HAND):
        if suit[i] >= 0 and (highest < 0 or is_lower(suit, rank, highest, i)):
            highest = i
    return highest


@njit(nogil=True)
def follow(suit, rank, led, best_suit, best_rank):
    """S12: the lowest card that heads the trick, else the lowest that may be played."""
    owed = -1
    for i in range(HAND):
        if suit[i] == led or (suit[i] == TRUMPS and owed < 0):
            owed = suit[i]
        if owed == led:
            break
    head = lose = -1
    for i in range(HAND):
        if suit[i] >= 0 and (owed < 0 or suit[i] == owed):
            if owed >= 0 and beats(suit[i], rank[i], best_suit, best_rank):
                if head < 0 or rank[i] < rank[head]:
                    head = i
            elif lose < 0 or is_lower(suit, rank, i, lose):
                lose = i
    return head if head >= 0 else lose


@njit(nogil=True)
def beats(suit, rank, best_suit, best_rank):
    """S13: whether a card beats the best card of the trick so far."""
    if suit == best_suit:
        return rank > best_rank
    return suit == TRUMPS


@njit(nogil=True)
def is_lower(suit, rank, i, j):
    """Whether plain card `i` comes before plain card `j`: by rank, then by suit."""
    return rank[i] < rank[j] or (rank[i] == rank[j] and suit[i] < suit[j])
