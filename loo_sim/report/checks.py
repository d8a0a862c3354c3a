"""What a result can be held to: sums that must come out to the unit, and chances known exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import comb, isfinite, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from loo_sim.cards import HandClasses, hand_classes
from loo_sim.report.hands import TRUMPS, features
from loo_sim.report.result import DONE, Cell
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies.strata import cut

_LEAST_EXPECTED = 5.0
"""Hands that a class must be expected to bring, for chi-squared to be about chi-squared."""


class Sum(NamedTuple):
    """A sum that must come out exactly.

    Attributes
    ----------
    what : str
        What must hold.
    rule : str
        Of the rulebook.
    off_by : callable
        From a game to how far it is off, a whole number of `unit`; None if it has no such sum.
    unit : str
        What is counted.
    """

    what: str
    rule: str
    off_by: Callable[[Cell], int | None]
    unit: str


def whole(values: pd.Series, n: pd.Series | int, per: int = 1) -> npt.NDArray[np.object_]:
    """Totals, which are whole numbers, out of means over `n` observations in 1 / `per`."""
    totals = values.to_numpy(dtype=float) * np.asarray(n, dtype=float) * per
    return np.array([round(total) for total in totals], dtype=object)


def _in_deals(cell: Cell) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame] | None:
    """The tables `deals`, `pot` and `swings` of a game of which no seat is missing."""
    there = all(name in cell.tables for name in ("deals", "pot", "swings"))
    if not there or len(cell.tables["deals"]) < cell.players:
        return None
    return cell.tables["deals"], cell.tables["pot"], cell.tables["swings"]


def money_of_deals(cell: Cell) -> int | None:
    """Nets of all seats and changes of the pot, summed over all deals, units: S15, S16."""
    tables = _in_deals(cell)
    if tables is None:
        return None
    seats, _, swings = tables
    nets = whole(seats["net"], seats["n"], UNITS_PER_STAKE)
    changes = whole(swings["pot_swing"], swings["n"], UNITS_PER_STAKE)
    return int(nets.sum() + changes.sum())


def tricks_of_deals(cell: Cell) -> int | None:
    """Tricks of all seats less three for each deal in which two or more were in."""
    tables = _in_deals(cell)
    if tables is None:
        return None
    seats, pot, _ = tables
    played = int(pot.loc[pot["standers"] >= 2, "n"].sum())
    return int(whole(seats["tricks"], seats["n"]).sum()) - 3 * played


def looed_of_deals(cell: Cell) -> int | None:
    """How often a seat was looed, less how many were looed by the pots' account."""
    tables = _in_deals(cell)
    if tables is None:
        return None
    seats, pot, _ = tables
    by_seat, by_pot = whole(seats["looed"], seats["n"]), whole(pot["looed"], pot["n"])
    return int(by_seat.sum() - by_pot.sum())


def whole_pots_of_deals(cell: Cell) -> int | None:
    """How often a seat took the whole pot, less the deals in which fewer than two were in."""
    tables = _in_deals(cell)
    if tables is None:
        return None
    seats, pot, _ = tables
    took = whole(seats["took_pot"], seats["n"]).sum()
    return int(took) - int(pot.loc[pot["standers"] < 2, "n"].sum())


def deals_counted(cell: Cell) -> int | None:
    """Deals by the pots' account less deals played."""
    tables = _in_deals(cell)
    return None if tables is None else int(tables[2]["n"].sum()) - cell.deals


def money_of_sessions(cell: Cell) -> int | None:
    """Final purses and what is left in pots, less what was brought, over all tables, units: S17."""
    if "purse" not in cell.tables or len(cell.tables["purse"]) < cell.players:
        return None
    purses, session = cell.tables["purse"], cell.tables["session"]
    held = whole(purses["final"], purses["n"], UNITS_PER_STAKE).sum()
    left = whole(session["pot_left"], cell.deals, UNITS_PER_STAKE).sum()
    brought = (cell.bankroll or 0) * cell.players * cell.deals * UNITS_PER_STAKE
    return int(held + left - brought)


def highest_trump_looed(cell: Cell) -> int | None:
    """How often the holder of the highest live trump stood and was looed: the third fact."""
    if "announce" not in cell.tables:
        return None
    rows = cell.announcements(["hand", "stand_loo", "n"])
    # Hands are named as if spades were trumps and the lowest of them turned up.
    hands = rows["hand"].cat
    has_ace = hands.categories.str.startswith("As")[hands.codes]
    held = rows[has_ace & (rows["stand_loo"] > 0)]
    return int(whole(held["stand_loo"], held["n"]).sum())


def nets_of_league(cell: Cell) -> int | None:
    """Pairs whose difference is not that of the two nets, in millionths of a stake."""
    if "league" not in cell.tables:
        return None
    nets = cell.tables["standing"].set_index("policy")["net"]
    pairs = cell.tables["league"]
    expected = pairs["policy"].map(nets) - pairs["rival"].map(nets)
    return int(((pairs["net_diff"] - expected).abs() > 1e-6).sum())


SUMS = (
    Sum(
        "what the seats net and what the pot changes by come to nothing",
        "money is exact",
        money_of_deals,
        "units",
    ),
    Sum("a deal that is played has three tricks", "S5", tricks_of_deals, "tricks"),
    Sum("as many loos are paid by the seats as come into the pot", "S16", looed_of_deals, "loos"),
    Sum(
        "the whole pot is taken where fewer than two are in, and nowhere else",
        "S7, S8",
        whole_pots_of_deals,
        "deals",
    ),
    Sum("every deal is counted once", "–", deals_counted, "deals"),
    Sum(
        "purses at the end and what is left in the pot are what was brought",
        "S17",
        money_of_sessions,
        "units",
    ),
    Sum(
        "who stands on the highest trump is never looed",
        "facts",
        highest_trump_looed,
        "loos",
    ),
    Sum(
        "the difference of two policies is that of their nets",
        "–",
        nets_of_league,
        "pairs",
    ),
)
"""What must hold exactly, whatever is played."""


class Chance(NamedTuple):
    """A figure whose exact value is known, and what came of it.

    Attributes
    ----------
    what : str
        What it is.
    exact, found, error : float
        Its exact value, what was found, and the standard error that it has if all is right;
        shares in percent, else stakes.
    n : int
        Deals, or tables.
    unit : str
        ``%`` or ``stakes``; empty where `found` is a z-score itself.
    """

    what: str
    exact: float
    found: float
    error: float
    n: int
    unit: str

    @property
    def z(self) -> float:
        """How many standard errors it lies from its exact value."""
        return (self.found - self.exact) / self.error


def chances(cells: Sequence[Cell]) -> list[Chance]:
    """All exact chances that games can be held to.

    The first seat of all games of one seed is dealt the same hands, so that of those that agree
    one alone is held to them.
    """
    found: dict[tuple[float, ...], Chance] = {}
    for cell in cells:
        if cell.status != DONE:
            continue
        for chance in (*_hands_of_first_seat(cell), *_purses(cell)):
            found.setdefault((chance.exact, chance.found, float(chance.n)), chance)
    return list(found.values())


def _share(what: str, chance: float, hits: int, n: int) -> Chance:
    error = sqrt(chance * (1 - chance) / n)
    return Chance(what, 100 * chance, 100 * hits / n, 100 * error, n, "%")


def _hands_of_first_seat(cell: Cell) -> Iterable[Chance]:
    """How often the first seat, which always has a say, was dealt what hands."""
    if "announce" not in cell.tables:
        return
    rows = cell.announcements(["hand", "n"], seat=0)
    rows = rows[~rows["aimed"]]
    n = int(rows["n"].sum())
    if n == 0:
        return
    kinds = features(cell.deck)
    dealt = np.zeros(len(kinds), dtype=np.int64)
    dealt[kinds.index.get_indexer(pd.Index(rows["hand"]))] = rows["n"]
    live = {52: (12, 39), 32: (7, 24)}[cell.deck]
    trumps = kinds["trumps"].to_numpy()
    pack = "" if cell.deck == 52 else f", {cell.deck} cards"
    for number, name in enumerate(TRUMPS):
        chance = comb(live[0], number) * comb(live[1], 3 - number) / comb(sum(live), 3)
        yield _share(f"seat 0 is dealt {name}{pack}", chance, int(dealt[trumps == number].sum()), n)
    held = kinds.index.str.startswith("As")
    what = f"seat 0 has the highest trump{pack}"
    yield _share(what, 3 / sum(live), int(dealt[held].sum()), n)
    spread = chi_squared(dealt, hand_classes(cell.deck), n)
    if spread is not None:
        yield Chance(f"all its hands, chi-squared{pack}", 0, spread, 1, n, "")


def chi_squared(dealt: npt.NDArray[np.int64], classes: HandClasses, n: int) -> float | None:
    """Chi-squared of the hands dealt as a z-score (Wilson and Hilferty); None if n is too small.

    Classes that follow each other are joined until each brings enough.
    """
    hands = classes.size.sum()
    starts = cut(classes.size, _LEAST_EXPECTED / n * hands)
    expected = np.add.reduceat(classes.size, starts) * (n / hands)
    came = np.add.reduceat(dealt, starts)
    free = len(starts) - 1
    if free < 2:
        return None
    spread = float(((came - expected) ** 2 / expected).sum())
    return float(((spread / free) ** (1 / 3) - (1 - 2 / (9 * free))) / sqrt(2 / (9 * free)))


def _purses(cell: Cell) -> Iterable[Chance]:
    """What each person ends with where all play alike: the first dealer is drawn, all are equal.

    The mean over people has the variance V of what is left in the pot over k^2, and by symmetry a
    person's covariance with it is V too: what he ends with above it has the variance of his purse
    less V.
    """
    if "purse" not in cell.tables or len(set(cell.policies)) > 1:
        return
    purses, session = cell.tables["purse"], cell.tables["session"].iloc[0]
    exact = (cell.bankroll or 0) - float(session["pot_left"]) / cell.players
    common = float(session["pot_left_se"]) / cell.players
    for person, final, error in zip(
        purses["person"], purses["final"], purses["final_se"], strict=True
    ):
        apart = float(error) ** 2 - common**2
        if isfinite(apart) and apart > 0:
            what = f"purse of person {person}, {cell.label}"
            yield Chance(what, exact, float(final), sqrt(apart), cell.deals, "stakes")
