"""Entry kernels: deal, announce, play and count consecutive deals, some lanes at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.draws import ORDERS_OF_THREE
from loo_sim.kernels.announcing import (
    ACTION,
    BATCH_ROWS,
    ENTRY,
    FORCED,
    OPENING,
    PREFERENCE,
    RESULT,
    SAID,
    SITUATION,
    SITUATION_IF,
    STAND_RESULT,
    WHO_SHIFT,
    announce,
    announce_as,
)
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.contests import (
    CONTEST_ROWS,
    TALLY,
    WHO,
    WINNER,
    A,
    B,
    C,
    fill,
    play_tricks,
)
from loo_sim.kernels.contests import PREFERENCE as CONTEST_PREFERENCE
from loo_sim.kernels.dealing import deal
from loo_sim.kernels.game import (
    ACTION_SHIFT,
    ACTIONS,
    ALL_STAND,
    CLUB_LAW,
    DEFEND,
    FOLD,
    MAX_SEATS,
    MISS,
    NO_MISS,
    PLAYERS,
    PLAYS_DRAW,
    RANKS,
    RESULTS,
    SEAT_BITS,
    SILENT,
    STAND,
    WHOLE_POT,
    Game,
)
from loo_sim.kernels.philox import block_words, draw_below

LANES = 1024
"""Deals side by side: enough to fill the registers, few enough to stay in the caches."""
REGISTER = 64
"""Lanes of a byte in the widest vector register."""
DEFENCES = 5
LOOED = MAX_SEATS + 1
CLUBS = 0
SECOND_TRICK_SHIFT = 6
SHIFT_A, SHIFT_B, SHIFT_C = np.uint32(0), np.uint32(8), np.uint32(16)
BYTE = np.uint32(255)
TRICK_SHIFT = np.uint8(2)
"""A player and what came of his contest are one byte: tricks + 4 seat + 64 action."""
DEFENDS = np.uint8(DEFEND)
U8_ACTION_SHIFT = np.uint8(ACTION_SHIFT)
ZERO, ONE, SEVENTEEN = np.uint8(0), np.uint8(1), np.uint8(LOOED)

RANKS_OF_ORDER = np.array(
    [sum(order.index(place) << (2 * place) for place in range(3)) for order in ORDERS_OF_THREE],
    dtype=np.uint8,
)
"""For each order of three cards, the rank of each place in it, two bits each."""
ORDERS, ORDERS_OF_TWO = np.uint64(6), np.uint64(2)


class Scratch(NamedTuple):
    """Work rows of a batch, a lane a deal; allocated once a call.

    Attributes
    ----------
    words : uint32 (4, lanes)
        One block of random words.
    draw, card : int8 (52, lanes), (51, lanes)
        Draws less one; live card numbers, then card codes.
    turn_up : uint8 (lanes,)
        Place of the turn-up in the pack.
    index : uint16 (17, lanes)
        Hand index of the miss, seat 0, seat 1, ...
    hand : uint32 (17, lanes)
        Cards of the miss, seat 0, ...: three codes, the first dealt lowest.
    announce_word : uint32 (16, lanes)
        Word that each seat draws its announcement from.
    entry_in : uint32 (17, lanes)
        Entry of the player in each slot (see `announcing`); the last row is a work row.
    row : uint8 (BATCH_ROWS, lanes)
        Bytes of a deal, at the rows that `announcing` names.
    order, start : int64 (lanes,), (18,)
        Lanes sorted by number of players in; where each number starts.
    contest : uint8 (CONTEST_ROWS, lanes)
        Rows of `contests`, a lane a contest.
    """

    words: npt.NDArray[np.uint32]
    draw: npt.NDArray[np.int8]
    card: npt.NDArray[np.int8]
    turn_up: npt.NDArray[np.uint8]
    index: npt.NDArray[np.uint16]  # type: ignore[assignment]
    hand: npt.NDArray[np.uint32]
    announce_word: npt.NDArray[np.uint32]
    entry_in: npt.NDArray[np.uint32]
    row: npt.NDArray[np.uint8]
    order: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    contest: npt.NDArray[np.uint8]


def make_scratch() -> Scratch:
    """Work rows for `LANES` deals."""
    hands = MAX_SEATS + 1
    return Scratch(
        words=np.zeros((4, LANES), np.uint32),
        draw=np.zeros((3 * hands + 1, LANES), np.int8),
        card=np.zeros((3 * hands, LANES), np.int8),
        turn_up=np.zeros(LANES, np.uint8),
        index=np.zeros((hands, LANES), np.uint16),
        hand=np.zeros((hands, LANES), np.uint32),
        announce_word=np.zeros((MAX_SEATS, LANES), np.uint32),
        entry_in=np.zeros((MAX_SEATS + 1, LANES), np.uint32),
        row=np.zeros((BATCH_ROWS, LANES), np.uint8),
        order=np.zeros(LANES, np.int64),
        start=np.zeros(MAX_SEATS + 2, np.int64),
        contest=np.zeros((CONTEST_ROWS, LANES), np.uint8),
    )


@inner
def deal_batch(settings, draws, seed, first, n, s):
    """Deal `n` deals and draw what their choices need."""
    players, ranks = settings[PLAYERS], settings[RANKS]
    deal(
        seed, first, n, players + 1, ranks,
        s.words, s.draw, s.card, s.turn_up, s.index, s.hand,
    )  # fmt: skip
    force(s.turn_up[:n], settings[ALL_STAND], settings[CLUB_LAW] * ranks, s.row[FORCED, :n])
    for seat in range(players):
        if draws[seat]:
            one, other, spare = s.words[0, :n], s.words[1, :n], s.words[2, :n]
            stream = np.uint64(seat + 1)
            block_words(
                seed, first, stream, np.uint64(0), s.announce_word[seat, :n], one, other, spare
            )
            rank_cards(one, other, s.row[PREFERENCE + seat, :n])


@inner
def force(turn_up, all_stand, clubs, forced):
    """Mark the deals in which everyone must stand: all, or those whose turn-up is below `clubs`."""
    for lane in range(forced.size):
        forced[lane] = np.uint8(all_stand | (turn_up[lane] < clubs))


@inner
def rank_cards(one, other, preference):
    """Random ranks of a seat's cards: of all three for trick 1, of the two left for trick 2."""
    for lane in range(preference.size):
        order = RANKS_OF_ORDER[draw_below(one[lane], ORDERS)]
        later = draw_below(other[lane], ORDERS_OF_TWO) << np.uint64(SECOND_TRICK_SHIFT)
        preference[lane] = np.uint8(np.uint64(order) | later)


@inner
def sort_by_players_in(situation, order, start):
    """Sort the lanes by their number of players in.

    Parameters
    ----------
    situation : uint8 (n,)
        2 standers + miss_free.
    order, start : int64 (lanes,), (18,)
        Modified in place: lanes of k players in are `order[start[k] : start[k + 1]]`.
    """
    start[:] = 0
    for lane in range(situation.size):
        start[(situation[lane] >> 1) + 1] += 1
    for k in range(1, start.size):
        start[k] += start[k - 1]
    # Filling moves each start to its end; shifting by one place puts them back.
    for lane in range(situation.size):
        k = situation[lane] >> 1
        order[start[k]] = lane
        start[k] += 1
    for k in range(start.size - 1, 0, -1):
        start[k] = start[k - 1]
    start[0] = 0


@inner
def play_batch(game, k, lanes, s):
    """Play the contests of some lanes, all with `k` players in, side by side in `s.contest`.

    Parameters
    ----------
    game : Game
        The game.
    k : int
        Players in, at least 2.
    lanes : int64 (n,)
        Lanes whose slots hold the contests.
    s : Scratch
        Work rows.
    """
    n = lanes.size
    c = s.contest
    settings = game.settings
    entry = s.entry_in[ENTRY, :n]
    for slot in range(k):
        gather(s.entry_in[slot], lanes, entry)
        unpack(entry, SHIFT_A, c[A + slot])
        unpack(entry, SHIFT_B, c[B + slot])
        unpack(entry, SHIFT_C, c[C + slot])
        unpack(entry, WHO_SHIFT, c[WHO + slot])
        if settings[PLAYS_DRAW]:
            prefer(s.row, c[WHO + slot], lanes, c[CONTEST_PREFERENCE + slot])
    # Whole registers: what is computed beyond n is not looked at.
    padded = (n + REGISTER - 1) // REGISTER * REGISTER
    play_tricks(settings, game.play, game.shared_word, padded, k, c)


@inner
def gather(row, lanes, out):
    """The values of some lanes side by side."""
    for place in range(lanes.size):
        out[place] = row[lanes[place]]


@inner
def unpack(entry, shift, row):
    """One byte of each entry."""
    for place in range(entry.size):
        row[place] = np.uint8(np.uint32(entry[place] >> shift) & BYTE)


@inner
def prefer(rows, who, lanes, out):
    """Random ranks of the cards of whoever is in the slot."""
    for place in range(lanes.size):
        out[place] = rows[PREFERENCE + (who[place] & SEAT_BITS), lanes[place]]


@inner
def announce_all(game, n, s):
    """Let every seat announce, and sort the lanes by their number of players in."""
    situation = s.row[SITUATION, :n]
    fill(situation, OPENING)
    for seat in range(game.settings[PLAYERS]):
        announce(game, seat, s, situation, s.row[ACTION + seat, :n])
    sort_by_players_in(situation, s.order, s.start)


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
        defends = np.uint8(who[place] >> U8_ACTION_SHIFT) == DEFENDS
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
        deal_batch(game.settings, game.draws, seed, first + np.uint64(done), n, s)
        announce_all(game, n, s)
        # A silent dealer is in slot 0 too, where nobody came in; his action tells him apart.
        for place in range(s.start[2]):
            fates[1, s.entry_in[0, s.order[place]] >> WHO_SHIFT] += 1
        pots[1, 0] += s.start[2]
        for k in range(2, game.settings[PLAYERS] + 1):
            lanes = s.order[s.start[k] : s.start[k + 1]]
            m = lanes.size
            if m == 0:
                continue
            play_batch(game, k, lanes, s)
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
        Deals by players in, defence (0 none, else 1 + tricks of the defender) and number looed.
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
    situation, situation_if, said = s.row[SITUATION, :n], s.row[SITUATION_IF, :n], s.row[SAID, :n]
    for lane in range(n):
        situation_if[lane] = situation[lane]
    announce_as(game, seat, action, s, situation_if, said)
    for later in range(seat + 1, game.settings[PLAYERS]):
        announce(game, later, s, situation_if, said)
    if action == MISS:
        # Nobody in: where the miss is gone there is nothing to play.
        for lane in range(n):
            if not situation[lane] & 1:
                situation_if[lane] = 0
    sort_by_players_in(situation_if, s.order, s.start)
    for place in range(s.start[1], s.start[2]):
        result[s.order[place]] = WHOLE_POT
    c = s.contest
    for k in range(2, game.settings[PLAYERS] + 1):
        lanes = s.order[s.start[k] : s.start[k + 1]]
        m = lanes.size
        if m == 0:
            continue
        play_batch(game, k, lanes, s)
        slots, tricks = c[TALLY, :m], c[TALLY + 1, :m]
        for place in range(m):
            slots[place] = situation[lanes[place]] >> 1
        count_tricks(c[WINNER, :m], c[WINNER + 1, :m], c[WINNER + 2, :m], slots, tricks)
        for place in range(m):
            result[lanes[place]] = tricks[place]


@inner
def count_seat(game, seat, n, s, counts):
    """Add the results of one seat's alternatives to the counts of its situations and hands."""
    dealer = seat == game.settings[PLAYERS] - 1
    offset = seat * (seat + 1)
    for lane in range(n):
        situation = s.row[SITUATION, lane]
        if s.row[FORCED, lane] or (dealer and situation <= OPENING):
            continue
        hand = game.class_of[s.index[seat + 1, lane]]
        miss = s.row[RESULT, lane] if situation & 1 else NO_MISS
        counts[offset + situation, hand, s.row[STAND_RESULT, lane], miss] += np.uint32(1)


@entry
def run_announcements(game, seed, first, count, s, counts):
    """Count what each seat's alternatives lead to; see `count_announcements`."""
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game.settings, game.draws, seed, first + np.uint64(done), n, s)
        situation = s.row[SITUATION, :n]
        fill(situation, OPENING)
        for seat in range(game.settings[PLAYERS]):
            value_of(game, seat, STAND, n, s, s.row[STAND_RESULT, :n])
            value_of(game, seat, MISS, n, s, s.row[RESULT, :n])
            count_seat(game, seat, n, s, counts)
            announce(game, seat, s, situation, s.row[ACTION + seat, :n])


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
