"""What the commands do, for Python programs: tables come as pandas frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.problems import Problems

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.compare import Comparison
    from loo_sim.experiment import Experiment
    from loo_sim.records import CheckResult
    from loo_sim.report import ReportResult
    from loo_sim.runner.engines import Choice
    from loo_sim.runner.forecast import Forecast
    from loo_sim.strategy.advise import Advice
    from loo_sim.verification import Verification


Axes = Mapping[str, Sequence[Any] | str]
"""Axes of a sweep with their values, or a range ``from:to:step``."""

MOST_JOBS = 1024
"""Threads that a run may be given."""
MOST_CHUNKS = 2**32
"""Chunks that anybody may ask for."""


@dataclass(frozen=True)
class Result:
    """A result directory, read.

    Attributes
    ----------
    directory : Path
        Where it is.
    manifest : mapping
        What was run, on what, and how it ended.
    tables : mapping of str to DataFrame
        By name: those of the study, and ``chunks``.
    """

    directory: Path
    manifest: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class TuneResult:
    """What a search found.

    Attributes
    ----------
    directory : Path
        Where it is; the results of its rungs are in it.
    found : mapping
        The ``winner``, the ``plateau`` and the ``sentences`` on them, among others.
    table : DataFrame
        A row a candidate.
    """

    directory: Path
    found: Mapping[str, Any]
    table: pd.DataFrame


@dataclass(frozen=True)
class SolveResult:
    """A solved strategy.

    Attributes
    ----------
    directory : Path
        Where it is; ``policy.toml`` in it is the strategy as a policy.
    manifest : mapping
        What was solved, how, and whether the gains are as small as was asked for (``reached``).
    table : DataFrame
        Chances of each announcement by pot, situation and class of hands.
    gain : DataFrame
        A row a pot and seat: its value, and what leaving the strategy gains, in stakes a deal.
    """

    directory: Path
    manifest: Mapping[str, Any]
    table: pd.DataFrame
    gain: pd.DataFrame


@dataclass(frozen=True)
class ClaimsResult:
    """Claims that were put to the test.

    Attributes
    ----------
    directory : Path
        With the results of the parts in ``parts``.
    found : mapping
        What ``claims.json`` holds: the claims with their verdicts.
    cases : DataFrame
        A row a case: claim, circumstances, figure with its interval, and the side it is on.
    """

    directory: Path
    found: Mapping[str, Any]
    cases: pd.DataFrame


def run(
    path: str | Path,
    *,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = False,
    fresh: bool = False,
    fail_fast: bool = False,
    only_failed: bool = False,
    engine: str = "threads",
    scheduler: str | Path = "",
    axes: Axes | None = None,
    **settings: Any,
) -> Result:
    """Run an experiment file, or go on with what was begun; read what is done already.

    Parameters
    ----------
    path : str or Path
        The file.
    output : str or Path, optional
        Result directory; by default ``results/`` and the experiment's name.
    jobs : int, optional
        Threads, 1 to 1,024; by default one for each usable core.
    progress : bool
        Tell on stderr how far it has come.
    fresh : bool
        Start over, whatever is done or begun already.
    fail_fast : bool
        Stop at the first cell that fails; by default the others go on.
    only_failed : bool
        Run the cells that failed before, and no others.
    engine : str
        What counts: ``threads``, ``inline`` or ``dask``.
    scheduler : str
        Of dask: an address, a scheduler file or ``local:N``; by default local with a worker for
        each of `jobs`. Workers import the program's main module: keep what it runs below
        ``if __name__ == "__main__":``.
    axes : mapping of str to (list, or str), optional
        Axes of a sweep, in place of the file's or beside them, each with its values or a range that
        includes its end: ``{"players": [5, 6], "policies.mine.params.bluff": "0:1:0.1"}``.
    **settings
        Keys of the file to replace: ``players=8``, ``rules={"loo": 6}``.

    Returns
    -------
    Result
        Cells that failed are named in ``manifest["cells"]`` and have no rows.

    Raises
    ------
    InputError
        With everything that is wrong with the file, the settings or the number of threads; or if
        another experiment's result or work is in the way, or another process is at work on it.
    RuntimeError
        If every cell failed, or with `fail_fast` or `only_failed` some were not run; an older
        result is left as it was.
    KeyboardInterrupt
        If it was stopped; what was done by then is kept, and the same call goes on with it.
    OSError
        If writing fails while it runs, or the scheduler is gone; likewise.
    """
    from loo_sim.runner.manifest import FAILED, NOT_RUN
    from loo_sim.runner.progress import make_progress
    from loo_sim.runner.run import run_experiment

    choice = _engine("loo_sim.run", engine, scheduler)
    experiment = _experiment("loo_sim.run", path, jobs, axes, settings)
    ended = run_experiment(
        experiment,
        None if output is None else Path(output),
        jobs,
        make_progress(quiet=not progress, no_color=False),
        fresh=fresh,
        fail_fast=fail_fast,
        only_failed=only_failed,
        engine=choice,
    )
    if ended.stopped is not None:
        raise ended.stopped
    if ended.directory is None:
        cells = ended.manifest["cells"]
        not_run = sum(cell["status"] == NOT_RUN for cell in cells)
        what = f"{not_run} of {len(cells)} cells were not run" if not_run else "every cell failed"
        errors = [cell["error"] for cell in cells if cell["status"] == FAILED]
        raise RuntimeError(f"{what}: {errors[0]}" if errors else what)
    return read(ended.directory)


def try_claims(
    path: str | Path,
    *,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = False,
    fresh: bool = False,
    engine: str = "threads",
    scheduler: str | Path = "",
    **settings: Any,
) -> ClaimsResult:
    """Put a file of claims to the test, or go on with what was begun.

    Parameters
    ----------
    path : str or Path
        The file, whose study is ``claims``.
    output : str or Path, optional
        The directory; by default ``results/`` and the file's name.
    jobs, progress, fresh, engine, scheduler
        As `run` takes them.
    **settings
        ``seed``; ``deals`` or ``tables`` of all parts.

    Raises
    ------
    InputError
        With everything that is wrong.
    RuntimeError
        If a part has no finished cell.
    KeyboardInterrupt
        If it was stopped; the same call goes on with it.
    OSError
        If writing fails; likewise.
    """
    from loo_sim.claims.file import load_claims
    from loo_sim.claims.running import read_tried, try_claims
    from loo_sim.runner.progress import make_progress

    choice = _engine("loo_sim.try_claims", engine, scheduler)
    problems = Problems("loo_sim.try_claims")
    words = _words_of(jobs, settings, problems)
    problems.raise_if_any()
    tried = try_claims(
        load_claims(path, words),
        None if output is None else Path(output),
        jobs,
        make_progress(quiet=not progress, no_color=False),
        fresh=fresh,
        engine=choice,
    )
    if tried.stopped is not None:
        raise tried.stopped
    if tried.found is None:
        raise RuntimeError(f"a part has no finished cell: {tried.failed[0]}")
    return ClaimsResult(tried.directory, *read_tried(tried.directory))


def forecast(
    path: str | Path,
    *,
    output: str | Path | None = None,
    jobs: int | None = None,
    fresh: bool = False,
    only_failed: bool = False,
    axes: Axes | None = None,
    **settings: Any,
) -> Forecast:
    """What `run` would take with the same arguments, and what of it is there; nothing is written.

    Parameters
    ----------
    path, output, jobs, fresh, only_failed, axes, **settings
        As for `run`.

    Returns
    -------
    Forecast
        Expected ``seconds`` (as a short measurement has it), bytes of memory and disk.

    Raises
    ------
    InputError
        Where `run` would raise one.
    """
    from loo_sim.runner.forecast import forecast as forecast_run
    from loo_sim.runner.run import place_of

    experiment = _experiment("loo_sim.forecast", path, jobs, axes, settings)
    place = place_of(experiment, None if output is None else Path(output))
    return forecast_run(experiment, place, jobs, fresh=fresh, only_failed=only_failed)


def tune(
    path: str | Path,
    *,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = False,
    fresh: bool = False,
    least: bool = False,
    engine: str = "threads",
    scheduler: str | Path = "",
    axes: Axes | None = None,
    **settings: Any,
) -> TuneResult:
    """Search the cells of a sweep for the one whose main figure is largest, or go on with that.

    Successive halving on paired deals; those not told apart from the best are measured again on
    fresh deals (see docs/files.md).

    Parameters
    ----------
    path, output, jobs, progress, fresh, engine, scheduler, axes, **settings
        As for `run`; the directory is by default ``results/`` and the experiment's name with
        ``-tune``.
    least : bool
        Make the figure as small as possible.

    Returns
    -------
    TuneResult
        Candidates that failed are marked in its table.

    Raises
    ------
    InputError
        With everything that is wrong with the file or the settings, or that is in the way of a
        search.
    RuntimeError
        If every candidate failed.
    KeyboardInterrupt
        If it was stopped; what was done by then is kept, and the same call goes on with it.
    OSError
        If writing fails while it runs; likewise.
    """
    import pandas as pd

    from loo_sim.runner.progress import make_progress
    from loo_sim.tuning.place import TABLE
    from loo_sim.tuning.search import plan_search, run_search

    choice = _engine("loo_sim.tune", engine, scheduler)
    plan = plan_search(_experiment("loo_sim.tune", path, jobs, axes, settings), least)
    ended = run_search(
        plan,
        None if output is None else Path(output),
        jobs,
        make_progress(quiet=not progress, no_color=False),
        fresh=fresh,
        engine=choice,
    )
    table = pd.read_parquet(ended.directory / TABLE)
    return TuneResult(ended.directory, ended.found, table)


def solve(
    output: str | Path,
    *,
    players: int | None = None,
    pots: Sequence[float] = (),
    rules: str = "",
    policy: str = "",
    carry: str = "none",
    until: float | None = None,
    max_deals: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    progress: bool = False,
    fresh: bool = False,
) -> SolveResult:
    """Find a strategy of announcing near equilibrium, or go on with one that was broken off.

    Parameters
    ----------
    output : str or Path
        Directory of the strategy.
    players : int, optional
        Seats; 6 by default.
    pots : sequence of float
        Stakes in the pot when play begins; by default what the deal puts in.
    rules : str
        A preset and options, as ``peel,loo=3``.
    policy : str
        A name or path: how the cards are played is taken from it and held fixed.
    carry : str
        What a value counts of a pot that is left: ``none``, or ``equal``, a part for each player.
    until : float, optional
        Stakes a deal, of all seats together: what leaving the strategy may gain at most; at least
        it may gain a quarter of that.
    max_deals : int, optional
        Most deals to learn from, a pot. If the gains are larger then, the result says so.
    seed : int, optional
        0 to 2**64 - 1.
    jobs : int, optional
        Threads; by default one for each usable core.
    progress : bool
        Whether to tell on stderr how far it is.
    fresh : bool
        Start over, whatever is there.

    Raises
    ------
    InputError
        With everything that is wrong.
    KeyboardInterrupt
        If it was stopped; what was learned is kept, and the same call goes on with it.
    OSError
        If writing fails; likewise.
    """
    from loo_sim.result import read_tables
    from loo_sim.runner.progress import make_progress
    from loo_sim.settings import DEFAULTS, SEEDS
    from loo_sim.solution import GAIN, TABLE
    from loo_sim.strategy.request import MAX_DEALS, PLAY, UNTIL, request_of_words
    from loo_sim.strategy.solving import solve_all

    problems = Problems("loo_sim.solve")
    for key, value, least, most in (
        ("players", players, 1, 2**16),
        ("max_deals", max_deals, 1, MOST_CHUNKS),
        ("seed", seed, 0, SEEDS - 1),
        ("jobs", jobs, 1, MOST_JOBS),
    ):
        if value is not None:
            _check_whole(key, value, least, most, problems)
    problems.raise_if_any()
    request = request_of_words(
        players,
        [str(pot) for pot in pots],
        rules,
        policy or PLAY,
        carry,
        DEFAULTS["seed"] if seed is None else seed,
        UNTIL if until is None else until,
        MAX_DEALS if max_deals is None else max_deals,
    )
    told = make_progress(quiet=not progress, no_color=False)
    found = solve_all(request, Path(output), jobs, told, fresh)
    problems = Problems(str(found.directory))
    tables = read_tables(found.directory, problems, [TABLE, GAIN])
    problems.raise_if_any()
    return SolveResult(found.directory, found.manifest, tables[TABLE], tables[GAIN])


def read(directory: str | Path) -> Result:
    """Read a result directory.

    Raises
    ------
    InputError
        If it is none, or a table of it cannot be read.
    """
    from loo_sim.result import read_manifest, read_tables

    directory = Path(directory)
    manifest = read_manifest(directory)
    problems = Problems(str(directory))
    names = sorted(path.stem for path in directory.glob("*.parquet"))
    tables = read_tables(directory, problems, names)
    problems.raise_if_any()
    return Result(directory, manifest, tables)


def report(
    directory: str | Path,
    output: str | Path | None = None,
    figures: str | Path | None = None,
) -> ReportResult:
    """Write the strategy report of a result directory: one HTML page.

    With `figures` also a folder of each figure as PNG and SVG, and each table as CSV.

    Raises
    ------
    InputError
        If the directory is no result, or the folder holds anything else.
    """
    from loo_sim.report import write_report

    return write_report(
        Path(directory),
        None if output is None else Path(output),
        None if figures is None else Path(figures),
    )


def compare(
    a: str | Path, b: str | Path | None = None, cells: tuple[int, int] | None = None
) -> Comparison:
    """Set two results side by side: every figure of both, with its difference B - A.

    Parameters
    ----------
    a, b : str or Path
        Result directories; by default B is A.
    cells : (int, int), optional
        A cell of A and one of B, from 0; by default all that match.

    Returns
    -------
    Comparison
        Its ``tables`` have a row a figure.

    Raises
    ------
    InputError
        If one is no result, or not as it was written; if they are of different studies, or have no
        cell in common.
    """
    from loo_sim.compare import compare as compare_results
    from loo_sim.sweep import MOST_CELLS

    problems = Problems("loo_sim.compare")
    for cell in cells or ():
        _check_whole("cells", cell, 0, MOST_CELLS, problems)
    problems.raise_if_any()
    return compare_results(Path(a), Path(a if b is None else b), cells)


def verify(
    directory: str | Path,
    *,
    chunks: int | None = 8,
    seed: int | None = None,
    jobs: int | None = None,
) -> Verification:
    """Check a result: its files as they were written, chunks of it chosen at random recomputed.

    Parameters
    ----------
    directory : str or Path
        The result.
    chunks : int or None
        How many chunks to recompute; None for all.
    seed : int, optional
        Chooses the chunks; by default another each time.
    jobs : int, optional
        Threads, 1 to 1,024; by default one for each usable core.

    Returns
    -------
    Verification
        ``same`` if nothing differs.

    Raises
    ------
    InputError
        If it is no result, or one without checksums; or if its experiment cannot be had again.
    """
    from loo_sim.settings import SEEDS
    from loo_sim.verification import verify as verify_result

    problems = Problems("loo_sim.verify")
    for key, value, least, most in (
        ("chunks", chunks, 1, MOST_CHUNKS),
        ("seed", seed, 0, SEEDS - 1),
        ("jobs", jobs, 1, MOST_JOBS),
    ):
        if value is not None:
            _check_whole(key, value, least, most, problems)
    problems.raise_if_any()
    return verify_result(Path(directory), chunks, seed, jobs)


def deal(
    *,
    seed: int = 1,
    index: int = 0,
    players: int | None = None,
    pot: float | None = None,
    rules: str | None = None,
    policies: str | Sequence[str] = (),
) -> dict[str, Any]:
    """Play one deal and give its record (``loosim.deal/1``).

    Parameters
    ----------
    seed, index : int
        Which deal; each 0 to 2**64 - 1.
    players : int, optional
        Seats, 6 by default.
    pot : float, optional
        Stakes; by default what the deal puts in.
    rules : str, optional
        A preset and options, as ``peel,loo=3``.
    policies : str or sequence of str
        Names or paths: one for all, or one a seat.

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    from loo_sim.records import to_dict
    from loo_sim.runner.replay import cell_of_words, replay
    from loo_sim.settings import SEEDS

    problems = Problems("loo_sim.deal")
    _check_whole("seed", seed, 0, SEEDS - 1, problems)
    _check_whole("index", index, 0, SEEDS - 1, problems)
    if rules is not None and not isinstance(rules, str):
        problems.add("rules", f"{rules!r} is not text", 'as in "peel,loo=3"')
    if not isinstance(policies, str | list | tuple):
        problems.add("policies", f"{policies!r} is neither a policy nor a list of policies")
    problems.raise_if_any()
    words = [policies] if isinstance(policies, str) else policies
    return to_dict(replay(cell_of_words(players, pot, rules, words), seed, index))


def advise(
    hand: str | Sequence[str],
    turn_up: str,
    players: int | None = None,
    *,
    before: str | Sequence[str] = (),
    pot: float | None = None,
    rules: str | None = None,
    policies: str | Sequence[str] = (),
    lead: bool = False,
    until: float | None = None,
    max_deals: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
) -> Advice:
    """Say what each announcement is worth with a hand, given what was announced before.

    Parameters
    ----------
    hand : str or sequence of str
        Three cards: ``"Kh 7h 2c"``.
    turn_up : str
        The card turned up.
    players : int, optional
        Seats, 6 by default.
    before : str or sequence of str
        What each seat before announced: ``"fold,stand"``.
    pot : float, optional
        Stakes; by default what the deal puts in.
    rules : str, optional
        A preset and options, as ``peel,loo=3``.
    policies : str or sequence of str
        Names or paths of what the others follow: one for all, or one a seat.
    lead : bool
        Also say what each legal first lead is worth.
    until : float, optional
        Half-width of the 95 % interval of each value in stakes, 0.05 by default.
    max_deals : int, optional
        Deals drawn at most, kept or not; 20,000,000 by default.
    seed : int, optional
        0 to 2**64 - 1; 1 by default. The answer is the same whatever `jobs`.
    jobs : int, optional
        Threads, 1 to 1,024; by default one for each usable core.

    Returns
    -------
    Advice
        Its ``table`` has a row an announcement; ``reached`` says whether `until` was.

    Raises
    ------
    InputError
        With everything that is wrong; if the seat has nothing to choose; or if a seat before never
        announces what it did.
    KeyboardInterrupt
        If it was stopped.
    """
    from loo_sim.runner.progress import Progress
    from loo_sim.strategy.advise import advice

    found = advice(
        "loo_sim.advise",
        hand,
        turn_up,
        players,
        before=before,
        pot=pot,
        rules=rules,
        policies=policies,
        lead=lead,
        until=until,
        max_deals=max_deals,
        seed=seed,
        jobs=jobs,
        progress=Progress(),
    )
    if found.stop is not None:
        raise found.stop
    return found


def check(path: str | Path) -> CheckResult:
    """Check a file of deal records against the rules.

    Raises
    ------
    InputError
        If a line is no deal record.
    """
    from loo_sim.records import check_file

    return check_file(Path(path))


def _engine(caller: str, engine: str, scheduler: str | Path) -> Choice:
    """What counts, checked."""
    from loo_sim.runner.engines import chosen

    problems = Problems(caller)
    choice = chosen(engine, str(scheduler) if isinstance(scheduler, Path) else scheduler, problems)
    problems.raise_if_any()
    return choice


def _words_of(jobs: int | None, settings: Mapping[str, Any], problems: Problems) -> list[str]:
    """Settings as ``-s`` takes them; the number of threads is checked too."""
    if jobs is not None:
        _check_whole("jobs", jobs, 1, MOST_JOBS, problems)
    return [f"{key}={_toml(key, value, problems)}" for key, value in settings.items()]


def _experiment(
    caller: str,
    path: str | Path,
    jobs: int | None,
    axes: Axes | None,
    settings: Mapping[str, Any],
) -> Experiment:
    """The experiment of a file, some keys of it replaced; the number of threads is checked too."""
    from loo_sim.experiment import load_experiment

    problems = Problems(caller)
    words = _words_of(jobs, settings, problems)
    swept = []
    if axes is not None and not isinstance(axes, Mapping):
        problems.add("axes", f"{axes!r} is no mapping of axes", '{"players": [5, 6]}')
        axes = None
    for axis, values in (axes or {}).items():
        if isinstance(values, str):
            swept.append(f"{axis}={values}")
        elif isinstance(values, list | tuple | range):
            swept.append(f"{axis}={','.join(_toml(axis, value, problems) for value in values)}")
        else:
            problems.add(axis, f"{values!r} is neither a list of values nor a range", '"0:1:0.1"')
    problems.raise_if_any()
    return load_experiment(path, words, swept)


def _check_whole(key: str, value: Any, least: int, most: int, problems: Problems) -> None:
    """Note a value that is no whole number from `least` to `most`."""
    from loo_sim.settings import is_whole

    if not is_whole(value, least, most):
        problems.add(key, f"{value!r} is not a whole number from {least} to {most:,}")


def _toml(key: str, value: Any, problems: Problems) -> str:
    """A value as TOML writes it; noted if it has no such form."""
    from loo_sim.tomlwrite import as_toml

    try:
        return as_toml(value)
    except TypeError as error:
        problems.add(key, str(error))
        return ""
