"""Entry kernels of sight: what playing the cards otherwise is worth to one player in.

Somebody whose every word is `random` plays the legal card that comes first in the random ranks of
his cards (see `contests`). All six orders of three cards, with both of the two that are left, are
tried: that is an exact search of his three tricks, the others playing by their words. The best of
them is what he could win if he saw all cards; the mean of them is what legal cards drawn at random
win.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.announcing import ACTION_BITS, PREFERENCE
from loo_sim.kernels.batch import (
    LANES,
    RANKS_OF_ORDER,
    SECOND_TRICK_SHIFT,
    announce_all,
    deal_batch,
    make_scratch,
)
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.contests import TALLY, WINNER, fill, play_tricks
from loo_sim.kernels.counting import count_tricks
from loo_sim.kernels.game import (
    DEFEND,
    LEAD,
    LOO,
    PLAYERS,
    PLAYS_DRAW,
    POT,
    RANDOM_WORD,
    SEAT_BITS,
    WORDS_VARY,
    Game,
)
from loo_sim.kernels.settling import net_units

ORDERS = np.concatenate([RANKS_OF_ORDER, RANKS_OF_ORDER | np.uint8(1 << SECOND_TRICK_SHIFT)])
"""Random ranks of a seat's cards: every order of three, each with both of the two left."""
TRIES = 12
SUMS = 7
RANDOM_LEAD = 2
"""The word `random` of the kind `lead`, which is a number and no order."""
STOOD = np.int64(1)


def sighted(game: Game, seat: int) -> Game:
    """The game in which the words of one seat are all `random`.

    Parameters
    ----------
    game : Game
        One whose words are all other than `random`.
    seat : int
        The seat.
    """
    play = game.play.copy()
    play[seat] = RANDOM_WORD
    play[seat].reshape(-1, LEAD + 1)[:, LEAD] = RANDOM_LEAD
    settings = game.settings.copy()
    settings[WORDS_VARY] = settings[PLAYS_DRAW] = 1
    return game._replace(
        play=play, settings=settings, shared_word=np.full_like(game.shared_word, -1)
    )


@inner
def lanes_with(seat, s, slots, lanes, k):
    """List the lanes with `k` players in, `seat` among them and not defending, and its slots."""
    found = 0
    for place in range(s.start[k], s.start[k + 1]):
        lane = s.order[place]
        for slot in range(k):
            who = s.entry_in[slot, lane]
            if (who & SEAT_BITS) == seat and (who >> ACTION_BITS) != DEFEND:
                lanes[found] = lane
                slots[found] = slot
                found += 1
    return found


@inner
def win(game, k, lanes, slots, s, value):
    """Play contests; the net of the player in the slot of each, in units."""
    m = lanes.size
    c = s.contest
    play_tricks(game, k, lanes, s)
    tricks = c[TALLY + 1, :m]
    count_tricks(c[WINNER, :m], c[WINNER + 1, :m], c[WINNER + 2, :m], slots, tricks)
    for place in range(m):
        value[place] = net_units(
            game.settings[POT], game.settings[LOO], STOOD, np.int64(tricks[place])
        )


@entry
def run_sight(game, seeing, seat, seed, first, count, s, lanes, slots, value, sums):
    """Sum what a seat wins by its words, by the best cards, and by any; see `sum_sight`."""
    base, tried, best, total = value[0], value[1], value[2], value[3]
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        announce_all(game, n, s)
        for k in range(2, game.settings[PLAYERS] + 1):
            m = lanes_with(seat, s, slots, lanes, k)
            if m == 0:
                continue
            win(game, k, lanes[:m], slots[:m], s, base)
            fill(best[:m], np.int64(-(2**62)))
            fill(total[:m], np.int64(0))
            for ranks in ORDERS:
                fill(s.row[PREFERENCE + seat, :n], ranks)
                win(seeing, k, lanes[:m], slots[:m], s, tried)
                for place in range(m):
                    best[place] = max(best[place], tried[place])
                    total[place] += tried[place]
            for place in range(m):
                more = best[place] - base[place]
                drawn = total[place] - TRIES * base[place]
                sums[k, 0] += 1
                sums[k, 1] += base[place]
                sums[k, 2] += base[place] * base[place]
                sums[k, 3] += more
                sums[k, 4] += more * more
                sums[k, 5] += drawn
                sums[k, 6] += drawn * drawn


@entry
def run_otherwise(game, other, seat, seed, first, count, s, lanes, slots, value, sums):
    """Sum what a seat wins more by other words; see `sum_otherwise`."""
    base, changed = value[0], value[1]
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        announce_all(game, n, s)
        for k in range(2, game.settings[PLAYERS] + 1):
            m = lanes_with(seat, s, slots, lanes, k)
            if m == 0:
                continue
            win(game, k, lanes[:m], slots[:m], s, base)
            win(other, k, lanes[:m], slots[:m], s, changed)
            for place in range(m):
                more = changed[place] - base[place]
                sums[0] += more
                sums[1] += more * more


def sum_otherwise(
    game: Game,
    other: Game,
    seat: int,
    seed: int,
    first: int,
    count: int,
    sums: npt.NDArray[np.int64],
) -> None:
    """Sum what a seat wins more by other words of play, all else as it is, over deals.

    Parameters
    ----------
    game, other : Game
        The same but for the words of play of the seat, none of which may be `random`.
    seat : int
        The seat.
    seed, first, count : int
        Seed, number of the first deal, deals.
    sums : int64 (2,)
        Modified in place: units that it wins more, and their squares.
    """
    lanes, slots = np.zeros(LANES, np.uint16), np.zeros(LANES, np.uint8)
    value = np.zeros((2, LANES), np.int64)
    run_otherwise(
        *(game, other, np.int64(seat), np.uint64(seed), np.uint64(first), count),
        *(make_scratch(), lanes, slots, value, sums),
    )


def sum_sight(
    game: Game, seat: int, seed: int, first: int, count: int, sums: npt.NDArray[np.int64]
) -> None:
    """Sum what a seat wins if it plays its cards otherwise, all else as it is.

    Parameters
    ----------
    game : Game
        The game; no word of it may be `random`.
    seat : int
        The seat.
    seed, first, count : int
        Seed, number of the first deal, deals.
    sums : int64 (17, 7)
        Modified in place, by players in, over the deals in which the seat is in and does not
        defend: their number; its net in units; what the best cards win more than its words; twelve
        times what cards drawn at random win more; after each of the three the squares of it.
    """
    lanes, slots = np.zeros(LANES, np.uint16), np.zeros(LANES, np.uint8)
    value = np.zeros((4, LANES), np.int64)
    run_sight(
        *(game, sighted(game, seat), np.int64(seat), np.uint64(seed), np.uint64(first), count),
        *(make_scratch(), lanes, slots, value, sums),
    )
