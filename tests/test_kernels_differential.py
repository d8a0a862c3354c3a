"""Kernels and referee agree on every field of random deals.

Deals are spread over all presets, all numbers of players, all built-in policies, mixed and custom
ones, and house rules drawn at random. Most seats of the referee act on compiled tables; in every
twentieth deal they walk their policies rule by rule instead.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from kernel_deals import CUSTOM, SMALL, counts_of, deals_of, differing, referee_deal, seats
from table_player import Lookup, table_players

from loo_sim.draws import deal_cards
from loo_sim.kernels.counting import count_deals
from loo_sim.kernels.game import encode
from loo_sim.kernels.whole_deals import play_deals
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.parse import builtin_names
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules

DEALS = 220
"""Deals of each preset, policy and number of players."""
HOUSE_GROUPS, HOUSE_TABLES, HOUSE_DEALS = 20, 20, 170
"""Tables with house rules, and deals of each."""
FEW = 4
"""Deals of a table where the kernels run slowly."""
LONG = 49
"""Times as many deals in the long run."""
INTERPRETED = 20
"""Every so many deals the policies are walked rule by rule."""

BY_POLICY = {name: [name] for name in builtin_names()} | {
    "mixed": ["random", "trumps", "loose", "turncoat", "chancy", "pot-odds", "late-dice", "peel"]
}


def assert_agree(
    rules: Rules, players: int, pot: int, names: Sequence[str], seed: int, first: int, deals: int
) -> None:
    """Kernels and referee play the same deals, and the kernels count them right."""
    policies = seats(names, players)
    tables = compile_tables(policies, rules, players, pot)
    lookup = Lookup(tables, rules.deck)
    game = encode(rules, tables, pot)
    whole = play_deals(game, seed, first, deals)
    refereed = []
    for index, played in enumerate(deals_of(rules, pot, whole), start=first):
        if index % INTERPRETED == 0:
            expected = referee_deal(policies, rules, pot, seed, index)
        else:
            dealt = deal_cards(seed, index, players, rules.deck)
            expected = play_deal(rules, dealt, pot, table_players(lookup, players, seed, index))
        if played != expected:
            told = "\n".join(
                f"  {name}: kernels {one}\n  {' ' * len(name)}  referee {other}"
                for name, (one, other) in differing(played, expected).items()
            )
            pytest.fail(
                f"{rules}\npolicies {names}, players {players}, pot {pot} units, seed {seed}, "
                f"index {index}:\n{told}"
            )
        refereed.append(expected)
    counted, expected_counts = count_deals(game, seed, first, deals), counts_of(refereed)
    for found, wanted in zip(counted, expected_counts, strict=True):
        assert np.array_equal(found, wanted), (rules, names, players, pot, seed, first)


def assert_agree_at_every_table(preset: str, policy: str, first: int, deals: int) -> None:
    """All numbers of players under a preset, each with another pot."""
    rules = PRESETS[preset]
    dice = random.Random(f"{preset} {policy}")
    every = range(rules.min_players, rules.max_players + 1)
    for players in (every[0], 7, every[-1]) if SMALL else every:
        single = rules.single_pot(players)
        pot = dice.choice((single, single, single + dice.randrange(30 * UNITS_PER_STAKE)))
        seed = dice.randrange(2**64)
        assert_agree(rules, players, pot, BY_POLICY[policy], seed, first, deals)


def drawn_rules(dice: random.Random) -> Rules:
    """House rules that go together, every option drawn by itself."""
    rules = Rules(
        deck=dice.choice((52, 52, 32)),
        min_players=2,
        dealer_stake=dice.randint(1, 4),
        ante=dice.choice((0, 0, 1, 2)),
        loo=dice.choice((1, 3, 6, "pot")),
        defend=dice.choice(("any", "any", "lone", "never")),
        dealer_may_fold=dice.random() < 0.5,
        defend_with=dice.choice(("miss", "own")),
        first_lead=dice.choice(("any-trump", "two-trumps", "highest")),
        later_lead=dice.choice(("any-trump", "highest", "free", "free")),
        undertrump=dice.choice(("must", "optional")),
        club_law=dice.random() < 0.3,
        force_on_single=dice.random() < 0.3,
    )
    if rules.defend == "never":
        rules = replace(rules, defend_with="miss", dealer_may_fold=False)
    if rules.loo == "pot":
        rules = replace(rules, loo_cap=dice.choice((None, 2, 10)))
    return rules


def assert_agree_under_house_rules(group: int, first: int, deals: int) -> None:
    """Some tables, each with its own rules, players, pot and policies."""
    dice = random.Random(group)
    names = [*builtin_names(), "random", *CUSTOM]
    for _ in range(2 if SMALL else HOUSE_TABLES):
        rules = drawn_rules(dice)
        players = dice.randint(2, rules.max_players)
        single = rules.single_pot(players)
        pot = dice.choice((single, single + dice.randrange(1, 60 * UNITS_PER_STAKE)))
        chosen = dice.choices(names, k=dice.choice((1, 1, 2, players)))
        # Numbers of deals and seeds on both sides of the middle word of a counter.
        start = first + dice.choice((0, 2**32 - deals // 2, 2**63))
        assert_agree(rules, players, pot, chosen, dice.randrange(2**64), start, deals)


@pytest.mark.parametrize("policy", BY_POLICY)
@pytest.mark.parametrize("preset", PRESETS)
def test_presets(preset: str, policy: str) -> None:
    assert_agree_at_every_table(preset, policy, 0, FEW if SMALL else DEALS)


@pytest.mark.parametrize("group", range(HOUSE_GROUPS))
def test_house_rules(group: int) -> None:
    assert_agree_under_house_rules(group, 0, FEW if SMALL else HOUSE_DEALS)


@pytest.mark.long
@pytest.mark.parametrize("policy", BY_POLICY)
@pytest.mark.parametrize("preset", PRESETS)
def test_presets_at_length(preset: str, policy: str) -> None:
    assert_agree_at_every_table(preset, policy, DEALS, LONG * DEALS)


@pytest.mark.long
@pytest.mark.parametrize("group", range(HOUSE_GROUPS))
def test_house_rules_at_length(group: int) -> None:
    assert_agree_under_house_rules(group, HOUSE_DEALS, LONG * HOUSE_DEALS)


def test_that_is_deals_enough() -> None:
    """200,000 deals as a rule, ten million at length."""
    sizes = sum(rules.max_players - rules.min_players + 1 for rules in PRESETS.values())
    deals = sizes * len(BY_POLICY) * DEALS + HOUSE_GROUPS * HOUSE_TABLES * HOUSE_DEALS
    assert deals >= 200_000
    assert LONG * deals >= 10_000_000
