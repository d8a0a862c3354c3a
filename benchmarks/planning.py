"""How long it takes to plan ten thousand cells: to read, check and resolve them all.

    python benchmarks/planning.py

For each grid the seconds of `load_experiment`, of what else a run needs before its first deal, and
of ``loosim sweep --dry-run`` up to its first line, Python's start included. That line comes after
the forecast has counted two cells for half a second each, for which kernels must be compiled: the
second time they are kept. The target is 5 seconds for all of it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from loo_sim.experiment import load_experiment
from loo_sim.machine import usable_cores
from loo_sim.runner.identity import identity_of
from loo_sim.runner.needs import disk_needed
from loo_sim.runner.plan import length_of
from loo_sim.runner.threads import Threads
from loo_sim.studies import find_study

POLICY = """name = "mine"
[params]
bluff = 0.5
least = 6
[announce]
rules = [
  { when = "trumps >= 2", do = "stand" },
  { when = "trumps == 1 and over_best <= least", do = "stand" },
  { when = "miss_free and pot >= 6", do = "miss", chance = "bluff" },
]
"""
GRIDS = {
    "pot and loo": ["pot=3:102:1", "rules.loo=1:100:1"],
    "players, rules and pot": [
        "players=5:9:1",
        "rules.loo=3,6,9,pot",
        "rules.defend=any,lone",
        "rules.first_lead=any-trump,highest",
        "pot=3:127:1",
    ],
    "numbers of a policy": [
        "policies.mine.params.bluff=0:0.99:0.01",
        "policies.mine.params.least=0:9.9:0.1",
    ],
    "numbers of a built-in policy": [
        "policies.peel.announce.rules.3.when.3=0:9.9:0.1",
        "policies.peel.announce.rules.7.chance=0.01:1:0.01",
    ],
    "numbers of a policy in sessions": [
        "policies.pot-odds.params.widening=0:9.9:0.1",
        "policies.pot-odds.params.miss_from=0.1:10:0.1",
    ],
}
"""Axes of ten thousand cells each."""


def main() -> None:
    """Plan each grid, and tell what it took."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "mine.toml").write_text(POLICY)
        for name, axes in GRIDS.items():
            file = Path(folder) / "x.toml"
            file.write_text(experiment_of(axes[0]))
            begun = perf_counter()
            experiment = load_experiment(file, (), axes)
            loaded = perf_counter()
            identity_of(experiment)
            study = find_study(experiment.study)
            most, length = experiment.amount.most, length_of(experiment, study)
            disk_needed(study, experiment.cells, most, length, Threads(usable_cores()))
            ready = perf_counter()
            told = f"{name}: {len(experiment.cells):,} cells, loaded in {loaded - begun:.1f} s"
            told += f", ready after {ready - loaded:.1f} s more"
            # The tables of so many sessions have room on few disks, so that the run is refused.
            if experiment.study != "session":
                told += (
                    f", first line of the dry run after {seconds_to_first_line(file, axes):.1f} s"
                )
            print(told)


def experiment_of(axis: str) -> str:
    """The experiment whose policy an axis speaks of."""
    if axis.startswith("policies.pot-odds"):
        return 'study = "session"\ntables = 100\npolicies = "pot-odds"\n'
    policy = "mine.toml" if axis.startswith("policies.mine") else "peel"
    return f'study = "deals"\ndeals = 1000\npolicies = "{policy}"\n'


def seconds_to_first_line(file: Path, axes: list[str]) -> float:
    """Start the command and wait until it says something."""
    words = [sys.executable, "-c", "from loo_sim.cli import main; main()", "sweep", str(file)]
    words += [word for axis in axes for word in ("--axis", axis)]
    words += ["--dry-run", "--quiet", "-o", str(file.with_name("out"))]
    begun = perf_counter()
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        if not process.stdout.readline():
            sys.exit("the dry run said nothing")
        seconds = perf_counter() - begun
        process.stdout.read()
    return seconds


if __name__ == "__main__":
    main()
