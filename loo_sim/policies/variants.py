"""Policies with some of their numbers replaced: what a sweep over a policy plays.

A number is named by its place in the file, rules and the numbers of a condition counted from 1:
``params.bluff``, ``announce.rules.2.chance``, ``play.head.rules.1.when.1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from loo_sim.policies.check import division_faults
from loo_sim.policies.language import (
    ANNOUNCE_NAMES,
    PLAY_NAMES,
    LanguageError,
    numbers_in,
    parse,
    with_numbers,
)
from loo_sim.policies.parse import is_chance, is_number
from loo_sim.policies.policy import Choice, Play, Policy, Rule, policy_digest
from loo_sim.problems import InputError, Problem

PLACE = re.compile(
    r"(?:params\.[^.]+|announce\.rules\.\d+\.chance"
    r"|(?:announce|play\.\w+)\.rules\.\d+\.when\.\d+)"
)
"""What the place of a number looks like."""


def numbers(policy: Policy) -> dict[str, float]:
    """The numbers of a policy that may be replaced, by their places.

    A chance, or a number, that is a parameter is not among them: the parameter is.
    """
    found = {f"params.{name}": value for name, value in policy.params.items()}
    for where, choice in _choices(policy):
        for number, rule in enumerate(choice.rules, start=1):
            at = f"{where}.rules.{number}"
            if where == "announce" and not rule.chance_from:
                found[f"{at}.chance"] = float(rule.chance)
            for place, value in enumerate(numbers_in(rule.text), start=1):
                found[f"{at}.when.{place}"] = value
    return found


def value_fault(policy: Policy, place: str, value: Any) -> tuple[str, str] | None:
    """What is wrong with a value for one of the `numbers` of a policy.

    Returns
    -------
    (str, str) or None
        What is wrong, and what would be right; None if nothing is wrong.
    """
    now = numbers(policy)[place]
    if isinstance(now, bool):
        if isinstance(value, bool):
            return None
        return f"{value!r} is neither true nor false", f"{str(now).lower()} in the file"
    name = place.removeprefix("params.")
    chances = [rule.chance_from for rule in policy.announce.rules]
    if place.endswith(".chance") or (name != place and name in chances):
        return None if is_chance(value) else (f"{value!r} is no chance", "a number from 0 to 1")
    return (
        None
        if is_number(value)
        else (f"{value!r} is not a number", f"such as {now:g}, which the file has")
    )


def can_vary(policy: Policy, changes: Mapping[str, Any]) -> bool:
    """Whether a policy has all numbers that are to be replaced, and they can have the values."""
    return changes.keys() <= numbers(policy).keys() and not any(
        value_fault(policy, place, value) for place, value in changes.items()
    )


def vary(policy: Policy, changes: Mapping[str, float]) -> Policy:
    """The policy with other numbers.

    Its rules may come never to apply: that is what the end of an axis is for.

    Parameters
    ----------
    policy : Policy
        As its file gives it.
    changes : mapping of str to (float or bool)
        By places that `numbers` names, values that `value_fault` finds nothing wrong with.

    Raises
    ------
    InputError
        If a condition divides by zero with these numbers, or becomes too long.
    """
    params = {name: changes.get(f"params.{name}", value) for name, value in policy.params.items()}
    announce, *playing = (
        Choice(_varied(choice.rules, where, changes, params), choice.otherwise)
        if choice.rules
        else choice
        for where, choice in _choices(policy)
    )
    play = Play(*playing)
    return replace(
        policy,
        announce=announce,
        play=play,
        digest=policy_digest(policy.name, announce, policy.table, play),
        params=params,
        changes=dict(changes),
    )


def _choices(policy: Policy) -> Iterator[tuple[str, Choice]]:
    yield "announce", policy.announce
    for kind, choice in policy.play._asdict().items():
        yield f"play.{kind}", choice


def _varied(
    rules: tuple[Rule, ...], where: str, changes: Mapping[str, float], params: Mapping[str, float]
) -> tuple[Rule, ...]:
    """Rules with other numbers; those that are not concerned stay the very same."""
    own: dict[int, dict[str, float]] = {}
    for place, value in changes.items():
        if place.startswith(f"{where}.rules."):
            numbered, _, rest = place.removeprefix(f"{where}.rules.").partition(".")
            own.setdefault(int(numbered), {})[rest] = value
    changed = {place.removeprefix("params.") for place in changes if place.startswith("params.")}
    found = []
    for number, rule in enumerate(rules, start=1):
        if number in own or rule.chance_from in changed or not changed.isdisjoint(rule.params):
            try:
                rule = _other_rule(rule, where == "announce", own.get(number, {}), params)
            except LanguageError as error:
                raise _wrong(f"{where}.rules.{number}.when", error.what, error.hint) from None
        found.append(rule)
    for fault in division_faults(where.removeprefix("play."), found):
        raise _wrong(f"{where}.rules.{fault.rule + 1}.when", fault.what, fault.hint)
    return tuple(found)


def _other_rule(
    rule: Rule, is_announce: bool, own: Mapping[str, float], params: Mapping[str, float]
) -> Rule:
    """A rule with numbers of its own replaced, and other values of parameters."""
    chance = own.get("chance", params.get(rule.chance_from, rule.chance))
    # 1 and true are equal keys, so that their types are told.
    used = tuple((name, type(params[name]), params[name]) for name in rule.params)
    return _rule(
        rule.text, rule.do, rule.chance_from, is_announce, tuple(own.items()), used, chance
    )


@lru_cache(maxsize=20_000)
def _rule(
    text: str,
    do: str,
    chance_from: str,
    is_announce: bool,
    own: tuple[tuple[str, float], ...],
    used: tuple[tuple[str, type, float], ...],
    chance: float | Fraction,
) -> Rule:
    """A rule; `own` are its new numbers, `used` its parameters: name, type and value."""
    places = {
        int(rest.removeprefix("when.")) - 1: value
        for rest, value in own
        if rest.startswith("when.")
    }
    text = with_numbers(text, places)
    names = ANNOUNCE_NAMES if is_announce else PLAY_NAMES
    values = {name: value for name, _, value in used}
    when = parse(text, names, values)
    return Rule(when, text, do, Fraction(str(chance)), chance_from, tuple(values))


def _wrong(key: str, what: str, hint: str) -> InputError:
    return InputError([Problem("policy", None, key, what, hint)])
