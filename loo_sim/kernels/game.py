"""What the kernels know of a game: rules, policies and pot, with nothing in it but numbers.

What indexes an array is unsigned: a number that may be negative would be looked at for its sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.cards import hand_classes
from loo_sim.rules import Rules

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.policies.compile import Tables

LOW_WORD, HIGH_WORD, RANDOM_WORD = 0, 63, 128
"""Words of order (low, high, random) as kernels hold them: xor with the low six bits of a code."""
LEAD_TRUMP, LEAD_PLAIN, HEAD, LOSE, LEAD = (np.int64(kind) for kind in range(5))
"""Kinds of play word. Typed, as all whole numbers that kernels pass on by name: for a plain number
the function called would be compiled once for each value."""
KINDS = 5
SIZES = 17
"""Numbers of players in, 0 to 16, by which play words are kept."""
NEVER = 4
"""Trumps a leader needs to hold before he must lead one, where he never must."""
FOLD, STAND, MISS, DEFEND, SILENT = range(5)
"""Announcements; `SILENT` is the dealer who takes the pot because everyone before him folded."""
ACTIONS = 5
WHOLE_POT = 4
"""Result of a lone player, beside 0 to 3 tricks."""
NO_MISS = 5
"""Result of taking a miss that is gone."""
RESULTS = 5
MAX_SEATS = 16
SEAT_BITS, ACTION_SHIFT = 15, 4
"""Who is in a slot, and by what announcement, is the byte seat + 16 action."""

SETTINGS = 15
(
    PLAYERS,
    RANKS,
    FIRST_LEAD_NEED,
    FIRST_LEAD_HIGHEST,
    LATER_LEAD_NEED,
    LATER_LEAD_HIGHEST,
    UNDERTRUMP_OPTIONAL,
    DEFEND_WITH_OWN,
    CLUB_LAW,
    ALL_STAND,
    POT,
    LOO,
    WORDS_VARY,
    PLAYS_DRAW,
    PEOPLE_MOVE,
) = range(SETTINGS)
"""Places of the settings: seats; ranks in a suit; trumps a leader must hold before he must lead one
(first trick, later) and whether it must then be the highest against any number of opponents; house
rules; whether the pot makes everyone stand; units in the pot and of a loo; whether any play word
varies with the seat or the trick; whether any seat draws when playing; whether people change seats
from deal to deal, so that policies go with the person."""


class Game(NamedTuple):
    """What entry kernels are told; one set of types, so that nothing compiles again.

    Attributes
    ----------
    settings : int64 (SETTINGS,)
        Rules, pot and flags, at the places named above.
    rows : uint8 (rows, hands)
        Announcement of each hand: 0 to 3, or 4 + mixture.
    row_of : uint32 (classes, kinds, players, 2 players)
        Row of [class of the pot, kind of policy, seat, 2 standers + miss_free]; class and kind are
        0 where neither pots nor seats change.
    kind_of : uint8 (people,)
        Kind of policy of each person, where people change seats.
    mixtures : uint64 (mixtures, 3)
        Thresholds of fold, stand, miss against a 32-bit word.
    draws : uint8 (players,)
        1 if a seat draws when announcing, 2 if when playing, 3 for both.
    play : uint8 (players or kinds, 2 * 2 * 17 * 3 * 2 * 5)
        Play word of [seat], [trick, last, in play, my tricks, best is trump, kind]; where people
        change seats, of their kind of policy in place of the seat.
    shared_word : int16 (2 * 2 * 17 * 5,)
        The word of [trick, last, in play, kind] where all seats always share it, else -1.
    class_of : uint16 (hands,)
        Class of each hand.
    """

    settings: npt.NDArray[np.int64]
    rows: npt.NDArray[np.uint8]
    row_of: npt.NDArray[np.uint32]
    kind_of: npt.NDArray[np.uint8]
    mixtures: npt.NDArray[np.uint64]
    draws: npt.NDArray[np.uint8]
    play: npt.NDArray[np.uint8]
    shared_word: npt.NDArray[np.int16]
    class_of: npt.NDArray[np.uint16]


def encode_rules(rules: Rules) -> npt.NDArray[np.int64]:
    """The settings that rules alone decide."""
    settings = np.zeros(SETTINGS, dtype=np.int64)
    settings[RANKS] = rules.deck // 4
    settings[FIRST_LEAD_NEED] = 1 if rules.first_lead == "any-trump" else 2
    settings[FIRST_LEAD_HIGHEST] = rules.first_lead == "highest"
    settings[LATER_LEAD_NEED] = NEVER if rules.later_lead == "free" else 1
    settings[LATER_LEAD_HIGHEST] = rules.later_lead == "highest"
    settings[UNDERTRUMP_OPTIONAL] = rules.undertrump == "optional"
    settings[DEFEND_WITH_OWN] = rules.defend_with == "own"
    settings[CLUB_LAW] = rules.club_law
    return settings


def encode_play(
    words: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int16]]:
    """Words of play as kernels hold them.

    Parameters
    ----------
    words : ndarray of uint8, shape (seats or kinds, 2, 2, 17, 3, 2, 5)
        As `compile.Tables.play`, one a seat or kind of policy.

    Returns
    -------
    play : uint8 (seats or kinds, 2 * 2 * 17 * 3 * 2 * 5)
        The words in the kernels' numbers, as `Game.play`.
    shared : int16 (2, 2, 17, 5)
        The word of [trick, last, in play, kind] where all always share it, else -1.
    """
    order = np.array([LOW_WORD, HIGH_WORD, RANDOM_WORD], dtype=np.uint8)
    play = order[words]
    play[..., LEAD] = words[..., LEAD]
    # All seats, my tricks and kinds of best card side by side, for each trick, place and size.
    side_by_side = np.moveaxis(play, (0, 4, 5), (-3, -2, -1)).reshape(2, 2, SIZES, KINDS, -1)
    first = side_by_side[..., 0]
    is_shared = (side_by_side == first[..., None]).all(axis=-1)
    shared = np.where(is_shared, first, np.int16(-1)).astype(np.int16)
    return np.ascontiguousarray(play.reshape(len(play), -1)), shared


def words_vary(shared: npt.NDArray[np.int16], most_in: int) -> bool:
    """Whether, with up to so many players in, any word is not shared by all."""
    return bool((shared[:, :, 2 : most_in + 1] < 0).any())


def encode(rules: Rules, tables: Tables, pot: int) -> Game:
    """Put rules, compiled policies and a pot into numbers.

    Parameters
    ----------
    rules : Rules
        The rules played by.
    tables : Tables
        One policy a seat, compiled for these rules and this pot.
    pot : int
        Units in the pot when play begins.

    Returns
    -------
    Game
    """
    players = tables.players
    play, shared = encode_play(tables.play)
    settings = encode_rules(rules)
    settings[PLAYERS] = players
    settings[ALL_STAND] = rules.force_on_single and pot == rules.single_pot(players)
    settings[POT] = pot
    settings[LOO] = rules.loo_units(pot)
    settings[WORDS_VARY] = words_vary(shared, players)
    settings[PLAYS_DRAW] = np.any(tables.play_draws)
    return Game(
        settings=settings,
        rows=np.array(tables.rows, dtype=np.uint8, order="C"),
        row_of=np.array(tables.row_of, dtype=np.uint32).reshape(1, 1, players, 2 * players),
        kind_of=np.zeros(players, dtype=np.uint8),
        mixtures=np.array(tables.mixtures, dtype=np.uint64).reshape(-1, 3),
        draws=np.array(tables.announce_draws + 2 * np.asarray(tables.play_draws), dtype=np.uint8),
        play=play,
        shared_word=shared.ravel(),
        class_of=hand_classes(rules.deck).class_of.astype(np.uint16),
    )


def encode_cell(cell: Cell) -> Game:
    """Put a cell of an experiment whose pot and seats stay the same into numbers."""
    from loo_sim.policies.compile import compile_tables

    tables = compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    return encode(cell.rules, tables, cell.pot)
