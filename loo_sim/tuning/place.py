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
from pathlib import Path
from typing import Any

from loo_sim.problems import Problems
from loo_sim.runner.durable import digest_of_file, is_leftover, read_record, write_record
from loo_sim.runner.identity import Identity, differences
from loo_sim.runner.results import (
    MANIFEST,
    OVER,
    is_sealed,
    partial_of,
    refuse,
    refuse_if_changed,
)

SEARCH, TABLE, FOUND = "search.json", "tune.parquet", "tune.json"
FRESH = "fresh"

_PARTS = re.compile(r"(rung-\d+|fresh)(\.partial)?")
_ELSEWHERE = "nothing was overwritten; give another place with -o"


def rung_name(number: int) -> str:
    """The folder of a rung, from 1."""
    return f"rung-{number}"


def is_search(directory: Path) -> bool:
    """Whether a directory is one of a search."""
    return (directory / SEARCH).is_file()


def take(directory: Path, here: Identity, rungs: int, fresh: bool) -> None:
    """Make the directory this search's own, or see that it is.

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

    Raises
    ------
    InputError
        If anything but this search is there (with `fresh`, but a search), or nothing can be
        written.
    """
    try:
        names = [item.name for item in directory.iterdir()] if directory.exists() else []
        if MANIFEST in names or partial_of(directory).exists():
            raise refuse(directory, "is the place of a run, not of a search", _ELSEWHERE)
        foreign = [name for name in names if not _is_own(name)]
        if foreign:
            raise refuse(
                directory, f"holds '{foreign[0]}', which is no part of a search", _ELSEWHERE
            )
        if any(not is_leftover(name) for name in names) and SEARCH not in names:
            raise refuse(directory, f"holds no {SEARCH}, so no search", _ELSEWHERE)
        if SEARCH in names and not fresh:
            there = read_record(directory / SEARCH)
            if there is None:
                raise refuse(directory / SEARCH, "was altered or broken off", OVER)
            refuse_if_changed(directory, there, here)
            return
        directory.mkdir(parents=True, exist_ok=True)
        for name in (FOUND, TABLE):
            (directory / name).unlink(missing_ok=True)
        write_record(directory / SEARCH, here)
        kept = {FRESH, *(rung_name(number + 1) for number in range(rungs))}
        for name in names:
            if _PARTS.fullmatch(name) and name.removesuffix(".partial") not in kept:
                shutil.rmtree(directory / name)
    except NotADirectoryError:
        raise refuse(directory, "is a file, or below one, not a directory", _ELSEWHERE) from None
    except OSError as error:
        raise refuse(directory, f"cannot be written: {error.strerror}") from None


def _is_own(name: str) -> bool:
    return name in (SEARCH, TABLE, FOUND) or is_leftover(name) or bool(_PARTS.fullmatch(name))


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
