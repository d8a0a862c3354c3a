"""The figures by which claims are tested: read from the tables of a game, by circumstances."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from math import isfinite, lcm, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loo_sim.claims.measured import (
    Ahead,
    AheadAfterOne,
    Between,
    HandShare,
    Least,
    Mean,
    Measured,
)
from loo_sim.studies.aimed import aggregate_by_weight
from loo_sim.studies.estimates import Z95, aggregate, estimate

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.policies.tree import Node
    from loo_sim.report.result import Cell

_ANNOUNCED = ("stand", "miss", "miss_minus_stand", "stand_loo", "miss_loo")

Found = Iterator[tuple[dict[str, Any], Measured]]
"""Figures, each with the circumstances that its rows tell; those of the cell come on top."""

_SHARES = lcm(*range(2, 17))
"""In how many parts tricks are cut, so that up to 16 players have whole ones."""

SITUATION = ("seat", "dealer", "standers", "folded", "to_act", "miss_free")
"""What `by` may name where hands announce."""


class Kind(NamedTuple):
    """A figure.

    Attributes
    ----------
    words : str
        What it is, for a table.
    unit : str
        ``stakes``, ``share``, ``deals``, ...
    of : callable
        Takes a game, the condition on its rows and the columns that tell them apart.
    """

    words: str
    unit: str
    of: Callable[[Game, Node | None, Sequence[str]], Found]


class OfStudy(NamedTuple):
    """What can be tested with the tables of a study.

    Attributes
    ----------
    table : str
        The table that the figures are of; a game without rows of it has none.
    figures : mapping of str to Kind
    by : tuple of str
        Columns that may tell cases apart where a test asks for it.
    always : tuple of str
        Columns that always do.
    conditions : bool
        Whether `when` may choose hands and situations.
    """

    table: str
    figures: Mapping[str, Kind]
    by: tuple[str, ...]
    always: tuple[str, ...]
    conditions: bool


class Game:
    """A game of a part: its rows by hand are read once, whatever is asked of them.

    Parameters
    ----------
    cell : Cell

    Attributes
    ----------
    cell : Cell
    """

    def __init__(self, cell: Cell) -> None:
        self.cell = cell

    def rows(self, columns: Sequence[str], when: Node | None, by: Sequence[str]) -> pd.DataFrame:
        """Rows that a condition chooses, with estimates and what tells them apart.

        Parameters
        ----------
        columns : sequence of str
            Estimates; each comes with its error.
        when : Node or None
            The condition; None for all rows.
        by : sequence of str
            Names of `seen`.

        Returns
        -------
        DataFrame
            With `n` and `weight` too, and where hands announce with the `seat`, and whether deals
            were `aimed` at hands: then with ``weight_se``.
        """
        from loo_sim.policies.tree import evaluate

        chosen = np.ones(len(self._all), bool)
        if when is not None:
            with np.errstate(all="ignore"):
                chosen &= np.asarray(evaluate(when, self.seen), dtype=bool)
        wanted = ["n", "weight", *columns, *(f"{name}_se" for name in columns)]
        wanted += [name for name in ("seat", "aimed", "weight_se") if name in self._all]
        rows = self._all.loc[chosen, wanted]
        return rows.assign(**{name: self.seen[name][chosen] for name in by})

    @cached_property
    def _all(self) -> pd.DataFrame:
        estimates = [f"{name}{end}" for name in _ANNOUNCED for end in ("", "_se")]
        if "announce" in self.cell.tables:
            situation = ("hand", "seat", "standers", "miss_free")
            return self.cell.announcements(["n", "weight", "weight_se", *situation, *estimates])
        return self.cell.tables["lead"]

    @cached_property
    def seen(self) -> Mapping[str, Any]:
        """What a condition may speak of, for every row or for all alike."""
        from loo_sim.cards import hand_classes
        from loo_sim.policies.features import hand_columns

        cell, rows = self.cell, self._all
        place = {name: number for number, name in enumerate(hand_classes(cell.deck).names)}
        hands = rows["hand"].astype(str).map(place).to_numpy(dtype=np.int64)
        loo = cell.rules["loo"]
        if loo == "pot":
            cap = cell.rules["loo_cap"]
            loo = cell.pot if cap is None else min(cell.pot, cap)
        seen: dict[str, Any] = {name: of[hands] for name, of in hand_columns(cell.deck).items()}
        seen |= {"players": float(cell.players), "pot": cell.pot, "trick": cell.pot / 3}
        seen["loo"] = float(loo)
        if "in_play" in rows:
            seen["in_play"] = rows["in_play"].to_numpy(dtype=np.float64)
            return seen
        seat, standers = (rows[name].to_numpy(dtype=np.float64) for name in ("seat", "standers"))
        seen |= {"seat": seat, "standers": standers, "folded": seat - standers}
        seen |= {"to_act": cell.players - 1 - seat, "dealer": seat == cell.players - 1}
        seen["miss_free"] = rows["miss_free"].to_numpy(dtype=bool)
        return seen


def _groups(rows: pd.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    if not by:
        if len(rows):
            yield {}, rows
        return
    for values, group in rows.groupby(list(by), sort=True):
        yield dict(zip(by, map(_plain, values), strict=True)), group


def _plain(value: Hashable) -> Any:
    """A value of a column as Python has it; whole numbers as such."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, float | np.floating):
        return int(value) if float(value).is_integer() else float(value)
    return value.item() if isinstance(value, np.generic) else value


def _mean_of(column: str) -> Callable[[Game, Node | None, Sequence[str]], Found]:
    """A column of estimates by hand, pooled over the hands."""

    def of(game: Game, when: Node | None, by: Sequence[str]) -> Found:
        rows = game.rows([column], when, by)
        for values, group in _groups(rows[rows[column].notna()], by):
            yield values, _pooled(group, column)

    return of


def _pooled(rows: pd.DataFrame, column: str) -> Mean:
    """The mean of a column over all deals of some rows, each hand as often as it is dealt.

    Where deals were aimed at hands these are of one seat, and pooled by their weights. Else rows of
    one seat are of different deals, and pooled as `aggregate` does. Several seats announce
    in the same deal, and may do well together: what each adds to the error of the mean is added up,
    which is right if they do so altogether, and too much else (measured: errors taken as of
    independent seats are up to half of the true ones).
    """
    if "aimed" in rows and rows["aimed"].any():
        weighed = rows[["n", "weight", "weight_se", column, f"{column}_se"]].assign(together=0)
        (row,) = aggregate_by_weight(weighed, ["together"]).to_dict("records")
        return Mean(row[column], row[f"{column}_se"], float(row["n"]))
    n, mean, se = (rows[name].to_numpy(dtype=float) for name in ("n", column, f"{column}_se"))
    seats = rows["seat"].to_numpy() if "seat" in rows else np.zeros(len(rows))
    _, seat = np.unique(seats, return_inverse=True)
    size = n.sum()
    value = float((n * mean).sum() / size)
    squares = np.nan_to_num(se) ** 2 * n * (n - 1) + n * (mean - value) ** 2
    error = float(np.sqrt(np.bincount(seat, squares)).sum())
    return Mean(value, error / sqrt(size * (size - 1)) if size > 1 else nan, float(size))


def _stand_over_others(game: Game, when: Node | None, by: Sequence[str]) -> Found:
    """What standing is worth more than folding (or defending, both 0), and than the miss if free.

    For all the hands together, as if one announcement had to do for them.
    """
    rows = game.rows(["stand", "miss_minus_stand"], when, by)
    for values, group in _groups(rows, by):
        parts = [_pooled(group, "stand")]
        offered = group[group["miss_minus_stand"].notna()]
        if len(offered):
            over = _pooled(offered, "miss_minus_stand")
            parts.append(Mean(-over.value, over.se, over.n))
        yield values, Least(parts)


def _share_of(
    *margins: tuple[str, int],
) -> Callable[[Game, Node | None, Sequence[str]], Found]:
    """The share of hands of which some margins, columns with a sign, are all above 0.

    Hands are taken together that are alike in their number of trumps, the two best of these and
    the two best plain cards, as a player tells them apart.
    """

    def of(game: Game, when: Node | None, by: Sequence[str]) -> Found:
        from loo_sim.report.pooling import pool

        names = [name for name, _ in margins]
        alike = ("trumps", "over_best", "over_second", "high", "middle")
        rows = game.rows(names, when, list(dict.fromkeys((*by, *alike))))
        rows = rows[rows[names].notna().all(axis=1)]
        for values, group in _groups(rows, by):
            pooled = pool(group, list(alike))
            signed = np.array([sign * pooled[name].to_numpy(float) for name, sign in margins])
            errors = np.array([pooled[f"{name}_se"].to_numpy(float) for name in names])
            weights, counts = (pooled[name].to_numpy(float) for name in ("weight", "n"))
            yield values, HandShare(weights, signed, errors, counts)

    return of


def _of_pot(value_of: Callable[[pd.DataFrame], tuple[float, float]]) -> Any:
    """A figure of a cell made of its table ``pot``: a row for each number of players in."""

    def of(game: Game, when: Node | None, by: Sequence[str]) -> Found:
        yield {}, Mean(*value_of(game.cell.tables["pot"]), float(game.cell.deals))

    return of


def _share_in(*players_in: int) -> Callable[[pd.DataFrame], tuple[float, float]]:
    def of(pot: pd.DataFrame) -> tuple[float, float]:
        hits = int(pot["n"][pot["standers"].isin(players_in)].sum())
        found = estimate([int(pot["n"].sum()) - hits, hits], [0, 1])
        return float(found.mean), float(found.se)

    return of


def _contested(pot: pd.DataFrame) -> tuple[float, float]:
    share, se = _share_in(0, 1)(pot)
    return 1 - share, se


def _players_in(pot: pd.DataFrame) -> tuple[float, float]:
    found = estimate(pot["n"].tolist(), pot["standers"].tolist())
    return float(found.mean), float(found.se)


def _tricks_each(pot: pd.DataFrame) -> tuple[float, float]:
    """Tricks for each player in, over the deals that are played: 3 / players in."""
    played = pot[pot["standers"] > 1]
    # In parts of a trick that are whole numbers, whatever the number of players.
    each = [3 * _SHARES // int(standers) for standers in played["standers"]]
    found = estimate(played["n"].tolist() or [0], each or [0], _SHARES)
    return float(found.mean), float(found.se)


def _looed(pot: pd.DataFrame) -> tuple[float, float]:
    from loo_sim.studies.deals import mean_looed

    return mean_looed(pot)


def _swing(pot: pd.DataFrame) -> tuple[float, float]:
    pooled = aggregate(pot[["n", "pot_swing", "pot_swing_se"]].assign(together=0), ["together"])
    return float(pooled["pot_swing"].item()), float(pooled["pot_swing_se"].item())


def _in_each(game: Game, when: Node | None, by: Sequence[str]) -> Found:
    """The share of the players who are in, in the mean of all deals."""
    mean, se = _players_in(game.cell.tables["pot"])
    yield {}, Mean(mean / game.cell.players, se / game.cell.players, float(game.cell.deals))


def _of_tables(column: str) -> Callable[[Game, Node | None, Sequence[str]], Found]:
    """A column of the table ``session``."""

    def of(game: Game, when: Node | None, by: Sequence[str]) -> Found:
        row = game.cell.tables["session"].iloc[0]
        yield {}, Mean(float(row[column]), float(row[f"{column}_se"]), float(game.cell.deals))

    return of


def _pot_median(game: Game, when: Node | None, by: Sequence[str]) -> Found:
    """The median pot when a deal of the session begins."""
    for row in game.cell.tables["path"].to_dict("records"):
        yield (
            {"deal": int(row["deal"])},
            Between(row["pot_q50"], row["pot_q50_low"], row["pot_q50_high"], float(row["n"])),
        )


def is_nearly_normal(rounds: int, loo: Any) -> bool:
    """Whether normal theory says how often the better of two is ahead: deals, or evenings.

    Of evenings with loos of the whole pot it does not: a few that got out of hand make up the mean
    and the spread. Where it says 51 %, the better was ahead after 60 deals with 87 %; and where a
    loo was at most 100 stakes it was still off by 6 percentage points.
    """
    return not (rounds and loo == "pot")


def pairs_of(cell: Cell) -> Iterator[tuple[dict[str, Any], float, float, float, float]]:
    """Of each two policies of a league, the better first: difference, error, variance, deals.

    The variance is nan where it is not known, as of deals that all came out alike.
    """
    for row in cell.tables["league"].to_dict("records"):
        diff, se, apart = (float(row[name]) for name in ("net_diff", "net_diff_se", "apart"))
        if diff > 0:
            variance = apart * diff**2 / Z95**2 if isfinite(apart) and apart > 0 else nan
            names = {"policy": row["policy"], "rival": row["rival"]}
            yield names, diff, se, variance, float(row["n"])


def _of_pairs(make: Callable[[float, float, float, float], Measured]) -> Any:
    """A figure of each pair of a league's policies."""

    def of(game: Game, when: Node | None, by: Sequence[str]) -> Found:
        for names, *of_pair in pairs_of(game.cell):
            yield names, make(*of_pair)

    return of


STUDIES: Mapping[str, OfStudy] = {
    "announce": OfStudy(
        "announce",
        {
            **{
                name: Kind(words, unit, _mean_of(name))
                for name, (words, unit) in {
                    "stand": ("standing less folding", "stakes"),
                    "miss": ("the miss less folding", "stakes"),
                    "miss_minus_stand": ("the miss less standing", "stakes"),
                    "stand_loo": ("chance of being looed, standing", "share"),
                    "miss_loo": ("chance of being looed, with the miss", "share"),
                }.items()
            },
            "stand_over_others": Kind(
                "standing less the better of folding and the miss", "stakes", _stand_over_others
            ),
            "stand_share": Kind(
                "share of hands on which standing beats folding", "share", _share_of(("stand", 1))
            ),
            "miss_share": Kind(
                "share of hands on which the miss beats folding and standing",
                "share",
                _share_of(("miss", 1), ("miss_minus_stand", 1)),
            ),
        },
        by=SITUATION,
        always=(),
        conditions=True,
    ),
    "lead": OfStudy(
        "lead",
        {
            name: Kind(words, unit, _mean_of(name))
            for name, (words, unit) in {
                "first": ("leading the first card", "stakes"),
                "second": ("leading the second card", "stakes"),
                "third": ("leading the third card", "stakes"),
                "second_minus_first": ("leading the second card less the first", "stakes"),
                "third_minus_first": ("leading the third card less the first", "stakes"),
                "third_minus_second": ("leading the third card less the second", "stakes"),
            }.items()
        },
        by=("in_play",),
        always=(),
        conditions=True,
    ),
    "deals": OfStudy(
        "pot",
        {
            "all_fold": Kind("share of deals in which all fold", "share", _of_pot(_share_in(0))),
            "lone": Kind("share of deals with a lone player", "share", _of_pot(_share_in(1))),
            "contested": Kind("share of deals that two or more play", "share", _of_pot(_contested)),
            "players_in": Kind("players in", "players", _of_pot(_players_in)),
            "in_each": Kind("share of the players who are in", "share", _in_each),
            "tricks_each": Kind(
                "tricks for each player in, of deals that are played",
                "tricks",
                _of_pot(_tricks_each),
            ),
            "looed": Kind("looed in a deal", "players", _of_pot(_looed)),
            "pot_swing": Kind("change of the pot in a deal", "stakes", _of_pot(_swing)),
        },
        by=(),
        always=(),
        conditions=False,
    ),
    "session": OfStudy(
        "session",
        {
            "pot_median": Kind("median pot when the deal begins", "stakes", _pot_median),
            "longest": Kind("longest run without a clean deal", "deals", _of_tables("longest")),
            "single": Kind("share of pots that are single", "share", _of_tables("single")),
            "clean": Kind("share of deals in which nobody is looed", "share", _of_tables("clean")),
        },
        by=("deal",),
        always=(),
        conditions=False,
    ),
    "league": OfStudy(
        "league",
        {
            "edge": Kind(
                "what the better policy gets more",
                "stakes",
                _of_pairs(lambda diff, se, variance, n: Mean(diff, se, n)),
            ),
            "edge_over_spread": Kind(
                "that, in standard deviations of the difference",
                "ratio",
                _of_pairs(
                    lambda diff, se, variance, n: Mean(
                        diff / sqrt(variance), se / sqrt(variance), n
                    )
                ),
            ),
            "ahead": Kind(
                "deals (or evenings) until the better is ahead with 95 %",
                "count",
                _of_pairs(Ahead),
            ),
            "ahead_after_one": Kind(
                "chance that the better is ahead after one evening",
                "share",
                _of_pairs(AheadAfterOne),
            ),
        },
        by=(),
        always=("policy", "rival"),
        conditions=False,
    ),
}
"""By study, what claims can be tested with. A part's axes always tell cases apart."""
