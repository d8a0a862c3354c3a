"""The benchmark: the scalar programs play the same game as the referee and the kernels."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from loo_sim import bench
from loo_sim.cards import ACE, Card, live_cards
from loo_sim.draws import Dealt, deal_cards
from loo_sim.referee import Deal, play_deal
from loo_sim.rules import Rules
from loo_sim.views import Situation, Turn

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
FOLD, STAND, DEFEND, TAKE_POT, WHOLE_POT = 0, 1, 3, 4, 4
ACTIONS = {"fold": FOLD, "stand": STAND, "defend": DEFEND}
DEALS = 400_000


@pytest.fixture(scope="module")
def scalar_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("build") / "scalar"
    bench.compile_scalar_c(bench.BENCHMARKS / "scalar.c", program)
    return program


@pytest.fixture(scope="module")
def scalar_numba() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scalar", bench.BENCHMARKS / "scalar_numba.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(program: Path, *words: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [str(program), *map(str, words)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)


def numbers(dealt: Dealt) -> str:
    """A deal as the scalar program reads it."""
    place = {card: number for number, card in enumerate(live_cards(dealt.turn_up))}
    hands = [dealt.miss, *dealt.hands]
    return " ".join(str(place[card]) for hand in hands for card in hand)


class TrumpsPlayer:
    """The policy `trumps`, written once more."""

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        live = [rank for rank in range(2, ACE + 1) if rank != turn_up.rank]
        trumps = [card.rank for card in hand if card.suit == turn_up.suit]
        if len(trumps) >= 2 or (trumps and trumps[0] >= live[-3]):
            return "stand"
        return "fold" if "fold" in situation.legal else "defend"

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        leads_plain = turn.best is None and all(card.suit != turn.trump_suit for card in legal)
        choose = max if leads_plain else min
        return choose(legal, key=lambda card: (card.suit == turn.trump_suit, card))


def play(dealt: Dealt) -> Deal:
    return play_deal(Rules(), dealt, bench.POT, [TrumpsPlayer()] * len(dealt.hands))


def counts_of(deal: Deal) -> dict[str, Any]:
    """A deal of the referee as counts of one."""
    seat_counts = np.zeros((deal.players, 5, 5), dtype=np.int64)
    pot_counts = np.zeros((17, 5, 17), dtype=np.int64)
    said = deal.said
    for seat in range(deal.players):
        if seat in said:
            seat_counts[seat, ACTIONS[said[seat]], deal.tricks_won[seat]] = 1
        else:
            seat_counts[seat, TAKE_POT, WHOLE_POT] = 1
    defence = 0
    if said.get(deal.dealer) == "defend":
        defence = 1 + deal.tricks_won[deal.dealer]
    players_in = sum(action != "fold" for action in said.values())
    pot_counts[players_in, defence, sum(net < 0 for net in deal.net)] = 1
    return {
        "seat_counts": seat_counts.tolist(),
        "pot_counts": pot_counts.tolist(),
        "net": list(deal.net),
        "pot_after": deal.pot_after,
    }


def assert_same_chances(
    counts: npt.NDArray[np.int64], others: npt.NDArray[np.int64], deals: int, other_deals: int
) -> None:
    """Shares of deals agree within 5 standard errors in every cell."""
    assert counts.shape == others.shape
    share = (counts + others) / (deals + other_deals)
    error = np.sqrt(share * (1 - share) * (1 / deals + 1 / other_deals))
    assert (np.abs(counts / deals - others / other_deals) <= 5 * error).all()


@needs_gcc
@pytest.mark.parametrize("players", [5, 6, 8, 11, 16])
def test_scalar_c_plays_each_deal_as_the_referee(scalar_c: Path, players: int) -> None:
    deals = [deal_cards(7, index, players) for index in range(600)]
    told = run(scalar_c, players, "check", stdin="\n".join(map(numbers, deals)))
    assert told.returncode == 0
    assert [json.loads(line) for line in told.stdout.splitlines()] == [
        counts_of(play(dealt)) for dealt in deals
    ]


@needs_gcc
@pytest.mark.parametrize("players", [5, 8, 16])
def test_scalar_programs_and_kernels_play_the_same_game(
    scalar_c: Path, scalar_numba: ModuleType, players: int
) -> None:
    from loo_sim.kernels.counting import count_deals

    seat_counts, pot_counts = count_deals(bench._encode(["trumps"], players), 3, 0, DEALS)
    of_c = json.loads(run(scalar_c, players, DEALS, 5).stdout)
    of_numba, net = scalar_numba.play_deals(players, DEALS, 6)
    for seats in (np.array(of_c["seat_counts"]), of_numba):
        assert (seats.sum(axis=(1, 2)) == DEALS).all()
        assert_same_chances(seats, seat_counts, DEALS, DEALS)
    assert_same_chances(np.array(of_c["pot_counts"]), pot_counts, DEALS, DEALS)
    assert sum(of_c["net"]) + of_c["pot_after"] == DEALS * bench.POT
    worth = np.zeros((5, 5), dtype=np.int64)
    worth[STAND, :4] = np.array([-3, 1, 2, 3]) * bench.UNITS_PER_STAKE
    worth[TAKE_POT, WHOLE_POT] = bench.POT
    assert of_c["net"] == (np.array(of_c["seat_counts"]) * worth).sum(axis=(1, 2)).tolist()
    assert net.tolist() == (of_numba * worth).sum(axis=(1, 2)).tolist()


@needs_gcc
def test_scalar_c_refuses_what_it_cannot_play(scalar_c: Path) -> None:
    assert run(scalar_c, 5).returncode == 2
    assert run(scalar_c, 17, 100, 1).returncode == 2
    told = run(scalar_c, 5, "check", stdin="0 1 51")
    assert told.returncode == 2
    assert "51 is not the number of a live card" in told.stderr


def test_bench_measures_every_engine_at_every_number_of_players() -> None:
    result = json.loads(json.dumps(bench.run_bench(deals=2_000, repeats=1)))
    rows = {(r["engine"], r["study"], r["policy"], r["players"]): r for r in result["rows"]}
    assert len(rows) == len(result["rows"])
    wanted = {
        ("loosim", "deals", policy, players)
        for policy in ("trumps", "peel", "random", "mixed")
        for players in (5, 8, 16)
    } | {("loosim", "announce", "peel", players) for players in (6, 16)}
    wanted |= {("scalar-numba", "deals", "trumps", players) for players in (5, 8, 16)}
    if shutil.which("gcc"):
        wanted |= {("scalar-c", "deals", "trumps", players) for players in (5, 8, 16)}
    assert set(rows) == wanted
    assert all(row["ns_per_deal"] > 0 for row in result["rows"])
    for (engine, study, policy, players), row in rows.items():
        of_c = rows.get(("scalar-c", study, policy, players))
        if of_c is None:
            assert row["ratio_to_c"] is None
        else:
            expected = of_c["ns_per_deal"] / row["ns_per_deal"]
            assert row["ratio_to_c"] == pytest.approx(expected, rel=1e-3, abs=1e-3)
            assert (row["ratio_to_c"] == 1) == (engine == "scalar-c")
    assert {"python", "loosim", "numba"} <= result["versions"].keys()
    assert result["machine"]["usable_cores"] >= 1


def test_bench_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench, "PLAYERS", (5,))
    monkeypatch.setattr(bench, "ANNOUNCE_PLAYERS", (6,))
    result = bench.run_bench(deals=500, repeats=1, benchmarks=tmp_path)
    assert {row["engine"] for row in result["rows"]} == {"loosim"}
    assert [told.partition(" was left out")[0] for told in result["left_out"]] == [
        "scalar-c",
        "scalar-numba",
    ]
    assert all("source checkout" in told for told in result["left_out"])


def test_compiling_says_that_gcc_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench.shutil, "which", lambda _: None)
    with pytest.raises(bench.BaselineError, match="gcc is not installed"):
        bench.compile_scalar_c(bench.BENCHMARKS / "scalar.c", tmp_path / "scalar")


@needs_gcc
def test_compiling_tells_what_gcc_says(tmp_path: Path) -> None:
    source = tmp_path / "scalar.c"
    source.write_text("int main(void) { return }")
    with pytest.raises(bench.BaselineError, match="error: expected expression"):
        bench.compile_scalar_c(source, tmp_path / "scalar")


def test_the_table_shows_every_figure() -> None:
    from rich.console import Console

    row = {"study": "deals", "policy": "trumps", "players": 5}
    result = {
        "repeats": 7,
        "deals": 500_000,
        "peak_memory_mb": 321.4,
        "rows": [
            {**row, "engine": "loosim", "ns_per_deal": 40.0, "ratio_to_c": 2.5},
            {**row, "engine": "scalar-c", "ns_per_deal": 100.0, "ratio_to_c": 1.0},
            {
                "engine": "loosim", "study": "announce", "policy": "peel", "players": 6,
                "ns_per_deal": 800.0, "ratio_to_c": None,
            },
        ],
    }  # fmt: skip
    console = Console(width=100, record=True, file=StringIO())
    console.print(bench.bench_table(result))
    lines = console.export_text().splitlines()
    cells = [line.replace("│", " ").split() for line in lines]
    assert ["deals", "trumps", "5", "loosim", "40.0", "25.00", "2.50"] in cells
    assert ["scalar-c", "100.0", "10.00", "1.00"] in cells
    assert ["announce", "peel", "6", "loosim", "800.0", "1.25"] in cells
