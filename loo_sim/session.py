"""Sessions in plain Python: deals played by the referee, the pot carried from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from loo_sim.draws import TABLE_DEALS, deal_cards, first_dealer, seat_choices
from loo_sim.policies.player import PolicyPlayer
from loo_sim.referee import Deal, play_deal
from loo_sim.rules import MOST_EXTRA_DEALS, UNITS_PER_STAKE, Rules

if TYPE_CHECKING:
    from loo_sim.policies.policy import Policy


class TableDeal(NamedTuple):
    """A deal of a session, and what it did to the purses.

    Attributes
    ----------
    dealer : int
        The person who dealt.
    seated : tuple of int
        The person in each seat, the dealer last.
    deal : Deal
        As the referee played it, every loo in full.
    looed : int
        Players looed.
    pot_after : int
        Units left in the pot: more is wanting than `deal` says where somebody could not pay.
    purses : tuple of int
        Units of each person after the deal.
    """

    dealer: int
    seated: tuple[int, ...]
    deal: Deal
    looed: int
    pot_after: int
    purses: tuple[int, ...]


@dataclass
class Table:
    """A table of a session (S4, S17): each person sits to the left of the one numbered before him.

    Attributes
    ----------
    rules : Rules
    policies : sequence of Policy
        One a person.
    bankroll : int or None
        Units that each brings; None if purses have no limit, and begin at 0.
    dealer : int
        The person who dealt last.
    pot : int
        Units.
    purses : list of int
        Units.
    here : list of int
        The people at the table.
    left_at : dict of int to int
        Deals played when a person left.
    deals : list of TableDeal
    """

    rules: Rules
    policies: Sequence[Policy]
    bankroll: int | None
    dealer: int
    pot: int = 0
    purses: list[int] = field(default_factory=list)
    here: list[int] = field(default_factory=list)
    left_at: dict[int, int] = field(default_factory=dict)
    deals: list[TableDeal] = field(default_factory=list)


def play_table(
    rules: Rules,
    policies: Sequence[Policy],
    rounds: int,
    seed: int,
    table: int,
    bankroll: int | None = None,
) -> Table:
    """Play a session at one table.

    The first dealer is drawn; the deal passes to the left. Everyone deals `rounds` times, unless
    people leave: who cannot put in his stake when the deal comes to him, or his ante, leaves before
    the deal with what he has, and who has nothing left leaves after it. A looed player who has less
    than the loo pays all he has. Play is over when fewer are left than the rules ask for.

    With ``end = "no-loo"`` play goes on after the last round until a deal in which nobody is looed,
    for at most `MOST_EXTRA_DEALS` deals; with "split" those at the table share the pot, and units
    that cannot be shared stay in it.

    Parameters
    ----------
    rules : Rules
        The rules played by.
    policies : sequence of Policy
        One a person.
    rounds : int
        Times that everyone deals.
    seed, table : int
        Deal d of table t is deal ``t * TABLE_DEALS + d`` under the seed.
    bankroll : int, optional
        Units that each person brings.

    Returns
    -------
    Table
        As it is at the end.
    """
    people = len(policies)
    before_first = (first_dealer(seed, table, people) - 1) % people
    at = Table(rules, policies, bankroll, before_first)
    at.purses = [bankroll or 0] * people
    at.here = list(range(people))
    extra = MOST_EXTRA_DEALS if rules.end == "no-loo" else 0
    last = rounds * people
    for number in range(last + extra):
        if number >= last and at.deals[-1].looed == 0:
            break
        if not pass_deal(at):
            break
        play_next(at, seed, table * TABLE_DEALS + number)
    if rules.end == "split" and at.here:
        share = at.pot // len(at.here)
        for person in at.here:
            at.purses[person] += share
            at.pot -= share
    return at


def pass_deal(at: Table) -> bool:
    """Pass the deal to the left and let those leave who cannot pay; whether there are enough left.

    Those to the left of the last dealer are asked in turn: the first who can put in the dealer's
    stake deals, and those before him who cannot leave. Then everyone else who cannot put in the
    ante leaves.
    """
    people = len(at.policies)
    stake, ante = (s * UNITS_PER_STAKE for s in (at.rules.dealer_stake, at.rules.ante))
    limited = at.bankroll is not None
    for ahead in range(1, people + 1):
        person = (at.dealer + ahead) % people
        if person in at.here:
            if not limited or at.purses[person] >= stake:
                at.dealer = person
                break
            leave(at, person)
    for person in [person for person in at.here if person != at.dealer]:
        if limited and at.purses[person] < ante:
            leave(at, person)
    return len(at.here) >= at.rules.min_players


def leave(at: Table, person: int) -> None:
    """Take a person from the table, with what he has."""
    at.here.remove(person)
    at.left_at[person] = len(at.deals)


def play_next(at: Table, seed: int, index: int) -> None:
    """Put in stake and antes, play deal `index`, and pay (S3, S15, S16)."""
    people = len(at.policies)
    seated = sorted(at.here, key=lambda person: (person - at.dealer - 1) % people)
    for person in seated:
        stakes = at.rules.dealer_stake if person == at.dealer else at.rules.ante
        at.purses[person] -= stakes * UNITS_PER_STAKE
        at.pot += stakes * UNITS_PER_STAKE
    players = [
        PolicyPlayer(at.policies[person], seat_choices(seed, index, seat))
        for seat, person in enumerate(seated)
    ]
    dealt = deal_cards(seed, index, len(seated), at.rules.deck)
    deal = play_deal(at.rules, dealt, at.pot, players)
    for person, net in zip(seated, deal.net, strict=True):
        if at.bankroll is not None:
            net = max(net, -at.purses[person])
        at.purses[person] += net
        at.pot -= net
    looed = sum(net < 0 for net in deal.net)
    at.deals.append(TableDeal(at.dealer, tuple(seated), deal, looed, at.pot, tuple(at.purses)))
    for person in seated:
        if at.bankroll is not None and at.purses[person] == 0:
            leave(at, person)
