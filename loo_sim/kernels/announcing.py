"""Announcing in lanes: seats speak in order, each by a look-up of (situation, hand).

A lane's *situation* is the number 2 standers + miss_free. Whoever is in takes the next slot of his
lane, so that the players in end up in slots 0 to k - 1 in the order in which they will play. A slot
holds an *entry*: who is in it by what announcement, the byte seat + 16 action.
"""

from __future__ import annotations

import numpy as np

from loo_sim.kernels.compiled import inner, merged
from loo_sim.kernels.game import (
    ACTION_SHIFT,
    ALL_STAND,
    CLUB_LAW,
    DEFEND,
    FOLD,
    MAX_SEATS,
    MISS,
    PEOPLE_MOVE,
    PLAYERS,
    SILENT,
    STAND,
)

OPENING = np.uint8(1)
"""The situation of the first to speak: nobody in, the miss there."""
ZERO, MIXED = np.uint8(0), np.uint8(4)
"""Row values from here up name mixtures."""
FEW_MIXTURES = 8
"""Up to so many are resolved one after another, registers of lanes together."""
NOTHING, LEAST = np.uint64(0), np.uint64(1)
ONE = np.uint8(1)
ACTION_BITS = np.uint8(ACTION_SHIFT)
"""Bits of an entry below its announcement: the seat."""
ENTRY = MAX_SEATS
"""Row of `entry_in` for the entry of the seat that speaks, behind those of the slots."""
FORCED, SITUATION, SITUATION_IF, SAID, NEXT_SAID = range(5)
"""Byte rows of a batch: whether everyone must stand; the situation, as played and with one
announcement changed; what a seat says, and the seat next to the one that changed its mind."""
RESULT = 4
"""What one seat's alternatives lead to: rows `RESULT` + `STAND`, `RESULT` + `MISS`."""
ACTION, PREFERENCE, KIND = 7, 23, 39
"""First byte rows of what each seat announced, of the random ranks of its cards, and, where people
change seats, of the kind of policy of the person in it."""
BATCH_ROWS = KIND + MAX_SEATS
SAYS_FOLD, SAYS_STAND, SAYS_MISS = np.uint8(FOLD), np.uint8(STAND), np.uint8(MISS)
SAYS_DEFEND, SAYS_NOTHING = np.uint8(DEFEND), np.uint8(SILENT)
STEP_IN, STEP_MISS, STEP_OUT = np.uint8(2), np.uint8(1), np.uint8(0)


@inner
def announce(game, seat, s, situation, said):
    """Let one seat announce by its policy in every lane.

    Parameters
    ----------
    game : Game
        The game.
    seat : int
        The seat that speaks.
    s : Scratch
        `index`, `announce_word` and the row `FORCED` are read; `entry_in` is filled.
    situation : uint8 (n,)
        Modified in place: from before the seat speaks to after.
    said : uint8 (n,)
        Modified in place: what the seat announced.
    """
    settings = game.settings
    if settings[ALL_STAND]:
        stand_everywhere(said)
    else:
        say(game, seat, s, situation, said)
        if settings[CLUB_LAW] | settings[PEOPLE_MOVE]:
            stand_where_forced(s.row[FORCED, : said.size], said)
    if seat == settings[PLAYERS] - 1:
        say_nothing_alone(situation, said)
    enter(seat, s.entry_in, situation, said)


@merged
def say(game, seat, s, situation, said):
    """What a seat says by its policy, as if it were free to."""
    n = said.size
    index = s.index[seat + 1, :n]
    if game.settings[PEOPLE_MOVE]:
        row = s.words[0, :n]
        find_rows(game.row_of, seat, s.pot_class[:n], s.row[KIND + seat, :n], row)
        look_up_from(game.rows, game.row_of.reshape(game.row_of.size), row, index, situation, said)
    elif heeds_hand_alone(game.row_of[0, 0, seat], seat):
        look_up_hand(game.rows[game.row_of[0, 0, seat, OPENING]], index, said)
    else:
        look_up(game.rows, game.row_of[0, 0, seat], index, situation, said)
    if game.draws[seat] & 1:
        draw_actions(game.mixtures, s.announce_word[seat, :n], said)


@inner
def announce_as(game, seat, action, s, situation, said):
    """Let one seat announce `action` in every lane; it stands where the miss is gone."""
    for lane in range(said.size):
        said[lane] = np.uint8(action) if situation[lane] & 1 else SAYS_STAND
    enter(seat, s.entry_in, situation, said)


@inner
def heeds_hand_alone(row_of, seat):
    """Whether all situations that a seat may speak in have one row: whatever others said."""
    for situation in range(OPENING + ONE, 2 * (seat + 1)):
        if row_of[situation] != row_of[OPENING]:
            return False
    return True


@inner
def look_up_hand(row, index, said):
    """What the policy says where it heeds the hand alone: half the loads of `look_up`."""
    for lane in range(said.size):
        said[lane] = row[index[lane]]


@inner
def look_up(rows, row_of, index, situation, said):
    """What the policy says: one load from the row of the situation."""
    for lane in range(said.size):
        said[lane] = rows[row_of[situation[lane]], index[lane]]


@inner
def find_rows(row_of, seat, pot_class, kind, first):
    """Where the seat's rows begin, in lanes that have a pot and a kind of policy of their own."""
    _, kinds, seats, situations = row_of.shape
    by_class, by_kind = np.uint32(kinds * seats * situations), np.uint32(seats * situations)
    of_seat = np.uint32(seat * situations)
    for lane in range(first.size):
        row = np.uint32(np.uint32(pot_class[lane] * by_class) + np.uint32(kind[lane] * by_kind))
        first[lane] = np.uint32(row + of_seat)


@inner
def look_up_from(rows, row_of, first, index, situation, said):
    """As `look_up`, where each lane has a first row of its own."""
    for lane in range(said.size):
        said[lane] = rows[row_of[np.uint32(first[lane] + situation[lane])], index[lane]]


@inner
def draw_actions(mixtures, word, said):
    """Resolve mixtures by a 32-bit word: fold, stand, miss or defend, in this order.

    An action's number is that of the thresholds that the word passes.
    """
    if mixtures.shape[0] <= FEW_MIXTURES:
        for number in range(mixtures.shape[0]):
            fold, stand, miss = mixtures[number]
            passed = np.uint8(np.uint8(fold == NOTHING) + np.uint8(stand == NOTHING))
            passed = np.uint8(passed + np.uint8(miss == NOTHING))
            draw_mixture(
                word, np.uint8(MIXED + np.uint8(number)), passed,
                np.uint32(fold - LEAST), np.uint32(stand - LEAST), np.uint32(miss - LEAST), said,
            )  # fmt: skip
    else:
        draw_any_mixture(mixtures, word, said)


@inner
def draw_mixture(word, mixed, passed, fold, stand, miss, said):
    """Resolve one mixture where it is said.

    Thresholds are one less here, so that 2**32 is a number of 32 bits, of which a register holds
    twice as many as of 64. Those of 0, which any word passes, are in `passed`.
    """
    for lane in range(said.size):
        what, x = said[lane], word[lane]
        drawn = np.uint8(np.uint8(x > fold) + np.uint8(x > stand))
        drawn = np.uint8(np.uint8(drawn + np.uint8(x > miss)) + passed)
        said[lane] = drawn if what == mixed else what


@inner
def draw_any_mixture(mixtures, word, said):
    """Resolve whichever mixture is said, lane by lane.

    There is no branch, since none of them could be foreseen; where nothing is mixed, the first
    mixture is looked at for nothing.
    """
    for lane in range(said.size):
        what, x = said[lane], np.uint64(word[lane])
        mixed = what >= MIXED
        m = np.uint8(what - MIXED) if mixed else ZERO
        drawn = np.uint8(x >= mixtures[m, 0]) + np.uint8(x >= mixtures[m, 1])
        drawn = np.uint8(drawn + np.uint8(x >= mixtures[m, 2]))
        said[lane] = drawn if mixed else what


@inner
def stand_everywhere(said):
    """Single pots, where all are: everyone stands, whatever his policy says."""
    for lane in range(said.size):
        said[lane] = SAYS_STAND


@inner
def stand_where_forced(forced, said):
    """Club law, single pots: everyone stands."""
    for lane in range(said.size):
        x = said[lane]
        said[lane] = SAYS_STAND if forced[lane] else x


@inner
def say_nothing_alone(situation, said):
    """S7: a dealer before whom everyone folded says nothing."""
    for lane in range(said.size):
        x = said[lane]
        said[lane] = SAYS_NOTHING if situation[lane] <= OPENING else x


@inner
def enter(seat, entry_in, situation, said):
    """Put the seat into the next slot, which only counts if it is in; step the situation.

    All lanes are gone through for each slot that may be the next: that takes registers, where a
    store to the slot of each lane would take the lanes one by one.
    """
    n = said.size
    entry = entry_in[ENTRY, :n]
    name(said, np.uint8(seat), entry)
    for slot in range(seat + 1):
        put(entry, situation, np.uint8(slot), entry_in[slot, :n])
    step(said, situation)


@inner
def name(said, seat, entry):
    """The entry of the seat that speaks."""
    for lane in range(entry.size):
        entry[lane] = np.uint8(seat | np.uint8(said[lane] << ACTION_BITS))


@inner
def put(entry, situation, slot, row):
    """Write the entries into the row of a slot, where it is the next."""
    for lane in range(row.size):
        x, y = entry[lane], row[lane]
        row[lane] = x if np.uint8(situation[lane] >> ONE) == slot else y


@inner
def step(said, situation):
    """One more stander where the seat is in; the miss gone where it took it."""
    for lane in range(said.size):
        situation[lane] = np.uint8(situation[lane] + change(said[lane]))


@inner
def step_back(said, situation):
    """The situation before the seat spoke, from that after it."""
    for lane in range(said.size):
        situation[lane] = np.uint8(situation[lane] - change(said[lane]))


@inner
def change(action):
    """What an announcement adds to the situation: 2 if it is in, less 1 if it took the miss."""
    is_in = (action != SAYS_FOLD) & (action != SAYS_NOTHING)
    more = STEP_IN if is_in else STEP_OUT
    less = STEP_MISS if action == SAYS_MISS else STEP_OUT
    return np.uint8(more - less)
