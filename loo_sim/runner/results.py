"""The place of a result: what may be there, what is there, and how a new one takes its place.

A result directory is whole or absent at every instant. A new one is made in the partial folder
beside it and renamed; an older one steps aside into that folder just before. `settle` ends what a
kill broke off in between.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from loo_sim.problems import InputError, Problem
from loo_sim.runner.durable import digest_of, digest_of_file, sync
from loo_sim.runner.identity import Identity, differences

SCHEMA = "loosim.result/1"
MANIFEST = "manifest.json"
RESULT, OLDER = "result", "older"
"""Names in the partial folder: a result that is whole, and the one that it replaces."""

_ELSEWHERE = "give another place with -o"
OVER = "--fresh starts over; -o writes elsewhere"


def refuse(directory: Path, what: str, hint: str = _ELSEWHERE) -> InputError:
    """The error that says why nothing is written to a directory."""
    return InputError([Problem(str(directory), None, "", what, hint)])


def partial_of(directory: Path) -> Path:
    """Where the work in progress of a result is kept."""
    return directory.with_name(f"{directory.name}.partial")


def check_place(directory: Path) -> None:
    """Make sure that a result may be written to `directory`.

    Raises
    ------
    InputError
        If there is anything but an older result of loosim or an empty directory.
    """
    try:
        str(directory).encode()
    except UnicodeEncodeError:  # Parquet files are opened by a path in UTF-8
        raise refuse(directory, "is no path in UTF-8") from None
    try:
        if not directory.exists():
            return
        if not directory.is_dir():
            raise refuse(directory, "is a file, not a directory")
        names = [item.name for item in directory.iterdir()]
        foreign = [name for name in names if not is_of_result(name)]
        if names and (foreign or _manifest(directory) is None):
            raise refuse(
                directory,
                f"holds '{foreign[0]}', which is no part of a result"
                if foreign
                else "is not empty and holds no result of loosim",
                f"nothing was overwritten; {_ELSEWHERE}",
            )
        if directory.is_mount():
            raise refuse(directory, "is where a disk is mounted", "give a folder below it with -o")
    except OSError as error:
        raise refuse(directory, f"cannot be read: {error.strerror}") from None


def is_of_result(name: str) -> bool:
    """Whether a file of this name may be one of a result."""
    return name == MANIFEST or name.endswith(".parquet")


def is_whole(directory: Path) -> bool:
    """Whether a directory holds a result as this version of loosim wrote it."""
    manifest = _manifest(directory)
    return (
        manifest is not None
        and is_sealed(manifest)
        and not any(_altered(directory, manifest["tables"]))
    )


def _altered(directory: Path, tables: Mapping[str, str]) -> Iterator[Path]:
    """Tables of a result that are missing or not as they were written."""
    for name, digest in tables.items():
        path = directory / f"{name}.parquet"
        if not path.exists() or digest_of_file(path) != digest:
            yield path


def _manifest(directory: Path) -> dict[str, Any] | None:
    try:
        content = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) and content.get("schema") == SCHEMA else None


def seal(manifest: dict[str, Any]) -> None:
    """Add to a manifest the digest that tells whether it was altered since."""
    manifest["digest"] = digest_of(manifest)


def is_sealed(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest is as it was when `seal` added its digest."""
    unsealed = {key: value for key, value in manifest.items() if key != "digest"}
    return bool(manifest.get("digest") == digest_of(unsealed))


def result_of(directory: Path, here: Identity) -> dict[str, Any] | None:
    """The manifest of the result that is there, if it is one of this very run.

    Parameters
    ----------
    directory : Path
        One that `check_place` has passed.
    here : dict
        Identity of the run.

    Returns
    -------
    dict or None
        None where there is no result.

    Raises
    ------
    InputError
        If the result is another run's, or is not as it was written.
    """
    manifest = _manifest(directory)
    if manifest is None:
        return None
    if not is_sealed(manifest):
        path = directory / MANIFEST
        raise refuse(path, "was altered, or written by another version of loosim", OVER)
    refuse_if_changed(directory, manifest["identity"], here)
    for path in _altered(directory, manifest["tables"]):
        raise refuse(path, "is not as it was written", OVER)
    return manifest


def refuse_if_changed(where: Path, there: Identity, here: Identity) -> None:
    """Refuse to go on with another run's work.

    Raises
    ------
    InputError
        With every key that differs.
    """
    found = differences(there, here)
    if found:
        whole = Problem(str(where), None, "", "is of another experiment", OVER)
        keys = [Problem(str(where), None, key, what) for key, what in found]
        raise InputError([whole, *keys])


def put_in_place(directory: Path) -> None:
    """Put the whole result that waits in the partial folder in its place."""
    partial = partial_of(directory)
    older = partial / OLDER
    if directory.exists():
        if older.exists():
            shutil.rmtree(older)
        directory.rename(older)
    (partial / RESULT).rename(directory)
    sync(directory.parent)


def settle(directory: Path) -> bool:
    """End what a kill broke off while a result was put in its place.

    Returns
    -------
    bool
        Whether a whole result was waiting.
    """
    partial = partial_of(directory)
    older = partial / OLDER
    waiting = (partial / RESULT).exists()
    if waiting:
        put_in_place(directory)
    elif older.exists() and not directory.exists():
        older.rename(directory)
    return waiting
