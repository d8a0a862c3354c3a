"""Every broken kernel is found out, and the kernels as they are pass the same deals."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mutant_deals import FOUND
from mutants import MUTANTS, Mutant

import loo_sim

PACKAGE = Path(loo_sim.__file__).parent
TESTS = Path(__file__).parent
SAMPLED = 4
"""Every fourth broken kernel is played each time; all of them by `make test-long`, and whenever the
kernels change."""


def play_hard_deals(folder: Path, mutant: Mutant | None) -> subprocess.CompletedProcess[str]:
    """Run `mutant_deals` on a copy of the package, broken or not, without compiling kernels."""
    shutil.copytree(PACKAGE, folder / PACKAGE.name)
    if mutant:
        module = folder / PACKAGE.name / "kernels" / f"{mutant.module}.py"
        module.write_text(module.read_text().replace(mutant.old, mutant.new))
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join((str(folder), str(TESTS))),
        "NUMBA_DISABLE_JIT": "1",
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-W", "ignore", str(TESTS / "mutant_deals.py")],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_kernels_pass(tmp_path: Path) -> None:
    done = play_hard_deals(tmp_path, None)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(mutant, marks=[pytest.mark.long] * (place % SAMPLED > 0))
        for place, mutant in enumerate(MUTANTS)
    ],
    ids=lambda mutant: mutant.name,
)
def test_a_broken_rule_is_found_out(mutant: Mutant, tmp_path: Path) -> None:
    source = (PACKAGE / "kernels" / f"{mutant.module}.py").read_text()
    assert source.count(mutant.old) == 1, "the kernels have changed: bring the mutant up to date"
    done = play_hard_deals(tmp_path, mutant)
    assert done.returncode == FOUND, done.stdout + done.stderr
