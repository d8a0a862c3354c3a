"""The difference of two estimates: its error where deals are shared, its p-value, Holm's step."""

from __future__ import annotations

from math import erfc, sqrt

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def error_of_difference(a_se: Floats, b_se: Floats, correlation: float) -> Floats:
    """Standard error of B - A.

    ``sqrt(a_se^2 + b_se^2 - 2 r a_se b_se)``: the variance of a difference, r being the correlation
    of the two estimates. With r = 0 the usual formula of independent samples.

    Parameters
    ----------
    a_se, b_se : ndarray of float64
        Standard errors of the two.
    correlation : float
        From -1 to 1. The least that it can be gives an upper bound of the error.
    """
    squares = a_se**2 + b_se**2 - 2 * correlation * a_se * b_se
    return np.sqrt(np.maximum(squares, 0.0))


def most_correlation(a_deals: int, b_deals: int) -> float:
    """How far from 0 the correlation of two means can be, the shorter run's deals being in both.

    Let A be a mean over n deals and B one over N >= n deals, the n among them, and let a single
    deal's two values have correlation c. Then ``cov(A, B) = c s_a s_b / N``, so that the means have
    the correlation ``c sqrt(n / N)``: from ``-sqrt(n / N)`` to ``sqrt(n / N)``. The same holds,
    for many deals, for means over those deals in which something came up, which are quotients of
    two such means.
    """
    return sqrt(min(a_deals, b_deals) / max(a_deals, b_deals))


def two_sided_p(difference: Floats, se: Floats) -> Floats:
    """The chance of a difference at least as large if there were none (normal).

    Returns
    -------
    ndarray of float64
        1 where the difference is exactly 0; 0 where it is not and its error is; NaN where either is
        not known.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.where(difference == 0, 0.0, np.abs(difference) / se)
    deviation = np.where(np.isnan(se), np.nan, deviation)
    tail = np.frompyfunc(lambda z: erfc(z / sqrt(2)), 1, 1)(deviation)
    return np.asarray(tail, dtype=np.float64)


def holm(p: Floats) -> Floats:
    """Adjust p-values for their number.

    Whoever calls all those below 0.05 different is wrong about any of them with a chance of at most
    5 %, however they depend on each other (S. Holm 1979, *Scandinavian Journal of Statistics* 6,
    65-70).

    Parameters
    ----------
    p : ndarray of float64, shape (comparisons,)
        None of them NaN.

    Returns
    -------
    ndarray of float64, shape (comparisons,)
        For the i-th smallest of m, from 1: the largest of ``(m - j + 1) p_j`` for j up to i, at
        most 1.
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted
