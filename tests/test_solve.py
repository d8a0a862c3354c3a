"""loosim solve: its files, whatever breaks it off; what it refuses; what its strategy is like."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from commands import loosim

import loo_sim
from loo_sim.cards import hand_classes
from loo_sim.policies.features import situations
from loo_sim.policies.parse import load_policy, read_policy
from loo_sim.problems import InputError
from loo_sim.solution import read_solution
from loo_sim.strategy import gains, place, regrets, solver, solving
from loo_sim.strategy.regrets import Regrets

FILES = ("manifest.json", "policy.toml", "table.parquet", "gain.parquet")
ENDS = {"finished", "seconds", "jobs", "digest", "command"}
"""Keys of a manifest that are not the same each time."""


@pytest.fixture
def few(monkeypatch):
    """Few deals, which is enough for all but a good strategy."""
    monkeypatch.setattr(regrets, "PART_DEALS", 2**10)
    monkeypatch.setattr(regrets, "ROUND_DEALS", 5 * 2**10)
    monkeypatch.setattr(solver, "ROUND_DEALS", 5 * 2**10)
    monkeypatch.setattr(solver, "FIRST_ROUNDS", 3)
    for module in (gains, solver):
        monkeypatch.setattr(module, "CHUNK_DEALS", 2**12)
    monkeypatch.setattr(solver, "LEAST_DEALS", 2**13)
    monkeypatch.setattr(solver, "GAIN_DEALS", 2**14)


def solve(directory: Path, *words: object):
    return loosim("solve", "--players", 5, "--quiet", "-o", directory, *words)


def manifest_of(directory: Path) -> dict:
    content = json.loads((directory / "manifest.json").read_bytes())
    return {key: value for key, value in content.items() if key not in ENDS}


def test_the_files_are_those_of_a_solution(few, tmp_path):
    out = tmp_path / "s"
    ended = solve(out, "--pot", "9,3", "--max-deals", 40_000, "--until", 0.001)
    assert ended.stdout.count("dealer") == 2  # a row a pot and seat
    assert ended.exit_code == 4  # so few deals lead nowhere
    assert "stopped short of the target of 0.001 stakes" in ended.stderr
    assert sorted(item.name for item in out.iterdir()) == sorted(FILES)
    assert not (tmp_path / "s.partial").exists()
    solution = read_solution(out)
    assert solution.pots == (3.0, 9.0)
    assert solution.manifest["reached"] is False
    table = pd.read_parquet(out / "table.parquet")
    assert len(table) == 2 * len(situations(5)) * len(hand_classes().names)
    # Sixteenths, those of the dealer eighths.
    parts = table[["fold", "stand", "miss", "defend"]].to_numpy() * 16
    assert (parts == np.round(parts)).all()
    assert (parts[table["seat"] == 4] % 2 == 0).all()
    gain = pd.read_parquet(out / "gain.parquet")
    assert list(gain["seat"]) == [0, 1, 2, 3, 4] * 2
    # 3 rounds of 5,120 deals, then 6: 12 would be more than may be.
    assert [game["deals"] for game in solution.manifest["games"]] == [30_720, 30_720]
    looks = solution.manifest["games"][0]["looks"]
    assert [look["deals"] for look in looks] == [15_360, 30_720]


def test_the_policy_is_played_as_it_was_solved(few, tmp_path):
    out = tmp_path / "s"
    solve(out, "--policy", "peel", "--max-deals", 20_000)
    assert read_policy(out / "policy.toml").play == load_policy("peel").play
    run = loosim("deal", "--players", 5, "--policy", out / "policy.toml", "--json", "--quiet")
    assert json.loads(run.stdout)["policies"] == ["near-equilibrium-5"] * 5
    words = ("--turn-up", "9h", "--players", 5, "--policy", out / "policy.toml", "--quiet")
    advised = loosim("advise", "Ah Kh 2c", *words, "--json")
    assert json.loads(advised.stdout)["best"] == "stand"
    assert "near-equilibrium-5" in loosim("report", out, "-o", tmp_path / "s.html").stdout + (
        tmp_path / "s.html"
    ).read_text(encoding="utf-8")


def test_jobs_and_interruptions_change_nothing(few, tmp_path, monkeypatch):
    one, two = tmp_path / "one", tmp_path / "two"
    words = ("--pot", 3, "--pot", 6, "--max-deals", 40_000, "--until", 0.001)
    assert solve(one, *words, "--jobs", 1).exit_code == 4
    monkeypatch.setattr(solving, "SAVE_SECONDS", 0.0)
    learn, left = Regrets.learn, [2, 1, 7]

    def learn_some(self, pool):
        learn(self, pool)
        left[0] -= 1
        if left[0] == 0:
            left.pop(0)
            raise KeyboardInterrupt

    monkeypatch.setattr(Regrets, "learn", learn_some)
    for _ in range(3):
        ended = solve(two, *words, "--jobs", 2)
        assert ended.exit_code == 130
        assert "go on with: loosim solve --players 5 --pot 3 --pot 6" in ended.stderr
        assert not two.exists()
    left.append(-1)
    assert solve(two, *words, "--jobs", 2).exit_code == 4
    for name in FILES[1:]:
        assert (one / name).read_bytes() == (two / name).read_bytes()
    assert manifest_of(one) == manifest_of(two)
    again = loosim("solve", "--players", 5, "-o", two, *words)
    assert "it was solved before" in again.stderr


def break_off(*_):
    raise KeyboardInterrupt


def test_a_kill_while_files_are_written_leaves_nothing_half_done(few, tmp_path, monkeypatch):
    out = tmp_path / "s"
    words = ("--max-deals", 20_000)
    with monkeypatch.context() as patched:
        patched.setattr(place, "write_table", break_off)
        assert solve(out, *words).exit_code == 130
    assert not out.exists()
    assert (tmp_path / "s.partial" / "new").is_dir()
    assert solve(out, *words).exit_code in (0, 4)
    assert read_solution(out).manifest["deals"] == 15_360
    assert not (tmp_path / "s.partial").exists()


def test_no_more_deals_are_learned_from_than_may_be(few, tmp_path):
    solve(tmp_path / "s", "--max-deals", 11_000)
    assert read_solution(tmp_path / "s").manifest["deals"] == 2 * 5 * 2**10


def test_another_request_is_refused_where_one_is(few, tmp_path):
    out = tmp_path / "s"
    solve(out, "--max-deals", 20_000)
    refused = solve(out, "--max-deals", 20_000, "--seed", 2)
    assert refused.exit_code == 2
    assert "is of another experiment" in refused.stderr
    assert "seed: 1 there, 2 here" in refused.stderr
    assert solve(out, "--max-deals", 20_000, "--seed", 2, "--fresh").exit_code in (0, 4)
    assert read_solution(out).manifest["seed"] == 2


def test_foreign_files_are_left_alone(few, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    refused = solve(tmp_path)
    assert refused.exit_code == 2
    assert "holds 'letter.txt'" in refused.stderr
    assert (tmp_path / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--pot", 3, "--pot", 3), ["pot: is there twice"]),
        (("--pot", 1), ["a pot of 1 stakes cannot be"]),
        (("--pot", "3,x,nan"), ["'x' is no number of stakes", "pot"]),
        (("--max-deals", 80_000), ["80,000 deals are too few", "81,920 at least"]),
        (("--until", 0), ["0 stakes a deal can never be reached"]),
        (("--carry", "half"), ["carry: 'half' is none"]),
        (("--policy", "pel"), ["there is no policy 'pel'", "did you mean 'peel'?"]),
        (("--players", 4), ["4 players cannot play"]),
        (("--pot", 2000), ["more than can be summed exactly"]),
        (
            ("--rules", "enquire"),
            ["force_on_single = true lets everyone stand at a pot of 3"],
        ),
        (
            ("--pot", 1, "--carry", "x", "--until", -1),
            ["a pot of 1 stakes", "'x' is none", "-1 stakes"],
        ),
    ],
)
def test_what_cannot_be_solved_is_refused_with_all_that_is_wrong(tmp_path, words, told):
    refused = solve(tmp_path / "s", *words)
    assert refused.exit_code == 2
    for text in told:
        assert text in refused.stderr
    assert not list(tmp_path.iterdir())


def test_programs_are_told_what_is_wrong_too(tmp_path):
    with pytest.raises(InputError) as refused:
        loo_sim.solve(tmp_path / "s", jobs=0, seed=-1, players=2.5)
    for key in ("jobs", "seed", "players"):
        assert f"loo_sim.solve: {key}: " in str(refused.value)
    with pytest.raises(InputError, match="'x' is no number of stakes"):
        loo_sim.solve(tmp_path / "s", pots=["x"])
    assert not list(tmp_path.iterdir())


def test_the_interface_for_programs_does_the_same(few, tmp_path):
    found = loo_sim.solve(tmp_path / "s", players=5, pots=[3], max_deals=20_000, carry="equal")
    assert found.manifest["carry"] == "equal"
    assert list(found.gain["seat"]) == [0, 1, 2, 3, 4]
    # All that is taken, paid and left is the pot: the parts of all seats add up to it.
    assert found.gain["value"].sum() == pytest.approx(3.0, abs=1e-12)
    names = pq.read_schema(found.directory / "table.parquet").names
    assert names[:6] == ["players", "pot", "seat", "standers", "miss_free", "hand"]
