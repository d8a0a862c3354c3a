"""Counts of first leads, against the referee playing each lead, and deals worked by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest
from kernel_deals import SMALL, put, seats
from table_player import Lookup, TablePlayer, live_numbers, table_players
from test_kernels_announcements import HOUSE

from loo_sim.cards import Card, hand_classes, hand_index, live_cards, lowest_rank, parse_cards
from loo_sim.draws import Choices, Dealt, deal_cards
from loo_sim.experiment import Cell
from loo_sim.kernels.batch import make_scratch
from loo_sim.kernels.counting import count_deals
from loo_sim.kernels.game import encode
from loo_sim.kernels.leads import OUTCOMES, count_batch, count_leads, encode_leads
from loo_sim.policies.compile import compile_tables
from loo_sim.referee import hands_in_play, legal_leads, play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.views import Player, Situation, Turn

DEALS = 8 if SMALL else 250
NOT_LED = 4

Found = tuple[int, int, int, int, int]
"""Players in less 2, class of the leader's hand, result of leading each card of it."""


@dataclass
class Told:
    """A player who leads one card to trick 1, and does all else as ever."""

    player: TablePlayer
    card: Card

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        return self.player.announce(situation, hand, turn_up)

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        leads = turn.trick_no == 1 and turn.best is None
        return self.card if leads else self.player.play(turn, hand, legal)


def lead_of(rules: Rules, pot: int, dealt: Dealt, players: Sequence[TablePlayer]) -> Found | None:
    """What a deal adds to the counts by the referee; None if fewer than two are in."""
    deal = play_deal(rules, dealt, pot, players)
    hands = hands_in_play(rules, dealt, deal.declarations)
    if len(hands) < 2:
        return None
    leader = min(hands)
    # Somebody must stand before a dealer can defend: who leads is paid and looed as any other.
    assert leader < deal.dealer
    assert deal.said[leader] in ("stand", "miss")
    number, classes = live_numbers(dealt.turn_up, rules.deck), hand_classes(rules.deck)
    index = hand_index([number[card] for card in hands[leader]])
    live = live_cards(dealt.turn_up, rules.deck)
    legal = legal_leads(rules, hands[leader], dealt.turn_up, 1, len(hands)).cards
    results = []
    for card in (live[number] for number in classes.ordered[index]):
        others: list[Player] = list(players)
        others[leader] = Told(players[leader], card)
        led = card in legal
        results.append(play_deal(rules, dealt, pot, others).tricks_won[leader] if led else NOT_LED)
    first, second, third = results
    return len(hands) - 2, int(classes.class_of[index]), first, second, third


def no_counts(rules: Rules, players: int) -> npt.NDArray[np.uint32]:
    classes = len(hand_classes(rules.deck).size)
    return np.zeros((players - 1, classes, OUTCOMES, OUTCOMES, OUTCOMES), np.uint32)


def table(rules: Rules, players: int, names: Sequence[str], pot: int) -> Cell:
    return Cell({}, players, pot, rules, tuple(seats(names, players)))


SINGLE = 0
"""Units beyond the single pot."""
ODD = 14 * UNITS_PER_STAKE + 1

TABLES = [
    (PRESETS["standard"], 5, ["random"], ODD),
    (PRESETS["standard"], 6, ["peel"], ODD),
    (PRESETS["standard"], 5, ["trumps"], ODD),
    (PRESETS["standard"], 16, ["trumps", "random", "chancy"], ODD),
    (PRESETS["peel"], 3, ["random", "peel"], ODD),
    (PRESETS["peel"], 5, ["peel"], ODD),
    (PRESETS["peel"], 8, ["trumps", "turncoat"], ODD),
    (PRESETS["classic"], 4, ["random"], ODD),
    (PRESETS["classic"], 7, ["peel", "chancy"], ODD),
    (PRESETS["enquire"], 4, ["random", "late-dice"], ODD),
    (PRESETS["enquire"], 5, ["trumps"], SINGLE),
    (PRESETS["club"], 5, ["random"], ODD),
    (PRESETS["club"], 6, ["peel", "turncoat"], ODD),
    (HOUSE, 6, ["random", "turncoat", "dithering"], ODD),
    (replace(HOUSE, defend="lone", first_lead="highest"), 9, ["late-dice", "loose"], ODD),
]


@pytest.mark.parametrize(("rules", "players", "names", "extra"), TABLES)
def test_each_lead_comes_to_what_the_referee_says(
    rules: Rules, players: int, names: list[str], extra: int
) -> None:
    pot = rules.single_pot(players) + extra
    cell = table(rules, players, names, pot)
    lookup = Lookup(compile_tables(cell.policies, rules, players, pot), rules.deck)
    seed, first = 47 + players, 2**32 - 40
    found: Counter[Found] = Counter()
    for index in range(first, first + DEALS):
        dealt = deal_cards(seed, index, players, rules.deck)
        lead = lead_of(rules, pot, dealt, table_players(lookup, players, seed, index))
        if lead is not None:
            found[lead] += 1
    counts = no_counts(rules, players)
    count_leads(encode_leads(cell), seed, first, DEALS, counts)
    counted = {tuple(at): int(counts[tuple(at)]) for at in np.argwhere(counts).tolist()}
    assert counted == found
    assert len(found) > DEALS / 10


@pytest.mark.parametrize("preset", PRESETS)
def test_every_deal_in_which_two_are_in_is_counted_once(preset: str) -> None:
    rules, players, deals = PRESETS[preset], 6, 60 if SMALL else 5000
    for pot in (rules.single_pot(players), 9 * UNITS_PER_STAKE):
        cell = table(rules, players, ["peel", "loose"], pot)
        counts = no_counts(rules, players)
        count_leads(encode_leads(cell), 41, 7, deals, counts)
        plain = encode(rules, compile_tables(cell.policies, rules, players, pot), pot)
        _, pots = count_deals(plain, 41, 7, deals)
        in_play = pots.sum(axis=(1, 2))
        assert counts.sum(axis=(1, 2, 3, 4)).tolist() == in_play[2 : players + 1].tolist()


def test_counts_add_up_over_any_cut_of_the_deals() -> None:
    cell = table(PRESETS["peel"], 5, ["random"], ODD)
    lead, whole, parts = encode_leads(cell), no_counts(cell.rules, 5), no_counts(cell.rules, 5)
    count_leads(lead, 3, 0, 5000, whole)
    for first, count in ((0, 1), (1, 2500), (2501, 2499)):
        count_leads(lead, 3, first, count, parts)
    assert whole.sum() > 1000
    np.testing.assert_array_equal(parts, whole)


# --- worked by hand -------------------------------------------------------------------------------

THREE = replace(PRESETS["standard"], min_players=3)
TURN_UP = "2s"
BY_HAND = {
    # Under `peel` one trump need not be led. J led draws the ten and the five: then A and K of
    # plain suits win. A led is trumped by the ten; 4c comes back, the five heads it, the jack
    # takes it, and K wins: 2. K led wins; J must follow (highest later lead) and wins; A wins.
    "a trump draws trumps": (PRESETS["peel"], "Js Ah Kd", ["Ts 3d 4c", "5s 3h 2d"], (3, 2, 3)),
    # One of two trumps must be led. J wins, 3 wins, and nobody has a diamond to beat 5d. 3 led
    # loses to the ten; 6h comes back (high), the seven heads it, J takes it, and 5d wins.
    "either of two trumps": (THREE, "Js 3s 5d", ["Ts 4h 6h", "4s 7h 8h"], (3, 2, NOT_LED)),
    # The highest of two, where it must be the highest.
    "the highest of two": (
        PRESETS["peel"],
        "Js 3s 5d",
        ["Ts 4h 6h", "4s 7h 8h"],
        (3, NOT_LED, NOT_LED),
    ),
    # S11: a single trump is owed. Q takes J; 7d comes back, 8d heads it, 5d must follow; 8h wins.
    "a single trump is owed": (
        THREE,
        "Js 5d 4h",
        ["Qs 7d 6h", "4s 8d 8h"],
        (0, NOT_LED, NOT_LED),
    ),
    # The ace must be led though a trump is not owed. 5c and 3d are thrown on it, the lowest cards;
    # 4c and 2d then win.
    "the ace must be led": (
        PRESETS["peel"],
        "As 4c 2d",
        ["Kh 9h 5c", "Qh 8h 3d"],
        (3, NOT_LED, NOT_LED),
    ),
    # No trump, any card. K led is trumped twice; 5c comes back, Q heads it, 2d loses: 1. Q led
    # wins; K is trumped twice; 3d comes back: 1. 2d led loses to 4d; the trumps are drawn, Q being
    # thrown on them (the lower one), and 5c comes back: 0.
    "no trump": (PRESETS["peel"], "Kh Qc 2d", ["3s 4d 3c", "4s 5c 3d"], (1, 1, 0)),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_deals_worked_by_hand(name: str) -> None:
    rules, leader, others, expected = BY_HAND[name]
    hands = [parse_cards(words) for words in (leader, *others)]
    # What is left of the pack has no part in it: everyone stands.
    gone = {*parse_cards(TURN_UP), *(card for hand in hands for card in hand)}
    left = [card for card in live_cards(Card(2, "s")) if card not in gone]
    dealt = Dealt(Card(2, "s"), left[:3], hands)
    pot = 6 * UNITS_PER_STAKE
    cell = table(rules, 3, ["always-stand"], pot)
    lead, counts, s = encode_leads(cell), no_counts(rules, 3), make_scratch()
    nothing = [Choices(0, ((0, 1, 2), (0, 1)))] * 3
    put(s, 0, rules, lead.game, dealt, nothing)
    count_batch(lead.game, lead.cards, 1, s, counts)
    ((in_play, hand, *results),) = np.argwhere(counts).tolist()
    assert in_play == 1
    classes = hand_classes()
    number = live_numbers(dealt.turn_up, 52)
    assert hand == classes.class_of[hand_index([number[card] for card in hands[0]])]
    assert tuple(results) == expected


# --- the order of a hand's cards ------------------------------------------------------------------


@pytest.mark.parametrize("deck", [12, 32, 52])
def test_cards_are_ordered_as_their_class_is_named(deck: int) -> None:
    """One renaming of the plain suits makes each hand, card by card, its representative."""
    classes = hand_classes(deck)
    live = live_cards(Card(lowest_rank(deck), "s"), deck)
    assert len(classes.ordered) == len(classes.class_of)
    for index, (row, of_class) in enumerate(
        zip(classes.ordered.tolist(), classes.class_of.tolist(), strict=True)
    ):
        assert hand_index(row) == index
        named = parse_cards(classes.names[of_class])
        renamed = {}
        for card, shown in zip((live[number] for number in row), named, strict=True):
            assert card.rank == shown.rank
            assert renamed.setdefault(card.suit, shown.suit) == shown.suit
        assert len(set(renamed.values())) == len(renamed)
        assert renamed.get("s", "s") == "s"
        assert "s" not in [to for suit, to in renamed.items() if suit != "s"]
