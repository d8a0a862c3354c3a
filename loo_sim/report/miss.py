"""Exhibits about the miss: what taking it is worth, by hand and seat."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.hands import BANDS, with_features
from loo_sim.report.missing import divided, name_missing, table_by_game
from loo_sim.report.pooling import pool
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import Cell
from loo_sim.report.scale import Scale
from loo_sim.rounding import (
    interval,
    percent_interval,
    percent_with_error,
    signed,
    with_error,
)
from loo_sim.studies.estimates import FEW_DEALS, Z95
from loo_sim.studies.strata import sharpened

CONTRASTS = {
    "miss": "taking the miss against folding",
    "miss_minus_stand": "taking the miss against standing",
}
"""The two comparisons that decide whether to take the miss, with their titles."""

STANDERS = ("nobody in yet", "one in", "two or more in")
"""Columns of the map."""

_KEPT = 128
"""Games of which a few rows are kept, since every exhibit that compares those of a sweep asks."""

_VALUES = (
    *("n", "weight", "weight_se", "miss", "miss_se", "miss_minus_stand", "miss_minus_stand_se"),
    *("miss_loo", "miss_loo_se"),
)
"""Columns of the announce table that tell what taking the miss is worth."""

_ROW, _LABELS, _GAP, _HEAD, _BETWEEN, _FOOT = 0.22, 1.85, 0.1, 0.5, 0.3, 0.78
"""Inches: a row of a map, its labels, between maps side by side, above each line of maps, between
the two lines, below the last."""

_WIDEST = 0.8
"""Inches: most that a square is wide."""

_TICK = 0.17
"""Inches that the number of a seat takes; where squares are narrower, some go without."""


@lru_cache(maxsize=_KEPT)
def on_offer(cell: Cell) -> pd.DataFrame:
    """Where the miss is there: a row for each `seat` and `standers`, with `n` deals."""
    rows = cell.announcements(["seat", "standers", "n"], miss_free=True)
    return rows.groupby(["seat", "standers"], as_index=False)[["n"]].sum()


def miss_map(cell: Cell) -> pd.DataFrame:
    """Value of taking the miss by band of hands, seat and players in.

    Returns
    -------
    DataFrame
        `contrast` (a key of `CONTRASTS`), `band`, `seat`, `others` (index into `STANDERS`), `n`
        deals, `value` and `value_se` in stakes, and `sure`: the 95 % interval excludes 0, on
        `FEW_DEALS` deals or more.
    """
    rows = cell.announcements(["seat", "standers", "hand", *_VALUES], miss_free=True)
    rows = with_features(rows, cell.deck).assign(others=np.minimum(rows["standers"], 2))
    keys = ["seat", "others", "band"]
    pooled = pool(rows, keys)
    parts = [
        pooled[[*keys, "n"]].assign(
            contrast=name, value=pooled[name], value_se=pooled[f"{name}_se"]
        )
        for name in CONTRASTS
    ]
    values = pd.concat(parts, ignore_index=True)
    sure = (values["value"].abs() > Z95 * values["value_se"]) & (values["n"] >= FEW_DEALS)
    return values.assign(sure=sure)


def draw_miss_map(values: pd.DataFrame, players: int) -> Figure:
    """Maps of both contrasts, bands of hands by seats, for each number of players in."""
    scale = Scale.of(values["value"])
    bands = sorted(values["band"].unique())
    groups = {
        others: sorted(values.loc[values["others"] == others, "seat"].unique())
        for others in sorted(values["others"].unique())
    }
    columns = sum(len(seats) for seats in groups.values())
    room = style.WIDTH - _LABELS - _GAP * (len(groups) - 1)
    across, tall = min(room / columns, _WIDEST), _ROW * len(bands)
    size = min(7.0, 24 * across)
    figure = style.map_figure(2 * (_HEAD + tall) + _BETWEEN + _FOOT)
    for line, (contrast, title) in enumerate(CONTRASTS.items()):
        top = _HEAD + line * (_HEAD + tall + _BETWEEN)
        left = _LABELS
        height = figure.get_size_inches()[1]
        heading = title[0].upper() + title[1:]
        figure.text(0, 1 - (top - 0.27) / height, heading, weight="bold", fontsize=9, va="bottom")
        foot = 1 - (top + tall + 0.12) / height
        figure.text(
            (_LABELS - 0.08) / style.WIDTH, foot, "seat", fontsize=8, ha="right", va="center"
        )
        for others, seats in groups.items():
            axes = style.map_axes(figure, (left, top, across * len(seats), tall))
            chosen = values[(values["contrast"] == contrast) & (values["others"] == others)]
            squares = [
                scale.square(
                    bands.index(row.band),
                    seats.index(row.seat),
                    row.value,
                    signed(f"{row.value:.1f}") if size >= style.LEGIBLE else "",
                    not row.sure,
                )
                for row in each(chosen)
            ]
            style.draw_squares(axes, squares, len(bands), len(seats), size)
            names = ["D" if seat == players - 1 else str(seat) for seat in seats]
            shown = range(len(seats) - 1, -1, -ceil(_TICK / across))
            axes.set_xticks(shown, [names[place] for place in shown], fontsize=8)
            labels = [BANDS[band] for band in bands] if left == _LABELS else []
            axes.set_yticks(range(len(labels)), labels, fontsize=8)
            axes.set_title(STANDERS[others], fontsize=8.5, weight="normal", pad=3)
            left += across * len(seats) + _GAP
    scale.draw(figure, _LABELS)
    return figure


def miss_map_exhibit(cell: Cell) -> Exhibit:
    """The value of taking the miss by hand, seat and players in."""
    values = miss_map(cell)
    keys = ["seat", "others", "band"]
    verdict = np.where(values["sure"], np.sign(values["value"]), 0)
    lowest = values.assign(verdict=verdict).groupby(keys)["verdict"].min()
    better, worse = int((lowest == 1).sum()), int((lowest == -1).sum())
    unclear = len(lowest) - better - worse
    doubt = f"; it is too close to call in {unclear}" if unclear else ""
    caption = (
        f"Of the {len(lowest)} squares of a map, taking the miss beats both folding and standing "
        f"in {better or 'none'} and loses to one of them in {worse or 'none'}{doubt}. "
        "Purple: the miss is worth more. Among so many squares about one in twenty of those with "
        "no true difference looks sure by luck alone. For the dealer, "
        "“folding” stands for defending the miss too: both are worth 0."
    )
    against_fold, against_stand = (
        values[values["contrast"] == name].sort_values(keys, ignore_index=True)
        for name in CONTRASTS
    )
    rows = [
        (
            BANDS[fold.band],
            cell.seat_name(fold.seat),
            STANDERS[fold.others],
            f"{fold.n:,}",
            with_error(fold.value, fold.value_se, fold.n),
            with_error(stand.value, stand.value_se, stand.n),
        )
        for fold, stand in zip(each(against_fold), each(against_stand), strict=True)
    ]
    return make_exhibit(
        f"miss-map-{cell.number}",
        f"When the miss is worth taking: {cell.label}",
        "Maps with a row for each band of hands and a column for each seat, side by side by the "
        "number of players already in; above the value of the miss against folding, below against "
        "standing.",
        caption,
        lambda: draw_miss_map(values, cell.players),
        Table(
            "Value of taking the miss in stakes (standard error of the last digits in brackets)",
            ("hand", "seat", "players in", "deals", "against folding", "against standing"),
            tuple(rows),
        ),
    )


@lru_cache(maxsize=_KEPT)
def blind_miss(cell: Cell) -> pd.DataFrame:
    """What taking the miss nets in each seat whatever the hand.

    The mean over all deals in which the seat spoke with the miss still there, the others following
    their policies. A seat speaks once a deal, so that its error is exact. The first seat's mean is
    the one that is weighted by the exact chance of each hand, where the run has it.

    Returns
    -------
    DataFrame
        A row a seat to whom the miss ever was on offer, from the first to speak: `seat`,
        `to_speak`, `n` deals, `miss` and `miss_se` in stakes, and `miss_loo`, the share of those
        deals in which he is looed.
    """
    pooled = pool(cell.announcements(["seat", *_VALUES], miss_free=True), ["seat"])
    if "precision" in cell.tables:
        pooled = sharpened(pooled, cell.tables["precision"])
    return pooled.assign(to_speak=cell.players - 1 - pooled["seat"])


def has_offers(cell: Cell) -> bool:
    """Whether the miss ever was on offer in a game."""
    return cell.has("announce") and len(blind_miss(cell)) > 0


def draw_blind_miss(cells: list[Cell]) -> Figure:
    """Net of the miss taken blind by players still to speak, a line a game.

    A cross in the legend marks a game without figures.
    """
    lines = []
    for cell in cells:
        if not has_offers(cell):
            lines.append(style.Line.missing(cell.label))
            continue
        seats = blind_miss(cell)
        lines.append(
            style.Line(
                cell.label,
                seats["to_speak"].to_numpy(float),
                seats["miss"].to_numpy(float),
                Z95 * seats["miss_se"].to_numpy(float),
            )
        )
    return style.draw_lines(lines, "net of the miss, stakes")


def compare_seats(cell: Cell) -> str:
    """A sentence on the seats in which the miss taken blind nets most and least."""
    seats = [
        Candidate(f"for {cell.seat_in_words(int(row.seat))}", row.miss, row.miss_se, row.n)
        for row in each(blind_miss(cell))
    ]
    return extremes(f"With {cell.label}, the net of the miss, whatever the hand,", seats, "seats")


def compare_games(cells: list[Cell]) -> str:
    """A sentence on the games in which the miss nets most and least for the first who may ask."""
    games = []
    for cell in cells:
        first = blind_miss(cell).iloc[0]
        known = first["miss"], first["miss_se"], int(first["n"])
        games.append(Candidate(f"with {cell.label}", *known, pieces=cell.pieces("miss")))
    return extremes(
        "The net of the miss for the first who may ask, whatever his hand,", games, "games"
    )


def blind_exhibit(cells: list[Cell]) -> Exhibit:
    """What the miss nets by seat, whatever the hand, all games in one figure.

    One of them at least has figures.
    """
    there, gone = divided(cells, has_offers)
    return make_exhibit(
        "blind-miss",
        "What the miss nets, whatever the hand",
        "Lines of the mean net of taking the miss in stakes by seat, in the order of speaking, "
        "with 95 % intervals.",
        f"{compare_seats(there[0])} It is the mean over all deals in which the seat speaks with "
        "the miss still there, as if he took it each time without a look at his hand, the others "
        "playing as before. Above 0 it beats folding; with which hands it beats standing is shown "
        f"further down. {name_missing(gone)}".rstrip(),
        lambda: draw_blind_miss(cells),
        table_by_game(
            "Net of taking the miss in stakes, and how often he is looed by it (standard error of "
            "the last digits in brackets)",
            ("game", "seat", "deals", "net", "looed"),
            cells,
            has_offers,
            _blind_rows,
        ),
    )


def _blind_rows(cell: Cell) -> list[tuple[str, ...]]:
    return [
        (
            cell.label,
            cell.seat_name(int(row.seat)),
            f"{int(row.n):,}",
            with_error(row.miss, row.miss_se, row.n),
            percent_with_error(row.miss_loo, row.n),
        )
        for row in each(blind_miss(cell))
    ]


def blind_for_first(cell: Cell) -> str:
    """A sentence on what taking the miss brings, whatever the hand, to the first who may ask."""
    first = blind_miss(cell).iloc[0]
    who = cell.seat_in_words(int(first["seat"]))
    found = on_offer(cell).loc[lambda rows: rows["seat"] == first["seat"], "standers"].unique()
    if len(found) == 1 and found[0]:
        who = f"{who} with {found[0]} in"
    value, error, n = float(first["miss"]), float(first["miss_se"]), int(first["n"])
    if not abs(value) > Z95 * error:
        verdict = "too close to call against folding"
    else:
        verdict = "more than folding" if value > 0 else "less than folding"
    return (
        f"Taking the miss whatever the hand nets {interval(value, error, n)} stakes for "
        f"{who}, {verdict}; he is looed in "
        f"{percent_interval(float(first['miss_loo']), n)} of those deals."
    )
