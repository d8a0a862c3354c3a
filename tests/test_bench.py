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

from loo_sim.bench import memory, run, scalar, start, tables, targets
from loo_sim.bench.cases import POT, cell_of, loosim_cases
from loo_sim.cards import ACE, Card, hand_classes, live_cards
from loo_sim.draws import Dealt, deal_cards
from loo_sim.referee import Deal, play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.views import Situation, Turn

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
FOLD, STAND, MISS, DEFEND, TAKE_POT, WHOLE_POT = 0, 1, 2, 3, 4, 4
ACTIONS = {"fold": FOLD, "stand": STAND, "defend": DEFEND}
DEALS = 400_000


@pytest.fixture(scope="module")
def scalar_c(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("build") / "scalar"
    scalar.compile_scalar_c(scalar.BENCHMARKS / "scalar.c", program)
    return program


@pytest.fixture(scope="module")
def scalar_numba() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scalar", scalar.BENCHMARKS / "scalar_numba.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(program: Path, *words: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
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
    return play_deal(Rules(), dealt, POT, [TrumpsPlayer()] * len(dealt.hands))


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
    told = call(scalar_c, players, "check", stdin="\n".join(map(numbers, deals)))
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
    from loo_sim.kernels.game import encode_cell

    game = encode_cell(cell_of("deals", "trumps", players))
    seat_counts, pot_counts = count_deals(game, 3, 0, DEALS)
    of_c = json.loads(call(scalar_c, players, DEALS, 5).stdout)
    of_numba, net = scalar_numba.play_deals(players, DEALS, 6)
    for seats in (np.array(of_c["seat_counts"]), of_numba):
        assert (seats.sum(axis=(1, 2)) == DEALS).all()
        assert_same_chances(seats, seat_counts, DEALS, DEALS)
    assert_same_chances(np.array(of_c["pot_counts"]), pot_counts, DEALS, DEALS)
    assert sum(of_c["net"]) + of_c["pot_after"] == DEALS * POT
    worth = np.zeros((5, 5), dtype=np.int64)
    worth[STAND, :4] = np.array([-3, 1, 2, 3]) * UNITS_PER_STAKE
    worth[TAKE_POT, WHOLE_POT] = POT
    assert of_c["net"] == (np.array(of_c["seat_counts"]) * worth).sum(axis=(1, 2)).tolist()
    assert net.tolist() == (of_numba * worth).sum(axis=(1, 2)).tolist()


@needs_gcc
def test_scalar_c_refuses_what_it_cannot_play(scalar_c: Path) -> None:
    assert call(scalar_c, 5).returncode == 2
    assert call(scalar_c, 17, 100, 1).returncode == 2
    told = call(scalar_c, 5, "check", stdin="0 1 51")
    assert told.returncode == 2
    assert "51 is not the number of a live card" in told.stderr


def test_bench_measures_every_engine_at_every_number_of_players() -> None:
    result = json.loads(json.dumps(run.run_bench(deals=2_000, repeats=1)))
    rows = {
        (r["engine"], r["study"], r["policy"], r["players"], r["rules"]): r for r in result["rows"]
    }
    assert len(rows) == len(result["rows"])
    wanted = {
        ("loosim", "deals", policy, players, "standard")
        for policy in ("trumps", "peel", "random", "mixed")
        for players in (5, 8, 16)
    }
    wanted |= {("loosim", "deals", "trumps", 6, preset) for preset in PRESETS}
    wanted |= {("loosim", "session", "trumps", players, "standard") for players in (5, 8, 16)}
    wanted |= {
        ("loosim", study, "peel", players, "standard")
        for study in ("announce", "alternatives")
        for players in (6, 16)
    }
    scalar_engines = ["scalar-numba"] + ["scalar-c"] * bool(shutil.which("gcc"))
    wanted |= {
        (engine, "deals", "trumps", players, "standard")
        for engine in scalar_engines
        for players in (5, 8, 16)
    }
    assert set(rows) == wanted
    assert all(row["ns_per_deal"] > 0 for row in result["rows"])
    for (engine, *work), row in rows.items():
        of_c = rows.get(("scalar-c", *work))
        if of_c is None:
            assert row["ratio_to_c"] is None
        else:
            expected = of_c["ns_per_deal"] / row["ns_per_deal"]
            assert row["ratio_to_c"] == pytest.approx(expected, rel=1e-3, abs=1e-3)
            assert (row["ratio_to_c"] == 1) == (engine == "scalar-c")
    assert {(row["engine"], row["players"], row["threads"]) for row in result["threads"]} == {
        (engine, players, threads)
        for engine in ("loosim", *scalar_engines[1:])
        for players in (5, 16)
        for threads in (1, 2)
    }
    assert all(row["ns_per_deal"] > 0 for row in result["threads"])
    assert [row["players"] for row in result["memory"]["batches"]] == [5, 6, 8, 16]
    assert result["start_seconds"] > 0
    assert result["compile_seconds"] is None
    assert {"python", "loosim", "numba"} <= result["versions"].keys()
    assert result["machine"]["usable_cores"] >= 1


def test_bench_says_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run, "loosim_cases", lambda: loosim_cases()[:1])
    monkeypatch.setattr(run, "thread_cases", dict)
    monkeypatch.setattr(run, "start_seconds", lambda: 1.0)
    monkeypatch.setattr(run, "find_targets", lambda result: [])
    result = run.run_bench(deals=500, repeats=1, benchmarks=tmp_path)
    assert {row["engine"] for row in result["rows"]} == {"loosim"}
    assert [told.partition(" was left out")[0] for told in result["left_out"]] == [
        "scalar-c",
        "scalar-numba",
    ]
    assert all("source checkout" in told for told in result["left_out"])


def test_measurements_take_turns_and_the_least_counts() -> None:
    done: list[tuple[str, int]] = []
    seconds = {"a": iter([9.0, 3.0, 2.0, 4.0]), "b": iter([9.0, 5.0, 7.0, 6.0])}

    def measure(name: str, deals: int) -> float:
        done.append((name, deals))
        return next(seconds[name])

    todo = {name: lambda deals, seed, name=name: measure(name, deals) for name in "ab"}
    least = run.least_in_turns(todo, 50, 3, 1, lambda _: None)
    assert least == {"a": 2.0, "b": 5.0}  # the first, of few deals, compiles and does not count
    assert done == [("a", run.WARM_UP), ("b", run.WARM_UP)] + [("a", 50), ("b", 50)] * 3


@pytest.mark.parametrize("preset", ["standard", "club"])
def test_alternatives_one_by_one_come_to_what_announce_counts(preset: str) -> None:
    from loo_sim.bench.alternatives import count_alternative
    from loo_sim.kernels.counting import count_announcements
    from loo_sim.kernels.game import NO_MISS, encode_cell

    players, deals = 5, 3_000
    game = encode_cell(cell_of("announce", "mixed", players, preset))
    shape = (players * (players + 1), hand_classes().size.size, 5)
    both = np.zeros((*shape, 6), np.uint32)
    count_announcements(game, 3, 10, deals, both)
    alone = {action: np.zeros(shape, np.uint32) for action in (STAND, MISS)}
    for action, counts in alone.items():
        for seat in range(players):
            count_alternative(game, seat, action, 3, 10, deals, counts)
    assert both[..., NO_MISS].any()
    assert (alone[STAND] == both.sum(axis=3)).all()
    assert (alone[MISS] == both[..., :NO_MISS].sum(axis=2)).all()


def test_a_batch_uses_more_rows_the_more_players_there_are() -> None:
    from loo_sim.kernels.batch import LANES, make_scratch

    sizes = [memory.batch_bytes(players) for players in (5, 8, 16)]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] <= sum(rows.nbytes for rows in make_scratch()) + memory.LINE * 20
    # At the least, each deal's number and the three cards of each hand are written.
    for players, size in zip((5, 8, 16), sizes, strict=True):
        assert size >= LANES * (8 + 3 * (players + 1))


@pytest.mark.parametrize(("size", "known"), [("512K\n", 2**19), ("2M", 2**21), ("?", None)])
def test_the_second_level_cache_is_read_from_the_system(
    tmp_path: Path, size: str, known: int | None
) -> None:
    for index, (level, told) in enumerate([("1\n", "32K"), ("2\n", size), ("3\n", "32M")]):
        (tmp_path / f"index{index}").mkdir()
        (tmp_path / f"index{index}" / "level").write_text(level)
        (tmp_path / f"index{index}" / "size").write_text(told)
    assert memory.l2_bytes(tmp_path) == known
    assert memory.l2_bytes(tmp_path / "absent") is None


def test_a_process_that_fails_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "EXPERIMENT", 'study = "none"')
    with pytest.raises(subprocess.CalledProcessError):
        start.start_seconds()


def result_of(**changes: Any) -> dict[str, Any]:
    """A result of `run_bench` whose every measurement is on the edge of its target."""

    def row(study: str, policy: str, players: int, ns: float, **more: Any) -> dict[str, Any]:
        return {
            "engine": "loosim", "study": study, "policy": policy, "players": players,
            "rules": "standard", "ns_per_deal": ns, "ratio_to_c": None, **more,
        }  # fmt: skip

    rows = [
        row("deals", "trumps", players, 100.0, ratio_to_c=ratio)
        for players, ratio in ((5, 3.0), (8, 2.7), (16, 2.5))
    ]
    rows += [
        row("deals", policy, players, 150.0)
        for policy in ("peel", "random", "mixed")
        for players in (5, 8, 16)
    ]
    rows += [row("session", "trumps", players, 130.0) for players in (5, 8, 16)]
    rows += [
        row("deals", "trumps", 6, 100.0 if preset == "standard" else 130.0, rules=preset)
        for preset in PRESETS
    ]
    rows += [row("announce", "peel", 6, 500.0), row("alternatives", "peel", 6, 900.0)]
    return {
        "repeats": 7,
        "deals": 500_000,
        "peak_memory_mb": 321.4,
        "rows": rows,
        "threads": [
            {
                "engine": engine,
                "players": players,
                "threads": threads,
                "ns_per_deal": ns / gain ** (threads - 1),
                "processors": threads,
            }
            for engine, ns, gain in (("loosim", 90.0, 1.8), ("scalar-c", 200.0, 1.1))
            for players in (5, 16)
            for threads in (1, 2)
        ],
        "memory": {"batches": [{"players": 5, "bytes": 2**19}], "l2_bytes": 2**19},
        "start_seconds": 1.5,
        "compile_seconds": {"deals": 12.0, "announce": 8.0},
        **changes,
    }


def test_targets_are_those_of_the_engine_and_met_on_their_edge() -> None:
    found = targets.find_targets(result_of())
    asked = {(t["what"], t["players"]): (t["bound"], t["asked"]) for t in found}
    assert len(asked) == len(found)
    assert asked == {
        ("scalar C / deals", 5): ("at least", 3.0),
        ("scalar C / deals", 8): ("at least", 2.7),
        ("scalar C / deals", 16): ("at least", 2.5),
        **{
            (f"{policy} / trumps", players): ("at most", 1.5)
            for policy in ("peel", "random", "mixed")
            for players in (5, 8, 16)
        },
        **{("session / deals", players): ("at most", 1.3) for players in (5, 8, 16)},
        **{
            (f"{preset} / standard", 6): ("at most", 1.3)
            for preset in ("peel", "enquire", "classic", "unlimited", "club")
        },
        ("alternatives / announce", 6): ("at least", 1.8),
        ("announce", 6): ("at least", 2.0),
        ("2 threads / 1", 5): ("at least", 1.8),
        ("2 threads / 1", 16): ("at least", 1.8),
        ("rows of a batch", 5): ("at most", 512.0),
        ("compiling everything", None): ("at most", 20.0),
        ("start of a run", None): ("at most", 1.5),
    }
    assert [t for t in found if not t["is_met"]] == []


def test_targets_are_missed_beyond_their_edge_and_left_out_where_not_measured() -> None:
    result = result_of(
        compile_seconds=None,
        start_seconds=1.501,
        memory={"batches": [{"players": 5, "bytes": 2**19 + 64}], "l2_bytes": 2**19},
    )
    for row in result["rows"]:
        if row["study"] == "session" and row["players"] == 8:
            row["ns_per_deal"] = 130.2
        if row["ratio_to_c"] == 2.5:
            row["ratio_to_c"] = None
    found = targets.find_targets(result)
    assert {(t["what"], t["players"]) for t in found if not t["is_met"]} == {
        ("session / deals", 8),
        ("rows of a batch", 5),
        ("start of a run", None),
    }
    assert {t["what"] for t in found}.isdisjoint({"compiling everything"})
    assert ("scalar C / deals", 16) not in {(t["what"], t["players"]) for t in found}
    unknown = result_of(memory={"batches": [{"players": 5, "bytes": 1}], "l2_bytes": None})
    assert "rows of a batch" not in {t["what"] for t in targets.find_targets(unknown)}


def test_compiling_says_that_gcc_is_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(scalar.shutil, "which", lambda _: None)
    with pytest.raises(scalar.BaselineError, match="gcc is not installed"):
        scalar.compile_scalar_c(scalar.BENCHMARKS / "scalar.c", tmp_path / "scalar")


@needs_gcc
def test_compiling_tells_what_gcc_says(tmp_path: Path) -> None:
    source = tmp_path / "scalar.c"
    source.write_text("int main(void) { return }")
    with pytest.raises(scalar.BaselineError, match="error: expected expression"):
        scalar.compile_scalar_c(source, tmp_path / "scalar")


def cells_of(table: Any) -> list[list[str]]:
    """The words of a table as it is shown, line by line."""
    from rich.console import Console

    console = Console(width=120, record=True, file=StringIO())
    console.print(table)
    return [line.replace("│", " ").split() for line in console.export_text().splitlines()]


def test_the_tables_show_every_figure() -> None:
    result = result_of()
    c_row = {**result["rows"][0], "engine": "scalar-c", "ns_per_deal": 300.0, "ratio_to_c": 1.0}
    result["rows"].insert(1, c_row)
    cells = cells_of(tables.rows_table(result))
    assert ["deals", "trumps", "5", "standard", "loosim", "100.0", "10.00", "3.00"] in cells
    assert ["scalar-c", "300.0", "3.33", "1.00"] in cells
    assert ["announce", "peel", "6", "standard", "loosim", "500.0", "2.00"] in cells
    result["start_seconds"] = 1.75
    result["targets"] = targets.find_targets(result)
    cells = cells_of(tables.targets_table(result))
    assert ["scalar", "C", "/", "deals", "5", "3.00", "at", "least", "3", "met"] in cells
    assert ["session", "/", "deals", "8", "1.30", "at", "most", "1.3", "met"] in cells
    assert ["start", "of", "a", "run", "1.75", "at", "most", "1.5", "s", "not", "met"] in cells
    told = " ".join(word for line in cells for word in line)
    assert "loosim, 16 players, threads or processes 2: 50.0 ns" in told
    assert "deals 12.0; announce 8.0" in told
