"""Leagues: kernels against deals and sessions in plain Python; estimates against scipy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kernel_deals import CUSTOM, SMALL, policy, referee_deal
from scipy.stats import norm
from scipy.stats import t as student

from loo_sim.draws import TABLE_DEALS, league_order
from loo_sim.experiment import Cell, load_experiment
from loo_sim.kernels.encode_session import encode_session
from loo_sim.kernels.game import RESULTS, WHOLE_POT
from loo_sim.kernels.leagues import count_league, encode_league
from loo_sim.kernels.sessions import final_purses
from loo_sim.kernels.sums import MOMENTS
from loo_sim.policies.parse import read_policy
from loo_sim.policies.policy import Policy
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.runner.run import run_experiment
from loo_sim.session import play_table
from loo_sim.studies import league as study
from loo_sim.studies.moments import Moments
from loo_sim.sweep import AXES

SEED, FIRST = 19, 2**33 - 40
DEALS, TABLES = (40, 30) if SMALL else (120, 40)
STANDARD = PRESETS["standard"]
STAKE = UNITS_PER_STAKE


class Case(NamedTuple):
    """A league: rules, seats, policies; stakes in the pot, or rounds and a bankroll."""

    rules: Rules
    players: int
    names: tuple[str, ...]
    pot: int = 3
    rounds: int = 0
    bankroll: int | None = None

    @property
    def policies(self) -> tuple[Policy, ...]:
        return tuple(policy(name) for name in self.names)

    @property
    def cell(self) -> Cell:
        return Cell(
            {}, self.players, self.pot * STAKE, self.rules, self.policies, self.rounds,
            self.bankroll,
        )  # fmt: skip


CASES = {
    "two": Case(STANDARD, 5, ("random", "peel")),
    "three, of which one draws": Case(STANDARD, 7, ("random", "pot-odds", "tight"), pot=9),
    "as many as seats": Case(STANDARD, 5, (*CUSTOM, "random")),
    "more than seats": Case(PRESETS["peel"], 3, ("loose", "random", "peel", "trumps"), pot=6),
    "sixteen seats": Case(STANDARD, 16, ("random", "loose", "turncoat")),
    "everyone must stand": Case(PRESETS["enquire"], 4, ("random", "tight", "turncoat")),
    "not at this pot": Case(PRESETS["enquire"], 4, ("random", "tight", "turncoat"), pot=6),
    "clubs": Case(PRESETS["club"], 6, ("chancy", "always-stand", "pot-odds")),
    "unlimited": Case(PRESETS["unlimited"], 6, ("late-dice", "loose"), pot=11),
    "own cards, small pack": Case(
        Rules(deck=32, defend_with="own", dealer_may_fold=True), 6, ("random", "dithering", "tight")
    ),
}


def seated(case: Case, number: int, turn: int) -> list[int]:
    """The policy in each seat, or of each person, in a turn."""
    order = league_order(SEED, number, len(case.names))
    return [order[(seat + turn) % len(order)] for seat in range(case.players)]


@cache
def played(name: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Net of each seat, and its result, by the referee.

    Returns
    -------
    net, result : int64 (deals, policies, seats)
        What a policy got when it had a seat, in units; 0 to 3 tricks, 4 for the whole pot, -1 where
        it was out or defended.
    """
    case = CASES[name]
    net = np.zeros((DEALS, len(case.names), case.players), np.int64)
    result = np.full(net.shape, -1)
    for i in range(DEALS):
        for turn in range(len(case.names)):
            there = seated(case, FIRST + i, turn)
            deal = referee_deal(
                [case.policies[p] for p in there], case.rules, case.pot * STAKE, SEED, FIRST + i
            )
            for seat, p in enumerate(there):
                net[i, p, seat] = deal.net[seat]
                if deal.tricks and deal.said.get(seat) in ("stand", "miss"):
                    result[i, p, seat] = deal.tricks_won[seat]
                elif not deal.tricks and deal.net[seat]:
                    result[i, p, seat] = WHOLE_POT
    return net, result


def counts_of(case: Case, first: int, count: int) -> tuple[npt.NDArray[np.int64], ...]:
    counts = study.empty_counts(case.cell)
    study.add_counts(study.encode(case.cell), SEED, first, count, counts)
    return counts


def totals(sums: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Sums of the first power, out of their two words."""
    return sums[..., 0] + sums[..., 1] * 2**32


@pytest.mark.parametrize("name", CASES)
def test_every_policy_gets_what_the_referee_gives_it(name: str) -> None:
    case = CASES[name]
    net, result = played(name)
    game = encode_league(case.rules, case.policies, case.players, case.pot * STAKE)
    policies = len(case.names)
    for i in range(DEALS):
        sums = np.zeros((policies, policies, MOMENTS), np.int64)
        results = np.zeros((policies, RESULTS), np.int64)
        count_league(game, SEED, FIRST + i, 1, sums, results)
        expected = net[i].sum(axis=1)
        found = totals(sums)
        assert found.diagonal().tolist() == expected.tolist(), i
        for one in range(policies):
            for other in range(one):
                assert found[one, other] == expected[one] - expected[other]
            counted = [(result[i, one] == which).sum() for which in range(RESULTS)]
            assert results[one].tolist() == counted, i


def test_the_cases_leave_nothing_out() -> None:
    """Whatever a seat can come to comes up: out, looed, one to three tricks, the whole pot."""
    results = np.concatenate([played(name)[1].ravel() for name in CASES])
    assert set(np.unique(results)) == {-1, 0, 1, 2, 3, WHOLE_POT}


@pytest.mark.parametrize("name", ["three, of which one draws", "more than seats"])
def test_estimates_are_those_of_the_listed_values(name: str) -> None:
    case = CASES[name]
    net = played(name)[0] / STAKE
    sums, results = counts_of(case, FIRST, DEALS - 7)
    for total, part in zip((sums, results), counts_of(case, FIRST + DEALS - 7, 7), strict=True):
        total += part
    found = study.tables(case.cell, DEALS, (sums, results))
    mean_net = net.mean(axis=2)  # a deal and policy
    single = net.swapaxes(0, 1).reshape(len(case.names), -1)  # all deals and seats of a policy
    check_tables(case, found, mean_net, single, "deals")


def check_tables(
    case: Case,
    found: dict[str, pa.Table],
    mean_net: npt.NDArray[np.float64],
    single: npt.NDArray[np.float64],
    unit: str,
) -> None:
    """Hold both tables to the values listed in stakes: (deals, policies), (policies, singles)."""
    names, n = case.names, len(mean_net)
    variance = single.var(axis=1, ddof=1)
    pairs = len(names) * (len(names) - 1) // 2
    z = student.ppf(1 - 0.05 / 2 / pairs, n - 1)
    p_of, low_of = {}, {}
    rows = found["league"].to_pylist()
    assert [(r["policy"], r["rival"]) for r in rows] == list(permutations(names, 2))
    for row in rows:
        i, j = names.index(row["policy"]), names.index(row["rival"])
        diff = mean_net[:, i] - mean_net[:, j]
        mean, se = diff.mean(), diff.std(ddof=1) / np.sqrt(n)
        both = variance[i] + variance[j]
        plain = np.sqrt(both / single.shape[1])
        assert row["n"] == n
        assert (row["net_diff"], row["net_diff_se"]) == pytest.approx((mean, se), rel=1e-9)
        assert (row["low"], row["high"]) == pytest.approx((mean - z * se, mean + z * se))
        assert row["plain_se"] == pytest.approx(plain)
        assert row["gain"] == pytest.approx((plain / se) ** 2)
        apart = row[f"{unit}_apart"]
        assert norm.sf(abs(mean) / np.sqrt(both / apart)) == pytest.approx(0.025)
        nearest, farthest = sorted((abs(mean - z * se), abs(mean + z * se)))
        fewest, most = row[f"{unit}_apart_low"], row[f"{unit}_apart_high"]
        assert apart / fewest == pytest.approx((farthest / mean) ** 2)
        if z * se >= abs(mean):
            assert most is None
        else:
            assert most / apart == pytest.approx((mean / nearest) ** 2)
        p_of[row["policy"], row["rival"]] = 2 * student.sf(abs(mean) / se, n - 1)
        low_of[row["policy"], row["rival"]] = mean - z * se
    steps = 0.0
    ranked = sorted((p, pair) for pair, p in p_of.items() if pair[0] < pair[1])
    told = {(row["policy"], row["rival"]): row["p_value"] for row in rows}
    for rank, (p, (policy_name, rival)) in enumerate(ranked):
        steps = max(steps, min((pairs - rank) * p, 1.0))
        assert told[policy_name, rival] == pytest.approx(steps)
        assert told[rival, policy_name] == told[policy_name, rival]
    order = np.argsort(-mean_net.mean(axis=0))
    standing = found["standing"].to_pylist()
    assert [row["policy"] for row in standing] == [names[i] for i in order]
    for row, i in zip(standing, order, strict=True):
        of = mean_net[:, i]
        expected = (n, of.mean(), of.std(ddof=1) / np.sqrt(n), np.sqrt(variance[i]))
        got = tuple(row[key] for key in ("n", "net", "net_se", "spread"))
        assert got == pytest.approx(expected, rel=1e-9)
        tied = i == order[0] or low_of[names[order[0]], names[i]] <= 0
        assert row["tied_with_best"] == tied
    widths = [(row["high"] - row["low"]) / 2 for row in rows]
    assert study.half_width(found) == pytest.approx(max(widths))


SESSIONS = {
    "two": Case(STANDARD, 5, ("random", "peel"), rounds=2),
    "more than people": Case(
        replace(PRESETS["peel"], end="split"),
        3,
        ("loose", "random", "pot-odds", "trumps"),
        rounds=3,
    ),
    "purses": Case(
        replace(STANDARD, min_players=2), 5, ("loose", "random", "peel"), rounds=5, bankroll=9
    ),
    "unlimited": Case(PRESETS["unlimited"], 5, ("chancy", "loose", "tight"), rounds=3),
}


@cache
def ended(name: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """What sessions in plain Python come to.

    Returns
    -------
    units, played_by : int64 (turns, tables, people)
        Units in a person's purse at the end; the policy that played for him.
    """
    case = SESSIONS[name]
    units = np.zeros((len(case.names), TABLES, case.players), np.int64)
    played_by = np.zeros(units.shape, np.int64)
    bankroll = None if case.bankroll is None else case.bankroll * STAKE
    for turn in range(len(case.names)):
        for table in range(TABLES):
            there = seated(case, table * TABLE_DEALS, turn)
            policies: Sequence[Policy] = [case.policies[p] for p in there]
            end = play_table(case.rules, policies, case.rounds, SEED, table, bankroll)
            units[turn, table], played_by[turn, table] = end.purses, there
    return units, played_by


@pytest.mark.parametrize("name", SESSIONS)
def test_purses_are_those_of_sessions_in_plain_python(name: str) -> None:
    case = SESSIONS[name]
    session = study.encode(case.cell)
    for turn, (units, played_by) in enumerate(zip(*ended(name), strict=True)):
        found = final_purses(session, turn, SEED, 0, TABLES)
        assert found.units.tolist() == units.tolist()
        assert found.played_by.tolist() == played_by.tolist()


@pytest.mark.parametrize("name", SESSIONS)
def test_estimates_of_sessions_are_those_of_the_listed_values(name: str) -> None:
    case = SESSIONS[name]
    sums = counts_of(case, 0, TABLES)
    won = (ended(name)[0] - STAKE * (case.bankroll or 0)) / STAKE
    by = ended(name)[1]
    single = [won.swapaxes(0, 1)[by.swapaxes(0, 1) == p] for p in range(len(case.names))]
    mean_net = np.array([of.reshape(TABLES, case.players).mean(axis=1) for of in single]).T
    check_tables(case, study.tables(case.cell, TABLES, sums), mean_net, np.array(single), "tables")


def test_a_session_of_its_own_is_not_seated_as_a_league() -> None:
    """The same policies as people: person p plays policy p, whatever order a league would draw."""
    case = SESSIONS["purses"]
    people = [case.policies[person % 3] for person in range(5)]
    session = encode_session(case.rules, people, case.rounds, case.bankroll, ())
    found = final_purses(session, 0, SEED, 0, TABLES)
    assert (found.played_by == np.arange(5)).all()
    for table in range(TABLES):
        end = play_table(case.rules, people, case.rounds, SEED, table, 9 * STAKE)
        assert found.units[table].tolist() == end.purses


def test_every_order_is_drawn_alike() -> None:
    """Chi-square below the value that is passed once in a thousand with 23 degrees."""
    drawn = [tuple(league_order(SEED, number, 4)) for number in range(2400)]
    times = [drawn.count(order) for order in permutations(range(4))]
    assert sum(times) == 2400
    assert sum((each - 100) ** 2 / 100 for each in times) < 49.73


def twin(tmp_path: Path, name: str) -> Policy:
    """The policy `tight` under another name."""
    file = tmp_path / f"{name}.toml"
    file.write_text(policy("tight").text.replace('name = "tight"', f'name = "{name}"'))
    return read_policy(file)


def test_two_that_play_alike_differ_by_nothing(tmp_path: Path) -> None:
    for rounds in (0, 2):
        policies = (policy("tight"), twin(tmp_path, "twin"))
        cell = Cell({}, 5, 3 * STAKE, STANDARD, policies, rounds)
        counts = study.empty_counts(cell)
        study.add_counts(study.encode(cell), SEED, 0, 300, counts)
        found = study.tables(cell, 300, counts)
        unit = "tables" if rounds else "deals"
        for row in found["league"].to_pylist():
            told = [row[key] for key in ("net_diff", "net_diff_se", "low", "high", "p_value")]
            assert told == [0, 0, 0, 0, 1]
            assert row["plain_se"] > 0
            apart = [row[f"{unit}_apart{end}"] for end in ("", "_low", "_high")]
            assert apart == [None, None, None]
            assert row["gain"] is None
        assert all(row["tied_with_best"] for row in found["standing"].to_pylist())
        told_rows = study.headline(found)
        assert [row[2].told for row in told_rows] == ["first", "tied"]


def test_the_sums_of_all_policies_are_what_the_pots_paid_less_the_loos() -> None:
    """Nobody defends, so a deal pays its 3 stakes; whoever is looed pays 3."""
    case = Case(replace(STANDARD, defend="never"), 5, ("always-stand", "random"))
    sums, results = counts_of(case, 0, 500)
    paid = results[:, 1:4].sum(axis=0) @ [1, 2, 3] + 3 * results[:, WHOLE_POT].sum()
    assert paid == 3 * 500 * 2
    assert totals(sums).trace() == (paid - 3 * results[:, 0].sum()) * STAKE


@pytest.mark.skipif(SMALL, reason="takes millions of deals")
def test_intervals_hold_all_together_as_often_as_they_say() -> None:
    """A thousand leagues of 200 deals; the truth is from 2 million others, a hundredth as wrong."""
    case = Case(STANDARD, 6, ("peel", "trumps", "loose"))
    cell, game = case.cell, study.encode(case.cell)

    def league(seed: int, first: int, deals: int) -> dict[str, npt.NDArray[np.float64]]:
        counts = study.empty_counts(cell)
        study.add_counts(game, seed, first, deals, counts)
        table = study.tables(cell, deals, counts)["league"]
        return {name: table[name].to_numpy() for name in ("net_diff", "low", "high")}

    true = league(SEED + 1, 0, 2_000_000)["net_diff"]
    hold = sum(
        bool(((run["low"] <= true) & (true <= run["high"])).all())
        for run in (league(SEED, 200 * number, 200) for number in range(1000))
    )
    assert 930 <= hold <= 980


def test_too_few_deals_tell_nothing() -> None:
    case = Case(STANDARD, 5, ("always-stand", "tight"))
    for deals, told in ((1, False), (29, False), (30, True)):
        found = study.tables(case.cell, deals, counts_of(case, 0, deals))
        (row, _) = found["league"].to_pylist()
        assert (row["net_diff_se"] is None) == (deals == 1)
        assert [row[key] is not None for key in ("low", "high", "p_value")] == [told] * 3
        assert np.isnan(study.half_width(found)) != told
        if not told:
            assert all(row["tied_with_best"] for row in found["standing"].to_pylist())
            assert [row[2].told for row in study.headline(found)] == ["first", "tied"]


def test_sums_are_exact_up_to_the_most_deals() -> None:
    """Nets of -1 unit: low words of 2**32 - 1 that together fill all 64 bits."""
    n = 4_000_000_000
    low = n * (2**32 - 1)
    wrapped = np.uint64(low).astype(np.int64)
    row = np.array([wrapped, -n, n, 0, 0, 0, wrapped, -n])
    assert row[0] < 0
    assert study._read_sums(row, n) == Moments(n, -n, n, -n, n, n)


def tables_of(rows: list[tuple[str, float, float, float | None]]) -> dict[str, pa.Table]:
    """Tables in which the first policy is set against each of the others.

    Parameters
    ----------
    rows : list of (str, float, float, float or None)
        A rival, the interval of the difference, and the deals that tell it apart.
    """
    league = [
        {
            "policy": "one", "rival": rival, "low": low, "high": high,
            "deals_apart": apart, "deals_apart_low": apart / 2 if low > 0 else 4321.0,
            "deals_apart_high": apart if low > 0 else None,
        }
        for rival, low, high, apart in rows
    ]  # fmt: skip
    standing = [{"policy": "one", "n": 5000, "net": 0.5, "net_se": 0.01, "tied_with_best": True}]
    standing += [
        {"policy": rival, "n": 5000, "net": 0.25, "net_se": 0.01, "tied_with_best": low <= 0}
        for rival, low, _, _ in rows
    ]
    return {"league": pa.Table.from_pylist(league), "standing": pa.Table.from_pylist(standing)}


def test_nothing_is_called_best_unless_every_interval_excludes_0() -> None:
    clear = study.headline(tables_of([("two", 0.1, 0.2, 1234.0), ("three", 0.2, 0.3, 56.2)]))
    assert [tuple(figure.told for figure in row[1:]) for row in clear] == [
        ("0.500 ± 0.020", "best", ""),
        ("0.250 ± 0.020", "behind", "1,230 (617 to 1,230) deals"),
        ("0.250 ± 0.020", "behind", "57 (29 to 57) deals"),
    ]
    assert [row[3].value for row in clear[1:]] == [1234.0, 56.2]
    tied = study.headline(tables_of([("two", -1.0, 2.0, 99999.0), ("three", 0.2, 0.3, 56.0)]))
    assert [tuple(figure.told for figure in row[2:]) for row in tied] == [
        ("first", ""),
        ("tied", "more than 4,320 deals"),
        ("behind", "56 (28 to 56) deals"),
    ]


def test_the_experiment_runs(tmp_path: Path) -> None:
    file = Path(__file__).parents[1] / "experiments" / "league.toml"
    for words, unit in ((("deals=64",), "deals"), ((), "tables")):
        if unit == "tables":
            sessions = tmp_path / "sessions.toml"
            text = file.read_text().replace("pot = 3\n", "rounds = 1\n")
            sessions.write_text(text.replace("deals = 4_000_000\n", "tables = 4\n"))
            file = sessions
        ran = run_experiment(load_experiment(file, words), tmp_path / unit, 2)
        assert ran.directory is not None
        assert len(ran.headline) == 7
        league = pq.read_table(ran.directory / "league.parquet")
        assert league.num_rows == 42
        assert f"{unit}_apart" in league.column_names


def test_columns_are_no_axes_of_a_sweep() -> None:
    """A sweep's axes stand before the columns, so none may have the name of one."""
    case = CASES["two"]
    for table in study.tables(case.cell, 30, counts_of(case, 0, 30)).values():
        assert not set(table.column_names) & set(AXES)
