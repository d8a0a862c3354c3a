"""Axes of a sweep over the numbers of a policy: ``policies.mine.params.bluff``.

Whoever writes one may name the policy as `policies` does, by a path perhaps; tables and manifests
call it by the policy's own name, which stays when files are moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from loo_sim.problems import nearest
from loo_sim.sweep import OF_POLICY, AxisValue, Point, flat

if TYPE_CHECKING:
    from loo_sim.policies.policy import Policy

Changes = Mapping[str, Mapping[str, Any]]
"""By the name of a policy, the values of its numbers by their places."""


@lru_cache(maxsize=1_000)
def split_axis(axis: str) -> tuple[str, str] | None:
    """The policy that an axis speaks of and the place of the number; None if it is no such axis."""
    from loo_sim.policies.variants import PLACE

    name, dot, place = "", ".", axis.removeprefix(OF_POLICY)
    if place == axis:
        return None
    while dot:
        word, dot, place = place.partition(".")
        name = f"{name}.{word}" if name else word
        if PLACE.fullmatch(place):
            return name, place
    return None


def changes_of(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What the axes of a cell change in policies."""
    found: dict[str, dict[str, Any]] = {}
    for axis, value in values.items():
        parts = split_axis(axis)
        if parts:
            found.setdefault(parts[0], {})[parts[1]] = value
    return found


class PolicyAxes:
    """The axes of a sweep that speak of policies, checked.

    Parameters
    ----------
    values : iterable of AxisValue
        All that the axes of the sweep give.
    policies : mapping of str to Policy
        Those that the experiment names, by the words that name them; empty where one cannot be had.
    wrong : callable
        Notes a problem: key, what is wrong, perhaps a hint.

    Attributes
    ----------
    names : dict of str to str
        By each axis as it was written, what it is called. Axes with which something is wrong are
        left out.
    """

    def __init__(
        self,
        values: Iterable[AxisValue],
        policies: Mapping[str, Policy],
        wrong: Callable[..., None],
    ) -> None:
        from loo_sim.policies.variants import value_fault

        self.policies = policies
        self.wrong = wrong
        self.names: dict[str, str] = {}
        by_axis: dict[str, list[AxisValue]] = {}
        seen: set[str] = set()
        for given in values:
            if given.axis.startswith(OF_POLICY):
                by_axis.setdefault(given.axis, []).append(given)
        for axis, of_axis in by_axis.items():
            found = self._policy_of(axis, of_axis[0].key)
            if found is None:
                continue
            policy, place = found
            told = {(of.key, repr(of.value)): of for of in of_axis}
            faults = [(of.key, value_fault(policy, place, of.value)) for of in told.values()]
            for key, fault in faults:
                if fault:
                    self.wrong(key, *fault)
            name = f"{OF_POLICY}{policy.name}.{place}"
            if name in seen:
                self.wrong(of_axis[0].key, f"is the axis {name} again", "leave one of them out")
            elif not any(fault for _, fault in faults):
                self.names[axis] = name
            seen.add(name)

    def _policy_of(self, axis: str, key: str) -> tuple[Policy, str] | None:
        """The policy that an axis speaks of and the place of the number; noted if there is none."""
        from loo_sim.policies.variants import numbers

        labels: dict[str, dict[str, Policy]] = {}
        for word, policy in self.policies.items():
            for label in (word, policy.name):
                labels.setdefault(label, {})[policy.digest] = policy
        meant = [label for label in labels if axis.startswith(f"{OF_POLICY}{label}.")]
        if not meant:
            name = (split_axis(axis) or (axis.split(".")[1], ""))[0]
            if labels:
                self.wrong(key, f"there is no policy {name!r} here", nearest(name, labels))
            return None
        label = max(meant, key=len)
        policy = next(iter(labels[label].values()))
        if len(labels[policy.name]) > 1:
            hint = "name says what a policy file's policy is called"
            self.wrong(key, f"{len(labels[policy.name])} policies are called {policy.name}", hint)
            return None
        place = axis.removeprefix(f"{OF_POLICY}{label}.")
        known = numbers(policy)
        if place not in known:
            hint = nearest(place, known) if known else "it has none: [params] names some"
            self.wrong(key, f"the policy {policy.name} has no such number", hint)
            return None
        return policy, place

    def renamed(self, point: Point) -> Point:
        """A point with the axes called as they are called, those with problems left out."""

        def of(table: Mapping[str, Any]) -> dict[str, Any]:
            return {
                self.names.get(axis, axis): value
                for axis, value in table.items()
                if axis in self.names or not axis.startswith(OF_POLICY)
            }

        return Point(of(point.values), of(point.where))

    def renamed_sweep(self, sweep: Mapping[str, Any]) -> dict[str, Any]:
        """The table ``[sweep]`` with the axes called as they are called."""
        found: dict[str, Any] = {}
        for key, value in sweep.items():
            if key in ("zip", "sobol"):
                found[key] = self.renamed_sweep(flat(value))
            elif key == "list":
                found[key] = [self.renamed_sweep(cell) for cell in value]
            else:
                found[self.names.get(key, key)] = value
        return found


def axis_words(axis: str) -> str:
    """An axis in a few words: ``loo``, ``mine bluff``, ``peel rule 3 chance``."""
    parts = split_axis(axis)
    if parts is None:
        return axis.removeprefix("rules.").replace("_", " ")
    name, place = parts
    return " ".join((name, *_place_words(place)))


def _place_words(place: str) -> Iterator[str]:
    words = iter(place.split("."))
    for word in words:
        if word == "rules":
            yield f"rule {next(words)}"
        elif word == "when":
            yield f"number {next(words)}"
        elif word not in ("params", "announce"):
            yield word.replace("_", " ")
