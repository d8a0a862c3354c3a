"""Entry kernel that sums: what a seat's announcements are worth, by its situation and hand.

`counting` counts results, from which every figure follows; here values are summed at once, which
takes a tenth of the memory, and a pot that is left may count as well.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.announcing import (
    ACTION,
    FORCED,
    NEXT_SAID,
    OPENING,
    RESULT,
    SAID,
    SITUATION,
    SITUATION_IF,
    announce,
    enter,
    step_back,
)
from loo_sim.kernels.batch import (
    LANES,
    STANDERS_SHIFT,
    Scratch,
    deal_batch,
    sort_by_number,
)
from loo_sim.kernels.compiled import entry, inner, merged
from loo_sim.kernels.contests import TALLY, WHO, WINNER, fill, play_tricks
from loo_sim.kernels.counting import (
    STANDS,
    TAKES_MISS,
    add_to_pot,
    answer,
    count_tricks,
    play_none_where_gone,
    play_none_where_next_had,
    play_out,
)
from loo_sim.kernels.game import (
    DEFEND,
    FOLD,
    LOO,
    MAX_SEATS,
    PLAYERS,
    PLAYS_DRAW,
    POT,
    WORDS_VARY,
    Game,
)
from loo_sim.kernels.settling import net_units, pot_after

ALTERNATIVES = 4
"""Fold, stand, miss and defend, by their numbers."""
SUMS, MOMENTS = 4, 10
"""Columns of sums: the deals and the three gains; with the six products of two gains."""
LOOED = MAX_SEATS + 1
FOLDS, DEFENDS = np.int64(FOLD), np.int64(DEFEND)
LONE, NOBODY_DEFENDS = np.int64(1), np.int64(0)
NOBODY = np.uint8(MAX_SEATS)
ZERO = np.uint8(0)


@entry
def run_alternatives(game, carry, seed, first, count, s, value, sums):
    """Sum what each seat's alternatives are worth; see `sum_alternatives`."""
    settings = game.settings
    players = settings[PLAYERS]
    all_play_alike = (settings[WORDS_VARY] | settings[PLAYS_DRAW]) == 0
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        situation = s.row[SITUATION, :n]
        fill(situation, OPENING)
        for seat in range(players):
            announce(game, seat, s, situation, s.row[ACTION + seat, :n])
        # The last seat first, whose results then lie there for the seat before it.
        for seat in range(players - 1, -1, -1):
            step_back(s.row[ACTION + seat, :n], situation)
            if carry:
                value_with_carry(game, seat, n, s, value)
            else:
                value_of_deal(game, seat, all_play_alike, n, s, value)
            add_gains(game, seat, n, s, value, sums)


@merged
def value_of_deal(game, seat, all_play_alike, n, s, value):
    """Net of each alternative of a seat, in units: folding and defending neither win nor lose."""
    situation_if = s.row[SITUATION_IF, :n]
    stand, miss = s.row[RESULT + STANDS, :n], s.row[RESULT + TAKES_MISS, :n]
    answer(game, seat, STANDS, n, s)
    play_out(game, n, s, stand)
    answer(game, seat, TAKES_MISS, n, s)
    if all_play_alike & (seat < game.settings[PLAYERS] - 1):
        said = s.row[ACTION + seat, :n]
        play_none_where_next_had(said, s.row[NEXT_SAID, :n], situation_if)
    play_out(game, n, s, miss)
    settle(game, STANDS, stand, value[STANDS, :n])
    settle(game, TAKES_MISS, miss, value[TAKES_MISS, :n])
    fill(value[FOLDS, :n], np.int64(0))
    fill(value[DEFENDS, :n], np.int64(0))


@inner
def settle(game, action, result, value):
    """Net of a result in every lane, in units."""
    pot, loo = game.settings[POT], game.settings[LOO]
    for lane in range(value.size):
        value[lane] = net_units(pot, loo, action, np.int64(result[lane]))


@inner
def value_with_carry(game, seat, n, s, value):
    """Net and part of the pot that is left, of each alternative, in units a player."""
    dealer = game.settings[PLAYERS] - 1
    for action in range(ALTERNATIVES):
        fill(value[action, :n], np.int64(0))
        if action == DEFENDS and seat < dealer:
            continue
        answer_by(game, seat, action, n, s)
        if action == TAKES_MISS:
            play_none_where_gone(s.row[SITUATION, :n], s.row[SITUATION_IF, :n])
        settle_played(game, seat, action, n, s, value[action, :n])


@inner
def answer_by(game, seat, action, n, s):
    """Let `seat` announce `action` in every lane, whether it may or not, and the others answer."""
    situation, situation_if = s.row[SITUATION, :n], s.row[SITUATION_IF, :n]
    said = s.row[SAID, :n]
    for lane in range(n):
        situation_if[lane] = situation[lane]
    fill(said, np.uint8(action))
    enter(seat, s.entry_in, situation_if, said)
    for later in range(seat + 1, game.settings[PLAYERS]):
        announce(game, later, s, situation_if, said)


@inner
def settle_played(game, seat, action, n, s, value):
    """Play what was answered, and settle; where nobody is in the value stays as it was."""
    settings = game.settings
    players, pot, loo = settings[PLAYERS], settings[POT], settings[LOO]
    situation, situation_if = s.row[SITUATION, :n], s.row[SITUATION_IF, :n]
    sort_by_number(situation_if, STANDERS_SHIFT, s.order, s.start, s.place)
    if action != FOLDS:
        for place in range(s.start[1], s.start[2]):
            value[s.order[place]] = players * pot
    c = s.contest
    for k in range(2, players + 1):
        lanes = s.order[s.start[k] : s.start[k + 1]]
        m = lanes.size
        if m == 0:
            continue
        play_tricks(game, k, lanes, s)
        slots, tricks, left = c[TALLY, :m], c[TALLY + 1, :m], c[TALLY + 2, :m]
        fill(left, ZERO)
        for slot in range(k):
            fill(slots, np.uint8(slot))
            count_tricks(c[WINNER, :m], c[WINNER + 1, :m], c[WINNER + 2, :m], slots, tricks)
            add_to_pot(c[WHO + slot, :m], tricks, left)
        for place in range(m):
            slots[place] = situation[lanes[place]] >> 1 if action != FOLDS else NOBODY
        count_tricks(c[WINNER, :m], c[WINNER + 1, :m], c[WINNER + 2, :m], slots, tricks)
        for place in range(m):
            defended, looed = divmod(np.int64(left[place]), LOOED)
            net = net_units(pot, loo, action, np.int64(tricks[place]))
            value[lanes[place]] = players * net + pot_after(pot, loo, k, defended, looed)


@inner
def add_gains(game, seat, n, s, value, sums):
    """Add what a seat's alternatives gain on folding to the sums of its situations and hands."""
    dealer = seat == game.settings[PLAYERS] - 1
    offset = seat * (seat + 1)
    columns = sums.shape[2]
    fold, stand = value[FOLDS], value[STANDS]
    miss, defend = value[TAKES_MISS], value[DEFENDS]
    for lane in range(n):
        situation = s.row[SITUATION, lane]
        if (s.row[FORCED, lane] != ZERO) | (dealer & (situation <= OPENING)):
            continue
        free = (situation & 1) != 0
        by_standing = stand[lane] - fold[lane]
        by_miss = miss[lane] - fold[lane] if free else np.int64(0)
        by_defending = defend[lane] - fold[lane] if free & dealer else np.int64(0)
        row = sums[offset + np.int64(situation), game.class_of[s.index[seat + 1, lane]]]
        row[0] += 1
        row[1] += by_standing
        row[2] += by_miss
        row[3] += by_defending
        if columns == MOMENTS:
            row[4] += by_standing * by_standing
            row[5] += by_miss * by_miss
            row[6] += by_defending * by_defending
            row[7] += by_standing * by_miss
            row[8] += by_standing * by_defending
            row[9] += by_miss * by_defending


def sum_alternatives(
    game: Game,
    carry: bool,
    seed: int,
    first: int,
    count: int,
    s: Scratch,
    sums: npt.NDArray[np.int64],
) -> None:
    """Sum what each seat's announcements gain on folding, over consecutive deals.

    Parameters
    ----------
    game : Game
        The game.
    carry : bool
        Whether a pot that is left counts for each player as much as for any other. Values are then
        in units times players, else in units.
    seed, first : int
        Seed, and number of the first deal, 0 to 2**64 - 1.
    count : int
        Deals.
    s : Scratch
        Work rows.
    sums : int64 (players (players + 1), classes, `SUMS` or `MOMENTS`)
        Modified in place, by situation (seat (seat + 1) + 2 standers + miss_free) and class of
        hand: deals in which the seat spoke freely there; sums over them of what standing, the miss
        and defending gain on folding, each as if it were legal, 0 where there is no miss to take;
        sums of their products: stand stand, miss miss, defend defend, stand miss, stand defend,
        miss defend.
    """
    value = np.zeros((ALTERNATIVES, LANES), np.int64)
    run_alternatives(game, carry, np.uint64(seed), np.uint64(first), count, s, value, sums)
