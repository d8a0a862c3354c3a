"""A pack of twelve cards and two players: every deal there is, by the referee and by the kernels.

Eleven live cards give 11! / (3!^3 2!) = 92,400 deals of the miss and two hands. What comes of one
depends on what the two seats say and on the cards that are played, so the referee plays each such
contest once, with the first deal that leads to it; the kernels play all 92,400. Weighted by the
chances of what is said the contests give exact expectations, which simulated means must meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from math import comb, sqrt

import numpy as np
import numpy.typing as npt
import pytest
from kernel_deals import ACTIONS, SMALL, codes, game_of, policy
from table_player import Lookup, TablePlayer

from loo_sim.cards import Card, all_hands, hand_classes, hand_index, live_cards, pack
from loo_sim.draws import Choices, Dealt
from loo_sim.kernels.announcing import FORCED
from loo_sim.kernels.batch import LANES, make_scratch
from loo_sim.kernels.counting import count_announcements, count_deals
from loo_sim.kernels.game import DEFEND, FOLD, MISS, SILENT, STAND, WHOLE_POT
from loo_sim.kernels.whole_deals import WholeDeals, keep_batch, no_deals
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.player import chances
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.views import Situation, Turn

pytestmark = pytest.mark.skipif(SMALL, reason="needs a hundred thousand deals at once")

DECK, PLAYERS = 12, 2
POT = 7 * UNITS_PER_STAKE
SIMULATED = 1_000_000
SPADES, CLUBS = Card.parse("Qs"), Card.parse("Ac")
"""Cards turned up: club law sleeps, or wakes."""
TABLES = {name: replace(rules, deck=DECK, min_players=2) for name, rules in PRESETS.items()}
NAMES = ("trumps", "loose", "always-stand")

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@cache
def every_deal() -> Ints:
    """Indices of the hands of the miss, seat 0 and seat 1 in each deal, shape (92400, 3)."""
    cards = frozenset(range(DECK - 1))
    deals = []
    for miss in combinations(sorted(cards), 3):
        left = sorted(cards.difference(miss))
        for hand in combinations(left, 3):
            for other in combinations(sorted(set(left).difference(hand)), 3):
                deals.append((hand_index(miss), hand_index(hand), hand_index(other)))
    return np.array(deals)


def test_every_deal_is_there_once() -> None:
    deals = every_deal()
    assert len(deals) == comb(11, 3) * comb(8, 3) * comb(5, 3) == 92_400
    assert len(np.unique(deals, axis=0)) == 92_400


@dataclass
class Says:
    """A player who makes a given announcement, and plays by a policy without chance."""

    action: str
    player: TablePlayer

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        return self.action

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        return self.player.play(turn, hand, legal)


def no_choices() -> Choices:
    raise AssertionError("these policies play without chance")


class Table:
    """Two players at a table with a policy, and what the referee makes of every deal there."""

    def __init__(self, rules: Rules, name: str, turn_up: Card) -> None:
        self.rules, self.turn_up, self.name = rules, turn_up, name
        self.forced = rules.everyone_must_stand(PLAYERS, POT, turn_up.suit)
        live = live_cards(turn_up, DECK)
        self.hands = [[live[number] for number in hand] for hand in all_hands(DECK)]
        tables = compile_tables([policy(name)] * PLAYERS, rules, PLAYERS, POT)
        self.lookup = Lookup(tables, DECK)
        self.ways = self.find_ways()

    def chances(self, seat: int, standers: int, miss_free: bool) -> Floats:
        """Chance of each announcement (hands, 4), by the interpreter of policies."""
        found = np.zeros((len(self.hands), len(ACTIONS)))
        if self.forced:
            found[:, STAND] = 1
            return found
        situation = Situation(self.rules, PLAYERS, seat, standers, miss_free, POT)
        for hand, cards in enumerate(self.hands):
            said = chances(policy(self.name), situation, cards, self.turn_up)
            for action, chance in said.items():
                found[hand, ACTIONS.index(action)] = float(chance)
        return found

    def find_ways(self) -> dict[tuple[int, int], Floats]:
        """For each pair of announcements its chance in each deal, where it is not 0 throughout."""
        _, first, second = every_deal().T
        opening = self.chances(0, 0, True)
        ways = {(FOLD, SILENT): opening[first, FOLD]}
        for said in (STAND, MISS):
            answers = self.chances(1, 1, said != MISS)
            for answer in range(len(ACTIONS)):
                ways[said, answer] = opening[first, said] * answers[second, answer]
        if self.forced:
            assert all((chance == 0).all() for way, chance in ways.items() if way != (STAND, STAND))
        return {way: chance for way, chance in ways.items() if chance.any()}

    def come_of(self, said: int, answer: int, where: npt.NDArray[np.bool_]) -> Ints:
        """What comes of the deals in `where` if the seats say this.

        Returns
        -------
        ndarray of int64, shape (deals, 5)
            Results of the two seats (tricks, or the whole pot as 4), their nets, the pot after.
        """
        miss, first, second = every_deal()[where].T
        nothing = np.full_like(miss, -1)
        own_defence = self.rules.defend_with == "own"
        cards = {FOLD: nothing, STAND: first, MISS: miss}[said]
        others = {
            FOLD: nothing,
            STAND: second,
            MISS: miss,
            DEFEND: second if own_defence else miss,
            SILENT: nothing,
        }[answer]
        contests, example, which = np.unique(
            cards * len(self.hands) + others, return_index=True, return_inverse=True
        )
        players = [
            Says(ACTIONS[action % SILENT], TablePlayer(self.lookup, seat, no_choices))
            for seat, action in enumerate((said, answer))
        ]
        found = np.zeros((len(contests), 5), np.int64)
        for row, i in zip(found, example.tolist(), strict=True):
            hands = [list(self.hands[hand[i]]) for hand in (miss, first, second)]
            dealt = Dealt(self.turn_up, hands[0], hands[1:])
            deal = play_deal(self.rules, dealt, POT, players)
            in_play = sum(action != "fold" for _, action in deal.declarations)
            alone = in_play < 2
            results = [
                WHOLE_POT if alone and deal.net[seat] else deal.tricks_won[seat]
                for seat in range(PLAYERS)
            ]
            row[:] = (*results, *deal.net, deal.pot_after)
        return found[which]


@cache
def table(preset: str, name: str, turn_up: Card) -> Table:
    return Table(TABLES[preset], name, turn_up)


def kernel_plays(at: Table) -> WholeDeals:
    """Every deal, played by the kernels by a policy without chance."""
    game = game_of([policy(at.name)] * PLAYERS, at.rules, PLAYERS, POT)
    code = {card: code for code, card in codes(at.turn_up, DECK).items()}
    words = np.array(
        [sum(code[card] << 8 * place for place, card in enumerate(hand)) for hand in at.hands]
    )
    deals = every_deal()
    out = no_deals(game, len(deals))
    s = make_scratch()
    s.turn_up[:] = pack(DECK).index(at.turn_up)
    s.row[FORCED] = at.forced
    for done in range(0, len(deals), LANES):
        part = deals[done : done + LANES].T
        s.index[: PLAYERS + 1, : part.shape[1]] = part
        s.hand[: PLAYERS + 1, : part.shape[1]] = words[part]
        keep_batch(game, done, part.shape[1], s, out)
    return out


PLAIN = [*product(TABLES, NAMES, [SPADES]), *product(["club"], NAMES, [CLUBS])]


@pytest.mark.parametrize(("preset", "name", "turn_up"), PLAIN, ids=str)
def test_every_deal_has_the_same_result(preset: str, name: str, turn_up: Card) -> None:
    at = table(preset, name, turn_up)
    whole = kernel_plays(at)
    assert (whole.forced == at.forced).all()
    met = np.zeros(len(every_deal()), np.int64)
    for (said, answer), chance in at.ways.items():
        where = chance > 0
        assert (chance[where] == 1).all()
        met += where
        assert (whole.action[where] == (said, answer)).all()
        expected = at.come_of(said, answer, where)
        results = np.where(expected[:, :2] == WHOLE_POT, 0, expected[:, :2])
        assert np.array_equal(whole.tricks[where], results)
        assert np.array_equal(whole.net[where], expected[:, 2:4])
        assert np.array_equal(whole.pot_after[where], expected[:, 4])
    assert (met == 1).all()


class Exact:
    """Exact chances and means of a game, any card being turned up.

    Attributes
    ----------
    seat : ndarray of float64, shape (2, 5, 5)
        Chance of each seat, announcement and result.
    mean, square : ndarray of float64, shape (3,)
        Means of the two nets and of the pot after, and of their squares.
    """

    def __init__(self, preset: str, name: str) -> None:
        self.seat = np.zeros((PLAYERS, 5, 5))
        self.mean, self.square = np.zeros(3), np.zeros(3)
        trumps = {SPADES: 0.75, CLUBS: 0.25} if TABLES[preset].club_law else {SPADES: 1.0}
        for turn_up, share in trumps.items():
            at = table(preset, name, turn_up)
            for way, chance in at.ways.items():
                where = chance > 0
                weight = share * chance[where] / len(every_deal())
                came = at.come_of(*way, where)
                for seat, action in enumerate(way):
                    np.add.at(self.seat[seat, action], came[:, seat], weight)
                self.mean += weight @ came[:, 2:]
                self.square += weight @ came[:, 2:].astype(float) ** 2
        assert self.seat.sum(axis=(1, 2)) == pytest.approx([1, 1])
        assert self.mean.sum() == pytest.approx(POT)


def net_of(action: int, result: int, loo: int) -> int:
    """Net of an announcement and a result (S7, S8, S10, S15, S16), in units."""
    if result == WHOLE_POT:
        return POT
    if action in (FOLD, DEFEND, SILENT):
        return 0
    return result * (POT // 3) if result else -loo


def pot_left(players_in: int, defence: int, looed: int, loo: int) -> int:
    """Units in the pot after a deal; `defence` is 1 + tricks of a defender, or 0."""
    if players_in == 1:
        return 0
    kept = defence - 1 if defence else 0
    return POT - (3 - kept) * (POT // 3) + looed * loo


@pytest.mark.parametrize(
    ("preset", "name"),
    [*product(TABLES, NAMES), ("standard", "dithering"), ("peel", "dithering")],
)
def test_simulated_means_meet_exact_ones(preset: str, name: str) -> None:
    exact = Exact(preset, name)
    rules = TABLES[preset]
    game = game_of([policy(name)] * PLAYERS, rules, PLAYERS, POT)
    seat_counts, pot_counts = count_deals(game, 61, 0, SIMULATED)
    error = np.sqrt(exact.seat * (1 - exact.seat) / SIMULATED)
    assert (seat_counts[exact.seat == 0] == 0).all()
    assert (abs(seat_counts / SIMULATED - exact.seat) <= 4 * error + 1e-12).all()
    loo = rules.loo_units(POT)
    net = np.array([[net_of(action, result, loo) for result in range(5)] for action in range(5)])
    after = np.array(
        [[[pot_left(k, d, n, loo) for n in range(17)] for d in range(5)] for k in range(17)]
    )
    simulated = [*(seat_counts * net).sum(axis=(1, 2)), (pot_counts * after).sum()]
    deviation = np.sqrt(np.maximum(exact.square - exact.mean**2, 0))
    assert np.all(
        abs(np.array(simulated) / SIMULATED - exact.mean)
        <= 4 * deviation / sqrt(SIMULATED) + 1e-9 * POT
    )


@pytest.mark.parametrize("preset", ["standard", "peel", "enquire", "unlimited"])
@pytest.mark.parametrize("name", ["trumps", "loose"])
def test_value_of_standing_and_of_the_miss(preset: str, name: str) -> None:
    """Seat 0, with each class of hand: exact values against counted alternatives."""
    at = table(preset, name, SPADES)
    rules = at.rules
    game = game_of([policy(name)] * PLAYERS, rules, PLAYERS, POT)
    classes = hand_classes(DECK)
    counts = np.zeros((PLAYERS * (PLAYERS + 1), len(classes.size), 5, 6), np.uint32)
    count_announcements(game, 62, 0, SIMULATED, counts)
    of_class = classes.class_of[every_deal()[:, 1]]
    opening = counts[1].astype(np.int64)
    dealt = opening.sum(axis=(1, 2))
    loo = rules.loo_units(POT)
    for said, counted in [(STAND, opening.sum(axis=2)), (MISS, opening.sum(axis=1)[:, :5])]:
        mean, square = np.zeros(len(dealt)), np.zeros(len(dealt))
        answers = at.chances(1, 1, said != MISS)[every_deal()[:, 2]]
        for answer in range(len(ACTIONS)):
            where = answers[:, answer] > 0
            if where.any():
                came = at.come_of(said, answer, where)[:, 2].astype(float)
                weight = answers[where, answer]
                mean += np.bincount(of_class[where], weight * came, minlength=len(dealt))
                square += np.bincount(of_class[where], weight * came**2, minlength=len(dealt))
        deals = np.bincount(of_class, minlength=len(dealt))
        mean, square = mean / deals, square / deals
        net = np.array([net_of(said, result, loo) for result in range(5)])
        simulated = counted @ net / dealt
        error = np.sqrt(np.maximum(square - mean**2, 0) / dealt)
        assert (abs(simulated - mean) <= 4 * error + 1e-9 * POT).all()
