"""The tables of each game of a result: the largest, of announcements, stays in its file.

Of sixteen players it has up to a million rows a game, so that those of a sweep would not fit into
memory together. Of it only the columns and the rows that are asked for are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.problems import InputError, Problem

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow.compute as pc

ANNOUNCE = "announce"
"""The table that stays in its file."""

HAND = "hand"


class AnnounceFile:
    """The file ``announce.parquet`` of a result, or some of its row groups.

    Parameters
    ----------
    path : Path
    is_aimed : bool
        Whether deals were aimed at hands.

    Attributes
    ----------
    columns : tuple of str
        Those that it has.

    Raises
    ------
    InputError
        If it cannot be read; so do all methods.
    """

    def __init__(self, path: Path, is_aimed: bool) -> None:
        import pyarrow as pa
        import pyarrow.dataset as ds

        self._path, self._is_aimed = path, is_aimed
        # A few thousand hands stand in millions of rows.
        of_hands = ds.ParquetReadOptions(dictionary_columns=[HAND])
        as_asked = ds.ParquetFragmentScanOptions(pre_buffer=False)
        layout = ds.ParquetFileFormat(read_options=of_hands, default_fragment_scan_options=as_asked)
        # Nothing is read ahead, and pyarrow's own allocator would keep what was freed.
        self._frugal = {
            **{"use_threads": False, "batch_readahead": 1, "fragment_readahead": 1},
            "memory_pool": pa.system_memory_pool(),
        }
        with self._reading():
            (self._file,) = ds.dataset(path, format=layout).get_fragments()
        self.columns = tuple(self._file.physical_schema.names)

    def hands(self) -> set[str]:
        """The hands of all games."""
        found: set[str] = set()
        with self._reading():
            for batch in self._file.to_batches(columns=[HAND], **self._frugal):
                hands = batch.column(0).dictionary_encode()
                named = hands.dictionary.take(hands.indices.unique())
                found |= set(map(str, named.to_pylist()))
        return found

    def part(self, values: Mapping[str, Any]) -> AnnounceFile | None:
        """The row groups in which rows have certain `values`, by column; None if no row has."""
        chosen, part = self._having(values), copy(self)
        with self._reading():
            # Their least and greatest values leave some in which no row has them all.
            likely = self._file if chosen is None else self._file.subset(filter=chosen)
            held = [
                group.id
                for group in likely.row_groups
                if self._file.subset(row_group_ids=[group.id]).count_rows(chosen, **self._frugal)
            ]
            part._file = self._file.subset(row_group_ids=held)
        return part if held else None

    def rows(self, values: Mapping[str, Any], columns: Sequence[str]) -> pd.DataFrame:
        """Some columns of the rows that have certain values.

        Parameters
        ----------
        values : mapping
            By column, axes of the sweep among them; a list stands for any of its values.
        columns : sequence of str
            Those to read; what the file does not have is left out.

        Returns
        -------
        DataFrame
            With a column `aimed`, the same in all rows: whether deals were aimed at hands.
        """
        import pyarrow as pa

        there = [name for name in columns if name in self.columns]
        with self._reading():
            table = self._file.to_table(columns=there, filter=self._having(values), **self._frugal)
        # A column in which no number is known may have no type.
        typed = pa.schema(
            field.with_type(pa.float64()) if pa.types.is_null(field.type) else field
            for field in table.schema
        )
        frame: pd.DataFrame = table.cast(typed).to_pandas(split_blocks=True, self_destruct=True)
        return frame.assign(aimed=self._is_aimed)

    def _having(self, values: Mapping[str, Any]) -> pc.Expression | None:
        """The filter for rows with certain values, one of a list; None for all rows."""
        import pyarrow.compute as pc

        condition = None
        for column, value in values.items():
            if column in self.columns:
                field = pc.field(column)
                same = field.isin(value) if isinstance(value, list) else field == value
                condition = same if condition is None else condition & same
        return condition

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        # pyarrow raises a different error for each way in which a file can be broken.
        except Exception as error:
            what = f"cannot be read: {str(error).splitlines()[0]}"
            broken = Problem(str(self._path.parent), None, self._path.name, what)
            raise InputError([broken]) from None


class Tables(Mapping[str, "pd.DataFrame"]):
    """The tables of one game by name; only those with rows of it.

    Parameters
    ----------
    kept : mapping of str to DataFrame
        Its rows of all tables but that of announcements.
    file : AnnounceFile or None
        The table of announcements, of all games, if there is one.
    axes : mapping
        The values of the sweep's axes that tell its rows of `file` from those of others.
    """

    def __init__(
        self,
        kept: Mapping[str, pd.DataFrame],
        file: AnnounceFile | None,
        axes: Mapping[str, Any],
    ) -> None:
        self._kept, self._axes = kept, axes
        self._file = file.part(axes) if file is not None else None

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name == ANNOUNCE and self._file is not None:
            return self._file.rows(self._axes, self._file.columns)
        return self._kept[name]

    def __contains__(self, name: object) -> bool:
        return name in self._kept or (name == ANNOUNCE and self._file is not None)

    def __iter__(self) -> Iterator[str]:
        yield from self._kept
        if self._file is not None:
            yield ANNOUNCE

    def __len__(self) -> int:
        return len(self._kept) + (self._file is not None)

    def announcements(self, columns: Sequence[str], values: Mapping[str, Any]) -> pd.DataFrame:
        """Some columns of those announcements of the game that have certain values.

        Raises
        ------
        KeyError
            If there are no announcements.
        """
        if self._file is None:
            raise KeyError(ANNOUNCE)
        return self._file.rows({**self._axes, **values}, columns)
