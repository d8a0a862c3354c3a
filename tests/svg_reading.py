"""Reads places of marks back from an SVG, in the units of its axes."""

from __future__ import annotations

import re
from collections import defaultdict


def intervals(svg: str, colour: str) -> dict[float, tuple[float, float, float]]:
    """The error bars of a colour: the ends of each bar and its mark, by height from above.

    All in the SVG's own units; a height at which there are not three marks is left out.
    """
    at: dict[float, list[float]] = defaultdict(list)
    for x, y, style in re.findall(
        r'<use href="[^"]*" x="([^"]*)" y="([^"]*)" style="([^"]*)"', svg
    ):
        if f"fill: {colour}" in style and "opacity" not in style:
            at[float(y)].append(float(x))
    return {
        y: (places[0], places[1], places[2])
        for y, found in sorted(at.items())
        if len(places := sorted(found)) == 3
    }


def scale(svg: str, top: float = 0.0) -> list[tuple[float, float]]:
    """The ticks of the first horizontal axis below `top`: their numbers and places.

    Numbers are read off their labels, per cents as parts of 1.
    """
    rows: dict[float, list[tuple[float, float]]] = defaultdict(list)
    for x, y, label in re.findall(
        r'<text style="[^"]*text-anchor: middle[^"]*" x="([^"]*)" y="([^"]*)">([^<]*)</text>', svg
    ):
        if float(y) > top and re.fullmatch(r"−?[\d.]+( %)?", label):
            number = float(label.removesuffix(" %").replace("−", "-"))
            rows[float(y)].append((number / (100 if "%" in label else 1), float(x)))
    return sorted(rows[min(rows)])


def at(place: float, ticks: list[tuple[float, float]]) -> float:
    """What a place stands for on an axis with such ticks, which lie evenly."""
    (low, left), (high, right) = ticks[0], ticks[-1]
    return low + (place - left) * (high - low) / (right - left)
