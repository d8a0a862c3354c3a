"""Facts of the rulebook on three million deals of the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_deals import SMALL, game_of, seats

from loo_sim.kernels.dealing import TOP_TRUMP
from loo_sim.kernels.game import DEFEND, FOLD, MISS, SILENT, STAND
from loo_sim.kernels.whole_deals import play_deals
from loo_sim.rules import PRESETS, UNITS_PER_STAKE

DEALS = 200 if SMALL else 60_000
"""Deals of each preset, policy and number of players."""


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("name", ["random", "always-stand", "loose"])
def test_facts_of_play(preset: str, name: str) -> None:
    rules = PRESETS[preset]
    contests = defences = 0
    for players in (rules.min_players, 8, 16):
        # An odd number of units, so that a third of the pot does not come out.
        pot = rules.single_pot(players) + 5 * UNITS_PER_STAKE + players
        loo = rules.loo_units(pot)
        whole = play_deals(game_of(seats([name], players), rules, players, pot), 71, 0, DEALS)
        assert (whole.net.sum(axis=1) + whole.pot_after == pot).all()
        is_in = (whole.action != FOLD) & (whole.action != SILENT)
        number_in = is_in.sum(axis=1)
        played = number_in > 1
        contests += played.sum()
        assert (whole.tricks.sum(axis=1) == 3 * played).all()
        assert (whole.tricks[~is_in] == 0).all()
        # One player alone takes all of the pot; with nobody in the dealer does.
        assert (whole.net.max(axis=1)[~played] == pot).all()
        assert (whole.pot_after[~played] == 0).all()
        assert ((whole.action[:, -1] == SILENT) == (number_in == 0)).all()
        # A defending dealer neither wins nor loses; the others win thirds or pay the loo.
        defends = whole.action == DEFEND
        defended = defends.any(axis=1)
        defences += defended.sum()
        assert not defends[:, :-1].any()
        assert (whole.net[defends] == 0).all()
        pays = is_in & ~defends & played[:, None]
        due = np.where(whole.tricks == 0, -loo, whole.tricks.astype(np.int64) * (pot // 3))
        assert (whole.net[pays] == due[pays]).all()
        looed = (pays & (whole.tricks == 0)).sum(axis=1)
        idle = (defends & (whole.tricks == 0)).any(axis=1)
        assert (looed >= number_in - 3 - idle).all()
        no_defence = played & ~defended
        left = whole.pot_after[no_defence] - pot % 3
        assert (left == loo * looed[no_defence]).all()
        # The miss is taken at most once, and whoever holds the highest live trump wins a trick.
        assert ((whole.action == MISS).sum(axis=1) <= 1).all()
        assert not ((whole.action == MISS).any(axis=1) & defended).any()
        tops = (whole.hand[:, :, None] >> np.array([0, 8, 16], np.uint32) & 255 == TOP_TRUMP).any(
            axis=2
        )
        from_miss = tops[:, :1] & ((whole.action == MISS) | defends)
        has_top = ((whole.action == STAND) & tops[:, 1:]) | from_miss
        assert has_top[played].any()
        assert (whole.tricks[has_top & played[:, None]] >= 1).all()
        assert (whole.net[has_top & ~defends] > 0).all()
    assert contests > DEALS
    if name == "random":
        assert (defences > 0) == (rules.defend != "never")
