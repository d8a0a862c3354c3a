"""The generator against published vectors; deals and decisions against their distributions."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from kernel_deals import SMALL, deals_of, game_of, seats
from scipy.stats import chi2

from loo_sim.cards import hand_classes
from loo_sim.draws import deal_cards, philox
from loo_sim.kernels.counting import count_announcements, count_deals
from loo_sim.kernels.dealing import FIRST_TRUMP, TOP_TRUMP
from loo_sim.kernels.game import ACTIONS, DEFEND, FOLD, MISS, STAND, Game
from loo_sim.kernels.philox import block_words
from loo_sim.kernels.whole_deals import WholeDeals, play_deals
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules

ALPHA = 1e-4
"""Chance of a false alarm in one chi-square test; seeds are fixed, so it cannot come and go."""
DEALS = 2_000_000
POT = 5 * UNITS_PER_STAKE
TWO_PLAYERS = Rules(min_players=2, defend="never")
slow_without_jit = pytest.mark.skipif(SMALL, reason="needs millions of deals")

KNOWN_ANSWERS = [
    # Random123, kat_vectors: rounds, counter, key, answer of philox4x32.
    (7, "00000000 00000000 00000000 00000000", "00000000 00000000",
     "5f6fb709 0d893f64 4f121f81 4f730a48"),
    (7, "ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "5207ddc2 45165e59 4d8ee751 8c52f662"),
    (7, "243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "4dfccaba 190a87f0 c47362ba b6b5242a"),
    (10, "00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    (10, "ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (10, "243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip


def hexes(text: str) -> tuple[int, ...]:
    return tuple(int(word, 16) for word in text.split())


def kernel_words(seed: int, first: int, stream: int, number: int, lanes: int) -> list[list[int]]:
    """Words of one block for consecutive deals."""
    words = np.zeros((4, lanes), np.uint32)
    deals = np.uint64(first) + np.arange(words[0].size, dtype=np.uint64)
    block_words(np.uint64(seed), deals, np.uint64(stream), np.uint64(number), *words)
    return words.T.tolist()


@pytest.mark.parametrize(("rounds", "counter", "key", "answer"), KNOWN_ANSWERS)
def test_known_answers_of_the_plain_generator(
    rounds: int, counter: str, key: str, answer: str
) -> None:
    c0, c1, c2, c3 = hexes(counter)
    k0, k1 = hexes(key)
    assert philox((c0, c1, c2, c3), (k0, k1), rounds) == hexes(answer)


@pytest.mark.parametrize(("counter", "key", "answer"), [row[1:] for row in KNOWN_ANSWERS[:3]])
@pytest.mark.parametrize("lane", [0, 5])
def test_known_answers_of_the_lanes(counter: str, key: str, answer: str, lane: int) -> None:
    low, high, stream, number = hexes(counter)
    k0, k1 = hexes(key)
    # A deal number before the first would be 2**64 - 5: counting on from there comes round to 0.
    first = ((high << 32 | low) - lane) % 2**64
    words = kernel_words(k1 << 32 | k0, first, stream, number, lane + 1)
    assert tuple(words[lane]) == hexes(answer)


@pytest.mark.parametrize("seed", [0, 2**32 - 1, 2**32, 2**64 - 1])
@pytest.mark.parametrize("first", [0, 2**32 - 40, 2**63 - 40, 2**64 - 80])
def test_lanes_are_blocks_of_consecutive_deals(seed: int, first: int) -> None:
    words = kernel_words(seed, first, 17, 6, 80)
    key = (seed % 2**32, seed // 2**32)
    for lane, found in enumerate(words):
        index = first + lane
        assert tuple(found) == philox((index % 2**32, index // 2**32, 17, 6), key)


@pytest.mark.parametrize("deck", [52, 32, 20, 12])
@pytest.mark.parametrize(("seed", "first"), [(1, 0), (2**40 + 3, 2**32 - 20), (2**64 - 1, 2**63)])
def test_cards_are_those_of_the_plain_dealer(deck: int, seed: int, first: int) -> None:
    rules = Rules(deck=deck, min_players=2)
    players = rules.max_players
    whole = play_deals(game_of(seats(["trumps"], players), rules, players, POT), seed, first, 40)
    for index, deal in enumerate(deals_of(rules, POT, whole), start=first):
        assert deal.dealt == deal_cards(seed, index, players, deck)


def live_numbers(whole: WholeDeals, ranks: int = 13) -> npt.NDArray[np.int64]:
    """Live card numbers (deals, places) in the order in which the cards were dealt."""
    hands = [hands_of(whole, seat) for seat in range(-1, whole.action.shape[1])]
    codes = np.concatenate(hands, axis=1)
    plain = codes % 4 * ranks + codes // 4
    return np.where(codes >= FIRST_TRUMP, codes - TOP_TRUMP + 4 * ranks - 2, plain)


def hands_of(whole: WholeDeals, seat: int) -> npt.NDArray[np.int64]:
    """Card codes (deals, 3) of a seat as dealt, or of the miss (-1)."""
    return whole.hand[:, seat + 1, None].astype(np.int64) >> np.array([0, 8, 16]) & 255


def chance_of(observed: npt.ArrayLike, expected: npt.ArrayLike) -> float:
    """Chance of a chi-square as large as that of some counts, their sum being given."""
    seen, wanted = np.ravel(observed), np.ravel(expected)
    wanted = wanted * (seen.sum() / wanted.sum())
    assert wanted.min() > 20
    return float(chi2.sf(((seen - wanted) ** 2 / wanted).sum(), seen.size - 1))


def chance_of_pairs(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> float:
    """The same for two places of a deal: any two different live cards alike."""
    table = np.bincount(51 * one + other, minlength=51 * 51).reshape(51, 51)
    assert not table.diagonal().any()
    different = ~np.eye(51, dtype=bool)
    return chance_of(table[different], np.ones(51 * 50))


@slow_without_jit
def test_hands_come_as_often_as_their_classes_are_large() -> None:
    game = game_of(seats(["always-stand"], 2), TWO_PLAYERS, 2, POT)
    classes = hand_classes()
    counts = np.zeros((6, len(classes.size), 5, 6), np.uint32)
    count_announcements(game, 11, 0, DEALS, counts)
    seat = counts.sum(axis=(2, 3)).astype(np.int64)
    first, dealer = seat[:2].sum(axis=0), seat[2:].sum(axis=0)
    assert first.sum() == dealer.sum() == DEALS
    assert ALPHA < chance_of(first, classes.size) < 1 - ALPHA
    assert ALPHA < chance_of(dealer, classes.size) < 1 - ALPHA
    # A dealer who deals again once in twenty times where a hand has no trump is found out.
    trumps = np.array([name.count("s") for name in classes.names])
    kept = np.where(trumps == 0, first - first // 20, first)
    again = np.random.default_rng(1).multinomial(DEALS - kept.sum(), classes.size / 20825)
    assert chance_of(kept + again, classes.size) < ALPHA


@slow_without_jit
def test_any_two_places_hold_any_two_cards() -> None:
    game = game_of(seats(["trumps"], 2), TWO_PLAYERS, 2, POT)
    cards = live_numbers(play_deals(game, 12, 0, 500_000))
    for one in range(9):
        for other in range(one):
            assert ALPHA < chance_of_pairs(cards[:, one], cards[:, other]) < 1 - ALPHA


@slow_without_jit
def test_the_last_cards_of_a_full_table_come_from_the_whole_pack() -> None:
    game = game_of(seats(["trumps"], 16), Rules(), 16, POT)
    cards = live_numbers(play_deals(game, 13, 0, 150_000))
    assert (np.sort(cards, axis=1) == np.arange(51)).all()
    for one, other in [(50, 49), (50, 0), (47, 3), (46, 45), (25, 48), (24, 23)]:
        assert ALPHA < chance_of_pairs(cards[:, one], cards[:, other]) < 1 - ALPHA


@slow_without_jit
def test_a_biased_dealer_is_found_out() -> None:
    """The well-known wrong shuffle, in which each card changes places with any card."""
    dice = np.random.default_rng(3)
    deals = 500_000
    cards = np.tile(np.arange(51), (deals, 1))
    every = np.arange(deals)
    for place in range(51):
        other = dice.integers(51, size=deals)
        cards[every, place], cards[every, other] = (
            cards[every, other].copy(),
            cards[every, place].copy(),
        )
    chances = [chance_of_pairs(cards[:, i], cards[:, j]) for i in range(9) for j in range(i)]
    assert max(chances) < ALPHA
    right = dice.random((deals, 51)).argsort(axis=1)
    assert chance_of_pairs(right[:, 3], right[:, 7]) > ALPHA


@slow_without_jit
@pytest.mark.parametrize("deck", [52, 32])
def test_any_card_is_turned_up(deck: int) -> None:
    rules = replace(TWO_PLAYERS, deck=deck)
    whole = play_deals(game_of(seats(["trumps"], 2), rules, 2, POT), 14, 0, 500_000)
    assert ALPHA < chance_of(np.bincount(whole.turn_up), np.ones(deck)) < 1 - ALPHA
    # Nor does it say anything of the first card dealt.
    first = live_numbers(whole, deck // 4)[:, 0]
    table = np.bincount(whole.turn_up * np.int64(deck - 1) + first, minlength=deck * (deck - 1))
    assert ALPHA < chance_of(table, np.ones(deck * (deck - 1))) < 1 - ALPHA


def mixed_game(players: int = 6) -> tuple[Game, Rules]:
    """A game in which some seats draw and some do not."""
    rules = PRESETS["standard"]
    return game_of(seats(["random", "trumps", "loose"], players), rules, players, POT), rules


FIRSTS = [0, 2**32 - 350, 2**63 - 350, 2**64 - 700]


def assert_same(one: WholeDeals, other: WholeDeals) -> None:
    for name, mine, yours in zip(WholeDeals._fields, one, other, strict=True):
        assert np.array_equal(mine, yours), name


@pytest.mark.parametrize("first", FIRSTS)
def test_a_deal_is_the_same_alone_and_in_any_chunk(first: int) -> None:
    game, _ = mixed_game()
    seed, deals = 2**50 + 9, 700
    whole = play_deals(game, seed, first, deals)
    for i in (0, 1, 63, 64, 349, 350, 511, 512, 699):
        alone = play_deals(game, seed, first + i, 1)
        assert_same(alone, WholeDeals(*(field[i : i + 1] for field in whole)))
    for cut in (1, 350, 512, 600):
        parts = play_deals(game, seed, first, cut), play_deals(game, seed, first + cut, deals - cut)
        assert_same(whole, WholeDeals(*map(np.concatenate, zip(*parts, strict=True))))


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("first", FIRSTS)
def test_counts_add_up_over_any_split_on_any_threads(first: int, threads: int) -> None:
    game, _ = mixed_game(5)
    seed, deals = 5, 700
    shape = (30, len(hand_classes().size), 5, 6)
    seat_counts, pot_counts = count_deals(game, seed, first, deals)
    announced = np.zeros(shape, np.uint32)
    count_announcements(game, seed, first, deals, announced)
    cuts = [0, 1, 100, 349, 350, 513, deals]
    runs = [(first + a, b - a) for a, b in pairwise(cuts)]

    def announcements(run: tuple[int, int]) -> npt.NDArray[np.uint32]:
        counts = np.zeros(shape, np.uint32)
        count_announcements(game, seed, *run, counts)
        return counts

    with ThreadPoolExecutor(threads) as pool:
        counted = list(pool.map(lambda run: count_deals(game, seed, *run), runs))
        told = list(pool.map(announcements, runs))
    assert np.array_equal(sum(pair[0] for pair in counted), seat_counts)
    assert np.array_equal(sum(pair[1] for pair in counted), pot_counts)
    assert np.array_equal(sum(told), announced)
    assert pot_counts.sum() == deals


def test_counts_are_those_of_the_whole_deals() -> None:
    """`count_deals` counts what `play_deals` keeps, for every seat and every pot."""
    game, rules = mixed_game()
    deals = 40 if SMALL else 20_000
    whole = play_deals(game, 8, 3, deals)
    seat_counts, pot_counts = count_deals(game, 8, 3, deals)
    players = whole.action.shape[1]
    is_in = (whole.action > FOLD) & (whole.action < ACTIONS - 1)
    takes_all = (is_in.sum(axis=1, keepdims=True) < 2) & (whole.net == POT)
    result = np.where(takes_all, 4, whole.tricks)
    expected = np.zeros_like(seat_counts)
    np.add.at(expected, (np.arange(players), whole.action, result), 1)
    assert np.array_equal(seat_counts, expected)
    seats_in = is_in.sum(axis=1)
    defends = whole.action == DEFEND
    defence = defends.any(axis=1) * (1 + (whole.tricks * defends).sum(axis=1))
    looed = (whole.net == -rules.loo_units(POT)).sum(axis=1)
    expected_pots = np.zeros_like(pot_counts)
    np.add.at(expected_pots, (seats_in, defence.astype(np.int64), looed), 1)
    assert np.array_equal(pot_counts, expected_pots)


def test_decisions_do_not_move_the_cards() -> None:
    deals = 60 if SMALL else 5_000
    played = [
        play_deals(game_of(seats([name], 7), Rules(), 7, POT), 21, 4, deals)
        for name in ("random", "trumps", "chancy")
    ]
    for other in played[1:]:
        assert np.array_equal(played[0].hand, other.hand)
        assert np.array_equal(played[0].turn_up, other.turn_up)
        assert not np.array_equal(played[0].action, other.action)


def test_a_seat_and_the_miss_hold_the_same_cards_at_any_table() -> None:
    deals = 60 if SMALL else 2_000
    tables = {
        players: play_deals(
            game_of(seats(["trumps"], players), PRESETS["classic"], players, POT), 22, 0, deals
        )
        for players in range(3, 17)
    }
    for players, whole in tables.items():
        assert np.array_equal(whole.hand, tables[16].hand[:, : players + 1])
        assert np.array_equal(whole.turn_up, tables[16].turn_up)


def test_a_seat_draws_the_same_whatever_the_others_do() -> None:
    """Seat 2 is random; where the seats before it announce alike, so does it, whoever they are."""
    deals = 300 if SMALL else 20_000
    around = [["tight", "peel"], ["random", "chancy"], ["trumps", "pot-odds"]]
    games = [game_of(seats([*names, "random", *names], 5), Rules(), 5, POT) for names in around]
    played = [play_deals(game, 23, 0, deals) for game in games]
    for one, other in [(played[0], played[1]), (played[0], played[2])]:
        alike = (one.action[:, :2] == other.action[:, :2]).all(axis=1)
        assert alike.sum() > deals / 20
        assert np.array_equal(one.action[alike, 2], other.action[alike, 2])
    # Where it leads the first trick without a trump, it leads the same card.
    hands = hands_of(played[0], 2)
    leads = [
        (whole.action[:, :2] == FOLD).all(axis=1)
        & (whole.action[:, 2] == STAND)
        & (hands < FIRST_TRUMP).all(axis=1)
        & (whole.winner[:, 0] >= 0)
        for whole in played
    ]
    both = leads[0] & leads[2]
    assert both.sum() > deals / 50
    assert np.array_equal(played[0].played[both, 0, 2], played[2].played[both, 0, 2])


@slow_without_jit
def test_random_announcements_are_uniform_and_independent() -> None:
    """Seat 0 may fold, stand or take the miss, seat 1 after a fold too: nine pairs alike."""
    game = game_of(seats(["random"], 5), Rules(), 5, POT)
    whole = play_deals(game, 24, 0, 400_000)
    first, second = whole.action[:, 0], whole.action[:, 1]
    assert ALPHA < chance_of(np.bincount(first), np.ones(3)) < 1 - ALPHA
    free = first != MISS
    pairs = np.bincount(first[free] * 3 + second[free])
    assert ALPHA < chance_of(pairs, np.ones(6)) < 1 - ALPHA
    # The dealer where he could defend: stand, miss or defend, each as often.
    free_at_last = (whole.action[:, :4] != MISS).all(axis=1)
    somebody = (whole.action[:, :4] == STAND).any(axis=1)
    dealer = whole.action[free_at_last & somebody, 4]
    assert ALPHA < chance_of(np.bincount(dealer, minlength=4)[STAND:], np.ones(3)) < 1 - ALPHA
    assert not (dealer == FOLD).any()


@slow_without_jit
def test_random_plays_are_uniform_and_independent_of_what_was_announced() -> None:
    """A leader without a trump leads each of his cards alike; so does the winner of his trick."""
    game = game_of(seats(["random"], 3), replace(TWO_PLAYERS, min_players=3), 3, POT)
    whole = play_deals(game, 25, 0, 1_000_000)
    hands = hands_of(whole, 0)
    in_play = (whole.action > FOLD).sum(axis=1) > 1
    leads = in_play & (whole.action[:, 0] == STAND) & (hands < FIRST_TRUMP).all(axis=1)
    led = whole.played[leads, 0, 0]
    place = (hands[leads] == led[:, None]).argmax(axis=1)
    answer = whole.action[leads, 1]
    table = np.bincount(place * 3 + answer, minlength=9).reshape(3, 3)
    margins = np.outer(np.ones(3), table.sum(axis=0))
    assert ALPHA < chance_of(table, margins) < 1 - ALPHA
    # Trick 2: the first or the second of the two cards left, in the order dealt.
    again = whole.winner[leads, 0] == 0
    left = np.array([[1, 2], [0, 2], [0, 1]])[place[again]]
    second = np.take_along_axis(hands[leads][again], left, axis=1)
    first_of_two = second[:, 0] == whole.played[leads, 1, 0][again]
    pairs = np.bincount(place[again] * 2 + first_of_two, minlength=6).reshape(3, 2)
    assert ALPHA < chance_of(pairs, np.outer(pairs.sum(axis=1), np.ones(2))) < 1 - ALPHA
