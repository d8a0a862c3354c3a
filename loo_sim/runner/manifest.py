"""The manifest of a result: everything needed to repeat and to judge it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim import __version__
from loo_sim.experiment import Cell, Experiment
from loo_sim.machine import machine, versions
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.runner.durable import digest_of
from loo_sim.runner.engines import Choice
from loo_sim.runner.identity import Identity
from loo_sim.runner.results import SCHEMA

if TYPE_CHECKING:
    from loo_sim.policies.policy import Policy

DONE, FAILED, INTERRUPTED, NOT_RUN = "done", "failed", "interrupted", "not run"
"""What may have become of a cell. A result has no cells but done and failed ones."""


@dataclass(frozen=True)
class CellOutcome:
    """What became of a cell.

    Attributes
    ----------
    status : str
        ``done``, ``failed``, ``interrupted`` or ``not run``.
    seconds : float
        Time taken, that of runs broken off included.
    error : str
        What went wrong; empty if nothing did.
    headline : list of mapping
        Its few figures in rows, by the titles of their columns: how each is told, its unrounded
        value and its standard error.
    rows : mapping of str to int
        How many rows of each table are its own.
    deals : int
        Deals (or tables) counted; 0 unless it is done.
    precision : mapping or None
        What the experiment's `until` came to: the ``half_width`` in stakes (None if unknown),
        whether it was ``reached``, and the deals at each of the ``checkpoints``.
    """

    status: str
    seconds: float
    error: str = ""
    headline: Sequence[Mapping[str, Any]] = ()
    rows: Mapping[str, int] = field(default_factory=dict)
    deals: int = 0
    precision: Mapping[str, Any] | None = None


def make_manifest(
    experiment: Experiment,
    identity: Identity,
    outcomes: Sequence[CellOutcome],
    axes: Sequence[Mapping[str, Any]],
    output: Path | None,
    engine: Choice,
    jobs: int,
    started: datetime,
) -> dict[str, Any]:
    """The manifest, all but the digests of the tables and its own.

    Parameters
    ----------
    experiment : Experiment
        What was run.
    identity : dict
        The same, as it is told from other runs.
    outcomes : sequence of CellOutcome
        One a cell.
    axes : sequence of mapping
        For each cell, its axes as its tables hold them.
    output : Path or None
        The result's place, if the user gave it.
    engine : Choice
        What counted.
    jobs : int
        Its threads, or workers.
    started : datetime
        In UTC; of the run that ends here, whatever earlier ones did.

    Returns
    -------
    dict
        Ready for JSON.
    """
    from loo_sim.kernels import digest

    finished = datetime.now(UTC)
    policies = _Policies()
    return {
        "schema": SCHEMA,
        "version": __version__,
        "name": experiment.name,
        "study": experiment.study,
        "status": _status(outcomes),
        "seed": experiment.seed,
        "units_per_stake": UNITS_PER_STAKE,
        "command": command(experiment, output, engine),
        "experiment": dict(experiment.settings),
        "identity": identity,
        "cells": [
            _cell(cell, outcome, of_axes, policies)
            for cell, outcome, of_axes in zip(experiment.cells, outcomes, axes, strict=True)
        ],
        "policy_files": _policy_files(experiment),
        "digests": {
            "rules": digest_of([cell.rules.to_dict() for cell in experiment.cells]),
            "policies": digest_of([[p.digest for p in cell.policies] for cell in experiment.cells]),
            "kernels": digest(),
        },
        "versions": versions(),
        "machine": machine(),
        "engine": engine.engine,
        "jobs": jobs,
        "started": started.isoformat(timespec="seconds"),
        "finished": finished.isoformat(timespec="seconds"),
        "seconds": round((finished - started).total_seconds(), 3),
    }


def _status(outcomes: Sequence[CellOutcome]) -> str:
    found = {outcome.status for outcome in outcomes}
    if found & {INTERRUPTED, NOT_RUN}:
        return INTERRUPTED
    return FAILED if FAILED in found else DONE


def _cell(
    cell: Cell, outcome: CellOutcome, axes: Mapping[str, Any], policies: _Policies
) -> dict[str, Any]:
    return {
        "axes": dict(axes),
        "players": cell.players,
        "pot": cell.pot / UNITS_PER_STAKE,
        "pot_units": cell.pot,
        "rounds": cell.rounds,
        "bankroll": cell.bankroll,
        "rules": cell.rules.to_dict(),
        "policies": [policies.told(policy) for policy in cell.policies],
        "deals": outcome.deals,
        "status": outcome.status,
        "seconds": round(outcome.seconds, 3),
        "error": outcome.error,
        "headline": list(outcome.headline),
        "difference": None,
        "rows": dict(outcome.rows),
        "precision": outcome.precision,
    }


class _Policies(dict[int, dict[str, Any]]):
    """Policies as cells name them: one mapping for all seats and cells, since there may be many.

    By their identity in memory, which they keep as long as the experiment is there.
    """

    def told(self, policy: Policy) -> dict[str, Any]:
        """What is said of a policy."""
        if id(policy) not in self:
            self[id(policy)] = {
                "name": policy.name,
                "digest": policy.digest,
                "source": _source(policy),
                "changes": dict(policy.changes),
            }
        return self[id(policy)]


def _policy_files(experiment: Experiment) -> dict[str, str]:
    """The text of each policy file that is not built in, by its whole path.

    The run can be repeated with it after the file has been changed or lost.
    """
    texts = {
        policy.source: policy
        for cell in experiment.cells
        for policy in cell.policies
        if not _is_builtin(policy)
    }
    return {_source(policy): policy.text for policy in texts.values()}


def _source(policy: Policy) -> str:
    """What names the policy from anywhere: a built-in name, or the whole path of a file."""
    path = Path(policy.source)
    return path.stem if _is_builtin(policy) else str(path.resolve())


def _is_builtin(policy: Policy) -> bool:
    from loo_sim.policies.parse import BUILTIN

    return Path(policy.source).parent == BUILTIN


def whole_of(part: Path) -> Path:
    """The directory of claims that a part's result lies in."""
    return part.parent.parent


def command(
    experiment: Experiment,
    output: Path | None,
    engine: Choice,
    verb: str = "",
    options: Sequence[str] = (),
) -> str:
    """The command that repeats the run, or resumes it; or does another thing with the experiment.

    Parameters
    ----------
    experiment, output, engine
        As `make_manifest` takes them.
    verb : str
        The other thing; empty for a run.
    options : sequence of str
        What else it is told.
    """
    verb = verb or ("sweep" if experiment.axes else "run")
    words = ["loosim", verb, str(experiment.path)]
    for override in experiment.overrides:
        words += ["-s", override]
    for axis in experiment.axes:
        words += ["--axis", axis]
    words += options
    if experiment.part and output is not None:
        output = whole_of(output)
    if output is not None:
        words += ["-o", str(output)]
    words += engine.words
    return shlex.join(words)
