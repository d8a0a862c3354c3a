"""The hand picker: its data are the report's figures, and its program shows them."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest
from browser import chromium, needs_chromium, opened
from report_samples import announce_table, cell, deals_tables, page_of, write_result

from loo_sim.report import picker, situations
from loo_sim.report.result import Cell, read_result
from loo_sim.rounding import with_error

DEALS = 4_000_000
HOSTILE = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    """Seats 0, 3 and the dealer, the miss there or gone."""
    table = announce_table(seats=[0, 3, 5], deals=DEALS)
    place = tmp_path_factory.mktemp("picker")
    return write_result(place, [cell(deals=DEALS)], {"announce": table})


@pytest.fixture(scope="module")
def game(directory) -> Cell:
    return read_result(directory).cells[0]


@pytest.fixture(scope="module")
def page(directory):
    return page_of(directory)


@pytest.fixture(scope="module")
def data(game):
    return json.loads(picker.picker_data([game]))


def test_a_hand_has_its_values_of_every_situation(game, data):
    (shown,) = data["games"]
    found = {one.spot.title: one for one in situations.situations(game)}
    assert [name for name, _ in shown["spots"]][:3] == [
        "seat 0",
        "seat 3, nobody in",
        "seat 3, 1 in",
    ]
    assert {name for name, _ in shown["spots"]} == set(found)
    told = shown["hands"]["1 13 8"].split("|")
    for (name, often), values in zip(shown["spots"], told, strict=True):
        rows = game.tables["announce"]
        seat, standers, free = found[name].key
        rows = rows[
            (rows["seat"] == seat) & (rows["standers"] == standers) & (rows["miss_free"] == free)
        ]
        # King of trumps, best plain card an eight: pooled by hand.
        rows = rows[rows["hand"].str.match(r"Ks8h[2-8]")]
        n = rows["n"].sum()
        stand = (rows["n"] * rows["stand"]).sum() / n
        within = (rows["stand_se"].fillna(0) ** 2 * rows["n"] * (rows["n"] - 1)).sum()
        error = ((within + (rows["n"] * (rows["stand"] - stand) ** 2).sum()) / n / (n - 1)) ** 0.5
        fields = values.split(";")
        assert fields[0] == with_error(stand, error, n)
        assert (fields[1] == "–") == (not free)
        assert (fields[2] == "–") == (not free)
        share = 100 * found[name].n / DEALS
        assert float(re.sub(r"\(.*| %", "", often)) == pytest.approx(share, rel=0.01)


def test_letters_are_small_where_it_is_too_close_to_call(game, data):
    (shown,) = data["games"]
    kinds = situations.matrices(game)[0, 0, True]
    letters = {"stand": "S", "miss": "M", "fold": "F"}
    for kind in kinds[kinds["n"] >= 30].itertuples():
        letter = letters[kind.best] if kind.sure else letters[kind.best].lower()
        told = shown["hands"][f"{kind.trumps} {kind.row} {kind.col}"].split("|")[0]
        assert told.split(";")[3] == letter
    assert 0 < kinds["sure"].sum() < len(kinds)


def test_every_kind_of_hand_can_be_picked(data):
    (shown,) = data["games"]
    count = pd.Series([name[0] for name in shown["hands"]]).value_counts()
    assert count.to_dict() == {"1": 156, "0": 91, "2": 66, "3": 1}
    assert shown["ranks"] == {
        **{str(rank): str(rank) for rank in range(2, 11)},
        **{"11": "J", "12": "Q", "13": "K", "14": "A"},
    }


def test_what_came_up_too_rarely_is_left_out(tmp_path):
    table = announce_table(seats=[0], deals=20_000)
    game = read_result(write_result(tmp_path, [cell(deals=20_000)], {"announce": table})).cells[0]
    (shown,) = json.loads(picker.picker_data([game]))["games"]
    kinds = situations.matrices(game)[0, 0, True]
    assert 0 < len(shown["hands"]) == (kinds["n"] >= 30).sum() < len(kinds)


def test_many_situations_are_cut_to_the_common_ones(game, monkeypatch):
    monkeypatch.setattr(picker, "MOST_PICKED", 4)
    (shown,) = json.loads(picker.picker_data([game]))["games"]
    common = {one.spot.title for one in situations.situations(game)[:4]}
    assert {name for name, _ in shown["spots"]} == common
    assert shown["left"] == len(situations.situations(game)) - 4


def test_no_picker_where_there_are_no_hands(tmp_path):
    page = page_of(write_result(tmp_path, [cell()], deals_tables()))
    assert not page.all("script")
    assert "picker" not in page.html.split("</style>")[1]


def test_without_a_script_the_page_says_nothing_of_it(page):
    (section,) = [attrs for attrs in page.all("section") if attrs.get("id") == "picker-section"]
    assert "hidden" in section


def test_hostile_names_end_no_script(tmp_path):
    table = announce_table(seats=[0], axes={"policies": HOSTILE}, deals=DEALS)
    games = [cell({"policies": HOSTILE}, deals=DEALS)]
    page = page_of(write_result(tmp_path, games, {"announce": table}))
    assert len(page.all("script")) == page.html.count("<script") == 2
    (content,) = re.findall(r'id="picker-data">(.*?)</script>', page.html)
    assert HOSTILE in json.loads(content)["games"][0]["name"]


def shown_by_a_browser(html: str, folder, then: str = "") -> str:
    """The picker's section as chromium has it after its program and then another ran."""
    path = folder / "page.html"
    path.write_text(html.replace("</body>", f"<script>{then}</script></body>"), encoding="utf-8")
    with chromium() as browser, opened(browser, path) as page:
        content = page.content()
    return content.split('<section id="picker-section"')[1].split("</section>")[0]


def rows_of(html: str) -> list[list[str]]:
    body = html.split('<tbody id="picker-rows">')[1]
    return [
        [re.sub(r"<[^>]*>", "", entry) for entry in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", body)
    ]


def expected_rows(data, hand: str) -> list[list[str]]:
    (shown,) = data["games"]
    rows = []
    for (name, often), told in zip(shown["spots"], shown["hands"][hand].split("|"), strict=True):
        *values, letter = told.split(";")
        words = {"S": "S stand", "M": "M take the miss", "D": "D defend", "F": "F fold"}
        rows.append([name, often, *values, words.get(letter, "too close to call")])
    return rows


@needs_chromium
def test_a_browser_shows_the_hand_that_is_picked(page, data, tmp_path):
    first = shown_by_a_browser(page.html, tmp_path)
    assert "hidden" not in first.split(">")[0]
    # What is chosen first: one trump, the best of each.
    assert rows_of(first) == expected_rows(data, "1 14 14")
    pick = """
      const choose = (id, value) => {
        const select = document.getElementById(`picker-${id}`);
        select.value = value;
        select.dispatchEvent(new Event("change"));
      };
    """
    chosen = 'choose("trumps", "2"); choose("row", "9"); choose("column", "4");'
    picked = shown_by_a_browser(page.html, tmp_path, pick + chosen)
    assert rows_of(picked) == expected_rows(data, "2 9 4")
    assert "two trumps, higher live trump 9, lower live trump 4" in picked
    three = shown_by_a_browser(page.html, tmp_path, pick + 'choose("trumps", "3");')
    assert rows_of(three) == expected_rows(data, "3 0 0")
