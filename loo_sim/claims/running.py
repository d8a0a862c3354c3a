"""Puts a file of claims to the test: runs its parts, judges, writes what was found.

The directory of a test of claims:

=======================  ===========================================================
``parts/NAME``           the result of each part, as ``loosim run`` writes it
``cases.parquet``        a row a case: claim, circumstances, figure, interval, side
``claims.json``          the claims with their verdicts, written last
=======================  ===========================================================
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim import __version__
from loo_sim.claims.cases import WHAT, Judged, Tested
from loo_sim.claims.file import ClaimsFile
from loo_sim.claims.told import circumstances, verdict_in_words
from loo_sim.claims.verdict import LEVEL, Verdict, quantile_of
from loo_sim.machine import machine, versions
from loo_sim.problems import Problems
from loo_sim.result import CLAIMS_FOUND, PARTS, read_manifest
from loo_sim.runner.durable import digest_of_file, write_durably
from loo_sim.runner.engines import THREADS, Choice
from loo_sim.runner.failures import NoFailuresError
from loo_sim.runner.manifest import FAILED, command
from loo_sim.runner.progress import Progress
from loo_sim.runner.results import MANIFEST, is_sealed, partial_of, refuse, seal
from loo_sim.runner.run import RESULTS, Run, run_experiment

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = "loosim.claims/1"
FOUND, TABLE = CLAIMS_FOUND, "cases.parquet"


@dataclass(frozen=True)
class Tried:
    """A test of claims that ended, or was stopped.

    Attributes
    ----------
    directory : Path
    found : mapping or None
        What ``claims.json`` holds; None if a part was stopped, was not run, or has no finished
        cell.
    ended : mapping of str to Run
        The runs of the parts, as far as they came.
    stopped : KeyboardInterrupt or None
    """

    directory: Path
    found: Mapping[str, Any] | None
    ended: Mapping[str, Run]
    stopped: KeyboardInterrupt | None = None

    @property
    def failed(self) -> list[str]:
        """Cells that failed, in words."""
        return [
            f"{name}: {', '.join(f'{axis} = {value}' for axis, value in cell['axes'].items())}: "
            f"{cell['error']}"
            for name, run in self.ended.items()
            for cell in run.manifest["cells"]
            if cell["status"] == FAILED
        ]


def place_of_claims(claims: ClaimsFile, output: Path | None) -> Path:
    """Where a test of claims goes: where the user says, or to ``results/``."""
    return (output or RESULTS / claims.name).resolve()


def command_of(claims: ClaimsFile, output: Path | None, engine: Choice) -> str:
    """The command that repeats the test, or goes on with it."""
    part = next(iter(claims.parts.values()))
    return command(part, None if output is None else output / PARTS / part.part, engine)


def is_tried(directory: Path) -> bool:
    """Whether a directory is one of claims that were put to the test."""
    return (directory / FOUND).is_file()


def try_claims(
    claims: ClaimsFile,
    output: Path | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    verbose: bool = False,
    *,
    fresh: bool = False,
    fail_fast: bool = False,
    only_failed: bool = False,
    engine: Choice = THREADS,
) -> Tried:
    """Run the parts, or go on with them, and judge the claims.

    Parameters
    ----------
    claims : ClaimsFile
        The parts to run and the claims.
    output : Path, optional
        The directory; by default ``results/`` and the file's name.
    jobs, progress, verbose, fresh, fail_fast, only_failed, engine
        As `run_experiment` takes them, for each part; with `only_failed` a part without failed
        cells is left as it is.

    Raises
    ------
    InputError
        If anything else is in the directory, a part cannot be run, or only failed cells are to be
        run and no part has any.
    OSError
        If writing fails; the same call goes on with what is done.
    """
    directory = place_of_claims(claims, output)
    progress = progress or Progress()
    _check_place(directory)
    ended: dict[str, Run] = {}
    nothing_failed: list[NoFailuresError] = []
    for number, (name, part) in enumerate(claims.parts.items(), start=1):
        progress.say(f"part {number} of {len(claims.parts)}: {name}")
        place = directory / PARTS / name
        try:
            run = run_experiment(
                part,
                place,
                jobs,
                progress,
                verbose,
                fresh=fresh,
                fail_fast=fail_fast,
                only_failed=only_failed,
                engine=engine,
            )
        except NoFailuresError as error:
            nothing_failed.append(error)
            if not (place / MANIFEST).is_file() or partial_of(place).exists():
                continue  # one that has not ended yet is left so
            run = run_experiment(part, place, jobs, progress, verbose, engine=engine)
        ended[name] = run
        if run.stopped is not None:
            return Tried(directory, None, ended, run.stopped)
    if len(nothing_failed) == len(claims.parts):
        raise nothing_failed[0]
    if len(ended) < len(claims.parts) or any(run.directory is None for run in ended.values()):
        return Tried(directory, None, ended)

    from loo_sim.claims.cases import judge_claims

    progress.say("judging the claims")
    judged = judge_claims(claims, {name: directory / PARTS / name for name in claims.parts})
    write_durably(directory / TABLE, [_table(judged)])
    content = _as_json(claims, judged, ended, command_of(claims, output, engine))
    content["table"] = digest_of_file(directory / TABLE)
    seal(content)
    write_durably(directory / FOUND, [json.dumps(content, indent=2).encode() + b"\n"])
    return Tried(directory, content, ended)


def _check_place(directory: Path) -> None:
    """Refuse a directory that holds anything but parts of a test of claims."""
    elsewhere = "nothing was overwritten; give another place with -o"
    try:
        names = {item.name for item in directory.iterdir()} if directory.exists() else set()
    except NotADirectoryError:
        raise refuse(directory, "is a file, not a directory", elsewhere) from None
    if MANIFEST in names or partial_of(directory).exists():
        raise refuse(directory, "is the place of a run, not of claims", elsewhere)
    foreign = sorted(name for name in names - {PARTS, FOUND, TABLE} if not name.startswith("."))
    if foreign:
        what = f"holds '{foreign[0]}', which is no part of a test of claims"
        raise refuse(directory, what, elsewhere)


def _as_json(
    claims: ClaimsFile, judged: Sequence[Judged], ended: Mapping[str, Run], again: str
) -> dict[str, Any]:
    """What ``claims.json`` holds, and ``loosim run --json`` prints; but its digests."""
    return {
        "schema": SCHEMA,
        "version": __version__,
        "name": claims.name,
        "study": "claims",
        "seed": claims.seed,
        "level": LEVEL,
        "command": again,
        "claims": [_claim(one) for one in judged],
        "parts": {
            name: {
                "study": run.manifest["study"],
                "cells": len(run.manifest["cells"]),
                "failed": sum(cell["status"] == FAILED for cell in run.manifest["cells"]),
                "deals": sum(cell["deals"] for cell in run.manifest["cells"]),
                "digest": run.manifest.get("digest"),
            }
            for name, run in ended.items()
        },
        "versions": versions(),
        "machine": machine(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _claim(judged: Judged) -> dict[str, Any]:
    claim = judged.claim
    cases = Counter(case.test.what for case in judged.cases)
    return {
        "id": claim.id,
        "says": claim.says,
        "source": claim.source,
        "reads": claim.reads,
        "exceptions": claim.exceptions,
        "tests": [
            {
                "what": test.what,
                "part": test.part,
                "figure": test.figure,
                "when": test.when_text,
                "where": {name: list(values) for name, values in test.where.items()},
                "contrast": {name: list(values) for name, values in test.contrast.items()},
                "above" if test.above else "below": test.threshold,
                "cases": cases[test.what],
            }
            for test in claim.tests
        ],
        "interval_z": quantile_of(len(judged.cases)),
        **_verdict(judged.verdict),
        "tables": [
            {"rules": rules, "opponents": opponents, **_verdict(verdict)}
            for (rules, opponents), verdict in judged.by_table.items()
        ],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.word,
        "on": list(verdict.on),
        "told": verdict_in_words(verdict),
        **verdict.cases,
    }


def _table(judged: Sequence[Judged]) -> memoryview:
    """The file ``cases.parquet``: a row a case, in the order of the claims."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [_row(one, case) for one in judged for case in one.cases]
    names = ("claim", "figure", WHAT, "circumstances", "side")
    numbers = ("value", "se", "n", "low", "high", "threshold")
    columns = {
        **{name: pa.array([row[name] for row in rows], pa.string()) for name in names},
        "is_above": pa.array([row["is_above"] for row in rows], pa.bool_()),
        **{
            name: pa.array(
                [row[name] if isfinite(row[name]) else None for row in rows], pa.float64()
            )
            for name in numbers
        },
        "factors": pa.array([row["factors"] for row in rows], pa.string()),
    }
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return memoryview(sink.getvalue())


def _row(judged: Judged, case: Tested) -> dict[str, Any]:
    return {
        "claim": judged.claim.id,
        "figure": case.test.figure,
        WHAT: case.test.what,
        "circumstances": circumstances(
            {name: value for name, value in case.factors.items() if name != WHAT}
        ),
        "side": case.side,
        "value": float(case.figure.value),
        "se": float(case.figure.se),
        "n": float(case.figure.n),
        "low": case.interval.low,
        "high": case.interval.high,
        "threshold": case.test.threshold,
        "is_above": case.test.above,
        "factors": json.dumps(dict(case.factors)),
    }


def read_tried(directory: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """What was found of claims: ``claims.json`` and ``cases.parquet``, as they were written.

    Raises
    ------
    InputError
        If they are not, or a part is not the one that was judged.
    """
    import pandas as pd

    problems = Problems(str(directory))
    again = "the same loosim run again writes it"
    found: Any = None
    try:
        found = json.loads((directory / FOUND).read_bytes())
    except (ValueError, RecursionError):
        problems.add(FOUND, "cannot be read", again)
    if found is not None:
        if not isinstance(found, dict) or not is_sealed(found) or found.get("schema") != SCHEMA:
            problems.add(FOUND, "was altered, or written by another version of loosim", again)
        elif (
            not (directory / TABLE).is_file() or digest_of_file(directory / TABLE) != found["table"]
        ):
            problems.add(TABLE, "is not as it was written", again)
    problems.raise_if_any()
    for name, part in found["parts"].items():
        if read_manifest(directory / PARTS / name)["digest"] != part["digest"]:
            problems.add(f"{PARTS}/{name}", "is another result than the one that was judged", again)
    problems.raise_if_any()
    table = pd.read_parquet(directory / TABLE)
    for name in ("value", "se", "low", "high"):
        table[name] = table[name].astype(float).fillna(nan)
    return found, table
