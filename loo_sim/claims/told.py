"""Verdicts and circumstances in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loo_sim.claims.cases import OPPONENTS, RULES, WHAT
from loo_sim.claims.verdict import DEPENDS, Verdict
from loo_sim.policy_axes import axis_words
from loo_sim.rounding import listed

MOST_NAMED = 8
"""Groups of circumstances that a sentence names."""

_FACTORS = {
    RULES: "the rules",
    OPPONENTS: "the opponents",
    WHAT: "which part of it",
    "players": "the number of players",
    "pot": "the pot",
    "seat": "the seat",
    "standers": "how many are in",
    "folded": "how many folded",
    "to_act": "how many are to speak",
    "in_play": "how many are in",
    "dealer": "whether it is the dealer",
    "miss_free": "whether the miss is there",
    "policy": "who is the better",
    "rival": "who is the worse",
}
_VALUES = {
    "players": "{} players",
    "pot": "pot {}",
    "seat": "seat {}",
    "standers": "{} in",
    "in_play": "{} in",
    "folded": "{} folded",
    "to_act": "{} to speak",
    "deal": "deal {}",
    RULES: "rules {}",
    OPPONENTS: "against {}",
    "rival": "over {}",
    "policy": "{}",
    WHAT: "{}",
}
_TRUTHS = {"dealer": ("another seat", "the dealer"), "miss_free": ("miss gone", "miss free")}


def factor_in_words(name: str) -> str:
    """What a factor is called in the middle of a sentence."""
    return _FACTORS.get(name, axis_words(name))


def values_in_words(name: str, values: Sequence[Any]) -> str:
    """Values of one factor with what they are of: ``pot 3, 9``, ``5, 6 players``."""
    values = [value for value in values if value != ""]  # that of a test without the factor
    if not values:
        return "any"
    if name in _TRUTHS:
        return ", ".join(_TRUTHS[name][bool(value)] for value in values)
    quoted = (f"“{value}”" if name == WHAT else str(value) for value in values)
    told = ", ".join(quoted)
    return _VALUES.get(name, f"{axis_words(name)} {{}}").format(told)


def circumstances(factors: Mapping[str, Any]) -> str:
    """Circumstances in words, one after another; without those that a case does not have."""
    return ", ".join(
        values_in_words(name, [value]) for name, value in factors.items() if value != ""
    )


def verdict_in_short(word: str, on: Sequence[str]) -> str:
    """A verdict for a heading, with the factors that it depends on: ``depends on the pot``."""
    return f"{word} {listed([factor_in_words(name) for name in on], 'and')}" if on else word


def verdict_in_words(verdict: Verdict) -> str:
    """``holds``; or ``depends on the pot: holds for pot 9, 15; fails for pot 3``."""
    if verdict.word != DEPENDS:
        return verdict.word
    on = listed([factor_in_words(name) for name in verdict.on], "and")
    if verdict.oddest is not None:
        return _mostly_alike(verdict, on)
    more, mostly = (", and more", "mostly ") if verdict.and_more else ("", "")
    holds, fails = (_named(verdict.on, of) for of in (verdict.holds_with, verdict.fails_with))
    return f"{DEPENDS} {on}{more}: {mostly}holds for {holds}; {mostly}fails for {fails}"


def _mostly_alike(verdict: Verdict, on: str) -> str:
    """Of a claim that mostly holds, or mostly fails, whatever the circumstances: where least."""
    supporting, opposing = verdict.cases["for"], verdict.cases["against"]
    holds = supporting >= opposing
    word, how_many = ("holds", supporting) if holds else ("fails", opposing)
    told = f"{word} in {how_many:,} of {supporting + opposing:,} decided cases"
    if verdict.oddest is None or not verdict.on:
        return f"{DEPENDS} more than was looked at: {told}"
    of = verdict.oddest
    least = of.supporting if holds else of.opposing
    where = _named(verdict.on, [of.values])
    seldom = f"{least:,} of {of.supporting + of.opposing:,}"
    return f"{DEPENDS} {on}, and more: {told}, least often for {where}, {seldom}"


def _named(on: Sequence[str], groups: Sequence[tuple[Any, ...]]) -> str:
    """Groups of circumstances; of two factors those alike in the first are told together."""
    if len(on) == 1:
        return values_in_words(on[0], _in_order([values[0] for values in groups]))
    first, second = on
    by_second: dict[tuple[Any, ...], list[Any]] = {}
    by_first: dict[Any, list[Any]] = {}
    for one, other in groups:
        by_first.setdefault(one, []).append(other)
    for one, others in by_first.items():
        by_second.setdefault(tuple(_in_order(others)), []).append(one)
    words = [
        f"{values_in_words(first, _in_order(ones))} ({values_in_words(second, others)})"
        for others, ones in by_second.items()
    ]
    if len(words) > MOST_NAMED:
        words = [*words[:MOST_NAMED], f"{len(words) - MOST_NAMED} more"]
    return listed(words, "and")


def _in_order(values: Sequence[Any]) -> list[Any]:
    """Numbers by size; others as they came."""
    is_numbers = all(isinstance(value, int | float) for value in values)
    return sorted(values) if is_numbers else list(values)


def not_measured(claim: Mapping[str, Any]) -> str:
    """Which tests of a claim, as ``claims.json`` has it, came to no case; empty if all did."""
    empty = [test["what"] for test in claim["tests"] if not test["cases"]]
    if not empty:
        return ""
    of = f" of {listed([f'“{what}”' for what in empty], 'and')}" if len(claim["tests"]) > 1 else ""
    return f"nothing was measured{of}: no game has what is looked at, or it never came up"


def cases_in_words(counts: Mapping[str, int]) -> str:
    """How many cases are for, against and open."""
    return f"{counts['for']} for, {counts['against']} against, {counts['open']} open"
