"""Sets two results side by side: which figures differ, and by how much.

Rows are matched by their key columns, cells by the axes that both results have. What the error of
a difference is depends on the deals:

- *independent*: the seeds differ. The usual formula for two samples.
- *shared*: the seed is the same, so that deal number i has the same cards in both. The two figures
  move together, or against each other, by an amount that the tables do not tell, and the usual
  formula would be wrong. The largest error that any correlation could give is used: intervals are
  never too narrow, and mostly too wide.
- *nested*: the same game too, one result having more deals. Then the correlation is known.
- *same*: the same game and the same deals. Every figure must be equal, exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from loo_sim.problems import InputError, Problem, Problems
from loo_sim.result import check_tables, read_own_manifest, read_tables, rows_of_cell
from loo_sim.runner.manifest import DONE

if TYPE_CHECKING:
    import pandas as pd

KEYS: Mapping[str, tuple[str, ...]] = {
    "deals": ("seat",),
    "pot": ("standers",),
    "swings": ("pot_swing",),
    "announce": ("seat", "standers", "miss_free", "hand"),
    "lead": ("in_play", "hand"),
    "session": (),
    "path": ("deal",),
    "purse": ("person",),
    "ruin": ("person", "brought"),
    "seat": ("seat",),
    "policy": ("policy",),
    "league": ("policy", "rival"),
    "standing": ("policy",),
}
"""The columns that tell the rows of each table apart; tables without estimates are not here."""

INDEPENDENT, SHARED, NESTED, SAME = "independent", "shared", "nested", "same"
LEVEL = 0.05

_NOT_OF_THE_CODE = (
    *("name", "cells", "sweep", "deals", "tables"),
    *("until", "max_deals", "max_tables", "max_seconds"),
)
_DIGESTS = ("kernels", "studies")


class Pair(NamedTuple):
    """A cell of A, a cell of B (both from 0), and how their deals are related."""

    a: int
    b: int
    deals: str


class Difference(NamedTuple):
    """A setting of the two experiments that is not the same in both."""

    key: str
    a: str
    b: str


@dataclass
class LeftOut:
    """Rows or figures that could not be set against each other.

    Attributes
    ----------
    only_a, only_b : int
        Rows of matched cells that only one result has.
    dealers : int
        Rows of a seat that deals in one of the two games and not in the other.
    unclear : int
        Rows whose keys do not tell them apart.
    empty : int
        Figures that are empty in one of the two.
    few : int
        Figures on too few deals (or tables) for their errors to mean anything.
    """

    only_a: int = 0
    only_b: int = 0
    dealers: int = 0
    unclear: int = 0
    empty: int = 0
    few: int = 0


@dataclass(frozen=True)
class Comparison:
    """Two results side by side.

    Attributes
    ----------
    a, b : Path
        The two directories.
    differences : list of Difference
        What differs between the two experiments; empty if nothing does.
    pairs : list of Pair
        The cells that were matched.
    tables : mapping of str to DataFrame
        For each table of both, a row for each figure of each matched row: ``cell_a, cell_b``, the
        key columns, ``estimate`` (its name), ``a, a_se, b, b_se``, ``difference`` (B - A) with
        ``se`` and the ends ``low, high`` of its 95 % interval, ``p``, ``p_holm`` (adjusted for the
        number of all comparisons) and ``differs`` (``p_holm < 0.05``). Of cells that are the
        *same*, the interval and both p are empty, and ``differs`` says that the two are not equal.
    left_out : LeftOut
    """

    a: Path
    b: Path
    differences: list[Difference]
    pairs: list[Pair]
    tables: Mapping[str, pd.DataFrame]
    left_out: LeftOut = field(default_factory=LeftOut)


class _Side(NamedTuple):
    """One of the two results."""

    directory: Path
    manifest: Mapping[str, Any]

    @property
    def identity(self) -> Mapping[str, Any]:
        identity: Mapping[str, Any] = self.manifest["identity"]
        return identity

    def game(self, cell: int) -> dict[str, Any]:
        """All that makes the game of a cell what it is."""
        return {k: v for k, v in self.identity["cells"][cell].items() if k != "axes"}

    def code(self) -> dict[str, Any]:
        """All else that its tables depend on, but for the number of deals."""
        return {k: v for k, v in self.identity.items() if k not in _NOT_OF_THE_CODE}

    def deals(self, cell: int) -> int:
        """Deals, or tables, that were counted."""
        return int(self.manifest["cells"][cell]["deals"])

    def axes(self, cell: int) -> Mapping[str, Any]:
        axes: Mapping[str, Any] = self.manifest["cells"][cell]["axes"]
        return axes


def compare(a: Path, b: Path, cells: tuple[int, int] | None = None) -> Comparison:
    """Set two results side by side.

    Parameters
    ----------
    a, b : Path
        Result directories; the same one twice to compare two of its cells.
    cells : (int, int), optional
        A cell of A and one of B, from 0; by default all that the axes of both match.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If one is no result, or not as it was written; if they are of different studies, or have no
        cell in common.
    """
    sides = _read(a, b)
    pairs = _matched(*sides) if cells is None else [_chosen(*sides, *cells)]
    left_out = LeftOut()
    tables = _compared(*sides, pairs, left_out)
    return Comparison(a, b, _differences(*sides, pairs), pairs, tables, left_out)


def _read(a: Path, b: Path) -> tuple[_Side, _Side]:
    """Both manifests; with everything that is wrong with either."""
    sides = []
    problems: list[Problem] = []
    for directory in dict.fromkeys((a, b)):
        try:
            manifest = read_own_manifest(directory)
            check_tables(directory, manifest)
            sides.append(_Side(directory, manifest))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    first, last = sides[0], sides[-1]
    if first.manifest["study"] != last.manifest["study"]:
        of = Problems(str(b))
        told = f"is of the study {last.manifest['study']}, and {a} of {first.manifest['study']}"
        of.add("study", told, "results of one study can be compared")
        of.raise_if_any()
    return first, last


def _chosen(a: _Side, b: _Side, cell_a: int, cell_b: int) -> Pair:
    """The two cells that were asked for."""
    problems = []
    for side, cell in ((a, cell_a), (b, cell_b)):
        of = Problems(str(side.directory))
        cells = side.manifest["cells"]
        if cell >= len(cells):
            of.add("", f"has no cell {cell}", f"from 0 to {len(cells) - 1}")
        elif cells[cell]["status"] != DONE:
            of.add(f"cells.{cell}", "is not done, and has no figures")
        problems += of.found
    if problems:
        raise InputError(problems)
    return Pair(cell_a, cell_b, _relation(a, cell_a, b, cell_b))


def _matched(a: _Side, b: _Side) -> list[Pair]:
    """The finished cells of both whose common axes agree; where that leaves a choice, the others.

    An axis that only one result has is held against what the other's game has in its place.
    """
    done = [
        [n for n, cell in enumerate(side.manifest["cells"]) if cell["status"] == DONE]
        for side in (a, b)
    ]
    common = a.axes(0).keys() & b.axes(0).keys()

    def common_axes(side: _Side, cell: int) -> tuple[str, ...]:
        return tuple(_plain(side.axes(cell)[axis]) for axis in sorted(common))

    by_axes: dict[tuple[str, ...], list[int]] = {}
    for cell in done[1]:
        by_axes.setdefault(common_axes(b, cell), []).append(cell)
    pairs = [(i, j) for i in done[0] for j in by_axes.get(common_axes(a, i), ())]
    if not _one_to_one(pairs):
        pairs = [
            (i, j)
            for i, j in pairs
            if _agree(a.axes(i), b.game(j), common) and _agree(b.axes(j), a.game(i), common)
        ]
    if not pairs or not _one_to_one(pairs):
        problems = Problems(str(b.directory))
        what = "cells match" if pairs else "no cell matches"
        told = f"more than one of its {what} one" if pairs else what
        hint = f"--cells I J sets cell I of {a.directory} beside cell J"
        problems.add("", f"{told} of {a.directory}", hint)
        problems.raise_if_any()
    return [Pair(i, j, _relation(a, i, b, j)) for i, j in pairs]


def _one_to_one(pairs: Sequence[tuple[int, int]]) -> bool:
    return len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)


def _agree(axes: Mapping[str, Any], game: Mapping[str, Any], common: set[str]) -> bool:
    """Whether a game has the values of those axes that are not common and that it knows."""
    flat = {**game, **{f"rules.{option}": value for option, value in game["rules"].items()}}
    return all(
        _plain(value) == _plain(flat[axis])
        for axis, value in axes.items()
        if axis not in common and axis in flat and axis != "policies"
    )


def _plain(value: Any) -> str:
    """A value as text, alike for a whole number whatever its type."""
    try:
        return str(value).lower() if isinstance(value, bool) else repr(float(value))
    except (TypeError, ValueError):
        return str(value)


def _relation(a: _Side, cell_a: int, b: _Side, cell_b: int) -> str:
    """How the deals of two cells are related."""
    if a.manifest["seed"] != b.manifest["seed"]:
        return INDEPENDENT
    if (a.code(), a.game(cell_a)) != (b.code(), b.game(cell_b)):
        return SHARED
    return SAME if a.deals(cell_a) == b.deals(cell_b) else NESTED


def _compared(
    a: _Side, b: _Side, pairs: Sequence[Pair], left_out: LeftOut
) -> dict[str, pd.DataFrame]:
    """The tables of a `Comparison`."""
    import pandas as pd

    names = [n for n in a.manifest["tables"] if n in b.manifest["tables"] and n in KEYS]
    read = []
    for side in (a, b):
        problems = Problems(str(side.directory))
        read.append(read_tables(side.directory, problems, names))
        problems.raise_if_any()
    found = {}
    for name in names:
        parts = [
            part
            for pair in pairs
            for part in _of_pair(name, a, b, pair, read[0][name], read[1][name], left_out)
        ]
        if parts:
            found[name] = pd.concat(parts, ignore_index=True)
    _judge(found, {(pair.a, pair.b) for pair in pairs if pair.deals == SAME})
    return found


def _of_pair(
    name: str,
    a: _Side,
    b: _Side,
    pair: Pair,
    table_a: pd.DataFrame,
    table_b: pd.DataFrame,
    left_out: LeftOut,
) -> Iterator[pd.DataFrame]:
    """The figures of two matched cells, one after the other, with their differences."""
    import numpy as np
    import pandas as pd

    from loo_sim.inference import error_of_difference, most_correlation
    from loo_sim.rounding import FEW_ALIKE
    from loo_sim.studies.estimates import FEW_DEALS

    keys = list(KEYS[name])
    rows_a, rows_b = rows_of_cell(table_a, a.axes(pair.a)), rows_of_cell(table_b, b.axes(pair.b))
    if name == "league":  # each pair once: the other way round it is the same figure
        rows_a, rows_b = (rows[rows["policy"] < rows["rival"]] for rows in (rows_a, rows_b))
    if "seat" in keys:
        dealers = [side.game(cell)["players"] - 1 for side, cell in ((a, pair.a), (b, pair.b))]
        if dealers[0] != dealers[1]:
            sizes = len(rows_a) + len(rows_b)
            rows_a = rows_a[~rows_a["seat"].isin(dealers)]
            rows_b = rows_b[~rows_b["seat"].isin(dealers)]
            left_out.dealers += sizes - len(rows_a) - len(rows_b)
    if keys:
        unclear = [rows.duplicated(keys, keep=False) for rows in (rows_a, rows_b)]
        left_out.unclear += int(unclear[0].sum() + unclear[1].sum())
        rows_a, rows_b = rows_a[~unclear[0]], rows_b[~unclear[1]]
        both = rows_a.merge(rows_b, on=keys, suffixes=("_a", "_b"))
    else:
        both = rows_a.merge(rows_b, how="cross", suffixes=("_a", "_b"))
    left_out.only_a += len(rows_a) - len(both)
    left_out.only_b += len(rows_b) - len(both)
    deals = (a.deals(pair.a), b.deals(pair.b))
    most = most_correlation(*deals)
    correlation = {INDEPENDENT: 0.0, SHARED: -most, NESTED: most, SAME: most}[pair.deals]
    n = np.minimum(both[["n_a", "n_b"]].min(axis=1).to_numpy(float), min(deals))
    for estimate in table_a.columns:
        figures = [f"{estimate}{of}_{side}" for side in "ab" for of in ("", "_se")]
        if any(figure not in both for figure in figures):
            continue
        value_a, se_a, value_b, se_b = (both[f].to_numpy(float, na_value=np.nan) for f in figures)
        empty = np.isnan(value_a) | np.isnan(value_b)
        unknown = np.isnan(se_a) | np.isnan(se_b) | (n < FEW_DEALS)
        unknown |= ((se_a == 0) | (se_b == 0)) & (n < FEW_ALIKE)
        if pair.deals == SAME:
            empty, unknown = np.isnan(value_a) & np.isnan(value_b), np.zeros_like(empty)
        left_out.empty += int((empty & ~(np.isnan(value_a) & np.isnan(value_b))).sum())
        left_out.few += int((unknown & ~empty).sum())
        columns = {
            "cell_a": pair.a,
            "cell_b": pair.b,
            **{key: both[key] for key in keys},
            "estimate": estimate,
            **dict(zip(("a", "a_se", "b", "b_se"), (value_a, se_a, value_b, se_b), strict=True)),
            "difference": value_b - value_a,
            "se": error_of_difference(se_a, se_b, correlation),
        }
        yield pd.DataFrame(columns, index=both.index)[~(empty | unknown)]


def _judge(tables: Mapping[str, pd.DataFrame], same: set[tuple[int, int]]) -> None:
    """Add intervals, p-values and verdicts, adjusted for the number of all comparisons."""
    import numpy as np

    from loo_sim.inference import holm, two_sided_p
    from loo_sim.studies.estimates import Z95

    p_of = {}
    for name, table in tables.items():
        exact = np.array(
            [pair in same for pair in zip(table["cell_a"], table["cell_b"], strict=True)], bool
        )
        se = np.where(exact, np.nan, table["se"])
        table["se"] = se
        table["low"], table["high"] = table["difference"] - Z95 * se, table["difference"] + Z95 * se
        p_of[name] = two_sided_p(table["difference"].to_numpy(), se)
    together = np.concatenate([*p_of.values(), np.empty(0)])
    tested = ~np.isnan(together)
    adjusted = np.full(together.size, np.nan)
    adjusted[tested] = holm(together[tested])
    start = 0
    for name, table in tables.items():
        table["p"] = p_of[name]
        table["p_holm"] = adjusted[start : start + len(table)]
        start += len(table)
        unequal = (table["a"] != table["b"]) | (
            (table["a_se"] != table["b_se"]) & ~(table["a_se"].isna() & table["b_se"].isna())
        )
        table["differs"] = np.where(table["p"].isna(), unequal, table["p_holm"] < LEVEL)


def _differences(a: _Side, b: _Side, pairs: Sequence[Pair]) -> list[Difference]:
    """What differs between the experiments: in all, then in the games, then in the versions."""
    found = list(_unlike(_settings(a), _settings(b)))
    by_pair = [
        (pair, difference)
        for pair in pairs
        for difference in _unlike(_leaves(a.game(pair.a)), _leaves(b.game(pair.b)))
    ]
    times = Counter(difference for _, difference in by_pair)
    found += [difference for difference, n in times.items() if n == len(pairs)]
    for pair, difference in by_pair:
        if times[difference] < len(pairs):
            place = f"cells.{pair.a}" if pair.a == pair.b else f"cells.{pair.a}/{pair.b}"
            found.append(difference._replace(key=f"{place}.{difference.key}"))
    versions = [_leaves(side.manifest["versions"], "versions.") for side in (a, b)]
    return found + list(_unlike(*versions))


def _settings(side: _Side) -> dict[str, str]:
    return {
        key: f"{value:.12}" if key in _DIGESTS else _in_words(value)
        for key, value in side.identity.items()
        if key not in ("name", "cells")
    }


def _leaves(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """The values of nested tables in words, by dotted key; policies as one value."""
    found: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            found |= _leaves(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = _in_words(value)
    return found


def _unlike(a: Mapping[str, str], b: Mapping[str, str]) -> Iterator[Difference]:
    for key in dict.fromkeys([*a, *b]):
        if a.get(key) != b.get(key):
            yield Difference(key, a.get(key, "none"), b.get(key, "none"))


def _in_words(value: Any) -> str:
    """A setting as a person writes it; of policies, the name and the first digits of the digest."""
    if isinstance(value, list):
        words = [_in_words(item) for item in value]
        return words[0] if len(set(words)) == 1 else ", ".join(words)
    if isinstance(value, Mapping):
        return f"{value['name']} ({value['digest']:.8})"
    if value is None or isinstance(value, bool):
        return "none" if value is None else str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)
