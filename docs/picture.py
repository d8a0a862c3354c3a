"""Draws the pictures of the README, two figures of the sample report, from its result."""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure

from loo_sim.report import miss, strategy, style
from loo_sim.report.hands import GRIDS
from loo_sim.report.provenance import policies_in_words
from loo_sim.report.result import Cell, read_result

TRUMPS = 1
"""The grid that shows all three announcements of the first seat side by side."""

PIXELS = 1200
DOCS = Path(__file__).parent


def main(directory: Path) -> None:
    """Draw docs/miss_value.png and docs/miss_map.png out of a result directory."""
    (game,) = read_result(directory).having("announce")
    kinds = strategy.matrix(game, strategy.spot_at(game, 0, 0))
    path = DOCS / "miss_value.png"
    with style.drawing(path.stem):
        figure = strategy.draw_grid(kinds[kinds["trumps"] == TRUMPS], TRUMPS, game.deck)
        title = f"First of {game.players} to speak, with {GRIDS[TRUMPS]}: what pays best?"
        key = "S stand, M miss, F fold, and by how many stakes; hatched: too close to call."
        _save(figure, path, title, key, game)
    path = DOCS / "miss_map.png"
    with style.drawing(path.stem):
        figure = miss.draw_miss_map(miss.miss_map(game), game.players)
        title = f"When is the miss worth taking, with {game.players} players?"
        key = "Stakes gained by the miss; D is the dealer; hatched: too close to call."
        _save(figure, path, title, key, game)


def _save(figure: Figure, path: Path, title: str, key: str, game: Cell) -> None:
    """Write a figure with its title, its key and the game it is of above it."""
    inches = figure.get_size_inches()[1]
    played = f"{game.deals:,} deals; {policies_in_words(game)}."
    figure.text(0, 1 + 0.24 / inches, title, fontsize=11, weight="bold")
    figure.text(0, 1 + 0.06 / inches, f"{key} {played}", fontsize=8)
    figure.savefig(
        path,
        dpi=PIXELS / style.WIDTH,
        bbox_inches="tight",
        pad_inches=0.06,
        metadata={"Software": None},
        pil_kwargs={"optimize": True},
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
