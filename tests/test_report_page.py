"""The report's page: complete, self-contained, the same twice, and honest about what is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from report_samples import (
    Page,
    announce_table,
    cell,
    deals_tables,
    page_of,
    write_result,
    written_by_another_process,
)

from loo_sim.problems import InputError
from loo_sim.report import picker, write_report

HOSTILE = '<script>alert("x")</script> & $\\frac{1}{$ {{ 7 * 7 }}'


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    """Two finished games of the study `announce`, one that failed."""
    directory = tmp_path_factory.mktemp("sweep")
    games = [cell({"players": players}, players=players, deals=2_000_000) for players in (5, 6)]
    failed = cell({"players": 8}, players=8, status="failed", error="out of memory", deals=0)
    tables = [announce_table(n, {"players": n}, seats=[0, n - 1], deals=2_000_000) for n in (5, 6)]
    return write_result(
        directory, [*games, failed], {"announce": pd.concat(tables)}, status="failed"
    )


@pytest.fixture(scope="module")
def sweep_page(sweep):
    return page_of(sweep)


@pytest.fixture
def deals(tmp_path):
    return write_result(tmp_path / "deals", [cell()], deals_tables())


def test_another_process_writes_the_same_bytes(sweep, sweep_page, tmp_path):
    assert written_by_another_process(sweep, tmp_path) == sweep_page.html.encode()


def test_asks_the_network_for_nothing_and_runs_the_picker_alone(sweep_page):
    assert "http" not in sweep_page.html
    assert re.findall(r"<script[^>]*>", sweep_page.html) == [
        '<script type="application/json" id="picker-data">',
        "<script>",
    ]
    (program,) = re.findall(r"<script>\n(.*?)</script>", sweep_page.html, re.DOTALL)
    assert program == picker.script()
    reaching = (
        r"fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import|eval|Function|src|href"
    )
    assert not re.search(reaching, program)
    assert not re.findall(r"@import|url\((?!#)", sweep_page.html)
    for _, attrs in sweep_page.tags:
        assert "src" not in attrs
        assert not any(name.startswith("on") for name in attrs)
        for target in (attrs.get("href"), attrs.get("xlink:href")):
            assert target is None or target.startswith(("#", "data:"))


def test_ids_are_unique_and_every_reference_has_its_target(sweep_page):
    ids = sweep_page.ids
    assert len(ids) == len(set(ids))
    referred = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', sweep_page.html))
    assert {a or b for a, b in referred} <= set(ids)
    for _, attrs in sweep_page.tags:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set((attrs.get(name) or "").split()) <= set(ids)


def test_every_figure_has_title_description_caption_and_numbers(sweep_page):
    figures = sweep_page.all("figure")
    # For each of two games a map; for two seats three grids, the pot at which standing breaks even
    # and the chance of being looed; three grids for the common situations. One comparison, two
    # lines along the swept players, and two figures on why all that can be believed.
    assert len(figures) == 2 * (1 + 5 * 2 + 3) + 1 + 2 + 2
    assert all(figure["role"] == "img" for figure in figures)
    for tag in ("figcaption", "desc"):
        assert len(sweep_page.all(tag)) == len(figures)
    # The numbers of each, and the matrices of both seats of each game.
    assert len(sweep_page.all("details")) == len(figures) + 2 * 2
    assert len(sweep_page.all("title")) == len(figures) + 1
    assert len(sweep_page.all("h1")) == 1
    assert sweep_page.all("html")[0]["lang"] == "en"
    assert len(sweep_page.all("caption")) == len(sweep_page.all("table"))
    assert all(head["scope"] in ("row", "col") for head in sweep_page.all("th"))


def test_failed_games_are_named(sweep_page):
    assert "Game 3, 8 players: × failed: out of memory" in sweep_page.text
    assert "Not every game was finished" in sweep_page.text


@pytest.mark.usefixtures("unwritten")
def test_finished_runs_have_no_warning(deals):
    assert "Not every game was finished" not in page_of(deals).text


def test_says_how_it_was_made(sweep_page):
    for what in ("loosim run sample.toml", "cd" * 32, "3.12.1", "everyone plays peel"):
        assert what in sweep_page.text
    assert "2,000,000 a game, 4,000,000 in all" in sweep_page.text


@pytest.mark.usefixtures("unwritten")
def test_findings_open_the_page(deals):
    written = write_report(deals, deals / "page.html")
    page = Page(written.path.read_text(encoding="utf-8"))
    assert len(written.findings) == 3
    for finding in written.findings:
        assert 0 < page.text.index(finding) < page.text.index("How to read this")
        assert "±" in finding


def test_claims_no_more_than_a_game_of_many_players_allows(sweep_page):
    assert not re.search(r"\boptimal|\bGTO\b|equilibrium", sweep_page.text, re.IGNORECASE)
    assert "too close to call" in sweep_page.text
    assert "look sure by luck" in sweep_page.text.replace("\n", " ")


def test_hostile_names_are_only_text(tmp_path):
    policies = [{"name": HOSTILE, "digest": ""}] * 6
    games = [cell({"policies": HOSTILE}, policies=policies)]
    games.append(cell({"policies": "tight"}, status="failed", error=HOSTILE))
    tables = deals_tables(axes={"policies": HOSTILE})
    directory = write_result(tmp_path, games, tables, name=HOSTILE, command=HOSTILE)
    page = page_of(directory)
    assert not page.all("script")
    assert page.html.count("<script") == 0
    # In the heading, as a policy, as an axis, as an error, as the command.
    assert page.text.count(HOSTILE) >= 5


@pytest.mark.usefixtures("unwritten")
def test_a_hostile_name_stays_inside_the_reports_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    directory = write_result(tmp_path / "..x y?", [cell()], deals_tables(), name="../../x/y")
    written = write_report(directory)
    assert written.path.resolve().parent == (tmp_path / "reports").resolve()
    assert written.path.name == "x-y-.html"


@pytest.mark.usefixtures("unwritten")
def test_default_place(deals, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert write_report(deals).path == Path("reports") / f"{deals.name}.html"
    assert (tmp_path / "reports" / f"{deals.name}.html").is_file()


@pytest.mark.parametrize("players", [3, 16])
def test_fewest_and_most_players(tmp_path, players):
    table = announce_table(players, seats=[0, players - 1], deals=50_000)
    directory = write_result(tmp_path, [cell(players=players)], {"announce": table})
    page = page_of(directory)
    assert f"{players} players" in page.text


def test_short_pack(tmp_path):
    rules = cell()["rules"] | {"deck": 32}
    table = announce_table(6, seats=[0, 5], deck=32)
    page = page_of(write_result(tmp_path, [cell(rules=rules)], {"announce": table}))
    # Eight plain ranks by seven live trumps; pairs of eight with repetition; pairs of seven.
    squares = re.findall(r">[SMDF] \d+\.\d\d</text>", page.html)
    assert len(squares) == 2 * (8 * 7 + 36 + 21)


@pytest.mark.usefixtures("unwritten")
def test_both_studies_in_one_page(tmp_path):
    tables = {**deals_tables(), "announce": announce_table(seats=[0, 5], deals=50_000)}
    page = page_of(write_result(tmp_path, [cell()], tables))
    assert len(page.all("figure")) == 4 + 1 + 1 + 10 + 3 + 2


@pytest.mark.usefixtures("unwritten")
def test_a_seat_that_is_missing_is_named(tmp_path):
    tables = deals_tables()
    tables["deals"] = tables["deals"].query("seat != 0")
    page = page_of(write_result(tmp_path, [cell()], tables))
    assert "Not every seat has figures: 6 players" in page.text


@pytest.mark.usefixtures("unwritten")
def test_without_the_first_seat_the_dealer_is_still_shown(tmp_path):
    table = announce_table(seats=[5], deals=50_000)
    page = page_of(write_result(tmp_path, [cell()], {"announce": table}))
    assert "What to announce: dealer, 1 in" in page.text
    assert "What to announce: seat 0" not in page.text


@pytest.mark.parametrize("full", [deals_tables, lambda: {"announce": announce_table(seats=[0])}])
def test_empty_tables(tmp_path, full):
    tables = {name: table.iloc[:0] for name, table in full().items()}
    written = write_report(write_result(tmp_path, [cell()], tables), tmp_path / "page.html")
    assert written.findings == ["There is nothing to report: no game has figures."]


def test_no_tables_at_all(tmp_path):
    games = [cell(status="failed", error="out of memory")]
    page = page_of(write_result(tmp_path, games, {}, study="deals"))
    assert "Game 1, 6 players: × failed: out of memory" in page.text


def test_large_sweeps_say_what_they_leave_out(tmp_path):
    pots = range(3, 10)
    games = [cell({"pot": pot}, pot=float(pot)) for pot in pots]
    parts = [deals_tables(axes={"pot": pot}) for pot in pots]
    tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
    page = page_of(write_result(tmp_path, games, tables))
    assert "Of 7 games the first 6 are shown in full" in page.text
    # A comparison, two charts along the swept pots and one of errors, which have all seven, and
    # three figures for each game shown in full.
    assert len(page.all("figure")) == 1 + 2 + 1 + 3 * 6
    assert page.html.count("a pot of 9") >= 3


@pytest.mark.usefixtures("unwritten")
@pytest.mark.parametrize(("players", "full"), [(8, 6), (9, 5), (16, 3)])
def test_the_more_seats_games_have_the_fewer_are_shown_in_full(tmp_path, players, full):
    pots = range(3, 10)
    games = [cell({"pot": pot}, players=players, pot=float(pot)) for pot in pots]
    parts = [deals_tables(players, axes={"pot": pot}) for pot in pots]
    tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
    page = page_of(write_result(tmp_path, games, tables))
    assert f"Of 7 games the first {full} are shown in full" in page.text
    assert len([title for title in page.all("section") if "pot-" in str(title.get("id"))]) == full


class TestWrongDirectories:
    def problems(self, directory):
        with pytest.raises(InputError) as caught:
            write_report(directory)
        return [str(problem).removeprefix(str(directory)) for problem in caught.value.problems]

    def test_table_that_is_no_parquet(self, deals):
        (deals / "deals.parquet").write_bytes(b"no table")
        assert self.problems(deals)[0].startswith(": deals.parquet: cannot be read")

    def test_missing_columns_are_all_named(self, deals):
        table = pd.read_parquet(deals / "deals.parquet").drop(columns=["net", "looed"])
        table.to_parquet(deals / "deals.parquet")
        found = self.problems(deals)
        assert [line.split(" (")[0] for line in found] == [
            ": deals.parquet: has no column net",
            ": deals.parquet: has no column looed",
        ]

    def test_hands_that_are_none(self, tmp_path):
        table = announce_table(seats=[0])
        table.loc[3, "hand"] = "<script>"
        directory = write_result(tmp_path, [cell()], {"announce": table})
        (problem,) = self.problems(directory)
        assert "column hand holds '<script>', which is no hand class" in problem
