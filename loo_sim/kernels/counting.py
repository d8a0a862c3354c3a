"""Entry kernels that count: outcomes of deals, and what each seat's alternatives lead to."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.announcing import (
    ACTION,
    ACTION_BITS,
    FORCED,
    NEXT_SAID,
    OPENING,
    RESULT,
    SAID,
    SAYS_DEFEND,
    SAYS_FOLD,
    SITUATION,
    SITUATION_IF,
    announce,
    announce_as,
    step_back,
)
from loo_sim.kernels.batch import (
    LANES,
    STANDERS_SHIFT,
    announce_all,
    deal_batch,
    make_scratch,
    sort_by_number,
)
from loo_sim.kernels.compiled import entry, inner, merged
from loo_sim.kernels.contests import TALLY, WHO, WINNER, copy, fill, play_tricks
from loo_sim.kernels.game import (
    ACTIONS,
    FOLD,
    MAX_SEATS,
    MISS,
    NO_MISS,
    PLAYERS,
    PLAYS_DRAW,
    RESULTS,
    SILENT,
    STAND,
    WHOLE_POT,
    WORDS_VARY,
    Game,
)

DEFENCES = 5
LOOED = MAX_SEATS + 1
TRICK_SHIFT = np.uint8(2)
"""A player and what came of his contest are one byte: tricks + 4 seat + 64 action."""
STANDS, TAKES_MISS = np.int64(STAND), np.int64(MISS)
ZERO, ONE, SEVENTEEN = np.uint8(0), np.uint8(1), np.uint8(LOOED)


@inner
def count_tricks(first, second, third, slot, tricks):
    """Tricks that the slot named in each lane won."""
    for place in range(tricks.size):
        x = slot[place]
        one = np.uint8(np.uint8(first[place] == x) + np.uint8(second[place] == x))
        tricks[place] = np.uint8(one + np.uint8(third[place] == x))


@inner
def fate(who, tricks, outcome):
    """A player and his tricks in one byte, over the tricks."""
    for place in range(outcome.size):
        outcome[place] = np.uint8(np.uint8(who[place] << TRICK_SHIFT) | tricks[place])


@inner
def add_to_pot(who, tricks, pot):
    """Count a player into what came of the pot: 1 more looed, or 17 (1 + his tricks) defended."""
    for place in range(pot.size):
        x, y = tricks[place], pot[place]
        defends = np.uint8(who[place] >> ACTION_BITS) == SAYS_DEFEND
        looed = ONE if x == ZERO else ZERO
        pot[place] = np.uint8(y + (np.uint8(SEVENTEEN * np.uint8(x + ONE)) if defends else looed))


@inner
def tally(row, counts):
    """Count the values of a row."""
    for place in range(row.size):
        counts[row[place]] += 1


@entry
def run_deals(game, seed, first, count, s, fates, pots):
    """Count the outcomes of consecutive deals; see `count_deals`.

    Parameters
    ----------
    game : Game
        The game.
    seed, first : uint64
        Seed, and number of the first deal.
    count : int
        Deals.
    s : Scratch
        Work rows.
    fates : int64 (2, 256)
        Modified in place: players in contests by (tricks + 4 seat + 64 action), and players who
        took the whole pot by (seat + 16 action).
    pots : int64 (17, 256)
        Modified in place: deals by players in, and by (looed + 17 defence).
    """
    c = s.contest
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        announce_all(game, n, s)
        # A silent dealer is in slot 0 too, where nobody came in; his action tells him apart.
        for place in range(s.start[2]):
            fates[1, s.entry_in[0, s.order[place]]] += 1
        pots[0, 0] += s.start[1]
        pots[1, 0] += s.start[2] - s.start[1]
        for k in range(2, game.settings[PLAYERS] + 1):
            lanes = s.order[s.start[k] : s.start[k + 1]]
            m = lanes.size
            if m == 0:
                continue
            play_tricks(game, k, lanes, s)
            slots, tricks, pot = c[TALLY, :m], c[TALLY + 1, :m], c[TALLY + 2, :m]
            fill(pot, ZERO)
            for slot in range(k):
                who = c[WHO + slot, :m]
                fill(slots, np.uint8(slot))
                count_tricks(c[WINNER, :m], c[WINNER + 1, :m], c[WINNER + 2, :m], slots, tricks)
                add_to_pot(who, tricks, pot)
                fate(who, tricks, slots)
                tally(slots, fates[0])
            tally(pot, pots[k])


def count_deals(
    game: Game, seed: int, first: int, count: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Count the outcomes of consecutive deals.

    Parameters
    ----------
    game : Game
        The game.
    seed, first : int
        Seed, and number of the first deal, 0 to 2**64 - 1.
    count : int
        Deals.

    Returns
    -------
    seat_counts : int64 (players, 5, 5)
        Deals by seat, announcement (`FOLD` ... `SILENT`) and result (tricks, or `WHOLE_POT`).
    pot_counts : int64 (17, 5, 17)
        Deals by players in (0: all folded before the dealer), defence (0 none, else 1 + tricks of
        the defender) and number looed.
    """
    players = int(game.settings[PLAYERS])
    fates = np.zeros((2, 256), np.int64)
    pots = np.zeros((MAX_SEATS + 1, 256), np.int64)
    run_deals(game, np.uint64(seed), np.uint64(first), count, make_scratch(), fates, pots)
    seat_counts = np.zeros((players, ACTIONS, RESULTS), np.int64)
    contests = fates[0].reshape(4, MAX_SEATS, 4)[:, :players]
    seat_counts[:, :SILENT, :WHOLE_POT] = contests.swapaxes(0, 1)
    lone = fates[1, : ACTIONS * MAX_SEATS].reshape(ACTIONS, MAX_SEATS)[:, :players]
    seat_counts[:, :, WHOLE_POT] = lone.T
    seat_counts[:, FOLD, 0] = count - seat_counts.sum(axis=(1, 2))
    return seat_counts, pots[:, : DEFENCES * LOOED].reshape(-1, DEFENCES, LOOED)


@inner
def count_seat(game, seat, n, s, counts):
    """Add the results of one seat's alternatives to the counts of its situations and hands.

    Where they are to be added is found first: the counts lie all over the memory, and additions one
    after another wait for it together.
    """
    dealer = seat == game.settings[PLAYERS] - 1
    offset = seat * (seat + 1)
    # The row of random words is free by now.
    place, found = s.words[0], np.int64(0)
    _, classes, stands, misses = counts.shape
    for lane in range(n):
        situation = s.row[SITUATION, lane]
        hand = game.class_of[s.index[seat + 1, lane]]
        miss = s.row[RESULT + TAKES_MISS, lane] if situation & 1 else NO_MISS
        stand = s.row[RESULT + STANDS, lane]
        cell = (offset + np.int64(situation)) * classes + np.int64(hand)
        place[found] = (cell * stands + np.int64(stand)) * misses + np.int64(miss)
        silent = (s.row[FORCED, lane] != ZERO) | (dealer & (situation <= OPENING))
        found += np.int64(not silent)
    tally(place[:found], counts.reshape(counts.size))


@merged
def value_of(game, seat, action, n, s, result):
    """Result of `seat` if it announces `action`, the others answering by their policies.

    Parameters
    ----------
    game, seat, n, s : Game, int, int, Scratch
        The batch, announced up to `seat`.
    action : int
        `STAND` or `MISS`.
    result : uint8 (n,)
        Modified in place: 0 to 3 tricks, or `WHOLE_POT`; as it was where the miss is gone.
    """
    answer(game, seat, action, n, s)
    play_out(game, n, s, result)


@inner
def answer(game, seat, action, n, s):
    """Let `seat` announce `action` and the others answer; nobody is in where the miss is gone."""
    situation, situation_if = s.row[SITUATION, :n], s.row[SITUATION_IF, :n]
    players = game.settings[PLAYERS]
    copy(situation, situation_if)
    announce_as(game, seat, action, s, situation_if, s.row[SAID, :n])
    for later in range(seat + 1, players):
        said = s.row[NEXT_SAID if later == seat + 1 else SAID, :n]
        announce(game, later, s, situation_if, said)
    if action == TAKES_MISS:
        play_none_where_gone(situation, situation_if)


@inner
def play_out(game, n, s, result):
    """Play what was answered; where nobody is in the result stays as it was."""
    situation, situation_if = s.row[SITUATION, :n], s.row[SITUATION_IF, :n]
    sort_by_number(situation_if, STANDERS_SHIFT, s.order, s.start, s.place)
    for place in range(s.start[1], s.start[2]):
        result[s.order[place]] = WHOLE_POT
    c = s.contest
    for k in range(2, game.settings[PLAYERS] + 1):
        lanes = s.order[s.start[k] : s.start[k + 1]]
        m = lanes.size
        if m == 0:
            continue
        play_tricks(game, k, lanes, s)
        slots, tricks = c[TALLY, :m], c[TALLY + 1, :m]
        for place in range(m):
            slots[place] = situation[lanes[place]] >> 1
        count_tricks(c[WINNER, :m], c[WINNER + 1, :m], c[WINNER + 2, :m], slots, tricks)
        for place in range(m):
            result[lanes[place]] = tricks[place]


@inner
def play_none_where_gone(situation, situation_if):
    """Empty the table where the miss is gone: nobody can take it, so there is nothing to play."""
    for lane in range(situation.size):
        x = situation_if[lane]
        situation_if[lane] = x if situation[lane] & ONE else ZERO


@inner
def play_none_where_next_had(said, next_said, situation_if):
    """Empty the table where the next seat, had it taken the miss, was in the very same contest.

    So it was where the seat in fact folds, and the next does once the seat has taken the miss: the
    same others answer, and the miss is played between the same of them.
    """
    for lane in range(said.size):
        both_fold = (said[lane] == SAYS_FOLD) & (next_said[lane] == SAYS_FOLD)
        x = situation_if[lane]
        situation_if[lane] = ZERO if both_fold else x


@entry
def run_announcements(game, seed, first, count, s, counts):
    """Count what each seat's alternatives lead to; see `count_announcements`."""
    settings = game.settings
    players = settings[PLAYERS]
    all_play_alike = (settings[WORDS_VARY] | settings[PLAYS_DRAW]) == 0
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        situation = s.row[SITUATION, :n]
        stand, miss = s.row[RESULT + STANDS, :n], s.row[RESULT + TAKES_MISS, :n]
        fill(situation, OPENING)
        for seat in range(players):
            announce(game, seat, s, situation, s.row[ACTION + seat, :n])
        # The last seat first, whose results then lie there for the seat before it.
        for seat in range(players - 1, -1, -1):
            said = s.row[ACTION + seat, :n]
            step_back(said, situation)
            value_of(game, seat, STANDS, n, s, stand)
            answer(game, seat, TAKES_MISS, n, s)
            if all_play_alike & (seat < players - 1):
                play_none_where_next_had(said, s.row[NEXT_SAID, :n], s.row[SITUATION_IF, :n])
            play_out(game, n, s, miss)
            count_seat(game, seat, n, s, counts)


def count_announcements(
    game: Game, seed: int, first: int, count: int, counts: npt.NDArray[np.uint32]
) -> None:
    """Count what standing and taking the miss lead to, for every seat of consecutive deals.

    Parameters
    ----------
    game : Game
        The game.
    seed, first : int
        Seed, and number of the first deal, 0 to 2**64 - 1.
    count : int
        Deals.
    counts : uint32 (players (players + 1), classes, 5, 6)
        Modified in place: deals by situation (seat (seat + 1) + 2 standers + miss_free), hand
        class, result of standing, and result of taking the miss (`NO_MISS` where it is gone).
    """
    run_announcements(game, np.uint64(seed), np.uint64(first), count, make_scratch(), counts)
