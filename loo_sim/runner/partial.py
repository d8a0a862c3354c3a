"""The partial folder: what a run has done so far, kept beside the result's place until it ends.

====================  ==============================================================
``identity.json``     what is run (`identity.py`)
``cells``             the finished cells: their tables, time and headline (`ledger.py`)
``cell-N.part-K``     the cell at work: what thread K has counted (`parts.py`)
``cell-N.failed``     failures of a run that ended early (`failures.py`)
``cell-N.goal``       its checkpoints so far, where the experiment says `until` (`stopping.py`)
``run.log``           what the engine's libraries had to tell
``assembling``        the result directory while it is made
``result, older``     the result, whole, and the one that it replaces (`results.py`)
``.lock, .holder``    who is at work on it (`lock.py`)
====================  ==============================================================
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from loo_sim.runner.differences import TABLE as DIFFERENCE
from loo_sim.runner.differences import Differences
from loo_sim.runner.durable import (
    digest_of,
    digest_of_file,
    is_leftover,
    json_pieces,
    read_record,
    sync,
    write_durably,
    write_record,
)
from loo_sim.runner.identity import Identity
from loo_sim.runner.indices import TABLE as SOBOL
from loo_sim.runner.indices import SobolTable
from loo_sim.runner.ledger import Ledger
from loo_sim.runner.lock import HOLDER, LOCK, DirectoryLock, HeldError
from loo_sim.runner.manifest import DONE
from loo_sim.runner.parts import Parts
from loo_sim.runner.results import (
    MANIFEST,
    OLDER,
    OVER,
    RESULT,
    check_place,
    partial_of,
    put_in_place,
    refuse,
    refuse_if_changed,
    seal,
    settle,
)

if TYPE_CHECKING:
    from loo_sim.studies import Counts

IDENTITY = "identity.json"
LOG = "run.log"
CELLS = "cells"
ASSEMBLING = "assembling"

OUTCOME = ("seconds", "headline", "deals", "precision")
"""What a finished cell keeps beside its tables; a manifest says the same of it."""

MOST_WAITING = 256
"""Tables that wait to be written, each by itself: one of few rows takes many times their room."""

GROUP_ROWS = 2**16
"""Rows of small cells that are written together, so that a table has no more parts than it need."""

_WORK = re.compile(rf"{CELLS}|cell-\d+\..+")
_LOCKS = (LOCK, HOLDER)
_OWN = (IDENTITY, LOG, ASSEMBLING, RESULT, OLDER, *_LOCKS)


class Kept:
    """What is kept of one run: read, and nothing is written.

    Parameters
    ----------
    directory : Path
        The result's place, resolved.

    Attributes
    ----------
    path : Path
        The partial folder.
    done : dict of int to dict
        Finished cells by number: ``seconds``, ``headline`` (rows), ``deals``, ``precision``
        (see `CellOutcome`), and of each of the ``tables`` its number of ``rows``.

    Raises
    ------
    InputError
        If no result may be written there, or something else is in the folder.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = partial_of(directory)
        self.done: dict[int, dict[str, Any]] = {}
        self._identity = ""
        self._ledger = Ledger(self.path / CELLS)
        self._at: dict[int, int] = {}
        check_place(directory)
        if self.path.is_dir():
            foreign = [item.name for item in self.path.iterdir() if not is_of_work(item.name)]
            if foreign:
                raise refuse(self.path, f"holds '{foreign[0]}', which is no part of a run")

    def begun(self) -> dict[str, Any] | None:
        """What was begun here and not ended: its ``identity``, and whether it is ``fresh``.

        Returns
        -------
        dict or None
            None if nothing was.

        Raises
        ------
        InputError
            If that cannot be read any more.
        """
        path = self.path / IDENTITY
        if not path.exists():
            return None
        record: dict[str, Any] | None = read_record(path)
        if record is None:
            raise refuse(path, "was altered or broken off", OVER)
        return record

    def resume(self, there: Identity, here: Identity) -> list[str]:
        """Take up what is here.

        Parameters
        ----------
        there, here : dict
            Identities of what was begun, and of this run.

        Returns
        -------
        list of str
            Names of damaged files; their cells are to be run again.

        Raises
        ------
        InputError
            If the two differ.
        """
        refuse_if_changed(self.path, there, here)
        self._identity = digest_of(here)
        entries, damaged = self._ledger.read()
        for record, at in entries:
            if record["identity"] == self._identity:
                self._note(record, at)
        return [CELLS] if damaged else []

    def _note(self, record: dict[str, Any], at: int) -> None:
        """Note a finished cell, and where its tables are."""
        self.done[record["cell"]] = record
        self._at[record["cell"]] = at

    def checkpoints(self, number: int) -> list[int]:
        """The checkpoints that a cell at work has had, the one that it is going to included.

        Returns
        -------
        list of int
            Deals, or tables; empty if it has had none, or if what is kept of them is damaged.
        """
        record = read_record(self._goal(number))
        if record is None or (record["identity"], record["cell"]) != (self._identity, number):
            return []
        return list(record["checkpoints"])

    def parts(self, number: int, length: int, empty: Callable[[], Counts]) -> Parts:
        """The files of a cell at work, cut into chunks of `length`."""
        return Parts(self.path, number, {"identity": self._identity, "length": length}, empty)

    def _goal(self, number: int) -> Path:
        return self.path / f"cell-{number}.goal"

    def tables(self, number: int) -> Iterator[tuple[str, pa.Table]]:
        """The tables of a finished cell, by name."""
        at = self._at[number]
        for name, of in self.done[number]["tables"].items():
            content = self._ledger.content(at, of["bytes"])
            yield name, _read(pa.BufferReader(content))
            at += of["bytes"]


class Partial(Kept):
    """The work in progress of one result, held by this process alone.

    Parameters
    ----------
    directory : Path
        The result's place, resolved.

    Raises
    ------
    InputError
        If nothing may or can be written there, or another process is at work on it.
    """

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        try:
            directory.parent.mkdir(parents=True, exist_ok=True)
            self._lock = DirectoryLock(self.path)
        except HeldError as held:
            hint = "wait for it to end, or write elsewhere with -o"
            raise refuse(directory, f"{held}, is at work on it", hint) from None
        except (FileExistsError, NotADirectoryError):
            what = "cannot be written: a file is where its folder should be"
            raise refuse(directory, what) from None
        except OSError as error:
            raise refuse(directory, f"cannot be written: {error.strerror}") from None
        try:
            if settle(directory):
                self._clear()
            for name in (OLDER, ASSEMBLING):
                shutil.rmtree(self.path / name, ignore_errors=True)
        except BaseException:
            self._lock.release()
            raise

    def begin(self, identity: Identity, fresh: bool) -> None:
        """Throw away what is here and begin a run.

        Parameters
        ----------
        identity : dict
            Of the run.
        fresh : bool
            Whether a result of this very run, if one is in place, is to count for nothing.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        try:
            self._clear()
            write_record(self.path / IDENTITY, {"identity": identity, "fresh": fresh})
        except OSError as error:
            raise refuse(self.path, f"cannot be written: {error.strerror}") from None
        self._identity = digest_of(identity)

    def adopt(self, manifest: Mapping[str, Any]) -> None:
        """Take over the finished cells of a result in place, some of whose cells failed.

        Parameters
        ----------
        manifest : mapping
            As `results.result_of` gives it.
        """
        cells = [cell if cell["status"] == DONE else None for cell in manifest["cells"]]
        names = dict.fromkeys(name for cell in cells if cell for name in cell["rows"])
        names.pop(DIFFERENCE, None)
        tables = {name: _read(self.directory / f"{name}.parquet") for name in names}
        starts = dict.fromkeys(names, 0)
        for number, cell in enumerate(cells):
            if cell is None:
                continue
            own = {}
            for name in names:
                rows = cell["rows"].get(name, 0)
                if not rows:
                    continue
                own[name] = tables[name].slice(starts[name], rows)
                starts[name] += rows
            if number not in self.done:
                self.keep(number, own, {key: cell[key] for key in OUTCOME})

    def keep(self, number: int, tables: Mapping[str, pa.Table], outcome: Mapping[str, Any]) -> None:
        """Keep the tables of a finished cell; what its threads had counted is of no use then.

        Parameters
        ----------
        number : int
            The cell's.
        tables : mapping of str to Table
            Its tables, axes included.
        outcome : mapping
            What else there is to tell: the keys of `OUTCOME`, as `CellOutcome` has them.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        content = {name: _as_parquet(table) for name, table in tables.items()}
        record: dict[str, Any] = {
            "identity": self._identity,
            "cell": number,
            **outcome,
            "tables": {
                name: {"rows": table.num_rows, "bytes": len(content[name])}
                for name, table in tables.items()
            },
        }
        self._note(record, self._ledger.append(record, list(content.values())))
        for part in self.path.glob(f"cell-{number}.part-*"):
            part.unlink()
        self._goal(number).unlink(missing_ok=True)

    def go_to(self, number: int, checkpoints: Sequence[int]) -> None:
        """Keep the checkpoints of a cell at work before going on to the last of them.

        Raises
        ------
        OSError
            If they cannot be written.
        """
        record = {"identity": self._identity, "cell": number, "checkpoints": list(checkpoints)}
        write_record(self._goal(number), record)

    def assemble(
        self,
        manifest: dict[str, Any],
        differences: Differences | None,
        sobol: SobolTable | None,
    ) -> None:
        """Make the result directory of the finished cells, all but in its place.

        Parameters
        ----------
        manifest : dict
            Modified in place: digests of the tables and of itself are added.
        differences : Differences or None
            Compares the cells of a sweep as they are put together.
        sobol : SobolTable or None
            Makes the indices of a design of them.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        folder = self.path / ASSEMBLING
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        tables: dict[str, _TableFile] = {}
        try:
            for number in sorted(self.done):
                own = dict(self.tables(number))
                if differences is not None:
                    _compare(differences, number, own, manifest["cells"][number])
                if sobol is not None:
                    sobol.add(number, own)
                for name, table in own.items():
                    if name not in tables:
                        tables[name] = _TableFile(folder / f"{name}.parquet", table.schema)
                    tables[name].add(table)
            if sobol is not None:
                of_design, manifest[SOBOL] = sobol.table()
                if of_design is not None:
                    tables[SOBOL] = _TableFile(folder / f"{SOBOL}.parquet", of_design.schema)
                    tables[SOBOL].add(of_design)
        finally:
            for table_file in tables.values():
                table_file.close()
        files = {name: tables[name].path for name in sorted(tables)}
        for path in files.values():
            sync(path)
        manifest["tables"] = {name: digest_of_file(path) for name, path in files.items()}
        seal(manifest)
        write_durably(folder / MANIFEST, chain(json_pieces(manifest, indent=2), [b"\n"]))
        folder.rename(self.path / RESULT)
        sync(self.path)

    def put_in_place(self) -> None:
        """Put the assembled result in its place, and leave nothing here."""
        put_in_place(self.directory)
        self._clear()

    def discard(self) -> None:
        """Leave nothing here: it is of no use any more."""
        self._clear()

    def close(self) -> bool:
        """Let others have the folder, and take it away if nothing was done.

        Returns
        -------
        bool
            Whether there is something to go on with.
        """
        kept = any(_WORK.fullmatch(item.name) for item in self.path.iterdir())
        if kept:
            self._lock.release()
        else:
            self._clear()
            self._lock.release_empty()
        return kept

    def _clear(self) -> None:
        """Remove all but the lock; the identity first, so that what a kill leaves is of no run."""
        self.done, self._at = {}, {}
        self._ledger.clear()
        (self.path / IDENTITY).unlink(missing_ok=True)
        for item in list(self.path.iterdir()):
            if item.name in _LOCKS:
                continue
            if item.is_dir():
                shutil.rmtree(item)
            else:
                item.unlink()


def is_of_work(name: str) -> bool:
    """Whether what has this name may be a part of a partial folder."""
    return name in _OWN or is_leftover(name) or _WORK.fullmatch(name) is not None


def _compare(
    differences: Differences, number: int, tables: dict[str, pa.Table], told: dict[str, Any]
) -> None:
    """Add to a cell's tables how it differs from the first, and tell it in the manifest."""
    apart = differences.add(number, tables)
    if apart is not None:
        tables[DIFFERENCE] = apart
        told["rows"][DIFFERENCE] = apart.num_rows
        told["difference"] = differences.main_of(apart)


class _TableFile:
    """A table of the result while its cells are written one after another."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path = path
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._waiting: list[pa.Table] = []
        self._rows = 0

    def add(self, table: pa.Table) -> None:
        """Add the rows of a cell."""
        self._waiting.append(table)
        self._rows += table.num_rows
        if self._rows >= GROUP_ROWS:
            self._write()
        elif len(self._waiting) >= MOST_WAITING:
            self._waiting = [self._in_one_piece()]

    def close(self) -> None:
        """Write what is waiting, and end the file."""
        if self._rows:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        # Columns in one piece are written alike however they came.
        self._writer.write_table(self._in_one_piece())
        self._waiting, self._rows = [], 0

    def _in_one_piece(self) -> pa.Table:
        return pa.concat_tables(self._waiting).combine_chunks()


def _as_parquet(table: pa.Table) -> memoryview:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return memoryview(sink.getvalue())


def _read(source: Path | pa.BufferReader) -> pa.Table:
    """A Parquet file, each column in one piece, so that it is written alike wherever it was."""
    return pq.ParquetFile(source).read().combine_chunks()
