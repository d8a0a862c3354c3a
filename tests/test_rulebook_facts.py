"""The facts of the rulebook's third section: proved by counting, or held against many deals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Case, cases, play_case, random_players

from loo_sim.cards import Card, all_hands, hand_classes, live_cards, pack
from loo_sim.draws import Dealt, deal_cards
from loo_sim.referee import (
    Deal,
    Declaration,
    Play,
    hands_in_play,
    highest_live_trump,
    play_deal,
)
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules

TRUMPS = 12
PLAIN = 39
OWN_TRUMPS = (0.43885, 0.42699, 0.12360, 0.01056)
"""Chance of 0, 1, 2, 3 trumps in hand, as the rulebook prints it."""
MISS_HAS_TRUMP = (0.5872, 0.5508, 0.5123, 0.4716)
"""Chance that the miss holds a trump given those, as the rulebook prints it."""


def test_classes_of_hands() -> None:
    classes = hand_classes()
    trumps = Counter(name.count("s") for name in classes.names)
    assert [trumps[n] for n in (3, 2, 1, 0)] == [220, 858, 2028, 1755]
    assert len(classes.names) == 4861
    assert classes.size.sum() == comb(51, 3) == 20825


def test_classes_are_the_orbits_of_the_plain_suits() -> None:
    """Burnside's count: the mean number of hands that a renaming of the plain suits leaves alone.

    The identity leaves all; each of three swaps leaves hands whose plain cards lie in the third
    suit, or in pairs of the two swapped; each of two rotations leaves hands of trumps only, and
    three plain cards of one rank.
    """
    fixed_cards = TRUMPS + 13
    swap = comb(fixed_cards, 3) + fixed_cards * 13
    rotation = comb(TRUMPS, 3) + 13
    assert (comb(51, 3) + 3 * swap + 2 * rotation) / 6 == len(hand_classes().names)


def test_number_of_trumps_in_hand() -> None:
    counts = np.bincount((all_hands() >= PLAIN).sum(axis=1), minlength=4)
    assert counts.tolist() == [comb(TRUMPS, n) * comb(PLAIN, 3 - n) for n in range(4)]
    assert (counts / comb(51, 3)).round(5).tolist() == list(OWN_TRUMPS)


@pytest.mark.parametrize("own", range(4))
def test_trumps_of_the_miss(own: int) -> None:
    """Count the hands that have no card of a given one and hold a trump."""
    hands = all_hands()
    mine = [*range(PLAIN, PLAIN + own), *range(3 - own)]
    others = hands[~np.isin(hands, mine).any(axis=1)]
    assert len(others) == comb(48, 3)
    share = (others >= PLAIN).any(axis=1).mean()
    assert share == pytest.approx(1 - comb(PLAIN - 3 + own, 3) / comb(48, 3))
    assert round(share, 4) == MISS_HAS_TRUMP[own]


def test_dealt_hands_keep_these_chances() -> None:
    """Within four standard errors over 6,000 deals (fixed seed, so the result never changes)."""
    deals = 6000
    own: Counter[int] = Counter()
    with_miss: Counter[int] = Counter()
    for index in range(deals):
        turn_up, miss, (hand,) = deal_cards(2024, index, 1)
        trumps = sum(card.suit == turn_up.suit for card in hand)
        own[trumps] += 1
        with_miss[trumps] += any(card.suit == turn_up.suit for card in miss)
    for n in range(4):
        chance = OWN_TRUMPS[n]
        assert abs(own[n] / deals - chance) < 4 * sqrt(chance * (1 - chance) / deals)
        chance = MISS_HAS_TRUMP[n]
        assert abs(with_miss[n] / own[n] - chance) < 4 * sqrt(chance * (1 - chance) / own[n])


def test_highest_live_trump_is_in_three_of_51_hands() -> None:
    holding = (all_hands() == 50).any(axis=1).mean()
    assert holding == pytest.approx(3 / 51)
    assert live_cards(Card.parse("Ah"))[50] == highest_live_trump(Card.parse("Ah"))
    assert live_cards(Card.parse("9h"))[50] == highest_live_trump(Card.parse("9h"))


def random_deals(rules: Rules, count: int, seed: int) -> Iterator[Deal]:
    """Deals by random legal announcing and play, of every number of players in turn."""
    sizes = range(rules.min_players, rules.max_players + 1)
    for index in range(count):
        players = sizes[index % len(sizes)]
        # Every pot from the single one up, in odd units, so that thirds do not always come out.
        pot = rules.single_pot(players) + (index // len(sizes)) * (UNITS_PER_STAKE - 1)
        dealt = deal_cards(seed, index, players, rules.deck)
        yield play_deal(rules, dealt, pot, random_players(seed, index, players))


@pytest.mark.parametrize("preset", PRESETS)
def test_facts_of_play(preset: str) -> None:
    rules = PRESETS[preset]
    held = lone = without_defence = 0
    for deal in random_deals(rules, 420, seed=77):
        assert sum(deal.net) + deal.pot_after == deal.pot
        seats_in = [seat for seat, action in deal.declarations if action != "fold"]
        if len(seats_in) < 2:
            lone += 1
            assert sorted(deal.net)[-1] == deal.pot
            assert deal.pot_after == 0
            continue
        defended = "defend" in deal.said.values()
        looed = [seat for seat in range(deal.players) if deal.net[seat] < 0]
        idle_defender = defended and not deal.tricks_won[deal.dealer]
        assert len(looed) >= len(seats_in) - 3 - idle_defender
        if not defended:
            without_defence += 1
            loo = rules.loo_units(deal.pot)
            assert sum(deal.net) == deal.pot - deal.pot % 3 - loo * len(looed)
        hands = hands_in_play(rules, deal.dealt, deal.declarations)
        top = highest_live_trump(deal.dealt.turn_up)
        for seat in seats_in:
            if top in hands[seat]:
                held += 1
                assert seat not in looed
                assert deal.tricks_won[seat] >= 1
    assert held > 50
    assert without_defence > 50
    assert lone > 0


def turned(card: Card, suit: str, was: int, now: int) -> Card:
    """Where a card goes when the turn-up's rank changes: the order of the live trumps is kept."""
    if card.suit != suit:
        return card
    if card.rank == was:
        return Card(now, suit)
    if was < card.rank <= now:
        return Card(card.rank - 1, suit)
    if now <= card.rank < was:
        return Card(card.rank + 1, suit)
    return card


@settings(max_examples=100, deadline=None)
@given(cases(), st.data())
def test_rank_of_the_turn_up_never_matters(case: Case, data: st.DataObject) -> None:
    ranks = sorted({card.rank for card in pack(case.rules.deck)})
    was, suit = case.dealt.turn_up
    now = data.draw(st.sampled_from([rank for rank in ranks if rank != was]))

    def move(card: Card) -> Card:
        return turned(card, suit, was, now)

    dealt = Dealt(
        move(case.dealt.turn_up),
        [move(card) for card in case.dealt.miss],
        [[move(card) for card in hand] for hand in case.dealt.hands],
    )
    assert sorted(map(move, pack(case.rules.deck))) == sorted(pack(case.rules.deck))
    before, after = play_case(case), play_case(replace(case, dealt=dealt))
    assert dealt.turn_up.rank == now
    for before_trick, after_trick in zip(before.tricks, after.tricks, strict=True):
        plays = tuple(Play(seat, move(card)) for seat, card in before_trick.plays)
        assert before_trick._replace(plays=plays) == after_trick
    assert replace(after, dealt=case.dealt, tricks=before.tricks) == before


def test_sixteen_players_use_every_card() -> None:
    assert PRESETS["standard"].max_players == 16
    turn_up, miss, hands = deal_cards(1, 0, 16)
    cards = [turn_up, *miss, *(card for hand in hands for card in hand)]
    assert sorted(cards) == sorted(pack(52))
    assert replace(PRESETS["standard"], deck=32).max_players == 9


def test_all_fold_is_the_dealers_without_a_word() -> None:
    """S7 among random deals: the dealer has no entry exactly there."""
    silent = 0
    for deal in random_deals(replace(PRESETS["standard"], min_players=3), 300, seed=3):
        folded = all(action == "fold" for _, action in deal.declarations[: deal.players - 1])
        assert (len(deal.declarations) == deal.players - 1) == folded
        if folded:
            silent += 1
            assert deal.net[deal.dealer] == deal.pot
            assert deal.declarations == tuple(
                Declaration(seat, "fold") for seat in range(deal.players - 1)
            )
    assert silent > 0
