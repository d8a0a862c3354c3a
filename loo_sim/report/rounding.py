"""Writes numbers no more exactly than their standard errors allow."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log10

Z95 = 1.959963984540054
"""Half-width of a 95 % interval in standard errors (normal)."""

NONE = "–"
"""What stands where there is no number."""

_PLACES_IF_EXACT = 2


def _decimals(error: float, digits: int) -> int:
    """Decimal places that show `error` to so many significant digits, once it is rounded."""
    places = digits - 1 - floor(log10(error))
    # 0.0996 to two digits is 0.10, which has one place fewer than 0.0996 itself.
    rounded = round(error, places)
    return digits - 1 - floor(log10(rounded)) if rounded else places


def signed(text: str) -> str:
    """The same number with a minus sign in place of a hyphen, and no minus before zero."""
    if not text.startswith("-"):
        return text
    return f"−{text[1:]}" if text.strip("-0.,% ") else text[1:]


def with_error(value: float, error: float) -> str:
    """A number with the standard error of its last digits: ``1.244(31)``.

    Parameters
    ----------
    value : float
        The estimate.
    error : float
        Its standard error; 0 for a value known exactly, nan where it is unknown.

    Returns
    -------
    str
        Rounded to the second digit of the standard error. ``3.00`` if it is 0; ``≈ 3.00`` if it
        is unknown; a dash if there is no estimate.

    Examples
    --------
    >>> with_error(1.24383, 0.0312)
    '1.244(31)'
    """
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


def interval(value: float, error: float, unit: str = "") -> str:
    """A number with the half-width of its 95 % interval: ``1.24 ± 0.06``.

    Parameters
    ----------
    value, error : float
        The estimate and its standard error, as for `with_error`.
    unit : str
        Written after both.

    Returns
    -------
    str
        The half-width has one significant digit, or two if it begins with a 1.
    """
    if not isfinite(value):
        return NONE
    if not isfinite(error):
        return f"≈ {signed(f'{value:,.{_PLACES_IF_EXACT}f}')}{unit} (error unknown)"
    if error == 0:
        return f"{signed(f'{value:,.{_PLACES_IF_EXACT}f}')}{unit}"
    half = Z95 * error
    places = _decimals(half, 1)
    if "1" in (f"{half:e}"[0], f"{round(half, places):e}"[0]):
        places += 1
    shown_places = max(places, 0)
    shown = signed(f"{round(value, places):,.{shown_places}f}")
    return f"{shown} ± {round(half, places):,.{shown_places}f}{unit}"


def percent_interval(share: float, error: float) -> str:
    """A share as a percentage with the half-width of its 95 % interval: ``12.3 ± 0.4 %``."""
    return interval(100 * share, 100 * error, " %")


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


def percent_with_error(share: float, error: float) -> str:
    """A share as a percentage with the standard error of its last digits: ``12.34(21) %``."""
    text = with_error(100 * share, 100 * error)
    return text if text == NONE else f"{text} %"


def share_error(share: float, n: float) -> float:
    """Standard error of a share of `n` independent deals: ``sqrt(p (1 - p) / n)``; nan if none."""
    return (max(share * (1 - share), 0.0) / n) ** 0.5 if n > 0 else float("nan")


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Parts as a list in prose: ``a, b and c``."""
    return f" {word} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def stakes(value: float, signs: bool = False) -> str:
    """A number of stakes that a person set, without needless places: ``3``, ``4.5``."""
    return signed(f"{value:{'+' if signs else ''},.4g}")
