"""Pages of sessions and leagues: complete, self-contained, the same twice, whatever was played."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from report_samples import (
    Page,
    cell,
    league_tables,
    page_of,
    session_cell,
    session_tables,
    write_result,
    written_by_another_process,
)

from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError
from loo_sim.report import write_report
from loo_sim.rules import PRESETS
from loo_sim.runner.run import run_experiment

ROUNDS = {"rounds": 4}
HOSTILE = '<script>alert("x")</script> & $\\frac{1}{$ {{ 7 * 7 }}'
NETS = {"bold": 0.5, "calm": 0.48, "daft": -0.6}


def contest(axes=None, **changes):
    return cell(axes, policies=[{"name": name, "digest": ""} for name in NETS], **changes)


def joined(parts):
    return {name: pd.concat([part[name] for part in parts]) for name in parts[0]}


def sound(page: Page) -> None:
    """What holds for every page."""
    assert len(page.ids) == len(set(page.ids))
    referred = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', page.html))
    assert {a or b for a, b in referred} <= set(page.ids)
    figures = page.all("figure")
    for tag in ("figcaption", "details", "desc"):
        assert len(page.all(tag)) == len(figures)
    assert len(page.all("title")) == len(figures) + 1
    assert len(page.all("caption")) == len(page.all("table"))
    assert "http" not in page.html
    assert not page.all("script")
    assert not re.search(r"\b(nan|None|inf)\b", page.text)


@pytest.fixture(scope="module")
def evenings(tmp_path_factory):
    """Two finished sessions and one that failed."""
    axes = [{"rules.loo": loo} for loo in (3, 6, "pot")]
    games = [session_cell(one) for one in axes[:2]]
    games.append(session_cell(axes[2], status="failed", error="out of memory", deals=0))
    tables = joined([session_tables(axes={"rules.loo": str(loo)}) for loo in (3, 6)])
    return write_result(
        tmp_path_factory.mktemp("evenings"), games, tables, experiment=ROUNDS, status="failed"
    )


@pytest.fixture(scope="module")
def leagues(tmp_path_factory):
    """Two leagues."""
    axes = [{"players": players} for players in (5, 6)]
    games = [contest(one, **one) for one in axes]
    tables = joined([league_tables(NETS, axes=one) for one in axes])
    return write_result(tmp_path_factory.mktemp("leagues"), games, tables)


@pytest.fixture(scope="module")
def pages(evenings, leagues):
    """The page of each."""
    return {"evenings": page_of(evenings), "leagues": page_of(leagues)}


def test_sessions_side_by_side(pages):
    page = pages["evenings"]
    sound(page)
    # Mean pots, clean deals, seats and errors for both; path, gaps, gain, lowest, ruin for each.
    assert len(page.all("figure")) == 4 + 2 * 5
    assert "Game 3, loo pot: × failed: out of memory" in page.text
    # Its heading, its title, and the head of its numbers.
    assert page.text.count("What an evening brings: loo 6") == 3
    assert "10,000 a game, 20,000 in all" in page.text


def test_leagues_side_by_side(pages):
    page = pages["leagues"]
    sound(page)
    # The lead of the first and errors for both; standing and pairs for each.
    assert len(page.all("figure")) == 2 + 2 * 2
    assert "The policy with the highest net, game by game" in page.text
    # calm lies 0.02 behind, where a half-width is 0.02.
    assert "In both games bold and calm are first or tied with the first." in page.text


@pytest.mark.parametrize("made", ["evenings", "leagues"])
def test_another_process_writes_the_same_bytes(made, request, pages, tmp_path):
    directory = request.getfixturevalue(made)
    assert written_by_another_process(directory, tmp_path) == pages[made].html.encode()


def test_a_page_of_an_evening_speaks_of_evenings(tmp_path):
    page = page_of(write_result(tmp_path, [session_cell()], session_tables(), experiment=ROUNDS))
    sound(page)
    assert "4, in each of which everyone deals once: 20 deals at a table" in page.text
    assert "peel as person 0; tight as person 1" in page.text
    assert "errors are taken over tables" in page.text
    assert "for one deal only" not in page.text
    assert "Trumps are ranked" not in page.text


def test_limited_purses_show_who_was_out_in_place_of_ruin(tmp_path):
    directory = write_result(
        tmp_path,
        [session_cell()],
        session_tables(bankroll=50),
        experiment={**ROUNDS, "bankroll": 50},
    )
    page = page_of(directory)
    sound(page)
    assert "Who is out before the end" in page.text
    assert "Ruin by what was brought" not in page.text
    assert "50 stakes each" in page.text


def test_findings_of_an_evening(tmp_path):
    directory = write_result(tmp_path, [session_cell()], session_tables(), experiment=ROUNDS)
    written = write_report(directory, tmp_path / "page.html")
    assert len(written.findings) == 3
    assert all("±" in finding for finding in written.findings)
    pots, gains, bankrolls = written.findings
    assert pots.startswith("The pot holds 5.000 ± 0.020 stakes")
    assert gains.startswith("The mean gain of an evening is highest for person 4 (pot-odds)")
    assert bankrolls.startswith("With 50 stakes everyone is ruined at less than one table")


def test_one_table_has_no_errors(tmp_path):
    games = [session_cell(deals=1)]
    tables = session_tables(tables=1)
    page = page_of(write_result(tmp_path, games, tables, experiment=ROUNDS))
    sound(page)
    assert "The pot holds ≈ 5.00 (error unknown) stakes" in page.text
    assert "±" not in page.text[page.text.index("What was found") : page.text.index("How to read")]


def test_sixteen_people(tmp_path):
    policies = [{"name": f"way-{person}", "digest": ""} for person in range(16)]
    games = [session_cell(players=16, policies=policies)]
    tables = session_tables(people=16, deals=64)
    page = page_of(write_result(tmp_path, games, tables, experiment=ROUNDS))
    sound(page)
    # Six curves a panel: each policy is named in the legend of one of three.
    assert page.html.count("way-15<") >= 2


def test_sixteen_contestants(tmp_path):
    nets = {f"way-{place}": 1.0 - 0.1 * place for place in range(16)}
    games = [cell(policies=[{"name": name, "digest": ""} for name in nets])]
    page = page_of(write_result(tmp_path, games, league_tables(nets)))
    sound(page)
    assert "All of the 120 pairs differ surely" in page.text


def test_hostile_names_are_only_text(tmp_path):
    policies = [{"name": f"{HOSTILE}{person}", "digest": ""} for person in range(5)]
    games = [session_cell(policies=policies)]
    page = page_of(
        write_result(tmp_path / "s", games, session_tables(), experiment=ROUNDS, name=HOSTILE)
    )
    sound(page)
    nets = {HOSTILE: 0.5, f"{HOSTILE}2": 0.1}
    games = [cell(policies=[{"name": name, "digest": ""} for name in nets])]
    page = page_of(write_result(tmp_path / "l", games, league_tables(nets)))
    sound(page)
    assert page.text.count(HOSTILE) >= 5


class TestWrongDirectories:
    def problems(self, directory):
        with pytest.raises(InputError) as caught:
            write_report(directory)
        return [problem.what for problem in caught.value.problems]

    def test_a_table_that_is_missing(self, tmp_path):
        directory = write_result(tmp_path, [session_cell()], session_tables(), experiment=ROUNDS)
        for name in ("path", "ruin"):
            (directory / f"{name}.parquet").unlink()
        assert self.problems(directory) == ["is missing", "is missing"]

    def test_terms_that_are_none(self, tmp_path):
        directory = write_result(
            tmp_path, [session_cell()], session_tables(), experiment={"rounds": "ten"}
        )
        assert self.problems(directory) == ["'ten' is not what stands here"]

    def test_a_league_without_its_standing(self, tmp_path):
        directory = write_result(tmp_path, [contest()], league_tables(NETS))
        (directory / "standing.parquet").unlink()
        assert self.problems(directory) == ["is missing"]


def result_of(folder, **settings):
    """The result of a short run."""
    told = {"seed": 3, "players": 6, "rounds": 2, "tables": 40, **settings}
    file = folder / "x.toml"
    file.write_text("\n".join(f"{key} = {value!r}" for key, value in told.items()), "utf-8")
    out = folder / settings["study"]
    run_experiment(load_experiment(file), out, 1)
    return out


@pytest.mark.parametrize("preset", PRESETS)
def test_results_of_every_preset(tmp_path, preset):
    policies = ["peel", "loose", "tight", "peel", "trumps", "loose"]
    rules = {"rules.preset": preset}
    evening = page_of(result_of(tmp_path, study="session", policies=policies, **rules))
    contest = page_of(result_of(tmp_path, study="league", policies=policies[:2], **rules))
    for page in (evening, contest):
        sound(page)
        assert f"“{preset}” rules" in page.text
    assert "Ruin by what was brought" in evening.text
    assert "Policy against policy" in contest.text


def test_everyone_is_soon_out(tmp_path):
    # Three of six always-standers at least are looed in every deal, and pay more than they have.
    short = result_of(tmp_path, study="session", policies=["always-stand"], bankroll=3)
    page = page_of(short)
    sound(page)
    assert "at the others too few people are left" in page.text
    assert "Each brought 3 stakes and cannot lose more." in page.text
