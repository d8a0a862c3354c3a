"""The table ``sobol`` of a design: Sobol indices of the figures that are followed in its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from loo_sim.studies.paired import pieces_of
from loo_sim.studies.variance import NoiseSums, indices

if TYPE_CHECKING:
    import pyarrow as pa

    from loo_sim.sobol import Design
    from loo_sim.studies.estimates import Floats

TABLE = "sobol"


class SobolTable:
    """What is made of the cells of a design, cell after cell.

    Parameters
    ----------
    main : str
        The figure that is told when the run ends; empty for the first that is followed.
    design : Design
        How the cells stand in it.
    axes : sequence of str
        Its axes, as tables call them.
    """

    def __init__(self, main: str, design: Design, axes: Sequence[str]) -> None:
        self._main, self._design, self._axes = main, design, axes
        self._times = np.bincount(design.places[:2].ravel(), minlength=len(design.points))
        self._values: dict[str, Floats] = {}
        self._noise: dict[str, NoiseSums] = {}

    def add(self, number: int, tables: Mapping[str, pa.Table]) -> None:
        """Look at the next cell: its number and its tables."""
        if "running" not in tables:
            return
        running = tables["running"].to_pandas()
        for figure in map(str, running["figure"].unique()):
            pieces = pieces_of(running, figure)
            if not pieces.chunk.size:
                continue
            if figure not in self._values:
                self._values[figure] = np.full(len(self._design.points), np.nan)
                self._noise[figure] = NoiseSums()
            self._values[figure][number] = np.average(pieces.mean, weights=pieces.weight)
            if self._times[number]:
                self._noise[figure].add(pieces, int(self._times[number]))

    def table(self) -> tuple[pa.Table | None, dict[str, Any]]:
        """What all cells come to.

        Returns
        -------
        Table or None
            A row for each figure and axis, the main figure first; figures that are not known in
            every cell, or are the same in all, have none. None if no figure has any.
        dict
            What the manifest says of it: the ``points`` of a matrix, the main ``figure``, ``why``
            it has no indices (empty if it has), and its ``indices``, the rows of the table.
        """
        import pyarrow as pa

        main = self._main or next(iter(self._values), "")
        figures = sorted(self._values, key=lambda figure: figure != main)
        rows = [row for figure in figures if not self._fault(figure) for row in self._rows(figure)]
        told = {
            "points": self._design.places.shape[1],
            "figure": main,
            "why": self._fault(main),
            "indices": [row for row in rows if row["figure"] == main],
        }
        if not rows:
            return None, told
        columns = {name: pa.array([row[name] for row in rows]) for name in rows[0]}
        return pa.table(columns), told

    def _fault(self, figure: str) -> str:
        """Why a figure has no indices; empty if it has."""
        if figure not in self._values:
            return "no game has a figure that is followed"
        values = self._values[figure]
        missing = int(np.isnan(values).sum())
        if missing:
            return f"no figure is known in {missing:,} of {values.size:,} games"
        if np.ptp(values[self._design.places[:2]]) == 0:
            return "the figure is the same in all games"
        return ""

    def _rows(self, figure: str) -> list[dict[str, Any]]:
        values = self._values[figure][self._design.places]
        found = indices(values)
        noise = self._noise[figure].variance / float(np.var(values[:2]))
        rows = []
        for place, axis in enumerate(self._axes):
            row: dict[str, Any] = {"figure": figure, "axis": axis, "n": values.shape[1]}
            for name, share in found._asdict().items():
                for end, of_axes in zip(("", "_low", "_high"), share, strict=True):
                    number = float(np.broadcast_to(of_axes, len(self._axes))[place])
                    row[name + end] = number if np.isfinite(number) else None
            rows.append(row | {"noise": noise if np.isfinite(noise) else None})
        return rows
