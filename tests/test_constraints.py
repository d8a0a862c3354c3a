"""The pinned versions serve every package that loosim asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
PINS = [line for line in LINES if not line.startswith("#")]
ASKED = PROJECT["dependencies"] + [
    word
    for words in PROJECT["optional-dependencies"].values()
    for word in words
    if not word.startswith(PROJECT["name"])  # one extra may ask for another
]


def test_every_line_pins_one_version() -> None:
    assert [line for line in PINS if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    names = [canonicalize_name(line.partition("==")[0]) for line in PINS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("asked", ASKED)
def test_what_the_project_asks_for_is_pinned_to_a_version_that_serves(asked: str) -> None:
    requirement = Requirement(asked)
    pinned = {
        canonicalize_name(name): version
        for name, _, version in (line.partition("==") for line in PINS)
    }
    assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)])
