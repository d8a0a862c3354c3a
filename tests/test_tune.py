"""loosim tune: its directory, whatever breaks it off; what it tells, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from commands import loosim
from fake_study import fake_study

import loo_sim
from loo_sim.experiment import load_experiment
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.tuning.found import as_json
from loo_sim.tuning.halving import Again, Apart, Search
from loo_sim.tuning.search import plan_search
from loo_sim.tuning.told import plateau_in_words, sentences

SEED, DEALS = 4, 1_300
POTS = (3, 6, 9, 12, 15)
RUNGS = [(5, 325), (3, 650), (2, 1_300)]
"""Of 5 candidates on 320 deals at least: 32 chunks of 10 deals."""


def kind(seed: int, number: int, pot: int) -> int:
    """What comes of a deal: luck that all pots share, and 1 the more often the nearer to 9."""
    luck = (number * number + seed) % 3
    word = (number * 2_654_435_761 + seed * 40_503 + pot * 977) // 128 % 1_000
    return luck + (word < 900 - 120 * abs(pot // 3 - 3))


@pytest.fixture
def study():
    """A study whose kinds depend on the pot; it notes the seed and the first deal of each chunk."""
    with fake_study() as study:
        study.counted = []

        def add_counts(game, seed, first, count, counts):
            pot = game // UNITS_PER_STAKE
            if count > 1:  # else the kernels are got ready
                study.before_chunk(game, first)
                study.counted.append((seed, pot, first))
            for number in range(first, first + count):
                counts[0][kind(seed, number, pot)] += 1

        study.add_counts = add_counts
        study.chunk_length = lambda cell: 1_000
        study.MAIN, study.MAIN_TITLE = "kind", "less the first"
        yield study


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.toml"
    text = f'study = "deals"\ndeals = {DEALS}\nseed = {SEED}\n[sweep]\npot = {list(POTS)}\n'
    path.write_text(text, encoding="utf-8")
    return path


def told(found: Result) -> list[str]:
    return found.stderr.splitlines()


def answer(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "tune.json").read_bytes(), (folder / "tune.parquet").read_bytes()


def mean(seed: int, pot: int, deals: int) -> float:
    return float(np.mean([kind(seed, number, pot) for number in range(deals)]))


# --- what is found --------------------------------------------------------------------------------


def test_a_search_measures_its_candidates_as_it_says(study, file):
    found = loo_sim.tune(file, jobs=2)
    assert found.directory == Path("results/x-tune").resolve()
    assert sorted(item.name for item in found.directory.iterdir()) == [
        *("fresh", "rung-1", "rung-2", "rung-3", "search.json", "tune.json", "tune.parquet")
    ]
    content, table = found.found, found.table.set_index("pot")
    assert [(rung["candidates"], rung["amount"]) for rung in content["rungs"]] == RUNGS
    assert (content["tried"], content["failed"]) == (5, [])

    left = list(POTS)
    for number, (candidates, amount) in enumerate(RUNGS, start=1):
        assert len(left) == candidates
        values = {pot: mean(SEED, pot, amount) for pot in left}
        ordered = sorted(left, key=lambda pot: -values[pot])
        keep = RUNGS[number][0] if number < len(RUNGS) else 0
        for pot in ordered[keep:]:
            row = table.loc[pot]
            assert (row["rung"], row["deals"]) == (number, amount)
            assert row["value"] == pytest.approx(values[pot], abs=1e-12)
            assert row["difference"] == pytest.approx(values[pot] - values[ordered[0]], abs=1e-12)
        left = ordered[:keep]
    winner = content["winner"]["axes"]["pot"]
    assert winner == ordered[0] == 9
    assert content["winner"]["fresh_value"] == pytest.approx(mean(SEED + 1, 9, DEALS), abs=1e-12)
    again = table[table["fresh_value"].notna()]
    assert winner in again.index
    for pot, row in again.iterrows():
        apart = mean(SEED + 1, pot, DEALS) - mean(SEED + 1, 9, DEALS)
        assert row["fresh_difference"] == pytest.approx(apart, abs=1e-12)
    assert table["tied"].tolist() == [
        bool(row["fresh_high"] >= 0) if pot in again.index else False
        for pot, row in table.iterrows()
    ]


def test_fresh_deals_are_of_a_seed_of_their_own(study, file):
    loo_sim.tune(file, jobs=1)
    seeds = [seed for seed, _, _ in study.counted]
    assert set(seeds) == {SEED, SEED + 1}
    assert seeds == sorted(seeds)
    loo_sim.tune(file, jobs=1, output="last", seed=2**64 - 1)
    assert {seed for seed, _, _ in study.counted[len(seeds) :]} == {2**64 - 1, 0}


def test_the_smallest_is_found_too(study, file):
    found = loo_sim.tune(file, least=True).found
    values = {pot: mean(SEED, pot, RUNGS[0][1]) for pot in POTS}
    assert found["winner"]["axes"]["pot"] in (3, 15)
    assert found["sought"] == "smallest"
    assert values[9] == max(values.values())
    assert found["sentences"][0].startswith(("Smallest of 5 tried: ", "Too close"))
    assert found["sentences"][-1].endswith("chosen for being small tends to be too small.")


def test_what_was_found_is_told_and_found_again_by_any_number_of_threads(study, file):
    found = loosim("tune", file, "--jobs", 1)
    assert found.exit_code == 0
    content = json.loads(Path("results/x-tune/tune.json").read_text())
    assert found.stdout.splitlines()[-len(content["sentences"]) :] == content["sentences"]
    # The first row is not the winner's, with whom they are compared.
    assert content["winner"]["axes"] == {"pot": 9}
    assert "less the winner" in found.stdout.partition("pot = ")[0]
    rows = [line.split("  ") for line in found.stdout.splitlines() if line.startswith("  pot = ")]
    assert [row[1] for row in rows] == [f"pot = {pot}" for pot in POTS]
    as_data = loosim("tune", file, "-o", "other", "--jobs", 3, "--json", "--quiet")
    assert json.loads(as_data.stdout) == content
    assert as_data.stderr == ""
    assert answer(Path("other")) == answer(Path("results/x-tune"))
    counted = len(study.counted)
    again = loosim("tune", file, "--quiet")
    assert again.stdout == found.stdout
    assert len(study.counted) == counted


# --- searches that are broken off -----------------------------------------------------------------


def test_a_search_may_be_broken_off_anywhere(study, file):
    loo_sim.tune(file, output="whole", jobs=1)
    chunks = len(study.counted)
    left = 0

    def before_chunk(game, first):
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1

    study.before_chunk = before_chunk
    study.counted.clear()
    times = 0
    while True:
        left, times = 97, times + 1
        found = loosim("tune", file, "-o", "out", "--jobs", 1, "--quiet")
        if found.exit_code == 0:
            break
        assert found.exit_code == 130
        assert told(found) == [
            "stopped; what is done is kept in out",
            f"go on with: loosim tune {file} -o out",
        ]
        assert not Path("out/tune.json").exists()
    assert times > chunks // 97
    of_a_cell = 33  # at most; those of the cell at work are counted again
    assert len(study.counted) < chunks + times * of_a_cell
    assert answer(Path("out")) == answer(Path("whole"))


def test_a_search_that_is_stopped_before_it_began_says_that_nothing_is_kept(
    study, file, monkeypatch
):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("loo_sim.tuning.search.search_identity", stop)
        found = loosim("tune", file, "-o", "out", "--quiet")
    assert (found.exit_code, told(found)) == (130, ["stopped; nothing was kept"])
    assert not Path("out").exists()
    # Nor is anything where the first chunk had not been counted; the place is free for another.
    study.before_chunk = stop
    found = loosim("tune", file, "-o", "out", "--quiet", "--jobs", 1)
    assert (found.exit_code, told(found)) == (130, ["stopped; nothing was kept"])
    study.before_chunk = lambda game, first: None
    assert loosim("tune", file, "-o", "out", "--quiet", "--least").exit_code == 0


def test_a_disk_that_is_full_is_told(study, file, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "out/tune.parquet")

    monkeypatch.setattr("loo_sim.tuning.search.write_durably", full)
    found = loosim("tune", file, "-o", "out", "--quiet", "--least", "-s", "deals=330")
    assert found.exit_code == 1
    assert told(found) == [
        "loosim failed: out/tune.parquet: No space left on device",
        f"once that is mended, go on with: loosim tune {file} -s deals=330 --least -o out",
    ]


def test_a_candidate_that_fails_is_out_until_it_does_not(study, file):
    loo_sim.tune(file, output="whole", jobs=1)

    def before_chunk(game, first):
        if game == 9 * UNITS_PER_STAKE:
            raise LookupError("no such card")

    study.before_chunk = before_chunk
    found = loosim("tune", file, "-o", "out", "--quiet")
    assert found.exit_code == 3
    assert told(found) == [
        "the cell pot = 9 failed: LookupError: no such card",
        f"the failed cells again: loosim tune {file} -o out",
    ]
    content = json.loads(Path("out/tune.json").read_text())
    assert content["failed"] == [{"axes": {"pot": 9}, "name": "pot = 9"}]
    assert content["winner"]["axes"]["pot"] in (6, 12)
    assert "of 5 tried (1 of which failed)" in content["sentences"][0]
    table = pd.read_parquet("out/tune.parquet").set_index("pot")
    assert table["failed"].tolist() == [pot == 9 for pot in POTS]
    assert table.loc[9, ["rung", "value", "tied"]].isna().all()
    # When it does not fail any more it goes on, in the places of others.
    study.before_chunk = lambda game, first: None
    assert loosim("tune", file, "-o", "out", "--quiet").exit_code == 0
    assert answer(Path("out")) == answer(Path("whole"))


def test_one_that_fails_on_fresh_deals_is_told(study, file):
    def add_counts(game, seed, first, count, counts, add=study.add_counts):
        if count > 1 and seed != SEED:
            raise LookupError("no such card")
        add(game, seed, first, count, counts)

    study.add_counts = add_counts
    found = loosim("tune", file, "-o", "out", "--quiet")
    assert found.exit_code == 3
    content = json.loads(Path("out/tune.json").read_text())
    assert content["verdict"] == "not measured on fresh deals"
    assert content["sentences"][0].startswith("pot = 9 came first of 5 tried")
    assert content["sentences"][0].endswith("but its cell failed on fresh deals.")


def test_where_all_fail_nothing_is_found(study, file):
    def before_chunk(game, first):
        raise LookupError("no such card")

    study.before_chunk = before_chunk
    found = loosim("tune", file, "-o", "out", "--quiet")
    assert found.exit_code == 3
    assert told(found) == ["every candidate failed: LookupError: no such card; nothing was found"]
    with pytest.raises(RuntimeError, match="every candidate failed"):
        loo_sim.tune(file, output="out")


# --- the directory --------------------------------------------------------------------------------


def test_the_directory_is_of_one_search(study, file):
    loo_sim.tune(file, output="out")
    before = answer(Path("out"))
    out = Path("out").resolve()
    found = loosim("tune", file, "-o", "out", "--least", "--seed", 7, "--quiet")
    assert found.exit_code == 2
    assert told(found) == [
        f"{out}: is of another experiment (--fresh starts over; -o writes elsewhere)",
        f"{out}: least: false there, true here",
        f"{out}: seed: 4 there, 7 here",
    ]
    assert answer(Path("out")) == before
    found = loosim(*("tune", file, "-o", "out", "--axis", "pot=6,9", "--quiet", "--fresh"))
    assert found.exit_code == 0
    loo_sim.tune(file, output="whole", axes={"pot": [6, 9]})
    assert answer(Path("out")) == answer(Path("whole"))
    assert sorted(item.name for item in Path("out").iterdir()) == [
        *("fresh", "rung-1", "search.json", "tune.json", "tune.parquet")
    ]


def test_what_is_no_search_is_not_touched(study, file):
    Path("run").mkdir()
    loo_sim.run(file, output="run")
    Path("own").mkdir()
    Path("own/notes.txt").write_text("mine")
    Path("bare/rung-1").mkdir(parents=True)
    Path("bare/rung-1/notes.txt").write_text("mine")
    out = Path().resolve()
    hint = "(nothing was overwritten; give another place with -o)"
    for name, what in {
        "run": "is the place of a run, not of a search",
        "own": "holds 'notes.txt', which is no part of a search",
        "bare": "holds 'rung-1/notes.txt', which is no part of a search",
        "x.toml": "is a file, or below one, not a directory",
        "x.toml/below": "is a file, or below one, not a directory",
    }.items():
        found = loosim("tune", file, "-o", name, "--quiet", "--fresh")
        assert (found.exit_code, told(found)) == (2, [f"{out / name}: {what} {hint}"])
    assert Path("own/notes.txt").read_text() == "mine"
    loo_sim.tune(file, output="out")
    Path("out/search.json").write_text("{}")
    found = loosim("tune", file, "-o", "out", "--quiet")
    assert told(found) == [
        f"{out / 'out/search.json'}: was altered or broken off "
        "(--fresh starts over; -o writes elsewhere)"
    ]
    found = loosim("verify", "out")
    assert (found.exit_code, told(found)) == (
        2,
        ["out: is a search, whose results are in it (out/fresh holds what was measured last)"],
    )


DAMAGE = {
    "rung-2/manifest.json is not there": ("rung-2", 3, SEED),
    "rung-1/manifest.json is of nothing": ("rung-1", 5, SEED),
    "fresh/manifest.json is broken off": ("fresh", None, SEED + 1),
    "rung-2/running.parquet has a byte too many": ("rung-2", 3, SEED),
    "rung-3/kinds.parquet is not there": ("rung-3", 2, SEED),
}
"""What is damaged: the part, how many candidates are in it, and the seed of its deals."""


def damage(words: str) -> None:
    name, _, how = words.partition(" ")
    file = Path("out") / name
    content = file.read_bytes()
    file.unlink()
    if how == "is of nothing":
        file.write_text("{}")
    elif how != "is not there":
        file.write_bytes(content + b"\n" if how == "has a byte too many" else content[:-40])


@pytest.mark.parametrize("words", DAMAGE)
def test_a_damaged_part_is_done_again_by_itself(words, study, file):
    loo_sim.tune(file, output="out", jobs=1)
    before, everything = answer(Path("out")), len(study.counted)
    part, candidates, seed = DAMAGE[words]
    damage(words)
    study.counted.clear()
    found = loosim("tune", file, "-o", "out", "--jobs", 1)
    assert found.exit_code == 0
    where = Path("out").resolve() / part
    assert f"{where} was altered or broken off: what it held is done again" in told(found)
    assert {seed for seed, _, _ in study.counted} == {seed}
    if candidates is not None:
        assert len({pot for _, pot, _ in study.counted}) == candidates
    assert answer(Path("out")) == before
    # Where one starts over all is counted, and there is no damage to tell of.
    damage(words)
    study.counted.clear()
    found = loosim("tune", file, "-o", "out", "--jobs", 1, "--fresh")
    assert (found.exit_code, len(study.counted)) == (0, everything)
    assert "was altered" not in found.stderr
    assert answer(Path("out")) == before


def test_work_whose_beginning_cannot_be_read_is_done_again_by_itself(study, file):
    loo_sim.tune(file, output="whole", jobs=1)

    def before_chunk(game, first):
        if len(study.counted) > 5 * 33 + 50:  # in the second of the rungs
            raise KeyboardInterrupt

    study.counted.clear()
    study.before_chunk = before_chunk
    assert loosim("tune", file, "-o", "out", "--jobs", 1).exit_code == 130
    Path("out/rung-2.partial/identity.json").write_text("{")
    study.before_chunk = lambda game, first: None
    study.counted.clear()
    found = loosim("tune", file, "-o", "out", "--jobs", 1)
    assert found.exit_code == 0
    where = Path("out/rung-2.partial").resolve()
    assert f"{where} was altered or broken off: what it held is done again" in told(found)
    assert len({pot for _, pot, _ in study.counted}) == 3
    assert answer(Path("out")) == answer(Path("whole"))


def test_what_is_no_part_of_a_rung_is_refused_before_anything_is_counted(study, file):
    loo_sim.tune(file, output="out", jobs=1)
    Path("out/rung-2/notes.txt").write_text("mine")
    Path("out/rung-1/manifest.json").unlink()
    study.counted.clear()
    what = (
        f"{Path('out').resolve()}: holds 'rung-2/notes.txt', which is no part of a search "
        "(nothing was overwritten; give another place with -o)"
    )
    for words in ([], ["--fresh"]):
        found = loosim("tune", file, "-o", "out", *words)
        assert (found.exit_code, told(found), study.counted) == (2, [what], [])
    assert Path("out/rung-2/notes.txt").read_text() == "mine"
    assert Path("out/tune.json").exists()


def test_parts_of_a_search_that_is_not_known_give_way_to_one_that_starts_over(study, file):
    loo_sim.tune(file, output="out", jobs=1)
    before = answer(Path("out"))
    Path("out/search.json").unlink()
    Path("elsewhere").mkdir()
    Path("elsewhere/own.parquet").write_text("mine")
    Path("out/rung-7").symlink_to(Path("elsewhere").resolve())
    found = loosim("tune", file, "-o", "out", "--quiet")
    assert (found.exit_code, told(found)) == (
        2,
        [
            f"{Path('out').resolve()}: holds no search.json, so no search "
            "(--fresh starts over; -o writes elsewhere)"
        ],
    )
    assert loosim("tune", file, "-o", "out", "--quiet", "--fresh").exit_code == 0
    assert answer(Path("out")) == before
    assert not Path("out/rung-7").exists()
    assert Path("elsewhere/own.parquet").read_text() == "mine"


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words", "lines"),
    [
        (
            'study = "deals"\nuntil = 0.5',
            [],
            [
                "FILE: sweep: there is no axis to search along "
                "(give --axis KEY=VALUES, or [sweep] in the file)",
                "FILE: until: a search says how many deals the last rung has, not until when it "
                "goes on (deals = 1000000 in its place)",
            ],
        ),
        (
            'study = "session"\nuntil = 0.5\nmax_tables = 500_000\n[sweep]\nplayers = [6, 7]',
            [],
            [
                "FILE: until: a search says how many tables the last rung has, not until when it "
                "goes on (tables = 10000 in its place)",
            ],
        ),
        (
            'study = "deals"\ndeals = 100',
            ["--axis", "pot=3"],
            [
                "FILE: sweep: there is one candidate, and nothing to search "
                "(give an axis two values at least)",
                "FILE: deals: 100 deals are too few to tell candidates apart (262,144 at least)",
            ],
        ),
        (
            'study = "announce"\naim = { seat = 1, standers = 0, miss_free = true }\n'
            "[sweep]\npot = [6, 9]",
            [],
            [
                "FILE: aim: a study of one situation follows no figure by which cells are "
                "compared (leave aim out)"
            ],
        ),
        (
            'study = "league"\npolicies = ["trumps", "loose", "peel"]\ndeals = 5\n'
            "[sweep]\npot = [6, 9]\npolicies.trumps.params.reach = [1, 2]\n"
            "policies.loose.params.reach = [1, 2]",
            [],
            [
                "FILE: pot: a league is searched over the numbers of one policy, and this is none "
                "(one search for each value: -s pot=...)",
                "FILE: sweep: the axes vary 2 policies of the league: trumps, loose "
                "(one search for each)",
                "FILE: deals: 5 deals are too few to tell candidates apart (8,192 at least)",
            ],
        ),
        (
            'study = "session"\ntables = 4_095\n[sweep]\nplayers = [6, 7]',
            [],
            ["FILE: tables: 4,095 tables are too few to tell candidates apart (4,096 at least)"],
        ),
        (
            'study = "deals"\n[sweep]\npots = [6, 9]',
            ["--least"],
            ["FILE:3: sweep.pots: no such axis (did you mean 'pot'?)"],
        ),
    ],
)
def test_what_cannot_be_searched_is_refused_whole(text, words, lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.toml"
    path.write_text(text)
    found = loosim("tune", path, *words)
    assert found.exit_code == 2
    assert [line.replace(str(path), "FILE") for line in told(found)] == lines
    assert [item.name for item in tmp_path.iterdir()] == ["x.toml"]


def test_a_study_without_a_main_figure_is_refused(study, file):
    study.MAIN = ""
    found = loosim("tune", file)
    assert (found.exit_code, told(found)) == (
        2,
        [f'{file}: study: the study "deals" has no figure to compare cells by'],
    )


# --- words ----------------------------------------------------------------------------------------


def cells_of(tmp_path: Path, *axes: str):
    path = tmp_path / "league.toml"
    path.write_text('study = "league"\npolicies = ["loose", "peel", "tight"]\ndeals = 20_000\n')
    return plan_search(load_experiment(path, (), axes), least=False)


def test_a_plateau_is_told_by_its_ranges(tmp_path):
    cells = cells_of(tmp_path, "policies.loose.params.reach=5,1,3,0,4,2,6").experiment.cells
    by_value = {cell.axes["policies.loose.params.reach"]: i for i, cell in enumerate(cells)}

    def words(*values):
        return plateau_in_words(cells, [by_value[value] for value in values])

    assert words(4) == "loose reach = 4"
    assert words(6, 4, 5) == "loose reach = 4 to 6"
    assert words(0, 1, 3, 5, 6) == "loose reach = 0 to 1, 3 and 5 to 6"
    axes = ("policies.loose.params.reach=1,2,3", "policies.loose.params.crowd=0,1")
    both = cells_of(tmp_path, *axes).experiment.cells
    assert plateau_in_words(both, [3, 0]) == (
        "loose reach = 1, loose crowd = 0; loose reach = 2, loose crowd = 1"
    )
    assert plateau_in_words(both, [2, 3, 4, 5]) == (
        "combinations with loose reach = 2 to 3 and loose crowd = 0 to 1"
    )


def apart(value: float, difference: float, half: float) -> Apart:
    return Apart(value, 0.001, difference, half / 2, half)


def search_of(plateau: tuple[int, ...]) -> Search:
    found = {one: apart(0.3, -0.01, 0.02) for one in range(4)}
    return Search(1, dict.fromkeys(range(4), 1), found, plateau)


def test_only_the_one_that_is_ahead_of_all_is_called_best(tmp_path):
    plan = cells_of(tmp_path, "policies.loose.params.reach=0:3:1")
    own = apart(0.25, 0.0, 0.0)
    behind, tied, ahead = apart(0.1, -0.2, 0.1), apart(0.2, -0.05, 0.1), apart(0.5, 0.2, 0.1)

    again = Again({0: behind, 1: own, 2: behind}, (1,), ())
    told = sentences(plan, search_of((1, 0, 2)), again, [])
    assert told == [
        "Best of 4 tried: loose reach = 1.",
        "What loose gets more than its 2 rivals on average is 0.2500 ± 0.0020 stakes a deal and "
        "seat with loose reach = 1, on 20,000 fresh deals.",
        "In the search, which chose it, it was 0.3000 ± 0.0020: a figure chosen for being large "
        "tends to be too large.",
    ]
    assert as_json(plan, search_of((1, 0, 2)), again, [])["verdict"] == "clear"

    again = Again({0: behind, 1: own, 2: tied}, (1, 2), ())
    told = sentences(plan, search_of((1, 0, 2)), again, [])
    assert told[0] == (
        "Too close to call among 2 of 4 tried: loose reach = 1 to 2 (with 95 % confidence the best "
        "of all is among them)."
    )
    again = Again({1: own, 2: ahead, 3: tied}, (2, 3), (2,))
    told = sentences(plan, search_of((1, 2, 3)), again, [])
    assert told[0] == (
        "loose reach = 1 came first, but on fresh deals loose reach = 2 did better: too close to "
        "call among 2 of 4 tried: loose reach = 2 to 3 (with 95 % confidence the best of all is "
        "among them)."
    )
    again = Again({0: apart(0.25, 0.0, 0.0), 1: own, 2: behind}, (0, 1), ())
    told = sentences(plan, search_of((1, 0, 2)), again, [])
    assert told[0] == "All the same on fresh deals, 2 of 4 tried: loose reach = 0 to 1."
    # Of those that were left out nothing is known.
    again = Again({1: own}, (1,), ())
    told = sentences(plan, search_of((1, 0, 2)), again, [])
    assert told[:2] == [
        "Too close to call among 3 of 4 tried: loose reach = 0 to 2 (with 95 % confidence the best "
        "of all is among them).",
        "Only 24 of them were measured again; more deals would tell others apart before.",
    ]


# --- a real one -----------------------------------------------------------------------------------


def test_in_a_league_the_gain_on_the_rivals_is_sought(tmp_path):
    path = tmp_path / "league.toml"
    path.write_text(
        'study = "league"\nplayers = 5\npolicies = ["peel", "trumps", "tight"]\n'
        "deals = 16_384\n[sweep]\npolicies.trumps.params.reach = [1, 9]\n"
    )
    found = loo_sim.tune(path, output=tmp_path / "out")
    assert found.found["winner"]["axes"] == {"policies.trumps.params.reach": 1}
    assert found.found["verdict"] == "clear"
    rung = loo_sim.read(tmp_path / "out" / "rung-1").tables["league"]
    own = rung[rung["policy"] == "trumps"]
    by_reach = own.groupby("policies.trumps.params.reach")["net_diff"].mean()
    table = found.table.set_index("policies.trumps.params.reach")
    assert table["value"].to_dict() == pytest.approx(by_reach.to_dict(), abs=1e-12)
    fresh = loo_sim.read(tmp_path / "out" / "fresh")
    assert fresh.manifest["seed"] == 2
    own = fresh.tables["league"].query("policy == 'trumps'")["net_diff"]
    assert found.found["winner"]["fresh_value"] == pytest.approx(own.mean(), abs=1e-12)
