"""The plain way to what `announce` finds: each alternative of each seat as a deal of its own.

It plays with the kernels of `announce` and counts what they count, but one seat and one
announcement in a deal: the benchmark measures it, nothing else uses it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.announcing import FORCED, OPENING, RESULT, SAID, SITUATION, announce
from loo_sim.kernels.batch import LANES, deal_batch, make_scratch
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.contests import fill
from loo_sim.kernels.counting import ONE, TAKES_MISS, ZERO, tally, value_of
from loo_sim.kernels.game import PLAYERS, Game


@entry
def run_alternative(game, seat, action, seed, first, count, s, counts):
    """Count what one announcement of one seat leads to; see `count_alternative`."""
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        situation = s.row[SITUATION, :n]
        fill(situation, OPENING)
        for before in range(seat):
            announce(game, before, s, situation, s.row[SAID, :n])
        value_of(game, seat, action, n, s, s.row[RESULT + action, :n])
        count_results(game, seat, action, n, s, counts)


@inner
def count_results(game, seat, action, n, s, counts):
    """Add the results of an announcement to the counts of its situations and hands."""
    dealer = seat == game.settings[PLAYERS] - 1
    offset = seat * (seat + 1)
    # As in `counting.count_seat`: first where, and then all additions one after another.
    place, found = s.words[0], np.int64(0)
    _, classes, results = counts.shape
    for lane in range(n):
        situation = s.row[SITUATION, lane]
        hand = game.class_of[s.index[seat + 1, lane]]
        cell = (offset + np.int64(situation)) * classes + np.int64(hand)
        place[found] = cell * results + np.int64(s.row[RESULT + action, lane])
        silent = (s.row[FORCED, lane] != ZERO) | (dealer & (situation <= OPENING))
        gone = (action == TAKES_MISS) & (situation & ONE == ZERO)
        found += np.int64(not (silent | gone))
    tally(place[:found], counts.reshape(counts.size))


def count_alternative(
    game: Game,
    seat: int,
    action: int,
    seed: int,
    first: int,
    count: int,
    counts: npt.NDArray[np.uint32],
) -> None:
    """Count what one announcement of one seat leads to in consecutive deals.

    Parameters
    ----------
    game : Game
        The game.
    seat, action : int
        The seat; `STAND`, or `MISS`, which is not counted where the miss is gone.
    seed, first : int
        Seed, and number of the first deal, 0 to 2**64 - 1.
    count : int
        Deals.
    counts : uint32 (players (players + 1), classes, 5)
        Modified in place: deals by situation and hand class, as `count_announcements` has them,
        and result.
    """
    run_alternative(
        game, np.int64(seat), np.int64(action), np.uint64(seed), np.uint64(first), count,
        make_scratch(), counts,
    )  # fmt: skip
