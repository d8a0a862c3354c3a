"""The study `session`: what evenings come to, for the pot and for each purse.

Every error is taken over independent tables, never over deals in a row, which share a pot.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum, isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from loo_sim.rounding import NONE
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies import figures
from loo_sim.studies.estimates import Z95, estimate_share, quantiles
from loo_sim.studies.figures import Figure
from loo_sim.studies.moments import Moments, Running, read_moments

if TYPE_CHECKING:
    from loo_sim.experiment import Cell
    from loo_sim.kernels.table_counts import SessionCounts
    from loo_sim.studies import Counts

CHUNK_DEALS = 2**19
"""Deals in a chunk of work, at all its tables."""
SHORTEST_CHUNK = 128
"""Tables: fewer than are played at a time (`kernels.purses.TABLES`), so that a few thousand of them
make chunks enough for cells to be compared."""
HEADLINE = ("mean pot, stakes", "single pots", "clean deals", "honest / naive error")
TABLES_SHARE = 0.0
"""Its counts are of bins; its tables have a few rows."""
MAIN, MAIN_TITLE = "pot", "mean pot less the first cell's"
FIGURE = "the mean pot"

BANKROLLS = (5, 10, 15, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)
"""Stakes; for each it is told how often a person who brings them is ruined."""

QUANTILES = {f"q{percent:02}": percent / 100 for percent in (5, 25, 50, 75, 95)}
"""Of pots, by the end of the column's name."""
PURSE_QUANTILES = {f"q{percent:02}": percent / 100 for percent in sorted({*range(1, 100, 2), 50})}
"""Of purses: the median, and the mid-points of fifty equal shares, which are fifty dots."""
Ints = npt.NDArray[np.int64]


def bankrolls_of(cell: Cell) -> tuple[int, ...]:
    """Bankrolls whose ruin a cell tells, in stakes: none above what people bring."""
    if cell.bankroll is None:
        return BANKROLLS
    return (*(brought for brought in BANKROLLS if brought < cell.bankroll), cell.bankroll)


def encode(cell: Cell) -> Any:
    """The cell as the kernels read it."""
    from loo_sim.kernels.encode_session import encode_session

    return encode_session(cell.rules, cell.policies, cell.rounds, cell.bankroll, bankrolls_of(cell))


def chunk_length(cell: Cell) -> int:
    """Most tables in a chunk: the fewer, the more is dealt at each; whole batches, if any."""
    from loo_sim.kernels.purses import TABLES

    tables = CHUNK_DEALS // (cell.rounds * cell.players)
    return max(1, tables - tables % TABLES if tables >= TABLES else tables)


def empty_counts(cell: Cell) -> Counts:
    """Counts of no tables."""
    from loo_sim.kernels.table_counts import no_tables

    return no_tables(len(bankrolls_of(cell)))


def add_counts(game: Any, seed: int, first: int, count: int, counts: Counts) -> None:
    """Add the counts of tables `first` to ``first + count - 1``."""
    from loo_sim.kernels.sessions import count_tables
    from loo_sim.kernels.table_counts import SessionCounts

    count_tables(game, seed, first, count, SessionCounts(*counts))


def tables(cell: Cell, work: int, counts: Counts) -> dict[str, pa.Table]:
    """The estimates of a cell, by name of table: each is described where it is made, below.

    Parameters
    ----------
    cell : Cell
        The game played.
    work : int
        Tables counted.
    counts : SessionCounts
        What they came to.
    """
    from loo_sim.kernels.table_counts import SessionCounts

    kept = SessionCounts(*counts)
    return {
        "session": _session_table(cell, kept),
        "path": _path_table(cell, kept),
        "purse": _purse_table(cell, kept),
        "ruin": _ruin_table(cell, kept),
        "seat": _seat_table(cell, kept),
        "policy": _policy_table(cell, kept),
        "gap": _gap_table(kept),
    }


def half_width(tables: Mapping[str, pa.Table]) -> float:
    """Half-width of the 95 % interval of the mean pot, in stakes."""
    (row,) = tables["session"].to_pylist()
    return Z95 * float(row["pot_se"])


def running(cell: Cell, work: int, counts: Counts) -> tuple[Running, ...]:
    """What is followed from chunk to chunk: the mean pot."""
    from loo_sim.kernels.table_counts import TOTAL_SUM, SessionCounts

    return (Running("pot", _moments(SessionCounts(*counts), TOTAL_SUM), UNITS_PER_STAKE),)


def headline(tables: Mapping[str, pa.Table]) -> list[tuple[Figure, ...]]:
    """One row: the mean pot with its 95 % interval, single pots, clean deals, ratio of errors."""
    (row,) = tables["session"].to_pylist()
    return [tuple(pot_figures(row, row["n"]).values())]


def pot_figures(row: Mapping[str, Any], tables: int) -> dict[str, Figure]:
    """The figures of the pot that are told: its mean, single pots, clean deals, ratio of errors.

    Parameters
    ----------
    row : mapping
        The row of the table ``session``.
    tables : int
        Tables counted.

    Returns
    -------
    dict of str to Figure
        By the columns of the row.
    """
    ratio = figures.known(row["pot_error_ratio"])
    return {
        "pot": figures.mean(row["pot"], row["pot_se"], tables),
        "single": figures.share(row["single"], row["single_se"], tables),
        "clean": figures.share(row["clean"], row["clean_se"], tables),
        "pot_error_ratio": Figure(f"{ratio:.2f}", ratio) if isfinite(ratio) else Figure(NONE, None),
    }


def _moments(kept: SessionCounts, row: int) -> Moments:
    from loo_sim.kernels.table_counts import TOTAL_PLAYED

    return read_moments(kept.moments[row], kept.moments[TOTAL_PLAYED], int(kept.tables[0]))


def _naive_se(deals: int, mean: float, squares: float) -> float:
    """The error that a mean a deal would have if deals in a row were independent."""
    return sqrt(max(squares / deals - mean**2, 0.0) / max(deals - 1, 1))


def _session_table(cell: Cell, kept: SessionCounts) -> pa.Table:
    """One row: the pot, and what was assumed or met a bound."""
    from loo_sim.kernels import table_counts as rows
    from loo_sim.rules import MOST_LOO

    pot, played = _moments(kept, rows.TOTAL_SUM), _moments(kept, rows.TOTAL_PLAYED)
    mean, se = pot.rate(UNITS_PER_STAKE), pot.rate_se(UNITS_PER_STAKE)
    naive = _naive_se(played.x, mean, _moments(kept, rows.TOTAL_SQUARES).x)
    single, clean = _moments(kept, rows.TOTAL_SINGLE), _moments(kept, rows.TOTAL_CLEAN)
    loos, longest = _moments(kept, rows.TOTAL_LOOS), _moments(kept, rows.TOTAL_LONGEST)
    left = _moments(kept, rows.TOTAL_LEFT)
    gaps = kept.gaps.astype(object)
    gap = float((np.arange(gaps.size) * gaps).sum() / gaps.sum()) if gaps.sum() else np.nan
    found = pa.Table.from_pylist(
        [
            {
                "n": played.n,
                "deals": played.mean(),
                "pot": mean,
                "pot_se": se,
                "pot_naive_se": naive,
                "pot_error_ratio": se / naive if naive > 0 else np.nan,
                "single": single.rate(),
                "single_se": single.rate_se(),
                "clean": clean.rate(),
                "clean_se": clean.rate_se(),
                "looed": loos.rate(),
                "looed_se": loos.rate_se(),
                "clean_gap": gap,
                "longest": longest.mean(),
                "longest_se": longest.se(),
                "pot_left": left.mean(UNITS_PER_STAKE),
                "pot_left_se": left.se(UNITS_PER_STAKE),
                "met_cap": _moments(kept, rows.TOTAL_MEETS_CAP).x,
                "met_bound": int(kept.tables[1]),
                "loo_cap": (cell.rules.loo_cap or MOST_LOO / UNITS_PER_STAKE)
                if cell.rules.loo == "pot"
                else None,
                "brought": cell.bankroll,
            }
        ]
    )
    # What one game of a sweep has and another lacks is a column of numbers in both.
    return found.cast(
        pa.schema(
            field.with_type(pa.float64()) if field.name in ("loo_cap", "brought") else field
            for field in found.schema
        )
    )


def _bin_values(counts: Ints, bins: int, signed: bool) -> tuple[Ints, npt.NDArray[np.float64]]:
    """The bins that were met and the mean units in each, in ascending order.

    Parameters
    ----------
    counts : int64 (bins or 2 bins, 2)
        Tables, and units above the start of the bin.
    bins : int
        Bins of numbers from 0.
    signed : bool
        Whether numbers below 0 come first.
    """
    from loo_sim.kernels.sums import OCTAVE_BITS

    met = np.flatnonzero(counts[:, 0])
    place = met - bins if signed else met
    sign = np.where(place < 0, -1, 1)
    place = np.where(place < 0, -1 - place, place)
    name = np.maximum(place - 1, 0)
    octave, within = name >> OCTAVE_BITS, name & ((1 << OCTAVE_BITS) - 1)
    start = np.where(place > 0, (1 + within / (1 << OCTAVE_BITS)) * 2.0**octave, 0.0)
    # The kernel rounds a start down, where a bin is narrower than a unit.
    start = np.floor(start)
    return met, sign * (start + counts[met, 1] / counts[met, 0])


def _path_table(cell: Cell, kept: SessionCounts) -> pa.Table:
    """A row for each deal at which pots were kept: the pot when play begins, its mean and fan."""
    from loo_sim.kernels.sums import BINS
    from loo_sim.kernels.table_counts import PATH_POINTS

    deals = cell.rounds * cell.players
    every = -(-deals // PATH_POINTS)
    rows = []
    for point in range(-(-deals // every)):
        counts = kept.paths[point]
        n = int(counts[:, 0].sum())
        if n == 0:
            break
        met, units = _bin_values(counts, BINS, signed=False)
        stakes, share = units / UNITS_PER_STAKE, counts[met, 0] / n
        # Sums of `fsum`, which are the same on every machine.
        mean = fsum(share * stakes)
        variance = fsum(share * (stakes - mean) ** 2)
        rows.append(
            {
                "deal": point * every + 1,
                "n": n,
                "pot": mean,
                "pot_se": sqrt(variance / (n - 1)) if n > 1 else None,
                **_fan("pot", QUANTILES, stakes, counts[met, 0]),
                **_fan("pot_q50", median_interval(n), stakes, counts[met, 0]),
            }
        )
    return pa.Table.from_pylist(rows)


def median_interval(n: int) -> dict[str, float]:
    """Between which shares of a sample the median lies with 95 %, whatever it is drawn from.

    How many of n are below the median is binomial, so that its ends are order statistics, some
    ``1.96 sqrt(n) / 2`` to each side of the middle (normal approximation).
    """
    half = Z95 / (2 * sqrt(n))
    return {"low": max(0.5 - half, 0.0), "high": min(0.5 + half, 1.0)}


def _fan(
    name: str, wanted: Mapping[str, float], values: npt.NDArray[np.float64], counts: Ints
) -> dict[str, float]:
    at = quantiles(values, counts, tuple(wanted.values()))
    return {f"{name}_{word}": float(value) for word, value in zip(wanted, at, strict=True)}


def _purse_table(cell: Cell, kept: SessionCounts) -> pa.Table:
    """A row a person: the purse at the end, its lowest point and its range, loos and tricks."""
    from loo_sim.kernels import table_counts as rows
    from loo_sim.kernels.sums import BINS

    found = []
    for person, policy in enumerate(cell.policies):
        final, low, swing, out = (
            _moments(kept, row + person) for row in (rows.FINAL, rows.LOW, rows.RANGE, rows.IS_OUT)
        )
        looed, tricks = (
            _moments(kept, row + person) for row in (rows.TIMES_LOOED, rows.TRICKS_WON)
        )
        met, units = _bin_values(kept.purses[0, person], BINS, signed=True)
        low_met, low_units = _bin_values(kept.purses[1, person], BINS, signed=True)
        counts, low_counts = kept.purses[0, person, met, 0], kept.purses[1, person, low_met, 0]
        found.append(
            {
                "person": person,
                "policy": policy.name,
                "n": final.n,
                "final": final.mean(UNITS_PER_STAKE),
                "final_se": final.se(UNITS_PER_STAKE),
                **_fan("final", PURSE_QUANTILES, units / UNITS_PER_STAKE, counts),
                "lowest": low.mean(UNITS_PER_STAKE),
                "lowest_se": low.se(UNITS_PER_STAKE),
                **_fan("lowest", PURSE_QUANTILES, low_units / UNITS_PER_STAKE, low_counts),
                "swing": swing.mean(UNITS_PER_STAKE),
                "swing_se": swing.se(UNITS_PER_STAKE),
                "looed": looed.rate(),
                "looed_se": looed.rate_se(),
                "tricks": tricks.rate(),
                "tricks_se": tricks.rate_se(),
                "out": out.mean(),
                "out_se": out.se(),
            }
        )
    return pa.Table.from_pylist(found)


def _ruin_table(cell: Cell, kept: SessionCounts) -> pa.Table:
    """A row a person and bankroll: how often it would not have lasted, first passage."""
    n = int(kept.tables[0])
    share = estimate_share(kept.ruined[: cell.players].astype(object), n)
    person, place = np.indices(share.mean.shape)
    return pa.table(
        {
            "person": person.ravel(),
            "brought": np.array(bankrolls_of(cell))[place.ravel()],
            "n": np.full(person.size, n),
            "ruined": share.mean.ravel(),
            "ruined_se": share.se.ravel(),
        }
    )


def _seat_table(cell: Cell, kept: SessionCounts) -> pa.Table:
    """A row a seat: net a deal, from whoever sat there."""
    from loo_sim.kernels.table_counts import NET_OF_SEAT

    nets = [_moments(kept, NET_OF_SEAT + seat) for seat in range(cell.players)]
    is_dealer = np.arange(cell.players) == cell.players - 1
    return pa.table(
        {
            "seat": np.arange(cell.players),
            "n": [net.y for net in nets],
            "net": [net.rate(UNITS_PER_STAKE) for net in nets],
            "net_se": [net.rate_se(UNITS_PER_STAKE) for net in nets],
            "paid_in": np.where(is_dealer, cell.rules.dealer_stake, cell.rules.ante),
        }
    )


def _policy_table(cell: Cell, kept: SessionCounts) -> pa.Table:
    """A row a policy: what its people end with, on average, and what that is a deal."""
    from loo_sim.kernels.table_counts import OF_KIND

    names = list(dict.fromkeys((policy.digest, policy.name) for policy in cell.policies))
    found = []
    for kind, (digest, name) in enumerate(names):
        people = sum(policy.digest == digest for policy in cell.policies)
        final = _moments(kept, OF_KIND + kind)
        per = UNITS_PER_STAKE * people
        found.append(
            {
                "policy": name,
                "people": people,
                "n": final.n,
                "final": final.mean(per),
                "final_se": final.se(per),
                "a_deal": final.rate(per),
                "a_deal_se": final.rate_se(per),
            }
        )
    return pa.Table.from_pylist(found)


def _gap_table(kept: SessionCounts) -> pa.Table:
    """A row for each length that came up: gaps between clean deals, longest runs without one."""
    length = np.flatnonzero(kept.gaps + kept.longest)
    return pa.table(
        {"deals": length, "gaps": kept.gaps[length], "longest_runs": kept.longest[length]}
    )
