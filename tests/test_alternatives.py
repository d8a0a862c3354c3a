"""Sums of what each announcement gains, against the referee playing every alternative."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kernel_deals import SMALL, seats
from table_player import Lookup, live_numbers, table_players
from test_kernels_announcements import HOUSE, Overruled

from loo_sim.cards import hand_classes, hand_index
from loo_sim.draws import deal_cards
from loo_sim.kernels.alternatives import MOMENTS, SUMS, sum_alternatives
from loo_sim.kernels.batch import make_scratch
from loo_sim.kernels.game import encode
from loo_sim.policies.compile import compile_tables
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE

DEALS = 4 if SMALL else 120
GAINS = ("stand", "miss", "defend")


def values_of(rules, pot, dealt, players, carry):
    """For each seat that spoke freely: its place, its hand's class, and what it gained."""
    count = len(players)

    def worth(seat, action):
        others = list(players)
        others[seat] = Overruled(players[seat], action)
        deal = play_deal(rules, dealt, pot, others)
        return count * deal.net[seat] + deal.pot_after if carry else deal.net[seat]

    deal = play_deal(rules, dealt, pot, players)
    number = live_numbers(dealt.turn_up, rules.deck)
    class_of = hand_classes(rules.deck).class_of
    standers, free = 0, True
    for seat, said in () if deal.forced_stand else deal.declarations:
        legal = rules.legal_actions(seat == count - 1, standers, free)
        values = {action: worth(seat, action) for action in legal}
        hand = int(class_of[hand_index([number[card] for card in dealt.hands[seat]])])
        yield seat * (seat + 1) + 2 * standers + free, hand, values
        standers += said != "fold"
        free &= said != "miss"


@pytest.mark.parametrize("carry", [False, True])
@pytest.mark.parametrize(
    ("rules", "players", "names"),
    [
        (PRESETS["standard"], 5, ["random"]),
        (PRESETS["standard"], 6, ["trumps"]),
        (PRESETS["peel"], 3, ["random", "peel"]),
        (PRESETS["enquire"], 4, ["loose", "late-dice"]),
        (PRESETS["club"], 5, ["loose", "trumps", "random"]),
        (HOUSE, 6, ["random", "turncoat"]),
        (replace(HOUSE, defend="lone", loo=3, loo_cap=None), 7, ["loose"]),
    ],
)
def test_gains_are_those_of_the_referee(rules, players, names, carry):
    pot = 12 * UNITS_PER_STAKE
    tables = compile_tables(seats(names, players), rules, players, pot)
    lookup, seed = Lookup(tables, rules.deck), 61
    classes = len(hand_classes(rules.deck).size)
    found = np.zeros((players * (players + 1), classes, MOMENTS), np.int64)
    game = encode(rules, tables, pot)
    sum_alternatives(game, carry, seed, 0, DEALS, make_scratch(), found)
    gained = {}
    for index in range(DEALS):
        dealt = deal_cards(seed, index, players, rules.deck)
        for place, hand, values in values_of(
            rules, pot, dealt, table_players(lookup, players, seed, index), carry
        ):
            gained.setdefault((place, hand), []).append(values)
    assert (found[..., 0] > 0).sum() == len(gained)
    for (place, hand), deals in gained.items():
        row = found[place, hand]
        assert row[0] == len(deals)
        # Sums are of gains on folding: what they differ by is what announcements differ by, be
        # folding legal or not.
        legal = [action for action in GAINS if action in deals[0]]
        sums = dict(zip(GAINS, row[1:4], strict=True))
        base = "fold" if "fold" in deals[0] else legal[0]
        for action in legal:
            wanted = sum(values[action] - values[base] for values in deals)
            assert sums[action] - sums.get(base, 0) == wanted
        if base == "fold":
            places = {("stand", "stand"): 4, ("miss", "miss"): 5, ("stand", "miss"): 7}
            for (one, other), column in places.items():
                if one in legal and other in legal:
                    products = [
                        (values[one] - values["fold"]) * (values[other] - values["fold"])
                        for values in deals
                    ]
                    assert row[column] == sum(products)


def test_short_sums_are_the_first_of_the_long_ones():
    rules, players, pot = PRESETS["standard"], 5, 6 * UNITS_PER_STAKE
    game = encode(rules, compile_tables(seats(["loose"], 5), rules, players, pot), pot)
    classes = len(hand_classes(rules.deck).size)
    long, short = (np.zeros((30, classes, n), np.int64) for n in (MOMENTS, SUMS))
    for sums in (long, short):
        sum_alternatives(game, True, 5, 0, DEALS, make_scratch(), sums)
    assert (long[..., :SUMS] == short).all()
    assert short[..., 0].sum() > 3 * DEALS  # nearly every seat speaks
