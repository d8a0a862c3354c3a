"""Announcements drawn from mixtures in lanes are those that the thresholds say."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from loo_sim.kernels.announcing import FEW_MIXTURES, draw_actions

CERTAIN = 2**32
THRESHOLDS = [
    (0, 0, 0),  # defend
    (0, 0, CERTAIN),  # miss
    (CERTAIN, CERTAIN, CERTAIN),  # fold
    (0, 2**31, CERTAIN),
    (1, 2, CERTAIN - 1),
    (2**30, 2**31, 2**31),
]
WORDS = (0, 1, 2, 2**30 - 1, 2**30, 2**31 - 1, 2**31, CERTAIN - 2, CERTAIN - 1)


@njit
def draw(mixtures, word, said):
    draw_actions(mixtures, word, said)


@pytest.mark.parametrize("more", [0, FEW_MIXTURES])
def test_a_word_draws_the_action_of_the_first_threshold_above_it(more):
    mixtures = np.array(THRESHOLDS + [(5, 6, 7)] * more, np.uint64)
    assert (len(mixtures) > FEW_MIXTURES) == bool(more)
    rows = [*range(4), *(4 + m for m in range(len(mixtures)))]
    cases = [(row, word) for row in rows for word in WORDS] * 3
    said, word = (np.array(column) for column in zip(*cases, strict=True))
    said = said.astype(np.uint8)
    draw(mixtures, word.astype(np.uint32), said)
    expected = [
        row
        if row < 4
        else next((i for i, t in enumerate(mixtures[row - 4].tolist()) if drawn < t), 3)
        for row, drawn in cases
    ]
    assert said.tolist() == expected
