"""Policies compiled to the tables that the kernels look up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from loo_sim.cards import classes_in_whole_pack, hand_classes
from loo_sim.policies.features import Columns, hand_columns, situation_columns, situations
from loo_sim.policies.policy import ACTIONS, PLAY_WORDS, RANDOM, Choice, Policy, fallback
from loo_sim.policies.table import ABSENT, MOST_MIXTURES, Chances, PolicyTable
from loo_sim.policies.tree import evaluate
from loo_sim.problems import InputError, Problem
from loo_sim.rules import UNITS_PER_STAKE, Rules

FIRST_MIXTURE = len(ACTIONS)
CERTAIN = 2**32
"""A threshold that every 32-bit word is below."""

PLAY_SHAPE = (2, 2, 17, 3, 2)
"""Values of trick_no - 1, last, in_play, my_tricks and best_is_trump."""

RANDOM_PLAY = 2

Thresholds = tuple[int, int, int]


@dataclass(frozen=True)
class Tables:
    """What the kernels look up: announcements by situation and hand, and words of play.

    Attributes
    ----------
    rows : ndarray of uint8, shape (rows, hands)
        Announcement by `cards.hand_index`: 0 fold, 1 stand, 2 miss, 3 defend, 4 + m mixture m.
    row_of : ndarray of int32, shape (players, players, 2)
        Row of [seat, standers, miss_free]; 0 where that situation cannot be.
    mixtures : ndarray of uint64, shape (mixtures, 3)
        A 32-bit word below the first threshold folds, else below the second stands, else below
        the third takes the miss, else defends.
    play : ndarray of uint8, shape (players, 2, 2, 17, 3, 2, 5)
        Number of the word (see `policy.PLAY_WORDS`) for [seat, trick_no - 1, last, in_play,
        my_tricks, best_is_trump, kind].
    announce_draws, play_draws : ndarray of bool, shape (players,)
        Whether a seat's announcements, or its plays, ever draw.
    """

    rows: npt.NDArray[np.uint8]
    row_of: npt.NDArray[np.int32]
    mixtures: npt.NDArray[np.uint64]
    play: npt.NDArray[np.uint8]
    announce_draws: npt.NDArray[np.bool_]
    play_draws: npt.NDArray[np.bool_]

    @property
    def players(self) -> int:
        """Seats."""
        return len(self.row_of)


def leading_at_random(tables: Tables, seats: Sequence[int]) -> Tables:
    """The tables with other words for the first lead of some seats: any legal card alike.

    Parameters
    ----------
    tables : Tables
        As compiled.
    seats : sequence of int
        The seats whose words of it become `random`; all their other plays stay as they are.

    Returns
    -------
    Tables
    """
    play, draws = tables.play.copy(), tables.play_draws.copy()
    for kind, word in enumerate(PLAY_WORDS):
        if word.startswith("lead"):
            play[seats, 0, 0, ..., kind] = RANDOM_PLAY
    draws[seats] = True
    return replace(tables, play=play, play_draws=draws)


@np.errstate(all="ignore")
def compile_tables(policies: Sequence[Policy], rules: Rules, players: int, pot: int) -> Tables:
    """Compile one policy a seat.

    Parameters
    ----------
    policies : sequence of Policy
        One for each of the `players` seats, the dealer's last.
    rules : Rules
        The rules played by.
    players : int
        Seats.
    pot : int
        Units in the pot when play begins.

    Returns
    -------
    Tables

    Raises
    ------
    InputError
        If the policies mix their announcements in more than `table.MOST_MIXTURES` ways.
    """
    rows = Rows()
    row_of = np.zeros((players, players, 2), dtype=np.int32)
    play = np.zeros((players, *PLAY_SHAPE, len(PLAY_WORDS)), dtype=np.uint8)
    seats_of: dict[str, list[int]] = {}
    for seat, policy in enumerate(policies):
        seats_of.setdefault(policy.digest, []).append(seat)
    for seats in seats_of.values():
        policy = policies[seats[0]]
        play[seats] = play_words(policy)
        which = [situation for situation in situations(players) if situation[0] in seats]
        seat, standers, miss_free = np.array(which).T
        row_of[seat, standers, miss_free] = rows.add(policy, rules, players, pot, which)
    where = np.array(situations(players)).T
    announce_draws = np.zeros(players, dtype=np.bool_)
    np.logical_or.at(announce_draws, where[0], rows.draws()[row_of[tuple(where)]])
    return Tables(
        rows=rows.rows(),
        row_of=row_of,
        mixtures=rows.mixtures(),
        play=play,
        announce_draws=announce_draws,
        play_draws=(play == RANDOM_PLAY).any(axis=tuple(range(1, play.ndim))),
    )


def money(rules: Rules, pot: int) -> dict[str, float]:
    """The names that speak of money, for a pot of `pot` units."""
    stakes = pot / UNITS_PER_STAKE
    return {"pot": stakes, "trick": stakes / 3, "loo": rules.loo_units(pot) / UNITS_PER_STAKE}


@lru_cache(maxsize=64)
def different_hands(deck: int, names: frozenset[str]) -> tuple[Columns, npt.NDArray[np.intp]]:
    """Hands as far as a condition can tell them apart: far fewer than classes.

    Parameters
    ----------
    deck : int
        Cards in the pack.
    names : frozenset of str
        The names that are looked at.

    Returns
    -------
    columns : mapping of str to ndarray of float64, shape (different,)
        Those of `names` that speak of the hand, for different hands.
    place : ndarray of int, shape (classes,)
        Which of the different hands each class is.
    """
    columns = {name: column for name, column in hand_columns(deck).items() if name in names}
    if not columns:
        return columns, np.zeros(len(hand_classes(deck).names), dtype=np.intp)
    different, place = np.unique(np.stack(list(columns.values())), axis=1, return_inverse=True)
    return dict(zip(columns, different, strict=True)), place.reshape(-1)


class Rows:
    """Rows of announcements and sets of chances of several policies together, each kept once."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._mixtures: dict[Thresholds, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def rows(self) -> npt.NDArray[np.uint8]:
        """All rows, as `Tables.rows`."""
        return np.frombuffer(bytearray().join(self._numbers), dtype=np.uint8).reshape(len(self), -1)

    def draws(self) -> npt.NDArray[np.bool_]:
        """Whether a row ever draws, of shape (rows,)."""
        draws: npt.NDArray[np.bool_] = self.rows().max(axis=1) >= FIRST_MIXTURE
        return draws

    def mixtures(self) -> npt.NDArray[np.uint64]:
        """All sets of chances, as `Tables.mixtures`."""
        return np.array(list(self._mixtures), dtype=np.uint64).reshape(-1, 3)

    def add(
        self,
        policy: Policy,
        rules: Rules,
        players: int,
        pot: int,
        which: Sequence[tuple[int, int, bool]],
    ) -> npt.NDArray[np.int32]:
        """Compile what a policy announces in some situations.

        Parameters
        ----------
        policy : Policy
            The policy.
        rules : Rules
            The rules played by.
        players, pot : int
            Seats, and units in the pot.
        which : sequence of (int, int, bool)
            Situations: seat, standers, miss_free.

        Returns
        -------
        ndarray of int32, shape (len(which),)
            The number of each situation's row.

        Raises
        ------
        InputError
            If all policies so far mix in more than `table.MOST_MIXTURES` ways.
        """
        codes, place = self._announcements(policy, rules, players, pot, which)
        place = place[hand_classes(rules.deck).class_of]
        numbers: dict[bytes, int] = {}
        for code in codes:
            if code.tobytes() not in numbers:
                row = code[place].tobytes()
                numbers[code.tobytes()] = self._numbers.setdefault(row, len(self))
        return np.array([numbers[code.tobytes()] for code in codes], dtype=np.int32)

    def _announcements(
        self,
        policy: Policy,
        rules: Rules,
        players: int,
        pot: int,
        which: Sequence[tuple[int, int, bool]],
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.intp]]:
        """Codes of shape (situations, different hands), and which of these each class is."""
        names = frozenset[str]().union(*(rule.when.names() for rule in policy.announce.rules))
        hands, place = different_hands(rules.deck, names)
        if policy.table is not None:  # which has no rules, and knows every class
            place = np.arange(place.size)
        along = {name: column[np.newaxis, :] for name, column in hands.items()}
        codes = np.empty((len(which), int(place.max()) + 1), dtype=np.uint8)
        groups: dict[tuple[str, ...], list[int]] = {}
        for i, (seat, standers, miss_free) in enumerate(which):
            legal = rules.legal_actions(seat == players - 1, standers, miss_free)
            groups.setdefault(legal, []).append(i)
        for legal, members in groups.items():
            group = [which[i] for i in members]
            walk = _Walk(legal, (len(group), codes.shape[1]))
            if policy.table is not None:
                walk.take_table(policy.table, players, pot / UNITS_PER_STAKE, group, rules.deck)
            down = situation_columns(players, group)
            values: dict[str, Any] = {name: column[:, None] for name, column in down.items()}
            values |= along | money(rules, pot)
            for rule in policy.announce.rules:
                if rule.do == RANDOM or rule.do in legal:
                    walk.take(evaluate(rule.when, values), rule.do, rule.chance)
            walk.take(True, fallback(policy.announce.otherwise, legal), Fraction(1))
            codes[members] = walk.codes(policy, self._mixtures)
        return codes, place


class _Walk:
    """The way down the rules, for every hand in situations in which the same is legal.

    Each cell is in a *state*: the chances given out so far. Cells that have met the same rules
    share a state, so that there are few of them.
    """

    def __init__(self, legal: tuple[str, ...], shape: tuple[int, int]) -> None:
        self.legal = legal
        zero = Fraction(0)
        self.states: list[Chances] = [(zero, zero, zero, zero)]
        self.number: dict[Chances, int] = {self.states[0]: 0}
        self.state = np.zeros(shape, dtype=np.int32)

    def state_number(self, chances: Chances) -> int:
        number = self.number.setdefault(chances, len(self.states))
        if number == len(self.states):
            self.states.append(chances)
        return number

    def take(self, applies: Any, do: str, chance: Fraction) -> None:
        """Give out a share of what is left where a rule applies."""
        step = np.arange(len(self.states), dtype=np.int32)
        present = np.bincount(self.state[np.broadcast_to(applies, self.state.shape)])
        for number in np.flatnonzero(present).tolist():
            chances = self.states[number]
            share = (1 - sum(chances)) * chance
            shares = dict.fromkeys(self.legal, share / len(self.legal))
            if do != RANDOM:
                shares = {do: share}
            fold, stand, miss, defend = (
                given + shares.get(action, 0)
                for action, given in zip(ACTIONS, chances, strict=True)
            )
            step[number] = self.state_number((fold, stand, miss, defend))
        self.state = np.where(applies, step[self.state], self.state)

    def take_table(
        self,
        table: PolicyTable,
        players: int,
        stakes: float,
        group: Iterable[tuple[int, int, bool]],
        deck: int,
    ) -> None:
        """Give out what the table says; what is illegal stays for `otherwise`."""
        columns = classes_in_whole_pack(deck)
        number_of = np.zeros(ABSENT + 1, dtype=np.int32)
        for i, mixture in enumerate(table.mixtures):
            fold, stand, miss, defend = (
                chance if action in self.legal else Fraction(0)
                for action, chance in zip(ACTIONS, mixture, strict=True)
            )
            number_of[i] = self.state_number((fold, stand, miss, defend))
        for i, (seat, standers, miss_free) in enumerate(group):
            row = table.row(players, stakes, seat, standers, miss_free)
            if row is not None:
                self.state[i] = number_of[row[columns]]

    def codes(self, policy: Policy, mixture_codes: dict[Thresholds, int]) -> npt.NDArray[np.uint8]:
        """What the cells come to, once every chance has been given out."""
        present = np.flatnonzero(np.bincount(self.state.reshape(-1)))
        code = np.zeros(len(self.states), dtype=np.uint8)
        for number in present.tolist():
            code[number] = _code(_thresholds(self.states[number]), policy, mixture_codes)
        return code[self.state]


def _thresholds(chances: Chances) -> Thresholds:
    fold, stand, miss, _ = chances
    sums = (fold, fold + stand, fold + stand + miss)
    first, second, third = (int(total * CERTAIN) for total in sums)
    return first, second, third


def _code(thresholds: Thresholds, policy: Policy, mixture_codes: dict[Thresholds, int]) -> int:
    bounds = (0, *thresholds, CERTAIN)
    for action in range(len(ACTIONS)):
        if bounds[action] == 0 and bounds[action + 1] == CERTAIN:
            return action
    number = mixture_codes.setdefault(thresholds, len(mixture_codes))
    if number == MOST_MIXTURES:
        raise InputError(
            [
                Problem(
                    policy.source,
                    None,
                    "announce",
                    f"all policies together make more than {MOST_MIXTURES} different sets of "
                    "chances",
                    "use fewer different chances, or round those of the table",
                )
            ]
        )
    return FIRST_MIXTURE + number


def play_words(policy: Policy) -> npt.NDArray[np.uint8]:
    """The words that a policy plays by: one seat of `Tables.play`."""
    trick_no, last, in_play, my_tricks, best_is_trump = np.indices(PLAY_SHAPE)
    values = {
        "trick_no": trick_no + 1.0,
        "last": last == 1,
        "in_play": in_play.astype(np.float64),
        "my_tricks": my_tricks.astype(np.float64),
        "best_is_trump": best_is_trump == 1,
    }
    words = [
        _words(choice, PLAY_WORDS[kind], values) for kind, choice in policy.play._asdict().items()
    ]
    return np.stack(words, axis=-1)


def _words(
    choice: Choice, words: tuple[str, ...], values: Mapping[str, Any]
) -> npt.NDArray[np.uint8]:
    number = np.full(PLAY_SHAPE, words.index(choice.otherwise), dtype=np.uint8)
    # The first rule that applies wins, so it is written last.
    for rule in reversed(choice.rules):
        number = np.where(evaluate(rule.when, values), words.index(rule.do), number)
    return number.astype(np.uint8)
