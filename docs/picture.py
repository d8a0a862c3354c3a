"""Draws the picture of the README, docs/miss_value.png, from a result of miss_value.toml."""

from __future__ import annotations

import sys
from pathlib import Path

from loo_sim.report import strategy, style
from loo_sim.report.hands import GRIDS
from loo_sim.report.provenance import policies_in_words
from loo_sim.report.result import read_result

PLAYERS, TRUMPS = 5, 1
"""The game and the grid that show all three announcements of the first seat side by side."""

PIXELS = 1200
PICTURE = Path(__file__).parent / "miss_value.png"


def main(directory: Path) -> None:
    """Draw the strategy matrix of the first to speak out of a result directory."""
    cells = read_result(directory).having("announce")
    game = next(cell for cell in cells if cell.players == PLAYERS)
    kinds = strategy.matrix(game, strategy.spot_at(game, 0, 0))
    with style.drawing(PICTURE.stem):
        figure = strategy.draw_grid(kinds[kinds["trumps"] == TRUMPS], TRUMPS, game.deck)
        figure.text(
            0,
            1.06,
            f"First of {game.players} to speak, with {GRIDS[TRUMPS]}: what pays best?",
            fontsize=11,
            weight="bold",
        )
        figure.text(
            0,
            1.0,
            "S stand, M miss, F fold, and by how many stakes; hatched: too close to call. "
            f"{game.deals:,} deals; {policies_in_words(game.policies)}.",
            fontsize=8,
        )
        figure.savefig(
            PICTURE,
            dpi=PIXELS / style.WIDTH,
            bbox_inches="tight",
            pad_inches=0.06,
            metadata={"Software": None},
            pil_kwargs={"optimize": True},
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
