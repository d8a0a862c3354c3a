"""What alternatives are worth, and by how much one is better, from counts of joint results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
import numpy.typing as npt

from loo_sim.kernels.game import WHOLE_POT
from loo_sim.kernels.given import OUTCOMES
from loo_sim.rounding import FEW_ALIKE
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies.estimates import FEW_DEALS, Z95, estimate, nets_of_results

Counts = npt.NDArray[np.int64]
"""Deals by the result of each of three alternatives in the same deal, shape (6, 6, 6)."""


@dataclass(frozen=True)
class Option:
    """An alternative as it is counted.

    Attributes
    ----------
    name : str
        An announcement, or the card led.
    axis : int or None
        Where its results are in the counts; None if nothing is played.
    pays : bool
        Whether it wins and loses money: neither who folds nor who defends does.
    """

    name: str
    axis: int | None
    pays: bool = True


@dataclass(frozen=True)
class Worth:
    """What an alternative is worth.

    Attributes
    ----------
    name : str
        An announcement, or the card led.
    value, se : float
        Mean net in stakes, and its standard error.
    looed : float
        Chance of being looed.
    tricks : tuple of float or None
        Chances of playing and winning 0, 1, 2 and 3 tricks; None if nothing is played.
    whole_pot : float
        Chance of taking the pot unplayed, since all others fold.
    """

    name: str
    value: float
    se: float
    looed: float
    tricks: tuple[float, ...] | None
    whole_pot: float


@dataclass(frozen=True)
class Verdict:
    """Which alternative to choose.

    Attributes
    ----------
    first, second : str
        The two of the largest values; the second is empty where there is only one alternative.
    margin, margin_se : float
        By how many stakes the first is worth more in the same deals, with its standard error.
    rivals : tuple of str
        Those that the first is not told apart from: its paired 95 % interval includes 0.
    """

    first: str
    second: str
    margin: float
    margin_se: float
    rivals: tuple[str, ...]

    @property
    def best(self) -> str | None:
        """The first, where it is told apart from all others."""
        return None if self.rivals else self.first


@dataclass(frozen=True)
class BreakEven:
    """The pot from which standing pays, in stakes, with its standard error."""

    pot: float
    se: float


def nets(option: Option, pot: int, loo: int) -> Counts:
    """Units that an option takes, by the result of each alternative, shape (6, 6, 6)."""
    units = np.zeros(OUTCOMES, np.int64)
    if option.pays:
        units[: WHOLE_POT + 1] = nets_of_results(pot, loo)
    return spread(units, option.axis or 0)


def spread(by_result: npt.NDArray[np.int64], axis: int) -> Counts:
    """A figure of one alternative's result, by the results of all, shape (6, 6, 6)."""
    shape = [1, 1, 1]
    shape[axis] = OUTCOMES
    return np.broadcast_to(by_result.reshape(shape), (OUTCOMES,) * 3)


def mean_and_error(counts: Counts, units: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Mean of a whole number of units in stakes, and its standard error; NaN if unknown."""
    there = counts > 0
    if not there.any():
        return float("nan"), float("nan")
    mean, se = estimate(counts[there].tolist(), units[there].tolist(), UNITS_PER_STAKE)
    return float(mean), float(se)


def worth_of(counts: Counts, option: Option, pot: int, loo: int) -> Worth:
    """What an option is worth.

    Parameters
    ----------
    counts : int64 (6, 6, 6)
        Deals by results.
    option : Option
        The option.
    pot, loo : int
        Units in the pot, and units that a looed player pays.

    Returns
    -------
    Worth
    """
    if option.axis is None:
        return Worth(option.name, 0.0, 0.0, 0.0, None, 0.0)
    others = tuple(axis for axis in range(counts.ndim) if axis != option.axis)
    results = counts.sum(axis=others)
    n = int(counts.sum())
    shares = [int(result) / n if n else float("nan") for result in results]
    value, se = mean_and_error(counts, nets(option, pot, loo)) if option.pays else (0.0, 0.0)
    return Worth(
        option.name,
        value,
        se,
        shares[0] if option.pays else 0.0,
        tuple(shares[:WHOLE_POT]),
        shares[WHOLE_POT],
    )


def verdict_of(counts: Counts, options: Sequence[Option], pot: int, loo: int) -> Verdict:
    """Compare the option of the largest value with all others, on the same deals.

    Parameters
    ----------
    counts : int64 (6, 6, 6)
        Deals by results, at least one.
    options : sequence of Option
        At least one; of equal values the first comes first.
    pot, loo : int
        Units in the pot, and units that a looed player pays.

    Returns
    -------
    Verdict
    """
    worth = {o.name: worth_of(counts, o, pot, loo).value for o in options}
    first, *others = sorted(options, key=lambda option: -worth[option.name])
    if not others:
        return Verdict(first.name, "", 0.0, 0.0, ())
    ours = nets(first, pot, loo)
    differences = [mean_and_error(counts, ours - nets(o, pot, loo)) for o in others]
    n = int(counts.sum())
    rivals = tuple(
        option.name
        for option, (mean, se) in zip(others, differences, strict=True)
        if not is_told_apart(mean, se, n)
    )
    margin, margin_se = differences[0]
    return Verdict(first.name, others[0].name, margin, margin_se, rivals)


def is_told_apart(mean: float, se: float, n: int) -> bool:
    """Whether a mean difference of n deals is above 0: its 95 % interval is, and can be relied on.

    Of few deals no error can; where all came out alike, of fewer than `FEW_ALIKE`.
    """
    known = n >= FEW_ALIKE if se == 0 else n >= FEW_DEALS and isfinite(se)
    return known and mean > Z95 * se


def break_even_of(counts: Counts, option: Option, pot: int, loo: int) -> BreakEven | None:
    """The pot from which an option pays, if all others go on as they do at this one.

    With the mean share s of the pot that it takes and the chance q of being looed, its value with a
    pot p is ``p s - loo q``, which is 0 at ``p = loo q / s``. The standard error of this ratio is
    that of ``loo q - p s`` over s (the delta method).

    Parameters
    ----------
    counts : int64 (6, 6, 6)
        Deals by results, at least one.
    option : Option
        One that pays.
    pot, loo : int
        Units in the pot, and units that a looed player pays whatever the pot.

    Returns
    -------
    BreakEven or None
        None if it takes nothing in any deal.
    """
    thirds, looed = np.array([0, 1, 2, 3, 3, 0]), np.array([1, 0, 0, 0, 0, 0])
    axis = option.axis or 0
    n = int(counts.sum())
    taken = int((counts * spread(thirds, axis)).sum())
    if not taken:
        return None
    ratio = 3 * loo * int((counts * spread(looed, axis)).sum()) / taken
    others = tuple(other for other in range(counts.ndim) if other != axis)
    results = counts.sum(axis=others)
    off = loo * looed - ratio * thirds / 3
    se = float((results * off**2).sum() / max(n - 1, 1) / n) ** 0.5 / (taken / 3 / n)
    return BreakEven(ratio / UNITS_PER_STAKE, (se if n > 1 else float("nan")) / UNITS_PER_STAKE)
