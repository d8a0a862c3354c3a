"""The running estimate: points held to the deals themselves, scatter to scipy's F."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from report_samples import cell, deals_tables, league_tables, page_of, write_result
from scipy import stats

from loo_sim.report import running
from loo_sim.report.result import read_result
from loo_sim.studies.estimates import Z95

LENGTH = 50


def samples(pieces: int, seed: int = 1, apart: float = 0.0) -> list[np.ndarray]:
    """Changes of the pot, a piece of work each, the last one short; means `apart` by its turns."""
    made = np.random.default_rng(seed)
    lengths = [LENGTH] * (pieces - 1) + [7]
    return [made.normal(2 + apart * (i % 2), 3, n) for i, n in enumerate(lengths)]


def table(pieces: list[np.ndarray], figure: str = "pot_swing", **axes) -> pd.DataFrame:
    """The table ``running`` of these pieces, not in their order."""
    rows = [
        {
            "chunk": number,
            "figure": figure,
            "n": piece.size,
            "deals": piece.size,
            "mean": piece.mean(),
            "mean_se": stats.sem(piece) if piece.size > 1 else np.nan,
            **axes,
        }
        for number, piece in enumerate(pieces)
    ]
    return pd.DataFrame(rows[::-1])


def result_of(path, games: list[list[np.ndarray]]):
    """A sweep of the pot, or a single game of it."""
    pots = [3 * (1 + number) for number in range(len(games))]
    swept = [{"pot": pot} if len(games) > 1 else {} for pot in pots]
    parts = [
        {**deals_tables(axes=axes), "running": table(pieces, **axes)}
        for axes, pieces in zip(swept, games, strict=True)
    ]
    tables = {name: pd.concat([part[name] for part in parts]) for name in parts[0]}
    cells = [
        cell(axes, deals=sum(piece.size for piece in pieces))
        for axes, pieces in zip(swept, games, strict=True)
    ]
    return write_result(path, cells, tables)


def found_in(path, games: list[list[np.ndarray]]) -> list[running.Track]:
    return running.tracks(read_result(result_of(path, games)))


@pytest.mark.parametrize("pieces", [4, 40, 90])
def test_a_point_is_the_mean_of_all_deals_up_to_there(tmp_path, pieces):
    deals = np.concatenate(samples(pieces))
    (one,) = found_in(tmp_path, [samples(pieces)])
    assert one.n[-1] == deals.size
    assert len(one.n) <= running.MOST_LOOKS
    axes = running.draw([one]).axes[0]
    line, level = axes.lines
    (band,) = axes.collections
    corners = {(x, y) for x, y in band.get_paths()[0].vertices.round(9).tolist()}
    assert list(line.get_xdata()) == list(one.n)
    for n, y in zip(line.get_xdata(), line.get_ydata(), strict=True):
        assert y == pytest.approx(deals[:n].mean())
        half = Z95 * stats.sem(deals[:n])
        for end in (y - half, y + half):
            assert min(abs(end - there) for x, there in corners if x == n) < 1e-6
    assert list(level.get_ydata()) == pytest.approx([deals.mean()] * 2)


@pytest.mark.parametrize(("pieces", "named"), [(6, {50, 100, 200}), (90, {100, 1000})])
def test_its_axis_names_numbers_enough_to_read_it(tmp_path, pieces, named):
    (one,) = found_in(tmp_path, [samples(pieces)])
    axes = running.draw([one]).axes[0]
    low, high = axes.get_xlim()
    told = {tick for tick in axes.get_xticks() if low <= tick <= high}
    assert told == named
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert {f"{number:,}" for number in named} <= set(labels)


def test_a_last_piece_of_one_deal_has_no_error_and_counts_all_the_same(tmp_path):
    pieces = [*samples(5), np.array([4.0])]
    deals = np.concatenate(pieces)
    (one,) = found_in(tmp_path, [pieces])
    assert (one.mean[-1], one.se[-1]) == pytest.approx((deals.mean(), stats.sem(deals)))


@pytest.mark.parametrize("apart", [0.0, 0.4, 3.0])
def test_scatter_is_the_root_of_scipys_f(tmp_path, apart):
    pieces = samples(12, apart=apart)
    (one,) = found_in(tmp_path, [pieces])
    f = stats.f_oneway(*pieces)
    assert one.scatter**2 == pytest.approx(f.statistic)
    # The upper bound leaves 2.5 % above it, the lower as much below.
    low, high = one.allowed(1)
    deals = sum(piece.size for piece in pieces)
    assert stats.f.sf(high**2, 11, deals - 12) == pytest.approx(0.025)
    assert stats.f.cdf(low**2, 11, deals - 12) == pytest.approx(0.025)
    assert one.is_within(1) == (0.025 < f.pvalue < 0.975)


def test_errors_that_claim_too_little_are_told(tmp_path):
    honest, false = samples(12), samples(12, seed=2, apart=6.0)
    (one,) = found_in(tmp_path / "a", [honest])
    assert "the errors are as large as they say" in running.tell([one])
    (one,) = found_in(tmp_path / "b", [false])
    assert "the errors are not as large as they say" in running.tell([one])
    several = found_in(tmp_path / "c", [honest, false, samples(12, seed=3)])
    assert "In both games the pieces" in running.tell([several[0], several[2]])
    assert "In 1 of 3 games the pieces of work scatter otherwise" in running.tell(several)
    assert f"with {several[1].cell.label} ({several[1].scatter:.2f} times)" in running.tell(several)


def test_three_pieces_say_nothing(tmp_path):
    assert found_in(tmp_path, [samples(3)]) == []


def test_of_many_games_two_are_drawn_those_that_scatter_most_and_least(tmp_path):
    games = [samples(8, seed) for seed in range(1, 6)]
    found = found_in(tmp_path, games)
    scatter = [one.scatter for one in found]
    drawn = running.draw(found).axes
    titles = [found[scatter.index(of(scatter))].cell.label for of in (max, min)]
    assert [axes.get_title() for axes in drawn] == titles
    told = "Drawn are the game whose pieces scatter most, and the one where they do least."
    assert told in running.tell(found)
    assert told not in running.tell(found[:3])
    exhibit = running.running_exhibit(read_result(result_of(tmp_path / "again", games)))
    assert [row[0] for row in exhibit.numbers.rows] == [titles[0]] * 8 + [titles[1]] * 8


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_a_league_is_followed_by_its_first_less_its_last(tmp_path, order):
    tables = league_tables({"peel": 0.3, "loose": -0.1, "tight": 0.1})
    first, last = tables["standing"]["policy"].iloc[[0, -1]]
    names = {"a": first, "b": last}
    pieces = samples(6)
    sign = 1 if order == ("a", "b") else -1
    figure = f"{names[order[0]]} minus {names[order[1]]}"
    tables["running"] = table([sign * piece for piece in pieces], figure)
    (one,) = running.tracks(read_result(write_result(tmp_path, [cell()], tables)))
    assert one.mean[-1] == pytest.approx(np.concatenate(pieces).mean())
    assert one.what == f"net of {first} less that of {last}"


def test_the_page_shows_it(tmp_path):
    text = page_of(result_of(tmp_path, [samples(12)])).text
    assert "The estimate as the deals came in" in text
    assert "The mean change of the pot comes to" in text
