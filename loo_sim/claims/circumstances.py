"""Which hands, situations and games a test of a claim looks at: read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loo_sim.experiment import Experiment
from loo_sim.problems import nearest
from loo_sim.settings import MOST_DEALS, Wrong, is_whole
from loo_sim.sweep import column_values

if TYPE_CHECKING:
    from loo_sim.policies.tree import Node


def read_condition(
    text: Any, key: str, part: Experiment, has_place: bool, wrong: Wrong
) -> Node | None:
    """The condition on hands and situations, in the language of policies."""
    from loo_sim.policies.language import ANNOUNCE_NAMES, PLAY_NAMES, LanguageError, parse

    if text is None:
        return None
    if not has_place:
        wrong(key, f"has no place: the study {part.study} knows no hands", "where chooses games")
        return None
    if not isinstance(text, str):
        wrong(key, f"{text!r} is no condition", 'when = "trumps == 2 and seat > 0"')
        return None
    names = dict(ANNOUNCE_NAMES)
    if part.study == "lead":
        situation = ("seat", "to_act", "dealer", "standers", "folded", "miss_free")
        names = {name: kind for name, kind in names.items() if name not in situation}
        names["in_play"] = PLAY_NAMES["in_play"]
    try:
        return parse(text, names)
    except LanguageError as error:
        wrong(key, f"column {error.column}: {error.what}", error.hint)
        return None


def _games_in_words(part: Experiment) -> list[dict[str, Any]]:
    """The axes of each game of a part, as claims speak of them."""
    return [
        axes_in_words(axes, [policy.name for policy in cell.policies])
        for axes, cell in zip(
            column_values([cell.axes for cell in part.cells]), part.cells, strict=True
        )
    ]


def axes_of(part: Experiment) -> dict[str, list[Any]]:
    """The axes of a part, each with its values as tables hold them."""
    games = _games_in_words(part)
    return {axis: list(dict.fromkeys(str(game[axis]) for game in games)) for axis in games[0]}


def has_games_alike(part: Experiment) -> bool:
    """Whether claims cannot tell two games of a part apart: two of its policies have one name."""
    games = [tuple(game.values()) for game in _games_in_words(part)]
    return len(set(games)) < len(games)


def axes_in_words(axes: Mapping[str, Any], policies: Sequence[str]) -> dict[str, Any]:
    """The axes of a game as claims speak of them: whole numbers as such, a policy by its name.

    Parameters
    ----------
    axes : mapping of str to object
        As the tables of a result hold them.
    policies : sequence of str
        The names of the game's policies.
    """
    found = {
        axis: int(value) if isinstance(value, float) and value.is_integer() else value
        for axis, value in axes.items()
    }
    if isinstance(found.get("policies"), str) and len(set(policies)) == 1:
        found["policies"] = policies[0]
    return found


def values_of(name: str, part: Experiment) -> list[str]:
    """The values of a circumstance that is no axis; none if it is a whole number."""
    if name in ("dealer", "miss_free"):
        return [str(False), str(True)]
    if name in ("policy", "rival"):
        return sorted({policy.name for cell in part.cells for policy in cell.policies})
    return []


def read_where(
    given: Any, key: str, known: Mapping[str, Sequence[str]], wrong: Wrong
) -> dict[str, tuple[Any, ...]]:
    """Values of circumstances, by name; `known` has those of each, or none for whole numbers."""
    if not isinstance(given, dict):
        wrong(key, f"{given!r} is no table of values", "{ pot = [3, 9] }")
        return {}
    found = {}
    for name, values in given.items():
        listed = values if isinstance(values, list) else [values]
        if not listed:
            wrong(f"{key}.{name}", "names no value, so that nothing counts", "leave it out for all")
        if name not in known:
            wrong(f"{key}.{name}", "tells no cases apart here", nearest(name, known))
            continue
        for value in listed:
            if not isinstance(value, int | float | str):
                wrong(f"{key}.{name}", f"{value!r} is no value of it", "a number or a word")
            elif not known[name] and not is_whole(value, 0, MOST_DEALS):
                wrong(f"{key}.{name}", f"{value!r} is no value of it", "a whole number")
            elif known[name] and str(value) not in known[name]:
                one_of = f"one of: {', '.join(map(_as_written, known[name]))}"
                wrong(f"{key}.{name}", f"{value!r} is no value of it", one_of)
        found[name] = tuple(listed)
    return found


def _as_written(value: str) -> str:
    """A value of a circumstance as a file has it: truths in small letters."""
    return value.lower() if value in (str(False), str(True)) else value
