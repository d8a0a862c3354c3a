"""Recomputes chunks of a result, chosen at random, and compares their checksums with those kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, Any, NamedTuple

from loo_sim.machine import usable_cores
from loo_sim.problems import InputError, Problem, Problems
from loo_sim.reproduce import recipe_of
from loo_sim.result import check_tables, read_manifest
from loo_sim.runner.counting import Work
from loo_sim.runner.parts import CHUNK_COLUMNS, Total, totals_beside
from loo_sim.runner.plan import Chunk
from loo_sim.runner.progress import Progress
from loo_sim.runner.results import MANIFEST, is_sealed
from loo_sim.runner.signals import Stopper
from loo_sim.runner.threads import Threads
from loo_sim.studies import find_study

if TYPE_CHECKING:
    from loo_sim.experiment import Experiment
    from loo_sim.studies import Study

CHUNKS = 8
"""How many are recomputed by default, a few seconds' work."""
ALL = None
SEEDS_TO_CHOOSE_BY = 10**6
"""A seed that nobody gave is below this, so that it is soon typed."""

_TABLE = "chunks"


class KeptChunk(NamedTuple):
    """A chunk of a cell (from 0), and the checksum of its counts."""

    cell: int
    chunk: Chunk
    checksum: int

    @property
    def last(self) -> int:
        """Its last deal, or table."""
        return self.chunk.first + self.chunk.deals - 1

    def told(self, unit: str) -> str:
        """``cell 0, chunk 3: deals 786,432 to 1,048,575``."""
        number, first, _ = self.chunk
        return f"cell {self.cell}, chunk {number}: {unit} {first:,} to {self.last:,}"


@dataclass(frozen=True)
class Verification:
    """What became of a check.

    Attributes
    ----------
    directory : Path
        The result.
    altered : tuple of Problem
        What is not as it was written.
    differences : tuple of (str, str)
        What is not here as it was where the result was made, so that checksums may differ for it:
        the key, and both values in words.
    unit : str
        What is counted: ``deals``, or ``tables``; empty if nothing was.
    chunks : int
        Chunks of the result.
    recomputed : int
        How many of them were recomputed.
    differing : tuple of KeptChunk
        Those whose counts came out otherwise.
    seed : int
        Chooses the same chunks again.
    """

    directory: Path
    altered: tuple[Problem, ...]
    differences: tuple[tuple[str, str], ...]
    unit: str
    chunks: int
    recomputed: int
    differing: tuple[KeptChunk, ...]
    seed: int

    @property
    def same(self) -> bool:
        """Whether all is as it was."""
        return not self.altered and not self.differing


def verify(
    directory: Path,
    chunks: int | None = CHUNKS,
    seed: int | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check that a result is as it was written, and that its chunks come out again.

    Parameters
    ----------
    directory : Path
        The result.
    chunks : int or None
        How many to recompute; `ALL` for all.
    seed : int, optional
        Chooses the chunks; by default another each time.
    jobs : int, optional
        Threads; by default one for each usable core.
    progress : Progress, optional
        By default nothing is told.

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        If it is no result, or one without checksums; or if its experiment cannot be had again as
        it was (see `recipe_of`).
    """
    progress = progress or Progress()
    seed = SystemRandom().randrange(SEEDS_TO_CHOOSE_BY) if seed is None else seed
    manifest = read_manifest(directory)
    altered = _altered(directory, manifest)
    if altered:
        return Verification(directory, altered, (), "", 0, 0, (), seed)
    problems = Problems(str(directory))
    if _TABLE not in manifest["tables"]:
        what = "is of a version that kept no checksums of its chunks"
        problems.add("", what, "run the experiment again, or loosim reproduce --run")
        problems.raise_if_any()
    kept = _read_chunks(directory, manifest, problems)
    recipe = recipe_of(directory)
    study = find_study(recipe.experiment.study)
    chosen = kept
    if chunks is not None and chunks < len(kept):
        chosen = [kept[place] for place in sorted(Random(seed).sample(range(len(kept)), chunks))]
    with Stopper() as stopper, progress:
        differing = _differing(
            recipe.experiment, study, chosen, Threads(jobs or usable_cores()), progress, stopper
        )
    return Verification(
        directory=directory,
        altered=tuple(problems.found),
        differences=tuple(recipe.differences),
        unit=recipe.experiment.unit,
        chunks=len(kept),
        recomputed=len(chosen),
        differing=tuple(differing),
        seed=seed,
    )


def _altered(directory: Path, manifest: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Files of a result that are not as they were written."""
    if not is_sealed(manifest):
        what = "was altered, or written by another version of loosim"
        return (Problem(str(directory / MANIFEST), None, "", what, "run the experiment again"),)
    try:
        check_tables(directory, manifest)
    except InputError as error:
        return tuple(error.problems)
    return ()


def _read_chunks(
    directory: Path, manifest: Mapping[str, Any], problems: Problems
) -> list[KeptChunk]:
    """The chunks of all cells, in order; noted if they do not hold every deal of a cell once.

    A cell whose time was up may have been broken off before, and then lacks chunks in between.
    """
    import pyarrow.parquet as pq

    table = pq.ParquetFile(directory / f"{_TABLE}.parquet").read(list(CHUNK_COLUMNS))
    columns = [table[name].to_pylist() for name in CHUNK_COLUMNS]
    may_lack = "max_seconds" in manifest["experiment"]
    found: list[KeptChunk] = []
    for number, cell in enumerate(manifest["cells"]):
        rows = slice(len(found), len(found) + cell["rows"].get(_TABLE, 0))
        end = done = 0
        whole = True
        for index, first, deals, checksum in zip(*(c[rows] for c in columns), strict=True):
            found.append(KeptChunk(number, Chunk(index, first, deals), checksum))
            whole &= first >= end if may_lack else first == end
            end = first + deals
            done += deals
        if not whole or done != cell["deals"]:
            what = f"does not hold the deals of cell {number}, each once"
            problems.add(f"{_TABLE}.parquet", what, "run the experiment again")
    return found


def _differing(
    experiment: Experiment,
    study: Study,
    chosen: Sequence[KeptChunk],
    engine: Threads,
    progress: Progress,
    stopper: Stopper,
) -> list[KeptChunk]:
    """Those of the chosen chunks, ordered by cell, that come out otherwise."""
    found = []
    compiled = False
    for number, of_cell in groupby(chosen, lambda kept: kept.cell):
        here = list(of_cell)
        cell = experiment.cells[number]
        progress.start_cell(cell.name or experiment.name, experiment.unit)
        progress.go_to(sum(kept.chunk.deals for kept in here))
        game = study.encode(cell)
        if not compiled:
            engine.get_ready(study, cell, game, progress)
            compiled = True
        total = Total(study.empty_counts(cell))
        threads = min(engine.totals(total.counts), len(here))
        totals = totals_beside(total, threads, partial(study.empty_counts, cell))
        work = Work(
            study,
            cell,
            game,
            experiment.seed,
            [kept.chunk for kept in here],
            stopper,
            advance=progress.advance,
        )
        engine.count(work, totals)
        checksums = {
            index: checksum
            for total in totals
            for index, checksum in zip(total.chunks, total.checksums, strict=True)
        }
        differing = [kept for kept in here if checksums[kept.chunk.number] != kept.checksum]
        same = f"{len(differing):,} differ" if differing else "all the same"
        progress.end_cell(f"{cell.name or experiment.name}: {len(here):,} recomputed, {same}")
        found += differing
    return found


def sentence(found: Verification) -> str:
    """What a check came to: ``8 of 77 chunks recomputed, all the same``."""
    if not found.recomputed:
        return "nothing was recomputed"
    told = f"{found.recomputed:,} of {found.chunks:,} chunks recomputed"
    if found.differing:
        n = len(found.differing)
        return f"{told}, {n:,} {'differs' if n == 1 else 'differ'}"
    return f"{told}, all the same"


def as_json(found: Verification) -> dict[str, Any]:
    """A check as JSON has it."""
    return {
        "same": found.same,
        "altered": [str(problem) for problem in found.altered],
        "differences": [{"key": key, "what": what} for key, what in found.differences],
        "chunks": found.chunks,
        "recomputed": found.recomputed,
        "seed": found.seed,
        "unit": found.unit,
        "differing": [
            {
                "cell": kept.cell,
                "chunk": kept.chunk.number,
                "first": kept.chunk.first,
                "last": kept.last,
            }
            for kept in found.differing
        ],
    }
