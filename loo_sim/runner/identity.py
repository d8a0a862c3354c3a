"""What makes two runs the same run: everything that their tables depend on, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from loo_sim import __version__, studies
from loo_sim.experiment import Cell, Experiment
from loo_sim.rules import UNITS_PER_STAKE

Identity = dict[str, Any]
"""What JSON can hold, as it comes back from a file."""

_DIGESTS = ("kernels", "studies", "digest")
"""Keys whose values mean nothing to a reader."""


def identity_of(experiment: Experiment) -> Identity:
    """The identity of a run: the experiment resolved, and the code that its tables come from.

    Threads, the result's place and the paths of files are no part of it.
    """
    from loo_sim.kernels import digest

    in_cells = {field.name for field in fields(Cell)} | {"sweep"}
    whole = {key: value for key, value in experiment.settings.items() if key not in in_cells}
    identity = {
        **whole,
        "version": __version__,
        "kernels": digest(),
        "studies": _digest_of_studies(),
        "cells": [_cell(cell) for cell in experiment.cells],
    }
    return identity


def _cell(cell: Cell) -> dict[str, Any]:
    """All of a cell; its pot in stakes, its policies by name and digest."""
    return {
        **vars(cell),
        "axes": dict(cell.axes),
        "pot": cell.pot / UNITS_PER_STAKE,
        "rules": cell.rules.to_dict(),
        "policies": [{"name": policy.name, "digest": policy.digest} for policy in cell.policies],
        "aim": None if cell.aim is None else list(cell.aim),
    }


def _digest_of_studies() -> str:
    """SHA-256 of the code that makes estimates of counts, in hexadecimal."""
    found = hashlib.sha256()
    for path in sorted(Path(studies.__file__).parent.glob("*.py")):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()


def differences(there: Identity, here: Identity) -> list[tuple[str, str]]:
    """Where two identities differ.

    Parameters
    ----------
    there, here : dict
        Of an earlier run, and of this one.

    Returns
    -------
    list of (str, str)
        The key, and both values in words. What differs alike in every cell is told once, without
        the cell's number; cells are numbered from 0.
    """
    old_cells, new_cells = there["cells"], here["cells"]
    found = list(_differences("", _but_cells(there), _but_cells(here)))
    if len(old_cells) != len(new_cells):
        found.append(("cells", f"{len(old_cells):,} there, {len(new_cells):,} here"))
    by_cell = [
        list(_differences("", old, new)) for old, new in zip(old_cells, new_cells, strict=False)
    ]
    times = Counter(difference for cell in by_cell for difference in cell)
    found += [difference for difference, n in times.items() if n == len(by_cell)]
    for number, cell in enumerate(by_cell):
        found += [
            (f"cells.{number}.{key}", what) for key, what in cell if times[key, what] < len(by_cell)
        ]
    return found


def _but_cells(identity: Identity) -> Identity:
    return {key: value for key, value in identity.items() if key != "cells"}


def _differences(key: str, there: Any, here: Any) -> Iterator[tuple[str, str]]:
    """Keys at or below `key` whose values differ; 3 and 3.0 do, for a column holds them apart."""
    if json.dumps(there, sort_keys=True) == json.dumps(here, sort_keys=True):
        return
    if isinstance(there, dict) and isinstance(here, dict):
        if "digest" in there and there["name"] == here["name"]:
            yield f"{key} ({here['name']})", "changed"
        elif "digest" in there:
            yield key, f"{there['name']} there, {here['name']} here"
        else:
            for word in dict.fromkeys([*there, *here]):
                below = f"{key}.{word}" if key else word
                yield from _differences(below, there.get(word), here.get(word))
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for place, (old, new) in enumerate(zip(there, here, strict=True)):
            yield from _differences(f"{key}.{place}", old, new)
    elif key in _DIGESTS:
        yield key, "changed"
    else:
        yield key, f"{_in_words(there)} there, {_in_words(here)} here"


def _in_words(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "none" if value is None else str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        names = [item["name"] if isinstance(item, dict) else _in_words(item) for item in value]
        return ", ".join(names)
    if isinstance(value, Mapping):
        return json.dumps(value)
    return str(value)
