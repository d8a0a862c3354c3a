"""The page of a solved strategy: chances read back from its squares, sentences from its gains."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from report_samples import Page, written_by_another_process
from solved_samples import DEALS, gain_table, strategy_table, write_manifest, write_solution
from svg_reading import at, intervals, scale

from loo_sim.cards import hand_classes
from loo_sim.cli import cli
from loo_sim.policies.parse import read_policy
from loo_sim.report import announced, gains, solved, splits, style, write_report
from loo_sim.report.hands import features
from loo_sim.rules import Rules
from loo_sim.solution import read_solution

COLOURS = {look.colour: action for action, look in style.ACTIONS.items()}


@pytest.fixture(scope="module")
def table():
    return strategy_table()


@pytest.fixture(scope="module")
def directory(tmp_path_factory, table):
    return write_solution(tmp_path_factory.mktemp("solved"), table)


@pytest.fixture(scope="module")
def strategy(directory):
    return announced.strategies(read_solution(directory))[0]


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """With the short pack and two players, of whom the dealer speaks in two situations."""
    rules = Rules(deck=32, min_players=2)
    table = strategy_table(2, rules=rules)
    changes = {"players": 2, "rules": rules.to_dict()}
    return write_solution(tmp_path_factory.mktemp("short"), table, gain_table(2), **changes)


@pytest.fixture(scope="module")
def written(short):
    return write_report(short, short / "page.html")


@pytest.fixture(scope="module")
def page(written):
    return Page(written.path.read_text(encoding="utf-8"))


def areas(svg: str) -> dict[tuple[float, float], dict[str, float]]:
    """The area of each announcement in each square of a grid of 13 columns, by row and column."""
    boxes = []
    for path, fill in re.findall(r'<path d="([^"]*)"[^>]*style="fill: (#\w+)', svg):
        numbers = [float(one) for one in re.findall(r"-?[\d.]+", path)]
        xs, ys = numbers[0::2], numbers[1::2]
        if fill in COLOURS:
            boxes.append((min(xs), min(ys), max(xs), max(ys), COLOURS[fill]))
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    top, tall = min(box[1] for box in boxes), boxes[0][3] - boxes[0][1]
    found: dict[tuple[float, float], dict[str, float]] = defaultdict(dict)
    for x0, y0, x1, _, action in boxes:
        square = round((y0 - top) / tall), int(((x0 + x1) / 2 - left) / (right - left) * 13)
        found[square][action] = (x1 - x0) / (right - left) * 13
    return found


def means(table, seat, trumps, standers=0):
    """Mean chances by row and column of the grid, straight from the table and sizes of classes."""
    rows = table[(table["seat"] == seat) & (table["standers"] == standers) & table["miss_free"]]
    rows = rows.join(features(52), on="hand")
    rows = rows[rows["trumps"] == trumps]
    size = dict(zip(hand_classes().names, hand_classes().size.tolist(), strict=True))
    found: dict[tuple[int, int], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    total: dict[tuple[int, int], int] = defaultdict(int)
    for row in rows.itertuples():
        square = 14 - row.row, 14 - row.col
        total[square] += size[row.hand]
        for action in COLOURS.values():
            found[square][action] += size[row.hand] * getattr(row, action)
    return {
        square: {action: value / total[square] for action, value in by_action.items() if value}
        for square, by_action in found.items()
    }


@pytest.mark.parametrize("trumps", [0, 1])
def test_the_areas_of_a_square_are_the_chances(strategy, table, trumps):
    first = announced.met(strategy)[0]
    assert first.key == (0, 0, True)
    found = areas(splits.grid_exhibit(strategy, first, trumps).svg)
    wanted = means(table, 0, trumps)
    assert found.keys() == wanted.keys()
    for square, chances in wanted.items():
        shown = {action: chance for action, chance in chances.items() if chance >= 0.05}
        whole = sum(shown.values())
        scaled = {action: chance / whole for action, chance in shown.items()}
        assert found[square] == pytest.approx(scaled, abs=0.01)
    if trumps == 1:  # the nine, whatever else is held
        assert found[5, 3] == pytest.approx({"stand": 0.7, "fold": 0.3}, abs=0.01)
    else:  # ace and king
        mixed = {"stand": 0.3, "miss": 0.2, "fold": 0.5}
        assert found[0, 1] == pytest.approx(mixed, abs=0.01)


def test_a_kind_of_hands_shows_the_mean_by_how_often_they_are_dealt(tmp_path, table):
    """Of the hands with king of trumps and ace and no other trump, some classes fold."""
    changed = table.copy()
    here = (changed["seat"] == 0) & changed["hand"].isin(["KsAhKh", "KsAhKd"])
    changed.loc[here, ["fold", "stand", "miss", "defend"]] = (1.0, 0.0, 0.0, 0.0)
    strategy = announced.strategies(read_solution(write_solution(tmp_path / "s", changed)))[0]
    kinds = announced.matrix(strategy, (0, 0, True)).set_index(["trumps", "row", "col"])
    kind = kinds.loc[(1, 13, 14)]
    # Two plain aces (3 pairs), or a plain ace (3) with one of 12 lower ranks (3 suits).
    assert kind["hands"] == 3 + 12 * 9
    assert kind["fold"] == pytest.approx(9 / 111)  # three suited, six not
    assert kind["mixes"] == 0
    assert kinds.loc[(1, 9, 14)]["mixes"] == 1


def test_small_chances_have_no_part_and_the_others_fill_the_square():
    kind = pd.Series({"stand": 0.02, "miss": 0.38, "defend": 0.0, "fold": 0.6})
    assert dict(announced.parts(kind)) == pytest.approx({"miss": 0.38 / 0.98, "fold": 0.6 / 0.98})
    assert announced.in_words(kind) == "take the miss 38 %, fold 60 %"


def test_squares_of_the_tables_that_open_have_the_same_parts(strategy):
    first = announced.met(strategy)[0]
    grid = splits.grid_html(announced.matrix(strategy, first.key), 0, 52)
    cell = re.search(r"<td class=split>.*?</div>", grid)
    assert re.findall(r"<i class=(\w) style=flex:(\d+)>(\w?)</i>", cell[0]) == [
        ("S", "30", "S"),
        ("M", "20", ""),
        ("F", "50", "F"),
    ]
    # 91 squares, of which one is split.
    assert grid.count("<td class=F>F") == 90


def test_how_often_situations_come_up_follows_from_the_chances(tmp_path):
    """Everyone stands with 1/2 and takes the miss with 1/4 while it is there, whatever he holds."""
    table = strategy_table()
    table[["fold", "stand", "miss", "defend"]] = (0.25, 0.5, 0.25, 0.0)
    table.loc[~table["miss_free"], ["fold", "stand", "miss"]] = (0.5, 0.5, 0.0)
    dealer = table["seat"] == 4
    table.loc[dealer & table["miss_free"], ["fold", "stand", "miss"]] = (0.0, 0.75, 0.25)
    strategy = announced.strategies(read_solution(write_solution(tmp_path / "s", table)))[0]
    share = {one.key: one.share for one in announced.met(strategy)}
    assert share[0, 0, True] == 1
    assert share[1, 0, True] == pytest.approx(1 / 4)
    assert share[1, 1, True] == pytest.approx(1 / 2)
    assert share[1, 1, False] == pytest.approx(1 / 4)
    assert share[2, 1, False] == pytest.approx(1 / 4 * 1 / 4 + 1 / 4 * 1 / 2)
    told = {one.key: splits.about(one) for one in announced.met(strategy)}
    assert told[0, 0, True] == "100 %"
    assert told[2, 1, False] == "≈ 20 %"  # 18.75
    # The dealer speaks unless all four before him folded.
    assert sum(of for key, of in share.items() if key[0] == 4) == pytest.approx(1 - 1 / 4**4)


def test_gains_stand_where_they_are(directory):
    solution = read_solution(directory)
    strategy = announced.strategies(solution)[0]
    exhibit = gains.gain_exhibit(strategy.cell, solution.gain, DEALS)
    ticks = scale(exhibit.svg)
    half = NormalDist().inv_cdf(1 - 0.025 / 5)
    for line, first, step, error in ((0, 0.0, 1, 0.0005), (1, 0.001, 2, 0.0004)):
        found = intervals(exhibit.svg, style.LINES[line][0])
        found = {y: marks for y, marks in found.items() if y > min(found)}  # not the legend's
        bars = [[at(x, ticks) for x in marks] for marks in list(found.values())[-5:]]
        wanted = [first + 0.001 * step * seat for seat in range(5)]
        assert [middle for _, middle, _ in bars] == pytest.approx(wanted, abs=2e-5)
        assert [high - low for low, _, high in bars] == pytest.approx([2 * half * error] * 5, 0.03)


def test_the_findings_tell_the_gains(directory, strategy):
    # The dealer: 0.004 with 0.0005 to 0.009 with 0.0004; five seats: 2.576 standard errors.
    most, total, plays = solved.findings(read_solution(directory), [strategy])
    assert most == (
        "By leaving the strategy while the others keep to it, the dealer may gain most: "
        "0.0027 to 0.0101 stakes a deal. The best deviation found came to 0.0040 ± 0.0010 on deals "
        "it was not fitted on; fitted and valued on the same deals, too high on average, it came "
        "to 0.0090 ± 0.0008."
    )
    # 0.010 less 1.96 * 5 * 0.0005, and 0.025 with 1.96 * 5 * 0.0004.
    assert total.startswith(
        "The gains of all 5 seats add up to 0.005 to 0.029 stakes a deal; whether it is near an "
        "equilibrium (at most 0.02) is too close to call."
    )
    assert "the play of the cards is held fixed" in total
    assert plays.startswith("Of all hands dealt, seat 0 (first to speak) is to stand with 4")


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (
            0.0001,
            "0.0000 to 0.0065 stakes a deal, at most 0.02: that is called near an equilibrium",
        ),
        (0.01, "0.095 to 0.254 stakes a deal, more than 0.02: that is not near an equilibrium"),
    ],
)
def test_near_is_said_of_what_surely_is_alone(scale, words):
    gain = gain_table(scale=scale)
    assert words in gains.tell_total(gain)


def test_a_gain_that_may_be_none_is_too_close_to_call(strategy):
    gain = gain_table(scale=0.0001)
    assert "too close to call from no gain at all" in gains.tell_most(strategy.cell, gain, DEALS)
    apart = gain_table()
    apart.loc[4, ["gain_low", "gain_high"]] = (0.5, 0.6)
    assert "the dealer gains most: 0.498 to 0.602" in gains.tell_most(strategy.cell, apart, DEALS)


def test_values_without_errors_are_not_ranked(strategy):
    gain = gain_table().assign(value_se=np.nan)
    exhibit = gains.value_exhibit(strategy.cell, gain, DEALS)
    assert exhibit.caption.startswith("From −0.20 to 0.20 stakes a deal; errors of these values")
    assert exhibit.numbers.rows[0] == ("0", "≈ −0.20")
    known = gains.value_exhibit(strategy.cell, gain.assign(value_se=0.001), DEALS)
    assert "highest for the dealer (0.2000 ± 0.0020 stakes)" in known.caption
    assert known.numbers.rows[1] == ("1", "−0.1000(10)")


def test_never_promises_too_much(page):
    text = page.text.lower()
    assert "optimal" not in text
    assert "gto" not in text
    assert "equilibrium is no promise" in re.sub(r"\s+", " ", text)
    assert len(page.ids) == len(set(page.ids))
    for figure in page.all("figure"):
        assert figure["role"] == "img"


def test_the_crib_tells_bands_in_words(strategy):
    crib = announced.crib(strategy)
    entries = {row[0]: row[1] for row in crib.rows}
    assert crib.columns[1] == "seat 0"
    assert entries["three trumps"] == "stand"
    assert entries["one trump, 8 or less"] == "stand 70 %, fold 30 %"
    assert entries["no trump, ten high or less"] == "fold"


def test_every_situation_opens_without_script(short, page):
    (strategy,) = announced.strategies(read_solution(short))
    assert len(announced.met(strategy)) == 3
    for one in announced.met(strategy):
        for trumps in (0, 1, 2):
            assert splits.grid_html(announced.matrix(strategy, one.key), trumps, 32) in page.html
        assert f"{one.spot.title}: " in page.text


def test_the_same_bytes_again(short, written, tmp_path):
    assert written_by_another_process(short, tmp_path) == written.path.read_bytes()


@pytest.mark.usefixtures("unwritten")
def test_several_pots_are_told_apart(tmp_path, table):
    tables = pd.concat([table, table.assign(pot=9.0)])
    both = pd.concat([gain_table(), gain_table(pot=9.0, scale=0.01)])
    place = write_solution(tmp_path / "s", tables, both, pots=(9.0, 3.0))
    games = announced.strategies(read_solution(place))
    assert [game.cell.label for game in games] == ["a pot of 3", "a pot of 9"]
    assert [game.cell.pot for game in games] == [3, 9]
    solution = read_solution(place)
    # With a pot of 9 the sums are 0.10 and 0.25, errors as with a pot of 3.
    first, second, third = solved.findings(solution, games)
    named = "With a pot of 9, of the 2 pots the one with the highest bound: by leaving the strategy"
    assert first.startswith(named)
    assert "With a pot of 9: the gains of all 5 seats add up to 0.095 to 0.254" in second
    assert third.startswith("With a pot of 9: of all hands dealt, seat 0")
    pots = solved.sections(solution, games)[0].tables[0]
    assert pots.rows == (
        ("a pot of 3", "0.0100(25)", "0.0250(20)", "0.005 to 0.029"),
        ("a pot of 9", "0.1000(25)", "0.2500(20)", "0.095 to 0.254"),
    )


def test_the_command_line_writes_figures_and_json(short, tmp_path):
    assert read_policy(short / "policy.toml").table is not None
    out, figures = tmp_path / "page.html", tmp_path / "figures"
    command = ["report", str(short), "-o", str(out), "--json", "--figures", str(figures)]
    ended = CliRunner().invoke(cli, command)
    assert ended.exit_code == 0, ended.output
    told = json.loads(ended.stdout)
    assert (told["path"], told["figures"]) == (str(out), str(figures))
    page = Page(out.read_text(encoding="utf-8"))
    for finding in told["findings"]:
        assert finding in page.text
    assert "The gains of all 2 seats" in told["findings"][1]
    numbers = pd.read_csv(figures / "situations-1-values.csv")
    nine = numbers[(numbers["situation"] == "seat 0") & (numbers["row of its grid"] == "9")]
    nine = nine[(nine["trumps"] == 1) & (nine["column of its grid"] == "K")].iloc[0]
    assert (nine["stand"], nine["fold"], nine["mixed"]) == ("70.0 %", "30.0 %", "100.0 %")
    assert (nine["take the miss"], nine["defend"]) == ("0.0 %", "–")
    assert (figures / "gains-1.png").exists()


def _told(directory):
    ended = CliRunner().invoke(cli, ["report", str(directory)])
    assert ended.exit_code == 2
    assert "Traceback" not in ended.output
    return ended.stderr


def test_everything_wrong_with_the_tables_is_told_at_once(tmp_path, table):
    wrong = table.copy()
    wrong.loc[7, "stand"] = 0.4
    wrong.loc[9, "hand"] = "AsAsAs"
    free = (wrong["seat"] == 1) & ~wrong["miss_free"]
    row = wrong.index[free][0]
    wrong.loc[row, ["fold", "stand", "miss"]] = (0.5, 0.0, 0.5)
    gain = gain_table().drop(columns="gain_high_se").assign(gain_low=np.nan)
    told = _told(write_solution(tmp_path / "s", wrong, gain, carry="all", players=4))
    assert "table.parquet, row 8: chances" in told
    assert "sum to 0.4, not 1" in told
    assert "row 10: 'AsAsAs' is no class of hands" in told
    assert f"row {row + 1}: miss = 0.5, but the miss is gone" in told
    assert "gain.parquet: has no column gain_high_se (did you mean 'gain_high'?)" in told
    assert "gain.parquet: column gain_low has rows without a number" in told
    assert "manifest.json: carry: 'all' is none" in told
    assert "manifest.json: players: 4 players cannot play" in told


def test_what_the_rules_of_the_game_forbid_is_told(tmp_path, table):
    """The dealer may not fold where he may defend; nor may rows of a situation be missing."""
    wrong = table.copy()
    dealer = (wrong["seat"] == 4) & (wrong["standers"] == 1) & wrong["miss_free"]
    wrong.loc[wrong.index[dealer][3], ["fold", "stand", "miss", "defend"]] = (1.0, 0.0, 0.0, 0.0)
    gone = (wrong["seat"] == 2) & (wrong["standers"] == 0)
    short = wrong.index[wrong["seat"] == 0][:10]
    wrong = wrong[~gone].drop(index=short)
    gain = gain_table().iloc[:4]
    told = _told(write_solution(tmp_path / "s", wrong, gain))
    where = "players = 5, pot = 3, seat = 4, standers = 1, miss_free = true"
    assert f"table.parquet: 'fold' has a chance where the rules forbid it: {where}" in told
    assert "has no rows for players = 5, pot = 3, seat = 2, standers = 0, miss_free = true" in told
    assert "has no rows for 10 of 4,861 hands of players = 5, pot = 3, seat = 0" in told
    assert "gain.parquet: has no row for players = 5, pot = 3, seat = 4" in told


def test_files_that_are_missing_or_altered_are_told(tmp_path, table):
    place = write_solution(tmp_path / "s", table)
    whole = {path.name: path.read_bytes() for path in place.iterdir()}
    (place / "table.parquet").unlink()
    (place / "gain.parquet").write_bytes(whole["gain.parquet"][:-9])
    (place / "manifest.json").write_bytes(
        whole["manifest.json"].replace(b'"seed": 7', b'"seed": 8')
    )
    told = _told(place)
    assert "table.parquet: is missing (solve it again)" in told
    assert "gain.parquet: cannot be read" in told
    assert "manifest.json: was altered" in told
    for content, what in (
        (b"{", "manifest.json: cannot be read"),
        (b"[]", "manifest.json: schema: is not loosim.solution/1"),
        (b'{"schema": "loosim.solution/1"}', "manifest.json: rules: is missing"),
        (None, "manifest.json: is missing"),
    ):
        if content is None:
            (place / "manifest.json").unlink()
        else:
            (place / "manifest.json").write_bytes(content)
        assert what in _told(place)
    for name, content in whole.items():
        (place / name).write_bytes(content)
    policy = whole["policy.toml"].replace(b'table = "table.parquet"', b'otherwise = "stand"')
    (place / "policy.toml").write_bytes(policy)
    told = _told(place)
    assert "policy.toml: announce.table: is missing" in told
    assert "policy.toml: is not as it was written" in told
    write_manifest(place, json.loads(whole["manifest.json"]))
    assert "is not as it was written" not in _told(place)
