"""The look of the figures: colours, letters, and SVG that can stand inside a page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Transform

WIDTH = 6.4
"""Inches: every figure is as wide as the text of an A4 page, and legible on a phone."""


class ActionStyle(NamedTuple):
    """How an announcement is shown."""

    letter: str
    colour: str
    ink: str


ACTIONS = {
    "stand": ActionStyle("S", "#004488", "#ffffff"),
    "miss": ActionStyle("M", "#ddaa33", "#000000"),
    "defend": ActionStyle("D", "#bb5566", "#ffffff"),
    "fold": ActionStyle("F", "#e6e6e6", "#000000"),
}
"""Announcements; the colours stay apart under colour blindness and in grey."""

LINES = (
    ("#0072b2", "o", "-"),
    ("#d55e00", "s", "--"),
    ("#009e73", "^", "-."),
    ("#cc79a7", "D", ":"),
    ("#e69f00", "v", (0, (5, 1))),
    ("#56b4e9", "P", (0, (3, 1, 1, 1))),
    ("#000000", "X", (0, (1, 1))),
)
"""Okabe and Ito's colours, each with its marker and dash."""

DIVERGING = "PuOr"
SEQUENTIAL = "cividis"
INK = "#222222"
QUIET = "#767676"
MISSING_INK = "#a33c00"
HATCH = "////"
_STROKES = 0.083
"""Inches from one line through a square to the next, along its foot."""

LEGIBLE = 5.0
"""Points: numbers of a map that would be smaller are left to the table."""

_CROSS: Any = {
    "marker": "x",
    "markersize": 8,
    "markeredgewidth": 1.8,
    "linestyle": "none",
    "color": MISSING_INK,
}

_SETTINGS: Any = {
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    # Names come from files: a dollar sign in one must not start a formula.
    "text.parse_math": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.labelcolor": INK,
    "axes.edgecolor": QUIET,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "hatch.linewidth": 0.7,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
}


@contextmanager
def drawing(slug: str) -> Iterator[None]:
    """Settings under which the figure `slug` is made and written."""
    with mpl.rc_context({**_SETTINGS, "svg.hashsalt": slug}):
        yield


def shortened(name: str, most: int) -> str:
    """A name for a figure, cut to `most` signs where it would leave no room for the chart."""
    return name if len(name) <= most else name[: most - 1] + "…"


def new_figure(height: float) -> Figure:
    """An empty figure, `height` inches high, whose parts are laid out to fit."""
    return Figure(figsize=(WIDTH, height), layout="constrained")


def map_figure(height: float) -> Figure:
    """An empty figure for maps, whose parts are placed by `map_axes`.

    It has no layout engine: to lay out a thousand labels takes longer than to draw them.
    """
    return Figure(figsize=(WIDTH, height))


def map_axes(figure: Figure, box: tuple[float, float, float, float]) -> Axes:
    """Axes for a map at a place in a figure, without frame and ticks.

    Parameters
    ----------
    figure : Figure
        From `map_figure`.
    box : tuple of float
        Left, top, width and height in inches, from the figure's upper left corner.
    """
    left, top, width, height = box
    across, down = figure.get_size_inches()
    axes = figure.add_axes(
        (left / across, 1 - (top + height) / down, width / across, height / down)
    )
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return axes


class Square(NamedTuple):
    """A square of a map.

    Attributes
    ----------
    row, column : float
        Place; row 0 is on top.
    colour, ink : str
        Of the square and of its text.
    text : str
        Empty for none.
    noise : bool
        Whether it is hatched.
    columns : float
        How many it covers, `column` being the first; less than 1 for a part of a square.
    """

    row: float
    column: float
    colour: str
    ink: str
    text: str
    noise: bool
    columns: float = 1

    @property
    def middle(self) -> float:
        """The column that its text stands in: not between two, where a line may part them."""
        if self.columns < 1:
            return self.column + (self.columns - 1) / 2
        return self.column + (self.columns - 1) // 2


def ink_on(colour: Sequence[float]) -> str:
    """Black or white, whichever stands out more on a colour (WCAG 2 relative luminance)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#ffffff" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "#000000"


class _Labels(Artist):
    """The texts of a map's squares, written straight into an SVG, or drawn into a picture.

    A page holds thousands of them, and matplotlib's own texts, each laid out by itself, would take
    most of the time that a report takes.
    """

    def __init__(self, squares: Sequence[Square], size: float) -> None:
        super().__init__()
        self._squares, self._size = squares, size
        self.set_zorder(3)

    def draw(self, renderer: Any) -> None:
        """Write the texts, those of one colour together."""
        writer = getattr(renderer, "writer", None)
        if writer is None:
            self._draw_pixels(renderer)
            return
        for ink in sorted({square.ink for square in self._squares}):
            chosen = [square for square in self._squares if square.ink == ink]
            places = self.get_transform().transform([(s.middle, s.row) for s in chosen])
            style = f"font-size: {self._size:.2f}px; text-anchor: middle; fill: {ink}"
            writer.start("g", attrib={"style": style})
            for square, (x, y) in zip(chosen, places, strict=True):
                # Figures are about 0.7 of the font's size high, and y counts from below.
                baseline = renderer.height - y + 0.35 * self._size
                writer.element(
                    "text", square.text, attrib={"x": f"{x:.1f}", "y": f"{baseline:.1f}"}
                )
            writer.end("g")

    def _draw_pixels(self, renderer: Any) -> None:
        for square in self._squares:
            text = Text(
                square.middle,
                square.row,
                square.text,
                color=square.ink,
                fontsize=self._size,
                ha="center",
                va="center_baseline",
                transform=self.get_transform(),
                figure=self.get_figure(root=True),
            )
            text.draw(renderer)


def draw_squares(
    axes: Axes, squares: Sequence[Square], rows: float, columns: float, size: float
) -> None:
    """Draw the `squares` of a map of so many `rows` and `columns`, texts `size` points high.

    Parts of squares have lines above and below alone: nothing parts them from each other.
    """

    def corners(square: Square) -> list[tuple[float, float]]:
        left, top = square.column - 0.5, square.row - 0.5
        right = left + square.columns
        return [(left, top), (right, top), (right, top + 1), (left, top + 1)]

    fills = PolyCollection(
        [corners(square) for square in squares],
        facecolors=[square.colour for square in squares],
        edgecolors=["white" if square.columns >= 1 else "none" for square in squares],
        linewidths=0.8,
    )
    axes.add_collection(fills, autolim=False)
    parts = [corners(square) for square in squares if square.columns < 1]
    if parts:
        ends = [line for part in parts for line in (part[:2], part[2:])]
        axes.add_collection(LineCollection(ends, colors="white", linewidths=0.8), autolim=False)
    _draw_hatches(axes, squares, rows, columns)
    write_texts(axes, squares, size)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)


def _draw_hatches(axes: Axes, squares: Sequence[Square], rows: float, columns: float) -> None:
    """Strike the squares that are noise through with lines, rising at 45 degrees.

    They are lines, not a pattern that fills the squares: in print each square filled with one would
    hold a picture of its own, and a report would be a hundred megabytes large.
    """
    # Figures for maps have no layout engine: the axes are where they will be drawn.
    box = axes.get_window_extent()
    wide, tall = (size / axes.figure.dpi for size in (box.width / columns, box.height / rows))
    strokes = []
    for square in squares:
        if not square.noise:
            continue
        left, bottom, width = square.column - 0.5, square.row + 0.5, square.columns * wide
        # Inches from the lower left corner: a line has x - y = offset.
        for offset in np.arange(_STROKES / 2 - tall, width, _STROKES):
            ends = max(offset, 0.0), min(width, tall + offset)
            strokes.append([(left + x / wide, bottom - (x - offset) / tall) for x in ends])
    if not strokes:
        return
    path = Path(np.array(strokes).reshape(-1, 2), [Path.MOVETO, Path.LINETO] * len(strokes))
    # Not as a patch: matplotlib would look for the ends of each line, to fit the axes to them.
    axes.add_artist(PathPatch(path, fill=False, edgecolor="#8c8c8c", linewidth=0.7, zorder=2))


def write_texts(axes: Axes, squares: Sequence[Square], size: float) -> None:
    """Write the texts of `squares` alone, `size` points high."""
    axes.add_artist(_Labels([square for square in squares if square.text], size))


def draw_missing(axes: Axes, x: float, y: float, transform: Transform) -> None:
    """Draw a cross in the place of a figure that is not there, in the units of a `transform`."""
    axes.plot(x, y, transform=transform, **_CROSS)


def name_missing_line(axes: Axes, label: str) -> Artist:
    """What stands for a line that is not there in the legend: a cross and its name."""
    return axes.plot([], [], label=label, **_CROSS)[0]


class Line(NamedTuple):
    """A line of a chart by seats.

    Attributes
    ----------
    label : str
    to_speak : ndarray of float
        Players still to speak after each seat.
    value, half : ndarray of float
        Values, and half-widths of their 95 % intervals; of a line that is not there all are empty.
    """

    label: str
    to_speak: npt.NDArray[np.float64]
    value: npt.NDArray[np.float64]
    half: npt.NDArray[np.float64]

    @classmethod
    def missing(cls, label: str) -> Line:
        """A line that is not there."""
        return cls(label, *[np.array([])] * 3)


def draw_lines(lines: Sequence[Line], what: str) -> Figure:
    """A chart by seats, the dealer on the right, `what` upwards; a panel for each six lines.

    Seats have their numbers if all games have as many; else those still to speak are counted.

    A line that is not there has a cross in the legend.
    """
    each = len(LINES) - 1
    panels = [lines[i : i + each] for i in range(0, len(lines), each)]
    longest = max(len(line.label) for line in lines)
    abreast = max(1, min(each, 80 // (longest + 8)))
    heads = sum(-(-len(members) // abreast) for members in panels) if len(lines) > 1 else 0
    figure = new_figure(0.5 + 2.7 * len(panels) + 0.2 * heads)
    grid = figure.subplots(len(panels), 1, squeeze=False, sharex=True, sharey=True)[:, 0]
    for axes, members in zip(grid, panels, strict=True):
        axes.axhline(0, color=QUIET, linewidth=0.8)
        axes.grid(axis="y")
        named: list[Any] = []
        for line, (colour, marker, dash) in zip(members, LINES, strict=False):
            if not len(line.value):
                named.append(name_missing_line(axes, line.label))
                continue
            drawn = axes.errorbar(
                -line.to_speak,
                line.value,
                yerr=line.half,
                color=colour,
                marker=marker,
                linestyle=dash,
                markersize=5,
                linewidth=1.2,
                capsize=2,
                label=line.label,
            )
            named.append(drawn)
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−"))
        axes.set_ylabel(what)
        if len(lines) > 1:
            # Above the axes, where it hides no line.
            axes.legend(
                handles=named,
                loc="lower left",
                bbox_to_anchor=(0, 1),
                ncols=abreast,
                borderaxespad=0.2,
            )
    sizes = {int(line.to_speak.max()) for line in lines if len(line.value)}
    most = max(sizes, default=0)
    if len(sizes) == 1:
        names = [*map(str, range(most)), "dealer"]
        grid[-1].set_xlabel("seat, in the order of speaking")
    else:
        names = [*map(str, range(most, 0, -1)), "0\ndealer"]
        grid[-1].set_xlabel("players still to speak")
    grid[-1].set_xticks(range(-most, 1), names)
    return figure


def inline_svg(figure: Figure, slug: str, title: str, description: str) -> str:
    """Write a figure as an SVG element that can stand in a page with others.

    Parameters
    ----------
    figure : Figure
        Made under `drawing`.
    slug : str
        Short name of the figure, unique on the page; prefixes every id.
    title, description : str
        Plain text for those who cannot see it.

    Returns
    -------
    str
        The element, the same for the same figure; it names no address and needs no font.
    """
    buffer = io.StringIO()
    figure.savefig(
        buffer,
        format="svg",
        metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
    )
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>|<style.*?</style>", "", text, flags=re.S)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"| version="1\.1"', "", text)
    text = text.replace("xlink:href=", "href=")
    text = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", text)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)
    used = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    text = re.sub(
        r' id="([^"]+)"',
        lambda found: f' id="{slug}-{found[1]}"' if found[1] in used else "",
        text,
    )
    text = re.sub(r'href="#', f'href="#{slug}-', text)
    text = re.sub(r"url\(#", f"url(#{slug}-", text)
    text = re.sub(r"\s*\n\s*", " ", text)
    text = re.sub(r"<defs>\s*</defs>", "", text)
    text = re.sub(r' width="[\d.]+pt" height="[\d.]+pt"', "", text, count=1)
    head = (
        f'<title id="{slug}-title">{escape(title)}</title>'
        f'<desc id="{slug}-desc">{escape(description)}</desc>'
    )
    return re.sub(r"^<svg([^>]*)>", lambda found: f"<svg{found[1]}>{head}", text, count=1).strip()
