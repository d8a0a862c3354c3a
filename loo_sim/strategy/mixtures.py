"""Strategies that can be played: chances in a few steps, so that what stands in a table is played.

A table has room for `policies.table.MOST_MIXTURES` sets of chances. Chances are therefore whole
parts of 16, those of the dealer, who may have more to choose from, of 8 or, if need be, of 4.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loo_sim.cards import hand_classes
from loo_sim.policies.compile import CERTAIN, FIRST_MIXTURE, compile_tables
from loo_sim.policies.policy import Policy
from loo_sim.policies.table import MOST_MIXTURES, rounded
from loo_sim.strategy.announcing import Announcing

PARTS = 16
DEALERS_PARTS = (8, 4)

Parts = npt.NDArray[np.uint8]
"""Chances of fold, stand, miss and defend in parts of `PARTS`, of shape (places, classes, 4)."""


def mixed(of: Announcing, chances: npt.NDArray[np.float64]) -> Parts:
    """Chances as near as can be played.

    Parameters
    ----------
    of : Announcing
        The game.
    chances : ndarray of float64, shape (places, classes, 4)
        They sum to 1.

    Returns
    -------
    ndarray of uint8, shape (places, classes, 4)
    """
    parts = rounded(chances.reshape(-1, 4), PARTS).astype(np.uint8).reshape(chances.shape)
    dealer = of.seat_of == of.players - 1
    for few in DEALERS_PARTS:
        coarse = rounded(chances[dealer].reshape(-1, 4), few).astype(np.uint8) * (PARTS // few)
        parts[dealer] = coarse.reshape(parts[dealer].shape)
        if _mixtures(parts) <= MOST_MIXTURES:
            break
    return parts


def chances_of(of: Announcing, policy: Policy) -> npt.NDArray[np.float64]:
    """What a policy announces, as chances of shape (places, classes, 4)."""
    tables = compile_tables([policy] * of.players, of.rules, of.players, of.pot)
    bounds = np.zeros((FIRST_MIXTURE + len(tables.mixtures), 5))
    for action in range(FIRST_MIXTURE):
        bounds[action, action + 1 :] = 1.0
    bounds[FIRST_MIXTURE:, 1:4] = tables.mixtures / CERTAIN
    bounds[FIRST_MIXTURE:, 4] = 1.0
    found = np.zeros((of.places, of.classes, 4))
    found[..., 0] = 1.0
    members = hand_classes(of.rules.deck).member
    for situation in of.situations:
        row = tables.rows[tables.row_of[tuple(map(int, situation))]]
        found[situation.row] = np.diff(bounds, axis=1)[row[members]]
    return found


def pure(chances: npt.NDArray[np.float64]) -> Parts:
    """The likeliest announcement of each hand alone; of two as likely the one named first."""
    parts: Parts = np.eye(4, dtype=np.uint8)[chances.argmax(axis=-1)] * np.uint8(PARTS)
    return parts


def _mixtures(parts: Parts) -> int:
    """How many different sets of chances there are, other than certainties."""
    sets = np.unique(parts.reshape(-1, 4).view(np.uint32)).view(np.uint8).reshape(-1, 4)
    return int((sets.max(axis=1) < PARTS).sum())
