"""Three players and sixteen cards, whole: 168 million deals, played by a few lines of their own.

The rulebook once more, for this pack, the standard rules and the default words of play alone: live
cards 0-3, 4-7 and 8-11 are plain suits from the lowest up, 12-14 the trumps. Hands of one class are
not worth quite the same, since of two cards as high the words choose by suit: so nothing is left
out of the enumeration, which takes some minutes.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numba import njit

from loo_sim.cards import hand_classes, hand_index

DECK, PLAYERS, CARDS, TOP = 16, 3, 15, 14
FOLD, STAND, MISS, DEFEND = range(4)
HANDS = np.array(list(combinations(range(CARDS), 3)))
CLASS = np.array([hand_classes(DECK).class_of[hand_index(hand)] for hand in HANDS.tolist()])
POT = LOO = 3


@njit(cache=False)
def suit(card):
    return 3 if card >= 12 else card // 4


@njit(cache=False)
def height(card):
    """By rank, then by suit; trumps above all."""
    return 100 + card if card >= 12 else (card % 4) * 4 + card // 4


@njit(cache=False)
def lead(hand, count, first, opponents):
    trump, plain = -1, -1
    for i in range(count):
        card = hand[i]
        if first and card == TOP:
            return card
        if suit(card) == 3:
            highest = first and opponents == 1
            if trump < 0 or (card > trump) == highest:
                trump = card
        elif plain < 0 or height(card) > height(plain):
            plain = card
    return trump if trump >= 0 else plain


@njit(cache=False)
def beats(card, best, led):
    if suit(card) == suit(best):
        return height(card) > height(best)
    return suit(card) == 3


@njit(cache=False)
def follow(hand, count, led, best):
    follows, trumps = False, False
    for i in range(count):
        follows |= suit(hand[i]) == suit(led)
        trumps |= suit(hand[i]) == 3
    win, lose = -1, -1
    for i in range(count):
        card = hand[i]
        if follows and suit(card) != suit(led):
            continue
        if not follows and trumps and suit(card) != 3:
            continue
        if beats(card, best, led):
            if win < 0 or height(card) < height(win):
                win = card
        elif lose < 0 or height(card) < height(lose):
            lose = card
    return win if win >= 0 else lose


@njit(cache=False)
def contest(hands, k, won):
    """Play three tricks; hands (k, 3) are used up, the first leads."""
    leader = 0
    won[:] = 0
    for trick in range(3):
        count = 3 - trick
        led, best, winner = -1, -1, -1
        for step in range(k):
            who = (leader + step) % k
            if step == 0:
                card = lead(hands[who], count, trick == 0, k - 1)
                led, best, winner = card, card, who
            else:
                card = follow(hands[who], count, led, best)
                if beats(card, best, led):
                    best, winner = card, who
            for i in range(count):
                if hands[who, i] == card:
                    hands[who, i] = hands[who, count - 1]
        won[winner] += 1
        leader = winner


@njit(cache=False)
def play_all(hands, disjoint, two, three):
    """Tricks of every two and every three hands: 1 + 4 x those of the second + 16 x the third."""
    n = len(hands)
    cards, won = np.zeros((3, 3), np.int64), np.zeros(3, np.int64)
    for a in range(n):
        for b in range(n):
            if not disjoint[a, b]:
                continue
            cards[0], cards[1] = hands[a], hands[b]
            contest(cards, 2, won)
            two[a, b] = won[0] + 4 * won[1]
            for c in range(n):
                if disjoint[a, c] and disjoint[b, c]:
                    cards[0], cards[1], cards[2] = hands[a], hands[b], hands[c]
                    contest(cards, 3, won)
                    three[a, b, c] = won[0] + 4 * won[1] + 16 * won[2]


@njit(cache=False)
def worth(seat, said, plays, two, three):
    """Net of a seat, in stakes; plays: the hand that each seat plays."""
    if said[seat] == FOLD or said[seat] == DEFEND:
        return 0
    count, at = 0, 0
    inside = np.zeros(3, np.int64)
    for other in range(3):
        if said[other] != FOLD:
            if other == seat:
                at = count
            inside[count] = plays[other]
            count += 1
    if count == 1:
        return POT
    code = two[inside[0], inside[1]] if count == 2 else three[inside[0], inside[1], inside[2]]
    tricks = (code >> (2 * at)) & 3
    return tricks * POT // 3 if tricks else -LOO


@njit(cache=False)
def sum_values(of_class, disjoint, chances, two, three, values, came):
    """Values of each announcement by place, class and action, the others keeping to `chances`."""
    n = len(of_class)
    said, plays = np.zeros(3, np.int64), np.zeros(3, np.int64)
    for h0 in range(n):
        for h1 in range(n):
            if not disjoint[h0, h1]:
                continue
            for h2 in range(n):
                if not (disjoint[h0, h2] and disjoint[h1, h2]):
                    continue
                c0, c1, c2 = of_class[h0], of_class[h1], of_class[h2]
                for miss in range(n):
                    if not (disjoint[h0, miss] and disjoint[h1, miss] and disjoint[h2, miss]):
                        continue
                    came[1, c0] += 1
                    for a0 in range(3):
                        p0 = chances[1, c0, a0]
                        in1, free1 = int(a0 != FOLD), int(a0 != MISS)
                        place1 = 2 + 2 * in1 + free1
                        came[place1, c1] += p0
                        for a1 in range(2 + free1):
                            p1 = chances[place1, c1, a1]
                            if p0 + p1 == 0:
                                continue
                            in2, free2 = in1 + int(a1 != FOLD), free1 * int(a1 != MISS)
                            place2 = 6 + 2 * in2 + free2
                            said[0], said[1] = a0, a1
                            plays[0] = miss if a0 == MISS else h0
                            plays[1] = miss if a1 == MISS else h1
                            if in2 == 0:
                                continue  # the dealer takes the pot; folding is worth nothing
                            came[place2, c2] += p0 * p1
                            for a2 in range(2 + 2 * free2):
                                p2 = chances[place2, c2, a2]
                                if p0 * p1 + p0 * p2 + p1 * p2 == 0:
                                    continue
                                said[2] = a2
                                plays[2] = miss if a2 >= MISS else h2
                                if p1 * p2 > 0:
                                    net = worth(0, said, plays, two, three)
                                    values[1, c0, a0] += p1 * p2 * net
                                if p0 * p2 > 0:
                                    net = worth(1, said, plays, two, three)
                                    values[place1, c1, a1] += p0 * p2 * net
                                if p0 * p1 > 0:
                                    net = worth(2, said, plays, two, three)
                                    values[place2, c2, a2] += p0 * p1 * net


def tables():
    """Whether hands are disjoint, and what every contest comes to."""
    bits = (1 << HANDS).sum(axis=1)
    disjoint = (bits[:, np.newaxis] & bits) == 0
    n = len(HANDS)
    two, three = np.zeros((n, n), np.uint8), np.zeros((n, n, n), np.uint8)
    play_all(HANDS, disjoint, two, three)
    return disjoint, two, three


def exact_gains(chances, legal, of_contests):
    """What the best deviation of each seat gains, exactly, in stakes a deal.

    `chances` are a strategy's, of shape (places, classes, 4); `legal` says what may be announced,
    of shape (places, 4); `of_contests` is what `tables` returns.
    """
    disjoint, two, three = of_contests
    classes = int(CLASS.max()) + 1
    values, came = np.zeros((12, classes, 4)), np.zeros((12, classes))
    sum_values(CLASS, disjoint, chances, two, three, values, came)
    deals = 455 * 220 * 84 * 20
    assert came[1].sum() == deals
    best = np.where(legal[:, np.newaxis], values, -np.inf).max(axis=2)
    kept = (values * chances).sum(axis=2)
    gain = np.where(came > 0, best - kept, 0).sum(axis=1) / deals
    return np.array([gain[seat * (seat + 1) : (seat + 1) * (seat + 2)].sum() for seat in range(3)])
