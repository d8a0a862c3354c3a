"""The policies of a cell: found by their names or paths, varied, held to what can be compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.policy_axes import changes_of, split_axis
from loo_sim.problems import InputError, Problem, Problems
from loo_sim.settings import Wrong
from loo_sim.sweep import Point

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.policies.policy import Policy

MOST_CONTESTANTS = 16


class Shelf:
    """Finds policies by their names or paths, and reads each file once.

    Parameters
    ----------
    folder : Path
        Where relative paths start.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, Policy | tuple[Problem, ...]] = {}
        self._varied: dict[Any, Policy | tuple[Problem, ...]] = {}
        self._compiled: dict[Any, tuple[Problem, ...]] = {}

    def find(self, word: str) -> Policy | tuple[Problem, ...]:
        """The policy, or everything that is wrong with it."""
        from loo_sim.policies.parse import load_policy

        if word not in self._known:
            try:
                self._known[word] = load_policy(word, self.folder)
            except InputError as error:
                self._known[word] = error.problems
        return self._known[word]

    def vary(self, policy: Policy, changes: Mapping[str, Any]) -> Policy | tuple[Problem, ...]:
        """The policy with other numbers, or everything that is wrong with them."""
        from loo_sim.policies.variants import vary

        key = policy.digest, repr(changes)
        if key not in self._varied:
            try:
                self._varied[key] = vary(policy, changes)
            except InputError as error:
                self._varied[key] = error.problems
        return self._varied[key]

    def compile_problems(self, cell: Cell, by_tables: bool) -> tuple[Problem, ...]:
        """What only compiling shows: too many mixtures; pots at which rounding would decide.

        Policies with other numbers than their files' are not compiled where the pot changes, which
        takes a tenth of a second each: too many pots or rows of them fail the cell when it is run.
        """
        from loo_sim.policies.pots import table_sizes
        from loo_sim.policies.table import MOST_MIXTURES

        policies = {policy.digest: policy for policy in cell.policies}
        few_mixtures = sum(map(_most_mixtures, policies.values())) <= MOST_MIXTURES
        if by_tables and few_mixtures and any(policy.changes for policy in cell.policies):
            # Thousands of policies that differ in a number have most rules in common.
            return tuple(self._switch_problems(cell, policies.values()))
        if not few_mixtures or (by_tables and any(map(_looks_at_pot, policies.values()))):
            # Whatever people bring, tables of the same sizes may come of it.
            where = table_sizes(cell.rules, cell.players, cell.bankroll) if by_tables else cell.pot
            key = (*policies, cell.rules, cell.players, where)
            if key not in self._compiled:
                self._compiled[key] = _compile_problems(cell, by_tables)
            return self._compiled[key]
        return ()

    def _switch_problems(self, cell: Cell, policies: Iterable[Policy]) -> Iterator[Problem]:
        """What is wrong with conditions on the pot, each rule looked at once."""
        from loo_sim.policies.pots import table_sizes
        from loo_sim.policies.switches import rule_problems

        for policy in policies:
            for number, rule in enumerate(policy.announce.rules, start=1):
                if not rule.looks_at_pot:
                    continue
                for players in table_sizes(cell.rules, cell.players, cell.bankroll):
                    key = policy.source, number, rule.told, cell.rules, players
                    if key not in self._compiled:
                        found = rule_problems(policy, number, cell.rules, players)
                        self._compiled[key] = tuple(found)
                    yield from self._compiled[key]


def _looks_at_pot(policy: Policy) -> bool:
    return any(rule.looks_at_pot for rule in policy.announce.rules)


def _most_mixtures(policy: Policy) -> float:
    """An upper bound of the sets of chances that a policy compiles to."""
    from loo_sim.policies.policy import ACTIONS, RANDOM

    if policy.table is not None:
        return inf
    rules = policy.announce.rules
    if RANDOM in (policy.announce.otherwise, *(rule.do for rule in rules)):
        return inf if any(rule.mixes for rule in rules) else 2 ** len(ACTIONS)
    mixing = sum(rule.mixes for rule in rules)
    # Which of the mixing rules applied, and which action got the rest.
    return len(ACTIONS) * 2**mixing if mixing else 0


def _compile_problems(cell: Cell, by_tables: bool) -> tuple[Problem, ...]:
    from loo_sim.policies.compile import compile_tables
    from loo_sim.policies.pots import pot_classes, table_sizes

    try:
        if by_tables:
            sizes = table_sizes(cell.rules, cell.players, cell.bankroll)
            pot_classes(cell.policies, cell.rules, sizes)
        else:
            compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    except InputError as error:
        return error.problems
    return ()


def policy_words(value: Any, players: int | None, wrong: Wrong) -> list[str]:
    """The words that name policies: for `players`, one for all or one a seat; None: any number."""
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or not words:
        wrong(
            "policies",
            f"{value!r} is neither a policy nor a list of policies",
            'a name, a path, or a list of them: "peel", ["peel"]',
        )
        return []
    if players is not None and len(words) not in (1, players):
        wrong(
            "policies",
            f"there are {len(words)} policies for {players} players",
            "give one for all, or one a seat, the dealer's last",
        )
    return words


def find_policies(
    words: Sequence[str], point: Point, shelf: Shelf, wrong: Wrong, problems: Problems
) -> tuple[Policy, ...]:
    """The policies that can be had, with the numbers that the axes of a cell give them."""
    changes = changes_of(point.values)
    policies = []
    names = set()
    for word in words:
        found = shelf.find(word)
        if not isinstance(found, tuple):
            name = found.name
            names.add(name)
            if name in changes:
                found = shelf.vary(found, changes[name])
                for problem in found if isinstance(found, tuple) else ():
                    wrong(_axis_of(name, point), f"{problem.key}: {problem.what}", problem.hint)
        else:
            for problem in found:
                if problem.line is None:  # about the policy as a whole: blame the one who named it
                    wrong("policies", f"'{word}': {problem.what}", problem.hint)
                else:
                    problems.found.append(problem)
        if not isinstance(found, tuple):
            policies.append(found)
    if len(policies) == len(words):
        for name in changes.keys() - names:
            hint = "each cell plays the policies of all axes"
            wrong(_axis_of(name, point), f"has no effect: {name} does not play", hint)
    return tuple(policies)


def _axis_of(name: str, point: Point) -> str:
    """The first axis over numbers of a policy."""
    return next(axis for axis in point.values if (split_axis(axis) or ("",))[0] == name)


def check_contestants(words: Sequence[str], policies: Sequence[Policy], wrong: Wrong) -> None:
    """Note what keeps policies from a league, whose tables name them."""
    if words and not 2 <= len(words) <= MOST_CONTESTANTS:
        many = "1 policy" if len(words) == 1 else f"{len(words)} policies"
        hint = 'policies = ["trumps", "peel"]'
        wrong("policies", f"a league is of 2 to {MOST_CONTESTANTS} policies, not of {many}", hint)
    names = [policy.name for policy in policies]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            hint = "name says what a policy file's policy is called"
            wrong("policies", f"{names.count(name)} of a league's policies are called {name}", hint)
