"""Counts of what each announcement leads to, against the referee playing every alternative."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest
from kernel_deals import SMALL, seats
from table_player import Lookup, TablePlayer, live_numbers, table_players

from loo_sim.cards import Card, hand_classes, hand_index
from loo_sim.draws import Dealt, deal_cards
from loo_sim.kernels.counting import count_announcements, count_deals
from loo_sim.kernels.game import DEFEND, FOLD, MISS, NO_MISS, SILENT, STAND, WHOLE_POT, encode
from loo_sim.kernels.whole_deals import play_deals
from loo_sim.policies.compile import Tables, compile_tables
from loo_sim.referee import Deal, play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.views import Player, Situation, Turn

DEALS = 6 if SMALL else 200

Cell = tuple[int, int, int, int]
"""Situation, hand class, result of standing, result of taking the miss."""


@dataclass
class Overruled:
    """A player who makes one announcement whatever he would say, and plays as ever."""

    player: TablePlayer
    action: str

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        return self.action

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        return self.player.play(turn, hand, legal)


def result_of(deal: Deal, seat: int) -> int:
    """Tricks that a seat won, or that it took the whole pot."""
    seats_in = sum(action != "fold" for _, action in deal.declarations)
    return deal.tricks_won[seat] if seats_in > 1 else WHOLE_POT


def cells_of(rules: Rules, pot: int, dealt: Dealt, players: Sequence[TablePlayer]) -> list[Cell]:
    """The cells of one deal, one for each seat that spoke freely."""

    def if_said(seat: int, action: str) -> int:
        others: list[Player] = list(players)
        others[seat] = Overruled(players[seat], action)
        return result_of(play_deal(rules, dealt, pot, others), seat)

    deal = play_deal(rules, dealt, pot, players)
    number = live_numbers(dealt.turn_up, rules.deck)
    class_of = hand_classes(rules.deck).class_of
    standers, miss_free = 0, True
    cells = []
    for seat, action in () if deal.forced_stand else deal.declarations:
        hand_class = int(class_of[hand_index([number[card] for card in dealt.hands[seat]])])
        stand = if_said(seat, "stand")
        miss = if_said(seat, "miss") if miss_free else NO_MISS
        cells.append((seat * (seat + 1) + 2 * standers + miss_free, hand_class, stand, miss))
        standers += action != "fold"
        miss_free &= action != "miss"
    return cells


def no_counts(rules: Rules, players: int) -> npt.NDArray[np.uint32]:
    classes = len(hand_classes(rules.deck).size)
    return np.zeros((players * (players + 1), classes, 5, 6), np.uint32)


HOUSE = replace(
    PRESETS["standard"],
    deck=32,
    ante=1,
    loo="pot",
    loo_cap=4,
    defend_with="own",
    dealer_may_fold=True,
    first_lead="two-trumps",
    later_lead="free",
    undertrump="optional",
)


@pytest.mark.parametrize(
    ("rules", "players", "names"),
    [
        (PRESETS["standard"], 5, ["random"]),
        (PRESETS["standard"], 6, ["trumps"]),
        (PRESETS["standard"], 6, ["loose", "random", "turncoat"]),
        (PRESETS["standard"], 16, ["trumps", "tight", "chancy"]),
        (PRESETS["peel"], 3, ["random", "peel"]),
        (PRESETS["peel"], 8, ["peel"]),
        (PRESETS["enquire"], 4, ["loose", "late-dice"]),
        (PRESETS["classic"], 3, ["tight", "random"]),
        (PRESETS["classic"], 7, ["chancy"]),
        (PRESETS["unlimited"], 5, ["pot-odds", "loose"]),
        (PRESETS["club"], 5, ["loose", "trumps", "random"]),
        (HOUSE, 6, ["random", "turncoat"]),
        (replace(HOUSE, defend="lone", first_lead="highest", later_lead="highest"), 9, ["loose"]),
    ],
)
def test_alternatives_are_those_of_the_referee(
    rules: Rules, players: int, names: list[str]
) -> None:
    pot = 17 * UNITS_PER_STAKE + 1
    tables = compile_tables(seats(names, players), rules, players, pot)
    lookup = Lookup(tables, rules.deck)
    seed, first = 31 + players, 2**32 - 50
    expected: Counter[Cell] = Counter()
    for index in range(first, first + DEALS):
        dealt = deal_cards(seed, index, players, rules.deck)
        expected.update(cells_of(rules, pot, dealt, table_players(lookup, players, seed, index)))
    counts = no_counts(rules, players)
    count_announcements(encode(rules, tables, pot), seed, first, DEALS, counts)
    found = {tuple(cell): int(counts[tuple(cell)]) for cell in np.argwhere(counts).tolist()}
    assert found == expected


@pytest.mark.parametrize("preset", PRESETS)
def test_each_seat_that_spoke_is_counted_once_a_deal(preset: str) -> None:
    """Nobody speaks where all must stand; a dealer before whom all folded says nothing."""
    rules, players, deals = PRESETS[preset], 6, 60 if SMALL else 3000
    for pot in (rules.single_pot(players), 9 * UNITS_PER_STAKE):
        game = encode(rules, compile_tables(seats(["tight"], 6), rules, players, pot), pot)
        counts = no_counts(rules, players)
        count_announcements(game, 41, 0, deals, counts)
        whole = play_deals(game, 41, 0, deals)
        spoke = (whole.action != SILENT) & ~whole.forced[:, None]
        assert counts.sum() == spoke.sum()
        for seat in range(players):
            of_seat = counts[seat * (seat + 1) : (seat + 1) * (seat + 2)]
            assert of_seat.sum() == spoke[:, seat].sum()


@pytest.mark.parametrize("preset", [name for name in PRESETS if name != "club"])
@pytest.mark.parametrize("name", ["trumps", "loose", "pot-odds"])
def test_what_was_announced_had_the_results_counted_for_it(preset: str, name: str) -> None:
    """Where a policy announces without chance, its own results are among the alternatives."""
    rules, players, deals = PRESETS[preset], 5, 100 if SMALL else 40_000
    pot = 8 * UNITS_PER_STAKE
    tables = compile_tables(seats([name], players), rules, players, pot)
    game = encode(rules, tables, pot)
    counts = no_counts(rules, players)
    count_announcements(game, 51, 0, deals, counts)
    seat_counts, _ = count_deals(game, 51, 0, deals)
    expected = np.zeros_like(seat_counts)
    for seat in range(players):
        for standers in range(seat + 1):
            for miss_free in (0, 1):
                said = announced(tables, rules, seat, standers, miss_free)
                cells = counts[seat * (seat + 1) + 2 * standers + miss_free].astype(np.int64)
                expected[seat, STAND] += cells[said == STAND].sum(axis=(0, 2))
                expected[seat, MISS] += cells[said == MISS].sum(axis=(0, 1))[:5]
                expected[seat, FOLD, 0] += cells[said == FOLD].sum()
                expected[seat, DEFEND, 0] += cells[said == DEFEND].sum()
    assert np.array_equal(seat_counts[:, STAND], expected[:, STAND])
    assert np.array_equal(seat_counts[:, MISS], expected[:, MISS])
    assert np.array_equal(seat_counts[:, FOLD], expected[:, FOLD])
    assert np.array_equal(seat_counts[:, DEFEND].sum(axis=1), expected[:, DEFEND, 0])


def announced(
    tables: Tables, rules: Rules, seat: int, standers: int, miss_free: int
) -> npt.NDArray[np.uint8]:
    """What a policy without chances announces with each class of hand."""
    return tables.rows[tables.row_of[seat, standers, miss_free]][hand_classes(rules.deck).member]
