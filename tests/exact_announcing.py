"""Two players and a small pack, whole: every deal, every announcement, played by the referee.

With 12 cards 11 are live, and there are 92,400 deals of three hands. What comes of a deal depends
on who plays which hand, of which there are 9,240 pairs; each is played once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from loo_sim.cards import Card, hand_classes, hand_index, live_cards
from loo_sim.draws import Dealt
from loo_sim.policies.player import PolicyPlayer
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE

DECK = 12
RULES = replace(PRESETS["standard"], deck=DECK, min_players=2)
TURN_UP = Card(12, "s")
"""The lowest spade of the pack."""
FOLD, STAND, MISS, DEFEND = range(4)
FIRST, DEALER, DEALER_GONE = 1, 5, 4
"""Places of the three situations: the first to speak; the dealer after a stander, the miss there,
and after the miss was taken."""


class Saying:
    """A player who announces what he is told, and plays as a policy does."""

    def __init__(self, said, player):
        self.said, self.player = said, player

    def announce(self, situation, hand, turn_up):
        return self.said

    def play(self, turn, hand, legal):
        return self.player.play(turn, hand, legal)


@dataclass
class Exact:
    """Mean values by class of hand, in stakes a deal.

    Attributes
    ----------
    chance : ndarray, shape (classes, classes)
        Chance of the first seat's and the dealer's class.
    worth : dict of (int, int) to ndarray, shape (2, classes, classes)
        By what the first seat and the dealer announce (`FOLD` of the first alone: with any): sums
        over deals of each seat's value, times the chance of the deal.
    """

    chance: np.ndarray
    worth: dict[tuple[int, int], np.ndarray]

    def legal(self, place):
        return {
            FIRST: (FOLD, STAND, MISS),
            DEALER: (STAND, MISS, DEFEND),
            DEALER_GONE: (FOLD, STAND),
        }[place]

    def values(self, strategy, seat, place):
        """What each legal announcement of a class is worth there, the other keeping to a strategy.

        A strategy is an array of shape (places, classes, 4), what is returned one of shape
        (classes, 4): times the chance of coming there with the class, nan where illegal.
        """
        found = np.full((len(self.chance), 4), np.nan)
        for action in self.legal(place):
            if seat == 0:
                found[:, action] = self._first(strategy, action)
            else:
                before = STAND if place == DEALER else MISS
                of = self.worth[before, action][1]
                found[:, action] = strategy[FIRST][:, before] @ of
        return found

    def _first(self, strategy, action):
        if action == FOLD:
            return self.worth[FOLD, FOLD][0].sum(axis=1)
        place = DEALER if action == STAND else DEALER_GONE
        return sum(
            self.worth[action, answer][0] @ strategy[place][:, answer]
            for answer in self.legal(place)
        )

    def gains(self, strategy):
        """What the best deviation of each seat gains, exactly."""
        found = []
        for seat, places in ((0, (FIRST,)), (1, (DEALER, DEALER_GONE))):
            gain = 0.0
            for place in places:
                values = self.values(strategy, seat, place)
                kept = np.nansum(values * strategy[place], axis=1)
                gain += (np.nanmax(values, axis=1) - kept).sum()
            found.append(gain)
        return np.array(found)

    def value(self, strategy):
        """What a deal is worth to the first seat where both keep to a strategy."""
        return np.nansum(self.values(strategy, 0, FIRST) * strategy[FIRST])


def exact(pot, carry, policy):
    """Enumerate a game.

    Parameters
    ----------
    pot : int
        Stakes.
    carry : bool
        Whether half of the pot that is left counts for each.
    policy : Policy
        Whose way of playing the cards both have; nothing of it may be drawn.
    """
    live = live_cards(TURN_UP, DECK)
    hands = list(combinations(range(len(live)), 3))
    class_of = hand_classes(DECK).class_of
    of_class = np.array([class_of[hand_index(hand)] for hand in hands])
    disjoint = np.array([[not set(one) & set(other) for other in hands] for one in hands])
    units = pot * UNITS_PER_STAKE

    def value(deal, seat):
        left = deal.pot_after / 2 if carry else 0
        return (deal.net[seat] + left) / UNITS_PER_STAKE

    def play(saying, first, dealer, miss):
        cards = [[live[card] for card in hands[hand]] for hand in (first, dealer, miss)]
        dealt = Dealt(TURN_UP, cards[2], cards[:2])
        players = [Saying(said, PolicyPlayer(policy, lambda: None)) for said in saying]
        deal = play_deal(RULES, dealt, units, players)
        return value(deal, 0), value(deal, 1)

    # By who plays which hand: a hand that is thrown away changes nothing.
    both = np.zeros((2, len(hands), len(hands)))
    defended = np.zeros_like(both)
    for one, other in zip(*np.nonzero(disjoint), strict=True):
        third = int(np.flatnonzero(disjoint[one] & disjoint[other])[0])
        both[:, one, other] = play(("stand", "stand"), one, other, third)
        defended[:, one, other] = play(("stand", "defend"), one, third, other)
    classes = len(hand_classes(DECK).size)
    chance = np.zeros((classes, classes))
    worth = {
        key: np.zeros((2, classes, classes))
        for key in [
            (FOLD, FOLD),
            *((STAND, answer) for answer in (STAND, MISS, DEFEND)),
            *((MISS, answer) for answer in (FOLD, STAND)),
        ]
    }
    whole = float(pot)
    deals = int(disjoint.sum()) * 10  # 5 cards are left for the miss
    for first, dealer in zip(*np.nonzero(disjoint), strict=True):
        at = of_class[first], of_class[dealer]
        misses = np.flatnonzero(disjoint[first] & disjoint[dealer])
        assert len(misses) == 10
        chance[at] += len(misses)
        worth[FOLD, FOLD][(1, *at)] += len(misses) * whole
        worth[MISS, FOLD][(0, *at)] += len(misses) * whole
        for key, table, one, other in (
            ((STAND, STAND), both, np.full(10, first), np.full(10, dealer)),
            ((STAND, MISS), both, np.full(10, first), misses),
            ((STAND, DEFEND), defended, np.full(10, first), misses),
            ((MISS, STAND), both, misses, np.full(10, dealer)),
        ):
            worth[key][(slice(None), *at)] += table[:, one, other].sum(axis=1)
    return Exact(chance / deals, {key: table / deals for key, table in worth.items()})


def solve_by_cfr(game, rounds):
    """Counterfactual regret minimization over the whole tree: the average strategy.

    Zinkevich, Johanson, Bowling and Piccione, "Regret minimization in games with incomplete
    information", NIPS 2007; regrets below 0 are forgotten and later rounds count more (Tammelin,
    2014).
    """
    classes = len(game.chance)
    places = {FIRST: 0, DEALER: 1, DEALER_GONE: 1}
    regret = {place: np.zeros((classes, 4)) for place in places}
    total = np.zeros((6, classes, 4))
    now = np.zeros((6, classes, 4))
    for number in range(1, rounds + 1):
        for place in places:
            legal = np.isin(np.arange(4), game.legal(place))
            kept = np.where(legal, regret[place], 0.0)
            sums = kept.sum(axis=1, keepdims=True)
            even = legal / legal.sum()
            now[place] = np.where(sums > 0, kept / np.where(sums > 0, sums, 1), even)
        for place, seat in places.items():
            values = np.nan_to_num(game.values(now, seat, place))
            mean = (values * now[place]).sum(axis=1, keepdims=True)
            regret[place] = np.maximum(regret[place] + values - mean, 0.0)
        total += number * now
    return total / np.where(
        total.sum(axis=2, keepdims=True) > 0, total.sum(axis=2, keepdims=True), 1
    )
