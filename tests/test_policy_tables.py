"""Compiled tables against the interpreter and against values worked out by hand."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from loo_sim.cards import (
    Card,
    all_hands,
    hand_classes,
    hand_index,
    live_cards,
    lowest_rank,
    parse_cards,
)
from loo_sim.draws import WORD, Choices
from loo_sim.policies.compile import Tables, compile_tables
from loo_sim.policies.features import hand_columns, situations
from loo_sim.policies.parse import builtin_names, load_policy, read_policy
from loo_sim.policies.player import PolicyPlayer, announce_values, chances
from loo_sim.policies.policy import ACTIONS, PLAY_WORDS, Policy
from loo_sim.problems import InputError
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.views import Situation, Turn

STAKE = UNITS_PER_STAKE
ORDER = ((0, 1, 2), (0, 1))


def written(folder: Path, text: str) -> Policy:
    path = folder / "policy.toml"
    path.write_text(text)
    return read_policy(path)


def thresholds_of(code: int, tables: Tables) -> tuple[int, ...]:
    """Running sums over fold, stand, miss that a code of `rows` stands for."""
    if code >= len(ACTIONS):
        return tuple(int(word) for word in tables.mixtures[code - len(ACTIONS)])
    return tuple(WORD if code <= action else 0 for action in range(3))


def thresholds_of_chances(given: dict[str, Fraction]) -> tuple[int, ...]:
    sums = [
        sum((given.get(action, Fraction(0)) for action in ACTIONS[: i + 1]), Fraction(0))
        for i in range(3)
    ]
    return tuple(total.numerator * WORD // total.denominator for total in sums)


def assert_agree(
    policy: Policy, rules: Rules, players: int, pot: int, every: int = 1, spread: bool = True
) -> None:
    """The tables say what the interpreter says, on every so many classes of hands.

    The classes are spread over the situations in turn, or else put to each situation.
    """
    tables = compile_tables([policy] * players, rules, players, pot)
    classes = hand_classes(rules.deck)
    turn_up = Card(lowest_rank(rules.deck), "s")
    live = live_cards(turn_up, rules.deck)
    where = situations(players)
    for number in range(players % every, len(classes.names), every):
        member = classes.member[number]
        hand = [live[card] for card in all_hands(rules.deck)[member]]
        turn = number // every % len(where)
        for seat, standers, miss_free in [where[turn]] if spread else where:
            situation = Situation(rules, players, seat, standers, miss_free, pot)
            said = chances(policy, situation, hand, turn_up)
            assert sum(said.values()) == 1
            code = int(tables.rows[tables.row_of[seat, standers, int(miss_free)], member])
            assert thresholds_of(code, tables) == thresholds_of_chances(said), (
                situation,
                classes.names[number],
            )


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize(
    ("preset", "players", "pot"),
    [
        ("standard", 5, 3 * STAKE),
        ("standard", 16, 4 * STAKE + 5),
        ("peel", 5, 21 * STAKE),
        ("enquire", 3, 9 * STAKE),
        ("classic", 7, 12 * STAKE),
        ("unlimited", 6, 40 * STAKE),
        ("club", 8, 3 * STAKE),
    ],
)
def test_tables_say_what_the_interpreter_says(
    name: str, preset: str, players: int, pot: int
) -> None:
    assert_agree(load_policy(name), PRESETS[preset], players, pot, every=5)


@pytest.mark.parametrize("name", builtin_names())
def test_they_agree_on_every_class(name: str) -> None:
    assert_agree(load_policy(name), Rules(), 5, 9 * STAKE)


def test_they_agree_on_every_class_in_every_situation() -> None:
    assert_agree(load_policy("loose"), Rules(min_players=2), 2, 9 * STAKE, spread=False)


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("deck", [12, 16, 32])
def test_they_agree_on_small_packs(name: str, deck: int) -> None:
    rules = Rules(deck=deck, min_players=2, dealer_may_fold=True)
    for players in range(2, min(rules.max_players, 4) + 1):
        assert_agree(load_policy(name), rules, players, 7 * STAKE, every=3)


MIXED = """
name = "mixed"
[announce]
rules = [
  { when = "trumps >= 2 and miss_free", do = "miss", chance = 0.3 },
  { when = "high == 14 or dealer", do = "random", chance = 0.25 },
  { when = "trumps * high / 2 > to_act - standers / players and folded != 1", do = "stand", \
chance = 0.1 },
  { when = "pot > 2 * loo or trick == 5 or over_second < 4", do = "defend" },
  { when = "not (low > 4 or middle > 9 or plain_suits == 3 or seat == 2)", do = "fold", \
chance = 0.5 },
]
otherwise = "miss"
"""


def test_they_agree_where_rules_have_chances(tmp_path: Path) -> None:
    policy = written(tmp_path, MIXED)
    for rules, players, pot in [
        (Rules(), 5, 15 * STAKE),
        (Rules(dealer_may_fold=True, loo="pot"), 6, 4 * STAKE),
        (PRESETS["peel"], 4, 13 * STAKE),
    ]:
        assert_agree(policy, rules, players, pot, every=3)


def test_chances_worked_out_by_hand(tmp_path: Path) -> None:
    """Dealer, two in, the miss free: he may stand, take the miss or defend, not fold."""
    policy = written(tmp_path, MIXED)
    situation = Situation(Rules(), 5, 4, 2, True, 3 * STAKE)
    said = chances(policy, situation, parse_cards("3s4sAh"), Card.parse("2s"))
    # Rule 1: miss .3. Rule 2: a quarter of the .7 left, spread over three: 7/120 each; left .525.
    # Rule 3: 2 * 14 / 2 > 0 - 2/5 and folded = 2: a tenth of it. Left .4725. Rule 4: pot 3, trick
    # 1, and the second trump has 11 above it. Rule 5: folding is illegal. Otherwise: the miss.
    assert said == {
        "stand": Fraction(7, 120) + Fraction(525, 10000),
        "miss": Fraction(3, 10) + Fraction(7, 120) + Fraction(4725, 10000),
        "defend": Fraction(7, 120),
    }
    tables = compile_tables([policy] * 5, Rules(), 5, 3 * STAKE)
    hand = hand_index([live_cards(Card.parse("2s")).index(c) for c in parse_cards("3s4sAh")])
    code = tables.rows[tables.row_of[4, 2, 1], hand]
    stand = Fraction(7, 120) + Fraction(525, 10000)
    assert tables.mixtures[code - 4].tolist() == [
        0,
        int(stand * WORD),
        int((1 - Fraction(7, 120)) * WORD),
    ]


@pytest.mark.parametrize("suit", ["c", "d", "h", "s"])
def test_hands_of_real_deals_have_the_features_of_their_class(suit: str) -> None:
    """Whatever suit is trumps and whatever is turned up, class and cards tell the same."""
    columns = hand_columns(52)
    classes = hand_classes()
    draw = random.Random(suit)
    for _ in range(300):
        turn_up = Card(draw.randint(2, 14), suit)
        live = live_cards(turn_up)
        numbers = draw.sample(range(51), 3)
        situation = Situation(Rules(), 5, 0, 0, True, 3 * STAKE)
        seen = announce_values(situation, [live[i] for i in numbers], turn_up)
        kind = classes.class_of[hand_index(numbers)]
        assert {name: seen[name] for name in columns} == {
            name: column[kind] for name, column in columns.items()
        }


def test_every_situation_has_a_row_and_the_others_have_row_0() -> None:
    players = 7
    tables = compile_tables([load_policy("pot-odds")] * players, Rules(), players, 9 * STAKE)
    # A seat with s before it: 0 to s standers, the miss gone only if somebody is in; the dealer
    # speaks only if somebody is in. That is 2s + 1 for each seat, less one.
    assert len(situations(players)) == players**2 - 1
    possible = set(situations(players))
    for seat in range(players):
        for standers in range(players):
            for free in (False, True):
                if (seat, standers, free) not in possible:
                    assert tables.row_of[seat, standers, int(free)] == 0
    assert len({row.tobytes() for row in tables.rows}) == len(tables.rows)
    assert tables.rows.shape[1] == 20825
    assert (tables.rows.dtype, tables.row_of.dtype) == (np.uint8, np.int32)
    assert (tables.mixtures.dtype, tables.play.dtype) == (np.uint64, np.uint8)


def test_seats_keep_their_own_policies() -> None:
    names = ["random", "always-stand", "trumps", "always-stand", "random"]
    tables = compile_tables([load_policy(name) for name in names], Rules(), 5, 3 * STAKE)
    assert tables.announce_draws.tolist() == [True, False, False, False, True]
    assert tables.play_draws.tolist() == [True, False, False, False, True]
    worst = hand_index([0, 1, 13])
    row = [tables.rows[tables.row_of[seat, 1 if seat else 0, 1], worst] for seat in range(5)]
    assert row[1:4] == [1, 0, 1]
    assert row[0] >= 4
    assert row[4] >= 4
    assert row[0] != row[4]
    third = [WORD // 3, 2 * WORD // 3, WORD]
    assert tables.mixtures[row[0] - 4].tolist() == third
    assert tables.mixtures[row[4] - 4].tolist() == [0, WORD // 3, 2 * WORD // 3]


PLAYED = """
name = "played"
[announce]
otherwise = "stand"
[play]
lead_plain = "low"
[play.lead_trump]
rules = [{ when = "my_tricks == 1 and in_play < 4", do = "high" }]
otherwise = "random"
[play.head]
rules = [
  { when = "last and trick_no == 1", do = "high" },
  { when = "best_is_trump", do = "random" },
]
otherwise = "low"
[play.lose]
rules = [{ when = "not last", do = "random" }]
otherwise = "high"
[play.lead]
rules = [{ when = "in_play >= 3", do = "plain" }]
otherwise = "random"
"""


def test_words_of_play_are_those_of_the_first_rule_that_applies(tmp_path: Path) -> None:
    policy = written(tmp_path, PLAYED)
    play = compile_tables([policy] * 5, Rules(), 5, 3 * STAKE).play
    assert play.shape == (5, 2, 2, 17, 3, 2, 5)
    lead_trump, lead_plain, head, lose, lead = range(5)
    low, high, drawn = range(3)
    trump, plain = range(2)

    def word(kind: int, trick_no: int, last: int, in_play: int, mine: int, trumped: int) -> int:
        assert (
            play[:, trick_no - 1, last, in_play, mine, trumped, kind]
            == play[0, trick_no - 1, last, in_play, mine, trumped, kind]
        ).all()
        return int(play[0, trick_no - 1, last, in_play, mine, trumped, kind])

    assert word(lead_trump, 2, 0, 3, 1, 0) == high
    assert word(lead_trump, 2, 0, 4, 1, 0) == drawn
    assert word(lead_trump, 1, 0, 3, 0, 0) == drawn
    assert word(lead_plain, 1, 0, 3, 0, 0) == low
    assert word(head, 1, 1, 5, 0, 1) == high
    assert word(head, 2, 1, 5, 0, 1) == drawn
    assert word(head, 2, 1, 5, 0, 0) == low
    assert word(lose, 1, 0, 5, 0, 0) == drawn
    assert word(lose, 1, 1, 5, 0, 0) == high
    assert word(lead, 1, 0, 3, 0, 0) == plain
    assert word(lead, 1, 0, 2, 0, 0) == drawn
    assert list(PLAY_WORDS["lead"]).index("trump") == trump


@pytest.mark.parametrize("name", [*builtin_names(), "played"])
def test_interpreter_plays_the_words_of_the_table(name: str, tmp_path: Path) -> None:
    """Follow the play table by the text of docs/architecture.md, and see the player do the same."""
    policy = written(tmp_path, PLAYED) if name == "played" else load_policy(name)
    play = compile_tables([policy] * 5, Rules(), 5, 3 * STAKE).play[0]
    draw = random.Random(name)
    cards = [Card(rank, suit) for suit in "cdhs" for rank in range(2, 15)]
    for _ in range(1500):
        trick_no = draw.choice((1, 2))
        in_play = draw.randint(2, 16)
        position = draw.randrange(in_play)
        mine = trick_no - 1 if position == 0 else 0
        hand = draw.sample(cards, 4 - trick_no)
        best = None if position == 0 else draw.choice([c for c in cards if c not in hand])
        trump = draw.choice("cdhs")
        preference = (tuple(draw.sample(range(3), 3)), tuple(draw.sample(range(2), 2)))

        def beats(card: Card, best: Card | None = best, trump: str = trump) -> bool:
            return best is not None and (
                (card.suit == best.suit and card.rank > best.rank)
                or (card.suit == trump and best.suit != trump)
            )

        legal = hand if best is None else [card for card in hand if beats(card)] or hand
        turn = Turn(0, trick_no, in_play, mine, position, trump, best)
        words = play[
            trick_no - 1,
            int(position == in_play - 1),
            in_play,
            mine,
            int(best is not None and best.suit == trump),
        ]
        by_preference = [hand[place] for place in preference[trick_no - 1]]
        if best is None:
            by_suit = {card.suit == trump for card in legal}
            pool = legal
            if len(by_suit) == 2:
                if words[4] < 2:
                    pool = [c for c in legal if (c.suit == trump) == (words[4] == 0)]
                    word = words[0] if words[4] == 0 else words[1]
                else:
                    word = 2
            else:
                word = words[0] if True in by_suit else words[1]
        else:
            pool = legal
            word = words[2] if beats(legal[0]) else words[3]
        in_order = sorted(pool, key=lambda c: (c.suit == trump, c.rank, "cdhs".index(c.suit)))
        expected = {
            0: in_order[0],
            1: in_order[-1],
            2: next(c for c in by_preference if c in pool),
        }[int(word)]
        player = PolicyPlayer(policy, Choices(0, preference))
        assert player.play(turn, hand, legal) == expected


def test_announcements_are_drawn_by_the_word(tmp_path: Path) -> None:
    """Chances fold 1/4, stand 1/2, miss 1/4: a word just below each threshold, and at it."""
    policy = written(
        tmp_path,
        """
name = "quarters"
[announce]
rules = [
  { when = "trumps == 0", do = "fold", chance = 0.25 },
  { when = "miss_free and trumps == 0", do = "miss", chance = 0.3333333333333333 },
]
otherwise = "stand"
""",
    )
    situation = Situation(Rules(), 5, 0, 0, True, 3 * STAKE)
    hand, turn_up = parse_cards("2h3h4h"), Card.parse("2s")
    said = chances(policy, situation, hand, turn_up)
    assert said["fold"] == Fraction(1, 4)
    assert said["miss"] == Fraction(3, 4) * Fraction(3333333333333333, 10**16)
    stood = int((said["fold"] + said["stand"]) * WORD)
    for word, action in [
        (0, "fold"),
        (WORD // 4 - 1, "fold"),
        (WORD // 4, "stand"),
        (stood - 1, "stand"),
        (stood, "miss"),
        (WORD - 1, "miss"),
    ]:
        player = PolicyPlayer(policy, Choices(word, ORDER))
        assert player.announce(situation, hand, turn_up) == action


TABLE_ROW = {
    "players": 5,
    "pot": 3.0,
    "seat": 0,
    "standers": 0,
    "miss_free": True,
    "hand": "As7sKh",
    "fold": 0.0,
    "stand": 1.0,
    "miss": 0.0,
    "defend": 0.0,
}


def tabular(folder: Path, rows: list[dict[str, object]], otherwise: str = "fold") -> Policy:
    pd.DataFrame([TABLE_ROW | row for row in rows]).to_parquet(folder / "table.parquet")
    return written(
        folder,
        f'name = "tabular"\n[announce]\ntable = "table.parquet"\notherwise = "{otherwise}"\n',
    )


def test_a_table_speaks_where_it_knows_the_situation_and_the_hand(tmp_path: Path) -> None:
    policy = tabular(
        tmp_path,
        [
            {},
            {"hand": "3s2hAd", "fold": 0.5, "stand": 0.2, "miss": 0.3} | {"hand": "3sAh2d"},
            {"pot": 9.0, "stand": 0.0, "miss": 1.0},
            {"seat": 4, "standers": 1, "fold": 0.1, "stand": 0.5, "defend": 0.4},
        ],
    )

    def said(hand: str, turn_up: str, pot: float, **where: int) -> dict[str, Fraction]:
        situation = Situation(
            Rules(),
            where.get("players", 5),
            where.get("seat", 0),
            where.get("standers", 0),
            True,
            int(pot * STAKE),
        )
        given = chances(policy, situation, parse_cards(hand), Card.parse(turn_up))
        return {action: chance for action, chance in given.items() if chance}

    assert said("As7sKh", "2s", 3) == {"stand": 1}
    # Diamonds trumps, the ace turned up: the king is the best live trump, and the six the fifth
    # from below (2 3 4 5 6), as the seven of As7sKh is with the two turned up (3 4 5 6 7).
    assert said("Kd6dKc", "Ad", 3) == {"stand": 1}
    assert said("3sAh2d", "2s", 3) == {
        "fold": Fraction(1, 2),
        "stand": Fraction(1, 5),
        "miss": Fraction(3, 10),
    }
    assert said("3sAh3d", "2s", 3) == {"fold": 1}  # a hand that the table does not know
    assert said("As7sKh", "2s", 5.9) == {"stand": 1}  # nearer to 3 than to 9
    assert said("As7sKh", "2s", 6.0) == {"stand": 1}  # as near: the lower
    assert said("As7sKh", "2s", 6.1) == {"miss": 1}
    assert said("As7sKh", "2s", 500) == {"miss": 1}
    assert said("As7sKh", "2s", 3, seat=1) == {"fold": 1}
    assert said("As7sKh", "2s", 3, players=6) == {"fold": 1}
    # The dealer may not fold here: that share goes to `otherwise`, so he defends.
    assert said("As7sKh", "2s", 3, seat=4, standers=1) == {
        "stand": Fraction(1, 2),
        "defend": Fraction(1, 2),
    }
    for pot in (3, 9):
        assert_agree(policy, Rules(), 5, pot * STAKE, every=50, spread=False)
    assert_agree(policy, Rules(dealer_may_fold=True), 5, 3 * STAKE, every=10)


def test_a_table_may_be_asked_with_the_short_pack(tmp_path: Path) -> None:
    policy = tabular(tmp_path, [{"hand": "As9sKh"}, {"hand": "8s8h7h", "miss": 1, "stand": 0}])
    rules = Rules(deck=32)
    situation = Situation(rules, 5, 0, 0, True, 3 * STAKE)
    assert chances(policy, situation, parse_cards("As9sKh"), Card.parse("7s"))["stand"] == 1
    assert chances(policy, situation, parse_cards("8c8d7d"), Card.parse("7c"))["miss"] == 1
    assert_agree(policy, rules, 5, 3 * STAKE, every=4, spread=False)


def test_few_mixtures_stay_exact(tmp_path: Path) -> None:
    policy = tabular(tmp_path, [{"fold": 0.123456, "stand": 0.876544}])
    situation = Situation(Rules(), 5, 0, 0, True, 3 * STAKE)
    said = chances(policy, situation, parse_cards("As7sKh"), Card.parse("2s"))
    assert said["fold"] == Fraction(123456, 10**6)


def test_many_mixtures_are_rounded_to_twentieths(tmp_path: Path) -> None:
    names = hand_classes().names[:1000]
    rows = [
        {"hand": name, "fold": i / 1000, "stand": (1000 - i) / 1000, "miss": 0.0}
        for i, name in enumerate(names)
    ]
    policy = tabular(tmp_path, rows)
    assert policy.table is not None
    assert len(policy.table.mixtures) == 21  # 0/20, 1/20, ..., 20/20
    situation = Situation(Rules(), 5, 0, 0, True, 3 * STAKE)
    for i in (0, 3, 260, 333, 999):
        said = chances(policy, situation, parse_cards(names[i]), Card.parse("2s"))
        # The larger remainder wins: i/1000 = 0.333 is 6.66 twentieths, so 7; 0.26 is 5.2, so 5.
        assert said["fold"] == Fraction({0: 0, 3: 0, 260: 5, 333: 7, 999: 20}[i], 20)
        assert sum(said.values()) == 1
    assert_agree(policy, Rules(), 5, 3 * STAKE, every=7)


def test_a_table_that_mixes_everything_still_fits(tmp_path: Path) -> None:
    """Random chances of three actions, in the first seat and the dealer's: tenths are needed."""
    draw = np.random.default_rng(5)
    names = hand_classes().names
    weights = draw.dirichlet((1, 1, 1), size=2 * len(names))
    rows = [
        {"hand": name, "fold": a, "stand": b, "miss": c}
        for name, (a, b, c) in zip(names, weights[: len(names)], strict=True)
    ] + [
        {"hand": name, "seat": 4, "standers": 1, "stand": a, "miss": b, "defend": c}
        for name, (a, b, c) in zip(names, weights[len(names) :], strict=True)
    ]
    policy = tabular(tmp_path, rows)
    assert policy.table is not None
    assert {chance.denominator for chances_ in policy.table.mixtures for chance in chances_} == {
        1,
        2,
        5,
        10,
    }
    tables = compile_tables([policy] * 5, Rules(), 5, 3 * STAKE)
    assert len(tables.mixtures) <= 252


def test_policies_that_need_too_many_mixtures_together_are_refused(tmp_path: Path) -> None:
    policies = []
    for part in range(2):
        folder = tmp_path / str(part)
        folder.mkdir()
        names = hand_classes().names[:200]
        rows = [
            {
                "hand": name,
                "seat": part,
                "fold": (i + part / 2 + 0.25) / 200,
                "stand": 1 - (i + part / 2 + 0.25) / 200,
            }
            for i, name in enumerate(names)
        ]
        policies.append(tabular(folder, rows))
    seats = [policies[0], policies[1], *[load_policy("trumps")] * 3]
    with pytest.raises(InputError, match="more than 252 different sets of chances"):
        compile_tables(seats, Rules(), 5, 3 * STAKE)


def test_tables_are_compared_by_what_they_say(tmp_path: Path) -> None:
    one, other = (tabular(tmp_path, [{}]) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != tabular(tmp_path, [{"fold": 0.5, "stand": 0.5}])
