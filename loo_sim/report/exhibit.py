"""An exhibit of the report: a figure with its finding, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style


def each(frame: pd.DataFrame) -> Iterable[Any]:
    """The rows of a frame, each with its columns as attributes."""
    return frame.itertuples(index=False)


@dataclass(frozen=True)
class Table:
    """Numbers for reading, already rounded.

    Attributes
    ----------
    caption : str
        What the numbers are, with their units.
    columns : tuple of str
        Heads of the columns.
    rows : tuple of tuple of str
        The first entry of each row is its head.
    words : bool
        Whether entries are words, which stand on the left, and not numbers.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: bool = False


@dataclass(frozen=True)
class Exhibit:
    """A figure.

    Attributes
    ----------
    slug : str
        Unique on the page.
    title : str
        What it shows.
    caption : str
        What is found in it, and how to read it.
    svg : str
        The figure as an SVG element.
    numbers : Table
    draw : callable
        Makes the figure; called under the report's settings.
    """

    slug: str
    title: str
    caption: str
    svg: str
    numbers: Table
    draw: Callable[[], Figure]


def make_exhibit(
    slug: str,
    title: str,
    description: str,
    caption: str,
    draw: Callable[[], Figure],
    numbers: Table,
) -> Exhibit:
    """Draw an exhibit.

    Parameters
    ----------
    slug, title, caption, draw, numbers
        As in `Exhibit`.
    description : str
        How the figure is laid out, for those who cannot see it.
    """
    with style.drawing(slug):
        svg = style.inline_svg(draw(), slug, title, description)
    return Exhibit(slug, title, caption, svg, numbers, draw)
