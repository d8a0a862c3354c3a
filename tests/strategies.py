"""Deals that are likely to go wrong, for hypothesis, and the player who acts on drawn choices.

A `Case` holds all that decides a deal: rules, pot, cards, and a seat's choices in the form in which
`draws.seat_choices` gives them. `play_case` plays it in the referee with the policy `random`; the
fast engine, given the same cards and choice words, must come to the same deal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

from loo_sim.cards import Card, live_cards, lowest_rank, pack
from loo_sim.draws import ORDERS_OF_THREE, ORDERS_OF_TWO, WORD, Choices, Dealt, seat_choices
from loo_sim.referee import Deal, play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.views import Situation, Turn

SMALL_DECKS = (12, 16, 20)
"""Packs of three, four and five ranks, which no user can ask for."""


@dataclass(frozen=True)
class Case:
    """All that decides a deal: rules, units in the pot, cards, and what each seat draws."""

    rules: Rules
    pot: int
    dealt: Dealt
    choices: tuple[Choices, ...]

    @property
    def players(self) -> int:
        return len(self.dealt.hands)


@dataclass(frozen=True)
class RandomPlayer:
    """The policy ``random``: announces and plays uniformly among what is legal, as drawn."""

    choices: Choices

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        chance = Fraction(1, len(situation.legal))
        for place, action in enumerate(situation.legal, start=1):
            if self.choices.announce < int(chance * place * WORD):
                return action
        raise AssertionError("the last threshold is above every word")

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        order = self.choices.preference[turn.trick_no - 1]
        return next(hand[position] for position in order if hand[position] in legal)


def random_players(seed: int, index: int, players: int) -> list[RandomPlayer]:
    """Players who make the choices of deal `index` under `seed`."""
    return [RandomPlayer(seat_choices(seed, index, seat)) for seat in range(players)]


def play_case(case: Case) -> Deal:
    """Play a case in the referee."""
    players = [RandomPlayer(choices) for choices in case.choices]
    return play_deal(case.rules, case.dealt, case.pot, players)


@st.composite
def house_rules(draw: st.DrawFn, decks: Sequence[int] = (52, 32)) -> Rules:
    """Rules with every option drawn by itself: more of them than any preset has."""
    rules = Rules(
        deck=draw(st.sampled_from(decks)),
        min_players=2,
        dealer_stake=draw(st.integers(1, 4)),
        ante=draw(st.sampled_from((0, 0, 1, 2))),
        loo=draw(st.sampled_from((1, 3, 6, "pot"))),
        defend=draw(st.sampled_from(("any", "any", "lone", "never"))),
        dealer_may_fold=draw(st.booleans()),
        defend_with=draw(st.sampled_from(("miss", "miss", "own"))),
        first_lead=draw(st.sampled_from(("any-trump", "two-trumps", "highest"))),
        later_lead=draw(st.sampled_from(("any-trump", "highest", "free"))),
        undertrump=draw(st.sampled_from(("must", "optional"))),
        club_law=draw(st.booleans()),
        force_on_single=draw(st.sampled_from((False, False, True))),
    )
    if rules.defend == "never":
        rules = replace(rules, defend_with="miss", dealer_may_fold=False)
    if rules.loo == "pot":
        rules = replace(rules, loo_cap=draw(st.sampled_from((None, 2, 10))))
    return rules


@st.composite
def deals_of_cards(draw: st.DrawFn, players: int, deck: int) -> Dealt:
    """Cards for a table, most of them awkward.

    Either the ace is turned up, or the lowest card, or any. Hands are taken from the front of a
    shuffled pack that was sorted first: by suit (short suits, hands all of trumps), by rank (trumps
    that lose, plain aces), or not at all.
    """
    suit = draw(st.sampled_from("cdhs"))
    low = lowest_rank(deck)
    rank = draw(st.one_of(st.sampled_from((14, 13, low)), st.integers(low, 14)))
    turn_up = Card(rank, suit)
    left = live_cards(turn_up, deck)
    needed = 3 * (players + 1)
    style = draw(st.sampled_from(("any", "by suit", "by rank", "trumps spread")))
    shuffled = list(draw(st.permutations(left)))
    if style == "by suit":
        shuffled.sort(key=lambda card: (card.suit != suit, card.suit))
    elif style == "by rank":
        shuffled.sort(key=lambda card: -card.rank)
    elif style == "trumps spread":
        trumps = [card for card in shuffled if card.suit == suit]
        plain = [card for card in shuffled if card.suit != suit]
        shuffled = []
        while trumps or plain:
            shuffled += trumps[:1] + plain[:2]
            trumps, plain = trumps[1:], plain[2:]
    hands = [shuffled[i : i + 3] for i in range(0, needed, 3)]
    order = draw(st.permutations(range(players + 1)))
    hands = [hands[place] for place in order]
    return Dealt(turn_up, hands[0], hands[1:])


def seat_draws() -> st.SearchStrategy[Choices]:
    """What one seat draws; announcements near the edges of their thresholds are likely."""
    thirds = [WORD * n // d + e for d in (2, 3) for n in range(1, d) for e in (-1, 0)]
    words = st.one_of(st.integers(0, WORD - 1), st.sampled_from([0, WORD - 1, *thirds]))
    orders = st.tuples(st.sampled_from(ORDERS_OF_THREE), st.sampled_from(ORDERS_OF_TWO))
    return st.builds(Choices, words, orders)


@st.composite
def cases(draw: st.DrawFn, decks: Sequence[int] = (52, 52, 32, *SMALL_DECKS)) -> Case:
    """Any case: drawn or preset rules, 2 players to a full table, 3 to 16 in the whole pack."""
    rules = draw(
        st.one_of(
            house_rules(decks),
            st.sampled_from([replace(r, min_players=2) for r in PRESETS.values()]),
        )
    )
    most = rules.max_players
    players = draw(st.one_of(st.integers(2, most), st.just(most), st.integers(2, min(most, 4))))
    single = rules.single_pot(players)
    pot = draw(
        st.one_of(
            st.just(single),
            st.integers(1, 60).map(lambda stakes: single + stakes * UNITS_PER_STAKE),
            st.integers(single, single + 20 * UNITS_PER_STAKE),
        )
    )
    dealt = draw(deals_of_cards(players, rules.deck))
    choices = tuple(draw(st.lists(seat_draws(), min_size=players, max_size=players)))
    return Case(rules, pot, dealt, choices)


@st.composite
def defended_cases(draw: st.DrawFn) -> Case:
    """A lone player on his own hand against a defended miss, in any pack."""
    base = draw(cases(decks=(52, 52, 32, 16)))
    rules = replace(base.rules, defend="lone", dealer_may_fold=True, club_law=False)
    rules = replace(rules, force_on_single=False)
    fold, defend = 0, WORD - 1
    stander = draw(st.integers(0, base.players - 2))
    choices = [replaced(choice, fold) for choice in base.choices]
    # Words that pick stand (the middle one of fold, stand, miss) and defend (the last of four).
    choices[stander] = replaced(choices[stander], WORD // 2)
    choices[-1] = replaced(choices[-1], defend)
    return Case(rules, base.pot, base.dealt, tuple(choices))


def replaced(choices: Choices, announce: int) -> Choices:
    """The same preferences with another announcement word."""
    return choices._replace(announce=announce)


def full_pack(dealt: Dealt, deck: int) -> bool:
    """Whether the cards are different and all from the pack."""
    cards = [dealt.turn_up, *dealt.miss, *(card for hand in dealt.hands for card in hand)]
    return len(set(cards)) == len(cards) and set(cards) <= set(pack(deck))
