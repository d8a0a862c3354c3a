"""Writes numbers no more exactly than their standard errors allow."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, floor, isfinite, log, log10

from loo_sim.studies.estimates import Z95

NONE = "–"
"""What stands where there is no number."""

_PLACES_IF_EXACT = 2

FEW_ALIKE = 1000
"""Fewer observations than this that all came out alike do not make a mean known exactly."""

_NOTHING = 1e-12
"""Below it a standard error is one of arithmetic."""


def _decimals(error: float, digits: int) -> int:
    """Decimal places that show `error` to so many significant digits, once it is rounded."""
    places = digits - 1 - floor(log10(error))
    # 0.0996 to two digits is 0.10, which has one place fewer than 0.0996 itself.
    rounded = round(error, places)
    return digits - 1 - floor(log10(rounded)) if rounded else places


def places_of(size: float) -> int:
    """Decimal places that show a size to its second digit; two if there is none."""
    return max(0, 1 - floor(log10(size))) if size > 0 else _PLACES_IF_EXACT


def signed(text: str) -> str:
    """The same number with a minus sign in place of a hyphen, and no minus before zero."""
    if not text.startswith("-"):
        return text
    return f"−{text[1:]}" if text.strip("-0.,% ") else text[1:]


def _known(error: float, n: float) -> float:
    """A standard error; nan if it is 0 only because few observations came out alike.

    What sums in floating point leave of 0 is 0: no error of money that is counted is so small.
    """
    if abs(error) < _NOTHING:
        return float("nan") if n < FEW_ALIKE else 0.0
    return error


def with_error(value: float, error: float, n: float) -> str:
    """A number with the standard error of its last digits: ``1.244(31)``.

    Parameters
    ----------
    value : float
        The estimate.
    error : float
        Its standard error, nan where it is unknown.
    n : float
        Observations that it rests on.

    Returns
    -------
    str
        Rounded to the second digit of the standard error. ``3.00`` if it is 0; ``≈ 3.00`` if it
        is unknown, or 0 on fewer than `FEW_ALIKE` observations; a dash if there is no estimate.

    Examples
    --------
    >>> with_error(1.24383, 0.0312, 5000)
    '1.244(31)'
    """
    error = _known(error, n)
    if not isfinite(value):
        return NONE
    if not isfinite(error):
        return "≈ " + signed(f"{value:,.{_PLACES_IF_EXACT}f}")
    if error == 0:
        return signed(f"{value:,.{_PLACES_IF_EXACT}f}")
    places = _decimals(error, 2)
    if places <= 0:
        return f"{signed(f'{round(value, places):,.0f}')}({round(error, places):.0f})"
    shown = f"{error:.{places}f}" if places == 1 else f"{round(error * 10**places)}"
    return f"{signed(f'{value:,.{places}f}')}({shown})"


def _half_decimals(half: float) -> int:
    """Decimal places that show a half-width to one digit, or to two if it begins with a 1."""
    places = _decimals(half, 1)
    return places + ("1" in (f"{half:e}"[0], f"{round(half, places):e}"[0]))


def interval(value: float, error: float, n: float, unit: str = "") -> str:
    """A number with the half-width of its 95 % interval: ``1.24 ± 0.06``.

    Parameters
    ----------
    value, error, n : float
        The estimate, its standard error and the observations, as for `with_error`.
    unit : str
        Written after both.

    Returns
    -------
    str
        The half-width has one significant digit, or two if it begins with a 1.
    """
    error = _known(error, n)
    if not isfinite(value):
        return NONE
    if not isfinite(error):
        return f"≈ {signed(f'{value:,.{_PLACES_IF_EXACT}f}')}{unit} (error unknown)"
    if error == 0:
        return f"{signed(f'{value:,.{_PLACES_IF_EXACT}f}')}{unit}"
    half = Z95 * error
    places = _half_decimals(half)
    shown_places = max(places, 0)
    shown = signed(f"{round(value, places):,.{shown_places}f}")
    return f"{shown} ± {round(half, places):,.{shown_places}f}{unit}"


def with_ends(value: float, low: float, high: float) -> str:
    """A number with the ends of a 95 % interval that need not be alike: ``6.98 (6.89 to 7.08)``.

    Rounded as in `interval`, by half of its width; without an upper end, to the second digit of the
    lower one. A number that is not there is left out.

    Examples
    --------
    >>> with_ends(6.9834, 6.8872, 7.0811)
    '6.98 (6.89 to 7.08)'
    >>> with_ends(26.3, 9.87, float("inf"))
    '26.3 (9.9 or more)'
    """
    if not isfinite(low):
        return NONE
    if not isfinite(high):
        # Of an interval without an end, the other end's size says how much is known.
        places = _decimals(low, 2) if low > 0 else 1
        shown = max(places, 0)
        least = f"{round(low, places):,.{shown}f} or more"
        return f"{round(value, places):,.{shown}f} ({least})" if isfinite(value) else least
    places = _half_decimals((high - low) / 2) if high > low else _PLACES_IF_EXACT
    shown = max(places, 0)
    middle, least, most = (signed(f"{round(one, places):,.{shown}f}") for one in (value, low, high))
    return f"{middle} ({least} to {most})"


def percent_interval(share: float, n: float) -> str:
    """A share of `n` deals as a percentage with its 95 % interval: ``12.3 ± 0.4 %``.

    Where no deal or every deal is one, the bound of `_one_sided` in words.
    """
    bound = _one_sided(share, n).replace("<", "less than").replace(">", "more than")
    return bound or interval(100 * share, 100 * share_error(share, n), n, " %")


def table_percent(share: float, error: float, tables: float) -> str:
    """A share of the deals of so many tables as a percentage with its 95 % interval.

    Its `error` is taken over tables. Where no deal or every deal is one, the bound of
    `percent_interval`, as if each table gave one observation.
    """
    if share in (0.0, 1.0):
        return percent_interval(share, tables)
    return interval(100 * share, 100 * error, tables, " %")


def _one_sided(share: float, n: float) -> str:
    """The 95 % bound of a share that is 0 or 1 of `n` observations.

    Empty for other shares, a dash without observations.

    With none of n, a share p has the chance ``(1 - p)^n`` of staying unseen, which is 5 % at
    ``p = 1 - 0.05^(1/n)``, about 3/n (the rule of three). With all of n it is the same from above.
    """
    if n <= 0:
        return NONE
    # Shares that were added up may miss 0 or 1 by less than half an observation.
    if not min(share, 1 - share) * n < 0.5:
        return ""
    bound = -100 * expm1(log(0.05) / n)
    places = max(_decimals(bound, 2), 0)
    return f"< {bound:.{places}f} %" if share < 0.5 else f"> {100 - bound:.{places}f} %"


def percent_in_words(share: float) -> str:
    """A share as a whole percentage for prose, never 0 or 100 % unless it is that exactly.

    Examples
    --------
    >>> percent_in_words(0.002)
    'under 1 %'
    """
    if 0 < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def percent_with_error(share: float, n: float) -> str:
    """A share of `n` deals as a percentage with the error of its last digits: ``12.34(21) %``.

    Where no deal or every deal is one, a bound as in `percent_interval`.
    """
    text = _one_sided(share, n) or with_error(100 * share, 100 * share_error(share, n), n)
    return text if text == NONE or text.endswith("%") else f"{text} %"


def share_error(share: float, n: float) -> float:
    """Standard error of a share of `n` independent deals: ``sqrt(p (1 - p) / n)``; nan if none."""
    return (max(share * (1 - share), 0.0) / n) ** 0.5 if n > 0 else float("nan")


def rough(value: float) -> str:
    """A number of stakes or deals whose error is not known, to three digits and one place.

    Examples
    --------
    >>> rough(-26.0714)
    '−26.1'
    >>> rough(12345.6)
    '12,300'
    """
    if not isfinite(value):
        return NONE
    places = min(1, _decimals(abs(value), 3)) if value else 0
    return signed(f"{round(value, places):,.{max(places, 0)}f}".removesuffix(".0"))


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Parts as a list in prose: ``a, b and c``."""
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def stakes(value: float, signs: bool = False) -> str:
    """A number of stakes that a person set, without needless places: ``3``, ``4.5``."""
    return signed(f"{value:{'+' if signs else ''},.4g}")
