"""The study `lead`: its estimates against whole samples, its runs, and what is told of them."""

from __future__ import annotations

from itertools import combinations
from math import nan

import numpy as np
import pandas as pd
import pytest
from report_samples import cell as told_cell
from report_samples import page_of, write_result

from loo_sim.cards import Card, hand_classes, live_cards, lowest_rank
from loo_sim.compare import compare
from loo_sim.experiment import Cell, load_experiment
from loo_sim.policies.parse import load_policy
from loo_sim.referee import legal_leads
from loo_sim.report import leads
from loo_sim.report.result import read_result
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.runner.run import run_experiment
from loo_sim.studies import lead
from loo_sim.studies.estimates import Z95

GONE = 4
"""Result of a card that may not be led."""
CARDS = ("first", "second", "third")


def cell_of(players: int = 8, pot: int = 9, rules: Rules | None = None) -> Cell:
    return Cell({}, players, pot * UNITS_PER_STAKE, rules or Rules(loo=4), ())


def lead_sample(n: int = 800) -> pd.DataFrame:
    """Players in, hands and results as they might be counted; which cards may be led hangs on both.

    A row is a deal in which two or more are in.
    """
    draw = np.random.default_rng(8)
    rows = []
    for _ in range(n):
        in_play, hand = int(draw.choice([2, 3, 4, 5, 7])), int(draw.integers(0, 6))
        may_lead = 1 + (in_play + hand) % 3
        results = [int(draw.integers(0, 4)) if i < may_lead else GONE for i in range(3)]
        rows.append((in_play, hand, *results))
    rows.append((5, 4000, 2, 0, 1))  # a hand that came up once
    return pd.DataFrame(rows, columns=["in_play", "class", *CARDS])


def counts_of(cell: Cell, sample: pd.DataFrame):
    (counts,) = lead.empty_counts(cell)
    at = (sample["in_play"] - 2, sample["class"], *(sample[card] for card in CARDS))
    np.add.at(counts, at, 1)
    return (counts,)


def standard_error(values) -> float:
    return np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else nan


WORTH = np.array([-4.0, 3, 6, 9, nan])
"""Net in stakes by tricks, in a pot of 9 with a loo of 4."""


def test_the_table_is_that_of_the_sample():
    cell, sample = cell_of(), lead_sample()
    table = lead.tables(cell, 1000, counts_of(cell, sample))["lead"].to_pandas()
    assert list(table.columns) == [
        *("in_play", "hand", "n", "weight", *CARDS, *(f"{card}_se" for card in CARDS)),
        *("second_minus_first", "third_minus_first", "third_minus_second"),
        *("second_minus_first_se", "third_minus_first_se", "third_minus_second_se"),
        *(f"{card}_loo{end}" for end in ("", "_se") for card in CARDS),
        *(f"{card}_tricks{end}" for end in ("", "_se") for card in CARDS),
        "weight_se",
    ]
    groups = sample.groupby(["in_play", "class"])
    assert len(table) == groups.ngroups
    rows = table.set_index(["in_play", "hand"])
    for (in_play, number), group in groups:
        row = rows.loc[(in_play, hand_classes(52).names[number])]
        assert row["n"] == len(group)
        share = len(group) / 1000
        assert row["weight"] == pytest.approx(share)
        assert row["weight_se"] == pytest.approx((share * (1 - share) / 999) ** 0.5)
        values = {card: WORTH[group[card]] for card in CARDS}
        values |= {
            f"{later}_minus_{earlier}": values[later] - values[earlier]
            for earlier, later in combinations(CARDS, 2)
        }
        for card in CARDS:
            led = group[card].to_numpy() != GONE
            values[f"{card}_loo"] = np.where(led, group[card] == 0, nan)
            values[f"{card}_tricks"] = np.where(led, group[card], nan)
        assert np.isfinite(row["first"])
        for name, value in values.items():
            assert row[name] == pytest.approx(np.mean(value), nan_ok=True), name
            error = standard_error(value)
            assert row[f"{name}_se"] == pytest.approx(error, abs=1e-12, nan_ok=True), name
    assert table["second"].isna().any()
    assert (table["second"].notna() & table["third"].isna()).any()


def lowest_less_highest(sample: pd.DataFrame):
    """In stakes, of the deals in which the leader may choose."""
    chosen = sample[sample["second"] != GONE]
    lowest = np.where(chosen["third"] != GONE, chosen["third"], chosen["second"])
    return WORTH[lowest] - WORTH[chosen["first"]]


def test_the_main_figure_is_that_of_the_deals_with_a_choice():
    cell, sample = cell_of(), lead_sample()
    counts = counts_of(cell, sample)
    values = lowest_less_highest(sample)
    tables = lead.tables(cell, 1000, counts)
    assert lead.half_width(tables) == pytest.approx(Z95 * standard_error(values))
    (one,) = lead.running(cell, 1000, counts)
    assert one.sums.n == len(values)
    assert one.sums.mean(one.per_unit) == pytest.approx(values.mean())
    assert one.sums.se(one.per_unit) == pytest.approx(standard_error(values))


def test_the_short_table_has_a_row_for_each_number_of_players_in():
    cell, sample = cell_of(), lead_sample()
    rows = lead.headline(lead.tables(cell, 2000, counts_of(cell, sample)))
    assert [row[0].told for row in rows] == ["2", "3", "4", "5 or more"]
    for row, chosen in zip(rows, (2, 3, 4, 5), strict=True):
        here = sample[sample["in_play"].clip(upper=5) == chosen]
        values = lowest_less_highest(here)
        assert row[1].value == pytest.approx(len(here) / 2000)
        assert row[2].value == pytest.approx(len(values) / len(here))
        free = here[here["second"] != GONE]
        assert row[3].value == pytest.approx(WORTH[free["first"]].mean())
        assert row[5].value == pytest.approx(values.mean())
        assert row[5].se == pytest.approx(standard_error(values))
        assert row[4].value == pytest.approx(row[3].value + row[5].value)
    assert len(lead.HEADLINE) == len(rows[0])


def test_nothing_counted_tells_nothing():
    cell = cell_of()
    counts = lead.empty_counts(cell)
    tables = lead.tables(cell, 10, counts)
    some = lead.tables(cell, 1000, counts_of(cell, lead_sample()))
    assert len(tables["lead"]) == 0
    assert tables["lead"].schema.names == some["lead"].schema.names
    assert np.isnan(lead.half_width(tables))
    assert lead.headline(tables) == []
    assert lead.running(cell, 10, counts)[0].sums.n == 0


def test_a_leader_who_never_may_choose_has_no_difference():
    cell = cell_of()
    sample = lead_sample().assign(second=GONE, third=GONE)
    tables = lead.tables(cell, 1000, counts_of(cell, sample))
    assert np.isnan(lead.half_width(tables))
    for row in lead.headline(tables):
        assert row[2].value == 0
        assert [figure.value for figure in row[3:]] == [None, None, None]


def test_counts_of_four_billion_deals_at_the_largest_pot_do_not_overflow():
    cell = cell_of(5, 1_000_000, Rules(loo="pot"))
    (counts,) = lead.empty_counts(cell)
    counts[0, 0, 3, 0, 4] = 2_000_000_001
    counts[0, 0, 0, 3, 4] = 1_999_999_999
    (row,) = lead.tables(cell, 4_000_000_000, (counts,))["lead"].to_pylist()
    assert row["n"] == 4_000_000_000
    assert row["weight"] == 1.0
    assert row["first"] == pytest.approx(1e6 * 2 / 4e9)
    assert row["second_minus_first"] == pytest.approx(-2e6 * 2 / 4e9)
    assert row["second_minus_first_se"] == pytest.approx(2e6 / 4e9**0.5)


# --- runs -----------------------------------------------------------------------------------------

EXPERIMENT = """
study = "lead"
players = 5
pot = 6
policies = ["peel", "random", "peel", "trumps", "random"]
deals = 6000
rules.preset = "PRESET"
sweep.pot = [6, 9]
"""


def run(folder, jobs: int, preset: str = "peel"):
    folder.mkdir()
    file = folder / "x.toml"
    file.write_text(EXPERIMENT.replace("PRESET", preset), encoding="utf-8")
    return run_experiment(load_experiment(file), folder / "out", jobs)


def test_the_tables_are_the_same_bytes_whatever_the_jobs(tmp_path, monkeypatch):
    monkeypatch.setattr(lead, "CHUNK_DEALS", 500)
    one, three = (run(tmp_path / str(jobs), jobs) for jobs in (1, 3))
    assert one.manifest["tables"] == three.manifest["tables"]
    assert (one.directory / "lead.parquet").read_bytes() == (
        three.directory / "lead.parquet"
    ).read_bytes()


@pytest.mark.parametrize("preset", ["standard", "peel", "classic", "enquire"])
def test_the_cards_with_a_value_are_those_that_may_be_led(tmp_path, preset):
    table = pd.read_parquet(run(tmp_path / "a", 1, preset).directory / "lead.parquet")
    turn_up = Card(lowest_rank(52), "s")
    classes, live = hand_classes(), live_cards(turn_up)
    place = {name: number for number, name in enumerate(classes.names)}
    assert len(table) > 1000
    for row in table.to_dict("records"):
        member = classes.member[place[row["hand"]]]
        cards = [live[number] for number in classes.ordered[member]]
        legal = legal_leads(PRESETS[preset], cards, turn_up, 1, row["in_play"]).cards
        assert [card in legal for card in cards] == [row[card] == row[card] for card in CARDS]
        assert legal == tuple(cards[: len(legal)])


def test_a_run_can_be_compared_with_another(tmp_path):
    one, other = run(tmp_path / "a", 1, "peel"), run(tmp_path / "b", 1, "classic")
    found = compare(one.directory, other.directory)
    assert {"in_play", "hand", "estimate"} <= set(found.tables["lead"].columns)
    # Every hand of so small a run is rare, but its row is told from the others.
    assert found.left_out.few > 1000
    assert found.left_out.unclear == 0


# --- the report -----------------------------------------------------------------------------------


def told_row(in_play: int, hand: str, n: int, first: float, *others: float) -> dict[str, object]:
    """A row whose errors are 0.01, or empty where the card may not be led."""
    values = [first, *others, nan, nan][:3]
    row = {"in_play": in_play, "hand": hand, "n": n, "weight": n / 200_000}
    row |= dict(zip(CARDS, values, strict=True))
    row |= {
        f"{CARDS[j]}_minus_{CARDS[i]}": values[j] - values[i] for i, j in ((0, 1), (0, 2), (1, 2))
    }
    return row | {f"{name}_se": 0.01 + 0 * row[name] for name in [*row][4:]}


TOLD = pd.DataFrame(
    [
        told_row(2, "KsAhKd", 1000, 1.0, 1.5, 2.0),
        told_row(2, "Ks3h2d", 1000, 1.0, 1.25, 1.5),
        told_row(3, "KsAhKd", 400, 1.0, 0.5, 0.0),
        told_row(3, "AsKsQs", 50, 9.0),
        told_row(6, "AhKhQh", 40, -1.0, -1.5, -1.0),
        told_row(8, "AhKhQh", 40, -1.0, -1.5, -1.0),
    ]
)


def test_the_report_tells_the_lowest_lead_against_the_highest(tmp_path):
    directory = write_result(tmp_path, [told_cell()], {"lead": TOLD})
    game = read_result(directory).cells[0]
    exhibit = leads.leads_exhibit(game)
    rows = {row[:2]: row[2:] for row in exhibit.numbers.rows}
    # Both hands of king and two plain cards: 1,000 deals each, at 1.0 and at 0.5.
    assert rows["2", "one trump, K–Q"][0] == "2,000"
    assert rows["2", "one trump, K–Q"][3].startswith("0.750")
    assert rows["2", "one trump, K–Q"][4] == "lowest"
    assert rows["3", "one trump, K–Q"][4] == "highest"
    assert rows["5 or more", "no trump, ace high"][0] == "80"
    assert rows["5 or more", "no trump, ace high"][4] == "too close"
    assert not any("three trumps" in hand for _, hand in rows)
    page = page_of(directory)
    assert "What to lead: 6 players" in page.text
    assert "−1.000 ± 0.020 stakes with 3 in" in page.text


def test_a_report_of_leads_that_were_all_forced_says_so(tmp_path):
    forced = TOLD[TOLD["second"].isna()]
    page = page_of(write_result(tmp_path, [told_cell()], {"lead": forced}))
    assert "The leader never had a choice." in page.text


def test_club_law_has_a_leader_too(tmp_path):
    (tmp_path / "shy.toml").write_text('name = "shy"\n[announce]\notherwise = "fold"\n')
    shy = load_policy(str(tmp_path / "shy.toml"))
    cell = Cell({}, 5, 6 * UNITS_PER_STAKE, PRESETS["club"], (shy,) * 5)
    counts = lead.empty_counts(cell)
    lead.add_counts(lead.encode(cell), 5, 0, 2000, counts)
    # Everyone folds unless clubs are trumps, and then everyone is in: a quarter of the deals.
    assert counts[0][:3].sum() == 0
    assert 400 < counts[0][3].sum() < 600
