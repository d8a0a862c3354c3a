"""The cells of a result with their tables, checked before anything is drawn from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.policy_axes import axis_words
from loo_sim.problems import Problems, nearest
from loo_sim.report.tables import ANNOUNCE, AnnounceFile, Tables
from loo_sim.result import read_manifest, read_tables, rows_by_cell
from loo_sim.rounding import stakes
from loo_sim.rules import MOST_STAKES
from loo_sim.settings import is_whole
from loo_sim.studies.paired import Pieces, pieces_of

if TYPE_CHECKING:
    import pandas as pd

DONE = "done"

QUANTILES = ("q05", "q25", "q50", "q75", "q95")
"""Ends of the names of columns that hold quantiles of pots and purses, by percentage."""

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
        *("stand_pot", "stand_pot_se", "miss_pot", "miss_pot_se"),
    ),
    "lead": (
        *("in_play", "hand", "n", "weight", "first", "second", "third"),
        *("first_se", "second_se", "third_se", "second_minus_first", "third_minus_first"),
        *("second_minus_first_se", "third_minus_first_se"),
    ),
    "precision": ("seat", "figure", "mean", "mean_se"),
    "running": ("chunk", "figure", "n", "deals", "mean", "mean_se"),
    "session": (
        *("pot", "pot_se", "pot_error_ratio", "single", "single_se", "clean", "clean_se"),
        *("clean_gap", "longest", "longest_se", "pot_left", "pot_left_se", "met_cap"),
        *("met_bound", "loo_cap"),
    ),
    "path": ("deal", "n", "pot", "pot_se", *(f"pot_{quantile}" for quantile in QUANTILES)),
    "gap": ("deals", "gaps", "longest_runs"),
    "purse": (
        *("person", "policy", "n", "final", "final_se", "lowest", "lowest_se"),
        *("swing", "swing_se", "looed", "looed_se", "tricks", "tricks_se", "out"),
        *(f"{purse}_{quantile}" for purse in ("final", "lowest") for quantile in QUANTILES),
    ),
    "ruin": ("person", "brought", "ruined"),
    "seat": ("seat", "n", "net", "net_se"),
    "league": (
        *("policy", "rival", "n", "net_diff", "net_diff_se", "low", "high", "p_value"),
        *("gain", "apart", "apart_low", "apart_high"),
    ),
    "standing": ("policy", "n", "net", "net_se", "spread", "tied_with_best"),
    "sobol": (
        *("figure", "axis", "n", "noise"),
        *(
            f"{share}{end}"
            for share in ("first", "total", "together", "behind")
            for end in ("", "_low", "_high")
        ),
    ),
}
"""The tables that a report is made of, and the columns it reads."""

_TOGETHER = (("session", "path", "gap", "purse", "ruin", "seat"), ("league", "standing"))
"""Tables of one study, none of which can be read without the others."""

_APART = re.compile(r"^(deals|tables)_apart")


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
        A name a seat; a person, in a session; those that compete, in a league.
    in_league : bool
        Whether every policy plays every seat in turn.
    rounds : int
        How often everyone deals at a table; 0 where deals are played one by one.
    bankroll : int or None
        Stakes that each person brings to a table; None if purses have no limit.
    deals : int
        Deals counted; tables, if there are rounds.
    status, error : str
        ``done`` or what befell it.
    tables : Tables
        Only tables with rows of this cell.
    """

    number: int
    axes: Mapping[str, Any]
    players: int
    pot: float
    rules: Mapping[str, Any]
    policies: tuple[str, ...]
    in_league: bool
    rounds: int
    bankroll: int | None
    deals: int
    status: str
    error: str
    tables: Tables

    def has(self, table: str) -> bool:
        """Whether the cell is finished and has rows of a table."""
        return self.status == DONE and table in self.tables

    def pieces(self, figure: str) -> Pieces | None:
        """A figure chunk by chunk of the work; None where it was not followed."""
        if "running" not in self.tables:
            return None
        return pieces_of(self.tables["running"], figure)

    @property
    def label(self) -> str:
        """The cell's axes in words: ``6 players, loo 3``."""
        if not self.axes:
            return f"{self.players} players"
        return ", ".join(_axis_in_words(axis, value) for axis, value in self.axes.items())

    def announcements(self, columns: Sequence[str], **values: Any) -> pd.DataFrame:
        """Some columns of the cell's rows of the announce table, read from its file.

        Parameters
        ----------
        columns : sequence of str
            Those to read; ``weight_se`` only deals aimed at hands have.
        **values : object
            What the rows must have: ``seat=0, miss_free=True``.

        Returns
        -------
        DataFrame
            With a column `aimed`, the same in all rows: whether deals were aimed at hands.
        """
        return self.tables.announcements(columns, values)

    @property
    def deck(self) -> int:
        """Cards in the pack."""
        return int(self.rules.get("deck", 52))

    @property
    def unit(self) -> str:
        """What `deals` counts."""
        return "tables" if self.rounds else "deals"

    def person_name(self, person: int) -> str:
        """``person 0``; with his policy, where people play differently."""
        alike = len(set(self.policies)) == 1
        return f"person {person}" + ("" if alike else f" ({self.policies[person]})")

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
    indices : tuple of mapping
        The rows of the table ``sobol``; None in them is what is not known.
    """

    directory: Path
    manifest: Mapping[str, Any]
    cells: tuple[Cell, ...]
    indices: tuple[Mapping[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """The experiment's name."""
        return str(self.manifest["name"])

    def having(self, table: str) -> list[Cell]:
        """The finished cells with rows of a table."""
        return [cell for cell in self.cells if cell.has(table)]

    @property
    def ranges(self) -> Mapping[str, Any]:
        """What ``[sweep.sobol]`` says: ``points`` and axes; empty if the sweep is no design."""
        return dict(self.manifest["experiment"].get("sweep", {}).get("sobol", {}))

    @property
    def not_done(self) -> list[Cell]:
        """Cells that failed or were stopped."""
        return [cell for cell in self.cells if cell.status != DONE]


def setting_in_words(value: Any) -> str:
    """A value that an experiment sets: ``true``, ``4.5``, ``1,000,000``, ``none``."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return stakes(value) if isinstance(value, float) else str(value)


def _axis_in_words(axis: str, value: Any) -> str:
    word = axis_words(axis)
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
    tables = read_tables(directory, problems, [name for name in COLUMNS if name != ANNOUNCE])
    if "league" in tables:
        # Deals apart, or tables apart: the column says which, and so does the cell.
        tables["league"] = tables["league"].rename(columns=lambda name: _APART.sub("apart", name))
    for group in _TOGETHER:
        for name in group:
            if name not in tables and any(other in tables for other in group):
                problems.add(f"{name}.parquet", "is missing", "run the experiment again")
    for name, table in tables.items():
        _check_columns(name, table.columns, problems)
    announce = None
    path = directory / f"{ANNOUNCE}.parquet"
    if path.exists():
        announce = AnnounceFile(path, "aim" in manifest["experiment"])
        _check_columns(ANNOUNCE, announce.columns, problems)
    problems.raise_if_any()
    if announce:
        _check_hands(announce, manifest, problems)
    problems.raise_if_any()
    indices = tables.pop("sobol").to_dict("records") if "sobol" in tables else []
    terms = [_terms(manifest, cell, problems) for cell in manifest["cells"]]
    problems.raise_if_any()
    axes = [cell["axes"] for cell in manifest["cells"]]
    own: list[dict[str, pd.DataFrame]] = [{} for _ in axes]
    for name, table in tables.items():
        for of_cell, rows in zip(own, rows_by_cell(table, axes), strict=True):
            of_cell[name] = _numbers(rows)
    cells = tuple(
        _cell(number, cell, of_cell, announce, manifest["study"] == "league", *of_terms)
        for number, (cell, of_cell, of_terms) in enumerate(
            zip(manifest["cells"], own, terms, strict=True), start=1
        )
    )
    of_design = tuple(
        {str(key): None if value != value else value for key, value in row.items()}
        for row in indices
    )
    return Result(directory, manifest, cells, of_design)


def _terms(
    manifest: Mapping[str, Any], cell: Mapping[str, Any], problems: Problems
) -> tuple[int, int | None]:
    """How often everyone deals in a cell, and how many stakes each brings."""
    stated = manifest.get("experiment")
    settings = {**(stated if isinstance(stated, Mapping) else {}), **cell["axes"]}
    rounds, bankroll = settings.get("rounds", 0), settings.get("bankroll")
    for key, value in (("rounds", rounds), ("bankroll", bankroll)):
        if value is not None and not is_whole(value, 0, MOST_STAKES):
            problems.add(f"manifest.json: {key}", f"{value!r} is not what stands here")
    return rounds, bankroll


def _check_columns(name: str, columns: Iterable[str], problems: Problems) -> None:
    """Note columns that a table lacks."""
    for column in COLUMNS[name]:
        if column not in columns:
            hint = nearest(column, columns)
            problems.add(f"{name}.parquet", f"has no column {column}", hint)


def _check_hands(announce: AnnounceFile, manifest: Mapping[str, Any], problems: Problems) -> None:
    """Note hands of the announce table that are no class of any pack played with."""
    from loo_sim.cards import hand_classes

    decks = {int(cell["rules"].get("deck", 52)) for cell in manifest["cells"]}
    known = {name for deck in decks for name in hand_classes(deck).names}
    unknown = sorted(announce.hands() - known)
    if unknown:
        problems.add(
            "announce.parquet",
            f"column hand holds {unknown[0]!r}, which is no hand class"
            + (f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""),
        )


def _cell(
    number: int,
    cell: Mapping[str, Any],
    tables: Mapping[str, pd.DataFrame],
    announce: AnnounceFile | None,
    in_league: bool,
    rounds: int,
    bankroll: int | None,
) -> Cell:
    return Cell(
        number=number,
        axes=cell["axes"],
        players=cell["players"],
        pot=float(cell["pot"]),
        rules=cell["rules"],
        policies=tuple(_policy_names(cell)),
        in_league=in_league,
        rounds=rounds,
        bankroll=bankroll,
        deals=cell["deals"],
        status=cell["status"],
        error=str(cell.get("error") or ""),
        tables=Tables(
            {name: table for name, table in tables.items() if len(table)}, announce, cell["axes"]
        ),
    )


def _numbers(table: pd.DataFrame) -> pd.DataFrame:
    """The table, with nan where a column knows no number at all and has no type for that."""
    unknown = table.columns[table.isna().all().to_numpy()]
    return table.astype(dict.fromkeys(unknown, float)) if len(unknown) else table


def _policy_names(cell: Mapping[str, Any]) -> Iterator[str]:
    for policy in cell["policies"]:
        yield str(policy.get("name", "?")) if isinstance(policy, dict) else str(policy)
