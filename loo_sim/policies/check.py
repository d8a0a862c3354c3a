"""Rules that can never apply, and divisions by zero: found over all situations and hands.

What is found holds in every game of 2 to 16 players with either pack and under any house rules; a
condition on money counts as one that may hold or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.policies.features import (
    Columns,
    hand_columns,
    situation_columns,
    situations,
    turn_columns,
)
from loo_sim.policies.language import MONEY_NAMES
from loo_sim.policies.policy import RANDOM, Rule
from loo_sim.policies.tree import (
    Junction,
    Node,
    Not,
    division_by_zero,
    evaluate,
)
from loo_sim.rules import Rules

DECKS = (52, 32)
SAMPLE_POTS = range(3, 13)
"""Stakes in the pots of the standard game for which divisors are worked out."""

Truths = npt.NDArray[np.bool_]


class Fault(NamedTuple):
    """What is wrong with one rule.

    Attributes
    ----------
    rule : int
        Its place among the rules, from 0.
    what, hint : str
        As in `loo_sim.problems.Problem`.
    """

    rule: int
    what: str
    hint: str


class _Cases(NamedTuple):
    """Cases to which rules are put; all arrays broadcast to one shape.

    Attributes
    ----------
    values : mapping of str to ndarray
        Values of the names.
    may : mapping of str to ndarray of bool
        Where each word is legal under some rules.
    must : mapping of str to ndarray of bool
        Where each word is legal under all rules.
    """

    values: Mapping[str, Any]
    may: Mapping[str, Truths]
    must: Mapping[str, Truths]


def announce_faults(rules: Sequence[Rule]) -> list[Fault]:
    """What is wrong with rules of `[announce]`, each taken with those before it."""
    names = frozenset[str]().union(*(rule.when.names() for rule in rules))
    return _faults(rules, [_announce_cases(deck, names) for deck in DECKS])


def division_faults(kind: str, rules: Sequence[Rule]) -> list[Fault]:
    """Divisions by zero alone, in rules of ``announce`` or of a kind of play."""
    if not any(rule.may_divide_by_zero for rule in rules):
        return []
    names = frozenset[str]().union(*(rule.when.names() for rule in rules))
    if kind == "announce":
        all_cases = [_announce_cases(deck, names) for deck in DECKS]
    else:
        all_cases = [_play_cases(kind, rules)]
    with np.errstate(all="ignore"):
        return list(_zero_divisors(rules, all_cases))


def play_faults(kind: str, rules: Sequence[Rule]) -> list[Fault]:
    """What is wrong with rules of one kind of `[play]`, each taken with those before it."""
    return _faults(rules, [_play_cases(kind, rules)])


def _play_cases(kind: str, rules: Sequence[Rule]) -> _Cases:
    values = turn_columns(is_leader=kind.startswith("lead"))
    always = {rule.do: np.array(True) for rule in rules}
    return _Cases(values, always, always)


def _announce_cases(deck: int, names: frozenset[str]) -> _Cases:
    """Every case that differs in what `names` say or in what is legal.

    Situations run down the first axis and hands along the second.
    """
    each = [
        situation_columns(players, situations(players))
        for players in range(2, Rules(deck=deck).max_players + 1)
    ]
    seen = {name: np.concatenate([columns[name] for columns in each]) for name in each[0]}
    seen["somebody_in"] = seen["standers"] > 0
    legal_by = {"dealer", "miss_free", "somebody_in"}
    down = {
        name: column[:, np.newaxis] for name, column in _distinct(seen, names | legal_by).items()
    }
    along = {
        name: column[np.newaxis, :] for name, column in _distinct(hand_columns(deck), names).items()
    }
    dealer, free, somebody_in = down["dealer"], down["miss_free"], down["somebody_in"]
    always, never = np.array(True), np.array(False)
    may = {
        "fold": always,
        "stand": always,
        "miss": free,
        "defend": dealer & free & somebody_in,
        RANDOM: always,
    }
    must = may | {"fold": ~(dealer & free), "defend": never}
    return _Cases(down | along, may, must)


def _distinct(columns: Columns, names: frozenset[str] | set[str]) -> dict[str, Any]:
    """The distinct rows of the columns that are named."""
    used = [name for name in columns if name in names]
    if not used:
        return {}
    rows = np.unique(np.column_stack([columns[name].astype(np.float64) for name in used]), axis=0)
    return {name: rows[:, i].astype(columns[name].dtype) for i, name in enumerate(used)}


@np.errstate(all="ignore")
def _faults(rules: Sequence[Rule], all_cases: Sequence[_Cases]) -> list[Fault]:
    return [*_idle_rules(rules, all_cases), *_zero_divisors(rules, all_cases)]


def _idle_rules(rules: Sequence[Rule], all_cases: Sequence[_Cases]) -> Iterator[Fault]:
    """Rules that never apply."""
    taken = [np.array(False) for _ in all_cases]
    for number, rule in enumerate(rules):
        holds = legal = left = False
        for i, cases in enumerate(all_cases):
            may_hold, may_fail = _outcomes(rule.when, cases.values)
            may = may_hold & cases.may[rule.do]
            holds |= bool(may_hold.any())
            legal |= bool(may.any())
            left |= bool((may & ~taken[i]).any())
            if rule.chance == 1:
                taken[i] = taken[i] | (~may_fail & cases.must[rule.do])
        if not holds:
            yield Fault(number, "never applies: nothing makes its condition true", "")
        elif not legal:
            hint = (
                "the miss can be taken only while miss_free"
                if rule.do == "miss"
                else "only the dealer may defend, while miss_free and with somebody in"
            )
            yield Fault(
                number, f"never applies: where its condition holds, '{rule.do}' is illegal", hint
            )
        elif not left:
            yield Fault(
                number,
                "never applies: the rules before it take every case",
                "put it before them, or leave it out",
            )


def _outcomes(node: Node, values: Mapping[str, Any]) -> tuple[Truths, Truths]:
    """Where a condition may hold, and where it may fail, for some money or other."""
    if isinstance(node, Not):
        return _outcomes(node.parts[0], values)[::-1]
    if isinstance(node, Junction):
        parts = [_outcomes(part, values) for part in node.parts]
        may_hold, may_fail = parts[0]
        for part_holds, part_fails in parts[1:]:
            if node.word == "and":
                may_hold, may_fail = may_hold & part_holds, may_fail | part_fails
            else:
                may_hold, may_fail = may_hold | part_holds, may_fail & part_fails
        return may_hold, may_fail
    if node.names() & MONEY_NAMES:
        return np.array(True), np.array(True)
    holds = np.asarray(evaluate(node, values))
    return holds, ~holds


def _zero_divisors(rules: Sequence[Rule], all_cases: Sequence[_Cases]) -> Iterator[Fault]:
    """Divisors that are zero in a case that the rules before have left."""
    divided = [i for i, rule in enumerate(rules) if rule.may_divide_by_zero]
    if not divided:
        return
    rules = rules[: divided[-1] + 1]
    names = frozenset[str]().union(*(rule.when.names() for rule in rules))
    pots = SAMPLE_POTS if names & MONEY_NAMES else SAMPLE_POTS[:1]
    told: set[int] = set()
    for pot in pots:
        money = {"pot": float(pot), "trick": pot / 3, "loo": float(Rules().loo)}
        for cases in all_cases:
            values = {**cases.values, **money}
            taken = np.array(False)
            for number, rule in enumerate(rules):
                found = division_by_zero(rule.when, values, ~taken & cases.may[rule.do])
                if found and number not in told:
                    told.add(number)
                    divisor, zero = found
                    case = _case(rule, values, zero)
                    yield Fault(
                        number,
                        f"divides by zero: '{divisor}' is 0" + (f" where {case}" if case else ""),
                        "rule that case out before the division, with 'and'",
                    )
                if rule.chance == 1:
                    holds = evaluate(rule.when, values)
                    taken = taken | (holds & cases.must[rule.do])


def _case(rule: Rule, values: Mapping[str, Any], where: Truths) -> str:
    """The first case of `where`, told in the names that the rule uses; empty if it uses none."""
    names = [name for name in values if name in rule.when.names()]
    arrays = np.broadcast_arrays(where, *(values[name] for name in names))
    first = np.unravel_index(int(np.argmax(arrays[0])), arrays[0].shape)
    told = []
    for name, array in zip(names, arrays[1:], strict=True):
        value = array[first]
        told.append(f"{name} = {str(bool(value)).lower() if array.dtype == bool else f'{value:g}'}")
    return " and ".join(told)
