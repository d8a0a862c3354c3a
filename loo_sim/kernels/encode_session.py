"""A session in numbers: rules, policies for every pot, purses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loo_sim.cards import hand_classes
from loo_sim.kernels import purses
from loo_sim.kernels.game import (
    MAX_SEATS,
    PEOPLE_MOVE,
    PLAYERS,
    PLAYS_DRAW,
    WORDS_VARY,
    Game,
    encode_play,
    encode_rules,
    words_vary,
)
from loo_sim.kernels.sessions import BOUNDS_AT_ONCE, SessionGame
from loo_sim.policies.policy import Policy
from loo_sim.policies.pots import pot_classes, table_sizes
from loo_sim.rules import MOST_EXTRA_DEALS, MOST_LOO, POT_LOO, UNITS_PER_STAKE, Rules

NEVER_REACHED = np.iinfo(np.int64).max


def encode_session(
    rules: Rules,
    policies: Sequence[Policy],
    rounds: int,
    bankroll: int | None,
    bankrolls: Sequence[int],
    players: int | None = None,
) -> SessionGame:
    """Put a session into numbers.

    Parameters
    ----------
    rules : Rules
        The rules played by.
    policies : sequence of Policy
        One a person; in a league, those that compete.
    rounds : int
        Times that everyone deals.
    bankroll : int or None
        Stakes that each person brings; None if purses have no limit.
    bankrolls : sequence of int
        Stakes; for each it is counted who would have been ruined.
    players : int, optional
        People at a table of a league, whom the policies play for in turn.

    Returns
    -------
    SessionGame

    Raises
    ------
    InputError
        From `pot_classes`.
    """
    people = players or len(policies)
    sizes = table_sizes(rules, people, bankroll)
    classes = pot_classes(policies, rules, sizes)
    _, one_of_kind = np.unique(classes.kind_of, return_index=True)
    play, shared = encode_play(classes.play[one_of_kind])
    settings = encode_rules(rules)
    settings[PLAYERS] = people
    settings[WORDS_VARY] = words_vary(shared, people)
    one_row_a_seat = classes.row_of.shape[:2] == (1, 1) and not rules.force_on_single
    settings[PEOPLE_MOVE] = settings[WORDS_VARY] or not one_row_a_seat
    settings[PLAYS_DRAW] = classes.play_draws
    draws = int(classes.announce_draws) + 2 * int(classes.play_draws)
    kinds, seats = classes.row_of.shape[1:3]
    game = Game(
        settings=settings,
        rows=classes.rows,
        row_of=classes.row_of.astype(np.uint32).reshape(-1, kinds, seats, 2 * seats),
        kind_of=classes.kind_of,
        mixtures=classes.mixtures,
        draws=np.full(people, draws, dtype=np.uint8),
        play=play,
        shared_word=shared.ravel(),
        class_of=hand_classes(rules.deck).class_of.astype(np.uint16),
    )
    terms = np.zeros(purses.TERMS, dtype=np.int64)
    terms[purses.PEOPLE] = people
    terms[purses.DEALS] = rounds * people
    terms[purses.MIN_PLAYERS] = rules.min_players
    terms[purses.DEALER_STAKE] = rules.dealer_stake * UNITS_PER_STAKE
    terms[purses.ANTE] = rules.ante * UNITS_PER_STAKE
    terms[purses.LOO] = purses.POT_LOO if rules.loo == POT_LOO else rules.loo_units(0)
    terms[purses.LOO_CAP] = rules.loo_units(2 * MOST_LOO)
    terms[purses.FORCE_ON_SINGLE] = rules.force_on_single
    terms[purses.BANKROLL] = purses.NO_LIMIT if bankroll is None else bankroll * UNITS_PER_STAKE
    terms[purses.PLAY_ON] = MOST_EXTRA_DEALS if rules.end == "no-loo" else 0
    terms[purses.SPLIT] = rules.end == "split"
    terms[purses.CONTESTANTS] = len(policies) if players else 0
    most = max(len(bounds) for bounds in classes.bounds.values())
    groups = -(-most // BOUNDS_AT_ONCE)
    bounds = np.full((MAX_SEATS + 1, groups * BOUNDS_AT_ONCE), NEVER_REACHED, dtype=np.int64)
    base = np.zeros(MAX_SEATS + 1, dtype=np.int64)
    for size in sizes:
        bounds[size, : len(classes.bounds[size])] = classes.bounds[size]
        base[size] = classes.class_base[size]
    units = np.array(bankrolls, dtype=np.int64) * UNITS_PER_STAKE
    return SessionGame(game, terms, bounds, base, units)
