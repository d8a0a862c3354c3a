"""What a deal is worth to each seat where all keep to a strategy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.strategy.announcing import Announcing
from loo_sim.strategy.gains import CHUNK_DEALS, as_game
from loo_sim.strategy.mixtures import Parts


class Values(NamedTuple):
    """Mean value of a deal to each seat, in stakes, and its standard error.

    With a pot that is carried over the error is the sum of those of both parts, which is not less
    than that of their sum, however they go together.
    """

    mean: npt.NDArray[np.float64]
    se: npt.NDArray[np.float64]


def value_of(
    of: Announcing, strategy: Parts, seed: int, first: int, deals: int, jobs: int
) -> Values:
    """Play deals by a strategy, and take the mean of what each seat gets.

    Parameters
    ----------
    of : Announcing
        The game.
    strategy : ndarray of uint8, shape (places, classes, 4)
        What all keep to.
    seed, first, deals : int
        The deals.
    jobs : int
        Threads; the result does not depend on them.
    """
    from loo_sim.kernels.counting import count_deals
    from loo_sim.kernels.game import LOO, POT
    from loo_sim.kernels.settling import net_units, pot_after

    game = as_game(of, strategy)
    pot, loo = int(game.settings[POT]), int(game.settings[LOO])
    with ThreadPoolExecutor(jobs) as pool:
        counts = list(
            pool.map(
                lambda at: count_deals(game, seed, first + at, min(CHUNK_DEALS, deals - at)),
                range(0, deals, CHUNK_DEALS),
            )
        )
    seats = np.sum([seat for seat, _ in counts], axis=0)
    pots = np.sum([of_pot for _, of_pot in counts], axis=0)
    nets = np.array(
        [[net_units.py_func(pot, loo, *place) for place in row] for row in _places(seats.shape[1:])]
    )
    mean, se = _mean(seats.reshape(of.players, -1), nets.reshape(-1), deals)
    if of.carry:
        left = np.array(
            [[pot_after.py_func(pot, loo, *place) for place in row] for row in _places(pots.shape)]
        )
        left[0] = 0  # nobody came in: the dealer took the pot
        carried, carried_se = _mean(pots.reshape(1, -1), left.reshape(-1), deals)
        mean, se = mean + carried / of.players, se + carried_se / of.players
    return Values(mean / UNITS_PER_STAKE, se / UNITS_PER_STAKE)


def _places(shape: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
    """Every place of an array, row by row of its first axis."""
    return [[(first, *rest) for rest in np.ndindex(shape[1:])] for first in range(shape[0])]


def _mean(
    counts: npt.NDArray[np.int64], values: npt.NDArray[np.int64], deals: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Mean of values by their counts, a row each, and its standard error."""
    mean = counts @ values / deals
    square = counts @ values.astype(np.float64) ** 2 / deals
    return mean, np.sqrt(np.maximum(square - mean**2, 0.0) / deals)
