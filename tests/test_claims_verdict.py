"""The rule that makes verdicts: what each clause of it says, and what it can never say."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loo_sim.claims.told import circumstances, verdict_in_short, verdict_in_words
from loo_sim.claims.verdict import (
    DEPENDS,
    FAILS,
    HOLDS,
    OPEN,
    Case,
    judge,
    quantile_of,
    side_of,
)

FOR, AGAINST = "for", "against"
OTHER = {FOR: AGAINST, AGAINST: FOR, "open": "open"}


def cases(sides: str, **factors: list) -> list[Case]:
    """Cases of all combinations of the factors, in order, of sides f, a, o."""
    names = {"f": FOR, "a": AGAINST, "o": "open"}
    values = list(product(*factors.values()))
    assert len(values) == len(sides)
    return [
        Case(dict(zip(factors, value, strict=True)), names[side])
        for value, side in zip(values, sides, strict=True)
    ]


@pytest.mark.parametrize(
    ("low", "high", "above", "below"),
    [
        (0.6, 0.9, FOR, AGAINST),
        (0.1, 0.4, AGAINST, FOR),
        (0.4, 0.6, "open", "open"),
        (0.5, 0.6, "open", "open"),
        (0.4, 0.5, "open", "open"),
        (float("-inf"), float("inf"), "open", "open"),
    ],
)
def test_a_case_is_decided_only_by_its_whole_interval(low, high, above, below):
    assert side_of(low, high, 0.5, above=True) == above
    assert side_of(low, high, 0.5, above=False) == below


def test_intervals_are_widened_for_their_number():
    # The normal quantiles of 97.5 %, 99.5 % and 99.975 %, from a table.
    assert quantile_of(1) == pytest.approx(1.95996, abs=1e-5)
    assert quantile_of(5) == pytest.approx(2.57583, abs=1e-5)
    assert quantile_of(100) == pytest.approx(3.48076, abs=1e-5)


def test_all_decided_alike():
    assert judge(cases("ffo", pot=[3, 6, 9])).word == HOLDS
    assert judge(cases("aao", pot=[3, 6, 9])).word == FAILS


def test_half_of_the_cases_must_be_decided():
    assert judge(cases("fo", pot=[3, 6])).word == HOLDS
    assert judge(cases("foo", pot=[3, 6, 9])).word == OPEN
    assert judge(cases("ooo", pot=[3, 6, 9])).word == OPEN
    assert judge([]).word == OPEN


def test_contrary_cases_are_never_too_close_to_call():
    assert judge(cases("faoooo", pot=[1, 2, 3, 4, 5, 6])).word == DEPENDS


def test_exceptions_are_counted_among_the_decided():
    nine_of_ten = cases("fffffffffa" + "o" * 10, pot=list(range(20)))
    assert judge(nine_of_ten).word == DEPENDS
    assert judge(nine_of_ten, exceptions=0.1).word == HOLDS
    assert judge(nine_of_ten, exceptions=0.09).word == DEPENDS
    one_of_ten = [Case(case.factors, OTHER[case.side]) for case in nine_of_ten]
    assert judge(one_of_ten, exceptions=0.1).word == FAILS


def test_half_of_the_cases_must_be_decided_with_exceptions_too():
    # 11 of 31 are decided: whether one of them is against can only make less of the claim.
    assert judge(cases("f" * 11 + "o" * 20, pot=list(range(31))), exceptions=0.1).word == OPEN
    one_against = cases("a" + "f" * 10 + "o" * 20, pot=list(range(31)))
    assert judge(one_against, exceptions=0.1).word == OPEN
    assert judge(one_against[:22], exceptions=0.1).word == HOLDS
    assert judge(one_against, exceptions=0.05).word == DEPENDS


def test_one_factor_is_enough():
    verdict = judge(cases("affaff", players=[5, 8], pot=[3, 9, 30]))
    assert (verdict.word, verdict.on, verdict.and_more) == (DEPENDS, ("pot",), False)
    assert verdict.holds_with == ((9,), (30,))
    assert verdict.fails_with == ((3,),)
    assert verdict_in_words(verdict) == ("depends on the pot: holds for pot 9, 30; fails for pot 3")
    assert verdict_in_short(verdict.word, verdict.on) == "depends on the pot"


def test_two_factors_where_one_is_not_enough():
    # For a large pot with few, against a small one with many: neither alone tells.
    verdict = judge(cases("affaaf", players=[5, 8], pot=[3, 9, 30]))
    assert (verdict.on, verdict.and_more) == (("players", "pot"), False)
    assert verdict.fails_with == ((5, 3), (8, 3), (8, 9))
    assert verdict_in_words(verdict) == (
        "depends on the number of players and the pot: holds for 5 players (pot 9, 30) and "
        "8 players (pot 30); fails for 5 players (pot 3) and 8 players (pot 3, 9)"
    )


def test_what_no_two_factors_tell_depends_on_more():
    # Parity of three circumstances: any two leave half of the cases on the wrong side.
    sides = "".join("fa"[(a + b + c) % 2] for a, b, c in product((0, 1), repeat=3))
    verdict = judge(cases(sides, players=[5, 8], pot=[3, 9], seat=[0, 1]))
    assert verdict.word == DEPENDS
    assert verdict.on == () or verdict.and_more


def test_a_stray_among_many_does_not_hide_what_it_depends_on():
    sides = "f" * 40 + "a" * 39 + "f"
    verdict = judge(cases(sides, pot=[3, 9], seat=list(range(40))))
    assert (verdict.on, verdict.and_more) == (("pot",), False)


def test_a_factor_that_tells_nothing_apart_is_never_named():
    # Two of fifty are against, scattered: to name the players would say nothing.
    sides = list("f" * 50)
    sides[7] = sides[31] = "a"
    verdict = judge(cases("".join(sides), players=[5, 8], seat=list(range(25))))
    assert verdict.word == DEPENDS
    assert verdict.on != ("players",)


def test_where_a_claim_mostly_holds_it_is_told_where_least():
    # Against are 2 of the 5 with 8 players and a pot of 3, and 1 of 5 with 5 and that pot.
    found = [
        case
        for sides, players, pot in (
            *(("aafff", 8, 3), ("fffff", 8, 9)),
            *(("affff", 5, 3), ("fffff", 5, 9)),
        )
        for side in sides
        for case in cases(side, players=[players], pot=[pot])
    ]
    verdict = judge(found)
    assert (verdict.word, verdict.on, verdict.fails_with) == (DEPENDS, ("players", "pot"), ())
    assert verdict_in_words(verdict) == (
        "depends on the number of players and the pot, and more: holds in 17 of 20 decided cases, "
        "least often for 8 players (pot 3), 3 of 5"
    )


def test_groups_that_are_divided_evenly_are_told_on_neither_side():
    found = [*cases("ffa", pot=[3, 3, 9]), *cases("af", pot=[6, 6])]
    verdict = judge(found)
    assert (verdict.on, verdict.and_more) == (("pot",), True)
    assert (verdict.holds_with, verdict.fails_with) == (((3,),), ((9,),))


def test_words_of_circumstances():
    told = circumstances({"rules.preset": "peel", "policies": "trumps", "players": 5, "seat": ""})
    assert told == "rules peel, against trumps, 5 players"


factors = st.fixed_dictionaries(
    {"pot": st.sampled_from([3, 9, 30]), "players": st.sampled_from([5, 8])}
)
some_cases = st.lists(st.tuples(factors, st.sampled_from([FOR, AGAINST, "open"])), max_size=30)


@given(some_cases)
def test_the_contrary_claim_has_the_contrary_verdict(found):
    claimed = judge([Case(*case) for case in found])
    contrary = judge([Case(factors, OTHER[side]) for factors, side in found])
    expected = {HOLDS: FAILS, FAILS: HOLDS}.get(claimed.word, claimed.word)
    assert contrary.word == expected
    assert contrary.on == claimed.on


@given(some_cases, st.sampled_from([0.0, 0.1, 0.3, 0.5]))
def test_a_case_that_turns_against_a_claim_never_makes_it_hold(found, exceptions):
    before = judge([Case(*case) for case in found], exceptions).word
    for place, (factors, side) in enumerate(found):
        if side == FOR:
            turned = [*found[:place], (factors, AGAINST), *found[place + 1 :]]
            after = judge([Case(*case) for case in turned], exceptions).word
            assert after != HOLDS or before == HOLDS


@given(some_cases)
def test_holds_and_fails_are_never_said_against_a_decided_case(found):
    verdict = judge([Case(*case) for case in found])
    sides = [side for _, side in found]
    if verdict.word == HOLDS:
        assert AGAINST not in sides
        assert FOR in sides
    if verdict.word == FAILS:
        assert FOR not in sides
        assert AGAINST in sides
