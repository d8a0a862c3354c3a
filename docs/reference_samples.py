"""Tiny runs of which docs/reference.py takes the columns of tables and the keys of JSON.

No figure of them is shown: they are so small that nothing in them means anything.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

import pyarrow.parquet as pq
from click.testing import CliRunner

from loo_sim.bench import run as bench
from loo_sim.cli import cli
from loo_sim.runner.durable import digest_of_file
from loo_sim.runner.results import MANIFEST, seal
from loo_sim.solution import GAIN, TABLE
from loo_sim.strategy import gains, regrets, solver

EXPERIMENTS: Mapping[str, tuple[str, ...]] = {
    "deals": ('study = "deals"\ndeals = 400\npolicies = "mine.toml"\n',),
    "announce": (
        'study = "announce"\ndeals = 400\n',
        'study = "announce"\ndeals = 400\naim = { seat = 1, standers = 0, miss_free = true }\n',
    ),
    "lead": ('study = "lead"\ndeals = 400\n',),
    "session": ('study = "session"\ntables = 40\nrounds = 2\nbankroll = 20\n',),
    "league": (
        'study = "league"\ndeals = 400\npolicies = ["peel", "loose"]\n',
        'study = "league"\ntables = 40\nrounds = 1\npolicies = ["peel", "loose"]\n',
    ),
}
"""Of every study, experiments that have all its tables with all their columns."""

EVERY = "every study"
"""Tables that are not of one study."""

SWEEP = 'study = "league"\ndeals = 2560\npolicies = ["peel", "loose"]\n[sweep]\npot = [3, 6]\n'
DESIGN = (
    'study = "deals"\ndeals = 90000\n[sweep.sobol]\npoints = 64\npot = [3, 6]\nplayers = [5, 6]\n'
)
GAMES = 'study = "deals"\ndeals = 90000\n[sweep]\npot = [3, 6]\n'
SEARCH = (
    'study = "league"\ndeals = 8192\npolicies = ["peel", "loose"]\n'
    "[sweep]\npolicies.loose.params.reach = [0, 2, 4]\n"
)
CLAIMS = """
study = "claims"
[parts.values]
study = "announce"
deals = 4000
[[claims]]
id = "A"
says = "Three trumps are worth a stand."
source = "nobody"
[[claims.tests]]
part = "values"
figure = "stand"
when = "trumps == 3"
above = 0
"""
POLICY = 'name = "mine"\n[announce]\notherwise = "stand"\n'


class Samples(NamedTuple):
    """What tiny runs left.

    Attributes
    ----------
    tables : dict
        By study (or `EVERY`, ``tune``, ``claims``, ``solve``) and name of table: types of columns
        by name.
    json : dict of str to list
        By command: what it printed with ``--json``, every time it was called.
    """

    tables: dict[str, dict[str, dict[str, str]]]
    json: dict[str, list[Any]]


def make_samples() -> Samples:
    """Run every study and every command."""
    with ExitStack() as stack:
        stack.enter_context(few_deals())
        folder = Path(stack.enter_context(TemporaryDirectory()))
        before = Path.cwd()
        stack.callback(os.chdir, before)
        os.chdir(folder)
        (folder / "mine.toml").write_text(POLICY, encoding="utf-8")
        return Samples(dict(_tables()), dict(_printed()))


@contextmanager
def few_deals() -> Iterator[None]:
    """Solve on so few deals that nothing is learned, and as on any machine."""
    with ExitStack() as stack:
        for module, name, value in (
            (regrets, "PART_DEALS", 2**10),
            (regrets, "ROUND_DEALS", 5 * 2**10),
            (solver, "ROUND_DEALS", 5 * 2**10),
            (solver, "FIRST_ROUNDS", 1),
            (solver, "LEAST_DEALS", 2**12),
            (solver, "GAIN_DEALS", 2**12),
            (solver, "CHUNK_DEALS", 2**12),
            (gains, "CHUNK_DEALS", 2**12),
            (bench, "l2_bytes", lambda: 2**20),
        ):
            stack.enter_context(patch.object(module, name, value))
        yield


def _call(*words: object) -> Any:
    """What a command prints with ``--json``."""
    ended = CliRunner().invoke(cli, [*map(str, words), "--json", "--quiet", "--jobs", "1"])
    if ended.exit_code not in (0, 4):
        raise RuntimeError(f"loosim {' '.join(map(str, words))}: {ended.output}")
    return json.loads(ended.stdout)


def _run(name: str, text: str) -> Any:
    """Run an experiment into the directory `name`."""
    Path(f"{name}.toml").write_text(text, encoding="utf-8")
    return _call("run", f"{name}.toml", "-o", name)


def _columns(directory: Path, axes: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Types of the columns of each table in a directory, but those of axes."""
    return {
        path.stem: {
            field.name: str(field.type) for field in pq.read_schema(path) if field.name not in axes
        }
        for path in sorted(directory.glob("*.parquet"))
    }


def _tables() -> Iterator[tuple[str, dict[str, dict[str, str]]]]:
    """The tables of every study, those that are of every one apart."""
    every: dict[str, dict[str, str]] = {}
    for study, texts in EXPERIMENTS.items():
        found: dict[str, dict[str, str]] = {}
        for number, text in enumerate(texts):
            _run(f"{study}{number}", text)
            for name, columns in _columns(Path(f"{study}{number}"), {}).items():
                kept = every if name in ("chunks", "running") else found
                kept.setdefault(name, {}).update(columns)
        yield study, found
    for name, text, table in (("games", GAMES, "difference"), ("design", DESIGN, "sobol")):
        axes = _run(name, text)["cells"][0]["axes"]
        every[table] = _columns(Path(name), axes)[table]
    yield EVERY, every
    _run("search", SEARCH)
    _call("tune", "search.toml", "-o", "tuned")
    (axes,) = (cell["axes"] for cell in _manifest(Path("search"))["cells"][:1])
    yield "tune", _columns(Path("tuned"), axes)
    _run("claimed", CLAIMS)
    yield "claims", _columns(Path("claimed"), {})
    _call("solve", "--players", 5, "--max-deals", 2**13, "-o", "solved")
    yield "solve", {name: _columns(Path("solved"), {})[name] for name in (TABLE, GAIN)}


def _printed() -> Iterator[tuple[str, list[Any]]]:
    """What commands print, after `_tables` has left its directories."""
    runs = ("deals0", "session0", "games", "design")
    done = [_call("run", f"{name}.toml", "-o", name) for name in runs]
    yield "run", [*done, _call("run", "deals0.toml", "-s", "until=0.5", "-o", "until")]
    yield (
        "run --dry-run",
        [
            _call("run", "announce0.toml", "--dry-run", "-o", "elsewhere"),
            _call("run", "announce0.toml", "-s", "until=0.5", "--dry-run", "-o", "elsewhere"),
        ],
    )
    yield "run (claims)", [_run("claimed", CLAIMS)]
    yield "tune", [_call("tune", "search.toml", "-o", "tuned")]
    yield "solve", [_call("solve", "--players", 5, "--max-deals", 2**13, "-o", "solved")]
    yield "report", [_call("report", "deals0"), _call("report", "deals0", "--figures", "figures")]
    yield (
        "compare",
        [
            _call("compare", "deals0", "games"),
            *(_call("compare", f"{study}0", f"{study}0") for study in EXPERIMENTS),
        ],
    )
    _alter(Path("deals0"), Path("altered"))
    with (Path("games") / "swings.parquet").open("ab") as file:
        file.write(b"x")
    yield "verify", [_call("verify", name) for name in ("deals0", "altered", "games")]
    Path("mine.toml").write_text(POLICY + "\n", encoding="utf-8")
    yield (
        "reproduce",
        [
            _call("reproduce", "altered"),
            _call("reproduce", "announce0", "--run"),
            _call("reproduce", "announce0", "-o", "recipe"),
        ],
    )
    yield (
        "advise",
        [_call("advise", "Kh 7h 2c", "--turn-up", "9h", "--until", 1, "--lead", "--before", "f")],
    )
    dealt = [_call("deal", "--policy", "always-stand"), _call("deal")]
    yield "deal", dealt
    dealt[0]["pot_after"] += 1
    Path("faulty.jsonl").write_text(json.dumps(dealt[0]), encoding="utf-8")
    yield "check", [_call("check", "faulty.jsonl")]
    yield "policies", [_call("policies")]
    yield "policies NAME", [_call("policies", "loose")]
    yield "rules", [_call("rules")]
    yield "rules NAME", [_call("rules", "peel")]
    yield "bench", [bench.run_bench(deals=100, repeats=1, benchmarks=Path("nowhere"))]


def _manifest(directory: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((directory / MANIFEST).read_bytes())
    return content


def _alter(result: Path, copy: Path) -> None:
    """Copy a result of which a chunk was counted otherwise, by another version of numpy."""
    shutil.copytree(result, copy)
    chunks = pq.read_table(copy / "chunks.parquet").to_pandas()
    chunks["checksum"] += 1
    chunks.to_parquet(copy / "chunks.parquet", index=False)
    manifest = _manifest(copy)
    manifest["tables"]["chunks"] = digest_of_file(copy / "chunks.parquet")
    manifest["versions"]["numpy"] = "0"
    del manifest["digest"]
    seal(manifest)
    (copy / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
