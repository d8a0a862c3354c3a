"""The keys of an experiment file: which study has which, and those that all its cells share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loo_sim.problems import nearest
from loo_sim.rules import MOST_STAKES, OPTIONS
from loo_sim.studies import STUDY_NAMES

CLAIMS = "claims"
"""What a file says in place of a study that puts claims to the test: its parts have studies."""

DEFAULTS: Mapping[str, Any] = {"seed": 1, "players": 6, "policies": "peel"}
SEEDS = 2**64

_OF_ALL = ("name", "study", "seed", "players", "policies", "rules", "sweep", "until", "max_seconds")
_BY_DEALS = ("pot", "deals", "max_deals")
_BY_TABLES = ("tables", "max_tables", "rounds", "bankroll")
_KEYS = {
    "deals": _BY_DEALS,
    "announce": (*_BY_DEALS, "aim"),
    "lead": _BY_DEALS,
    "session": _BY_TABLES,
    "league": _BY_DEALS,
    "league in sessions": _BY_TABLES,
}
"""What each study has beside the keys of all; a league that has rounds is played in sessions."""
KEYS = (*_OF_ALL, *dict.fromkeys(key for keys in _KEYS.values() for key in keys))
_INSTEAD = {
    "deals": "tables = ..., rounds = ...",
    "max_deals": "max_tables = ...",
    "pot": "it begins with the stakes",
}
"""What sessions have in place of a key."""

DEFAULT_DEALS, DEFAULT_TABLES, DEFAULT_ROUNDS = 1_000_000, 10_000, 10
DEFAULT_MOST_DEALS, DEFAULT_MOST_TABLES = 1_000_000_000, 1_000_000
"""Where the work goes on until a precision is reached."""
MOST_DEALS = 4_000_000_000
"""Counts of a cell are 32-bit words."""
MOST_TABLES = 2**24
MOST_SECONDS = 10**9

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")

Wrong = Callable[..., None]
"""Notes a problem: key, what is wrong, and perhaps a hint."""


@dataclass(frozen=True)
class Amount:
    """How much is done in each cell.

    Attributes
    ----------
    most : int
        Deals, or tables: all of them, unless `until` is reached before.
    until : float or None
        Half-width of the 95 % interval of the study's headline figure, in stakes, at which a cell
        has enough; None if all is done.
    max_seconds : float or None
        Time after which a cell goes on no longer, whether `until` is reached or not.
    """

    most: int
    until: float | None = None
    max_seconds: float | None = None


def is_by_tables(settings: Mapping[str, Any]) -> bool:
    """Whether an experiment counts tables rather than deals."""
    return _kind(settings) in ("session", "league in sessions")


def _kind(settings: Mapping[str, Any]) -> str | None:
    """The study as `_KEYS` names it; None if it is none."""
    study, sweep = settings.get("study"), settings.get("sweep")
    if study == "league":
        of_sweep = sweep if isinstance(sweep, dict) else {}
        tables = [settings, sweep, of_sweep.get("zip"), of_sweep.get("sobol")]
        listed = of_sweep.get("list")
        tables += listed if isinstance(listed, list) else []
        has_rounds = any("rounds" in table for table in tables if isinstance(table, dict))
        return "league in sessions" if has_rounds else "league"
    return study if isinstance(study, str) and study in _KEYS else None


def place_fault(settings: Mapping[str, Any], key: str) -> tuple[str, str] | None:
    """Why a key, or an axis, has no place in an experiment.

    Returns
    -------
    (str, str) or None
        What is wrong and a hint; None if nothing is.
    """
    if key not in KEYS:
        return "no such key", f"did you mean 'rules.{key}'?" if key in OPTIONS else nearest(
            key, KEYS
        )
    kind = _kind(settings)
    if kind is None or key in _OF_ALL or key in _KEYS[kind]:
        return None
    study = settings["study"]
    if kind == "league in sessions":
        return "has no place in a league that has rounds", _INSTEAD.get(key, "")
    if kind == "league" and key in _BY_TABLES:
        return "has no place in a league without rounds", "rounds = 10 plays it in sessions"
    if is_by_tables(settings):
        return f'has no place in the study "{study}"', _INSTEAD.get(key, "")
    others = dict.fromkeys(name.split()[0] for name, keys in _KEYS.items() if key in keys)
    return f'has no place in the study "{study}"', f"it is of: {', '.join(others)}"


def with_defaults(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with how much is done where they do not say it."""
    found = {"rounds": DEFAULT_ROUNDS} if settings.get("study") == "session" else {}
    by_tables = is_by_tables(settings)
    if "until" in settings:
        key, most = (
            ("max_tables", DEFAULT_MOST_TABLES) if by_tables else ("max_deals", DEFAULT_MOST_DEALS)
        )
    else:
        key, most = ("tables", DEFAULT_TABLES) if by_tables else ("deals", DEFAULT_DEALS)
    return {key: most, **found, **settings}


def check_settings(settings: Mapping[str, Any], wrong: Wrong) -> None:
    """Note unknown keys and those without a place, and what is wrong with a name, study or seed."""
    is_of_claims = settings.get("study") == CLAIMS
    for key in settings:
        fault = None if is_of_claims else place_fault(settings, key)
        if fault:
            wrong(key, *fault)
    name, study = settings["name"], settings.get("study")
    fault = name_fault(name)
    if fault:
        wrong("name", *fault)
    studies = (*STUDY_NAMES, CLAIMS)
    if study is None:
        is_policy = "announce" in settings
        hint = "this looks like a policy: loosim policies FILE shows it"
        wrong("study", "is missing", hint if is_policy else "one of: " + ", ".join(studies))
    elif is_of_claims:
        wrong(
            "study",
            "a file of claims is put to the test as a whole",
            "loosim run FILE, loo_sim.try_claims",
        )
    elif study not in STUDY_NAMES:
        wrong("study", f"{study!r} is no study of this version", nearest(str(study), studies))
    if not is_whole(settings["seed"], 0, SEEDS - 1):
        wrong("seed", f"{settings['seed']!r} is not a whole number from 0 to 2**64 - 1")


def name_fault(name: Any) -> tuple[str, str] | None:
    """Why something cannot name a result: what is wrong, and a hint; None if it can."""
    if isinstance(name, str) and _NAME.fullmatch(name):
        return None
    hint = "up to 100 letters, digits, '-', '_' and '.', not starting with '-' or '.'"
    return f"{name!r} cannot name a result", hint


def read_amount(settings: Mapping[str, Any], wrong: Wrong) -> Amount:
    """How much is to be done, noting everything that is wrong with it.

    Parameters
    ----------
    settings : mapping
        As `with_defaults` gives them.
    wrong : callable
        Notes a problem.
    """
    unit, most = ("tables", MOST_TABLES) if is_by_tables(settings) else ("deals", MOST_DEALS)
    until, seconds = settings.get("until"), settings.get("max_seconds")
    key = unit if until is None else f"max_{unit}"
    if not is_whole(settings[key], 1, most):
        wrong(key, f"{settings[key]!r} is not a whole number from 1 to {most:,}")
    if until is None:
        for bound in ("max_deals", "max_tables", "max_seconds"):
            if bound in settings:
                wrong(bound, "says how far to go, but not until when", "until = 0.01")
        return Amount(settings[key])
    if unit in settings:
        wrong(unit, "is there beside until", f"with until, max_{unit} bounds the work")
    if not _is_positive(until, MOST_STAKES):
        wrong(
            "until",
            f"{until!r} is not a number of stakes above 0",
            "the half-width of a 95 % interval, as in until = 0.01",
        )
    if seconds is not None and not _is_positive(seconds, MOST_SECONDS):
        wrong("max_seconds", f"{seconds!r} is not a number of seconds above 0")
    return Amount(settings[key], until, seconds)


def _is_positive(value: Any, most: float) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value <= most


def is_whole(value: Any, least: int, most: int) -> bool:
    """Whether a value is a whole number from `least` to `most`; true and false are none."""
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
