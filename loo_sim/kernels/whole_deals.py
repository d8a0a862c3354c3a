"""Entry kernel that keeps every deal whole, for holding the kernels to the referee."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.announcing import ACTION, FORCED
from loo_sim.kernels.batch import LANES, announce_all, deal_batch, make_scratch
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.contests import PLAYED, SLOTS, WINNER, play_tricks
from loo_sim.kernels.game import (
    ACTION_SHIFT,
    DEFEND,
    LOO,
    PLAYERS,
    POT,
    SEAT_BITS,
    SILENT,
    WHOLE_POT,
    Game,
)
from loo_sim.kernels.settling import TRICKS, net_units, pot_after


class WholeDeals(NamedTuple):
    """Every field of consecutive deals.

    Attributes
    ----------
    turn_up : uint8 (deals,)
        Place of the turn-up in the pack, by suit and then by rank.
    hand : uint32 (deals, players + 1)
        Cards of the miss, seat 0, seat 1, ...: three card codes, the first dealt lowest.
    forced : bool (deals,)
        Whether everyone had to stand.
    action : uint8 (deals, players)
        Announcements; `SILENT` for a dealer who said nothing.
    played : int8 (deals, 3, players)
        Card code that each seat played in each trick, -1 for none.
    winner : int8 (deals, 3)
        Seat that won each trick, -1 where nothing was played.
    tricks : uint8 (deals, players)
        Tricks won.
    net : int64 (deals, players)
        Units.
    pot_after : int64 (deals,)
        Units.
    """

    turn_up: npt.NDArray[np.uint8]
    hand: npt.NDArray[np.uint32]
    forced: npt.NDArray[np.bool_]
    action: npt.NDArray[np.uint8]
    played: npt.NDArray[np.int8]
    winner: npt.NDArray[np.int8]
    tricks: npt.NDArray[np.uint8]
    net: npt.NDArray[np.int64]
    pot_after: npt.NDArray[np.int64]


@entry
def run_whole_deals(game, seed, first, count, s, out):
    """Play consecutive deals and keep all of them; see `play_deals`."""
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        keep_batch(game, done, n, s, out)


@entry
def keep_batch(game, done, n, s, out):
    """Play `n` deals that lie dealt in `s`, and keep them from place `done` on."""
    players = game.settings[PLAYERS]
    pot, loo = game.settings[POT], game.settings[LOO]
    announce_all(game, n, s)
    for lane in range(n):
        deal = done + lane
        out.turn_up[deal] = s.turn_up[lane]
        out.forced[deal] = s.row[FORCED, lane] != 0
        for seat in range(players + 1):
            out.hand[deal, seat] = s.hand[seat, lane]
        for seat in range(players):
            out.action[deal, seat] = s.row[ACTION + seat, lane]
    for place in range(s.start[2]):
        lane = s.order[place]
        # A silent dealer is in slot 0 too, where nobody came in.
        seat = s.entry_in[0, lane] & SEAT_BITS
        out.net[done + lane, seat] = net_units(pot, loo, SILENT, WHOLE_POT)
        out.pot_after[done + lane] = pot_after(pot, loo, 1, 0, 0)
    for k in range(2, players + 1):
        lanes = s.order[s.start[k] : s.start[k + 1]]
        if lanes.size > 0:
            play_tricks(game, k, lanes, s)
            for place in range(lanes.size):
                keep_contest(game.settings, done, k, place, lanes[place], s, out)


@inner
def keep_contest(settings, done, k, place, lane, s, out):
    """Keep a deal that was played, with its settlement."""
    c = s.contest
    pot, loo = settings[POT], settings[LOO]
    deal = done + lane
    turned = np.int64(c[WINNER, place])
    defended = 0
    looed = 0
    for slot in range(k):
        who = s.entry_in[slot, lane]
        seat, action = who & SEAT_BITS, who >> ACTION_SHIFT
        later = slot - turned if slot >= turned else slot - turned + k
        out.played[deal, 0, seat] = np.int8(c[PLAYED + slot, place])
        out.played[deal, 1, seat] = np.int8(c[PLAYED + SLOTS + later, place])
        out.played[deal, 2, seat] = np.int8(c[PLAYED + 2 * SLOTS + later, place])
        tricks = 0
        for trick in range(TRICKS):
            if c[WINNER + trick, place] == slot:
                tricks += 1
                out.winner[deal, trick] = np.int8(seat)
        out.tricks[deal, seat] = tricks
        out.net[deal, seat] = net_units(pot, loo, action, tricks)
        if action == DEFEND:
            defended = 1 + tricks
        elif tricks == 0:
            looed += 1
    out.pot_after[deal] = pot_after(pot, loo, k, defended, looed)


def no_deals(game: Game, count: int) -> WholeDeals:
    """Room for `count` deals of a game."""
    players = int(game.settings[PLAYERS])
    return WholeDeals(
        turn_up=np.zeros(count, np.uint8),
        hand=np.zeros((count, players + 1), np.uint32),
        forced=np.zeros(count, np.bool_),
        action=np.zeros((count, players), np.uint8),
        played=np.full((count, TRICKS, players), -1, np.int8),
        winner=np.full((count, TRICKS), -1, np.int8),
        tricks=np.zeros((count, players), np.uint8),
        net=np.zeros((count, players), np.int64),
        pot_after=np.zeros(count, np.int64),
    )


def play_deals(game: Game, seed: int, first: int, count: int) -> WholeDeals:
    """Play consecutive deals and keep all of them.

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
    WholeDeals
    """
    out = no_deals(game, count)
    run_whole_deals(game, np.uint64(seed), np.uint64(first), count, make_scratch(), out)
    return out
