"""Means and standard errors out of counts, and how those of several rows are pooled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]

Z95 = 1.959963984540054
"""Half-width of a 95 % interval in standard errors (normal)."""


FEW_DEALS = 30
"""Below so many deals an estimate is called noise, whatever its standard error says."""


def nets_of_results(pot: int, loo: int) -> list[int]:
    """Net in units of a player in, by result: 0 to 3 tricks, or the whole pot as lone player.

    Parameters
    ----------
    pot, loo : int
        Units in the pot when play begins; units a looed player pays.
    """
    third = pot // 3
    return [-loo, third, 2 * third, 3 * third, pot]


class Estimate(NamedTuple):
    """An estimated mean.

    Attributes
    ----------
    mean : ndarray of float64
        Sample mean; NaN where there is no observation.
    se : ndarray of float64
        Its standard error; NaN where there are fewer than two observations.
    """

    mean: Floats
    se: Floats


def estimate(counts: Sequence[Any], values: Sequence[int], per_unit: int = 1) -> Estimate:
    """Mean of a whole-number quantity from how often it took each value.

    With ``n = sum(c)`` observations the mean is ``sum(c x) / n``, summed exactly in whole numbers,
    and its standard error ``sqrt(sum(c (x - mean)^2) / (n - 1) / n)``: the unbiased sample variance
    over n.

    Parameters
    ----------
    counts : sequence of int or of ndarray of int64 or object
        For each value, how often it came up; arrays of one shape. ``sum(c x)`` must fit the dtype
        (Python integers, alone or in object arrays, always do).
    values : sequence of int
        The values.
    per_unit : int
        Divides the values: `UNITS_PER_STAKE` turns units into stakes.

    Returns
    -------
    Estimate
        Arrays of the shape of one count.
    """
    observations = np.asarray(sum(counts), dtype=np.float64)
    total = np.asarray(
        sum(count * value for count, value in zip(counts, values, strict=True)), dtype=np.float64
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = total / observations
        # A loop in a fixed order, not np.sum, whose order of adding depends on the machine.
        squares = np.zeros_like(observations)
        for count, value in zip(counts, values, strict=True):
            squares += np.asarray(count, dtype=np.float64) * (value - mean) ** 2
        se = np.sqrt(squares / (observations - 1) / observations)
    return Estimate(mean / per_unit, np.where(observations > 1, se, np.nan) / per_unit)


def estimate_share(hits: Any, n: Any) -> Estimate:
    """Share of n observations that are hits: `estimate` of a quantity that is 0 or 1.

    Parameters
    ----------
    hits, n : int or ndarray of int64 or object
        How many are, and how many there are in all.

    Returns
    -------
    Estimate
        ``p = hits / n`` and ``sqrt(p (1 - p) / (n - 1))``.
    """
    return estimate([n - hits, hits], [0, 1])


def quantiles(
    values: npt.NDArray[Any], counts: npt.NDArray[Any], shares: Sequence[float]
) -> list[Any]:
    """Quantiles of a sample known by its counts.

    Parameters
    ----------
    values, counts : ndarray, shape (values,)
        The distinct values in ascending order, and how often each came up.
    shares : sequence of float
        Between 0 and 1.

    Returns
    -------
    list
        For each share, the smallest value that at least this share of the sample does not exceed
        (numpy's ``inverted_cdf``).
    """
    reached = np.cumsum(counts)
    total = int(reached[-1])
    return [values[np.searchsorted(reached, share * total)] for share in shares]


def aggregate(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Pool the rows of a table that agree on the columns `by`.

    The pooled mean and standard error are those that all observations together would give:
    with rows i of n_i observations, mean m_i and standard error s_i, ``n = sum(n_i)``,
    ``m = sum(n_i m_i) / n`` and
    ``s^2 = (sum(s_i^2 n_i (n_i - 1)) + sum(n_i (m_i - m)^2)) / (n (n - 1))``.
    This is the error of independent observations: rows of one seat come from different deals, but
    rows of different seats share their deals, and their errors together are then only about right.

    Parameters
    ----------
    table : DataFrame
        With a column ``n`` and estimates ``x`` with ``x_se``; as `announce.parquet`.
    by : sequence of str
        Columns that name the pools.

    Returns
    -------
    DataFrame
        A row for each pool, sorted: `by`, ``n``, ``weight`` (sum, if the table has it), then each
        estimate with its error. Estimates that are empty in some rows are pooled over the others,
        and are empty where all are.
    """
    import pandas as pd

    groups = table.groupby(list(by), sort=True, observed=True)
    group = groups.ngroup().to_numpy()

    def total(values: Floats) -> Floats:
        return np.bincount(group, values, groups.ngroups).astype(np.float64)

    pooled = {}
    if "weight" in table.columns:
        pooled["weight"] = total(table["weight"].to_numpy(dtype=float))
    for name in table.columns:
        if name == "weight" or f"{name}_se" not in table.columns:
            continue
        mean = table[name].to_numpy(dtype=float, na_value=np.nan)
        n = np.where(np.isnan(mean), 0.0, table["n"].to_numpy(dtype=float))
        mean = np.nan_to_num(mean)
        se = np.nan_to_num(table[f"{name}_se"].to_numpy(dtype=float, na_value=np.nan))
        size = total(n)
        with np.errstate(divide="ignore", invalid="ignore"):
            pooled_mean = total(n * mean) / size
            squares = total(se**2 * n * (n - 1) + n * (mean - pooled_mean[group]) ** 2)
            pooled_se = np.sqrt(squares / size / (size - 1))
        pooled[name] = pooled_mean
        pooled[f"{name}_se"] = np.where(size > 1, pooled_se, np.nan)
    # One by one, columns take several times as long to join a frame.
    sizes = groups[["n"]].sum().reset_index()
    return pd.concat([sizes, pd.DataFrame(pooled, index=sizes.index)], axis=1)
