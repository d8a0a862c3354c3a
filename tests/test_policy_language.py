"""The language of `when`: what each name means, how conditions are read, what is refused."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loo_sim.cards import Card, hand_classes, parse_cards
from loo_sim.policies.features import hand_columns, situations, turn_columns
from loo_sim.policies.language import (
    ANNOUNCE_NAMES,
    MOST_CHARACTERS,
    MOST_NESTED,
    PLAY_NAMES,
    LanguageError,
    parse,
)
from loo_sim.policies.player import announce_values
from loo_sim.policies.tree import Kind, evaluate
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.views import Situation

STAKE = UNITS_PER_STAKE


def seen(
    hand: str,
    turn_up: str,
    rules: Rules | None = None,
    players: int = 6,
    seat: int = 3,
    standers: int = 1,
    miss_free: bool = True,
    pot: int = 9 * STAKE,
) -> dict[str, float | bool]:
    situation = Situation(rules or Rules(), players, seat, standers, miss_free, pot)
    return announce_values(situation, parse_cards(hand), Card.parse(turn_up))


HAND_CASES = [
    # hand, turn-up, deck: trumps, over_best, over_second, high, middle, low, plain_suits
    ("As7sKh", "2s", 52, (2, 0, 7, 13, 0, 0, 1)),  # above the 7: 8 9 T J Q K A
    ("As7sKh", "Ts", 52, (2, 0, 6, 13, 0, 0, 1)),  # the ten is turned up, so one fewer
    ("Ks3s2s", "As", 52, (3, 0, 10, 0, 0, 0, 0)),  # the king is the best live; 4 to K above the 3
    ("Ks3s2s", "4s", 52, (3, 1, 10, 0, 0, 0, 0)),  # above the 3: 5 to A
    ("5d5c5h", "9s", 52, (0, 12, 12, 5, 5, 5, 3)),  # no trump: all twelve live ones are above
    ("2sAhKh", "3s", 52, (1, 11, 12, 14, 13, 0, 1)),
    ("2sKdAh", "3s", 52, (1, 11, 12, 14, 13, 0, 2)),
    ("2hJcTc", "Qd", 52, (0, 12, 12, 11, 10, 2, 2)),
    ("8s9sKh", "7s", 32, (2, 5, 6, 13, 0, 0, 1)),  # above the 9: T J Q K A
    ("8h9dKh", "7s", 32, (0, 7, 7, 13, 9, 8, 2)),
]
HAND_NAMES = ("trumps", "over_best", "over_second", "high", "middle", "low", "plain_suits")


@pytest.mark.parametrize(("hand", "turn_up", "deck", "expected"), HAND_CASES)
def test_names_that_speak_of_the_hand(
    hand: str, turn_up: str, deck: int, expected: tuple[int, ...]
) -> None:
    values = seen(hand, turn_up, Rules(deck=deck))
    assert tuple(values[name] for name in HAND_NAMES) == expected


@pytest.mark.parametrize(
    ("deck", "name", "expected"),
    [
        (52, "As7sKh", (2, 0, 7, 13, 0, 0, 1)),
        (52, "5h5d5c", (0, 12, 12, 5, 5, 5, 3)),
        (52, "3sAhKh", (1, 11, 12, 14, 13, 0, 1)),
        (32, "9s8sKh", (2, 5, 6, 13, 0, 0, 1)),
        (32, "Kh9d8h", (0, 7, 7, 13, 9, 8, 2)),
        (12, "AsKsQh", (2, 0, 1, 12, 0, 0, 1)),
        (12, "AhQhQd", (0, 2, 2, 14, 12, 12, 2)),
    ],
)
def test_names_that_speak_of_the_hand_by_class(
    deck: int, name: str, expected: tuple[int, ...]
) -> None:
    number = hand_classes(deck).names.index(name)
    assert tuple(hand_columns(deck)[column][number] for column in HAND_NAMES) == expected


def test_names_that_speak_of_the_situation() -> None:
    values = seen("As7sKh", "2s", players=8, seat=5, standers=2, miss_free=False)
    assert values["seat"] == 5
    assert values["to_act"] == 2  # seats 6 and 7
    assert values["players"] == 8
    assert values["dealer"] is False
    assert values["standers"] == 2
    assert values["folded"] == 3  # five before, of whom two are in
    assert values["miss_free"] is False
    last = seen("As7sKh", "2s", players=8, seat=7, standers=2)
    assert (last["to_act"], last["dealer"], last["folded"]) == (0, True, 5)
    assert last["miss_free"] is True


@pytest.mark.parametrize(
    ("rules", "pot", "expected"),
    [
        (Rules(), 9 * STAKE, (9, 3, 3)),
        (PRESETS["peel"], 4 * STAKE, (4, 4 / 3, 6)),
        (Rules(), 3 * STAKE + 243, (3 + 1 / 3, (3 + 1 / 3) / 3, 3)),
        (Rules(loo="pot"), 12 * STAKE, (12, 4, 12)),
        (Rules(loo="pot", loo_cap=8), 12 * STAKE, (12, 4, 8)),
        (Rules(loo="pot", loo_cap=8), 5 * STAKE, (5, 5 / 3, 5)),
    ],
)
def test_names_that_speak_of_money(
    rules: Rules, pot: int, expected: tuple[float, float, float]
) -> None:
    values = seen("As7sKh", "2s", rules, pot=pot)
    assert tuple(values[name] for name in ("pot", "trick", "loo")) == pytest.approx(
        expected, rel=1e-15
    )


def test_every_name_is_known_to_the_interpreter() -> None:
    assert set(seen("As7sKh", "2s")) == set(ANNOUNCE_NAMES)
    for is_leader in (True, False):
        assert set(turn_columns(is_leader)) == set(PLAY_NAMES)


def test_situations_of_three_players() -> None:
    assert sorted(situations(3)) == sorted(
        [(0, 0, True), (1, 0, True), (1, 1, False), (1, 1, True)]
        + [(2, standers, free) for standers in (1, 2) for free in (False, True)]
    )


def test_turns_of_leaders_and_followers() -> None:
    def turns(is_leader: bool) -> set[tuple[float, ...]]:
        columns = turn_columns(is_leader)
        return set(zip(*(columns[name].tolist() for name in PLAY_NAMES), strict=True))

    # A leader is never last and sees no best card; he has won the trick before.
    assert {turn[:1] + turn[3:4] for turn in turns(True)} == {(1, 0), (2, 1), (3, 1), (3, 2)}
    assert not any(turn[1] or turn[4] for turn in turns(True))
    # A follower has won no trick that the leader won.
    assert {turn[:1] + turn[3:4] for turn in turns(False)} == {(1, 0), (2, 0), (3, 0), (3, 1)}
    assert {turn[1] for turn in turns(False) if turn[2] == 2} == {True}
    assert {turn[2] for turn in turns(True)} == set(range(2, 17))


VALUES = {
    "trumps": 2.0, "over_best": 0.0, "over_second": 7.0, "high": 13.0, "middle": 0.0, "low": 0.0,
    "plain_suits": 1.0, "seat": 3.0, "to_act": 2.0, "players": 6.0, "dealer": False,
    "standers": 1.0, "folded": 2.0, "miss_free": True, "pot": 9.0, "trick": 3.0, "loo": 3.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("trumps >= 2", True),
        ("trumps > 2", False),
        ("trumps < 2 or high == 13", True),
        ("trumps != 2", False),
        ("trumps <= 2", True),
        ("not miss_free", False),
        ("not dealer and miss_free", True),
        ("not (dealer or miss_free)", False),
        ("true or false and false", True),  # `and` binds tighter
        ("(true or false) and false", False),
        ("not false and false", False),  # `not` binds tighter than `and`
        ("not seat == 2", True),  # but looser than a comparison
        ("1 < trumps < 3", True),
        ("1 < trumps < 2", False),
        ("seat > standers < trumps", True),
        ("2 + 3 * 2 == 8", True),
        ("(2 + 3) * 2 == 10", True),
        ("8 - 3 - 2 == 3", True),  # from the left
        ("8 / 4 / 2 == 1", True),
        ("8 / 4 * 2 == 4", True),
        ("-2 + 3 == 1", True),
        ("2 - -3 == 5", True),
        ("-seat < --standers", True),
        ("0.5 * seat == 1.5", True),
        ("trick == pot / 3", True),
        ("loo / 2 <= trick", True),
        ("dealer == (seat == 5)", True),
        ("miss_free != dealer", True),
        ("0.1 + 0.2 == 0.3", False),  # doubles, as IEEE 754 has them
        ("1 / over_best > 1000", True),
        ("over_best / over_best == 0", False),
        ("0\n<\tseat", True),
    ],
)
def test_conditions_mean_what_they_say(text: str, expected: bool) -> None:
    assert bool(evaluate(parse(text, ANNOUNCE_NAMES), VALUES)) is expected


@pytest.mark.parametrize(
    ("names", "text", "message"),
    [
        ("announce", "trump >= 2", "column 1: unknown name 'trump' (did you mean 'trumps'?)"),
        ("announce", "seat > Pot", "column 8: unknown name 'Pot' (did you mean 'pot'?)"),
        ("play", "zzz", "column 1: unknown name 'zzz' (one of: trick_no, last, in_play, my_tricks, "
                        "best_is_trump)"),
        ("play", "trick_no == 1 and trumps > 1",
         "column 19: 'trumps' is known only under [announce] (here: trick_no, last, in_play, "
         "my_tricks, best_is_trump)"),
        ("announce", "last", "column 1: 'last' is known only under [play] (here: "
                             + ", ".join(ANNOUNCE_NAMES) + ")"),
        ("announce", "trumps = 2", "column 8: '=' is no operator (write '==')"),
        ("announce", "trumps => 2", "column 8: '=>' is no operator (write '>=')"),
        ("announce", "dealer && miss_free", "column 8: '&&' is no operator (write 'and')"),
        ("announce", "!dealer", "column 1: '!' is no operator (write 'not')"),
        ("announce", "dealer AND miss_free",
         "column 8: 'AND' stands where an operator or the end should be (write 'and')"),
        ("announce", "", "column 1: the condition ends where a number, a name or '(' should be"),
        ("announce", "trumps >", "column 9: the condition ends where a number, a name or '(' "
                                 "should be"),
        ("announce", "(trumps > 1", "column 12: the condition ends where ')' or an operator "
                                    "should be"),
        ("announce", "trumps > 1)", "column 11: ')' stands where an operator or the end should be"),
        ("announce", "trumps 2", "column 8: '2' stands where an operator or the end should be"),
        ("announce", "trumps", "column 1: 'trumps' is a number, not a condition (compare it with "
                               "something, as in pot >= 6)"),
        ("announce", "dealer == 1",
         "column 1: '1' is a number and 'dealer' is true or false: they cannot be compared"),
        ("announce", "seat == 1 == dealer",
         "column 9: '1' is a number and 'dealer' is true or false: they cannot be compared"),
        ("announce", "dealer < miss_free",
         "column 1: 'dealer' is true or false, but '<' takes numbers"),
        ("announce", "1 + dealer > 1",
         "column 5: 'dealer' is true or false, but '+' takes numbers"),
        ("announce", "-dealer", "column 2: 'dealer' is true or false, but '-' takes numbers"),
        ("announce", "not seat", "column 5: 'seat' is a number, but 'not' takes what is true or "
                                 "false (compare it with something, as in pot >= 6)"),
        ("announce", "dealer and seat",
         "column 12: 'seat' is a number, but 'and' takes what is true or "
         "false (compare it with something, as in pot >= 6)"),
        ("announce", "seat or dealer", "column 1: 'seat' is a number, but 'or' takes what is "
                                       "true or false (compare it with something, as in pot >= 6)"),
        ("announce", "pot > 1.2.3", "column 7: no such number (as in 2 or 0.5)"),
        ("announce", "pot > 3x", "column 7: no such number (as in 2 or 0.5)"),
        ("announce", "pot > $3", "column 7: '$' means nothing here"),
        ("announce", "__import__('os')", "column 1: unknown name '__import__' (one of: "
                                         + ", ".join(ANNOUNCE_NAMES) + ")"),
        ("announce", "seat.real > 1", "column 5: '.' means nothing here"),
        ("announce", "pot > 1" + "0" * 400, "column 7: the number is too large"),
        ("announce", "(" * 31 + "true" + ")" * 31,
         "column 32: nested more than 30 deep (make several rules of it)"),
        ("announce", "pot > 1 or " * 91 + "pot > 1",
         "column 1001: the condition is longer than 1000 characters (make several rules of it, "
         "or a table)"),
    ],
)  # fmt: skip
def test_wrong_conditions(names: str, text: str, message: str) -> None:
    known = ANNOUNCE_NAMES if names == "announce" else PLAY_NAMES
    with pytest.raises(LanguageError) as caught:
        parse(text, known)
    assert str(caught.value) == message


def test_the_limits_themselves_are_legal() -> None:
    nested = "(" * MOST_NESTED + "seat == 0" + ")" * MOST_NESTED
    assert parse(nested, ANNOUNCE_NAMES) == parse("seat == 0", ANNOUNCE_NAMES)
    longest = "seat == 250 +  1" + " - 1" * 246
    assert len(longest) == MOST_CHARACTERS
    values = VALUES | {"seat": 250.0 + 1 - 246}
    assert evaluate(parse(longest, ANNOUNCE_NAMES), values) is True


OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
             "==": operator.eq, "!=": operator.ne}  # fmt: skip
NUMBER_NAMES = sorted(name for name, kind in ANNOUNCE_NAMES.items() if kind == "number")


# Expressions are drawn as Python source, which means the same wherever this language allows it, so
# that Python itself says what they should come to.
numbers = st.recursive(
    st.sampled_from(NUMBER_NAMES) | st.sampled_from(["0", "1", "2", "3.5", "10", "0.25"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(" ".join).map("({})".format)
        | inner.map("-{}".format)
        | st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(" ".join)
    ),
    max_leaves=5,
)
comparisons = st.tuples(numbers, st.sampled_from(sorted(OPERATORS)), numbers).map(" ".join)
chains = st.tuples(comparisons, st.sampled_from(sorted(OPERATORS)), numbers).map(" ".join)
truths = st.recursive(
    comparisons | chains | st.sampled_from(["dealer", "miss_free", "true", "false"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join)
        | inner.map("({})".format)
        | inner.map("not ({})".format)
        | inner.map("not {}".format)
    ),
    max_leaves=6,
)


@given(truths)
@settings(max_examples=250, deadline=None)
def test_random_conditions_mean_what_python_says(text: str) -> None:
    node = parse(text, ANNOUNCE_NAMES)
    expected = eval(text, {}, VALUES | {"true": True, "false": False})
    assert bool(evaluate(node, VALUES)) is expected


@given(truths)
@settings(max_examples=250, deadline=None)
def test_random_conditions_print_and_parse_to_themselves(text: str) -> None:
    node = parse(text, ANNOUNCE_NAMES)
    assert parse(str(node), ANNOUNCE_NAMES) == node


@given(truths)
@settings(max_examples=60, deadline=None)
def test_arrays_and_single_values_agree(text: str) -> None:
    node = parse(text, ANNOUNCE_NAMES)
    rows = [
        VALUES | {"trumps": trumps, "high": high, "dealer": dealer, "pot": pot}
        for trumps, high, dealer, pot in itertools.product(
            (0.0, 3.0), (0.0, 9.0), (False, True), (3.0, 10.5)
        )
    ]
    arrays = {name: np.array([row[name] for row in rows]) for name in VALUES}
    together = np.broadcast_to(evaluate(node, arrays), len(rows))
    assert together.tolist() == [evaluate(node, row) for row in rows]


GARBAGE = st.text() | st.lists(
    st.sampled_from(
        [*ANNOUNCE_NAMES, "last", "and", "or", "not", "true", "(", ")", "<", ">=", "==", "-", "+",
         "*", "/", "1", "0.5", "=", "&&", ".", "'", "#", "\n", "AND", "²", "é"]
    ),
    max_size=30,
).map(" ".join)  # fmt: skip


@given(GARBAGE, st.sampled_from([ANNOUNCE_NAMES, PLAY_NAMES]))
@settings(max_examples=400, deadline=None)
def test_garbage_raises_the_language_error_and_nothing_else(
    text: str, names: Mapping[str, Kind]
) -> None:
    try:
        node = parse(text, names)
    except LanguageError as error:
        column = error.column
    else:
        assert node.kind == "truth"
        column = 1
    assert 1 <= column <= len(text) + 1
