"""Exhibits about a sweep of two settings: maps of its headline figures."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.axes import Swept
from loo_sim.report.exhibit import Exhibit, make_exhibit
from loo_sim.report.headlines import Game, Headline, compare, games_table, missing
from loo_sim.report.missing import MARK, name_missing
from loo_sim.report.scale import Scale

LONGEST = 24
"""Signs of a value beside a map."""

_WIDEST = 1.1
"""Inches: most that a square is wide."""

_HEAD, _FOOT = 0.55, 0.85
"""Inches above a map and below it."""

MISSING = style.Square(0, 0, "#ffffff", style.MISSING_INK, MARK, False)
"""What stands in the place of a game without figures."""

_SIGN, _SLOPE = 0.085, 40
"""Inches that a sign of a name is wide; and degrees at which names rise that have no room."""

_HEIGHT = 0.36
"""Inches: a row of a map."""


def draw_columns(
    axis: Swept, rows: int, tall: float, labels: float, squares: Sequence[style.Square]
) -> tuple[Figure, Axes]:
    """A map with a column for each value of an axis; the names of its rows are left to do.

    Parameters
    ----------
    axis : Swept
        Along the columns.
    rows : int
        How many there are.
    tall, labels : float
        Inches that a row is high, and that are kept for the names of rows.
    squares : sequence of Square
        Their texts are left out, but for the crosses, where they would not be legible.
    """
    columns = len(axis.words)
    names = names_of(axis)
    longest = _SIGN * max(map(len, names))
    width = min(_WIDEST, (style.WIDTH - labels) / columns)
    head, slope = _HEAD, 0
    if longest > width:
        slope = _SLOPE
        width = min(_WIDEST, (style.WIDTH - labels - longest * cos(radians(slope))) / columns)
        head += longest * sin(radians(slope))
    figure = style.map_figure(head + tall * rows + _FOOT)
    plane = style.map_axes(figure, (labels, head, width * columns, tall * rows))
    # A sign is about 0.58 of a font's size wide, and there are 72 points to the inch.
    signs = max(len(square.text) for square in squares)
    points = min(8.0, 0.92 * 72 * width / (0.58 * signs))
    if points < style.LEGIBLE:
        squares = [one if one.text == MISSING.text else one._replace(text="") for one in squares]
    style.draw_squares(plane, squares, rows, columns, max(points, style.LEGIBLE))
    plane.set_xticks(
        range(columns),
        names,
        rotation=slope,
        ha="left" if slope else "center",
        rotation_mode="anchor",
    )
    plane.xaxis.tick_top()
    plane.xaxis.set_label_position("top")
    plane.set_xlabel(axis.label)
    return figure, plane


def names_of(axis: Swept) -> list[str]:
    """The values of an axis as they stand beside a figure."""
    return [style.shortened(word, LONGEST) for word in axis.words]


def draw_map(headline: Headline, axes: tuple[Swept, Swept], games: Sequence[Game]) -> Figure:
    """A map of a figure, the first of two axes downwards; a cross where a game is missing."""
    down, along = axes
    values = [game.known.value for game in games]
    scale = Scale.of(values) if headline.of_zero else Scale.rising(values, headline.unit.strip())
    squares = [
        scale.square(row, column, known.value, known.told, headline.of_zero and not known.is_sure)
        if known.is_there
        else MISSING._replace(row=row, column=column)
        for row, column, (_, known) in zip(down.place, along.place, games, strict=True)
    ]
    return draw_plane(down, along, squares, scale)[0]


def draw_plane(
    down: Swept, along: Swept, squares: Sequence[style.Square], scale: Scale
) -> tuple[Figure, Axes]:
    """A map with a row for each value of one axis, a column for each of another, its scale below.

    Parameters
    ----------
    down, along : Swept
        The axes.
    squares : sequence of Square
        Those that are known, or marked as missing.
    scale : Scale
        Of their colours.
    """
    names = names_of(down)
    labels = 0.35 + _SIGN * max(map(len, names))
    figure, plane = draw_columns(along, len(names), _HEIGHT, labels, squares)
    plane.set_yticks(range(len(names)), names)
    plane.set_ylabel(down.label)
    scale.draw(figure, max(labels, 0.75))
    return figure, plane


def map_exhibit(headline: Headline, axes: tuple[Swept, Swept], games: Sequence[Game]) -> Exhibit:
    """A figure over the two axes of a sweep."""
    down, along = sorted(axes, key=lambda axis: len(axis.words))
    full = len(down.words) * len(along.words)
    told = [compare(headline, games), name_missing(missing(games))]
    if len(games) < full:
        told.append("A place left blank is no game of this sweep.")
    if headline.of_zero:
        told.append("Purple: above 0; orange: below; hatched: too close to call against 0.")
    return make_exhibit(
        f"map-{headline.slug}",
        f"{headline.title}, by {down.name} and {along.name}",
        f"A map with a row for each value of {down.name} and a column for each value of "
        f"{along.name}, coloured by the figure; a cross marks a game that has no figures.",
        " ".join(filter(None, told)),
        lambda: draw_map(headline, (down, along), games),
        games_table(headline, [down, along], games),
    )
