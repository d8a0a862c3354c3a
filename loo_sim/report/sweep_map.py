"""Exhibits about a sweep of two settings: maps of its headline figures."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.axes import Swept, name_missing, why_missing
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.headlines import Game, Headline, compare, missing
from loo_sim.report.scale import Scale
from loo_sim.rounding import NONE

LONGEST = 24
"""Signs of a value beside a map."""

LEGIBLE = 5.0
"""Points: numbers that would be smaller are left to the table."""

WIDEST = 1.1
"""Inches: most that a square is wide."""

HEAD, FOOT = 0.55, 0.85
"""Inches above a map and below it."""

MISSING = style.Square(0, 0, "#ffffff", "#a33c00", "×", False)
"""What stands in the place of a game without figures."""

_HEIGHT = 0.36
"""Inches: a row of a map."""


def points_for(signs: int, width: float) -> float:
    """How high text of so many signs may be in a square so many inches wide, points."""
    # A sign is about 0.58 of a font's size wide, and there are 72 points to the inch.
    return min(8.0, 0.92 * 72 * width / (0.58 * signs))


def draw_map(headline: Headline, axes: tuple[Swept, Swept], games: Sequence[Game]) -> Figure:
    """A map of a figure, the first of two axes downwards; a cross where a game is missing."""
    down, along = axes
    values = [game.known.value for game in games]
    scale = Scale.of(values) if headline.of_zero else Scale.rising(values, headline.unit.strip())
    longest = max(len(style.shortened(word, LONGEST)) for word in down.words)
    labels = 0.35 + 0.085 * longest
    width = min(WIDEST, (style.WIDTH - labels) / len(along.words))
    figure = style.map_figure(HEAD + _HEIGHT * len(down.words) + FOOT)
    place = (labels, HEAD, width * len(along.words), _HEIGHT * len(down.words))
    plane = style.map_axes(figure, place)
    texts = [known.told for _, known in games]
    points = points_for(max(map(len, texts)), width)
    squares = []
    for row, column, game, text in zip(down.place, along.place, games, texts, strict=True):
        known = game.known
        if not known.is_there:
            squares.append(MISSING._replace(row=row, column=column))
            continue
        colour = scale.colour(known.value)
        noise = headline.of_zero and not known.is_sure
        shown = text if points >= LEGIBLE else ""
        squares.append(
            style.Square(row, column, to_hex(colour), style.ink_on(colour), shown, noise)
        )
    style.draw_squares(plane, squares, len(down.words), len(along.words), max(points, LEGIBLE))
    for axis, set_ticks in ((down, plane.set_yticks), (along, plane.set_xticks)):
        names = [style.shortened(word, LONGEST) for word in axis.words]
        set_ticks(range(len(names)), names)
    plane.xaxis.tick_top()
    plane.xaxis.set_label_position("top")
    plane.set_xlabel(along.label)
    plane.set_ylabel(down.label)
    scale.draw(figure, max(labels, 0.75))
    return figure


def map_exhibit(headline: Headline, axes: tuple[Swept, Swept], games: Sequence[Game]) -> Exhibit:
    """A figure over the two axes of a sweep."""
    down, along = sorted(axes, key=lambda axis: len(axis.words))
    rows = [
        (down.words[row], along.words[column])
        + (
            (f"{game.known.n:,.0f}", game.known.told)
            if game.known.is_there
            else (NONE, why_missing(game.cell))
        )
        for row, column, game in zip(down.place, along.place, games, strict=True)
    ]
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
        Table(
            f"{headline.title}, {headline.unit.strip()} (standard error of the last digits in "
            "brackets)",
            (down.name, along.name, "n", headline.unit.strip()),
            tuple(rows),
        ),
    )
