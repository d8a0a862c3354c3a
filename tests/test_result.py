"""A result directory that cannot be read is told with all that is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from report_samples import cell, deals_tables, write_result

import loo_sim
from loo_sim.problems import InputError, Problems
from loo_sim.result import (
    check_tables,
    read_manifest,
    read_own_manifest,
    read_tables,
    rows_by_cell,
    rows_of_cell,
)
from loo_sim.runner.results import seal


def problems(directory, read=read_manifest):
    with pytest.raises(InputError) as caught:
        read(directory)
    return [str(problem).removeprefix(str(directory)) for problem in caught.value.problems]


def test_missing(tmp_path):
    assert problems(tmp_path / "no") == [
        ": no such directory (give the directory that loosim run wrote)"
    ]


def test_not_ended(tmp_path):
    (tmp_path / "long.partial").mkdir()
    assert problems(tmp_path / "long") == [
        f": has not ended; what is done is in {tmp_path / 'long.partial'} "
        "(the command that began it goes on with it)"
    ]


@pytest.mark.parametrize(("name", "what"), [("first", "no such directory"), ("first.toml", "has")])
def test_the_name_of_an_experiment(tmp_path, monkeypatch, name, what):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.toml").touch()
    (tmp_path / "results" / "first").mkdir(parents=True)
    (tmp_path / "results" / "first" / "manifest.json").touch()
    (told,) = problems(Path(name))
    assert told.startswith(f": {what}")
    assert told.endswith(f"(did you mean {Path('results', 'first')}?)")


def test_without_manifest(tmp_path):
    assert problems(tmp_path) == [
        ": has no manifest.json (give the directory that loosim run wrote)"
    ]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_manifest_that_is_no_json(tmp_path, content):
    (tmp_path / "manifest.json").write_bytes(content)
    (problem,) = problems(tmp_path)
    assert "cannot be read" in problem


@pytest.mark.parametrize("content", ["[]", "{}", "3", '{"schema": "loosim.result/9"}'])
def test_manifest_of_another_kind(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    (problem,) = problems(tmp_path)
    assert "schema: is not loosim.result/1" in problem


def test_everything_wrong_at_once(tmp_path):
    write_result(tmp_path, [cell(players="six"), 3, cell(deals=True)], {}, seed=None)
    found = "\n".join(problems(tmp_path))
    for key in ("seed", "cells.0.players", "cells.1", "cells.2.deals"):
        assert f" {key}: " in found


def test_an_altered_manifest_is_told_from_its_own(tmp_path):
    path = write_result(tmp_path, [cell()], {}) / "manifest.json"
    manifest = json.loads(path.read_text()) | {"tables": {}}
    told = [
        ": manifest.json: was altered, or written by another version of loosim "
        "(run the experiment again)"
    ]
    assert problems(tmp_path, read_own_manifest) == told
    seal(manifest)
    path.write_text(json.dumps(manifest))
    assert read_own_manifest(tmp_path) == manifest
    path.write_text(json.dumps(manifest | {"seed": 8}))
    assert problems(tmp_path, read_own_manifest) == told


def test_altered_and_missing_tables_are_all_told(tmp_path):
    tables = {"deals": deals_tables()["deals"]}
    write_result(tmp_path, [cell()], tables)
    manifest = {"tables": dict.fromkeys(("deals", "pot"), "0" * 64)}
    assert problems(tmp_path, lambda directory: check_tables(directory, manifest)) == [
        ": deals.parquet: is not as it was written (run the experiment again)",
        ": pot.parquet: is missing (run the experiment again)",
    ]


def test_tables_that_cannot_be_read_are_all_noted(tmp_path):
    write_result(tmp_path, [cell()], deals_tables())
    (tmp_path / "deals.parquet").write_bytes(b"no table")
    (tmp_path / "pot.parquet").write_bytes(b"")
    noted = Problems("there")
    tables = read_tables(tmp_path, noted, ("deals", "pot", "swings", "absent"))
    assert list(tables) == ["swings"]
    assert [problem.key for problem in noted] == ["deals.parquet", "pot.parquet"]
    assert len(problems(tmp_path, loo_sim.read)) == 2


def test_rows_of_a_cell_by_the_values_of_its_axes():
    table = pd.DataFrame(
        {"rules.loo": ["3", "3", "pot"], "pot": [3.0, 6.0, 3.0], "seat": [0, 1, 2]}
    )
    assert rows_of_cell(table, {"rules.loo": "3", "pot": 3.0})["seat"].to_list() == [0]
    assert rows_of_cell(table, {"rules.loo": "pot"})["seat"].to_list() == [2]
    assert len(rows_of_cell(table, {})) == 3


def test_rows_of_many_cells_are_those_of_each():
    table = pd.DataFrame(
        {
            "rules.loo": ["3", "pot", "3", "3", "pot"],
            "x": [0.1, 0.1, 0.25, 0.1, 1e-9],
            "flag": [True, False, True, True, False],
            "seat": range(5),
        }
    )
    axes = [
        {"rules.loo": "3", "x": 0.1, "flag": True},
        {"rules.loo": "pot", "x": 1e-9, "flag": False},
        {"rules.loo": "pot", "x": 0.25, "flag": False},
        {"rules.loo": "3", "pot": 3.0},
        {},
    ]
    found = rows_by_cell(table, axes)
    assert [rows["seat"].to_list() for rows in found] == [[0, 3], [4], [], [0, 2, 3], [*range(5)]]
    for rows, of_cell in zip(found, axes, strict=True):
        pd.testing.assert_frame_equal(rows, rows_of_cell(table, of_cell))
