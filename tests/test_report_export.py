"""Figures and tables as files: all that the page shows, the same twice, nothing of others lost."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import struct
import xml.etree.ElementTree as ET

import matplotlib.image
import numpy as np
import pytest
from click.testing import CliRunner
from report_samples import announce_table, cell, deals_tables, write_result

from loo_sim.cli import cli
from loo_sim.problems import InputError
from loo_sim.report import write_report
from loo_sim.report.exhibit import Table
from loo_sim.report.export import as_csv
from loo_sim.report.page import sections
from loo_sim.report.result import read_result

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """One game, of both studies that look at single deals."""
    tables = {**deals_tables(), "announce": announce_table(seats=[0], deals=500_000)}
    return write_result(tmp_path_factory.mktemp("both"), [cell(deals=500_000)], tables)


@pytest.fixture(scope="module")
def folder(directory, tmp_path_factory):
    place = tmp_path_factory.mktemp("written")
    write_report(directory, place / "page.html", place / "figures")
    return place / "figures"


@pytest.fixture
def deals(tmp_path):
    return write_result(tmp_path / "deals", [cell()], deals_tables())


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refused(directory, folder) -> str:
    before = contents(folder) if folder.is_dir() else None
    with pytest.raises(InputError) as caught:
        write_report(directory, folder.parent / "other.html", folder)
    assert before is None or contents(folder) == before
    assert not (folder.parent / "other.html").exists()
    (problem,) = caught.value.problems
    return str(problem)


def test_every_figure_and_every_table_has_its_files(directory, folder):
    exhibits, tables = [], []
    for part in sections(read_result(directory)):
        exhibits += [exhibit.slug for exhibit in part.exhibits]
        several = len(part.tables) > 1
        tables += [
            f"{part.slug}-table-{number}.csv" if several else f"{part.slug}-table.csv"
            for number in range(1, len(part.tables) + 1)
        ]
    assert len(exhibits) == 4 + 1 + 3 + 3 + 2 + 2
    worth = [f"worth-1-table-{number}.csv" for number in (1, 2, 3)]
    assert tables == ["strategy-1-seat-0-table.csv", *worth, "trust-table.csv"]
    expected = {f"{slug}.{ending}" for slug in exhibits for ending in ("png", "svg", "csv")}
    expected |= {*tables, "situations-1-values.csv", "games.csv", "made.csv", "figures.json"}
    assert set(contents(folder)) == expected
    assert "strategy-1-seat-0-1.png" in expected


def test_the_index_tells_what_each_file_is(folder):
    index = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    files = contents(folder)
    del files["figures.json"]
    assert index["files"] == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items()
    }
    assert index["figures"]["seat-values.svg"]["title"] == "What each seat is worth"
    assert "highest for the dealer (0.50" in index["figures"]["seat-values.png"]["caption"]


def test_tables_hold_what_the_page_shows(directory, folder):
    numbers = {
        exhibit.slug: exhibit.numbers
        for part in sections(read_result(directory))
        for exhibit in part.exhibits
    }
    for slug, table in numbers.items():
        text = (folder / f"{slug}.csv").read_text(encoding="utf-8")
        rows = [tuple(row) for row in csv.reader(io.StringIO(text))]
        assert rows == [table.columns, *table.rows]


def test_the_values_of_every_kind_of_hand_are_there(folder):
    text = (folder / "situations-1-values.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    # One situation: 156, 91 and 66 kinds, and three trumps.
    assert len(rows) == 156 + 91 + 66 + 1
    assert {row["situation"] for row in rows} == {"seat 0"}
    (row,) = [row for row in rows if row["trumps"] == "1" and row["row of its grid"] == "K"
              and row["column of its grid"] == "10"]  # fmt: skip
    # In the sample the miss nets 0.3 less than folding from the first seat.
    assert row["miss"].startswith("−0.30")


def test_the_games_and_what_the_run_was_made_with_are_there(directory, folder):
    heads, *games = csv.reader(io.StringIO((folder / "games.csv").read_text(encoding="utf-8")))
    assert heads[:4] == ["no.", "game", "players", "pot, stakes"]
    assert [row[0] for row in games] == [str(one.number) for one in read_result(directory).cells]
    made = dict(csv.reader(io.StringIO((folder / "made.csv").read_text(encoding="utf-8"))))
    manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    assert made["seed"] == str(manifest["seed"])
    assert made["command"] == manifest["command"]


def test_texts_with_commas_and_quotes_are_quoted():
    table = Table("a caption", ("hand", "value"), (('A, "K"', "1,000(30)"), ("♠", "–")))
    assert as_csv(table).decode() == 'hand,value\n"A, ""K""","1,000(30)"\n♠,–\n'


def test_pictures_show_the_figure(directory, folder):
    (exhibit,) = [
        exhibit
        for part in sections(read_result(directory))
        for exhibit in part.exhibits
        if exhibit.slug == "strategy-1-seat-0-1"
    ]
    drawn = ET.parse(folder / f"{exhibit.slug}.svg").getroot()
    shown = re.findall(r">([SMDF] \d+\.\d\d)<", exhibit.svg)
    assert len(shown) == 156
    assert [text.text for text in drawn.iter(f"{SVG}text") if text.text in set(shown)] == shown
    picture = (folder / f"{exhibit.slug}.png").read_bytes()
    # As wide as the page's figures, 6.4 inches, at 200 dots to the inch.
    assert struct.unpack(">I", picture[16:20]) == (1280,)
    pixels = matplotlib.image.imread(io.BytesIO(picture))[..., :3]
    stand = (np.abs(pixels * 255 - (0x00, 0x44, 0x88)).max(axis=2) < 1).mean()
    fold = (np.abs(pixels * 255 - 0xE6).max(axis=2) < 1).mean()
    squares = [text[0] for text in shown]
    assert stand / fold == pytest.approx(squares.count("S") / squares.count("F"), rel=0.35)


def test_written_again_the_bytes_are_the_same(directory, folder, tmp_path):
    write_report(directory, tmp_path / "page.html", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(folder)


def test_an_older_folder_of_figures_is_replaced(deals, tmp_path):
    other = write_result(
        tmp_path / "other",
        [cell({"pot": 4}, pot=4.0)],
        deals_tables(axes={"pot": 4}),
    )
    (tmp_path / "figures").mkdir()
    write_report(deals, tmp_path / "page.html", tmp_path / "figures")
    before = contents(tmp_path / "figures")
    write_report(other, tmp_path / "page.html", tmp_path / "figures")
    after = contents(tmp_path / "figures")
    assert set(before) == set(after)
    assert before["swings-1.csv"] == after["swings-1.csv"]
    assert b"a pot of 4" in after["seat-values.csv"]
    # Nothing is left beside it.
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("deals", "figures", "other", "page.html")
    ]


def test_what_is_not_its_own_is_left_alone(deals, tmp_path):
    folder = tmp_path / "figures"
    folder.mkdir()
    (folder / "letter.txt").write_text("dear", encoding="utf-8")
    assert "is not empty and holds no figures of loosim" in refused(deals, folder)
    (folder / "letter.txt").unlink()
    write_report(deals, tmp_path / "page.html", folder)
    (folder / "letter.txt").write_text("dear", encoding="utf-8")
    assert "holds 'letter.txt', which is no figure of loosim" in refused(deals, folder)
    (folder / "letter.txt").unlink()
    (folder / "swings-1.csv").write_text("mine", encoding="utf-8")
    assert "holds 'swings-1.csv', which was changed since it was written" in refused(deals, folder)


def test_results_files_and_folders_of_folders_are_refused(deals, tmp_path):
    assert "holds no figures of loosim" in refused(deals, deals)
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "is not a folder" in refused(deals, tmp_path / "file")
    folder = tmp_path / "figures"
    write_report(deals, tmp_path / "page.html", folder)
    (folder / "inner").mkdir()
    with pytest.raises(InputError, match="holds 'inner', which is no figure"):
        write_report(deals, tmp_path / "page.html", folder)


def test_the_page_does_not_stand_among_the_figures(deals, tmp_path):
    with pytest.raises(InputError, match=re.escape("would hold the page too, page.html")):
        write_report(deals, tmp_path / "figures" / "page.html", tmp_path / "figures")
    assert not (tmp_path / "figures").exists()


def test_the_command_writes_and_refuses(deals, tmp_path):
    words = ["report", str(deals), "-o", str(tmp_path / "page.html"), "--figures"]
    ran = CliRunner().invoke(cli, [*words, str(tmp_path / "figures"), "--json"])
    assert ran.exit_code == 0
    assert json.loads(ran.stdout)["figures"] == str(tmp_path / "figures")
    assert (tmp_path / "figures" / "seat-values.png").is_file()
    ran = CliRunner().invoke(cli, [*words, str(deals)])
    assert ran.exit_code == 2
    assert "nothing was overwritten; name another folder" in ran.stderr
