"""Hypothesis looks for deals in which kernels and referee part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kernel_deals import SMALL, deals_of, differing, game_of, play_given, policy
from strategies import Case, cases, deals_of_cards, defended_cases, play_case, seat_draws

from loo_sim.draws import WORD
from loo_sim.rules import PRESETS, UNITS_PER_STAKE

MORE = 5
"""Deals at most that an example adds to its first, at the same table."""


def looked_for(examples: int) -> settings:
    return settings(
        max_examples=examples // 20 if SMALL else examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@st.composite
def at_one_table(draw: st.DrawFn, first: st.SearchStrategy[Case]) -> list[Case]:
    """A case, and others of other cards and choices under the same rules."""
    case = draw(first)
    seats = case.players
    others = draw(
        st.lists(
            st.tuples(
                deals_of_cards(seats, case.rules.deck),
                st.lists(seat_draws(), min_size=seats, max_size=seats),
            ),
            max_size=MORE,
        )
    )
    more = [replace(case, dealt=dealt, choices=tuple(choices)) for dealt, choices in others]
    return [case, *more]


@st.composite
def full_tables(draw: st.DrawFn) -> Case:
    """Sixteen players, every card dealt, most of them in."""
    rules = draw(st.sampled_from(list(PRESETS.values())))
    pot = rules.single_pot(16) + draw(st.integers(0, 9)) * UNITS_PER_STAKE
    fold = st.builds(lambda choices: choices._replace(announce=0), seat_draws())
    stand = st.builds(lambda choices: choices._replace(announce=WORD // 2), seat_draws())
    seats = st.one_of(stand, stand, fold, seat_draws())
    choices = draw(st.lists(seats, min_size=16, max_size=16))
    return Case(rules, pot, draw(deals_of_cards(16, rules.deck)), tuple(choices))


def assert_alike(found: Sequence[Case]) -> None:
    """The kernels play these cases, all of one table, as the referee does."""
    rules, pot, players = found[0].rules, found[0].pot, found[0].players
    game = game_of([policy("random")] * players, rules, players, pot)
    whole = play_given(
        game, rules, [case.dealt for case in found], [case.choices for case in found]
    )
    for case, deal in zip(found, deals_of(rules, pot, whole), strict=True):
        expected = play_case(case)
        assert deal == expected, (case, differing(deal, expected))


@looked_for(400)
@given(at_one_table(cases()))
def test_any_case(found: list[Case]) -> None:
    assert_alike(found)


@looked_for(200)
@given(at_one_table(defended_cases()))
def test_a_lone_player_against_a_defended_miss(found: list[Case]) -> None:
    assert_alike(found)


@looked_for(80)
@given(at_one_table(full_tables()))
def test_sixteen_players(found: list[Case]) -> None:
    assert_alike(found)
