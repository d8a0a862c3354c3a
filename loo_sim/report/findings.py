"""The findings that open a report, as sentences with their intervals."""

from __future__ import annotations

from loo_sim.report import (
    advice,
    leads,
    league,
    miss,
    pot_path,
    purses,
    ruin,
    seats,
    sobol,
    strategy,
    swings,
)
from loo_sim.report.result import Cell, Result

FINDINGS = 3
"""How many findings open the report."""


def find(result: Result) -> list[str]:
    """The findings of a result: at most `FINDINGS` sentences, or one that says there are none."""
    found = (
        sobol.findings(result)
        if result.ranges
        else [
            *_about_pots(result),
            *_about_the_miss(result),
            *_about_leads(result),
            *_about_evenings(result),
            *_about_policies(result),
        ]
    )
    told = [sentence for sentence in found if sentence]
    return told[:FINDINGS] or ["There is nothing to report: no game has figures."]


def _about_pots(result: Result) -> list[str]:
    """What the study `deals` found; a sweep's games are compared, the first one stands for each."""
    played, swung = result.having("deals"), result.having("swings")
    found = []
    if swung:
        found.append(_named(swung, swings.compare_with_zero(swung[0])))
    if played:
        found.append(_named(played, seats.compare_seats(played[0])))
    if len(swung) > 1:
        found.append(swings.compare_means(swung))
    elif played and "pot" in played[0].tables:
        found.append(swings.no_play(played[0]))
    return found


def _about_the_miss(result: Result) -> list[str]:
    """What the study `announce` found."""
    cells = [cell for cell in result.cells if miss.has_offers(cell)]
    if not cells:
        return []
    if len(cells) > 1:
        last = miss.compare_games(cells)
    elif len(miss.blind_miss(cells[0])) > 1:
        last = miss.compare_seats(cells[0])
    else:
        last = miss.blind_for_first(cells[0])
    return [advice.first_to_speak(cells), strategy.compare_announcements(cells[0]), last]


def _about_leads(result: Result) -> list[str]:
    """What the study `lead` found."""
    cells = result.having("lead")
    return [_named(cells, leads.tell(cells[0]))] if cells else []


def _about_evenings(result: Result) -> list[str]:
    """What the study `session` found."""
    cells = result.having("session")
    if not cells:
        return []
    first = cells[0]
    alike = len(set(first.policies)) == 1
    pots = _named(cells, pot_path.describe_pot(first))
    return [
        f"{pot_path.compare_pots(cells)} {pots}" if len(cells) > 1 else pots,
        _named(cells, purses.mean_swing(first) if alike else purses.compare_people(first)),
        _named(cells, ruin.who_was_out(first) if first.bankroll else ruin.what_to_bring(first)),
    ]


def _about_policies(result: Result) -> list[str]:
    """What the study `league` found."""
    cells = result.having("league")
    if not cells:
        return []
    first = cells[0]
    last = league.compare_games(cells) if len(cells) > 1 else league.pairing(first)
    return [
        (f"With {first.label}: " if first.axes else "") + league.who_is_best(first),
        _named(cells, league.skill_and_chance(first)),
        last,
    ]


def _named(cells: list[Cell], sentence: str) -> str:
    """A sentence about the first game of a sweep, which says so."""
    if not cells[0].axes or not sentence:
        return sentence
    return f"With {cells[0].label}: {sentence[0].lower()}{sentence[1:]}"
