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
