"""The headline figures of each study, by which games are compared and whose errors are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, nan
from typing import NamedTuple

from loo_sim.report import leads, miss, swings
from loo_sim.report.axes import Swept
from loo_sim.report.exhibit import Table
from loo_sim.report.missing import mark_missing
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import DONE, Cell
from loo_sim.rounding import NONE, interval, with_error
from loo_sim.studies.estimates import FEW_DEALS, Z95
from loo_sim.studies.lead import MAIN
from loo_sim.studies.paired import Pieces

STAKES, PERCENT = " stakes", " %"


class Known(NamedTuple):
    """What a game knows of a figure.

    Attributes
    ----------
    value, error : float
        The figure and its standard error, in the unit of its headline; nan if there is none.
    n : int
        Deals, or tables, that it rests on.
    """

    value: float
    error: float
    n: int

    @property
    def is_there(self) -> bool:
        """Whether there is a figure."""
        return isfinite(self.value)

    @property
    def is_sure(self) -> bool:
        """Whether its 95 % interval excludes 0, on deals enough for it to have one."""
        return self.n >= FEW_DEALS and abs(self.value) > Z95 * self.error

    @property
    def told(self) -> str:
        """With its standard error, for a table."""
        return with_error(self.value, self.error, self.n)


NOTHING = Known(nan, nan, 0)


class Headline(NamedTuple):
    """A figure that every game of a study has.

    Attributes
    ----------
    slug : str
        Unique among all.
    title : str
        Without an article.
    what : str
        In words, as a sentence begins: ``The mean change of the pot in a deal``.
    unit : str
        ``" stakes"`` or ``" %"``, as it follows a number.
    followed : str
        The figure of the table ``running`` that is this one, chunk by chunk; empty for none.
    of_zero : bool
        Whether 0 divides good from bad: a gain, a loss, a difference.
    measure : callable
        From a game to what it knows.
    """

    slug: str
    title: str
    what: str
    unit: str
    followed: str
    of_zero: bool
    measure: Callable[[Cell], Known]

    def of(self, cell: Cell) -> Known:
        """What a game knows of it; `NOTHING` where it failed or has no such figure."""
        if cell.status != DONE:
            return NOTHING
        found = self.measure(cell)
        return found if found.is_there else NOTHING

    def pieces_of(self, cell: Cell) -> Pieces | None:
        """The same figure chunk by chunk of the work; None where it was not followed."""
        return cell.pieces(self.followed) if self.followed else None

    def interval(self, known: Known) -> str:
        """The figure with its 95 % interval and unit."""
        return interval(known.value, known.error, known.n, self.unit)


def _pot_change(cell: Cell) -> Known:
    if "swings" not in cell.tables:
        return NOTHING
    return Known(*swings.mean_swing(cell), cell.deals)


def _value_of_miss(cell: Cell, column: str) -> Known:
    if "announce" not in cell.tables or not len(miss.blind_miss(cell)):
        return NOTHING
    first = miss.blind_miss(cell).iloc[0]
    return Known(float(first[column]), float(first[f"{column}_se"]), int(first["n"]))


def _lowest_lead(cell: Cell) -> Known:
    row = leads.overall(cell) if "lead" in cell.tables else {}
    if not row:
        return NOTHING
    return Known(float(row[MAIN]), float(row[f"{MAIN}_se"]), int(row["n"]))


def _of_session(cell: Cell, column: str, scale: float) -> Known:
    if "session" not in cell.tables:
        return NOTHING
    row = cell.tables["session"].iloc[0]
    return Known(scale * float(row[column]), scale * float(row[f"{column}_se"]), cell.deals)


def _league_spread(cell: Cell) -> Known:
    if "standing" not in cell.tables:
        return NOTHING
    order = cell.tables["standing"]["policy"]
    pairs = cell.tables["league"]
    ends = pairs[(pairs["policy"] == order.iloc[0]) & (pairs["rival"] == order.iloc[-1])]
    if ends.empty:
        return NOTHING
    row = ends.iloc[0]
    return Known(float(row["net_diff"]), float(row["net_diff_se"]), cell.deals)


HEADLINES = (
    Headline(
        "pot-change",
        "Mean change of the pot",
        "The mean change of the pot in a deal",
        STAKES,
        "pot_swing",
        True,
        _pot_change,
    ),
    Headline(
        "miss-value",
        "Value of the miss, whatever the hand",
        "The net of the miss for the first who may ask, whatever his hand,",
        STAKES,
        "miss",
        True,
        lambda cell: _value_of_miss(cell, "miss"),
    ),
    Headline(
        "miss-minus-stand",
        "The miss less standing, whatever the hand",
        "What the miss nets more than standing, for the first who may ask and whatever his hand,",
        STAKES,
        "miss_minus_stand",
        True,
        lambda cell: _value_of_miss(cell, "miss_minus_stand"),
    ),
    Headline(
        "lowest-minus-highest",
        "The lowest first lead less the highest",
        "What the lowest card that may be led first nets more than the highest",
        STAKES,
        MAIN,
        True,
        _lowest_lead,
    ),
    Headline(
        "mean-pot",
        "Mean pot",
        "The mean pot when play begins",
        STAKES,
        "pot",
        False,
        lambda cell: _of_session(cell, "pot", 1),
    ),
    Headline(
        "clean",
        "Share of clean deals",
        "The share of clean deals",
        PERCENT,
        "",
        False,
        lambda cell: _of_session(cell, "clean", 100),
    ),
    Headline(
        "spread",
        "Lead of the first policy over the last",
        "The lead of the first policy over the last in net",
        STAKES,
        "",
        False,
        _league_spread,
    ),
)
"""All of them, the one that `until` is about before others of its study."""


def headlines_of(cells: list[Cell]) -> list[Headline]:
    """Those figures that one game at least knows."""
    return [headline for headline in HEADLINES if any(headline.of(cell).is_there for cell in cells)]


class Game(NamedTuple):
    """A game of a sweep and what it knows of a figure."""

    cell: Cell
    known: Known


def games_of(cells: Sequence[Cell], headline: Headline) -> list[Game]:
    """The data of a figure of a sweep: each game with what it knows, in the order of the sweep."""
    return [Game(cell, headline.of(cell)) for cell in cells]


def games_table(headline: Headline, axes: Sequence[Swept], games: Sequence[Game]) -> Table:
    """The figure of each game by its values of some axes; where it has none, why."""
    unit = headline.unit.strip()
    rows = [
        (*(axis.words[axis.place[number]] for axis in axes), *_entries(game))
        for number, game in enumerate(games)
    ]
    return Table(
        f"{headline.title}, {unit} (standard error of the last digits in brackets)",
        (*(axis.name for axis in axes), "n", unit),
        tuple(rows),
    )


def _entries(game: Game) -> tuple[str, str]:
    if not game.known.is_there:
        return NONE, mark_missing(game.cell)
    return f"{game.known.n:,.0f}", game.known.told


def missing(games: Sequence[Game]) -> list[Cell]:
    """The games without the figure."""
    return [game.cell for game in games if not game.known.is_there]


def compare(headline: Headline, games: Sequence[Game]) -> str:
    """A sentence on the games in which a figure is highest and lowest."""
    return extremes(
        headline.what,
        [
            Candidate(
                f"with {cell.label}",
                known.value,
                known.error,
                known.n,
                headline.interval(known),
                headline.pieces_of(cell),
            )
            for cell, known in games
            if known.is_there
        ],
        "games",
    )
