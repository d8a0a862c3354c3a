"""Tabular policies: chances of each announcement by situation and hand, read from Parquet.

The announcements of a seat are compiled to bytes, which leave room for `MOST_MIXTURES` different
sets of chances. A table that has more is rounded, each set of chances to the nearest one on a grid
that still sums to 1: to twentieths, and if there are still too many to tenths or fifths.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from loo_sim.cards import class_numbers, hand_classes
from loo_sim.problems import Problems, nearest

if TYPE_CHECKING:
    import pandas as pd

MOST_MIXTURES = 252
"""Sets of chances, other than certainty, that a byte has room for beside the four actions."""

GRIDS = (20, 10, 5)
SUM_TOLERANCE = 1e-6
ABSENT = 65535

Chances = tuple[Fraction, Fraction, Fraction, Fraction]
"""Chances of fold, stand, miss and defend."""

_KEYS = ("players", "pot", "seat", "standers", "miss_free", "hand")
_CHANCES = ("fold", "stand", "miss", "defend")
_WHOLE = {"players": (2, 16), "seat": (0, 15), "standers": (0, 15)}


@dataclass(frozen=True)
class PolicyTable:
    """What a tabular policy announces.

    Attributes
    ----------
    pots : mapping of int to tuple of float
        By number of players, the pots (stakes) that the table knows, ascending.
    rows : mapping of (int, float, int, int, bool) to ndarray of uint16, shape (classes,)
        By players, pot, seat, standers and miss_free: for each class of hands of the whole pack
        its place in `mixtures`, or `ABSENT`.
    mixtures : tuple of Chances
        Different chances; each sums to 1.
    digest : str
        SHA-256 (hexadecimal) of the content, by which tables are compared.
    """

    pots: Mapping[int, tuple[float, ...]] = field(compare=False)
    rows: Mapping[tuple[int, float, int, int, bool], npt.NDArray[np.uint16]] = field(compare=False)
    mixtures: tuple[Chances, ...] = field(compare=False)
    digest: str

    def row(
        self, players: int, pot: float, seat: int, standers: int, miss_free: bool
    ) -> npt.NDArray[np.uint16] | None:
        """The row of a situation at the known pot nearest to `pot`, the lower of two as near.

        Parameters
        ----------
        players, seat, standers : int
            As in `loo_sim.views.Situation`.
        pot : float
            Stakes.
        miss_free : bool
            Whether nobody has taken the miss yet.

        Returns
        -------
        ndarray of uint16, shape (classes,), or None
            None if the table does not know the situation.
        """
        if players not in self.pots:
            return None
        near = min(self.pots[players], key=lambda known: abs(known - pot))
        return self.rows.get((players, near, seat, standers, miss_free))


def read_table(path: Path, problems: Problems) -> PolicyTable | None:
    """Read a table, noting everything that is wrong with it.

    Parameters
    ----------
    path : Path
        A Parquet file with the columns ``players, pot, seat, standers, miss_free, hand, fold,
        stand, miss, defend``; other columns are passed over.
    problems : Problems
        Where problems are noted.

    Returns
    -------
    PolicyTable or None
        None if a problem was noted.
    """
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        problems.add("announce.table", f"there is no file {path}")
        return None
    try:
        known = pq.read_schema(path).names
        missing = [name for name in (*_KEYS, *_CHANCES) if name not in known]
        for name in missing:
            problems.add("announce.table", f"{path} has no column '{name}'", nearest(name, known))
        if missing:
            return None
        content = pq.read_table(path, columns=[*_KEYS, *_CHANCES], read_dictionary=["hand"])
        # Millions of rows name a few thousand hands: each is looked at once.
        frame = content.to_pandas()
        if isinstance(frame["hand"].dtype, pd.CategoricalDtype):
            frame["hand"] = frame["hand"].cat.remove_unused_categories()
        else:
            frame["hand"] = frame["hand"].astype("category")
    except (OSError, pa.ArrowException) as error:
        what = str(error).partition("\n")[0]
        problems.add("announce.table", f"{path} is not a Parquet file that can be read: {what}")
        return None
    faults = list(_type_faults(frame)) or list(_value_faults(frame))
    for row, what in faults:
        place = "" if row is None else f", row {row + 1}"
        problems.add("announce.table", f"{path}{place}: {what}")
    return None if faults else _table(frame)


Faults = Iterator[tuple[int | None, str]]
"""What is wrong with a table: the row, from 0, and the fault."""


def _type_faults(frame: pd.DataFrame) -> Faults:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if frame.empty:
        yield None, "it has no rows"
        return
    for name in frame:
        column = frame[name]
        if column.isna().any():
            yield int(column.isna().argmax()), f"'{name}' is empty"
        elif name == "hand":
            if not all(isinstance(hand, str) for hand in column.cat.categories):
                yield None, "'hand' is not text"
        elif name == "miss_free":
            if not is_bool_dtype(column):
                yield None, "'miss_free' is not true or false"
        elif is_bool_dtype(column) or not is_numeric_dtype(column):
            yield None, f"'{name}' is not a number"


def _value_faults(frame: pd.DataFrame) -> Faults:
    """The first row of each kind of fault."""
    import pandas as pd

    players, seat, standers = (frame[name].to_numpy() for name in _WHOLE)
    free = frame["miss_free"].to_numpy()
    for name, (least, most) in _WHOLE.items():
        values = frame[name].to_numpy()
        bad = (values != np.floor(values)) | (values < least) | (values > most)
        yield from _first(
            bad,
            lambda i, n=name, v=values, lo=least, hi=most: (
                f"{n} = {v[i]:g} is no whole number from {lo} to {hi}"
            ),
        )
    pot = frame["pot"].to_numpy(dtype=np.float64)
    yield from _first(
        ~((pot > 0) & np.isfinite(pot)), lambda i: f"pot = {pot[i]:g} is no number of stakes"
    )
    dealer = seat == players - 1
    impossible: npt.NDArray[np.bool_] = (
        (seat >= players)
        | (standers > seat)
        | (~free & (standers == 0))
        | (dealer & (standers == 0))
    )
    yield from _first(
        impossible,
        lambda i: (
            f"nobody announces with players = {players[i]:g}, seat = {seat[i]:g}, "
            f"standers = {standers[i]:g}, miss_free = {str(bool(free[i])).lower()}"
        ),
    )
    hand = frame["hand"].cat
    unknown = ~hand.categories.isin(hand_classes().names)[hand.codes]
    yield from _first(
        unknown,
        lambda i: f"'{hand.categories[hand.codes.iloc[i]]}' is no class of hands, as in As7sKh",
    )
    chances = frame[list(_CHANCES)].to_numpy(dtype=np.float64)
    outside = np.any((chances < 0) | (chances > 1), axis=1)
    yield from _first(outside, lambda i: f"chances {_shown(chances[i])} are not all from 0 to 1")
    total = chances.sum(axis=1)
    yield from _first(
        ~outside & (np.abs(total - 1) > SUM_TOLERANCE),
        lambda i: f"chances {_shown(chances[i])} sum to {total[i]:g}, not 1",
    )
    yield from _first(
        ~free & (chances[:, 2] > 0), lambda i: f"miss = {chances[i, 2]:g}, but the miss is gone"
    )
    yield from _first(
        ~(dealer & free) & (chances[:, 3] > 0),
        lambda i: (
            f"defend = {chances[i, 3]:g}, but only the dealer may defend, while the miss is free"
        ),
    )
    rows = _numbered([frame[name] for name in _KEYS[:-1]])[0] * len(hand.categories)
    again = pd.Series(rows + hand.codes.to_numpy()).duplicated().to_numpy()
    yield from _first(again, lambda i: "the same situation and hand as in a row before")


def _first(bad: npt.NDArray[np.bool_], tell: Any) -> Faults:
    if bad.any():
        row = int(bad.argmax())
        count = int(bad.sum())
        more = f" (and {count - 1} more rows like it)" if count > 1 else ""
        yield row, tell(row) + more


def _shown(chances: npt.NDArray[np.float64]) -> str:
    return " ".join(f"{chance:g}" for chance in chances)


def _numbered(
    columns: Sequence[pd.Series],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Which combination of values each row has, in order of first use; the first row of each.

    Values are numbered column by column: sorting whole rows takes ten times as long.
    """
    import pandas as pd

    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        codes, values = pd.factorize(column)
        number = pd.factorize(number * len(values) + codes)[0]
    _, first = np.unique(number, return_index=True)
    return number, first


def _table(frame: pd.DataFrame) -> PolicyTable:
    which, first = _numbered([frame[name] for name in _CHANCES])
    sets = frame[list(_CHANCES)].iloc[first].to_numpy(dtype=np.float64)
    distinct, place_of = np.unique(sets, axis=0, return_inverse=True)
    mixtures, place = _few(distinct)
    codes = place[place_of.reshape(-1)[which]]
    number = class_numbers()
    hand = frame["hand"].cat
    hands = np.array([number[name] for name in hand.categories])[hand.codes]
    rows: dict[tuple[int, float, int, int, bool], npt.NDArray[np.uint16]] = {}
    pots: dict[int, set[float]] = {}
    group, first = _numbered([frame[name] for name in _KEYS[:-1]])
    keys = frame[list(_KEYS[:-1])].iloc[first].to_numpy(dtype=np.float64)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group))
    parts = zip(keys.tolist(), np.split(order, ends[:-1]), strict=True)
    # The digest is of what is said, in whatever order it stands there.
    for key, members in sorted(parts, key=lambda part: part[0]):
        players, pot, seat, standers, free = key
        row = np.full(len(number), ABSENT, dtype=np.uint16)
        row[hands[members]] = codes[members]
        rows[int(players), pot, int(seat), int(standers), bool(free)] = row
        pots.setdefault(int(players), set()).add(pot)
    digest = hashlib.sha256(repr(mixtures).encode())
    for situation, row in rows.items():
        digest.update(repr(situation).encode() + row.astype("<u2").tobytes())
    known = {players: tuple(sorted(values)) for players, values in pots.items()}
    return PolicyTable(known, rows, mixtures, digest.hexdigest())


def _few(
    distinct: npt.NDArray[np.float64],
) -> tuple[tuple[Chances, ...], npt.NDArray[np.uint16]]:
    """At most `MOST_MIXTURES` sets of chances beside the certain ones, and which is whose.

    Parameters
    ----------
    distinct : ndarray of float64, shape (sets, 4)
        Different sets of chances; rows sum to 1 within `SUM_TOLERANCE`.
    """
    if int((distinct.max(axis=1) < 1).sum()) <= MOST_MIXTURES:
        exact = [_normalised(row) for row in distinct.tolist()]
        mixtures = tuple(dict.fromkeys(exact))
        place = {mixture: i for i, mixture in enumerate(mixtures)}
        return mixtures, np.array([place[mixture] for mixture in exact], dtype=np.uint16)
    for grid in GRIDS:
        counts, which = np.unique(rounded(distinct, grid), axis=0, return_inverse=True)
        if int((counts.max(axis=1) < grid).sum()) <= MOST_MIXTURES:
            break
    a, b, c, d = counts.T.tolist()
    mixtures = tuple(
        (Fraction(f, grid), Fraction(s, grid), Fraction(m, grid), Fraction(v, grid))
        for f, s, m, v in zip(a, b, c, d, strict=True)
    )
    return mixtures, which.reshape(-1).astype(np.uint16)


def _normalised(chances: list[float]) -> Chances:
    fold, stand, miss, defend = (Fraction(repr(chance)) for chance in chances)
    total = fold + stand + miss + defend
    return fold / total, stand / total, miss / total, defend / total


def rounded(chances: npt.NDArray[np.float64], grid: int) -> npt.NDArray[np.int64]:
    """Chances in whole parts of ``1 / grid``, by the method of the largest remainder.

    Parameters
    ----------
    chances : ndarray of float64, shape (sets, 4)
        Rows sum to about 1.
    grid : int
        Parts.

    Returns
    -------
    ndarray of int64, shape (sets, 4)
        Rows sum to `grid`. What has no chance gets none: a remainder of 0 is never
        among the largest.
    """
    parts = chances / chances.sum(axis=1, keepdims=True) * grid
    counts = np.floor(parts + 1e-9).astype(np.int64)
    order = np.argsort(counts - parts, axis=1, kind="stable")
    short = grid - counts.sum(axis=1, keepdims=True)
    rank = np.argsort(order, axis=1, kind="stable")
    whole: npt.NDArray[np.int64] = counts + (rank < short)
    return whole
