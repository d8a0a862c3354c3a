"""A player who acts on compiled tables in plain Python: fast enough for millions of decisions.

It takes from the tables what `policies.player.PolicyPlayer` works out rule by rule; the tests of
the tables hold the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from loo_sim.cards import Card, hand_index, live_cards
from loo_sim.draws import Choices, seat_choices
from loo_sim.policies.compile import FIRST_MIXTURE, RANDOM_PLAY, Tables
from loo_sim.policies.policy import ACTIONS, PLAY_WORDS
from loo_sim.views import Situation, Turn

LEAD_TRUMP, LEAD_PLAIN, HEAD, LOSE, LEAD = range(len(PLAY_WORDS))
LOW, TRUMP_LEAD = 0, 0


@cache
def live_numbers(turn_up: Card, deck: int) -> dict[Card, int]:
    """Number of each live card."""
    return {card: i for i, card in enumerate(live_cards(turn_up, deck))}


class Lookup:
    """The tables of a game as plain Python lists, shared by its players."""

    def __init__(self, tables: Tables, deck: int) -> None:
        self.deck = deck
        self.rows = [row.tobytes() for row in tables.rows]
        self.row_of = tables.row_of.tolist()
        self.mixtures = tables.mixtures.tolist()
        self.play = tables.play.tolist()


class TablePlayer:
    """A seat of a game, for one deal; a `loo_sim.views.Player`.

    Parameters
    ----------
    lookup : Lookup
        The tables.
    seat : int
        Its seat.
    choose : callable
        Gives what its choices of this deal draw; asked only if they draw.
    """

    def __init__(self, lookup: Lookup, seat: int, choose: Callable[[], Choices]) -> None:
        self.lookup = lookup
        self.seat = seat
        self.choose = choose

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        number = live_numbers(turn_up, self.lookup.deck)
        row = self.lookup.row_of[self.seat][situation.standers][situation.miss_free]
        code = self.lookup.rows[row][hand_index([number[card] for card in hand])]
        if code < FIRST_MIXTURE:
            return ACTIONS[code]
        word = self.choose().announce
        thresholds = self.lookup.mixtures[code - FIRST_MIXTURE]
        return ACTIONS[sum(threshold <= word for threshold in thresholds)]

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        best, trump_suit = turn.best, turn.trump_suit
        last = best is not None and turn.position == turn.in_play - 1
        words = self.lookup.play[self.seat][turn.trick_no - 1][last][turn.in_play]
        word = words[turn.my_tricks][best is not None and best.suit == trump_suit]
        trumps = [card for card in legal if card.suit == trump_suit]
        plain = [card for card in legal if card.suit != trump_suit]
        if best is not None:
            first = legal[0]
            same = first.suit == best.suit
            wins = first.rank > best.rank if same else first.suit == trump_suit
            how = word[HEAD] if wins else word[LOSE]
        elif trumps and plain:
            if word[LEAD] == RANDOM_PLAY:
                how = RANDOM_PLAY
            elif word[LEAD] == TRUMP_LEAD:
                how, plain = word[LEAD_TRUMP], []
            else:
                how, trumps = word[LEAD_PLAIN], []
        else:
            how = word[LEAD_TRUMP] if trumps else word[LEAD_PLAIN]
        if how == RANDOM_PLAY:
            allowed = trumps + plain
            order = self.choose().preference[turn.trick_no - 1]
            return next(hand[place] for place in order if hand[place] in allowed)
        # Plain cards come before trumps; each kind by rank, and then by suit as cards sort.
        return min(plain or trumps) if how == LOW else max(trumps or plain)


def table_players(lookup: Lookup, players: int, seed: int, index: int) -> list[TablePlayer]:
    """The players of deal `index` under `seed`."""
    return [TablePlayer(lookup, seat, _drawn(seed, index, seat)) for seat in range(players)]


def _drawn(seed: int, index: int, seat: int) -> Callable[[], Choices]:
    return lambda: seat_choices(seed, index, seat)
