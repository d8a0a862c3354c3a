"""Deals of sessions and of leagues, told one by one: those that were played there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loo_sim.cli import main
from loo_sim.draws import TABLE_DEALS, league_order
from loo_sim.experiment import load_experiment
from loo_sim.narrate import narrate_purses, stakes_text
from loo_sim.problems import InputError
from loo_sim.records import to_dict
from loo_sim.runner.replay import at_table, cell_of_run, in_turn, replay
from loo_sim.runner.run import run_experiment
from loo_sim.session import play_table

SESSION = """
study = "session"
seed = 5
tables = 3
rounds = 2
players = 6
bankroll = 9
policies = ["trumps", "random", "peel", "loose", "always-stand", "tight"]
rules.min_players = 3
"""
LEAGUE = """
study = "league"
seed = 5
deals = 20
players = 5
policies = ["trumps", "random", "peel"]
"""
UNITS = 9 * 729


def written(folder: Path, text: str) -> Path:
    path = folder / "x.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_deal_of_a_session_is_the_one_that_was_played_there(tmp_path):
    path = written(tmp_path, SESSION)
    (cell,) = load_experiment(path).cells
    sizes = set()
    for table in (0, 3, 2**32 - 1):
        deals = play_table(cell.rules, cell.policies, 2, 5, table, UNITS).deals
        _, seed, found = cell_of_run(path, 0)
        assert (seed, found) == (5, cell)
        for number, deal in enumerate(deals):
            index = table * TABLE_DEALS + number
            played, of_table = at_table(found, seed, index)
            people = of_table.seated
            assert of_table == deal
            record = replay(played, seed, index)
            assert people == deal.seated
            assert record.deal == deal.deal
            assert record.policies == tuple(cell.policies[person].name for person in people)
            sizes.add(len(people))
        with pytest.raises(InputError) as error:
            at_table(found, seed, table * TABLE_DEALS + len(deals))
        assert str(error.value.problems[0]) == (
            f"table {table}: has no deal {len(deals)} (from 0 to {len(deals) - 1})"
        )
    assert len(sizes) > 1  # somebody was out, so that the seats are others'


def test_a_result_of_sessions_tells_its_deals_too(tmp_path):
    path = written(tmp_path, SESSION + "[sweep]\nbankroll = [9, 200]")
    run_experiment(load_experiment(path), tmp_path / "out")
    for number in (0, 1):
        assert cell_of_run(tmp_path / "out", number)[2].bankroll == (9, 200)[number]
        _, seed, of_result = cell_of_run(tmp_path / "out", number)
        _, _, of_file = cell_of_run(path, number)
        index = 2 * TABLE_DEALS + 5
        told = [
            replay(at_table(cell, seed, index)[0], seed, index) for cell in (of_result, of_file)
        ]
        assert told[0] == told[1]


def test_a_league_seats_its_policies_in_turn(tmp_path):
    study, seed, cell = cell_of_run(written(tmp_path, LEAGUE), 0)
    assert (study, seed) == ("league", 5)
    orders = set()
    for index in range(30):
        places = league_order(5, index, 3)
        turns = [in_turn(cell, 5, index, turn) for turn in range(3)]
        for turn, game in enumerate(turns):
            seats = [cell.policies[places[(seat + turn) % 3]] for seat in range(5)]
            assert list(game.policies) == seats
        hands = [replay(game, 5, index).deal.dealt for game in turns]
        assert hands[0] == hands[1] == hands[2]
        orders.add(tuple(places))
    assert len(orders) == 6


def test_a_league_in_sessions_keeps_its_order_at_a_table(tmp_path):
    _, seed, cell = cell_of_run(written(tmp_path, LEAGUE.replace("deals = 20", "rounds = 2")), 0)
    of_table = [in_turn(cell, seed, 7 * TABLE_DEALS + deal, 1).policies for deal in range(9)]
    assert len(set(of_table)) == 1
    assert len({in_turn(cell, seed, t * TABLE_DEALS, 1).policies for t in range(20)}) > 1


def test_the_command_tells_who_sits_where(tmp_path, capsys, monkeypatch):
    path = written(tmp_path, SESSION)
    words = ["loosim", "deal", "--experiment", str(path), "--table", "1", "--index", "3"]
    _, _, cell = cell_of_run(path, 0)
    played, of_table = at_table(cell, 5, TABLE_DEALS + 3)
    people = " ".join(map(str, of_table.seated))
    for more in ([], ["--json"]):
        monkeypatch.setattr("sys.argv", words + more)
        with pytest.raises(SystemExit) as stop:
            main()
        assert stop.value.code == 0
        told = capsys.readouterr().out
        if more:
            assert json.loads(told) == to_dict(replay(played, 5, TABLE_DEALS + 3))
        else:
            assert told.startswith(f"Table 1, deal 3; by seat, people {people}.\n")
            assert told.rstrip().splitlines()[-1].startswith("Purses by person: 0 ")


def test_what_a_purse_could_not_pay_is_told(tmp_path):
    _, seed, cell = cell_of_run(
        written(tmp_path, SESSION.replace("bankroll = 9", "bankroll = 4")), 0
    )
    short = full = 0
    for table in range(12):
        deals = play_table(cell.rules, cell.policies, 2, seed, table, 4 * 729).deals
        before = (4 * 729,) * 6
        for deal in deals:
            told = narrate_purses(deal)
            assert told.endswith(f", 5 {stakes_text(deal.purses[5])}.")
            assert f"by person: 0 {stakes_text(deal.purses[0])}, 1 " in told
            paid_in = 3 * 729
            in_purses = sum(before) - paid_in - sum(deal.purses)
            left = deal.deal.pot + in_purses
            owed = deal.deal.pot_after - left
            assert ("A looed player pays no more than he has" in told) == (owed > 0)
            if owed:
                assert f": {stakes_text(owed)} stakes less than told above" in told
                assert f"so that {stakes_text(left)} are left in the pot.\n" in told
            short, full = short + (owed > 0), full + (owed == 0)
            before = deal.purses
    assert short > 0
    assert full > 0


def test_deals_that_were_aimed_are_not_told_as_if_they_were_the_seeds(tmp_path):
    text = 'study = "announce"\ndeals = 2000\naim = { seat = 0, standers = 0, miss_free = true }\n'
    path = written(tmp_path, text)
    run_experiment(load_experiment(path), tmp_path / "out")
    for place in (path, tmp_path / "out"):
        with pytest.raises(InputError) as error:
            cell_of_run(place, 0)
        assert str(error.value.problems[0]) == (
            f"{place}: aim: aims at a situation: its deals hang on a pilot, and are not told one "
            "by one (loosim deal --players P --pot X)"
        )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--table", "1"], "--table is one of an --experiment"),
        (["--turn", "1"], "--turn is one of an --experiment"),
        (["--experiment", "FILE", "--table", "1"], "--table is one of a session"),
        (["--experiment", "FILE", "--turn", "3"], "--turn is 0 to 2 here"),
    ],
)
def test_tables_and_turns_where_there_are_none(words, told, tmp_path, capsys, monkeypatch):
    path = str(written(tmp_path, LEAGUE))
    monkeypatch.setattr("sys.argv", ["loosim", "deal", *[w.replace("FILE", path) for w in words]])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert told.replace("FILE", path) in capsys.readouterr().err


def test_a_finished_league_tells_its_deals_too(tmp_path):
    path = written(tmp_path, LEAGUE)
    run_experiment(load_experiment(path), tmp_path / "out")
    assert cell_of_run(tmp_path / "out", 0) == cell_of_run(path, 0)


def test_rounds_on_the_command_line_turn_a_league_into_one_of_sessions(tmp_path):
    path = written(tmp_path, LEAGUE + "pot = 5\n")
    checked = load_experiment(path, ["rounds=2", "tables=7"])
    assert (checked.unit, checked.amount.most, checked.cells[0].rounds) == ("tables", 7, 2)
