"""Every command, Python block and TOML file that README.md and docs/ show does what is said of it.

A page is followed as a reader follows it, in a folder that holds what comes with loosim and the
files that the page writes. What would take long is made small; what cannot be run here is named
below, each with what is tested in its place. Where a page shows what a command prints, it must.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from click.testing import Result
from commands import loosim
from docs_pages import PAGES, ROOT, Shown, of_text, shown_by, words_of
from shown import agree

import loo_sim
from loo_sim.claims.file import load_claims
from loo_sim.cli import cli
from loo_sim.experiment import Experiment, load_experiment
from loo_sim.policies.parse import POLICY_KEYS, read_policy
from loo_sim.problems import InputError
from loo_sim.runner.progress import COMPILING
from loo_sim.settings import CLAIMS, KEYS
from loo_sim.studies import STUDY_NAMES

DOCS = ROOT / "docs"
MOST_WORK = 40_000_000
"""Seats and deals that a command may play, before it is made small: a second or two."""
HELD = (DOCS / "guide",)
"""Folders whose pages test_guide.py follows at full length: Python, and commands that print."""
EXPERIMENTS_RUN = ("run", "sweep", "tune")
FEW_DEALS, FEW_TABLES, FEW_OF_SEARCH = 400, 20, 8_192


class Elsewhere(NamedTuple):
    """Commands that no test runs as they stand.

    Attributes
    ----------
    pattern : str
        What they begin with, or hold.
    why : str
        Why they are not run.
    instead : str
        The test of what they do.
    """

    pattern: str
    why: str
    instead: str


NOT_RUN = (
    Elsewhere(r"^make( \w+=\S+)* run\b", "120 million deals", "test_docs_commands.py"),
    Elsewhere(r"^make( \w+=\S+)* test(-long|-cluster)?\b", "the tests themselves", "conftest.py"),
    Elsewhere(r"^make (report|picture)\b", "a minute or two", "test_docs_picture.py"),
    Elsewhere(r"^make bench\b", "minutes", "test_bench.py"),
    Elsewhere(r"^make equilibrium\b", "half an hour", "test_solve.py"),
    Elsewhere(r"^loosim run experiments/old_books.toml", "half an hour", "test_claims.py"),
    Elsewhere(r"^make old-books\b", "half an hour", "test_claims.py"),
    Elsewhere(r"^make sharp\b", "a quarter of an hour", "test_sight.py"),
    Elsewhere(r"^make (cost|widths)\b", "minutes, and figures of the machine", "test_bench.py"),
    Elsewhere(r"^make reference\b", "writes what the tests look at", "test_reference.py"),
    Elsewhere(r"^loosim bench\b", "a minute", "test_bench.py"),
    Elsewhere(r"--engine dask\b", "workers, here or elsewhere", "test_engines.py"),
    Elsewhere(r"^(dask|export|kubectl|openssl|sbatch|srun|ssh) ", "a cluster", "test_cluster.py"),
    Elsewhere(r"^[A-Z_]+=\S+ dask ", "a cluster", "test_cluster.py"),
    Elsewhere(r"^python docs/guide/", "runs as a whole", "test_guide.py"),
    Elsewhere(r"^pip install\b", "needs a network", "test_constraints.py"),
)

PLACEHOLDERS = {
    "FILE": "x.toml",
    **dict.fromkeys(("DIR", "RESULT"), "results/x"),
    "A": "results/a",
    "B": "results/b",
    "FOLDER": "folder",
    "NAME": "peel",
    "KEY=VALUES": "players=5,6",
    **dict.fromkeys("TDRI", "0"),
    "P": "5",
}
"""What stands for anything in a command."""

POLICY = """name = "mine"
[params]
reach = 2
bluff = 0.5
[announce]
rules = [
  { when = "trumps >= 1 and over_best <= reach", do = "stand" },
  { when = "miss_free", do = "miss", chance = "bluff" },
]
"""
GAME = 'study = "deals"\nplayers = 5\ndeals = 400\npolicies = ["{}"]\n'
SEARCHED = (
    'study = "league"\nplayers = 5\ndeals = 8192\npolicies = ["{}", "peel"]\n'
    "[sweep]\npolicies.mine.params.reach = [1, 2]\n"
)
"""Files that a page speaks of and does not show, by the policy that it speaks of."""

OTHER_TOML: dict[str, str] = {}
"""TOML that is no part of an experiment or a policy: its first line, and what it is."""


class Reader:
    """Somebody who follows a page in a folder.

    Attributes
    ----------
    folder : Path
        With the experiments that come with loosim.
    is_held : bool
        Whether another test follows the page at full length.
    written : set of str
        Files that the page itself wrote.
    small : set of str
        Directories of results that are smaller than the page means.
    refused : set of str
        Files that the page shows to be wrong.
    wrong : dict of str to InputError
        Files of the page that cannot be loaded.
    done : dict
        What commands came to.
    names : dict
        What Python blocks have defined.
    faults : list of str
        What went wrong.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.is_held = False
        self.written: set[str] = set()
        self.small: set[str] = set()
        self.refused: set[str] = set()
        self.wrong: dict[str, InputError] = {}
        self.done: dict[tuple[str, ...], Result] = {}
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.faults: list[str] = []
        shutil.copytree(ROOT / "experiments", folder / "experiments")
        (folder / "mine.toml").write_text(POLICY, encoding="utf-8")

    def follow(self, shown: Sequence[Shown]) -> None:
        """Do all of it in turn; on a page that is held elsewhere but its Python, and small."""
        for one in shown:
            before = len(self.faults)
            if one.kind == "toml":
                self.write(one.text)
            elif one.kind == "python":
                if not self.is_held:
                    self.run_python(one.text)
            else:
                self.run(one)
            self.faults[before:] = [f"line {one.line}: {what}" for what in self.faults[before:]]
        for name, error in self.wrong.items():
            if name not in self.refused:
                self.faults.append(f"{name} cannot be loaded: {error}")

    # --- files --------------------------------------------------------------------------------

    def write(self, text: str) -> None:
        """Write a block of TOML to the file that it is, and load it."""
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self.faults.append(f"is no TOML: {error}")
            return
        first = text.splitlines()[0]
        named = re.match(r"# ?(\S+\.toml)\b", first)
        name = named[1] if named else f"{data.get('name', 'fragment')}.toml"
        is_experiment = data.keys() <= set(KEYS)
        is_claims = data.get("study") == CLAIMS
        if not is_experiment and not is_claims and not data.keys() <= set(POLICY_KEYS):
            if first not in OTHER_TOML:
                self.faults.append(
                    f"{first!r}: neither a policy nor an experiment, nor a part of one: what it is "
                    "belongs to OTHER_TOML"
                )
            return
        whole = text if is_claims else self.completed(text, data, is_experiment)
        (self.folder / name).write_text(whole, encoding="utf-8")
        self.written.add(name)
        self.wrong.pop(name, None)
        try:
            read = load_claims if is_claims else load_experiment if is_experiment else read_policy
            read(Path(name))
        except InputError as error:
            self.wrong[name] = error

    def completed(self, text: str, data: dict[str, Any], is_experiment: bool) -> str:
        """A part of a file with what else a file needs."""
        if is_experiment and "study" not in data:
            policy = "mine.toml" if "policies.mine" in text else "peel"
            return GAME.format(policy) + text
        if not is_experiment:
            table = data.get("announce", {}).get("table")
            if table and not (self.folder / table).exists():
                source = ROOT / "loo_sim" / "policies" / "builtin" / "equilibrium.parquet"
                shutil.copy(source, self.folder / table)
            head = "" if "name" in data else 'name = "part"\n'
            return head + ("" if "announce" in data else "[announce]\n") + text
        return text

    def experiment_for(self, path: str, words: Sequence[str]) -> list[str]:
        """Have an experiment file where the page speaks of one that it does not show.

        What else the command is told then: each of these stands for a file of its own.
        """
        if path in self.written or path.startswith("experiments/"):
            return []
        named = re.search(r"policies\.(\w+)\.", " ".join(words))
        policy = f"{named[1]}.toml" if named else "mine.toml"
        text = (SEARCHED if words[0] == "tune" else GAME).format(policy)
        (self.folder / path).write_text(text, encoding="utf-8")
        return ["--fresh"]

    def result_for(self, path: str) -> None:
        """Have a result where the page speaks of one that it has not made.

        That of the experiment of its name, if there is one.
        """
        if (self.folder / path).exists() or not path.startswith("results/"):
            return
        name = path.removeprefix("results/")
        files = [f"{name}.toml", f"experiments/{name}.toml"]
        file = next((one for one in files if (self.folder / one).exists()), "x.toml")
        words = ["run", file, "-o", path, "-s", f"name={name}"]
        self.do([*words, *self.experiment_for(file, words)])

    # --- commands -----------------------------------------------------------------------------

    def run(self, shown: Shown) -> None:
        """Run a command, or see that what is tested in its place is there."""
        elsewhere = [one for one in NOT_RUN if re.search(one.pattern, shown.text)]
        words = words_of(shown.text)
        if words[0] == "make":
            self.make(words, elsewhere)
        elif words[0] != "loosim" or elsewhere:
            if not elsewhere:
                self.faults.append(f"{shown.text}: cannot be run here, and is not in NOT_RUN")
            elif words[0] == "loosim":
                end = words.index("|") if "|" in words else None
                self.parse(words[1:2], words[2:end])
        else:
            self.run_loosim(shown, words[1:])

    def make(self, words: Sequence[str], elsewhere: Sequence[Elsewhere]) -> None:
        """See that a target is there, and that it is in the list."""
        if not elsewhere:
            self.faults.append(f"{' '.join(words)}: is not in NOT_RUN")
        told = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, text=True)
        if told.returncode:
            self.faults.append(f"{' '.join(words)}: {told.stderr}")

    def parse(self, name: Sequence[str], words: Sequence[str]) -> click.Context | None:
        """The options of a command as it would take them; None where it lacks what it needs."""
        if not name or name[0] not in cli.commands:
            self.faults.append(f"loosim {' '.join([*name, *words])}: no such command")
            return None
        try:
            return cli.commands[name[0]].make_context(name[0], [*words])
        except click.MissingParameter:
            return None
        except click.UsageError as error:
            self.faults.append(f"loosim {name[0]} {' '.join(words)}: {error.message}")
            return None

    def run_loosim(self, shown: Shown, words: list[str]) -> None:
        """Run a command of loosim, and see that it ends and prints as it is said to."""
        into = None
        if ">" in words:
            at = words.index(">")
            into, words = words[at + 1], words[:at]
        words = self.filled(words)
        context = self.parse(words[:1], words[1:])
        if context is None:
            if shown.kind == "command":
                self.faults.append(f"{shown.text}: lacks what it needs")
            return  # within a sentence that is how a command is called
        ended, is_small = self.do([*words, *self.prepare(words, context)])
        if into is not None:
            (self.folder / into).write_text(ended.stdout, encoding="utf-8")
        printed = ended.output.replace(f"{self.folder}/", "").replace(f"{COMPILING}\n", "")
        is_shown = shown.output is not None and agree(rows(shown.output), rows(printed))
        # A block that shows nothing but what is wrong with an input ends as such commands do.
        is_refusal = is_shown and not ended.stdout
        if ended.exit_code != (2 if is_refusal else 0):
            self.faults.append(f"{shown.text}: exit code {ended.exit_code}: {ended.output[-600:]}")
        elif shown.output is not None and not is_shown and not is_small:
            self.faults.append(f"{shown.text}: prints\n{printed}\nnot\n{shown.output}")
        if is_refusal:
            self.refused.add(printed.partition(":")[0])

    def filled(self, words: Sequence[str]) -> list[str]:
        """The words with something in place of what stands for anything."""
        known = dict(PLACEHOLDERS)
        if "--table" in words:
            known["DIR"] = "results/evening"
        if "--turn" in words:
            known["DIR"] = "results/league"
        if words[0] == "solve":
            known["DIR"] = "solved"
        if words[0] == "policies":
            known["FILE"] = "mine.toml"
        return [known.get(word, word) for word in words]

    def prepare(self, words: Sequence[str], context: click.Context) -> list[str]:
        """Have what a command reads; what else it is told then."""
        params = context.params
        if words[0] in EXPERIMENTS_RUN:
            return self.experiment_for(str(params["experiment"]), words)
        for key in ("directory", "a", "b", "experiment"):
            if params.get(key) is not None:
                self.result_for(str(params[key]))
        if words[0] == "check" and not (self.folder / params["file"]).exists():
            dealt = loosim("deal", "--json", "--count", 3)
            (self.folder / params["file"]).write_text(dealt.stdout, encoding="utf-8")
        return []

    def do(self, words: Sequence[str]) -> tuple[Result, bool]:
        """Run a command, smaller if it would take long, once; and whether it was made smaller."""
        key = tuple(words)
        more, place = self.less(words)
        is_small = bool(more) or self.touches_small(words)
        if is_small and place is not None:
            self.small.add(place)
        if words[0] in ("policies", "rules") and not words[-1].endswith(".toml"):
            return _print(key), False
        if key not in self.done:
            self.done[key] = loosim(*words, *more)
        return self.done[key], is_small

    def touches_small(self, words: Sequence[str]) -> bool:
        """Whether a command looks at something that is smaller than the page means."""
        texts = [*words]
        for word in words:
            path = self.folder / word
            if word.endswith(".toml") and path.is_file():
                texts.append(path.read_text(encoding="utf-8"))
        return any(place in text for place in self.small for text in texts)

    def less(self, words: Sequence[str]) -> tuple[list[str], str | None]:
        """Options that make a command small, if it is not; and where its result is."""
        context = self.parse(words[:1], words[1:])
        assert context is not None
        params = context.params
        if words[0] == "solve":
            return ["--until", "100", "--max-deals", "8192"], str(params["output"])
        if words[0] not in EXPERIMENTS_RUN:
            return [], None
        axes, overrides = params.get("axes", ()), params["overrides"]
        if params.get("sobol"):
            overrides += (f"sweep.sobol.points={params['sobol']}",)
        try:
            experiment = load_experiment(params["experiment"], overrides, axes)
        except InputError:
            return [], None
        name = experiment.name + ("-tune" if words[0] == "tune" else "")
        place = str(params["output"] or f"results/{name}")
        # What is not run takes no time, but speaks of what is there.
        is_small = (
            place in self.small
            if params.get("dry_run")
            else (work_of(experiment) > (0 if self.is_held else MOST_WORK))
        )
        if not is_small:
            return [], place
        return ["-s", few(experiment, words[0] == "tune")], place

    # --- Python -------------------------------------------------------------------------------

    def run_python(self, text: str) -> None:
        """Run a block after those before it."""
        try:
            exec(compile(text, "a page", "exec"), self.names)
        except Exception as error:
            self.faults.append(f"{text}\n{type(error).__name__}: {error}")


def rows(text: str) -> list[str]:
    """Lines without spaces at their ends."""
    return [line.rstrip() for line in text.splitlines()]


@cache
def _print(words: tuple[str, ...]) -> Result:
    """What a command prints that looks at no file."""
    return loosim(*words)


def work_of(experiment: Experiment) -> int:
    """Deals that an experiment plays, those of announcements for each seat and alternative.

    As many as need be, where it goes on until a precision is reached.
    """
    if experiment.amount.until is not None:
        return 0
    work = 0
    for cell in experiment.cells:
        of_table = max(cell.rounds, 1) * cell.players if cell.rounds else 1
        times = {"announce": 2 * cell.players, "league": len(cell.policies)}
        work += experiment.amount.most * of_table * times.get(experiment.study, 1)
    return work


def few(experiment: Experiment, is_search: bool) -> str:
    """What makes an experiment small."""
    if experiment.unit == "tables":
        return f"tables={FEW_TABLES}"
    return f"deals={FEW_OF_SEARCH if is_search else FEW_DEALS}"


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unwritten: None) -> Iterator[Reader]:
    """Somebody in an empty folder, for whom strategies are found on few deals.

    The figures of pages are left out, but for those that are files.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(DOCS))
    from reference_samples import few_deals

    run = loo_sim.run

    def small_run(path: str, **settings: Any) -> Any:
        keys = [f"{key}={value}" for key, value in settings.items() if key in ("deals", "tables")]
        experiment = load_experiment(path, keys)
        if work_of(experiment) > MOST_WORK:
            key, _, value = few(experiment, is_search=False).partition("=")
            settings[key] = int(value)
        return run(path, **settings)

    monkeypatch.setattr(loo_sim, "run", small_run)
    with few_deals():
        yield Reader(tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_works(page: Path, reader: Reader) -> None:
    reader.is_held = page.parent in HELD
    reader.follow(shown_by(page))
    assert not reader.faults, "\n\n".join(reader.faults)


def test_what_is_not_run_is_shown_somewhere_and_tested_elsewhere() -> None:
    texts = [shown.text for page in PAGES for shown in shown_by(page)]
    for one in NOT_RUN:
        assert (ROOT / "tests" / one.instead).is_file(), one
        assert any(re.search(one.pattern, text) for text in texts), f"nothing is like {one}"


# --- that what is wrong is noticed ------------------------------------------------------------


def test_what_a_page_shows_is_found_in_its_order() -> None:
    text = (
        "Say `loosim rules\npeel`, not `loosim.deal/1`.\n\n```\n$ loosim rules  # all\nfirst\n"
        "$ make run\nhere$  loosim check x \\\n    --json\nOUT=1 dask worker\nloosims\n```\n\n"
        "    loosim policies\n\n```toml\nloosim = 1\n```\n\n```python\nx = 1\n```\n"
    )
    found = [(one.kind, one.line, one.text, one.output) for one in of_text(text)]
    assert found == [
        ("inline", 1, "loosim rules peel", None),
        ("command", 5, "loosim rules  # all", "first"),
        (
            "command",
            7,
            "make run",
            "here$  loosim check x \\\n    --json\nOUT=1 dask worker\nloosims",
        ),
        ("command", 14, "loosim policies", None),
        ("toml", 16, "loosim = 1\n", None),
        ("python", 20, "x = 1\n", None),
    ]
    lines = "```\nhere$  loosim check x \\\n    --json\nOUT=1 dask worker\nloosims\n```\n"
    assert [one.text for one in of_text(lines)] == ["loosim check x --json", "OUT=1 dask worker"]


def told(reader: Reader, text: str) -> str:
    reader.follow(of_text(text))
    return "\n".join(reader.faults)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("`loosim brew`", "no such command"),
        ("`loosim run --brew`", "No such option"),
        ("`loosim rules brew`", "exit code 2"),
        ("`make brew`", "No rule to make target"),
        ("`make clean`", "is not in NOT_RUN"),
        ("```\nloosim run\n```", "lacks what it needs"),
        ("```\nsrun\n```", "is not in NOT_RUN"),
        ("```\nloosim bench --brew\n```", "No such option"),
        ("```\n$ loosim deal\nDeal 1 of seed 1\n```", "prints"),
        ("```\n$ loosim rules brew\nbrew: is none\n```", "exit code 2"),
        ("```python\n1 / 0\n```", "ZeroDivisionError"),
        ("```toml\n1\n```", "is no TOML"),
        ("```toml\nbrew = 1\n```", "neither a policy nor an experiment"),
        ('```toml\nname = "x"\nstudy = "tea"\n```', "x.toml cannot be loaded"),
        ("```toml\n[announce]\nrules = [{ when = 1 }]\n```", "fragment.toml cannot be loaded"),
        ("```toml\n[sweep]\npot = [1]\n```", "fragment.toml cannot be loaded"),
    ],
    ids=lambda text: text.replace("\n", " ")[:30],
)
def test_what_is_wrong_in_a_page_is_told(text: str, fault: str, reader: Reader) -> None:
    assert fault in told(reader, f"{text}\n")


def test_a_page_may_show_what_is_refused(reader: Reader) -> None:
    text = (
        '```toml\n# bad.toml\nstudy = "tea"\n```\n\n```\n$ loosim run bad.toml\nbad.toml:2: study: '
        "'tea' is no study of this version (one of: deals, announce, session, league)\n```\n"
    )
    studies = ", ".join([*STUDY_NAMES, CLAIMS])
    assert told(reader, text.replace("deals, announce, session, league", studies)) == ""


def test_what_would_take_long_is_made_small_and_not_held_to_what_is_shown(reader: Reader) -> None:
    text = "```\n$ loosim run experiments/standard.toml -o out\nmuch else\n```\n"
    assert told(reader, text) == ""
    assert reader.small == {"out"}
    assert told(reader, "```\n$ loosim run x.toml -o here\nmuch else\n```\n") != ""
