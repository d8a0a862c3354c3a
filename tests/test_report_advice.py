"""Hands with which the miss is best are told in the words that a player would use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from report_samples import announce_table, cell, write_result

from loo_sim.report import advice, strategy
from loo_sim.report.hands import rank_range
from loo_sim.report.result import read_result
from loo_sim.rounding import listed, percent_in_words

RANKS = "23456789TJQKA"


def kinds(trumps: int, **rows: str) -> pd.DataFrame:
    """Kinds of hands: for each row, a sign a column from the lowest rank up.

    ``M`` and ``F``: the miss or folding surely is best; ``m`` and ``f``: it only looks so.
    """
    lowest = 3 if trumps == 2 else 2
    return pd.DataFrame(
        [
            (trumps, RANKS.index(row) + 2, lowest + i, sign)
            for row, signs in rows.items()
            for i, sign in enumerate(signs)
        ],
        columns=["trumps", "row", "col", "sign"],
    ).assign(
        best=lambda table: table["sign"].str.upper().map({"M": "miss", "F": "fold"}),
        sure=lambda table: table["sign"].str.isupper(),
    )


def ranks_covered(covered: pd.DataFrame) -> list[tuple[int, int]]:
    return sorted(zip(covered["row"], covered["col"], strict=True))


@pytest.mark.parametrize(
    ("signs", "columns"),
    [
        ("MMMFFFFFFFFFF", range(2, 5)),
        ("FFFFFFFFFFMMM", range(12, 15)),
        ("FFMMMFFFFFFFF", range(4, 7)),
        ("MMMMMMMMMMMMM", range(2, 15)),
        ("FFFFFFFFFFFFF", ()),
        # Too close to call: in between it counts in, at an end it does not ...
        ("MmfMFFFFFFFFF", range(2, 6)),
        ("MMmfFFFFFFFFF", range(2, 4)),
        # ... unless nothing lies beyond it and the miss looks best all the way.
        ("mmMFFFFFFFFFF", range(2, 5)),
        ("fmMFFFFFFFFFF", range(4, 5)),
        ("FFFFFFFFFFFMm", range(13, 15)),
        # Nothing sure, nothing told.
        ("mmmmmmmmmmmmm", ()),
    ],
)
def test_where_the_miss_is_best(signs, columns):
    words, covered = advice.miss_hands(kinds(1, J=signs, T="F" * 13))
    assert ranks_covered(covered) == [(11, column) for column in columns]
    assert bool(words) == bool(columns)


def test_two_stretches_in_a_row_are_told_apart():
    words, _ = advice.miss_hands(kinds(1, J="MMFFFFFFFFFFM", T="F" * 13))
    assert words == "one trump: jack (best plain card ace) or jack (best plain card three or less)"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (kinds(1, A="F" * 13, K="MM" + "F" * 11, Q="M" * 13, J="M" * 13, T="F" * 13),
         "one trump: king (best plain card three or less) or jack or queen"),
        (kinds(1, T="F" * 13, **{"9": "M" * 13, "8": "M" * 13}), "one trump: nine or less"),
        (kinds(1, A="M" * 13, K="M" * 13, Q="F" * 13), "one trump: king or better"),
        (kinds(1, A="M" * 13, K="F" * 13, Q="M" * 13, J="F" * 13), "one trump: ace or queen"),
        (kinds(1, A="M" * 13, K="M" * 13), "any hand of one trump"),
        (kinds(0, A="F" * 13, K="M" * 11 + "F", Q="M" * 11),
         "no trump: best card king (second card queen or less) or best card queen"),
        (kinds(2, A="F" * 11, K="MMFFFFFFFF", Q="MMFFFFFFF", J="F" * 8),
         "two trumps: the higher queen or king (the lower four or less)"),
    ],
)  # fmt: skip
def test_words(table, words):
    assert advice.miss_hands(table)[0] == words


def test_words_for_hands_of_every_number_of_trumps():
    three = kinds(3, A="M").assign(row=0, col=0)
    parts = [kinds(0, A="M" * 13), kinds(1, A="M" * 13, K="F" * 13), three]
    words, covered = advice.miss_hands(pd.concat(parts, ignore_index=True))
    assert words == "three trumps; one trump: ace; any hand of no trump"
    assert len(covered) == 1 + 13 + 13


def test_a_patchwork_is_not_spelt_out():
    patchy = kinds(1, A="MF" * 6 + "M", K="F" * 13)
    assert advice.miss_hands(patchy)[0] == "many hands of one trump"


def test_the_gain_is_that_of_the_hands_told(tmp_path):
    table = announce_table(seats=[0], deals=20_000_000)
    one_trump = table["hand"].str[3].ne("s") & table["hand"].str[1].eq("s")
    jack = one_trump & table["hand"].str[0].eq("J")
    # With a jack alone the miss nets 0.5, standing -0.25; with all other hands it nets -0.3.
    table.loc[jack, ["miss", "stand", "miss_minus_stand"]] = [0.5, -0.25, 0.75]
    game = read_result(write_result(tmp_path, [cell()], {"announce": table})).cells[0]
    sentence = advice.first_to_speak([game])
    assert "seat 0 (first to speak) does best to take the miss with one trump: jack." in sentence
    # A twelfth of the 42.699 % of hands with one trump.
    assert "These are 4 % of the hands" in sentence
    gains = table.loc[jack]
    n = gains["n"].sum()
    spread = (gains["miss_se"] ** 2 * gains["n"] * (gains["n"] - 1)).sum()
    half = 1.959964 * np.sqrt(spread / n / (n - 1))
    assert f"nets 0.500 ± {half:.3f} stakes more than folding" in sentence
    assert f"0.750 ± {0.8 * half:.3f} more than standing" in sentence


def test_no_hand_is_told_of_where_there_is_none(tmp_path):
    table = announce_table(seats=[0])
    game = read_result(write_result(tmp_path, [cell()], {"announce": table})).cells[0]
    sentence = advice.first_to_speak([game])
    assert "there is no kind of hand" in sentence
    kinds = strategy.matrix(game, strategy.spots(game)[0])
    doubt = kinds.loc[~kinds["sure"], "weight"].sum() / kinds["weight"].sum()
    assert 0.01 < doubt < 0.99
    assert sentence.endswith(f"; it is too close to call with {100 * doubt:.0f} % of the hands.")
    sure = table.assign(stand=-2.0, miss=-1.0, miss_minus_stand=1.0, n=10_000)
    sure = sure.assign(stand_se=0.01, miss_se=0.01, miss_minus_stand_se=0.01)
    game = read_result(write_result(tmp_path / "sure", [cell()], {"announce": sure})).cells[0]
    assert advice.first_to_speak([game]).endswith("surely is best for seat 0 (first to speak).")


def test_a_seat_that_never_spoke_is_not_told_of(tmp_path):
    table = announce_table(seats=[5])
    game = read_result(write_result(tmp_path, [cell()], {"announce": table})).cells[0]
    assert advice.first_to_speak([game]) == ""
    assert advice.late_to_speak(game) == ""


def test_the_last_who_may_find_nobody_in(tmp_path):
    table = announce_table(seats=[0, 3, 4, 5], deals=8_000_000)
    game = read_result(write_result(tmp_path, [cell()], {"announce": table})).cells[0]
    assert "seat 4 with nobody in does best to take the miss" in advice.late_to_speak(game)
    assert strategy.spot_at(game, 5, 2).who == "the dealer with 2 in"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(2, 14, ""), (2, 9, "nine or less"), (11, 14, "jack or better"), (10, 12, "ten to queen"),
     (2, 2, "two"), (14, 14, "ace"), (7, 7, "seven"), (7, 8, "seven or eight"),
     (13, 14, "king or better")],
)  # fmt: skip
def test_ranges_of_ranks(low, high, words):
    assert rank_range(low, high, 2, 14) == words


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "0 %"), (0.0001, "under 1 %"), (0.00499, "under 1 %"), (0.0051, "1 %"), (0.724, "72 %"),
     (0.9949, "99 %"), (0.996, "over 99 %"), (1, "100 %")],
)  # fmt: skip
def test_shares_in_words(share, words):
    assert percent_in_words(share) == words


def test_lists_in_prose():
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")] == [
        "a",
        "a and b",
        "a, b or c",
    ]
