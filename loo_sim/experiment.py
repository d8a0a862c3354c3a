"""The experiment file: read, overridden from the command line, checked, resolved into cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.overrides import give_way, override, set_axes
from loo_sim.policy_axes import PolicyAxes
from loo_sim.problems import Problem, Problems, nearest
from loo_sim.rounding import listed
from loo_sim.rules import (
    MOST_STAKES,
    OPTIONS,
    UNITS_PER_STAKE,
    Rules,
    option_fault,
    parse_rules,
    players_fault,
    pot_fault,
)
from loo_sim.settings import (
    DEFAULTS,
    KEYS,
    SEEDS,
    Amount,
    Wrong,
    check_settings,
    is_by_tables,
    is_whole,
    place_fault,
    read_amount,
    with_defaults,
)
from loo_sim.shelf import Shelf, check_contestants, find_policies, policy_words
from loo_sim.sweep import OF_POLICY, LineOf, Point, axis_values, flat, read_sweep
from loo_sim.tomlfile import TomlFile, load

if TYPE_CHECKING:
    from loo_sim.policies.features import Situation
    from loo_sim.policies.policy import Policy
    from loo_sim.sobol import Design

NO_AXES = Point({}, {})
MOST_ALIKE = 5
"""Problems of one key that are told one by one."""

MOST_SESSION_DEALS = 4_096
"""Sums of a table stay within 64 bits even where every loo meets its cap."""


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
    overrides, axes : tuple of str
        ``key=value``, and axes of the sweep, from the command line.
    settings : mapping of str to object
        Every key of the file, defaults and overrides included.
    design : Design or None
        Of a sweep for Sobol indices, how its cells stand in the design.
    part : str
        What it is called in a file of claims; empty if the file is its own.
    """

    name: str
    study: str
    seed: int
    amount: Amount
    cells: tuple[Cell, ...]
    path: Path
    overrides: tuple[str, ...]
    axes: tuple[str, ...]
    settings: Mapping[str, Any]
    design: Design | None = field(default=None, compare=False)
    part: str = ""

    @property
    def unit(self) -> str:
        """What is counted one by one: deals, or tables."""
        return "tables" if is_by_tables(self.settings) else "deals"


def load_experiment(
    path: str | Path, overrides: Sequence[str] = (), axes: Sequence[str] = ()
) -> Experiment:
    """Read and check an experiment file.

    Parameters
    ----------
    path : str or Path
        A TOML file.
    overrides : sequence of str
        ``key=value`` words that replace what the file says; the value is a TOML value, or a bare
        word for a string; the key is dotted (``rules.loo``, ``sweep.players``).
    axes : sequence of str
        Axes of the sweep that replace those of the file or are added to them, each with values as
        above (``rules.loo=3,6,pot``) or a range that includes its end (``pot=3:12:3``).

    Returns
    -------
    Experiment

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    return resolve(load(path), overrides, axes)


def resolve(
    file: TomlFile,
    overrides: Sequence[str] = (),
    axes: Sequence[str] = (),
    shelf: Shelf | None = None,
) -> Experiment:
    """Check an experiment that was read; see `load_experiment`.

    Parameters
    ----------
    file : TomlFile
        A whole file, or what stands in a table of one as if it were.
    overrides, axes : sequence of str
        From the command line.
    shelf : Shelf, optional
        Where policies are found; by default built-in ones, and files beside this one.

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    problems = Problems(str(file.path))
    settings = {**DEFAULTS, "name": file.path.stem, **file.data}
    for table in ("rules", "sweep"):
        value = settings.get(table, {})
        settings[table] = flat(value) if isinstance(value, dict) else value
    replaced = override(settings, overrides, problems)
    replaced |= set_axes(settings, axes, problems)
    give_way(settings, replaced)
    settings = with_defaults(settings)

    def wrong(key: str, what: str, hint: str = "") -> None:
        problems.add(key, what, hint, file.line_of(key))

    check_settings(settings, wrong)
    amount = read_amount(settings, wrong)
    shelf = shelf or Shelf(file.path.parent)
    cells, design = _cells(settings, replaced, problems, file, shelf)

    def told(problem: Problem) -> Problem:
        """The problem, blamed on the word of the command line that caused it if one did."""
        causes = [key for key in replaced if f"{problem.key}.".startswith(f"{key}.")]
        if not causes:
            return problem
        return replace(problem, source=replaced[max(causes, key=len)], line=None)

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
        axes=tuple(axes),
        settings={key: settings[key] for key in KEYS if key in settings},
        design=design,
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

    variant = point.values.get("rules", {})

    def wrong(key: str, what: str, hint: str = "") -> None:
        in_variant = isinstance(variant, dict) and key.removeprefix("rules.") in variant
        where = point.where.get(key, point.where["rules"] if in_variant else key)
        problems.add(where, what, hint, line_of(where))

    found = Problems(problems.source)
    if not isinstance(variant, dict):
        found.add("rules", f"{variant!r} is not a table of rules", "as in { loo = 6 }")
        variant = {}
    swept = {axis[6:]: value for axis, value in point.values.items() if axis.startswith("rules.")}
    rules = parse_rules({**options["rules"], **variant, **swept}, found)
    options = {**options, **point.values}
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
    shelf = shelf or Shelf(Path())
    words = policy_words(options["policies"], None if in_league else players, wrong)
    policies = find_policies(words, point, shelf, wrong, problems)
    if in_league:
        check_contestants(words, policies, wrong)
    elif len(policies) == 1:
        policies *= players or 0
    for name, known in _known_players(policies).items():
        if players is not None and players not in known:
            numbers = listed([str(number) for number in known])
            what = f"the table of {name} knows {numbers} players, not {players}"
            wrong("policies", what, f"loosim solve --players {players} makes one that does")
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


def _known_players(policies: Iterable[Policy]) -> dict[str, list[int]]:
    """For how many players each policy with a table has one, by its name."""
    return {
        policy.name: sorted(policy.table.pots) for policy in policies if policy.table is not None
    }


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
    settings: dict[str, Any],
    replaced: Mapping[str, str],
    problems: Problems,
    file: TomlFile,
    shelf: Shelf,
) -> tuple[list[Cell], Design | None]:
    """The cells of the sweep, and their design if it is one for Sobol indices.

    Axes over policies are called in `settings` as they are called in the cells then. The same
    problem is told once, with the first cell that has it.
    """
    if not isinstance(settings["rules"], dict):
        problems.add(
            "rules", "is not a table of rules", 'write rules.preset = "peel"', file.line_of("rules")
        )
    game = settings if isinstance(settings["rules"], dict) else {**settings, "rules": {}}
    before = len(problems.found)
    seed = settings["seed"] if is_whole(settings["seed"], 0, SEEDS - 1) else DEFAULTS["seed"]
    points, design = read_sweep(settings["sweep"], seed, problems, file.line_of)
    if len(problems.found) > before:
        _check_rule_axes(settings["sweep"], problems, file.line_of)
    axes = _policy_axes(settings, shelf, problems, file.line_of)
    if any(axis.startswith(OF_POLICY) for axis in points[0].values):
        points = [axes.renamed(point) for point in points]
    everywhere = Problems(problems.source)
    game_cell(game, everywhere, NO_AXES, file.line_of, shelf)
    told: dict[Problem, list[Point]] = {}
    cells = []
    for point in points:
        found = Problems(problems.source)
        cell = game_cell(game, found, point, file.line_of, shelf)
        if cell is not None:
            cells.append(cell)
            if settings.get("study") == "announce" and _nobody_announces(cell):
                found.add(
                    point.where.get("pot", "pot"),
                    "force_on_single makes everyone stand at the single pot, so nobody announces",
                    f'a pot above {cell.pot // UNITS_PER_STAKE} stakes, or study = "deals"',
                    file.line_of(point.where.get("pot", "pot")),
                )
            found.found += shelf.compile_problems(cell, is_by_tables(settings))
        for problem in found:
            told.setdefault(problem, []).append(point)
    problems.found += _told_once(told, everywhere)
    if design is not None and settings.get("study") == "announce" and "aim" in settings:
        what = "a study of one situation follows no figure, and a design has no indices without one"
        problems.add("aim", what, "leave aim out", file.line_of("aim"))
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
    if axes.names:
        settings["sweep"] = axes.renamed_sweep(settings["sweep"])
    return cells, design


def _policy_axes(
    settings: Mapping[str, Any], shelf: Shelf, problems: Problems, line_of: LineOf
) -> PolicyAxes:
    """The axes of the sweep that speak of policies; none where a policy cannot be had."""
    given = list(axis_values(settings["sweep"]))
    policies: dict[str, Policy] = {}
    if any(value.axis.startswith(OF_POLICY) for value in given):
        named = [settings["policies"], *(of.value for of in given if of.axis == "policies")]
        words = {word: None for value in named for word in _words_in(value)}
        found = {word: shelf.find(word) for word in words}
        if not any(isinstance(policy, tuple) for policy in found.values()):
            policies = {word: p for word, p in found.items() if not isinstance(p, tuple)}

    def wrong(key: str, what: str, hint: str = "") -> None:
        problems.add(key, what, hint, line_of(key))

    return PolicyAxes(given, policies, wrong)


def _check_rule_axes(sweep: Any, problems: Problems, line_of: LineOf) -> None:
    """Note values that no rule can have, where the sweep is such that no cell can be looked at."""
    told = {problem.key for problem in problems if problem.key.startswith("sweep.sobol.")}
    for axis, key, value in axis_values(sweep):
        if key in told:
            continue
        option = axis.removeprefix("rules.")
        options = {option: value} if option != axis else {}
        if axis == "rules" and isinstance(value, dict):
            options = value
        for option, of_option in options.items():
            fault = option_fault(option, of_option) if option in OPTIONS else None
            if fault:
                problems.add(key, *fault, line_of(key))


def _words_in(value: Any) -> list[str]:
    """The words that name policies, of a value that may be none."""
    words = value if isinstance(value, list) else [value]
    return [word for word in words if isinstance(word, str)]


def _told_once(told: Mapping[Problem, Sequence[Point]], everywhere: Problems) -> Iterator[Problem]:
    """Each problem with the first cell that has it, and how many more do.

    Of many of one key some are told, and then how many more there are; problems are put in the
    order of their lines, so that stands in the last of their lines.
    """
    like: Counter[tuple[str, str]] = Counter()
    lines: dict[tuple[str, str], list[int]] = {}
    for problem, points in told.items():
        like[problem.source, problem.key] += 1
        if like[problem.source, problem.key] > MOST_ALIKE:
            continue
        of_kind = lines.setdefault((problem.source, problem.key), [])
        of_kind += [problem.line] if problem.line is not None else []
        if points[0].values and problem not in everywhere.found:
            of_cell = f"in the cell {points[0].name}"
            if len(points) > 1:
                of_cell += f", and in {len(points) - 1:,} more"
            hint = f"{problem.hint}; {of_cell}" if problem.hint else of_cell
            problem = replace(problem, hint=hint)
        yield problem
    for (source, key), times in like.items():
        if times > MOST_ALIKE:
            more = f"and {times - MOST_ALIKE:,} more of the kind"
            yield Problem(source, max(lines[source, key], default=None), key, more)


def _nobody_announces(cell: Cell) -> bool:
    return cell.rules.force_on_single and cell.pot == cell.rules.single_pot(cell.players)
