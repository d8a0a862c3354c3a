"""Result directories made up by hand, for the tests of the report."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from loo_sim.cards import hand_classes
from loo_sim.report.hands import features
from loo_sim.rules import Rules

DEALS = 200_000


def cell(axes: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """A cell as a manifest names it: six players at `peel`, a pot of 3."""
    return {
        "axes": dict(axes or {}),
        "players": 6,
        "pot": 3.0,
        "rules": Rules().to_dict(),
        "policies": [{"name": "peel", "digest": "ab" * 32}] * 6,
        "deals": DEALS,
        "status": "done",
        "seconds": 1.5,
        "error": "",
    } | changes


def write_result(
    directory: Path,
    cells: Sequence[Mapping[str, Any]],
    tables: Mapping[str, pd.DataFrame],
    **changes: Any,
) -> Path:
    """A result directory of these cells and tables; `changes` are to the manifest."""
    directory.mkdir(parents=True, exist_ok=True)
    manifest = {
        "schema": "loosim.result/1",
        "version": "0.1.0",
        "name": "sample",
        "study": "deals" if "deals" in tables else "announce",
        "status": "done",
        "seed": 7,
        "units_per_stake": 729,
        "command": "loosim run sample.toml",
        "experiment": {},
        "cells": list(cells),
        "digests": {"rules": "cd" * 32},
        "versions": {"python": "3.12.1"},
        "machine": {"usable_cores": 2},
        "jobs": 2,
        "started": "2025-01-01T00:00:00+00:00",
        "finished": "2025-01-01T00:00:09+00:00",
        "seconds": 9.0,
    } | changes
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    for name, table in tables.items():
        table.to_parquet(directory / f"{name}.parquet", index=False)
    return directory


def deals_tables(players: int = 6, axes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Tables of the study `deals`; the dealer nets 0.5 and each earlier seat 0.1 less."""
    seat = np.arange(players)
    is_dealer = seat == players - 1
    deals = pd.DataFrame(
        {
            "seat": seat,
            "n": DEALS,
            "net": 0.5 - 0.1 * seat[::-1],
            "net_se": 0.004,
            "stood": 0.20,
            "took_miss": 0.05,
            "defended": np.where(is_dealer, 0.30, 0.0),
            "folded": np.where(is_dealer, 0.40, 0.75),
            "looed": 0.08,
            "tricks": 0.4,
            "took_pot": np.where(is_dealer, 0.05, 0.01),
        }
    )
    swings = pd.DataFrame(
        {"pot_swing": [-3.0, 0.0, 3.0, 6.0], "share": [0.4, 0.3, 0.2, 0.1], "share_se": 0.001}
    )
    swings["n"] = (DEALS * swings["share"]).round().astype(int)
    # Nobody is looed in 120,000 deals; in 80,000 one or two are, with a variance of 0.16.
    pot = pd.DataFrame({"standers": [1, 3], "n": [120_000, 80_000], "looed": [0.0, 1.2]})
    pot["looed_se"] = [0.0, (0.16 / 79_999) ** 0.5]
    tables = {"deals": deals, "pot": pot, "swings": swings}
    return {name: table.assign(**(axes or {})) for name, table in tables.items()}


def announce_table(
    players: int = 6,
    axes: Mapping[str, Any] | None = None,
    seats: Sequence[int] | None = None,
    deck: int = 52,
    deals: int = DEALS,
) -> pd.DataFrame:
    """A table of the study `announce` for every hand: strong hands stand, the miss nets -0.3.

    At most three are in before anybody speaks.
    The value of standing grows with the hand's place among all classes, strongest first.
    """
    classes = hand_classes(deck)
    kinds = features(deck)
    chance = classes.size / classes.size.sum()
    strength = 2.5 - 0.42 * kinds["band"].to_numpy() + 0.03 * (kinds["row"] - 8).to_numpy()
    parts = []
    for seat in range(players) if seats is None else seats:
        dealer = seat == players - 1
        for standers in range(1 if dealer else 0, min(seat, 3) + 1):
            for miss_free in (True, False) if standers else (True,):
                share = 0.6**standers / (1 + seat) * (0.7 if miss_free else 0.3)
                n = np.maximum((deals * share * chance).round().astype(int), 1)
                error = np.where(n > 1, 3.0 / np.sqrt(n), np.nan)
                stand = strength - 0.3 * standers + 0.05 * seat
                miss = np.full(len(n), -0.3 + 0.1 * seat - 0.1 * standers)
                offered = {"miss": miss, "miss_se": error, "miss_loo": 0.4, "miss_tricks": 0.8}
                parts.append(
                    pd.DataFrame(
                        {
                            "seat": seat,
                            "standers": standers,
                            "miss_free": miss_free,
                            "hand": classes.names,
                            "n": n,
                            "weight": n / deals,
                            "fold": np.nan if dealer and miss_free else 0.0,
                            "stand": stand,
                            "defend": 0.0 if dealer and miss_free else np.nan,
                            "stand_se": error,
                            "stand_loo": 0.3,
                            "stand_tricks": 1.0,
                            "miss_minus_stand": miss - stand if miss_free else np.nan,
                            "miss_minus_stand_se": 0.8 * error if miss_free else np.nan,
                            "stand_loo_se": np.sqrt(0.21 / n),
                            "miss_loo_se": np.sqrt(0.24 / n) if miss_free else np.nan,
                            "stand_tricks_se": 1 / np.sqrt(n),
                            "miss_tricks_se": 1 / np.sqrt(n) if miss_free else np.nan,
                            **(offered if miss_free else dict.fromkeys(offered, np.nan)),
                        }
                    )
                )
    return pd.concat(parts, ignore_index=True).assign(**(axes or {}))
