"""Policies where the pot changes from deal to deal: pots by class, and tables for each class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.policies.compile import RANDOM_PLAY, Rows, play_words
from loo_sim.policies.features import situations
from loo_sim.policies.policy import Policy
from loo_sim.policies.switches import Changes, find_changes
from loo_sim.problems import InputError, Problem
from loo_sim.rules import Rules

MOST_ROWS = 5_000
"""Most different rows of announcements, of some 20 kB each."""


class PotClasses(NamedTuple):
    """Announcements of every policy in every seat, by class of the pot.

    Attributes
    ----------
    bounds : dict of int to ndarray of int64
        By number of players, the pots in units at which the next class begins, ascending.
    class_base : dict of int to int
        By number of players, its first class. The class of a pot is this and the number of bounds
        up to the pot.
    rows : ndarray of uint8, shape (rows, hands)
        As in `compile.Tables`.
    row_of : ndarray of int32, shape (classes, kinds, most players, most players, 2)
        Row of [class, kind, seat, standers, miss_free]; 0 where that situation cannot be.
    mixtures : ndarray of uint64, shape (mixtures, 3)
        As in `compile.Tables`.
    kind_of : ndarray of uint8, shape (people,)
        Kind of each person's policy: kinds are different policies in order of their first person.
    play : ndarray of uint8, shape (people, 2, 2, 17, 3, 2, 5)
        Words of play of each person, as in `compile.Tables`.
    announce_draws, play_draws : bool
        Whether any policy draws.
    """

    bounds: dict[int, npt.NDArray[np.int64]]
    class_base: dict[int, int]
    rows: npt.NDArray[np.uint8]
    row_of: npt.NDArray[np.int32]
    mixtures: npt.NDArray[np.uint64]
    kind_of: npt.NDArray[np.uint8]
    play: npt.NDArray[np.uint8]
    announce_draws: bool
    play_draws: bool


class _Stages(NamedTuple):
    """What one policy announces, from pot to pot.

    Attributes
    ----------
    starts : ndarray of int64, shape (stages,)
        Units: the smallest pot of each stage, ascending.
    row_of : ndarray of int32, shape (stages, players, players, 2)
        Row of [stage, seat, standers, miss_free].
    """

    starts: npt.NDArray[np.int64]
    row_of: npt.NDArray[np.int32]


def table_sizes(rules: Rules, people: int, bankroll: int | None) -> range:
    """Numbers of players that may be at a table of so many people.

    Without a bankroll nobody ever leaves.
    """
    return range(people if bankroll is None else rules.min_players, people + 1)


@np.errstate(all="ignore")
def pot_classes(policies: Sequence[Policy], rules: Rules, sizes: Iterable[int]) -> PotClasses:
    """Compile policies, each in every seat, for every pot that can come up.

    Announcements are exactly those of `compile.compile_tables` at each whole number of units from
    the single pot to `switches.MOST_POT`, and beyond it those at `switches.MOST_POT`.

    Parameters
    ----------
    policies : sequence of Policy
        One a person.
    rules : Rules
        The rules played by.
    sizes : iterable of int
        Numbers of players that may be at the table.

    Returns
    -------
    PotClasses

    Raises
    ------
    InputError
        With every comparison whose switching pots cannot be found (see `switches.find_changes`); if
        the policies make more than `MOST_ROWS` rows, or mix in more than `table.MOST_MIXTURES`
        ways.
    """
    kinds = list({policy.digest: policy for policy in policies}.values())
    kind_of = [[kind.digest for kind in kinds].index(policy.digest) for policy in policies]
    sizes = list(sizes)
    problems: list[Problem] = []
    changes = {
        players: [find_changes(kind, rules, players, problems) for kind in kinds]
        for players in sizes
    }
    if problems:
        raise InputError(dict.fromkeys(problems))
    rows = Rows()
    most = max(sizes)
    bounds: dict[int, npt.NDArray[np.int64]] = {}
    class_base: dict[int, int] = {}
    row_of: list[npt.NDArray[np.int32]] = []
    for players in sizes:
        stages = [
            _stages(rows, kind, rules, players, change)
            for kind, change in zip(kinds, changes[players], strict=True)
        ]
        starts = np.unique(np.concatenate([stage.starts for stage in stages]))
        bounds[players] = starts[1:]
        class_base[players] = len(row_of)
        for start in starts:
            by_kind = np.zeros((len(kinds), most, most, 2), dtype=np.int32)
            for kind, stage in enumerate(stages):
                now = np.searchsorted(stage.starts, start, side="right") - 1
                by_kind[kind, :players, :players] = stage.row_of[now]
            row_of.append(by_kind)
    words = [play_words(kind) for kind in kinds]
    return PotClasses(
        bounds=bounds,
        class_base=class_base,
        rows=rows.rows(),
        row_of=np.stack(row_of),
        mixtures=rows.mixtures(),
        kind_of=np.array(kind_of, dtype=np.uint8),
        play=np.stack([words[kind] for kind in kind_of]),
        announce_draws=bool(rows.draws().any()),
        play_draws=any(bool((of_kind == RANDOM_PLAY).any()) for of_kind in words),
    )


def _stages(rows: Rows, policy: Policy, rules: Rules, players: int, changes: Changes) -> _Stages:
    """Compile one policy at every pot at which something may change, and keep what does."""
    which = situations(players)
    where = tuple(np.array(which).T)
    starts: list[int] = []
    row_of: list[npt.NDArray[np.int32]] = []
    now = np.zeros((players, players, 2), dtype=np.int32)
    numbers = np.full(len(which), -1, dtype=np.int32)
    for pot, places in changes.items():
        before = numbers.copy()
        numbers[places] = rows.add(policy, rules, players, pot, [which[i] for i in places])
        if (numbers != before).any():
            now[where] = numbers
            starts.append(pot)
            row_of.append(now.copy())
        if len(rows) > MOST_ROWS:
            what = f"the policies together make more than {MOST_ROWS:,} different rows of hands"
            hint = "look at less beside the pot: each situation has rows of its own"
            raise InputError([Problem(policy.source, None, "announce", what, hint)])
    return _Stages(np.array(starts, dtype=np.int64), np.stack(row_of))
