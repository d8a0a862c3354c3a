"""Aimed deals: legal, random but for the hand they hold, and worth what plain deals say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from kernel_deals import (
    SMALL,
    deals_of,
    differing,
    game_of,
    live_codes,
    seats,
)
from scipy.stats import chi2, norm
from table_player import Lookup, table_players
from test_kernels_announcements import HOUSE, cells_of, no_counts

from loo_sim.cards import all_hands, hand_classes, hand_index, pack
from loo_sim.draws import AIM_STREAM, block, deal_cards, seat_choices
from loo_sim.kernels.aimed import Aim, count_aimed, deal_aimed, make_aim
from loo_sim.kernels.batch import LANES, Scratch, draw_choices, make_scratch, number_deals
from loo_sim.kernels.compiled import entry
from loo_sim.kernels.counting import count_announcements
from loo_sim.kernels.game import Game, encode
from loo_sim.kernels.whole_deals import WholeDeals, keep_batch, no_deals
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.features import Situation
from loo_sim.policies.player import PolicyPlayer
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules

STAKES = UNITS_PER_STAKE
few = pytest.mark.skipif(SMALL, reason="needs many deals")


@entry
def lay(game: Game, aim: Aim, seed: int, n: int, s: Scratch) -> None:
    """Deal a batch of aimed deals, those of ``s.number``."""
    deal_aimed(game, aim, seed, n, s)
    draw_choices(game, seed, n, s)


@entry
def number(first: int, row: npt.NDArray[np.uint64]) -> None:
    number_deals(first, row)


def play_aimed(game: Game, aim: Aim, seed: int, first: int, count: int) -> WholeDeals:
    """Consecutive aimed deals, each played whole by the kernels."""
    out, s = no_deals(game, count), make_scratch()
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        number(np.uint64(first + done), s.number[:n])
        lay(game, aim, np.uint64(seed), n, s)
        keep_batch(game, done, n, s, out)
    return out


def aim_at(rules: Rules, situation: Situation, slots: Sequence[int] | None = None) -> Aim:
    """An aim with every class in turn, or with the slots given."""
    every = range(len(hand_classes(rules.deck).size)) if slots is None else slots
    return make_aim(rules.deck, situation, np.array(every, np.uint16))


def classes_held(rules: Rules, whole: WholeDeals, seat: int) -> list[int]:
    """The class of the hand that a seat holds in each deal, from the cards."""
    class_of, turned = hand_classes(rules.deck).class_of, pack(rules.deck)
    found = []
    for turn_up, words in zip(
        whole.turn_up.tolist(), whole.hand[:, seat + 1].tolist(), strict=True
    ):
        code, numbers = live_codes(turned[turn_up], rules.deck)
        live = {code[card]: numbers[card] for card in code}
        hand = [live[words >> shift & 255] for shift in (0, 8, 16)]
        found.append(int(class_of[hand_index(hand)]))
    return found


GAMES = [
    (PRESETS["standard"], 5, ["random"], Situation(2, 1, True)),
    (PRESETS["standard"], 16, ["chancy", "trumps"], Situation(4, 2, False)),
    (PRESETS["peel"], 3, ["peel", "random"], Situation(0, 0, True)),
    (PRESETS["club"], 6, ["loose", "random"], Situation(5, 3, False)),
    (PRESETS["enquire"], 4, ["turncoat", "late-dice"], Situation(3, 1, False)),
    (HOUSE, 6, ["random", "turncoat"], Situation(3, 1, True)),
    (replace(HOUSE, defend="lone", club_law=True), 9, ["tight", "random"], Situation(8, 2, False)),
]


@pytest.mark.parametrize(("rules", "players", "names", "situation"), GAMES)
def test_an_aimed_deal_is_a_deal_in_which_the_seat_holds_a_hand_of_its_slot(
    rules: Rules, players: int, names: list[str], situation: Situation
) -> None:
    """No card is there twice, and the referee plays these cards as the kernels do."""
    pot, seed, first, count = 7 * STAKES, 3, 2**40 - 100, 20 if SMALL else 400
    policies = seats(names, players)
    game = game_of(policies, rules, players, pot)
    slots = np.random.default_rng(1).integers(0, len(hand_classes(rules.deck).size), 37).tolist()
    whole = play_aimed(game, aim_at(rules, situation, slots), seed, first, count)
    held = classes_held(rules, whole, situation.seat)
    assert held == [slots[index % 37] for index in range(first, first + count)]
    for index, deal in enumerate(deals_of(rules, pot, whole), first):
        cards = [deal.dealt.turn_up, *deal.dealt.miss, *(c for h in deal.dealt.hands for c in h)]
        assert len(set(cards)) == 3 * players + 4
        at_table = [
            PolicyPlayer(policy, seat_choices(seed, index, seat))
            for seat, policy in enumerate(policies)
        ]
        assert not differing(deal, play_deal(rules, deal.dealt, pot, at_table))


def test_an_aimed_deal_is_the_plain_deal_with_the_wanted_cards_exchanged() -> None:
    rules, players, seat, seed = PRESETS["peel"], 6, 2, 8
    game = game_of(seats(["peel"], players), rules, players, 3 * STAKES)
    whole = play_aimed(game, aim_at(rules, Situation(seat, 0, True)), seed, 0, 300)
    for index, deal in enumerate(deals_of(rules, 3 * STAKES, whole)):
        plain = deal_cards(seed, index, players)
        order = [*plain.miss, *(card for hand in plain.hands for card in hand)]
        rest = [card for card in pack(52) if card not in order and card != plain.turn_up]
        order += rest
        _, numbers = live_codes(plain.turn_up, 52)
        of_class = np.flatnonzero(hand_classes(52).class_of == index % 4861)
        word = block(seed, index, AIM_STREAM, 0)[0]
        wanted = all_hands(52)[of_class[word * len(of_class) >> 32]].tolist()
        for place, card in enumerate(wanted, 3 * (seat + 1)):
            where = [numbers[known] for known in order].index(card)
            order[place], order[where] = order[where], order[place]
        assert deal.dealt.turn_up == plain.turn_up
        assert [*deal.dealt.miss, *(c for h in deal.dealt.hands for c in h)] == order[:21]


@pytest.mark.parametrize(("rules", "players", "names", "situation"), GAMES)
def test_counts_are_those_of_the_referee(
    rules: Rules, players: int, names: list[str], situation: Situation
) -> None:
    pot, seed, first, count = 17 * STAKES + 1, 5, 2**32 - 50, 30 if SMALL else 300
    tables = compile_tables(seats(names, players), rules, players, pot)
    game = encode(rules, tables, pot)
    aim = aim_at(rules, situation)
    counts = no_counts(rules, 1)[0]
    dealt = np.zeros(len(counts), np.int64)
    count_aimed(game, aim, seed, first, count, counts, dealt)
    lookup = Lookup(tables, rules.deck)
    expected: Counter[tuple[int, ...]] = Counter()
    whole = play_aimed(game, aim, seed, first, count)
    for index, deal in enumerate(deals_of(rules, pot, whole), first):
        at_table = table_players(lookup, players, seed, index)
        for row, *cell in cells_of(rules, pot, deal.dealt, at_table):
            if row == situation.row:
                expected[tuple(cell)] += 1
    found = {tuple(cell): int(counts[tuple(cell)]) for cell in np.argwhere(counts).tolist()}
    assert found == expected
    assert sum(expected.values()) > (0 if SMALL else 5)
    slots = [index % len(counts) for index in range(first, first + count)]
    assert dealt.tolist() == np.bincount(slots, minlength=len(counts)).tolist()


@few
def test_the_other_cards_lie_at_random() -> None:
    """Any other card is equally often in every other hand, or undealt; members alike often too."""
    rules, players, seat, deals = PRESETS["peel"], 3, 1, 60_000
    game = game_of(seats(["peel"], players), rules, players, 3 * STAKES)
    of_class = hand_classes(52).names.index("As7sKh")
    members = np.flatnonzero(hand_classes(52).class_of == of_class)
    assert len(members) == 3
    whole = play_aimed(game, aim_at(rules, Situation(seat, 0, True), [of_class]), 4, 0, deals)
    live = whole.turn_up == 0
    code, numbers = live_codes(pack(52)[0], 52)
    lies = np.zeros((51, players + 1), np.int64)
    for card in code:
        holds = ((whole.hand[live][:, :, None] >> np.array([0, 8, 16])) & 255) == code[card]
        lies[numbers[card]] = holds.any(axis=2).sum(axis=0)
    n = live.sum()
    trumps = [numbers[card] for card in code if card.suit == "c" and card.rank in (14, 7)]
    kings = [numbers[card] for card in code if card.suit != "c" and card.rank == 13]
    assert lies[trumps].tolist() == [[0, 0, n, 0]] * 2
    assert lies[kings, seat + 1].sum() == n
    fair = [(lies[kings, seat + 1], n / 3)]
    for card in set(range(51)) - set(trumps) - set(kings):
        assert lies[card, seat + 1] == 0
        there = lies[card, [0, 1, 3]]
        fair.append((np.append(there, n - there.sum()), n * np.array([3, 3, 3, 39]) / 48))
    for seen, expected in fair:
        statistic = ((seen - expected) ** 2 / expected).sum()
        assert statistic < chi2.isf(1e-3 / len(fair), len(seen) - 1)


@few
@pytest.mark.parametrize(
    ("rules", "players", "names", "situation"),
    [
        (PRESETS["peel"], 3, ["peel"], Situation(1, 1, True)),
        (replace(PRESETS["standard"], deck=32), 5, ["chancy"], Situation(3, 1, False)),
    ],
)
def test_hands_are_worth_what_plain_deals_say(
    rules: Rules, players: int, names: list[str], situation: Situation
) -> None:
    """Chances that the situation comes up and a result comes of it, for every class of hand."""
    pot, deals = 8 * STAKES, 2_000_000
    game = game_of(seats(names, players), rules, players, pot)
    counts = no_counts(rules, 1)[0]
    dealt = np.zeros(len(counts), np.int64)
    count_aimed(game, aim_at(rules, situation), 6, 0, deals, counts, dealt)
    plain = no_counts(rules, players)
    count_announcements(game, 7, 0, deals, plain)
    size = hand_classes(rules.deck).size
    n = dealt, deals * size / size.sum()
    seen = [
        np.hstack([array.sum(axis=2), array.sum(axis=1)]).astype(float)
        for array in (counts, plain[situation.row])
    ]
    both = (seen[0] + seen[1]) / (n[0] + n[1])[:, None]
    shares = [array / per[:, None] for array, per in zip(seen, n, strict=True)]
    error = np.sqrt(both * (1 / n[0] + 1 / n[1])[:, None])
    # Normal theory holds where both expect some thirty; the bound is for all of them together.
    usual = both * np.minimum(*n)[:, None] > 30
    deviation = abs(shares[0] - shares[1])[usual] / error[usual]
    assert usual.sum() > 1000
    assert deviation.max() < norm.isf(1e-3 / usual.sum())
    assert (deviation**2).mean() == pytest.approx(1, abs=0.15)
