"""The words of docs/meanings.toml, held to the names that the code has: neither lacks the other."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

MEANINGS = Path(__file__).with_name("meanings.toml")
TYPES = {"double": "float64", "string": "text"}
"""What types of columns are called, if not as Arrow calls them."""
JSON_TYPES = {str: "text", bool: "true, false", int: "whole number", float: "number"}


class DriftError(Exception):
    """The code and docs/meanings.toml do not agree: what to add or remove, line by line."""


class Meanings:
    """The words of docs/meanings.toml, every one of which must be asked for."""

    def __init__(self, text: str) -> None:
        self.content: dict[str, Any] = tomllib.loads(text)
        self.faults: list[str] = []

    def of(self, section: str, names: Iterable[str]) -> dict[str, str]:
        """A meaning for each name of a section that has these names and no others."""
        left = self.content.pop(section, {})
        found = {name: self._words(f"[{section}]", name, left) for name in names}
        self._no_more(f"[{section}]", left)
        return found

    def _words(self, section: str, name: str, found: dict[str, Any]) -> Any:
        if name in found:
            return found.pop(name)
        of = repr(name) if name else '"", what it is'
        self.faults.append(f"{section} lacks the meaning of {of}: add it")
        return "?"

    def _no_more(self, section: str, left: Iterable[str]) -> None:
        self.faults += [
            f"{section} has a meaning of {name!r}, which is nowhere: remove it" for name in left
        ]

    def columns(
        self, group: str, name: str, columns: Mapping[str, str]
    ) -> tuple[str, list[tuple[str, ...]]]:
        """What a table has a row for, and a row a column: names, type, unit, meaning."""
        section = f"[tables.{group}.{name}]"
        found = dict(self.content.get("tables", {}).get(group, {}).pop(name, {}))
        about = self._words(section, "", found)
        group_of = {column: words for words in found for column in expanded(words)}
        own = [column for column in columns if column not in _followers(columns)]
        rows: dict[str, tuple[str, ...]] = {}
        for column in own:
            words = group_of.get(column, column)
            of = expanded(words)
            meaning = found.get(words)
            if not isinstance(meaning, list) or len(meaning) != 2:
                self.faults.append(
                    f"{section} lacks the meaning of {column!r}: add {column} = [unit, meaning]"
                )
                meaning = ["?", "?"]
            kinds = dict.fromkeys(TYPES.get(columns[one], columns[one]) for one in of if one in own)
            shown = ", ".join(_with_followers(one, columns) for one in of)
            rows[words] = (shown, ", ".join(kinds), *meaning)
        self._no_more(section, [column for column in group_of if column not in own])
        return about, list(rows.values())

    def no_more_tables(self) -> None:
        """Note tables that nobody made."""
        for group, named in self.content.pop("tables", {}).items():
            self._no_more(f"[tables.{group}]", named)

    def json(self, command: str, printed: Sequence[Any]) -> tuple[str, list[tuple[str, ...]]]:
        """What is said of a command's JSON, and a row a place: name, type, meaning."""
        section = f'[json."{command}"]'
        found = dict(self.content.get("json", {}).pop(command, {}))
        about = self._words(section, "", found)
        group_of = {place: words for words in found for place in expanded(words)}
        kinds: dict[str, set[str]] = {}
        for document in printed:
            _look(document, "", group_of, kinds)
        for place in kinds.keys() - group_of.keys():
            if not any(other.startswith(f"{place}.") for other in group_of):
                self.faults.append(f"{section} lacks the meaning of {place!r}: add it")
        self.faults += [
            f"{section} has a meaning of {place!r}, which no sample printed: remove it, "
            "or have docs/reference_samples.py print it"
            for place in group_of
            if place not in kinds
        ]
        rows = []
        for words, meaning in found.items():
            of = {kind: None for place in expanded(words) for kind in sorted(kinds.get(place, ()))}
            numbers = ("whole number", "number")
            if all(number in of for number in numbers):
                del of[numbers[0]]
            rows.append((f"`{words}`", " or ".join(of), meaning))
        return about, rows

    def end(self) -> None:
        """Refuse to go on where anything is missing, or was asked for by nobody."""
        for command in self.content.pop("json", {}):
            self.faults.append(
                f'[json."{command}"] is of a command that no sample calls: remove it, or call it '
                "in docs/reference_samples.py"
            )
        self._no_more("the file", self.content)
        if self.faults:
            raise DriftError(
                "\n".join([f"{MEANINGS.name} and the code do not agree:", *self.faults])
            )


def expanded(words: str) -> list[str]:
    """The places that ``a.{b,c}`` stands for."""
    match = re.search(r"\{(.*?)\}", words)
    if match is None:
        return [words]
    return [words[: match.start()] + one + words[match.end() :] for one in match[1].split(",")]


def _followers(columns: Iterable[str]) -> set[str]:
    """Columns that stand beside another one, and mean what its meaning says."""
    known = set(columns)
    return {
        column
        for column in known
        if (of := re.sub(r"(_se|_q\d\d)$", "", column)) != column and of in known
    }


def _with_followers(column: str, columns: Iterable[str]) -> str:
    """A column with its standard error and its quantiles, if it has them."""
    shown = [column, *(other for other in columns if other == f"{column}_se")]
    fan = [other for other in columns if re.fullmatch(rf"{column}_q\d\d", other)]
    told = ", ".join(f"`{one}`" for one in shown)
    return f"{told}, `{fan[0]}` ... `{fan[-1]}`" if fan else told


def _look(value: Any, place: str, known: Mapping[str, Any], kinds: dict[str, set[str]]) -> None:
    """Note the types of all places at or below one; what has a meaning is not looked into."""
    if place in known or not isinstance(value, dict | list) or (value in ({}, []) and place):
        of = kinds.setdefault(f"{place}[]" if value == [] and place not in known else place, set())
        if isinstance(value, dict):
            of.add("object")
        elif isinstance(value, list):
            of.update(("list",) if value and place in known else ())
        elif value is not None:
            of.add(JSON_TYPES[type(value)])
    elif isinstance(value, dict):
        for key, item in value.items():
            _look(item, f"{place}.{key}" if place else key, known, kinds)
    else:
        for item in value:
            _look(item, f"{place}[]", known, kinds)
