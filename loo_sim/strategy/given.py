"""How likely announcements are with every hand, and what a kernel needs to deal given them."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from loo_sim.cards import HAND_SIZE, all_hands, live_cards, pack
from loo_sim.kernels.aimed import card_codes
from loo_sim.kernels.given import Given
from loo_sim.policies.compile import CERTAIN, FIRST_MIXTURE
from loo_sim.policies.policy import ACTIONS
from loo_sim.problems import Problems
from loo_sim.strategy.question import SOURCE, Question, situation_after
from loo_sim.studies.estimates import Floats

if TYPE_CHECKING:
    from loo_sim.policies.compile import Tables


def hand_numbers(question: Question) -> list[int]:
    """The live card numbers of the hand."""
    live = live_cards(question.turn_up, question.cell.rules.deck)
    return [live.index(card) for card in question.hand]


def chances_of(tables: Tables, row: int, action: str) -> Floats:
    """The chance of an announcement with every hand, in parts of 2**32.

    Parameters
    ----------
    tables : Tables
        Compiled policies.
    row : int
        The row of a seat and situation.
    action : str
        ``fold``, ``stand``, ``miss`` or ``defend``.

    Returns
    -------
    ndarray of float64, shape (hands,)
        Whole numbers, by `cards.hand_index`.
    """
    at = ACTIONS.index(action)
    certain = np.where(np.arange(FIRST_MIXTURE) == at, float(CERTAIN), 0.0)
    thresholds = np.pad(tables.mixtures.astype(float), ((0, 0), (1, 1)))
    thresholds[:, -1] = CERTAIN
    chances: Floats = np.concatenate([certain, np.diff(thresholds, axis=1)[:, at]])
    by_hand: Floats = chances[tables.rows[row]]
    return by_hand


def announcement_chances(question: Question, tables: Tables) -> list[Floats]:
    """For each seat before, the chance of what it announced with every hand that it may hold.

    Parameters
    ----------
    question : Question
        The question.
    tables : Tables
        Its policies, compiled.

    Returns
    -------
    list of ndarray of float64, shape (hands,)
        In parts of 2**32, by `cards.hand_index`; 0 for hands with a card of the known one.

    Raises
    ------
    InputError
        If some seat never announces what it did, with any hand that it may hold: the first.
    """
    free = ~np.isin(all_hands(question.cell.rules.deck), hand_numbers(question)).any(axis=1)
    found = []
    for seat, word in enumerate(question.before):
        there = situation_after(question.cell, question.before[:seat])
        row = int(tables.row_of[seat, there.standers, int(there.miss_free)])
        chances = np.where(free, chances_of(tables, row, word), 0.0)
        if not chances.any():
            problems = Problems(SOURCE)
            problems.add("before", _never(question, seat, word), "another --policy may")
            problems.raise_if_any()
        found.append(chances)
    return found


def _never(question: Question, seat: int, word: str) -> str:
    """Say that a seat never announces this."""
    there = situation_after(question.cell, question.before[:seat])
    says = {"fold": "folds", "stand": "stands", "miss": "takes the miss"}[word]
    miss = "the miss there" if there.miss_free else "the miss gone"
    name = question.cell.policies[seat].name
    return f"seat {seat} never {says} here under {name} ({there.standers} in before it, {miss})"


def seats_to_draw(chances: list[Floats], deck: int) -> list[int]:
    """The seats whose hands are drawn: where a deal is kept more rarely than cards lie apart.

    A hand that is drawn must share no card with those drawn before it, or all is drawn again; for a
    seat whose hand is dealt the deal must be kept. Whichever wastes less is done, the rarest
    announcements first. That hands lie apart has about the chance ``exp(-m)``, m being the mean
    number of cards in common.

    Parameters
    ----------
    chances : list of ndarray of float64
        For each seat, as `announcement_chances` has them.
    deck : int
        Cards in the pack.

    Returns
    -------
    list of int
        In order of seats.
    """
    cards = all_hands(deck)
    hands = comb(deck - 1 - HAND_SIZE, HAND_SIZE)
    share = [chance.sum() / chance.max() / hands for chance in chances]
    taken = np.zeros(deck - 1)
    drawn: list[int] = []
    for seat in sorted(range(len(share)), key=lambda seat: share[seat]):
        weight = np.repeat(chances[seat] / chances[seat].sum(), HAND_SIZE)
        holds = np.bincount(cards.ravel(), weight, deck - 1)
        if share[seat] < np.exp(-(holds * taken).sum()):
            taken += holds
            drawn.append(seat)
    return sorted(drawn)


def make_given(
    question: Question,
    chances: list[Floats],
    alternatives: list[tuple[str, int]],
) -> Given:
    """What the kernel is told.

    Parameters
    ----------
    question : Question
        The question.
    chances : list of ndarray of float64
        For each seat before, as `announcement_chances` has them.
    alternatives : list of (str, int)
        Announcements that are looked at, each with the ranks of the cards for trick 1, or
        `AS_DRAWN`.

    Returns
    -------
    Given
    """
    deck = question.cell.rules.deck
    codes = card_codes(deck)
    cards = codes[all_hands(deck)].T
    holds = (np.uint64(1) << cards.astype(np.uint64)).sum(axis=0, dtype=np.uint64)
    drawn = seats_to_draw(chances, deck)
    hands = [np.flatnonzero(chances[seat]) for seat in drawn]
    reached = [np.cumsum(chances[seat][some]) for seat, some in zip(drawn, hands, strict=True)]
    said = np.zeros(question.cell.players, np.uint8)
    said[: len(question.before)] = [ACTIONS.index(word) for word in question.before]
    dealt = [seat for seat in range(len(chances)) if seat not in drawn]
    limit_of = np.full(question.cell.players, -1, np.int64)
    limit_of[dealt] = range(len(dealt))
    limits = [np.ceil(chances[seat] * (CERTAIN / chances[seat].max())) for seat in dealt]
    none = np.zeros(0)
    return Given(
        at=np.array([len(question.before), pack(deck).index(question.turn_up)], np.int64),
        hand=codes[hand_numbers(question)],
        said=said,
        limit_of=limit_of,
        limits=np.array(limits, np.uint64).reshape(len(dealt), cards.shape[1]),
        drawn=np.array(drawn, np.int64),
        start=np.cumsum([0, *map(len, hands)], dtype=np.int64),
        hands=np.concatenate([none, *hands]).astype(np.uint16),
        reached=np.concatenate([none, *reached]),
        cards=np.ascontiguousarray(cards),
        holds=holds,
        action=np.array([ACTIONS.index(word) for word, _ in alternatives], np.int64),
        ranks=np.array([ranks for _, ranks in alternatives], np.uint8),
    )
