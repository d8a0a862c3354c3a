"""Keeps the counts of a cell that is at work: a file a thread, its totals so far.

A file is one line of SHA-256 over all that follows, one line of JSON, and then the arrays' bytes:
the numbers of the chunks that the counts hold, their checksums, what each gives of the figures that
are followed, and the counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loo_sim.runner.durable import write_durably

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from loo_sim.studies import Counts

CHECKSUMS = 2**64
"""Checksums are whole numbers below this, and added modulo it."""

CHUNK_COLUMNS = ("chunk", "first", "n", "checksum")
"""Of the table ``chunks``: number, first deal (or table), deals, checksum of the counts."""


RUNNING_COLUMNS = ("n", "deals", "mean", "mean_se")
"""Of the table ``running``, after the number of the chunk and the figure: see docs/files.md."""


@dataclass
class Total:
    """What some chunks of a cell come to.

    Attributes
    ----------
    counts : tuple of ndarray
        The study's counts.
    chunks : list of int
        Numbers of the chunks that they hold.
    checksums : list of int
        Of the counts of each of these chunks (`kernels.checksum`).
    running : list of sequence
        What each of these chunks alone gives of each figure that the study follows: rows of
        `RUNNING_COLUMNS`.
    seconds : float
        Time that the cell had taken by then.
    """

    counts: Counts
    chunks: list[int] = field(default_factory=list)
    checksums: list[int] = field(default_factory=list)
    running: list[Sequence[Sequence[float]]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Total) -> None:
        """Take in the chunks of another total."""
        for whole, part in zip(self.counts, other.counts, strict=True):
            whole += part
        self.note(other)

    def note(self, other: Total) -> None:
        """Take in what is told of the chunks of another total, whose counts are in by now."""
        self.chunks += other.chunks
        self.checksums += other.checksums
        self.running += other.running
        self.seconds = max(self.seconds, other.seconds)

    def table(self, deals: int, length: int) -> pa.Table:
        """The table ``chunks``: a row for each chunk of `length` of `deals` deals, in order."""
        import pyarrow as pa

        order = np.argsort(self.chunks)
        number = np.array(self.chunks, np.int64)[order]
        first = number * length
        columns = (
            number,
            first,
            np.minimum(length, deals - first),
            np.array(self.checksums, np.uint64)[order],
        )
        return pa.table(dict(zip(CHUNK_COLUMNS, columns, strict=True)))

    def running_table(self, figures: Sequence[str]) -> pa.Table:
        """The table ``running``: a row for each chunk and figure that is followed, in order."""
        import pyarrow as pa

        order = np.argsort(self.chunks)
        n, deals, mean, se = _values(self.running)[order].reshape(-1, len(RUNNING_COLUMNS)).T
        columns = (n.astype(np.int64), deals.astype(np.int64), mean, se)
        return pa.table(
            {
                "chunk": np.repeat(np.array(self.chunks, np.int64)[order], len(figures)),
                "figure": list(figures) * len(order),
                **{
                    name: pa.array(column, from_pandas=True)
                    for name, column in zip(RUNNING_COLUMNS, columns, strict=True)
                },
            }
        )


def size_of(counts: Counts) -> int:
    """Bytes that counts take."""
    return sum(array.nbytes for array in counts)


def totals_beside(total: Total, most: int, empty: Callable[[], Counts]) -> list[Total]:
    """A total, and others of nothing beside it: so many in all."""
    return [total, *(Total(empty()) for _ in range(most - 1))]


def put_together(totals: list[Total]) -> Total:
    """The first of some totals, with all the others in it; they are gone from the list then."""
    while len(totals) > 1:
        totals[0].add(totals.pop())
    return totals[0]


_BESIDE = 3
"""Arrays of a file before the counts."""


class Parts:
    """The files of one cell.

    Parameters
    ----------
    folder : Path
        Where they are.
    cell : int
        The cell's number.
    of : mapping
        What the counts are counts of; a file that says anything else is of no use.
    empty : callable
        Makes counts of nothing.
    """

    def __init__(
        self, folder: Path, cell: int, of: dict[str, Any], empty: Callable[[], Counts]
    ) -> None:
        self._folder = folder
        self._stem = f"cell-{cell}.part-"
        self._of = {**of, "cell": cell}
        self._empty = empty

    def save(self, thread: int, total: Total) -> None:
        """Keep the total of a thread in place of its last one.

        Raises
        ------
        OSError
            If it cannot be written; the last one is still there then.
        """
        arrays: list[npt.NDArray[Any]] = [
            np.array(total.chunks, np.uint32),
            np.array(total.checksums, np.uint64),
            _values(total.running),
            *map(np.ascontiguousarray, total.counts),
        ]
        head = {"of": self._of, "arrays": _shapes(arrays), "seconds": total.seconds}
        line = json.dumps(head).encode() + b"\n"
        digest = hashlib.sha256(line)
        for array in arrays:
            digest.update(array.data)
        path = self._folder / f"{self._stem}{thread}"
        write_durably(
            path, [f"{digest.hexdigest()}\n".encode(), line, *(array.data for array in arrays)]
        )

    def look(self) -> tuple[Total, list[str]]:
        """What all files come to.

        Returns
        -------
        total : Total
        damaged : list of str
            Names of files that are of no use; their chunks are to be counted again.
        """
        whole, damaged = Total(self._empty()), []
        for path in sorted(self._files(), key=_claimed_chunks, reverse=True):
            part = self._read(path, whole.counts)
            if part is None:
                damaged.append(path.name)
            # A kill while files were put together leaves those that the largest holds already.
            elif set(part.chunks).isdisjoint(whole.chunks):
                whole.add(part)
        return whole, damaged

    def load(self) -> tuple[Total, list[str]]:
        """Put all files together, in one file too, so that they grow no more numerous.

        Returns
        -------
        total : Total
            Thread 0 goes on with it.
        damaged : list of str
            As `look` gives them.
        """
        whole, damaged = self.look()
        files = self._files()
        first = self._folder / f"{self._stem}0"
        if whole.chunks and files != [first]:
            self.save(0, whole)
        for path in files:
            if path != first or not whole.chunks:
                path.unlink()
        return whole, damaged

    def clear(self) -> None:
        """Remove the files."""
        for path in self._files():
            path.unlink()

    def _files(self) -> list[Path]:
        return list(self._folder.glob(f"{self._stem}*"))

    def _read(self, path: Path, like: Counts) -> Total | None:
        """The total in a file, its counts shaped as `like`; None if the file is of no use."""
        digest, _, rest = path.read_bytes().partition(b"\n")
        if digest != hashlib.sha256(rest).hexdigest().encode():
            return None
        line, _, content = rest.partition(b"\n")
        head = json.loads(line)
        shapes = head["arrays"]
        if head["of"] != self._of or shapes[_BESIDE:] != _shapes(like):
            return None
        arrays, start = [], 0
        for kind, shape in shapes:
            array = np.frombuffer(content, kind, prod(shape), start).reshape(shape)
            arrays.append(array)
            start += array.nbytes
        chunks, checksums, running = (array.tolist() for array in arrays[:_BESIDE])
        return Total(tuple(arrays[_BESIDE:]), chunks, checksums, running, head["seconds"])


def _values(running: Sequence[Sequence[Sequence[float]]]) -> npt.NDArray[np.float64]:
    """What chunks give of figures, of shape (chunks, figures, columns)."""
    figures = len(running[0]) if running else 0
    values = np.array(running, np.float64)
    return values.reshape(len(running), figures, len(RUNNING_COLUMNS))


def _shapes(arrays: Iterable[npt.NDArray[Any]]) -> list[Any]:
    """Type and shape of each array, as JSON gives them back."""
    return [[array.dtype.str, list(array.shape)] for array in arrays]


def _claimed_chunks(path: Path) -> int:
    """The number of chunks that a file says it holds; 0 if it says nothing."""
    with path.open("rb") as file:
        file.readline()
        try:
            head = json.loads(file.readline())
            return int(head["arrays"][0][1][0])
        except (ValueError, LookupError, TypeError):
            return 0
