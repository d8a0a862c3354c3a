"""Puts deals of the kernels beside deals of the referee: the same `Deal`, field by field."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt

from loo_sim.cards import Card, hand_index, live_cards, pack
from loo_sim.draws import (
    ORDERS_OF_THREE,
    ORDERS_OF_TWO,
    Choices,
    Dealt,
    deal_cards,
    seat_choices,
)
from loo_sim.kernels.announcing import FORCED, PREFERENCE
from loo_sim.kernels.batch import (
    LANES,
    RANKS_OF_ORDER,
    SECOND_TRICK_SHIFT,
    Scratch,
    make_scratch,
)
from loo_sim.kernels.game import FOLD, POT, SILENT, WHOLE_POT, Game, encode
from loo_sim.kernels.whole_deals import WholeDeals, keep_batch, no_deals
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.parse import load_policy, read_policy
from loo_sim.policies.player import PolicyPlayer
from loo_sim.policies.policy import Policy
from loo_sim.referee import Deal, Declaration, Play, Trick, play_deal, play_order
from loo_sim.rules import Rules

ACTIONS = ("fold", "stand", "miss", "defend")

SMALL = any(os.environ.get(name) == "1" for name in ("NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"))
"""Whether the kernels run slowly, so that samples should be small."""

CUSTOM = {
    "chancy": """
name = "chancy"
about = "gives every announcement some chance, and words of play by all that rules may look at"
[announce]
rules = [
  { when = "trumps >= 2", do = "stand", chance = 0.9 },
  { when = "miss_free and standers >= 1", do = "defend", chance = 0.3 },
  { when = "miss_free", do = "miss", chance = 0.37 },
  { when = "over_best <= 6 or high >= 12", do = "random", chance = 0.25 },
  { when = "seat > 1", do = "stand", chance = 0.5 },
]
otherwise = "fold"
[play]
lead_trump = { rules = [{ when = "trick_no == 2", do = "high" }], otherwise = "random" }
[play.lead]
rules = [{ when = "in_play <= 3", do = "plain" }, { when = "my_tricks == 1", do = "random" }]
otherwise = "trump"
[play.lead_plain]
rules = [{ when = "my_tricks == 1", do = "random" }, { when = "in_play > 4", do = "low" }]
otherwise = "high"
[play.head]
rules = [{ when = "last and best_is_trump", do = "high" }, { when = "last", do = "low" }]
otherwise = "random"
[play.lose]
rules = [
  { when = "best_is_trump", do = "high" },
  { when = "trick_no == 2 and in_play > 2", do = "random" },
]
otherwise = "low"
""",
    "turncoat": """
name = "turncoat"
about = "plays without chance, but otherwise in each trick, place and number of players in"
[announce]
rules = [
  { when = "over_best <= 8", do = "stand" },
  { when = "miss_free and (standers <= 2 or dealer)", do = "miss" },
  { when = "low >= 9 or plain_suits == 1", do = "stand" },
]
otherwise = "defend"
[play]
lead = { rules = [{ when = "trick_no == 2", do = "plain" }], otherwise = "trump" }
lead_trump = { rules = [{ when = "in_play == 3", do = "high" }], otherwise = "low" }
lead_plain = { rules = [{ when = "my_tricks == 1", do = "low" }], otherwise = "high" }
head = { rules = [{ when = "best_is_trump or trick_no == 2", do = "high" }], otherwise = "low" }
[play.lose]
rules = [
  { when = "last or my_tricks == 1", do = "high" },
  { when = "best_is_trump", do = "low" },
]
otherwise = "high"
""",
    "late-dice": """
name = "late-dice"
about = "stands on a trump; plays at random only once it has won, or comes last"
[announce]
rules = [{ when = "trumps >= 1", do = "stand" }, { when = "miss_free", do = "miss", chance = 0.5 }]
otherwise = "fold"
[play]
lead = { rules = [{ when = "my_tricks == 1", do = "random" }], otherwise = "plain" }
lead_trump = "high"
lead_plain = "low"
head = { rules = [{ when = "last", do = "random" }], otherwise = "high" }
lose = { rules = [{ when = "my_tricks == 1", do = "random" }], otherwise = "high" }
""",
    "dithering": """
name = "dithering"
about = "announces by chance, plays without"
[announce]
rules = [
  { when = "trumps >= 1", do = "stand", chance = 0.75 },
  { when = "high == 14", do = "random", chance = 0.5 },
  { when = "miss_free", do = "miss", chance = 0.25 },
]
otherwise = "fold"
[play]
lead = "plain"
lead_trump = "high"
""",
}
"""Policies that look at everything they may look at, and draw wherever they may draw."""


def game_of(policies: Sequence[Policy], rules: Rules, players: int, pot: int) -> Game:
    """The game of some policies, one a seat."""
    return encode(rules, compile_tables(policies, rules, players, pot), pot)


@cache
def policy(name: str) -> Policy:
    """A built-in policy, or one of the custom ones below."""
    if name not in CUSTOM:
        return load_policy(name)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.toml"
        path.write_text(CUSTOM[name])
        return read_policy(path)


def seats(names: Sequence[str], players: int) -> list[Policy]:
    """Policies by name, taken in turn by the seats."""
    return [policy(names[seat % len(names)]) for seat in range(players)]


@cache
def codes(turn_up: Card, deck: int) -> dict[int, Card]:
    """Card of each code, by the words of `kernels.dealing`: 4 rank + suit; the top trump is 63."""
    ranks = deck // 4
    cards = live_cards(turn_up, deck)
    plain = {4 * (i % ranks) + i // ranks: cards[i] for i in range(3 * ranks)}
    trumps = {63 - i: card for i, card in enumerate(reversed(cards[3 * ranks :]))}
    return plain | trumps


def deals_of(rules: Rules, pot: int, whole: WholeDeals) -> Iterator[Deal]:
    """Deals of the kernels as deals of the referee, in order."""
    turned = pack(rules.deck)
    for turn_up, words, forced, actions, played, winners, tricks_won, net, pot_after in zip(
        *(field.tolist() for field in whole), strict=True
    ):
        card = codes(turned[turn_up], rules.deck)
        miss, *hands = [[card[word >> shift & 255] for shift in (0, 8, 16)] for word in words]
        said = [(seat, action) for seat, action in enumerate(actions) if action < SILENT]
        seats_in = [seat for seat, action in said if action != FOLD]
        tricks = []
        leader = seats_in[0] if seats_in else -1
        for winner, cards in zip(winners, played, strict=True) if len(seats_in) > 1 else ():
            plays = tuple(Play(seat, card[cards[seat]]) for seat in play_order(seats_in, leader))
            tricks.append(Trick(leader, plays, winner))
            leader = winner
        yield Deal(
            rules=rules,
            pot=pot,
            dealt=Dealt(turned[turn_up], miss, hands),
            dealer=len(hands) - 1,
            forced_stand=forced,
            declarations=tuple(Declaration(seat, ACTIONS[action]) for seat, action in said),
            tricks=tuple(tricks),
            tricks_won=tuple(tricks_won),
            net=tuple(net),
            pot_after=pot_after,
        )


def differing(one: Deal, other: Deal) -> dict[str, tuple[object, object]]:
    """The fields in which two deals differ."""
    pairs = {f.name: (getattr(one, f.name), getattr(other, f.name)) for f in fields(Deal)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def counts_of(deals: Iterable[Deal]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """What `count_deals` should count of some deals of one table."""
    first, *_ = deals = list(deals)
    seat_counts = np.zeros((first.players, SILENT + 1, WHOLE_POT + 1), np.int64)
    pot_counts = np.zeros((17, 5, 17), np.int64)
    for deal in deals:
        said = deal.said
        seats_in = [seat for seat, action in said.items() if action != "fold"]
        alone = seats_in[0] if len(seats_in) == 1 else None if seats_in else deal.dealer
        for seat, tricks in enumerate(deal.tricks_won):
            action = ACTIONS.index(said[seat]) if seat in said else SILENT
            seat_counts[seat, action, WHOLE_POT if seat == alone else tricks] += 1
        defended = said.get(deal.dealer) == "defend"
        defence = 1 + deal.tricks_won[deal.dealer] if defended else 0
        looed = sum(net < 0 for net in deal.net)
        pot_counts[len(seats_in), defence, looed] += 1
    return seat_counts, pot_counts


def referee_deal(policies: Sequence[Policy], rules: Rules, pot: int, seed: int, index: int) -> Deal:
    """Deal `index` played by the referee, every card and choice drawn in plain Python."""
    players = [
        PolicyPlayer(policy, seat_choices(seed, index, seat))
        for seat, policy in enumerate(policies)
    ]
    return play_deal(rules, deal_cards(seed, index, len(policies), rules.deck), pot, players)


def play_given(
    game: Game, rules: Rules, dealt: Sequence[Dealt], choices: Sequence[Sequence[Choices]]
) -> WholeDeals:
    """Play given cards in the kernels, each seat drawing the given choices."""
    out = no_deals(game, len(dealt))
    s = make_scratch()
    for done in range(0, len(dealt), LANES):
        n = min(LANES, len(dealt) - done)
        for lane in range(n):
            put(s, lane, rules, game, dealt[done + lane], choices[done + lane])
        keep_batch(game, done, n, s, out)
    return out


def put(
    s: Scratch, lane: int, rules: Rules, game: Game, dealt: Dealt, choices: Sequence[Choices]
) -> None:
    """Lay one deal into a lane."""
    code, number = live_codes(dealt.turn_up, rules.deck)
    s.turn_up[lane] = pack(rules.deck).index(dealt.turn_up)
    for h, (x, y, z) in enumerate([dealt.miss, *dealt.hands]):
        s.hand[h, lane] = code[x] | code[y] << 8 | code[z] << 16
        s.index[h, lane] = hand_index((number[x], number[y], number[z]))
    pot = int(game.settings[POT])
    s.row[FORCED, lane] = rules.everyone_must_stand(len(dealt.hands), pot, dealt.turn_up.suit)
    for seat, (announce, (first, second)) in enumerate(choices):
        s.announce_word[seat, lane] = announce
        order = RANKS_OF_ORDER[ORDERS_OF_THREE.index(first)]
        s.row[PREFERENCE + seat, lane] = order | ORDERS_OF_TWO.index(second) << SECOND_TRICK_SHIFT


@cache
def live_codes(turn_up: Card, deck: int) -> tuple[dict[Card, int], dict[Card, int]]:
    """Code and number of each live card."""
    numbers = {card: i for i, card in enumerate(live_cards(turn_up, deck))}
    return {card: code for code, card in codes(turn_up, deck).items()}, numbers
