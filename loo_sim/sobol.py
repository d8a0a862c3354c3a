"""The design of a sweep for Sobol indices: ``[sweep.sobol]`` read, and its points made.

The points are those at which `scipy.stats.sobol_indices` evaluates a function with its method
``saltelli_2010`` and the experiment's seed: two matrices A and B out of one scrambled Sobol
sequence, and for each axis A with the column of that axis out of B (Saltelli et al., *Variance
based sensitivity analysis of model output*, Comput. Phys. Commun. 181, 2010).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from loo_sim.rules import CHOICES, FLAGS
from loo_sim.settings import Wrong
from loo_sim.sweep import MOST_CELLS, OF_POLICY, Point, check_axis, flat

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

POINTS = "points"
"""The key of ``[sweep.sobol]`` that is no axis."""

FEWEST_POINTS, MOST_POINTS = 64, 4_096
"""The bootstrap's intervals of 95 % have the indices of a function as crooked as Ishigami's in them
in 90 to 99 of 100 designs of 64 points, but in as few as 80 of those of 32."""

MOST_AXES = 50
_MOST = 2**53
"""Beyond it not every whole number is a float."""

_WITHOUT_NUMBERS = (
    *("policies", "rules", "rules.preset"),
    *(f"rules.{option}" for option in FLAGS),
    *(f"rules.{option}" for option, of in CHOICES.items() if isinstance(of[0], str)),
)

_EXAMPLE = "as in pot = [3, 12], or [3, 12, 3] for every third"


class Range(NamedTuple):
    """The values of an axis, each as likely as any other.

    Attributes
    ----------
    low, high : int or float
        The ends; both are values, if `step` leads from one to the other.
    step : Fraction or None
        From a value to the next; None for all numbers between the ends.
    """

    low: float
    high: float
    step: Fraction | None

    @classmethod
    def of(cls, given: Sequence[Any]) -> Range:
        """What ``[low, high]`` or ``[low, high, step]`` means: whole ends mean whole numbers."""
        low, high = given[:2]
        if len(given) > 2:
            return cls(low, high, _exact(given[2]))
        return cls(
            low, high, Fraction(1) if isinstance(low, int) and isinstance(high, int) else None
        )

    @property
    def levels(self) -> int | None:
        """How many values there are; None if they are all numbers between the ends."""
        if self.step is None:
            return None
        return int((_exact(self.high) - _exact(self.low)) // self.step) + 1

    def at(self, shares: npt.NDArray[np.float64]) -> list[Any]:
        """The values below which these shares of all are."""
        levels = self.levels
        if levels is None or self.step is None:
            width = self.high - self.low
            return [float(self.low + share * width) for share in shares.tolist()]
        places = (min(int(share * levels), levels - 1) for share in shares.tolist())
        exact = (_exact(self.low) + place * self.step for place in places)
        return [int(value) if value.denominator == 1 else float(value) for value in exact]


class Design(NamedTuple):
    """The points of a design, each once, and where each evaluation finds its point.

    Attributes
    ----------
    points : list of Point
        All that differ, in the order in which they first come up.
    places : ndarray of int64, shape (axes + 2, points of a matrix)
        Of each evaluation the number of its point: first those of A, then of B, then of each axis
        those of A with that axis out of B.
    """

    points: list[Point]
    places: npt.NDArray[np.int64]


def _exact(number: float) -> Fraction:
    """A number as it is written."""
    return Fraction(str(number))


def axis_fault(axis: str) -> tuple[str, str] | None:
    """Why a key cannot be an axis of any design: what is wrong, and a hint; None if it can."""
    if axis in _WITHOUT_NUMBERS:
        what = "is no number, and can never be an axis of a design"
        return what, "a sweep without a design can have it as an axis"
    return check_axis(axis)


def read_design(table: Any, seed: int, wrong: Wrong) -> Design | None:
    """The design of the table ``[sweep.sobol]``, noting everything that is wrong with it.

    Parameters
    ----------
    table : object
        ``points``, a power of two, and axes: ``[low, high]`` or ``[low, high, step]`` each, or None
        where it has been noted already that it is no range.
    seed : int
        The experiment's, which scrambles the sequence.
    wrong : callable
        Notes a problem: dotted key, what is wrong, perhaps a hint.

    Returns
    -------
    Design or None
        None if a problem was noted.
    """
    if not isinstance(table, dict):
        hint = "write [sweep.sobol] and below it points = 64"
        wrong("sweep.sobol", "is not a table of points and axes", hint)
        return None
    axes = flat(table)
    points = axes.pop(POINTS, None)
    faults = {POINTS: _points_fault(points)}
    for axis, given in axes.items():
        faults[axis] = axis_fault(axis)
        if faults[axis] is None and given is not None:
            faults[axis] = _range_fault(axis, given)
    for key, fault in faults.items():
        if fault:
            wrong(f"sweep.sobol.{key}", *fault)
    is_sound = not any(faults.values()) and None not in axes.values()
    if not 2 <= len(axes) <= MOST_AXES:
        number = "no axis" if not axes else f"{len(axes)} axes" if len(axes) > 1 else "one axis"
        wrong("sweep.sobol", f"has {number}", f"2 to {MOST_AXES}: it tells axes apart")
        is_sound = False
    if not is_sound:
        return None
    design = make_design({axis: Range.of(given) for axis, given in axes.items()}, points, seed)
    if len(design.points) > MOST_CELLS:
        told = f"has {len(design.points):,} cells: {points} points of {len(axes)} axes"
        wrong("sweep.sobol", told, f"at most {MOST_CELLS:,}")
        return None
    return design


def make_design(ranges: Mapping[str, Range], points: int, seed: int) -> Design:
    """The design over some ranges.

    Parameters
    ----------
    ranges : mapping of str to Range
        By axis.
    points : int
        Rows of A, and of B: a power of two.
    seed : int
        Of the generator (`numpy.random.default_rng`) that scrambles the sequence.
    """
    import numpy as np
    from scipy.stats import qmc

    axes = tuple(ranges)
    sequence = qmc.Sobol(2 * len(axes), seed=np.random.default_rng(seed), bits=64)
    shares = sequence.random(points).T.reshape(2, len(axes), points)
    a, b = ([of.at(row) for of, row in zip(ranges.values(), half, strict=True)] for half in shares)
    matrices = [a, b, *([*a[:i], b[i], *a[i + 1 :]] for i in range(len(axes)))]
    numbers: dict[tuple[Any, ...], int] = {}
    places = [
        [numbers.setdefault(row, len(numbers)) for row in zip(*matrix, strict=True)]
        for matrix in matrices
    ]
    where = {axis: f"sweep.sobol.{axis}" for axis in axes}
    found = [Point(dict(zip(axes, row, strict=True)), where) for row in numbers]
    return Design(found, np.array(places, np.int64))


def _points_fault(points: Any) -> tuple[str, str] | None:
    """What is wrong with a number of points."""
    hint = f"a power of two from {FEWEST_POINTS} to {MOST_POINTS:,}"
    if points is None:
        return "is missing", hint
    if isinstance(points, bool) or not isinstance(points, int):
        return f"{points!r} is not a whole number", hint
    if not FEWEST_POINTS <= points <= MOST_POINTS or points & (points - 1):
        return f"{points:,} is no such power of two", hint
    return None


def _range_fault(axis: str, given: Any) -> tuple[str, str] | None:
    """What is wrong with what stands for a range."""
    if not isinstance(given, list) or len(given) not in (2, 3):
        return f"{given!r} is not a lowest and a highest value", _EXAMPLE
    for value in given:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return (
                f"{value!r} is not a number of {axis}",
                "an axis of [sweep] can be of other values",
            )
        if not isfinite(value) or abs(value) > _MOST:
            return f"{value!r} is no number that it can have", _EXAMPLE
    if not given[0] < given[1]:
        return f"{given[1]!r} is not above {given[0]!r}", "the lowest value stands first"
    if len(given) == 3 and given[2] <= 0:
        return f"the step {given[2]!r} is not above 0", _EXAMPLE
    of = Range.of(given)
    if of.levels == 1:
        return f"the step {given[2]!r} leads beyond {given[1]!r}", _EXAMPLE
    # Nor has a pot others: units are 729ths of a stake, and no decimal fraction is one.
    if not axis.startswith(OF_POLICY) and not _is_whole(of):
        steps = f" in steps of {given[2]!r}" if len(given) == 3 else ""
        what = f"{axis} cannot have all values from {given[0]!r} to {given[1]!r}{steps}"
        low, high = ceil(given[0]), floor(given[1])
        of_what = "stakes" if axis == "pot" else "numbers"
        hint = f"write {axis}={low}:{high} for whole {of_what}, in a file [{low}, {high}]"
        return what, hint if low < high else _EXAMPLE
    if axis.startswith(OF_POLICY) and of.levels == 2 and len(given) == 2:
        low, high = given
        hint = (
            f"[{low}.0, {high}.0] for the numbers between, [{low}, {high}, 1] for these two alone"
        )
        return f"has no whole number between {low} and {high}", hint
    return None


def _is_whole(of: Range) -> bool:
    """Whether all values of a range are whole numbers."""
    return of.step is not None and of.step.denominator == _exact(of.low).denominator == 1
