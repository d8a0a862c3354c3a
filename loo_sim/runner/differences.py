"""The table ``difference`` of a sweep: each cell less the first, on the same deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loo_sim.rounding import interval
from loo_sim.studies.estimates import Z95
from loo_sim.studies.figures import Figure
from loo_sim.studies.paired import Pieces, difference, pieces_of
from loo_sim.sweep import with_axes

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "difference"


class Differences:
    """What cells have more than the first of them, cell after cell.

    Parameters
    ----------
    main : str
        The figure that is told when the run ends; empty for none.
    axes : sequence of mapping
        The axes of each cell, as its tables hold them.
    """

    def __init__(self, main: str, axes: Sequence[Mapping[str, Any]]) -> None:
        self._main, self._axes = main, axes
        self._first: dict[str, Pieces] = {}

    def add(self, number: int, tables: Mapping[str, pa.Table]) -> pa.Table | None:
        """Look at the next cell.

        Parameters
        ----------
        number : int
            The cell's.
        tables : mapping of str to Table
            Its tables.

        Returns
        -------
        Table or None
            A row for each figure that is followed in it and in the first cell, if there are any;
            the axes stand before its own columns.
        """
        import pyarrow as pa

        if "running" not in tables:
            return None
        running = tables["running"].to_pandas()
        pieces = {str(name): pieces_of(running, name) for name in running["figure"].unique()}
        if not self._first:
            self._first = pieces
            return None
        found = {
            figure: apart
            for figure, of_first in self._first.items()
            if figure in pieces and (apart := difference(pieces[figure], of_first))
        }
        if not found:
            return None
        half = [apart.half_width() for apart in found.values()]
        mean = [apart.mean for apart in found.values()]
        own = pa.table(
            {
                "figure": list(found),
                "n": [apart.deals for apart in found.values()],
                "chunks": [apart.chunks for apart in found.values()],
                "difference": mean,
                "difference_se": [apart.se for apart in found.values()],
                "low": [m - h for m, h in zip(mean, half, strict=True)],
                "high": [m + h for m, h in zip(mean, half, strict=True)],
            }
        )
        return with_axes(own, self._axes[number])

    def main_of(self, table: pa.Table) -> dict[str, Any] | None:
        """The difference that is told when a run ends, as `figures.Figure`; None without one."""
        for row in table.to_pylist():
            if row["figure"] == self._main:
                half = (row["high"] - row["low"]) / 2
                told = interval(row["difference"], half / Z95, row["n"])
                return Figure(told, row["difference"], row["difference_se"])._asdict()
        return None
