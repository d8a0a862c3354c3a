"""Puts deals of the kernels beside deals of the referee: the same `Deal`, field by field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from loo_sim.cards import Card, hand_index, live_cards, pack
from loo_sim.draws import Choices, Dealt, deal_cards, seat_choices
from loo_sim.kernels.announcing import FORCED, PREFERENCE
from loo_sim.kernels.batch import LANES, RANKS_OF_ORDER, make_scratch
from loo_sim.kernels.game import Game, encode
from loo_sim.kernels.whole_deals import WholeDeals, keep_batch, no_deals
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.parse import load_policy
from loo_sim.policies.player import PolicyPlayer
from loo_sim.policies.policy import Policy
from loo_sim.referee import Deal, Declaration, Play, Trick, play_deal, play_order
from loo_sim.rules import Rules

ACTIONS = ("fold", "stand", "miss", "defend")


def game_of(policies: Sequence[Policy], rules: Rules, players: int, pot: int) -> Game:
    """The game of some policies, one a seat."""
    return encode(rules, compile_tables(policies, rules, players, pot), pot)


def seats(names: Sequence[str], players: int) -> list[Policy]:
    """Built-in policies, taken in turn by the seats."""
    return [load_policy(names[seat % len(names)]) for seat in range(players)]


@cache
def codes(turn_up: Card, deck: int) -> dict[int, Card]:
    """Card of each code, by the words of `kernels.dealing`: 4 rank + suit; the top trump is 63."""
    ranks = deck // 4
    cards = live_cards(turn_up, deck)
    plain = {4 * (i % ranks) + i // ranks: cards[i] for i in range(3 * ranks)}
    trumps = {63 - i: card for i, card in enumerate(reversed(cards[3 * ranks :]))}
    return plain | trumps


def deal_of(game: Game, rules: Rules, pot: int, whole: WholeDeals, i: int) -> Deal:
    """Deal `i` of the kernels as a deal of the referee."""
    players = whole.action.shape[1]
    turn_up = pack(rules.deck)[whole.turn_up[i]]
    card = codes(turn_up, rules.deck)

    def cards_of(word: int) -> list[Card]:
        return [card[word >> shift & 255] for shift in (0, 8, 16)]

    hands = [cards_of(int(word)) for word in whole.hand[i]]
    said = [(seat, int(action)) for seat, action in enumerate(whole.action[i]) if action < 4]
    declarations = tuple(Declaration(seat, ACTIONS[action]) for seat, action in said)
    seats_in = [seat for seat, action in said if action > 0]
    tricks = []
    leader = seats_in[0] if seats_in else -1
    for trick in range(3 if len(seats_in) > 1 else 0):
        plays = tuple(
            Play(seat, card[int(whole.played[i, trick, seat])])
            for seat in play_order(seats_in, leader)
        )
        winner = int(whole.winner[i, trick])
        tricks.append(Trick(leader, plays, winner))
        leader = winner
    return Deal(
        rules=rules,
        pot=pot,
        dealt=Dealt(turn_up, hands[0], hands[1:]),
        dealer=players - 1,
        forced_stand=bool(whole.forced[i]),
        declarations=declarations,
        tricks=tuple(tricks),
        tricks_won=tuple(int(x) for x in whole.tricks[i]),
        net=tuple(int(x) for x in whole.net[i]),
        pot_after=int(whole.pot_after[i]),
    )


def referee_deal(
    policies: Sequence[Policy], rules: Rules, pot: int, seed: int, index: int
) -> Deal:
    """Deal `index` played by the referee, every card and choice drawn in plain Python."""
    players = [
        PolicyPlayer(policy, seat, seat_choices(seed, index, seat))
        for seat, policy in enumerate(policies)
    ]
    return play_deal(rules, deal_cards(seed, index, len(policies), rules.deck), pot, players)


def play_given(
    game: Game, rules: Rules, dealt: Sequence[Dealt], choices: Sequence[Sequence[Choices]]
) -> WholeDeals:
    """Play given cards in the kernels, each seat drawing the given choices."""
    out = no_deals(game, len(dealt))
    for done in range(0, len(dealt), LANES):
        n = min(LANES, len(dealt) - done)
        s = make_scratch()
        for lane in range(n):
            put(s, lane, rules, game, dealt[done + lane], choices[done + lane])
        keep_batch(game, done, n, s, out)
    return out


def put(s, lane, rules, game, dealt, choices) -> None:
    """Lay one deal into a lane."""
    deck = rules.deck
    code = {card: code for code, card in codes(dealt.turn_up, deck).items()}
    number = {card: i for i, card in enumerate(live_cards(dealt.turn_up, deck))}
    s.turn_up[lane] = pack(deck).index(dealt.turn_up)
    for h, hand in enumerate([dealt.miss, *dealt.hands]):
        s.hand[h, lane] = sum(code[card] << 8 * place for place, card in enumerate(hand))
        s.index[h, lane] = hand_index([number[card] for card in hand])
    pot = int(game.settings[10])
    s.row[FORCED, lane] = rules.everyone_must_stand(len(dealt.hands), pot, dealt.turn_up.suit)
    for seat, choice in enumerate(choices):
        s.announce_word[seat, lane] = choice.announce
        orders = sorted(set(np.ndindex(3, 3, 3)))
        order = [o for o in orders if len(set(o)) == 3].index(tuple(choice.preference[0]))
        later = int(choice.preference[1] == (1, 0))
        s.row[PREFERENCE + seat, lane] = RANKS_OF_ORDER[order] | later << 6
