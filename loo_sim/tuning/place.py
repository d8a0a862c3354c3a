"""The directory of a search: whose it is, what may be in it.

====================  ==============================================================
``search.json``       what is searched, written first: the directory is of this search alone
``rung-1``, ...       the results of the rungs, with their partial folders
``fresh``             the result on fresh deals
``tune.parquet``      a row a candidate
``tune.json``         what was found, written last
====================  ==============================================================
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loo_sim.problems import Problems
from loo_sim.runner.durable import digest_of_file, is_leftover, read_record, write_record
from loo_sim.runner.identity import Identity, differences
from loo_sim.runner.results import (
    MANIFEST,
    OVER,
    is_of_result,
    is_sealed,
    is_whole,
    partial_of,
    refuse,
    refuse_if_changed,
)

SEARCH, TABLE, FOUND = "search.json", "tune.parquet", "tune.json"
FRESH = "fresh"

_PARTIAL = ".partial"
_PARTS = re.compile(r"(rung-\d+|fresh)(\.partial)?")
_ELSEWHERE = "nothing was overwritten; give another place with -o"


def rung_name(number: int) -> str:
    """The folder of a rung, from 1."""
    return f"rung-{number}"


def is_search(directory: Path) -> bool:
    """Whether a directory is one of a search."""
    return (directory / SEARCH).is_file()


def is_begun(directory: Path) -> bool:
    """Whether anything that was counted is kept in a directory."""
    return directory.is_dir() and any(_PARTS.fullmatch(item.name) for item in directory.iterdir())


def take(directory: Path, here: Identity, rungs: int, fresh: bool) -> list[Path]:
    """Make the directory this search's own, or see that it is, and that its parts are whole.

    A part that is not as it was written is taken away: what it held is to be counted again.

    Parameters
    ----------
    directory : Path
        The search's place, resolved.
    here : dict
        Identity of the search.
    rungs : int
        How many it has.
    fresh : bool
        Start over, whatever search is there.

    Returns
    -------
    list of Path
        Parts that were taken away, of a search that goes on.

    Raises
    ------
    InputError
        If anything but this search is there (with `fresh`, but parts of searches), or nothing can
        be written.
    """
    try:
        names = [item.name for item in directory.iterdir()] if directory.exists() else []
        if MANIFEST in names or partial_of(directory).exists():
            raise refuse(directory, "is the place of a run, not of a search", _ELSEWHERE)
        parts = [name for name in names if _PARTS.fullmatch(name)]
        foreign = [name for name in names if not _is_own(name)]
        foreign += [word for name in parts for word in _foreign_in(directory, name)]
        if foreign:
            raise refuse(
                directory, f"holds '{foreign[0]}', which is no part of a search", _ELSEWHERE
            )
        if any(name != SEARCH and not is_leftover(name) for name in names) and not fresh:
            if SEARCH not in names:
                raise refuse(directory, f"holds no {SEARCH}, so no search", OVER)
            there = read_record(directory / SEARCH)
            if there is None:
                raise refuse(directory / SEARCH, "was altered or broken off", OVER)
            refuse_if_changed(directory, there, here)
            return _without_damaged(directory, parts)
        directory.mkdir(parents=True, exist_ok=True)
        for name in (FOUND, TABLE):
            (directory / name).unlink(missing_ok=True)
        write_record(directory / SEARCH, here)
        kept = {FRESH, *(rung_name(number + 1) for number in range(rungs))}
        left = []
        for name in parts:
            if name.removesuffix(_PARTIAL) in kept:
                left.append(name)
            else:
                _remove(directory / name)
        _without_damaged(directory, left)
        return []
    except NotADirectoryError:
        raise refuse(directory, "is a file, or below one, not a directory", _ELSEWHERE) from None
    except OSError as error:
        raise refuse(directory, f"cannot be written: {error.strerror}") from None


def _is_own(name: str) -> bool:
    return name in (SEARCH, TABLE, FOUND) or is_leftover(name) or bool(_PARTS.fullmatch(name))


def _foreign_in(directory: Path, part: str) -> list[str]:
    """What is in a part of a search, or in its place, and is none of it."""
    from loo_sim.runner.partial import is_of_work

    if not (directory / part).is_dir():
        return [part]
    is_own = is_of_work if part.endswith(_PARTIAL) else is_of_result
    return [f"{part}/{item.name}" for item in (directory / part).iterdir() if not is_own(item.name)]


def _without_damaged(directory: Path, parts: Iterable[str]) -> list[Path]:
    """Take away the parts that are not as they were written, but where somebody is at work."""
    from loo_sim.runner.lock import holder_of
    from loo_sim.runner.partial import IDENTITY

    damaged = []
    for part in parts:
        path = directory / part
        if part.endswith(_PARTIAL):
            record = path / IDENTITY
            is_damaged, work = record.exists() and read_record(record) is None, path
        else:
            # An empty folder is as good as none.
            is_damaged, work = any(path.iterdir()) and not is_whole(path), partial_of(path)
        if is_damaged and holder_of(work) is None:
            _remove(path)
            damaged.append(path)
    return damaged


def _remove(path: Path) -> None:
    """Remove a folder; of a link to one, the link alone."""
    if path.is_symlink():
        path.unlink()
    else:
        shutil.rmtree(path)


def read_found(directory: Path) -> dict[str, Any]:
    """What ``tune.json`` of a search holds, it and ``tune.parquet`` being as they were written.

    Raises
    ------
    InputError
        If they are not, or the search has not ended.
    """
    problems = Problems(str(directory))
    again = "the same loosim tune again writes it"
    try:
        found: Any = json.loads((directory / FOUND).read_bytes())
    except FileNotFoundError:
        problems.add("", f"has no {FOUND}: the search has not ended", "go on with it")
    except (ValueError, RecursionError):
        problems.add(FOUND, "cannot be read", again)
    else:
        if not isinstance(found, dict) or not is_sealed(found):
            problems.add(FOUND, "was altered, or written by another version of loosim", again)
        elif (
            not (directory / TABLE).is_file() or digest_of_file(directory / TABLE) != found["table"]
        ):
            problems.add(TABLE, "is not as it was written", again)
        else:
            return found
    problems.raise_if_any()
    raise AssertionError


def is_of_others(place: Path, here: Identity) -> bool:
    """Whether a part of the search is of other candidates than now.

    So it is after cells of an earlier rung have failed and have not when they were run again, and
    after a search that took the place of another.
    """
    from loo_sim.result import read_manifest
    from loo_sim.runner.partial import Kept

    there = []
    if (place / MANIFEST).is_file():
        there.append(read_manifest(place).get("identity", {}))
    begun = Kept(place).begun()
    if begun is not None:
        there.append(begun["identity"])
    return any(differences(identity, here) for identity in there)
