"""The place of a solved strategy: what is kept of one in progress, and how one is written.

Beside the directory, in its partial folder:

=================  ===========================================================================
``solve.json``     what is solved, written first: the folder is of this request alone
``game-K.npz``     a game that is solved, by the number of its pot
``now.npz``        what was learned so far of the game at work
=================  ===========================================================================
"""

from __future__ import annotations

import io
import json
import shutil
import tomllib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from loo_sim.policies.policy import ACTIONS, Policy
from loo_sim.problems import InputError
from loo_sim.runner.durable import digest_of_file, read_record, sync, write_durably, write_record
from loo_sim.runner.identity import Identity
from loo_sim.runner.lock import DirectoryLock, HeldError
from loo_sim.runner.results import (
    MANIFEST,
    OLDER,
    OVER,
    RESULT,
    partial_of,
    put_in_place,
    refuse,
    refuse_if_changed,
    seal,
    settle,
)
from loo_sim.solution import GAIN, POLICY, TABLE, is_solution
from loo_sim.strategy.mixtures import PARTS, Parts
from loo_sim.tomlwrite import document

if TYPE_CHECKING:
    import pyarrow as pa

    from loo_sim.strategy.announcing import Announcing

REQUEST, NOW, NEW = "solve.json", "now.npz", "new"
_FILES = {MANIFEST, POLICY, f"{TABLE}.parquet", f"{GAIN}.parquet"}

Arrays = dict[str, npt.NDArray[Any]]


class Place:
    """The directory of a solved strategy, and the work in progress beside it.

    Parameters
    ----------
    directory : Path
        Where the strategy goes.
    here : dict
        Identity of the request.
    fresh : bool
        Start over, whatever is there.

    Raises
    ------
    InputError
        If anything else is there, or another process is at work on it, or nothing can be written.
    """

    def __init__(self, directory: Path, here: Identity, fresh: bool) -> None:
        self.directory = directory
        self.partial = partial_of(directory)
        try:
            _check(directory)
            directory.parent.mkdir(parents=True, exist_ok=True)
            self._lock = DirectoryLock(self.partial)
        except HeldError as held:
            raise refuse(directory, f"is being written by {held}") from None
        except OSError as error:
            raise refuse(directory, f"cannot be written: {error.strerror}") from None
        try:
            settle(directory)
            self._take(here, fresh)
        except BaseException:
            self.close()
            raise

    def _take(self, here: Identity, fresh: bool) -> None:
        """Make the partial folder this request's own, or see that it is."""
        there = read_record(self.partial / REQUEST)
        if there is not None and not fresh:
            refuse_if_changed(self.partial, there, here)
            return
        for path in self.partial.glob("*.npz"):
            path.unlink()
        if not fresh and (finished := _manifest(self.directory)) is not None:
            refuse_if_changed(self.directory, finished["identity"], here)
            return
        write_record(self.partial / REQUEST, here)

    def finished(self) -> Mapping[str, Any] | None:
        """The manifest of the strategy that is in place; None if it is still to be found."""
        return None if (self.partial / REQUEST).exists() else _manifest(self.directory)

    def keep(self, name: str, arrays: Arrays) -> None:
        """Keep arrays under a name, in place of those that were."""
        content = io.BytesIO()
        np.savez(content, allow_pickle=False, **arrays)
        write_durably(self.partial / name, [content.getbuffer()])

    def kept(self, name: str) -> Arrays | None:
        """The arrays kept under a name; None if there are none that can be read."""
        try:
            with np.load(self.partial / name, allow_pickle=False) as arrays:
                return dict(arrays)
        except (FileNotFoundError, ValueError, EOFError, zipfile.BadZipFile):
            return None

    def forget(self, name: str) -> None:
        """Keep arrays no longer."""
        (self.partial / name).unlink(missing_ok=True)

    def finish(self, manifest: dict[str, Any], policy: str, tables: Mapping[str, pa.Table]) -> None:
        """Write the strategy, and put it in its place as a whole."""
        folder = self.partial / NEW
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()
        write_durably(folder / POLICY, [policy.encode()])
        for name, table in tables.items():
            path = folder / f"{name}.parquet"
            write_table(table, path)
        manifest["tables"] = {
            name: digest_of_file(folder / f"{name}.parquet") for name in sorted(tables)
        }
        manifest["policy"] = digest_of_file(folder / POLICY)
        seal(manifest)
        write_durably(folder / MANIFEST, [json.dumps(manifest, indent=1).encode() + b"\n"])
        folder.rename(self.partial / RESULT)  # whole: what is called so waits to be put in place
        put_in_place(self.directory)
        shutil.rmtree(self.partial / OLDER, ignore_errors=True)
        for path in (*self.partial.glob("*.npz"), self.partial / REQUEST):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Give the directory free; a partial folder with nothing in it goes."""
        self._lock.release_empty()


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table as a small file.

    Numbers of a dictionary of hands would not fill whole bytes, and compression would not see what
    comes again and again: hands are written out.
    """
    import pyarrow.parquet as pq

    numbers = [column for column in table.column_names if column != "hand"]
    pq.write_table(table, path, compression="zstd", use_dictionary=numbers)
    sync(path)


def _check(directory: Path) -> None:
    """See that nothing stands there but a solved strategy, or an empty directory."""
    if not directory.exists():
        return
    if not directory.is_dir():
        raise refuse(directory, "is a file, not a directory")
    names = [item.name for item in directory.iterdir()]
    foreign = [name for name in names if name not in _FILES]
    if foreign or (names and not is_solution(directory)):
        what = f"holds '{foreign[0]}', which is no part of a solved strategy"
        raise refuse(directory, what if foreign else "holds no solved strategy")


def _manifest(directory: Path) -> dict[str, Any] | None:
    """The manifest of a solved strategy as this program wrote it."""
    from loo_sim.solution import read_solution

    if not directory.exists() or not any(directory.iterdir()):
        return None
    try:
        manifest = dict(read_solution(directory).manifest)
    except InputError as error:
        raise InputError(
            [*error.problems, *refuse(directory, "is damaged", OVER).problems]
        ) from None
    if "identity" not in manifest:
        raise refuse(directory / MANIFEST, "was written by another program", OVER)
    return manifest


def policy_text(name: str, about: str, play: Policy) -> str:
    """The policy file of a strategy whose table is beside it, its cards played as `play` does."""
    data = tomllib.loads(play.text)
    content: dict[str, Any] = {"name": name, "about": about}
    rules = [rule for choice in play.play for rule in choice.rules]
    used = {param for rule in rules for param in rule.params}
    if used:
        content["params"] = {name: play.params[name] for name in sorted(used)}
    content["announce"] = {"table": f"{TABLE}.parquet", "otherwise": "fold"}
    if data.get("play"):
        content["play"] = data["play"]
    return document(content)


def strategy_table(games: Sequence[tuple[Announcing, Parts]]) -> pa.Table:
    """The chances of each announcement: a row for every pot, situation and class of hands."""
    import pyarrow as pa

    from loo_sim.cards import hand_classes
    from loo_sim.rules import UNITS_PER_STAKE

    names = np.array(hand_classes(games[0][0].rules.deck).names)
    columns: dict[str, list[npt.NDArray[Any]]] = {}
    for of, strategy in games:
        for situation in of.situations:
            row = {
                "players": np.int64(of.players),
                "pot": of.pot / UNITS_PER_STAKE,
                "seat": np.int64(situation.seat),
                "standers": np.int64(situation.standers),
                "miss_free": situation.miss_free,
            }
            for name, value in row.items():
                columns.setdefault(name, []).append(np.full(of.classes, value))
            columns.setdefault("hand", []).append(names)
            for place, action in enumerate(ACTIONS):
                chances = strategy[situation.row, :, place] / PARTS
                columns.setdefault(action, []).append(chances)
    return pa.table({name: np.concatenate(parts) for name, parts in columns.items()})
