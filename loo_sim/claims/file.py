"""The file of claims: the runs that measure, and what is asked of each claim; read and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.experiment import Experiment, resolve
from loo_sim.overrides import toml_value
from loo_sim.problems import InputError, Problem, Problems, nearest
from loo_sim.settings import CLAIMS, SEEDS, Wrong, is_whole, name_fault
from loo_sim.shelf import Shelf
from loo_sim.sweep import column_values
from loo_sim.tomlfile import TomlFile, load

if TYPE_CHECKING:
    from loo_sim.policies.tree import Node

KEYS = ("name", "study", "seed", "parts", "claims")
CLAIM_KEYS = ("id", "says", "source", "reads", "exceptions", "tests")
TEST_KEYS = ("part", "figure", "what", "when", "where", "by", "contrast", "above", "below")
IN_ALL = ("deals", "tables")
"""Keys that ``-s`` replaces in every part that has them."""

_ID = re.compile(r"[A-Za-z0-9_-]{1,20}")

MOST_CLAIMS, MOST_TESTS, MOST_EXCEPTIONS = 200, 50, 0.5


@dataclass(frozen=True)
class Test:
    """One way in which a claim is tested.

    Attributes
    ----------
    part : str
        The run whose tables it reads.
    figure : str
        One of `figures.STUDIES` for the part's study.
    what : str
        What it looks at, in words: one of the factors by which cases are told apart.
    when : Node or None
        The hands and situations that count; None for all.
    when_text : str
        The same as it was written.
    where : mapping of str to tuple
        Values of circumstances that alone count.
    by : tuple of str
        Columns that tell cases apart, beside the axes of the part.
    contrast : mapping of str to (object, object)
        Circumstances of which the figure is the second's less the first's.
    threshold : float
    above : bool
        Whether the claim says that the figure is above the threshold, or below.
    """

    part: str
    figure: str
    what: str
    when: Node | None
    when_text: str
    where: Mapping[str, tuple[Any, ...]]
    by: tuple[str, ...]
    contrast: Mapping[str, tuple[Any, Any]]
    threshold: float
    above: bool


@dataclass(frozen=True)
class Claim:
    """A claim.

    Attributes
    ----------
    id, says, source : str
        What it is called, what it says, who says so.
    reads : str
        What it was taken to mean.
    exceptions : float
        Share of the cases that may be otherwise ("almost always").
    tests : tuple of Test
    """

    id: str
    says: str
    source: str
    reads: str
    exceptions: float
    tests: tuple[Test, ...]


@dataclass(frozen=True)
class ClaimsFile:
    """A checked file of claims.

    Attributes
    ----------
    name : str
    seed : int
        Of all parts.
    parts : mapping of str to Experiment
        In the order of the file.
    claims : tuple of Claim
    path : Path
    overrides : tuple of str
        ``key=value`` from the command line.
    """

    name: str
    seed: int
    parts: Mapping[str, Experiment]
    claims: tuple[Claim, ...]
    path: Path
    overrides: tuple[str, ...]


def is_of_claims(path: Path) -> bool:
    """Whether a file says that it is one of claims; one that cannot be read is not.

    What is wrong with such a file is told by whoever reads it then.
    """
    try:
        return load(path).data.get("study") == CLAIMS
    except InputError:
        return False


def load_claims(path: str | Path, overrides: Sequence[str] = ()) -> ClaimsFile:
    """Read and check a file of claims.

    Parameters
    ----------
    path : str or Path
        A TOML file whose study is ``claims``.
    overrides : sequence of str
        ``key=value`` words: ``seed``, ``name``, ``parts.NAME.key``, and ``deals`` or ``tables`` of
        every part that has them.

    Returns
    -------
    ClaimsFile

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    file = load(path)
    problems = Problems(str(file.path))

    def wrong(key: str, what: str, hint: str = "") -> None:
        problems.add(key, what, hint, file.line_of(key))

    settings = {"name": file.path.stem, "seed": 1, **file.data}
    of_parts = _share_out(settings, overrides, problems)
    for key in settings:
        if key not in KEYS:
            wrong(key, "has no place in a file of claims", nearest(key, KEYS))
    if settings.get("study") != CLAIMS:
        wrong("study", "is not a file of claims", f'study = "{CLAIMS}"; loosim run runs any other')
    fault = name_fault(settings["name"])
    if fault:
        wrong("name", *fault)
    if not is_whole(settings["seed"], 0, SEEDS - 1):
        wrong("seed", f"{settings['seed']!r} is not a whole number from 0 to 2**64 - 1")
        settings["seed"] = 1  # so that all else can be looked at
    parts = _read_parts(settings, of_parts, overrides, file, problems, wrong)
    claims = _read_claims(settings.get("claims"), parts, wrong)
    problems.raise_if_any()
    read = {name: part for name, part in parts.items() if part is not None}
    return ClaimsFile(settings["name"], settings["seed"], read, claims, file.path, tuple(overrides))


def _share_out(
    settings: dict[str, Any], overrides: Sequence[str], problems: Problems
) -> dict[str, list[str]]:
    """Put words of the command line where they belong: here, or in parts, by their names."""
    named = settings.get("parts")
    parts = named if isinstance(named, dict) else {}
    of_parts: dict[str, list[str]] = {name: [] for name in parts}
    for word in overrides:
        key, equals, text = word.partition("=")
        first, _, rest = key.strip().partition(".")
        part, _, inner = rest.partition(".")

        def wrong(what: str, hint: str, told: str = f"-s {word}") -> None:
            problems.found.append(Problem(told, None, "", what, hint))

        if not equals:
            wrong("is not key=value", "as in -s deals=100000")
        elif key.strip() in ("name", "seed"):
            settings[key.strip()] = toml_value(text.strip())
        elif key.strip() in IN_ALL:
            for name, table in parts.items():
                unit = _unit_of(table)
                if unit == key.strip():
                    of_parts[name].append(word)
        elif first == "parts" and part in of_parts and inner:
            of_parts[part].append(f"{inner}={text}")
        elif first == "parts":
            wrong(f"there is no part '{part}'", nearest(part, parts))
        else:
            wrong(
                f"'{key.strip()}' is no key of the whole file",
                f"{nearest(key.strip(), (*IN_ALL, 'seed', 'name'))}; of one part: parts.NAME.KEY",
            )
    return of_parts


def _unit_of(table: Any) -> str:
    """What a part counts, as far as can be seen before it is checked."""
    if not isinstance(table, dict):
        return ""
    by_tables = table.get("study") == "session" or "rounds" in table
    return "tables" if by_tables else "deals"


def _read_parts(
    settings: Mapping[str, Any],
    of_parts: Mapping[str, Sequence[str]],
    overrides: Sequence[str],
    file: TomlFile,
    problems: Problems,
    wrong: Wrong,
) -> dict[str, Experiment | None]:
    """The experiments that measure; None for one with problems, which are noted."""
    named = settings.get("parts")
    if not isinstance(named, dict) or not named:
        wrong("parts", "is missing: no run measures anything", "[parts.values] as an experiment")
        return {}
    found: dict[str, Experiment | None] = {}
    shelf = Shelf(file.path.parent)  # of all parts, so that each policy is read once
    for name, table in named.items():
        key = f"parts.{name}"
        fault = name_fault(name)
        if fault:
            wrong(key, *fault)
        if not isinstance(table, dict):
            wrong(key, "is not a table", f"[{key}] with the keys of an experiment")
            found[name] = None
            continue
        for inner in ("name", "seed"):
            if inner in table:
                wrong(f"{key}.{inner}", "is that of the whole file", f"{inner} at the top")
        lines = {
            line.removeprefix(f"{key}."): number
            for line, number in file.lines.items()
            if line.startswith(f"{key}.")
        }
        data = {**table, "name": name, "seed": settings["seed"]}
        try:
            part = resolve(replace(file, data=data, lines=lines), of_parts[name], shelf=shelf)
            found[name] = replace(part, part=name, overrides=tuple(overrides))
        except InputError as error:
            found[name] = None
            for problem in error.problems:
                is_here = problem.source == str(file.path)
                line = problem.line or (file.line_of(key) if is_here else None)
                told = f"{key}.{problem.key}" if problem.key else key
                problems.found.append(replace(problem, key=told, line=line))
    return found


def _read_claims(
    given: Any, parts: Mapping[str, Experiment | None], wrong: Wrong
) -> tuple[Claim, ...]:
    """The claims; what is wrong with them is noted."""
    if not isinstance(given, list) or not given or len(given) > MOST_CLAIMS:
        wrong("claims", f"is no list of 1 to {MOST_CLAIMS} claims", "[[claims]] begins one")
        return ()
    found: list[Claim] = []
    for number, table in enumerate(given, start=1):
        key = f"claims.{number}"
        if not isinstance(table, dict):
            wrong(key, "is no claim", "[[claims]] with id, says, source and tests")
            continue
        for inner in table:
            if inner not in CLAIM_KEYS:
                wrong(f"{key}.{inner}", "no such key", nearest(inner, CLAIM_KEYS))
        texts = {}
        for inner in ("id", "says", "source", "reads"):
            value = table.get(inner, "" if inner == "reads" else None)
            if not isinstance(value, str) or (not value.strip() and inner != "reads"):
                what = "is missing" if value is None else f"{value!r} is no text"
                wrong(f"{key}.{inner}", what)
                value = ""
            texts[inner] = value
        if texts["id"] and not _ID.fullmatch(texts["id"]):
            hint = "up to 20 letters, digits, '-' and '_'"
            wrong(f"{key}.id", f"{texts['id']!r} cannot name a claim", hint)
        if texts["id"].lower() in [claim.id.lower() for claim in found if claim.id]:
            wrong(f"{key}.id", f"'{texts['id']}' is there already", "each claim has its own")
        exceptions = table.get("exceptions", 0.0)
        if not _is_number(exceptions) or not 0 <= exceptions <= MOST_EXCEPTIONS:
            what = f"{exceptions!r} is no share from 0 to {MOST_EXCEPTIONS:g}"
            wrong(f"{key}.exceptions", what, "0.1 lets a tenth of the cases be otherwise")
            exceptions = 0.0
        tests = _read_tests(table.get("tests"), key, parts, wrong)
        found.append(Claim(**texts, exceptions=float(exceptions), tests=tests))
    return tuple(found)


def _read_tests(
    given: Any, of: str, parts: Mapping[str, Experiment | None], wrong: Wrong
) -> tuple[Test, ...]:
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_TESTS:
        wrong(f"{of}.tests", f"is no list of 1 to {MOST_TESTS} tests", "[[claims.tests]]")
        return ()
    found = []
    for number, table in enumerate(given, start=1):
        key = f"{of}.tests.{number}"
        if isinstance(table, dict):
            test = _read_test(table, key, parts, wrong)
            if test is not None:
                found.append(test)
        else:
            wrong(key, "is no test", "a table with part, figure, and above or below")
    names = [test.what for test in found]
    for number, test in enumerate(found, start=1):
        if names.count(test.what) > 1 and names.index(test.what) != number - 1:
            like = "two tests of a claim are called alike"
            wrong(f"{of}.tests.{number}.what", like, "say what each looks at")
    return tuple(found)


def _read_test(
    table: Mapping[str, Any], key: str, parts: Mapping[str, Experiment | None], wrong: Wrong
) -> Test | None:
    """One test; None if its part cannot be had, in which case no more can be said of it."""
    from loo_sim.claims.figures import STUDIES

    for inner in table:
        if inner not in TEST_KEYS:
            wrong(f"{key}.{inner}", "no such key", nearest(inner, TEST_KEYS))
    sides = [side for side in ("above", "below") if side in table]
    if len(sides) != 1:
        what = "says both above and below" if sides else "says neither above nor below"
        wrong(key, what, "above = 0 claims that the figure is above 0")
    elif not _is_number(table[sides[0]]):
        wrong(f"{key}.{sides[0]}", f"{table[sides[0]]!r} is no number")
        sides = []
    name = table.get("part")
    if not isinstance(name, str) or name not in parts:
        what = "is missing" if name is None else f"there is no part {name!r}"
        wrong(f"{key}.part", what, nearest(str(name), parts) if parts else "")
        return None
    part = parts[name]
    if part is None:
        return None
    of = STUDIES[part.study]
    figure = table.get("figure")
    if not isinstance(figure, str) or figure not in of.figures:
        what = "is missing" if figure is None else f"the study {part.study} has no {figure!r}"
        wrong(f"{key}.figure", what, nearest(str(figure), of.figures))
    elif figure == "ahead_after_one" and not part.cells[0].rounds:
        what = "is of evenings: of one deal normal theory says nothing"
        wrong(f"{key}.figure", what, f"rounds = 10 in the part {name}")
    what = table.get("what", "")
    if not isinstance(what, str):
        wrong(f"{key}.what", f"{what!r} is no text")
    by = table.get("by", [])
    if not isinstance(by, list):
        wrong(f"{key}.by", f"{by!r} is no list", f'as in by = ["{by}"]')
        by = []
    elif any(name not in of.by for name in by):
        known = f"some of: {', '.join(of.by)}" if of.by else "nothing, in this study"
        wrong(f"{key}.by", f"{by!r} names what cannot tell cases apart", known)
        by = []
    when = _read_condition(table.get("when"), f"{key}.when", part, of.conditions, wrong)
    axes = _axes_of(part)
    told = (*axes, *by, *of.always)
    if part.study == "session" and figure == "pot_median":
        told = (*told, "deal")
    where = _read_where(table.get("where", {}), f"{key}.where", axes, told, wrong)
    contrast = _read_where(table.get("contrast", {}), f"{key}.contrast", axes, told, wrong)
    for inner, values in contrast.items():
        if len(set(map(str, values))) != 2 or len(values) != 2:
            wrong(f"{key}.contrast.{inner}", "is not two values", "the second's less the first's")
            sides = []
    if len(sides) != 1:
        return None
    return Test(
        part=name,
        figure=str(figure),
        what=str(what),
        when=when,
        when_text=table["when"] if when is not None else "",
        where=where,
        by=tuple(by),
        contrast={inner: (values[0], values[-1]) for inner, values in contrast.items()},
        threshold=float(table[sides[0]]),
        above=sides[0] == "above",
    )


def _read_condition(
    text: Any, key: str, part: Experiment, has_place: bool, wrong: Wrong
) -> Node | None:
    """The condition on hands and situations, in the language of policies."""
    from loo_sim.policies.language import ANNOUNCE_NAMES, PLAY_NAMES, LanguageError, parse

    if text is None:
        return None
    if not has_place:
        wrong(key, f"has no place: the study {part.study} knows no hands", "where chooses games")
        return None
    if not isinstance(text, str):
        wrong(key, f"{text!r} is no condition", 'when = "trumps == 2 and seat > 0"')
        return None
    names = dict(ANNOUNCE_NAMES)
    if part.study == "lead":
        situation = ("seat", "to_act", "dealer", "standers", "folded", "miss_free")
        names = {name: kind for name, kind in names.items() if name not in situation}
        names["in_play"] = PLAY_NAMES["in_play"]
    try:
        return parse(text, names)
    except LanguageError as error:
        wrong(key, f"column {error.column}: {error.what}", error.hint)
        return None


def _axes_of(part: Experiment) -> dict[str, list[Any]]:
    """The axes of a part, each with its values as tables hold them."""
    cells = [
        axes_in_words(axes, [policy.name for policy in cell.policies])
        for axes, cell in zip(
            column_values([cell.axes for cell in part.cells]), part.cells, strict=True
        )
    ]
    return {axis: list(dict.fromkeys(str(cell[axis]) for cell in cells)) for axis in cells[0]}


def axes_in_words(axes: Mapping[str, Any], policies: Sequence[str]) -> dict[str, Any]:
    """The axes of a game as claims speak of them: whole numbers as such, a policy by its name.

    Parameters
    ----------
    axes : mapping of str to object
        As the tables of a result hold them.
    policies : sequence of str
        The names of the game's policies.
    """
    found = {
        axis: int(value) if isinstance(value, float) and value.is_integer() else value
        for axis, value in axes.items()
    }
    if isinstance(found.get("policies"), str) and len(set(policies)) == 1:
        found["policies"] = policies[0]
    return found


def _read_where(
    given: Any, key: str, axes: Mapping[str, Sequence[Any]], told: Iterable[str], wrong: Wrong
) -> dict[str, tuple[Any, ...]]:
    """Values of circumstances, by name."""
    if not isinstance(given, dict):
        wrong(key, f"{given!r} is no table of values", "{ pot = [3, 9] }")
        return {}
    found = {}
    told = list(told)
    for name, values in given.items():
        listed = values if isinstance(values, list) else [values]
        if not listed:
            wrong(f"{key}.{name}", "names no value, so that nothing counts", "leave it out for all")
        if name not in told:
            wrong(f"{key}.{name}", "tells no cases apart here", nearest(name, told))
            continue
        for value in listed:
            if not isinstance(value, int | float | str):
                wrong(f"{key}.{name}", f"{value!r} is no value of it", "a number or a word")
            elif name in axes and str(value) not in axes[name]:
                what = f"{value!r} is no value of the axis"
                wrong(f"{key}.{name}", what, f"one of: {', '.join(axes[name])}")
        found[name] = tuple(listed)
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
