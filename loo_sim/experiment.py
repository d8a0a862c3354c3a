"""The experiment file: read, overridden from the command line, checked, resolved into cells."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.problems import InputError, Problem, Problems, nearest
from loo_sim.rules import (
    MOST_STAKES,
    UNITS_PER_STAKE,
    Rules,
    parse_rules,
    players_fault,
    pot_fault,
)
from loo_sim.settings import (
    DEFAULTS,
    KEYS,
    Amount,
    Wrong,
    check_settings,
    is_by_tables,
    is_whole,
    place_fault,
    read_amount,
    with_defaults,
)
from loo_sim.sweep import LineOf, Point, flat, read_sweep
from loo_sim.tomlfile import TomlFile, load

if TYPE_CHECKING:
    from loo_sim.policies.features import Situation
    from loo_sim.policies.policy import Policy

NO_AXES = Point({}, {})
MOST_SESSION_DEALS = 4_096
"""Sums of a table stay within 64 bits even where every loo meets its cap."""
MOST_CONTESTANTS = 16
_TABLES_OF_KEYS = ("rules", "sweep", "aim")


@dataclass(frozen=True)
class Cell:
    """One game to be studied: a point of the sweep, resolved.

    Attributes
    ----------
    axes : mapping of str to object
        Values of the sweep's axes; empty without a sweep.
    players : int
        Seats.
    pot : int
        Units in the pot when play begins.
    rules : Rules
    policies : tuple of Policy
        One a seat; one a person, in the study `session`; in a league, those that compete.
    rounds : int
        Times that everyone deals at a table of a session; 0 where single deals are played.
    bankroll : int or None
        Stakes that each person brings to a session; None if purses have no limit.
    aim : Situation or None
        The only situation that the study `announce` looks at; None if it looks at all.
    """

    axes: Mapping[str, Any]
    players: int
    pot: int
    rules: Rules
    policies: tuple[Policy, ...]
    rounds: int = 0
    bankroll: int | None = None
    aim: Situation | None = None

    @property
    def name(self) -> str:
        """The cell in words; empty without a sweep."""
        return Point(dict(self.axes), {}).name


@dataclass(frozen=True)
class Experiment:
    """A checked experiment.

    Attributes
    ----------
    name, study : str
    seed : int
        0 to 2**64 - 1.
    amount : Amount
        How much is done in each cell.
    cells : tuple of Cell
        At least one, in the order of the sweep.
    path : Path
        The file.
    overrides : tuple of str
        ``key=value`` from the command line.
    settings : mapping of str to object
        Every key of the file, defaults and overrides included.
    """

    name: str
    study: str
    seed: int
    amount: Amount
    cells: tuple[Cell, ...]
    path: Path
    overrides: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def unit(self) -> str:
        """What is counted one by one: deals, or tables."""
        return "tables" if is_by_tables(self.settings) else "deals"


def load_experiment(path: str | Path, overrides: Sequence[str] = ()) -> Experiment:
    """Read and check an experiment file.

    Parameters
    ----------
    path : str or Path
        A TOML file.
    overrides : sequence of str
        ``key=value`` words that replace what the file says; the value is a TOML value, or a bare
        word for a string; the key is dotted (``rules.loo``, ``sweep.players``).

    Returns
    -------
    Experiment

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    file = load(path)
    problems = Problems(str(file.path))
    settings = {**DEFAULTS, "name": file.path.stem, **file.data}
    for table in ("rules", "sweep"):
        value = settings.get(table, {})
        settings[table] = flat(value) if isinstance(value, dict) else value
    replaced = _override(settings, overrides, problems)
    _give_way(settings, replaced)
    settings = with_defaults(settings)

    def wrong(key: str, what: str, hint: str = "") -> None:
        problems.add(key, what, hint, file.line_of(key))

    check_settings(settings, wrong)
    amount = read_amount(settings, wrong)
    cells = _cells(settings, replaced, problems, file)

    def told(problem: Problem) -> Problem:
        """The problem, blamed on the override that caused it if one did."""
        for key, word in replaced.items():
            if problem.key == key or problem.key.startswith(f"{key}."):
                return replace(problem, source=f"-s {word}", line=None)
        return problem

    problems.found = [told(problem) for problem in problems.found]
    problems.raise_if_any()
    return Experiment(
        name=settings["name"],
        study=settings["study"],
        seed=settings["seed"],
        amount=amount,
        cells=tuple(cells),
        path=file.path,
        overrides=tuple(overrides),
        settings={key: settings[key] for key in KEYS if key in settings},
    )


def game_cell(
    options: Mapping[str, Any],
    problems: Problems,
    point: Point = NO_AXES,
    line_of: LineOf = lambda key: None,
    shelf: Shelf | None = None,
) -> Cell | None:
    """Check and resolve one game, noting everything that is wrong.

    Parameters
    ----------
    options : mapping of str to object
        ``players``, ``policies``, ``rules`` (a table), and ``pot`` in stakes (optional).
    problems : Problems
        Where problems are noted.
    point : Point
        Values of a sweep's axes, which replace those of `options`.
    line_of : callable
        From a dotted key to its line.
    shelf : Shelf, optional
        Where policies are found; by default built-in ones, and files relative to this folder.

    Returns
    -------
    Cell or None
        None if a problem was noted.
    """
    before = len(problems.found)

    def wrong(key: str, what: str, hint: str = "") -> None:
        where = point.where.get(key, key)
        problems.add(where, what, hint, line_of(where))

    options = {**options, **point.values}
    swept = {axis[6:]: value for axis, value in point.values.items() if axis.startswith("rules.")}
    found = Problems(problems.source)
    rules = parse_rules({**options["rules"], **swept}, found)
    for problem in found:
        wrong(problem.key, problem.what, problem.hint)
    players, pot = None, None
    if rules is not None:
        fault = players_fault(rules, options["players"])
        if fault:
            wrong("players", fault)
        else:
            players = options["players"]
            stakes = options.get("pot", rules.single_pot(players) / UNITS_PER_STAKE)
            fault = pot_fault(rules, players, stakes)
            if fault:
                wrong("pot", fault)
            else:
                pot = round(stakes * UNITS_PER_STAKE)
    in_league = options.get("study") == "league"
    words = _policy_words(options["policies"], None if in_league else players, wrong)
    policies = _find_policies(words, shelf or Shelf(Path()), wrong, problems)
    if in_league:
        _check_contestants(words, policies, wrong)
    elif len(policies) == 1:
        policies *= players or 0
    aim = None
    if "aim" in options and players is not None:
        aim = _read_aim(options["aim"], players, wrong)
    rounds, bankroll = options.get("rounds", 0), options.get("bankroll")
    if is_by_tables(options) and rules is not None and players is not None:
        most = MOST_SESSION_DEALS // players
        if not is_whole(rounds, 1, most):
            wrong(
                "rounds",
                f"{rounds!r} is not a whole number from 1 to {most}",
                f"each of {players} players deals once a round, {MOST_SESSION_DEALS:,} deals "
                "at most",
            )
        least = max(rules.dealer_stake, rules.ante, 1)
        if bankroll is not None and not is_whole(bankroll, least, MOST_STAKES):
            wrong(
                "bankroll",
                f"{bankroll!r} is not a whole number of stakes from {least} to {MOST_STAKES:,}",
                "leave it out if purses have no limit",
            )
    if len(problems.found) > before or rules is None or players is None or pot is None:
        return None
    return Cell(dict(point.values), players, pot, rules, policies, rounds, bankroll, aim)


class Shelf:
    """Finds policies by their names or paths, and reads each file once.

    Parameters
    ----------
    folder : Path
        Where relative paths start.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, Policy | tuple[Problem, ...]] = {}

    def find(self, word: str) -> Policy | tuple[Problem, ...]:
        """The policy, or everything that is wrong with it."""
        from loo_sim.policies.parse import load_policy

        if word not in self._known:
            try:
                self._known[word] = load_policy(word, self.folder)
            except InputError as error:
                self._known[word] = error.problems
        return self._known[word]


def _policy_words(value: Any, players: int | None, wrong: Wrong) -> list[str]:
    """The words that name policies: for `players`, one for all or one a seat; None: any number."""
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or not words:
        wrong(
            "policies",
            f"{value!r} is neither a policy nor a list of policies",
            'a name, a path, or a list of them: "peel", ["peel"]',
        )
        return []
    if players is not None and len(words) not in (1, players):
        wrong(
            "policies",
            f"there are {len(words)} policies for {players} players",
            "give one for all, or one a seat, the dealer's last",
        )
    return words


def _find_policies(
    words: Sequence[str], shelf: Shelf, wrong: Wrong, problems: Problems
) -> tuple[Policy, ...]:
    """The policies that can be had."""
    policies = []
    for word in words:
        found = shelf.find(word)
        if not isinstance(found, tuple):
            policies.append(found)
            continue
        for problem in found:
            if problem.line is None:  # about the policy as a whole: blame the one who named it
                wrong("policies", f"'{word}': {problem.what}", problem.hint)
            else:
                problems.found.append(problem)
    return tuple(policies)


def _check_contestants(words: Sequence[str], policies: Sequence[Policy], wrong: Wrong) -> None:
    """Note what keeps policies from a league, whose tables name them."""
    if words and not 2 <= len(words) <= MOST_CONTESTANTS:
        many = "1 policy" if len(words) == 1 else f"{len(words)} policies"
        hint = 'policies = ["trumps", "peel"]'
        wrong("policies", f"a league is of 2 to {MOST_CONTESTANTS} policies, not of {many}", hint)
    names = [policy.name for policy in policies]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            hint = "name says what a policy file's policy is called"
            wrong("policies", f"{names.count(name)} of a league's policies are called {name}", hint)


def _read_aim(value: Any, players: int, wrong: Wrong) -> Situation | None:
    """The situation that a study looks at, noting everything that is wrong with it."""
    from loo_sim.policies.features import Situation, situations

    example = "as in aim = { seat = 1, standers = 0, miss_free = true }"
    if not isinstance(value, dict):
        wrong("aim", f"{value!r} is not a table of a situation", example)
        return None
    wrong_before = False
    for key in value:
        if key not in Situation._fields:
            wrong(f"aim.{key}", "no such key", nearest(key, Situation._fields))
            wrong_before = True
    seat, standers, free = (value.get(key) for key in Situation._fields)
    for key, number in (("seat", seat), ("standers", standers)):
        if not is_whole(number, 0, players - 1):
            what = "is missing" if number is None else f"{number!r} is not a whole number"
            wrong(f"aim.{key}", what, f"0 to {players - 1}, for {players} players")
            wrong_before = True
    if not isinstance(free, bool):
        what = "is missing" if free is None else f"{free!r} is neither true nor false"
        wrong("aim.miss_free", what, "whether nobody has taken the miss yet")
        wrong_before = True
    if wrong_before:
        return None
    aim = Situation(**value)
    if aim not in situations(players):
        if aim.standers > aim.seat:
            what = f"{aim.standers} cannot be in before seat {aim.seat} speaks"
            hint = "seats count from 0"
        elif aim.seat == players - 1:
            what, hint = "the dealer speaks only if somebody is in", "standers = 1"
        else:
            what, hint = "the miss is gone, and nobody is in who took it", "miss_free = true"
        wrong("aim", what, hint)
        return None
    return aim


def _cells(
    settings: dict[str, Any], replaced: Mapping[str, str], problems: Problems, file: TomlFile
) -> list[Cell]:
    """The cells of the sweep; the same problem is told once, with the first cell that has it."""
    if not isinstance(settings["rules"], dict):
        problems.add(
            "rules", "is not a table of rules", 'write rules.preset = "peel"', file.line_of("rules")
        )
        settings = {**settings, "rules": {}}
    points = read_sweep(settings["sweep"], problems, file.line_of)
    shelf = Shelf(file.path.parent)
    everywhere = Problems(problems.source)
    game_cell(settings, everywhere, NO_AXES, file.line_of, shelf)
    told = set()
    cells = []
    for point in points:
        found = Problems(problems.source)
        cell = game_cell(settings, found, point, file.line_of, shelf)
        if cell is not None:
            cells.append(cell)
            if settings.get("study") == "announce" and _nobody_announces(cell):
                found.add(
                    point.where.get("pot", "pot"),
                    "force_on_single makes everyone stand at the single pot, so nobody announces",
                    f'a pot above {cell.pot // UNITS_PER_STAKE} stakes, or study = "deals"',
                    file.line_of(point.where.get("pot", "pot")),
                )
            found.found += _policy_problems(cell, settings)
        for problem in found:
            if (problem.source, problem.key, problem.what) not in told:
                told.add((problem.source, problem.key, problem.what))
                if point.values and problem not in everywhere.found:
                    of_cell = f"in the cell {point.name}"
                    hint = f"{problem.hint}; {of_cell}" if problem.hint else of_cell
                    problem = replace(problem, hint=hint)
                problems.found.append(problem)
    for axis in points[0].values:
        fault = place_fault(settings, axis)
        if fault and axis in KEYS:
            where = points[0].where[axis]
            problems.add(where, *fault, file.line_of(where))
    for key, word in replaced.items():
        if key in points[0].values:
            problems.add(
                key,
                "has no effect: it is an axis of the sweep",
                f"-s sweep.{key}=[{word.partition('=')[2]}] sweeps this value alone",
            )
    return cells


def _nobody_announces(cell: Cell) -> bool:
    return cell.rules.force_on_single and cell.pot == cell.rules.single_pot(cell.players)


def _policy_problems(cell: Cell, settings: Mapping[str, Any]) -> tuple[Problem, ...]:
    """What only compiling shows: too many mixtures; pots at which rounding would decide."""
    from loo_sim.policies.compile import compile_tables
    from loo_sim.policies.pots import pot_classes, table_sizes

    by_tables = is_by_tables(settings)
    # Compiling every cell of a long sweep takes a while.
    if not any(_may_not_compile(policy, by_tables) for policy in cell.policies):
        return ()
    try:
        if by_tables:
            sizes = table_sizes(cell.rules, cell.players, cell.bankroll)
            pot_classes(cell.policies, cell.rules, sizes)
        else:
            compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    except InputError as error:
        return error.problems
    return ()


def _may_not_compile(policy: Policy, by_tables: bool) -> bool:
    """Whether a policy mixes announcements, or looks at pots that change."""
    from loo_sim.policies.language import MONEY_NAMES

    looks_at_pot = any(rule.when.names() & MONEY_NAMES for rule in policy.announce.rules)
    mixes = policy.table is not None or not policy.announce.is_certain
    return mixes or (by_tables and looks_at_pot)


def _override(settings: dict[str, Any], words: Sequence[str], problems: Problems) -> dict[str, str]:
    """Put ``key=value`` words into the settings; the word that set each key."""
    replaced = {}
    for word in words:
        key, equals, text = word.partition("=")
        key = key.strip()
        if not key or not equals:
            problems.found.append(
                Problem(f"-s {word}", None, "", "is not key=value", "as in -s players=8")
            )
            continue
        replaced[key] = word
        table = settings
        first, _, rest = key.partition(".")
        if first == "aim" and rest:
            settings.setdefault("aim", {})
        if rest and first in _TABLES_OF_KEYS and isinstance(settings[first], dict):
            table, key = settings[first], rest
        if table is not settings and key.startswith("zip."):
            zipped = table.setdefault("zip", {})
            if not isinstance(zipped, dict):
                continue  # that it is no table is told when the sweep is read
            table, key = zipped, key[4:]
        table[key] = toml_value(text.strip())
    return replaced


def _give_way(settings: dict[str, Any], replaced: Mapping[str, str]) -> None:
    """Leave out what the file says of how much is done, where the command line says it otherwise.

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


def toml_value(text: str) -> Any:
    """Read a TOML value; what is none is a string, so that bare words need no quotes."""
    try:
        parsed = tomllib.loads(f"value = {text}")
        repr(parsed)  # fails for a hexadecimal number too long to be told in a message
    except (ValueError, RecursionError):  # no TOML, a number of too many digits, or too deep
        return text
    return parsed["value"] if len(parsed) == 1 else text
