"""Entry kernels for sessions: many tables side by side, the pot carried from deal to deal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.draws import TABLE_DEALS, TABLE_STREAM
from loo_sim.kernels.announcing import FORCED, KIND, WHO_SHIFT
from loo_sim.kernels.batch import NO_SHIFT, announce_all, draw_choices, make_scratch, sort_by_number
from loo_sim.kernels.compiled import entry, inner, merged
from loo_sim.kernels.contests import TALLY, WHO, WINNER, copy, fill, play_tricks
from loo_sim.kernels.counting import count_tricks
from loo_sim.kernels.dealing import deal
from loo_sim.kernels.game import ACTION_SHIFT, DEFEND, MAX_SEATS, PLAYERS, RANKS, SEAT_BITS, Game
from loo_sim.kernels.philox import block_words
from loo_sim.kernels.purses import (
    ANTE,
    AT_TABLE,
    BANKROLL,
    CAPPED,
    CHAIR,
    CLEAN_DEALS,
    CONTESTANTS,
    DEALER,
    DEALER_STAKE,
    DEALS,
    DEFENDED_SHIFT,
    FIRST,
    FORCE_ON_SINGLE,
    GAP,
    HIGHEST,
    IS_LOOED,
    KIND_OF,
    LONGEST,
    LOOED,
    LOOED_LAST,
    LOOS,
    LOWEST,
    MONEY,
    NEED,
    NO_LIMIT,
    NOTHING,
    OUTCOME,
    PEOPLE,
    PERSON_ROWS,
    PLAY_ON,
    PLAYED,
    PLAYED_BY,
    POT,
    POT_SUM,
    PURSE,
    SEAT_NET,
    SINCE_CLEAN,
    SINGLE_POTS,
    SPLIT,
    TABLES,
    TAKES_POT,
    TIMES,
    TRICKS,
    TURN,
    chair_of,
    count_looed,
    leave_with_nothing,
    make_tables,
    note_clean,
    note_looed,
    note_outcome,
    note_pot,
    pass_deal,
    pass_deal_to_who_can_pay,
    pay,
    person_of,
    put_in,
    set_payments,
    share_pot,
    single_pot,
    sit_down,
)
from loo_sim.kernels.seating import draw_orders
from loo_sim.kernels.sums import BINS
from loo_sim.kernels.table_counts import (
    PATH_POINTS,
    SessionCounts,
    count_gaps,
    count_pots,
    count_tables_at_end,
    no_tables,
)

DEALS_OF_TABLE = np.uint64(TABLE_DEALS)
"""The number of a deal is its table times this, and its place in the session."""
ZERO8 = np.uint8(0)
DEFENDS, ACTION_BITS = np.uint8(DEFEND), np.uint8(ACTION_SHIFT)


class SessionGame(NamedTuple):
    """What the session kernels are told.

    Attributes
    ----------
    game : Game
        Rules and policies, those of each kind at its number; the kernel changes
        `settings[PLAYERS]`, so each thread has its own.
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


@inner
def begin_tables(session, seed, first, n, s, t):
    """Seat the people of tables `first` to ``first + n - 1`` and draw the first dealers (S4)."""
    terms, kind_of = session.terms, session.game.kind_of
    for lane in range(n):
        s.number[lane] = (first + np.uint64(lane)) * DEALS_OF_TABLE
    words = s.words[0, :n]
    block_words(
        seed, s.number[:n], np.uint64(TABLE_STREAM), np.uint64(0),
        words, s.words[1, :n], s.words[2, :n], s.words[3, :n],
    )  # fmt: skip
    sit_down(terms, words, n, t)
    people, policies = terms[PEOPLE], terms[CONTESTANTS]
    order = np.empty((policies, n), np.uint8)
    if policies:
        draw_orders(seed, s.number[:n], s.words, order)
    for table in range(n):
        for chair in range(people):
            person = person_of(chair, t.money[FIRST, table], people)
            policy = order[(person + terms[TURN]) % policies, table] if policies else person
            t.byte[PLAYED_BY, chair, table] = policy
            t.byte[KIND_OF, chair, table] = kind_of[policy]


@inner
def begin_deals(terms, number, n, t):
    """Pass the deal on at each table at which play is not over."""
    if terms[BANKROLL] == NO_LIMIT:
        pass_deal(terms, number, n, t)
        return
    for table in range(n):
        if t.money[AT_TABLE, table]:
            pass_deal_to_who_can_pay(terms, table, t)


@inner
def end_clean_tables(n, t):
    """End play where nobody was looed in the last deal; the number of tables that play on."""
    playing = np.int64(0)
    for table in range(n):
        if t.money[LOOED_LAST, table] == 0:
            t.money[AT_TABLE, table] = 0
        playing += np.int64(t.money[AT_TABLE, table] > 0)
    return playing


@inner
def everyone_is_there(people, n, t):
    """Whether everyone is at every table, and play is over at none."""
    at_table = t.money[AT_TABLE]
    there = np.int64(0)
    for table in range(n):
        there += np.int64(at_table[table] == people)
    return there == n


@merged
def play_deals(session, seed, first, number, n, s, t, d, paths):
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
    s, t, d : Scratch, Tables, Tables
        Modified in place: the deals; the tables; work rows for some of the tables, chair s the one
        in seat s.
    paths : int64 (PATH_POINTS, BINS, 2)
        Modified in place.
    """
    people = session.terms[PEOPLE]
    whole = everyone_is_there(people, n, t)
    if not whole:
        sort_by_number(t.money[AT_TABLE, :n], NO_SHIFT, t.order, t.start, s.place)
    for players in range(people if whole else 2, people + 1):
        m, turn, at = n, (number + 1) % people, t
        if not whole:
            group = t.order[t.start[players] : t.start[players + 1]]
            m, turn, at = group.size, 0, d
            bring(players, group, t, d)
        if m:
            play_group(session, seed, first, number, players, m, turn, s, at, paths)
        if not whole:
            take_back(players, m, d, t)
    if session.terms[BANKROLL] != NO_LIMIT:
        for table in range(n):
            leave_with_nothing(session.terms, table, t)


@inner
def bring(players, group, t, d):
    """Bring tables of `players` people side by side, chair s being the one in seat s."""
    for lane in range(group.size):
        table = group[lane]
        d.table[lane] = table
        d.squares[lane] = t.squares[table]
        for row in range(MONEY):
            d.money[row, lane] = t.money[row, table]
        for seat in range(players):
            chair = t.byte[CHAIR, seat, table]
            for row in range(SEAT_NET):
                d.people[row, seat, lane] = t.people[row, chair, table]
            for row in range(TIMES):
                d.times[row, seat, lane] = t.times[row, chair, table]
            d.people[SEAT_NET, seat, lane] = t.people[SEAT_NET, seat, table]
            d.byte[KIND_OF, seat, lane] = t.byte[KIND_OF, chair, table]


@inner
def take_back(players, m, d, t):
    """Take tables that were brought side by side back, with what a deal came to."""
    for lane in range(m):
        table = d.table[lane]
        t.squares[table] = d.squares[lane]
        for row in range(MONEY):
            t.money[row, table] = d.money[row, lane]
        for seat in range(players):
            chair = t.byte[CHAIR, seat, table]
            for row in range(SEAT_NET):
                t.people[row, chair, table] = d.people[row, seat, lane]
            for row in range(TIMES):
                t.times[row, chair, table] = d.times[row, seat, lane]
            t.people[SEAT_NET, seat, table] = d.people[SEAT_NET, seat, lane]


@merged
def play_group(session, seed, first, number, players, m, turn, s, d, paths):
    """Play deal `number` at `m` tables of `players` people, seat 0 in chair `turn` of all."""
    game, terms = session.game, session.terms
    money, people, byte = d.money, d.people, d.byte
    pot, purse, single = money[POT, :m], people[PURSE], single_pot(terms, players)
    game.settings[PLAYERS] = players
    for lane in range(m):
        s.number[lane] = (first + np.uint64(d.table[lane])) * DEALS_OF_TABLE + np.uint64(number)
    for seat in range(players):
        chair = (turn + seat) % players
        due = terms[DEALER_STAKE] if seat == players - 1 else terms[ANTE]
        if due:
            put_in(due, purse[chair, :m], people[NEED, chair, :m], pot)
        copy(byte[KIND_OF, chair, :m], s.row[KIND + seat, :m])
        fill(byte[OUTCOME, seat, :m], NOTHING)
    note_pot(pot, single, money[POT_SUM, :m], d.squares[:m], money[SINGLE_POTS, :m])
    count_pots(terms, number, m, d, paths)
    set_payments(terms, pot, d.share[:m], d.due[:m], d.capped[:m])
    fill(s.pot_class[:m], np.uint32(session.class_base[players]))
    for bound in session.bounds[players]:
        raise_class(pot, bound, s.pot_class[:m])
    deal(seed, m, players + 1, game.settings[RANKS], s)
    draw_choices(game, seed, m, s)
    if terms[FORCE_ON_SINGLE]:
        force_on_single(pot, single, s.row[FORCED, :m])
    announce_all(game, m, s)
    take_pots(s.order[: s.start[2]], s, byte[OUTCOME])
    for k in range(2, players + 1):
        lanes = s.order[s.start[k] : s.start[k + 1]]
        if lanes.size > 0:
            play_tricks(game, k, lanes, s)
            settle(k, lanes, s, byte[OUTCOME])
    limited = terms[BANKROLL] != NO_LIMIT
    looed = d.looed[:m]
    fill(looed, ZERO8)
    for seat in range(players):
        chair = (turn + seat) % players
        outcome = byte[OUTCOME, seat, :m]
        pay(
            outcome, d.share[:m], d.due[:m], limited, pot, purse[chair, :m],
            people[SEAT_NET, seat, :m], people[LOWEST, chair, :m], people[HIGHEST, chair, :m],
        )  # fmt: skip
        note_outcome(outcome, d.times[LOOED, chair, :m], d.times[TRICKS, chair, :m])
        count_looed(outcome, looed)
    note_looed(
        looed, d.capped[:m], money[LOOED_LAST, :m], money[LOOS, :m], money[CAPPED, :m],
        money[PLAYED, :m],
    )  # fmt: skip
    note_clean(
        looed, money[CLEAN_DEALS, :m], money[SINCE_CLEAN, :m], money[LONGEST, :m], money[GAP, :m]
    )


@inner
def raise_class(pot, bound, pot_class):
    """Raise the class of the pots that reach a bound."""
    for lane in range(pot.size):
        pot_class[lane] += np.uint32(pot[lane] >= bound)


@inner
def force_on_single(pot, single, forced):
    """Mark the deals in which a single pot makes everyone stand."""
    for lane in range(pot.size):
        forced[lane] = np.uint8((forced[lane] != ZERO8) | (pot[lane] == single))


@inner
def take_pots(lanes, s, outcome):
    """Let lone players, and dealers before whom everyone folded, take the pots (S7, S8)."""
    for place in range(lanes.size):
        lane = lanes[place]
        # A silent dealer is in slot 0 too, where nobody came in.
        outcome[(s.entry_in[0, lane] >> WHO_SHIFT) & SEAT_BITS, lane] = TAKES_POT


@inner
def settle(k, lanes, s, outcome):
    """What contests of `k` players that lie played came to for each of their seats (S10, S15)."""
    c, m = s.contest, lanes.size
    slots, tricks = c[TALLY, :m], c[TALLY + 1, :m]
    for slot in range(k):
        who = c[WHO + slot, :m]
        fill(slots, np.uint8(slot))
        count_tricks(c[WINNER, :m], c[WINNER + 1, :m], c[WINNER + 2, :m], slots, tricks)
        come_to(who, tricks)
        for place in range(m):
            outcome[who[place] & SEAT_BITS, lanes[place]] = tricks[place]


@inner
def come_to(who, outcome):
    """Tricks to what a player came to: nothing won is looed; a defender's tricks are not paid."""
    for place in range(outcome.size):
        won = outcome[place]
        defends = np.uint8(who[place] >> ACTION_BITS) == DEFENDS
        paid = won if won != ZERO8 else IS_LOOED
        unpaid = np.uint8(won << DEFENDED_SHIFT)
        outcome[place] = unpaid if defends else paid


@entry
def run_tables(session, seed, first, count, s, t, d, out):
    """Play whole sessions at consecutive tables and count what came of them; see `count_tables`."""
    terms = session.terms
    for done in range(0, count, TABLES):
        n = min(TABLES, count - done)
        table0 = first + np.uint64(done)
        begin_tables(session, seed, table0, n, s, t)
        for number in range(terms[DEALS] + terms[PLAY_ON]):
            if number >= terms[DEALS] and end_clean_tables(n, t) == 0:
                break
            begin_deals(terms, number, n, t)
            play_deals(session, seed, table0, number, n, s, t, d, out.paths)
            count_gaps(n, t, out.gaps)
        if terms[SPLIT]:
            for table in range(n):
                share_pot(terms[PEOPLE], table, t)
        if terms[CONTESTANTS] == 0:
            count_tables_at_end(session, n, t, out)


@entry
def run_kept_tables(session, seed, first, count, s, t, d, paths, kept):
    """Play sessions and keep all tables after every deal; see `keep_tables`."""
    terms = session.terms
    begin_tables(session, seed, first, count, s, t)
    for number in range(terms[DEALS] + terms[PLAY_ON]):
        if number >= terms[DEALS] and end_clean_tables(count, t) == 0:
            break
        begin_deals(terms, number, count, t)
        play_deals(session, seed, first, number, count, s, t, d, paths)
        for table in range(count):
            keep_table(terms, table, t, kept.money[number, table], kept.people[number, table])
    at_end = kept.at_end
    for table in range(count):
        if terms[SPLIT]:
            share_pot(terms[PEOPLE], table, t)
        keep_table(terms, table, t, at_end.money[table], at_end.people[table])
        for person in range(terms[PEOPLE]):
            chair = chair_of(person, t.money[FIRST, table], terms[PEOPLE])
            at_end.left_at[table, person] = t.left_at[chair, table]
            at_end.looed[table, person] = t.times[LOOED, chair, table]


@inner
def keep_table(terms, table, t, money, people):
    """Keep a table: the dealer and its people by their own numbers."""
    count, first = terms[PEOPLE], t.money[FIRST, table]
    for row in range(MONEY):
        money[row] = t.money[row, table]
    money[DEALER] = person_of(money[DEALER], first, count)
    for person in range(count):
        for row in range(PERSON_ROWS):
            people[person, row] = t.people[row, chair_of(person, first, count), table]
        people[person, SEAT_NET] = t.people[SEAT_NET, person, table]


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
        make_scratch(), make_tables(), make_tables(), counts,
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
    s, t, d, unread = make_scratch(), make_tables(), make_tables(), no_tables(0)
    for done in range(0, count, TABLES):
        n = min(TABLES, count - done)
        run_tables(session, np.uint64(seed), np.uint64(first + done), n, s, t, d, unread)
        table = np.arange(n)
        for person in range(people):
            chair = (person - t.money[FIRST, :n]) % people
            units[done : done + n, person] = t.people[PURSE, chair, table]
            played_by[done : done + n, person] = t.byte[PLAYED_BY, chair, table]
    return Purses(units, played_by)


def own(session: SessionGame) -> SessionGame:
    """The game with settings of its own, which the kernel changes as people leave, and terms."""
    settings = session.game.settings.copy()
    game = session.game._replace(settings=settings)
    return session._replace(game=game, terms=session.terms.copy())


class TablesAtEnd(NamedTuple):
    """Tables once the pots were shared, if they were.

    Attributes
    ----------
    money, people : int64 (tables, MONEY), (tables, 16, PERSON_ROWS)
        As in `KeptTables`.
    left_at, looed : int64 (tables, 16)
        Deals played when a person left, else `STILL_THERE`; times looed.
    """

    money: npt.NDArray[np.int64]
    people: npt.NDArray[np.int64]
    left_at: npt.NDArray[np.int64]
    looed: npt.NDArray[np.int64]


class KeptTables(NamedTuple):
    """Tables after every deal and at their end.

    Attributes
    ----------
    money : int64 (deals, tables, MONEY)
        The rows of `purses.Tables`; the dealer is a person.
    people : int64 (deals, tables, 16, PERSON_ROWS)
        The rows of each person.
    at_end : TablesAtEnd
        The same at the end.
    """

    money: npt.NDArray[np.int64]
    people: npt.NDArray[np.int64]
    at_end: TablesAtEnd


def keep_tables(session: SessionGame, seed: int, first: int, count: int) -> KeptTables:
    """Play sessions at up to `TABLES` consecutive tables and keep every deal, for tests.

    Parameters
    ----------
    session, seed, first, count
        As for `count_tables`.
    """
    most = int(session.terms[DEALS] + session.terms[PLAY_ON])
    people = (MAX_SEATS, PERSON_ROWS)
    kept = KeptTables(
        money=np.zeros((most, count, MONEY), np.int64),
        people=np.zeros((most, count, *people), np.int64),
        at_end=TablesAtEnd(
            money=np.zeros((count, MONEY), np.int64),
            people=np.zeros((count, *people), np.int64),
            left_at=np.zeros((count, MAX_SEATS), np.int64),
            looed=np.zeros((count, MAX_SEATS), np.int64),
        ),
    )
    paths = np.zeros((PATH_POINTS, BINS, 2), np.int64)
    run_kept_tables(
        own(session), np.uint64(seed), np.uint64(first), count,
        make_scratch(), make_tables(), make_tables(), paths, kept,
    )  # fmt: skip
    return kept
