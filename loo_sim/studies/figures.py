"""A figure as people are told it, rounded as its error allows, and as programs read it."""

from __future__ import annotations

from math import isfinite, nan
from typing import Any, NamedTuple

from loo_sim.rounding import NONE, interval, table_percent


class Figure(NamedTuple):
    """A figure of a short table.

    Attributes
    ----------
    told : str
        In words, as the report has it.
    value : float, str or None
        Unrounded; None where it is not known.
    se : float or None
        Its standard error; None where it has none, or none is known.
    """

    told: str
    value: float | str | None
    se: float | None = None


def known(number: Any) -> float:
    """A number of a table, nan where it is empty."""
    return nan if number is None else float(number)


def word(text: str) -> Figure:
    """What is named, not measured."""
    return Figure(text, text)


def mean(value: Any, se: Any, n: float) -> Figure:
    """A mean of `n` observations with its 95 % interval, given its standard error."""
    value, se = known(value), known(se)
    return Figure(interval(value, se, n), _finite(value), _finite(se))


def share(value: Any, se: Any, n: float) -> Figure:
    """A share of `n` observations as a percentage with its 95 % interval."""
    value, se = known(value), known(se)
    told = table_percent(value, se, n) if isfinite(value) else NONE
    return Figure(told, _finite(value), _finite(se))


def width(half: Any) -> Figure:
    """Half of a 95 % interval, to two digits."""
    half = known(half)
    return Figure(f"± {half:.2g}" if isfinite(half) else NONE, _finite(half))


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
