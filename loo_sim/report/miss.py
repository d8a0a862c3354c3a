"""Exhibits about the miss: what taking it is worth, by hand and seat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, to_hex
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.hands import BANDS, features
from loo_sim.report.pooling import FEW_DEALS, decide
from loo_sim.report.result import Cell
from loo_sim.report.rounding import Z95, interval, listed, percent_in_words, signed, with_error
from loo_sim.studies.estimates import aggregate

CONTRASTS = {
    "miss": "taking the miss against folding",
    "miss_minus_stand": "taking the miss against standing",
}
"""The two comparisons that decide whether to take the miss, with their titles."""

STANDERS = ("nobody in yet", "one in", "two or more in")
"""Columns of the map."""

MOST_NAMED = 3
"""Seats named one by one."""

_KEPT = 8
"""Games whose tables are kept while the page is put together."""

Bounds = npt.NDArray[np.float64]

_ROW, _LABELS, _GAP, _HEAD, _BETWEEN, _FOOT = 0.22, 1.85, 0.1, 0.5, 0.3, 0.78
"""Inches: a row of a map, its labels, between maps side by side, above each line of maps, between
the two lines, below the last."""

_TICK = 0.17
"""Inches that the number of a seat takes; where squares are narrower, some go without."""

_LEGIBLE = 5.0
"""Points: numbers that would be smaller are left to the table."""


@lru_cache(maxsize=_KEPT)
def on_offer(cell: Cell) -> pd.DataFrame:
    """The rows of the announce table where the miss is there, with what is read off each hand.

    Returns
    -------
    DataFrame
        The rows, with the columns of `features` and `can_defend`.
    """
    rows = cell.tables["announce"]
    rows = rows[rows["miss_free"].astype(bool)]
    kinds = features(cell.deck)
    read_off = kinds.iloc[kinds.index.get_indexer(pd.Index(rows["hand"]))]
    read_off.index = rows.index
    return pd.concat([rows.assign(can_defend=rows["defend"].notna()), read_off], axis=1)


def miss_map(cell: Cell) -> pd.DataFrame:
    """Value of taking the miss by band of hands, seat and players in.

    Returns
    -------
    DataFrame
        `contrast` (a key of `CONTRASTS`), `band`, `seat`, `others` (index into `STANDERS`), `n`
        deals, `value` and `value_se` in stakes, and `sure`: the 95 % interval excludes 0, on
        `FEW_DEALS` deals or more.
    """
    rows = on_offer(cell)
    rows = rows.assign(others=np.minimum(rows["standers"], 2))
    keys = ["seat", "others", "band"]
    pooled = aggregate(rows, keys)
    parts = [
        pooled[[*keys, "n"]].assign(
            contrast=name, value=pooled[name], value_se=pooled[f"{name}_se"]
        )
        for name in CONTRASTS
    ]
    values = pd.concat(parts, ignore_index=True)
    sure = (values["value"].abs() > Z95 * values["value_se"]) & (values["n"] >= FEW_DEALS)
    return values.assign(sure=sure)


def _bounds(values: pd.Series) -> Bounds:
    """Steps of the colour scale, alike on both sides of 0."""
    extent = float(np.nanquantile(values.abs(), 0.95)) if len(values) else 1.0
    nice = [0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3, 4, 5, 7.5, 10, 15, 20, 30, 50]
    most = next((step for step in nice if step >= extent), extent)
    return np.linspace(-most, most, 11)


def draw_miss_map(values: pd.DataFrame, players: int) -> Figure:
    """Maps of both contrasts, bands of hands by seats, for each number of players in."""
    bounds = _bounds(values["value"])
    colours = colormaps[style.DIVERGING].resampled(len(bounds) + 1)
    norm = BoundaryNorm(bounds, colours.N, extend="both")
    bands = sorted(values["band"].unique())
    groups = {
        others: sorted(values.loc[values["others"] == others, "seat"].unique())
        for others in sorted(values["others"].unique())
    }
    columns = sum(len(seats) for seats in groups.values())
    room = style.WIDTH - _LABELS - _GAP * (len(groups) - 1)
    across, tall = room / columns, _ROW * len(bands)
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
            squares = []
            for row in each(chosen):
                colour = colours(norm(row.value))
                squares.append(
                    style.Square(
                        bands.index(row.band),
                        seats.index(row.seat),
                        to_hex(colour),
                        style.ink_on(colour),
                        signed(f"{row.value:.1f}") if size >= _LEGIBLE else "",
                        not row.sure,
                    )
                )
            style.draw_squares(axes, squares, len(bands), len(seats), size)
            names = ["D" if seat == players - 1 else str(seat) for seat in seats]
            shown = range(len(seats) - 1, -1, -ceil(_TICK / across))
            axes.set_xticks(shown, [names[place] for place in shown], fontsize=8)
            labels = [BANDS[band] for band in bands] if left == _LABELS else []
            axes.set_yticks(range(len(labels)), labels, fontsize=8)
            axes.set_title(STANDERS[others], fontsize=8.5, weight="normal", pad=3)
            left += across * len(seats) + _GAP
    _draw_scale(figure, bounds, ScalarMappable(norm, colours))
    return figure


def _draw_scale(figure: Figure, bounds: Bounds, colours: ScalarMappable) -> None:
    """The scale of colours at the figure's foot."""
    height = figure.get_size_inches()[1]
    axes = style.map_axes(figure, (_LABELS, height - 0.42, style.WIDTH - _LABELS, 0.1))
    bar = figure.colorbar(colours, cax=axes, orientation="horizontal", extendfrac="auto")
    bar.outline.set_visible(False)
    names = [signed(f"{step:+g}") if step else "0" for step in bounds.round(6)]
    bar.set_ticks(list(bounds), labels=names)
    bar.ax.tick_params(length=0, labelsize=8)
    middle = 1 - (height - 0.37) / height
    figure.text(
        (_LABELS - 0.08) / style.WIDTH, middle, "stakes", fontsize=8, ha="right", va="center"
    )


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
        f"Of the {len(lowest)} squares, taking the miss beats both folding and standing in "
        f"{better} and loses to one of them in {worse}{doubt}. "
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
            with_error(fold.value, fold.value_se),
            with_error(stand.value, stand.value_se),
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
def offer_worth(cell: Cell) -> pd.DataFrame:
    """What having the miss on offer is worth in each seat.

    Hands are sorted into kinds (number of trumps, and two ranks) apart by players in. Where the
    miss surely beats the better of standing and doing nothing (`decide`), the kind counts with the
    difference, elsewhere with 0; the mean over all deals in which the seat spoke with the miss
    still there is what the offer adds to such a deal, the others following their policies.

    Returns
    -------
    DataFrame
        `seat`, `to_speak`, `n` deals, `worth` and `worth_se` in stakes, and `taken`, the share of
        those deals in which the miss surely was the best.
    """
    rows = on_offer(cell)
    kinds = decide(rows, ["seat", "standers", "trumps", "row", "col"])
    gains = kinds["sure"] & (kinds["best"] == "miss")
    kinds = kinds.assign(
        gain=np.where(gains, kinds["n"] * kinds["margin"], 0.0),
        square=np.where(gains, (kinds["n"] * kinds["margin_se"]) ** 2, 0.0),
        taken=np.where(gains, kinds["n"], 0),
    )
    sums = kinds.groupby("seat", as_index=False)[["n", "gain", "square", "taken"]].sum()
    return pd.DataFrame(
        {
            "seat": sums["seat"],
            "to_speak": cell.players - 1 - sums["seat"],
            "n": sums["n"],
            "worth": sums["gain"] / sums["n"],
            "worth_se": np.sqrt(sums["square"]) / sums["n"],
            "taken": sums["taken"] / sums["n"],
        }
    )


@dataclass(frozen=True)
class Offer:
    """What the miss on offer is worth in one game.

    Attributes
    ----------
    cell : Cell
    worth : DataFrame
        From `offer_worth`.
    """

    cell: Cell
    worth: pd.DataFrame

    def extreme(self, most: bool) -> pd.Series:
        """The row of the seat to which the offer is worth most, or least."""
        worth = self.worth["worth"]
        return self.worth.iloc[int(worth.argmax() if most else worth.argmin())]

    def told(self, row: pd.Series) -> str:
        """The worth in a row in words: ``to seat 3 (0.21 ± 0.01 stakes)``."""
        who = self.cell.seat_in_words(int(row["seat"]))
        if row["worth"] > Z95 * row["worth_se"]:
            return f"to {who} ({interval(row['worth'], row['worth_se'])} stakes)"
        return f"to {who} (nothing that can be told from 0)"

    def told_least(self) -> str:
        """The seats to which the offer is worth least, in words like `told`."""
        nothing = self.worth[~(self.worth["worth"] > Z95 * self.worth["worth_se"])]
        if nothing.empty:
            return f"least {self.told(self.extreme(most=False))}"
        names = [self.cell.seat_in_words(int(seat)) for seat in nothing["seat"]]
        if len(names) <= MOST_NAMED:
            whom = listed(names)
        else:
            rest = len(names) == len(self.worth) - 1
            whom = "the others" if rest else f"{len(names)} of the seats"
        return f"nothing that can be told from 0 to {whom}"


def offers(cells: Iterable[Cell]) -> list[Offer]:
    """The offers of those games in which the miss ever was on offer."""
    return [Offer(cell, offer_worth(cell)) for cell in cells if len(on_offer(cell))]


def draw_offer_worth(games: list[Offer]) -> Figure:
    """Worth of the offer by players still to speak, a line a game."""
    lines = [
        style.Line(
            game.cell.label,
            game.worth["to_speak"].to_numpy(float),
            game.worth["worth"].to_numpy(float),
            Z95 * game.worth["worth_se"].to_numpy(float),
        )
        for game in games
    ]
    figure = style.draw_lines(lines, "worth of the offer, stakes")
    for axes in figure.axes:
        # A little room, so that the axis cuts no marker at 0 in half.
        axes.set_ylim(bottom=-0.03 * axes.get_ylim()[1])
    return figure


def compare_offers(game: Offer) -> str:
    """A sentence on the seats to which the offer is worth most and least."""
    most, least = game.extreme(most=True), game.extreme(most=False)
    start = f"With {game.cell.label}, having the miss on offer is worth"
    each_time = "each time he speaks while it is there"
    if not most["worth"] > Z95 * most["worth_se"]:
        return f"{start} nothing that can be told from 0 to any seat."
    if len(game.worth) == 1:
        return f"{start} something to one seat alone: {game.told(most)}, {each_time}."
    # Seats share their deals: the sum of the errors is the most that their difference can have.
    if most["worth"] - least["worth"] > Z95 * (most["worth_se"] + least["worth_se"]):
        return f"{start} most {game.told(most)}, {each_time}, and {game.told_least()}."
    return (
        f"{start} about the same to all who may ask: between most, {game.told(most)}, and least, "
        f"{game.told(least)}, {each_time}, it is too close to call."
    )


def compare_games(games: list[Offer]) -> str:
    """A sentence on where in a sweep the offer is worth most to the seat that gains most by it."""
    best = sorted(games, key=lambda game: float(game.extreme(most=True)["worth"]))
    low, high = best[0], best[-1]
    of_low, of_high = low.extreme(most=True), high.extreme(most=True)
    difference = float(of_high["worth"] - of_low["worth"])
    if not difference > Z95 * float(np.hypot(of_high["worth_se"], of_low["worth_se"])):
        return "In which game the offer of the miss is worth most is too close to call."
    return (
        f"Of the {len(games)} games the offer of the miss is worth most with {high.cell.label}, "
        f"{high.told(of_high)} each time he speaks while it is there; with {low.cell.label} it is "
        f"worth least, and there most {low.told(of_low)}."
    )


def offer_exhibit(games: list[Offer]) -> Exhibit:
    """The worth of having the miss on offer, all games in one figure."""
    rows = [
        (
            game.cell.label,
            game.cell.seat_name(int(row.seat)),
            f"{int(row.n):,}",
            with_error(row.worth, row.worth_se),
            f"{100 * row.taken:.1f} %",
        )
        for game in games
        for row in each(game.worth)
    ]
    return make_exhibit(
        "offer-worth",
        "What it is worth to have the miss on offer",
        "Lines of the worth of the offer in stakes against the number of players still to speak, "
        "with 95 % intervals.",
        f"{compare_offers(games[0])} The worth is what a player gains who takes the miss with just "
        "the right hands, over the best that he could do if it were gone, the others playing as "
        "before; it is a mean over all his hands. Only kinds of hands with which the miss surely "
        "beats standing and folding (each at 95 %) are counted, so that the true worth is rather "
        "higher.",
        lambda: draw_offer_worth(games),
        Table(
            "Worth in stakes each time the seat speaks with the miss still there (standard error "
            "of the last digits in brackets), and how often the miss is then surely best",
            ("game", "seat", "deals", "worth", "miss surely best"),
            tuple(rows),
        ),
    )


def blind_miss(cell: Cell) -> str:
    """A sentence on what taking the miss brings, whatever the hand, to the first who may ask."""
    rows = on_offer(cell)
    rows = rows[rows["seat"] == rows["seat"].min()]
    total = aggregate(rows, ["seat"]).iloc[0]
    value, error = float(total["miss"]), float(total["miss_se"])
    if not abs(value) > Z95 * error:
        verdict = "too close to call against folding"
    else:
        verdict = "more than folding" if value > 0 else "less than folding"
    return (
        f"Taking the miss whatever the hand nets {interval(value, error)} stakes for "
        f"{cell.seat_in_words(int(total['seat']))}, {verdict}; he is looed in "
        f"{percent_in_words(float(total['miss_loo']))} of those deals."
    )
