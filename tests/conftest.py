"""Fixtures of several tests: a study of nothing, an experiment of it, pages without figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_study import THREE_CELLS, FakeStudy, fake_study


@pytest.fixture
def study() -> Iterator[FakeStudy]:
    """The fake study in the place of every study."""
    with fake_study() as fake:
        yield fake


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An experiment of three cells, of ten chunks each in the fake study."""
    path = tmp_path / "x.toml"
    path.write_text(THREE_CELLS, encoding="utf-8")
    return path


@pytest.fixture
def unwritten(monkeypatch) -> None:
    """Figures are not written, which takes most of the time of a page of which the words count."""
    from loo_sim.report import style  # loo_sim.report is also what the package calls a function

    monkeypatch.setattr(style, "inline_svg", lambda *_: "")
