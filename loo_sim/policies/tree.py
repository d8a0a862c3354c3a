"""Conditions as trees: their parts, their text, and their value.

Values are IEEE doubles and truths: plain ones for one hand, or numpy arrays that broadcast together
for many; the result is the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

Kind = Literal["number", "truth"]

COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
        "==": operator.eq,
        "!=": operator.ne,
    }
)


class Node:
    """A part of a condition. Its text, ``str(node)``, parses to an equal node.

    Attributes
    ----------
    kind : {"number", "truth"}
        What its value is.
    parts : tuple of Node
        What it is made of.
    """

    kind: Kind
    parts: tuple[Node, ...]

    def walk(self) -> Iterator[Node]:
        """Itself and every part of it, parts after the whole."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def names(self) -> frozenset[str]:
        """The names that it speaks of."""
        return frozenset(node.text for node in self.walk() if isinstance(node, Name))


@dataclass(frozen=True)
class Number(Node):
    """A number as it was written."""

    text: str
    kind = "number"
    parts = ()

    @cached_property
    def value(self) -> float:
        """The number."""
        return float(self.text)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Truth(Node):
    """`true` or `false`."""

    value: bool
    kind = "truth"
    parts = ()

    def __str__(self) -> str:
        return "true" if self.value else "false"


@dataclass(frozen=True)
class Name(Node):
    """Something that the player sees."""

    text: str
    kind: Kind
    parts = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Not(Node):
    """`not` a truth; `parts` is the truth."""

    parts: tuple[Node]
    kind = "truth"

    def __str__(self) -> str:
        return f"not {_wrapped(self.parts[0])}"


@dataclass(frozen=True)
class Minus(Node):
    """A number with its sign changed; `parts` is the number."""

    parts: tuple[Node]
    kind = "number"

    def __str__(self) -> str:
        return f"-{_wrapped(self.parts[0])}"


@dataclass(frozen=True)
class Chain(Node):
    """Parts joined by signs, worked from the left; ``signs[i]`` stands before ``parts[i + 1]``."""

    parts: tuple[Node, ...]
    signs: tuple[str, ...]

    def __str__(self) -> str:
        first, *others = map(_wrapped, self.parts)
        joined = zip(self.signs, others, strict=True)
        return first + "".join(f" {sign} {other}" for sign, other in joined)


class Arithmetic(Chain):
    """Numbers joined by ``+`` and ``-``, or by ``*`` and ``/``."""

    kind = "number"


class Comparison(Chain):
    """Values compared, each with the next; it holds if every link does."""

    kind = "truth"


@dataclass(frozen=True)
class Junction(Node):
    """Truths joined by one word, `and` or `or`."""

    parts: tuple[Node, ...]
    word: str
    kind = "truth"

    def __str__(self) -> str:
        return f" {self.word} ".join(map(_wrapped, self.parts))


def _wrapped(node: Node) -> str:
    return f"({node})" if node.parts else str(node)


def evaluate(node: Node, values: Mapping[str, Any]) -> Any:
    """The value of a condition, or of a part of one.

    Parameters
    ----------
    node : Node
        The condition.
    values : mapping of str to object
        The value of every name: a float or a bool, or an array of float64 or bool.

    Returns
    -------
    float, bool or ndarray
        Arrays broadcast together. Overflow and division by zero are as IEEE arithmetic has them;
        of overflow in arrays numpy warns, unless told not to.
    """
    match node:
        case Name():
            return values[node.text]
        case Number():
            return node.value
        case Comparison():
            left = evaluate(node.parts[0], values)
            holds: Any = True
            for sign, part in zip(node.signs, node.parts[1:], strict=True):
                right = evaluate(part, values)
                holds = holds & COMPARISONS[sign](left, right)
                left = right
            return holds
        case Junction():
            settling = node.word == "or"
            result: Any = not settling
            for part in node.parts:
                value = evaluate(part, values)
                result = result | value if settling else result & value
                if result is settling:  # for one hand: what follows cannot change it
                    break
            return result
        case Not():
            return evaluate(node.parts[0], values) ^ True
        case Arithmetic():
            return _arithmetic(node, values)
        case Minus():
            return -evaluate(node.parts[0], values)
        case Truth():
            return node.value
    raise TypeError(f"{type(node).__name__} is no part of a condition")


def _arithmetic(node: Arithmetic, values: Mapping[str, Any]) -> Any:
    total = evaluate(node.parts[0], values)
    for sign, part in zip(node.signs, node.parts[1:], strict=True):
        value = evaluate(part, values)
        match sign:
            case "+":
                total = total + value
            case "-":
                total = total - value
            case "*":
                total = total * value
            case "/":
                with np.errstate(all="ignore"):  # a plain division by zero would raise
                    total = np.divide(total, value)
    return total


def division_by_zero(
    node: Node, values: Mapping[str, Any], matters: Any = True
) -> tuple[Node, Any] | None:
    """The first divisor of a condition that is zero where its quotient matters.

    A part does not matter where those before it in its `and` or `or` have settled the outcome: in
    ``trumps > 0 and high / trumps > 3`` nothing is wrong.

    Parameters
    ----------
    node : Node
        A condition, or a part of one.
    values : mapping of str to object
        As for `evaluate`.
    matters : bool or ndarray of bool
        Where the value of `node` matters.

    Returns
    -------
    tuple of Node and (bool or ndarray of bool), or None
        The divisor, and where it is zero.
    """
    if isinstance(node, Arithmetic):
        for sign, divisor in zip(node.signs, node.parts[1:], strict=True):
            zero = matters & (evaluate(divisor, values) == 0)
            if sign == "/" and np.any(zero):
                return divisor, zero
    for part in node.parts:
        found = division_by_zero(part, values, matters)
        if found:
            return found
        if isinstance(node, Junction):
            holds = evaluate(part, values)
            matters = matters & (holds if node.word == "and" else holds ^ True)
    return None
