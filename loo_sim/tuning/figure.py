"""The figure that a search makes as large as possible: which one a study has, read by chunks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from loo_sim.policy_axes import split_axis
from loo_sim.problems import Problems
from loo_sim.settings import is_by_tables
from loo_sim.sweep import OF_POLICY

if TYPE_CHECKING:
    from loo_sim.experiment import Experiment
    from loo_sim.studies.paired import Pieces

_COLUMNS = ("figure", "chunk", "n", "deals", "mean")
"""Of the table ``running``."""

_WORDS = {
    "deals": ("the mean change of the pot", "stakes a deal"),
    "announce": ("what the miss is worth more than standing to seat 0, over all hands", "stakes"),
    "lead": ("what the lowest first lead is worth more than the highest", "stakes"),
    "session": ("the mean pot", "stakes"),
}


class Sought(NamedTuple):
    """A figure that is sought.

    Attributes
    ----------
    words, unit : str
        What it is, for the middle of a sentence.
    terms : tuple of (str, int)
        Figures that are followed through the work, each with a sign: it is their mean.
    is_gain : bool
        Whether it says how well a policy does.
    """

    words: str
    unit: str
    terms: tuple[tuple[str, int], ...]
    is_gain: bool


def sought_figure(experiment: Experiment, problems: Problems) -> Sought | None:
    """The figure that a search over the cells of an experiment seeks.

    In a league it is what the policy whose numbers the axes give gets more than the others of the
    league on average; else the figure by which the study's cells are compared.

    Parameters
    ----------
    experiment : Experiment
        With axes.
    problems : Problems
        Where it is noted that there is none.
    """
    from loo_sim.studies import find_study

    if experiment.study == "league":
        return _gain(experiment, problems)
    main = find_study(experiment.study).MAIN
    if not main:
        problems.add("study", f'the study "{experiment.study}" has no figure to compare cells by')
        return None
    if any(cell.aim is not None for cell in experiment.cells):
        what = "a study of one situation follows no figure by which cells are compared"
        problems.add("aim", what, "leave aim out")
        return None
    return Sought(*_WORDS[experiment.study], ((main, 1),), is_gain=False)


def _gain(experiment: Experiment, problems: Problems) -> Sought | None:
    axes = experiment.cells[0].axes
    others = [axis for axis in axes if not axis.startswith(OF_POLICY)]
    varied = dict.fromkeys(parts[0] for axis in axes if (parts := split_axis(axis)))
    for axis in others:
        problems.add(
            axis,
            "a league is searched over the numbers of one policy, and this is none",
            f"one search for each value: -s {axis}=...",
        )
    if len(varied) > 1:
        what = f"the axes vary {len(varied)} policies of the league: {', '.join(varied)}"
        problems.add("sweep", what, "one search for each")
    if others or len(varied) != 1:
        return None
    (name,) = varied
    names = [policy.name for policy in experiment.cells[0].policies]
    place = names.index(name)
    terms = tuple(
        (f"{name} minus {rival}", 1) if other < place else (f"{rival} minus {name}", -1)
        for other, rival in enumerate(names)
        if other != place
    )
    rivals = [rival for rival in names if rival != name]
    field = rivals[0] if len(rivals) == 1 else f"its {len(rivals)} rivals on average"
    by_tables = is_by_tables(experiment.settings)
    unit = "stakes a table and person" if by_tables else "stakes a deal and seat"
    return Sought(f"what {name} gets more than {field}", unit, terms, is_gain=True)


def read_pieces(directory: Path, manifest: Mapping[str, Any], sought: Sought) -> dict[int, Pieces]:
    """The figure by chunks of the work, of each cell of a result that did not fail.

    Parameters
    ----------
    directory : Path
        The result.
    manifest : mapping
        Its own.
    sought : Sought
        The figure.

    Returns
    -------
    dict of int to Pieces
        By the cell's number.
    """
    import numpy as np
    import pandas as pd

    from loo_sim.studies.paired import Pieces, average, followed_rows

    running = pd.read_parquet(directory / "running.parquet", columns=[*_COLUMNS])
    # Rows are known by their cell's number: axes of two cells may be written alike.
    rows = [cell["rows"].get("running", 0) for cell in manifest["cells"]]
    running["cell"] = np.repeat(np.arange(len(rows)), rows)
    games: dict[int, list[Pieces]] = {}
    for figure, sign in sought.terms:
        of = followed_rows(running, figure).sort_values(["cell", "chunk"])
        columns = (
            of["chunk"].to_numpy(np.int64),
            of["deals"].to_numpy(np.float64),
            sign * of["mean"].to_numpy(np.float64),
        )
        numbers, starts = np.unique(of["cell"].to_numpy(), return_index=True)
        parts = zip(*(np.split(column, starts[1:]) for column in columns), strict=True)
        for number, part in zip(numbers.tolist(), parts, strict=True):
            games.setdefault(number, []).append(Pieces(*part))
    return {number: average(of_cell) for number, of_cell in games.items()}
