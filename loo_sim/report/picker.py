"""The hand picker: the values of one hand in all situations, for a script to show."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from loo_sim.report import style
from loo_sim.report.exhibit import each
from loo_sim.report.hands import GRIDS, TRUMPS, rank_sign
from loo_sim.report.result import Cell
from loo_sim.report.situations import how_often, is_known, matrices, situations
from loo_sim.report.strategy import AXES, IN_WORDS, KIND
from loo_sim.rounding import with_error

MOST_PICKED = 128
"""Situations of all games together that the picker knows; more would make the page too heavy."""

_FIELDS = ("stand", "miss", "miss_minus_stand")
"""Columns of a matrix that are shown, each with its error."""

_SHOWN = [column for name in _FIELDS for column in (name, f"{name}_se")]


def script() -> str:
    """The program of the picker, which is the only one that a page runs."""
    return files("loo_sim.report").joinpath("templates/picker.js").read_text(encoding="utf-8")


def picker_data(cells: list[Cell]) -> str:
    """What the picker shows, as JSON that can stand in a page; empty if nothing is known.

    An object with ``words``, the announcements by letter; ``grids``, by number of trumps the names
    of the two ranks that tell kinds of hands apart (for three trumps nothing does); and ``games``,
    each with

    - ``name``;
    - ``ranks``, the names of ranks by number;
    - ``spots``, the situations in the order of speaking, each with its name and how often it comes
      up; ``left``, how many rarer ones are not among them;
    - ``hands``, by ``trumps row column``: for each situation ``stand;miss;miss less stand;letter``
      as the tables of the report write them, the letter small where it is too close to call; the
      situations are divided by ``|``, and nothing stands where the hand came up too rarely.
    """
    games = [game for cell in cells if (game := _game(cell, MOST_PICKED // len(cells)))["hands"]]
    if not games:
        return ""
    content = {
        "words": {look.letter: IN_WORDS[name] for name, look in style.ACTIONS.items()},
        "grids": {
            **{str(trumps): [GRIDS[trumps], *AXES[trumps]] for trumps in sorted(GRIDS)},
            "3": [TRUMPS[3]],
        },
        "games": games,
    }
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    # No text in it may end the element that it stands in.
    return text.replace("<", "\\u003c")


def _game(cell: Cell, most: int) -> dict[str, Any]:
    """The `most` common situations of a game, in the order of speaking."""
    found = situations(cell)
    shown = sorted(
        found[:most], key=lambda one: (one.spot.seat, one.spot.standers, not one.spot.miss_free)
    )
    values: dict[str, list[str]] = {}
    for place, situation in enumerate(shown):
        kinds = matrices(cell)[situation.key]
        for kind in each(kinds.loc[is_known(kinds), [*KIND, "n", *_SHOWN, "best", "sure"]]):
            name = f"{kind.trumps} {kind.row} {kind.col}"
            values.setdefault(name, [""] * len(shown))[place] = _told(kind)
    ranks = {int(rank) for name in values for rank in name.split()[1:]} - {0}
    return {
        "name": cell.label,
        "ranks": {str(rank): rank_sign(rank) for rank in sorted(ranks)},
        "spots": [[one.spot.title, how_often(cell, one)] for one in shown],
        "left": max(len(found) - most, 0),
        "hands": {name: "|".join(told) for name, told in sorted(values.items())},
    }


def _told(kind: Any) -> str:
    """The values of a kind of hand in a situation, as the tables of the report write them."""
    told = [
        with_error(getattr(kind, name), getattr(kind, f"{name}_se"), kind.n) for name in _FIELDS
    ]
    letter = style.ACTIONS[kind.best].letter
    return ";".join([*told, letter if kind.sure else letter.lower()])
