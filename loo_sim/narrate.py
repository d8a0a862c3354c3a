"""Tells a deal in words: who held what, what was said, why a card was forced, where money went."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from loo_sim.cards import SUIT_NAMES
from loo_sim.referee import TRICKS, Deal, PlayedTurn, listed, played_turns
from loo_sim.rules import UNITS_PER_STAKE

if TYPE_CHECKING:
    from loo_sim.session import TableDeal

_SAID = {
    "fold": "folds",
    "stand": "stands",
    "miss": "takes the miss",
    "defend": "defends the miss",
}


def stakes_text(units: int) -> str:
    """An amount of money in stakes, exactly.

    Parameters
    ----------
    units : int
        Units, 729 to the stake.

    Returns
    -------
    str
        A whole number or a mixed fraction: ``3``, ``1 1/3``, ``-2/729``.
    """
    sign = "-" if units < 0 else ""
    whole, rest = divmod(abs(units), UNITS_PER_STAKE)
    part = str(Fraction(rest, UNITS_PER_STAKE))
    if not rest:
        return f"{sign}{whole}"
    return f"{sign}{whole} {part}" if whole else f"{sign}{part}"


def narrate_purses(of_table: TableDeal) -> str:
    """Tell what a deal of a session left people with, and what a purse could not pay.

    Parameters
    ----------
    of_table : TableDeal
        The deal, with the purses after it.

    Returns
    -------
    str
        One line, or two. Amounts are in stakes.
    """
    purses = ", ".join(
        f"{person} {stakes_text(units)}" for person, units in enumerate(of_table.purses)
    )
    told = f"Purses by person: {purses}."
    owed = of_table.deal.pot_after - of_table.pot_after
    if owed == 0:
        return told
    less, left = stakes_text(owed), stakes_text(of_table.pot_after)
    return (
        f"A looed player pays no more than he has: {less} stakes less than told above, "
        f"so that {left} are left in the pot.\n{told}"
    )


def narrate(
    deal: Deal, policies: Sequence[str], index: int, seed: int, reasons: Sequence[str] = ()
) -> str:
    """Tell a deal in words.

    Parameters
    ----------
    deal : Deal
        A deal without faults.
    policies : sequence of str
        The name of the policy at each seat.
    index, seed : int
        Which deal it is.
    reasons : sequence of str
        For each seat, why it announced what it did; empty where there is nothing to say.

    Returns
    -------
    str
        Lines of text, without an end of line after the last. Amounts are in stakes.
    """
    parts = [
        [f"Deal {index} of seed {seed}: {deal.players} players, pot {stakes_text(deal.pot)}"],
        _pot_lines(deal),
        _table_lines(deal, policies, reasons or [""] * deal.players),
        *_trick_parts(deal),
        _result_lines(deal),
    ]
    return "\n\n".join("\n".join(part) for part in parts)


def _seat(deal: Deal, seat: int) -> str:
    """A seat's name: by its number, or the dealer."""
    return f"seat {seat} (dealer)" if seat == deal.dealer else f"seat {seat}"


def _counted(units: int) -> str:
    """An amount of money with its word: ``1 stake``, ``2 1/3 stakes``."""
    return f"{stakes_text(units)} stake" + ("" if units == UNITS_PER_STAKE else "s")


def _pot_lines(deal: Deal) -> list[str]:
    """The stakes put in before the deal, and the turn-up."""
    rules = deal.rules
    turn_up = deal.dealt.turn_up
    lines = [f"The dealer put in {_counted(rules.dealer_stake * UNITS_PER_STAKE)}"]
    if rules.ante:
        lines[0] += f", each other player {_counted(rules.ante * UNITS_PER_STAKE)}"
    carried = deal.pot - rules.single_pot(deal.players)
    if carried:
        lines[0] += f"; {_counted(carried)} lay in the pot before"
    lines[0] += "."
    lines.append(
        f"{turn_up.name.capitalize()} ({turn_up}) is turned up: "
        f"{SUIT_NAMES[turn_up.suit]} are trumps."
    )
    if deal.forced_stand:
        clubs = rules.club_law and turn_up.suit == "c"
        law = (
            "Clubs are trumps (club law)"
            if clubs
            else "Nobody was looed before (force on a single pot)"
        )
        lines.append(f"{law}: everyone must stand on the hand dealt.")
    return lines


def _table_lines(deal: Deal, policies: Sequence[str], reasons: Sequence[str]) -> list[str]:
    """The cards of every seat, who announced what and why, and the miss."""
    names = [_seat(deal, seat) for seat in range(deal.players)]
    wide, wider = max(map(len, names)), max(map(len, policies))
    lines = []
    for seat, hand in enumerate(deal.dealt.hands):
        says = _SAID[deal.said[seat]] if seat in deal.said else "says nothing: all have folded"
        says += f" ({reasons[seat]})" if reasons[seat] else ""
        lines.append(f"{names[seat]:{wide}}  {policies[seat]:{wider}}  {listed(hand)}  {says}")
    taker = next((seat for seat, said in deal.declarations if said in ("miss", "defend")), None)
    fate = ""
    if taker is None:
        fate = "nobody takes it"
    elif deal.said[taker] == "miss":
        fate = f"{_seat(deal, taker)} plays it and throws the hand dealt away"
    elif deal.rules.defend_with == "miss":
        fate = f"{_seat(deal, taker)} plays it for the pot"
    else:
        fate = f"{_seat(deal, taker)} defends it with the hand dealt"
    lines.append(f"{'the miss':{wide}}  {'':{wider}}  {listed(deal.dealt.miss)}  {fate}")
    return lines


def _trick_parts(deal: Deal) -> list[list[str]]:
    """Each trick, a line a card."""
    parts: list[list[str]] = []
    turns = iter(played_turns(deal))
    for trick_no, trick in enumerate(deal.tricks, start=1):
        lines = [f"Trick {trick_no}"]
        lines += [_turn_line(deal, next(turns)) for _ in trick.plays]
        lines.append(f"  {_seat(deal, trick.winner)} wins the trick.")
        parts.append(lines)
    return parts


def _turn_line(deal: Deal, played: PlayedTurn) -> str:
    turn, hand, legal, card = played
    verb = "plays" if turn.position else "leads"
    line = f"  {_seat(deal, turn.seat)} {verb} {card}"
    if len(hand) == 1:
        return f"{line}, the last card"
    if len(legal.cards) == len(hand):
        return f"{line} from {listed(hand)}"
    return f"{line} from {listed(hand)}: {legal.why} ({legal.rule})"


def _result_lines(deal: Deal) -> list[str]:
    """Who was paid, who was looed, and what is left."""
    if not deal.tricks:
        taker = deal.net.index(deal.pot)
        who = _seat(deal, taker).capitalize()
        why, rule = (
            ("the only player in", "S8") if taker in deal.said else ("since all have folded", "S7")
        )
        return [
            f"{who}, {why}, takes the whole pot of {_counted(deal.pot)} ({rule}).",
            f"Left in the pot: {stakes_text(deal.pot_after)}.",
        ]
    share = deal.pot // TRICKS
    lines = [f"Each trick pays {_counted(share)}."]
    for seat, said in deal.declarations:
        won = deal.tricks_won[seat]
        count = {0: "no trick", 1: "1 trick"}.get(won, f"{won} tricks")
        if said == "defend":
            stay = "stays" if won * share == UNITS_PER_STAKE else "stay"
            kept = f"; {_counted(won * share)} {stay} in the pot" if won else ", and is never looed"
            lines.append(f"  {_seat(deal, seat)} for the miss: {count}{kept} (S10)")
        elif said != "fold" and won:
            lines.append(f"  {_seat(deal, seat)}: {count}, takes {_counted(deal.net[seat])}")
        elif said != "fold":
            lines.append(
                f"  {_seat(deal, seat)}: {count}, is looed and pays {_counted(-deal.net[seat])}"
            )
    loos = -sum(net for net in deal.net if net < 0)
    of_which = f", {stakes_text(loos)} of it from loos" if loos else ""
    lines.append(f"Left in the pot: {stakes_text(deal.pot_after)}{of_which}.")
    return lines
