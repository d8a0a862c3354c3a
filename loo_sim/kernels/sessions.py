"""Entry kernels for sessions: many tables side by side, the pot carried from deal to deal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.draws import TABLE_DEALS, TABLE_STREAM
from loo_sim.kernels.announcing import FORCED, PERSON
from loo_sim.kernels.batch import (
    LANES,
    NO_SHIFT,
    announce_all,
    draw_choices,
    make_scratch,
    sort_by_number,
)
from loo_sim.kernels.compiled import entry, entry_that_makes, inner, inner_that_makes
from loo_sim.kernels.contests import play_tricks
from loo_sim.kernels.dealing import deal
from loo_sim.kernels.game import MAX_SEATS, PLAYERS, RANKS, Game
from loo_sim.kernels.philox import block_words
from loo_sim.kernels.purses import (
    AT_TABLE,
    BANKROLL,
    CAPPED,
    CLEAN_DEALS,
    CONTESTANTS,
    DEALS,
    FORCE_ON_SINGLE,
    GAP,
    HIGHEST,
    LONGEST,
    LOOED,
    LOOED_LAST,
    LOOS,
    LOWEST,
    NEED,
    PEOPLE,
    PLACE,
    PLAY_ON,
    PLAYED,
    PLAYED_BY,
    POT,
    POT_SQUARES,
    POT_SUM,
    PURSE,
    SEAT_NET,
    SINGLE_POTS,
    SPLIT,
    STILL_THERE,
    TRICKS,
    TURN,
    Tables,
    begin_deal,
    end_deal,
    make_tables,
    settle,
    share_pot,
    single_pot,
    sit_down,
    take_pots,
)
from loo_sim.kernels.seating import draw_orders
from loo_sim.kernels.sums import BINS, MOMENTS, add_moment, bin_of

DEALS_OF_TABLE = np.uint64(TABLE_DEALS)
"""The number of a deal is its table times this, and its place in the session."""
PATH_POINTS = 128
"""Most deals of a session at which the distribution of the pot is kept."""
MOST_GAP = 256
"""Gaps between clean deals are counted one by one below this."""

TABLE_TOTALS = 9
TOTAL_SUM, TOTAL_SINGLE, TOTAL_CLEAN, TOTAL_LOOS, TOTAL_LONGEST, TOTAL_LEFT, TOTAL_PLAYED = range(7)
TOTAL_SQUARES, TOTAL_MEETS_CAP = 7, 8
"""Rows of the moments of a table: sum of pots, single pots, clean deals, loos, longest run without
a clean deal, units left in the pot, deals played, sum of squares, whether a loo met the cap."""
BY_PERSON = 7
FINAL, LOW, RANGE, TIMES_LOOED, TRICKS_WON, NET_OF_SEAT, IS_OUT = (
    TABLE_TOTALS + MAX_SEATS * row for row in range(BY_PERSON)
)
"""First rows of the moments of a person or seat, in units: purse at the end, lowest, highest less
lowest; then times looed, tricks, net of the seat, whether the person is out."""
OF_KIND = TABLE_TOTALS + MAX_SEATS * BY_PERSON
"""First row of the moments of a kind of policy: the sum of its people's purses at the end."""
MOMENT_ROWS = OF_KIND + MAX_SEATS


class SessionGame(NamedTuple):
    """What the session kernels are told.

    Attributes
    ----------
    game : Game
        Rules and policies; the kernel changes `settings[PLAYERS]`, so each thread has its own.
    terms : int64 (TERMS,)
        The terms of the session (see `purses`).
    bounds : int64 (17, bounds)
        By number of players, pots in units at which the next class of pots begins.
    class_base : int64 (17,)
        By number of players, the first of its classes in `game.row_of`.
    bankrolls : int64 (bankrolls,)
        Units; for each it is counted who would have been ruined.
    """

    game: Game
    terms: npt.NDArray[np.int64]
    bounds: npt.NDArray[np.int64]
    class_base: npt.NDArray[np.int64]
    bankrolls: npt.NDArray[np.int64]


class SessionCounts(NamedTuple):
    """What tables came to, in whole numbers.

    Attributes
    ----------
    moments : int64 (MOMENT_ROWS, MOMENTS)
        Sums over tables.
    paths : int64 (PATH_POINTS, BINS, 2)
        By deal and bin of the pot when play begins: tables, and units above the bin's start.
    purses : int64 (2, 16, 2 BINS, 2)
        The same of each person's purse at the end and lowest purse, below zero first.
    ruined : int64 (16, bankrolls)
        Tables at which a person would have been ruined.
    gaps : int64 (MOST_GAP + 1,)
        Runs of deals from one clean deal to the next, by length; the last counts all longer ones.
    longest : int64 (MOST_GAP + 1,)
        Tables by most deals in a row in which somebody was looed.
    tables : int64 (2,)
        Tables; tables that met the bound of deals after the last.
    """

    moments: npt.NDArray[np.int64]
    paths: npt.NDArray[np.int64]
    purses: npt.NDArray[np.int64]
    ruined: npt.NDArray[np.int64]
    gaps: npt.NDArray[np.int64]
    longest: npt.NDArray[np.int64]
    tables: npt.NDArray[np.int64]


def no_tables(bankrolls: int) -> SessionCounts:
    """Counts of no tables."""
    return SessionCounts(
        moments=np.zeros((MOMENT_ROWS, MOMENTS), np.int64),
        paths=np.zeros((PATH_POINTS, BINS, 2), np.int64),
        purses=np.zeros((2, MAX_SEATS, 2 * BINS, 2), np.int64),
        ruined=np.zeros((MAX_SEATS, bankrolls), np.int64),
        gaps=np.zeros(MOST_GAP + 1, np.int64),
        longest=np.zeros(MOST_GAP + 1, np.int64),
        tables=np.zeros(2, np.int64),
    )


@inner_that_makes
def begin_tables(terms, seed, first, n, s, t):
    """Seat the people of tables `first` to ``first + n - 1`` and draw the first dealers (S4)."""
    for lane in range(n):
        s.number[lane] = (first + np.uint64(lane)) * DEALS_OF_TABLE
    words = s.words[0, :n]
    block_words(
        seed, s.number[:n], np.uint64(TABLE_STREAM), np.uint64(0),
        words, s.words[1, :n], s.words[2, :n], s.words[3, :n],
    )  # fmt: skip
    sit_down(terms, words, n, t)
    policies = terms[CONTESTANTS]
    if policies == 0:
        for person in range(terms[PEOPLE]):
            t.byte[:n, PLAYED_BY + person] = person
        return
    order = np.empty((policies, n), np.uint8)
    draw_orders(seed, s.number[:n], s.words, order)
    for person in range(terms[PEOPLE]):
        t.byte[:n, PLAYED_BY + person] = order[(person + terms[TURN]) % policies]


@inner
def begin_deals(terms, n, t):
    """Begin a deal at each table at which play is not over."""
    for table in range(n):
        t.money[table, GAP] = 0
        if t.money[table, AT_TABLE]:
            begin_deal(terms, table, t)


@inner
def end_clean_tables(n, t):
    """End play where nobody was looed in the last deal; the number of tables that play on."""
    playing = np.int64(0)
    for table in range(n):
        if t.money[table, LOOED_LAST] == 0:
            t.money[table, AT_TABLE] = 0
        playing += np.int64(t.money[table, AT_TABLE] > 0)
    return playing


@inner
def end_table(terms, table, t):
    """Share the pot where the rules say so."""
    if terms[SPLIT]:
        share_pot(table, t)


@inner
def bound_met(terms, n, t):
    """Tables that played on to the bound without a clean deal."""
    met = np.int64(0)
    if terms[PLAY_ON]:
        for table in range(n):
            met += np.int64((t.money[table, AT_TABLE] > 0) & (t.money[table, LOOED_LAST] > 0))
    return met


@inner
def play_deals(session, seed, first, number, n, s, t):
    """Play deal `number` of each table at which play is not over (S17).

    Parameters
    ----------
    session : SessionGame
        The game.
    seed, first : uint64
        Seed, and number of the table in lane 0.
    number : int
        Place of the deal in the session.
    n : int
        Tables.
    s, t : Scratch, Tables
        Modified in place.
    """
    game, terms = session.game, session.terms
    sort_by_number(t.money[:n, AT_TABLE], NO_SHIFT, t.order, t.start, s.place)
    for players in range(2, terms[PEOPLE] + 1):
        group = t.order[t.start[players] : t.start[players + 1]]
        m = group.size
        if m == 0:
            continue
        game.settings[PLAYERS] = players
        come_to_table(group, first, np.uint64(number), players, s, t)
        class_pots(session.bounds[players], session.class_base[players], m, s, t)
        deal(seed, m, players + 1, game.settings[RANKS], s)
        draw_choices(game, seed, m, s)
        if terms[FORCE_ON_SINGLE]:
            force_on_single(single_pot(terms, players), m, s, t)
        announce_all(game, m, s)
        take_pots(s.order[: s.start[2]], s, t)
        for k in range(2, players + 1):
            lanes = s.order[s.start[k] : s.start[k + 1]]
            if lanes.size > 0:
                play_tricks(game, k, lanes, s)
                settle(terms, k, lanes, s, t)
        for lane in range(m):
            end_deal(terms, players, t.table[lane], t)


@inner
def come_to_table(group, first, number, players, s, t):
    """Give each table a lane: its deal's number, and who plays in each seat."""
    for lane in range(group.size):
        table = group[lane]
        t.table[lane] = table
        s.number[lane] = (first + np.uint64(table)) * DEALS_OF_TABLE + number
    for seat in range(players):
        for lane in range(group.size):
            table = t.table[lane]
            s.row[PERSON + seat, lane] = t.byte[table, PLAYED_BY + t.byte[table, PLACE + seat]]


@inner
def class_pots(bounds, base, m, s, t):
    """The class of the pot in each lane: the number of bounds up to it."""
    for lane in range(m):
        pot = t.money[t.table[lane], POT]
        above = base
        for bound in bounds:
            above += np.int64(pot >= bound)
        s.pot_class[lane] = above


@inner
def force_on_single(single, m, s, t):
    """Mark the deals in which a single pot makes everyone stand."""
    for lane in range(m):
        if t.money[t.table[lane], POT] == single:
            s.row[FORCED, lane] = 1


@inner
def count_signed(units, bins):
    """Count a purse, which may be below zero."""
    place, above = bin_of(abs(units))
    place = BINS + place if units >= 0 else BINS - 1 - place
    bins[place, 0] += 1
    bins[place, 1] += above


@inner
def count_pots(point, n, t, paths):
    """Count the pots with which play of a deal began."""
    for table in range(n):
        if t.money[table, AT_TABLE]:
            place, above = bin_of(t.money[table, POT])
            paths[point, place, 0] += 1
            paths[point, place, 1] += above


@inner
def count_table(session, table, t, out):
    """Count what a table came to."""
    terms, moments, money, people = session.terms, out.moments, t.money, t.people
    deals = money[table, PLAYED]
    add_moment(moments[TOTAL_SUM], money[table, POT_SUM], deals)
    add_moment(moments[TOTAL_SINGLE], money[table, SINGLE_POTS], deals)
    add_moment(moments[TOTAL_CLEAN], money[table, CLEAN_DEALS], deals)
    add_moment(moments[TOTAL_LOOS], money[table, LOOS], deals)
    add_moment(moments[TOTAL_LONGEST], money[table, LONGEST], deals)
    add_moment(moments[TOTAL_LEFT], money[table, POT], deals)
    add_moment(moments[TOTAL_PLAYED], deals, deals)
    add_moment(moments[TOTAL_SQUARES], money[table, POT_SQUARES], deals)
    add_moment(moments[TOTAL_MEETS_CAP], np.int64(money[table, CAPPED] > 0), deals)
    out.longest[min(money[table, LONGEST], MOST_GAP)] += 1
    for person in range(terms[PEOPLE]):
        final, low = people[table, person, PURSE], people[table, person, LOWEST]
        add_moment(moments[FINAL + person], final, deals)
        add_moment(moments[LOW + person], low, deals)
        add_moment(moments[RANGE + person], people[table, person, HIGHEST] - low, deals)
        add_moment(moments[TIMES_LOOED + person], people[table, person, LOOED], deals)
        add_moment(moments[TRICKS_WON + person], people[table, person, TRICKS], deals)
        add_moment(moments[NET_OF_SEAT + person], people[table, person, SEAT_NET], deals)
        is_out = np.int64(t.left_at[table, person] != STILL_THERE)
        add_moment(moments[IS_OUT + person], is_out, deals)
        count_signed(final, out.purses[0, person])
        count_signed(low, out.purses[1, person])
        need = people[table, person, NEED] + max(terms[BANKROLL], 0)
        for j in range(session.bankrolls.size):
            out.ruined[person, j] += np.int64(need > session.bankrolls[j])
    kind_of = session.game.kind_of
    for kind in range(MAX_SEATS):
        together, any_of_kind = np.int64(0), False
        for person in range(terms[PEOPLE]):
            if kind_of[person] == kind:
                together += people[table, person, PURSE]
                any_of_kind = True
        if any_of_kind:
            add_moment(moments[OF_KIND + kind], together, deals)


@entry
def run_tables(session, seed, first, count, s, t, out):
    """Play whole sessions at consecutive tables and count what came of them; see `count_tables`."""
    terms = session.terms
    deals = terms[DEALS]
    every = (deals + PATH_POINTS - 1) // PATH_POINTS
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        table0 = first + np.uint64(done)
        begin_tables(terms, seed, table0, n, s, t)
        for number in range(deals + terms[PLAY_ON]):
            if number >= deals and end_clean_tables(n, t) == 0:
                break
            begin_deals(terms, n, t)
            if number < deals and number % every == 0:
                count_pots(number // every, n, t, out.paths)
            play_deals(session, seed, table0, number, n, s, t)
            for table in range(n):
                if t.money[table, GAP]:
                    out.gaps[min(t.money[table, GAP], MOST_GAP)] += 1
        for table in range(n):
            end_table(terms, table, t)
            if terms[CONTESTANTS] == 0:
                count_table(session, table, t, out)
        out.tables[0] += n
        out.tables[1] += bound_met(terms, n, t)


@entry_that_makes
def run_kept_tables(session, seed, first, count, s, t, money, people, byte):
    """Play sessions and keep all tables after every deal; see `keep_tables`."""
    terms = session.terms
    begin_tables(terms, seed, first, count, s, t)
    for number in range(terms[DEALS] + terms[PLAY_ON]):
        if number >= terms[DEALS] and end_clean_tables(count, t) == 0:
            break
        begin_deals(terms, count, t)
        play_deals(session, seed, first, number, count, s, t)
        for table in range(count):
            money[number, table] = t.money[table]
            people[number, table] = t.people[table]
            byte[number, table] = t.byte[table]
    for table in range(count):
        end_table(terms, table, t)


def count_tables(
    session: SessionGame, seed: int, first: int, count: int, counts: SessionCounts
) -> None:
    """Play whole sessions at consecutive tables and count what came of them.

    Parameters
    ----------
    session : SessionGame
        The game.
    seed, first : int
        Seed, 0 to 2**64 - 1, and number of the first table, 0 to 2**32 - 1.
    count : int
        Tables.
    counts : SessionCounts
        Modified in place.
    """
    run_tables(
        own(session), np.uint64(seed), np.uint64(first), count,
        make_scratch(), make_tables(), counts,
    )  # fmt: skip


class Purses(NamedTuple):
    """What people end with, and who played for them.

    Attributes
    ----------
    units : int64 (tables, people)
        Each person's purse, his share of the pot included where it is shared.
    played_by : uint8 (tables, people)
        The policy that played for him.
    """

    units: npt.NDArray[np.int64]
    played_by: npt.NDArray[np.uint8]


def final_purses(session: SessionGame, turn: int, seed: int, first: int, count: int) -> Purses:
    """Play whole sessions of a league at consecutive tables.

    Parameters
    ----------
    session, seed, first, count
        As for `count_tables`.
    turn : int
        Which turn of the policies is played (see `seating`).
    """
    session = own(session)
    session.terms[TURN] = turn
    people = int(session.terms[PEOPLE])
    units, played_by = np.empty((count, people), np.int64), np.empty((count, people), np.uint8)
    s, t, unread = make_scratch(), make_tables(), no_tables(session.bankrolls.size)
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        run_tables(session, np.uint64(seed), np.uint64(first + done), n, s, t, unread)
        units[done : done + n] = t.people[:n, :people, PURSE]
        played_by[done : done + n] = t.byte[:n, PLAYED_BY : PLAYED_BY + people]
    return Purses(units, played_by)


def own(session: SessionGame) -> SessionGame:
    """The game with settings of its own, which the kernel changes as people leave, and terms."""
    settings = session.game.settings.copy()
    game = session.game._replace(settings=settings)
    return session._replace(game=game, terms=session.terms.copy())


class KeptTables(NamedTuple):
    """Tables after every deal and at their end.

    Attributes
    ----------
    money, people, byte : int64, int64, uint8 (deals, tables, places)
        As in `purses.Tables`, after each deal.
    at_end : Tables
        The same once the pots were shared, if they were.
    """

    money: npt.NDArray[np.int64]
    people: npt.NDArray[np.int64]
    byte: npt.NDArray[np.uint8]
    at_end: Tables


def keep_tables(session: SessionGame, seed: int, first: int, count: int) -> KeptTables:
    """Play sessions at up to `LANES` consecutive tables and keep every deal, for tests.

    Parameters
    ----------
    session, seed, first, count
        As for `count_tables`.
    """
    most = int(session.terms[DEALS] + session.terms[PLAY_ON])
    t = make_tables()
    money = np.zeros((most, count, t.money.shape[1]), np.int64)
    people = np.zeros((most, count, *t.people.shape[1:]), np.int64)
    byte = np.zeros((most, count, t.byte.shape[1]), np.uint8)
    run_kept_tables(
        own(session), np.uint64(seed), np.uint64(first), count,
        make_scratch(), t, money, people, byte,
    )  # fmt: skip
    return KeptTables(money, people, byte, t)
