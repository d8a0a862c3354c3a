"""Nothing compiles again when a rule, a policy, a pot or the number of players changes."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from kernel_deals import game_of, seats

from loo_sim.cards import hand_classes
from loo_sim.experiment import Cell
from loo_sim.kernels.counting import (
    count_announcements,
    count_deals,
    run_announcements,
    run_deals,
)
from loo_sim.kernels.leads import OUTCOMES, count_leads, encode_leads, run_leads
from loo_sim.kernels.whole_deals import play_deals, run_whole_deals
from loo_sim.rules import PRESETS, Rules

GAMES = [
    (PRESETS["standard"], ["trumps"], 5),
    (PRESETS["peel"], ["random", "peel"], 3),
    (PRESETS["unlimited"], ["loose"], 16),
    (Rules(deck=32, defend_with="own", club_law=True), ["pot-odds"], 9),
]


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="NUMBA_DISABLE_JIT: nothing is compiled")
def test_a_game_is_data() -> None:
    for rules, names, players in GAMES:
        pot = rules.single_pot(players) + 729
        game = game_of(seats(names, players), rules, players, pot)
        count_deals(game, 1, 0, 10)
        classes = len(hand_classes(rules.deck).names)
        counts = np.zeros((players * (players + 1), classes, 5, 6), np.uint32)
        count_announcements(game, 1, 0, 10, counts)
        cell = Cell({}, players, pot, rules, tuple(seats(names, players)))
        of_leads = np.zeros((players - 1, classes, *(OUTCOMES,) * 3), np.uint32)
        count_leads(encode_leads(cell), 1, 0, 10, of_leads)
        play_deals(game, 1, 0, 10)
    for kernel in (run_deals, run_announcements, run_leads, run_whole_deals):
        assert len(kernel.signatures) == 1
