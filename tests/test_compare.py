"""Two results side by side: rows matched, errors that are honest about shared deals, Holm."""

from __future__ import annotations

import json
from math import erfc, sqrt

import numpy as np
import pandas as pd
import pytest
from commands import loosim
from report_samples import cell, deals_tables, write_result

import loo_sim
from loo_sim.inference import error_of_difference, holm, most_correlation, two_sided_p
from loo_sim.problems import InputError
from loo_sim.rules import Rules
from loo_sim.runner.durable import digest_of_file
from loo_sim.runner.results import seal

Z = 1.959963984540054
CODE = {"version": "0.1.0", "kernels": "ab" * 32, "studies": "cd" * 32}


def game(axes=None, players=6, pot=3.0, policy="peel", digest="ab" * 32, loo=3):
    """A cell of an identity."""
    return {
        "axes": dict(axes or {}),
        "players": players,
        "pot": pot,
        "rules": Rules(loo=loo).to_dict(),
        "policies": [{"name": policy, "digest": digest}] * players,
    }


def result(directory, tables, games=None, seed=1, deals=10_000, statuses=None, study=None, **code):
    """A result directory made up by hand, sealed as a run would."""
    games = games or [game()]
    cells = [
        cell(
            one["axes"],
            **{key: one[key] for key in ("players", "pot", "rules", "policies")},
            deals=deals,
            status=status,
        )
        for one, status in zip(games, statuses or ["done"] * len(games), strict=True)
    ]
    write_result(directory, cells, tables)
    path = directory / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["digests"]
    manifest["study"] = study or manifest["study"]
    manifest["seed"] = seed
    manifest["tables"] = {name: digest_of_file(directory / f"{name}.parquet") for name in tables}
    manifest["identity"] = {"seed": seed, "deals": deals, **CODE, **code, "cells": games}
    seal(manifest)
    path.write_text(json.dumps(manifest))
    return directory


def one_table(net=(0.0, 1.0), net_se=(0.1, 0.1), n=10_000, seats=(0, 1), **more):
    seats = list(seats)
    return {"deals": pd.DataFrame({"seat": seats, "n": n, "net": net, "net_se": net_se} | more)}


def problems(*arguments):
    with pytest.raises(InputError) as caught:
        loo_sim.compare(*arguments)
    return [str(problem) for problem in caught.value.problems]


# Errors and adjustments.


def test_holm_by_hand():
    # Ascending .005, .01, .03, .04 times 4, 3, 2, 1 give .02, .03, .06, .04; never descending.
    adjusted = holm(np.array([0.01, 0.04, 0.03, 0.005]))
    assert adjusted == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.9])) == pytest.approx([1.0, 1.0])
    assert holm(np.empty(0)).size == 0


def test_p_values():
    p = two_sided_p(np.array([0.0, 0.0, 1.0, -1.96, 2.0, 1.0]), np.array([0, 1, 0, 1, 1, np.nan]))
    assert p[:3].tolist() == [1.0, 1.0, 0.0]
    assert p[3] == pytest.approx(0.05, abs=1e-4)
    assert p[4] == pytest.approx(0.0455, abs=1e-4)
    assert np.isnan(p[5])


@pytest.mark.parametrize("correlation", [-1.0, -0.4, 0.0, 0.7, 1.0])
def test_the_error_of_means_that_share_deals(correlation):
    n, larger, samples = 20, 50, 40_000
    rng = np.random.default_rng(3)
    first = rng.normal(size=(samples, larger))
    own = rng.normal(size=(samples, larger))
    second = correlation * first + sqrt(1 - correlation**2) * own
    difference = second.mean(axis=1) - first[:, :n].mean(axis=1)
    a_se, b_se = np.array(1 / sqrt(n)), np.array(1 / sqrt(larger))
    most = most_correlation(n, larger)
    assert most == most_correlation(larger, n)
    exact = error_of_difference(a_se, b_se, correlation * most)
    assert difference.std() == pytest.approx(float(exact), rel=0.02)
    assert difference.std() < 1.02 * error_of_difference(a_se, b_se, -most)


def test_nested_deals_of_real_runs(tmp_path):
    """Over many seeds the squares of differences in standard errors have a mean of 1."""
    text = 'study = "deals"\nplayers = 3\nrules.preset = "classic"\npolicies = "loose"\n'
    (tmp_path / "x.toml").write_text(text)
    squares = []
    for seed in range(40):
        for deals in (2_000, 3_000):
            place = tmp_path / f"{seed}-{deals}"
            loo_sim.run(tmp_path / "x.toml", output=place, deals=deals, seed=seed, jobs=1)
        found = loo_sim.compare(tmp_path / f"{seed}-2000", tmp_path / f"{seed}-3000")
        assert [pair.deals for pair in found.pairs] == ["nested"]
        table = found.tables["deals"]
        net = table[table["estimate"] == "net"]
        squares.append(((net["difference"] / net["se"]) ** 2).to_numpy())
    # Chi-square of 40 degrees, one in a million on either side: 9.9 to 98. The formula of
    # independent samples would give 40 / 5, for (1/2000 + 1/3000) / (1/2000 - 1/3000) = 5.
    assert np.all(np.sum(squares, axis=0) > 9.9)
    assert np.all(np.sum(squares, axis=0) < 98)


# What is compared, and with what error.


def test_independent_deals(tmp_path):
    a = result(tmp_path / "a", one_table((0.5, 1.0), (0.03, 0.1)), seed=1)
    b = result(tmp_path / "b", one_table((0.7, 1.0), (0.04, 0.2)), seed=2)
    found = loo_sim.compare(a, b)
    assert found.pairs == [(0, 0, "independent")]
    assert found.differences == [("seed", "1", "2")]
    table = found.tables["deals"]
    assert table["difference"].to_list() == pytest.approx([0.2, 0.0])
    assert table["se"].to_list() == pytest.approx([0.05, sqrt(0.05)])  # 3, 4, 5
    assert table["low"][0] == pytest.approx(0.2 - Z * 0.05)
    assert table["high"][0] == pytest.approx(0.2 + Z * 0.05)
    assert table["p"].to_list() == pytest.approx([erfc(4 / sqrt(2)), 1.0])
    assert table["p_holm"].to_list() == pytest.approx([2 * erfc(4 / sqrt(2)), 1.0])
    assert table["differs"].to_list() == [True, False]


def test_shared_deals_get_the_widest_interval(tmp_path):
    a = result(tmp_path / "a", one_table((0.5, 1.0), (0.03, 0.1)), [game(loo=3)])
    b = result(tmp_path / "b", one_table((0.7, 1.0), (0.04, 0.2)), [game(loo=6)])
    found = loo_sim.compare(a, b)
    assert found.pairs == [(0, 0, "shared")]
    assert found.differences == [("rules.loo", "3", "6")]
    assert found.tables["deals"]["se"].to_list() == pytest.approx([0.07, 0.3])


def test_shared_deals_of_unlike_number(tmp_path):
    a = result(tmp_path / "a", one_table((0.5, 1.0), (0.03, 0.1)), [game(loo=3)], deals=40_000)
    b = result(tmp_path / "b", one_table((0.7, 1.0), (0.04, 0.2)), [game(loo=6)], deals=10_000)
    found = loo_sim.compare(a, b)
    assert found.pairs == [(0, 0, "shared")]
    # A quarter of A's deals is in B: 0.0009 + 0.0016 + 2 sqrt(1/4) 0.0012.
    assert found.tables["deals"]["se"][0] == pytest.approx(sqrt(0.0037))


def test_nested_deals(tmp_path):
    a = result(tmp_path / "a", one_table((0.5, 1.0), (0.2, 0.2)), deals=10_000)
    b = result(tmp_path / "b", one_table((0.7, 1.0), (0.1, 0.1)), deals=40_000)
    found = loo_sim.compare(a, b)
    assert found.pairs == [(0, 0, "nested")]
    assert found.differences == [("deals", "10000", "40000")]
    # sigma^2 (1/n - 1/N) with sigma^2 = 0.2^2 n.
    assert found.tables["deals"]["se"][0] == pytest.approx(sqrt(0.04 - 0.01))


@pytest.mark.parametrize("change", [{"kernels": "ef" * 32}, {"studies": "ef" * 32}])
def test_another_code_may_deal_the_same_cards_to_another_end(tmp_path, change):
    a = result(tmp_path / "a", one_table())
    b = result(tmp_path / "b", one_table(), **change)
    found = loo_sim.compare(a, b)
    assert found.pairs == [(0, 0, "shared")]
    (key,) = change
    assert found.differences == [(key, CODE[key][:12], "ef" * 6)]


def test_a_policy_of_the_same_name_that_does_something_else(tmp_path):
    a = result(tmp_path / "a", one_table())
    b = result(tmp_path / "b", one_table(), [game(digest="12" * 32)])
    found = loo_sim.compare(a, b)
    assert found.pairs == [(0, 0, "shared")]
    assert found.differences == [("policies", "peel (abababab)", "peel (12121212)")]


def test_the_same_deals_of_the_same_game_are_equal(tmp_path):
    a = result(tmp_path / "a", one_table())
    b = result(tmp_path / "b", one_table())
    found = loo_sim.compare(a, b)
    assert (found.differences, found.pairs) == ([], [(0, 0, "same")])
    table = found.tables["deals"]
    assert table["differs"].to_list() == [False, False]
    assert table[["se", "low", "high", "p", "p_holm"]].isna().all(axis=None)
    shown = loosim("compare", a, b)
    assert shown.exit_code == 0
    assert "the two experiments: same" in shown.stdout
    assert "all 2 differences are exactly 0" in shown.stdout


def test_the_same_deals_of_the_same_game_that_are_not_equal(tmp_path):
    a = result(tmp_path / "a", one_table((0.0, 1.0)))
    b = result(tmp_path / "b", one_table((0.0, np.nextafter(1.0, 2.0))))
    assert loo_sim.compare(a, b).tables["deals"]["differs"].to_list() == [False, True]
    assert "1 figures are not equal" in loosim("compare", a, b).stdout


def test_what_is_left_out(tmp_path):
    # Seat 2 is in A alone; 20 deals are few; 999 that came out alike are; an empty figure.
    a = one_table(
        (0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
        (0.1, 0.1, 0.1, 0.0, 0.0, 0.1),
        n=[20, 5000, 5000, 999, 1000, 5000],
        seats=range(6),
    )
    b = one_table(
        (0.1, 0.2, 0.4, 0.5, np.nan, 9),
        (0.1, 0.1, 0.1, 0.1, np.nan, 0.1),
        n=5000,
        seats=(0, 1, 3, 4, 5, 7),
    )
    # The last seat of 10 players deals in neither of these.
    games = [game(players=10)]
    found = loo_sim.compare(
        result(tmp_path / "a", a, games, seed=1), result(tmp_path / "b", b, games, seed=2)
    )
    left = found.left_out
    assert (left.only_a, left.only_b, left.few, left.empty) == (1, 1, 2, 1)
    assert found.tables["deals"]["seat"].to_list() == [1, 4]


def test_the_number_of_comparisons_is_that_of_all_tables(tmp_path):
    tables = deals_tables()
    a, b = result(tmp_path / "a", tables), result(tmp_path / "b", tables, seed=2)
    found = loo_sim.compare(a, b)
    # The table of pots counts 120,000 and 80,000 deals; of seats and swings there are 6 and 4.
    assert {name: len(table) for name, table in found.tables.items()} == {
        "deals": 6,
        "pot": 2,
        "swings": 4,
    }
    tables["deals"].loc[0, "net"] += 4 * 0.004 * sqrt(2)
    found = loo_sim.compare(a, result(tmp_path / "c", tables, seed=2))
    assert found.tables["deals"]["p_holm"][0] == pytest.approx(12 * erfc(4 / sqrt(2)))


def test_a_dealer_is_not_set_against_another_seat(tmp_path):
    a = result(tmp_path / "a", one_table(range(5), 0.1, seats=range(5)), [game(players=5)], seed=1)
    b = result(tmp_path / "b", one_table(range(6), 0.1, seats=range(6)), [game(players=6)], seed=2)
    found = loo_sim.compare(a, b)
    assert found.tables["deals"]["seat"].to_list() == [0, 1, 2, 3]
    # The dealer of A; seats 4 and 5 of B.
    assert found.left_out.dealers == 3
    assert ("players", "5", "6") in found.differences


# Which cells.


def swept(axis, values, **same):
    """Tables and games of a sweep of one axis; seat 0 nets the value."""
    games = [
        game({axis: value}, **{axis.removeprefix("rules."): value}, **same) for value in values
    ]
    tables = [one_table((value, value)) for value in values]
    for table, value in zip(tables, values, strict=True):
        table["deals"].insert(0, axis, value)
    return {"deals": pd.concat([table["deals"] for table in tables])}, games


def test_cells_are_matched_by_the_axes_of_both(tmp_path):
    a = result(tmp_path / "a", *swept("pot", [3, 6, 9]), seed=1)
    b = result(tmp_path / "b", *swept("pot", [9.0, 12.0, 6.0]), seed=2)
    found = loo_sim.compare(a, b)
    assert [pair[:2] for pair in found.pairs] == [(1, 2), (2, 0)]
    # Of the game, its pots are the same in both pairs.
    assert found.differences == [("seed", "1", "2")]
    assert found.tables["deals"]["a"].to_list() == [6, 6, 9, 9]
    assert found.tables["deals"]["b"].to_list() == [6, 6, 9, 9]


def test_an_axis_of_one_result_is_held_against_the_game_of_the_other(tmp_path):
    a = result(tmp_path / "a", *swept("rules.loo", [3, 6, 12]), seed=1)
    b = result(tmp_path / "b", one_table((6, 6)), [game(loo=6)], seed=2)
    assert [pair[:2] for pair in loo_sim.compare(a, b).pairs] == [(1, 0)]
    c = result(tmp_path / "c", one_table((4, 4)), [game(loo=4)], seed=2)
    hint = f"--cells I J sets cell I of {a} beside cell J"
    assert problems(a, c) == [f"{c}: no cell matches of {a} ({hint})"]
    found = loo_sim.compare(a, c, (2, 0))
    assert found.differences == [("seed", "1", "2"), ("rules.loo", "12", "4")]
    assert found.tables["deals"]["difference"].to_list() == [-8, -8]


def test_what_differs_in_some_cells_alone_names_them(tmp_path):
    tables, games = swept("pot", [3, 6])
    others = [games[0], game({"pot": 6}, pot=6, policy="tight", digest="12" * 32)]
    a, b = result(tmp_path / "a", tables, games), result(tmp_path / "b", tables, others)
    found = loo_sim.compare(a, b)
    assert [pair.deals for pair in found.pairs] == ["same", "shared"]
    assert found.differences == [("cells.1.policies", "peel (abababab)", "tight (12121212)")]


def test_two_cells_of_one_result(tmp_path):
    a = result(tmp_path / "a", *swept("pot", [3, 6]))
    found = loo_sim.compare(a, cells=(0, 1))
    assert found.pairs == [(0, 1, "shared")]
    assert found.differences == [("pot", "3", "6")]
    assert found.tables["deals"]["difference"].to_list() == [3, 3]
    assert found.tables["deals"]["se"].to_list() == pytest.approx([0.2, 0.2])


def test_cells_that_failed_are_not_matched(tmp_path):
    tables, games = swept("pot", [3, 6])
    a = result(tmp_path / "a", tables, games, statuses=["done", "failed"])
    b = result(tmp_path / "b", tables, games, seed=2)
    assert [pair[:2] for pair in loo_sim.compare(a, b).pairs] == [(0, 0)]
    assert problems(a, b, (0, -1)) == [
        "loo_sim.compare: cells: -1 is not a whole number from 0 to 10,000"
    ]
    assert problems(a, b, (1, 7)) == [
        f"{a}: cells.1: is not done, and has no figures",
        f"{b}: has no cell 7 (from 0 to 1)",
    ]


# What is refused, and how it is told.


def test_other_studies_are_refused(tmp_path):
    a = result(tmp_path / "a", one_table())
    b = result(tmp_path / "b", one_table(), study="announce")
    shown = loosim("compare", a, b)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr == (
        f"{b}: study: is of the study announce, and {a} of deals "
        "(results of one study can be compared)\n"
    )


def test_everything_wrong_with_both_at_once(tmp_path):
    a = result(tmp_path / "a", deals_tables())
    (a / "pot.parquet").unlink()
    (a / "deals.parquet").write_bytes(b"no table")
    shown = loosim("compare", a, tmp_path / "b")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr.splitlines() == [
        f"{a}: deals.parquet: is not as it was written (run the experiment again)",
        f"{a}: pot.parquet: is missing (run the experiment again)",
        f"{tmp_path / 'b'}: no such directory (give the directory that loosim run wrote)",
    ]


def test_one_result_alone_needs_two_cells(tmp_path):
    shown = loosim("compare", result(tmp_path / "a", one_table()))
    assert shown.exit_code == 2
    assert "two results, or one with --cells I J, are compared" in shown.stderr


def test_what_the_command_shows(tmp_path):
    a = result(tmp_path / "a", one_table((0.5, 1.0), (0.03, 0.1)), seed=1)
    b = result(tmp_path / "b", one_table((0.7, 1.0), (0.04, 0.1), seats=(0, 4)), seed=2)
    shown = loosim("compare", a, b)
    assert shown.exit_code == 0
    # 1.96 times 0.03, 0.04 and 0.05.
    row = "deals seat 0 net 0.500 ± 0.059 0.700 ± 0.078 +0.200 ± 0.098 yes"
    assert row in [" ".join(line.split()) for line in shown.stdout.splitlines()]
    assert "1 of 1 figures differ at the 5 % level" in shown.stdout
    assert shown.stderr == "left out: 1 row that A alone has; 1 row that B alone has\n"


def test_json_holds_every_figure(tmp_path):
    a = result(tmp_path / "a", one_table((0.5, 1.0), (0.03, 0.1)), seed=1)
    b = result(tmp_path / "b", one_table((0.7, 1.0), (0.04, 0.1)), seed=2)
    content = json.loads(loosim("compare", a, b, "--json").stdout)
    assert (content["compared"], content["differ"], content["figures_left_out"]) == (2, 1, 0)
    assert content["cells"] == [{"a": 0, "b": 0, "deals": "independent"}]
    assert content["differences"] == [{"key": "seed", "a": "1", "b": "2"}]
    first = content["figures"][0]
    assert (first["table"], first["seat"], first["estimate"]) == ("deals", 0, "net")
    assert (first["a"], first["b"], first["se"]) == pytest.approx((0.5, 0.7, 0.05))
    same = json.loads(loosim("compare", a, a, "--json").stdout)["figures"][0]
    assert (same["difference"], same["se"], same["p"], same["differs"]) == (0, None, None, False)


def test_of_many_figures_the_clearest_are_shown(tmp_path):
    seats = range(60)
    net = np.zeros(60)
    net[[17, 44]] = 5.0, -9.0
    games = [game(players=61)]
    a = result(tmp_path / "a", one_table(0.0, 0.1, seats=seats), games, seed=1)
    b = result(tmp_path / "b", one_table(net, 0.1, seats=seats), games, seed=2)
    lines = loosim("compare", a, b).stdout.splitlines()
    shown = [line.split()[2] for line in lines if line.strip().startswith("deals")]
    assert (len(shown), shown[:2]) == (40, ["44", "17"])
    assert any(line.startswith("and 20 figures that differ less clearly") for line in lines)
