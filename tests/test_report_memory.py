"""A report of many games reads of each only what it shows."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from report_samples import announce_table, cell, write_result

from loo_sim.report import tables
from loo_sim.report.findings import find
from loo_sim.report.page import sections
from loo_sim.report.result import COLUMNS, read_result

POTS = range(9, 11)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Two games that differ in the pot, each in a row group of its own, as runs write them."""
    directory = write_result(
        tmp_path_factory.mktemp("swept"),
        [cell({"pot": pot}, pot=float(pot)) for pot in POTS],
        {},
        study="announce",
    )
    of_game = pa.Table.from_pandas(announce_table(seats=[0, 5]), preserve_index=False)
    with pq.ParquetWriter(
        directory / "announce.parquet",
        of_game.add_column(0, "pot", pa.repeat(3, len(of_game))).schema,
    ) as writer:
        for pot in POTS:
            writer.write_table(of_game.add_column(0, "pot", pa.repeat(pot, len(of_game))))
    return directory


@pytest.mark.usefixtures("unwritten")
def test_all_columns_are_read_only_of_one_situation_at_a_time(swept, monkeypatch):
    read = []
    plain = tables.AnnounceFile.rows

    def noted(self, values, columns):
        rows = plain(self, values, columns)
        read.append((len(rows), len(columns)))
        return rows

    monkeypatch.setattr(tables.AnnounceFile, "rows", noted)
    result = read_result(swept)
    assert not read
    find(result)
    sections(result)
    whole = pq.ParquetFile(swept / "announce.parquet").metadata.row_group(0).num_rows
    situation = 4861
    assert whole > 5 * situation
    assert read
    for rows, columns in read:
        assert rows <= whole
        assert rows <= situation or columns < len(COLUMNS["announce"])


def test_rows_are_those_of_the_game_and_the_values_asked_for(swept):
    game = read_result(swept).cells[1]
    assert game.axes == {"pot": 10}
    whole = game.tables["announce"]
    assert set(whole["pot"]) == {10}
    asked = whole[(whole["seat"] == 5) & (whole["standers"] == 2) & whole["miss_free"]]
    found = game.announcements(["hand", "n", "stand"], seat=5, standers=2, miss_free=True)
    assert list(found.columns) == ["hand", "n", "stand", "aimed"]
    assert found["hand"].to_list() == asked["hand"].to_list()
    assert found["stand"].to_list() == asked["stand"].to_list()
    assert not found["aimed"].any()


def test_any_of_several_seats_may_be_asked_for(swept):
    game = read_result(swept).cells[0]
    whole = game.tables["announce"]
    found = game.announcements(["seat", "standers", "hand"], seat=[0, 5, 9], miss_free=True)
    asked = whole[whole["miss_free"]]
    assert set(asked["seat"]) == {0, 5}
    assert found["hand"].to_list() == asked["hand"].to_list()
    assert found["standers"].to_list() == asked["standers"].to_list()


def test_only_row_groups_with_rows_of_the_game_are_read(tmp_path):
    """Games 3, 1 | 1, 2 | 3, 1: a pot of 2 lies between the least and the greatest of all."""
    rows = pa.table({"pot": [3, 1, 1, 2, 3, 1], "seat": range(6), "hand": ["AsKsQs"] * 6})
    pq.write_table(rows, tmp_path / "announce.parquet", row_group_size=2)
    file = tables.AnnounceFile(tmp_path / "announce.parquet", is_aimed=False)
    groups = {1: 3, 2: 1, 3: 2}
    for pot, held in groups.items():
        part = file.part({"pot": pot})
        assert len(part.rows({}, ["seat"])) == 2 * held
        found = part.rows({"pot": pot}, ["seat"])["seat"].to_list()
        assert found == [seat for seat in range(6) if rows["pot"][seat].as_py() == pot]
    assert file.part({"pot": 4}) is None
