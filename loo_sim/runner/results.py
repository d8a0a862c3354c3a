"""Writes result directories: whole or not at all.

Tables grow in a temporary directory beside the result's place, a cell at a time; when the run ends
the manifest is added and the directory is renamed.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from loo_sim.problems import InputError, Problem

SCHEMA = "loosim.result/1"
MANIFEST = "manifest.json"

_ELSEWHERE = "give another place with -o"


def _refuse(directory: Path, what: str, hint: str = _ELSEWHERE) -> InputError:
    return InputError([Problem(str(directory), None, "", what, hint)])


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
        raise _refuse(directory, "is no path in UTF-8") from None
    try:
        if not directory.exists():
            return
        if not directory.is_dir():
            raise _refuse(directory, "is a file, not a directory")
        names = [item.name for item in directory.iterdir()]
        foreign = [n for n in names if n != MANIFEST and not n.endswith(".parquet")]
        if names and (foreign or not _is_result(directory / MANIFEST)):
            raise _refuse(
                directory,
                f"holds '{foreign[0]}', which is no part of a result"
                if foreign
                else "is not empty and holds no result of loosim",
                f"nothing was overwritten; {_ELSEWHERE}",
            )
    except OSError as error:
        raise _refuse(directory, f"cannot be read: {error.strerror}") from None


def _is_result(manifest: Path) -> bool:
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return isinstance(content, dict) and content.get("schema") == SCHEMA


class ResultWriter:
    """Writes the tables of a run, and at its end the result directory.

    Parameters
    ----------
    directory : Path
        The result's place. An older result there is replaced when the run ends.

    Raises
    ------
    InputError
        If nothing may or can be written there.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory.resolve()
        check_place(self.directory)
        try:
            self.directory.parent.mkdir(parents=True, exist_ok=True)
            self._part = self._beside()
            self._part.mkdir()
        except (FileExistsError, NotADirectoryError):
            what = "cannot be written: a file is where its folder should be"
            raise _refuse(directory, what) from None
        except OSError as error:
            raise _refuse(directory, f"cannot be written: {error.strerror}") from None
        self._writers: dict[str, pq.ParquetWriter] = {}

    def _beside(self) -> Path:
        """A new name in the directory that holds the result."""
        return self.directory.with_name(f".{self.directory.name}.{secrets.token_hex(4)}")

    def write(self, tables: Mapping[str, pa.Table]) -> None:
        """Append the tables of one cell."""
        for name, table in tables.items():
            if name not in self._writers:
                path = self._part / f"{name}.parquet"
                self._writers[name] = pq.ParquetWriter(path, table.schema, compression="zstd")
            self._writers[name].write_table(table)

    def finish(self, manifest: dict[str, Any]) -> None:
        """Close the tables, add the manifest with a digest of each, and put all in place."""
        for writer in self._writers.values():
            writer.close()
        manifest["tables"] = {name: self._digest(name) for name in sorted(self._writers)}
        text = json.dumps(manifest, indent=2)
        (self._part / MANIFEST).write_text(text + "\n", encoding="utf-8")
        if self.directory.exists():
            old = self._beside()
            self.directory.rename(old)
            self._part.rename(self.directory)
            shutil.rmtree(old)
        else:
            self._part.rename(self.directory)

    def _digest(self, table: str) -> str:
        """SHA-256 of a table's file."""
        with (self._part / f"{table}.parquet").open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def discard(self) -> None:
        """Leave nothing behind; an older result stays as it was."""
        for writer in self._writers.values():
            writer.close()
        shutil.rmtree(self._part, ignore_errors=True)
