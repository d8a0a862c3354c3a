"""Sobol indices of a sweep: its design against scipy's, indices against closed forms, and runs."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from math import pi
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from fake_study import fake_study
from scipy import stats

from loo_sim.cli import cli
from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError
from loo_sim.reproduce import recipe_of, write_recipe
from loo_sim.result import check_tables, read_own_manifest
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.runner.run import Run, run_experiment
from loo_sim.sobol import Range, make_design
from loo_sim.studies.moments import Moments, Running
from loo_sim.studies.paired import Pieces, difference
from loo_sim.studies.variance import NoiseSums, indices

# --- the design -----------------------------------------------------------------------------------


class Steps:
    """A distribution over 2, 4.5 and 7, each alike, as scipy asks for one."""

    def ppf(self, shares):
        return np.select([shares < 1 / 3, shares < 2 / 3], [2.0, 4.5], 7.0)


def evaluations(design) -> np.ndarray:
    """The points of all evaluations: shape (axes + 2, points, axes)."""
    values = np.array([list(axes.values()) for axes, _ in design.points], float)
    return values[design.places]


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_the_points_are_those_of_scipy(seed):
    seen = []

    def function(x):
        seen.append(x)
        return x.sum(axis=0)

    dists = [stats.randint(3, 13), stats.uniform(-1, 3), Steps()]
    stats.sobol_indices(func=function, n=32, dists=dists, rng=np.random.default_rng(seed))
    a, b, ab = seen
    ranges = {"pot": Range.of([3, 12]), "x": Range.of([-1.0, 2.0]), "y": Range.of([2, 7, 2.5])}
    found = evaluations(make_design(ranges, 32, seed))
    np.testing.assert_allclose(found[0], a.T)
    np.testing.assert_allclose(found[1], b.T)
    # scipy evaluates the pages of A with a row of B point by point.
    pages = np.moveaxis(ab.reshape(3, 32, 3), 2, 0)
    np.testing.assert_allclose(found[2:], np.moveaxis(pages, 1, 2))


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ([5, 8], [5, 6, 7, 8]),
        ([2, 9, 2], [2, 4, 6, 8]),
        ([0, 0.75, 0.25], [0, 0.25, 0.5, 0.75]),
        ([0.1, 0.4, 0.1], [0.1, 0.2, 0.3, 0.4]),
    ],
)
def test_each_value_of_a_range_is_as_likely(given, values):
    # Of a Sobol sequence any quarter of a column has just a quarter of 2^k points.
    design = make_design({"x": Range.of(given), "y": Range.of([0.0, 1.0])}, 64, 3)
    points = [design.points[place][0]["x"] for place in design.places[0]]
    assert Counter(map(repr, points)) == Counter({repr(value): 16 for value in values})


def test_an_interval_has_all_numbers_between_its_ends():
    design = make_design({"x": Range.of([0.0, 1.0]), "y": Range.of([10, 12.5])}, 64, 3)
    x, y = evaluations(design)[0].T
    assert len(design.points) == 64 * 4
    assert sorted(np.floor(64 * x)) == list(range(64))
    assert sorted(np.floor(64 * (y - 10) / 2.5)) == list(range(64))


def test_a_point_that_comes_up_again_is_the_same_cell():
    design = make_design({"players": Range.of([5, 8]), "pot": Range.of([3, 6])}, 64, 3)
    values = [tuple(axes.values()) for axes, _ in design.points]
    assert sorted(values) == list(product(range(5, 9), range(3, 7)))
    assert design.places.shape == (4, 64)
    of = np.array(values)[design.places]
    assert (of[2] == np.stack([of[1][:, 0], of[0][:, 1]], axis=1)).all()
    assert (of[3] == np.stack([of[0][:, 0], of[1][:, 1]], axis=1)).all()


# --- experiment files and the command line --------------------------------------------------------

POLICY = """name = "mine"
[params]
bluff = 0.5
least = 2
[announce]
rules = [
  { when = "trumps >= least", do = "stand" },
  { when = "miss_free", do = "miss", chance = "bluff" },
]
"""

FILE = """study = "deals"
deals = 100
seed = 4
policies = "mine.toml"
[sweep.sobol]
points = 64
pot = [6, 9]
"policies.mine.params.bluff" = [0.0, 1.0]
[sweep.sobol.rules]
loo = [2, 6, 2]
"""


@pytest.fixture
def plain(tmp_path, monkeypatch) -> Path:
    """An experiment with a design over a policy of its own, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(POLICY)
    path = tmp_path / "x.toml"
    path.write_text(FILE)
    return path


def complaints(path: Path, *axes: str, words: tuple[str, ...] = ()) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_experiment(path, words, axes)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


def test_the_cells_are_the_points_of_the_design(plain):
    found = load_experiment(plain)
    bluff = "policies.mine.params.bluff"
    ranges = {
        "pot": Range.of([6, 9]),
        bluff: Range.of([0.0, 1.0]),
        "rules.loo": Range.of([2, 6, 2]),
    }
    design = make_design(ranges, 64, seed=4)
    assert (found.design.places == design.places).all()
    assert [dict(cell.axes) for cell in found.cells] == [axes for axes, _ in design.points]
    for cell in found.cells[:5]:
        assert cell.pot == cell.axes["pot"] * UNITS_PER_STAKE
        assert cell.rules.loo == cell.axes["rules.loo"]
        assert cell.policies[0].params["bluff"] == cell.axes[bluff]


def test_the_command_line_means_the_same(plain):
    by_file = load_experiment(plain)
    other = plain.with_name("y.toml")
    other.write_text(FILE.partition("[sweep.sobol]")[0])
    axes = ("pot=6:9", "policies.mine.params.bluff=0.0:1.0", "rules.loo=2:6:2")
    found = load_experiment(other, ["sweep.sobol.points=64"], axes)
    assert found.cells == by_file.cells
    # Ranges of the file keep their place, and another seed has other points.
    swept = load_experiment(plain, ["seed=5"], ["pot=7:8"])
    assert {cell.axes["pot"] for cell in swept.cells} == {7, 8}
    assert {cell.axes["rules.loo"] for cell in swept.cells} == {2, 4, 6}
    mine = "policies.mine.params.bluff"
    assert [c.axes[mine] for c in swept.cells][:3] != [c.axes[mine] for c in found.cells][:3]


def test_a_design_of_the_command_line_takes_the_place_of_the_axes_of_the_file(plain):
    text = FILE.partition("[sweep.sobol]")[0]
    plain.write_text(text + "[sweep]\nplayers = [5, 6]\n[sweep.zip]\npot = [6, 9]\n")
    axes = ("pot=6:9", "rules.loo=2:6")
    found = load_experiment(plain, ["sweep.sobol.points=64"], axes)
    assert found.settings["sweep"] == {"sobol": {"points": 64, "pot": [6, 9], "rules.loo": [2, 6]}}
    words = ("sweep.sobol.points=64", "sweep.rules.ante=[0, 1]")
    assert "stands beside other axes" in complaints(plain, *axes, words=words)[0]


def test_everything_wrong_is_told_at_once(plain):
    plain.write_text(
        'study = "deals"\npolicies = "mine.toml"\n[sweep.sobol]\npoints = 48\npot = [9, 6]\n'
        'players = 6\n"rules.club_law" = [0, 1]\npolicies = ["peel", "tight"]\nplayer = [5, 6]\n'
        '"rules.loo" = [2, 6, 0]\n"rules.ante" = [0, 1, 2]\nbankroll = [1, inf]\n'
    )
    at = "sweep.sobol"
    example = "(as in pot = [3, 12], or [3, 12, 3] for every third)"
    never = (
        "is no number, and can never be an axis of a design "
        "(a sweep without a design can have it as an axis)"
    )
    assert complaints(plain) == [
        f"4: {at}.points: 48 is no such power of two (a power of two from 64 to 4,096)",
        f"5: {at}.pot: 6 is not above 9 (the lowest value stands first)",
        f"6: {at}.players: 6 is not a lowest and a highest value {example}",
        f"7: {at}.rules.club_law: {never}",
        f"8: {at}.policies: {never}",
        f"9: {at}.player: no such axis (did you mean 'players'?)",
        f"10: {at}.rules.loo: the step 0 is not above 0 {example}",
        f"11: {at}.rules.ante: the step 2 leads beyond 1 {example}",
        f"12: {at}.bankroll: inf is no number that it can have {example}",
    ]


def test_ranges_of_policies_are_held_to_their_numbers(plain):
    told = complaints(
        plain,
        "policies.mine.params.bluff=0:1",
        "policies.mine.params.least=1:x",
        "policies.mine.params.bluf=1:2:1",
        "pot=3,6,9",
    )
    assert told == [
        "--axis policies.mine.params.least=1:x: 1:x is no range of a design "
        "(policies.mine.params.least=3:12 from the lowest to the highest value, "
        "policies.mine.params.least=3:12:3 with a step)",
        "--axis pot=3,6,9: 3,6,9 is no range of a design (pot=3:12 from the lowest to the highest "
        "value, pot=3:12:3 with a step)",
        "--axis policies.mine.params.bluff=0:1: sweep.sobol.policies.mine.params.bluff: has no "
        "whole number between 0 and 1 ([0.0, 1.0] for the numbers between, [0, 1, 1] for these "
        "two alone)",
        "--axis policies.mine.params.bluf=1:2:1: sweep.sobol.policies.mine.params.bluf: the policy "
        "mine has no such number (did you mean 'params.bluff'?)",
    ]
    (told,) = complaints(plain, words=("sweep.sobol.policies.mine.params.bluff=[0.5, 1.5]",))
    assert told.endswith("params.bluff: 1.5 is no chance (a number from 0 to 1)")


def test_a_design_stands_alone_has_axes_and_not_too_many_cells(plain):
    assert complaints(plain, words=("sweep.players=[5, 6]",)) == [
        "5: sweep.sobol: stands beside other axes (the ranges of a design stand alone)"
    ]
    axes = ("pot=6:1_000_000", "policies.mine.params.least=1.0:3.0")
    plain.write_text(FILE.partition("[sweep.sobol.rules]")[0])
    (told,) = complaints(plain, *axes, words=("sweep.sobol.points=2048",))
    assert told == "5: sweep.sobol: has 10,240 cells: 2048 points of 3 axes (at most 10,000)"
    plain.write_text('study = "deals"\n[sweep.sobol]\npoints = 64\npot = [3, 6]\n')
    assert complaints(plain) == ["2: sweep.sobol: has one axis (2 to 50: it tells axes apart)"]
    assert complaints(plain, words=("sweep.sobol=5",)) == [
        "-s sweep.sobol=5: sweep.sobol: is not a table of points and axes (write [sweep.sobol] and "
        "below it points = 64)"
    ]


def test_pots_that_are_too_small_are_told_cell_by_cell_and_fractions_once(plain):
    told = complaints(plain, "pot=2:9")
    assert "a pot of 2 stakes cannot be" in told[0]
    told = complaints(plain, "pot=6:9:0.001")
    assert told == [
        "--axis pot=6:9:0.001: sweep.sobol.pot: pot cannot have all values from 6 to 9 in steps of "
        "0.001 (write pot=6:9 for whole stakes, in a file [6, 9])"
    ]
    cells = load_experiment(plain, (), ["pot=6.0:9.0:1"]).cells
    assert {cell.axes["pot"] for cell in cells} == {6, 7, 8, 9}


@pytest.mark.parametrize(
    ("axis", "of"),
    [("pot=6.0:9.5", "stakes"), ("players=6.0:9.5", "numbers"), ("rules.loo=6.0:9.5", "numbers")],
)
def test_ranges_of_all_numbers_between_are_for_policies_alone(axis, of, plain):
    name = axis.partition("=")[0]
    assert complaints(plain, axis) == [
        f"--axis {axis}: sweep.sobol.{name}: {name} cannot have all values from 6.0 to 9.5 "
        f"(write {name}=6:9 for whole {of}, in a file [6, 9])"
    ]


@pytest.mark.parametrize(
    "axis",
    [
        "policies=peel,tight",
        "policies=3:12",
        "rules={}:{loo=6}",
        "rules.preset=standard,peel",
        "rules.club_law=false,true",
        "rules.end=leave,split",
    ],
)
def test_what_is_no_number_is_never_told_to_be_a_range(axis, plain):
    name = axis.partition("=")[0]
    words = ("sweep.sobol.points=64",)
    plain.write_text('study = "deals"\n')
    assert complaints(plain, axis, "players=5:8", words=words) == [
        f"--axis {axis}: sweep.sobol.{name}: is no number, and can never be an axis of a design "
        "(a sweep without a design can have it as an axis)"
    ]


def test_an_axis_that_is_no_range_is_an_axis_nevertheless(plain):
    plain.write_text('study = "deals"\n')
    words = ("sweep.sobol.points=64",)
    (told,) = complaints(plain, "pot=3,12", "players=5:8", words=words)
    assert told.startswith("--axis pot=3,12: 3,12 is no range of a design (pot=3:12 ")
    (told,) = complaints(plain, "pots=3,12", "players=5:8", words=words)
    assert told == "--axis pots=3,12: sweep.sobol.pots: no such axis (did you mean 'pot'?)"


def test_a_number_of_points_that_cannot_be_is_blamed_on_its_option(plain):
    plain.write_text('study = "deals"\n')
    axes = ["--axis", "pot=6:9", "--axis", "players=5:5"]
    found = CliRunner().invoke(cli, ["sweep", "x.toml", "--sobol", "63", *axes])
    assert found.exit_code == 2
    assert found.stderr.splitlines() == [
        "--sobol 63: 63 is no such power of two (a power of two from 64 to 4,096)",
        "--axis players=5:5: sweep.sobol.players: 5 is not above 5 (the lowest value stands first)",
    ]


def test_a_design_of_one_situation_is_refused_for_it_would_have_no_indices(plain):
    aim = "aim={seat=0,standers=0,miss_free=true}"
    what = (
        "aim: a study of one situation follows no figure, and a design has no indices without one "
        "(leave aim out)"
    )
    assert complaints(plain, words=("study=announce", aim)) == [f"-s {aim}: {what}"]
    plain.write_text(FILE.replace('"deals"', '"announce"').replace("[sweep", f"{aim}\n[sweep", 1))
    assert complaints(plain) == [f"5: {what}"]
    # A sweep of it tells what it tells cell by cell.
    plain.write_text(plain.read_text().partition("[sweep")[0] + "[sweep]\npot = [6, 9]\n")
    assert len(load_experiment(plain).cells) == 2


# --- indices --------------------------------------------------------------------------------------


def ishigami(x):
    return np.sin(x[0]) + 7 * np.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * np.sin(x[0])


def shares_of_ishigami() -> tuple[list[float], list[float]]:
    """In closed form (Ishigami and Homma 1990): first and total order."""
    a, b = 7, 0.1
    one, two = (1 + b * pi**4 / 5) ** 2 / 2, a**2 / 8
    both = b**2 * pi**8 * (1 / 18 - 1 / 50)
    whole = one + two + both
    return [one / whole, two / whole, 0], [(one + both) / whole, two / whole, both / whole]


def test_the_indices_of_a_function_whose_indices_are_known():
    design = make_design(dict.fromkeys("xyz", Range.of([-pi, pi])), 1024, 7)
    values = ishigami(np.moveaxis(evaluations(design), 2, 0))
    found = indices(values)
    of_scipy = stats.sobol_indices(
        func=ishigami,
        n=1024,
        dists=[stats.uniform(-pi, 2 * pi)] * 3,
        rng=np.random.default_rng(7),
    )
    np.testing.assert_allclose(found.first.value, of_scipy.first_order)
    np.testing.assert_allclose(found.total.value, of_scipy.total_order)
    first, total = shares_of_ishigami()
    for share, exact in ((found.first, first), (found.total, total)):
        np.testing.assert_allclose(share.value, exact, atol=0.05)
        assert (share.low < exact).all()
        assert (exact < share.high).all()
    assert found.together.value == pytest.approx(1 - sum(found.first.value))
    assert found.together.low < 1 - sum(first) < found.together.high
    assert np.isnan(found.behind.value[0])
    np.testing.assert_allclose(found.behind.value[1:], found.total.value[0] - found.total.value[1:])
    assert found.behind.low[1] < total[0] - total[1] < found.behind.high[1]


def by_hand(f) -> np.ndarray:
    """Saltelli's estimators written out: first and total order, shape (2, axes)."""
    f = f - f[:2].mean()
    variance = (f[:2] ** 2).mean() - f[:2].mean() ** 2
    first = [(f[1] * (page - f[0])).mean() / variance for page in f[2:]]
    total = [((f[0] - page) ** 2).mean() / 2 / variance for page in f[2:]]
    return np.array([first, total])


def test_intervals_are_those_of_resampled_points():
    design = make_design(dict.fromkeys("xyz", Range.of([-pi, pi])), 64, 7)
    f = ishigami(np.moveaxis(evaluations(design), 2, 0))
    found = indices(f)
    drawn = np.random.default_rng(99).integers(0, 64, (4000, 64))
    resampled = np.array([by_hand(f[:, rows]) for rows in drawn])
    low, high = np.quantile(resampled, (0.025, 0.975), axis=0)
    for order, share in enumerate((found.first, found.total)):
        np.testing.assert_allclose(share.low, low[order], atol=0.04)
        np.testing.assert_allclose(share.high, high[order], atol=0.06)
    apart = resampled[:, 1, 0, None] - resampled[:, 1, 1:]
    # Two axes are held against the leader: each interval leaves out 2.5 %.
    np.testing.assert_allclose(found.behind.low[1:], np.quantile(apart, 0.0125, axis=0), atol=0.06)


def test_an_axis_without_effect_has_indices_of_0_and_no_interval():
    f = np.random.default_rng(1).normal(size=(4, 32))
    f[3] = f[0]
    found = indices(f)
    assert (found.first.value[1], found.total.value[1]) == (0, 0)
    assert np.isnan([found.first.low[1], found.total.low[1], found.total.high[1]]).all()


# --- how much is noise ----------------------------------------------------------------------------


def games(rng, common: float, own: float, lengths) -> list[Pieces]:
    """Games of the same mean whose chunks have luck in common and of their own."""
    luck = rng.normal(0, common, max(lengths))
    return [
        Pieces(np.arange(k), np.full(k, 100.0), luck[:k] + rng.normal(0, own, k)) for k in lengths
    ]


def test_noise_is_half_the_squared_error_of_a_difference_over_all_pairs():
    played = games(np.random.default_rng(5), 2.0, 0.5, [20] * 7)
    times = [1, 3, 0, 2, 1, 1, 4]
    noise = NoiseSums()
    for pieces, n in zip(played, times, strict=True):
        noise.add(pieces, n)
    pairs = [
        m * n * difference(one, other).se ** 2 / 2
        for one, m in zip(played, times, strict=True)
        for other, n in zip(played, times, strict=True)
        if m * n
    ]
    assert noise.variance == pytest.approx(sum(pairs) / sum(times) ** 2)


@pytest.mark.parametrize("lengths", [[32] * 400, [16, 32] * 200], ids=["alike", "until"])
def test_noise_is_the_variance_of_games_that_differ_by_luck_alone(lengths):
    """The expected variance of N figures without a difference is all noise, (N - 1) / N of it."""
    rng = np.random.default_rng(8)
    found, truth = [], []
    for _ in range(20):
        played = games(rng, 1.0 if len(set(lengths)) == 1 else 0.0, 0.3, lengths)
        noise = NoiseSums()
        for pieces in played:
            noise.add(pieces, 1)
        found.append(noise.variance)
        truth.append(np.var([pieces.mean.mean() for pieces in played]))
    assert np.mean(found) == pytest.approx(np.mean(truth), rel=0.05)


def test_of_few_chunks_no_noise_is_told():
    noise = NoiseSums()
    for pieces in games(np.random.default_rng(5), 0.0, 1.0, [12, 9]):
        noise.add(pieces, 1)
    assert np.isnan(noise.variance)


# --- runs -----------------------------------------------------------------------------------------

DEALS, CHUNK, SEED = 100, 10, 6
RANGES = {"pot": (3, 6), "players": (5, 8), "rules.loo": (2, 5)}
WEIGHTS = {"pot": 3, "players": 5, "rules.loo": 1}
FEW = {"pot": (3, 4), "players": (5, 8), "rules.loo": (2, 3)}
PLAIN = f'study = "deals"\ndeals = {DEALS}\nseed = {SEED}\n'


def with_design(points: int, ranges) -> str:
    """An experiment file with a design."""
    axes = (f'"{axis}" = {list(ends)}\n' for axis, ends in ranges.items())
    return f"{PLAIN}[sweep.sobol]\npoints = {points}\n{''.join(axes)}"


DESIGNED, SMALL = with_design(128, RANGES), with_design(64, FEW)


def luck(number: int) -> int:
    """What the cards of a deal bring, whatever the game."""
    return (number * number) % 11


def own_luck(value: int, number: int) -> int:
    """What they bring in one game alone."""
    return 8 * ((value * value * (number + 1) + number * number // CHUNK * value) % 7 - 3)


@pytest.fixture
def study():
    """A study whose figure is a sum of what each setting adds, and of luck."""
    with fake_study() as study:

        def encode(cell):
            of = {"pot": cell.pot // UNITS_PER_STAKE, "players": cell.players}
            of["rules.loo"] = cell.rules.loo
            return sum(WEIGHTS[axis] * value for axis, value in of.items())

        def add_counts(game, seed, first, count, counts):
            study.before_chunk(game, first)
            for number in range(first, first + count):
                value = 20 * game + luck(number) + own_luck(game, number)
                counts[0][:] += (1, value, value * value)

        study.encode, study.add_counts = encode, add_counts
        study.empty_counts = lambda cell: (np.zeros(3, np.int64),)
        study.running = lambda cell, work, counts: (
            Running("value", Moments.single(*counts[0].tolist()), 20),
        )
        study.tables = lambda cell, deals, counts: {}
        study.headline = lambda tables: []
        yield study


def run(folder: Path, text: str = DESIGNED, **options) -> Run:
    folder.mkdir(exist_ok=True)
    (folder / "x.toml").write_text(text, encoding="utf-8")
    return run_experiment(load_experiment(folder / "x.toml"), folder / "out", **options)


def means_by_hand(values) -> np.ndarray:
    """The figure at each evaluation, out of the axes' values, shape (axes + 2, points, axes)."""
    sums = (values @ np.array(list(WEIGHTS.values()))).astype(int)
    of = {
        v: np.mean([20 * v + luck(i) + own_luck(v, i) for i in range(DEALS)]) / 20
        for v in np.unique(sums).tolist()
    }
    return np.vectorize(of.get)(sums)


def test_a_run_has_the_indices_of_its_figure(study, tmp_path):
    ended = run(tmp_path, jobs=1)
    table = pd.read_parquet(tmp_path / "out" / "sobol.parquet")
    assert list(table.columns) == [
        *("figure", "axis", "n", "first", "first_low", "first_high"),
        *("total", "total_low", "total_high", "together", "together_low", "together_high"),
        *("behind", "behind_low", "behind_high", "noise"),
    ]
    assert table["axis"].tolist() == list(RANGES)
    assert set(table["figure"]) == {"value"}
    assert set(table["n"]) == {128}
    # Every combination is a cell, evaluated once.
    assert len(ended.manifest["cells"]) == 4**3
    assert len(pd.read_parquet(tmp_path / "out" / "chunks.parquet")) == 4**3 * DEALS // CHUNK

    dists = [stats.randint(low, high + 1) for low, high in RANGES.values()]
    of_scipy = stats.sobol_indices(
        func=lambda x: means_by_hand(x.T), n=128, dists=dists, rng=np.random.default_rng(SEED)
    )
    np.testing.assert_allclose(table["first"], of_scipy.first_order)
    np.testing.assert_allclose(table["total"], of_scipy.total_order)

    # In closed form: m whole numbers have the variance (m^2 - 1) / 12.
    parts = np.array(
        [
            WEIGHTS[axis] ** 2 * ((high - low + 1) ** 2 - 1) / 12
            for axis, (low, high) in RANGES.items()
        ]
    )
    shares = parts / parts.sum()
    np.testing.assert_allclose(table["total"], shares, atol=0.05)
    assert (table["total_low"] < shares).all()
    assert (shares < table["total_high"]).all()
    assert (table["first_low"] < shares).all()
    assert (shares < table["first_high"]).all()


def test_its_noise_is_what_chunks_say_without_the_luck_that_games_have_in_common(study, tmp_path):
    run(tmp_path)
    noise = pd.read_parquet(tmp_path / "out" / "sobol.parquet")["noise"][0]
    dists = {axis: Range.of(list(ends)) for axis, ends in RANGES.items()}
    points = evaluations(make_design(dists, 128, SEED))[:2].reshape(256, 3)
    sums = (points @ np.array(list(WEIGHTS.values()))).astype(int)
    pieces = np.array(
        [
            np.reshape([20 * v + own_luck(v, i) for i in range(DEALS)], (-1, CHUNK)).mean(axis=1)
            for v in sums.tolist()
        ]
    )
    # The luck in common is left out here from the start; chunks are of one length.
    errors = np.var(pieces - pieces.mean(axis=0), axis=1, ddof=1) / pieces.shape[1]
    assert noise == pytest.approx(errors.mean() / np.var(pieces.mean(axis=1)), rel=1e-6)
    assert noise > 1e-5


def test_a_run_is_the_same_to_the_byte_whatever_befell_it(study, tmp_path):
    whole = run(tmp_path / "whole", SMALL, jobs=1).manifest
    assert run(tmp_path / "two", SMALL, jobs=2).manifest["tables"] == whole["tables"]
    assert set(whole["tables"]) == {"chunks", "difference", "running", "sobol"}

    def stop(game, first):
        if len(seen) == 50:
            raise KeyboardInterrupt
        seen.append(game)

    seen: list[int] = []
    study.before_chunk = stop
    stopped = run(tmp_path / "stopped", SMALL, jobs=1)
    assert (stopped.headline, "sobol" in stopped.manifest) == ([], False)
    study.before_chunk = lambda game, first: None
    gone_on = run(tmp_path / "stopped", SMALL, jobs=1).manifest
    assert (gone_on["tables"], gone_on["sobol"]) == (whole["tables"], whole["sobol"])


def test_where_cells_failed_no_indices_are_made_until_they_are_run_again(study, tmp_path):
    whole = run(tmp_path / "whole", SMALL).manifest
    cells = load_experiment(tmp_path / "whole" / "x.toml").cells
    of_last = study.encode(cells[-1])
    alike = sum(study.encode(cell) == of_last for cell in cells)

    def fail(game, first):
        if game == of_last:
            raise ArithmeticError("no such trick")

    study.before_chunk = fail
    ended = run(tmp_path / "failed", SMALL)
    assert ended.manifest["status"] == "failed"
    assert ended.manifest["sobol"]["why"] == f"no figure is known in {alike} of {len(cells)} games"
    assert (ended.manifest["sobol"]["indices"], ended.headline) == ([], [])
    assert not (tmp_path / "failed" / "out" / "sobol.parquet").exists()
    study.before_chunk = lambda game, first: None
    again = run(tmp_path / "failed", SMALL).manifest
    assert (again["tables"], again["sobol"]) == (whole["tables"], whole["sobol"])


def test_a_figure_that_never_changes_has_no_indices(study, tmp_path):
    study.encode = lambda cell: 1
    ended = run(tmp_path, SMALL)
    assert ended.manifest["sobol"]["why"] == "the figure is the same in all games"
    assert "sobol" not in ended.manifest["tables"]


def test_a_study_that_follows_nothing_has_no_indices(study, tmp_path):
    study.running = lambda cell, work, counts: ()
    assert run(tmp_path, SMALL).manifest["sobol"]["why"] == "no game has a figure that is followed"


def test_the_end_of_a_run_tells_the_indices_and_no_cells(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.toml").write_text(PLAIN, encoding="utf-8")
    axes = [f"--axis={axis}={low}:{high}" for axis, (low, high) in FEW.items()]
    words = ["sweep", "x.toml", "--sobol", "64", *axes, "-o", "out"]
    found = CliRunner().invoke(cli, [*words, "--quiet"])
    assert found.exit_code == 0
    table = pd.read_parquet("out/sobol.parquet").sort_values("total", ascending=False)
    assert table["axis"].tolist() == ["players", "pot", "rules.loo"]
    lines = [line.split() for line in found.stdout.splitlines() if line.strip()]
    assert [line[:3] for line in lines[2:5]] == [
        ["players", "5", "8"],
        ["pot", "3", "4"],
        ["loo", "2", "3"],
    ]
    assert len(lines) < 10
    told = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    assert told["sobol"]["indices"][0]["total"] == table.loc[0, "total"]
    assert told["experiment"]["sweep"]["sobol"]["players"] == [5, 8]
    assert told["command"].startswith("loosim sweep x.toml -s sweep.sobol.points=64 --axis pot=3:")
    by_file = run(tmp_path / "file", SMALL).manifest
    assert by_file["tables"] == told["tables"]
    study.encode = lambda cell: 1
    found = CliRunner().invoke(cli, [*words, "--quiet", "--fresh"])
    told = "No Sobol indices of value: the figure is the same in all games.\n"
    assert (found.exit_code, found.stdout) == (0, told)


def test_a_result_is_repeated_out_of_its_manifest(study, plain):
    plain.write_text(FILE.replace("[0.0, 1.0]", "[0.0, 1.0, 0.5]"))
    experiment = load_experiment(plain)
    study.encode = lambda cell: cell.rules.loo + cell.pot // UNITS_PER_STAKE
    run_experiment(experiment, Path("out").resolve(), 1)
    recipe = recipe_of(Path("out"))
    assert recipe.differences == []
    write_recipe(recipe, Path("again"))
    found = load_experiment(Path("again") / recipe.place)
    assert [dict(cell.axes) for cell in found.cells] == [dict(c.axes) for c in experiment.cells]
    assert (found.design.places == experiment.design.places).all()
    assert [c.policies[0].digest for c in found.cells] == [
        c.policies[0].digest for c in experiment.cells
    ]


def test_its_table_is_checked_as_the_others_are(study, tmp_path):
    run(tmp_path, SMALL)
    out = tmp_path / "out"
    check_tables(out, read_own_manifest(out))
    (out / "sobol.parquet").write_bytes(b"")
    with pytest.raises(InputError, match=r"sobol.parquet: is not as it was written"):
        check_tables(out, read_own_manifest(out))


def test_a_game_has_the_indices_of_what_its_cells_tell(tmp_path):
    text = 'study = "deals"\ndeals = 20_000\nseed = 9\n[sweep.sobol]\npoints = 64\n'
    ended = run(tmp_path, text + 'pot = [3, 4]\n"rules.loo" = [2, 3]\n')
    (title,) = [title for title in ended.manifest["cells"][0]["headline"][0] if "mean" in title]
    told = {
        tuple(cell["axes"].values()): cell["headline"][0][title]["value"]
        for cell in ended.manifest["cells"]
    }
    of_scipy = stats.sobol_indices(
        func=lambda x: np.array([told[point] for point in map(tuple, x.T.astype(int).tolist())]),
        n=64,
        dists=[stats.randint(3, 5), stats.randint(2, 4)],
        rng=np.random.default_rng(9),
    )
    table = pd.read_parquet(tmp_path / "out" / "sobol.parquet")
    assert set(table["figure"]) == {"pot_swing"}
    np.testing.assert_allclose(table["first"], of_scipy.first_order, atol=1e-9)
    np.testing.assert_allclose(table["total"], of_scipy.total_order, atol=1e-9)
