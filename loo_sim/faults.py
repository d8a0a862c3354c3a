"""Finds every rule of the rulebook that a deal breaks, whoever played it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loo_sim.cards import HAND_SIZE, Card, pack
from loo_sim.referee import (
    TRICKS,
    Deal,
    hands_in_play,
    legal_cards,
    listed,
    play_order,
    settle,
    trick_winner,
)
from loo_sim.rules import players_fault
from loo_sim.views import Situation, Turn


class Fault(NamedTuple):
    """A rule that a deal breaks.

    Attributes
    ----------
    rule : str
        Number in the rulebook.
    what : str
        What is wrong, and what would be right.
    """

    rule: str
    what: str


def check_deal(deal: Deal) -> list[Fault]:
    """Every rule that a deal breaks.

    The deal may come from anywhere: only its types are trusted. Where a fault leaves nothing to
    judge the rest by (cards dealt twice, seats that spoke out of turn, a card from nowhere), the
    faults found so far and the sum of the money are all that is reported.

    Parameters
    ----------
    deal : Deal
        Played by anyone, or by nobody.

    Returns
    -------
    list of Fault
        Empty if the deal is sound.
    """
    faults = [*_table_faults(deal), *_card_faults(deal)]
    if not faults:
        spoken, in_turn = _declaration_faults(deal)
        faults += spoken
        if in_turn:
            played, tricks_won = _play_faults(deal)
            faults += played
            if tricks_won is not None:
                faults += _result_faults(deal, tricks_won)
    if sum(deal.net) + deal.pot_after != deal.pot:
        faults.append(
            Fault(
                "S17",
                f"money is not conserved: the nets add up to {sum(deal.net)} units and "
                f"{deal.pot_after} are left, but the pot held {deal.pot}",
            )
        )
    return faults


def _table_faults(deal: Deal) -> Iterator[Fault]:
    """S1, S3 and S4: how many play, what they put in, who deals."""
    wrong_number = players_fault(deal.rules, deal.players)
    if wrong_number:
        yield Fault("S1", wrong_number)
        return
    if deal.pot < deal.rules.single_pot(deal.players):
        yield Fault(
            "S3",
            f"the pot holds {deal.pot} units, less than the dealer and the antes put in, "
            f"{deal.rules.single_pot(deal.players)}",
        )
    if deal.dealer != deal.players - 1:
        yield Fault("S4", f"the dealer is seat {deal.dealer}, not the last, {deal.players - 1}")


def _card_faults(deal: Deal) -> Iterator[Fault]:
    """S2 and S5: three cards a hand, each from the pack and each once."""
    whole_pack = set(pack(deal.rules.deck))
    places = [(f"seat {seat}", hand) for seat, hand in enumerate(deal.dealt.hands)]
    places += [("the miss", deal.dealt.miss), ("the turn-up", [deal.dealt.turn_up])]
    owner: dict[Card, str] = {}
    for place, cards in places:
        if place != "the turn-up" and len(cards) != HAND_SIZE:
            yield Fault("S5", f"{place} has {len(cards)} cards, not {HAND_SIZE}")
        for card in cards:
            if card not in whole_pack:
                yield Fault("S2", f"{card} of {place} is not in a pack of {deal.rules.deck}")
            elif card in owner:
                yield Fault("S5", f"{card} was dealt twice: {owner[card]}, {place}")
            owner[card] = place


def _declaration_faults(deal: Deal) -> tuple[list[Fault], bool]:
    """S6, S7, S9 and forced standing: the faults, and whether the right seats spoke in turn."""
    rules, players = deal.rules, deal.players
    faults: list[Fault] = []
    forced = rules.everyone_must_stand(players, deal.pot, deal.dealt.turn_up.suit)
    if deal.forced_stand != forced:
        law = "club_law and force_on_single"
        faults.append(Fault("S6", f"forced_stand is {deal.forced_stand}, {law} make it {forced}"))
    spoke = [seat for seat, _ in deal.declarations]
    all_folded = all(action == "fold" for _, action in deal.declarations[: players - 1])
    due = list(range(players - 1 if all_folded else players))
    if spoke != due:
        silent = all_folded and spoke == list(range(players))
        faults.append(
            Fault("S7", "the dealer spoke though everyone before him folded")
            if silent
            else Fault("S6", f"the seats that spoke are {spoke}, due were {due}")
        )
        return faults, False
    standers, miss_free = 0, True
    for seat, action in deal.declarations:
        situation = Situation(rules, players, seat, standers, miss_free, deal.pot)
        legal = ("stand",) if forced else situation.legal
        if action not in legal:
            rule = "S9" if situation.is_dealer and not forced else "S6"
            faults.append(Fault(rule, f"seat {seat} said {action}; legal: {', '.join(legal)}"))
        standers += action != "fold"
        miss_free = miss_free and action != "miss"
    return faults, True


def _play_faults(deal: Deal) -> tuple[list[Fault], tuple[int, ...] | None]:
    """S11 to S14: the faults, and the tricks truly won; None where play cannot be followed."""
    trump_suit = deal.dealt.turn_up.suit
    hands = hands_in_play(deal.rules, deal.dealt, deal.declarations)
    due = TRICKS if len(hands) >= 2 else 0
    if len(deal.tricks) != due:
        what = f"{len(hands)} in make {due} tricks, not {len(deal.tricks)}"
        return [Fault("S13" if due else "S8" if hands else "S7", what)], None
    faults: list[Fault] = []
    winners: list[int] = []
    for trick_no, trick in enumerate(deal.tricks, start=1):
        leader = winners[-1] if winners else min(hands)
        if trick.leader != leader:
            rule = "S14" if winners else "S11"
            what = f"trick {trick_no}: the leader is seat {trick.leader}, should be {leader}"
            faults.append(Fault(rule, what))
        order = play_order(list(hands), leader)
        played = [seat for seat, _ in trick.plays]
        if played != order:
            what = f"trick {trick_no}: the seats that played are {played}, due were {order}"
            return [*faults, Fault("S12", what)], None
        for position, (seat, card) in enumerate(trick.plays):
            before = trick.plays[:position]
            best = trick_winner(before, trump_suit).card if before else None
            led = before[0].card if before else None
            if card not in hands[seat]:
                what = f"trick {trick_no}: seat {seat} played {card}, holding "
                return [*faults, Fault("S5", what + listed(hands[seat]))], None
            turn = Turn(seat, trick_no, len(hands), winners.count(seat), position, trump_suit, best)
            legal = legal_cards(deal.rules, hands[seat], deal.dealt.turn_up, turn, led)
            if card not in legal.cards:
                what = f"trick {trick_no}: seat {seat} played {card} but {legal.why}: "
                faults.append(Fault(legal.rule, what + listed(legal.cards)))
            hands[seat].remove(card)
        winners.append(trick_winner(trick.plays, trump_suit).seat)
        if trick.winner != winners[-1]:
            what = f"trick {trick_no}: the winner is seat {trick.winner}, should be {winners[-1]}"
            faults.append(Fault("S13", what))
    return faults, tuple(winners.count(seat) for seat in range(deal.players))


def _result_faults(deal: Deal, tricks_won: tuple[int, ...]) -> Iterator[Fault]:
    """S7, S8, S10, S13, S15 to S17: tricks counted, money paid."""
    if deal.tricks_won != tricks_won:
        yield Fault("S13", f"tricks_won is {[*deal.tricks_won]}, should be {[*tricks_won]}")
    net, pot_after = settle(deal.rules, deal.pot, deal.players, deal.said, tricks_won)
    if len(deal.net) != deal.players:
        yield Fault("S15", f"net names {len(deal.net)} seats, not {deal.players}")
    for seat, (written, right) in enumerate(zip(deal.net, net, strict=False)):
        if written != right:
            rule = _payment_rule(deal, seat, tricks_won[seat])
            yield Fault(rule, f"net of seat {seat} is {written} units, should be {right}")
    if deal.pot_after != pot_after:
        yield Fault("S17", f"pot_after is {deal.pot_after} units, should be {pot_after}")


def _payment_rule(deal: Deal, seat: int, won: int) -> str:
    """The rule by which a seat is paid, or pays."""
    action = deal.said.get(seat, "fold")
    if not deal.tricks:
        return "S8" if len(deal.declarations) == deal.players else "S7"
    if action == "fold":
        return "S15"
    if action == "defend":
        return "S10"
    return "S15" if won else "S16"
