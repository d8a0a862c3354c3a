"""The cells of a sweep: which values its axes take together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from loo_sim.problems import Problems, nearest
from loo_sim.rules import OPTIONS
from loo_sim.settings import Wrong

if TYPE_CHECKING:
    import pyarrow as pa

    from loo_sim.sobol import Design

MOST_CELLS = 10_000
AXES = (
    "players",
    "pot",
    "policies",
    "rounds",
    "bankroll",
    "rules",
    "rules.preset",
    *(f"rules.{option}" for option in OPTIONS),
)
"""Keys of an experiment that can be swept, beside numbers of policies (`policy_axes`)."""

OF_POLICY = "policies."
"""What axes over a number of a policy begin with."""

_FIXED = (
    *("name", "study", "seed", "deals", "tables"),
    *("until", "max_deals", "max_tables", "max_seconds", "aim"),
)

LineOf = Callable[[str], int | None]


class Point(NamedTuple):
    """The values that the axes take in one cell.

    Attributes
    ----------
    values : dict of str to object
        By axis, in the order of the axes.
    where : dict of str to str
        Dotted key of the experiment file that gave each value.
    """

    values: dict[str, Any]
    where: dict[str, str]

    @property
    def name(self) -> str:
        """The cell in words: ``players = 5, rules.loo = 3``."""
        return ", ".join(f"{axis} = {shown(value)}" for axis, value in self.values.items())


class Sweep(NamedTuple):
    """What a table ``[sweep]`` says.

    Attributes
    ----------
    points : list of Point
        One a cell, at least one: a point without values if there is no sweep.
    design : Design or None
        How the points stand in a design for Sobol indices; None if they are of another kind.
    """

    points: list[Point]
    design: Design | None = None


def shown(value: Any) -> str:
    """A value of an axis as a person writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(shown(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {shown(item)}" for key, item in value.items()) or "unchanged"
    return str(value)


def column_values(axes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The values of axes as one column each can hold them: numbers stay, mixtures become text.

    Parameters
    ----------
    axes : sequence of mapping
        The axes of each cell, the same ones in all.

    Returns
    -------
    list of dict
        For each cell, values that are all int, all float, all bool or all str along an axis.
    """
    casts: dict[str, Callable[[Any], Any]] = {}
    for axis in axes[0]:
        kinds = {type(cell[axis]) for cell in axes}
        if len(kinds) == 1 and kinds <= {int, float, bool}:
            casts[axis] = kinds.pop()
        else:
            casts[axis] = float if kinds <= {int, float} else shown
    return [{axis: casts[axis](value) for axis, value in cell.items()} for cell in axes]


def with_axes(table: pa.Table, axes: Mapping[str, Any]) -> pa.Table:
    """The table with a column for each axis of its cell before its own.

    Parameters
    ----------
    table : Table
        The cell's.
    axes : mapping
        Its axes, with values as `column_values` gives them.
    """
    import pyarrow as pa

    for axis, value in reversed(list(axes.items())):
        table = table.add_column(0, axis, pa.repeat(value, table.num_rows))
    return table


def flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table of axes with ``rules.loo`` for what may be written as a table within the table."""
    axes: dict[str, Any] = {}
    for key, value in table.items():
        if key in ("rules", "policies") and isinstance(value, dict):
            axes |= _leaves(f"{key}.", value)
        else:
            axes[key] = value
    return axes


def _leaves(prefix: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """All that is no table, however deep, by its dotted key."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= _leaves(f"{prefix}{key}.", value)
        else:
            found[prefix + key] = value
    return found


class AxisValue(NamedTuple):
    """A value of an axis, and the dotted key of the experiment file that gives it."""

    axis: str
    key: str
    value: Any


def axis_values(table: Any) -> Iterator[AxisValue]:
    """Every value of every axis of the table ``[sweep]``, whatever is wrong beside it."""
    axes = flat(table) if isinstance(table, dict) else {}
    zipped, listed = axes.pop("zip", {}), axes.pop("list", [])
    together = flat(zipped) if isinstance(zipped, dict) else {}
    ranges = axes.pop("sobol", {})
    ranges = flat(ranges) if isinstance(ranges, dict) else {}
    # The ends of a range stand for all of it; a step is no value.
    ends = {axis: of[:2] for axis, of in ranges.items() if isinstance(of, list)}
    for before, of in (("sweep", axes), ("sweep.zip", together), ("sweep.sobol", ends)):
        for axis, values in of.items():
            for value in values if isinstance(values, list) else ():
                yield AxisValue(axis, f"{before}.{axis}", value)
    for number, cell in enumerate(listed if isinstance(listed, list) else (), start=1):
        for axis, value in flat(cell).items() if isinstance(cell, dict) else ():
            yield AxisValue(axis, f"sweep.list.{number}.{axis}", value)


def read_sweep(table: Any, seed: int, problems: Problems, line_of: LineOf) -> Sweep:
    """The cells of the table ``[sweep]``, noting everything that is wrong with it.

    Its keys are axes with their lists of values, which are combined each with each; the axes of
    ``[sweep.zip]`` move together and are combined with the others as one; ``[[sweep.list]]`` gives
    the cells one by one, and stands alone; so does ``[sweep.sobol]``, the ranges of a design.

    Parameters
    ----------
    table : object
        What the file says under ``sweep``.
    seed : int
        The experiment's, of which the points of a design come.
    problems : Problems
        Where problems are noted.
    line_of : callable
        From a dotted key to its line.

    Returns
    -------
    Sweep
        With one point without values if there is nothing but problems.
    """
    nothing = Sweep([Point({}, {})])

    def wrong(key: str, what: str, hint: str = "") -> None:
        problems.add(key, what, hint, line_of(key))

    if not isinstance(table, dict):
        wrong("sweep", "is not a table of axes", "write [sweep] and below it players = [5, 6, 8]")
        return nothing
    before = len(problems.found)
    axes = flat(table)
    zipped, listed = axes.pop("zip", {}), axes.pop("list", [])
    if not isinstance(zipped, dict):
        wrong("sweep.zip", "is not a table of axes", "write [sweep.zip] and axes below it")
        zipped = {}
    zipped = flat(zipped)
    if "sobol" in axes:
        from loo_sim.sobol import read_design

        design = read_design(axes.pop("sobol"), seed, wrong)
        if axes or zipped or listed:
            wrong("sweep.sobol", "stands beside other axes", "the ranges of a design stand alone")
        if design is None or len(problems.found) > before:
            return nothing
        return Sweep(design.points, design)
    if listed:
        if axes or zipped:
            wrong("sweep.list", "stands beside other axes", "the cells of a list stand alone")
        points = list(_listed(listed, wrong))
        return Sweep(points) if len(problems.found) == before else nothing
    for key, values in [
        *((f"sweep.{axis}", values) for axis, values in axes.items()),
        *((f"sweep.zip.{axis}", values) for axis, values in zipped.items()),
    ]:
        fault = check_axis(key.removeprefix("sweep.").removeprefix("zip."))
        if fault:
            wrong(key, *fault)
        _check_values(key, values, wrong)
    for axis, values in axes.items():
        twice = _repeated(values if isinstance(values, list) else ())
        if twice:
            wrong(f"sweep.{axis}", f"has the value {shown(values[twice[1]])} twice")
    _check_variants({**axes, **zipped}, wrong)
    for axis in axes.keys() & zipped.keys():
        wrong(f"sweep.zip.{axis}", "is an axis of [sweep] too", "leave one of them out")
    lengths = {axis: len(values) for axis, values in zipped.items() if isinstance(values, list)}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{axis} has {length}" for axis, length in lengths.items())
        wrong("sweep.zip", f"its axes move together but differ in length: {told}")
    elif len(lengths) == len(zipped) > 0:
        twice = _repeated(zip(*zipped.values(), strict=True))
        if twice:
            first, again = twice
            wrong("sweep.zip", f"number {again + 1} of its axes is number {first + 1} again")
    if len(problems.found) > before:
        return nothing
    together = min(lengths.values(), default=1)
    cells = prod(len(values) for values in axes.values()) * together
    if cells > MOST_CELLS:
        wrong("sweep", f"has {cells:,} cells", f"at most {MOST_CELLS:,}")
        return nothing
    where = {axis: f"sweep.{axis}" for axis in axes} | {
        axis: f"sweep.zip.{axis}" for axis in zipped
    }
    return Sweep(
        [
            Point(
                dict(zip(axes, values, strict=True)) | {axis: zipped[axis][i] for axis in zipped},
                where,
            )
            for *values, i in product(*axes.values(), range(together))
        ]
    )


def _listed(cells: Any, wrong: Wrong) -> Iterator[Point]:
    """The cells of ``[[sweep.list]]``."""
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        wrong("sweep.list", "is not a list of cells", "write [[sweep.list]] before each")
        return
    if len(cells) > MOST_CELLS:
        wrong("sweep.list", f"has {len(cells):,} cells", f"at most {MOST_CELLS:,}")
        return
    points = [flat(cell) for cell in cells]
    first_with: dict[str, int] = {}
    for number, point in enumerate(points, start=1):
        key = f"sweep.list.{number}"
        for axis in point:
            fault = check_axis(axis)
            if fault:
                wrong(f"{key}.{axis}", *fault)
        if point.keys() != points[0].keys():
            hint = "each cell gives every axis"
            if any(isinstance(cell.get("rules"), dict) for cell in cells):
                hint += "; rules changed one at a time are [sweep] rules = [{ loo = 6 }, ...]"
            wrong(key, "has other axes than the first cell", hint)
        twin = first_with.setdefault(repr(sorted(point.items())), number)
        if twin < number:
            wrong(key, f"is the same cell as number {twin}")
        yield Point(
            {axis: point[axis] for axis in points[0] if axis in point},
            {axis: f"{key}.{axis}" for axis in point},
        )


def check_axis(axis: str) -> tuple[str, str] | None:
    """Why a key cannot be an axis: what is wrong, and a hint; None if it can."""
    if axis in _FIXED:
        return f"{axis} is the same in all cells and cannot be an axis", ""
    if axis not in AXES and not axis.startswith(OF_POLICY):
        rule = f"rules.{axis}"
        hint = f"did you mean '{rule}'?" if rule in AXES else ""
        return "no such axis", hint or nearest(axis, (*AXES, "policies.NAME.params.PARAMETER"))
    return None


def _check_values(key: str, values: Any, wrong: Wrong) -> None:
    if not isinstance(values, list):
        wrong(key, f"{values!r} is not a list of values", "write them between [ and ]")
    elif not values:
        wrong(key, "has no values")


def _repeated(values: Iterable[Any]) -> tuple[int, int] | None:
    """Places of the first value that was there before: there, and here; None if all differ.

    Values are compared as they are written: 1, 1.0 and true are three values.
    """
    places: dict[str, int] = {}
    for place, value in enumerate(values):
        before = places.setdefault(repr(value), place)
        if before < place:
            return before, place
    return None


def _check_variants(axes: Mapping[str, Any], wrong: Wrong) -> None:
    """Note axes over rules that the values of the axis `rules` set as well."""
    variants = axes.get("rules", [])
    tables = [of for of in variants if isinstance(of, dict)] if isinstance(variants, list) else []
    for option in dict.fromkeys(option for of in tables for option in of):
        if f"rules.{option}" in axes:
            first = shown(next(of for of in tables if option in of))
            what = f"is set by the axis rules too, in {first}"
            wrong(f"sweep.rules.{option}", what, "leave one of them out")
