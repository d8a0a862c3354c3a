"""Tells a search: sentences and a short table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from loo_sim.policy_axes import axis_words
from loo_sim.rounding import NONE, interval, listed
from loo_sim.studies.estimates import Z95
from loo_sim.sweep import OF_POLICY, shown
from loo_sim.tuning.halving import MOST_AGAIN, Again, Apart, Search
from loo_sim.tuning.search import Plan

if TYPE_CHECKING:
    from loo_sim.experiment import Cell

CLEAR, CLOSE, OVERTAKEN, UNMEASURED = (
    *("clear", "too close to call"),
    *("overtaken on fresh deals", "not measured on fresh deals"),
)
"""What can be said of the winner."""

MOST_RANGES = 6
MOST_LISTED = 3


def verdict_of(found: Search, again: Again) -> str:
    """What can be said of the winner of a search."""
    if not again.found:
        return UNMEASURED
    if again.ahead:
        return OVERTAKEN
    is_alone = again.plateau == (found.winner,) and not not_again(found, again)
    return CLEAR if is_alone else CLOSE


def not_again(found: Search, again: Again) -> list[int]:
    """Those tied in the search that have no figure on fresh deals."""
    return [one for one in found.plateau if one not in again.found]


def sentences(plan: Plan, found: Search, again: Again, failed: Sequence[int]) -> list[str]:
    """What a search found, in words.

    Parameters
    ----------
    plan : Plan
        The search.
    found : Search
        What the rungs came to.
    again : Again
        What the fresh deals came to.
    failed : sequence of int
        Candidates whose cells failed.
    """
    cells, sought = plan.experiment.cells, plan.sought
    winner = name_of(cells[found.winner])
    size = "small" if plan.least else "large"
    tried = f"of {len(cells):,} tried"
    if failed:
        tried += f" ({len(failed):,} of which failed)"
    left_out = [one for one in not_again(found, again) if one not in failed]
    tied = (*again.plateau, *left_out)
    words_of_tied = plateau_in_words(cells, tied)
    verdict = verdict_of(found, again)
    told = []
    if verdict == UNMEASURED:
        told.append(f"{winner} came first {tried}, but its cell failed on fresh deals.")
    elif verdict == CLEAR:
        told.append(f"{plan.superlative.capitalize()} {tried}: {winner}.")
    elif verdict == CLOSE and len(again.plateau) == len(tied) and _are_alike(again):
        told.append(f"All the same on fresh deals, {len(tied):,} {tried}: {words_of_tied}.")
    else:
        close = f"too close to call among {len(tied):,} {tried}: {words_of_tied}"
        if not failed:
            close += f" (with 95 % confidence the {plan.superlative} of all is among them)"
        if verdict == OVERTAKEN:
            ahead = plateau_in_words(cells, again.ahead)
            close = f"{winner} came first, but on fresh deals {ahead} did better: {close}"
        told.append(f"{close[0].upper() if verdict == CLOSE else close[0]}{close[1:]}.")
    if left_out and again.found:
        told.append(
            f"Only {MOST_AGAIN} of them were measured again; more deals would tell others apart "
            "before."
        )
    unit = plan.experiment.unit
    amount = plan.experiment.amount.most
    if again.found:
        fresh = _value(again.found[found.winner], amount)
        told.append(
            f"{sought.words[0].upper()}{sought.words[1:]} is {fresh} {sought.unit} with {winner}, "
            f"on {amount:,} fresh {unit}."
        )
    told.append(
        f"In the search, which chose it, it was {_value(found.found[found.winner], amount)}: "
        f"a figure chosen for being {size} tends to be too {size}."
    )
    if not sought.is_gain and any(axis.startswith(OF_POLICY) for axis in cells[0].axes):
        told.append(
            "That is not what a policy gains: which numbers win most is a question for "
            'study = "league", the policy among rivals.'
        )
    return told


def _are_alike(again: Again) -> bool:
    """Whether all those tied have the winner's figure on all fresh deals, by the chunk."""
    tied = [again.found[one] for one in again.plateau]
    return all(apart.difference == 0 and apart.half == 0 for apart in tied)


def name_of(cell: Cell) -> str:
    """A candidate in words: ``trumps reach = 2``."""
    return candidate_in_words(cell.axes)


def candidate_in_words(axes: Mapping[str, Any]) -> str:
    """A candidate by its axes."""
    return ", ".join(
        f"{axis_words(axis)} = {value_in_words(value)}" for axis, value in axes.items()
    )


def value_in_words(value: Any) -> str:
    """A value of an axis; a whole number is told without a point."""
    return shown(int(value) if isinstance(value, float) and value.is_integer() else value)


def plateau_in_words(cells: Sequence[Cell], members: Sequence[int]) -> str:
    """Candidates by their ranges: ``trumps reach = 1 to 3 and 5``.

    Along one axis, values that were tried side by side make a range. Of several axes, a few
    candidates are listed; of more, the ends along each axis are told.
    """
    axes = list(cells[0].axes)
    if len(axes) == 1:
        (axis,) = axes
        return f"{axis_words(axis)} = {listed(_ranges(axis, cells, members))}"
    if len(members) <= MOST_LISTED:
        return "; ".join(name_of(cells[one]) for one in sorted(members))
    spans = [f"{axis_words(axis)} = {_span(axis, cells, members)}" for axis in axes]
    return f"combinations with {listed(spans)}"


def _ranges(axis: str, cells: Sequence[Cell], members: Sequence[int]) -> list[str]:
    """Members along an axis, neighbours of those tried taken together."""
    order = _in_order(axis, cells)
    places = sorted(order.index(one) for one in members)
    told = []
    for _, run in groupby(enumerate(places), key=lambda pair: pair[1] - pair[0]):
        ends = [order[place] for _, place in run]
        first, last = (value_in_words(cells[end].axes[axis]) for end in (ends[0], ends[-1]))
        told.append(first if len(ends) == 1 else f"{first} to {last}")
    left = len(told) - MOST_RANGES
    return [*told[:MOST_RANGES], f"{left} more"] if left > 0 else told


def _in_order(axis: str, cells: Sequence[Cell]) -> list[int]:
    """Candidates by their values along an axis: numbers by size, all else as it was tried."""
    numbers = range(len(cells))
    if all(type(cell.axes[axis]) in (int, float) for cell in cells):
        return sorted(numbers, key=lambda one: cells[one].axes[axis])
    return list(numbers)


def _span(axis: str, cells: Sequence[Cell], members: Sequence[int]) -> str:
    """The ends of an axis among members, or its values where they are no numbers."""
    values = [cells[one].axes[axis] for one in members]
    if all(type(value) in (int, float) for value in values):
        low, high = value_in_words(min(values)), value_in_words(max(values))
        return low if low == high else f"{low} to {high}"
    return listed(list(dict.fromkeys(value_in_words(value) for value in values)), "or")


def _value(apart: Apart, n: int) -> str:
    return interval(apart.value, apart.value_se, n)


TITLES = ("candidate", "rung", "in the search", "on fresh deals", "less the winner", "standing")


def short_table(table: Any, content: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Rows under `TITLES`, of candidates in the order of the sweep.

    Parameters
    ----------
    table : DataFrame
        ``tune.parquet``.
    content : mapping
        ``tune.json``.
    """
    axes = list(content["winner"]["axes"])
    winner = content["winner"]["axes"]
    ahead = [one["axes"] for one in content["ahead"]]
    rows: list[tuple[str, ...]] = []
    for row in table.astype(object).where(table.notna(), None).to_dict("records"):
        own = {axis: row[axis] for axis in axes}
        value, fresh, less = NONE, NONE, NONE
        if row["value"] is not None:
            value = interval(row["value"], row["value_se"], row["deals"])
        if row["fresh_value"] is not None:
            fresh = interval(row["fresh_value"], row["fresh_value_se"], row["fresh_deals"])
            half = (row["fresh_high"] - row["fresh_low"]) / 2
            if own != winner:
                less = interval(row["fresh_difference"], half / Z95, row["fresh_deals"])
        if row["failed"]:
            standing = "failed"
        elif own == winner:
            standing = content["sought"] if content["verdict"] == CLEAR else "first"
        elif own in ahead:
            standing = "ahead"
        elif row["tied"] is None:
            standing = "not measured again"
        else:
            standing = "tied" if row["tied"] else "behind"
        rung = NONE if row["rung"] is None else str(row["rung"])
        rows.append((candidate_in_words(own), rung, value, fresh, less, standing))
    return rows
