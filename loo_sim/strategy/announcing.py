"""The game of announcing that is solved: who may say what, where, and what is held fixed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from loo_sim.cards import hand_classes
from loo_sim.policies.features import Situation, situations
from loo_sim.policies.policy import ACTIONS, Policy
from loo_sim.rules import Rules

if TYPE_CHECKING:
    from loo_sim.kernels.game import Game

DRAWS_IN_PLAY = 2
"""The bit of `Game.draws` that stays where announcements are drawn beforehand."""


@dataclass(frozen=True)
class Announcing:
    """One game: every seat announces once, and then the cards are played as a policy plays them.

    A *place* is the number seat (seat + 1) + 2 standers + miss_free of a situation; some places are
    of no situation.

    Attributes
    ----------
    rules : Rules
    players : int
    pot : int
        Units in the pot when play begins.
    play : Policy
        How all play the cards.
    carry : bool
        Whether an equal part of the pot that is left counts for each player.
    """

    rules: Rules
    players: int
    pot: int
    play: Policy
    carry: bool

    @property
    def places(self) -> int:
        """How many places there are."""
        return self.players * (self.players + 1)

    @cached_property
    def classes(self) -> int:
        """How many classes of hands there are."""
        return int(hand_classes(self.rules.deck).size.size)

    @cached_property
    def situations(self) -> list[Situation]:
        """Every situation in which somebody announces."""
        return situations(self.players)

    @cached_property
    def legal(self) -> npt.NDArray[np.bool_]:
        """What may be announced, of shape (places, 4); folding where there is no situation."""
        legal = np.zeros((self.places, len(ACTIONS)), dtype=np.bool_)
        legal[:, 0] = True
        for situation in self.situations:
            seat, standers, free = situation
            may = self.rules.legal_actions(seat == self.players - 1, standers, free)
            legal[situation.row] = [action in may for action in ACTIONS]
        return legal

    @cached_property
    def seat_of(self) -> npt.NDArray[np.int64]:
        """The seat of each place."""
        seats = np.arange(self.players)
        return np.repeat(seats, 2 * (seats + 1))

    @property
    def worth(self) -> float:
        """Stakes that a gain of 1 is, as the kernels sum it."""
        from loo_sim.rules import UNITS_PER_STAKE

        return 1 / (UNITS_PER_STAKE * (self.players if self.carry else 1))

    @cached_property
    def game(self) -> Game:
        """The game as the kernels read it, a row of announcements a place, all of them folds."""
        from loo_sim.kernels.game import encode
        from loo_sim.policies.compile import compile_tables

        tables = compile_tables([self.play] * self.players, self.rules, self.players, self.pot)
        game = encode(self.rules, tables, self.pot)
        row_of = np.zeros(game.row_of.shape, dtype=np.uint32)
        for seat in range(self.players):
            width = 2 * (seat + 1)
            row_of[0, 0, seat, :width] = seat * (seat + 1) + np.arange(width)
        hands = hand_classes(self.rules.deck).class_of.size
        return game._replace(
            rows=np.zeros((self.places, hands), dtype=np.uint8),
            row_of=row_of,
            mixtures=np.zeros((0, 3), dtype=np.uint64),
            draws=game.draws & np.uint8(DRAWS_IN_PLAY),
        )
