"""A solved strategy made up by hand, for the tests of its report: no number of it was measured."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from loo_sim.cards import hand_classes
from loo_sim.policies.compile import FIRST_MIXTURE, compile_tables
from loo_sim.policies.features import situations
from loo_sim.policies.parse import load_policy
from loo_sim.report.hands import features
from loo_sim.rules import UNITS_PER_STAKE, Rules
from loo_sim.runner.durable import digest_of_file
from loo_sim.runner.results import seal
from loo_sim.solution import SCHEMA

ACTIONS = ["fold", "stand", "miss", "defend"]
PLAYERS, POT, DEALS = 5, 3.0, 100_000

POLICY = """name = "{name}"
about = "made up for the tests"
[announce]
table = "table.parquet"
[play]
lead_trump = "high"
"""


def strategy_table(
    players: int = PLAYERS, pot: float = POT, rules: Rules | None = None
) -> pd.DataFrame:
    """The built-in policy `peel`, but that some hands are mixed.

    With a highest trump of nine or less and no other trump seat 0 stands with 0.7 and folds with
    0.3; with ace and king in hand and no trump it folds with 0.5, stands with 0.3 and takes the
    miss with 0.2.
    """
    rules = rules or Rules()
    tables = compile_tables(
        [load_policy("peel")] * players, rules, players, round(pot * UNITS_PER_STAKE)
    )
    classes = hand_classes(rules.deck)
    parts = []
    for seat, standers, free in situations(players):
        codes = tables.rows[tables.row_of[seat, standers, int(free)]][classes.member]
        assert codes.max() < FIRST_MIXTURE  # `peel` mixes nothing
        part = pd.DataFrame(np.eye(4)[codes], columns=ACTIONS)
        keys = {"players": players, "pot": pot, "seat": seat, "standers": standers}
        parts.append(part.assign(**keys, miss_free=free, hand=classes.names))
    table = pd.concat(parts, ignore_index=True)
    kinds = features(rules.deck).loc[table["hand"]].reset_index(drop=True)
    small = (table["seat"] == 0) & (kinds["trumps"] == 1) & (kinds["row"] <= 9)
    table.loc[small, ACTIONS] = (0.3, 0.7, 0.0, 0.0)
    ace_king = (kinds["trumps"] == 0) & (kinds["row"] == 14) & (kinds["col"] == 13)
    table.loc[(table["seat"] == 0) & ace_king, ACTIONS] = (0.5, 0.3, 0.2, 0.0)
    return table[["players", "pot", "seat", "standers", "miss_free", "hand", *ACTIONS]]


def gain_table(players: int = PLAYERS, pot: float = POT, scale: float = 0.001) -> pd.DataFrame:
    """By formula: seat s is worth 0.1 s, and gains (s to 2 s + 1) times `scale`."""
    seat = np.arange(players)
    return pd.DataFrame(
        {
            "players": players,
            "pot": pot,
            "seat": seat,
            "value": 0.1 * seat - 0.2,
            "gain_low": scale * seat,
            "gain_low_se": 0.0005,
            "gain_high": scale * (2 * seat + 1),
            "gain_high_se": 0.0004,
        }
    )


def write_solution(
    directory: Path,
    table: pd.DataFrame | None = None,
    gain: pd.DataFrame | None = None,
    pots: Sequence[float] = (POT,),
    **changes: Any,
) -> Path:
    """The directory of a solved strategy; `changes` are to the manifest, before it is sealed."""
    directory.mkdir(parents=True, exist_ok=True)
    if table is None:
        table = pd.concat([strategy_table(pot=pot) for pot in pots], ignore_index=True)
    if gain is None:
        gain = pd.concat([gain_table(pot=pot) for pot in pots], ignore_index=True)
    table.to_parquet(directory / "table.parquet", index=False)
    gain.to_parquet(directory / "gain.parquet", index=False)
    (directory / "policy.toml").write_text(POLICY.format(name="solved"), encoding="utf-8")
    manifest: dict[str, Any] = {
        "schema": SCHEMA,
        "name": "solved",
        "version": "0.1.0",
        "status": "done",
        "seed": 7,
        "players": PLAYERS,
        "pots": list(pots),
        "rules": Rules().to_dict(),
        "carry": "none",
        "deals": 5_000_000,
        "gain_deals": DEALS,
        "command": "loosim solve --players 5 --pot 3 -o solved",
        "versions": {"python": "3.12.1"},
    } | changes
    return write_manifest(directory, manifest)


def write_manifest(directory: Path, manifest: Mapping[str, Any]) -> Path:
    """The manifest of the files that are there, sealed."""
    content = {key: value for key, value in manifest.items() if key != "digest"}
    content["policy"] = digest_of_file(directory / "policy.toml")
    content["tables"] = {
        name: digest_of_file(directory / f"{name}.parquet") for name in ("table", "gain")
    }
    seal(content)
    (directory / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    return directory
