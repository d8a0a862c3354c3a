"""Files of claims: what is wrong with one, how it is run, and that its figures are right."""

from __future__ import annotations

import copy
import json
import random
import re
import shutil
import tomllib
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commands import loosim

import loo_sim
from loo_sim.claims.cases import contrasted
from loo_sim.claims.file import load_claims
from loo_sim.claims.measured import Mean
from loo_sim.problems import InputError
from loo_sim.report.books import what_was_tested
from loo_sim.tomlwrite import document

ROOT = Path(__file__).resolve().parents[1]
OLD_BOOKS = ROOT / "experiments" / "old_books.toml"

CLAIMS = """\
name = "tried"
study = "claims"
seed = 7

[parts.values]
study = "announce"
deals = 60_000
players = 5
[parts.values.sweep]
pot = [3, 9]

[parts.games]
study = "deals"
deals = 40_000
pot = 6
[parts.games.sweep]
players = [5, 6]
policies = ["peel", "always-stand"]

[parts.evenings]
study = "session"
tables = 200
rounds = 2
players = 5

[parts.best]
study = "league"
deals = 4_000
policies = ["random", "always-stand", "trumps"]

[[claims]]
id = "A1"
says = "The holder of the best trump is never looed."
source = "the rulebook"
[[claims.tests]]
part = "values"
figure = "stand_loo"
when = "over_best == 0"
below = 0.000001

[[claims]]
id = "A2"
says = "Two trumps are worth more than one at a larger pot."
source = "nobody"
reads = "Two trumps."
exceptions = 0.1
[[claims.tests]]
part = "values"
figure = "stand"
what = "by seat"
when = "trumps == 2 and standers == 0"
by = ["seat"]
above = 0
[[claims.tests]]
part = "values"
figure = "stand"
what = "pot 9 less 3"
when = "trumps == 2 and standers == 0"
contrast = { pot = [3, 9] }
above = 0

[[claims]]
id = "A3"
says = "Deals are played for by two or more."
source = "nobody"
[[claims.tests]]
part = "games"
figure = "contested"
what = "played"
where = { policies = ["peel"] }
above = 0.99
[[claims.tests]]
part = "games"
figure = "players_in"
what = "all are in where all stand"
where = { policies = ["always-stand"] }
above = 4.5
[[claims.tests]]
part = "evenings"
figure = "pot_median"
what = "pots"
where = { deal = [10] }
above = 3
[[claims.tests]]
part = "best"
figure = "ahead"
what = "skill"
below = 100_000
"""


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """The file, and the directory of its test."""
    folder = tmp_path_factory.mktemp("claims")
    path = folder / "tried.toml"
    path.write_text(CLAIMS, encoding="utf-8")
    ended = loosim("run", path, "-o", folder / "out", "--quiet")
    assert ended.exit_code == 0, ended.stderr
    return path, folder / "out", ended.stdout


def found_in(directory: Path) -> dict:
    return json.loads((directory / "claims.json").read_text(encoding="utf-8"))


def cases_of(directory: Path, claim: str) -> pd.DataFrame:
    table = pd.read_parquet(directory / "cases.parquet")
    return table[table["claim"] == claim].reset_index(drop=True)


def test_a_rule_of_the_game_holds_and_its_contrary_fails(tried, tmp_path):
    _, directory, _ = tried
    first = found_in(directory)["claims"][0]
    assert (first["id"], first["verdict"], first["for"]) == ("A1", "holds", 2)
    contrary = tmp_path / "contrary.toml"
    contrary.write_text(CLAIMS.replace("below = 0.000001", "above = 0.000001"), encoding="utf-8")
    shutil.copytree(directory, tmp_path / "out")
    assert loosim("run", contrary, "-o", tmp_path / "out", "--quiet").exit_code == 0
    first = found_in(tmp_path / "out")["claims"][0]
    assert (first["verdict"], first["against"]) == ("fails", 2)


def test_pooled_values_are_those_of_the_table(tried):
    _, directory, _ = tried
    rows = pd.read_parquet(directory / "parts" / "values" / "announce.parquet")
    # Spades are trumps: two of them, in seat 2 with nobody in.
    chosen = rows[
        (rows["hand"].str.count("s") == 2)
        & (rows["standers"] == 0)
        & (rows["seat"] == 2)
        & (rows["pot"] == 3)
    ]
    n, mean, se = (chosen[name].to_numpy() for name in ("n", "stand", "stand_se"))
    # By each deal: sums of values and of squares, from the mean and the error of each hand.
    squares = np.nan_to_num(se) ** 2 * n * (n - 1) + n * mean**2
    total, value = n.sum(), (n * mean).sum() / n.sum()
    error = sqrt((squares.sum() - total * value**2) / (total - 1) / total)
    cases = cases_of(directory, "A2")
    (case,) = cases[cases["circumstances"] == "pot 3, seat 2"].to_dict("records")
    assert case["value"] == pytest.approx(value, rel=1e-9)
    assert case["se"] == pytest.approx(error, rel=1e-9)
    assert case["n"] == total
    # Three seats at a pot of 3, two at one of 9 (Peel's third player finds somebody in: the second
    # takes the miss), and one contrast.
    assert len(cases) == 6
    z = 2.638257  # the normal quantile of 1 - 0.05 / 12
    assert case["low"] == pytest.approx(value - z * error, rel=1e-4)
    assert case["high"] == pytest.approx(value + z * error, rel=1e-4)


def test_a_contrast_is_the_difference_of_both(tried):
    _, directory, _ = tried
    rows = pd.read_parquet(directory / "parts" / "values" / "announce.parquet")
    chosen = rows[(rows["hand"].str.count("s") == 2) & (rows["standers"] == 0)]

    def value(pot: int) -> float:
        of = chosen[chosen["pot"] == pot]
        return float(np.average(of["stand"], weights=of["n"]))

    cases = cases_of(directory, "A2")
    (case,) = cases[cases["what"] == "pot 9 less 3"].to_dict("records")
    assert case["value"] == pytest.approx(value(9) - value(3))


def test_figures_of_games_evenings_and_leagues(tried):
    _, directory, _ = tried
    cases = cases_of(directory, "A3")
    pot = pd.read_parquet(directory / "parts" / "games" / "pot.parquet")
    peel = pot[(pot["policies"] == "peel") & (pot["players"] == 6)]
    played = peel[peel["standers"] > 1]["n"].sum() / peel["n"].sum()
    (case,) = cases[(cases["what"] == "played") & cases["circumstances"].str.contains("6 pl")][
        "value"
    ]
    assert case == pytest.approx(played)
    everyone = cases[cases["what"] == "all are in where all stand"]
    assert sorted(everyone["value"]) == [5.0, 6.0]
    assert set(everyone["side"]) == {"for"}
    path = pd.read_parquet(directory / "parts" / "evenings" / "path.parquet")
    (median,) = cases[cases["what"] == "pots"]["value"]
    assert median == path[path["deal"] == 10]["pot_q50"].item()
    league = pd.read_parquet(directory / "parts" / "best" / "league.parquet")
    better = league[league["net_diff"] > 0]
    skill = cases[cases["what"] == "skill"]
    assert len(skill) == len(better) == 3
    # deals_apart is that of 1.96 errors, ahead with 95 % that of 1.645.
    expected = better["deals_apart"] * (1.6448536 / 1.9599640) ** 2
    assert sorted(skill["value"]) == pytest.approx(sorted(expected), rel=1e-6)


POOLED = {
    "miss": "miss_free",  # does well for all seats in the same deals
    "stand": "trumps == 2 and standers <= 2",
}
"""By figure, hands of several seats of a deal."""


def test_errors_of_several_seats_of_a_deal_are_never_too_small(tmp_path):
    from loo_sim.claims.figures import STUDIES, Game
    from loo_sim.policies.language import ANNOUNCE_NAMES, parse
    from loo_sim.report.result import read_result

    path = tmp_path / "x.toml"
    path.write_text('study = "announce"\nplayers = 6\npot = 6\ndeals = 10_000\n', encoding="utf-8")
    found: dict[str, list[tuple[float, float]]] = {figure: [] for figure in POOLED}
    seeds = 40
    for seed in range(seeds):
        run = loo_sim.run(path, output=tmp_path / "out", seed=seed, fresh=True)
        (cell,) = read_result(run.directory).cells
        game = Game(cell)
        for figure, when in POOLED.items():
            kind = STUDIES["announce"].figures[figure]
            ((_, pooled),) = kind.of(game, parse(when, ANNOUNCE_NAMES), ())
            found[figure].append((pooled.value, pooled.se))
    for values in found.values():
        value, se = np.array(values).T
        # Independent runs scatter by their true error, known to 11 % here. Of seats taken as
        # independent of each other that of the miss would be twice as large as what is told.
        assert value.std(ddof=1) / se.mean() < 1 + 3 / sqrt(2 * (seeds - 1))


def test_hands_that_deals_were_aimed_at_are_pooled_by_how_often_they_are_dealt(tmp_path):
    from loo_sim.claims.figures import STUDIES, Game
    from loo_sim.policies.language import ANNOUNCE_NAMES, parse
    from loo_sim.report.result import read_result

    text = 'study = "announce"\nplayers = 5\npot = 6\ndeals = 100_000\n'
    aim = "[aim]\nseat = 0\nstanders = 0\nmiss_free = true\n"
    found: dict[str, list] = {}
    for name, more in (("plain", ""), ("aimed", aim)):
        path = tmp_path / f"{name}.toml"
        path.write_text(text + more, encoding="utf-8")
        run = loo_sim.run(path, output=tmp_path / name)
        (cell,) = read_result(run.directory).cells
        game = Game(cell)
        for figure in ("stand", "stand_over_others", "stand_share"):
            kind = STUDIES["announce"].figures[figure]
            ((_, value),) = kind.of(game, parse("seat == 0", ANNOUNCE_NAMES), ())
            found.setdefault(figure, []).append(value)
    rows = pd.read_parquet(tmp_path / "aimed" / "announce.parquet")
    weight, mean, se = (rows[name].to_numpy(float) for name in ("weight", "stand", "stand_se"))
    # Every hand comes up in seat 0 as often as it is dealt, so that weights have no error.
    aimed = found["stand"][1]
    assert aimed.value == pytest.approx((weight * mean).sum(), rel=1e-9)
    assert aimed.se == pytest.approx(sqrt((weight**2 * se**2).sum()), rel=1e-9)
    # Pooled by deals it would be 0.4 stakes more: forty errors.
    for plain, aimed in (found["stand"], found["stand_over_others"]):
        assert abs(plain.value - aimed.value) < 4 * sqrt(plain.se**2 + aimed.se**2)
    plain, aimed = found["stand_share"]
    assert aimed.weights.sum() == pytest.approx(1)
    low, high = aimed.interval(3.0)
    assert low < plain.value < high


def test_the_interval_of_a_median_holds_it(tried):
    _, directory, _ = tried
    path = pd.read_parquet(directory / "parts" / "evenings" / "path.parquet")
    assert (path["pot_q50_low"] <= path["pot_q50"]).all()
    assert (path["pot_q50"] <= path["pot_q50_high"]).all()
    assert (path["pot_q50_high"] > path["pot_q50_low"])[1:].any()


def test_medians_are_in_their_intervals_as_often_as_is_said():
    from loo_sim.studies.estimates import quantiles
    from loo_sim.studies.session import median_interval

    rng = np.random.default_rng(3)
    held, times, n = 0, 2_000, 400
    for _ in range(times):
        values, counts = np.unique(np.sort(rng.exponential(size=n)), return_counts=True)
        low, high = quantiles(values, counts, tuple(median_interval(n).values()))
        held += low <= np.log(2) <= high
    assert held / times == pytest.approx(0.95, abs=0.015)


def test_what_is_told(tried):
    path, directory, told = tried
    assert "A1" in told
    assert "holds" in told
    again = loosim("run", path, "-o", directory, "--json", "--quiet")
    assert json.loads(again.stdout)["claims"][0]["verdict"] == "holds"
    assert json.loads(again.stdout)["command"] == f"loosim run {path} -o {directory}"


def test_a_second_run_counts_nothing_again_and_writes_the_same(tried):
    path, directory, _ = tried
    before = {item: item.read_bytes() for item in directory.rglob("*") if item.suffix == ".parquet"}
    kept = (directory / "parts" / "values" / "manifest.json").read_bytes()
    assert loosim("run", path, "-o", directory, "--quiet").exit_code == 0
    assert (directory / "parts" / "values" / "manifest.json").read_bytes() == kept
    assert all(item.read_bytes() == content for item, content in before.items())


def test_the_same_bytes_with_one_thread_and_inline(tried, tmp_path):
    path, directory, _ = tried
    for name, words in (("one", ("--jobs", "1")), ("inline", ("--engine", "inline"))):
        assert loosim("run", path, "-o", tmp_path / name, "--quiet", *words).exit_code == 0
        here = (tmp_path / name / "cases.parquet").read_bytes()
        assert here == (directory / "cases.parquet").read_bytes()


def test_a_part_is_an_ordinary_result(tried, tmp_path):
    _, directory, _ = tried
    part = directory / "parts" / "games"
    assert loosim("verify", part, "--chunks", 1, "--quiet").exit_code == 0
    assert loosim("report", part, "-o", tmp_path / "x.html").exit_code == 0


def test_words_of_the_command_line_reach_the_parts(tried, tmp_path):
    path, *_ = tried
    claims = load_claims(path, ["deals=1000", "parts.games.deals=2000", "tables=50", "seed=9"])
    amounts = {name: part.amount.most for name, part in claims.parts.items()}
    assert amounts == {"values": 1000, "games": 2000, "evenings": 50, "best": 1000}
    assert {part.seed for part in claims.parts.values()} == {9}


def test_a_dry_run_writes_nothing(tried, tmp_path):
    path, *_ = tried
    ended = loosim("run", path, "-o", tmp_path / "out", "--dry-run", "--quiet")
    assert ended.exit_code == 0
    assert "part values" in ended.stdout
    assert "in all about" in ended.stdout
    assert not (tmp_path / "out").exists()


def test_from_python(tried):
    path, directory, _ = tried
    found = loo_sim.try_claims(path, output=directory)
    assert [claim["id"] for claim in found.found["claims"]] == ["A1", "A2", "A3"]
    assert set(found.cases["side"]) <= {"for", "against", "open"}
    with pytest.raises(InputError, match="put to the test as a whole"):
        loo_sim.run(path)


ONE = """
study = "claims"
[parts.p]
study = "announce"
deals = 50
policies = "tight"
rules = { loo = 6 }
[[claims]]
id = "K"
says = "Stand."
source = "an aunt"
[[claims.tests]]
part = "p"
figure = "stand"
when = "trumps == 1 and over_best == 30"
above = 0
"""


def test_one_claim_that_nothing_comes_to(tmp_path):
    path, page = tmp_path / "one.toml", tmp_path / "page.html"
    path.write_text(ONE, encoding="utf-8")
    ended = loosim("run", path, "-o", tmp_path / "out")
    assert ended.exit_code == 0
    assert "K: nothing that came up is as its tests ask; look at when and where" in ended.stderr
    assert loosim("report", tmp_path / "out", "-o", page).exit_code == 0
    opening = dict(what_was_tested(tmp_path / "out", found_in(tmp_path / "out")))
    assert opening["measured by"] == "1 run of 1 game"
    assert opening["rules"] == "“standard” rules, loo 6"
    assert opening["opponents"] == "tight"


def test_the_report(tried, tmp_path):
    _, directory, _ = tried
    page = tmp_path / "page.html"
    ended = loosim("report", directory, "-o", page, "--json", "--figures", tmp_path / "figures")
    assert ended.exit_code == 0, ended.stderr
    text = page.read_text(encoding="utf-8")
    for claim in found_in(directory)["claims"]:
        assert claim["says"] in text
        assert f'id="claim-{claim["id"].lower()}"' in text
    assert "How much skill there is" in text
    assert "the old books" not in text  # a file of claims is anybody's
    assert json.loads(ended.stdout)["findings"][0].startswith("Of 3 claims")
    assert (tmp_path / "figures" / "claims-overview.png").exists()
    again = tmp_path / "again.html"
    loosim("report", directory, "-o", again)
    assert again.read_bytes() == page.read_bytes()


@pytest.mark.parametrize("name", ["claims.json", "cases.parquet"])
def test_what_was_altered_is_not_reported(tried, tmp_path, name):
    _, directory, _ = tried
    copy = tmp_path / "copy"
    shutil.copytree(directory, copy)
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content.replace(b"A1", b"A9", 1))
    ended = loosim("report", copy, "-o", tmp_path / "x.html")
    assert ended.exit_code == 2
    assert name in ended.stderr


@pytest.mark.parametrize("words", [("-s", "parts.games.deals=100"), ("--only-failed",)])
def test_what_is_refused_leaves_the_verdicts(tried, tmp_path, words):
    path, directory, _ = tried
    copied = tmp_path / "copy"
    shutil.copytree(directory, copied)
    assert loosim("run", path, "-o", copied, *words).exit_code == 2
    assert (copied / "claims.json").read_bytes() == (directory / "claims.json").read_bytes()
    assert loosim("report", copied, "-o", tmp_path / "x.html").exit_code == 0


def test_verdicts_are_of_the_parts_that_are_there(tried, tmp_path):
    path, directory, _ = tried
    copied = tmp_path / "copy"
    shutil.copytree(directory, copied)
    part = tmp_path / "part.toml"
    part.write_text('study = "deals"\ndeals = 100\n', encoding="utf-8")
    place = copied / "parts" / "games"
    assert loosim("run", part, "-o", place, "--fresh", "--quiet").exit_code == 0
    ended = loosim("report", copied, "-o", tmp_path / "x.html")
    assert ended.exit_code == 2
    assert "parts/games: is another result than the one that was judged" in ended.stderr
    shutil.rmtree(place)
    ended = loosim("report", copied, "-o", tmp_path / "x.html")
    assert ended.exit_code == 2
    assert "no such directory" in ended.stderr
    assert loosim("run", path, "-o", copied, "--quiet").exit_code == 0
    assert loosim("report", copied, "-o", tmp_path / "x.html").exit_code == 0


def test_a_page_overwrites_pages_alone(tried, tmp_path):
    _, directory, _ = tried
    for name in ("claims.json", "cases.parquet", "parts/games/manifest.json"):
        before = (directory / name).read_bytes()
        ended = loosim("report", directory, "-o", directory / name)
        assert ended.exit_code == 2
        assert "is there, and is no page" in ended.stderr
        assert (directory / name).read_bytes() == before
    page = tmp_path / "x.html"
    page.touch()  # as of a user who made sure of the name
    for _ in range(2):
        assert loosim("report", directory, "-o", page).exit_code == 0


def test_a_place_below_a_file_is_refused(tried, tmp_path):
    path, *_ = tried
    (tmp_path / "file").touch()
    ended = loosim("run", path, "-o", tmp_path / "file" / "out")
    assert ended.exit_code == 2
    assert "a file is where its folder should be" in ended.stderr


def test_other_places_are_left_alone(tried, tmp_path):
    path, directory, _ = tried
    ended = loosim("run", path, "-o", directory / "parts" / "games", "--quiet")
    assert ended.exit_code == 2
    assert "is the place of a run, not of claims" in ended.stderr
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    ended = loosim("run", path, "-o", tmp_path / "mine", "--quiet")
    assert ended.exit_code == 2
    assert "holds 'letter.txt'" in ended.stderr
    ended = loosim("compare", directory, directory / "parts" / "games")
    assert ended.exit_code == 2
    assert "the results of its parts are in" in ended.stderr


def test_everything_wrong_is_told_at_once(tmp_path):
    path = tmp_path / "wrong.toml"
    text = CLAIMS
    for right, wrong in (
        ("seed = 7", 'seed = -7\ncolour = "red"'),
        ("deals = 60_000", "deals = 0"),
        ('when = "over_best == 0"', 'when = "overbest == 0"'),
        ('figure = "contested"', 'figure = "contestd"'),
        ("above = 0.99", "above = 0.99\nbelow = 1"),
        ('by = ["seat"]', 'by = ["colour"]'),
        ("contrast = { pot = [3, 9] }", "contrast = { pot = [3, 4] }"),
        ('id = "A3"', 'id = "A1"'),
        ('part = "best"', 'part = "worst"'),
        ("where = { deal = [10] }", "where = { hour = [10] }"),
        ("exceptions = 0.1", "exceptions = 0.9"),
    ):
        assert right in text
        text = text.replace(right, wrong, 1)
    path.write_text(text, encoding="utf-8")
    ended = loosim("run", path)
    assert ended.exit_code == 2
    lines = ended.stderr.strip().splitlines()
    where = {line.split(": ")[1]: line for line in lines}
    assert set(where) == {
        *("seed", "colour", "parts.values.deals", "claims.2.exceptions", "claims.3.id"),
        *("claims.3.tests.1.figure", "claims.3.tests.1", "claims.3.tests.4.part"),
        *("claims.3.tests.3.where.hour",),
    }
    # What is asked of a part with problems cannot be looked at before these are mended.
    path.write_text(text.replace("deals = 0", "deals = 10"), encoding="utf-8")
    told = loosim("run", path).stderr
    assert "claims.1.tests.1.when: column 1: unknown name 'overbest'" in told
    assert "claims.2.tests.1.by: ['colour'] names what cannot tell cases apart" in told
    assert "claims.2.tests.2.contrast.pot: 4 is no value of it (one of: 3, 9)" in told
    path.write_text(path.read_text().replace('["colour"]', '"pot"'), encoding="utf-8")
    by = """claims.2.tests.1.by: 'pot' is no list (as in by = ["pot"])"""
    assert by in loosim("run", path).stderr
    assert all(re.match(rf"{re.escape(str(path))}:\d+: ", line) for line in lines)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('study = "claims"', "no run measures anything"),
        ('study = "claims"\n[[claims]]\nid = "a b"', "cannot name a claim"),
        ('study = "claims"\nparts = 3\nclaims = 4', "is no list of"),
        ('study = "claims"\n[parts]\nx = 1\n[[claims]]\nid = 1', "is not a table"),
        ('study = "claims"\n[parts.x]\nstudy = "claims"\n', "parts.x.study"),
        ('study = "claims"\n[parts.x]\nstudy = "deals"\nname = "y"\n', "that of the whole file"),
        (
            'study = "claims"\n[parts.x]\nstudy = "deals"\n[[claims]]\nid = "a"\nsays = "b"\n'
            'source = "c"\ntests = [3]',
            "is no test",
        ),
        (
            'study = "claims"\n[parts.x]\nstudy = "deals"\n[[claims]]\nid = "a"\nsays = "b"\n'
            'source = "c"\n'
            'tests = [{ part = "x", figure = "lone", when = "pot > 3", above = "z" }]',
            "knows no hands",
        ),
        (CLAIMS.replace("below = 100_000", f"below = 1{'0' * 400}"), "is no number from -1e+12"),
        (CLAIMS.replace("exceptions = 0.1", f"exceptions = 1{'0' * 400}"), "is no share from 0"),
        (CLAIMS.replace('source = "nobody"', 'source = "\\u001b[31m"'), "cannot be shown"),
        (CLAIMS.replace("Two trumps are", f"{'Two ' * 400}"), "is longer than 1,000 characters"),
        (CLAIMS.replace('what = "played"', 'what = "a\\u202eb"'), "cannot be shown"),
        (CLAIMS.replace('by = ["seat"]', 'by = "seat"'), "is no list (as in by"),
        (CLAIMS.replace("parts.best", "parts.Games"), "but for the case of letters"),
    ],
)
def test_hostile_files(tmp_path, text, what):
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    ended = loosim("run", path)
    assert ended.exit_code == 2
    assert what in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_part_that_cannot_be_called_so_is_told_once(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(CLAIMS.replace("parts.games", 'parts."a b"'), encoding="utf-8")
    told = loosim("run", path).stderr
    assert told.count("cannot name a result") == 1


@pytest.mark.parametrize(
    ("test", "what"),
    [
        ('where = { dealer = ["yes"] }', "'yes' is no value of it (one of: false, true)"),
        ("contrast = { dealer = [0, 1] }", "0 is no value of it (one of: false, true)"),
        ("where = { seat = [1.5] }", "1.5 is no value of it (a whole number)"),
        ("where = { seat = [true] }", "True is no value of it (a whole number)"),
        ("where = { pot = [3.0] }", "3.0 is no value of it (one of: 3, 9)"),
    ],
)
def test_values_that_a_circumstance_cannot_have(tmp_path, test, what):
    path = tmp_path / "x.toml"
    asked = f'by = ["seat", "dealer"]\n{test}'
    path.write_text(CLAIMS.replace('by = ["seat"]', asked), encoding="utf-8")
    with pytest.raises(InputError) as told:
        load_claims(path)
    assert what in str(told.value)


def test_policies_of_one_name_are_not_taken_for_one(tmp_path):
    for name, action in (("one", "fold"), ("two", "stand")):
        policy = f'name = "mine"\n[announce]\notherwise = "{action}"\n'
        (tmp_path / f"{name}.toml").write_text(policy, encoding="utf-8")
    path = tmp_path / "x.toml"
    axis = 'policies = ["peel", "one.toml", "two.toml"]'
    text = CLAIMS.replace('policies = ["peel", "always-stand"]', axis)
    path.write_text(text.replace('policies = ["always-stand"]', ""), encoding="utf-8")
    with pytest.raises(InputError, match=r"parts\.games\.sweep: two policies of the axis"):
        load_claims(path)


def test_players_that_a_league_does_not_have(tmp_path):
    path = tmp_path / "x.toml"
    asked = 'where = { policy = ["peel"] }\nbelow = 100_000'
    path.write_text(CLAIMS.replace("below = 100_000", asked), encoding="utf-8")
    with pytest.raises(InputError, match=r"'peel' is no value of it \(one of: always-stand"):
        load_claims(path)


@pytest.mark.parametrize("word", ["pot=3", "parts.nothing.deals=3", "deals", "parts.values=3"])
def test_words_without_a_place(tried, word):
    path, *_ = tried
    ended = loosim("run", path, "-s", word)
    assert ended.exit_code == 2
    assert f"-s {word}" in ended.stderr


STRANGE = (
    *(-1, 0, 1.5, float("inf"), float("nan"), True, "", "x", "a" * 200, 'é\n"', [], [1], [[1]]),
    *({}, {"a": 1}, 10**30, "trumps ==", {"pot": [3, 3]}, {"pot": []}, {"pot": [3, 9, 9]}),
)


def test_nothing_strange_at_any_key_raises_anything_else(tmp_path):
    path = tmp_path / "x.toml"
    whole = tomllib.loads(CLAIMS)
    accepted = 0
    chance = random.Random(5)
    for place in [
        ("study",),
        ("parts",),
        ("parts", "values"),
        *places(whole["claims"], ("claims",)),
    ]:
        for value in chance.sample(STRANGE, 4):
            changed = copy.deepcopy(whole)
            inner = changed
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
            path.write_text(document(changed), encoding="utf-8")
            try:
                load_claims(path)
                accepted += 1
            except InputError:
                pass
    assert accepted  # texts may be nearly anything


def places(data, before=()):
    """Every key of nested tables and lists."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*before, key)
        if isinstance(value, dict | list):
            yield from places(value, (*before, key))


FOLDS = 'name = "folds"\n[announce]\notherwise = "fold"\n'
NOTHING_PLAYED = """\
study = "claims"
[parts.games]
study = "deals"
deals = 2_000
policies = ["folds.toml"]
[parts.leads]
study = "lead"
deals = 2_000
rules = { preset = "peel" }
policies = ["folds.toml"]
[[claims]]
id = "N"
says = "Something is played."
source = "nobody"
[[claims.tests]]
part = "games"
figure = "tricks_each"
what = "tricks"
above = 0
[[claims.tests]]
part = "leads"
figure = "first"
what = "leads"
above = 0
"""


def test_where_nobody_plays_nothing_is_known(tmp_path):
    (tmp_path / "folds.toml").write_text(FOLDS, encoding="utf-8")
    path, directory = tmp_path / "x.toml", tmp_path / "out"
    path.write_text(NOTHING_PLAYED, encoding="utf-8")
    ended = loosim("run", path, "-o", directory, "--quiet")
    assert ended.exit_code == 0
    assert "N: nothing was measured of “leads”" in ended.stderr
    (claim,) = found_in(directory)["claims"]
    assert (claim["verdict"], claim["open"]) == ("too close to call", 1)
    assert [test["cases"] for test in claim["tests"]] == [1, 0]
    (case,) = cases_of(directory, "N").to_dict("records")
    assert np.isnan(case["value"])
    page = tmp_path / "page.html"
    assert loosim("report", directory, "-o", page).exit_code == 0
    assert "Nothing was measured of “leads”" in page.read_text(encoding="utf-8")


def test_only_the_parts_of_which_games_failed_are_run_again(tmp_path, monkeypatch):
    from loo_sim.studies import lead

    path, directory = tmp_path / "x.toml", tmp_path / "out"
    sound = NOTHING_PLAYED.replace('policies = ["folds.toml"]', "").replace(
        '[[claims]]\nid = "N"', '[parts.leads.sweep]\npot = [3, 9]\n[[claims]]\nid = "N"'
    )
    path.write_text(sound, encoding="utf-8")

    def run(*words: str):
        return loosim("run", path, "-o", directory, "--quiet", *words)

    def fail(cell, deals, counts, tables=lead.tables):
        if cell.axes["pot"] == 9:
            raise ValueError("no such luck")
        return tables(cell, deals, counts)

    with monkeypatch.context() as patched:
        patched.setattr(lead, "tables", fail)
        ended = run()
        assert ended.exit_code == 3
        assert "leads: pot = 9: ValueError: no such luck" in ended.stderr
        assert found_in(directory)["parts"]["leads"]["failed"] == 1
        page = tmp_path / "page.html"
        assert loosim("report", directory, "-o", page).exit_code == 0
        assert "1 game of leads failed" in page.read_text(encoding="utf-8")
    kept = (directory / "parts" / "games" / "manifest.json").read_bytes()
    dry = run("--only-failed", "--dry-run")
    assert dry.exit_code == 0
    assert "part leads" in dry.stdout
    assert "part games" not in dry.stdout
    assert run("--only-failed").exit_code == 0
    assert found_in(directory)["parts"]["leads"]["failed"] == 0
    assert (directory / "parts" / "games" / "manifest.json").read_bytes() == kept
    for words in (("--only-failed",), ("--only-failed", "--dry-run")):
        ended = run(*words)
        assert ended.exit_code == 2
        assert "has no cell that failed" in ended.stderr


def test_tricks_for_each_player_in():
    from loo_sim.claims.figures import _tricks_each

    pot = pd.DataFrame({"standers": [0, 1, 2, 5], "n": [7, 9, 3, 1]})
    each = [1.5, 1.5, 1.5, 0.6]
    expected = np.mean(each), np.std(each, ddof=1) / 2
    assert _tricks_each(pot) == pytest.approx(expected)
    assert np.isnan(_tricks_each(pot[:2])).all()
    assert np.isnan(_tricks_each(pot[3:])[1])


def test_of_a_single_deal_of_a_league_no_number_is_told(tmp_path):
    path, directory = tmp_path / "x.toml", tmp_path / "out"
    path.write_text(CLAIMS.replace("deals = 4_000", "deals = 1"), encoding="utf-8")
    words = ("-s", "parts.values.deals=100", "-s", "parts.games.deals=100", "-s", "tables=2")
    assert loosim("run", path, "-o", directory, "--quiet", *words).exit_code == 0
    assert loosim("report", directory, "-o", tmp_path / "x.html").exit_code == 0
    shown = re.findall(r">([^<]*)<", (tmp_path / "x.html").read_text(encoding="utf-8"))
    assert not [text for text in shown if re.search(r"\b(nan|inf)\b", text)]


def test_of_deals_that_came_out_alike_no_spread_is_known():
    from types import SimpleNamespace

    from loo_sim.claims.figures import STUDIES, Game

    alike = {"policy": "a", "rival": "b", "net_diff": 1.0, "net_diff_se": 0.0, "apart": 0.0, "n": 2}
    game = Game(SimpleNamespace(tables={"league": pd.DataFrame([alike])}))
    for name in ("edge_over_spread", "ahead", "ahead_after_one"):
        ((_, figure),) = STUDIES["league"].figures[name].of(game, None, ())
        assert np.isnan(figure.value)
        assert figure.interval(2.0) == (-np.inf, np.inf)


def test_differences_of_shares_are_in_points():
    from loo_sim.report.books import _cases_table

    numbers = {"value": 0.5, "low": 0.4, "high": 0.6, "threshold": 0.1, "is_above": True, "n": 50}
    row = {"figure": "lone", "circumstances": "", "side": "for", **numbers}
    tests = [{"what": "a", "contrast": {}}, {"what": "b", "contrast": {"pot": [3, 9]}}]
    cases = pd.DataFrame([{**row, "what": "a"}, {**row, "what": "b"}])
    share, difference = _cases_table({"id": "M", "tests": tests}, cases).rows
    assert share[1:4] == ("share of deals with a lone player", "50 (40 to 60) %", "above 10 %")
    assert difference[1:4] == (
        "share of deals with a lone player, difference",
        "50 (40 to 60) percentage points",
        "above 10 percentage points",
    )


def test_a_map_of_cases_names_its_squares_and_is_no_taller_than_a_sheet():
    from loo_sim.report.books import MOST_COLUMNS, MOST_ROWS, _cases_exhibit

    def exhibit(factors: list[dict]):
        claim = {"id": "M", "for": len(factors), "against": 0, "open": 0, "tests": []}
        shared = {"figure": "lone", "what": "", "circumstances": "", "is_above": True, "n": 50}
        numbers = {"value": 0.5, "low": 0.4, "high": 0.6, "threshold": 0.0, "side": "for"}
        rows = [{"factors": json.dumps(of), **shared, **numbers} for of in factors]
        return _cases_exhibit(claim, pd.DataFrame(rows))

    pots = [{"what": "a", "pot": pot} for pot in range(MOST_COLUMNS)]
    assert ">all<" in exhibit([*pots[1:], {"what": "b", "pot": ""}]).svg
    assert exhibit([*pots, {"what": "b", "pot": ""}]) is None
    tests = [{"what": f"{number}"} for number in range(MOST_ROWS)]
    assert exhibit(tests[: MOST_ROWS // 2]) is not None
    assert exhibit(tests) is None


def test_a_sweep_of_claims_is_refused(tried):
    path, *_ = tried
    ended = loosim("sweep", path, "--axis", "pot=3,6")
    assert ended.exit_code == 2
    assert "put to the test as a whole" in ended.stderr


def test_circumstances_that_go_together_are_one_contrast():
    def case(deck: int, policy: str, value: float) -> tuple[dict, Mean]:
        return {"deck": deck, "policies": policy, "pot": 3}, Mean(value, 0.1, 100)

    contrast = {"deck": (52, 32), "policies": ("a", "b")}
    ((rest, figure),) = contrasted([case(52, "a", 1.0), case(32, "b", 5.0)], contrast)
    assert rest == {"pot": 3}
    assert figure.value == pytest.approx(4.0)
    all_four = [
        *(case(52, "a", 1.0), case(32, "a", 2.0)),
        *(case(52, "b", 4.0), case(32, "b", 8.0)),
    ]
    ((_, figure),) = contrasted(all_four, contrast)
    assert figure.value == pytest.approx((8.0 - 4.0) - (2.0 - 1.0))
    assert contrasted(all_four[:3], contrast) == []


def test_the_old_books_are_all_put_to_the_test():
    claims = load_claims(OLD_BOOKS)
    assert [claim.id for claim in claims.claims] == [f"C{number}" for number in range(1, 23)]
    told = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    for claim in claims.claims:
        assert f"| {claim.id} | {claim.says} | {claim.source} | {claim.reads} |" in told
    for claim in claims.claims:
        assert claim.reads
        parts = [claims.parts[test.part] for test in claim.tests]
        tables = {
            (cell.rules.loo, policy.name)
            for part in parts
            for cell in part.cells
            for policy in cell.policies
        }
        # Two tables of opponents at least, and both sets of rules but for those of C15, C16, C22.
        assert len({name for _, name in tables}) >= 2, claim.id
        if claim.id not in ("C15", "C16", "C22"):
            assert {3, 6} <= {loo for loo, _ in tables}, claim.id
