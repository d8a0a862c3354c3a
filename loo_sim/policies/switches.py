"""Pots at which a policy may change what it announces.

A condition speaks of the pot through ``pot``, ``trick`` and ``loo`` alone. For given other numbers
both sides of a comparison are quotients of polynomials in the pot; multiplied out, the comparison
holds or fails by the sign of a polynomial, which must be linear: ``level + slope * pot``. Values
are worked out in floats, so that the sign is in doubt where that is small beside the parts that it
is the sum of. The pots in doubt are an interval, since both are linear; to its left and to its
right the comparison cannot change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from loo_sim.policies.compile import different_hands, money
from loo_sim.policies.features import situation_columns, situations
from loo_sim.policies.language import MONEY_NAMES
from loo_sim.policies.policy import Policy
from loo_sim.policies.tree import Arithmetic, Comparison, Minus, Name, Node, Number, evaluate
from loo_sim.problems import Problem
from loo_sim.rules import POT_LOO, UNITS_PER_STAKE, Rules
from loo_sim.tomlfile import load

MOST_POT = 2**44
"""Units: a pot beyond this cannot come up, since a loo is at most `rules.MOST_LOO`."""

MOST_STARTS = 1_000
"""Most pots at which announcements of one policy may change."""

ROUNDING = 2.0**-53
"""Largest relative error of one operation on floats."""

MOST_IN_DOUBT = 16
"""Units: where more pots than this are in doubt for one comparison, rounding would decide it."""

SAMPLES = 400

Changes = Mapping[int, npt.NDArray[np.intp]]
"""By pot in units, ascending: places in `features.situations` of the situations in which
announcements may differ from those at a pot of one unit less. The first is the smallest pot, with
every situation."""


class _Part(NamedTuple):
    """A coefficient: a float or an array over situations and hands.

    Attributes
    ----------
    value : float or ndarray
        The coefficient.
    size : float or ndarray
        The same with every sign taken as plus: what rounding errors are in proportion to.
    """

    value: Any
    size: Any


_Polynomial = tuple[_Part, ...]
"""Coefficients of the powers of the pot in units, from the constant up."""


ZERO = _Part(0.0, 0.0)
ONE: _Polynomial = (_Part(1.0, 1.0),)


class _Quotient(NamedTuple):
    above: _Polynomial
    below: _Polynomial


class _Doubt(NamedTuple):
    """Pots at which a comparison may go either way, for all situations and hands.

    Attributes
    ----------
    first, end : ndarray of int64
        Units: the pots in doubt are those from `first` to before `end`, where the comparison is
        settled again. Before `first` it is settled too, maybe otherwise. Nothing is in doubt nor
        changes where `end` is less than `first`.
    is_long : ndarray of bool
        Whether more than `MOST_IN_DOUBT` pots are in doubt.
    """

    first: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    is_long: npt.NDArray[np.bool_]


class _Regime(NamedTuple):
    """Pots from `low` to `high` units, for which the loo is given by one polynomial."""

    low: int
    high: int
    loo: _Polynomial


def find_changes(policy: Policy, rules: Rules, players: int, problems: list[Problem]) -> Changes:
    """Find the pots at which a policy may change what it announces.

    Where the two sides of a comparison are so nearly equal that rounding might decide it at more
    than `MOST_IN_DOUBT` pots, as when they are equal whatever the pot, it is taken to be constant
    if it is so at `SAMPLES` pots in a row and as many far apart: ``trick + trick >= 2 * trick`` is,
    ``3 * trick >= pot`` is not.

    Parameters
    ----------
    policy : Policy
        The policy.
    rules : Rules
        The rules played by.
    players : int
        Seats.
    problems : list of Problem
        Where problems are noted: comparisons into which the pot does not enter linearly, or that
        rounding would decide; more than `MOST_STARTS` pots.

    Returns
    -------
    Changes
    """
    least = rules.single_pot(players)
    finder = _Finder(policy, rules, players, problems, list(_regimes(rules, least)))
    finder.look_at_table()
    for number in range(1, len(policy.announce.rules) + 1):
        finder.look_at_rule(number)
    starts = finder.starts()
    return {least: np.arange(len(situations(players)))} | starts


@np.errstate(all="ignore")
def rule_problems(policy: Policy, number: int, rules: Rules, players: int) -> list[Problem]:
    """What `find_changes` finds wrong with the conditions of one rule, numbered from 1."""
    problems: list[Problem] = []
    regimes = list(_regimes(rules, rules.single_pot(players)))
    _Finder(policy, rules, players, problems, regimes).look_at_rule(number)
    return problems


def _regimes(rules: Rules, least: int) -> Iterator[_Regime]:
    most = rules.loo_units(MOST_POT)
    constant = _constant(most / UNITS_PER_STAKE)
    if rules.loo != POT_LOO:
        yield _Regime(least, MOST_POT, constant)
        return
    if least <= most:
        yield _Regime(least, most, _in_pots(UNITS_PER_STAKE))
    yield _Regime(max(least, most), MOST_POT, constant)


@dataclass
class _Finder:
    """Collects the pots at which announcements of a policy may change."""

    policy: Policy
    rules: Rules
    players: int
    problems: list[Problem]
    regimes: list[_Regime]
    found: list[npt.NDArray[np.int64]] = field(default_factory=list)

    def wrong(self, key: str, what: str, hint: str) -> None:
        line = load(self.policy.source).line_of(key)
        self.problems.append(Problem(self.policy.source, line, key, what, hint))

    def starts(self) -> dict[int, npt.NDArray[np.intp]]:
        """The pots found, and the situations of each."""
        count = len(situations(self.players))
        together = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *self.found]))
        pots, places = np.divmod(together, count)
        different, first = np.unique(pots, return_index=True)
        if different.size > MOST_STARTS:
            what = f"announcements may change at {different.size:,} pots, more than {MOST_STARTS:,}"
            hint = "compare the pot with fewer different numbers"
            self.wrong("announce", what, hint)
        return dict(zip(different.tolist(), np.split(places, first)[1:], strict=True))

    def look_at_table(self) -> None:
        """Find where another pot that a table knows becomes the nearest."""
        table = self.policy.table
        if table is None or self.players not in table.pots:
            return
        known = np.array(table.pots[self.players])
        middle = _Part(known[1:] / 2 + known[:-1] / 2, known[1:] + known[:-1])
        pot = _Part(-1 / UNITS_PER_STAKE, 2 / UNITS_PER_STAKE)
        self.note(_doubt((middle, pot), 8 * ROUNDING, self.regimes[0].low, MOST_POT))

    def look_at_rule(self, number: int) -> None:
        """Find where the comparisons of a rule may change."""
        for node in self.policy.announce.rules[number - 1].when.walk():
            if isinstance(node, Comparison) and node.parts[0].kind == "number":
                self.look_at(node, f"announce.rules.{number}.when")

    def look_at(self, comparison: Comparison, key: str) -> None:
        """Find where the links of a comparison may change."""
        for (left, right), sign in zip(pairwise(comparison.parts), comparison.signs, strict=True):
            link = Comparison((left, right), (sign,))
            if link.names() & MONEY_NAMES and not self.look_at_link(link, key):
                return

    def look_at_link(self, link: Comparison, key: str) -> bool:
        """Find where a comparison of two numbers may change; whether they can be found."""
        hands, _ = different_hands(self.rules.deck, link.names())
        places = situation_columns(self.players, situations(self.players))
        columns = {name: column[None, :] for name, column in hands.items()} | {
            name: column[:, None] for name, column in places.items() if name in link.names()
        }
        # Every part may enter both sides once they are multiplied out, with its own rounding.
        error = 4 * (len(list(link.walk())) + 4) * ROUNDING
        for regime in self.regimes:
            for polynomial in _signs(link, columns, regime.loo):
                if len(polynomial) > 2:
                    what = f"the pot does not enter '{link}' linearly"
                    hint = "in a session the pot may enter a comparison only linearly"
                    self.wrong(key, what, hint)
                    return False
                doubt = _doubt(polynomial, error, regime.low, regime.high)
                if not self.is_settled(link, columns, doubt, regime):
                    what = f"in '{link}' both sides are so nearly equal that rounding decides"
                    self.wrong(key, what, "let the pot stand on one side only")
                    return False
                self.note(doubt)
        return True

    def is_settled(
        self, link: Comparison, columns: Mapping[str, Any], doubt: _Doubt, regime: _Regime
    ) -> bool:
        """Whether a comparison is constant wherever more than a few pots are in doubt."""
        if not doubt.is_long.any():
            return True
        shape = np.broadcast_shapes(doubt.first.shape, *(col.shape for col in columns.values()))
        where = np.broadcast_to(doubt.is_long, shape)
        values = {name: np.broadcast_to(col, shape)[where] for name, col in columns.items()}
        # Pots in a row, and pots far apart.
        near = np.arange(regime.low, min(regime.low + SAMPLES, regime.high + 1))
        far = np.geomspace(regime.low, regime.high, SAMPLES).astype(np.int64)
        holds = [
            evaluate(link, values | money(self.rules, pot))
            for pot in np.unique(np.concatenate([near, far])).tolist()
        ]
        return all(np.array_equal(now, holds[0]) for now in holds)

    def note(self, doubt: _Doubt) -> None:
        """Keep the pots in doubt, each for itself, and the first beyond them."""
        count = len(situations(self.players))
        shape = np.broadcast_shapes(doubt.first.shape, (count, 1))
        place = np.arange(count)[:, None]
        first, end = (np.broadcast_to(part, shape) for part in (doubt.first, doubt.end))
        first = np.where(doubt.is_long, end, first)
        for step in range(int((end - first).max(initial=-1)) + 1):
            pots = first + step
            which = (pots <= end) & (pots > self.regimes[0].low) & (pots <= MOST_POT)
            self.found.append(np.unique((pots * count + place)[which]))


def _doubt(polynomial: _Polynomial, error: float, low: int, high: int) -> _Doubt:
    """The pots from `low` to `high` at which a linear polynomial may be zero, but for rounding.

    They are those with ``|level + slope * pot| <= error * (level_size + slope_size * pot)``: two
    half-lines, one for each sign.
    """
    level, slope = (*polynomial, ZERO)[:2]
    begins = np.array(float(low))
    ends = np.array(float(high))
    for sign in (1.0, -1.0):
        flat = sign * level.value - error * level.size
        steep = np.asarray(sign * slope.value - error * slope.size)
        edge = -flat / steep
        begins = np.where(steep < 0, np.maximum(begins, edge), begins)
        ends = np.where(steep > 0, np.minimum(ends, edge), ends)
        ends = np.where((steep == 0) & (flat > 0), -np.inf, ends)
    size = level.size + slope.size
    is_unknown = ~np.isfinite(size)
    is_empty = ~is_unknown & ((begins > ends) | (size == 0))
    first = np.where(is_unknown, low, np.ceil(begins))
    end = np.where(is_unknown, high, np.floor(ends)) + 1
    first, end = (np.where(is_empty, empty, at) for at, empty in ((first, 1), (end, 0)))
    first, end = first.astype(np.int64), end.astype(np.int64)
    return _Doubt(first, end, end - first > MOST_IN_DOUBT)


def _signs(link: Comparison, columns: Mapping[str, Any], loo: _Polynomial) -> list[_Polynomial]:
    """The polynomials whose signs decide a comparison: of ``left - right`` and of every divisor.

    Multiplying out a divisor below zero turns the comparison round. Divisors that are zero whatever
    the pot do not matter: the policy's check has seen to it that other conditions rule them out.
    """
    values = {name: _Quotient(_constant(column), ONE) for name, column in columns.items()}
    values["pot"] = _Quotient(_in_pots(UNITS_PER_STAKE), ONE)
    values["trick"] = _Quotient(_in_pots(3 * UNITS_PER_STAKE), ONE)
    values["loo"] = _Quotient(loo, ONE)
    divisors: list[_Polynomial] = []
    left, right = (_quotient(part, values, divisors) for part in link.parts)
    difference = _sum(_product(left.above, right.below), _product(right.above, left.below), -1.0)
    return [_trimmed(polynomial) for polynomial in (difference, *divisors)]


def _quotient(
    node: Node, values: Mapping[str, _Quotient], divisors: list[_Polynomial]
) -> _Quotient:
    """A number as a quotient; every divisor in it is added to `divisors`."""
    match node:
        case Name():
            return values[node.text]
        case Number():
            return _Quotient(_constant(node.value), ONE)
        case Minus():
            above, below = _quotient(node.parts[0], values, divisors)
            return _Quotient(_product(_constant(-1.0), above), below)
        case Arithmetic():
            total = _quotient(node.parts[0], values, divisors)
            for sign, part in zip(node.signs, node.parts[1:], strict=True):
                (above, below), (other, under) = total, _quotient(part, values, divisors)
                match sign:
                    case "*":
                        total = _reduced(_product(above, other), _product(below, under))
                    case "/":
                        divisors.append(other)
                        total = _reduced(_product(above, under), _product(below, other))
                    case _:
                        weight = 1.0 if sign == "+" else -1.0
                        joined = _sum(_product(above, under), _product(other, below), weight)
                        total = _reduced(joined, _product(below, under))
            return total
    raise TypeError(f"{type(node).__name__} is no part of a number")


def _constant(value: Any) -> _Polynomial:
    return (_Part(value, np.abs(value)),)


def _in_pots(units: int) -> _Polynomial:
    """The pot in parts of so many units."""
    return (ZERO, _Part(1 / units, 1 / units))


def _product(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    product = [ZERO] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            value, size = product[i + j]
            product[i + j] = _Part(value + a.value * b.value, size + a.size * b.size)
    return tuple(product)


def _sum(one: _Polynomial, other: _Polynomial, weight: float) -> _Polynomial:
    return tuple(
        _Part(a.value + weight * b.value, a.size + b.size)
        for a, b in zip_longest(one, other, fillvalue=ZERO)
    )


def _reduced(above: _Polynomial, below: _Polynomial) -> _Quotient:
    """A quotient without powers of the pot that are in both parts, since no pot is zero."""
    while len(above) > 1 and len(below) > 1 and _is_zero(above[0]) and _is_zero(below[0]):
        above, below = above[1:], below[1:]
    return _Quotient(above, below)


def _trimmed(polynomial: _Polynomial) -> _Polynomial:
    """A polynomial of the same sign, without powers of the pot that it can do without."""
    while len(polynomial) > 1 and _is_zero(polynomial[-1]):
        polynomial = polynomial[:-1]
    while len(polynomial) > 1 and _is_zero(polynomial[0]):
        polynomial = polynomial[1:]
    return polynomial


def _is_zero(part: _Part) -> bool:
    return not np.any(part.size)
