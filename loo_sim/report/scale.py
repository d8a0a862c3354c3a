"""Scales of colours for maps: diverging about 0 for gains and losses, or rising."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import floor, log10

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from loo_sim.report import style
from loo_sim.rounding import signed

_ENDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5)
_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10)
"""Stakes at which a scale may end: small ones, and of larger ones the leading digits."""


def _end(extent: float) -> float:
    """The nearest end of a scale that holds values as large as `extent`."""
    power = 10.0 ** max(0, floor(log10(max(extent, 1))))
    return next(end for end in (*_ENDS, *(power * step for step in _STEPS)) if end >= extent)


@dataclass(frozen=True)
class Scale:
    """Ten steps from the worst to the best, alike on both sides of 0, and one beyond each end.

    Attributes
    ----------
    bounds : ndarray of float64
        Where the steps begin and end: 11 for the ten steps about 0.
    colours : str
        Matplotlib's name of the colours.
    unit : str
        Of the bounds.
    """

    bounds: npt.NDArray[np.float64]
    colours: str = style.DIVERGING
    unit: str = "stakes"

    @classmethod
    def of(cls, values: Iterable[float]) -> Scale:
        """The scale on which all but a twentieth of some values lie."""
        sizes = np.abs(np.array(list(values), dtype=np.float64))
        known = sizes[np.isfinite(sizes)]
        extent = float(np.quantile(known, 0.95)) if len(known) else 1.0
        most = _end(extent)
        return cls(np.linspace(-most, most, 11))

    @classmethod
    def rising(cls, values: Iterable[float], unit: str) -> Scale:
        """A scale of about ten even steps on which all of some values lie, from low to high."""
        known = [value for value in values if np.isfinite(value)] or [0.0]
        # Wider than the values, so that the ends, kept for what lies beyond, stay free.
        bounds = MaxNLocator(9).tick_values(min(known), max(known))
        return cls(np.asarray(bounds, dtype=np.float64), style.SEQUENTIAL, unit)

    @cached_property
    def _mappable(self) -> ScalarMappable:
        colours = colormaps[self.colours].resampled(len(self.bounds) + 1)
        return ScalarMappable(BoundaryNorm(self.bounds, colours.N, extend="both"), colours)

    def colour(self, value: float) -> tuple[float, float, float, float]:
        """The colour of a value: red, green, blue and opacity, from 0 to 1."""
        red, green, blue, opacity = self._mappable.to_rgba(np.array([value]))[0]
        return red, green, blue, opacity

    def square(self, row: int, column: int, value: float, text: str, noise: bool) -> style.Square:
        """A square of a map in the colour of a value, its text in an ink that stands out on it."""
        colour = self.colour(value)
        return style.Square(row, column, to_hex(colour), style.ink_on(colour), text, noise)

    def draw(self, figure: Figure, left: float) -> None:
        """Draw the scale at the foot of a figure for maps, from `left` inches on."""
        height = figure.get_size_inches()[1]
        axes = style.map_axes(figure, (left, height - 0.42, style.WIDTH - left, 0.1))
        bar = figure.colorbar(self._mappable, cax=axes, orientation="horizontal", extendfrac="auto")
        bar.outline.set_visible(False)
        plus = "+" if self.colours == style.DIVERGING else ""
        names = [signed(f"{step:{plus}g}") if step else "0" for step in self.bounds.round(6)]
        bar.set_ticks(list(self.bounds), labels=names)
        bar.ax.tick_params(length=0, labelsize=8)
        middle = 1 - (height - 0.37) / height
        figure.text(
            (left - 0.08) / style.WIDTH, middle, self.unit, fontsize=8, ha="right", va="center"
        )
