"""What the command line says in place of an experiment file: ``key=value``, and axes of a sweep."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from loo_sim.problems import Problem, Problems
from loo_sim.sobol import axis_fault
from loo_sim.sweep import MOST_CELLS

_TABLES_OF_KEYS = ("rules", "sweep", "aim")
_TABLES_OF_SWEEP = ("zip", "sobol")
_NUMBER = r"[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d{1,3})?"
_RANGE = re.compile(rf"({_NUMBER}):({_NUMBER}):({_NUMBER})")
_LIKE_A_RANGE = re.compile(r"[-+\d.eE_:\s]*:[-+\d.eE_:\s]*")
_PIECE = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|.)""", re.DOTALL)


def override(settings: dict[str, Any], words: Sequence[str], problems: Problems) -> dict[str, str]:
    """Put ``key=value`` words into the settings.

    Returns
    -------
    dict of str to str
        By key, the word that set it, with its option.
    """
    replaced = {}
    for word in words:
        key, equals, text = word.partition("=")
        key = key.strip()
        if not key or not equals:
            problems.found.append(
                Problem(f"-s {word}", None, "", "is not key=value", "as in -s players=8")
            )
            continue
        replaced[key] = f"-s {word}"
        _put(settings, key, toml_value(text.strip()))
    return replaced


def _put(settings: dict[str, Any], key: str, value: Any) -> None:
    """Set a dotted key of the settings."""
    table = settings
    first, _, rest = key.partition(".")
    if first == "aim" and rest:
        settings.setdefault("aim", {})
    if rest and first in _TABLES_OF_KEYS and isinstance(settings[first], dict):
        table, key = settings[first], rest
    kind, dot, rest = key.partition(".")
    if table is not settings and dot and kind in _TABLES_OF_SWEEP:
        of_kind = table.setdefault(kind, {})
        if not isinstance(of_kind, dict):
            return  # that it is no table is told when the sweep is read
        table, key = of_kind, rest
    table[key] = value


def set_axes(settings: dict[str, Any], words: Sequence[str], problems: Problems) -> dict[str, str]:
    """Put axes, ``key=v1,v2,...`` or ``key=a:b:step``, into the sweep.

    An axis that moves together with others in the file keeps its place there. In a design for Sobol
    indices an axis is a range, ``key=a:b`` or ``key=a:b:step``, whose ends are as they are written:
    0:1 are two whole numbers, 0.0:1.0 are all between.

    Returns
    -------
    dict of str to str
        As `override` gives it.
    """
    replaced: dict[str, str] = {}
    for word in words:
        key, equals, text = word.partition("=")
        key = key.strip()

        def wrong(what: str, hint: str = "", told: str = f"--axis {word}") -> None:
            problems.found.append(Problem(told, None, "", what, hint))

        if not key or not equals:
            wrong("is not key=values", "as in --axis players=5,6 or --axis pot=3:12:3")
            continue
        sweep = settings["sweep"] if isinstance(settings["sweep"], dict) else {}
        zipped = sweep.get("zip")
        is_zipped = isinstance(zipped, dict) and key in zipped
        dotted = f"sweep.zip.{key}" if is_zipped else f"sweep.{key}"
        if "sobol" in sweep:
            dotted = f"sweep.sobol.{key}"
        if dotted in replaced:
            wrong(f"{key} is an axis twice", f"the other: {replaced[dotted]}")
            continue
        if "sobol" in sweep:
            ends = [toml_value(end.strip()) for end in text.split(":")]
            is_range = len(ends) in (2, 3) and all(type(end) in (int, float) for end in ends)
            # What can be no axis at all is told when the design is read.
            if not is_range and axis_fault(key) is None:
                wrong(
                    f"{text.strip()} is no range of a design",
                    f"{key}=3:12 from the lowest to the highest value, {key}=3:12:3 with a step",
                )
            replaced[dotted] = f"--axis {word}"
            _put(settings, dotted, ends if is_range else None)
            continue
        values: list[Any] = []
        for piece in _pieces(text) if text.strip() else ():
            found = _values(piece)
            if isinstance(found, str):
                wrong(found, "a range is from:to:step, as in 0:1:0.1")
                break
            values += found
        else:
            replaced[dotted] = f"--axis {word}"
            _put(settings, dotted, values)
    return replaced


def _pieces(text: str) -> Iterator[str]:
    """The text between commas, but not those in quotes or brackets."""
    piece, depth = "", 0
    for match in _PIECE.finditer(text):
        sign = match[0]
        depth += (sign in "[{") - (sign in "]}")
        if sign == "," and depth == 0:
            yield piece.strip()
            piece = ""
        else:
            piece += sign
    yield piece.strip()


def _values(piece: str) -> list[Any] | str:
    """What stands between two commas: a value, or those of a range; text says what is wrong."""
    if not piece:
        return "has no value between two commas"
    if not _LIKE_A_RANGE.fullmatch(piece):
        return [toml_value(piece)]
    match = _RANGE.fullmatch(piece.replace(" ", ""))
    if match is None:
        return f"{piece} is no range"
    first, last, step = (Fraction(number.replace("_", "")) for number in match.groups())
    if step == 0:
        return f"the step of {piece} is 0"
    count = (last - first) // step + 1
    if count < 1:
        return f"the step of {piece} leads away from its end"
    if count > MOST_CELLS:
        return f"{piece} has {count:,} values, and at most {MOST_CELLS:,} cells can be"
    exact = (first + i * step for i in range(count))
    return [int(value) if value.denominator == 1 else float(value) for value in exact]


def give_way(settings: dict[str, Any], replaced: Mapping[str, str]) -> None:
    """Leave out what the file says where the command line says it otherwise.

    That is how much is done, and all axes where the command line asks for a design of its own.

    Parameters
    ----------
    settings : dict
        Modified in place.
    replaced : mapping
        Keys that the command line gave.
    """
    amounts = ("deals", "tables")
    others: tuple[str, ...] = ()
    if "until" in replaced:
        others = amounts
    elif replaced.keys() & set(amounts):
        others = ("until", "max_deals", "max_tables", "max_seconds")
    if settings.get("study") == "league" and "rounds" in replaced:
        others += ("pot", "deals", "max_deals")  # sessions have none of these
    for key in others:
        if key not in replaced:
            settings.pop(key, None)
    sweep = settings["sweep"]
    if isinstance(sweep, dict) and "sweep.sobol.points" in replaced:
        given = {key.split(".")[1] for key in replaced if key.startswith("sweep.")}
        settings["sweep"] = {key: of for key, of in sweep.items() if key.split(".")[0] in given}


def toml_value(text: str) -> Any:
    """Read a TOML value; what is none is a string, so that bare words need no quotes."""
    try:
        parsed = tomllib.loads(f"value = {text}")
        repr(parsed)  # fails for a hexadecimal number too long to be told in a message
    except (ValueError, RecursionError):  # no TOML, a number of too many digits, or too deep
        return text
    return parsed["value"] if len(parsed) == 1 else text
