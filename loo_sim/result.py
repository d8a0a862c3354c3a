"""Reads the manifest and the tables of a result directory, and checks them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.problems import Problems
from loo_sim.runner.durable import digest_of_file
from loo_sim.runner.results import MANIFEST, SCHEMA, is_sealed, partial_of
from loo_sim.tuning.place import FRESH, is_search

if TYPE_CHECKING:
    import pandas as pd

PARTS, CLAIMS_FOUND = "parts", "claims.json"
"""Of a test of claims: the folder of its parts, and what was found, which is written last."""

_MANIFEST_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "study": str,
    "version": str,
    "seed": int,
    "cells": list,
    "status": str,
}
_CELL_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "axes": dict,
    "players": int,
    "pot": (int, float),
    "rules": dict,
    "policies": list,
    "deals": int,
    "status": str,
}


def read_manifest(directory: Path) -> dict[str, Any]:
    """Read and check the manifest of a result directory.

    Raises
    ------
    InputError
        If the directory is none, or its manifest cannot be read or lacks something.
    """
    path = directory / MANIFEST
    if not path.is_file():
        missing = Problems(str(directory))
        what = f"has no {MANIFEST}" if directory.exists() else "no such directory"
        hint = "give the directory that loosim run wrote"
        usual = Path("results", directory.stem)
        if not directory.exists() and partial_of(directory).is_dir():
            what = f"has not ended; what is done is in {partial_of(directory)}"
            hint = "the command that began it goes on with it"
        elif is_search(directory):
            what = "is a search, whose results are in it"
            hint = f"{directory / FRESH} holds what was measured last"
        elif (directory / PARTS).is_dir():
            is_whole = (directory / CLAIMS_FOUND).is_file()
            what = "is a test of claims" if is_whole else "is a test of claims that has not ended"
            hint = f"the results of its parts are in {directory / PARTS}"
        elif (usual / MANIFEST).is_file():
            hint = f"did you mean {usual}?"
        missing.add("", what, hint)
        missing.raise_if_any()
    problems = Problems(str(path))
    manifest: Any = {}
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, RecursionError, ValueError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        hint = "run the experiment again"
        problems.add("", f"cannot be read: {error}", hint, line)
        problems.raise_if_any()
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        problems.add("schema", f"is not {SCHEMA}", "give a result that this version wrote")
        problems.raise_if_any()
    check_keys(manifest, _MANIFEST_KEYS, "", problems)
    cells = manifest.get("cells")
    for place, cell in enumerate(cells if isinstance(cells, list) else []):
        if isinstance(cell, dict):
            check_keys(cell, _CELL_KEYS, f"cells.{place}.", problems)
        else:
            problems.add(f"cells.{place}", "is not an object")
    problems.raise_if_any()
    return dict(manifest)


def check_keys(
    data: Mapping[str, Any],
    kinds: Mapping[str, type | tuple[type, ...]],
    prefix: str,
    problems: Problems,
) -> None:
    """Note keys that are missing, or whose value is of another kind, `prefix` before each."""
    for key, kind in kinds.items():
        if key not in data:
            problems.add(prefix + key, "is missing")
        elif not isinstance(data[key], kind) or isinstance(data[key], bool):
            problems.add(prefix + key, f"{data[key]!r} is not what stands here")


def read_own_manifest(directory: Path) -> dict[str, Any]:
    """Read the manifest of a result that is as this version of loosim wrote it.

    Raises
    ------
    InputError
        If it is none, or was altered since, or another version wrote it.
    """
    manifest = read_manifest(directory)
    problems = Problems(str(directory))
    if not is_sealed(manifest):
        what = "was altered, or written by another version of loosim"
        problems.add(MANIFEST, what, "run the experiment again")
        problems.raise_if_any()
    return manifest


def check_tables(directory: Path, manifest: Mapping[str, Any]) -> None:
    """Make sure that the tables of a result are those that its own manifest names.

    Raises
    ------
    InputError
        With every table that is missing or was altered.
    """
    problems = Problems(str(directory))
    hint = "run the experiment again"
    for name, digest in manifest["tables"].items():
        path = directory / f"{name}.parquet"
        if not path.is_file():
            problems.add(path.name, "is missing", hint)
        elif digest_of_file(path) != digest:
            problems.add(path.name, "is not as it was written", hint)
    problems.raise_if_any()


def read_tables(
    directory: Path, problems: Problems, names: Iterable[str]
) -> dict[str, pd.DataFrame]:
    """Read the tables with these names that a result directory holds.

    Parameters
    ----------
    directory : Path
        A result directory.
    problems : Problems
        Where it is noted that a table cannot be read.
    names : iterable of str
        Names without the ending.
    """
    import pandas as pd

    tables = {}
    for name in names:
        path = directory / f"{name}.parquet"
        if not path.exists():
            continue
        try:
            tables[name] = pd.read_parquet(path)
        # pyarrow raises a different error for each way in which a file can be broken.
        except Exception as error:
            problems.add(path.name, f"cannot be read: {str(error).splitlines()[0]}")
    return tables


def rows_of_cell(table: pd.DataFrame, axes: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a table whose axes have the values of a cell's ``axes`` in the manifest."""
    rows = table
    for axis, value in axes.items():
        if axis in rows:
            same = [known for known in rows[axis].unique() if str(known) == str(value)]
            rows = rows[rows[axis].isin(same)]
    return rows.reset_index(drop=True)


def rows_by_cell(table: pd.DataFrame, axes: Sequence[Mapping[str, Any]]) -> list[pd.DataFrame]:
    """`rows_of_cell` of each of many cells, the table gone through once.

    Parameters
    ----------
    table : DataFrame
        With columns for axes, or without.
    axes : sequence of mapping
        The ``axes`` of each cell in the manifest.
    """
    places: dict[tuple[str, ...], dict[tuple[str, ...], list[int]]] = {}
    found = []
    for of_cell in axes:
        names = tuple(axis for axis in of_cell if axis in table)
        if names not in places:
            words = (list(map(str, table[axis].tolist())) for axis in names)
            known = places[names] = {}
            for place, values in enumerate(zip(*words, strict=True)):
                known.setdefault(values, []).append(place)
        if not names:
            found.append(table.reset_index(drop=True))
            continue
        own = places[names].get(tuple(str(of_cell[axis]) for axis in names), [])
        found.append(table.take(own).reset_index(drop=True))
    return found
