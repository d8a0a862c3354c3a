"""Runs a search: each rung an ordinary run in a folder of its own, the plateau on fresh deals."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from loo_sim.experiment import Experiment
from loo_sim.problems import Problems
from loo_sim.runner.durable import digest_of_file, write_durably
from loo_sim.runner.engines import THREADS, Choice
from loo_sim.runner.identity import Identity, identity_of
from loo_sim.runner.manifest import FAILED
from loo_sim.runner.plan import CHUNKS
from loo_sim.runner.progress import Progress
from loo_sim.runner.results import seal
from loo_sim.runner.run import RESULTS, run_experiment
from loo_sim.settings import DEFAULT_DEALS, DEFAULT_TABLES, SEEDS, Amount
from loo_sim.studies import Study, find_study
from loo_sim.studies.paired import Pieces
from loo_sim.tomlwrite import as_toml
from loo_sim.tuning.figure import Sought, read_pieces, sought_figure
from loo_sim.tuning.halving import MOST_AGAIN, Rung, Search, judge, schedule, search
from loo_sim.tuning.place import FOUND, FRESH, TABLE, is_of_others, rung_name, take


class AllFailedError(RuntimeError):
    """Not one candidate could be measured."""


class Plan(NamedTuple):
    """A search that can be made.

    Attributes
    ----------
    experiment : Experiment
        Its cells are the candidates.
    sought : Sought
        The figure.
    least : bool
        Whether the smallest is sought.
    rungs : list of Rung
    """

    experiment: Experiment
    sought: Sought
    least: bool
    rungs: list[Rung]

    @property
    def sign(self) -> int:
        """1 if the largest is sought, -1 if the smallest."""
        return -1 if self.least else 1

    @property
    def superlative(self) -> str:
        """What the winner is called: of a figure that is no gain it only is the largest."""
        if self.least:
            return "smallest"
        return "best" if self.sought.is_gain else "largest"


@dataclass(frozen=True)
class Tuned:
    """A search that ended.

    Attributes
    ----------
    directory : Path
    found : mapping
        What ``tune.json`` holds.
    failed : mapping of str to str
        What went wrong, by the failed candidate in words.
    """

    directory: Path
    found: Mapping[str, Any]
    failed: Mapping[str, str]


def plan_search(experiment: Experiment, least: bool) -> Plan:
    """See that a search over the cells of an experiment can be made.

    Parameters
    ----------
    experiment : Experiment
        Its cells are the candidates.
    least : bool
        Whether the smallest figure is sought.

    Raises
    ------
    InputError
        With everything that is in the way.
    """
    problems = Problems(str(experiment.path))
    study = find_study(experiment.study)
    cells = experiment.cells
    sought = None
    if not cells[0].axes:
        what = "there is no axis to search along"
        problems.add("sweep", what, "give --axis KEY=VALUES, or [sweep] in the file")
    else:
        if len(cells) < 2:
            what = "there is one candidate, and nothing to search"
            problems.add("sweep", what, "give an axis two values at least")
        sought = sought_figure(experiment, problems)
    unit = experiment.unit
    if experiment.amount.until is not None:
        what = f"a search says how many {unit} the last rung has, not until when it goes on"
        usual = DEFAULT_TABLES if unit == "tables" else DEFAULT_DEALS
        problems.add("until", what, f"{unit} = {usual} in its place")
    fewest = _fewest(experiment, study)
    if experiment.amount.until is None and experiment.amount.most < fewest:
        what = f"{experiment.amount.most:,} {unit} are too few to tell candidates apart"
        problems.add(unit, what, f"{fewest:,} at least")
    problems.raise_if_any()
    assert sought is not None
    return Plan(experiment, sought, least, schedule(len(cells), experiment.amount.most, fewest))


def _fewest(experiment: Experiment, study: Study) -> int:
    """Deals (or tables) that are cut into `CHUNKS` chunks; of fewer, errors are known badly."""
    longest = min(study.chunk_length(cell) for cell in experiment.cells)
    return CHUNKS * min(study.SHORTEST_CHUNK, longest)


def place_of_search(experiment: Experiment, output: Path | None) -> Path:
    """Where a search goes: where the user says, or to ``results/``, beside the result of a run."""
    return (output or RESULTS / f"{experiment.name}-tune").resolve()


def run_search(
    plan: Plan,
    output: Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    verbose: bool = False,
    *,
    fresh: bool = False,
    engine: Choice = THREADS,
) -> Tuned:
    """Search, or go on with what was begun.

    The rungs share the experiment's seed: a rung's deals are among those of the next. The fresh
    deals are those of the next whole number for a seed (0 after the largest).

    Parameters
    ----------
    plan : Plan
        As `plan_search` gives it.
    output : Path, optional
        The search's place; by default ``results/`` and the experiment's name with ``-tune``.
    jobs : int, optional
        Threads; by default one for each usable core.
    progress : Progress, optional
        By default nothing is told.
    verbose : bool
        Tell the traceback of a failed cell.
    fresh : bool
        Start over.
    engine : Choice
        What counts; by default threads of this process.

    Returns
    -------
    Tuned

    Raises
    ------
    InputError
        If anything else is in the search's place, or a rung cannot be run.
    AllFailedError
        If not one candidate could be measured.
    KeyboardInterrupt
        If it was stopped; the same call goes on with it.
    OSError
        If writing fails; likewise.
    """
    from loo_sim.tuning.found import as_json, table_of

    directory = place_of_search(plan.experiment, output)
    progress = progress or Progress()
    for path in take(directory, search_identity(plan), len(plan.rungs), fresh):
        progress.say(f"{path} was altered or broken off: what it held is done again")
    runs = _Runs(plan, directory, jobs, progress, verbose, fresh, engine)
    found = search(plan.rungs, runs.rung, plan.sign)
    if found is None:
        raise AllFailedError(f"every candidate failed: {next(iter(runs.failed.values()))}")
    again = judge(runs.again(found), found.winner, plan.sign)
    failed = sorted(runs.failed)
    content = as_json(plan, found, again, failed)
    write_durably(directory / TABLE, [table_of(plan, found, again, failed)])
    content["table"] = digest_of_file(directory / TABLE)
    seal(content)
    write_durably(directory / FOUND, [json.dumps(content, indent=2).encode() + b"\n"])
    cells = plan.experiment.cells
    return Tuned(directory, content, {cells[one].name: runs.failed[one] for one in failed})


def search_identity(plan: Plan) -> Identity:
    """What makes two searches the same search."""
    return {"least": plan.least, **identity_of(plan.experiment)}


def fresh_seed(seed: int) -> int:
    """The seed of the fresh deals: no deal of it is one of the search's seed."""
    return (seed + 1) % SEEDS


def part_of(experiment: Experiment, left: Sequence[int], amount: int, seed: int) -> Experiment:
    """The experiment of a rung: some of the cells, on so many deals of a seed.

    Parameters
    ----------
    experiment : Experiment
        The search's.
    left : sequence of int
        Numbers of the cells.
    amount : int
        Deals, or tables, of each.
    seed : int
        Of the deals.
    """
    cells = tuple(experiment.cells[number] for number in left)
    changed = {
        experiment.unit: amount,
        "seed": seed,
        "sweep": {"zip": {axis: [cell.axes[axis] for cell in cells] for axis in cells[0].axes}},
    }
    words = tuple(f"{key}={as_toml(value)}" for key, value in changed.items())
    return replace(
        experiment,
        seed=seed,
        amount=Amount(amount),
        cells=cells,
        overrides=(*experiment.overrides, *words),
        axes=(),
        settings={**experiment.settings, **changed},
    )


class _Runs:
    """The runs of a search, one after another, and which cells failed in them."""

    def __init__(
        self,
        plan: Plan,
        directory: Path,
        jobs: int | None,
        progress: Progress,
        verbose: bool,
        fresh: bool,
        engine: Choice,
    ) -> None:
        self.engine = engine
        self.plan, self.directory = plan, directory
        self.jobs, self.progress, self.verbose, self.fresh = jobs, progress, verbose, fresh
        self.failed: dict[int, str] = {}

    def rung(self, number: int, left: Sequence[int], amount: int) -> dict[int, Pieces]:
        """The figure of candidates in a rung, by chunks."""
        of = f"rung {number} of {len(self.plan.rungs)}"
        return self._run(of, rung_name(number), left, amount, self.plan.experiment.seed)

    def again(self, found: Search) -> dict[int, Pieces]:
        """The figure of the plateau on fresh deals, by chunks."""
        left = sorted(found.plateau[:MOST_AGAIN])
        experiment = self.plan.experiment
        seed = fresh_seed(experiment.seed)
        return self._run("fresh deals", FRESH, left, experiment.amount.most, seed)

    def _run(
        self, what: str, folder: str, left: Sequence[int], amount: int, seed: int
    ) -> dict[int, Pieces]:
        part = part_of(self.plan.experiment, left, amount, seed)
        place = self.directory / folder
        many = "1 candidate" if len(left) == 1 else f"{len(left):,} candidates"
        self.progress.say(f"{what}: {many}, {amount:,} {part.unit} each")
        over = self.fresh or is_of_others(place, identity_of(part))
        ended = run_experiment(
            part,
            place,
            self.jobs,
            self.progress,
            self.verbose,
            fresh=over,
            engine=self.engine,
        )
        if ended.stopped is not None:
            raise ended.stopped
        cells = ended.manifest["cells"]
        for number, cell in zip(left, cells, strict=True):
            if cell["status"] == FAILED:
                self.failed[number] = cell["error"]
        if ended.directory is None:
            return {}
        pieces = read_pieces(ended.directory, ended.manifest, self.plan.sought)
        return {left[place]: of_cell for place, of_cell in pieces.items()}
