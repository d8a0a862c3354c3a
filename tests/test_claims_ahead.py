"""How often the better of two is ahead: normal theory against purses and results counted."""

from __future__ import annotations

from itertools import permutations
from math import ceil, gcd, sqrt

import numpy as np
import pytest
from commands import loosim
from scipy.stats import norm

from loo_sim.claims.measured import NORMAL_ERROR, Ahead, AheadAfterOne
from loo_sim.experiment import load_experiment
from loo_sim.kernels.sessions import final_purses
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.studies import league
from loo_sim.studies.estimates import nets_of_results

LEAGUE = """\
study = "league"
players = 6
policies = ["random", "trumps", "peel", "equilibrium"]
{more}
"""
TABLES, DEALS = 4_000, 100_000


def cell_of(tmp_path, more: str):
    path = tmp_path / "league.toml"
    path.write_text(LEAGUE.format(more=more), encoding="utf-8")
    (cell,) = load_experiment(path).cells
    return cell


def purses_of(cell) -> list[np.ndarray]:
    """What each person of a policy ended an evening with, in stakes, at all tables in all turns."""
    session = league.encode(cell)
    turns = [final_purses(session, turn, 77, 0, TABLES) for turn in range(len(cell.policies))]
    return [
        np.sort(np.concatenate([turn.units[turn.played_by == policy] for turn in turns]))
        / UNITS_PER_STAKE
        for policy in range(len(cell.policies))
    ]


def evenings(purses):
    """Of each better and worse: how often he was ahead, what normal theory says, its interval."""
    for one, other in permutations(purses, 2):
        diff = one.mean() - other.mean()
        if diff > 0:
            ties = [np.searchsorted(other, one, side).mean() for side in ("left", "right")]
            after = AheadAfterOne(diff, 0.0, one.var() + other.var(), one.size)
            yield sum(ties) / 2 / other.size, after


@pytest.mark.parametrize(
    "more",
    [
        "rounds = 10",
        "rounds = 10\n[rules]\npreset = 'peel'",
        "rounds = 10\n[rules]\nloo = 12",
        "rounds = 1",
    ],
)
def test_normal_theory_of_an_evening_is_right_to_a_percentage_point(tmp_path, more):
    found = list(evenings(purses_of(cell_of(tmp_path, more))))
    assert len(found) == 6
    for counted, after in found:
        assert counted == pytest.approx(after.value, abs=NORMAL_ERROR)
        # The error of the mean is not in it here, so that all there is is what theory may be off.
        assert after.interval(1.96) == pytest.approx(
            (after.value - NORMAL_ERROR, min(after.value + NORMAL_ERROR, 1.0))
        )


@pytest.mark.parametrize(("cap", "off"), [("", 0.3), ("loo_cap = 100", 0.04)])
def test_normal_theory_says_nothing_of_evenings_with_loos_of_the_pot(tmp_path, cap, off):
    cell = cell_of(tmp_path, f"rounds = 10\n[rules]\nloo = 'pot'\n{cap}")
    assert max(abs(counted - after.value) for counted, after in evenings(purses_of(cell))) > off


@pytest.mark.parametrize("preset", ["standard", "peel"])
@pytest.mark.parametrize("pot", [3, 9])
def test_after_so_many_deals_the_better_is_ahead_with_95_percent(tmp_path, preset, pot):
    cell = cell_of(tmp_path, f"pot = {pot}\n[rules]\npreset = '{preset}'")
    counts = league.empty_counts(cell)
    league.add_counts(league.encode(cell), 1, 0, DEALS, counts)
    nets = nets_of_results(cell.pot, cell.rules.loo_units(cell.pot))
    step = gcd(*nets)
    least, most = min(nets) // step, max(nets) // step
    chances = []
    for row in counts[1].tolist():
        chance = np.zeros(most - least + 1)
        np.add.at(chance, np.array(nets) // step - least, np.array(row) / (DEALS * cell.players))
        chance[-least] += 1 - chance.sum()  # not in: neither won nor paid
        chances.append(chance)
    net = np.arange(least, most + 1)
    looked_at = 0
    for one, other in permutations(chances, 2):
        diff = one @ net - other @ net
        variance = one @ net**2 - (one @ net) ** 2 + other @ net**2 - (other @ net) ** 2
        deals = ceil(Ahead(diff, 0.0, variance, DEALS).value)
        if diff > 0 and deals < 10_000:
            # Of the difference of so many deals, from -(most - least) to most - least steps each.
            size = 2 ** ceil(np.log2(deals * 2 * (most - least) + 1))
            of_one = np.fft.rfft(np.convolve(one, other[::-1]), size)
            sums = np.fft.irfft(of_one**deals, size)
            even = deals * (most - least)
            ahead = sums[even + 1 : 2 * even + 1].sum() + sums[even] / 2
            normal = norm.cdf(diff * sqrt(deals / variance))
            assert ahead == pytest.approx(normal, abs=0.006)
            assert normal == pytest.approx(0.95, abs=0.01)  # more, for whole deals
            looked_at += 1
    assert looked_at >= 3


@pytest.mark.parametrize("figure", ["ahead", "ahead_after_one"])
def test_claims_of_evenings_with_loos_of_the_pot_are_refused(tmp_path, figure):
    path = tmp_path / "claims.toml"
    path.write_text(
        'study = "claims"\n[parts.x]\nstudy = "league"\nplayers = 6\ntables = 100\nrounds = 10\n'
        'policies = ["random", "peel"]\n[parts.x.sweep]\n"rules.loo" = [3, "pot"]\n'
        '[[claims]]\nid = "a"\nsays = "b"\nsource = "c"\n'
        f'tests = [{{ part = "x", figure = "{figure}", below = 1 }}]\n',
        encoding="utf-8",
    )
    told = loosim("run", path, "-o", tmp_path / "out")
    assert told.exit_code == 2
    assert "claims.1.tests.1.figure: is of normal theory, which fails for evenings" in told.stderr
    path.write_text(path.read_text(encoding="utf-8").replace('3, "pot"', "3, 6"), encoding="utf-8")
    assert loosim("run", path, "--dry-run", "-o", tmp_path / "out").exit_code == 0
