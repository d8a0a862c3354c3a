"""What the play of the cards is worth: against cards drawn at random, and against perfect sight."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from loo_sim.policies.parse import read_policy
from loo_sim.rules import UNITS_PER_STAKE, Rules

Estimate = tuple[float, float]
"""A mean and its standard error, in stakes a contest."""


@dataclass(frozen=True)
class PlayWorth:
    """What play is worth to a player who is in, in stakes a contest.

    Seats are pooled, each looked at on deals of its own, so that all contests are independent.

    Attributes
    ----------
    n : int
        Contests, one for each player in who does not defend.
    net : Estimate
        What he wins by the policy's words.
    random : Estimate
        What he wins more by legal cards drawn at random, on the same deals: below 0.
    sight : Estimate
        What he wins more by the best cards, all of them known to him.
    """

    n: int
    net: Estimate
    random: Estimate
    sight: Estimate


def worth_of_play(
    path: Path, players: int, pot: float, seed: int, deals: int, rules: Rules | None = None
) -> PlayWorth:
    """Measure what the play of the cards is worth where all others play as a policy does.

    Parameters
    ----------
    path : Path
        A policy file none of whose words of play is `random`.
    players : int
        Seats.
    pot : float
        Stakes in the pot when play begins.
    seed, deals : int
        Deals for each seat.
    rules : Rules, optional
        By default the standard ones.
    """
    from loo_sim.kernels.game import encode
    from loo_sim.kernels.sight import SUMS, TRIES, sum_sight
    from loo_sim.policies.compile import compile_tables

    rules = rules or Rules()
    units = round(pot * UNITS_PER_STAKE)
    policy = read_policy(path)
    game = encode(rules, compile_tables([policy] * players, rules, players, units), units)
    sums = np.zeros((17, SUMS), np.int64)
    for seat in range(players):
        sum_sight(game, seat, seed, seat * deals, deals, sums)
    n, net, net_square, best, best_square, drawn, drawn_square = map(int, sums.sum(axis=0))

    def estimate(total: int, square: int, parts: int) -> Estimate:
        scale = UNITS_PER_STAKE * parts
        mean = total / n
        return mean / scale, (max(square / n - mean**2, 0.0) / n) ** 0.5 / scale

    return PlayWorth(
        n,
        estimate(net, net_square, 1),
        estimate(drawn, drawn_square, TRIES),
        estimate(best, best_square, 1),
    )


def gain_of_words(
    path: Path,
    other: Path,
    players: int,
    pot: float,
    seed: int,
    deals: int,
    rules: Rules | None = None,
) -> Estimate:
    """What one player gains by the words of another policy, in stakes a deal, all else as it is.

    Announcements stay those of the first policy. Paired on the same deals, the mean over all seats,
    each looked at on deals of its own.

    Parameters
    ----------
    path, other : Path
        Policy files none of whose words of play is `random`.
    players : int
        Seats.
    pot : float
        Stakes in the pot when play begins.
    seed, deals : int
        Deals of the seed for each seat.
    rules : Rules, optional
        By default the standard ones.
    """
    from loo_sim.kernels.game import encode
    from loo_sim.kernels.sight import sum_otherwise
    from loo_sim.policies.compile import compile_tables, play_words

    rules = rules or Rules()
    units = round(pot * UNITS_PER_STAKE)
    tables = compile_tables([read_policy(path)] * players, rules, players, units)
    words = play_words(read_policy(other))
    sums = np.zeros(2, np.int64)
    for seat in range(players):
        play = tables.play.copy()
        play[seat] = words
        game = encode(rules, tables, units)
        changed = encode(rules, replace(tables, play=play), units)
        sum_otherwise(game, changed, seat, seed, seat * deals, deals, sums)
    n = players * deals
    mean, square = int(sums[0]) / n, int(sums[1]) / n
    return mean / UNITS_PER_STAKE, (max(square - mean**2, 0.0) / n) ** 0.5 / UNITS_PER_STAKE
