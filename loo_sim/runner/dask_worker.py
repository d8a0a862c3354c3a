"""What a dask worker does for a run: it encodes games and counts blocks of chunks.

It does so only if its code is the run's. A worker lives long, and goes on with the code that it
loaded after another version has been installed under it; so all that it needs is loaded together,
and the digest of it is taken then.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from distributed import Worker, WorkerPlugin, get_worker

import loo_sim
from loo_sim import policies
from loo_sim.runner.counting import Tally
from loo_sim.runner.here import get_ready
from loo_sim.runner.parts import Total
from loo_sim.runner.plan import Chunk
from loo_sim.studies import STUDY_NAMES, find_study

if TYPE_CHECKING:
    import numpy.typing as npt

    from loo_sim.experiment import Cell
    from loo_sim.studies import Counts

Code = dict[str, str]
"""The digest of loosim, and versions of what computes with it."""


def _load() -> None:
    """Import all that encoding and counting need."""
    for name in STUDY_NAMES:
        find_study(name)
    for package in (policies, import_module("loo_sim.kernels")):
        for path in sorted(Path(str(package.__file__)).parent.glob("*.py")):
            import_module(f"{package.__name__}.{path.stem}")


def _digest() -> str:
    """SHA-256 of all that loosim consists of, in hexadecimal."""
    here = Path(loo_sim.__file__).parent
    found = hashlib.sha256()
    for path in sorted([*here.rglob("*.py"), *here.rglob("*.toml")]):
        found.update(str(path.relative_to(here)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def _code() -> Code:
    digest = _digest()
    _load()
    return {
        "loosim": f"{loo_sim.__version__} ({digest[:16]})",
        "python": platform.python_version(),
        **{package: version(package) for package in ("numba", "llvmlite", "numpy")},
    }


CODE = _code()
"""Of this process, from when it was loaded."""


class OtherCodeError(Exception):
    """A worker's code is not the run's; its text names what differs, on both sides."""


def unfit(code: Code, dask_worker: Worker) -> str:
    """Why a worker cannot serve a run of that code; empty if it can."""
    if differing := [key for key, here in CODE.items() if code.get(key) != here]:
        there, here = (
            ", ".join(f"{key} {of.get(key, 'unknown')}" for key in differing) for of in (code, CODE)
        )
        return f"it has {here}; the run has {there}"
    threads = dask_worker.state.nthreads, numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    if threads != (1, 1):
        return (
            f"it has {threads[0]} threads, and numba {threads[1]}; start it with "
            "NUMBA_NUM_THREADS=1 dask worker --nthreads 1, and --nworkers for more of them"
        )
    return ""


class Gate(WorkerPlugin):  # type: ignore[misc]
    """Keeps workers with other code out, those that join late too.

    Parameters
    ----------
    code : dict of str to str
        The run's.
    log : str or None
        Where all goes that a worker on this machine writes on its terminal; None if it stays there.
    """

    name = "loosim"

    def __init__(self, code: Code, log: str | None) -> None:
        self._code, self._log = code, log

    def setup(self, worker: Worker) -> None:
        """Look at the worker; one that is of no use leaves."""
        if self._log is not None:
            with Path(self._log).open("ab") as file:
                for stream in (sys.stdout, sys.stderr):
                    os.dup2(file.fileno(), stream.fileno())
        if why := unfit(self._code, worker):
            logging.getLogger("distributed.worker").error("of no use to the run of loosim: %s", why)
            worker.loop.add_callback(worker.close, reason=why)
            raise OtherCodeError(why)


@dataclass(frozen=True)
class Prepared:
    """A cell, its study and its game, as a worker keeps them while it counts blocks of it."""

    study: str
    cell: Cell
    game: Any


def prepare(study: str, cell: Cell, code: Code) -> Prepared:
    """Encode a game, and get the kernels ready that count it.

    Raises
    ------
    OtherCodeError
        If this worker's code is not the run's.
    """
    _check(code)
    module = find_study(study)
    game = module.encode(cell)
    get_ready(module, cell, game)
    return Prepared(study, cell, game)


def count_block(of: Prepared, seed: int, block: Sequence[Chunk], code: Code) -> Total:
    """What some chunks of a cell come to, its counts `packed`, its seconds those that it took.

    Raises
    ------
    OtherCodeError
        If this worker's code is not the run's.
    """
    _check(code)
    study = find_study(of.study)
    begun = perf_counter()
    total = Total(study.empty_counts(of.cell))
    tally = Tally(study, of.cell, of.game, seed, total)
    for chunk in block:
        tally.count(Chunk(*chunk))
    total.counts = packed(total.counts)
    total.seconds = perf_counter() - begun
    return total


def packed(counts: Counts) -> Counts:
    """Counts as they travel: of each array the places that are not 0, and what is there.

    Most hands come up in few situations, so that nine in ten places of those of `announce` are 0.
    """
    arrays: list[npt.NDArray[Any]] = []
    for array in counts:
        places = np.flatnonzero(array)
        arrays += [places.astype(np.uint32), array.ravel()[places]]
    return tuple(arrays)


def unpack(arrays: Counts, onto: Counts) -> None:
    """Add packed counts to others."""
    pairs = zip(arrays[::2], arrays[1::2], strict=True)
    for whole, (places, values) in zip(onto, pairs, strict=True):
        whole.reshape(-1)[places] += values


def _check(code: Mapping[str, str]) -> None:
    if code != CODE:
        raise OtherCodeError(unfit(dict(code), get_worker()))
