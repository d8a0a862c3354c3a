"""What is to be solved: games that differ in their pots, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loo_sim import __version__
from loo_sim.problems import InputError, Problems, nearest
from loo_sim.rules import UNITS_PER_STAKE, Rules
from loo_sim.runner.replay import cell_of_words
from loo_sim.solution import CARRY
from loo_sim.strategy import regrets
from loo_sim.strategy.announcing import Announcing
from loo_sim.strategy.solver import Target

if TYPE_CHECKING:
    from loo_sim.policies.policy import Policy
    from loo_sim.runner.identity import Identity

UNTIL, MAX_DEALS = 0.02, 10**8
"""What is aimed at by default: stakes a deal, summed over all seats; deals a game."""
PLAY = "sharp"
"""The policy whose way of playing the cards is held fixed by default."""
MOST_POT = 1_000
"""Stakes: squares of larger values would not stay whole numbers when they are summed."""


@dataclass(frozen=True)
class Request:
    """What is to be solved.

    Attributes
    ----------
    games : tuple of Announcing
        They differ in their pots alone, which ascend.
    seed : int
        0 to 2**64 - 1.
    target : Target
        When to stop, in each game.
    rules_word, play_word : str
        The rules and the policy, as they were given.
    """

    games: tuple[Announcing, ...]
    seed: int
    target: Target
    rules_word: str
    play_word: str

    @property
    def first(self) -> Announcing:
        """The game with the smallest pot; all but the pot holds for the others too."""
        return self.games[0]

    @property
    def pots(self) -> list[float]:
        """Stakes in the pot when play begins, ascending."""
        return [game.pot / UNITS_PER_STAKE for game in self.games]

    @property
    def carry(self) -> str:
        """What a value counts of a pot that is left: ``none`` or ``equal``."""
        return CARRY[self.first.carry]

    @property
    def name(self) -> str:
        """What it is called."""
        return f"near-equilibrium-{self.first.players}"

    def identity(self) -> Identity:
        """All that the strategy depends on, the algorithm's settings too, and nothing else."""
        from loo_sim.kernels import digest
        from loo_sim.strategy import gains, mixtures, solver

        play: Policy = self.first.play
        return {
            "version": __version__,
            "kernels": digest(),
            "players": self.first.players,
            "pots": self.pots,
            "rules": self.first.rules.to_dict(),
            "play": {"name": play.name, "digest": play.digest},
            "carry": self.carry,
            "seed": self.seed,
            "until": self.target.until,
            "max_deals": self.target.max_deals,
            "algorithm": {
                "round_deals": regrets.ROUND_DEALS,
                "erring_deals": regrets.ERRING_PARTS * regrets.PART_DEALS,
                "error": regrets.ERROR,
                "seldom": regrets.SELDOM,
                "first_rounds": solver.FIRST_ROUNDS,
                "least_deals": solver.LEAST_DEALS,
                "fresh_deals": solver.FRESH_DEALS,
                "parts": [mixtures.PARTS, *mixtures.DEALERS_PARTS],
                "caution": gains.CAUTION,
            },
            "cells": [],
        }


def request_of_words(
    players: int | None,
    pots: Sequence[str],
    rules: str | None,
    policy: str,
    carry: str,
    seed: int,
    until: float,
    max_deals: int,
) -> Request:
    """A request as a command line gives it.

    Parameters
    ----------
    players : int or None
        Seats; 6 by default.
    pots : sequence of str
        Stakes in the pot when play begins, as ``3`` or ``3,6``; what the deal puts in, if there are
        none.
    rules : str or None
        As ``peel,loo=3``.
    policy : str
        A name or path: its way of playing the cards is held fixed.
    carry : str
        ``none`` or ``equal``.
    seed : int
        0 to 2**64 - 1.
    until, max_deals : float, int
        As `Target` has them.

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    problems = Problems("solve")
    if carry not in CARRY:
        problems.add("carry", f"'{carry}' is none", nearest(carry, CARRY))
    if not until > 0:
        problems.add("until", f"{until:g} stakes a deal can never be reached", "a number above 0")
    if max_deals < regrets.ROUND_DEALS:
        what = f"{max_deals:,} deals are too few to learn anything from"
        problems.add("max_deals", what, f"{regrets.ROUND_DEALS:,} at least")
    stakes = []
    for word in (word.strip() for pot in pots for word in pot.split(",")):
        try:
            stakes.append(float(word))
        except ValueError:
            problems.add("pot", f"'{word}' is no number of stakes", "as in 3 or 3,6,9")
    if len(set(stakes)) < len(stakes):
        problems.add("pot", "is there twice", "leave one of them out")
    games: list[Announcing] = []
    wanted: list[float | None] = [*sorted(set(stakes))] or [None]
    for pot in wanted:
        try:
            cell = cell_of_words(players, pot, rules, [policy])
        except InputError as error:  # mostly the same for every pot
            problems.found += [one for one in error.problems if one not in problems.found]
            continue
        fault = _unsolvable(cell.rules, cell.players, cell.pot)
        if fault:
            problems.add(*fault)
        play, carries = cell.policies[0], carry == "equal"
        games.append(Announcing(cell.rules, cell.players, cell.pot, play, carries))
    problems.raise_if_any()
    return Request(tuple(games), seed, Target(until, max_deals), rules or "", policy)


def _unsolvable(rules: Rules, players: int, pot: int) -> tuple[str, str, str] | None:
    """Why a game cannot be solved: the key, what is wrong, a hint."""
    if pot > MOST_POT * UNITS_PER_STAKE:
        what = f"a pot of {pot / UNITS_PER_STAKE:g} stakes is more than can be summed exactly"
        return "pot", what, f"{MOST_POT:,} at most"
    if rules.force_on_single and pot == rules.single_pot(players):
        what = f"force_on_single = true lets everyone stand at a pot of {pot / UNITS_PER_STAKE:g}"
        return "pot", what, "nothing is left to announce; give a larger pot"
    if rules.loo_units(pot) > MOST_POT * UNITS_PER_STAKE:
        what = f"a loo of {rules.loo:,} stakes is more than can be summed exactly"
        return "rules.loo", what, f"{MOST_POT:,} at most"
    return None
