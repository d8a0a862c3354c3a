"""What a sweep shows of its settings: along one, over two, of several."""

from __future__ import annotations

from collections.abc import Sequence

from loo_sim.report.along import along_exhibit, seats_exhibit
from loo_sim.report.axes import swept_axes
from loo_sim.report.exhibit import Exhibit
from loo_sim.report.headlines import games_of, headlines_of
from loo_sim.report.result import Cell
from loo_sim.report.seats import has_seats
from loo_sim.report.sweep_map import map_exhibit
from loo_sim.report.tornado import tornado_exhibit

SHARED = (
    "All games are played on the same deals as far as they go, and compared on them, piece by "
    "piece of the work: luck that they have in common leaves their difference. Where a figure was "
    "not followed so, its difference is given the widest interval that any correlation allows, "
    "with the sum of both errors."
)
"""How the error of a difference is found, as the page says it."""


def shows_each_game(cells: Sequence[Cell]) -> bool:
    """Whether `exhibits` has each game in its place; else only means over many are shown."""
    return len(swept_axes(cells)) in (1, 2)


def exhibits(cells: list[Cell]) -> list[Exhibit]:
    """All that is shown of a sweep; nothing if only one game was played, or none has figures."""
    axes = swept_axes(cells)
    if not axes:
        return []
    made = []
    for headline in headlines_of(cells):
        games = games_of(cells, headline)
        if len(axes) == 1:
            made.append(along_exhibit(headline, axes[0], games))
        if len(axes) == 2:
            made.append(map_exhibit(headline, (axes[0], axes[1]), games))
        if len(axes) > 1:
            made.append(tornado_exhibit(headline, axes, games))
    if len(axes) == 1 and not cells[0].rounds and any(map(has_seats, cells)):
        made.append(seats_exhibit(axes[0], cells))
    return made
