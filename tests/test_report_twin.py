"""The short table after a run tells the figures of the report, in its words and as exactly."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from report_samples import Page, announce_table, cell, page_of, write_result

from loo_sim.experiment import load_experiment
from loo_sim.report import leads, league, miss, situations, swings
from loo_sim.report.result import read_result
from loo_sim.rounding import with_error
from loo_sim.runner.run import run_experiment
from loo_sim.studies import STUDY_NAMES

SETTINGS = {
    "deals": {"deals": 3000},
    "announce": {"deals": 3000, "policies": ["always-stand", "peel", "peel", "peel", "peel"]},
    "lead": {"deals": 3000, "policies": "trumps"},
    "session": {"tables": 200, "rounds": 2},
    "league": {"deals": 2000, "policies": ["peel", "random", "loose", "tight"]},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A small run of each study: its directory, and its rows as the manifest has them."""
    folder, found = tmp_path_factory.mktemp("runs"), {}
    for study in STUDY_NAMES:
        settings = {"study": study, "players": 5, **SETTINGS[study]}
        file = folder / f"{study}.toml"
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in settings.items()]
        file.write_text("".join(lines), encoding="utf-8")
        directory = run_experiment(load_experiment(file), folder / study, 2).directory
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        found[study] = directory, manifest["cells"][0]["headline"]
    return found


@pytest.fixture(scope="module")
def pages(runs) -> dict[str, Page]:
    return {study: page_of(directory) for study, (directory, _) in runs.items()}


def first_cell(runs, study):
    return read_result(runs[study][0]).cells[0]


def test_deals_tell_the_same_change_of_the_pot_and_as_many_looed(runs, pages):
    ((row,), game) = runs["deals"][1], first_cell(runs, "deals")
    change = row["mean change of the pot, stakes"]
    assert (change["value"], change["se"]) == swings.mean_swing(game)
    # The report tells by how much it grows or shrinks, and leaves the sign to the verb.
    assert f"by {change['told'].lstrip('−')} stakes" in pages["deals"].text
    assert f"; {row['players looed']['told']} players are looed" in pages["deals"].text
    players_in = game.tables["pot"]
    assert row["players in"]["value"] == pytest.approx(
        (players_in["n"] * players_in["standers"]).sum() / 3000
    )


def test_announcements_tell_the_same_values_of_the_same_situations(runs, pages):
    rows, game = runs["announce"][1], first_cell(runs, "announce")
    names = [row["situation"]["told"] for row in rows]
    assert names[0] == "seat 0"
    # The first seat always stands, so that one is in at least before the dealer.
    assert names[1] in ("dealer, 1 in", "dealer, 2 in")
    titles = {one.spot.title: one for one in situations.situations(game)}
    for row, name in zip(rows, names, strict=True):
        share = row["share of deals"]["value"]
        assert share == pytest.approx(titles[name].share)
        assert f"What to announce: {name}, 5 players" in pages["announce"].text
    first = miss.blind_miss(game).iloc[0]
    assert rows[0]["miss, stakes"]["value"] == first["miss"]
    assert rows[0]["miss, stakes"]["se"] == first["miss_se"]
    told = f"nets {rows[0]['miss, stakes']['told']} stakes for seat 0"
    assert told in pages["announce"].text
    assert f"looed in {rows[0]['miss: looed']['told']} of those deals" in pages["announce"].text


def test_the_first_seat_has_the_mean_weighted_by_exact_chances(tmp_path):
    table = announce_table(seats=[0, 5])
    precision = pd.DataFrame(
        {
            "seat": [0, 0],
            "figure": ["stand", "miss"],
            "mean": [-0.5, -0.25],
            "mean_se": [0.01, 0.02],
        }
    )
    tables = {"announce": table, "precision": precision}
    game = read_result(write_result(tmp_path, [cell()], tables)).cells[0]
    seats = miss.blind_miss(game).set_index("seat")
    assert tuple(seats.loc[0, ["miss", "miss_se"]]) == (-0.25, 0.02)
    # The dealer's stays as the deals brought it: 0.1 a seat and a stander from -0.3.
    assert seats.loc[5, "miss"] > -0.1
    assert with_error(-0.25, 0.02, 200_000) in str(miss.blind_exhibit([game]).numbers.rows[0])


def test_leads_tell_the_same_differences(runs, pages):
    rows, game = runs["lead"][1], first_cell(runs, "lead")
    by_number = {leads.in_words(row.number): row for row in leads.by_number(game).itertuples()}
    told = [row for row in rows if row["may choose"]["value"]]
    assert [row["players in"]["told"] for row in told] == list(by_number)
    assert len(told) > 1
    for row in told:
        name = row["players in"]["told"]
        title = "lowest less highest, stakes"
        assert row[title]["value"] == by_number[name].lowest_minus_highest
        assert f"{row[title]['told']} stakes with {name} in" in pages["lead"].text


def test_sessions_tell_the_same_pots(runs, pages):
    (row,) = runs["session"][1]
    told = (
        f"The pot holds {row['mean pot, stakes']['told']} stakes on average when play begins; "
        f"{row['single pots']['told']} of the deals begin with a single pot, "
        f"{row['clean deals']['told']} are clean"
    )
    assert told in pages["session"].text
    assert f"that of the mean pot is {row['honest / naive error']['told']} times" in (
        pages["session"].text
    )
    session = first_cell(runs, "session").tables["session"].iloc[0]
    for title, name in (("mean pot, stakes", "pot"), ("single pots", "single")):
        assert row[title] | {"told": ""} == {
            "told": "",
            "value": session[name],
            "se": session[f"{name}_se"],
        }


def test_leagues_tell_the_same_order_and_the_same_words(runs, pages):
    rows, game = runs["league"][1], first_cell(runs, "league")
    table = {row[0]: row for row in league.standing_exhibit(game).numbers.rows}
    assert [row["policy"]["told"] for row in rows] == list(table)
    for row in rows:
        shown = table[row["policy"]["told"]]
        assert row["standing"]["told"] == shown[3]
        assert row["told from the first after"]["told"] in ("", shown[5], f"{shown[5]} deals")
        assert shown[1] == with_error(row["net, stakes"]["value"], row["net, stakes"]["se"], 2000)
    assert f"{rows[0]['net, stakes']['told']} stakes a deal and seat" in pages["league"].text


def test_the_short_table_is_json_without_words(runs):
    for _, rows in runs.values():
        for row in rows:
            for figure in row.values():
                assert set(figure) == {"told", "value", "se"}
                assert figure["se"] is None or figure["se"] > 0
