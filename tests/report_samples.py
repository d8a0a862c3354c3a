"""Result directories made up by hand, and pages made of them, for the tests of the report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from loo_sim.cards import hand_classes
from loo_sim.report import write_report
from loo_sim.report.hands import features
from loo_sim.rules import Rules

DEALS = 200_000
TABLES = 10_000
STUDIES = ("deals", "announce", "lead", "session", "league")
QUANTILES = ("q05", "q25", "q50", "q75", "q95")


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
        "study": next(name for name in STUDIES if name in tables) if tables else "deals",
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
                offered |= {"miss_pot": 0.0, "miss_pot_se": 0.0}
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
                            "stand_pot": 0.0,
                            "stand_pot_se": 0.0,
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


def session_cell(axes: Mapping[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """A cell of the study `session`: five people, each with his own policy."""
    names = ("peel", "tight", "trumps", "loose", "pot-odds")
    policies = [{"name": name, "digest": "ab" * 32} for name in names]
    return cell(axes, **{"players": 5, "deals": TABLES, "policies": policies, **changes})


def session_tables(
    people: int = 5,
    axes: Mapping[str, Any] | None = None,
    tables: int = TABLES,
    deals: int = 20,
    bankroll: int = 0,
) -> dict[str, Any]:
    """Tables of the study `session`, by hand.

    The mean pot is 5 and stays so. Person p ends 2 p stakes above what was brought and sinks to
    10 + p below it; a bankroll of b stakes is ruined at a share of 1 / b of the tables, less a
    hundredth for each person. Person 1 is out at a fifth of the tables if purses are limited.
    Nothing has an error where there is one table.
    """

    def error(value: float) -> float | None:
        return value if tables > 1 else None

    person = np.arange(people)
    spread = {"q05": -20.0, "q25": -5.0, "q50": 0.0, "q75": 5.0, "q95": 20.0}
    final, lowest = bankroll + 2.0 * person, bankroll - 10.0 - person
    session = pd.DataFrame(
        [
            {
                **{"n": tables, "deals": float(deals), "pot": 5.0, "pot_se": error(0.01)},
                **{"pot_naive_se": 0.008, "pot_error_ratio": 1.25 if tables > 1 else np.nan},
                **{"single": 0.4, "single_se": error(0.001)},
                **{"clean": 0.5, "clean_se": error(0.001)},
                **{"looed": 0.6, "looed_se": error(0.001), "clean_gap": 1.9},
                **{"longest": 4.0, "longest_se": error(0.02)},
                **{"pot_left": 2.0, "pot_left_se": error(0.02)},
                **{"met_cap": 0, "met_bound": 0, "loo_cap": None, "brought": bankroll or None},
            }
        ]
    )
    path = pd.DataFrame({"deal": np.arange(1, deals + 1), "n": tables, "pot": 5.0})
    path["pot_se"] = error(0.05)
    for name, pot in zip(QUANTILES, (3.0, 3.0, 4.0, 6.0, 9.0), strict=True):
        path[f"pot_{name}"] = pot
    # Nine tables in ten have a longest run of 4 deals, the others one of 9.
    runs = [tables - tables // 10, tables // 10]
    gap = pd.DataFrame({"deals": [1, 4, 9], "gaps": [3 * tables, tables, 0]})
    gap["longest_runs"] = [0, *runs]
    purse = pd.DataFrame({"person": person, "policy": "peel", "n": tables, "final": final})
    purse = purse.assign(lowest=lowest, swing=30.0, looed=0.1, tricks=0.5)
    purse["out"] = np.where(person == 1, 0.2, 0.0) if bankroll else 0.0
    for column in ("final", "lowest", "swing", "looed", "tricks", "out"):
        purse[f"{column}_se"] = error(0.1 if column in ("final", "lowest", "swing") else 0.001)
    for name, away in spread.items():
        purse[f"final_{name}"] = final + away
        purse[f"lowest_{name}"] = lowest + away / 10
    brought = np.array([5, 10, 20, 50, 100])
    who, place = (index.ravel() for index in np.indices((people, len(brought))))
    ruin = pd.DataFrame({"person": who, "brought": brought[place], "n": tables})
    ruin["ruined"] = np.maximum(1 / ruin["brought"] - 0.01 * who, 0.0)
    ruin["ruined_se"] = error(0.001)
    seat = pd.DataFrame({"seat": person, "n": tables * deals, "net": 0.5 + 0.01 * person})
    seat["net_se"], seat["paid_in"] = error(0.001), np.where(person == people - 1, 3, 0)
    made = {"session": session, "path": path, "gap": gap, "purse": purse, "ruin": ruin}
    made["seat"] = seat
    return {name: table.assign(**(axes or {})) for name, table in made.items()}


def league_tables(
    nets: Mapping[str, float],
    half: float = 0.02,
    axes: Mapping[str, Any] | None = None,
    unit: str = "deals",
) -> dict[str, Any]:
    """Tables of the study `league`: the mean net of each policy, best first, and a half-width.

    Every policy's net has a variance of 1, so that 1.96^2 * 2 / difference^2 deals tell two apart.
    """
    rows = []
    for policy, net in nets.items():
        for rival, other in nets.items():
            diff, needed = net - other, 1.96**2 * 2
            if policy == rival:
                continue
            sure = abs(diff) > half
            rows.append(
                {
                    **{"policy": policy, "rival": rival, "n": DEALS, "net_diff": diff},
                    **{"net_diff_se": half / 3, "low": diff - half, "high": diff + half},
                    **{"p_value": 0.0001 if sure else 0.5, "plain_se": half, "gain": 9.0},
                    f"{unit}_apart": needed / diff**2 if diff else None,
                    f"{unit}_apart_low": needed / (abs(diff) + half) ** 2,
                    f"{unit}_apart_high": needed / (abs(diff) - half) ** 2 if sure else None,
                }
            )
    best = max(nets.values())
    standing = pd.DataFrame({"policy": list(nets), "n": DEALS, "net": list(nets.values())})
    standing["net_se"], standing["spread"] = half / 4, 1.0
    standing["tied_with_best"] = standing["net"] >= best - half
    tables = {"league": pd.DataFrame(rows), "standing": standing}
    return {name: table.assign(**(axes or {})) for name, table in tables.items()}


class Page(HTMLParser):
    """What a page is made of: its tags with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data.replace("\N{NO-BREAK SPACE}", " ")

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def ids(self):
        return [attrs["id"] for _, attrs in self.tags if "id" in attrs]


def page_of(directory) -> Page:
    written = write_report(directory, directory / "page.html")
    return Page(written.path.read_text(encoding="utf-8"))


def written_by_another_process(directory: Path, folder: Path) -> bytes:
    """The page of a result, as a process of its own writes it in a folder."""
    program = (
        "import sys, pathlib, loo_sim.report as r;r.write_report(*map(pathlib.Path, sys.argv[1:]))"
    )
    path = folder / "again.html"
    # A hash seed of its own shuffles whatever order rests on sets.
    environment = os.environ | {"PYTHONHASHSEED": "12345"}
    command = [sys.executable, "-c", program, str(directory), str(path)]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    return path.read_bytes()
