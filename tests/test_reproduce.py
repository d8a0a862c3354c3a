"""What `loosim reproduce` gives repeats the result: the same cells, policies and tables."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from commands import loosim
from hypothesis import given, settings
from hypothesis import strategies as st

from loo_sim.cards import hand_classes
from loo_sim.claims.file import is_of_claims, load_claims
from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError
from loo_sim.reproduce import recipe_of, write_recipe
from loo_sim.runner.results import seal
from loo_sim.runner.run import run_experiment
from loo_sim.tomlwrite import as_toml, document

EXPERIMENTS = Path(__file__).parent.parent / "experiments"
POLICY = """# A comment that is no part of what it does.
name = "mine"
[announce]
rules = [{ when = "over_best == 0", do = "stand" }]
otherwise = "fold"
"""


def made(folder, text, *overrides, name="x.toml"):
    """The experiment in a folder, and the directory of its result."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    experiment = load_experiment(folder / name, overrides)
    run_experiment(experiment, folder / "out", jobs=1)
    return experiment, folder / "out"


def again(directory, folder):
    """The experiment that is written for a result."""
    recipe = recipe_of(directory)
    write_recipe(recipe, folder)
    return load_experiment(folder / recipe.place)


def digests(experiment):
    return [[policy.digest for policy in cell.policies] for cell in experiment.cells]


# TOML.


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    words | st.integers() | st.booleans() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(words, values, max_size=5))
def test_what_is_written_reads_back(data):
    # JSON tells 1, 1.0 and true apart, which are equal in Python.
    told = json.dumps(data, sort_keys=True)
    assert json.dumps(tomllib.loads(document(data)), sort_keys=True) == told
    assert json.dumps(tomllib.loads(f"x = {as_toml(data)}")["x"], sort_keys=True) == told


def test_what_toml_cannot_hold():
    with pytest.raises(TypeError, match="None is no value"):
        as_toml([{"x": None}])


# Built-in policies.


SWEPT = {
    "two axes": '[sweep]\nplayers = [5, 6, 8]\n"rules.loo" = [3, "pot"]',
    "a pot in parts of a stake": "[sweep]\npot = [3, 4.0, 5.333333333333333]\nplayers = [7]",
    "together": '[sweep]\nplayers = [5, 6]\n[sweep.zip]\npot = [3, 9]\n"rules.ante" = [0, 1]',
    "tables": "[sweep]\nplayers = [5, 6]\n[sweep.rules]\nloo = [3, 6]\n"
    "[sweep.zip.rules]\nante = [0, 1]",
    "a list": '[[sweep.list]]\nplayers = 5\n"rules.preset" = "peel"\n'
    '[[sweep.list]]\nplayers = 6\n"rules.preset" = "club"',
    "policies": '[sweep]\npolicies = ["peel", ["tight", "peel", "peel", "loose", "peel", "peel"]]',
    "flags": '[sweep]\n"rules.club_law" = [true, false]',
}


def game_of(cell) -> tuple:
    """A cell but for the paths of its policies' files, which are others where it is repeated."""
    digests = [policy.digest for policy in cell.policies]
    return cell.players, cell.pot, cell.rules, cell.rounds, cell.bankroll, cell.aim, digests


@pytest.mark.parametrize("path", sorted(EXPERIMENTS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_experiment_of_the_repository(study, tmp_path, path):
    work = "tables" if tomllib.loads(path.read_text())["study"] == "session" else "deals"
    if is_of_claims(path):
        experiments = list(load_claims(path, ["deals=20", "tables=20"]).parts.values())
    else:
        experiments = [load_experiment(path, [f"{work}=20"])]
    for experiment in experiments:
        out = tmp_path / experiment.name
        run_experiment(experiment, out, jobs=1)
        found = again(out, tmp_path / f"{experiment.name}-again")
        assert list(map(game_of, found.cells)) == list(map(game_of, experiment.cells))
        for key in ("name", "study", "seed", "amount"):
            assert getattr(found, key) == getattr(experiment, key)
        assert recipe_of(out).differences == []


@pytest.mark.parametrize("sweep", SWEPT.values(), ids=SWEPT)
def test_every_kind_of_sweep(study, tmp_path, sweep):
    experiment, out = made(tmp_path, f'study = "deals"\ndeals = 20\nseed = {2**64 - 1}\n{sweep}')
    found = again(out, tmp_path / "again")
    assert found.cells == experiment.cells
    assert [list(map(repr, cell.axes.items())) for cell in found.cells] == [
        list(map(repr, cell.axes.items())) for cell in experiment.cells
    ]
    assert found.seed == 2**64 - 1


def test_what_the_command_line_replaced_is_in_the_file(study, tmp_path):
    text = 'study = "deals"\npot = 6\n[rules]\nloo = 3\n[sweep]\nplayers = [5, 6]'
    words = ("deals=30", "rules.loo=pot", "sweep.players=[7]", "sweep.zip.pot=[9]")
    experiment, out = made(tmp_path, text, *words)
    found = again(out, tmp_path / "again")
    assert found.cells == experiment.cells
    assert (found.amount.most, found.cells[0].rules.loo, found.cells[0].players) == (30, "pot", 7)


# Policy files.


def test_policy_files_are_written_from_the_manifest(study, tmp_path):
    home = tmp_path / "home"
    (home / "own").mkdir(parents=True)
    (home / "own" / "mine.toml").write_text(POLICY)
    text = (
        'study = "deals"\ndeals = 20\npolicies = ["own/mine.toml", "peel", "peel", "peel", "peel", '
    )
    experiment, out = made(home, text + '"own/mine.toml"]')
    kept = tmp_path / "kept"
    shutil.move(out, kept)
    assert [p.state for p in recipe_of(kept).policies] == ["as it was"]
    (home / "own" / "mine.toml").write_text(POLICY.replace("== 0", "== 1"))
    assert [p.state for p in recipe_of(kept).policies] == ["changed since"]
    (home / "own" / "mine.toml").write_text("nothing at all")
    assert [p.state for p in recipe_of(kept).policies] == ["changed since"]
    shutil.rmtree(home)
    recipe = recipe_of(kept)
    assert [(p.state, p.place) for p in recipe.policies] == [("gone", "own/mine.toml")]
    assert recipe.differences == []
    found = again(kept, tmp_path / "again")
    assert digests(found) == digests(experiment)
    assert (tmp_path / "again" / "own" / "mine.toml").read_text() == POLICY
    shown = loosim("reproduce", kept)
    assert shown.exit_code == 0
    source = home / "own" / "mine.toml"
    assert f"#   own/mine.toml: from {source}, which is gone\n" in shown.stdout


@pytest.mark.parametrize(
    ("word", "place", "of_policy"),
    [
        ("p.toml", "experiment.toml", "p.toml"),
        ("./p.toml", "experiment.toml", "p.toml"),
        ("../p.toml", "experiment/experiment.toml", "p.toml"),
        ("../../b/p.toml", "experiment/experiment/experiment.toml", "b/p.toml"),
        ("sub/../p.toml", "experiment.toml", "policies/p-DIGEST.toml"),
        ("experiment.toml", "experiment.toml", "policies/experiment-DIGEST.toml"),
        ("ABSOLUTE", "experiment.toml", "policies/p q-DIGEST.toml"),
    ],
)
def test_where_a_policy_file_goes(study, tmp_path, word, place, of_policy):
    home = tmp_path / "a" / "b" / "c"
    (home / "sub").mkdir(parents=True)
    if word == "ABSOLUTE":
        word = str(tmp_path / "p q.toml")
    path = home / word
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(POLICY)
    text = f'study = "deals"\ndeals = 20\npolicies = {json.dumps(word)}'
    experiment, out = made(home, text)
    digest = experiment.cells[0].policies[0].digest
    recipe = recipe_of(out)
    expected = of_policy.replace("DIGEST", digest[:8]).replace(" ", "-")
    assert recipe.place == place
    assert [policy.place for policy in recipe.policies] == [expected]
    assert sorted(recipe.files) == sorted([place, expected])
    assert digests(again(out, tmp_path / "again")) == digests(experiment)
    written = [p for p in (tmp_path / "again").rglob("*") if p.is_file()]
    assert len(written) == 2


@pytest.mark.parametrize(
    "sweep",
    [
        'sweep.policies = ["../mine.toml", "peel"]',
        'sweep.zip.policies = ["peel", "../mine.toml"]\nsweep.zip.pot = [3, 6]',
        'sweep.list = [{policies = "peel"}, {policies = ["../mine.toml"]}]',
    ],
)
def test_swept_policy_files_keep_their_names_in_the_tables(study, tmp_path, sweep):
    (tmp_path / "mine.toml").write_text(POLICY)
    _, out = made(tmp_path / "home", f'study = "deals"\ndeals = 20\n{sweep}')
    recipe = recipe_of(out)
    assert recipe.differences == []
    assert [policy.place for policy in recipe.policies] == ["mine.toml"]
    shown = loosim("reproduce", out, "--run", "--quiet")
    assert (shown.exit_code, "same to the byte" in shown.stdout) == (0, True)


def test_a_name_that_cannot_be_kept_is_told(study, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(POLICY)
    _, out = made(tmp_path / "home", f'study = "deals"\ndeals = 20\nsweep.policies = ["{path}"]')
    ((key, what),) = recipe_of(out).differences
    assert key == "axes.policies"
    assert what.startswith(f"{path} there, policies/mine-")


def table_of_chances(path, stand):
    """A tabular policy's table: seat 0 of six stands with such a chance."""
    hands = hand_classes(52).names
    frame = pd.DataFrame(
        {
            "players": 6,
            "pot": 3.0,
            "seat": 0,
            "standers": 0,
            "miss_free": True,
            "hand": hands,
            "fold": 1 - stand,
            "stand": stand,
            "miss": 0.0,
            "defend": 0.0,
        }
    )
    frame.to_parquet(path)


def test_the_table_of_a_policy_goes_with_it(study, tmp_path):
    (tmp_path / "tables").mkdir()
    table = tmp_path / "tables" / "t.parquet"
    table_of_chances(table, 0.25)
    text = 'name = "tabular"\n[announce]\ntable = "../tables/t.parquet"\n'
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "tabular.toml").write_text(text)
    experiment, out = made(
        tmp_path / "home", 'study = "deals"\ndeals = 20\npolicies = "tabular.toml"'
    )
    found = again(out, tmp_path / "again")
    assert digests(found) == digests(experiment)
    written = {p.name for p in (tmp_path / "again").iterdir()}
    assert written == {"experiment.toml", "tabular.toml", "tabular.parquet"}

    table_of_chances(table, 0.5)
    shown = loosim("reproduce", out, "-o", tmp_path / "other")
    assert (shown.exit_code, shown.stdout) == (2, "")
    source = tmp_path / "home" / "tabular.toml"
    assert shown.stderr == (
        f"{out}: policies: the policy tabular cannot be had as it was: {source} "
        "(it is built in, or has a table, and was changed)\n"
    )
    table.write_bytes(b"no table")
    shown = loosim("reproduce", out, "-o", tmp_path / "other")
    assert shown.exit_code == 2
    assert f"{out}: announce.table: cannot be repeated here: tabular.toml: " in shown.stderr
    assert "loosim-" not in shown.stderr
    table.unlink()
    shown = loosim("reproduce", out, "-o", tmp_path / "other")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "t.parquet: the table of this policy cannot be read" in shown.stderr
    assert not (tmp_path / "other").exists()


# The command.


TEXT = 'study = "deals"\ndeals = 35\n[sweep]\nplayers = [5, 6]'


def test_what_is_printed_is_the_experiment_file(study, tmp_path):
    experiment, out = made(tmp_path, TEXT)
    shown = loosim("reproduce", out)
    assert (shown.exit_code, shown.stderr) == (0, "")
    (tmp_path / "printed.toml").write_text(shown.stdout)
    assert load_experiment(tmp_path / "printed.toml").cells == experiment.cells
    assert f"# It came of: loosim run {tmp_path / 'x.toml'} -o {out}\n" in shown.stdout
    assert "# Python, packages and kernels are here as they were there.\n" in shown.stdout
    content = json.loads(loosim("reproduce", out, "--json").stdout)
    assert shown.stdout.endswith(content["experiment"])
    assert (content["policies"], content["differences"], content["same"]) == ([], [], None)


def test_names_of_files_cannot_end_a_comment(study, tmp_path):
    home = tmp_path / 'a\nseed = 9\n"'
    experiment, out = made(home, TEXT)
    shown = loosim("reproduce", out)
    (tmp_path / "printed.toml").write_text(shown.stdout)
    assert load_experiment(tmp_path / "printed.toml").seed == experiment.seed == 1


def test_run_again(study, tmp_path):
    _, out = made(tmp_path, TEXT)
    before = sorted(tmp_path.rglob("*"))
    shown = loosim("reproduce", out, "--run", "--json", "--quiet")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert json.loads(shown.stdout)["same"] == {"chunks": True, "kinds": True, "running": True}
    assert sorted(tmp_path.rglob("*")) == before


def test_a_run_that_comes_out_otherwise(study, tmp_path):
    _, out = made(tmp_path, TEXT)
    right = study.tables

    def wrong(cell, deals, counts):
        table = right(cell, deals, counts)["kinds"]
        one_more = pa.array([table["n"][0].as_py() + 1, *table["n"].to_pylist()[1:]])
        return {"kinds": table.set_column(1, "n", one_more)}

    study.tables = wrong
    shown = loosim("reproduce", out, "--run", "--quiet")
    assert shown.exit_code == 4
    assert "kinds     differs" in shown.stdout
    assert "chunks    same to the byte" in shown.stdout


def test_a_run_of_which_every_cell_fails(study, tmp_path):
    _, out = made(tmp_path, TEXT)

    def fail(cell, deals, counts):
        raise ValueError

    study.tables = fail
    shown = loosim("reproduce", out, "--run", "--quiet")
    assert shown.exit_code == 4
    assert "kinds     differs" in shown.stdout


def test_a_run_that_is_stopped(study, tmp_path):
    _, out = made(tmp_path, TEXT)

    def stop(game, first):
        raise KeyboardInterrupt

    study.before_chunk = stop
    shown = loosim("reproduce", out, "--run", "--quiet")
    assert (shown.exit_code, shown.stdout) == (130, "")
    assert "stopped: the new run is thrown away" in shown.stderr


def test_a_result_with_failed_cells_is_not_run_again(study, tmp_path):
    def fail(cell, deals, counts):
        raise ValueError

    right, failing = study.tables, []

    def fail_second(cell, deals, counts):
        failing.append(cell)
        return right(cell, deals, counts) if len(failing) == 1 else fail(cell, deals, counts)

    study.tables = fail_second
    experiment, out = made(tmp_path, TEXT)
    assert again(out, tmp_path / "again").cells == experiment.cells
    shown = loosim("reproduce", out, "--run")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr == (
        f"{out}: status: some of its cells failed (its own command runs them alone)\n"
    )


def test_versions_that_differ_are_told(study, tmp_path, monkeypatch):
    _, out = made(tmp_path, TEXT)
    monkeypatch.setattr("loo_sim.kernels.digest", lambda: "1" * 64)
    monkeypatch.setattr("loo_sim.machine.version", lambda package: "99.1")
    there = json.loads((out / "manifest.json").read_text())["versions"]
    found = dict(recipe_of(out).differences)
    assert found.pop("kernels") == "changed"
    assert found == {
        package: f"{there[package]} there, 99.1 here"
        for package in ("numpy", "numba", "llvmlite", "pandas", "pyarrow")
    }
    assert "#   kernels: changed\n" in loosim("reproduce", out).stdout


def test_a_result_without_its_tables_can_be_repeated(study, tmp_path):
    experiment, out = made(tmp_path, TEXT)
    (out / "kinds.parquet").unlink()
    assert again(out, tmp_path / "again").cells == experiment.cells
    assert loosim("reproduce", out, "--run", "--quiet").exit_code == 0


def test_nothing_is_overwritten(study, tmp_path):
    _, out = made(tmp_path, TEXT)
    folder = tmp_path / "there"
    folder.mkdir()
    assert loosim("reproduce", out, "-o", folder).exit_code == 0
    before = (folder / "experiment.toml").stat()
    shown = loosim("reproduce", out, "-o", folder)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr.startswith(f"{folder}: is not an empty folder")
    assert (folder / "experiment.toml").stat() == before
    shown = loosim("reproduce", out, "-o", tmp_path / "x.toml" / "y")
    assert shown.exit_code == 2


def test_an_altered_manifest_is_refused(study, tmp_path):
    _, out = made(tmp_path, TEXT)
    path = out / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"seed": 2}))
    shown = loosim("reproduce", out)
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert "was altered, or written by another version" in shown.stderr
    assert loosim("reproduce", tmp_path / "nowhere").exit_code == 2


def test_a_built_in_policy_that_is_another_now(study, tmp_path):
    _, out = made(tmp_path, TEXT)
    path = out / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["digest"]
    for cell in manifest["cells"]:
        for policy in cell["policies"]:
            policy["digest"] = "12" * 32
    seal(manifest)
    path.write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="the policy peel cannot be had as it was: peel"):
        recipe_of(out)


def test_a_result_that_its_time_ended_is_not_run_again(study, tmp_path):
    _, out = made(tmp_path, 'study = "deals"\nuntil = 0.001\nmax_seconds = 1e-9\n')
    shown = loosim("reproduce", out, "--run")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr == (
        f"{out}: cells.0: was ended by max_seconds, after 1,000: no other run need end there "
        "(loosim verify DIR holds what it counted to it)\n"
    )


def test_a_result_of_a_precision_is_reached_again(study, tmp_path):
    for bound in ("", "max_deals = 4_321"):
        _, out = made(tmp_path / bound[:3], f'study = "deals"\nuntil = 0.05\n{bound}\n')
        shown = loosim("reproduce", out, "--run")
        assert shown.exit_code == 0
