"""Sessions in kernels against sessions in plain Python, table by table and deal by deal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from kernel_deals import seats

from loo_sim.kernels.encode_session import encode_session
from loo_sim.kernels.purses import DEALER, LOOED_LAST, PLAYED, POT, PURSE, STILL_THERE
from loo_sim.kernels.whole_tables import keep_tables
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.session import play_table

SEED, FIRST, TABLES = 11, 2**31 - 8, 16
ALL = ("trumps", "peel", "pot-odds", "tight", "loose", "random")
STANDARD = PRESETS["standard"]
# Rules, players, policies, rounds, bankroll in stakes.
CASES: dict[str, tuple[Rules, int, tuple[str, ...], int, int | None]] = {
    **{preset: (rules, 6, ALL, 3, None) for preset, rules in PRESETS.items()},
    "three of one kind": (PRESETS["peel"], 3, ("pot-odds",), 5, None),
    "sixteen": (STANDARD, 16, ("loose",), 1, None),
    "antes": (replace(STANDARD, ante=1, dealer_stake=2), 5, ("peel",), 3, None),
    "split": (replace(STANDARD, end="split"), 5, ("loose",), 2, None),
    "until nobody is looed": (replace(STANDARD, end="no-loo"), 5, ("loose",), 2, None),
    "capped loo": (replace(STANDARD, loo="pot", loo_cap=9), 5, ("random",), 4, None),
    "small pack": (replace(STANDARD, deck=32), 5, ("pot-odds",), 3, None),
    "limited purses": (replace(STANDARD, min_players=2), 6, ALL, 8, 12),
    "limited purses and antes": (
        replace(PRESETS["peel"], min_players=2, ante=1, end="split"),
        5,
        ("loose", "random", "always-stand", "tight", "peel"),
        8,
        9,
    ),
    "unlimited loo, limited purses": (
        replace(PRESETS["unlimited"], min_players=2, end="no-loo"),
        5,
        ("random",),
        4,
        30,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_table_agrees_after_every_deal(case: str) -> None:
    rules, players, names, rounds, bankroll = CASES[case]
    policies = seats(names, players)
    session = encode_session(rules, policies, rounds, bankroll, (10,))
    kept = keep_tables(session, SEED, FIRST, TABLES)
    units = None if bankroll is None else bankroll * UNITS_PER_STAKE
    for lane in range(TABLES):
        table = play_table(rules, policies, rounds, SEED, FIRST + lane, units)
        for number, played in enumerate(table.deals):
            money = kept.money[number, lane]
            found = (
                int(money[PLAYED]),
                int(money[DEALER]),
                int(money[POT]),
                int(money[LOOED_LAST]),
                tuple(kept.people[number, lane, :players, PURSE].tolist()),
            )
            expected = (
                number + 1,
                played.dealer,
                played.pot_after,
                played.looed,
                played.purses,
            )
            assert found == expected, (case, lane, number)
        end = kept.at_end
        assert end.money[lane, PLAYED] == len(table.deals)
        assert end.money[lane, POT] == table.pot
        assert end.people[lane, :players, PURSE].tolist() == table.purses
        times = [table.left_at.get(person, STILL_THERE) for person in range(players)]
        assert end.left_at[lane, :players].tolist() == times
        looed = np.zeros(players, int)
        for played in table.deals:
            for person, net in zip(played.seated, played.deal.net, strict=True):
                looed[person] += net < 0
        assert end.looed[lane, :players].tolist() == looed.tolist()
        assert sum(table.purses) + table.pot == players * (units or 0)


def test_people_leave_and_play_on_somewhere() -> None:
    """The cases above would be idle if nobody ever left, or no table outlived its rounds."""
    rules, players, names, rounds, bankroll = CASES["limited purses"]
    tables = [
        play_table(rules, seats(names, players), rounds, SEED, FIRST + lane, bankroll * 729)
        for lane in range(TABLES)
    ]
    assert any(table.left_at for table in tables)
    rules, players, names, rounds, _ = CASES["until nobody is looed"]
    tables = [
        play_table(rules, seats(names, players), rounds, SEED, FIRST + lane)
        for lane in range(TABLES)
    ]
    assert {len(table.deals) > rounds * players for table in tables} == {False, True}
