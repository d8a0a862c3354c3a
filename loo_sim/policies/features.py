"""What conditions speak of, as arrays: every hand class, every situation, every turn to play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.cards import all_hands, hand_classes, lowest_rank

Columns = Mapping[str, npt.NDArray[np.float64] | npt.NDArray[np.bool_]]


class Situation(NamedTuple):
    """Where a seat announces: its place, who is in, whether the miss is there."""

    seat: int
    standers: int
    miss_free: bool

    @property
    def row(self) -> int:
        """Its place in the counts of announcements."""
        return self.seat * (self.seat + 1) + 2 * self.standers + self.miss_free


@lru_cache(maxsize=4)
def hand_columns(deck: int) -> Columns:
    """The names that speak of the hand, for every class of hands.

    Parameters
    ----------
    deck : int
        Cards in the pack.

    Returns
    -------
    mapping of str to ndarray of float64, shape (classes,)
        ``trumps``, ``over_best``, ``over_second``, ``high``, ``middle``, ``low``,
        ``plain_suits``, by class. Read-only.
    """
    ranks = deck // 4
    numbers = all_hands(deck)[hand_classes(deck).member]
    is_trump = numbers >= 3 * ranks
    trumps = is_trump.sum(axis=1)
    # Live cards are numbered up to deck - 2, trumps last: what follows a trump beats it.
    over = np.where(is_trump, deck - 2 - numbers, ranks - 1)
    plain = np.sort(np.where(is_trump, 0, lowest_rank(deck) + numbers % ranks), axis=1)
    suits = np.where(is_trump, 0, 1 << (numbers // ranks))
    plain_suits = np.bitwise_count(np.bitwise_or.reduce(suits, axis=1))
    columns = {
        "trumps": trumps,
        "over_best": over[:, 2],
        "over_second": over[:, 1],
        "high": plain[:, 2],
        "middle": plain[:, 1],
        "low": plain[:, 0],
        "plain_suits": plain_suits,
    }
    return _frozen({name: column.astype(np.float64) for name, column in columns.items()})


def situations(players: int) -> list[Situation]:
    """Every situation in which somebody announces."""
    return [
        Situation(seat, standers, miss_free)
        for seat in range(players)
        for standers in range(seat + 1)
        for miss_free in (False, True)
        if (standers > 0 or miss_free) and (standers > 0 or seat < players - 1)
    ]


def situation_columns(players: int, which: Sequence[tuple[int, int, bool]]) -> Columns:
    """The names that speak of the situation, but for money.

    Parameters
    ----------
    players : int
        Seats.
    which : sequence of (int, int, bool)
        Situations: seat, standers, miss_free.

    Returns
    -------
    mapping of str to ndarray of float64 or bool, shape (len(which),)
        ``seat``, ``to_act``, ``players``, ``dealer``, ``standers``, ``folded``, ``miss_free``.
    """
    seat, standers, free = np.array(which, dtype=np.float64).T
    return _frozen(
        {
            "seat": seat,
            "to_act": players - 1 - seat,
            "players": np.full(seat.size, float(players)),
            "dealer": seat == players - 1,
            "standers": standers,
            "folded": seat - standers,
            "miss_free": free == 1,
        }
    )


@lru_cache(maxsize=2)
def turn_columns(is_leader: bool) -> Columns:
    """The names of `[play]` at every turn that can come up, in games of up to 16 players.

    A player leads the second and third trick because he has won the one before; a follower has
    won none of it.

    Parameters
    ----------
    is_leader : bool
        Whether the player leads or follows.

    Returns
    -------
    mapping of str to ndarray of float64 or bool, shape (turns,)
        ``trick_no``, ``last``, ``in_play``, ``my_tricks``, ``best_is_trump``.
    """
    turns = [
        (trick_no, last, in_play, my_tricks, best_is_trump)
        for trick_no, last, in_play, my_tricks, best_is_trump in product(
            (1, 2, 3), (False, True), range(2, 17), range(3), (False, True)
        )
        if (
            my_tricks < trick_no and (my_tricks > 0 or trick_no == 1) and not last | best_is_trump
            if is_leader
            else my_tricks < max(trick_no - 1, 1) and (last or in_play > 2)
        )
    ]
    trick_no, last, in_play, my_tricks, best_is_trump = np.array(turns, dtype=np.float64).T
    return _frozen(
        {
            "trick_no": trick_no,
            "last": last == 1,
            "in_play": in_play,
            "my_tricks": my_tricks,
            "best_is_trump": best_is_trump == 1,
        }
    )


def _frozen(columns: dict[str, npt.NDArray[np.float64]]) -> Columns:
    for column in columns.values():
        column.setflags(write=False)
    return MappingProxyType(columns)
