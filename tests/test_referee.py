"""The referee: legal cards against a second statement of the duties, payments, and the checker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Case, RandomPlayer, cases, defended_cases, full_pack, play_case, seat_draws

from loo_sim.cards import Card, live_cards, pack, parse_cards
from loo_sim.draws import WORD, Choices, Dealt
from loo_sim.faults import check_deal
from loo_sim.referee import (
    Deal,
    Declaration,
    Play,
    Trick,
    legal_follows,
    legal_leads,
    play_deal,
    played_turns,
    settle,
    trick_winner,
)
from loo_sim.rules import Rules
from loo_sim.views import Situation

STAKE = 729


def words(cards: Sequence[Card]) -> str:
    return " ".join(map(str, cards))


def duty(card: Card, led: Card, best: Card, trumps: str) -> tuple[bool, bool, bool]:
    """How well a card does what S12 asks: follow suit, else trump, and then head the trick."""
    heads = (card.suit == best.suit and card.rank > best.rank) or (
        card.suit == trumps and best.suit != trumps
    )
    return card.suit == led.suit, card.suit == trumps, heads


@pytest.mark.parametrize("undertrump", ["must", "optional"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_following_in_every_position_of_a_small_pack(size: int, undertrump: str) -> None:
    """S12 as one sentence: the legal cards are those that do their duty best."""
    rules = Rules(deck=12, undertrump=undertrump)  # type: ignore[arg-type]
    live = live_cards(Card.parse("Qs"), 12)
    seen = 0
    for led in live:
        for best in live:
            if best not in (led,) and best.suit not in (led.suit, "s"):
                continue
            if best.suit == led.suit and best.rank < led.rank:
                continue
            for hand in combinations([card for card in live if card not in (led, best)], size):
                top = max(duty(card, led, best, "s") for card in hand)
                due = [card for card in hand if duty(card, led, best, "s") == top]
                if undertrump == "optional" and top == (False, True, False):
                    due = list(hand)
                assert legal_follows(rules, hand, "s", led, best).cards == tuple(due)
                seen += 1
    assert seen > 300


LEADS = [
    # hand, turn-up, players in; the legal cards under any-trump, two-trumps, highest
    ("Ah 9h 5d", "7h", 3, "Ah", "Ah", "Ah"),
    ("Kh 9h 5d", "Ah", 3, "Kh", "Kh", "Kh"),
    ("Kh 9h 5d", "7h", 3, "Kh 9h", "Kh 9h", "Kh"),
    ("9h Kh 5d", "7h", 2, "Kh", "Kh", "Kh"),
    ("Kh 9c 5d", "7h", 3, "Kh", "Kh 9c 5d", "Kh 9c 5d"),
    ("Kh 9c 5d", "7h", 2, "Kh", "Kh 9c 5d", "Kh 9c 5d"),
    ("Kh 9c 5d", "Ah", 2, "Kh", "Kh", "Kh"),
    ("Ac 9c 5d", "7h", 2, "Ac 9c 5d", "Ac 9c 5d", "Ac 9c 5d"),
    ("2h Qh 3h", "7h", 5, "2h Qh 3h", "2h Qh 3h", "Qh"),
]


@pytest.mark.parametrize(("hand", "turn_up", "in_play", "any_", "two", "highest"), LEADS)
def test_first_leads(
    hand: str, turn_up: str, in_play: int, any_: str, two: str, highest: str
) -> None:
    for first_lead, due in (("any-trump", any_), ("two-trumps", two), ("highest", highest)):
        rules = Rules(first_lead=first_lead)  # type: ignore[arg-type]
        legal = legal_leads(rules, parse_cards(hand), Card.parse(turn_up), 1, in_play)
        assert (words(legal.cards), legal.rule) == (due, "S11")


@pytest.mark.parametrize(
    ("hand", "any_", "highest", "free"),
    [
        ("9h Ah", "9h Ah", "Ah", "9h Ah"),
        ("9h 5d", "9h", "9h", "9h 5d"),
        ("9c 5d", "9c 5d", "9c 5d", "9c 5d"),
    ],
)
def test_later_leads_know_neither_ace_duty_nor_one_opponent(
    hand: str, any_: str, highest: str, free: str
) -> None:
    for later_lead, due in (("any-trump", any_), ("highest", highest), ("free", free)):
        rules = Rules(later_lead=later_lead, first_lead="highest")  # type: ignore[arg-type]
        for in_play in (2, 4):
            legal = legal_leads(rules, parse_cards(hand), Card.parse("7h"), 2, in_play)
            assert (words(legal.cards), legal.rule) == (due, "S14")


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ("7d Td Ad 9d", "Ad"),
        ("7d As 9d Kc", "9d"),
        ("7d 2h Ad 3h", "3h"),
        ("2h Ad 9h 3h", "9h"),
    ],
)
def test_trick_winner(cards: str, winner: str) -> None:
    plays = [Play(seat, card) for seat, card in enumerate(parse_cards(cards))]
    assert str(trick_winner(plays, "h").card) == winner


@pytest.mark.parametrize(
    ("rules", "pot", "said", "won", "net", "after"),
    [
        (Rules(), 3, "stand fold stand", (2, 0, 1), (2, 0, 1), 0),
        (Rules(), 3, "stand stand stand", (3, 0, 0), (3, -3, -3), 6),
        (Rules(loo=6), 9, "stand miss fold", (3, 0, 0), (9, -6, 0), 6),
        (Rules(loo="pot"), 9, "stand miss stand", (3, 0, 0), (9, -9, -9), 18),
        (Rules(loo="pot", loo_cap=4), 9, "stand miss fold", (0, 3, 0), (-4, 9, 0), 4),
        (Rules(loo="pot", loo_cap=40), 9, "stand miss fold", (0, 3, 0), (-9, 9, 0), 9),
        (Rules(), 6, "fold stand defend", (0, 1, 2), (0, 2, 0), 4),
        (Rules(), 6, "fold stand defend", (0, 3, 0), (0, 6, 0), 0),
        (Rules(), 6, "fold stand defend", (0, 0, 3), (0, -3, 0), 9),
        (Rules(), 6, "fold miss fold", (0, 0, 0), (0, 6, 0), 0),
        (Rules(), 6, "fold fold", (0, 0, 0), (0, 0, 6), 0),
    ],
)
def test_settling(
    rules: Rules,
    pot: int,
    said: str,
    won: tuple[int, ...],
    net: tuple[int, ...],
    after: int,
) -> None:
    """Amounts in stakes."""
    paid, left = settle(rules, pot * STAKE, 3, dict(enumerate(said.split())), won)
    assert paid == tuple(units * STAKE for units in net)
    assert left == after * STAKE


def test_thirds_stay_whole_through_six_defended_misses() -> None:
    pot = 3 * STAKE
    for _ in range(6):
        (_, net, _), left = settle(Rules(), pot, 3, {0: "fold", 1: "stand", 2: "defend"}, (0, 1, 2))
        assert 3 * net == pot
        pot = left
    assert pot == 3 * STAKE * 2**6 // 3**6


class Stubborn:
    """Says and plays the same whatever is legal."""

    def __init__(self, action: str, card: str) -> None:
        self.action, self.card = action, Card.parse(card)

    def announce(self, situation: object, hand: object, turn_up: object) -> str:
        return self.action

    def play(self, turn: object, hand: object, legal: object) -> Card:
        return self.card


TABLE = Dealt(
    Card.parse("7h"),
    parse_cards("2c 3d 4s"),
    [parse_cards("9h Jh 5d"), parse_cards("6h Kd Qc"), parse_cards("8h Js 2s")],
)


def test_a_player_who_breaks_the_rules_is_refused() -> None:
    rules = Rules(min_players=3)
    with pytest.raises(ValueError, match="seat 0 announced 'defend'; legal: fold, stand, miss"):
        play_deal(rules, TABLE, 3 * STAKE, [Stubborn("defend", "5d")] * 3)
    with pytest.raises(ValueError, match="seat 0 played 5d; legal: 9h Jh"):
        play_deal(rules, TABLE, 3 * STAKE, [Stubborn("stand", "5d")] * 3)


SOUND = Deal(
    Rules(min_players=3),
    6 * STAKE,
    TABLE,
    2,
    False,
    (Declaration(0, "stand"), Declaration(1, "fold"), Declaration(2, "miss")),
    (
        Trick(0, (Play(0, Card.parse("Jh")), Play(2, Card.parse("3d"))), 0),
        Trick(0, (Play(0, Card.parse("9h")), Play(2, Card.parse("2c"))), 0),
        Trick(0, (Play(0, Card.parse("5d")), Play(2, Card.parse("4s"))), 0),
    ),
    (3, 0, 0),
    (6 * STAKE, 0, -3 * STAKE),
    3 * STAKE,
)


def trick(number: int, **changes: Any) -> Callable[[Deal], Deal]:
    """A fault: the trick of that number changed."""

    def change(deal: Deal) -> Deal:
        tricks = list(deal.tricks)
        tricks[number - 1] = tricks[number - 1]._replace(**changes)
        return replace(deal, tricks=tuple(tricks))

    return change


def said(*actions: str) -> Callable[[Deal], Deal]:
    entries = tuple(Declaration(seat, action) for seat, action in enumerate(actions))
    return lambda deal: replace(deal, declarations=entries)


def dealt(**changes: Any) -> Callable[[Deal], Deal]:
    return lambda deal: replace(deal, dealt=deal.dealt._replace(**changes))


def plays(text: str) -> tuple[Play, ...]:
    return tuple(Play(int(word[0]), Card.parse(word[1:])) for word in text.split())


FAULTS: list[tuple[Callable[[Deal], Deal], str, str]] = [
    (lambda d: replace(d, rules=Rules()), "S1", "3 players cannot play"),
    (lambda d: replace(d, pot=2 * STAKE), "S3", "the pot holds 1458 units"),
    (lambda d: replace(d, dealer=0), "S4", "the dealer is seat 0, not the last, 2"),
    (lambda d: replace(d, rules=Rules(min_players=3, deck=32)), "S2", "5d of seat 0 is not in"),
    (dealt(miss=parse_cards("2c 3d")), "S5", "the miss has 2 cards, not 3"),
    (dealt(miss=parse_cards("2c 3d 8h")), "S5", "8h was dealt twice: seat 2, the miss"),
    (dealt(turn_up=Card.parse("2c")), "S5", "2c was dealt twice: the miss, the turn-up"),
    (lambda d: replace(d, forced_stand=True), "S6", "forced_stand is True"),
    (
        lambda d: replace(d, rules=replace(d.rules, dealer_stake=6, force_on_single=True)),
        "S6",
        "forced_stand is False, club_law and force_on_single make it True",
    ),
    (said("stand", "fold"), "S6", "the seats that spoke are [0, 1], due were [0, 1, 2]"),
    (said("fold", "fold", "stand"), "S7", "the dealer spoke though everyone before him folded"),
    (said("miss", "fold", "miss"), "S9", "seat 2 said miss; legal: fold, stand"),
    (said("miss", "miss", "fold"), "S6", "seat 1 said miss; legal: fold, stand"),
    (said("defend", "fold", "miss"), "S6", "seat 0 said defend; legal: fold, stand, miss"),
    (said("stand", "fold", "fold"), "S9", "seat 2 said fold; legal: stand, miss, defend"),
    (
        lambda d: replace(d, declarations=d.declarations[::-1]),
        "S6",
        "the seats that spoke are [2, 1, 0], due were [0, 1, 2]",
    ),
    (lambda d: replace(d, tricks=d.tricks[:2]), "S13", "2 in make 3 tricks, not 2"),
    (said("fold", "stand", "fold"), "S8", "1 in make 0 tricks, not 3"),
    (said("fold", "fold"), "S7", "0 in make 0 tricks, not 3"),
    (trick(1, leader=2), "S11", "trick 1: the leader is seat 2, should be 0"),
    (trick(2, leader=2), "S14", "trick 2: the leader is seat 2, should be 0"),
    (trick(1, winner=2), "S13", "trick 1: the winner is seat 2, should be 0"),
    (trick(1, plays=plays("23d 0Jh")), "S12", "trick 1: the seats that played are [2, 0]"),
    (trick(1, plays=plays("0Jh")), "S12", "trick 1: the seats that played are [0]"),
    (trick(2, plays=plays("0Jh 22c")), "S5", "trick 2: seat 0 played Jh, holding 9h 5d"),
    (trick(1, plays=plays("0Jh 28h")), "S5", "trick 1: seat 2 played 8h, holding 2c 3d 4s"),
    (trick(1, plays=plays("09h 23d")), "S11", "trick 1: seat 0 played 9h but must lead the high"),
    (trick(2, plays=plays("05d 22c")), "S14", "trick 2: seat 0 played 5d but must lead a trump"),
    (lambda d: replace(d, tricks_won=(2, 0, 1)), "S13", "tricks_won is [2, 0, 1], should be"),
    (lambda d: replace(d, net=(5 * STAKE, *d.net[1:])), "S15", "net of seat 0 is 3645 units"),
    (lambda d: replace(d, net=(*d.net[:2], 0)), "S16", "net of seat 2 is 0 units, should be -2187"),
    (lambda d: replace(d, net=d.net[:2]), "S15", "net names 2 seats, not 3"),
    (lambda d: replace(d, pot_after=0), "S17", "pot_after is 0 units, should be 2187"),
]


def test_the_sound_deal_is_sound() -> None:
    assert check_deal(SOUND) == []


@pytest.mark.parametrize(("change", "rule", "what"), FAULTS, ids=[what for *_, what in FAULTS])
def test_every_fault_is_found(change: Callable[[Deal], Deal], rule: str, what: str) -> None:
    faults = check_deal(change(SOUND))
    assert [fault.rule for fault in faults if fault.what.startswith(what)] == [rule]


def test_money_from_nowhere_is_a_fault_even_where_nothing_else_can_be_judged() -> None:
    faults = check_deal(replace(said("stand", "fold")(SOUND), pot_after=0))
    assert [fault.rule for fault in faults] == ["S6", "S17"]
    assert "the nets add up to 2187 units and 0 are left, but the pot held 4374" in faults[1].what


def test_a_paid_defender_is_a_fault() -> None:
    deal = replace(
        SOUND,
        declarations=(Declaration(0, "stand"), Declaration(1, "fold"), Declaration(2, "defend")),
    )
    assert [fault.rule for fault in check_deal(deal)] == ["S10", "S17"]
    assert check_deal(replace(deal, net=(6 * STAKE, 0, 0), pot_after=0)) == []


@settings(max_examples=300, deadline=None)
@given(cases())
def test_what_the_referee_plays_has_no_fault(case: Case) -> None:
    assert full_pack(case.dealt, case.rules.deck)
    deal = play_case(case)
    assert check_deal(deal) == []
    assert sum(deal.net) + deal.pot_after == case.pot


@settings(max_examples=150, deadline=None)
@given(defended_cases())
def test_a_lone_stander_meets_the_defended_miss(case: Case) -> None:
    deal = play_case(case)
    stander = next(seat for seat, action in deal.declarations if action == "stand")
    assert deal.said[deal.dealer] == "defend"
    assert check_deal(deal) == []
    assert deal.net[deal.dealer] == 0
    trumps = [c for c in case.dealt.hands[stander] if c.suit == case.dealt.turn_up.suit]
    if len(trumps) >= (1 if case.rules.first_lead == "any-trump" else 2):
        assert deal.tricks[0].plays[0] == (stander, max(trumps))


@settings(max_examples=100, deadline=None)
@given(cases(), st.data())
def test_a_record_that_says_something_else_is_faulted(case: Case, data: st.DataObject) -> None:
    deal = play_case(case)
    seats = st.integers(0, deal.players - 1)
    kinds = ["net", "pot_after", "forced_stand", "dealer", "tricks_won"]
    kind = data.draw(st.sampled_from([*kinds, "winner", "leader"] if deal.tricks else kinds))
    changes: dict[str, Any]
    if kind in ("winner", "leader"):
        number = data.draw(st.integers(0, 2))
        was = deal.tricks[number]
        other = data.draw(seats.filter(lambda seat: seat != getattr(was, kind)))
        tricks = list(deal.tricks)
        changes = {kind: other}
        tricks[number] = was._replace(**changes)
        wrong = replace(deal, tricks=tuple(tricks))
    elif kind in ("net", "tricks_won"):
        values = list(getattr(deal, kind))
        values[data.draw(seats)] += data.draw(st.sampled_from((-1, 1)))
        changes = {kind: tuple(values)}
        wrong = replace(deal, **changes)
    elif kind == "forced_stand":
        wrong = replace(deal, forced_stand=not deal.forced_stand)
    else:
        changes = {kind: getattr(deal, kind) + 1}
        wrong = replace(deal, **changes)
    assert check_deal(wrong)


@settings(max_examples=60, deadline=None)
@given(cases(decks=(52, 32)), st.integers(0, 15), seat_draws())
def test_a_seat_that_folds_has_no_say_in_the_play(case: Case, seat: int, other: Choices) -> None:
    """What a player who folded would have preferred to play changes nothing."""
    seat %= case.players
    deal = play_case(case)
    if deal.said.get(seat) != "fold":
        return
    choices = list(case.choices)
    choices[seat] = other._replace(announce=choices[seat].announce)
    assert play_case(replace(case, choices=tuple(choices))) == deal


def test_turns_tell_what_was_in_hand_and_legal() -> None:
    first, second, *_ = played_turns(SOUND)
    assert (words(first.hand), words(first.legal.cards), str(first.card)) == (
        "9h Jh 5d",
        "Jh",
        "Jh",
    )
    assert first.legal.why == "must lead the highest trump against one opponent"
    assert (words(second.hand), second.turn.position, second.turn.best) == (
        "2c 3d 4s",
        1,
        Card.parse("Jh"),
    )
    assert second.legal.why == "has no hearts, may throw any card"


def test_random_player_takes_each_legal_action_for_its_share_of_words() -> None:
    """Three legal actions: each a third of the 32-bit words, in the order fold, stand, miss."""
    situation = Situation(Rules(), 5, 0, 0, True, 3 * STAKE)
    preference = ((0, 1, 2), (0, 1))
    edges = {0: "fold", WORD // 3: "stand", WORD // 3 - 1: "fold", WORD - 1: "miss"}
    for word, action in edges.items():
        player = RandomPlayer(Choices(word, preference))
        assert player.announce(situation, (), pack(52)[0]) == action
