"""Verdicts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loo_sim.claims.cases import OPPONENTS, RULES, WHAT
from loo_sim.claims.verdict import DEPENDS, HOLDS, OPEN, Verdict
from loo_sim.policy_axes import axis_words
from loo_sim.rounding import listed

MOST_NAMED = 6
"""Groups of circumstances that a sentence names."""

_WORDS = {
    RULES: "rules",
    OPPONENTS: "opponents",
    WHAT: "what is asked",
    "standers": "players in",
    "folded": "players who folded",
    "to_act": "players still to speak",
    "in_play": "players in",
    "dealer": "whether he deals",
    "miss_free": "whether the miss is there",
    "policy": "policy",
}


def factor_in_words(name: str) -> str:
    """What a factor is called."""
    return _WORDS.get(name, axis_words(name))


def value_in_words(name: str, value: Any) -> str:
    """A value of a factor with what it is of: ``pot 9``, ``rules peel``."""
    if value == "":
        return ""
    if name == WHAT:
        return str(value)
    if name in ("dealer", "miss_free"):
        told = {"dealer": ("another seat", "the dealer"), "miss_free": ("miss gone", "miss free")}
        return told[name][bool(value)]
    if name == OPPONENTS:
        return f"against {value}"
    number = str(value)
    few = {
        "players": f"{number} players",
        "standers": f"{number} in",
        "in_play": f"{number} in",
        "folded": f"{number} folded",
        "to_act": f"{number} to speak",
        "pot": f"pot {number}",
        "seat": f"seat {number}",
        RULES: f"rules {number}",
    }
    return few.get(name, f"{factor_in_words(name)} {number}")


def circumstances(factors: Mapping[str, Any]) -> str:
    """Circumstances in words, one after another."""
    told = (value_in_words(name, value) for name, value in factors.items())
    return ", ".join(word for word in told if word)


def verdict_in_words(verdict: Verdict) -> str:
    """``holds``; or ``depends on the pot: holds with pot 9, 15; fails with pot 3``."""
    if verdict.word != DEPENDS:
        return verdict.word
    if not verdict.on:
        return f"{DEPENDS} more than was looked at"
    on = listed([factor_in_words(name) for name in verdict.on], "and")
    more = ", and more" if verdict.and_more else ""
    holds = _named(verdict.on, verdict.holds_with)
    fails = _named(verdict.on, verdict.fails_with)
    mostly = "mostly " if verdict.and_more else ""
    return f"{DEPENDS} {on}{more}: {mostly}holds with {holds}; {mostly}fails with {fails}"


def _named(on: Sequence[str], groups: Sequence[tuple[Any, ...]]) -> str:
    """Groups of circumstances, those along one factor put together."""
    if not groups:
        return "none"
    if len(on) == 1:
        words = [value_in_words(on[0], values[0]) for values in groups]
        return _shortened(words)
    first, second = on
    by_first: dict[Any, list[Any]] = {}
    for one, other in groups:
        by_first.setdefault(one, []).append(other)
    words = [
        f"{value_in_words(first, one)} ({_shortened([value_in_words(second, o) for o in others])})"
        for one, others in by_first.items()
    ]
    return _shortened(words)


def _shortened(words: Sequence[str]) -> str:
    """Words in a row; of many the first, and how many more."""
    if len(words) > MOST_NAMED:
        return f"{', '.join(words[:MOST_NAMED])} and {len(words) - MOST_NAMED} more"
    return ", ".join(words)


def cases_in_words(verdict: Verdict) -> str:
    """How many cases are for, against and open."""
    counts = verdict.cases
    return f"{counts['for']} for, {counts['against']} against, {counts['open']} open"


LETTERS = {HOLDS: "H", "fails": "F", DEPENDS: "D", OPEN: "?"}
