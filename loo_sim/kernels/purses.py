"""Money at tables in lanes: who deals, who can pay, what the pot and each purse become."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.announcing import WHO_SHIFT
from loo_sim.kernels.batch import LANES
from loo_sim.kernels.compiled import inner
from loo_sim.kernels.contests import WINNER
from loo_sim.kernels.game import ACTION_SHIFT, DEFEND, MAX_SEATS, SEAT_BITS
from loo_sim.kernels.philox import draw_below

TERMS = 13
(
    PEOPLE,
    DEALS,
    MIN_PLAYERS,
    DEALER_STAKE,
    ANTE,
    LOO,
    LOO_CAP,
    FORCE_ON_SINGLE,
    BANKROLL,
    PLAY_ON,
    SPLIT,
    CONTESTANTS,
    TURN,
) = range(TERMS)
"""Places of a session's terms: people who sit down; deals that all have dealt equally often; fewest
who can play; units of the dealer's stake, of an ante and of a loo (`POT_LOO`: the pot); most units
of a loo; whether single pots make everyone stand; units each brings (`NO_LIMIT`: purses have none);
most deals after the last until one in which nobody is looed; whether those at the table share the
pot at the end; in a league the policies that play for people in turn (0: each person has his own),
and the turn."""
POT_LOO, NO_LIMIT = -1, -1

MONEY = 14
(
    POT,
    DEALER,
    AT_TABLE,
    POT_SUM,
    POT_SQUARES,
    SINGLE_POTS,
    CLEAN_DEALS,
    SINCE_CLEAN,
    LONGEST,
    LOOS,
    CAPPED,
    PLAYED,
    LOOED_LAST,
    GAP,
) = range(MONEY)
"""Places of what concerns a table: units in the pot; person who deals; people at the table (0: play
is over); sum of the pots when play began, and of their squares in whole square stakes; deals at a
single pot; deals in which nobody was looed, deals since the last, most deals in a row that were
none; players looed; deals in which a loo met the cap; deals played; players looed in the last; if
it was clean, deals since the clean one before, else 0."""

PERSON_PLACES = 8
PURSE, LOWEST, HIGHEST, NEED, LOOED, TRICKS, SEAT_NET = range(7)
"""Places of what concerns a person, in one line of the cache: units in the purse; least and most
after a deal; units beyond what was brought with which the person would just have stayed; times
looed; tricks won; net of the *seat* of this number in units."""
STILL_THERE = -1
SQUARE_STAKE, MOST_SQUARE = 729.0**2, 2.0**50
"""Square units in a square stake; most square stakes that one deal adds to a sum of squares."""
BYTES = 3 * MAX_SEATS
HERE, PLACE, PLAYED_BY = 0, MAX_SEATS, 2 * MAX_SEATS
"""First places of whether each person is at the table, of the person in each seat, and of who plays
for each person: himself, but in a league a policy."""


class Tables(NamedTuple):
    """A batch of tables, all that concerns one of them close together in memory.

    Attributes
    ----------
    money : int64 (lanes, MONEY)
        What concerns each table.
    people : int64 (lanes, 16, PERSON_PLACES)
        What concerns its people.
    left_at : int64 (lanes, 16)
        Deals played when a person left, else `STILL_THERE`.
    byte : uint8 (lanes, BYTES)
        Who is there, sits where and is played by whom.
    order, start : uint16 (lanes,), int64 (18,)
        Tables sorted by number of people at them; where each number starts.
    table : int64 (lanes,)
        Table whose deal lies in each lane of a batch of deals.
    """

    money: npt.NDArray[np.int64]
    people: npt.NDArray[np.int64]
    left_at: npt.NDArray[np.int64]
    byte: npt.NDArray[np.uint8]
    order: npt.NDArray[np.uint16]
    start: npt.NDArray[np.int64]
    table: npt.NDArray[np.int64]


def make_tables() -> Tables:
    """Room for `LANES` tables."""
    return Tables(
        money=np.zeros((LANES, MONEY), np.int64),
        people=np.zeros((LANES, MAX_SEATS, PERSON_PLACES), np.int64),
        left_at=np.zeros((LANES, MAX_SEATS), np.int64),
        byte=np.zeros((LANES, BYTES), np.uint8),
        order=np.zeros(LANES, np.uint16),
        start=np.zeros(MAX_SEATS + 2, np.int64),
        table=np.zeros(LANES, np.int64),
    )


@inner
def sit_down(terms, words, n, t):
    """Seat everyone at `n` tables; the first dealer is drawn by a 32-bit word (S4)."""
    people = terms[PEOPLE]
    brought = max(terms[BANKROLL], 0)
    t.money[:n] = 0
    t.people[:n] = 0
    for place in (PURSE, LOWEST, HIGHEST):
        t.people[:n, :people, place] = brought
    t.people[:n, :people, NEED] = -brought
    t.left_at[:n] = STILL_THERE
    t.byte[:n, HERE : HERE + MAX_SEATS] = 0
    t.byte[:n, HERE : HERE + people] = 1
    for table in range(n):
        first = np.int64(draw_below(words[table], np.uint64(people)))
        # `begin_deal` passes the deal on: as if the person before him had dealt.
        t.money[table, DEALER] = first - 1 if first > 0 else people - 1
        t.money[table, AT_TABLE] = people


@inner
def begin_deal(terms, table, t):
    """Pass the deal on, let those leave who cannot pay, put in stake and antes (S3, S4, S17)."""
    money = t.money
    if terms[BANKROLL] == NO_LIMIT:
        seats = sit_round(terms[PEOPLE], table, t)
    else:
        seats = sit_who_can_pay(terms, table, t)
    if seats < terms[MIN_PLAYERS]:
        money[table, AT_TABLE] = 0
        return
    money[table, AT_TABLE] = seats
    put_in(np.int64(money[table, DEALER]), terms[DEALER_STAKE], table, t)
    if terms[ANTE]:
        for seat in range(seats - 1):
            put_in(np.int64(t.byte[table, PLACE + seat]), terms[ANTE], table, t)
    pot = money[table, POT]
    money[table, POT_SUM] += pot
    money[table, POT_SQUARES] += square_stakes(pot)
    money[table, SINGLE_POTS] += np.int64(pot == single_pot(terms, seats))


@inner
def sit_round(people, table, t):
    """Pass the deal to the left where nobody ever leaves; the number of seats."""
    dealer = t.money[table, DEALER] + 1
    dealer = dealer if dealer < people else 0
    t.money[table, DEALER] = dealer
    for seat in range(people):
        # No branch: whose turn it is differs from table to table and cannot be foreseen.
        person = dealer + 1 + seat
        t.byte[table, PLACE + seat] = person - people * np.int64(person >= people)
    return people


@inner
def sit_who_can_pay(terms, table, t):
    """Pass the deal to the left; who cannot put in what is due leaves. The number of seats."""
    people = terms[PEOPLE]
    dealer = t.money[table, DEALER]
    for _ in range(people):
        dealer = dealer + 1 if dealer + 1 < people else 0
        if not t.byte[table, HERE + dealer]:
            continue
        if t.people[table, dealer, PURSE] >= terms[DEALER_STAKE]:
            break
        leave_owing(dealer, terms[DEALER_STAKE], table, t)
    t.money[table, DEALER] = dealer
    seats = 0
    for ahead in range(1, people + 1):
        person = dealer + ahead if dealer + ahead < people else dealer + ahead - people
        if not t.byte[table, HERE + person]:
            continue
        if person != dealer and t.people[table, person, PURSE] < terms[ANTE]:
            leave_owing(person, terms[ANTE], table, t)
            continue
        t.byte[table, PLACE + seats] = person
        seats += 1
    return seats


@inner
def leave_owing(person, due, table, t):
    """Take a person from the table who cannot put in what is due."""
    need = due - t.people[table, person, PURSE]
    t.people[table, person, NEED] = max(t.people[table, person, NEED], need)
    leave(person, table, t)


@inner
def put_in(person, due, table, t):
    """Take what is due from a person's purse and put it into the pot."""
    purse = t.people[table, person, PURSE] - due
    t.people[table, person, PURSE] = purse
    t.people[table, person, NEED] = max(t.people[table, person, NEED], -purse)
    t.money[table, POT] += due


@inner
def single_pot(terms, players):
    """Units in a pot that holds nothing but the dealer's stake and the antes."""
    return terms[DEALER_STAKE] + (players - 1) * terms[ANTE]


@inner
def leave(who, table, t):
    """Take a person from the table, with what he has."""
    t.byte[table, HERE + who] = 0
    t.left_at[table, who] = t.money[table, PLAYED]


@inner
def settle(terms, k, lanes, s, t):
    """Pay the pots of contests of `k` players and collect the loos (S10, S15, S16).

    Parameters
    ----------
    terms : int64 (TERMS,)
        Of the session.
    k : int
        Players in, at least 2.
    lanes : uint16 (m,)
        Lanes whose contests lie played in `s.contest`, side by side.
    s : Scratch
        The batch of deals.
    t : Tables
        Modified in place.
    """
    first, second, third = s.contest[WINNER], s.contest[WINNER + 1], s.contest[WINNER + 2]
    limited = terms[BANKROLL] != NO_LIMIT
    for place in range(lanes.size):
        lane = lanes[place]
        table = t.table[lane]
        pot = t.money[table, POT]
        share = pot // 3
        due = pot if terms[LOO] == POT_LOO else terms[LOO]
        if due > terms[LOO_CAP]:
            due = terms[LOO_CAP]
        left, looed = pot, 0
        for slot in range(k):
            who = s.entry_in[slot, lane] >> WHO_SHIFT
            seat, action = np.int64(who & SEAT_BITS), who >> ACTION_SHIFT
            won = np.int64(first[place] == slot) + np.int64(second[place] == slot)
            won += np.int64(third[place] == slot)
            person = np.int64(t.byte[table, PLACE + seat])
            t.people[table, person, TRICKS] += won
            if action == DEFEND:
                continue
            net = won * share
            if won == 0:
                looed += 1
                t.people[table, person, LOOED] += 1
                net = -min(due, t.people[table, person, PURSE]) if limited else -due
            left -= net
            pay(person, seat, net, table, t)
        t.money[table, POT] = left
        t.money[table, LOOED_LAST] = looed
        if looed and terms[LOO] == POT_LOO and due < pot:
            t.money[table, CAPPED] += 1


@inner
def take_pots(lanes, s, t):
    """Let lone players, and dealers before whom everyone folded, take the pots (S7, S8)."""
    for place in range(lanes.size):
        lane = lanes[place]
        table = t.table[lane]
        # A silent dealer is in slot 0 too, where nobody came in.
        seat = np.int64((s.entry_in[0, lane] >> WHO_SHIFT) & SEAT_BITS)
        pay(np.int64(t.byte[table, PLACE + seat]), seat, t.money[table, POT], table, t)
        t.money[table, POT] = 0
        t.money[table, LOOED_LAST] = 0


@inner
def pay(person, seat, net, table, t):
    """Add a net in units to the purse of a person and to the account of his seat."""
    t.people[table, person, PURSE] += net
    t.people[table, seat, SEAT_NET] += net


@inner
def square_stakes(units):
    """A square in whole square stakes."""
    return np.int64(min(np.float64(units) * np.float64(units) / SQUARE_STAKE, MOST_SQUARE))


@inner
def end_deal(terms, at_table, table, t):
    """Note what a deal came to for the people of a table; who has nothing left is out."""
    people, money = t.people, t.money
    limited = terms[BANKROLL] != NO_LIMIT
    money[table, PLAYED] += 1
    money[table, LOOS] += money[table, LOOED_LAST]
    if money[table, LOOED_LAST]:
        money[table, SINCE_CLEAN] += 1
        money[table, LONGEST] = max(money[table, LONGEST], money[table, SINCE_CLEAN])
    else:
        money[table, CLEAN_DEALS] += 1
        money[table, GAP] = money[table, SINCE_CLEAN] + 1
        money[table, SINCE_CLEAN] = 0
    for seat in range(at_table):
        person = np.int64(t.byte[table, PLACE + seat])
        purse = people[table, person, PURSE]
        people[table, person, LOWEST] = min(people[table, person, LOWEST], purse)
        people[table, person, HIGHEST] = max(people[table, person, HIGHEST], purse)
        people[table, person, NEED] = max(people[table, person, NEED], 1 - purse)
        if limited and purse == 0:
            leave(person, table, t)


@inner
def share_pot(table, t):
    """Share what is left in the pot among those at the table; an odd unit stays."""
    there = np.int64(0)
    for person in range(MAX_SEATS):
        there += t.byte[table, HERE + person]
    if there == 0:
        return
    share = t.money[table, POT] // there
    for person in range(MAX_SEATS):
        if t.byte[table, HERE + person]:
            t.people[table, person, PURSE] += share
            t.money[table, POT] -= share
