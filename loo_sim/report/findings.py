"""The findings that open a report, as sentences with their intervals."""

from __future__ import annotations

from loo_sim.report import miss, seats, strategy, swings
from loo_sim.report.result import Cell, Result
from loo_sim.report.rounding import Z95, interval
from loo_sim.studies.estimates import aggregate

FINDINGS = 3
"""How many findings open the report."""


def find(result: Result) -> list[str]:
    """The findings of a result: at most `FINDINGS` sentences, or one that says there are none."""
    found = [*_about_pots(result), *_about_the_miss(result)]
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
    elif played:
        found.append(swings.no_play(played[0]))
    return found


def _about_the_miss(result: Result) -> list[str]:
    """What the study `announce` found."""
    offers = miss.offers(result.having("announce"))
    if not offers:
        return []
    first = offers[0]
    last = miss.compare_games(offers) if len(offers) > 1 else blind_miss(first.cell)
    return [miss.compare_offers(first), strategy.compare_announcements(first.cell), last]


def _named(cells: list[Cell], sentence: str) -> str:
    """A sentence about the first of several games, which says so."""
    return f"With {cells[0].label}: {sentence}" if len(cells) > 1 else sentence


def blind_miss(cell: Cell) -> str:
    """A sentence on what taking the miss brings, whatever the hand, to the first who may ask."""
    rows = miss.on_offer(cell)
    rows = rows[rows["seat"] == rows["seat"].min()]
    total = aggregate(rows, ["seat"]).iloc[0]
    value, error = float(total["miss"]), float(total["miss_se"])
    if not abs(value) > Z95 * error:
        verdict = "too close to call against folding"
    else:
        verdict = "more than folding" if value > 0 else "less than folding"
    return (
        f"Taking the miss whatever the hand nets {cell.seat_in_words(int(total['seat']))} "
        f"{interval(value, error)} stakes, {verdict}; it is looed in "
        f"{100 * total['miss_loo']:.1f} % of those deals."
    )
