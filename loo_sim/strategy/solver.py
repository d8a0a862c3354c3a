"""Solving one game: learn, look at what leaving the strategy gains, go on until it is little."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from loo_sim.runner.progress import Progress
from loo_sim.runner.signals import Stopper
from loo_sim.strategy.announcing import Announcing
from loo_sim.strategy.gains import CHUNK_DEALS, HALVES, Gains, measure
from loo_sim.strategy.mixtures import Parts, mixed, pure
from loo_sim.strategy.regrets import ROUND_DEALS, Regrets

FIRST_ROUNDS = 64
"""Rounds before the first look; each look comes after as many again."""
LOOK_DEALS, FRESH_DEALS = 2**62, 2**63
"""Numbers of the first deals that looks and the last measurement are made on: none of them is
learned from, and none of the last was looked at before."""
LEAST_DEALS, GAIN_DEALS = 2**22, 2**24
"""Fewest deals of a look; deals of the last measurement."""
LOW_SHARE = 4
"""The lower bounds may sum to this part of what the upper ones may."""


class Look(NamedTuple):
    """What leaving the strategy gained after some deals, summed over all seats, in stakes a deal.

    Attributes
    ----------
    deals, looked_at : int
        Deals learned from, and those that the gains were measured on.
    gain_low, gain_low_se, gain_high, gain_high_se : float
        Bounds, and the sums of the seats' standard errors, which those of the sums do not exceed.
    kind : str
        ``mixed`` or ``pure``: as `Solved`.
    """

    deals: int
    looked_at: int
    gain_low: float
    gain_low_se: float
    gain_high: float
    gain_high_se: float
    kind: str


class Target(NamedTuple):
    """When to stop.

    Attributes
    ----------
    until : float
        Stakes a deal: the most that the upper bounds of all seats may sum to; the lower ones may
        sum to a quarter of it.
    max_deals : int
        Deals that may be learned from.
    """

    until: float
    max_deals: int

    def reached(self, gains: Gains) -> bool:
        """Whether gains are as small as asked for."""
        return gains.sum_high <= self.until and gains.sum_low <= self.until / LOW_SHARE


@dataclass
class Solved:
    """A strategy for one game, and what is known of it.

    Attributes
    ----------
    strategy : ndarray of uint8, shape (places, classes, 4)
        Chances in sixteenths.
    kind : str
        ``mixed``: the average strategy; ``pure``: the likeliest announcement of each hand in it.
    deals : int
        Deals learned from.
    gains : Gains
        Measured on fresh deals.
    looks : list of Look
        On the way.
    reached : bool
        Whether the gains are as small as asked for.
    """

    strategy: Parts
    kind: str
    deals: int
    gains: Gains
    looks: list[Look] = field(default_factory=list)
    reached: bool = False

    def told(self) -> dict[str, Any]:
        """All but the strategy and the gains, for JSON."""
        return {
            "kind": self.kind,
            "deals": self.deals,
            "reached": self.reached,
            "looks": [look._asdict() for look in self.looks],
        }


def solve(
    of: Announcing,
    seed: int,
    target: Target,
    jobs: int,
    regrets: Regrets,
    looks: list[Look],
    stopper: Stopper,
    keep: Callable[[], None],
    progress: Progress,
) -> Solved:
    """Solve a game.

    Two strategies are looked at: the average one, and the likeliest announcement of each hand in
    it, which often does better, since what is mixed in the average is for the most part what was
    not yet decided. The one that it gains less to leave is taken, and measured on fresh deals.

    Parameters
    ----------
    of : Announcing
        The game.
    seed : int
        0 to 2**64 - 1.
    target : Target
        When to stop.
    jobs : int
        Threads; nothing that is found depends on them.
    regrets, looks : Regrets, list of Look
        What was learned and seen before; modified in place.
    stopper : Stopper
        Lets a signal wait until a round has been learned from.
    keep : callable
        Called between two rounds, where the work may be gone on with later.
    progress : Progress
        Told the deals as they are done.

    Returns
    -------
    Solved
    """
    with ThreadPoolExecutor(jobs) as pool:
        while True:
            goal = min(FIRST_ROUNDS * 2 ** len(looks), target.max_deals // ROUND_DEALS)
            progress.go_to(goal * ROUND_DEALS)
            while regrets.rounds < goal:
                with stopper.shield():
                    regrets.learn(pool)
                progress.advance(ROUND_DEALS)
                keep()
            deals = max(LEAST_DEALS, _whole(regrets.deals // 2))
            candidates = {"mixed": mixed(of, regrets.average()), "pure": pure(regrets.average())}
            seen = {
                kind: measure(of, strategy, seed, LOOK_DEALS, deals, pool, jobs)
                for kind, strategy in candidates.items()
            }
            kind = min(seen, key=lambda kind: seen[kind].sum_high)
            found = seen[kind]
            looks.append(
                Look(
                    *(regrets.deals, deals),
                    *(found.sum_low, float(found.low_se.sum())),
                    *(found.sum_high, float(found.high_se.sum())),
                    kind,
                )
            )
            if target.reached(found) or 2 * regrets.deals > target.max_deals:
                break
        gains = measure(of, candidates[kind], seed, FRESH_DEALS, GAIN_DEALS, pool, jobs)
    return Solved(
        candidates[kind], kind, regrets.deals, gains, looks, reached=target.reached(gains)
    )


def _whole(deals: int) -> int:
    """So many deals, rounded down to what is dealt at a time."""
    step = HALVES * CHUNK_DEALS
    return deals // step * step
