"""A policy at the table: announces and plays for one seat, rule by rule, hand by hand.

The referee plays with it. It walks the rules as a person would, apart from the compiled tables
that the kernels use, so that each checks the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from loo_sim.cards import (
    ACE,
    SUITS,
    Card,
    class_numbers,
    hand_classes,
    hand_index,
    live_cards,
    lowest_rank,
)
from loo_sim.draws import WORD, Choices
from loo_sim.policies.policy import ACTIONS, RANDOM, Choice, Policy, fallback
from loo_sim.policies.table import ABSENT, PolicyTable
from loo_sim.policies.tree import evaluate
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.views import Situation, Turn


class Share(NamedTuple):
    """What one part of a policy contributes to an announcement.

    Attributes
    ----------
    chances : dict of str to Fraction
        Chance that it gives to each action.
    reason : str
        The part in words: ``rule 2: trumps >= 2``.
    """

    chances: dict[str, Fraction]
    reason: str


def chances(
    policy: Policy, situation: Situation, hand: Sequence[Card], turn_up: Card
) -> dict[str, Fraction]:
    """The chance with which a policy makes each announcement.

    Parameters
    ----------
    policy : Policy
        The policy.
    situation : Situation
        Where it speaks.
    hand : sequence of Card
        Its three cards.
    turn_up : Card
        The card turned up.

    Returns
    -------
    dict of str to Fraction
        For each of ``situation.legal``, in that order; they sum to 1.
    """
    parts = shares(policy, situation, hand, turn_up)
    return {
        action: sum((part.chances.get(action, Fraction(0)) for part in parts), Fraction(0))
        for action in situation.legal
    }


def reason(
    policy: Policy, situation: Situation, hand: Sequence[Card], turn_up: Card, action: str
) -> str:
    """Which parts of a policy speak for the announcement that it made, in words.

    Returns
    -------
    str
        ``rule 2: trumps >= 2``; several, in order, with `or` between them.
    """
    parts = shares(policy, situation, hand, turn_up)
    return " or ".join(part.reason for part in parts if part.chances.get(action))


def shares(
    policy: Policy, situation: Situation, hand: Sequence[Card], turn_up: Card
) -> list[Share]:
    """What each part of a policy contributes, in the order in which they are asked."""
    legal = situation.legal
    left = Fraction(1)
    found = []
    if policy.table is not None:
        given = _table_chances(policy.table, situation, hand, turn_up)
        given = {action: given[action] for action in legal if given.get(action)}
        if given:
            left -= sum(given.values())
            found.append(Share(given, "its table"))
    values = announce_values(situation, hand, turn_up) if policy.announce.rules else {}
    for number, rule in enumerate(policy.announce.rules, start=1):
        if left and (rule.do == RANDOM or rule.do in legal) and evaluate(rule.when, values):
            taken = left * rule.chance
            left -= taken
            share = "" if rule.chance == 1 else f", with chance {float(rule.chance):g}"
            why = f"rule {number}: {policy.condition(rule)}{share}"
            found.append(Share(_given(rule.do, taken, legal), why))
    if left:
        otherwise = policy.announce.otherwise
        word = fallback(otherwise, legal)
        why = f"otherwise {otherwise}" + ("" if word == otherwise else ", which is illegal here")
        found.append(Share(_given(word, left, legal), why))
    return found


def _given(do: str, share: Fraction, legal: Sequence[str]) -> dict[str, Fraction]:
    return {action: share / len(legal) for action in legal} if do == RANDOM else {do: share}


def announce_values(
    situation: Situation, hand: Sequence[Card], turn_up: Card
) -> dict[str, float | bool]:
    """The value of every name of `[announce]`, worked out from the cards."""
    suit, deck = turn_up.suit, situation.rules.deck
    live = [rank for rank in range(lowest_rank(deck), ACE + 1) if rank != turn_up.rank]
    trumps = sorted((card.rank for card in hand if card.suit == suit), reverse=True)
    plain = sorted((card.rank for card in hand if card.suit != suit), reverse=True)
    over = [sum(rank > trump for rank in live) for trump in trumps]
    over += [len(live)] * (2 - len(over))
    high, middle, low = plain + [0] * (3 - len(plain))
    stakes = situation.pot / UNITS_PER_STAKE
    loo = situation.rules.loo_units(situation.pot) / UNITS_PER_STAKE
    numbers = {
        "trumps": len(trumps),
        "over_best": over[0],
        "over_second": over[1],
        "high": high,
        "middle": middle,
        "low": low,
        "plain_suits": len({card.suit for card in hand} - {suit}),
        "seat": situation.seat,
        "to_act": situation.players - 1 - situation.seat,
        "players": situation.players,
        "standers": situation.standers,
        "folded": situation.seat - situation.standers,
        "pot": stakes,
        "trick": stakes / 3,
        "loo": loo,
    }
    values: dict[str, float | bool] = {name: float(number) for name, number in numbers.items()}
    return values | {"dealer": situation.is_dealer, "miss_free": situation.miss_free}


def _table_chances(
    table: PolicyTable, situation: Situation, hand: Sequence[Card], turn_up: Card
) -> dict[str, Fraction]:
    _, players, seat, standers, miss_free, pot = situation
    row = table.row(players, pot / UNITS_PER_STAKE, seat, standers, miss_free)
    if row is None:
        return {}
    code = row[class_numbers()[class_name(hand, turn_up, situation.rules.deck)]]
    return {} if code == ABSENT else dict(zip(ACTIONS, table.mixtures[code], strict=True))


def class_name(hand: Sequence[Card], turn_up: Card, deck: int) -> str:
    """Name of the class of a hand, as `cards.hand_classes` names it."""
    number = _live_numbers(turn_up, deck)
    classes = hand_classes(deck)
    return classes.names[int(classes.class_of[hand_index([number[card] for card in hand])])]


@lru_cache(maxsize=128)
def _live_numbers(turn_up: Card, deck: int) -> dict[Card, int]:
    return {card: i for i, card in enumerate(live_cards(turn_up, deck))}


class PolicyPlayer:
    """A policy at the table, for one deal; a `loo_sim.views.Player`.

    Parameters
    ----------
    policy : Policy
        How it announces and plays.
    choices : Choices
        What its choices of this deal draw.
    """

    def __init__(self, policy: Policy, choices: Choices) -> None:
        self.policy = policy
        self.choices = choices

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        """The announcement that the policy makes; a chance is settled by `choices.announce`."""
        total = Fraction(0)
        for action, chance in chances(self.policy, situation, hand, turn_up).items():
            total += chance
            if self.choices.announce < int(total * WORD):
                return action
        raise ValueError(f"chances in {situation} sum to {total}, not 1")

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        """The card that the policy plays."""
        if len(legal) == 1:
            return legal[0]
        best = turn.best
        if best is not None:
            heads = legal[0].suit == best.suit and legal[0].rank > best.rank
            heads |= legal[0].suit == turn.trump_suit != best.suit
            kind = self.policy.play.head if heads else self.policy.play.lose
            return self._pick(_word(kind, turn), turn, hand, legal)
        trumps = [card for card in legal if card.suit == turn.trump_suit]
        plain = [card for card in legal if card.suit != turn.trump_suit]
        if trumps and plain:
            lead = _word(self.policy.play.lead, turn)
            if lead == RANDOM:
                return self._pick(RANDOM, turn, hand, legal)
            trumps, plain = (trumps, []) if lead == "trump" else ([], plain)
        if trumps:
            return self._pick(_word(self.policy.play.lead_trump, turn), turn, hand, trumps)
        return self._pick(_word(self.policy.play.lead_plain, turn), turn, hand, plain)

    def _pick(self, word: str, turn: Turn, hand: Sequence[Card], cards: Sequence[Card]) -> Card:
        if len(cards) == 1:
            return cards[0]
        if word == RANDOM:
            order = self.choices.preference[turn.trick_no - 1]
            return next(hand[place] for place in order if hand[place] in cards)
        choose: Callable[..., Card] = min if word == "low" else max
        return choose(
            cards,
            key=lambda card: (card.suit == turn.trump_suit, card.rank, SUITS.index(card.suit)),
        )


def _word(choice: Choice, turn: Turn) -> str:
    """The word of the first rule that applies at this turn."""
    values: dict[str, float | bool] = {
        "trick_no": float(turn.trick_no),
        "last": turn.best is not None and turn.position == turn.in_play - 1,
        "in_play": float(turn.in_play),
        "my_tricks": float(turn.my_tricks),
        "best_is_trump": turn.best is not None and turn.best.suit == turn.trump_suit,
    }
    for rule in choice.rules:
        if evaluate(rule.when, values):
            return rule.do
    return choice.otherwise
