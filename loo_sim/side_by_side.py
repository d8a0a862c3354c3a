"""Tells a comparison of two results: sentences and rows of text, or what JSON holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import floor, isnan, log10
from typing import TYPE_CHECKING, Any

from loo_sim.compare import INDEPENDENT, KEYS, LEVEL, NESTED, SAME, SHARED, Comparison
from loo_sim.rounding import signed

if TYPE_CHECKING:
    import pandas as pd

MOST_FIGURES_SHOWN = 40
MOST_FIGURES_IN_JSON = 10_000
"""The figures of a large announce table would make hundreds of megabytes of text."""

TITLES = ("table", "of", "figure", "A", "B", "B − A", "differs")

_ERRORS = {
    INDEPENDENT: "The seeds differ, so the deals are independent: "
    "errors of differences are sqrt(se_A² + se_B²).",
    SHARED: "The seed is the same, so A and B deal the same cards and are correlated, by how much "
    "the tables do not tell: sqrt(se_A² + se_B²) would be wrong. These intervals hold whatever the "
    "correlation and are mostly too wide; another seed for one of the two gives narrower ones.",
    NESTED: "The same game and seed: the deals of the shorter run are all in the longer one, "
    "and the intervals allow for that.",
}


def sentences(comparison: Comparison) -> list[str]:
    """How the errors of the differences come about, and how many figures differ."""
    tables = comparison.tables.values()
    kinds = {pair.deals for pair in comparison.pairs}
    told = [sentence for kind, sentence in _ERRORS.items() if kind in kinds]
    if SAME in kinds:
        exact = [table[table["p"].isna()] for table in tables]
        unequal = sum(int(table["differs"].sum()) for table in exact)
        rows = comparison.left_out.only_a + comparison.left_out.only_b if kinds == {SAME} else 0
        whole = f"all {sum(map(len, exact)):,} differences are exactly 0"
        broken = f"{unequal:,} figures are not equal, and {rows:,} rows are in one result alone"
        told.append(
            "The same game and the same deals, so that all must be equal: "
            + (f"{broken}." if unequal or rows else f"{whole}.")
        )
    tested = [table[table["p"].notna()] for table in tables]
    if kinds != {SAME}:
        number = sum(map(len, tested))
        differ = sum(int(table["differs"].sum()) for table in tested)
        before = sum(int((table["p"] < LEVEL).sum()) for table in tested)
        told.append(
            f"{differ:,} of {number:,} figures differ at the 5 % level after Holm's adjustment for "
            f"{number:,} comparisons ({before:,} before it). The intervals are of 95 % each."
        )
    return told


def left_out_in_words(comparison: Comparison) -> str:
    """What could not be compared; empty if everything could."""
    words = {
        "only_a": ("row", "that A alone has"),
        "only_b": ("row", "that B alone has"),
        "dealers": ("row", "of a seat that deals in one of the two games alone"),
        "unclear": ("row", "not told apart by keys"),
        "empty": ("figure", "empty in one result"),
        "few": ("figure", "on too few deals to tell an error"),
    }
    told = [
        f"{n:,} {words[key][0]}{'' if n == 1 else 's'} {words[key][1]}"
        for key, n in asdict(comparison.left_out).items()
        if n
    ]
    return f"left out: {'; '.join(told)}" if told else ""


def figure_rows(comparison: Comparison) -> tuple[list[tuple[str, ...]], int]:
    """Rows of text, and the number of those that are not shown.

    All figures in order if they are few; else those that differ most clearly. Of cells that are the
    same, only what is not equal.

    Returns
    -------
    list of tuple of str
        Under `TITLES`; in front the two cells, where more than one pair was matched.
    int
        Figures beyond `MOST_FIGURES_SHOWN`.
    """
    picked, left = _most_different(comparison, MOST_FIGURES_SHOWN, unequal_only=True)
    several = len(comparison.pairs) > 1
    rows = []
    for name, row in picked:
        cell = f"{row['cell_a']}" if row["cell_a"] == row["cell_b"] else "{cell_a}/{cell_b}"
        rows.append(
            (
                *((cell.format(**row),) if several else ()),
                name,
                ", ".join(f"{key} {_key_in_words(row[key])}" for key in KEYS[name]),
                row["estimate"],
                _with_half_width(row["a"], row["a_se"]),
                _with_half_width(row["b"], row["b_se"]),
                _with_half_width(row["difference"], row["se"], "+"),
                "yes" if row["differs"] else "",
            )
        )
    return rows, left


def as_json(comparison: Comparison) -> dict[str, Any]:
    """What ``loosim compare --json`` prints: at most `MOST_FIGURES_IN_JSON` figures."""
    picked, left = _most_different(comparison, MOST_FIGURES_IN_JSON, unequal_only=False)
    tables = comparison.tables.values()
    return {
        "a": str(comparison.a),
        "b": str(comparison.b),
        "differences": [difference._asdict() for difference in comparison.differences],
        "cells": [pair._asdict() for pair in comparison.pairs],
        "compared": sum(map(len, tables)),
        "differ": sum(int(table["differs"].sum()) for table in tables),
        "level": LEVEL,
        "left_out": asdict(comparison.left_out),
        "figures": [
            {"table": name} | {key: _json_value(value) for key, value in row.items()}
            for name, row in picked
        ],
        "figures_left_out": left,
    }


def _most_different(
    comparison: Comparison, most: int, unequal_only: bool
) -> tuple[list[tuple[str, Mapping[str, Any]]], int]:
    """At most so many figures, with their tables' names, and the number of the others."""
    import numpy as np

    wanted: list[tuple[str, pd.DataFrame]] = []
    for name, table in comparison.tables.items():
        shown = table[table["p"].notna() | table["differs"]] if unequal_only else table
        wanted.append((name, shown))
    sizes = [len(table) for _, table in wanted]
    if sum(sizes) > most:
        # In standard errors, for p-values of clear differences are all 0.
        deviations = [
            np.where(t["difference"] == 0, 0.0, t["difference"].abs() / t["se"]) for _, t in wanted
        ]
        clear = np.concatenate([np.where(np.isnan(d), np.inf, d) for d in deviations])
        kept = np.argsort(-clear, kind="stable")[:most]
        starts = np.cumsum([0, *sizes])
        of_table = np.searchsorted(starts, kept, side="right") - 1
        rows = [
            (wanted[i][0], wanted[i][1].iloc[place - starts[i]].to_dict())
            for i, place in zip(of_table.tolist(), kept.tolist(), strict=True)
        ]
    else:
        rows = [(name, row) for name, table in wanted for row in table.to_dict("records")]
    return rows, sum(sizes) - len(rows)


def _key_in_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _with_half_width(value: float, se: float, sign: str = "") -> str:
    """A figure and the half-width of its 95 % interval, to the second digit of that."""
    from loo_sim.studies.estimates import Z95

    half = Z95 * se
    if isnan(half) or half == 0:
        return signed(f"{value:{sign}.6g}")
    places = min(max(1 - floor(log10(half)), 0), 12)
    return signed(f"{value:{sign}.{places}f} ± {half:.{places}f}")


def _json_value(value: Any) -> Any:
    """A value of a table as JSON has it; none where it is empty."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and isnan(value) else value
