"""The study `deals`: what a deal at a given pot does to the pot and to the player in each seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from loo_sim.rounding import rough, stakes
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies import figures
from loo_sim.studies.estimates import (
    Z95,
    Estimate,
    aggregate,
    estimate,
    estimate_share,
    nets_of_results,
    quantiles,
)
from loo_sim.studies.figures import Figure
from loo_sim.studies.moments import Moments, Running

if TYPE_CHECKING:
    import pandas as pd

    from loo_sim.experiment import Cell
    from loo_sim.studies import Counts

CHUNK_DEALS, SHORTEST_CHUNK = 2**19, 2**13
HEADLINE = (
    *("pot, stakes", "mean change of the pot, stakes", "5 % to 95 % of the changes"),
    *("players in", "players looed"),
)
TABLES_SHARE = 0.0
"""Its tables have a few rows, however much is counted."""
MAIN, MAIN_TITLE = "pot_swing", "change less the first cell's"
FIGURE = "the mean change of the pot"

FOLD, STAND, MISS, DEFEND, ALL_FOLDED = range(5)
WHOLE_POT = 4
"""The result of a lone player; results 0 to 3 are tricks won."""

QUANTILES = {f"pot_swing_q{percent:02}": percent / 100 for percent in (5, 25, 50, 75, 95)}


def encode(cell: Cell) -> Any:
    """The game of a cell as the kernels read it."""
    from loo_sim.kernels.game import encode_cell

    return encode_cell(cell)


def chunk_length(cell: Cell) -> int:
    """Most deals in a chunk of work."""
    return CHUNK_DEALS


def empty_counts(cell: Cell) -> Counts:
    """Counts of no deals: by seat, and of pots (docs/architecture.md)."""
    return np.zeros((cell.players, 5, 5), np.int64), np.zeros((17, 5, 17), np.int64)


def add_counts(game: Any, seed: int, first: int, count: int, counts: Counts) -> None:
    """Add the counts of deals `first` to ``first + count - 1`` of an encoded game."""
    from loo_sim.kernels.counting import count_deals

    for total, part in zip(counts, count_deals(game, seed, first, count), strict=True):
        total += part


def tables(cell: Cell, deals: int, counts: Counts) -> dict[str, pa.Table]:
    """The estimates of a cell: tables ``deals`` (by seat), ``pot`` (by players in), ``swings``.

    Parameters
    ----------
    cell : Cell
        The game played.
    deals : int
        Deals counted.
    counts : tuple of ndarray of int64
        Shapes (players, 5, 5) and (17, 5, 17), as the kernels return them.
    """
    seat_counts, pot_counts = counts
    outcomes = _outcomes(cell, pot_counts)
    return {
        "deals": _seat_table(cell, deals, seat_counts),
        "pot": _pot_table(cell, deals, outcomes),
        "swings": _swing_table(cell, deals, outcomes),
    }


def half_width(tables: Mapping[str, pa.Table]) -> float:
    """Half-width of the 95 % interval of the pot's mean change, in stakes."""
    swings = tables["swings"]
    return Z95 * float(mean_swing(swings["pot_swing"].to_numpy(), swings["n"].to_numpy()).se)


def running(cell: Cell, work: int, counts: Counts) -> tuple[Running, ...]:
    """What is followed from chunk to chunk: the pot's mean change."""
    outcomes = _outcomes(cell, counts[1])
    n, change = outcomes.n.tolist(), (outcomes.pot_after - cell.pot).tolist()
    return (Running("pot_swing", Moments.counted(sum(n), n, change), UNITS_PER_STAKE),)


def headline(tables: Mapping[str, pa.Table]) -> list[tuple[Figure, ...]]:
    """One row: the pot's mean change with its 95 % interval, its spread, who was in, who looed."""
    swings, pot = tables["swings"].to_pandas(), tables["pot"].to_pandas()
    n, change = swings["n"].to_numpy(), swings["pot_swing"].to_numpy()
    deals = int(n.sum())
    low, high = (rough(float(change)) for change in quantiles(change, n, (0.05, 0.95)))
    began = float((pot["pot_after"] - pot["pot_swing"]).iloc[0])
    players_in = estimate(pot["n"].tolist(), pot["standers"].tolist())
    return [
        (
            Figure(stakes(began), began),
            figures.mean(*mean_swing(change, n), deals),
            figures.word(f"{low} to {high}"),
            figures.mean(*players_in, deals),
            figures.mean(*mean_looed(pot), deals),
        )
    ]


def mean_swing(pot_swing: npt.NDArray[np.float64], n: npt.NDArray[np.int64]) -> Estimate:
    """The pot's mean change over all deals.

    Parameters
    ----------
    pot_swing, n : ndarray
        Columns of the table ``swings``: changes in stakes, and deals with each.

    Returns
    -------
    Estimate
        In stakes.
    """
    units = np.rint(pot_swing * UNITS_PER_STAKE).astype(np.int64)
    return estimate(n.tolist(), units.tolist(), UNITS_PER_STAKE)


def mean_looed(pot: pd.DataFrame) -> tuple[float, float]:
    """How many players are looed in a deal: the mean over all deals, and its standard error.

    Parameters
    ----------
    pot : DataFrame
        The table ``pot``.
    """
    together = aggregate(pot[["n", "looed", "looed_se"]].assign(together=0), ["together"])
    return float(together["looed"].item()), float(together["looed_se"].item())


def _seat_table(cell: Cell, deals: int, seat_counts: npt.NDArray[np.int64]) -> pa.Table:
    """A row a seat: net in stakes, shares of what the seat did, tricks; all over all deals."""
    counts = seat_counts.astype(object)  # Python integers: no sum can overflow
    did = counts.sum(axis=2)
    in_play = counts[:, STAND] + counts[:, MISS]
    nets = nets_of_results(cell.pot, cell.rules.loo_units(cell.pot))
    net = estimate(
        [did[:, FOLD] + did[:, DEFEND], did[:, ALL_FOLDED], *in_play.T],
        [0, cell.pot, *nets],
        UNITS_PER_STAKE,
    )
    won = (in_play + counts[:, DEFEND])[:, 1:4]
    estimates = {
        "stood": estimate_share(did[:, STAND], deals),
        "took_miss": estimate_share(did[:, MISS], deals),
        "defended": estimate_share(did[:, DEFEND], deals),
        "folded": estimate_share(did[:, FOLD], deals),
        "looed": estimate_share(in_play[:, 0], deals),
        "tricks": estimate([deals - won.sum(axis=1), *won.T], [0, 1, 2, 3]),
        "took_pot": estimate_share(did[:, ALL_FOLDED] + in_play[:, WHOLE_POT], deals),
    }
    seats = np.arange(cell.players)
    is_dealer = seats == cell.players - 1
    return pa.table(
        {
            "seat": seats,
            "n": np.full(cell.players, deals),
            "net": net.mean,
            "net_se": net.se,
            **{name: value.mean for name, value in estimates.items()},
            **{f"{name}_se": value.se for name, value in estimates.items()},
            "paid_in": np.where(is_dealer, cell.rules.dealer_stake, cell.rules.ante),
        }
    )


class _Outcomes(NamedTuple):
    """What came of the pot, for each combination that came up.

    Attributes
    ----------
    players_in, looed : ndarray of int64
        A defending dealer is in; fewer than two in do not play.
    pot_after : ndarray of int64
        Units.
    n : ndarray of int64
        Deals.
    """

    players_in: npt.NDArray[np.int64]
    looed: npt.NDArray[np.int64]
    pot_after: npt.NDArray[np.int64]
    n: npt.NDArray[np.int64]


def _outcomes(cell: Cell, pot_counts: npt.NDArray[np.int64]) -> _Outcomes:
    """S7, S8, S10, S15 and S16: the pot left by each combination that came up."""
    players_in, defence, looed = np.nonzero(pot_counts)
    paid_tricks = np.where(defence > 0, 4 - defence, 3)
    played = cell.pot - paid_tricks * (cell.pot // 3) + looed * cell.rules.loo_units(cell.pot)
    pot_after = np.where(players_in <= 1, 0, played)
    return _Outcomes(players_in, looed, pot_after, pot_counts[players_in, defence, looed])


def _pot_table(cell: Cell, deals: int, outcomes: _Outcomes) -> pa.Table:
    """A row for each number of players in: how often, how many looed, what came of the pot."""
    rows = []
    for standers in np.unique(outcomes.players_in):
        here = np.flatnonzero(outcomes.players_in == standers)
        here = here[np.argsort(outcomes.pot_after[here])]
        n: list[int] = outcomes.n[here].tolist()
        change = outcomes.pot_after[here] - cell.pot
        share = estimate_share(sum(n), deals)
        looed = estimate(n, outcomes.looed[here].tolist())
        after = estimate(n, outcomes.pot_after[here].tolist(), UNITS_PER_STAKE)
        swing = estimate(n, change.tolist(), UNITS_PER_STAKE)
        at = quantiles(change / UNITS_PER_STAKE, outcomes.n[here], tuple(QUANTILES.values()))
        rows.append(
            {
                "standers": int(standers),
                "share": float(share.mean),
                "looed": float(looed.mean),
                "pot_after": float(after.mean),
                "pot_swing": float(swing.mean),
                **dict(zip(QUANTILES, at, strict=True)),
                "n": sum(n),
                "share_se": float(share.se),
                "looed_se": float(looed.se),
                "pot_after_se": float(after.se),
                "pot_swing_se": float(swing.se),
            }
        )
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})


def _swing_table(cell: Cell, deals: int, outcomes: _Outcomes) -> pa.Table:
    """A row for each change of the pot that came up: the whole distribution."""
    swings, which = np.unique(outcomes.pot_after - cell.pot, return_inverse=True)
    n = np.zeros(swings.size, np.int64)
    np.add.at(n, which, outcomes.n)
    share = estimate_share(n, deals)
    return pa.table(
        {"pot_swing": swings / UNITS_PER_STAKE, "share": share.mean, "share_se": share.se, "n": n}
    )
