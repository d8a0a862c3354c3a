"""What the commands do, for Python programs: tables come as pandas frames."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.records import CheckResult
    from loo_sim.report import ReportResult


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
        By name: ``deals``, ``pot``, ``swings``, or ``announce``.
    """

    directory: Path
    manifest: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]


def run(
    path: str | Path,
    *,
    output: str | Path | None = None,
    jobs: int | None = None,
    progress: bool = False,
    **settings: Any,
) -> Result:
    """Run an experiment file.

    Parameters
    ----------
    path : str or Path
        The file.
    output : str or Path, optional
        Result directory; by default ``results/`` and the experiment's name.
    jobs : int, optional
        Threads; by default one for each usable core.
    progress : bool
        Tell on stderr how far it has come.
    **settings
        Keys of the file to replace: ``players=8``, ``rules={"loo": 6}``.

    Returns
    -------
    Result
        Cells that failed are named in ``manifest["cells"]`` and have no rows.

    Raises
    ------
    InputError
        With everything that is wrong with the file or the settings.
    KeyboardInterrupt
        If it was stopped; the cells finished by then are in the result directory.
    """
    from loo_sim.experiment import load_experiment
    from loo_sim.runner.progress import make_progress
    from loo_sim.runner.run import run_experiment

    experiment = load_experiment(path, [f"{key}={_toml(value)}" for key, value in settings.items()])
    ended = run_experiment(
        experiment,
        None if output is None else Path(output),
        jobs,
        make_progress(quiet=not progress, no_color=False),
    )
    if ended.stopped is not None:
        raise ended.stopped
    assert ended.directory is not None
    return read(ended.directory)


def read(directory: str | Path) -> Result:
    """Read a result directory.

    Raises
    ------
    InputError
        If it is none.
    """
    import pandas as pd

    from loo_sim.report.result import read_manifest

    directory = Path(directory)
    manifest = read_manifest(directory)
    tables = {path.stem: pd.read_parquet(path) for path in sorted(directory.glob("*.parquet"))}
    return Result(directory, manifest, tables)


def report(directory: str | Path, output: str | Path | None = None) -> ReportResult:
    """Write the strategy report of a result directory: one HTML page.

    Raises
    ------
    InputError
        If the directory is no result.
    """
    from loo_sim.report import write_report

    return write_report(Path(directory), None if output is None else Path(output))


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
        Which deal.
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

    words = [policies] if isinstance(policies, str) else policies
    return to_dict(replay(cell_of_words(players, pot, rules, words), seed, index))


def check(path: str | Path) -> CheckResult:
    """Check a file of deal records against the rules.

    Raises
    ------
    InputError
        If a line is no deal record.
    """
    from loo_sim.records import check_file

    return check_file(Path(path))


def _toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)
