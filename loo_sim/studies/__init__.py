"""The studies: each turns whole-number counts of deals into estimates with standard errors.

A study is a module that keeps to the `Study` protocol; `find_study` imports it when it is needed,
because the modules load pyarrow and the kernels.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from loo_sim.experiment import Cell
    from loo_sim.studies.figures import Figure
    from loo_sim.studies.moments import Running

    Counts = tuple[npt.NDArray[Any], ...]
    """Arrays of whole numbers; the counts of two sets of deals are added array by array."""

STUDY_NAMES = ("deals", "announce", "lead", "session", "league")


class Study(Protocol):
    """What the runner asks of a study."""

    HEADLINE: tuple[str, ...]
    """Titles of the columns of `headline`."""

    SHORTEST_CHUNK: int
    """Deals (or tables) in a chunk, of which it has a multiple; below, what a chunk costs beside
    its deals would tell."""

    TABLES_SHARE: float
    """Bytes of a cell's tables on the disk for each byte of its counts, at most."""

    MAIN: str
    """Of the figures that are followed that by which cells are compared when a run ends; empty for
    none."""

    MAIN_TITLE: str
    """Title of the column of that."""

    FIGURE: str
    """What `half_width` is of, in words."""

    def encode(self, cell: Cell) -> Any:
        """The game of a cell as the kernels read it."""

    def chunk_length(self, cell: Cell) -> int:
        """Most deals (or tables) in a chunk of work: some 30 to 300 milliseconds on one core."""

    def empty_counts(self, cell: Cell) -> Counts:
        """Counts of no deals."""

    def add_counts(self, game: Any, seed: int, first: int, count: int, counts: Counts) -> None:
        """Add the counts of deals (or tables) `first` to ``first + count - 1``."""

    def tables(self, cell: Cell, deals: int, counts: Counts) -> dict[str, pa.Table]:
        """The estimates of a cell of `deals` deals, by name of table."""

    def half_width(self, tables: Mapping[str, pa.Table]) -> float:
        """Half-width of the 95 % interval of the headline figure, in stakes; NaN if unknown."""

    def running(self, cell: Cell, work: int, counts: Counts) -> tuple[Running, ...]:
        """Figures that are followed from chunk to chunk, of `work` deals (or tables) so far.

        Means over all deals (or tables), whose sums grow with each; the headline figure is one of
        them, or what it sharpens.
        """

    def headline(self, tables: Mapping[str, pa.Table]) -> list[tuple[Figure, ...]]:
        """The few figures of a cell that are shown when a run ends, in rows."""


def find_study(name: str) -> Study:
    """The study called `name`, one of `STUDY_NAMES`."""
    return cast(Study, import_module(f"loo_sim.studies.{name}"))
