"""What tables came to, counted over batches of them in whole numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.compiled import inner
from loo_sim.kernels.contests import fill
from loo_sim.kernels.game import MAX_SEATS
from loo_sim.kernels.purses import (
    BANKROLL,
    CAPPED,
    CLEAN_DEALS,
    DEALS,
    FIRST,
    GAP,
    HIGHEST,
    KIND_OF,
    LONGEST,
    LOOED,
    LOOED_LAST,
    LOOS,
    LOWEST,
    NEED,
    PEOPLE,
    PLAY_ON,
    PLAYED,
    POT,
    POT_SUM,
    PURSE,
    SEAT_NET,
    SINGLE_POTS,
    STILL_THERE,
    TRICKS,
    chair_of,
)
from loo_sim.kernels.sums import BINS, MOMENTS, add_moments, bin_of

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
ZERO = np.int64(0)


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


@inner
def count_pots(terms, number, n, t, paths):
    """Count the pots with which play of deal `number` began, if it is one at which they are kept.

    The pot of a table has not changed since: play is yet to come.
    """
    deals = terms[DEALS]
    every = (deals + PATH_POINTS - 1) // PATH_POINTS
    if number >= deals or number % every:
        return
    bins, pot, at_table = paths[number // every], t.money[POT], t.at_table
    for table in range(n):
        if at_table[table]:
            place, above = bin_of(pot[table])
            bins[place, 0] += 1
            bins[place, 1] += above


@inner
def count_gaps(n, t, gaps):
    """Count the clean deals just played by the deals since the one before."""
    gap = t.money[GAP]
    for table in range(n):
        if gap[table]:
            gaps[min(gap[table], MOST_GAP)] += 1
            gap[table] = 0


@inner
def count_tables_at_end(session, n, t, out):
    """Count what `n` tables came to.

    Parameters
    ----------
    session : SessionGame
        The game.
    n : int
        Tables.
    t : Tables
        As they are at the end.
    out : SessionCounts
        Modified in place.
    """
    terms, moments, money, people = session.terms, out.moments, t.money, t.people
    deals, first = money[PLAYED, :n], money[FIRST, :n]
    for total, row in (
        (TOTAL_SUM, POT_SUM),
        (TOTAL_SINGLE, SINGLE_POTS),
        (TOTAL_CLEAN, CLEAN_DEALS),
        (TOTAL_LOOS, LOOS),
        (TOTAL_LONGEST, LONGEST),
        (TOTAL_LEFT, POT),
        (TOTAL_PLAYED, PLAYED),
    ):
        add_moments(moments[total], money[row, :n], deals)
    # Work rows of a deal, which is over.
    value, chair, of_kind = t.share[:n], t.due[:n], t.net
    for table in range(n):
        value[table] = np.int64(t.squares[table])
    add_moments(moments[TOTAL_SQUARES], value, deals)
    for table in range(n):
        value[table] = np.int64(money[CAPPED, table] > 0)
        out.longest[min(money[LONGEST, table], MOST_GAP)] += 1
    add_moments(moments[TOTAL_MEETS_CAP], value, deals)
    for kind in range(MAX_SEATS):
        fill(of_kind[kind, :n], ZERO)
    for person in range(terms[PEOPLE]):
        for table in range(n):
            chair[table] = chair_of(person, first[table], terms[PEOPLE])
        count_person(session, person, chair, t, value, of_kind, out)
        add_moments(moments[NET_OF_SEAT + person], people[SEAT_NET, person, :n], deals)
    for kind in range(MAX_SEATS):
        if has_kind(terms[PEOPLE], kind, t):
            add_moments(moments[OF_KIND + kind], of_kind[kind, :n], deals)
    out.tables[0] += n
    out.tables[1] += bound_met(terms, n, t)


@inner
def count_person(session, person, chair, t, value, of_kind, out):
    """Count what became of a person, who sits in chair `chair` of each table."""
    moments, people, deals = out.moments, t.people, t.money[PLAYED, : chair.size]
    for total, row in ((FINAL, PURSE), (LOW, LOWEST)):
        take(people[row], chair, value)
        add_moments(moments[total + person], value, deals)
    for total, row in ((TIMES_LOOED, LOOED), (TRICKS_WON, TRICKS)):
        take(t.times[row], chair, value)
        add_moments(moments[total + person], value, deals)
    for table in range(chair.size):
        value[table] = np.int64(t.left_at[chair[table], table] != STILL_THERE)
    add_moments(moments[IS_OUT + person], value, deals)
    brought = max(session.terms[BANKROLL], 0)
    for table in range(chair.size):
        c = chair[table]
        final, low = people[PURSE, c, table], people[LOWEST, c, table]
        of_kind[t.byte[KIND_OF, c, table], table] += final
        count_signed(final, out.purses[0, person])
        count_signed(low, out.purses[1, person])
        value[table] = people[HIGHEST, c, table] - low
    add_moments(moments[RANGE + person], value, deals)
    for table in range(chair.size):
        c = chair[table]
        # Who has nothing left after a deal is ruined too.
        value[table] = max(people[NEED, c, table], 1 - people[LOWEST, c, table]) + brought
    for j in range(session.bankrolls.size):
        ruined = np.int64(0)
        for table in range(chair.size):
            ruined += np.int64(value[table] > session.bankrolls[j])
        out.ruined[person, j] += ruined


@inner
def take(rows, chair, value):
    """The value of one person of each table."""
    for table in range(value.size):
        value[table] = rows[chair[table], table]


@inner
def has_kind(people, kind, t):
    """Whether anybody is of a kind of policy; all tables have the same people."""
    found = False
    for chair in range(people):
        found |= t.byte[KIND_OF, chair, 0] == kind
    return found


@inner
def count_signed(units, bins):
    """Count a purse, which may be below zero."""
    place, above = bin_of(abs(units))
    place = BINS + place if units >= 0 else BINS - 1 - place
    bins[place, 0] += 1
    bins[place, 1] += above


@inner
def bound_met(terms, n, t):
    """Tables that played on to the bound without a clean deal."""
    met = np.int64(0)
    if terms[PLAY_ON]:
        for table in range(n):
            met += np.int64((t.at_table[table] > 0) & (t.money[LOOED_LAST, table] > 0))
    return met
