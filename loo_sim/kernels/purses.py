"""Money at tables in lanes: who deals, who can pay, what the pot and each purse become.

A table is a lane. The people of a table hold *chairs*, numbered from the first dealer: as long as
everyone is there, the same chair deals at every table, and what a deal does to the purses is done
to whole rows. A *seat* is a place in one deal, the dealer's the last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.batch import LANES
from loo_sim.kernels.compiled import inner
from loo_sim.kernels.contests import fill
from loo_sim.kernels.game import MAX_SEATS
from loo_sim.kernels.philox import draw_below

TABLES = LANES
"""Tables side by side, each in the lane of its deal."""

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

MONEY = 13
(
    POT,
    DEALER,
    POT_SUM,
    SINGLE_POTS,
    CLEAN_DEALS,
    SINCE_CLEAN,
    LONGEST,
    LOOS,
    CAPPED,
    PLAYED,
    LOOED_LAST,
    GAP,
    FIRST,
) = range(MONEY)
"""Rows of what concerns a table: units in the pot; chair that deals; sum of the pots when play
began; deals at a single pot; deals in which nobody was looed, deals since the last, most deals in a
row that were none; players looed; deals in which a loo met the cap; deals played; players looed in
the last; if it was clean, deals since the clean one before, else 0; the person in chair 0, who
deals first."""

PERSON_ROWS = 5
PURSE, LOWEST, HIGHEST, NEED, SEAT_NET = range(PERSON_ROWS)
"""Rows of what concerns a chair, in units: in the purse; least and most after a deal; beyond what
was brought, with which the person could just have put in what was due; net of the *seat* of this
number."""
TIMES = 2
LOOED, TRICKS = range(TIMES)
"""Rows of what is counted of a chair: times looed; tricks won."""
STILL_THERE = np.int64(-1)
SQUARE_STAKE, MOST_SQUARE = 729.0**2, 2.0**50
"""Square units in a square stake; most square stakes that one deal adds to a sum of squares."""
BYTES = 5
HERE, CHAIR, PLAYED_BY, KIND_OF, OUTCOME = range(BYTES)
"""Byte rows: whether the person of each chair is at the table; the chair in each seat; who plays
for each chair: its person, but in a league a policy; the kind of that policy; what the chair came
to in a deal, a sum of the bits below."""
NOTHING, WON, IS_LOOED, TAKES_POT, DEFENDED_SHIFT = (np.uint8(bits) for bits in (0, 3, 4, 8, 4))
"""Bits of an outcome: tricks that are paid, looed, takes the whole pot; tricks of a defender."""
ONE_TRICK, TWO_TRICKS, ZERO8 = np.uint8(1), np.uint8(2), np.uint8(0)
ZERO, THREE = np.int64(0), np.uint64(3)
LOOED_SHIFT = np.uint8(2)
NO_SQUARES, NO_TIMES, IS_HERE = np.float64(0), np.uint32(0), np.uint8(1)


class Tables(NamedTuple):
    """A batch of tables, a lane a table.

    Attributes
    ----------
    at_table : uint8 (TABLES,)
        People at each table; 0 where play is over.
    money : int64 (MONEY, TABLES)
        What concerns each table.
    squares : float64 (TABLES,)
        Sum of the squares of the pots when play began, in whole square stakes.
    people : int64 (PERSON_ROWS, 16, TABLES)
        What concerns each chair.
    times : uint32 (TIMES, 16, TABLES)
        What is counted of each chair.
    left_at : int64 (16, TABLES)
        Deals played when the person of a chair left, else `STILL_THERE`.
    byte : uint8 (BYTES, 16, TABLES)
        Who is there, sits where and is played by whom, and came to what.
    share, due : int64 (TABLES,)
        Units that a trick takes in this deal, that a loo costs.
    looed, capped : uint8 (TABLES,)
        Players looed in this deal; whether the cap keeps its loo below the pot.
    order, start : uint16 (TABLES,), int64 (18,)
        Tables sorted by number of people at them; where each number starts.
    pot : int64 (TABLES,)
        Work row: the pots of some tables, side by side.
    outcome : uint8 (16, TABLES)
        Work rows: what each seat of theirs came to.
    net : int64 (16, TABLES)
        Work rows: what each chair won or paid, in units.
    """

    at_table: npt.NDArray[np.uint8]
    money: npt.NDArray[np.int64]
    squares: npt.NDArray[np.float64]
    people: npt.NDArray[np.int64]
    times: npt.NDArray[np.uint32]
    left_at: npt.NDArray[np.int64]
    byte: npt.NDArray[np.uint8]
    share: npt.NDArray[np.int64]
    due: npt.NDArray[np.int64]
    looed: npt.NDArray[np.uint8]
    capped: npt.NDArray[np.uint8]
    order: npt.NDArray[np.uint16]
    start: npt.NDArray[np.int64]
    pot: npt.NDArray[np.int64]
    outcome: npt.NDArray[np.uint8]
    net: npt.NDArray[np.int64]


def make_tables() -> Tables:
    """Room for `TABLES` tables."""
    return Tables(
        at_table=np.zeros(TABLES, np.uint8),
        money=np.zeros((MONEY, TABLES), np.int64),
        squares=np.zeros(TABLES, np.float64),
        people=np.zeros((PERSON_ROWS, MAX_SEATS, TABLES), np.int64),
        times=np.zeros((TIMES, MAX_SEATS, TABLES), np.uint32),
        left_at=np.zeros((MAX_SEATS, TABLES), np.int64),
        byte=np.zeros((BYTES, MAX_SEATS, TABLES), np.uint8),
        share=np.zeros(TABLES, np.int64),
        due=np.zeros(TABLES, np.int64),
        looed=np.zeros(TABLES, np.uint8),
        capped=np.zeros(TABLES, np.uint8),
        order=np.zeros(TABLES, np.uint16),
        start=np.zeros(MAX_SEATS + 2, np.int64),
        pot=np.zeros(TABLES, np.int64),
        outcome=np.zeros((MAX_SEATS, TABLES), np.uint8),
        net=np.zeros((MAX_SEATS, TABLES), np.int64),
    )


@inner
def sit_down(terms, words, n, t):
    """Seat everyone at `n` tables; the first dealer is drawn by a 32-bit word (S4)."""
    people = terms[PEOPLE]
    brought = max(terms[BANKROLL], ZERO)
    for row in range(MONEY):
        fill(t.money[row, :n], ZERO)
    fill(t.squares[:n], NO_SQUARES)
    for chair in range(people):
        for row in range(PERSON_ROWS):
            fill(t.people[row, chair, :n], brought if row <= HIGHEST else ZERO)
        fill(t.people[NEED, chair, :n], -brought)
        fill(t.times[LOOED, chair, :n], NO_TIMES)
        fill(t.times[TRICKS, chair, :n], NO_TIMES)
        fill(t.left_at[chair, :n], STILL_THERE)
        fill(t.byte[HERE, chair, :n], IS_HERE)
    # `pass_deal` passes the deal on: as if the chair before the first had dealt.
    fill(t.money[DEALER, :n], people - 1)
    fill(t.at_table[:n], np.uint8(people if people >= terms[MIN_PLAYERS] else ZERO))
    for table in range(n):
        t.money[FIRST, table] = np.int64(draw_below(words[table], np.uint64(people)))


@inner
def person_of(chair, first, people):
    """The person who holds a chair, where chair 0 is the first dealer's."""
    person = first + chair
    return person - people if person >= people else person


@inner
def chair_of(person, first, people):
    """The chair that a person holds."""
    chair = person - first
    return chair + people if chair < 0 else chair


@inner
def pass_deal(terms, number, n, t):
    """Pass deal `number` to the left at tables that everyone has sat at so far (S4)."""
    people = terms[PEOPLE]
    fill(t.money[DEALER, :n], number % people)
    for seat in range(people):
        fill(t.byte[CHAIR, seat, :n], np.uint8((number + 1 + seat) % people))


@inner
def pass_deal_to_who_can_pay(terms, table, t):
    """Pass the deal to the left; who cannot put in what is due leaves (S3, S4, S17)."""
    people = terms[PEOPLE]
    dealer = t.money[DEALER, table]
    for _ in range(people):
        dealer = dealer + 1 if dealer + 1 < people else 0
        if not t.byte[HERE, dealer, table]:
            continue
        if t.people[PURSE, dealer, table] >= terms[DEALER_STAKE]:
            break
        leave_owing(dealer, terms[DEALER_STAKE], table, t)
    t.money[DEALER, table] = dealer
    seats = 0
    for ahead in range(1, people + 1):
        chair = dealer + ahead if dealer + ahead < people else dealer + ahead - people
        if not t.byte[HERE, chair, table]:
            continue
        if chair != dealer and t.people[PURSE, chair, table] < terms[ANTE]:
            leave_owing(chair, terms[ANTE], table, t)
            continue
        t.byte[CHAIR, seats, table] = chair
        seats += 1
    t.at_table[table] = seats if seats >= terms[MIN_PLAYERS] else 0


@inner
def leave_owing(chair, due, table, t):
    """Take from the table who cannot put in what is due."""
    need = due - t.people[PURSE, chair, table]
    t.people[NEED, chair, table] = max(t.people[NEED, chair, table], need)
    leave(chair, table, t)


@inner
def leave(chair, table, t):
    """Take the person of a chair from the table, with what he has."""
    t.byte[HERE, chair, table] = 0
    t.left_at[chair, table] = t.money[PLAYED, table]


@inner
def leave_with_nothing(terms, n, t):
    """Take from the tables who has nothing left after a deal."""
    for chair in range(terms[PEOPLE]):
        purse = t.people[PURSE, chair]
        for table in range(n):
            if purse[table] == 0 and t.byte[HERE, chair, table] and t.at_table[table]:
                leave(chair, table, t)


@inner
def single_pot(terms, players):
    """Units in a pot that holds nothing but the dealer's stake and the antes."""
    return terms[DEALER_STAKE] + (players - 1) * terms[ANTE]


@inner
def put_in(due, purse, need, pot):
    """Take what is due from purses and put it into the pots."""
    for lane in range(pot.size):
        left = purse[lane] - due
        most, units = need[lane], pot[lane]
        purse[lane] = left
        need[lane] = -left if -left > most else most
        pot[lane] = units + due


@inner
def put_in_one(due, chair, table, t):
    """The same for one person."""
    left = t.people[PURSE, chair, table] - due
    t.people[PURSE, chair, table] = left
    t.people[NEED, chair, table] = max(t.people[NEED, chair, table], -left)
    t.money[POT, table] += due


@inner
def note_pot(at_table, pot, single, pot_sum, squares, single_pots):
    """Note the pots when play begins; `single` by number of people at the table."""
    for lane in range(pot.size):
        plays, units = at_table[lane] != ZERO8, pot[lane]
        square = np.trunc(np.float64(units) * np.float64(units) / SQUARE_STAKE)
        square = square if square < MOST_SQUARE else MOST_SQUARE
        pot_sum[lane] += units if plays else ZERO
        squares[lane] += square if plays else NO_SQUARES
        single_pots[lane] += np.int64(plays & (units == single[lane]))


@inner
def set_payments(terms, pot, share, due, capped):
    """What a trick takes and a loo costs (S15, S16)."""
    loo, cap = terms[LOO], terms[LOO_CAP]
    for lane in range(pot.size):
        units = pot[lane]
        asked = units if loo == POT_LOO else loo
        due[lane] = asked if asked < cap else cap
        capped[lane] = np.uint8((loo == POT_LOO) & (units > cap))
    for lane in range(pot.size):
        share[lane] = np.uint64(pot[lane]) // THREE


@inner
def pay(outcome, share, due, limited, pot, purse, net_sum, lowest, highest):
    """Pay what a chair won out of the pots, or collect its loo (S10, S15, S16)."""
    for lane in range(outcome.size):
        bits, trick, units, has = outcome[lane], share[lane], pot[lane], purse[lane]
        loo, before, low, high = due[lane], net_sum[lane], lowest[lane], highest[lane]
        loss = has if limited & (has < loo) else loo
        won = trick if bits & ONE_TRICK else ZERO
        won += trick + trick if bits & TWO_TRICKS else ZERO
        won += units if bits & TAKES_POT else ZERO
        net = won - (loss if bits & IS_LOOED else ZERO)
        now = has + net
        purse[lane] = now
        pot[lane] = units - net
        net_sum[lane] = before + net
        lowest[lane] = now if now < low else low
        highest[lane] = now if now > high else high


@inner
def note_outcome(outcome, looed, tricks):
    """Note who was looed, and tricks won, a defender's too."""
    for lane in range(outcome.size):
        bits = outcome[lane]
        won = np.uint8((bits | (bits >> DEFENDED_SHIFT)) & WON)
        lost = np.uint8((bits & IS_LOOED) >> LOOED_SHIFT)
        looed[lane] = np.uint32(looed[lane] + np.uint32(lost))
        tricks[lane] = np.uint32(tricks[lane] + np.uint32(won))


@inner
def count_looed(outcome, looed):
    """Count the looed of a deal."""
    for lane in range(looed.size):
        looed[lane] = np.uint8(looed[lane] + np.uint8((outcome[lane] & IS_LOOED) != ZERO8))


@inner
def note_looed(at_table, looed, capped, looed_last, loos, met_cap, played):
    """Note how many were looed in a deal."""
    for lane in range(looed.size):
        plays, number = at_table[lane] != ZERO8, looed[lane]
        looed_last[lane] = np.int64(number)
        loos[lane] += np.int64(number)
        met_cap[lane] += np.int64((capped[lane] != ZERO8) & (number != ZERO8))
        played[lane] += np.int64(plays)


@inner
def note_clean(at_table, looed, clean_deals, since_clean, longest, gap):
    """Note deals in which nobody was looed, and how long it was since the last."""
    for lane in range(looed.size):
        plays = at_table[lane] != ZERO8
        clean, since, most = plays & (looed[lane] == ZERO8), since_clean[lane], longest[lane]
        since += np.int64(plays)
        clean_deals[lane] += np.int64(clean)
        gap[lane] = since if clean else ZERO
        since = ZERO if clean else since
        since_clean[lane] = since
        longest[lane] = since if since > most else most


@inner
def share_pot(people, table, t):
    """Share what is left in the pot among those at the table; an odd unit stays."""
    there = ZERO
    for chair in range(people):
        there += np.int64(t.byte[HERE, chair, table])
    if there == 0:
        return
    share = t.money[POT, table] // there
    for chair in range(people):
        if t.byte[HERE, chair, table]:
            t.people[PURSE, chair, table] += share
            t.money[POT, table] -= share
