"""What a player sees when he must decide: the situation when announcing, the trick when playing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from loo_sim.cards import Card
from loo_sim.rules import Rules


class Situation(NamedTuple):
    """What everybody at the table knows when a seat announces.

    Attributes
    ----------
    rules : Rules
        The rules played by.
    players : int
        Seats.
    seat : int
        The seat that speaks; 0 is on the dealer's left, ``players - 1`` is the dealer.
    standers : int
        Players in so far, on their own hand or on the miss.
    miss_free : bool
        Whether nobody has taken the miss yet.
    pot : int
        Units in the pot.
    """

    rules: Rules
    players: int
    seat: int
    standers: int
    miss_free: bool
    pot: int

    @property
    def is_dealer(self) -> bool:
        """Whether the dealer speaks."""
        return self.seat == self.players - 1

    @property
    def legal(self) -> tuple[str, ...]:
        """What may be announced, in the order fold, stand, miss, defend."""
        return self.rules.legal_actions(self.is_dealer, self.standers, self.miss_free)


class Turn(NamedTuple):
    """What a player sees when it is his turn to play a card.

    Attributes
    ----------
    seat : int
        The seat that plays.
    trick_no : int
        1 to 3.
    in_play : int
        Players in, a defending dealer included.
    my_tricks : int
        Tricks the player has won so far.
    position : int
        0 for the leader, ``in_play - 1`` for the last to play.
    trump_suit : str
        ``c``, ``d``, ``h`` or ``s``.
    best : Card or None
        The best card of the trick so far; None for the leader.
    """

    seat: int
    trick_no: int
    in_play: int
    my_tricks: int
    position: int
    trump_suit: str
    best: Card | None


class Player(Protocol):
    """Someone who announces and plays for a seat."""

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        """One of ``situation.legal``."""

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        """One of `legal`, which are the cards of `hand` that may be played, in hand order."""
