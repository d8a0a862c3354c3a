"""What playing otherwise is worth to one player: against the referee playing every line."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from kernel_deals import SMALL
from table_player import Lookup, table_players

from loo_sim.draws import deal_cards
from loo_sim.kernels.game import encode
from loo_sim.kernels.sight import SUMS, sum_otherwise, sum_sight
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.parse import load_policy
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE

PLAYERS, POT, SEED, DEALS = 5, 6, 3, 4 if SMALL else 400
"""Pot in stakes."""


class Forced:
    """A player who plays the legal card that comes first in an order of his dealt cards."""

    def __init__(self, player, order, later):
        self.player, self.order, self.later = player, order, later

    def announce(self, situation, hand, turn_up):
        return self.player.announce(situation, hand, turn_up)

    def play(self, turn, hand, legal):
        # Trick one: the places in `order`; trick two: either of the two that are left.
        ranked = [hand[place] for place in self.order] if turn.trick_no == 1 else list(hand)
        if turn.trick_no == 2 and self.later:
            ranked.reverse()
        return next(card for card in ranked if card in legal)


@pytest.mark.parametrize("preset", ["standard", "enquire", "peel"])
def test_every_line_of_play_is_tried(preset):
    rules = PRESETS[preset]
    policy = load_policy("trumps")
    tables = compile_tables([policy] * PLAYERS, rules, PLAYERS, POT * UNITS_PER_STAKE)
    lookup = Lookup(tables, rules.deck)
    found = np.zeros((17, SUMS), np.int64)
    seat = 3
    sum_sight(encode(rules, tables, POT * UNITS_PER_STAKE), seat, SEED, 0, DEALS, found)
    wanted = np.zeros((17, SUMS), np.int64)
    for number in range(DEALS):
        dealt = deal_cards(SEED, number, PLAYERS, rules.deck)
        players = table_players(lookup, PLAYERS, SEED, number)
        played = play_deal(rules, dealt, POT * UNITS_PER_STAKE, players)
        announced = dict(played.declarations)
        if announced.get(seat) not in ("stand", "miss") or not played.tricks:
            continue
        nets = []
        for order, later in product(permutations(range(3)), (False, True)):
            tried = list(players)
            tried[seat] = Forced(players[seat], order, later)
            nets.append(play_deal(rules, dealt, POT * UNITS_PER_STAKE, tried).net[seat])
        base = played.net[seat]
        more, drawn = max(nets) - base, sum(nets) - 12 * base
        k = sum(action != "fold" for action in announced.values())
        wanted[k] += (1, base, base**2, more, more**2, drawn, drawn**2)
    assert wanted[:, 0].sum() > (0 if SMALL else 20)
    assert wanted[:, 3].sum() > (-1 if SMALL else 0)  # there is something to be gained
    assert (found == wanted).all()


def test_other_words_win_what_the_referee_says():
    """One player leads his highest trump where the others lead their lowest."""
    rules = PRESETS["standard"]
    policy, units = load_policy("trumps"), POT * UNITS_PER_STAKE
    tables = compile_tables([policy] * PLAYERS, rules, PLAYERS, units)
    words = tables.play.copy()
    seat = 1
    words[seat, ..., 0] = 1  # lead_trump: high
    changed = replace(tables, play=words)
    found = np.zeros(2, np.int64)
    games = (encode(rules, of, units) for of in (tables, changed))
    sum_otherwise(*games, seat, SEED, 0, DEALS, found)
    wanted = np.zeros(2, np.int64)
    lookups = [Lookup(of, rules.deck) for of in (tables, changed)]
    for number in range(DEALS):
        dealt = deal_cards(SEED, number, PLAYERS, rules.deck)
        nets = [
            play_deal(rules, dealt, units, table_players(lookup, PLAYERS, SEED, number)).net[seat]
            for lookup in lookups
        ]
        wanted += (nets[1] - nets[0], (nets[1] - nets[0]) ** 2)
    assert wanted[1] > (-1 if SMALL else 0)
    assert (found == wanted).all()
