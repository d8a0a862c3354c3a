"""Writes docs/reference.md: every command, key, option, column and public name, out of the code.

    python docs/reference.py

Columns and keys are those that tiny runs have (`reference_samples`); what they mean stands in
docs/meanings.toml. Where the two do not agree nothing is written, and what is missing is told.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from bench_tables import table
from meanings import MEANINGS, DriftError, Meanings
from reference_samples import EVERY, EXPERIMENTS, Samples, make_samples

import loo_sim
from loo_sim import console
from loo_sim.claims import file as claims
from loo_sim.claims.figures import STUDIES as CLAIMED
from loo_sim.cli import cli
from loo_sim.policies.features import (
    hand_columns,
    situation_columns,
    situations,
    turn_columns,
)
from loo_sim.policies.language import ANNOUNCE_NAMES, MONEY_NAMES, PLAY_NAMES
from loo_sim.policies.parse import (
    ANNOUNCE_KEYS,
    PLAY_KEYS,
    POLICY_KEYS,
    RULE_KEYS,
    builtin_names,
    load_policy,
)
from loo_sim.policies.policy import (
    ANNOUNCE_WORDS,
    PLAY_DEFAULTS,
    PLAY_WORDS,
    parameters_in_words,
)
from loo_sim.policies.tree import COMPARISONS
from loo_sim.rules import CHOICES, FLAGS, LEAST, OPTIONS, POT_LOO, PRESET_NOTES, PRESETS, Rules
from loo_sim.runner.signals import Terminated, exit_code
from loo_sim.settings import DEFAULTS, KEYS, place_fault, with_defaults
from loo_sim.studies import STUDY_NAMES
from loo_sim.sweep import AXES, OF_POLICY

DOCS = Path(__file__).parent
PAGE = DOCS / "reference.md"

OPENING = """\
# Reference

Every command, key, option, column and public name of loosim {version}. `make reference` writes this
page from the code, the words of it from [meanings.toml](meanings.toml); how things are used is told
in the pages that the [README](../README.md#read-on) lists.
"""

UNUSED = "Taken by all commands; changes nothing here."
POLICY_AXES = (
    f"{OF_POLICY}NAME.params.X",
    f"{OF_POLICY}NAME.announce.rules.I.chance",
    f"{OF_POLICY}NAME.announce.rules.I.when.J",
    f"{OF_POLICY}NAME.play.KIND.rules.I.when.J",
)
"""Axes over numbers of policies, as `loo_sim.policy_axes` reads them."""

FEWEST_ROWS = 5
"""A table of no more rows is told in a line."""

OF_COMMAND = {
    "tune": "a search (`tune`)",
    "claims": "a test of claims",
    "solve": "a solved strategy (`solve`)",
}


def page(samples: Samples, meanings: Meanings) -> str:
    """The page.

    Raises
    ------
    DriftError
        If names have no meaning, or meanings no name.
    """
    parts = [
        *_commands(),
        *_experiment(meanings),
        *_rules(),
        *_policy(meanings),
        *_tables(samples, meanings),
        *_json(samples, meanings),
        *_exit_codes(meanings),
        *_python(),
    ]
    meanings.end()
    opening = OPENING.format(version=loo_sim.__version__)
    return "\n".join(part.rstrip() + "\n" for part in (opening, _contents(parts), *parts))


def _contents(parts: Iterable[str]) -> str:
    """Links to the headings."""
    lines: list[str] = []
    for part in parts:
        match = re.match(r"(##+) (.*)", part)
        if match is None:
            continue
        title = match[2].replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        if match[1] == "##":
            lines.append(f"- [{title}](#{anchor})")
        elif match[1] == "###":
            lines[-1] += ("," if "): " in lines[-1] else ":") + f" [{title}](#{anchor})"
    return "\n".join(lines)


def _cell(text: Any) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def _table(titles: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown, whatever its cells hold."""
    return table(titles, ([_cell(cell) for cell in row] for row in rows))


# --- commands -------------------------------------------------------------------------------------


def _commands() -> Iterator[str]:
    commands = dict(sorted(cli.commands.items()))
    context = {name: click.Context(of, info_name=f"loosim {name}") for name, of in commands.items()}
    options = {
        name: {of.opts[-1]: of for of in command.params if isinstance(of, click.Option)}
        for name, command in commands.items()
    }
    common = [word for word in options["run"] if all(word in of for of in options.values())]
    yield "## Commands"
    (version,) = (of for of in cli.params if of.name == "version")
    yield (
        f"`loosim --version`: {version.help} `loosim COMMAND --help` (`-h`): help. In the tables a "
        "default that is not said is none."
    )
    yield "### Options of all commands"
    rows = []
    for word in common:
        helps = {name: of[word].help or "" for name, of in options.items()}
        (used,) = {text for text in helps.values() if text != UNUSED}
        unused = [f"`{name}`" for name, text in helps.items() if text == UNUSED]
        nothing = f" Changes nothing in {', '.join(unused)}." if unused else ""
        rows.append((*_option(options["run"][word], context["run"])[:3], used + nothing))
    yield _table(("option", "value", "default", "meaning"), rows)
    own = {
        name: {word: of for word, of in found.items() if word not in common}
        for name, found in options.items()
    }
    for name, command in commands.items():
        yield f"### loosim {name}"
        pieces = " ".join(command.collect_usage_pieces(context[name]))
        yield f"`loosim {name} {pieces}`: {' '.join((command.help or '').split())}"
        like = next((other for other in own if _are_in(own[other], own[name], other, name)), None)
        shown = [of for word, of in own[name].items() if not like or word not in own[like]]
        if shown:
            rows = [_option(of, context[name]) for of in shown]
            yield _table(("option", "value", "default", "meaning"), rows)
        if like:
            yield f"And the options of [loosim {like}](#loosim-{like})."


def _are_in(
    some: Mapping[str, click.Option], others: Mapping[str, click.Option], name: str, other: str
) -> bool:
    """Whether a command has all options of another one, which are many."""
    return (
        name != other
        and len(some) > 5
        and all(word in others and others[word].help == of.help for word, of in some.items())
    )


def _option(option: click.Option, context: click.Context) -> tuple[str, str, str, str]:
    """An option: how it is given, its values, its default, what it means."""
    words = [*option.opts, *option.secondary_opts]
    value = "" if option.is_flag else option.metavar or ""
    shown = ", ".join(f"`{word} {value}`" if value else f"`{word}`" for word in words)
    kind = ""
    if not option.is_flag:
        kind = _kind(option.type)
        if option.nargs > 1:
            kind = f"{option.nargs} of: {kind}"
        if option.multiple:
            kind += ", may be repeated"
    default = option.get_default(context, call=False)
    if option.is_flag:
        default = f"`{option.opts[-1]}`" if default is True and option.secondary_opts else ""
    elif isinstance(default, int | float | str) and default != "":
        default = f"`{default}`"
    else:
        default = "must be given" if option.required else ""
    return shown, kind, default, option.help or ""


def _kind(kind: click.ParamType) -> str:
    if isinstance(kind, click.IntRange):
        if kind.max is None:
            return f"whole number from {kind.min}"
        most = "2^64 - 1" if kind.max == 2**64 - 1 else f"{kind.max:,}"
        most = "2^32 - 1" if kind.max == 2**32 - 1 else most
        return f"whole number, {kind.min} to {most}"
    if isinstance(kind, click.Path):
        return "path"
    return {"integer": "whole number", "float": "number", "text": "text"}[kind.name]


# --- files ----------------------------------------------------------------------------------------


def _experiment(meanings: Meanings) -> Iterator[str]:
    yield "## Experiment files"
    yield "What to do with them: [files](files.md#experiment-file)."
    yield "### Keys of an experiment"
    words = meanings.of("experiment", KEYS)
    settings: dict[str, Any] = dict(DEFAULTS)
    for study in STUDY_NAMES:
        settings |= with_defaults({"study": study}) | with_defaults({"study": study, "until": 1})
    must = {"study": "must be given"}
    shown = {
        key: f"`{value}`" if isinstance(value, str) else f"{value:,}"
        for key, value in settings.items()
        if key not in ("study", "until")
    } | must
    yield _table(
        ("key", "studies", "default", "meaning"),
        ((f"`{key}`", _studies(key), shown.get(key, ""), words[key]) for key in KEYS),
    )
    yield from _claims(meanings)
    yield "### Sweeps"
    words = meanings.of("sweep", ("AXIS", "zip", "list", "sobol"))
    rows = ((f"`sweep.{key}`", meaning) for key, meaning in words.items())
    yield _table(("key", "meaning"), rows)
    yield "### Axes"
    alike = [axis for axis in AXES if axis.removeprefix("rules.") not in OPTIONS]
    words = meanings.of("axes", (*alike, "rules.OPTION", *POLICY_AXES))
    yield _table(("axis", "values"), ((f"`{axis}`", meaning) for axis, meaning in words.items()))


def _claims(meanings: Meanings) -> Iterator[str]:
    yield "### Files of claims"
    keys = [
        *claims.KEYS,
        *(f"claims.{key}" for key in claims.CLAIM_KEYS),
        *(f"claims.tests.{key}" for key in claims.TEST_KEYS),
    ]
    words = meanings.of("claims", keys)
    yield _table(("key", "meaning"), ((f"`{key}`", meaning) for key, meaning in words.items()))
    yield "### Figures of claims"
    yield "\n".join(
        f"- `{study}`: "
        + "; ".join(f"`{name}`, {of.words} ({of.unit})" for name, of in found.figures.items())
        for study, found in CLAIMED.items()
    )


def _studies(key: str) -> str:
    """The studies that have a key."""
    having = [f"`{s}`" for s in STUDY_NAMES if place_fault({"study": s}, key) is None]
    in_sessions = {"study": "league", "rounds": 1}
    has = place_fault(in_sessions, key) is None
    if len(having) == len(STUDY_NAMES):
        return "all" if has else "all, but a league in sessions"
    league = "`league` without `rounds`" if not has else "`league`"
    having = [league if one == "`league`" else one for one in having]
    if has and "`league`" not in having:
        having.append("`league` in sessions")
    return ", ".join(having)


def _rules() -> Iterator[str]:
    yield "## House rules"
    yield (
        "Options of `[rules]`, beside `preset`. The law itself: "
        "[rulebook](rulebook.md#2-house-rules-each-an-option-the-preset-says-which)."
    )
    yield "### Options of the rules"
    words = _attributes(Rules)
    standard = PRESETS["standard"].to_dict()
    yield _table(
        ("option", "values", "default", "meaning"),
        (
            (f"`{option}`", _values(option), _toml(standard[option]), words[option])
            for option in OPTIONS
        ),
    )
    yield "### Presets"
    yield _table(
        ("preset", "about", "differs from `standard`"),
        (
            (
                f"`{name}`",
                PRESET_NOTES[name],
                ", ".join(
                    f"`{option} = {_plain(value)}`"
                    for option, value in rules.to_dict().items()
                    if value != standard[option]
                ),
            )
            for name, rules in PRESETS.items()
        ),
    )


def _values(option: str) -> str:
    if option in CHOICES:
        return ", ".join(map(_toml, CHOICES[option]))
    if option in FLAGS:
        return "`false`, `true`"
    of = f"whole number from {LEAST[option]}"
    return {"loo": f"{of}, {_toml(POT_LOO)}", "loo_cap": f"{of}; left out: none"}.get(option, of)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _toml(value: Any) -> str:
    return "none" if value is None else f"`{_plain(value)}`"


def _attributes(of: type) -> dict[str, str]:
    """What the docstring of a class says of each of its attributes."""
    section = inspect.cleandoc(of.__doc__ or "").partition("Attributes\n----------\n")[2]
    found = {}
    for names, words in re.findall(r"^(\w[\w, ]*) : .*\n((?:    .*(?:\n|$))+)", section, re.M):
        for name in names.split(", "):
            found[name] = " ".join(words.replace("``", "`").split())
    return found


def _policy(meanings: Meanings) -> Iterator[str]:
    yield "## Policy files"
    yield "How to write one: [policies](policies.md)."
    yield "### Keys of a policy"
    rule_keys = [f"rules.{key}" for key in RULE_KEYS]
    announce = [f"announce.{key}" for key in ANNOUNCE_KEYS]
    words = meanings.of("policy", (*POLICY_KEYS, *announce, "play.KIND", *rule_keys))
    yield _table(("key", "meaning"), ((f"`{key}`", meaning) for key, meaning in words.items()))
    yield f"A kind of play that is a table has {_listed(PLAY_KEYS)}."
    yield "### Names in conditions of announcing"
    yield _names(meanings.of("announce_names", ANNOUNCE_NAMES), ANNOUNCE_NAMES, _announce_ranges())
    yield "### Names in conditions of play"
    yield _names(meanings.of("play_names", PLAY_NAMES), PLAY_NAMES, _play_ranges())
    yield "### Conditions"
    signs = _listed(COMPARISONS)
    yield (
        f"Loosest first: `or`; `and`; `not`; {signs}, which may be chained; `+`, `-`; `*`, `/`; a "
        "minus sign. Then numbers, names, parameters, `true`, `false`, and parentheses."
    )
    yield "### Words of announcing and of play"
    words = meanings.of("announce_words", ANNOUNCE_WORDS)
    rows = [(f"`{word}`", "`announce`", meaning) for word, meaning in words.items()]
    every = dict.fromkeys(word for of in PLAY_WORDS.values() for word in of)
    for word, meaning in meanings.of("play_words", every).items():
        where = ", ".join(f"`{kind}`" for kind, of in PLAY_WORDS.items() if word in of)
        rows.append((f"`{word}`", where, meaning))
    yield _table(("word", "of", "meaning"), rows)
    yield "### Kinds of play"
    words = meanings.of("kinds_of_play", PLAY_WORDS)
    yield _table(
        ("key of `[play]`", "words", "default", "chooses"),
        (
            (f"`{kind}`", _listed(of), f"`{PLAY_DEFAULTS[kind]}`", words[kind])
            for kind, of in PLAY_WORDS.items()
        ),
    )
    yield "### Built-in policies"
    policies = [load_policy(name) for name in builtin_names()]
    yield _table(
        ("policy", "about", "parameters"),
        ((f"`{of.name}`", of.about, parameters_in_words(of.params)) for of in policies),
    )


def _names(words: Mapping[str, str], kinds: Mapping[str, str], ranges: Mapping[str, str]) -> str:
    rows = (
        (f"`{name}`", "true, false" if kinds[name] == "truth" else ranges[name], meaning)
        for name, meaning in words.items()
    )
    return _table(("name", "range", "meaning"), rows)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _announce_ranges() -> dict[str, str]:
    """Whole numbers that each name can be, in all games that there are."""
    rules = Rules()
    games = [situation_columns(n, situations(n)) for n in range(LEAST["min_players"], 17)]
    found = {name: _range([of[name] for of in games]) for name in games[0]}
    whole, short = hand_columns(rules.deck), hand_columns(CHOICES["deck"][1])
    for name in whole:
        found[name] = _range([whole[name]])
        of_short = _range([short[name]])
        if of_short != found[name]:
            found[name] += f"; 32 cards: {of_short}"
    return found | dict.fromkeys(MONEY_NAMES, "above 0") | {"loo": "1 and more"}


def _play_ranges() -> dict[str, str]:
    turns = [turn_columns(is_leader) for is_leader in (False, True)]
    return {name: _range([of[name] for of in turns]) for name in turns[0]}


def _range(columns: Sequence[Any]) -> str:
    """Whole numbers in words: ``0, 2 to 14``."""
    numbers = np.unique(np.concatenate(columns)).astype(int)
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


# --- results --------------------------------------------------------------------------------------


def _tables(samples: Samples, meanings: Meanings) -> Iterator[str]:
    yield "## Tables"
    yield (
        "Parquet files; those of a sweep begin with a column for each axis. `x_se` is the "
        "standard error of `x`, in the same unit; `x_q05` is its quantile at 5 %. The name of a "
        "table stands above its columns. More on them: [files](files.md#result-directory)."
    )
    if missing := set(STUDY_NAMES) - set(EXPERIMENTS):
        raise DriftError(
            f"reference_samples.py: EXPERIMENTS has no tiny experiment of {sorted(missing)}: add "
            "one, and the meanings of its tables to meanings.toml"
        )
    for group in (EVERY, *STUDY_NAMES, *OF_COMMAND):
        yield f"### Tables of {OF_COMMAND.get(group) or _of_study(group)}"
        rows: list[tuple[str, ...]] = []
        for name, columns in sorted(samples.tables[group].items()):
            about, of_columns = meanings.columns(group, name, columns)
            rows += [(f"**`{name}`**", "", "", f"**{about}**"), *of_columns]
        yield _table(("column", "type", "unit", "meaning"), rows)
    meanings.no_more_tables()


def _of_study(name: str) -> str:
    return name if name == EVERY else f"the study {name}"


def _json(samples: Samples, meanings: Meanings) -> Iterator[str]:
    yield "## JSON"
    yield (
        "What commands print with `--json`. A dot leads into an object, `[]` to each of a list; "
        "`{a,b}` are two. null is not listed among the types."
    )
    of = {name.split()[0] for name in samples.json} | {"sweep"}
    if missing := [name for name in cli.commands if name not in of]:
        raise DriftError(
            f"reference_samples.py: no sample calls {missing} with --json: add a call to _printed, "
            "and the meanings of its keys to meanings.toml"
        )
    for command, printed in samples.json.items():
        yield f"### JSON of {command}"
        about, rows = meanings.json(command, printed)
        if about:
            yield about
        if len(rows) > FEWEST_ROWS:
            yield _table(("key", "type", "meaning"), rows)
        else:
            yield "; ".join(f"{key} ({kind}): {meaning}" for key, kind, meaning in rows) + "."


def _exit_codes(meanings: Meanings) -> Iterator[str]:
    yield "## Exit codes"
    codes = [
        *(console.DONE, console.FAILED, console.WRONG_INPUT),
        *(console.CELLS_FAILED, console.CHECK_FAILED),
        *(exit_code(KeyboardInterrupt()), exit_code(Terminated())),
    ]
    words = meanings.of("exit_codes", map(str, codes))
    yield _table(("code", "meaning"), words.items())


# --- Python ---------------------------------------------------------------------------------------


def _python() -> Iterator[str]:
    yield "## Python"
    yield "What `import loo_sim` has; the docstrings say more (`help(loo_sim.run)`)."
    lines = []
    for name in loo_sim.__all__:
        of = getattr(loo_sim, name)
        if isinstance(of, str):
            lines.append(f"- `{name}`: the version, as text")
            continue
        first = inspect.cleandoc(of.__doc__ or "").splitlines()[0].replace("``", "`")
        lines.append(f"- `{name}{_signature(of)}`: {first}")
    yield "\n".join(lines)


def _signature(of: Any) -> str:
    """How something is called; of a dataclass, its attributes."""
    signature = inspect.signature(of)
    written = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature))
    return written.removesuffix(" -> None") if is_dataclass(of) else written


def main() -> None:
    """Write the page."""
    try:
        written = page(make_samples(), Meanings(MEANINGS.read_text(encoding="utf-8")))
    except DriftError as error:
        sys.exit(str(error))
    PAGE.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
