"""The file of claims: the runs that measure, and what is asked of each claim; read and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.claims.circumstances import (
    axes_of,
    has_games_alike,
    read_condition,
    read_where,
    values_of,
)
from loo_sim.experiment import Experiment, resolve
from loo_sim.overrides import toml_value
from loo_sim.problems import InputError, Problem, Problems, nearest
from loo_sim.settings import CLAIMS, SEEDS, Wrong, is_whole, name_fault
from loo_sim.shelf import Shelf
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
MOST_SIGNS, MOST_IN_WHAT = 1_000, 100
"""Characters of a text; of the words for what a test looks at, which stand in every verdict."""

LARGEST = 1e12
"""Size of a threshold."""


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
    folders: set[str] = set()
    for name, table in named.items():
        key = f"parts.{name}"
        fault = name_fault(name)
        if fault:
            wrong(key, *fault)
        elif name.lower() in folders:
            wrong(key, "another part is called so but for the case of letters", "another name")
        folders.add(name.lower())
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
        # A name that is none has been told, and is not to be told again.
        data = {**table, "name": "part" if fault else name, "seed": settings["seed"]}
        try:
            part = resolve(replace(file, data=data, lines=lines), of_parts[name], shelf=shelf)
            found[name] = replace(part, part=name, overrides=tuple(overrides))
            if has_games_alike(part):
                two = "two policies of the axis have one name, by which their games are told apart"
                wrong(f"{key}.sweep", two, "each policy file needs a name of its own")
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
            what, hint = _text_fault(value, MOST_SIGNS)
            if not what and not str(value).strip() and inner != "reads":
                what = f"{value!r} is no text"
            if what:
                wrong(f"{key}.{inner}", what, hint)
            texts[inner] = "" if what else str(value).strip()
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
    from loo_sim.claims.figures import STUDIES, is_nearly_normal

    for inner in table:
        if inner not in TEST_KEYS:
            wrong(f"{key}.{inner}", "no such key", nearest(inner, TEST_KEYS))
    sides = [side for side in ("above", "below") if side in table]
    if len(sides) != 1:
        what = "says both above and below" if sides else "says neither above nor below"
        wrong(key, what, "above = 0 claims that the figure is above 0")
    elif not _is_number(table[sides[0]]):
        limit = f"from {-LARGEST:g} to {LARGEST:g}"
        wrong(f"{key}.{sides[0]}", f"{table[sides[0]]!r} is no number {limit}")
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
    elif figure.startswith("ahead") and not all(
        is_nearly_normal(cell.rounds, cell.rules.loo) for cell in part.cells
    ):
        what = "is of normal theory, which fails for evenings with loos of the pot"
        wrong(f"{key}.figure", what, "rules.loo = 6, or single deals; medians of a session")
    words = table.get("what", "")
    what, hint = _text_fault(words, MOST_IN_WHAT)
    if what:
        wrong(f"{key}.what", what, hint)
        words = ""
    by = table.get("by", [])
    if not isinstance(by, list):
        wrong(f"{key}.by", f"{by!r} is no list", f'as in by = ["{by}"]')
        by = []
    elif any(name not in of.by for name in by):
        some = f"some of: {', '.join(of.by)}" if of.by else "nothing, in this study"
        wrong(f"{key}.by", f"{by!r} names what cannot tell cases apart", some)
        by = []
    when = read_condition(table.get("when"), f"{key}.when", part, of.conditions, wrong)
    axes = axes_of(part)
    told = (*axes, *by, *of.always)
    if part.study == "session" and figure == "pot_median":
        told = (*told, "deal")
    known = {name: axes.get(name) or values_of(name, part) for name in told}
    where = read_where(table.get("where", {}), f"{key}.where", known, wrong)
    contrast = read_where(table.get("contrast", {}), f"{key}.contrast", known, wrong)
    for inner, values in contrast.items():
        if len(set(map(str, values))) != 2 or len(values) != 2:
            wrong(f"{key}.contrast.{inner}", "is not two values", "the second's less the first's")
            sides = []
    if len(sides) != 1:
        return None
    return Test(
        part=name,
        figure=str(figure),
        what=words.strip(),
        when=when,
        when_text=table["when"] if when is not None else "",
        where=where,
        by=tuple(by),
        contrast={inner: (values[0], values[-1]) for inner, values in contrast.items()},
        threshold=float(table[sides[0]]),
        above=sides[0] == "above",
    )


def _text_fault(text: Any, most: int) -> tuple[str, str]:
    """What is wrong with a text, and a hint; nothing if it can be shown anywhere."""
    if text is None:
        return "is missing", ""
    if not isinstance(text, str):
        return f"{text!r} is no text", ""
    if len(text) > most:
        return f"is longer than {most:,} characters", ""
    if not text.isprintable():
        return "has characters that cannot be shown", "one line, without control characters"
    return "", ""


def _is_number(value: Any) -> bool:
    is_one = isinstance(value, int | float) and not isinstance(value, bool)
    return is_one and abs(value) <= LARGEST
