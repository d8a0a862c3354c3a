"""How long it takes before deals are played: compiling the kernels, and starting a run.

Both are done by this module as a program, in a process of its own:

    python -m loo_sim.bench.start compile         compiles the kernels of one study after another;
                                                  prints processor seconds as JSON
    python -m loo_sim.bench.start run FILE DIR    runs an experiment as `loosim run` does; prints a
                                                  line when its first chunk is done
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loo_sim.bench.cases import ANNOUNCE_PLAYERS, ANNOUNCE_POLICY, cell_of
from loo_sim.runner.progress import Progress

ROOT = Path(__file__).resolve().parent.parent.parent
EXPERIMENT = """\
name = "start"
study = "deals"
seed = 1
players = 6
policies = ["trumps"]
deals = 1_000
"""
"""A chunk of next to nothing, so that all the time is the start."""


def compile_seconds() -> dict[str, float]:
    """Processor seconds to compile the kernels of each study where none are kept.

    In the order of the keys: what a study shares with those before it is compiled already.
    """
    with tempfile.TemporaryDirectory(prefix="loosim-bench-") as kept:
        with _child(["compile"], NUMBA_CACHE_DIR=kept) as child:
            told, _ = child.communicate()
        _check(child)
    return dict(json.loads(told))


def start_seconds() -> float:
    """Wall-clock seconds from the start of a run, its kernels kept, to its first chunk."""
    with tempfile.TemporaryDirectory(prefix="loosim-bench-") as folder:
        experiment = Path(folder) / "start.toml"
        experiment.write_text(EXPERIMENT, encoding="utf-8")
        begun = time.perf_counter()
        with _child(["run", str(experiment), str(Path(folder) / "result")]) as child:
            assert child.stdout is not None
            child.stdout.readline()  # which it writes then
            spent = time.perf_counter() - begun
        _check(child)
    return spent


def _child(words: Sequence[str], **settings: str) -> subprocess.Popen[str]:
    """Start this module as a program that imports the same loosim."""
    return subprocess.Popen(
        [sys.executable, "-m", "loo_sim.bench.start", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), **settings},
        stdout=subprocess.PIPE,
        text=True,
    )


def _check(child: subprocess.Popen[str]) -> None:
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, child.args)


class _TellsFirstChunk(Progress):
    told = False

    def advance(self, work: int) -> None:
        if work and not self.told:
            self.told = True
            print("the first chunk is done", flush=True)


def _run(file: str, directory: str) -> None:
    import loo_sim.cli  # noqa: F401 - the command loads it
    from loo_sim.experiment import load_experiment
    from loo_sim.runner.run import run_experiment

    run_experiment(load_experiment(Path(file), ()), Path(directory), progress=_TellsFirstChunk())


def _compile() -> None:
    from loo_sim.kernels.compiled import compiling
    from loo_sim.policies.features import Situation
    from loo_sim.studies import find_study

    players = ANNOUNCE_PLAYERS[0]
    single = cell_of("deals", ANNOUNCE_POLICY, players)
    evening = cell_of("session", ANNOUNCE_POLICY, players)
    spent = {}
    for name, study_name, cell in (
        ("deals", "deals", single),
        ("announce", "announce", single),
        # Where it aims, encoding plays deals.
        ("aimed", "announce", replace(single, aim=Situation(0, 0, True))),
        ("lead", "lead", single),
        ("session", "session", evening),
        ("league", "league", replace(single, policies=single.policies[:2])),
        ("session league", "league", replace(evening, policies=evening.policies[:2])),
    ):
        study = find_study(study_name)
        begun = time.process_time()
        with compiling():
            study.add_counts(study.encode(cell), 1, 0, 1, study.empty_counts(cell))
        spent[name] = round(time.process_time() - begun, 2)
    print(json.dumps(spent))


if __name__ == "__main__":
    if sys.argv[1] == "run":
        _run(*sys.argv[2:])
    else:
        _compile()
