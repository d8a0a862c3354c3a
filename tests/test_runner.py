"""Runs: the same result whatever the threads, whole or not at all, and told truly."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fake_study import kind_of

from loo_sim.cards import hand_classes, hand_index, live_cards
from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError
from loo_sim.referee import Deal
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.runner.partial import Kept
from loo_sim.runner.plan import Chunk, chunks, deals_in
from loo_sim.runner.progress import COMPILING, LineProgress
from loo_sim.runner.replay import replay
from loo_sim.runner.results import check_place
from loo_sim.runner.run import Run, run_experiment
from loo_sim.runner.signals import Stopper, Terminated
from loo_sim.runner.threads import Threads
from loo_sim.studies import find_study
from loo_sim.sweep import column_values

TESTS = Path(__file__).parent


def experiment(folder: Path, text: str = "") -> Path:
    path = folder / "x.toml"
    path.write_text(f'study = "deals"\ndeals = 95\nseed = 4\n{text}', encoding="utf-8")
    return path


SWEEP = "[sweep]\npot = [3, 6, 9]"


def run(folder: Path, text: str = "", jobs: int = 1, **options) -> Run:
    checked = load_experiment(experiment(folder, text))
    return run_experiment(checked, folder / "out", jobs, **options)


def statuses(ended: Run) -> list[str]:
    return [cell["status"] for cell in ended.manifest["cells"]]


# --- plan -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("deals", "length"), [(1, 10), (10, 10), (11, 10), (95, 7)])
def test_chunks_hold_every_deal_once(deals, length):
    found = list(chunks(deals, length))
    assert [n for c in found for n in range(c.first, c.first + c.deals)] == list(range(deals))
    assert all(0 < c.deals <= length for c in found)


def test_chunks_are_cut_alike_on_every_machine():
    assert list(chunks(25, 10)) == [Chunk(0, 0, 10), Chunk(1, 10, 10), Chunk(2, 20, 5)]


def test_chunks_that_are_done_are_left_out_and_their_deals_counted():
    assert [c.first for c in chunks(25, 10, {0, 2})] == [10]
    assert deals_in([0, 2], 25, 10) == 15
    assert deals_in([], 25, 10) == 0


# --- counting -------------------------------------------------------------------------------------


def test_every_deal_is_counted_once(study, tmp_path):
    ended = run(tmp_path)
    table = pd.read_parquet(ended.directory / "kinds.parquet")
    expected = Counter(kind_of(4, number) for number in range(95))
    assert table["n"].tolist() == [expected[kind] for kind in table["kind"]]
    assert table["n"].sum() == 95


def test_a_policy_that_is_a_table_can_be_played(study, tmp_path):
    ended = run(tmp_path, 'policies = ["equilibrium"]')
    (cell,) = ended.manifest["cells"]
    assert [policy["name"] for policy in cell["policies"]] == ["equilibrium"] * 6


@pytest.mark.parametrize("jobs", [2, 3, 50])
def test_the_tables_are_the_same_bytes_whatever_the_jobs(study, tmp_path, jobs):
    digests = []
    for folder, threads in (("a", 1), ("b", jobs)):
        (tmp_path / folder).mkdir()
        ended = run(tmp_path / folder, SWEEP, threads)
        digests.append(ended.manifest["tables"])
        content = (ended.directory / "kinds.parquet").read_bytes()
        digests.append(content)
    assert digests[:2] == digests[2:]


def test_no_more_threads_work_than_memory_has_room_for(study, tmp_path, monkeypatch, capsys):
    # The counts of a fake study are seven words of eight bytes.
    monkeypatch.setattr("loo_sim.runner.threads.MOST_COUNT_BYTES", 3 * 7 * 8)
    digests = []
    for threads, told in ((3, ""), (8, "only 3 of 8 threads: memory for more is wanting\n")):
        at_work = set()
        study.seconds = 0.01
        study.before_chunk = lambda game, first, ids=at_work: ids.add(threading.get_ident())
        ended = run(tmp_path, jobs=threads, progress=LineProgress(), verbose=True, fresh=True)
        assert len(at_work - {threading.get_ident()}) == 3
        assert capsys.readouterr().err.startswith(told + "x: 95 deals")
        digests.append(ended.manifest["tables"])
    assert digests[0] == digests[1]


def test_the_counts_of_sixteen_players_stay_within_half_a_gigabyte(tmp_path):
    path = experiment(tmp_path, "players = 16")
    (cell,) = load_experiment(path, ["study=announce"]).cells
    counts = find_study("announce").empty_counts(cell)
    threads = Threads(64).totals(counts)
    assert threads * 272 * 4861 * 5 * 6 * 4 <= 500e6 < (threads + 1) * 272 * 4861 * 5 * 6 * 4


def test_counts_too_large_for_the_memory_are_counted_by_one_thread():
    assert Threads(4).totals((np.empty(2**29, np.uint8),)) == 1


def test_another_seed_gives_other_tables(study, tmp_path):
    first = run(tmp_path)
    tables = first.manifest["tables"]
    checked = load_experiment(experiment(tmp_path), ["seed=5"])
    ended = run_experiment(checked, tmp_path / "out", 1, fresh=True)
    assert ended.manifest["tables"] != tables


def test_tables_start_with_the_axes_a_row_group_a_cell(study, tmp_path):
    text = '[sweep]\n"rules.loo" = [3, "pot"]\npot = [3, 4.333333333333333]\nplayers = [5]'
    table = pd.read_parquet(run(tmp_path, text).directory / "kinds.parquet")
    assert list(table.columns) == ["rules.loo", "pot", "players", "kind", "n"]
    cells = table.drop_duplicates(["rules.loo", "pot"])[["rules.loo", "pot", "players"]]
    assert cells.to_numpy().tolist() == [
        ["3", 3.0, 5],
        ["3", 4.333333333333333, 5],
        ["pot", 3.0, 5],
        ["pot", 4.333333333333333, 5],
    ]


def test_axes_become_values_that_a_column_can_hold():
    axes = [
        {"a": 1, "b": 1, "c": 3, "d": True, "e": ["x", "y"]},
        {"a": 2, "b": 2.5, "c": "pot", "d": False, "e": "z"},
    ]
    found = column_values(axes)
    assert found == [
        {"a": 1, "b": 1.0, "c": "3", "d": True, "e": "x, y"},
        {"a": 2, "b": 2.5, "c": "pot", "d": False, "e": "z"},
    ]
    assert [type(value) for value in found[0].values()] == [int, float, str, bool, str]


# --- the result directory -------------------------------------------------------------------------


def test_the_manifest_says_what_was_run_and_how(study, tmp_path):
    checked = load_experiment(experiment(tmp_path, SWEEP), ["rules.loo=6", "sweep.pot=[3, 9.0]"])
    run_experiment(checked, tmp_path / "out", 2)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["schema"] == "loosim.result/1"
    assert (manifest["name"], manifest["study"], manifest["seed"]) == ("x", "deals", 4)
    assert (manifest["status"], manifest["jobs"]) == ("done", 2)
    assert manifest["units_per_stake"] == UNITS_PER_STAKE
    assert manifest["experiment"]["rules"] == {"loo": 6}
    assert manifest["experiment"]["sweep"] == {"pot": [3, 9.0]}
    assert manifest["command"] == (
        f"loosim run {tmp_path}/x.toml -s rules.loo=6 -s 'sweep.pot=[3, 9.0]' -o {tmp_path}/out"
    )
    assert {"python", "numpy", "numba", "llvmlite", "pandas"} <= set(manifest["versions"])
    assert {"rules", "policies", "kernels"} == set(manifest["digests"])
    first, second = manifest["cells"]
    assert (first["axes"], second["axes"]) == ({"pot": 3.0}, {"pot": 9.0})
    assert (second["pot"], second["pot_units"]) == (9, 9 * UNITS_PER_STAKE)
    assert (second["players"], second["deals"], second["status"]) == (6, 95, "done")
    assert second["rules"]["loo"] == 6
    assert [policy["name"] for policy in second["policies"]] == ["peel"] * 6
    assert second["policies"][0]["source"] == "peel"
    assert manifest["policy_files"] == {}


def test_the_manifest_keeps_the_text_of_policies_of_ones_own(study, tmp_path):
    text = '# mine\nname = "mine"\n[announce]\notherwise = "stand"\n'
    mine = tmp_path / "mine.toml"
    mine.write_text(text, encoding="utf-8")
    seats = 'policies = ["peel", "mine.toml", "mine.toml", "peel", "peel", "mine.toml"]'
    checked = load_experiment(experiment(tmp_path, f"{seats}\n{SWEEP}"))
    mine.write_text("something else by now")
    ended = run_experiment(checked, tmp_path / "out", 1)
    assert ended.manifest["policy_files"] == {str(mine): text}
    source = ended.manifest["cells"][1]["policies"][5]["source"]
    assert ended.manifest["policy_files"][source] == text


def test_an_older_result_is_replaced_whole(study, tmp_path):
    run(tmp_path, SWEEP)
    (tmp_path / "out" / "other.parquet").write_bytes(b"")
    run(tmp_path, fresh=True)
    assert sorted(item.name for item in (tmp_path / "out").iterdir()) == [
        "chunks.parquet",
        "kinds.parquet",
        "manifest.json",
        "running.parquet",
    ]
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "x.toml"]


def test_what_is_no_result_is_never_overwritten(study, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    check_place(out)  # an empty directory will do
    (out / "diary.txt").write_text("dear diary")
    with pytest.raises(InputError, match=r"holds 'diary.txt', which is no part of a result"):
        run(tmp_path)
    (out / "diary.txt").unlink()
    (out / "data.parquet").write_bytes(b"precious")
    with pytest.raises(InputError, match="is not empty and holds no result of loosim"):
        run(tmp_path)
    (out / "manifest.json").write_text('{"schema": "other"}')
    with pytest.raises(InputError, match="is not empty and holds no result of loosim"):
        run(tmp_path)
    assert (out / "data.parquet").read_bytes() == b"precious"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "x.toml"]


def test_a_result_beside_someones_notes_is_not_overwritten(study, tmp_path):
    run(tmp_path)
    (tmp_path / "out" / "notes.md").write_text("mine")
    with pytest.raises(InputError, match=r"holds 'notes.md'"):
        run(tmp_path)


def test_a_file_in_the_way_is_refused(study, tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="is a file, not a directory"):
        run(tmp_path)
    assert (tmp_path / "out").read_text() == "a file"


def test_a_place_below_a_file_is_refused(study, tmp_path):
    checked = load_experiment(experiment(tmp_path))
    with pytest.raises(InputError, match="cannot be written"):
        run_experiment(checked, tmp_path / "x.toml" / "out", 1)


def test_a_failure_while_writing_leaves_the_older_result(study, tmp_path, monkeypatch):
    before = run(tmp_path).manifest

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("loo_sim.runner.partial.Partial.keep", full)
    with pytest.raises(OSError, match="No space left"):
        run(tmp_path, SWEEP, fresh=True)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text()) == before
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "x.toml"]


# --- cells that fail, runs that are stopped -------------------------------------------------------


def raising_at(pot: int, error: BaseException):
    def before_chunk(game, first):
        if game == pot * UNITS_PER_STAKE and first == 50:
            raise error

    return before_chunk


def test_a_cell_that_fails_is_named_and_the_others_go_on(study, tmp_path):
    study.before_chunk = raising_at(6, RuntimeError("no such trick"))
    ended = run(tmp_path, SWEEP, jobs=2)
    assert statuses(ended) == ["done", "failed", "done"]
    assert ended.manifest["status"] == "failed"
    assert ended.manifest["cells"][1]["error"] == "RuntimeError: no such trick"
    assert ended.manifest["cells"][1]["deals"] == 0
    table = pd.read_parquet(ended.directory / "kinds.parquet")
    assert table.groupby("pot")["n"].sum().to_dict() == {3: 95, 9: 95}


def test_a_run_of_which_every_cell_fails_leaves_what_was_there(study, tmp_path):
    before = run(tmp_path).manifest
    study.before_chunk = raising_at(3, RuntimeError())
    ended = run(tmp_path, fresh=True)
    assert statuses(ended) == ["failed"]
    assert (ended.directory, ended.partial) == (None, None)
    assert json.loads((tmp_path / "out" / "manifest.json").read_text()) == before
    assert (tmp_path / "out" / "kinds.parquet").exists()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "x.toml"]


def test_a_failed_cell_stops_its_own_work_at_once(study, tmp_path):
    begun = []

    def before_chunk(game, first):
        begun.append(first)
        if first == 20:
            raise RuntimeError

    study.before_chunk = before_chunk
    run(tmp_path)
    assert begun == [0, 0, 10, 20]  # the first is the one that compiles


def test_a_stopped_run_keeps_what_is_done_beside_the_place_of_the_result(study, tmp_path):
    study.before_chunk = raising_at(6, KeyboardInterrupt())
    ended = run(tmp_path, SWEEP)
    assert statuses(ended) == ["done", "interrupted", "not run"]
    assert isinstance(ended.stopped, KeyboardInterrupt)
    assert (ended.directory, ended.partial) == (None, tmp_path / "out.partial")
    kept = Kept(tmp_path / "out")
    kept.resume(kept.begun()["identity"], kept.begun()["identity"])
    table = dict(kept.tables(0))["kinds"].to_pandas()
    assert table.groupby("pot")["n"].sum().to_dict() == {3: 95}
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out.partial", "x.toml"]


def test_a_run_stopped_before_anything_is_done_leaves_what_was_there(study, tmp_path):
    before = run(tmp_path).manifest

    def before_chunk(game, first):
        raise KeyboardInterrupt

    study.before_chunk = before_chunk
    ended = run(tmp_path, SWEEP, fresh=True)
    assert (ended.directory, ended.partial) == (None, None)
    assert statuses(ended) == ["interrupted", "not run", "not run"]
    assert json.loads((tmp_path / "out" / "manifest.json").read_text()) == before
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out", "x.toml"]


def test_signals_wait_while_something_is_written():
    reached = []

    def write():
        with Stopper() as stopper, stopper.shield():
            signal.raise_signal(signal.SIGTERM)
            reached.append("the end of the block")

    with pytest.raises(Terminated):
        write()
    assert reached == ["the end of the block"]


def test_signals_stop_at_once_what_is_not_shielded():
    reached = []

    def work():
        with Stopper():
            signal.raise_signal(signal.SIGINT)
            reached.append("the end of the block")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert not reached
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_while_the_compiler_calls_back_is_not_lost(capfd):
    from llvmlite import binding

    reached = []

    def called_back(module: object, code: bytes) -> None:
        signal.raise_signal(signal.SIGINT)
        reached.append("the end of the call")

    def work():
        with Stopper():
            machine = binding.Target.from_default_triple().create_target_machine()
            module = binding.parse_assembly("define i32 @f() { ret i32 1 }")
            compiler = binding.create_mcjit_compiler(module, machine)
            compiler.set_object_cache(notify_func=called_back)
            compiler.finalize_object()
            threading.Event().wait(60)
            reached.append("the end of the block")

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["the end of the call"]
    assert capfd.readouterr().err == ""


def test_seconds_are_those_of_counting(tmp_path, study, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("loo_sim.runner.cell.perf_counter", lambda: clock[0])
    monkeypatch.setattr("loo_sim.runner.here.get_ready", lambda *_: clock.append(clock.pop() + 30))
    study.before_chunk = lambda game, first: clock.append(clock.pop() + 2)
    (cell,) = run(tmp_path).manifest["cells"]
    assert clock[0] > 30
    assert cell["seconds"] == clock[0] - 30


def test_signals_after_the_first_change_nothing():
    reached = []

    def work():
        with Stopper():
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGTERM)
                reached.append("the end of the block")

    with pytest.raises(KeyboardInterrupt) as caught:
        work()
    assert reached == ["the end of the block"]
    assert not isinstance(caught.value, Terminated)


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_ends_the_command_and_keeps_what_is_done(tmp_path, name, code):
    script = """
        import sys
        from fake_study import fake_study
        from loo_sim.cli import main

        def before_chunk(game, first):
            if game == 6 * 729:
                study.seconds = 0.3
                if first == 0:
                    print("in the second cell", flush=True)

        with fake_study() as study:
            study.before_chunk = before_chunk
            main()
    """
    path = experiment(tmp_path, SWEEP)
    words = ["run", str(path), "-o", str(tmp_path / "out"), "--jobs", "2", "--quiet"]
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *words],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "in the second cell\n"
        process.send_signal(getattr(signal, name))
        _, told = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == code
    stopped, go_on = told.splitlines()
    found = re.fullmatch(
        r"stopped: 1 of 3 cells done, (10|20) of 95 deals of the next, (.*)", stopped
    )
    assert found is not None, stopped
    assert found[2] == f"kept in {tmp_path}/out.partial"
    assert go_on == f"go on with: loosim run {path} -o {tmp_path}/out"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["out.partial", "x.toml"]


# --- with the kernels -----------------------------------------------------------------------------

REAL = """study = "{study}"
seed = 3
deals = {deals}
players = 5
pot = 6
policies = ["peel", "random", "loose", "tight", "random"]
[rules]
loo = 4
"""
REPLAYED = 600


def real_run(folder: Path, study: str) -> tuple[dict[str, pd.DataFrame], list[Deal]]:
    """The tables of a run with the kernels, and the same deals played by the referee."""
    path = folder / "real.toml"
    path.write_text(REAL.format(study=study, deals=REPLAYED))
    checked = load_experiment(path)
    ended = run_experiment(checked, folder / "out", 2)
    assert statuses(ended) == ["done"]
    tables = {item.stem: pd.read_parquet(item) for item in ended.directory.glob("*.parquet")}
    return tables, [replay(checked.cells[0], 3, index).deal for index in range(REPLAYED)]


def test_the_deals_of_a_run_are_those_that_the_referee_replays(tmp_path):
    tables, played = real_run(tmp_path, "deals")
    stakes = np.array([deal.net for deal in played]) / UNITS_PER_STAKE
    seats = tables["deals"]
    np.testing.assert_allclose(seats["net"], stakes.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        seats["net_se"], stakes.std(axis=0, ddof=1) / REPLAYED**0.5, rtol=1e-9
    )
    tricks = np.array([deal.tricks_won for deal in played])
    np.testing.assert_allclose(seats["tricks"], tricks.mean(axis=0))
    for action, column in {"stand": "stood", "miss": "took_miss", "defend": "defended"}.items():
        said = Counter(
            seat for deal in played for seat, word in deal.declarations if word == action
        )
        assert (seats[column] * REPLAYED).round(6).tolist() == [said[seat] for seat in range(5)]
    left = Counter((deal.pot_after - deal.pot) / UNITS_PER_STAKE for deal in played)
    assert dict(zip(tables["swings"]["pot_swing"], tables["swings"]["n"], strict=True)) == left


def test_the_situations_of_a_run_are_those_that_the_referee_replays(tmp_path):
    tables, played = real_run(tmp_path, "announce")
    classes = hand_classes(52)
    expected: Counter[tuple[int, int, bool, str]] = Counter()
    for deal in played:
        number = {card: i for i, card in enumerate(live_cards(deal.dealt.turn_up))}
        standers, miss_free = 0, True
        for seat, word in deal.declarations:
            hand = hand_index([number[card] for card in deal.dealt.hands[seat]])
            name = classes.names[classes.class_of[hand]]
            expected[seat, standers, miss_free, name] += 1
            standers += word in ("stand", "miss")
            miss_free = miss_free and word != "miss"
    rows = tables["announce"][["seat", "standers", "miss_free", "hand", "n"]]
    assert {tuple(row[:4]): row[4] for row in rows.itertuples(index=False)} == expected


# --- progress -------------------------------------------------------------------------------------


def test_without_a_terminal_progress_is_a_line_a_cell(study, tmp_path, capsys):
    run(tmp_path, SWEEP, progress=LineProgress())
    told = capsys.readouterr()
    assert told.out == ""
    lines = told.err.splitlines()
    assert [line.rpartition(": ")[0] for line in lines] == [
        "1 of 3: pot = 3",
        "2 of 3: pot = 6",
        "3 of 3: pot = 9",
    ]
    assert all("95 deals in" in line for line in lines)


def test_long_compiling_is_announced_and_a_moment_is_not(monkeypatch, capsys):
    progress = LineProgress()
    with progress.compiling():
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("loo_sim.runner.progress.PATIENCE_SECONDS", 0.0)
    told = ""
    with progress.compiling():
        for _ in range(100):
            told += capsys.readouterr().err
            if told:
                break
            time.sleep(0.05)
    assert told == f"{COMPILING}\n"
