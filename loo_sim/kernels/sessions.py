"""Entry kernels for sessions: many tables side by side, the pot carried from deal to deal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.draws import TABLE_DEALS, TABLE_STREAM
from loo_sim.kernels.announcing import ACTION_BITS, FORCED, KIND, SAYS_DEFEND
from loo_sim.kernels.batch import NO_SHIFT, announce_all, draw_choices, make_scratch, sort_by_number
from loo_sim.kernels.compiled import entry, inner, merged
from loo_sim.kernels.contests import TALLY, WHO, WINNER, copy, fill, play_tricks
from loo_sim.kernels.counting import count_tricks
from loo_sim.kernels.dealing import deal
from loo_sim.kernels.game import PLAYERS, RANKS, SEAT_BITS, Game
from loo_sim.kernels.philox import block_words
from loo_sim.kernels.purses import (
    ANTE,
    BANKROLL,
    CAPPED,
    CHAIR,
    CLEAN_DEALS,
    CONTESTANTS,
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
    NEED,
    NO_LIMIT,
    NOTHING,
    OUTCOME,
    PEOPLE,
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
    TRICKS,
    TURN,
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
    put_in_one,
    set_payments,
    share_pot,
    single_pot,
    sit_down,
)
from loo_sim.kernels.seating import draw_orders
from loo_sim.kernels.table_counts import (
    SessionCounts,
    count_gaps,
    count_pots,
    count_tables_at_end,
    no_tables,
)

DEALS_OF_TABLE = np.uint64(TABLE_DEALS)
"""The number of a deal is its table times this, and its place in the session."""
BOUNDS_AT_ONCE = 4
"""Bounds of pots come in groups of so many, the last filled up with one that is never reached."""
ZERO8, ZERO, TWO = np.uint8(0), np.int64(0), np.int64(2)


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
        By number of players, pots in units at which the next class of pots begins; a multiple of
        `BOUNDS_AT_ONCE`.
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
    order = t.outcome[:policies]
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
    """Pass the deal on, and put stake and antes in, at each table at which play is not over.

    Returns
    -------
    bool
        Whether everyone is at every table: then the same chair is in a seat of all.
    """
    people, limited = terms[PEOPLE], terms[BANKROLL] != NO_LIMIT
    if limited:
        for table in range(n):
            if t.at_table[table]:
                pass_deal_to_who_can_pay(terms, table, t)
    else:
        pass_deal(terms, number, n, t)
    if everyone_is_there(people, n, t):
        for ahead in range(people if terms[ANTE] else 1):
            # Who deals, and then those to his left.
            chair = (number + ahead) % people
            due = terms[ANTE] if ahead else terms[DEALER_STAKE]
            put_in(due, t.people[PURSE, chair, :n], t.people[NEED, chair, :n], t.money[POT, :n])
        return True
    for table in range(n):
        seats = np.int64(t.at_table[table])
        for seat in range(seats - 1 if terms[ANTE] else ZERO):
            put_in_one(terms[ANTE], t.byte[CHAIR, seat, table], table, t)
        if seats:
            put_in_one(terms[DEALER_STAKE], t.byte[CHAIR, seats - 1, table], table, t)
    return False


@inner
def end_clean_tables(n, t):
    """End play where nobody was looed in the last deal; the number of tables that play on."""
    playing = ZERO
    for table in range(n):
        if t.money[LOOED_LAST, table] == 0:
            t.at_table[table] = 0
        playing += np.int64(t.at_table[table] > 0)
    return playing


@inner
def everyone_is_there(people, n, t):
    """Whether everyone is at every table, and play is over at none."""
    there = ZERO
    for table in range(n):
        there += np.int64(t.at_table[table] == people)
    return there == n


@merged
def play_deals(session, seed, first, number, n, whole, s, t):
    """Play deal `number` of each table at which play is not over, its pot made up (S17).

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
    whole : bool
        Whether everyone is at every table.
    s, t : Scratch, Tables
        Modified in place.
    """
    terms, money, people = session.terms, t.money, t.people
    count, limited = terms[PEOPLE], terms[BANKROLL] != NO_LIMIT
    pot, at_table, share, due = money[POT, :n], t.at_table[:n], t.share[:n], t.due[:n]
    for lane in range(n):
        t.net[0, lane] = single_pot(terms, t.at_table[lane])
    note_pot(
        at_table, pot, t.net[0, :n], money[POT_SUM, :n], t.squares[:n], money[SINGLE_POTS, :n]
    )  # fmt: skip
    set_payments(terms, pot, share, due, t.capped[:n])
    if not whole:
        for chair in range(count):
            fill(t.byte[OUTCOME, chair, :n], NOTHING)
            fill(t.net[chair, :n], ZERO)
        sort_by_number(t.at_table[:n], NO_SHIFT, t.order, t.start, s.place)
    for players in range(count if whole else TWO, count + 1):
        tables = t.order[:n] if whole else t.order[t.start[players] : t.start[players + 1]]
        if tables.size:
            bring_people(number, players, whole, tables, s, t)
            for lane in range(tables.size):
                table = np.uint64(lane) if whole else np.uint64(tables[lane])
                s.number[lane] = (first + table) * DEALS_OF_TABLE + np.uint64(number)
            play_group(session, seed, players, tables.size, s, t)
        if not whole:
            take_back_outcomes(players, tables, t)
    looed = t.looed[:n]
    fill(looed, ZERO8)
    for chair in range(count):
        # Where everyone is there, chair and seat are the same turn apart at all tables.
        seat = (chair - number - 1) % count
        outcome = t.outcome[seat, :n] if whole else t.byte[OUTCOME, chair, :n]
        pay(
            outcome, share, due, limited, pot, people[PURSE, chair, :n],
            people[SEAT_NET, seat, :n] if whole else t.net[chair, :n],
            people[LOWEST, chair, :n], people[HIGHEST, chair, :n],
        )  # fmt: skip
        note_outcome(outcome, t.times[LOOED, chair, :n], t.times[TRICKS, chair, :n])
        count_looed(outcome, looed)
    if not whole:
        add_nets_to_seats(n, t)
    note_looed(
        at_table, looed, t.capped[:n], money[LOOED_LAST, :n], money[LOOS, :n], money[CAPPED, :n],
        money[PLAYED, :n],
    )  # fmt: skip
    note_clean(
        at_table, looed, money[CLEAN_DEALS, :n], money[SINCE_CLEAN, :n], money[LONGEST, :n],
        money[GAP, :n],
    )  # fmt: skip
    if limited:
        leave_with_nothing(terms, n, t)


@inner
def bring_people(number, players, whole, tables, s, t):
    """Bring the pots and people of tables of `players` side by side: who plays in each seat."""
    m = tables.size
    if whole:
        copy(t.money[POT, :m], t.pot[:m])
    else:
        for lane in range(m):
            t.pot[lane] = t.money[POT, tables[lane]]
    for seat in range(players):
        kind = s.row[KIND + seat, :m]
        fill(t.outcome[seat, :m], NOTHING)
        if whole:
            copy(t.byte[KIND_OF, (number + 1 + seat) % players, :m], kind)
        else:
            for lane in range(m):
                table = tables[lane]
                kind[lane] = t.byte[KIND_OF, t.byte[CHAIR, seat, table], table]


@inner
def take_back_outcomes(players, tables, t):
    """Take what the seats came to back to the chairs of their tables."""
    for seat in range(players):
        for lane in range(tables.size):
            table = tables[lane]
            t.byte[OUTCOME, t.byte[CHAIR, seat, table], table] = t.outcome[seat, lane]


@inner
def add_nets_to_seats(n, t):
    """Add what each chair won or paid to the account of the seat it was."""
    for table in range(n):
        for seat in range(t.at_table[table]):
            net = t.net[t.byte[CHAIR, seat, table], table]
            t.people[SEAT_NET, seat, table] += net


@merged
def play_group(session, seed, players, m, s, t):
    """Play the deals of `m` tables of `players` people that lie side by side."""
    game, terms = session.game, session.terms
    pot, pot_class = t.pot[:m], s.pot_class[:m]
    game.settings[PLAYERS] = players
    fill(pot_class, np.uint32(session.class_base[players]))
    bounds = session.bounds[players]
    for i in range(0, bounds.size, BOUNDS_AT_ONCE):
        raise_class(pot, bounds[i], bounds[i + 1], bounds[i + 2], bounds[i + 3], pot_class)
    deal(seed, m, players + 1, game.settings[RANKS], s)
    draw_choices(game, seed, m, s)
    if terms[FORCE_ON_SINGLE]:
        force_on_single(pot, single_pot(terms, players), s.row[FORCED, :m])
    announce_all(game, m, s)
    take_pots(s.order[: s.start[2]], s, t.outcome)
    for k in range(2, players + 1):
        lanes = s.order[s.start[k] : s.start[k + 1]]
        if lanes.size > 0:
            play_tricks(game, k, lanes, s)
            settle(k, lanes, s, t.outcome)


@inner
def raise_class(pot, one, two, three, four, pot_class):
    """Raise the class of each pot by the bounds that it reaches."""
    for lane in range(pot.size):
        units = pot[lane]
        lower = np.uint32(np.uint32(units >= one) + np.uint32(units >= two))
        upper = np.uint32(np.uint32(units >= three) + np.uint32(units >= four))
        pot_class[lane] = np.uint32(pot_class[lane] + np.uint32(lower + upper))


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
        outcome[s.entry_in[0, lane] & SEAT_BITS, lane] = TAKES_POT


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
        defends = np.uint8(who[place] >> ACTION_BITS) == SAYS_DEFEND
        paid = won if won != ZERO8 else IS_LOOED
        unpaid = np.uint8(won << DEFENDED_SHIFT)
        outcome[place] = unpaid if defends else paid


@entry
def run_tables(session, seed, first, count, s, t, out):
    """Play whole sessions at consecutive tables and count what came of them; see `count_tables`."""
    terms = session.terms
    for done in range(0, count, TABLES):
        n = min(TABLES, count - done)
        table0 = first + np.uint64(done)
        begin_tables(session, seed, table0, n, s, t)
        for number in range(terms[DEALS] + terms[PLAY_ON]):
            if number >= terms[DEALS] and end_clean_tables(n, t) == 0:
                break
            whole = begin_deals(terms, number, n, t)
            count_pots(terms, number, n, t, out.paths)
            play_deals(session, seed, table0, number, n, whole, s, t)
            count_gaps(n, t, out.gaps)
        if terms[SPLIT]:
            for table in range(n):
                share_pot(terms[PEOPLE], table, t)
        if terms[CONTESTANTS] == 0:
            count_tables_at_end(session, n, t, out)


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
    s, t, unread = make_scratch(), make_tables(), no_tables(0)
    for done in range(0, count, TABLES):
        n = min(TABLES, count - done)
        run_tables(session, np.uint64(seed), np.uint64(first + done), n, s, t, unread)
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
