"""Advice for a hand: values that enumeration knows, what is said of them, what is refused."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from math import nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import loosim
from kernel_deals import ACTIONS, SMALL
from test_given import question_of
from test_kernels_enumeration import PLAYERS, POT, SPADES, TABLES, every_deal, table

import loo_sim
from loo_sim.cards import hand_index
from loo_sim.kernels.given import count_given
from loo_sim.problems import InputError
from loo_sim.rules import PRESETS, UNITS_PER_STAKE
from loo_sim.runner.progress import COMPILING
from loo_sim.strategy import advise as module
from loo_sim.strategy.advise import Advice, advise_on
from loo_sim.strategy.advise_told import assumptions, rules_in_words, sentences
from loo_sim.strategy.given import hand_numbers
from loo_sim.strategy.question import ask
from loo_sim.strategy.worths import (
    BreakEven,
    Option,
    Verdict,
    break_even_of,
    verdict_of,
    worth_of,
)
from loo_sim.studies.estimates import Z95

STAKES = UNITS_PER_STAKE
few = pytest.mark.skipif(SMALL, reason="needs many deals")
FOLD, STAND, TAKE_MISS = Option("fold", None, False), Option("stand", 0), Option("miss", 1)
DEFEND = Option("defend", 2, False)

PROMISED = {
    "hand",
    "situation",
    "assumes",
    "deals",
    "effective_deals",
    "actions",
    "best",
    "margin",
    "margin_se",
    "break_even_pot",
}
"""Keys of the JSON."""


# --- values out of counts -------------------------------------------------------------------------


def sample(deals: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Results of two alternatives in the same deals, one by one and as counts."""
    draw = np.random.default_rng(seed)
    one = draw.choice(5, deals, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    other = np.where(draw.random(deals) < 0.6, one, draw.choice(4, deals, p=[0.7, 0.2, 0.05, 0.05]))
    both = np.stack([one, other, np.full(deals, 5)])
    counts = np.zeros((6, 6, 6), np.int64)
    np.add.at(counts, tuple(both), 1)
    return both, counts


def test_values_and_paired_margins_are_those_of_the_deals_one_by_one() -> None:
    pot, loo, n = 10 * STAKES + 1, 3 * STAKES, 700
    both, counts = sample(n, 1)
    net = np.array([-loo, pot // 3, pot // 3 * 2, pot // 3 * 3, pot]) / STAKES
    stand, miss = net[both[0]], net[both[1]]
    worth = worth_of(counts, STAND, pot, loo)
    assert worth.value == pytest.approx(stand.mean())
    assert worth.se == pytest.approx(stand.std(ddof=1) / sqrt(n))
    assert worth.tricks == tuple((both[0] == tricks).mean() for tricks in range(4))
    assert worth.looed == (both[0] == 0).mean()
    assert worth.whole_pot == (both[0] == 4).mean()
    verdict = verdict_of(counts, [FOLD, STAND, TAKE_MISS], pot, loo)
    order = sorted(
        [("stand", stand.mean()), ("miss", miss.mean()), ("fold", 0)], key=lambda x: x[1]
    )
    assert (verdict.first, verdict.second) == (order[-1][0], order[-2][0])
    assert (verdict.first, verdict.second) == ("stand", "miss")
    paired = stand - miss
    assert verdict.margin == pytest.approx(paired.mean())
    assert verdict.margin_se == pytest.approx(paired.std(ddof=1) / sqrt(n))
    assert verdict.best == "stand"
    assert paired.mean() > Z95 * paired.std(ddof=1) / sqrt(n)


def test_the_best_must_be_told_apart_from_every_other() -> None:
    """Stand is far from fold, but its interval against the miss includes 0."""
    pot, loo = 9 * STAKES, 3 * STAKES
    counts = np.zeros((6, 6, 6), np.int64)
    counts[3, 3, 5] = 900
    counts[3, 2, 5], counts[2, 3, 5] = 52, 48
    verdict = verdict_of(counts, [FOLD, STAND, TAKE_MISS], pot, loo)
    assert verdict.first == "stand"
    assert verdict.rivals == ("miss",)
    assert verdict.best is None
    # Differences of 3 stakes, 52 of the one sign and 48 of the other.
    assert verdict.margin == pytest.approx(3 * 4 / 1000)
    assert verdict_of(counts, [FOLD, STAND], pot, loo).best == "stand"


def test_nothing_is_best_on_a_few_deals_or_on_some_that_all_came_out_alike() -> None:
    pot, loo = 9 * STAKES, 3 * STAKES
    for alike, others, best in (
        (999, 0, None),
        (1000, 0, "stand"),
        (28, 1, None),
        (29, 1, "stand"),
    ):
        counts = np.zeros((6, 6, 6), np.int64)
        counts[3, 1, 5], counts[2, 1, 5] = alike, others
        verdict = verdict_of(counts, [FOLD, STAND, TAKE_MISS], pot, loo)
        assert (verdict.first, verdict.best) == ("stand", best)


def test_defending_wins_and_loses_nothing_and_is_never_looed() -> None:
    counts = np.zeros((6, 6, 6), np.int64)
    counts[0, 0, 0], counts[0, 0, 2] = 600, 1400
    worth = worth_of(counts, DEFEND, 9 * STAKES, 3 * STAKES)
    assert (worth.value, worth.se, worth.looed) == (0.0, 0.0, 0.0)
    assert worth.tricks == (0.3, 0.0, 0.7, 0.0)
    fold = worth_of(counts, FOLD, 9 * STAKES, 3 * STAKES)
    assert (fold.value, fold.se, fold.tricks) == (0.0, 0.0, None)
    verdict = verdict_of(counts, [FOLD, STAND, DEFEND], 9 * STAKES, 3 * STAKES)
    assert (verdict.first, verdict.second, verdict.rivals) == ("fold", "defend", ("defend",))
    assert verdict.margin == verdict.margin_se == 0


def test_the_pot_from_which_standing_pays_is_where_its_value_is_nothing() -> None:
    loo, n = 3 * STAKES, 5000
    both, counts = sample(n, 2)
    found = break_even_of(counts, STAND, 12 * STAKES, loo)
    assert found is not None
    share = np.array([0, 1 / 3, 2 / 3, 1, 1])[both[0]]
    looed = both[0] == 0
    assert found.pot == pytest.approx(3 * looed.mean() / share.mean())
    # At this pot standing is worth nothing; its error is that of the value, over the mean share.
    net = share * found.pot - 3 * looed
    assert net.mean() == pytest.approx(0, abs=1e-12)
    assert found.se == pytest.approx(net.std(ddof=1) / sqrt(n) / share.mean())
    never = np.zeros((6, 6, 6), np.int64)
    never[0, 5, 5] = 9
    assert break_even_of(never, STAND, 9 * STAKES, loo) is None


# --- values that enumeration knows ----------------------------------------------------------------


def exact(preset: str, name: str, before: list[str], hand: int) -> dict[str, float]:
    """What standing and taking the miss are worth with one hand, in stakes.

    Of all 92,400 deals of a pack of twelve, by the referee, those in which the seat holds it, each
    as likely as the first seat makes it; the second answers by its policy.
    """
    at = table(preset, name, SPADES)
    seat = len(before)
    mine = every_deal()[:, seat + 1] == hand
    other = every_deal()[mine, 2 - seat]
    found = {}
    for word in ("stand", "miss"):
        said = ACTIONS.index(word)
        if before == ["miss"] and word == "miss":
            continue
        if seat:
            first = ACTIONS.index(before[0])
            chance = at.chances(0, 0, True)[other, first]
            net = at.come_of(first, said, mine)[:, 3]
        else:
            answers = at.chances(1, 1, word != "miss")[other]
            chance = np.ones(len(other))
            net = sum(
                answers[:, answer] * at.come_of(said, answer, mine)[:, 2]
                for answer in range(len(ACTIONS))
                if answers[:, answer].any()
            )
        found[word] = float((chance * net).sum() / chance.sum() / STAKES)
    return found


@few
@pytest.mark.parametrize(
    ("preset", "name", "before"),
    [
        ("standard", "loose", []),
        ("standard", "dithering", ["stand"]),
        ("unlimited", "dithering", ["miss"]),
    ],
)
def test_hands_of_a_small_pack_are_worth_what_enumeration_says(
    preset: str, name: str, before: list[str]
) -> None:
    for hand in ("Ks Qc Kd", "Ac Kd Qh", "As Kh Ah"):
        question = question_of([name], TABLES[preset], PLAYERS, POT // STAKES, hand, "Qs", before)
        found = advise_on(question, until=0.03, jobs=2)
        values = exact(preset, name, before, hand_index(hand_numbers(question)))
        assert found.reached
        seen = {worth.name: worth for worth in found.actions}
        assert seen.keys() - {"fold", "defend"} == values.keys()
        for word, value in values.items():
            assert abs(seen[word].value - value) <= 4.5 * seen[word].se + 1e-9
            assert Z95 * seen[word].se <= 0.03


def test_the_highest_trump_is_never_looed() -> None:
    found = loo_sim.advise("Ah 7c 2d", "9h", 6, before="fold,stand", pot=9, until=0.5)
    stand = next(worth for worth in found.actions if worth.name == "stand")
    assert stand.looed == stand.tricks[0] == 0
    assert stand.value >= 3
    assert found.verdict.best == "stand"
    assert found.break_even.pot == 0
    assert "pays with any pot" in " ".join(sentences(found))


# --- the command ----------------------------------------------------------------------------------

EXAMPLE = ("advise", "Kh 7h 2c", "--turn-up", "9h", "--before", "fold,stand", "--pot", 9)


def test_json_has_the_keys_that_are_promised() -> None:
    found = json.loads(loosim(*EXAMPLE, "--until", 0.5, "--json").stdout)
    assert set(found) >= PROMISED
    assert found["hand"] == ["Kh", "7h", "2c"]
    assert found["hand_class"] == "Ks8s2h"  # the nine being out, the seven is the sixth from below
    assert found["effective_deals"] == found["deals"] <= found["drawn_deals"]
    assert [row["action"] for row in found["actions"]] == ["fold", "stand", "miss"]
    for row in found["actions"]:
        assert {"action", "value", "se", "looed", "tricks"} <= set(row)
    fold, stand, _ = found["actions"]
    assert (fold["value"], fold["se"], fold["looed"]) == (0, 0, 0)
    assert stand["looed"] == stand["tricks"][0]
    assert sum(stand["tricks"]) + stand["whole_pot"] == pytest.approx(1)
    assert found["best"] == "stand"
    assert found["margin"] > Z95 * found["margin_se"] > 0
    there = found["situation"]
    assert (there["seat"], there["standers"], there["miss_free"], there["pot"]) == (2, 1, True, 9)


def test_cards_and_announcements_are_read_in_any_form() -> None:
    questions = [
        ask(hand, turn_up, 6, before, 9)
        for hand, turn_up, before in (
            ("Th 7h 2c", "9h", "fold,stand,miss"),
            ("10H,7H,2C", "9H", "f s m"),
            ("th7h2c", "9♥", ["Fold", "stands", "M"]),
            ("10♥ 7♥ 2♣", "9h", "fsm"),
            (["Th", "7h", "2c"], "9h", ("fs", "miss")),
        )
    ]
    assert len({(q.hand, q.turn_up, q.before) for q in questions}) == 1
    assert questions[0].before == ("fold", "stand", "miss")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["Kh Kh 2c", "--turn-up", "9h"], ["hand: the king of hearts is there twice"]),
        (["Kh 9h 2c", "--turn-up", "9h"], ["the nine of hearts is turned up, and in the hand"]),
        (["Kh 7h", "--turn-up", "9h"], ["hand: 2 cards are given: Kh 7h"]),
        (["Kh 7h 1c", "--turn-up", "9h"], ["hand: '1c' is not a card"]),
        (["Kh 7h 2c", "--turn-up", "9h", "--rules", "deck=32"], ["the two of clubs is not in a"]),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--before", "ffffff"],
            ["6 announcements are too many with 6 players"],
        ),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--before", "f,miss,s,miss"],
            ["seat 3 cannot take the miss, which seat 1 has taken"],
        ),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--before", "defend,stnd"],
            ["seat 0 cannot defend", "'stnd' is no announcement (did you mean 'stand'?)"],
        ),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--before", "fsxff"],
            ["'x' of 'fsxff' is no announcement (f, s or m for each seat)"],
        ),
        (
            ["7h 7h", "--turn-up", "7x", "--pot", 1, "--policy", "peal", "--before", "mm"],
            [
                "2 cards are given: 7h 7h",
                "the seven of hearts is there twice",
                "turn-up: '7x' is not a card",
                "a pot of 1 stakes cannot be",
                "peal",
                "seat 1 cannot take the miss",
            ],
        ),
        (["Kh 7h 2c", "--turn-up", "9h", "--players", 4], ["4 players cannot play"]),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--before", "fffff"],
            ["nothing to choose: all before the dealer fold"],
        ),
        (
            ["Kh 7h 2c", "--turn-up", "9c", "--rules", "club"],
            ["nothing to choose: clubs are trumps (club_law)"],
        ),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--rules", "enquire"],
            ["nothing to choose: the pot is single (force_on_single)"],
        ),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--before", "f,s", "--lead"],
            ["lead: seat 1 leads, the first player in"],
        ),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--before", "f,s,m", "--policy", "tight"],
            ["seat 2 never takes the miss here under tight (1 in before it, the miss there)"],
        ),
        (
            ["Kh 7h 2c", "--turn-up", "9h", "--until", 0, "--max-deals", 0],
            ["until: 0.0 is not a number of stakes above 0", "max_deals: 0 is not a whole number"],
        ),
    ],
)
def test_everything_wrong_is_told_at_once(words: list[Any], told: list[str]) -> None:
    found = loosim("advise", *words)
    assert (found.exit_code, found.stdout) == (2, "")
    for text in told:
        assert text in found.stderr
    assert len(found.stderr.splitlines()) == len(told)


def test_python_refuses_what_is_no_hand_and_no_number() -> None:
    with pytest.raises(InputError) as refused:
        loo_sim.advise(
            7,
            "9h",
            6,
            before=3,
            rules=4,
            policies=5,
            jobs=0,
            seed=-1,
            max_deals=True,
            until=True,
        )
    told = str(refused.value)
    keys = "hand", "before", "rules", "policies", "jobs", "seed", "max_deals", "until"
    for key in keys:
        assert f"{key}: " in told


def test_too_few_deals_exit_with_4_and_say_how_far_they_went() -> None:
    found = loosim(*EXAMPLE, "--until", 0.001, "--max-deals", 5000)
    assert found.exit_code == 4
    assert re.match(r"5,000 deals of 5,\d\d\d drawn: known to ± 0\.1\d* stakes", found.stderr)
    assert "not ± 0.001" in found.stderr
    assert "take the miss" in found.stdout


def test_announcements_that_cannot_go_together_exit_with_4(tmp_path: Path) -> None:
    """Each of them alone is possible: only who holds the highest trump stands."""
    path = tmp_path / "ace.toml"
    path.write_text(
        'name = "ace"\nabout = "a test"\n[announce]\n'
        'rules = [{ when = "over_best == 0", do = "stand" }]\notherwise = "fold"\n'
    )
    words = ["Kh 7h 2c", "--turn-up", "9h", "--policy", path, "--max-deals", 4000]
    found = loosim("advise", *words, "--before", "ss")
    assert (found.exit_code, found.stdout) == (4, "")
    assert "none of" in found.stderr
    assert "was as announced" in found.stderr
    as_json = json.loads(loosim("advise", *words, "--before", "ss", "--json").stdout)
    assert (as_json["deals"], as_json["best"], as_json["margin"]) == (0, None, None)
    assert [row["value"] for row in as_json["actions"]] == [0, None, None]
    assert loosim("advise", *words, "--before", "s", "--until", 0.5).exit_code == 0


def test_the_answer_is_the_same_whatever_jobs() -> None:
    question = ask("8h Kc Qd", "9h", 6, "fs", 9)
    told = [advise_on(question, until=0.04, jobs=jobs, lead=False).to_dict() for jobs in (1, 2, 3)]
    assert told[0] == told[1] == told[2]
    assert told[0]["made_deals"] > module.FIRST  # it took a second look
    assert told[0] != advise_on(question, until=0.04, jobs=1, seed=2).to_dict()


def test_leads_are_told_with_what_tells_them_apart() -> None:
    words = ["advise", "Th 4h Qc", "--turn-up", "9h", "--before", "ff", "--policy", "loose,tight"]
    words[-1] = "tight"
    found = json.loads(loosim(*words, "--pot", 9, "--lead", "--until", 0.1, "--json").stdout)
    assert [row["card"] for row in found["leads"]] == ["Th", "4h"]
    best = max(found["leads"], key=lambda row: row["value"])
    gap = abs(found["leads"][0]["value"] - found["leads"][1]["value"])
    assert found["lead_margin"] == pytest.approx(gap)
    separate = gap > Z95 * found["lead_margin_se"]
    assert found["best_lead"] == (best["card"] if separate else None)
    told = loosim(*words, "--pot", 9, "--lead", "--until", 0.1).stdout
    assert "if you lead" in told
    one = loosim(*words[:1], "Ah Qc 4d", *words[2:], "--pot", 9, "--lead", "--until", 0.5).stdout
    assert "If you stand you must lead Ah." in one


def test_getting_ready_is_told_if_it_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loo_sim.runner.progress.PATIENCE_SECONDS", 0.0)

    def slow(*words: Any) -> int:
        time.sleep(0.2)
        return count_given(*words)

    monkeypatch.setattr(module, "count_given", slow)
    assert loosim(*EXAMPLE).stderr == f"{COMPILING}\n"
    assert loosim(*EXAMPLE, "--quiet").stderr == ""


def test_ctrl_c_tells_what_was_found_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def interrupted(*words: Any) -> int:
        calls.append(words)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
        return count_given(*words)

    monkeypatch.setattr(module, "count_given", interrupted)
    found = loosim(*EXAMPLE, "--until", 0.001, "--jobs", 1)
    assert found.exit_code == 130
    assert "stopped: after " in found.stderr
    deals = int(re.search(r"after ([\d,]+) deals", found.stderr)[1].replace(",", ""))
    assert deals >= 2 * module.LENGTH
    assert f"{deals:,} deals of the same weight" in found.stdout
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        loo_sim.advise("Kh 7h 2c", "9h", 6, before="fs", until=0.001, jobs=1)


# --- what is said ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def advice() -> Advice:
    return loo_sim.advise("Kh 7h 2c", "9h", 6, before="fold,stand", pot=9, until=0.5)


def test_the_table_is_a_frame(advice: Advice) -> None:
    table = advice.table.set_index("action")
    assert list(table.index) == ["fold", "stand", "miss"]
    assert table.loc["fold", "value"] == 0
    assert table.loc["stand", "tricks_2"] == advice.actions[1].tricks[2]
    assert np.isnan(table.loc["fold", "tricks_0"])


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        (
            Verdict("stand", "miss", 0.5, 0.05, ()),
            "Stand: worth 0.50 ± 0.10 stakes more than taking the miss.",
        ),
        (
            Verdict("miss", "fold", 0.01, 0.05, ("fold", "stand")),
            "Too close to call between taking the miss and folding or standing: taking the miss "
            "seems worth 0.01 ± 0.10 stakes more than folding.",
        ),
        (
            Verdict("fold", "defend", 0, 0, ("defend",)),
            "Fold or defend the miss: both are worth exactly 0, and more than anything else here.",
        ),
    ],
)
def test_what_to_do_is_said_as_far_as_it_is_known(
    advice: Advice, verdict: Verdict, told: str
) -> None:
    assert sentences(replace(advice, verdict=verdict))[0] == told


@pytest.mark.parametrize(
    ("even", "told"),
    [
        (
            BreakEven(6.9834, 0.0495),
            "Standing pays from a pot of 6.98 (6.89 to 7.08) stakes on",
        ),
        (BreakEven(1.5, 0.1), "Standing pays with any pot that there can be (from 3 stakes), if"),
        (BreakEven(0, 0), "Standing was never looed: it pays with any pot."),
        (None, "Standing won nothing in any deal"),
    ],
)
def test_the_pot_is_said_with_its_interval(
    advice: Advice, even: BreakEven | None, told: str
) -> None:
    assert sentences(replace(advice, break_even=even))[1].startswith(told)


def test_where_the_loo_is_the_pot_no_pot_is_told() -> None:
    found = loo_sim.advise("Kh 7h 2c", "9h", 6, pot=9, rules="unlimited", until=2)
    assert found.break_even is None
    assert "the loo grows with the pot" in sentences(found)[1]


def test_what_is_assumed_is_named(advice: Advice) -> None:
    told = " ".join(assumptions(advice))
    for words in ("policy peel", "standard", "A pot of 9 stakes", "of the same weight", "seed 1"):
        assert words in told
    mixed = loo_sim.advise(
        "Kh 7h 2c", "9h", 5, before="f", policies="tight,peel,loose,peel,peel", until=1
    )
    first, mine = assumptions(mixed)[:2]
    assert first.startswith("The others announce and play by policies: seat 0 by tight, seat 2 by")
    assert "you play by the policy peel" in mine


def test_rules_are_named_by_the_nearest_preset() -> None:
    assert rules_in_words(PRESETS["peel"]) == "peel"
    assert rules_in_words(replace(PRESETS["peel"], loo=3)) == "peel with loo = 3"
    changed = replace(PRESETS["standard"], ante=1, dealer_may_fold=True)
    assert rules_in_words(changed) == "standard with ante = 1 and dealer_may_fold = true"


def test_numbers_that_are_not_known_are_null(advice: Advice) -> None:
    worth = replace(advice.actions[1], se=nan)
    found = replace(advice, actions=(worth,)).to_dict()
    assert found["actions"][0]["se"] is None
    json.dumps(found, allow_nan=False)


def test_the_command_loads_no_more_than_it_needs_and_leaves_nothing_behind() -> None:
    """Of the heavy modules only numba, in a process that has done nothing else."""
    program = (
        "import gc, sys\n"
        "from loo_sim.cli import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert not end.code\n"
        "heavy = {'pandas', 'pyarrow', 'matplotlib', 'scipy'} & set(sys.modules)\n"
        "print(sorted(heavy), 'numba' in sys.modules, gc.isenabled(), file=sys.stderr)\n"
    )
    words = [sys.executable, "-c", program, *map(str, EXAMPLE), "--until", "0.5"]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    assert ended.stderr.splitlines()[-1] == "[] True True"
    assert "Stand: worth" in ended.stdout
