"""The axes of a sweep as a reader sees them: which values were swept, and which game has which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from loo_sim.policy_axes import axis_words
from loo_sim.report.result import setting_in_words
from loo_sim.sweep import shown

_IN_STAKES = ("pot", "bankroll", "loo", "loo cap", "dealer stake", "ante")


class Swept(NamedTuple):
    """An axis, or several that move together.

    Attributes
    ----------
    name : str
        ``loo``; ``players and pot`` of axes that move together.
    words : tuple of str
        The values, in the order of the sweep.
    numbers : tuple of float
        The same as numbers, where all are; empty otherwise.
    place : tuple of int
        For each game, which of the values it has.
    """

    name: str
    words: tuple[str, ...]
    numbers: tuple[float, ...]
    place: tuple[int, ...]

    @property
    def label(self) -> str:
        """The name with its unit, where all values are numbers of stakes."""
        return f"{self.name}, stakes" if self.numbers and self.name in _IN_STAKES else self.name

    def of(self, value: int) -> str:
        """One of the values with the name: ``loo 6``, ``8 players``."""
        word = self.words[value]
        return f"{word} {self.name}" if self.name == "players" else f"{self.name} {word}"


class HasAxes(Protocol):
    """A game, or whatever else a sweep has for each combination of values."""

    @property
    def axes(self) -> Mapping[str, Any]:
        """The values."""


def swept_axes(cells: Sequence[HasAxes]) -> list[Swept]:
    """The axes along which games differ, those that move together as one."""
    found: list[Swept] = []
    for axis in cells[0].axes if cells else ():
        values = [cell.axes[axis] for cell in cells]
        # Values are told apart as they are written: 1, 1.0 and true are three.
        written = list(dict.fromkeys(map(repr, values)))
        place = tuple(written.index(repr(value)) for value in values)
        if len(written) < 2:
            continue
        each = [values[place.index(number)] for number in range(len(written))]
        words = tuple(map(_in_words, each))
        name = axis_words(axis)
        twin = next((i for i, known in enumerate(found) if known.place == place), None)
        if twin is None:
            found.append(Swept(name, words, _numbers(each), place))
            continue
        known = found[twin]
        joined = tuple(f"{a}, {b}" for a, b in zip(known.words, words, strict=True))
        found[twin] = Swept(f"{known.name} and {name}", joined, (), place)
    return found


def _in_words(value: Any) -> str:
    return shown(value) if isinstance(value, list) else setting_in_words(value)


def _numbers(values: Sequence[Any]) -> tuple[float, ...]:
    are = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    return tuple(map(float, values)) if are else ()
