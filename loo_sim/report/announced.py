"""What a solved strategy announces: chances by kind of hand, and how often each situation comes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from loo_sim.cards import classes_in_whole_pack, hand_classes
from loo_sim.policies.features import situations
from loo_sim.policies.policy import ACTIONS
from loo_sim.report.exhibit import Table, each
from loo_sim.report.hands import BANDS, features, rank_sign
from loo_sim.report.result import Cell
from loo_sim.report.strategy import IN_WORDS, KIND, Spot, spot_at
from loo_sim.report.tables import Tables
from loo_sim.rounding import NONE, listed, percent_in_words
from loo_sim.rules import Rules
from loo_sim.solution import Solution

LEAST_SHOWN = 0.05
"""Smallest chance that has a part of a square, or a word, of its own."""

MOST_IN_CRIB = 4
"""Situations of the crib."""

CHANCES = list(ACTIONS)
Key = tuple[int, int, bool]
"""Seat, standers, miss_free."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """What is announced in one game. Equal only to itself.

    Attributes
    ----------
    cell : Cell
        The game; it has no tables.
    rules : Rules
        Those played by.
    mixtures : ndarray of float64, shape (mixtures, 4)
        Chances of `ACTIONS`.
    rows : mapping of Key to ndarray of uint16, shape (classes,)
        By situation, for each class of hands of the pack, which mixture it has.
    """

    cell: Cell
    rules: Rules
    mixtures: npt.NDArray[np.float64]
    rows: dict[Key, npt.NDArray[np.uint16]]

    def chances(self, key: Key) -> npt.NDArray[np.float64]:
        """Chances of `ACTIONS` in a situation, by class of hands."""
        return self.mixtures[self.rows[key]]

    def legal(self, key: Key) -> tuple[str, ...]:
        """What may be announced in a situation, in the order of `IN_WORDS`."""
        seat, standers, free = key
        legal = self.rules.legal_actions(seat == self.cell.players - 1, standers, free)
        return tuple(action for action in IN_WORDS if action in legal)


class Met(NamedTuple):
    """A situation of a strategy.

    Attributes
    ----------
    spot : Spot
    share : float
        Of all deals in which the seat finds it, from `met`.
    """

    spot: Spot
    share: float

    @property
    def key(self) -> Key:
        """Its seat, standers and miss_free."""
        return self.spot.seat, self.spot.standers, self.spot.miss_free


def strategies(solution: Solution) -> list[Strategy]:
    """The strategy of each game of a solution, by pot."""
    rules, table = solution.rules, solution.table
    of_pack = classes_in_whole_pack(rules.deck)
    mixtures = np.array(table.mixtures, dtype=np.float64)
    found = []
    for number, pot in enumerate(solution.pots, start=1):
        cell = Cell(
            number=number,
            axes={"pot": pot} if len(solution.pots) > 1 else {},
            players=solution.players,
            pot=pot,
            rules=rules.to_dict(),
            policies=(solution.policy.name,) * solution.players,
            in_league=False,
            rounds=0,
            bankroll=None,
            deals=solution.manifest["deals"],
            status="done",
            error="",
            tables=Tables({}, None, {}),
        )
        rows = {
            (seat, standers, free): table.rows[solution.players, pot, seat, standers, free][of_pack]
            for seat, standers, free in situations(solution.players)
        }
        found.append(Strategy(cell, rules, mixtures, rows))
    return found


@lru_cache(maxsize=2)
def _kinds_of_pack(deck: int) -> tuple[pd.DataFrame, npt.NDArray[np.intp]]:
    """The kinds of hands of a pack, and which of them each class is."""
    # Ranks from the highest down, as the squares of a grid lie.
    kinds, which = np.unique(-features(deck)[KIND].to_numpy(), axis=0, return_inverse=True)
    return pd.DataFrame(-kinds, columns=KIND), which.reshape(-1)


def _pooled(
    chances: npt.NDArray[np.float64], which: npt.NDArray[np.intp], deck: int
) -> pd.DataFrame:
    """Means of chances over groups of classes, a class counting as often as it is dealt.

    Returns
    -------
    DataFrame
        A row a group: `hands` in it, mean chances of `ACTIONS`, `mixes` (share of its hands of
        which the strategy leaves the announcement to chance), `best` (the greatest chance).
    """
    size = hand_classes(deck).size.astype(np.float64)
    hands = np.bincount(which, size)
    columns = dict(zip(ACTIONS, chances.T, strict=True)) | {"mixes": chances.max(axis=1) < 1}
    means = {name: np.bincount(which, size * values) / hands for name, values in columns.items()}
    found = pd.DataFrame({"hands": hands.astype(int), **means})
    return found.assign(best=found[list(IN_WORDS)].idxmax(axis=1))


@lru_cache(maxsize=512)
def matrix(strategy: Strategy, key: Key) -> pd.DataFrame:
    """What is announced in a situation by kind of hand: `KIND` and what `_pooled` gives."""
    kinds, which = _kinds_of_pack(strategy.cell.deck)
    return kinds.join(_pooled(strategy.chances(key), which, strategy.cell.deck))


def totals(kinds: pd.DataFrame) -> pd.Series:
    """Mean chances of `ACTIONS`, and `mixes`, over all hands of some `kinds` from `matrix`."""
    weights = kinds["hands"] / kinds["hands"].sum()
    return kinds[[*ACTIONS, "mixes"]].mul(weights, axis=0).sum()


@lru_cache(maxsize=8)
def met(strategy: Strategy) -> tuple[Met, ...]:
    """The situations of a game that come up, the most common ones first.

    How often each does follows from the strategy alone, with hands taken as independent of each
    other: from seat to seat, the share of deals in each situation is passed on to those that its
    mean chances lead to.
    """
    cell = strategy.cell
    found = []
    here: dict[tuple[int, bool], float] = {(0, True): 1.0}
    for seat in range(cell.players):
        after: dict[tuple[int, bool], float] = {}
        for (standers, free), share in here.items():
            key = seat, standers, free
            if key not in strategy.rows or not share:
                continue
            found.append(Met(spot_at(cell, *key), share))
            mean = totals(matrix(strategy, key))
            for action, then in (
                ("fold", (standers, free)),
                ("stand", (standers + 1, free)),
                ("miss", (standers + 1, False)),
            ):
                after[then] = after.get(then, 0.0) + share * mean[action]
        here = after
    return tuple(sorted(found, key=lambda one: (-one.share, *one.key[:2], not one.key[2])))


def parts(kind: Any) -> list[tuple[str, float]]:
    """Announcements and the parts of a square that stand for them, which sum to 1.

    In the order of `IN_WORDS`; chances below `LEAST_SHOWN` have none.
    """
    shown = [(action, getattr(kind, action)) for action in IN_WORDS]
    shown = [(action, chance) for action, chance in shown if chance >= LEAST_SHOWN]
    whole = sum(chance for _, chance in shown)
    return [(action, chance / whole) for action, chance in shown]


def in_words(kind: Any) -> str:
    """What is announced with a kind of hand: ``stand``, or ``stand 70 %, fold 30 %``."""
    shown = [action for action, _ in parts(kind)]
    if len(shown) == 1:
        return IN_WORDS[shown[0]]
    return ", ".join(f"{IN_WORDS[one]} {percent_in_words(getattr(kind, one))}" for one in shown)


def divide(strategy: Strategy, kinds: pd.DataFrame, key: Key) -> str:
    """How some hands divide into announcements: ``stand 23 %, take the miss 5 %, fold 72 %``."""
    mean = totals(kinds)
    return ", ".join(
        f"{IN_WORDS[action]} {percent_in_words(mean[action])}"
        for action in strategy.legal(key)
        if mean[action] > 0
    )


def tell(strategy: Strategy, one: Met) -> str:
    """Sentences on a situation: how all hands divide, and what three trumps do."""
    kinds = matrix(strategy, one.key)
    told = [f"Of all hands dealt: {divide(strategy, kinds, one.key)}."]
    three = kinds[kinds["trumps"] == 3]
    told += [f"With three trumps: {in_words(kind)}." for kind in each(three)]
    return " ".join(told)


def spots(strategy: Strategy) -> list[Met]:
    """The first seat, and the dealer as he most often finds the table with the miss there."""
    found = met(strategy)
    dealer = strategy.cell.players - 1
    first = [one for one in found if one.spot.seat == 0]
    last = [one for one in found if one.spot.seat == dealer and one.spot.miss_free]
    return [*first[:1], *last[:1]]


def how_it_plays(strategy: Strategy) -> str:
    """A sentence on what the first seat and the dealer announce; exact, as the strategy is."""
    told = []
    for one in spots(strategy):
        kinds = matrix(strategy, one.key)
        mean = totals(kinds)
        said = [
            f"{IN_WORDS[action]} with {percent_in_words(mean[action])}"
            for action in strategy.legal(one.key)
            if mean[action] > 0
        ]
        mixes = mean["mixes"]
        mixed = f" (mixing with {percent_in_words(mixes)})" if mixes else ""
        told.append(f"{one.spot.who} is to {listed(said)}{mixed}")
    return f"Of all hands dealt, {'; '.join(told)}."


def percent(share: float) -> str:
    """A share that is exact, for tables."""
    return f"{100 * share:.1f} %"


def number_table(
    strategy: Strategy,
    caption: str,
    heads: tuple[str, ...],
    kinds: Iterable[tuple[tuple[str, ...], Any, Key]],
) -> Table:
    """Chances by kind of hand, each after its entries under some `heads` of its own."""
    legal = {key: strategy.legal(key) for key in strategy.rows}
    return Table(
        caption,
        (*heads, "hands", *IN_WORDS.values(), "mixed"),
        tuple(
            (
                *entries,
                f"{kind.hands:,}",
                *(
                    percent(getattr(kind, action)) if action in legal[key] else NONE
                    for action in IN_WORDS
                ),
                percent(kind.mixes),
            )
            for entries, kind, key in kinds
        ),
    )


NUMBERS = (
    "Chance of each announcement, the mean over the hands of a kind (a dash where it is illegal); "
    "hands of the kind; the share of them of which the strategy itself leaves it to chance"
)


def all_chances(strategy: Strategy) -> Table:
    """The chances of every kind of hand in every situation, the most common ones first."""
    return number_table(
        strategy,
        NUMBERS,
        ("situation", "trumps", "row of its grid", "column of its grid"),
        (
            (
                (
                    one.spot.title,
                    str(kind.trumps),
                    *(rank_sign(rank) if rank else NONE for rank in (kind.row, kind.col)),
                ),
                kind,
                one.key,
            )
            for one in met(strategy)
            for kind in each(matrix(strategy, one.key))
        ),
    )


def crib(strategy: Strategy, most: int = MOST_IN_CRIB) -> Table:
    """What to announce with each band of hands in the most common situations, to be printed."""
    deck = strategy.cell.deck
    which = features(deck)["band"].to_numpy()
    there = np.unique(which)
    shown = met(strategy)[:most]
    columns = [_bands(strategy, one.key, np.searchsorted(there, which)) for one in shown]
    return Table(
        "Crib: what to announce with each band of hands in the most common situations. Of a band "
        "of which hands differ, or are mixed, the shares of its hands are given, those below "
        f"{percent_in_words(LEAST_SHOWN)} left out; trumps are ranked among those still out",
        ("hand", *(one.spot.title for one in shown)),
        tuple(
            (BANDS[band], *(column[row] for column in columns)) for row, band in enumerate(there)
        ),
    )


def _bands(strategy: Strategy, key: Key, which: npt.NDArray[np.intp]) -> Sequence[str]:
    bands = _pooled(strategy.chances(key), which, strategy.cell.deck)
    return [in_words(band) for band in each(bands)]
