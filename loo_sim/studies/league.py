"""The study `league`: policies against each other on the same deals, each in every seat in turn.

A deal is played as often as there are policies, which move on by one seat each time, so that each
has had every seat once, with the same cards. The order in which they sit is drawn for each deal:
nobody always sits behind the same rival. What is counted is a policy's net over all its seats in a
deal, and the difference of that between two policies: deals are independent, seats and turns of one
deal are not. In sessions a table stands for the deal and a person for the seat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, isfinite, nan, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from loo_sim.inference import holm
from loo_sim.rounding import NONE, rough
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies import figures
from loo_sim.studies.estimates import FEW_DEALS, Z95, nets_of_results
from loo_sim.studies.figures import Figure
from loo_sim.studies.moments import Moments, Running, read_sums

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.studies import Counts

CHUNK_DEALS = 2**18
"""Deals in a chunk of work, all turns and all deals of a table counted."""
SHORTEST_CHUNK = 2**8
"""Deals, or tables."""
HEADLINE = ("policy", "net, stakes", "standing", "told from the first after")
TABLES_SHARE = 2.0
"""Both have a row a pair of policies, of some hundred bytes."""
MAIN, MAIN_TITLE = "", ""
FIGURE = "the difference of two policies that is known least, all of them together,"

LEVEL = 0.05
"""Chance of any false difference among all that are told."""

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def encode(cell: Cell) -> Any:
    """The cell as the kernels read it: a game, or a session."""
    if cell.rounds == 0:
        from loo_sim.kernels.leagues import encode_league

        return encode_league(cell.rules, cell.policies, cell.players, cell.pot)
    from loo_sim.kernels.encode_session import encode_session

    return encode_session(cell.rules, cell.policies, cell.rounds, cell.bankroll, (), cell.players)


def chunk_length(cell: Cell) -> int:
    """Most deals, or tables, in a chunk of work: the fewer, the more is played of each."""
    return max(1, CHUNK_DEALS // (len(cell.policies) * max(cell.rounds * cell.players, 1)))


def empty_counts(cell: Cell) -> Counts:
    """Counts of no deals: sums of policies and pairs, and what single seats or persons got."""
    from loo_sim.kernels.game import RESULTS
    from loo_sim.kernels.sums import MOMENTS

    policies = len(cell.policies)
    return (
        np.zeros((policies, policies, MOMENTS), np.int64),
        np.zeros((policies, MOMENTS if cell.rounds else RESULTS), np.int64),
    )


def add_counts(game: Any, seed: int, first: int, count: int, counts: Counts) -> None:
    """Add the counts of deals, or tables, `first` to ``first + count - 1``."""
    from loo_sim.kernels.game import Game
    from loo_sim.kernels.leagues import count_league, count_session_league

    count_turns = count_league if isinstance(game, Game) else count_session_league
    count_turns(game, seed, first, count, *counts)


def tables(cell: Cell, work: int, counts: Counts) -> dict[str, pa.Table]:
    """The estimates of a cell: tables ``league`` (by pair) and ``standing`` (by policy).

    Parameters
    ----------
    cell : Cell
        The league.
    work : int
        Deals, or tables, counted.
    counts : tuple of ndarray of int64
        As `kernels.leagues` counts them.
    """
    sums, singles = counts
    spread = _spreads(cell, work, singles)
    pairs = _compare_pairs(cell, work, sums, spread)
    return {
        "league": _league_table(cell, work, pairs),
        "standing": _standing_table(cell, work, sums, spread, pairs),
    }


def half_width(tables: Mapping[str, pa.Table]) -> float:
    """Half-width of the widest of the intervals that hold together with 95 %, in stakes."""
    league = tables["league"]
    width = (league["high"].to_numpy() - league["low"].to_numpy()) / 2
    return float(width.max())


def running(cell: Cell, work: int, counts: Counts) -> tuple[Running, ...]:
    """What is followed from chunk to chunk: the difference of each pair of policies."""
    names = [policy.name for policy in cell.policies]
    return tuple(
        Running(
            f"{names[one]} minus {names[other]}",
            _read_sums(counts[0][one, other], work),
            UNITS_PER_STAKE * cell.players,
        )
        for one, other in zip(*np.tril_indices(len(names), -1), strict=True)
    )


def headline(tables: Mapping[str, pa.Table]) -> list[tuple[Figure, ...]]:
    """A row a policy, the best mean first: its net, how it stands, what tells it from the first."""
    standing = tables["standing"].to_pylist()
    league = tables["league"].to_pylist()
    first = standing[0]["policy"]
    against = {row["rival"]: row for row in league if row["policy"] == first}
    words = standing_in_words([row["tied_with_best"] for row in standing])
    unit = "tables" if "tables_apart" in league[0] else "deals"
    told: list[tuple[Figure, ...]] = []
    for row, word in zip(standing, words, strict=True):
        apart = figures.word("")
        if row["policy"] != first:
            about, least, most = (
                figures.known(against[row["policy"]][f"{unit}_apart{end}"])
                for end in ("", "_low", "_high")
            )
            in_words = apart_in_words(about, least, most)
            apart = Figure(
                in_words if in_words == NONE else f"{in_words} {unit}",
                about if isfinite(about) else None,
            )
        net = figures.mean(row["net"], row["net_se"], row["n"])
        told.append((figures.word(row["policy"]), net, figures.word(word), apart))
    return told


def standing_in_words(tied_with_best: Sequence[bool]) -> list[str]:
    """How each policy stands, the best mean first: only one that no other is tied with is best."""
    first = "first" if any(tied_with_best[1:]) else "best"
    return [first, *("tied" if is_tied else "behind" for is_tied in tied_with_best[1:])]


def apart_in_words(about: float, least: float, most: float) -> str:
    """How many deals, or tables, tell two players apart, with the bounds that are known.

    Parameters
    ----------
    about, least, most : float
        The columns ``_apart``, ``_apart_low`` and ``_apart_high``; nan where they are empty.
    """
    if not isfinite(about):
        return NONE
    if not isfinite(least):
        return f"≈ {_whole(about)}"
    if not isfinite(most):
        return f"more than {_whole(least)}"
    if _whole(least) == _whole(most):
        return _whole(about)
    return f"{_whole(about)} ({_whole(least)} to {_whole(most)})"


def _whole(number: float) -> str:
    """A number of deals, or tables, rounded up to a whole one and to three digits."""
    return rough(ceil(number))


def _read_sums(row: Ints, n: int) -> Moments:
    """Exact sums over `n` deals or tables, each of which counts once."""
    return Moments.single(n, *read_sums(row))


def _spreads(cell: Cell, work: int, singles: Ints) -> Floats:
    """Standard deviation of what one seat gets in a deal, or one person at a table, in stakes.

    Over all deals and seats as if they were independent: the unbiased sample variance. Shape
    (policies,); NaN for a single observation.
    """
    n = work * cell.players
    if cell.rounds:
        found = [_read_sums(row, n) for row in singles]
    else:
        nets = nets_of_results(cell.pot, cell.rules.loo_units(cell.pot))
        found = [Moments.counted(n, row, nets) for row in singles.tolist()]
    return np.array([sums.se(UNITS_PER_STAKE) * sqrt(n) for sums in found])


class _Pairs(NamedTuple):
    """What is known of each pair of policies, by [policy, rival]; the diagonal says nothing.

    Attributes
    ----------
    diff, se : ndarray of float64
        Mean net of the policy less that of the rival, a deal and seat (a table and person), in
        stakes, and its standard error.
    margin : ndarray of float64
        Half-width of the interval: all of them together hold with 95 %.
    p : ndarray of float64
        Two-sided p-value, adjusted for all pairs.
    plain_se : ndarray of float64
        The error of `diff` if all seats of all deals were independent of each other.
    variance : ndarray of float64
        Of the difference of a seat of the one and a seat of the other, in different deals.
    """

    diff: Floats
    se: Floats
    margin: Floats
    p: Floats
    plain_se: Floats
    variance: Floats


def _compare_pairs(cell: Cell, work: int, sums: Ints, spread: Floats) -> _Pairs:
    """Compare each two policies on the same deals.

    Intervals are Bonferroni's, ``diff ± t se`` with t the ``1 - 0.05 / (2 m)`` quantile of
    Student's distribution with n - 1 degrees of freedom for m pairs; p-values are Holm's (see
    `inference.holm`). Both hold however the pairs depend on each other.
    """
    from scipy import stats

    policies = len(cell.policies)
    one, other = np.tril_indices(policies, -1)
    per = UNITS_PER_STAKE * cell.players
    read = [_read_sums(sums[i, j], work) for i, j in zip(one, other, strict=True)]
    diff = np.array([pair.mean(per) for pair in read])
    se = np.array([pair.se(per) for pair in read])
    enough = work >= FEW_DEALS  # before, means are not normal yet
    t, p = nan, np.full(len(read), nan)
    if enough:
        t = float(stats.t.ppf(1 - LEVEL / (2 * len(read)), work - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            deviation = np.where(diff == 0, 0.0, np.abs(diff) / se)
        p = holm(2 * stats.t.sf(deviation, work - 1))
    variance = spread[one] ** 2 + spread[other] ** 2
    plain_se = np.sqrt(variance / (work * cell.players))

    def square(values: Floats, sign: int = 1) -> Floats:
        whole = np.full((policies, policies), nan)
        whole[one, other], whole[other, one] = values, sign * values
        return whole

    return _Pairs(
        diff=square(diff, sign=-1),
        se=square(se),
        margin=square(t * se),
        p=square(p),
        plain_se=square(plain_se),
        variance=square(variance),
    )


def _ordered(policies: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(policies) for j in range(policies) if i != j)


def _column(values: Any) -> pa.Array:
    """A column of numbers; what is not known or has no bound is empty."""
    values = np.asarray(values, dtype=np.float64)
    return pa.array(values, mask=~np.isfinite(values))


@np.errstate(divide="ignore", invalid="ignore")
def _league_table(cell: Cell, work: int, pairs: _Pairs) -> pa.Table:
    """A row for each policy and rival.

    ``gain`` is how many times as many deals the same error would take if policies were not compared
    on the same deals and seats. ``deals_apart`` (``tables_apart``) is how many deals in one seat
    each, at tables of their own, tell two players of these policies apart: their mean difference is
    then just Z95 of its standard errors, n = Z95^2 variance / diff^2. ``_low`` and ``_high`` are
    that at the ends of the interval of `diff`, without a bound where it holds 0.
    """
    names = [policy.name for policy in cell.policies]
    i, j = np.array(list(_ordered(len(names)))).T
    diff, se, margin, p, plain_se, variance = (values[i, j] for values in pairs)
    size = np.abs(diff)
    squares = Z95**2 * variance
    unit = "tables" if cell.rounds else "deals"
    return pa.table(
        {
            "policy": [names[place] for place in i],
            "rival": [names[place] for place in j],
            "n": np.full(i.size, work),
            "net_diff": _column(diff),
            "net_diff_se": _column(se),
            "low": _column(diff - margin),
            "high": _column(diff + margin),
            "p_value": _column(p),
            "plain_se": _column(plain_se),
            "gain": _column((plain_se / se) ** 2),
            f"{unit}_apart": _column(squares / size**2),
            f"{unit}_apart_low": _column(squares / (size + margin) ** 2),
            f"{unit}_apart_high": _column(squares / np.maximum(size - margin, 0) ** 2),
        }
    )


def _standing_table(cell: Cell, work: int, sums: Ints, spread: Floats, pairs: _Pairs) -> pa.Table:
    """A row a policy, the best mean first: net, and whether it may be as good as the first."""
    per = UNITS_PER_STAKE * cell.players
    own = [_read_sums(sums[place, place], work) for place in range(len(cell.policies))]
    order = sorted(range(len(own)), key=lambda place: -own[place].x)
    first = order[0]
    ahead = pairs.diff[first] > pairs.margin[first]
    return pa.table(
        {
            "policy": [cell.policies[place].name for place in order],
            "n": np.full(len(order), work),
            "net": [own[place].mean(per) for place in order],
            "net_se": _column([own[place].se(per) for place in order]),
            "spread": _column(spread[order]),
            "tied_with_best": [not ahead[place] for place in order],
        }
    )
