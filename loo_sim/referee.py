"""The rulebook in plain Python: plays one deal of three-card Loo.

The rules are numbered as in docs/rulebook.md, S1 to S17; house rules are called by the name of
their option. Nothing here is fast: this is what the fast engine is held to.

==========  =====================================================  =============================
S6 to S9    announcing                                             `views.Situation.legal`
S6, S10     whose cards are played                                 `hands_in_play`
S11, S14    leading                                                `legal_leads`
S12         following                                              `legal_follows`
S13         who wins a trick                                       `trick_winner`
S7, S8,     what each seat takes and pays, and what the pot holds  `settle`
S10, S15,
S16
==========  =====================================================  =============================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from loo_sim.cards import ACE, SUIT_NAMES, Card
from loo_sim.draws import Dealt
from loo_sim.rules import Rules
from loo_sim.views import Player, Situation, Turn

TRICKS = 3
"""Tricks of a deal, and shares that the pot is paid in (S15)."""


class Declaration(NamedTuple):
    """What a seat announced: ``fold``, ``stand``, ``miss`` or ``defend``."""

    seat: int
    action: str


class Play(NamedTuple):
    """A card played by a seat."""

    seat: int
    card: Card


class Trick(NamedTuple):
    """A trick: the seat that led, the cards in order of play, the seat that won."""

    leader: int
    plays: tuple[Play, ...]
    winner: int


@dataclass(frozen=True)
class Deal:
    """A deal from the first card to the last unit.

    Attributes
    ----------
    rules : Rules
        The rules played by.
    pot : int
        Units in the pot when play begins, the dealer's stake and antes included.
    dealt : Dealt
        The turn-up, the miss, and the hand of each seat.
    dealer : int
        The dealer's seat, the last.
    forced_stand : bool
        Whether club law or a single pot made everyone stand.
    declarations : tuple of Declaration
        In order. The dealer has none where everyone before him folded.
    tricks : tuple of Trick
        Three, or none if fewer than two were in.
    tricks_won : tuple of int
        A number a seat.
    net : tuple of int
        Units a seat: what it takes from the pot less the loo it pays.
    pot_after : int
        Units left in the pot.
    """

    rules: Rules
    pot: int
    dealt: Dealt
    dealer: int
    forced_stand: bool
    declarations: tuple[Declaration, ...]
    tricks: tuple[Trick, ...]
    tricks_won: tuple[int, ...]
    net: tuple[int, ...]
    pot_after: int

    @property
    def players(self) -> int:
        """Seats."""
        return len(self.dealt.hands)

    @property
    def said(self) -> dict[int, str]:
        """What each seat announced, by seat."""
        return dict(self.declarations)


class Legal(NamedTuple):
    """The cards that may be played, and why no others may.

    Attributes
    ----------
    cards : tuple of Card
        In the order of the hand.
    rule : str
        The rule that says so: ``S11``, ``S12`` or ``S14``.
    why : str
        The duty in words: ``must follow suit and head the trick``.
    """

    cards: tuple[Card, ...]
    rule: str
    why: str


def hands_in_play(
    rules: Rules, dealt: Dealt, declarations: Sequence[Declaration]
) -> dict[int, list[Card]]:
    """The cards that each seat in plays, by seat in ascending order (S6, S10, `defend_with`)."""
    hands: dict[int, list[Card]] = {}
    for seat, action in declarations:
        plays_miss = action == "miss" or (action == "defend" and rules.defend_with == "miss")
        if action != "fold":
            hands[seat] = list(dealt.miss if plays_miss else dealt.hands[seat])
    return hands


def highest_live_trump(turn_up: Card) -> Card:
    """The ace of trumps, or the king if the ace is the turned-up card."""
    return Card(ACE - 1 if turn_up.rank == ACE else ACE, turn_up.suit)


def legal_leads(
    rules: Rules, hand: Sequence[Card], turn_up: Card, trick_no: int, in_play: int
) -> Legal:
    """The cards that a leader may lead (S11 for the first trick, S14 after it).

    Parameters
    ----------
    rules : Rules
        `first_lead` and `later_lead` matter.
    hand : sequence of Card
        The cards left in the leader's hand.
    turn_up : Card
        The card turned up.
    trick_no : int
        1 to 3.
    in_play : int
        Players in, a defending dealer included.

    Returns
    -------
    Legal
    """
    trumps = tuple(card for card in hand if card.suit == turn_up.suit)
    if trick_no == 1:
        top = highest_live_trump(turn_up)
        if top in trumps:
            turned = ", the ace being turned up" if top.rank != ACE else ""
            return Legal((top,), "S11", f"must lead {top.name}{turned}")
        owed = len(trumps) >= (1 if rules.first_lead == "any-trump" else 2)
        if owed and in_play == 2:
            return Legal((max(trumps),), "S11", "must lead the highest trump against one opponent")
        if owed and rules.first_lead == "highest":
            return Legal((max(trumps),), "S11", "must lead the highest of two or more trumps")
        if owed:
            return Legal(trumps, "S11", "must lead a trump")
        return Legal(tuple(hand), "S11", "may lead any card")
    if trumps and rules.later_lead == "highest":
        return Legal((max(trumps),), "S14", "must lead the highest trump")
    if trumps and rules.later_lead == "any-trump":
        return Legal(trumps, "S14", "must lead a trump")
    return Legal(tuple(hand), "S14", "may lead any card")


def beats(card: Card, best: Card, trump_suit: str) -> bool:
    """Whether `card` beats the best card of the trick so far (S13)."""
    if card.suit == best.suit:
        return card.rank > best.rank
    return card.suit == trump_suit


def legal_follows(
    rules: Rules, hand: Sequence[Card], trump_suit: str, led: Card, best: Card
) -> Legal:
    """The cards that a follower may play (S12).

    Parameters
    ----------
    rules : Rules
        `undertrump` matters.
    hand : sequence of Card
        The cards left in the follower's hand.
    trump_suit : str
        ``c``, ``d``, ``h`` or ``s``.
    led : Card
        The card led.
    best : Card
        The best card of the trick so far.

    Returns
    -------
    Legal
    """
    of_suit = tuple(card for card in hand if card.suit == led.suit)
    trumps = tuple(card for card in hand if card.suit == trump_suit)
    void = f"has no {SUIT_NAMES[led.suit]}"
    if not of_suit and not trumps:
        no_trump = "" if led.suit == trump_suit else " and no trump"
        return Legal(tuple(hand), "S12", f"{void}{no_trump}, may throw any card")
    within = of_suit or trumps
    duty = "must follow suit" if of_suit else f"{void}, must play a trump"
    heading = tuple(card for card in within if beats(card, best, trump_suit))
    if heading:
        return Legal(heading, "S12", f"{duty} and head the trick")
    if not of_suit and rules.undertrump == "optional":
        return Legal(tuple(hand), "S12", f"{void}, no trump heads the trick, may throw any card")
    return Legal(within, "S12", f"{duty}, unable to head the trick")


def legal_cards(
    rules: Rules, hand: Sequence[Card], turn_up: Card, turn: Turn, led: Card | None
) -> Legal:
    """The cards that may be played at `turn`; `led` is None for the leader."""
    if led is None or turn.best is None:
        return legal_leads(rules, hand, turn_up, turn.trick_no, turn.in_play)
    return legal_follows(rules, hand, turn_up.suit, led, turn.best)


def trick_winner(plays: Sequence[Play], trump_suit: str) -> Play:
    """The winning play: the highest trump, or else the highest card of the suit led (S13)."""
    best = plays[0]
    for play in plays[1:]:
        if beats(play.card, best.card, trump_suit):
            best = play
    return best


def listed(cards: Sequence[Card]) -> str:
    """Cards as people write them: ``Ah 9h 5d``."""
    return " ".join(str(card) for card in cards)


def play_order(seats: Sequence[int], leader: int) -> list[int]:
    """The seats in, in the order in which they play to a trick that `leader` leads."""
    return [seat for seat in seats if seat >= leader] + [seat for seat in seats if seat < leader]


def settle(
    rules: Rules, pot: int, players: int, said: Mapping[int, str], tricks_won: Sequence[int]
) -> tuple[tuple[int, ...], int]:
    """Pay the pot and collect the loos (S7, S8, S10, S15, S16).

    Parameters
    ----------
    rules : Rules
        `loo` and `loo_cap` matter.
    pot : int
        Units in the pot before payment.
    players : int
        Seats.
    said : mapping of int to str
        What each seat announced.
    tricks_won : sequence of int
        Tricks won by each seat.

    Returns
    -------
    net : tuple of int
        Units that each seat takes, less the loo it pays.
    pot_after : int
        Units left in the pot: all that was not taken, and the loos.
    """
    seats_in = [seat for seat, action in said.items() if action != "fold"]
    net = [0] * players
    if len(seats_in) < 2:
        taker = seats_in[0] if seats_in else players - 1
        net[taker] = pot
    else:
        for seat in seats_in:
            if said[seat] != "defend":
                won = tricks_won[seat]
                net[seat] = won * (pot // TRICKS) if won else -rules.loo_units(pot)
    return tuple(net), pot - sum(net)


def play_deal(rules: Rules, dealt: Dealt, pot: int, players: Sequence[Player]) -> Deal:
    """Play one deal.

    Parameters
    ----------
    rules : Rules
        The rules to play by.
    dealt : Dealt
        The cards, a hand a seat.
    pot : int
        Units in the pot when play begins, the dealer's stake and antes included.
    players : sequence of Player
        One a seat. A player is asked to play only where more than one card is legal.

    Returns
    -------
    Deal

    Raises
    ------
    ValueError
        If a player answers with what is not legal.
    """
    forced = rules.everyone_must_stand(len(players), pot, dealt.turn_up.suit)
    if forced:
        declarations = [Declaration(seat, "stand") for seat in range(len(players))]
    else:
        declarations = _announce(rules, dealt, pot, players)

    def ask(turn: Turn, hand: Sequence[Card], led: Card | None) -> Card:
        legal = legal_cards(rules, hand, dealt.turn_up, turn, led).cards
        if len(legal) == 1:
            return legal[0]
        card = players[turn.seat].play(turn, tuple(hand), legal)
        if card not in legal:
            raise ValueError(f"seat {turn.seat} played {card}; legal: {listed(legal)}")
        return card

    hands = hands_in_play(rules, dealt, declarations)
    tricks = _play_tricks(hands, dealt.turn_up.suit, ask)
    tricks_won = _count_tricks(tricks, len(players))
    net, pot_after = settle(rules, pot, len(players), dict(declarations), tricks_won)
    return Deal(
        rules,
        pot,
        dealt,
        len(players) - 1,
        forced,
        tuple(declarations),
        tricks,
        tricks_won,
        net,
        pot_after,
    )


def _announce(rules: Rules, dealt: Dealt, pot: int, players: Sequence[Player]) -> list[Declaration]:
    """One round of announcing, the dealer last and only if somebody is in (S6, S7, S9)."""
    declarations: list[Declaration] = []
    standers, miss_free = 0, True
    for seat, player in enumerate(players):
        situation = Situation(rules, len(players), seat, standers, miss_free, pot)
        if situation.is_dealer and not standers:
            break
        action = player.announce(situation, tuple(dealt.hands[seat]), dealt.turn_up)
        if action not in situation.legal:
            raise ValueError(
                f"seat {seat} announced '{action}'; legal: {', '.join(situation.legal)}"
            )
        declarations.append(Declaration(seat, action))
        standers += action != "fold"
        miss_free = miss_free and action != "miss"
    return declarations


def _play_tricks(
    hands: dict[int, list[Card]],
    trump_suit: str,
    ask: Callable[[Turn, Sequence[Card], Card | None], Card],
) -> tuple[Trick, ...]:
    """Play the tricks out of `hands`, which are emptied; none if fewer than two are in."""
    if len(hands) < 2:
        return ()
    tricks: list[Trick] = []
    leader = min(hands)
    won = dict.fromkeys(hands, 0)
    for trick_no in range(1, TRICKS + 1):
        plays: list[Play] = []
        led: Card | None = None
        best: Card | None = None
        for position, seat in enumerate(play_order(list(hands), leader)):
            turn = Turn(seat, trick_no, len(hands), won[seat], position, trump_suit, best)
            card = ask(turn, hands[seat], led)
            hands[seat].remove(card)
            plays.append(Play(seat, card))
            led = led or card
            best = card if best is None or beats(card, best, trump_suit) else best
        winner = trick_winner(plays, trump_suit).seat
        tricks.append(Trick(leader, tuple(plays), winner))
        won[winner] += 1
        leader = winner
    return tuple(tricks)


def _count_tricks(tricks: Sequence[Trick], players: int) -> tuple[int, ...]:
    winners = [trick.winner for trick in tricks]
    return tuple(winners.count(seat) for seat in range(players))


class PlayedTurn(NamedTuple):
    """A turn of a deal that was played: what the player saw, might have done, and did.

    Attributes
    ----------
    turn : Turn
    hand : tuple of Card
        The cards in hand before the card was played, in the order dealt.
    legal : Legal
    card : Card
        The card played.
    """

    turn: Turn
    hand: tuple[Card, ...]
    legal: Legal
    card: Card


def played_turns(deal: Deal) -> list[PlayedTurn]:
    """Every turn of a deal without faults, in order of play."""
    recorded = iter([play.card for trick in deal.tricks for play in trick.plays])
    turns: list[PlayedTurn] = []

    def ask(turn: Turn, hand: Sequence[Card], led: Card | None) -> Card:
        legal = legal_cards(deal.rules, hand, deal.dealt.turn_up, turn, led)
        turns.append(PlayedTurn(turn, tuple(hand), legal, next(recorded)))
        return turns[-1].card

    hands = hands_in_play(deal.rules, deal.dealt, deal.declarations)
    _play_tricks(hands, deal.dealt.turn_up.suit, ask)
    return turns
