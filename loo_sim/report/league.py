"""Exhibits about a league: which policies are ahead of which, and how much of it luck hides."""

from __future__ import annotations

from math import isfinite
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.dots import Dot, draw_dots
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.missing import table_by_game
from loo_sim.report.result import Cell
from loo_sim.report.scale import Scale
from loo_sim.rounding import NONE, interval, listed, places_of, rough, signed, with_error
from loo_sim.studies.league import apart_in_words, standing_in_words

MOST_TIED = 4
"""Policies tied with the best that are named one by one."""

LONGEST_NAME = 26
"""Signs of a policy's name in the map."""

_SQUARE, _HEAD, _FOOT = 0.46, 0.5, 0.78
"""Inches: most that a square of the map measures, above the map, below it."""


def first_of(cell: Cell) -> str:
    """The policy with the best mean."""
    return str(cell.tables["standing"]["policy"].iloc[0])


def tied(cell: Cell) -> list[str]:
    """The policies that are not surely behind the first one, which stands among them."""
    rows = cell.tables["standing"]
    return [row.policy for place, row in enumerate(each(rows)) if place == 0 or row.tied_with_best]


def leads(cell: Cell) -> pd.DataFrame:
    """The pairs of the first policy with each other one as rival, in order of standing."""
    pairs = cell.tables["league"]
    pairs = pairs[pairs["policy"] == first_of(cell)].set_index("rival")
    order = [policy for policy in cell.tables["standing"]["policy"] if policy in pairs.index]
    return pairs.loc[order].reset_index()


def per(cell: Cell) -> str:
    """What a net is told for."""
    return "a table and person" if cell.rounds else "a deal and seat"


def _between(row: Any) -> str:
    """The difference of a pair with the interval that holds for all pairs together."""
    if not isfinite(row.low):
        return interval(row.net_diff, float("nan"), row.n)
    places = places_of((row.high - row.low) / 2)
    low, high = (signed(f"{end:,.{places}f}") for end in (row.low, row.high))
    return f"{signed(f'{row.net_diff:,.{places}f}')} ({low} to {high})"


def who_is_best(cell: Cell) -> str:
    """Sentences on the policies that nothing is surely ahead of."""
    best = next(iter(each(cell.tables["standing"])))
    net = f"{interval(best.net, best.net_se, best.n)} stakes {per(cell)}"
    others = [policy for policy in tied(cell) if policy != best.policy]
    following = list(each(leads(cell)))
    if not following:
        return f"{best.policy} nets {net}."
    if others:
        names = (
            listed(others) if len(others) <= MOST_TIED else f"{len(others)} of the other policies"
        )
        verb = "is" if len(others) == 1 else "are"
        return (
            f"{best.policy} has the highest net, {net}, but {names} {verb} tied with it: the "
            "difference is too close to call."
        )
    lead = following[0]
    return (
        f"{best.policy} nets more than each other policy: {net}. It is ahead of {lead.rival}, the "
        f"next, by {_between(lead)} stakes."
    )


def skill_and_chance(cell: Cell) -> str:
    """A sentence on how long it takes until skill shows, against the next policy and the last.

    Empty if the first policy is surely ahead of none.
    """
    known = list(each(leads(cell).query("low > 0")))
    if not known:
        return ""
    told = [
        f"from one of {row.rival} after {_apart(row)} "
        f"{cell.unit.removesuffix('s') if _apart(row) == '1' else cell.unit}"
        for row in dict.fromkeys((known[0], known[-1]))
    ]
    return (
        f"Chance hides skill: by what he wins a player of {first_of(cell)} is told {listed(told)}."
    )


def _apart(row: Any) -> str:
    """How many deals, or tables, tell the two players of a pair apart."""
    return apart_in_words(row.apart, row.apart_low, row.apart_high)


def pairing(cell: Cell) -> str:
    """A sentence on what it gains to compare policies on the same deals."""
    gain = cell.tables["league"]["gain"].dropna()
    if gain.empty:
        return ""
    least, most = rough(gain.min()), rough(gain.max())
    times = f"{least} times" if least == most else f"{least} to {most} times"
    return (
        "All policies play the same cards from every seat; for errors as small with independent "
        f"seats it would take {times} as many {cell.unit}."
    )


def draw_standing(cell: Cell) -> Figure:
    """Differences from the first policy, which stands at 0; hollow where they are tied with it."""
    close = tied(cell)
    dots = [Dot(first_of(cell), 0.0, 0.0, 0.0)]
    dots += [
        Dot(row.rival, -row.net_diff, -row.high, -row.low, row.rival in close)
        for row in each(leads(cell))
    ]
    return draw_dots(
        dots,
        f"net less that of {style.shortened(dots[0].label, LONGEST_NAME)}, stakes {per(cell)}",
        zero=True,
    )


def standing_exhibit(cell: Cell) -> Exhibit:
    """Who is ahead."""
    ahead_of = {row.rival: row for row in each(leads(cell))}
    words = standing_in_words(cell.tables["standing"]["tied_with_best"].tolist())
    rows = []
    for row, word in zip(each(cell.tables["standing"]), words, strict=True):
        lead = ahead_of.get(row.policy)
        rows.append(
            (
                row.policy,
                with_error(row.net, row.net_se, row.n),
                _between(lead) if lead else NONE,
                word,
                rough(row.spread),
                _apart(lead) if lead else NONE,
            )
        )
    told = (who_is_best(cell), skill_and_chance(cell))
    return make_exhibit(
        f"standing-{cell.number}",
        f"Who is ahead: {cell.label}",
        "A dot for each policy at its net less that of the first one, with an interval; the dots "
        "of policies tied with the first one are hollow.",
        " ".join(filter(None, told))
        + " Intervals hold for all pairs together with 95 %; hollow: tied with the first.",
        lambda: draw_standing(cell),
        Table(
            f"Net in stakes {per(cell)} (standard error of the last digits in brackets), "
            "lead of the first (interval for all pairs together), standard deviation of "
            f"{'a person’s evening' if cell.rounds else 'a seat’s deal'}, and {cell.unit} until a "
            "player of it is told from one of the first",
            ("policy", "net", "lead of the first", "standing", "spread", f"{cell.unit} apart"),
            tuple(rows),
        ),
    )


def draw_pairs(cell: Cell) -> Figure:
    """Map of the differences of all pairs, rows less columns; hatched where 0 is not excluded."""
    order = cell.tables["standing"]["policy"].tolist()
    pairs = cell.tables["league"]
    scale = Scale.of(pairs["net_diff"])
    names = [style.shortened(name, LONGEST_NAME) for name in order]
    labels = 0.5 + 0.09 * max(map(len, names))
    size = min(_SQUARE, (style.WIDTH - labels) / len(order))
    figure = style.map_figure(_HEAD + size * len(order) + _FOOT)
    axes = style.map_axes(figure, (labels, _HEAD, size * len(order), size * len(order)))
    points = min(8.0, 19 * size)
    squares = [
        scale.square(
            order.index(row.policy),
            order.index(row.rival),
            row.net_diff,
            signed(f"{row.net_diff:.{min(places_of(abs(row.net_diff)), 3)}f}")
            if points >= style.LEGIBLE
            else "",
            not row.low * row.high > 0,
        )
        for row in each(pairs)
    ]
    style.draw_squares(axes, squares, len(order), len(order), points)
    axes.set_yticks(range(len(order)), [f"{name} ({n})" for n, name in enumerate(names, start=1)])
    axes.set_xticks(range(len(order)), [str(n) for n in range(1, len(order) + 1)])
    axes.xaxis.tick_top()
    axes.set_xlabel("rival", fontsize=8)
    axes.xaxis.set_label_position("top")
    scale.draw(figure, labels)
    return figure


def pairs_exhibit(cell: Cell) -> Exhibit:
    """Every pair of policies."""
    order = cell.tables["standing"]["policy"].tolist()
    pairs = cell.tables["league"].assign(
        place=cell.tables["league"]["policy"].map(order.index),
        rivals=cell.tables["league"]["rival"].map(order.index),
    )
    once = pairs[pairs["place"] < pairs["rivals"]].sort_values(["place", "rivals"])
    sure = int((once["low"] * once["high"] > 0).sum())
    rows = [
        (
            row.policy,
            row.rival,
            with_error(row.net_diff, row.net_diff_se, row.n),
            _between(row),
            _p_value(row.p_value),
            rough(row.gain),
            _apart(row),
        )
        for row in each(once)
    ]
    return make_exhibit(
        f"pairs-{cell.number}",
        f"Policy against policy: {cell.label}",
        "A map with a row and a column for each policy, in order of standing; a square holds what "
        "the policy of its row nets more than that of its column.",
        f"{pairs_in_words(len(once), sure)}. Purple: the policy of the row nets more, in stakes "
        f"{per(cell)}. {pairing(cell)}",
        lambda: draw_pairs(cell),
        Table(
            f"Differences in stakes {per(cell)} (standard error of the last digits in brackets), "
            "the interval that holds for all pairs together with 95 %, p-value (Holm), how many "
            f"times as many {cell.unit} independent seats would take, {cell.unit} until two "
            "players are told apart",
            ("policy", "rival", "difference", "interval", "p", "gain", f"{cell.unit} apart"),
            tuple(rows),
        ),
    )


def pairs_in_words(pairs: int, sure: int) -> str:
    """How many of the pairs of policies differ surely."""
    if pairs == 1:
        return "The two differ surely" if sure else "The two, hatched, are too close to call"
    if sure == pairs:
        return f"All of the {pairs} pairs differ surely"
    return f"Of the {pairs} pairs, {sure} differ surely; the others, hatched, are too close to call"


def _p_value(p: float) -> str:
    if not isfinite(p):
        return NONE
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"


def has_standing(cell: Cell) -> bool:
    """Whether a game has figures of a league."""
    return cell.has("standing")


def games_table(cells: list[Cell]) -> Table:
    """Who is first in each of several leagues."""
    return table_by_game(
        "The policy with the highest net, game by game: its net in stakes "
        f"{per(cells[0])} (standard error of the last digits in brackets), and those tied with it",
        ("game", "first", "net", "tied with it"),
        cells,
        has_standing,
        lambda cell: [_first_row(cell)],
    )


def _first_row(cell: Cell) -> tuple[str, ...]:
    best = cell.tables["standing"].iloc[0]
    others = [policy for policy in tied(cell) if policy != best["policy"]]
    net = with_error(best["net"], best["net_se"], best["n"])
    return (cell.label, best["policy"], net, ", ".join(others) or NONE)


def compare_games(cells: list[Cell]) -> str:
    """A sentence on which policies may be the best in every one of several leagues."""
    always = [
        policy for policy in tied(cells[0]) if all(policy in tied(cell) for cell in cells[1:])
    ]
    games = "both games" if len(cells) == 2 else f"all {len(cells)} games"
    if not always:
        return f"No policy is first, or tied with the first, in {games}."
    verb = "is" if len(always) == 1 else "are"
    return f"In {games} {listed(always)} {verb} first or tied with the first."
