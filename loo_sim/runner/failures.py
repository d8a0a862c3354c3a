"""Which cells failed: kept beside the work of a run that ended before all others were done.

One file of the partial folder, named after the first of them: ``cell-N.failed``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from loo_sim.problems import InputError
from loo_sim.runner.durable import digest_of, read_record, write_record
from loo_sim.runner.identity import Identity
from loo_sim.runner.manifest import FAILED, CellOutcome
from loo_sim.runner.results import refuse


def write_failures(folder: Path, identity: Identity, failed: Mapping[int, CellOutcome]) -> None:
    """Keep what befell the cells that failed, in place of what was kept before.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    older = set(folder.glob("cell-*.failed"))
    if failed:
        path = folder / f"cell-{min(failed)}.failed"
        cells = {number: [of.seconds, of.error] for number, of in sorted(failed.items())}
        write_record(path, {"identity": digest_of(identity), "cells": cells})
        older.discard(path)
    for path in older:
        path.unlink()


def failures_of(
    folder: Path, identity: Identity, finished: Mapping[str, Any] | None, done: Iterable[int]
) -> dict[int, CellOutcome]:
    """The cells of a run that failed and were not done since.

    Parameters
    ----------
    folder : Path
        The partial folder.
    identity : dict
        Of the run.
    finished : mapping or None
        Manifest of its result in place.
    done : iterable of int
        Cells that are done.
    """
    found: dict[int, CellOutcome] = {}
    for number, cell in enumerate(finished["cells"] if finished else ()):
        if cell["status"] == FAILED:
            found[number] = CellOutcome(FAILED, cell["seconds"], cell["error"])
    for path in folder.glob("cell-*.failed"):
        record = read_record(path)
        if record is not None and record["identity"] == digest_of(identity):
            for number, (seconds, error) in record["cells"].items():
                found[int(number)] = CellOutcome(FAILED, seconds, error)
    return {number: found[number] for number in sorted(found.keys() - set(done))}


class NoFailuresError(InputError):
    """Only cells that failed are to be run, and there are none."""


def no_failures(directory: Path) -> NoFailuresError:
    """The error where only cells that failed are to be run, and there are none."""
    hint = "without --only-failed all that is left is run"
    return NoFailuresError(refuse(directory, "has no cell that failed", hint).problems)
