"""Advice in words: the table, what to do and by how much, and what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loo_sim.rounding import (
    NONE,
    interval,
    listed,
    percent_in_words,
    percent_interval,
    stakes,
    with_ends,
)
from loo_sim.rules import POT_LOO, PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.strategy.worths import Verdict, Worth
from loo_sim.studies.estimates import Z95

if TYPE_CHECKING:
    from loo_sim.strategy.advise import Advice

TITLES = (
    "worth, stakes",
    "looed",
    "0 tricks",
    "1",
    "2",
    "3",
    "pot unplayed",
)

_DO = {"fold": "fold", "stand": "stand", "miss": "take the miss", "defend": "defend the miss"}
_DOING = {
    "fold": "folding",
    "stand": "standing",
    "miss": "taking the miss",
    "defend": "defending the miss",
}
_SAID = {"fold": "folds", "stand": "stands", "miss": "takes the miss"}


def situation_in_words(advice: Advice) -> str:
    """Hand, place and what was announced before, in a sentence."""
    question, there = advice.question, advice.question.situation
    hand = " ".join(str(card) for card in question.hand)
    place = "the dealer" if there.is_dealer else f"seat {there.seat}"
    before = [f"seat {seat} {_SAID[word]}" for seat, word in enumerate(question.before)]
    told = f"{listed(before)} before" if before else "nobody has spoken before"
    return (
        f"{hand} with {question.turn_up} turned up, as {place} of {there.players}, "
        f"{stakes(there.pot / UNITS_PER_STAKE)} stakes in the pot; {told}."
    )


def titles(advice: Advice, first: str) -> tuple[str, ...]:
    """Titles of the columns; nobody takes the pot unplayed once another is in."""
    return (first, *(TITLES[:-1] if advice.question.situation.standers else TITLES))


def rows(advice: Advice, worths: Sequence[Worth]) -> list[tuple[str, ...]]:
    """A row of the table for each alternative: values and chances with their 95 % intervals."""
    deals, columns = advice.deals, len(titles(advice, ""))
    full = [
        (
            _DO.get(worth.name, worth.name),
            _value(worth, deals),
            "never" if worth.name == "defend" else _chance(worth.looed, worth, deals),
            *(_chance(chance, worth, deals) for chance in worth.tricks or (0.0,) * 4),
            _chance(worth.whole_pot, worth, deals),
        )
        for worth in worths
    ]
    return [row[:columns] for row in full]


def _value(worth: Worth, deals: int) -> str:
    """A value; that of a player who neither wins nor loses is exact."""
    return (
        "0, exactly" if worth.name in ("fold", "defend") else interval(worth.value, worth.se, deals)
    )


def _chance(chance: float, worth: Worth, deals: int) -> str:
    return NONE if worth.tricks is None else percent_interval(chance, deals)


def sentences(advice: Advice) -> list[str]:
    """What to announce and by how much, from which pot standing pays, what to lead."""
    if advice.verdict is None:
        return []
    told = [_what_to_do(advice.verdict, advice.deals)]
    told += _break_even(advice)
    if advice.lead_verdict is not None:
        told += _what_to_lead(advice, advice.lead_verdict)
    return told


def _what_to_do(verdict: Verdict, deals: int) -> str:
    if not verdict.second:
        return f"There is nothing else to do but to {_DO[verdict.first]}."
    if verdict.margin == 0 == verdict.margin_se and {verdict.first, verdict.second} == {
        "fold",
        "defend",
    }:
        return (
            "Fold or defend the miss: both are worth exactly 0, and more than anything else here."
        )
    margin = interval(verdict.margin, verdict.margin_se, deals, " stakes")
    if verdict.best is None:
        rivals = listed([_DOING[name] for name in verdict.rivals], "or")
        seems = f"{_DOING[verdict.first]} seems worth {margin} more than {_DOING[verdict.second]}"
        return f"Too close to call between {_DOING[verdict.first]} and {rivals}: {seems}."
    what = _DO[verdict.first]
    return f"{what[0].upper()}{what[1:]}: worth {margin} more than {_DOING[verdict.second]}."


def _break_even(advice: Advice) -> list[str]:
    """From which pot standing pays, in a sentence."""
    cell, even = advice.question.cell, advice.break_even
    if cell.rules.loo == POT_LOO:
        return [
            "No pot makes standing pay that does not now: the loo grows with the pot "
            "(unless loo_cap holds it)."
        ]
    if even is None:
        return [
            "Standing won nothing in any deal: no pot makes it pay that these deals could show."
        ]
    held = "if the others go on as they do at this pot"
    least = cell.rules.single_pot(cell.players) / UNITS_PER_STAKE
    low, high = even.pot - Z95 * even.se, even.pot + Z95 * even.se
    if even.pot == 0:
        return ["Standing was never looed: it pays with any pot."]
    if high < least:
        return [
            f"Standing pays with any pot that there can be (from {stakes(least)} stakes), {held}."
        ]
    return [f"Standing pays from a pot of {with_ends(even.pot, low, high)} stakes on, {held}."]


def _what_to_lead(advice: Advice, verdict: Verdict) -> list[str]:
    """What to lead and by how much; what is led whatever is said here."""
    trump = advice.question.turn_up.suit
    trumps = sum(worth.name[-1] == trump for worth in advice.leads)
    duty = (
        ["Against one opponent you must lead the highest trump in any case."] if trumps > 1 else []
    )
    if not verdict.second:
        return [f"If you stand you must lead {verdict.first}."]
    margin = interval(verdict.margin, verdict.margin_se, advice.deals, " stakes")
    if verdict.best is None:
        rivals = listed(verdict.rivals, "or")
        seems = f"{verdict.first} seems worth {margin} more than {verdict.second}"
        return [f"Too close to call between leading {verdict.first} and {rivals}: {seems}.", *duty]
    return [
        f"If you stand, lead {verdict.first}: worth {margin} more than {verdict.second}.",
        *duty,
    ]


def assumptions(advice: Advice) -> list[str]:
    """What the advice takes for granted, in sentences."""
    question, cell = advice.question, advice.question.cell
    seat = question.situation.seat
    names = [policy.name for policy in cell.policies]
    others = {name for at, name in enumerate(names) if at != seat}
    if len(others) == 1:
        told = [f"The others announce and play by the policy {others.pop()}."]
    else:
        by_seat = [f"seat {at} by {name}" for at, name in enumerate(names) if at != seat]
        told = [f"The others announce and play by policies: {listed(by_seat)}."]
    but = ", but for the first lead of the second table" if advice.leads else ""
    told.append(f"Once you have announced you play by the policy {names[seat]}{but}.")
    told.append(
        "The others know nothing of your hand; what was announced before says of their hands what "
        "those policies make it say."
    )
    told.append(f"Rules: {rules_in_words(cell.rules)}.")
    loo = cell.rules.loo_units(cell.pot) / UNITS_PER_STAKE
    pot = cell.pot / UNITS_PER_STAKE
    told.append(
        f"A pot of {stakes(pot)} stakes: a trick pays {stakes(pot / 3)}, a loo costs "
        f"{stakes(loo)}. Only this deal counts, not what it leaves in the pot."
    )
    told.append(
        f"{advice.deals:,} deals of the same weight, {_kept(advice)} of {advice.tried:,} drawn: "
        f"one is kept as often as its hands make what was announced likely; seed {advice.seed}."
    )
    return told


def _kept(advice: Advice) -> str:
    return "none" if not advice.deals else percent_in_words(advice.deals / advice.tried)


def rules_in_words(rules: Rules) -> str:
    """The preset that rules are nearest to, and the options in which they differ."""

    def differing(preset: str) -> dict[str, object]:
        usual = PRESETS[preset].to_dict()
        return {o: value for o, value in rules.to_dict().items() if value != usual[o]}

    preset = min(PRESETS, key=lambda name: len(differing(name)))
    changes = [
        f"{option} = {'none' if value is None else str(value).lower()}"
        for option, value in differing(preset).items()
    ]
    return f"{preset} with {listed(changes)}" if changes else preset
