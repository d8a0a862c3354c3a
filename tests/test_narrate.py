"""A deal told in words: amounts, reasons and results as a player at the table would give them."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_playthroughs import read

from loo_sim.narrate import narrate, stakes_text
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.runner.replay import cell_of_words, reasons, replay


@pytest.mark.parametrize(
    ("units", "text"),
    [
        (0, "0"),
        (729, "1"),
        (2187, "3"),
        (-2187, "-3"),
        (243, "1/3"),
        (972, "1 1/3"),
        (-486, "-2/3"),
        (2188, "3 1/729"),
        (-1701, "-2 1/3"),
    ],
)
def test_amounts_are_exact(units: int, text: str) -> None:
    assert stakes_text(units) == text


def told(name: str) -> str:
    deal = read(Path(__file__).parent / "playthroughs" / f"{name}.txt").deal
    names = [f"policy-{seat}" for seat in range(deal.players)]
    return narrate(deal, names, index=12, seed=34)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "defended_miss_is_an_opponent",
            """Deal 12 of seed 34: 5 players, pot 4
            The dealer put in 3 stakes; 1 stake lay in the pot before.
            The nine of clubs (9c) is turned up: clubs are trumps.
            seat 0           policy-0  2d 3h 5s  folds
            seat 1           policy-1  6c Jc Ad  stands
            seat 4 (dealer)  policy-4  Qc As Ah  defends the miss
            the miss                   Kc 4h 7s  seat 4 (dealer) plays it for the pot
              seat 1 leads Jc from 6c Jc Ad: must lead the highest trump against one opponent (S11)
              seat 4 (dealer) leads 7s from 4h 7s
              seat 1 plays 6c from 6c Ad: has no spades, must play a trump and head the trick (S12)
              seat 1 leads Ad, the last card
              seat 1 wins the trick.
            Each trick pays 1 1/3 stakes.
              seat 1: 2 tricks, takes 2 2/3 stakes
              seat 4 (dealer) for the miss: 1 trick; 1 1/3 stakes stay in the pot (S10)
            Left in the pot: 1 1/3.""",
        ),
        (
            "king_when_ace_is_turned_up",
            """
          seat 1 leads Ks from 4s Ks Ah: must lead the king of spades, the ace being turned up (S11)
              seat 2: no trick, is looed and pays 3 stakes
              seat 4 (dealer): no trick, is looed and pays 3 stakes
            Left in the pot: 6, 6 of it from loos.""",
        ),
        (
            "void_player_must_undertrump",
            "  seat 2 plays 5d from 5d Ac Ts: has no hearts, must play a trump, "
            "unable to head the trick (S12)",
        ),
        (
            "ante",
            """The dealer put in 3 stakes, each other player 1 stake.
              seat 0: 1 trick, takes 2 1/3 stakes
            Left in the pot: 0.""",
        ),
        (
            "defender_is_never_looed",
            "  seat 4 (dealer) for the miss: no trick, and is never looed (S10)",
        ),
        (
            "defend_with_own_cards",
            "the miss                   Kc 4h 7s  seat 4 (dealer) defends it with the hand dealt",
        ),
        ("club_law", "Clubs are trumps (club law): everyone must stand on the hand dealt."),
        (
            "force_on_single",
            "Nobody was looed before (force on a single pot): "
            "everyone must stand on the hand dealt.",
        ),
        (
            "all_fold",
            """seat 4 (dealer)  policy-4  6c 9h 3s  says nothing: all have folded
            the miss                   As Ks Qs  nobody takes it
            Seat 4 (dealer), since all have folded, takes the whole pot of 7 stakes (S7).
            Left in the pot: 0.""",
        ),
        (
            "lone_player_on_the_miss",
            """seat 1           policy-1  5c 6d 7s  takes the miss
            the miss                   2c 3d 4s  seat 1 plays it and throws the hand dealt away
            Seat 1, the only player in, takes the whole pot of 3 stakes (S8).""",
        ),
    ],
)
def test_what_is_told(name: str, lines: str) -> None:
    spoken = [line.strip() for line in told(name).splitlines()]
    at = 0
    for line in lines.strip().splitlines():
        assert line.strip() in spoken[at:], line
        at = spoken.index(line.strip(), at) + 1


def test_one_stake_stays_and_two_stay() -> None:
    deal = replay(cell_of_words(3, None, "classic"), 1, 0).deal
    assert deal.said[2] == "defend"
    assert (deal.tricks_won[2], deal.pot) == (1, 3 * UNITS_PER_STAKE)
    text = narrate(deal, ["a", "b", "c"], 0, 1)
    assert "seat 2 (dealer) for the miss: 1 trick; 1 stake stays in the pot (S10)" in text


def test_a_policy_at_the_table_says_which_of_its_rules_spoke(tmp_path: Path) -> None:
    policy = tmp_path / "by_place.toml"
    policy.write_text(
        """name = "by place"
[announce]
rules = [
  { when = "miss_free and standers == 0 and seat == 1", do = "miss" },
  { when = "standers == 1 and not miss_free", do = "stand" },
]
"""
    )
    cell = cell_of_words(players=5, policies=[str(policy)])
    record = replay(cell, 1, 0)
    why = reasons(cell, record.deal)
    assert why == [
        "otherwise fold",
        "rule 1: miss_free and standers == 0 and seat == 1",
        "rule 2: standers == 1 and not miss_free",
        "otherwise fold",
        "otherwise fold",
    ]
    lines = narrate(record.deal, record.policies, 0, 1, why).splitlines()
    assert any(
        line.endswith("takes the miss (rule 1: miss_free and standers == 0 and seat == 1)")
        for line in lines
    )
    assert sum(line.endswith("folds (otherwise fold)") for line in lines) == 3


def test_nobody_has_a_reason_where_nobody_had_a_choice_or_spoke() -> None:
    cell = cell_of_words(rules="standard,club_law=true", policies=["tight"])
    clubs = next(i for i in range(99) if replay(cell, 1, i).deal.forced_stand)
    assert reasons(cell, replay(cell, 1, clubs).deal) == [""] * 6
    silent = next(i for i in range(99) if len(replay(cell, 1, i).deal.declarations) == 5)
    told = reasons(cell, replay(cell, 1, silent).deal)
    assert told == ["otherwise fold"] * 5 + [""]
