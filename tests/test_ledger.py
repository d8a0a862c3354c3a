"""Finished cells in one file: each entry is whole or of no use, and none takes others with it."""

from __future__ import annotations

import errno
import json
from itertools import pairwise
from pathlib import Path

import pytest

from loo_sim.runner.ledger import Ledger


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "cells"


def write(path: Path, cells: int = 3) -> list[tuple[int, int]]:
    """Entries of cells 0, 1, ...; where each begins, and the next."""
    ledger, ends = Ledger(path), [0]
    for cell in range(cells):
        ledger.append({"cell": cell}, [b"first of %d" % cell, memoryview(b"\ncell second")])
        ends.append(path.stat().st_size)
    return list(pairwise(ends))


def cells_in(path: Path) -> tuple[dict[int, bytes], list[int]]:
    """What is read: the content of each cell, and the places of what is damaged."""
    ledger = Ledger(path)
    entries, damaged = ledger.read()
    length = len(b"first of 0\ncell second")
    return {head["cell"]: ledger.content(at, length) for head, at in entries}, damaged


def content(cell: int) -> bytes:
    return b"first of %d\ncell second" % cell


def test_what_was_written_is_read(path):
    assert cells_in(path) == ({}, [])
    path.write_bytes(b"")
    assert cells_in(path) == ({}, [0])
    write(path)
    assert cells_in(path) == ({cell: content(cell) for cell in range(3)}, [])


@pytest.mark.parametrize("cell", range(3))
def test_an_altered_byte_costs_its_own_entry_alone(path, cell):
    start, end = write(path)[cell]
    right = path.read_bytes()
    for place in range(start, end):
        path.write_bytes(right[:place] + bytes([right[place] ^ 1]) + right[place + 1 :])
        found, damaged = cells_in(path)
        assert found == {other: content(other) for other in range(3) if other != cell}, place
        assert damaged == [start]


def test_an_entry_broken_off_is_replaced_by_the_next(path):
    places = write(path)
    right = path.read_bytes()
    for end in range(places[1][1] + 1, len(right)):
        path.write_bytes(right[:end])
        ledger = Ledger(path)
        entries, damaged = ledger.read()
        assert [head["cell"] for head, _ in entries] == [0, 1]
        assert damaged == [places[1][1]]
        ledger.append({"cell": 2}, [content(2)])
        assert cells_in(path) == ({cell: content(cell) for cell in range(3)}, [])


def test_a_line_that_promises_more_than_there_is_is_of_no_use(path):
    for length in (10**12, 10**30):
        path.write_bytes(b"\ncell 2 %d %s\n{}" % (length, b"0" * 64))
        assert cells_in(path) == ({}, [0])


def test_a_full_disk_leaves_the_entries_before(path, monkeypatch):
    write(path)
    right = path.read_bytes()
    ledger = Ledger(path)
    ledger.read()

    def full(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    monkeypatch.setattr("loo_sim.runner.ledger.SYNC_SECONDS", 0.0)
    with pytest.raises(OSError, match="No space"):
        ledger.append({"cell": 3}, [b"x" * 100])
    assert path.read_bytes() == right
    monkeypatch.undo()
    ledger.append({"cell": 3}, [content(3)])
    assert sorted(cells_in(path)[0]) == [0, 1, 2, 3]


def test_the_file_tells_itself(path):
    """A line of lengths and digest, a head in JSON, and the content."""
    write(path, 1)
    _, line, rest = path.read_bytes().split(b"\n", 2)
    word, of_head, of_content, digest = line.split()
    assert (word, len(digest)) == (b"cell", 64)
    assert json.loads(rest[: int(of_head)]) == {"cell": 0}
    assert rest[int(of_head) :] == content(0)
    assert int(of_content) == len(content(0))
