"""Writes data as TOML that reads back as the same data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(value: Any) -> str:
    """A value on one line: text, a number, true or false, a list of values, a table of them.

    Raises
    ------
    TypeError
        If it, or a value in it, has no such form.
    """
    if isinstance(value, Mapping):
        items = (f"{_key(str(key))} = {as_toml(item)}" for key, item in value.items())
        return "{" + ", ".join(items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # JSON's escapes are TOML's too, but JSON lets one control character stand.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    raise TypeError(f"{value!r} is no value that an experiment file can hold")


def document(data: Mapping[str, Any]) -> str:
    """A whole file: single values, then each table under its heading, then its own tables.

    Keys keep their order, which says which axis of a sweep is the first: a table that stands before
    a single value is written on one line.

    Raises
    ------
    TypeError
        If a value has no form in TOML.
    """
    return "\n".join(_table("", data)) + "\n"


def _table(path: str, data: Mapping[str, Any]) -> list[str]:
    """The lines of a table, without its heading."""
    single = [place for place, value in enumerate(data.values()) if not _has_heading(value)]
    first = single[-1] + 1 if single else 0
    lines = [f"{_key(key)} = {as_toml(value)}" for key, value in islice(data.items(), first)]
    for key, value in islice(data.items(), first, None):
        below = f"{path}.{_key(key)}" if path else _key(key)
        if isinstance(value, Mapping):
            lines += ["", f"[{below}]", *_table(below, value)]
        elif _has_heading(value):
            for item in value:
                lines += ["", f"[[{below}]]", *_table(below, item)]
    return lines


def _has_heading(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, Mapping) for item in value)
    return isinstance(value, Mapping)


def _key(word: str) -> str:
    return word if _BARE_KEY.fullmatch(word) else as_toml(word)
