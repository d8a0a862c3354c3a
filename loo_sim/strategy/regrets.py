"""Regret matching on sampled deals: every seat learns from each of them.

External sampling (Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo sampling for regret
minimization in extensive games", NIPS 2009): the others' announcements are drawn, one's own are all
tried. Since each player announces once, his chance of coming to a situation does not depend on
himself: one deal serves every seat, and the average strategy weighs each round alike for all hands.

A round draws one announcement for each hand in each place and keeps to it for all of its deals.
Later rounds count more, regrets and strategies alike, in proportion to their number (linear
averaging: Brown and Sandholm, "Solving imperfect-information games via discounted regret
minimization", AAAI 2019).

Where the strategy itself seldom comes, it would stay what it was at first. There regrets are taken
from deals of which each hand errs now and then, so that a table answers play that is not its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from loo_sim.strategy.announcing import Announcing

if TYPE_CHECKING:
    from loo_sim.kernels.game import Game

PART_DEALS = 2**14
"""Deals that a thread takes at a time."""
ROUND_PARTS, ERRING_PARTS = 4, 1
"""Parts of a round that are dealt by the strategy, and by one that errs."""
ROUND_DEALS = (ROUND_PARTS + ERRING_PARTS) * PART_DEALS
ERROR = 0.1
"""Chance of a hand to err in a round: to announce anything that is legal."""
SELDOM = 2.0**-12
"""A share of the deals: a situation that comes up less often learns from those that err."""
DRAWS_A_ROUND = 2**16
"""Numbers of draws set aside for each round; hands are below 2**15."""

Sums = npt.NDArray[np.int64]
Chances = npt.NDArray[np.float64]


class Regrets:
    """What was learned so far of a game.

    Parameters
    ----------
    of : Announcing
        The game.
    seed : int
        0 to 2**64 - 1.
    jobs : int
        Threads; what is learned does not depend on them.

    Attributes
    ----------
    rounds : int
        Rounds learned from.
    """

    def __init__(self, of: Announcing, seed: int, jobs: int) -> None:
        from loo_sim.kernels.alternatives import SUMS
        from loo_sim.kernels.batch import make_scratch

        self._of, self._seed, self._jobs = of, np.uint64(seed), jobs
        shape = (of.places, of.classes)
        self._regret, self._total = np.zeros((*shape, 4)), np.zeros((*shape, 4))
        self._came = np.zeros(of.places, dtype=np.int64)
        self.rounds = 0
        self._chances = np.zeros((*shape, 3), dtype=np.float32)
        self._hands = np.arange(of.game.class_of.size, dtype=np.uint64)
        self._words = np.zeros((4, self._hands.size), dtype=np.uint32)
        self._games = [of.game, of.game._replace(rows=np.zeros_like(of.game.rows))]
        self._scratch = [make_scratch() for _ in range(jobs)]
        self._sums = np.zeros((2, jobs, *shape, SUMS), dtype=np.int64)

    @property
    def deals(self) -> int:
        """Deals learned from."""
        return self.rounds * ROUND_DEALS

    def get_ready(self) -> None:
        """Have the kernels compiled."""
        from loo_sim.kernels.matching import add_regrets, choose

        nothing = self._regret[:0]
        choose(nothing, self._of.legal, 0.0, self._chances)
        none = np.zeros(0, dtype=np.int64)
        add_regrets(self._sums[:, :, :0], none, self._of.legal, 1.0, nothing, self._total)
        self._draw(self._games[0]._replace(rows=self._games[0].rows[:0]), np.uint64(0))
        self._count(0, 0, 0)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """All that later rounds depend on."""
        return {
            "rounds": np.array(self.rounds),
            "came": self._came,
            "regret": self._regret,
            "total": self._total,
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from where `state` was."""
        self.rounds = int(state["rounds"])
        self._came[:] = state["came"]
        self._regret[:], self._total[:] = state["regret"], state["total"]

    def learn(self, pool: ThreadPoolExecutor) -> None:
        """Play a round, and learn from it.

        Broken off, it has learned nothing, and may be played again.
        """
        from loo_sim.kernels.matching import add_regrets, choose

        number = np.uint64(2 * self.rounds * DRAWS_A_ROUND)
        for game, error, more in zip(self._games, (0.0, ERROR), (0, DRAWS_A_ROUND), strict=True):
            choose(self._regret, self._of.legal, error, self._chances)
            self._draw(game, number + np.uint64(more))
        self._sums[:] = 0
        first = self.rounds * ROUND_DEALS
        list(pool.map(lambda job: self._count(job, first, PART_DEALS), range(self._jobs)))
        came = self._came + self._sums[0, :, :, :, 0].sum(axis=(0, 2))
        deals = (self.rounds + 1) * ROUND_PARTS * PART_DEALS
        errs = (came < SELDOM * deals).astype(np.int64)
        weight = float(self.rounds + 1)
        add_regrets(self._sums, errs, self._of.legal, weight, self._regret, self._total)
        self._came = came
        self.rounds += 1

    def _draw(self, game: Game, number: np.uint64) -> None:
        from loo_sim.kernels.matching import draw_rows

        hands = number + self._hands
        draw_rows(self._chances, game.class_of, self._seed, hands, self._words, game.rows)

    def _count(self, job: int, first: int, deals: int) -> None:
        """One thread's share of a round, so many deals a part."""
        from loo_sim.kernels.alternatives import sum_alternatives

        for part in range(job, ROUND_PARTS + ERRING_PARTS, self._jobs):
            errs = int(part >= ROUND_PARTS)
            sum_alternatives(
                self._games[errs],
                self._of.carry,
                int(self._seed),
                first + part * deals,
                deals,
                self._scratch[job],
                self._sums[errs, job],
            )

    def average(self) -> Chances:
        """The average strategy: chances of shape (places, classes, 4)."""
        average: Chances = self._total / self._total.sum(axis=-1, keepdims=True)
        return average
