"""How a result was made: what was played, and everything needed to repeat it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loo_sim.policy_axes import axis_words
from loo_sim.report.missing import mark_missing
from loo_sim.report.result import DONE, Cell, Result, setting_in_words
from loo_sim.report.terms import MOST_TOLD, terms
from loo_sim.rounding import listed, stakes
from loo_sim.rules import PRESETS
from loo_sim.studies.by_hand import situation_in_words

PRESET = "rules.preset"
"""The axis of a sweep that sets all rules at once."""

_MOST_POTS = 12
"""Pots told one by one."""


def rules_in_words(rules: Mapping[str, Any]) -> str:
    """The preset nearest to some rules, and what differs from it: ``standard, loo 6``."""

    def differing(preset: str) -> dict[str, Any]:
        base = PRESETS[preset].to_dict()
        return {key: value for key, value in rules.items() if base.get(key, value) != value}

    nearest = min(PRESETS, key=lambda preset: len(differing(preset)))
    changed = [
        f"{key.replace('_', ' ')} {setting_in_words(value)}"
        for key, value in differing(nearest).items()
    ]
    return ", ".join([f"“{nearest}” rules", *changed])


def policies_in_words(cell: Cell) -> str:
    """Who plays how: ``everyone plays peel``, or the seats or people of each policy."""
    if cell.in_league:
        return f"{listed(cell.policies)}, each in every seat in turn"
    places: dict[str, list[str]] = {}
    for place, policy in enumerate(cell.policies):
        places.setdefault(policy, []).append(str(place))
    if len(places) == 1:
        return f"everyone plays {cell.policies[0]}"
    one, several = ("as person", "as people") if cell.rounds else ("in seat", "in seats")
    return "; ".join(
        f"{policy} {several if len(where) > 1 else one} {', '.join(where)}"
        for policy, where in places.items()
    )


def _common(values: Iterable[str]) -> str:
    """The value that all share, or that they differ."""
    different = list(dict.fromkeys(values))
    return different[0] if len(different) == 1 else f"swept, {len(different)} values"


def _rules_told(cells: Sequence[Cell]) -> str:
    """The rules that all games have, and those that a sweep sets with their values."""
    swept = [axis for axis in cells[0].axes if axis.startswith("rules.")]
    told = []
    if PRESET not in swept:
        names = [axis.removeprefix("rules.") for axis in swept]
        told.append(
            _common(
                rules_in_words({key: rule for key, rule in cell.rules.items() if key not in names})
                for cell in cells
            )
        )
    for axis in swept:
        values = list(dict.fromkeys(setting_in_words(cell.axes[axis]) for cell in cells))
        name = axis_words(axis)
        told.append(
            f"{name} {listed(values, 'or')}"
            if len(values) <= MOST_TOLD
            else f"{name} swept, {len(values)} values"
        )
    return "; ".join(told)


def what_was_played(result: Result) -> list[tuple[str, str]]:
    """The lines that open the report: names and values."""
    cells = result.cells
    if not cells:
        return [("games", "none")]
    players = sorted({cell.players for cell in cells})
    lines = [
        ("players", ", ".join(map(str, players))),
        ("rules", _rules_told(cells)),
        ("ways of playing", _common(map(policies_in_words, cells))),
    ]
    if cells[0].rounds:
        values = "in stakes; errors are taken over tables; ± gives a 95 % interval"
        return [*lines, *terms(list(cells)), ("tables", _counted(cells)), ("values", values)]
    pots = [stakes(pot) for pot in sorted({cell.pot for cell in cells})]
    told = ", ".join(pots) if len(pots) <= _MOST_POTS else f"{pots[0]} to {pots[-1]}"
    return [
        *lines,
        ("pot when play begins", f"{told} stakes"),
        ("deals", _counted(cells)),
        *_aim(result),
        ("values", "in stakes, for one deal; ± gives a 95 % interval"),
    ]


def _aim(result: Result) -> list[tuple[str, str]]:
    """What the deals aim at, as a line; none where they are plain."""
    aim = result.manifest["experiment"].get("aim")
    if not aim:
        return []
    dealers = {aim["seat"] == cell.players - 1 for cell in result.cells}
    situation = situation_in_words(
        aim["seat"], aim["standers"], dealers == {True}, aim["miss_free"]
    )
    return [("aimed at", f"{situation}: each hand is dealt as often as its error asks for")]


def _counted(cells: Sequence[Cell]) -> str:
    """How many deals or tables were counted, a game and in all."""
    counts = sorted({cell.deals for cell in cells if cell.status == DONE}) or [0]
    total = sum(cell.deals for cell in cells)
    if len(cells) == 1:
        return f"{total:,}"
    a_game = " to ".join(f"{count:,}" for count in dict.fromkeys((counts[0], counts[-1])))
    return f"{a_game} a game, {total:,} in all"


def how_it_was_made(result: Result) -> list[tuple[str, str]]:
    """What the manifest says about the run: names and values."""
    manifest = result.manifest
    lines = [
        ("experiment", result.name),
        ("study", str(manifest["study"])),
        ("seed", str(manifest["seed"])),
        ("command", str(manifest.get("command", "not recorded"))),
        ("status", str(manifest["status"])),
    ]
    if "finished" in manifest:
        lines.append(("finished", str(manifest["finished"])))
    if "seconds" in manifest:
        lines.append(("time taken", f"{float(manifest['seconds']):.1f} s"))
    lines += [(key, str(manifest[key])) for key in ("jobs",) if key in manifest]
    lines += list(_flat("machine", manifest.get("machine")))
    lines.append(("loosim", str(manifest["version"])))
    lines += [
        (name, value) for name, value in _flat("", manifest.get("versions")) if name != "loosim"
    ]
    lines += [(f"digest of {name}", value) for name, value in _flat("", manifest.get("digests"))]
    return lines


def _flat(prefix: str, value: Any) -> Iterable[tuple[str, str]]:
    """The leaves of a nested mapping with their dotted names."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{prefix} {key}".strip().replace("_", " "), inner)
    elif value is not None and value != "":
        yield prefix, str(value)


def what_befell(cell: Cell) -> str:
    """How a game ended, marked if it has no figures."""
    if cell.status == DONE:
        return DONE
    return f"{mark_missing(cell)}: {cell.error}" if cell.error else mark_missing(cell)


def game_rows(cells: Iterable[Cell]) -> list[tuple[str, ...]]:
    """A row a cell for the list of games played."""
    return [
        (
            str(cell.number),
            cell.label,
            str(cell.players),
            stakes(cell.pot),
            rules_in_words(cell.rules),
            policies_in_words(cell),
            f"{cell.deals:,}",
            what_befell(cell),
        )
        for cell in cells
    ]
