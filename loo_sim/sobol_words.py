"""Sobol indices in words, as a report and the end of a run tell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loo_sim.policy_axes import axis_words
from loo_sim.rounding import listed, percent_in_words, with_ends
from loo_sim.sweep import shown

TITLES = ("setting", "from", "to", "first order, %", "total order, %")
"""Of the columns of `told_rows`."""

MEANING = (
    "The first-order index of a setting is the share of the variance that goes, on average, once "
    "the setting alone is known; the total-order index is the share that is left, on average, once "
    "all others are known, so that it has what the setting does together with them."
)

_FIGURES = {
    "pot_swing": "the mean change of the pot",
    "stand": "what standing nets in seat 0 over all hands",
    "miss": "what the miss nets in seat 0 over all hands",
    "miss_minus_stand": "what the miss nets more than standing in seat 0 over all hands",
    "lowest_minus_highest": "what the lowest first lead nets more than the highest",
    "pot": "the mean pot when play begins",
}

Row = Mapping[str, Any]
"""A row of the table ``sobol``."""


def figure_in_words(figure: str) -> str:
    """A figure that is followed, as it stands within a sentence."""
    better, minus, other = figure.partition(" minus ")
    return f"the net of {better} less that of {other}" if minus else _FIGURES.get(figure, figure)


def share_in_words(row: Row, name: str) -> str:
    """A share with its 95 % interval, in per cent but without the sign; of one that is exact none.

    Examples
    --------
    >>> share_in_words({"total": 0.6234, "total_low": 0.551, "total_high": 0.704}, "total")
    '62 (55 to 70)'
    """
    value, low, high = (row[name + end] for end in ("", "_low", "_high"))
    if low is None:
        return f"{100 * value:.0f}"
    return with_ends(100 * value, 100 * low, 100 * high)


def no_indices(told: Row) -> str:
    """A sentence that says why the main figure has no indices; empty if it has.

    Parameters
    ----------
    told : mapping
        What the manifest says under ``sobol``.
    """
    if not told["why"]:
        return ""
    of_figure = f" of {figure_in_words(told['figure'])}" if told["figure"] else ""
    return f"No Sobol indices{of_figure}: {told['why']}."


def by_total(rows: Sequence[Row]) -> list[Row]:
    """The rows of a figure, the axis with the highest total order first."""
    return sorted(rows, key=lambda row: -row["total"])


def told_rows(rows: Sequence[Row], ranges: Mapping[str, Sequence[float]]) -> list[tuple[str, ...]]:
    """The rows of a figure in words, by `TITLES`.

    Parameters
    ----------
    rows : sequence of mapping
        Of the table ``sobol``.
    ranges : mapping of str to sequence
        The table ``[sweep.sobol]``.
    """
    return [
        (
            axis_words(row["axis"]),
            *map(shown, ranges[row["axis"]][:2]),
            share_in_words(row, "first"),
            share_in_words(row, "total"),
        )
        for row in by_total(rows)
    ]


def sentences(rows: Sequence[Row]) -> list[str]:
    """What the indices of a figure say: what moves it most, what acts together, what is error.

    Monte-Carlo error is in every total index and in what is done together, so that nothing is said
    to be there whose interval does not lie above it. It is in no index of the first order, whose
    interval is held against 0.
    """
    ordered = by_total(rows)
    noise = ordered[0]["noise"] or 0.0
    figure = figure_in_words(ordered[0]["figure"])
    close = [
        row for row in ordered if not (_is_above(row, "first", 0) or _is_above(row, "total", noise))
    ]
    told = [_most(ordered, figure, len(close) == len(ordered)), _together(ordered[0], noise)]
    if ordered[0]["noise"] is None:
        told.append("How much of the variance is Monte-Carlo error is not known.")
    else:
        share = percent_in_words(min(noise, 1.0))
        told.append(f"Monte-Carlo error of the games is {share} of the variance.")
    names = [axis_words(row["axis"]) for row in close if row["total"] > 0]
    if names and len(close) < len(ordered):
        told.append(f"Too close to call whether they move it at all: {listed(names)}.")
    without = [axis_words(row["axis"]) for row in close if row["total"] == 0]
    if without:
        told.append(
            f"At no point of the design did the figure change with {listed(without, 'or')}."
        )
    return told


def _is_above(row: Row, name: str, bound: float) -> bool:
    return row[f"{name}_low"] is not None and row[f"{name}_low"] > bound


def _most(ordered: Sequence[Row], figure: str, is_all_error: bool) -> str:
    """Which setting moves a figure most."""
    if is_all_error:
        return f"Too close to call whether any of the settings moves {figure}."
    leader, *others = ordered
    tied = [row for row in others if not _is_above(row, "behind", 0)]
    if tied:
        which = (
            listed([axis_words(row["axis"]) for row in [leader, *tied]])
            if len(tied) < len(others) or len(ordered) <= 3
            else f"the {len(ordered)} settings"
        )
        return f"Which setting moves {figure} most is too close to call between {which}."
    share = share_in_words(leader, "total")
    return (
        f"Of the settings {axis_words(leader['axis'])} moves {figure} most: alone and together "
        f"with others it accounts for {share} % of the variance over the ranges."
    )


def _together(row: Row, noise: float) -> str:
    """What settings do together."""
    share = share_in_words(row, "together")
    if _is_above(row, "together", noise):
        return f"Settings acting together account for {share} % of the variance."
    return (
        "Whether settings act together is too close to call: what they do one by one leaves "
        f"{share} % of the variance."
    )
