"""Plays deals that are hard on every rule in the kernels and in the referee; tells of a difference.

Run as a script: exit code 0 if all agree, `FOUND` at the first difference.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from kernel_deals import counts_of, deals_of, seats
from table_player import Lookup, table_players
from test_kernels_announcements import cells_of, no_counts

from loo_sim.draws import deal_cards
from loo_sim.kernels.counting import count_announcements, count_deals
from loo_sim.kernels.game import encode
from loo_sim.kernels.whole_deals import play_deals
from loo_sim.policies.compile import compile_tables
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules

FOUND = 17
SEED = 91
ODD = 4 * UNITS_PER_STAKE + 2
"""Units beyond the single pot: no third comes out."""

OWN = replace(
    PRESETS["standard"],
    min_players=3,
    deck=32,
    loo=1,
    defend_with="own",
    first_lead="highest",
    later_lead="free",
)
TABLES: list[tuple[Rules, int, int, list[str], int]] = [
    (PRESETS["standard"], 5, ODD, ["random"], 60),
    (PRESETS["peel"], 4, ODD, ["random"], 60),
    (PRESETS["enquire"], 5, ODD, ["turncoat"], 60),
    (PRESETS["classic"], 3, ODD, ["random", "turncoat"], 60),
    (PRESETS["unlimited"], 5, ODD, ["turncoat", "trumps"], 60),
    (PRESETS["club"], 5, ODD, ["random"], 60),
    (PRESETS["enquire"], 4, 0, ["random"], 30),
    (OWN, 5, ODD, ["random"], 60),
    (PRESETS["standard"], 5, 0, ["tight"], 60),
    (PRESETS["peel"], 12, ODD, ["always-stand"], 20),
    (OWN, 5, ODD, ["late-dice", "chancy"], 60),
]
"""Rules, players, units beyond the single pot, policies in turn, deals."""


def differs(rules: Rules, players: int, pot: int, names: Sequence[str], deals: int) -> bool:
    """Whether kernels and referee part in any deal, count, or alternative."""
    tables = compile_tables(seats(names, players), rules, players, pot)
    lookup = Lookup(tables, rules.deck)
    game = encode(rules, tables, pot)
    dealt = [deal_cards(SEED, index, players, rules.deck) for index in range(deals)]
    at_table = [table_players(lookup, players, SEED, index) for index in range(deals)]
    expected = [
        play_deal(rules, cards, pot, sitting)
        for cards, sitting in zip(dealt, at_table, strict=True)
    ]
    try:
        if list(deals_of(rules, pot, play_deals(game, SEED, 0, deals))) != expected:
            return True
    except (KeyError, IndexError):
        # A card that is none, or a seat that is not in.
        return True
    counted, wanted = count_deals(game, SEED, 0, deals), counts_of(expected)
    if not all(map(np.array_equal, counted, wanted)):
        return True
    counts = no_counts(rules, players)
    few = deals // 10
    count_announcements(game, SEED, 0, few, counts)
    found = {tuple(cell): int(counts[tuple(cell)]) for cell in np.argwhere(counts).tolist()}
    return found != Counter(
        cell
        for cards, sitting in zip(dealt[:few], at_table[:few], strict=True)
        for cell in cells_of(rules, pot, cards, sitting)
    )


if __name__ == "__main__":
    for number, (rules, players, extra, names, deals) in enumerate(TABLES):
        if differs(rules, players, rules.single_pot(players) + extra, names, deals):
            print(f"table {number} is played differently")
            sys.exit(FOUND)
