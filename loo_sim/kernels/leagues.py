"""Entry kernels for leagues: every policy in every seat in turn, all on the same cards.

The policies sit in an order that is drawn for each deal or table (`seating`). In turn r the seat s,
or person s of a session, is played by the policy at place ``(s + r) % policies`` of it: over as
many turns as there are policies each has had every seat once. Where there are fewer policies than
seats each plays several seats in a turn; where there are more, some sit out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from loo_sim.cards import hand_classes
from loo_sim.kernels.announcing import KIND
from loo_sim.kernels.batch import (
    LANES,
    announce_all,
    deal_batch,
    make_scratch,
)
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.contests import WINNER, copy, play_tricks
from loo_sim.kernels.game import (
    ACTION_SHIFT,
    ALL_STAND,
    DEFEND,
    LOO,
    PEOPLE_MOVE,
    PLAYERS,
    PLAYS_DRAW,
    POT,
    RESULTS,
    SEAT_BITS,
    STAND,
    WHOLE_POT,
    WORDS_VARY,
    Game,
    encode_play,
    encode_rules,
    words_vary,
)
from loo_sim.kernels.purses import BANKROLL
from loo_sim.kernels.seating import draw_orders
from loo_sim.kernels.sessions import SessionGame, final_purses
from loo_sim.kernels.settling import net_units
from loo_sim.kernels.sums import add_moment, add_moments
from loo_sim.policies.compile import RANDOM_PLAY, Rows, play_words
from loo_sim.policies.features import situations
from loo_sim.policies.policy import Policy
from loo_sim.rules import Rules

ONE = np.int64(1)
Ints = npt.NDArray[np.int64]


def encode_league(rules: Rules, policies: Sequence[Policy], players: int, pot: int) -> Game:
    """Put a league of single deals into numbers; people and kinds of policy are the contestants.

    Parameters
    ----------
    rules : Rules
        The rules played by.
    policies : sequence of Policy
        The contestants, 2 to 16.
    players : int
        Seats.
    pot : int
        Units in the pot when play begins.

    Returns
    -------
    Game

    Raises
    ------
    InputError
        If the policies mix their announcements in more than `table.MOST_MIXTURES` ways.
    """
    rows = Rows()
    which = situations(players)
    seat, standers, miss_free = np.array(which).T
    row_of = np.zeros((1, len(policies), players, 2 * players), dtype=np.uint32)
    for kind, policy in enumerate(policies):
        row_of[0, kind, seat, 2 * standers + miss_free] = rows.add(
            policy, rules, players, pot, which
        )
    words = np.stack([play_words(policy) for policy in policies])
    play, shared = encode_play(words)
    plays_draw = bool((words == RANDOM_PLAY).any())
    settings = encode_rules(rules)
    settings[PLAYERS] = players
    settings[ALL_STAND] = rules.force_on_single and pot == rules.single_pot(players)
    settings[POT] = pot
    settings[LOO] = rules.loo_units(pot)
    settings[PEOPLE_MOVE] = 1
    settings[WORDS_VARY] = words_vary(shared, players)
    settings[PLAYS_DRAW] = plays_draw
    draws = int(rows.draws().any()) + 2 * int(plays_draw)
    return Game(
        settings=settings,
        rows=rows.rows(),
        row_of=row_of,
        kind_of=np.arange(len(policies), dtype=np.uint8),
        mixtures=rows.mixtures(),
        draws=np.full(players, draws, dtype=np.uint8),
        play=play,
        shared_word=shared.ravel(),
        class_of=hand_classes(rules.deck).class_of.astype(np.uint16),
    )


@entry
def run_league(game, seed, first, count, s, order, net, difference, once, value, moments, results):
    """Play consecutive deals with every policy in every seat; see `count_league`.

    Parameters
    ----------
    game : Game
        From `encode_league`.
    seed, first : uint64
        Seed, and number of the first deal.
    count : int
        Deals.
    s : Scratch
        Work rows.
    order : uint8 (policies, lanes)
        Work rows: the policies in the order in which they sit.
    net : int64 (policies, lanes)
        Work rows: net of each policy in a deal, in units, over all seats.
    difference, once : int64 (lanes,)
        As for `add_pairs`.
    value : int64 (RESULTS,)
        Work row: units that each result is worth to who stands.
    moments : int64 (policies, policies, MOMENTS)
        Modified in place.
    results : int64 (policies, RESULTS)
        Modified in place.
    """
    players, policies = game.settings[PLAYERS], net.shape[0]
    for result in range(RESULTS):
        value[result] = net_units(game.settings[POT], game.settings[LOO], STAND, result)
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        deal_batch(game, seed, first + np.uint64(done), n, s)
        draw_orders(seed, s.number[:n], s.words, order)
        net[:, :n] = 0
        for turn in range(policies):
            for seat in range(players):
                copy(order[(seat + turn) % policies, :n], s.row[KIND + seat, :n])
            announce_all(game, n, s)
            for place in range(s.start[2]):
                lane = s.order[place]
                # A silent dealer is in slot 0 too, where nobody came in.
                policy = s.row[KIND + (s.entry_in[0, lane] & SEAT_BITS), lane]
                net[policy, lane] += value[WHOLE_POT]
                results[policy, WHOLE_POT] += 1
            for k in range(2, players + 1):
                lanes = s.order[s.start[k] : s.start[k + 1]]
                if lanes.size > 0:
                    play_tricks(game, k, lanes, s)
                    add_contests(k, lanes, value, s, net, results)
        add_pairs(net, n, difference, once, moments)


@inner
def add_contests(k, lanes, value, s, net, results):
    """Add what the players of contests that lie played won or paid; a defender does neither."""
    first, second, third = s.contest[WINNER], s.contest[WINNER + 1], s.contest[WINNER + 2]
    for place in range(lanes.size):
        lane = lanes[place]
        for slot in range(k):
            who = s.entry_in[slot, lane]
            if who >> ACTION_SHIFT == DEFEND:
                continue
            won = np.int64(first[place] == slot) + np.int64(second[place] == slot)
            won += np.int64(third[place] == slot)
            policy = s.row[KIND + (who & SEAT_BITS), lane]
            net[policy, lane] += value[won]
            results[policy, won] += 1


@inner
def add_pairs(net, n, difference, once, moments):
    """Add the nets of each policy, and the differences of each two, to the sums.

    Parameters
    ----------
    net : int64 (policies, lanes)
        Net of each policy, in units, in `n` lanes.
    n : int
        Deals or tables.
    difference, once : int64 (lanes,)
        Work row; ones, since each counts once.
    moments : int64 (policies, policies, MOMENTS)
        Modified in place.
    """
    for one in range(net.shape[0]):
        add_moments(moments[one, one], net[one, :n], once[:n])
        for other in range(one):
            for lane in range(n):
                difference[lane] = net[one, lane] - net[other, lane]
            add_moments(moments[one, other], difference[:n], once[:n])


@entry
def add_purses(units, played_by, brought, net, purses):
    """Add what people won at tables in one turn to the accounts of the policies that played.

    Parameters
    ----------
    units : int64 (tables, people)
        Purse of each person at the end.
    played_by : uint8 (tables, people)
        The policy that played for him.
    brought : int
        Units that each person brought.
    net : int64 (policies, tables)
        Modified in place: of each policy, over all people and turns.
    purses : int64 (policies, MOMENTS)
        Modified in place: sums over tables and people.
    """
    for table in range(units.shape[0]):
        for person in range(units.shape[1]):
            won, policy = units[table, person] - brought, played_by[table, person]
            net[policy, table] += won
            add_moment(purses[policy], won, ONE)


@entry
def add_tables(net, difference, once, moments):
    """Add the nets of tables to the sums, as `add_pairs`."""
    add_pairs(net, net.shape[1], difference, once, moments)


def count_league(
    game: Game, seed: int, first: int, count: int, moments: Ints, results: Ints
) -> None:
    """Play consecutive deals with every policy in every seat in turn.

    Parameters
    ----------
    game : Game
        From `encode_league`.
    seed, first : int
        Seed, and number of the first deal, 0 to 2**64 - 1.
    count : int
        Deals.
    moments : int64 (policies, policies, MOMENTS)
        Modified in place: sums over deals (see `sums`), in units over all seats, of the net of
        policy i at [i, i], and of the net of i less that of j at [i, j] for j < i.
    results : int64 (policies, RESULTS)
        Modified in place: deals and seats in which the policy was in and won 0 to 3 tricks, or took
        the whole pot. It neither won nor paid in any other.
    """
    order = np.zeros((len(moments), LANES), np.uint8)
    net = np.zeros((len(moments), LANES), np.int64)
    difference, once = np.zeros(LANES, np.int64), np.ones(LANES, np.int64)
    value = np.zeros(RESULTS, np.int64)
    run_league(
        game, np.uint64(seed), np.uint64(first), count,
        make_scratch(), order, net, difference, once, value, moments, results,
    )  # fmt: skip


def count_session_league(
    session: SessionGame, seed: int, first: int, count: int, moments: Ints, purses: Ints
) -> None:
    """Play whole sessions at consecutive tables with every policy as every person in turn.

    Parameters
    ----------
    session : SessionGame
        From `encode_session`, with the policies that compete.
    seed, first : int
        Seed, 0 to 2**64 - 1, and number of the first table, 0 to 2**32 - 1.
    count : int
        Tables.
    moments : int64 (policies, policies, MOMENTS)
        Modified in place: as for `count_league`, sums over tables, the net of a policy being what
        the people whom it played for ended with less what they brought.
    purses : int64 (policies, MOMENTS)
        Modified in place: sums over tables and people of the same for one person.
    """
    brought = max(int(session.terms[BANKROLL]), 0)
    net = np.zeros((len(moments), count), np.int64)
    for turn in range(len(moments)):
        found = final_purses(session, turn, seed, first, count)
        add_purses(found.units, found.played_by, brought, net, purses)
    add_tables(net, np.empty(count, np.int64), np.ones(count, np.int64), moments)
