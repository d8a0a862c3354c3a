"""Deals given a hand and announcements: as likely as enumeration, rejection and the studies say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from kernel_deals import SMALL, codes, seats
from scipy.stats import chi2, chi2_contingency
from table_player import Lookup, TablePlayer

from loo_sim.cards import Card, all_hands, hand_classes, hand_index, live_cards, pack, parse_cards
from loo_sim.draws import Choices, Dealt, seat_choices
from loo_sim.experiment import Cell
from loo_sim.kernels.aimed import count_aimed, make_aim
from loo_sim.kernels.batch import LANES, make_scratch
from loo_sim.kernels.game import NO_MISS, WHOLE_POT, Game, encode
from loo_sim.kernels.given import AS_DRAWN, Given, count_given, deal_given, make_drawn
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.features import Situation
from loo_sim.policies.player import chances
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.strategy import given as given_module
from loo_sim.strategy.advise import _lead_table
from loo_sim.strategy.given import announcement_chances, hand_numbers, make_given, seats_to_draw
from loo_sim.strategy.question import Question, situation_after
from loo_sim.views import Turn

STAKES = UNITS_PER_STAKE
few = pytest.mark.skipif(SMALL, reason="needs many deals")


def question_of(
    names: Sequence[str],
    rules: Rules,
    players: int,
    stakes: int,
    hand: str,
    turn_up: str,
    before: Sequence[str],
) -> Question:
    """A question that no command line asks: of small packs, of policies of the tests."""
    cell = Cell({}, players, stakes * STAKES, rules, tuple(seats(names, players)))
    return Question(cell, tuple(parse_cards(hand)), Card.parse(turn_up), tuple(before))


def known(question: Question, *alternatives: tuple[str, int]) -> tuple[Game, Given]:
    """What the kernel is told of a question."""
    cell = question.cell
    tables = compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    found = make_given(question, announcement_chances(question, tables), list(alternatives))
    return encode(cell.rules, tables, cell.pot), found


def draw(monkeypatch: pytest.MonkeyPatch, drawn: list[int]) -> None:
    """Have the hands of these seats drawn, and no others."""
    monkeypatch.setattr(given_module, "seats_to_draw", lambda *_: drawn)


def hands_kept(
    game: Game, given: Given, seed: int, batches: int, first: int = 0
) -> npt.NDArray[np.int64]:
    """Hand words of the deals kept: the miss, seat 0, ..., shape (hands, deals)."""
    s, d, tried = make_scratch(), make_drawn(), np.zeros(1, np.int64)
    found = []
    for batch in range(batches):
        s.number[:] = np.uint64(first + batch * LANES) + np.arange(LANES, dtype=np.uint64)
        kept = deal_given(game, given, np.uint64(seed), LANES, s, d, tried)
        found.append(s.hand[: game.settings[0] + 1, :kept].astype(np.int64))
    return np.concatenate(found, axis=1)


def cards_of(word: int, card_of: dict[int, Card]) -> list[Card]:
    """The cards of a hand word, in order."""
    return [card_of[int(word) >> shift & 255] for shift in (0, 8, 16)]


def masks_of(words: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The cards of hand words as sets: a bit a code."""
    one, two, three = (
        np.uint64(1) << ((words >> shift) & 255).astype(np.uint64) for shift in (0, 8, 16)
    )
    return one | two | three


# --- the pack of sixteen cards: every pair of hands, by the interpreter of policies ---------------

SMALL_PACK = replace(PRESETS["standard"], deck=16, min_players=3)
MINE = "Kc Jd As"


def exact_pairs(question: Question) -> dict[tuple[int, int], float]:
    """Chance of each pair of hands of seats 0 and 1, given what they announced."""
    cell, deck = question.cell, 16
    code_of = {card: code for code, card in codes(question.turn_up, deck).items()}
    live = [card for card in code_of if card not in question.hand]

    def chance(seat: int, hand: Sequence[Card]) -> float:
        there = situation_after(cell, question.before[:seat])
        said = chances(cell.policies[seat], there, hand, question.turn_up)
        return float(said.get(question.before[seat], 0))

    of_hand = {
        seat: {hand: chance(seat, hand) for hand in combinations(live, 3)} for seat in (0, 1)
    }
    mask = {h: sum(1 << code_of[card] for card in h) for h in of_hand[0]}
    weight = {
        (mask[one], mask[other]): of_hand[0][one] * of_hand[1][other]
        for one in mask
        for other in mask
        if of_hand[0][one] and of_hand[1][other] and not mask[one] & mask[other]
    }
    total = sum(weight.values())
    return {pair: value / total for pair, value in weight.items()}


def expect_alike(seen: npt.NDArray[np.float64], expected: npt.NDArray[np.float64]) -> None:
    """Chi-squared at 1 in 10,000, cells of few expected pooled."""
    order = np.argsort(-expected)
    seen, expected = seen[order], expected[order]
    usual = int((expected >= 8).sum())
    seen = np.append(seen[:usual], seen[usual:].sum())
    expected = np.append(expected[:usual], expected[usual:].sum())
    if expected[-1] < 8:
        seen = np.append(seen[:-2], seen[-2:].sum())
        expected = np.append(expected[:-2], expected[-2:].sum())
    assert len(seen) > 20
    statistic = ((seen - expected) ** 2 / expected).sum()
    assert statistic < chi2.isf(1e-4, len(seen) - 1)


@few
@pytest.mark.parametrize("drawn", [None, [], [0], [1], [0, 1]], ids=str)
@pytest.mark.parametrize("before", [("stand", "stand"), ("fold", "stand"), ("miss", "fold")])
def test_hands_of_earlier_seats_are_as_likely_as_their_announcements_make_them(
    before: tuple[str, str], drawn: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each pair of hands, whichever of them are drawn; the miss is any of the other cards."""
    question = question_of(["dithering"], SMALL_PACK, 3, 5, MINE, "Qs", before)
    if drawn is not None:
        draw(monkeypatch, drawn)
    game, given = known(question, ("stand", AS_DRAWN))
    kept = hands_kept(game, given, 5, 12)
    card_of = codes(question.turn_up, 16)
    assert all(cards_of(word, card_of) == list(question.hand) for word in kept[3])
    masks = masks_of(kept)
    assert (np.bitwise_count(np.bitwise_or.reduce(masks, axis=0)) == 12).all()
    exact = exact_pairs(question)
    seen = Counter(zip(masks[1].tolist(), masks[2].tolist(), strict=True))
    assert seen.keys() <= exact.keys()
    # By the hand of one seat: pairs alone are too many to be expected often.
    for seat in (0, 1):
        chance: Counter[int] = Counter()
        for pair, value in exact.items():
            chance[pair[seat]] += value
        count = Counter(masks[seat + 1].tolist())
        mine = list(chance)
        expect_alike(
            np.array([count[hand] for hand in mine], float),
            kept.shape[1] * np.array([chance[hand] for hand in mine]),
        )
    # Both together: how often a card of the one seat meets each card of the other.
    together = np.zeros((64, 64))
    expected = np.zeros((64, 64))
    for pair, value in exact.items():
        one, other = (min(i for i in range(64) if hand >> i & 1) for hand in pair)
        expected[one, other] += value * kept.shape[1]
        together[one, other] += seen[pair]
    there = expected > 0
    expect_alike(together[there], expected[there])
    # What is left of the pack is in the miss or undealt: six cards, each in it every other time.
    others = masks[1] | masks[2] | masks[3]
    for code in card_of:
        there = (others >> np.uint64(code) & np.uint64(1)) == 0
        in_miss = (masks[0][there] >> np.uint64(code) & np.uint64(1)).astype(int)
        assert abs(in_miss.sum() - len(in_miss) / 2) <= 4.5 * (len(in_miss) / 4) ** 0.5


def test_rare_announcements_are_drawn_and_common_ones_are_made() -> None:
    """The rarest first, as long as they are rarer than hands without a card in common.

    In a pack of sixteen 220 hands share no card with the known one. Hands out of six cards have
    half of each, so that two of them have a card and a half in common: apart about once in 4.5.
    """
    hands = all_hands(16)

    def out_of(cards: range) -> npt.NDArray[np.float64]:
        return np.where(np.isin(hands, cards).all(axis=1), 2.0**30, 0.0)

    low, high, wide = out_of(range(6)), out_of(range(6, 12)), out_of(range(11))
    assert [int((chance > 0).sum()) for chance in (low, high, wide)] == [20, 20, 165]
    # 165 / 220 is more than a chance of apartness of exp(-18 / 22 * 2).
    assert seats_to_draw([wide, low, high], 16) == [1, 2]
    assert seats_to_draw([low, low], 16) == [0, 1]  # 20 / 220 < exp(-1.5)
    # 165 / 220 against exp(-(3 * 3 / 11)).
    assert seats_to_draw([wide, wide], 16) == [0]
    assert seats_to_draw([low, low, low], 16) == [0, 1]  # 20 / 220 > exp(-3)
    assert seats_to_draw([out_of(range(12)) / 2], 16) == []  # made by all hands alike
    assert seats_to_draw([], 16) == []


def test_chances_are_those_of_the_interpreter() -> None:
    question = question_of(
        ["chancy", "dithering", "random"], SMALL_PACK, 3, 5, MINE, "Qs", ("stand", "miss")
    )
    cell = question.cell
    tables = compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    found = announcement_chances(question, tables)
    live = live_cards(question.turn_up, 16)
    for seat, word in enumerate(question.before):
        there = situation_after(cell, question.before[:seat])
        for hand in combinations(range(15), 3):
            cards = [live[number] for number in hand]
            expected = float(chances(cell.policies[seat], there, cards, question.turn_up)[word])
            if set(cards) & set(question.hand):
                expected = 0.0
            assert found[seat][hand_index(hand)] / 2**32 == pytest.approx(expected, abs=3e-10)


# --- results: the referee deal by deal ------------------------------------------------------------


class Told:
    """Says what it is told and leads what it is told, else acts by the tables."""

    def __init__(self, word: str, player: TablePlayer, lead: Card | None = None) -> None:
        self.word, self.player, self.lead = word, player, lead

    def announce(self, situation: object, hand: Sequence[Card], turn_up: Card) -> str:
        return self.word

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        if turn.trick_no == 1 and turn.best is None and self.lead in legal:
            assert self.lead is not None
            return self.lead
        return self.player.play(turn, hand, legal)


def no_choices() -> Choices:
    raise AssertionError("these policies do nothing by chance")


def referee_counts(
    question: Question,
    kept: npt.NDArray[np.int64],
    alternatives: Sequence[tuple[str, Card | None]],
) -> npt.NDArray[np.int64]:
    """Results of the alternatives in the deals kept, as the referee plays them."""
    cell, seat = question.cell, question.situation.seat
    lookup = Lookup(
        compile_tables(cell.policies, cell.rules, cell.players, cell.pot), cell.rules.deck
    )
    card_of = codes(question.turn_up, cell.rules.deck)
    counts = np.zeros((6, 6, 6), np.int64)
    for words in kept.T:
        miss, *hands = (cards_of(word, card_of) for word in words)
        dealt = Dealt(question.turn_up, miss, hands)
        results = [NO_MISS] * 3
        for place, (word, lead) in enumerate(alternatives):
            players = [TablePlayer(lookup, at, no_choices) for at in range(cell.players)]
            at_table = [
                Told(question.before[at], player)
                if at < seat
                else Told(word, player, lead)
                if at == seat
                else player
                for at, player in enumerate(players)
            ]
            deal = play_deal(cell.rules, dealt, cell.pot, at_table)
            alone = sum(said != "fold" for said in deal.said.values()) == 1
            results[place] = WHOLE_POT if alone else deal.tricks_won[seat]
        counts[tuple(results)] += 1
    return counts


HOUSE = replace(
    PRESETS["standard"],
    loo="pot",
    defend_with="own",
    dealer_may_fold=True,
    first_lead="two-trumps",
    later_lead="free",
    undertrump="optional",
)


@pytest.mark.parametrize(
    ("names", "rules", "players", "before"),
    [
        (["tight", "turncoat"], PRESETS["standard"], 5, ["fold", "stand"]),
        (["tight", "turncoat"], PRESETS["standard"], 5, ["fold", "stand", "fold", "stand"]),
        (["peel", "tight", "turncoat"], PRESETS["peel"], 4, ["fold", "fold", "stand"]),
        (["peel", "loose"], HOUSE, 6, ["fold", "stand", "fold", "miss"]),
        (["loose", "tight"], PRESETS["enquire"], 3, []),
    ],
)
def test_results_are_those_of_the_referee(
    names: list[str], rules: Rules, players: int, before: list[str]
) -> None:
    question = question_of(names, rules, players, 9, "Th 4h Qc", "9h", before)
    played = [word for word in question.situation.legal if word != "fold"]
    game, given = known(question, *((word, AS_DRAWN) for word in played))
    count = 20 if SMALL else 300
    counts = np.zeros((6, 6, 6), np.int64)
    tried = count_given(game, given, 3, 1000, count, counts)
    s, d, tries = make_scratch(), make_drawn(), np.zeros(1, np.int64)
    s.number[:count] = np.uint64(1000) + np.arange(count, dtype=np.uint64)
    m = deal_given(game, given, np.uint64(3), count, s, d, tries)
    kept = s.hand[: players + 1, :m].astype(np.int64)
    assert tries[0] == tried >= count >= m > 0
    expected = referee_counts(question, kept, [(word, None) for word in played])
    assert counts.sum() == m
    assert np.array_equal(counts, expected)


@pytest.mark.parametrize(
    ("hand", "rules", "cards"),
    [
        ("Qc 4d 9s", PRESETS["standard"], "Qc 4d 9s"),
        ("Th 4h Qc", PRESETS["standard"], "Th 4h"),
        ("4h Ah Qc", PRESETS["standard"], "Ah"),
        ("Th Qc 4d", HOUSE, "Th Qc 4d"),
    ],
)
def test_a_first_lead_is_the_card_that_is_asked_about(hand: str, rules: Rules, cards: str) -> None:
    """All legal ones; against one opponent the highest of several trumps, whatever is asked."""
    question = question_of(
        ["tight", "tight", "turncoat", "loose"], rules, 5, 9, hand, "9h", ["fold", "fold"]
    )
    cell = question.cell
    compiled = compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    table = _lead_table(question, compiled, announcement_chances(question, compiled))
    assert [option.name for option in table.options] == cards.split()
    count = 20 if SMALL else 300
    counts = np.zeros((6, 6, 6), np.int64)
    count_given(table.game, table.given, 4, 0, count, counts)
    s, d, tries = make_scratch(), make_drawn(), np.zeros(1, np.int64)
    s.number[:count] = np.arange(count, dtype=np.uint64)
    m = deal_given(table.game, table.given, np.uint64(4), count, s, d, tries)
    kept = s.hand[:6, :m].astype(np.int64)
    alternatives = [("stand", card) for card in parse_cards(cards)]
    assert np.array_equal(counts, referee_counts(question, kept, alternatives))


# --- against other counts of the same -------------------------------------------------------------


def results(counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Counts by the results of standing and of the miss."""
    return counts.sum(axis=2)[:5]


def expect_same(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> None:
    """Two samples of one distribution, at 1 in 10,000."""
    both = np.stack([one.ravel(), other.ravel()])
    there = both.sum(axis=0) >= 12
    assert there.sum() >= 4
    rest = both[:, ~there].sum(axis=1, keepdims=True)
    table = np.hstack([both[:, there], rest]) if rest.sum() >= 12 else both[:, there]
    assert chi2_contingency(table).pvalue > 1e-4


@few
@pytest.mark.parametrize(
    ("stakes", "before"),
    [
        (9, ("stand",)),
        (9, ("fold", "stand", "miss")),
        (3, ("stand", "stand", "fold", "fold", "stand")),
    ],
)
def test_drawing_hands_gives_what_plain_rejection_gives(
    stakes: int, before: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six players: deals made at random, of which those are kept in which all say as was said."""
    alternatives = [("stand", AS_DRAWN), ("miss", AS_DRAWN)][: 1 if "miss" in before else 2]
    question = question_of(["peel"], PRESETS["standard"], 6, stakes, "8h Kc Qd", "9h", before)
    smart, plain = np.zeros((6, 6, 6), np.int64), np.zeros((6, 6, 6), np.int64)
    game, given = known(question, *alternatives)
    assert given.drawn.size > 0
    count_given(game, given, 1, 0, 60_000, smart)
    draw(monkeypatch, [])
    game, given = known(question, *alternatives)
    made = 6_000_000 if len(before) == 5 else 600_000
    assert count_given(game, given, 2, 0, made, plain) == made
    assert smart.sum() / 60_000 > 2 * plain.sum() / made
    assert plain.sum() > 500
    expect_same(smart, plain)


@few
@pytest.mark.parametrize(
    ("name", "situation", "histories"),
    [
        ("loose", Situation(1, 1, False), [("miss",)]),
        ("tight", Situation(2, 0, True), [("fold", "fold")]),
        ("tight", Situation(2, 1, True), [("fold", "stand"), ("stand", "fold")]),
        ("tight", Situation(5, 1, True), None),
        ("chancy", Situation(2, 0, True), [("fold", "fold")]),
        ("random", Situation(1, 1, False), [("miss",)]),
    ],
)
def test_a_situation_is_worth_what_the_study_says(
    name: str,
    situation: Situation,
    histories: list[tuple[str, ...]] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The study `announce`, aimed at the hand; where more histories lead there, all of them.

    With no hand drawn each history is kept as often as it comes up, over the largest chances with
    which any hand makes its announcements.
    """
    rules, players, stakes = PRESETS["standard"], 6, 18
    if histories is None:
        histories = [
            tuple("stand" if seat == place else "fold" for seat in range(5)) for place in range(5)
        ]
    draw(monkeypatch, [])
    ours, often = np.zeros((6, 6, 6), np.int64), []
    for history in histories:
        question = question_of([name], rules, players, stakes, "Jh Kc Qd", "9h", history)
        alternatives = [("stand", AS_DRAWN), ("miss", AS_DRAWN)][: 1 + situation.miss_free]
        game, given = known(question, *alternatives)
        count_given(game, given, 1, 0, 200_000, ours)
        tables = compile_tables(question.cell.policies, rules, players, question.cell.pot)
        largest = [chance.max() / 2**32 for chance in announcement_chances(question, tables)]
        often.append(float(np.prod(largest)))
    assert len(set(often)) == 1
    classes = hand_classes(52)
    of_class = int(classes.class_of[hand_index(hand_numbers(question))])
    aim = make_aim(52, situation, np.array([of_class], np.uint16))
    theirs = np.zeros((len(classes.size), 5, 6), np.uint32)
    dealt = np.zeros(len(classes.size), np.int64)
    count_aimed(game, aim, 2, 0, 200_000, theirs, dealt)
    assert theirs.sum() == theirs[of_class].sum() > 200
    expect_same(results(ours), theirs[of_class].astype(np.int64))
    # So do the chances that it comes up.
    expected = theirs.sum() / 200_000 / often[0]
    error = (expected * (1 + 1 / often[0]) / 200_000) ** 0.5
    assert abs(ours.sum() / 200_000 - expected) < 4.5 * error


def test_choices_of_a_deal_are_those_of_its_number() -> None:
    """Those of a policy that draws whatever it does, where no deal is thrown away or made again."""
    question = question_of(["random"], PRESETS["standard"], 5, 9, "8h Kc Qd", "9h", [])
    game, given = known(question, ("stand", AS_DRAWN))
    s, d, tries = make_scratch(), make_drawn(), np.zeros(1, np.int64)
    s.number[:50] = np.arange(50, dtype=np.uint64)
    assert deal_given(game, given, np.uint64(6), 50, s, d, tries) == 50
    for seat in range(5):
        words = [seat_choices(6, index, seat).announce for index in range(50)]
        assert s.announce_word[seat, :50].tolist() == words
    assert (s.turn_up[:50] == pack(52).index(Card.parse("9h"))).all()
