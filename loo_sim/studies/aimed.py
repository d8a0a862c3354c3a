"""Aimed announcements: one situation, every class of hand dealt as often as its error asks for.

Plain deals bring each hand as often as chance does: three given trumps once in 20,825 deals. Here
the seat is dealt each class of hand a given number of times (`kernels.aimed`), and the exact chance
of the class is its weight afterwards. How often is decided by a pilot: deals that no run counts, so
that what they happened to show does not bias what is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from loo_sim.cards import hand_classes
from loo_sim.rounding import NONE
from loo_sim.studies import figures
from loo_sim.studies.by_hand import (
    MISS_RESULTS,
    STAND_RESULTS,
    Values,
    half_widths,
    how_often,
    situation_in_words,
    situation_rows,
    values,
)
from loo_sim.studies.estimates import Estimate, Floats, estimate_share
from loo_sim.studies.figures import Figure

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.experiment import Cell
    from loo_sim.kernels.aimed import Aim
    from loo_sim.kernels.game import Game
    from loo_sim.policies.features import Situation
    from loo_sim.studies import Counts

SLOTS = 2**16
"""Deals in which every class is dealt in its proportion; then it starts over."""
PILOT_SEED, PILOT_FIRST = 0, 2**63
"""Deals of the pilot; those of a run are numbered below 2**32."""
PILOT_DEALS = 2**10
"""Deals of each class in the pilot."""
PILOT_CHUNK = 2**17
"""Deals of the pilot at a time: a signal that stops the run is heeded between two."""
PRIOR_DEALS = 50
"""The pilot counts for each class as if so many deals more had come out like the average class."""


class AimedGame(NamedTuple):
    """A game as the kernels read it, and what its deals aim at."""

    game: Game
    aim: Aim


def encode(cell: Cell, situation: Situation) -> AimedGame:
    """The game of a cell, aimed at a situation by a pilot; the same whenever it is encoded."""
    from loo_sim.kernels.aimed import make_aim
    from loo_sim.kernels.game import encode_cell

    game, deck = encode_cell(cell), cell.rules.deck
    counts = empty_counts(cell)
    classes = counts[1].size
    pilot = AimedGame(game, make_aim(deck, situation, np.arange(classes, dtype=np.uint16)))
    for done in range(0, classes * PILOT_DEALS, PILOT_CHUNK):
        n = min(PILOT_CHUNK, classes * PILOT_DEALS - done)
        add_counts(pilot, PILOT_SEED, PILOT_FIRST + done, n, counts)
    slots = spread(allot(deals_needed(cell, counts), SLOTS))
    return AimedGame(game, make_aim(deck, situation, slots))


def empty_counts(cell: Cell) -> Counts:
    """Counts of no deals.

    By class of hand, stand result and miss result where the situation came up, uint32 of shape
    (classes, 5, 6); and how often each class was dealt, int64.
    """
    classes = hand_classes(cell.rules.deck).size.size
    counts = np.zeros((classes, STAND_RESULTS, MISS_RESULTS), np.uint32)
    return counts, np.zeros(classes, np.int64)


def add_counts(game: AimedGame, seed: int, first: int, count: int, counts: Counts) -> None:
    """Add the counts of deals `first` to ``first + count - 1``."""
    from loo_sim.kernels.aimed import count_aimed

    count_aimed(*game, seed, first, count, *counts)


def deals_needed(cell: Cell, counts: Counts) -> Floats:
    """How many deals each class needs, up to a factor, for one largest error in all of them.

    A figure with variance v in a situation that comes up in the share q of the deals has the error
    ``sqrt(v / (q n))`` after n deals; v is the largest of those of stand, miss, miss - stand.
    Sums are those of `math.fsum`, which are the same on every machine.

    Parameters
    ----------
    cell : Cell
        The game played.
    counts : tuple of ndarray
        Of the pilot.

    Returns
    -------
    ndarray of float64, shape (classes,)
        All alike where the situation never came up, or nothing varied.
    """
    here, dealt = counts[0].astype(np.int64), counts[1]
    n = here.sum(axis=(1, 2))
    came = int(n.sum()) / int(dealt.sum())
    share = (n + PRIOR_DEALS * came) / (dealt + PRIOR_DEALS)
    most = np.zeros(n.size)
    for figure in values(cell, here):
        squares = np.nan_to_num(figure.se**2 * n * (n - 1))
        freedom = np.maximum(n - 1, 0)
        usual = fsum(squares) / max(int(freedom.sum()), 1)
        variance = (squares + PRIOR_DEALS * usual) / (freedom + PRIOR_DEALS)
        most = np.maximum(most, variance)
    return most / share if most.any() else np.ones(n.size)


def allot(needed: Floats, slots: int) -> npt.NDArray[np.int64]:
    """Slots for each class: one for every class, the others in proportion to what is needed.

    Parameters
    ----------
    needed : ndarray of float64, shape (classes,)
        Above 0.
    slots : int
        To be given out; at least one a class.

    Returns
    -------
    ndarray of int64, shape (classes,)
        What is left after rounding down goes to those that lost most by it.
    """
    exact = needed / fsum(needed) * (slots - needed.size)
    given = np.floor(exact).astype(np.int64)
    left = slots - needed.size - int(given.sum())
    given[np.argsort(given - exact, kind="stable")[:left]] += 1
    return given + 1


def spread(times: npt.NDArray[np.int64]) -> npt.NDArray[np.uint16]:
    """Classes in an order in which each comes up evenly, so that any number of deals may be run.

    Parameters
    ----------
    times : ndarray of int64, shape (classes,)
        Slots of each class.

    Returns
    -------
    ndarray of uint16, shape (sum of times,)
        Slot k of m of a class lies at ``(k + 1/2) / m`` of the whole.
    """
    of_class = np.repeat(np.arange(times.size), times)
    turn = np.arange(of_class.size) - np.repeat(np.cumsum(times) - times, times)
    return of_class[np.argsort((turn + 0.5) / times[of_class], kind="stable")].astype(np.uint16)


def tables(cell: Cell, situation: Situation, deals: int, counts: Counts) -> dict[str, pa.Table]:
    """The tables ``announce`` (the situation's rows alone) and ``aim`` (a row).

    In ``announce``, ``n`` are the deals in which the situation came up with the hand, as many as
    were aimed at it; ``weight`` is the share of plain deals in which it would: the hand's exact
    chance times the share of its deals in which the situation came up. Rows are pooled by their
    weights (`aggregate_by_weight`), never by n.

    Parameters
    ----------
    cell : Cell
        The game played.
    situation : Situation
        What it aims at.
    deals : int
        Deals counted.
    counts : tuple of ndarray
        As `empty_counts` describes.
    """
    here, dealt = counts
    size = hand_classes(cell.rules.deck).size
    chance = size / size.sum()
    came = estimate_share(here.sum(axis=(1, 2), dtype=np.int64), dealt)
    weight = Estimate(chance * came.mean, chance * came.se)
    rows = situation_rows(cell, situation, here, weight)
    hands = np.flatnonzero(here.any(axis=(1, 2)))
    return {
        "announce": rows,
        "aim": _aim_table(cell, situation, deals, rows, dealt[hands] / chance[hands]),
    }


def _aim_table(
    cell: Cell, situation: Situation, deals: int, rows: pa.Table, plain: Floats
) -> pa.Table:
    """How precise the hands' values are, and what that would have taken without aiming.

    `plain` holds the plain deals that bring each hand as often as it was dealt here; errors shrink
    as the square root of the deals.
    """
    found: dict[str, Any] = {
        **situation._asdict(),
        "dealer": situation.seat == cell.players - 1,
        "n": deals,
        "in_situation": int(rows["n"].to_numpy().sum()),
        "hands": rows.num_rows,
    }
    width = half_widths(rows, situation.miss_free)
    if width.size:
        worst, median = width.max(), np.median(width)
        found["worst"] = worst if np.isfinite(worst) else None
        found["worst_hand"] = rows["hand"][int(width.argmax())].as_py()
        found["median"] = median if np.isfinite(median) else None
        if 0 < worst < np.inf:
            found["plain_deals"] = (width**2 * plain).max() / worst**2
            found["gain"] = found["plain_deals"] / deals
    return pa.table(
        {name: pa.array([found.get(name)], kind) for name, kind in _AIM_COLUMNS.items()}
    )


_AIM_COLUMNS = {
    **dict.fromkeys(("seat", "standers"), pa.int64()),
    **dict.fromkeys(("miss_free", "dealer"), pa.bool_()),
    **dict.fromkeys(("n", "in_situation", "hands"), pa.int64()),
    "worst": pa.float64(),
    "worst_hand": pa.string(),
    **dict.fromkeys(("median", "plain_deals", "gain"), pa.float64()),
}


def half_width(tables: Mapping[str, pa.Table]) -> float:
    """The largest half-width of a 95 % interval of a hand's values, in stakes; NaN if unknown."""
    found = tables["aim"]["worst"][0].as_py()
    return np.nan if found is None else float(found)


def aggregate_by_weight(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Pool the rows of an aimed cell that agree on the columns `by`.

    What `estimates.aggregate` is for plain deals, whose rows weigh as much as they have deals.

    With weights w_i, means m_i and ``m = sum(w_i m_i) / sum(w_i)``, the error is that of a ratio
    over independent strata, linearised:
    ``s^2 = sum(w_i^2 s_i^2 + s(w_i)^2 (m_i - m)^2) / sum(w_i)^2`` (Cochran, *Sampling Techniques*,
    3rd ed., section 6.10).

    Parameters
    ----------
    table : DataFrame
        Rows of the table ``announce`` of an aimed cell, or some columns of them, with ``n``,
        ``weight`` and ``weight_se``.
    by : sequence of str
        Columns that name the pools.

    Returns
    -------
    DataFrame
        A row for each pool, sorted: `by`, ``n`` (sum), ``weight`` with its error, then each
        estimate with its error, which is empty where that of a row is. Estimates that are empty in
        some rows are pooled over the others, and are empty where all are.
    """
    import pandas as pd

    groups = table.groupby(list(by), sort=True, observed=True)
    group = groups.ngroup().to_numpy()

    def total(values: Floats) -> Floats:
        return np.bincount(group, values, groups.ngroups).astype(np.float64)

    def column(name: str) -> Floats:
        return table[name].to_numpy(dtype=float, na_value=np.nan)

    pooled = groups[["n"]].sum()
    weight, weight_se = column("weight"), column("weight_se")
    pooled["weight"], pooled["weight_se"] = total(weight), np.sqrt(total(weight_se**2))
    for name in table.columns:
        if name == "weight" or f"{name}_se" not in table.columns:
            continue
        mean, se = column(name), column(f"{name}_se")
        there = ~np.isnan(mean)
        here = np.where(there, weight, 0.0)
        with np.errstate(invalid="ignore"):
            centre = total(np.where(there, weight * mean, 0.0)) / total(here)
            squares = weight**2 * se**2 + weight_se**2 * (mean - centre[group]) ** 2
            error = np.sqrt(total(np.where(there, squares, 0.0))) / total(here)
        pooled[name], pooled[f"{name}_se"] = centre, error
    return pd.DataFrame(pooled).reset_index()


def headline(tables: Mapping[str, pa.Table]) -> list[tuple[Figure, ...]]:
    """One row: the situation over all hands, the widest interval of a hand, what aiming gained."""
    (aim,) = tables["aim"].to_pylist()
    situation = figures.word(
        situation_in_words(aim["seat"], aim["standers"], aim["dealer"], aim["miss_free"])
    )
    unknown = Figure(NONE, None)
    if not aim["hands"]:
        return [(situation, *[unknown] * 5, figures.word("never came up"))]
    frame = tables["announce"].to_pandas()
    (row,) = aggregate_by_weight(frame, ["seat", "standers"]).to_dict("records")
    n = int(row["n"])
    each = figures.width(aim["worst"])
    if aim["gain"] is not None:
        told = f"{each.told}, plain: {aim['gain']:.1f} times the deals"
        each = each._replace(told=told)
    return [
        (
            situation,
            how_often(row["weight"], row["weight_se"], n),
            *(figures.mean(row[name], row[f"{name}_se"], n) for name in Values._fields),
            figures.share(row["miss_loo"], row["miss_loo_se"], n),
            each,
        )
    ]
