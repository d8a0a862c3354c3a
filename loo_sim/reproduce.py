"""What repeats a result: the experiment as a file of its own, with the policy files that it names.

All of it comes from the manifest, which keeps the text of policy files; only of a policy's table is
there no more than a digest, so that its file must still be as it was. What is written is read again
and held to the manifest before it is given out.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loo_sim.problems import InputError, Problem, Problems
from loo_sim.result import read_own_manifest
from loo_sim.sweep import read_sweep
from loo_sim.tomlwrite import document

if TYPE_CHECKING:
    from loo_sim.experiment import Experiment
    from loo_sim.runner.progress import Progress
    from loo_sim.runner.run import Run

EXPERIMENT = "experiment.toml"
AS_IT_WAS, CHANGED, GONE = "as it was", "changed since", "gone"
"""What may have become of a policy file."""

MOST_FOLDERS_UP = 4
_FOLDER = "experiment"


@dataclass(frozen=True)
class PolicyFile:
    """A policy file that the experiment names.

    Attributes
    ----------
    name, digest : str
        Of the policy, as the first cell that has it plays it.
    source : str
        Where it was when the result was made.
    state : str
        What has become of that file: one of `AS_IT_WAS`, `CHANGED`, `GONE`.
    place : str
        Where it is among the files that repeat the result, from their folder.
    """

    name: str
    digest: str
    source: str
    state: str
    place: str


@dataclass(frozen=True)
class Recipe:
    """What repeats a result.

    Attributes
    ----------
    manifest : mapping
        Of the result.
    place : str
        The experiment file, from the folder that the files stand in.
    toml : str
        Its text.
    policies : list of PolicyFile
        The policy files that it names.
    differences : list of (str, str)
        What is not here as it was there, though the tables may depend on it: the key, and both
        values in words.
    files : mapping of str to bytes
        Every file by its place.
    experiment : Experiment
        As these files give it.
    """

    manifest: Mapping[str, Any]
    place: str
    toml: str
    policies: list[PolicyFile]
    differences: list[tuple[str, str]]
    files: Mapping[str, bytes]
    experiment: Experiment


class _Named:
    """A policy file, and the word by which the experiment names it."""

    def __init__(self, word: str, policy: Mapping[str, Any], text: str) -> None:
        self.word = word
        self.policy = policy
        self.text = text
        self.source = Path(policy["source"])

    def folders_up(self) -> int | None:
        """How many folders above the experiment's the word leads; None if it must be replaced.

        A path from the root of a disk names a place on one machine alone.
        """
        parts = Path(self.word).parts
        up = next((i for i, part in enumerate(parts) if part != os.pardir), len(parts))
        if Path(self.word).is_absolute() or os.pardir in parts[up:] or up > MOST_FOLDERS_UP:
            return None
        return None if any("\ud800" <= sign <= "\udfff" for sign in self.word) else up

    def new_word(self) -> str:
        """A word for the place of a file whose own word cannot be kept."""
        stem = re.sub(r"[^A-Za-z0-9_-]", "-", self.source.stem)
        return f"policies/{stem}-{self.policy['digest'][:8]}.toml"

    def state(self) -> str:
        """What has become of the file."""
        from loo_sim.policies.parse import read_policy
        from loo_sim.policies.variants import can_vary, vary

        if not self.source.exists():
            return GONE
        try:
            policy, changes = read_policy(self.source), self.policy.get("changes", {})
            same = can_vary(policy, changes)
            same = same and vary(policy, changes).digest == self.policy["digest"]
        except InputError:
            same = False
        return AS_IT_WAS if same else CHANGED

    def contents(self, place: str) -> dict[str, bytes]:
        """The file and, if it names one, the table beside it, by their places.

        Raises
        ------
        InputError
            If the table cannot be read.
        """
        data = tomllib.loads(self.text)
        table = data["announce"].get("table")
        if table is None:
            return {place: self.text.encode()}
        beside = Path(place).with_suffix(".parquet")
        data["announce"]["table"] = beside.name
        path = self.source.parent / table
        try:
            content = path.read_bytes()
        except OSError as error:
            hint = "of a table the manifest keeps no more than its digest"
            told = f"the table of this policy cannot be read: {error.strerror}"
            raise InputError([Problem(str(path), None, "", told, hint)]) from None
        return {place: document(data).encode(), beside.as_posix(): content}


def recipe_of(directory: Path) -> Recipe:
    """What repeats the result in a directory; its tables are not looked at.

    Raises
    ------
    InputError
        If it is no result, or one that was altered; or if a policy cannot be had as it was, since
        its table is gone or changed.
    """
    from loo_sim.machine import versions
    from loo_sim.runner.identity import differences, identity_of

    manifest = read_own_manifest(directory)
    words, named = _words(manifest)
    depth = max((word.folders_up() or 0 for word in named), default=0)
    folder = Path(*[_FOLDER] * depth)
    place = (folder / EXPERIMENT).as_posix()
    files: dict[str, bytes] = {}
    policies = []
    for one in named:
        new = one.word if one.folders_up() is not None else one.new_word()
        at = Path(os.path.normpath(folder / new)).as_posix()
        if at == place:
            new = one.new_word()
            at = (folder / new).as_posix()
        words[one.word] = new
        files |= one.contents(at)
        told = one.policy
        policies.append(PolicyFile(told["name"], told["digest"], told["source"], one.state(), at))
    toml = document(_with_words(manifest["experiment"], words))
    files[place] = toml.encode()
    loaded = _read_again(directory, place, files)
    _check_policies(loaded, manifest, directory)
    found = differences(manifest["identity"], identity_of(loaded))
    installed = versions()
    found += [
        (package, f"{version} there, {installed.get(package, 'none')} here")
        for package, version in manifest["versions"].items()
        if installed.get(package) != version and package != "loosim"
    ]
    return Recipe(manifest, place, toml, policies, found, files, loaded)


def _words(manifest: Mapping[str, Any]) -> tuple[dict[str, str], list[_Named]]:
    """The words that name policies by files: new words for built-in ones, and the others."""
    settings, texts = manifest["experiment"], manifest["policy_files"]
    swept, seed = settings.get("sweep", {}), settings["seed"]
    points = read_sweep(swept, seed, Problems(""), lambda key: None).points
    words: dict[str, str] = {}
    named: dict[str, _Named] = {}
    for point, cell in zip(points, manifest["cells"], strict=True):
        value = point.values.get("policies", settings["policies"])
        of_cell = [value] if isinstance(value, str) else value
        for word, policy in zip(of_cell, cell["policies"], strict=False):
            source = policy["source"]
            if source in texts:
                named.setdefault(word, _Named(word, policy, texts[source]))
            else:
                words[word] = source
    return words, list(named.values())


def _read_again(directory: Path, place: str, files: Mapping[str, bytes]) -> Experiment:
    """The experiment as its files give it."""
    from loo_sim.experiment import load_experiment

    with tempfile.TemporaryDirectory(prefix="loosim-") as scratch:
        _write(Path(scratch), files)
        try:
            return load_experiment(Path(scratch) / place)
        except InputError as error:
            problems = Problems(str(directory))
            for problem in error.problems:
                where = problem.source.replace(f"{scratch}{os.sep}", "")
                told = problem.what.replace(f"{scratch}{os.sep}", "")
                problems.add(problem.key, f"cannot be repeated here: {where}: {told}", problem.hint)
            raise InputError(problems) from None


def _with_words(settings: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    """The settings with other words for policies."""

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(item) for item in value]
        return words.get(value, value)

    def of_axes(axes: Mapping[str, Any]) -> dict[str, Any]:
        return {axis: renamed(v) if axis == "policies" else v for axis, v in axes.items()}

    found = of_axes(settings)
    sweep = of_axes(found.pop("sweep", {}))
    if sweep:
        if "zip" in sweep:
            sweep["zip"] = of_axes(sweep["zip"])
        if "list" in sweep:
            sweep["list"] = [of_axes(cell) for cell in sweep["list"]]
        found["sweep"] = sweep
    return found


def _check_policies(loaded: Experiment, manifest: Mapping[str, Any], directory: Path) -> None:
    """Make sure that the files that were written give the policies that were played."""
    problems = Problems(str(directory))
    told = set()
    for cell, there in zip(loaded.cells, manifest["cells"], strict=True):
        for policy, then in zip(cell.policies, there["policies"], strict=True):
            if policy.digest != then["digest"] and then["source"] not in told:
                told.add(then["source"])
                what = f"the policy {then['name']} cannot be had as it was: {then['source']}"
                problems.add("policies", what, "it is built in, or has a table, and was changed")
    problems.raise_if_any()


def with_comments(recipe: Recipe, directory: Path) -> str:
    """The experiment file, opened by comments that say what else there is to know."""
    name = recipe.manifest["name"]
    again = shlex.join(["loosim", "run", recipe.place, "-o", f"{name}-again"])
    lines = [
        f"What repeats the result in {directory}.",
        f"It came of: {recipe.manifest['command']}",
        f"This file repeats it: {again}",
    ]
    if recipe.policies:
        lines.append("It needs these policy files, which loosim reproduce -o FOLDER writes:")
    lines += [f"  {p.place}: from {p.source}, which is {p.state}" for p in recipe.policies]
    if recipe.differences:
        lines.append("What is not here as it was there:")
        lines += [f"  {key}: {what}" for key, what in recipe.differences]
    else:
        lines.append("Python, packages and kernels are here as they were there.")
    signs = ("".join(s if s.isprintable() else "?" for s in line) for line in lines)
    return "".join(f"# {line}\n" for line in signs) + recipe.toml


def write_recipe(recipe: Recipe, folder: Path) -> None:
    """Write the experiment file and its policy files.

    Raises
    ------
    InputError
        If there is anything in the folder, or it cannot be written.
    """
    problems = Problems(str(folder))
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            problems.add("", "is not an empty folder", "nothing was overwritten; -o elsewhere")
        else:
            _write(folder, recipe.files)
    except OSError as error:
        problems.add("", f"cannot be written: {error.strerror}")
    problems.raise_if_any()


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for place, content in files.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def run_recipe(
    recipe: Recipe, directory: Path, jobs: int | None, progress: Progress
) -> tuple[Run, dict[str, bool]]:
    """Run the experiment again, in a temporary place.

    Parameters
    ----------
    recipe : Recipe
        What repeats the result.
    directory : Path
        The result, for messages.
    jobs : int, optional
        Threads.
    progress : Progress
        Told how far it has come.

    Returns
    -------
    Run
        What became of it; its directory is gone.
    dict of str to bool
        For each table, whether the new one is the same to the byte; empty if the run was stopped.

    Raises
    ------
    InputError
        If cells of the result had failed or were ended by their time, so that a new run would
        have other tables.
    OSError
        If there is no room for it.
    """
    from loo_sim.experiment import load_experiment
    from loo_sim.runner.manifest import DONE
    from loo_sim.runner.run import run_experiment

    there = recipe.manifest["tables"]
    problems = Problems(str(directory))
    if recipe.manifest["status"] != DONE:
        problems.add("status", "some of its cells failed", "its own command runs them alone")
    settings = recipe.manifest["experiment"]
    most = settings.get("max_deals", settings.get("max_tables"))
    for number, cell in enumerate(recipe.manifest["cells"]):
        precision = cell["precision"]
        if precision and not precision["reached"] and cell["deals"] != most:
            what = f"was ended by max_seconds, after {cell['deals']:,}: no other run need end there"
            problems.add(f"cells.{number}", what, "loosim verify DIR holds what it counted to it")
    problems.raise_if_any()
    with tempfile.TemporaryDirectory(prefix="loosim-") as scratch:
        folder = Path(scratch) / "files"
        _write(folder, recipe.files)
        experiment = load_experiment(folder / recipe.place)
        ended = run_experiment(experiment, Path(scratch) / "again", jobs, progress)
    if ended.stopped is not None:
        return ended, {}
    here = ended.manifest.get("tables", {})
    names = dict.fromkeys([*there, *here])
    return ended, {name: there.get(name) == here.get(name) for name in names}
