"""Means over all hands weighted by exact chances: against whole samples, and against the truth."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from kernel_deals import SMALL, policy
from scipy.stats import chi2

from loo_sim.cards import hand_classes
from loo_sim.experiment import Cell
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.studies import announce
from loo_sim.studies.estimates import Z95
from loo_sim.studies.strata import STRATUM_DEALS, cut, precision_table

STAKES = UNITS_PER_STAKE
SIZE = hand_classes(52).size


def test_strata_are_neighbours_with_enough_hands_in_each():
    size = np.array([3, 1, 1, 6, 2, 2, 9, 1, 1])
    assert cut(size, 4).tolist() == [0, 2, 4, 6]
    assert cut(size, 5).tolist() == [0, 3, 4]  # the last is too small
    assert cut(size, 1000).tolist() == [0]
    assert cut(size, 0.5).tolist() == list(range(9))
    for least in (7, 100, 5000):
        starts = cut(SIZE, least)
        assert (np.add.reduceat(SIZE, starts) >= least).all()
        assert (np.add.reduceat(SIZE, starts)[:-1] < least + SIZE.max()).all()


def sample(n: int, seed: int):
    """Classes of hand as they are dealt, with results that depend on them."""
    draw = np.random.default_rng(seed)
    of_class = draw.choice(SIZE.size, n, p=SIZE / SIZE.sum())
    own = draw.binomial(3, np.clip(0.9 - of_class / 6000, 0.05, 0.9))
    other = draw.binomial(3, 0.3, n)
    return of_class, own, other


def counts_of(of_class, own, other):
    cell = Cell({}, 5, 9 * STAKES, Rules(loo=4), ())
    counts = announce.empty_counts(cell)
    np.add.at(counts[0], (1, of_class, own, other), 1)
    return cell, counts


def test_means_are_those_of_the_strata_weighted_by_their_exact_chances():
    n = 6000
    of_class, own, other = sample(n, 1)
    cell, counts = counts_of(of_class, own, other)
    rows = {row["figure"]: row for row in precision_table(cell, counts[0]).to_pylist()}
    starts = cut(SIZE, STRATUM_DEALS / n * SIZE.sum())
    assert 30 < len(starts) <= 60
    stratum = np.searchsorted(starts, of_class, side="right") - 1
    share = np.add.reduceat(SIZE, starts) / SIZE.sum()
    worth = np.array([-4.0, 3, 6, 9, 9])
    values = {"stand": worth[own], "miss": worth[other]}
    values["miss_minus_stand"] = values["miss"] - values["stand"]
    for figure, value in values.items():
        parts = [value[stratum == k] for k in range(len(starts))]
        mean = sum(w * part.mean() for w, part in zip(share, parts, strict=True))
        variance = sum(
            w**2 * part.var(ddof=1) / len(part) for w, part in zip(share, parts, strict=True)
        )
        row = rows[figure]
        assert (row["seat"], row["standers"], row["miss_free"], row["n"]) == (0, 0, True, n)
        assert row["mean"] == pytest.approx(mean)
        assert row["mean_se"] == pytest.approx(sqrt(variance))
        assert row["plain_mean"] == pytest.approx(value.mean())
        assert row["plain_mean_se"] == pytest.approx(value.std(ddof=1) / sqrt(n))
        assert row["gain"] == pytest.approx(value.var(ddof=1) / n / variance)
    paired = rows["miss_minus_stand"]
    unpaired = sqrt((values["stand"].var(ddof=1) + values["miss"].var(ddof=1)) / n)
    assert paired["unpaired_se"] == pytest.approx(unpaired)
    assert paired["gain_of_pairing"] == pytest.approx((unpaired / paired["plain_mean_se"]) ** 2)
    assert rows["stand"]["unpaired_se"] is None
    tables = announce.tables(cell, n, counts)
    assert announce.half_width(tables) == pytest.approx(Z95 * paired["mean_se"])
    told = announce.headline(tables)[0][2]
    assert (told.value, told.se) == (rows["stand"]["mean"], rows["stand"]["mean_se"])


def test_few_deals_are_one_stratum_and_none_are_no_row():
    cell, counts = counts_of(*sample(STRATUM_DEALS + 50, 2))
    for row in precision_table(cell, counts[0]).to_pylist():
        assert row["mean"] == row["plain_mean"]
        assert row["mean_se"] == row["plain_mean_se"]
    cell, counts = counts_of(*sample(1, 2))
    tables = announce.tables(cell, 1, counts)
    assert [row["mean_se"] for row in tables["precision"].to_pylist()] == [None] * 3
    assert np.isnan(announce.half_width(tables))
    nothing = announce.tables(cell, 1, announce.empty_counts(cell))
    assert nothing["precision"].num_rows == 0
    assert nothing["precision"].schema == tables["precision"].schema
    assert np.isnan(announce.half_width(nothing))


def test_the_mean_is_right_and_its_error_honest():
    """Small samples: unbiased, scattered as they claim, and less than plain means are."""
    chance = np.clip(0.9 - np.arange(SIZE.size) / 6000, 0.05, 0.9)
    share = SIZE / SIZE.sum()
    expected = (share * (3 * 3 * chance - 4 * (1 - chance) ** 3)).sum()
    cell = Cell({}, 5, 9 * STAKES, Rules(loo=4), ())
    runs, n = 500, 2000
    found = []
    for seed in range(runs):
        counts = np.zeros((2, SIZE.size, 5, 6), np.uint32)
        np.add.at(counts[1], sample(n, 100 + seed), 1)
        found.append(precision_table(cell, counts).to_pylist()[0])
    mean = np.array([row["mean"] for row in found])
    claimed = np.array([row["mean_se"] for row in found])
    assert abs(mean.mean() - expected) < 4 * mean.std(ddof=1) / sqrt(runs)
    ratio = mean.var(ddof=1) / (claimed**2).mean()
    low, high = chi2.ppf([1e-4, 1 - 1e-4], runs - 1) / (runs - 1)
    assert low < ratio < high * 1.02  # what is lost by weighting is not in the claim
    covered = (abs(mean - expected) <= Z95 * claimed).mean()
    assert 0.92 <= covered <= 0.98
    plain = np.array([row["plain_mean"] for row in found])
    assert mean.var() < 0.8 * plain.var()


@pytest.mark.skipif(SMALL, reason="needs many deals")
@pytest.mark.parametrize(("preset", "name"), [("peel", "peel"), ("club", "random")])
def test_weighting_gains_and_never_costs(preset, name):
    """Club law leaves deals out by the turn-up, which tells nothing of the hands."""
    cell = Cell({}, 5, 6 * STAKES, PRESETS[preset], (policy(name),) * 5)
    parts = []
    for seed, deals in ((21, 200_000), (22, 800_000)):
        counts = announce.empty_counts(cell)
        announce.add_counts(announce.encode(cell), seed, 0, deals, counts)
        parts.append(announce.tables(cell, deals, counts)["precision"].to_pylist())
    for few, many in zip(*parts, strict=True):
        error = np.hypot(few["mean_se"], many["mean_se"])
        assert abs(few["mean"] - many["mean"]) < 4 * error
        assert abs(many["mean"] - many["plain_mean"]) < 4 * many["plain_mean_se"]
        assert few["gain"] > 0.99
        assert many["gain"] > 0.99
    assert parts[1][0]["gain"] > 1.2
