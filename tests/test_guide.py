"""The guide: each page's commands print what it shows; its script gives what it says."""

from __future__ import annotations

import re
import runpy
from contextlib import redirect_stdout
from io import StringIO
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from kernel_deals import SMALL
from shown import agree, commands, follow

import loo_sim
from loo_sim.rules import UNITS_PER_STAKE

GUIDE = Path(__file__).parents[1] / "docs" / "guide"
PAGES = sorted(GUIDE.glob("[0-9]*.md"), key=lambda page: int(page.name.partition("-")[0]))
CALLS = {1: 1, 2: 7, 3: 5, 4: 2, 5: 6, 6: 5, 7: 4, 8: 3}
"""Commands that a page calls, by its number; the others call none."""
SCRIPT = GUIDE / "from_python.py"

pytestmark = pytest.mark.skipif(SMALL, reason="needs many deals")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_the_page_shows(page, tmp_path, monkeypatch):
    number = int(page.name.partition("-")[0])
    if number == 8:
        pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    assert follow(page, tmp_path) == CALLS.get(number, 0)


@pytest.mark.parametrize(
    ("shown", "printed", "do_agree"),
    [
        (["a", "b"], ["a", "", "b"], True),
        (["a", "b"], ["a", "c"], False),
        (["a", "b"], ["a", "b", "c"], False),
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "c"], ["a", "b"], False),
        ([], ["a"], False),
        (["a."], ["ab"], False),
    ],
)
def test_three_points_alone_stand_for_other_lines(shown, printed, do_agree):
    assert agree(shown, printed) == do_agree


def test_commands_of_a_block_are_told_from_what_they_print():
    block = "$ loosim rules a \\\n    'b c'\nprinted\n\nmore\n$ loosim check x\n"
    assert list(commands(block)) == [
        (["rules", "a", "b c"], ["printed", "", "more"]),
        (["check", "x"], []),
    ]
    with pytest.raises(AssertionError):
        list(commands("$ loosim rules\n$ ls\n"))


def test_the_contents_name_every_page_and_each_page_ends_with_the_next():
    listed = re.findall(r"\]\((\d+-\S+\.md)\)", (GUIDE / "README.md").read_text(encoding="utf-8"))
    assert listed == [page.name for page in PAGES]
    for page, after in zip(PAGES, [*PAGES[1:], GUIDE / "README.md"], strict=True):
        last = page.read_text(encoding="utf-8").splitlines()[-1]
        assert last.startswith("Next: ")
        assert f"({after.name})" in last


def test_links_lead_somewhere():
    for page in [*PAGES, GUIDE / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text(encoding="utf-8")):
            assert (GUIDE / target).exists(), (page.name, target)


# --- from_python.py -------------------------------------------------------------------------------


class Script(NamedTuple):
    """What the script printed, line by line, and the names that it leaves behind."""

    printed: list[str]
    names: dict[str, Any]


@pytest.fixture(scope="module")
def script() -> Script:
    with redirect_stdout(StringIO()) as told:
        names = runpy.run_path(str(SCRIPT))
    return Script([line.rstrip() for line in told.getvalue().splitlines()], names)


def blocks(language: str) -> list[str]:
    """The fenced blocks of the page on Python that are of a language."""
    page = (GUIDE / "9-python.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def test_the_page_shows_cells_of_the_script():
    text = SCRIPT.read_text(encoding="utf-8")
    cells = [cell.strip() for cell in re.split(r"^# %%.*\n", text, flags=re.MULTILINE)]
    assert len(blocks("python")) >= 6
    for block in blocks("python"):
        assert block.strip() in cells


def test_the_script_prints_what_the_page_shows(script):
    assert len(blocks("text")) >= 6
    for block in blocks("text"):
        lines = [line.rstrip() for line in block.splitlines()]
        assert agree(["...", *lines, "..."], script.printed), block


def test_nets_of_the_script_are_those_that_the_referee_comes_to(script):
    """On the first deals of the same run, told one by one; within four errors of their mean."""
    deals = 1_000
    records = (
        loo_sim.deal(seed=1, index=index, players=6, pot=6, policies="peel")
        for index in range(deals)
    )
    nets = np.array([record["net"] for record in records]) / UNITS_PER_STAKE
    error = nets.std(axis=0, ddof=1) / sqrt(deals)
    seats = script.names["seats"]
    assert (np.abs(seats["net"] - nets.mean(axis=0)) < 4 * error).all()
    assert (seats["n"] == 200_000).all()


def test_the_paired_difference_is_that_of_the_two_means(script):
    pot = script.names["sweep"].tables["pot"]
    means = (pot["share"] * pot["pot_swing"]).groupby(pot["rules.loo"]).sum()
    (row,) = script.names["sweep"].tables["difference"].to_dict("records")
    assert row["difference"] == pytest.approx(means[6] - means[3])
    assert row["low"] < row["difference"] < row["high"]


def test_differences_of_the_league_add_up(script):
    league = script.names["played"].tables["league"].set_index(["policy", "rival"])["net_diff"]
    sum_of_two = league["mine", "peel"] + league["peel", "tight"]
    assert league["mine", "tight"] == pytest.approx(sum_of_two)
    assert league["peel", "mine"] == -league["mine", "peel"]


def test_the_winner_of_the_search_has_the_largest_figure_of_the_last_rung(script):
    table, found = script.names["tuned"].table, script.names["tuned"].found
    last = table[table["rung"] == table["rung"].max()]
    axis = "policies.mine.params.reach"
    assert found["winner"]["axes"][axis] == last.loc[last["value"].idxmax(), axis]


def test_standing_is_worth_its_tricks_less_its_loos(script):
    """At a pot of 9 a trick pays 3 stakes, as much as a loo costs."""
    stand = script.names["advice"].table.set_index("action").loc["stand"]
    tricks = sum(number * stand[f"tricks_{number}"] for number in (1, 2, 3))
    value = 3 * tricks - 3 * stand["looed"] + 9 * stand["whole_pot"]
    assert stand["value"] == pytest.approx(value)


def test_values_of_the_solved_strategy_come_out_of_one_pot(script):
    """All seats together get no more than the pot of 3; nothing is gained beyond the bounds."""
    gain = script.names["solved"].gain
    assert 0 < gain["value"].sum() < 3
    assert (gain["gain_low"] <= gain["gain_high"]).all()
    assert (gain["gain_high"] > 0).all()


def test_the_script_leaves_nothing_behind(script):
    assert not script.names["folder"].exists()
