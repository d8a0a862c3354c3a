"""Entry kernel that keeps every deal of every table, for holding sessions to plain Python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.batch import make_scratch
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.game import MAX_SEATS
from loo_sim.kernels.purses import (
    DEALER,
    DEALS,
    FIRST,
    LOOED,
    MONEY,
    PEOPLE,
    PERSON_ROWS,
    PLAY_ON,
    SEAT_NET,
    SPLIT,
    chair_of,
    make_tables,
    person_of,
    share_pot,
)
from loo_sim.kernels.sessions import (
    SessionGame,
    begin_deals,
    begin_tables,
    end_clean_tables,
    own,
    play_deals,
)


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


@entry
def run_kept_tables(session, seed, first, count, s, t, kept):
    """Play sessions and keep all tables after every deal; see `keep_tables`."""
    terms = session.terms
    begin_tables(session, seed, first, count, s, t)
    for number in range(terms[DEALS] + terms[PLAY_ON]):
        if number >= terms[DEALS] and end_clean_tables(count, t) == 0:
            break
        whole = begin_deals(terms, number, count, t)
        play_deals(session, seed, first, number, count, whole, s, t)
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
    run_kept_tables(
        own(session), np.uint64(seed), np.uint64(first), count,
        make_scratch(), make_tables(), kept,
    )  # fmt: skip
    return kept
