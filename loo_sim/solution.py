"""A solved strategy: the directory that `loosim solve` writes, read and checked.

=================  =======================================================================
``manifest.json``  what was solved and how, sealed by its digest
``policy.toml``    the strategy as a policy file, its table being ``table.parquet``
``table.parquet``  chances of each announcement by situation and hand
``gain.parquet``   by seat: its value, and what it could gain by leaving the strategy
=================  =======================================================================
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loo_sim.problems import InputError, Problems, nearest
from loo_sim.result import check_keys, read_tables
from loo_sim.rules import Rules, parse_rules, players_fault, pot_fault
from loo_sim.runner.durable import digest_of_file
from loo_sim.runner.results import MANIFEST, is_sealed

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.policies.policy import Policy
    from loo_sim.policies.table import PolicyTable

SCHEMA = "loosim.solution/1"
POLICY, TABLE, GAIN = "policy.toml", "table", "gain"
CARRY = ("none", "equal")
"""What a value counts of a pot that is left: nothing, or an equal part for each player."""

GAIN_COLUMNS = (
    *("players", "pot", "seat", "value", "gain_low", "gain_low_se", "gain_high", "gain_high_se"),
)
VALUE_ERROR = "value_se"
"""A column that `gain` may have: the standard error of the value."""

_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "version": str,
    "status": str,
    "seed": int,
    "players": int,
    "pots": list,
    "rules": dict,
    "carry": str,
    "deals": int,
    "gain_deals": int,
    "tables": dict,
    "policy": str,
}
_TABLES = {name: f"{name}.parquet" for name in (TABLE, GAIN)}
_FILES = (MANIFEST, POLICY, *_TABLES.values())
_AGAIN = "solve it again"


@dataclass(frozen=True)
class Solution:
    """A strategy that was solved for, by pot.

    Attributes
    ----------
    directory : Path
    manifest : mapping
    rules : Rules
    players : int
    pots : tuple of float
        Stakes in the pot when play begins, ascending.
    policy : Policy
        The strategy, as it is played.
    gain : DataFrame
        `GAIN_COLUMNS` and `VALUE_ERROR` (nan where it is not known), in stakes a deal.
    """

    directory: Path
    manifest: Mapping[str, Any]
    rules: Rules
    players: int
    pots: tuple[float, ...]
    policy: Policy
    gain: pd.DataFrame

    @property
    def table(self) -> PolicyTable:
        """The chances of each announcement."""
        assert self.policy.table is not None
        return self.policy.table


def is_solution(directory: Path) -> bool:
    """Whether a directory is one of a solved strategy, whole or not."""
    if (directory / POLICY).is_file():
        return True
    try:
        manifest = json.loads((directory / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and manifest.get("schema") == SCHEMA


def read_solution(directory: Path) -> Solution:
    """Read the directory of a solved strategy.

    Raises
    ------
    InputError
        If anything is missing or wrong in it; every problem at once.
    """
    problems = Problems(str(directory))
    files = [name for name in _FILES if (directory / name).is_file()]
    for name in _FILES:
        if name not in files:
            problems.add(name, "is missing", _AGAIN)
    manifest = _read_manifest(directory, problems) if MANIFEST in files else None
    stated = _game(manifest, problems) if manifest else None
    whole = POLICY in files and _TABLES[TABLE] in files
    policy = _read_policy(directory, problems) if whole else None
    gain = _read_gain(directory, problems) if _TABLES[GAIN] in files else None
    if manifest:
        digests = {POLICY: manifest["policy"]} | {
            name: manifest["tables"][table] for table, name in _TABLES.items()
        }
        for name, digest in digests.items():
            if name in files and digest_of_file(directory / name) != digest:
                problems.add(name, "is not as it was written", _AGAIN)
    if stated and policy and policy.table:
        _check_strategy(policy.table, *stated, problems)
    if stated and gain is not None:
        _check_games(gain, stated[1], stated[2], problems)
    if problems or manifest is None or stated is None or policy is None or gain is None:
        raise InputError(problems)
    return Solution(directory, manifest, *stated, policy, gain)


def _read_manifest(directory: Path, problems: Problems) -> dict[str, Any] | None:
    """The manifest, if it has all that must be in it."""
    before = len(problems.found)
    try:
        manifest: Any = json.loads((directory / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        problems.add(MANIFEST, f"cannot be read: {error}", _AGAIN, line)
        return None
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        problems.add(f"{MANIFEST}: schema", f"is not {SCHEMA}", _AGAIN)
        return None
    check_keys(manifest, _KEYS, f"{MANIFEST}: ", problems)
    tables = manifest.get("tables")
    if isinstance(tables, dict):
        kinds: dict[str, type | tuple[type, ...]] = {TABLE: str, GAIN: str}
        check_keys(tables, kinds, f"{MANIFEST}: tables.", problems)
    if len(problems.found) > before:
        return None
    if not is_sealed(manifest):
        problems.add(MANIFEST, "was altered, or written by another version of loosim", _AGAIN)
    return manifest


def _game(
    manifest: Mapping[str, Any], problems: Problems
) -> tuple[Rules, int, tuple[float, ...]] | None:
    """The rules, the players and the pots that a manifest states."""
    before = len(problems.found)
    carry, pots = manifest["carry"], manifest["pots"]
    if carry not in CARRY:
        problems.add(f"{MANIFEST}: carry", f"'{carry}' is none", nearest(carry, CARRY))
    rules = parse_rules(manifest["rules"], problems, f"{MANIFEST}: rules")
    if rules is None:
        return None
    players = manifest["players"]
    fault = players_fault(rules, players)
    if fault:
        problems.add(f"{MANIFEST}: players", fault)
    if not pots:
        problems.add(f"{MANIFEST}: pots", "are none")
    for pot in pots if not fault else ():
        wrong = pot_fault(rules, players, pot)
        if wrong:
            problems.add(f"{MANIFEST}: pots", wrong)
    if len(problems.found) > before:
        return None
    return rules, players, tuple(sorted(map(float, pots)))


def _read_policy(directory: Path, problems: Problems) -> Policy | None:
    """The strategy as a policy, with all that is wrong with it and its table."""
    from loo_sim.policies.parse import read_policy

    try:
        policy = read_policy(directory / POLICY)
    except InputError as error:
        problems.found += error.problems
        return None
    named = tomllib.loads(policy.text)["announce"].get("table")
    if named != _TABLES[TABLE]:
        what = f"is {named!r}" if named else "is missing"
        problems.add(f"{POLICY}: announce.table", what, f'table = "{_TABLES[TABLE]}"')
        return None
    return policy


def _read_gain(directory: Path, problems: Problems) -> pd.DataFrame | None:
    """The gains, if every column is there and holds numbers."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    name, before = _TABLES[GAIN], len(problems.found)
    table = read_tables(directory, problems, [GAIN]).get(GAIN)
    if table is None:
        return None
    columns = [*GAIN_COLUMNS, *(column for column in (VALUE_ERROR,) if column in table)]
    for column in columns:
        if column not in table:
            problems.add(name, f"has no column {column}", nearest(column, map(str, table.columns)))
        elif is_bool_dtype(table[column]) or not is_numeric_dtype(table[column]):
            problems.add(name, f"column {column} does not hold numbers", _AGAIN)
        elif not np.isfinite(table[column].to_numpy(dtype=np.float64, na_value=np.nan)).all():
            problems.add(name, f"column {column} has rows without a number", _AGAIN)
        elif column.endswith("_se") and (table[column] < 0).any():
            problems.add(name, f"column {column} holds errors below 0", _AGAIN)
    if len(problems.found) > before:
        return None
    if VALUE_ERROR not in table:
        table = table.assign(**{VALUE_ERROR: np.nan})
    return table[[*GAIN_COLUMNS, VALUE_ERROR]].sort_values(
        ["players", "pot", "seat"], ignore_index=True
    )


def _check_games(
    gain: pd.DataFrame, players: int, pots: tuple[float, ...], problems: Problems
) -> None:
    """Note seats of the manifest's games that the gains lack, and seats that are in none."""
    name = _TABLES[GAIN]
    found = [tuple(map(float, row)) for row in gain[["players", "pot", "seat"]].to_numpy()]
    wanted = [(float(players), pot, float(seat)) for pot in pots for seat in range(players)]
    for what, rows in (
        ("has no row for", [row for row in wanted if row not in found]),
        ("has a row too many for", _not_in(found, wanted)),
    ):
        if rows:
            of_players, pot, seat = rows[0]
            told = f"{what} players = {of_players:g}, pot = {pot:g}, seat = {seat:g}"
            problems.add(name, told + _more(len(rows)), _AGAIN)


def _not_in(found: Iterable[Any], wanted: Iterable[Any]) -> list[Any]:
    """Those found that are not wanted, or were found before."""
    left = list(wanted)
    extra = []
    for row in found:
        if row in left:
            left.remove(row)
        else:
            extra.append(row)
    return extra


def _more(count: int) -> str:
    return f" (and {count - 1} more like it)" if count > 1 else ""


def _check_strategy(
    table: PolicyTable, rules: Rules, players: int, pots: tuple[float, ...], problems: Problems
) -> None:
    """Note situations and hands that a table lacks, and announcements that are illegal."""
    from loo_sim.cards import classes_in_whole_pack
    from loo_sim.policies.features import situations
    from loo_sim.policies.policy import ACTIONS
    from loo_sim.policies.table import ABSENT

    name = _TABLES[TABLE]
    missing, short, illegal = [], [], []
    of_pack = classes_in_whole_pack(rules.deck)
    chances = np.array(table.mixtures, dtype=np.float64)
    for pot in pots:
        for seat, standers, free in situations(players):
            where = (
                f"players = {players}, pot = {pot:g}, seat = {seat}, standers = {standers}, "
                f"miss_free = {str(free).lower()}"
            )
            row = table.rows.get((players, pot, seat, standers, free))
            if row is None:
                missing.append(where)
                continue
            codes = row[of_pack]
            absent = int((codes == ABSENT).sum())
            if absent:
                short.append(f"{absent:,} of {len(codes):,} hands of {where}")
            legal = rules.legal_actions(seat == players - 1, standers, free)
            said = chances[np.unique(codes[codes != ABSENT])].sum(axis=0) > 0
            for action, is_said in zip(ACTIONS, said.tolist(), strict=True):
                if is_said and action not in legal:
                    illegal.append(f"'{action}' has a chance where the rules forbid it: {where}")
    for what, places, hint in (
        ("has no rows for ", missing, _AGAIN),
        ("has no rows for ", short, _AGAIN),
        ("", illegal, "rules are those of the manifest"),
    ):
        if places:
            problems.add(name, f"{what}{places[0]}{_more(len(places))}", hint)
    strange = sorted({(key[0], key[1]) for key in table.rows} - {(players, pot) for pot in pots})
    if strange:
        (of_players, pot), count = strange[0], len(strange)
        what = f"holds players = {of_players}, pot = {pot:g}, which the manifest does not name"
        problems.add(name, what + _more(count), _AGAIN)
