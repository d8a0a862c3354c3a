"""The cells of a result with their tables, checked before anything is drawn from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.problems import Problems, nearest
from loo_sim.report.rounding import stakes
from loo_sim.result import read_manifest, read_tables, rows_of_cell

if TYPE_CHECKING:
    import pandas as pd

DONE = "done"

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "deals": (
        *("seat", "n", "net", "net_se", "stood", "took_miss", "defended", "folded", "looed"),
        *("tricks", "took_pot"),
    ),
    "pot": ("n", "looed", "looed_se"),
    "swings": ("pot_swing", "n", "share"),
    "announce": (
        *("seat", "standers", "miss_free", "hand", "n", "weight", "fold", "stand", "miss"),
        *("defend", "stand_se", "miss_se", "miss_minus_stand", "miss_minus_stand_se"),
        *("stand_loo", "stand_loo_se", "miss_loo", "miss_loo_se"),
        *("stand_tricks", "stand_tricks_se", "miss_tricks", "miss_tricks_se"),
    ),
}
"""The tables that a report is made of, and the columns it reads."""


@dataclass(frozen=True, eq=False)
class Cell:
    """One cell of a run: one game, and its rows of each table. Equal only to itself.

    Attributes
    ----------
    number : int
        From 1.
    axes : mapping
        The values of the sweep's axes; empty if nothing was swept.
    players : int
    pot : float
        Stakes in the pot when play begins.
    rules : mapping
        Every option of the rulebook.
    policies : tuple of str
        A name a seat.
    deals : int
        Deals counted.
    status, error : str
        ``done`` or what befell it.
    tables : mapping of str to DataFrame
        Only tables with rows of this cell.
    """

    number: int
    axes: Mapping[str, Any]
    players: int
    pot: float
    rules: Mapping[str, Any]
    policies: tuple[str, ...]
    deals: int
    status: str
    error: str
    tables: Mapping[str, pd.DataFrame]

    @property
    def label(self) -> str:
        """The cell's axes in words: ``6 players, loo 3``."""
        if not self.axes:
            return f"{self.players} players"
        return ", ".join(_axis_in_words(axis, value) for axis, value in self.axes.items())

    @property
    def deck(self) -> int:
        """Cards in the pack."""
        return int(self.rules.get("deck", 52))

    def seat_name(self, seat: int) -> str:
        """``0`` for the first to speak, and so on; ``dealer`` for the last."""
        return "dealer" if seat == self.players - 1 else str(seat)

    def seat_in_words(self, seat: int) -> str:
        """``the dealer``, or ``seat 0`` for the first to speak, and so on."""
        return "the dealer" if seat == self.players - 1 else f"seat {seat}"


@dataclass(frozen=True)
class Result:
    """A result directory.

    Attributes
    ----------
    directory : Path
    manifest : mapping
    cells : tuple of Cell
    """

    directory: Path
    manifest: Mapping[str, Any]
    cells: tuple[Cell, ...]

    @property
    def name(self) -> str:
        """The experiment's name."""
        return str(self.manifest["name"])

    def having(self, table: str) -> list[Cell]:
        """The cells with rows of a table."""
        return [cell for cell in self.cells if table in cell.tables]

    @property
    def not_done(self) -> list[Cell]:
        """Cells that failed or were stopped."""
        return [cell for cell in self.cells if cell.status != DONE]


def setting_in_words(value: Any) -> str:
    """A value that an experiment sets, as its file writes it: ``true``, ``4.5``, ``none``."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return stakes(value) if isinstance(value, float) else str(value)


def _axis_in_words(axis: str, value: Any) -> str:
    word = axis.removeprefix("rules.").replace("_", " ")
    shown = setting_in_words(value)
    if axis == "players":
        return f"{shown} players"
    return f"a pot of {shown}" if axis == "pot" else f"{word} {shown}"


def read_result(directory: Path) -> Result:
    """Read a result directory: its manifest and its tables, split by cell.

    Raises
    ------
    InputError
        If anything is missing or wrong in it; every problem at once.
    """
    manifest = read_manifest(directory)
    problems = Problems(str(directory))
    tables = read_tables(directory, problems, COLUMNS)
    for name, table in tables.items():
        for column in COLUMNS[name]:
            if column not in table:
                hint = nearest(column, table.columns)
                problems.add(f"{name}.parquet", f"has no column {column}", hint)
    problems.raise_if_any()
    _check_hands(tables, manifest, problems)
    problems.raise_if_any()
    cells = tuple(
        _cell(number, cell, tables) for number, cell in enumerate(manifest["cells"], start=1)
    )
    return Result(directory, manifest, cells)


def _check_hands(
    tables: Mapping[str, pd.DataFrame], manifest: Mapping[str, Any], problems: Problems
) -> None:
    """Note hands of the announce table that are no class of any pack played with."""
    from loo_sim.cards import hand_classes

    if "announce" not in tables:
        return
    decks = {int(cell["rules"].get("deck", 52)) for cell in manifest["cells"]}
    known = {name for deck in decks for name in hand_classes(deck).names}
    unknown = sorted(set(map(str, tables["announce"]["hand"].unique())) - known)
    if unknown:
        problems.add(
            "announce.parquet",
            f"column hand holds {unknown[0]!r}, which is no hand class"
            + (f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""),
        )


def _cell(number: int, cell: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]) -> Cell:
    own = {name: rows_of_cell(table, cell["axes"]) for name, table in tables.items()}
    return Cell(
        number=number,
        axes=cell["axes"],
        players=cell["players"],
        pot=float(cell["pot"]),
        rules=cell["rules"],
        policies=tuple(_policy_names(cell)),
        deals=cell["deals"],
        status=cell["status"],
        error=str(cell.get("error") or ""),
        tables={name: table for name, table in own.items() if len(table)},
    )


def _policy_names(cell: Mapping[str, Any]) -> Iterator[str]:
    for policy in cell["policies"]:
        yield str(policy.get("name", "?")) if isinstance(policy, dict) else str(policy)
