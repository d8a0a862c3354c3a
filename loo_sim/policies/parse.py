"""Policy files: read, check, and tell everything that is wrong with one in one go."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from loo_sim.policies.check import Fault, announce_faults, play_faults
from loo_sim.policies.language import (
    ANNOUNCE_NAMES,
    NAME,
    PLAY_NAMES,
    TAKEN_NAMES,
    LanguageError,
    names_in,
    parse,
)
from loo_sim.policies.policy import (
    ANNOUNCE_WORDS,
    PLAY_DEFAULTS,
    PLAY_WORDS,
    Choice,
    Play,
    Policy,
    Rule,
    policy_digest,
)
from loo_sim.policies.table import PolicyTable, read_table
from loo_sim.policies.tree import Kind
from loo_sim.problems import InputError, Problem, Problems, nearest
from loo_sim.tomlfile import TomlFile, load

BUILTIN = Path(__file__).parent / "builtin"
SUFFIX = ".toml"
MOST_RULES = 100
MOST_NAME = 60
POLICY_KEYS = ("name", "about", "params", "announce", "play")
ANNOUNCE_KEYS = ("rules", "otherwise", "table")
PLAY_KEYS = ("rules", "otherwise")
"""Of one kind of play, where it is no single word."""
RULE_KEYS = ("when", "do", "chance")


def builtin_names() -> tuple[str, ...]:
    """Names of the built-in policies, sorted."""
    return tuple(sorted(path.stem for path in BUILTIN.glob(f"*{SUFFIX}")))


def load_policy(name_or_path: str, base_dir: str | Path = ".") -> Policy:
    """Load a policy.

    Parameters
    ----------
    name_or_path : str
        Name of a built-in policy, or path of a policy file; a path ends in ``.toml``.
    base_dir : str or Path
        Folder that a path is relative to.

    Returns
    -------
    Policy

    Raises
    ------
    InputError
        With everything that is wrong, if there is no such policy or its file is wrong.
    """
    if name_or_path.endswith(SUFFIX):
        return read_policy(Path(base_dir) / name_or_path)
    names = builtin_names()
    if name_or_path not in names:
        paths = (f"{name_or_path}{SUFFIX}", f"{name_or_path}/policy{SUFFIX}")
        there = [path for path in paths if (Path(base_dir) / path).is_file()]
        meant = f"did you mean '{there[0]}'?" if there else nearest(name_or_path, names)
        hint = f"{meant}; a policy file's path ends in {SUFFIX}"
        raise InputError(
            [Problem("policy", None, "", f"there is no policy {name_or_path!r}", hint)]
        )
    return read_policy(BUILTIN / f"{name_or_path}{SUFFIX}")


def read_policy(path: str | Path) -> Policy:
    """Read a policy file.

    Raises
    ------
    InputError
        With everything that is wrong with it.
    """
    reader = _Reader(load(path))
    policy = reader.policy()
    reader.problems.raise_if_any()
    return policy


def is_number(value: Any) -> bool:
    """Whether a value of a file is a number that conditions can hold; true and false are none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def is_chance(value: Any) -> bool:
    """Whether a value is a number from 0 to 1."""
    return is_number(value) and 0 <= value <= 1


class _Reader:
    """Reads the parts of one policy file, noting problems as it goes."""

    def __init__(self, file: TomlFile) -> None:
        self.file = file
        self.problems = Problems(str(file.path))
        self.params: dict[str, float] = {}
        self.used: set[str] = set()

    def wrong(self, key: str, what: str, hint: str = "") -> None:
        self.problems.add(key, what, hint, self.file.line_of(key))

    def policy(self) -> Policy:
        data = self.file.data
        self.known_keys(data, "", POLICY_KEYS)
        self.params = self.parameters(self.table_at(data, "params"))
        announce = self.table_at(data, "announce")
        if "announce" not in data:
            hint = "a policy needs a table [announce]"
            if "study" in data:
                hint += "; this looks like an experiment: loosim run FILE plays it"
            self.wrong("announce", "is missing", hint)
        self.known_keys(announce, "announce", ANNOUNCE_KEYS)
        play = self.table_at(data, "play")
        self.known_keys(play, "play", PLAY_WORDS)
        name, about = self.line(data, "name", required=True), self.line(data, "about")
        announcing = Choice(
            self.rules(announce, "announce", ANNOUNCE_WORDS, ANNOUNCE_NAMES, announce_faults),
            self.word(announce, "announce.otherwise", ANNOUNCE_WORDS, "fold"),
        )
        table = self.parquet(announce)
        playing = Play(**{kind: self.play_choice(play, kind) for kind in PLAY_WORDS})
        if not self.problems:  # else a rule that was not read might use it
            for name in self.params.keys() - self.used:
                self.wrong(f"params.{name}", "is used nowhere", "in a condition, or as a chance")
        return Policy(
            name=name,
            about=about,
            announce=announcing,
            table=table,
            play=playing,
            source=str(self.file.path),
            text=self.file.text,
            digest=policy_digest(name, announcing, table, playing),
            params=self.params,
        )

    def parameters(self, table: Mapping[str, Any]) -> dict[str, float]:
        """The parameters that can be had."""
        found = {}
        for name, value in table.items():
            key = f"params.{name}"
            if not NAME.fullmatch(name):
                self.wrong(key, "is no name", "letters, digits and _, not starting with a digit")
            elif name in TAKEN_NAMES:
                self.wrong(key, "is a word of conditions", "give the parameter another name")
            elif not is_number(value) and not isinstance(value, bool):
                self.wrong(key, f"{value!r} is neither a number nor true or false")
            else:
                found[name] = value
        return found

    def known_keys(self, table: Mapping[str, Any], key: str, known: Iterable[str]) -> None:
        for name in table:
            if name not in known:
                dotted = f"{key}.{name}" if key else name
                self.wrong(dotted, "no such key here", nearest(name, known))

    def table_at(self, table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        value = table.get(name, {})
        if isinstance(value, dict):
            return value
        self.wrong(name, f"{value!r} is no table", f"write [{name}] and its keys below")
        return {}

    def line(self, data: Mapping[str, Any], key: str, required: bool = False) -> str:
        value = data.get(key, "")
        if not isinstance(value, str):
            self.wrong(key, f"{value!r} is not text", "text stands in quotes")
        elif required and key not in data:
            self.wrong(key, "is missing", f'{key} = "..."')
        elif "\n" in value or (required and not 0 < len(value.strip()) <= MOST_NAME):
            most = f" of 1 to {MOST_NAME} characters" if required else ""
            self.wrong(key, f"is not one line{most}")
        else:
            return value
        return ""

    def word(self, table: Mapping[str, Any], key: str, words: Sequence[str], default: str) -> str:
        word = table.get(key.rpartition(".")[2], default)
        if isinstance(word, str) and word in words:
            return word
        self.wrong(key, f"{word!r} is not a word for it", nearest(str(word), words))
        return default

    def play_choice(self, play: Mapping[str, Any], kind: str) -> Choice:
        words, default, key = PLAY_WORDS[kind], PLAY_DEFAULTS[kind], f"play.{kind}"
        value = play.get(kind, default)
        if isinstance(value, str):
            return Choice((), self.word(play, key, words, default))
        if not isinstance(value, dict):
            self.wrong(
                key,
                f"{type(value).__name__} is neither a word nor a table with rules",
                f'{kind} = "{default}", or a table [{key}] with rules and otherwise',
            )
            return Choice((), default)
        self.known_keys(value, key, PLAY_KEYS)
        return Choice(
            self.rules(value, key, words, PLAY_NAMES, lambda rules: play_faults(kind, rules)),
            self.word(value, f"{key}.otherwise", words, default),
        )

    def rules(
        self,
        table: Mapping[str, Any],
        key: str,
        words: Sequence[str],
        names: Mapping[str, Kind],
        faults: Callable[[Sequence[Rule]], Iterable[Fault]],
    ) -> tuple[Rule, ...]:
        entries = table.get("rules", [])
        key = f"{key}.rules"
        if not isinstance(entries, list):
            self.wrong(key, "is not an array", 'rules = [ { when = "...", do = "..." } ]')
            return ()
        if len(entries) > MOST_RULES:
            self.wrong(key, f"more than {MOST_RULES} rules", "a table says more than rules can")
            return ()
        read = {
            f"{key}.{number}": self.rule(entry, f"{key}.{number}", words, names)
            for number, entry in enumerate(entries, start=1)
        }
        rules = {where: rule for where, rule in read.items() if rule}
        places = list(rules)
        # Built-in files are held to this by the tests: it takes a fifth of a second at each start.
        built_in = self.file.path.parent == BUILTIN
        for fault in () if built_in else faults(tuple(rules.values())):
            self.wrong(f"{places[fault.rule]}.when", fault.what, fault.hint)
        return tuple(rules.values())

    def rule(
        self, entry: Any, key: str, words: Sequence[str], names: Mapping[str, Kind]
    ) -> Rule | None:
        before = len(self.problems.found)
        if not isinstance(entry, dict):
            self.wrong(key, f"{entry!r} is no rule", '{ when = "...", do = "..." }')
            return None
        has_chance = names is ANNOUNCE_NAMES
        if "chance" in entry and not has_chance:
            self.wrong(f"{key}.chance", "belongs to rules of [announce] only")
        self.known_keys(entry, key, RULE_KEYS)
        for name in ("when", "do"):
            if name not in entry:
                self.wrong(f"{key}.{name}", "is missing", 'a rule is { when = "...", do = "..." }')
        do = self.word(entry, f"{key}.do", words, "") if "do" in entry else ""
        chance, chance_from = self.chance(entry, f"{key}.chance")
        text = entry.get("when", "")
        if not isinstance(text, str):
            self.wrong(f"{key}.when", f"{text!r} is not text", "a condition stands in quotes")
        elif "when" in entry:
            try:
                when = parse(text, names, self.params)
                spoken_of = names_in(text)
            except LanguageError as error:
                self.wrong(f"{key}.when", f"column {error.column}: {error.what}", error.hint)
        if len(self.problems.found) > before:
            return None
        params = tuple(name for name in self.params if name in spoken_of)
        self.used |= {*params, chance_from}
        return Rule(when, text, do, chance, chance_from, params)

    def chance(self, entry: Mapping[str, Any], key: str) -> tuple[Fraction, str]:
        """The chance of a rule, and the parameter that it is, if it is one."""
        value = entry.get("chance", 1)
        if is_number(value) and 0 < value <= 1:
            return Fraction(repr(value)), ""
        if not isinstance(value, str) or not self.params:
            self.wrong(key, f"{value!r} is no chance", "a number above 0 and at most 1")
        elif value not in self.params:
            self.wrong(key, f"{value!r} is no parameter", nearest(value, self.params))
        elif not is_chance(self.params[value]):
            what = f"the parameter {value} is {self.params[value]!r}, which is no chance"
            self.wrong(key, what, "a number from 0 to 1")
        else:
            return Fraction(repr(self.params[value])), value
        return Fraction(1), ""

    def parquet(self, announce: Mapping[str, Any]) -> PolicyTable | None:
        if "table" not in announce:
            return None
        name = announce["table"]
        if "rules" in announce:
            self.wrong("announce.table", "stands beside rules", "a policy has a table or rules")
        if not isinstance(name, str) or not name.endswith(".parquet"):
            self.wrong(
                "announce.table",
                f"{name!r} is not the path of a Parquet file",
                "relative to this file, ending in .parquet",
            )
            return None
        noted = Problems(self.problems.source)
        table = read_table(self.file.path.parent / name, noted)
        for problem in noted:
            self.wrong(problem.key, problem.what, problem.hint)
        return table
