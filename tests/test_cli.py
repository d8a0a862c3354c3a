"""The commands: what they print where, their exit codes, how mistakes are told."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from commands import loosim

import loo_sim
from loo_sim.cli import cli
from loo_sim.console import Output
from loo_sim.policies.parse import builtin_names
from loo_sim.problems import InputError
from loo_sim.rules import OPTIONS, PRESETS, UNITS_PER_STAKE

HEAVY = ("numba", "pandas", "matplotlib", "pyarrow", "scipy", "rich")


def python(script: str, *words: object, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


MAIN = "from loo_sim.cli import main; main()"


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    """An experiment of three cells, in an empty folder that is the working directory."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.toml"
    path.write_text('study = "deals"\ndeals = 40\nseed = 4\n[sweep]\npot = [3, 6, 9]\n')
    return path


# --- all commands ---------------------------------------------------------------------------------


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_has_help_and_the_common_options(command):
    found = loosim(command, "--help")
    assert found.exit_code == 0
    for option in ("--seed", "--jobs", "--json", "--quiet", "--verbose", "--no-color"):
        assert f"  {option} " in found.stdout


@pytest.mark.parametrize("words", [["rules"], ["policies"], ["deal"], ["deal", "--json"]], ids=str)
def test_threads_and_seed_are_taken_where_they_change_nothing(words):
    seed = [] if words[0] == "deal" else ["--seed", "4"]
    told = loosim(*words, "--jobs", "3", *seed)
    assert (told.exit_code, told.stdout) == (0, loosim(*words).stdout)


def test_a_mistake_in_loosim_is_owned_in_two_lines(monkeypatch):
    def broken(*_):
        raise LookupError("no such trick")

    monkeypatch.setattr("loo_sim.runner.replay.replay", broken)
    found = loosim("deal")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.splitlines() == [
        "loosim failed: LookupError: no such trick",
        "this is a mistake in loosim, not yours; --verbose tells where",
    ]
    with pytest.raises(LookupError):
        loosim("deal", "--verbose")


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "\N{MINUS SIGN}1 ± 2 é \u6c34 ".encode() + b"\xe9"),
        ("ascii", "\N{MINUS SIGN}1 ± 2 é \u6c34 ".encode() + b"\xe9"),
        ("latin-1", b"-1 \xb1 2 \xe9 ? \xe9"),
        ("cp437", b"-1 \xf1 2 \x82 ? \xe9"),
    ],
)
def test_any_terminal_takes_any_text(encoding, told):
    script = """
import click
from loo_sim.console import Output, write_on_any_terminal
write_on_any_terminal()
text = "\\N{MINUS SIGN}1 ± 2 é \\u6c34 \\udce9"
click.echo(text)
click.echo(text, err=True)
Output(False, False, False, False).table(("",), [(text,)])
"""
    found = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
    )
    assert found.returncode == 0
    assert found.stderr == told + b"\n"
    assert found.stdout.startswith(told + b"\n")
    assert told in found.stdout.split(b"\n", 1)[1]


def test_the_version_is_the_package_s():
    assert loosim("--version").stdout == f"loosim, version {loo_sim.__version__}\n"


@pytest.mark.parametrize("words", [["--help"], ["run", "no-such.toml"], ["rnu"]])
def test_nothing_heavy_is_loaded_to_help_or_to_refuse(words, tmp_path):
    script = f"""
import sys
from loo_sim.cli import cli
try:
    cli({words!r})
except SystemExit:
    pass
print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    assert python(script, cwd=tmp_path).stderr.splitlines()[-1] == "[]"


def test_importing_the_package_loads_nothing():
    script = f"import sys, loo_sim; print([n for n in {(*HEAVY, 'numpy')!r} if n in sys.modules])"
    assert python(script).stdout == "[]\n"


# Words, and a part of what stderr says; all exit with 2 and leave stdout empty.
WRONG_WORDS = [
    (["rnu"], "there is no command 'rnu' (did you mean 'run'?)"),
    (["xyzzy"], "there is no command 'xyzzy' (one of: advise, bench, check, compare, deal,"),
    (["run"], "Missing argument 'EXPERIMENT'"),
    (["run", "x.toml", "--job", "2"], "No such option"),
    (["run", "x.toml", "--jobs", "0"], "Invalid value for '--jobs': 0 is not in the range"),
    (
        ["run", "x.toml", "--jobs", "two"],
        "Invalid value for '--jobs': 'two' is not a valid integer",
    ),
    (["run", "x.toml", "--seed", "-1"], "Invalid value for '--seed': -1 is not in the range"),
    (["run", "x.tom"], "x.tom: there is no such file (did you mean 'x.toml'?)"),
    (["run", "."], ".: is a directory, not a file"),
    (["run", "x.toml", "-s", "players"], "-s players: is not key=value"),
    (["run", "x.toml", "-s", "rules.loo=0"], "-s rules.loo=0: rules.loo: 0 is not a whole number"),
    (["run", "x.toml", "-s", "sweep.list=3"], "-s sweep.list=3: sweep.list: is not a list of"),
    (
        ["run", "x.toml", "-s", "sweep.zip=3", "-s", "sweep.zip.players=[5]"],
        "-s sweep.zip=3: sweep.zip: is not a table of axes",
    ),
    (["run", "x.toml", "-o", "x.toml/y"], "x.toml/y: cannot be written: a file is where its"),
    (["run", "x.toml", "-o", os.fsdecode(b"r\xe9s")], ": is no path in UTF-8"),
    (["run", "x.toml", "-o", "x.toml"], "x.toml: is a file, not a directory"),
    (["run", "x.toml", "-o", "."], ": holds 'x.toml', which is no part of a result"),
    (["run", "x.toml", "-o", "/proc/nowhere/x"], "/proc/nowhere/x: cannot be written"),
    (["report", "no-such"], "no-such: no such directory"),
    (["report", "."], ".: has no manifest.json"),
    (["report", "x.toml"], "x.toml"),
    (["deal", "--players", "17"], "players: 17 players cannot play"),
    (["deal", "--players", "six"], "Invalid value for '--players'"),
    (["deal", "--index", "-1"], "Invalid value for '--index'"),
    (["deal", "--count", "0"], "Invalid value for '--count'"),
    (["deal", "--pot", "1"], "pot: a pot of 1 stakes cannot be"),
    (["deal", "--pot", "nan"], "pot: a pot of nan stakes cannot be"),
    (["deal", "--rules", "pell"], "rules.preset: there is no preset 'pell' (did you mean 'peel'?)"),
    (["deal", "--rules", "peel,lo=3"], "rules.lo: no such option of the rules"),
    (["deal", "--rules", "peel,enquire"], "rules.preset: is there twice in 'peel,enquire' (leave"),
    (["deal", "--rules", "loo=3,loo=4"], "rules.loo: is there twice in 'loo=3,loo=4' (leave one"),
    (["deal", "--rules", "=3"], "rules: '=3' names no option (as in peel,loo=3)"),
    (["deal", "--policy", "yy.toml"], "policies: 'yy.toml': there is no such file\n"),
    (["deal", "--policy", "pel"], "there is no policy 'pel' (did you mean 'peel'?"),
    (["deal", "--policy", "peel", "--policy", "tight"], "there are 2 policies for 6 players"),
    (["deal", "--experiment", "y.toml"], "y.toml: there is no such file"),
    (["deal", "--experiment", "x.toml", "--cell", "3"], "x.toml: has no cell 3 (from 0 to 2)"),
    (["deal", "--experiment", "x.toml", "--pot", "3"], "--pot comes from the --experiment"),
    (["deal", "--experiment", "."], ".: has no manifest.json"),
    (["deal", "--cell", "1"], "--cell is one of an --experiment"),
    (["check", "no-such.jsonl"], "no-such.jsonl: cannot be read"),
    (["check", "."], ".: cannot be read"),
    (["check", "x.toml"], "x.toml:1:"),
    (["policies", "pel"], "there is no policy 'pel' (did you mean 'peel'?"),
    (["policies", "mine.toml"], "mine.toml: there is no such file"),
    (["rules", "pell"], "there is no preset 'pell' (did you mean 'peel'?)"),
    (["rules", "peel,classic"], "preset: is there twice in 'peel,classic'"),
    (["rules", "peel,loo_cap=3"], 'loo_cap caps only loo = "pot", and loo is 6'),
]


@pytest.mark.parametrize(("words", "told"), WRONG_WORDS, ids=str)
def test_a_mistake_is_told_on_stderr_with_exit_code_2(words, told, file, study):
    found = loosim(*words)
    assert found.exit_code == 2
    assert told in found.stderr
    assert "Traceback" not in found.stderr
    assert found.stdout == ""
    assert [item.name for item in file.parent.iterdir()] == ["x.toml"]


def test_a_narrow_terminal_loses_no_figures(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "12")
    Output(False, False, False, False).table(("net",), [("-0.123456789012",)])
    told = capsys.readouterr().out.splitlines()
    figures = told[next(i for i, line in enumerate(told) if "─" in line) + 1 :]
    assert max(map(len, figures)) <= 12
    assert "".join(figures).replace(" ", "") == "-0.123456789012"


# --- run ------------------------------------------------------------------------------------------


def test_run_prints_a_table_and_tells_the_rest_on_stderr(study, file):
    found = loosim("run", file)
    assert found.exit_code == 0
    assert [line.split() for line in found.stdout.splitlines() if "pot =" in line] == [
        ["pot", "=", pot, "40"] for pot in "369"
    ]
    assert found.stderr.count("40 deals in") == 3
    assert json.loads((file.parent / "results" / "x" / "manifest.json").read_text())["name"] == "x"


def test_the_place_of_a_result_is_told_from_where_one_is(study, file, tmp_path, monkeypatch):
    inside, elsewhere = tmp_path / "here", tmp_path / "there"
    inside.mkdir()
    monkeypatch.chdir(inside)
    for words, place in (((), "results/x"), (("-o", elsewhere), elsewhere)):
        found = loosim("run", file, *words)
        told = f"the result is in {place}; loosim report {place} tells it"
        assert found.stderr.splitlines()[-1] == told


def test_the_next_command_can_be_pasted(study, file):
    found = loosim("run", file, "-o", "it's here")
    hint = found.stderr.splitlines()[-1]
    command = hint.partition("; ")[2].removesuffix(" tells it")
    assert shlex.split(command) == ["loosim", "report", "it's here"]


def test_run_gives_the_manifest_as_json(study, file):
    found = loosim("run", file, "-o", "out", "--json", "--seed", "9", "-s", "rules.loo=pot")
    manifest = json.loads(found.stdout)
    assert manifest == json.loads((file.parent / "out" / "manifest.json").read_text())
    assert manifest["seed"] == 9
    assert manifest["cells"][0]["rules"]["loo"] == "pot"


def test_quiet_is_silent_on_stderr(study, file):
    found = loosim("run", file, "--quiet")
    assert found.stderr == ""
    assert "pot = 9" in found.stdout


@pytest.mark.parametrize("verbose", [False, True])
def test_a_failed_cell_is_named_and_gives_exit_code_3(study, file, verbose):
    def before_chunk(game, first):
        if game == 6 * UNITS_PER_STAKE:
            raise RuntimeError("no such trick")

    study.before_chunk = before_chunk
    found = loosim("run", file, *(["--verbose"] if verbose else []))
    assert found.exit_code == 3
    assert "the cell pot = 6 failed: RuntimeError: no such trick\n" in found.stderr
    assert ("Traceback" in found.stderr) is verbose
    assert "pot = 3" in found.stdout
    assert "pot = 6" not in found.stdout


def test_a_run_that_fails_whole_says_that_nothing_was_written(study, file):
    def before_chunk(game, first):
        raise RuntimeError("no such trick")

    study.before_chunk = before_chunk
    found = loosim("run", file, "-o", "out", "-s", "sweep.pot=[3]")
    assert (found.exit_code, found.stdout) == (3, "")
    assert found.stderr.splitlines()[-2:] == [
        "the cell pot = 3 failed: RuntimeError: no such trick",
        "no cell was finished, nothing was written",
    ]
    assert not (file.parent / "out").exists()
    with pytest.raises(RuntimeError, match="every cell failed: RuntimeError: no such trick"):
        loo_sim.run(file)


def test_a_disk_that_fails_gives_exit_code_1(study, file, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("loo_sim.runner.partial.Partial.assemble", full)
    found = loosim("run", file)
    assert found.exit_code == 1
    assert found.stderr.splitlines()[-2:] == [
        "loosim failed: No space left on device",
        "what is done is kept in results/x.partial; "
        f"once that is mended, go on with: loosim run {file}",
    ]


def test_ctrl_c_gives_exit_code_130_and_says_what_was_kept(study, file):
    def before_chunk(game, first):
        if game == 9 * UNITS_PER_STAKE:
            raise KeyboardInterrupt

    study.before_chunk = before_chunk
    found = loosim("run", file, "-o", "out", "--quiet")
    assert found.exit_code == 130
    assert found.stderr.splitlines() == [
        "stopped: 2 of 3 cells done, kept in out.partial",
        f"go on with: loosim run {file} -o out",
    ]


# --- deal and check -------------------------------------------------------------------------------


def test_deals_as_records_pass_the_check(tmp_path):
    found = loosim("deal", "--seed", 5, "--index", 7, "--count", 40, "--policy", "random", "--json")
    records = [json.loads(line) for line in found.stdout.splitlines()]
    assert [(record["seed"], record["index"]) for record in records] == [
        (5, index) for index in range(7, 47)
    ]
    path = tmp_path / "deals.jsonl"
    path.write_text(found.stdout)
    checked = loosim("check", path)
    assert checked.exit_code == 0
    assert checked.stdout == "40 deals, 0 faults\n"


def test_a_deal_in_words_tells_the_same_deal():
    words = ["deal", "--index", "3", "--players", "5", "--rules", "peel,loo=3", "--pot", "9"]
    record = json.loads(loosim(*words, "--json").stdout)
    assert (record["rules"]["loo"], record["rules"]["first_lead"]) == (3, "highest")
    assert (record["players"], record["pot"]) == (5, 9 * UNITS_PER_STAKE)
    told = loosim(*words).stdout
    for hand in record["hands"]:
        assert " ".join(hand) in told
    assert record["turn_up"] in told


def test_a_policy_may_be_given_for_each_seat():
    names = ["peel", "tight", "loose", "random", "trumps"]
    words = [word for name in names for word in ("--policy", name)]
    record = json.loads(loosim("deal", "--players", 5, *words, "--json").stdout)
    assert record["policies"] == names


def test_an_experiment_and_its_result_give_the_game_and_the_seed(study, file):
    loosim("run", file, "-o", "out", "--seed", "77")
    words = ["deal", "--index", "5", "--cell", "2", "--json"]
    from_file = json.loads(loosim(*words, "--experiment", file).stdout)
    from_result = json.loads(loosim(*words, "--experiment", "out").stdout)
    from_manifest = json.loads(loosim(*words, "--experiment", "out/manifest.json").stdout)
    by_hand = json.loads(
        loosim("deal", "--index", "5", "--seed", "77", "--pot", "9", "--json").stdout
    )
    assert from_file["seed"] == 4
    assert from_result == from_manifest == by_hand


def test_a_deal_of_a_run_whose_policy_has_changed_is_refused(study, file):
    mine = file.parent / "mine.toml"
    mine.write_text('name = "mine"\n[announce]\notherwise = "stand"\n')
    loosim("run", file, "-o", "out", "-s", "policies=mine.toml")
    assert loosim("deal", "--experiment", "out").exit_code == 0
    mine.write_text('name = "mine"\n[announce]\notherwise = "fold"\n')
    found = loosim("deal", "--experiment", "out")
    assert found.exit_code == 2
    assert "the policy 'mine' is not what it was when this was run" in found.stderr


@pytest.mark.parametrize(
    ("keys", "value", "told"),
    [
        (["seed"], -5, "seed: -5 is not a whole number from 0 to 2**64 - 1"),
        (["seed"], 2**64, f"seed: {2**64} is not a whole number from 0 to 2**64 - 1"),
        (
            ["cells", 1, "pot_units"],
            10,
            "cells.1.pot_units: 10 is no number of units that can lie in the pot "
            "(from 2187, which the deal puts in, to 729000000)",
        ),
        (
            ["cells", 1, "pot_units"],
            "6",
            "cells.1.pot_units: '6' is no number of units that can lie in the pot "
            "(from 2187, which the deal puts in, to 729000000)",
        ),
        (
            ["cells", 1, "pot_units"],
            None,
            "cells.1.pot_units: None is no number of units that can lie in the pot "
            "(from 2187, which the deal puts in, to 729000000)",
        ),
        (
            ["cells", 1, "policies", 2],
            "peel",
            "cells.1.policies.2: lacks its name, its digest or its source",
        ),
        (
            ["cells", 1, "policies", 2, "digest"],
            7,
            "cells.1.policies.2: lacks its name, its digest or its source",
        ),
    ],
)
def test_a_manifest_that_was_changed_is_not_played(study, file, keys, value, told):
    loosim("run", file, "-o", "out")
    path = file.parent / "out" / "manifest.json"
    manifest = json.loads(path.read_text())
    place = manifest
    for key in keys[:-1]:
        place = place[key]
    place[keys[-1]] = value
    path.write_text(json.dumps(manifest))
    found = loosim("deal", "--experiment", "out", "--cell", "1")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr == f"out: {told}\n"


def test_records_may_come_from_a_pipe():
    record = python(MAIN, "deal", "--json").stdout
    for name in ("-", "/dev/stdin"):
        assert python(MAIN, "check", name, input=record).stdout == "1 deal, 0 faults\n"


def test_faults_give_exit_code_4(tmp_path):
    record = json.loads(loosim("deal", "--policy", "always-stand", "--json").stdout)
    record["net"][0] += 1
    path = tmp_path / "deals.jsonl"
    path.write_text(json.dumps(record) + "\n")
    found = loosim("check", path)
    assert found.exit_code == 4
    assert re.match(re.escape(str(path)) + ":1: S1[56]: net of seat 0 is ", found.stdout)
    as_json = json.loads(loosim("check", path, "--json").stdout)
    assert as_json["deals"] == 1
    assert set(as_json["faults"][0]) == {"line", "rule", "what"}


# --- lists ----------------------------------------------------------------------------------------


def test_policies_are_listed_and_shown_whole():
    listed = json.loads(loosim("policies", "--json").stdout)
    assert [policy["name"] for policy in listed] == list(builtin_names())
    table = loosim("policies").stdout
    assert all(policy["name"] in table and policy["about"] in table for policy in listed)
    text = loosim("policies", "peel").stdout
    assert text.startswith("#") or 'name = "peel"' in text
    assert json.loads(loosim("policies", "peel", "--json").stdout)["toml"] == text


def test_rules_are_listed_and_shown_with_all_options():
    assert set(json.loads(loosim("rules", "--json").stdout)) == set(PRESETS)
    options = json.loads(loosim("rules", "peel", "--json").stdout)
    assert options == PRESETS["peel"].to_dict()
    assert json.loads(loosim("rules", "peel,loo=pot", "--json").stdout)["loo"] == "pot"
    table = loosim("rules", "peel").stdout
    assert all(option in table for option in OPTIONS)


# --- processes ------------------------------------------------------------------------------------


def test_a_reader_that_has_had_enough_gives_no_complaint():
    writer = subprocess.Popen(
        [sys.executable, "-c", MAIN, "deal", "--count", "2000", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert writer.stdout.readline().startswith('{"schema":"loosim.deal/1"')
        writer.stdout.close()
        assert writer.stderr.read() == ""
        assert writer.wait(timeout=60) == 0
    finally:
        writer.kill()
        writer.wait()


def test_sigterm_ends_any_command_with_143():
    script = """
import os, signal
import loo_sim.runner.replay as replay
replay.replay = lambda *_: os.kill(os.getpid(), signal.SIGTERM)
from loo_sim.cli import main
main()
"""
    found = python(script, "deal")
    assert (found.returncode, found.stdout, found.stderr) == (143, "", "stopped\n")


def test_colours_are_off_where_they_are_not_wanted(tmp_path):
    plain = {**os.environ, "FORCE_COLOR": "1"}
    for words, environment in (
        (["rules", "--no-color"], plain),
        (["rules"], {**plain, "NO_COLOR": "1"}),
    ):
        told = python(MAIN, *words, env=environment).stdout
        assert "standard" in told
        assert "\x1b[3" not in told


# --- from Python ----------------------------------------------------------------------------------


def test_run_from_python_gives_frames(study, file):
    result = loo_sim.run(file, output="out", jobs=1, seed=9, rules={"loo": "pot"})
    assert result.tables["kinds"]["n"].sum() == 3 * 40
    assert list(result.tables["kinds"].columns) == ["pot", "kind", "n"]
    assert result.manifest["seed"] == 9
    assert result.manifest["cells"][0]["rules"]["loo"] == "pot"
    assert loo_sim.read("out").manifest == result.manifest


@pytest.mark.parametrize("jobs", [-1, 0, 1025, 1.5, True, "2"])
def test_a_wrong_number_of_threads_from_python_is_refused(study, file, jobs):
    with pytest.raises(InputError) as caught:
        loo_sim.run(file, jobs=jobs)
    what = f"{jobs!r} is not a whole number from 1 to 1,024"
    assert str(caught.value) == f"loo_sim.run: jobs: {what}"
    assert not (file.parent / "results").exists()


def test_a_setting_that_no_file_can_hold_is_refused(file):
    with pytest.raises(InputError) as caught:
        loo_sim.run(file, pot={3}, rules={"loo": None})
    assert str(caught.value).splitlines() == [
        "loo_sim.run: pot: {3} is no value that an experiment file can hold",
        "loo_sim.run: rules: None is no value that an experiment file can hold",
    ]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"seed": -1}, "seed: -1 is not a whole number from 0 to 18,446,744,073,709,551,615"),
        ({"seed": 1.5}, "seed: 1.5 is not a whole number from 0 to 18,446,744,073,709,551,615"),
        ({"index": -3}, "index: -3 is not a whole number from 0 to 18,446,744,073,709,551,615"),
        (
            {"index": 2**70},
            f"index: {2**70} is not a whole number from 0 to 18,446,744,073,709,551,615",
        ),
        ({"rules": 7}, 'rules: 7 is not text (as in "peel,loo=3")'),
        ({"policies": 7}, "policies: 7 is neither a policy nor a list of policies"),
    ],
)
def test_a_wrong_deal_from_python_is_refused(wrong, told):
    with pytest.raises(InputError) as caught:
        loo_sim.deal(**wrong)
    assert str(caught.value) == f"loo_sim.deal: {told}"


def test_a_stopped_run_from_python_raises(study, file):
    def before_chunk(game, first):
        raise KeyboardInterrupt

    study.before_chunk = before_chunk
    with pytest.raises(KeyboardInterrupt):
        loo_sim.run(file)


def test_deal_and_check_from_python(tmp_path):
    record = loo_sim.deal(seed=5, index=7, players=5, rules="peel,loo=3", policies="random")
    shown = loosim(
        *("deal", "--seed", 5, "--index", 7, "--players", 5),
        *("--rules", "peel,loo=3", "--policy", "random", "--json"),
    )
    assert record == json.loads(shown.stdout)
    path = tmp_path / "deals.jsonl"
    path.write_text(json.dumps(record))
    assert loo_sim.check(path).found == 0


@pytest.mark.parametrize("first", ["read", "report"])
def test_the_function_report_is_not_hidden_by_the_package_of_that_name(first, tmp_path):
    script = f"""
import loo_sim
assert callable(loo_sim.{first})
from loo_sim.report.result import read_result
try:
    loo_sim.report("nowhere")
except loo_sim.problems.InputError as error:
    print(error)
"""
    assert python(script, cwd=tmp_path).stdout.startswith("nowhere: no such directory")


def test_the_package_says_what_it_does_not_have():
    with pytest.raises(AttributeError, match="no attribute 'solve_all'"):
        _ = loo_sim.solve_all


def test_help_names_each_command_in_a_line_of_a_narrow_terminal():
    text = CliRunner().invoke(cli, ["--help"], terminal_width=80).stdout
    lines = text.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == sorted(cli.commands)
    assert all(line.endswith(".") and not line.endswith("...") for line in lines)
