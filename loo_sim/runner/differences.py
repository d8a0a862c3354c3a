"""The table ``difference`` of a sweep: each cell less the first, on the same deals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loo_sim.rounding import interval
from loo_sim.studies.estimates import Z95
from loo_sim.studies.figures import Figure
from loo_sim.studies.paired import Pieces, difference, pieces_of

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "difference"


class Differences:
    """What cells have more than the first of them, cell after cell.

    Parameters
    ----------
    main : str
        The figure that is told when the run ends; empty for none.
    """

    def __init__(self, main: str) -> None:
        self._main = main
        self._first: dict[str, Pieces] = {}

    def add(self, tables: Mapping[str, pa.Table]) -> pa.Table | None:
        """Look at the next cell.

        Parameters
        ----------
        tables : mapping of str to Table
            Its tables, the axes included.

        Returns
        -------
        Table or None
            A row for each figure that is followed in it and in the first cell, if there are any.
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
        return _beside_axes(tables["running"], own)

    def main_of(self, table: pa.Table) -> dict[str, Any] | None:
        """The difference that is told when a run ends, as `figures.Figure`; None without one."""
        for row in table.to_pylist():
            if row["figure"] == self._main:
                half = (row["high"] - row["low"]) / 2
                told = interval(row["difference"], half / Z95, row["n"])
                return Figure(told, row["difference"], row["difference_se"])._asdict()
        return None


def _beside_axes(running: pa.Table, own: pa.Table) -> pa.Table:
    """The rows after the cell's axes, which stand before ``chunk`` in the table ``running``."""
    axes: Sequence[Any] = running.column_names[: running.column_names.index("chunk")]
    for axis in reversed(axes):
        value = running[axis].slice(0, 1).combine_chunks()
        own = own.add_column(0, axis, value.take([0] * own.num_rows))
    return own
