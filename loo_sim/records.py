"""Deal records, `loosim.deal/1`: deals written as JSON, one a line, and read back from any source.

Lines are read one at a time and nothing about a good line is kept, so a file may be of any length.
A line that is no record (not JSON, a key missing, a value of the wrong type) is a problem with the
input; a record that breaks a rule of the game is a fault of the deal.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

from loo_sim.cards import Card
from loo_sim.draws import Dealt
from loo_sim.faults import check_deal
from loo_sim.problems import Problems, nearest
from loo_sim.referee import Deal, Declaration, Play, Trick
from loo_sim.rules import OPTIONS, UNITS_PER_STAKE, Rules, parse_rules

SCHEMA = "loosim.deal/1"
KEYS = (
    "schema",
    "seed",
    "index",
    "rules",
    "players",
    "dealer",
    "policies",
    "units_per_stake",
    "pot",
    "hands",
    "miss",
    "turn_up",
    "forced_stand",
    "declarations",
    "tricks",
    "tricks_won",
    "net",
    "pot_after",
)
"""Keys of a record, in the order in which they are written."""

ACTIONS = ("fold", "stand", "miss", "defend")
MOST_KEY = 2**64 - 1
"""Largest seed and number of a deal."""
MOST_UNITS = 2**63 - 1
"""Most units that an amount of money may be."""
MOST_LINE_BYTES = 1 << 18
"""Longest line that is read: a record of sixteen players takes less than 10,000 bytes."""
MOST_SHOWN = 40
"""Longest part of a wrong value that a problem quotes, in characters."""
MOST_PROBLEMS = 50
"""Problems after which reading stops."""
MOST_FAULTS = 1000
"""Faults that a check keeps; the rest are counted."""


@dataclass(frozen=True)
class Record:
    """A deal, which deal it is, and who played it.

    Attributes
    ----------
    deal : Deal
    seed : int
        0 to 2**64 - 1.
    index : int
        Number of the deal, 0 to 2**64 - 1.
    policies : tuple of str
        A name a seat.
    """

    deal: Deal
    seed: int
    index: int
    policies: tuple[str, ...]


def to_dict(record: Record) -> dict[str, Any]:
    """A record as JSON holds it, its keys in the order of `KEYS`."""
    deal = record.deal
    return {
        "schema": SCHEMA,
        "seed": record.seed,
        "index": record.index,
        "rules": deal.rules.to_dict(),
        "players": deal.players,
        "dealer": deal.dealer,
        "policies": list(record.policies),
        "units_per_stake": UNITS_PER_STAKE,
        "pot": deal.pot,
        "hands": [[str(card) for card in hand] for hand in deal.dealt.hands],
        "miss": [str(card) for card in deal.dealt.miss],
        "turn_up": str(deal.dealt.turn_up),
        "forced_stand": deal.forced_stand,
        "declarations": [{"seat": seat, "action": action} for seat, action in deal.declarations],
        "tricks": [
            {
                "leader": trick.leader,
                "cards": [{"seat": seat, "card": str(card)} for seat, card in trick.plays],
                "winner": trick.winner,
            }
            for trick in deal.tricks
        ],
        "tricks_won": list(deal.tricks_won),
        "net": list(deal.net),
        "pot_after": deal.pot_after,
    }


def to_line(record: Record) -> str:
    """A record as one line of JSON, without the end of the line."""
    return json.dumps(to_dict(record), separators=(",", ":"))


class _Reader:
    """Reads the values of one record, noting every one that is of the wrong type."""

    def __init__(self, problems: Problems, line: int) -> None:
        self.problems = problems
        self.line = line

    def wrong(self, key: str, what: str, hint: str = "") -> None:
        self.problems.add(key, what, hint, self.line)

    def whole(self, value: Any, key: str, low: int, high: int) -> int:
        """A whole number from `low` to `high`; 0 if it is none."""
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(key, f"{_shown(value)} is not a whole number from {low} to {high}")
        return 0

    def units(self, value: Any, key: str) -> int:
        """An amount of money that may be negative."""
        return self.whole(value, key, -MOST_UNITS, MOST_UNITS)

    def seat(self, value: Any, key: str) -> int:
        """A number of a seat; whether there is such a seat is for the rules to say."""
        return self.whole(value, key, 0, MOST_UNITS)

    def flag(self, value: Any, key: str) -> bool:
        if not isinstance(value, bool):
            self.wrong(key, f"{_shown(value)} is not true or false")
        return value is True

    def card(self, value: Any, key: str) -> Card | None:
        try:
            return Card.parse(value)
        except (AttributeError, ValueError):
            self.wrong(key, f"{_shown(value)} is not a card", "a rank and a suit, as in Th")
            return None

    def name(self, value: Any, key: str) -> str:
        """A name that is safe to print."""
        if isinstance(value, str) and value and value.isprintable():
            return value
        self.wrong(key, f"{_shown(value)} is not a name in printable characters")
        return ""

    def listed(self, value: Any, key: str, item: Callable[[Any, str], Any]) -> list[Any]:
        """A list, each of its values read by `item`."""
        if isinstance(value, list):
            return [item(each, f"{key}[{place}]") for place, each in enumerate(value)]
        self.wrong(key, f"{_shown(value)} is not a list")
        return []

    def table(self, value: Any, key: str, known: tuple[str, ...]) -> Mapping[str, Any] | None:
        """An object with exactly the `known` keys; None if it is anything else."""
        if not isinstance(value, dict):
            self.wrong(key, f"{_shown(value)} is not an object with {', '.join(known)}")
            return None
        prefix = f"{key}." if key else ""
        for word in known:
            if word not in value:
                self.wrong(prefix + word, "is missing")
        for word in value:
            if word not in known:
                self.wrong(key, f"there is no key {_shown(word)}", nearest(word[:80], known))
        return value if value.keys() == set(known) else None

    def rules(self, value: Any) -> Rules | None:
        options = self.table(value, "rules", OPTIONS)
        if options is None:
            return None
        # What `parse_rules` quotes it quotes whole, so that long and nested values stop here.
        plain = True
        for option, chosen in options.items():
            if len(_shown(chosen)) > MOST_SHOWN or isinstance(chosen, list | dict):
                self.wrong(f"rules.{option}", f"{_shown(chosen)} is not one of its values")
                plain = False
        line = self.line
        return parse_rules(options, self.problems, line_of=lambda _: line) if plain else None

    def declaration(self, value: Any, key: str) -> Declaration | None:
        entry = self.table(value, key, ("seat", "action"))
        if entry is None:
            return None
        action = entry["action"]
        if action not in ACTIONS:
            what = f"{_shown(action)} is not an announcement"
            self.wrong(f"{key}.action", what, f"one of: {', '.join(ACTIONS)}")
        return Declaration(self.seat(entry["seat"], f"{key}.seat"), action)

    def play(self, value: Any, key: str) -> Play | None:
        entry = self.table(value, key, ("seat", "card"))
        if entry is None:
            return None
        seat = self.seat(entry["seat"], f"{key}.seat")
        card = self.card(entry["card"], f"{key}.card")
        return None if card is None else Play(seat, card)

    def trick(self, value: Any, key: str) -> Trick | None:
        entry = self.table(value, key, ("leader", "cards", "winner"))
        if entry is None:
            return None
        leader = self.seat(entry["leader"], f"{key}.leader")
        plays = self.listed(entry["cards"], f"{key}.cards", self.play)
        return Trick(leader, tuple(plays), self.seat(entry["winner"], f"{key}.winner"))


def from_dict(data: Any, problems: Problems, line: int) -> Record | None:
    """Read a record out of what a line of JSON held.

    Parameters
    ----------
    data : object
        Anything that JSON can hold.
    problems : Problems
        Where everything that is wrong is noted.
    line : int
        Line of the file, from 1.

    Returns
    -------
    Record or None
        None if a problem was noted. That the deal keeps the rules is not looked at.
    """
    before = len(problems.found)
    read = _Reader(problems, line)
    if isinstance(data, dict) and "schema" in data and data["schema"] != SCHEMA:
        read.wrong("schema", f"{_shown(data['schema'])} is not {SCHEMA!r}")
        return None
    fields = read.table(data, "", KEYS)
    if fields is None:
        return None
    rules = read.rules(fields["rules"])
    if fields["units_per_stake"] != UNITS_PER_STAKE:
        what = f"{_shown(fields['units_per_stake'])} units to the stake, should be"
        read.wrong("units_per_stake", f"{what} {UNITS_PER_STAKE}")
    hands = read.listed(
        fields["hands"], "hands", lambda hand, key: read.listed(hand, key, read.card)
    )
    policies = read.listed(fields["policies"], "policies", read.name)
    players = read.whole(fields["players"], "players", 2, MOST_UNITS)
    for key, values in (("hands", hands), ("policies", policies)):
        if isinstance(fields[key], list) and players and len(values) != players:
            read.wrong(key, f"has {len(values)} entries, but players is {players}")
    turn_up = read.card(fields["turn_up"], "turn_up")
    miss = read.listed(fields["miss"], "miss", read.card)
    seed = read.whole(fields["seed"], "seed", 0, MOST_KEY)
    index = read.whole(fields["index"], "index", 0, MOST_KEY)
    pot = read.whole(fields["pot"], "pot", 0, MOST_UNITS)
    dealer = read.seat(fields["dealer"], "dealer")
    forced_stand = read.flag(fields["forced_stand"], "forced_stand")
    declarations = read.listed(fields["declarations"], "declarations", read.declaration)
    tricks = read.listed(fields["tricks"], "tricks", read.trick)
    tricks_won = read.listed(fields["tricks_won"], "tricks_won", read.seat)
    net = read.listed(fields["net"], "net", read.units)
    pot_after = read.units(fields["pot_after"], "pot_after")
    if len(problems.found) > before or rules is None or turn_up is None:
        return None
    deal = Deal(
        rules,
        pot,
        Dealt(turn_up, miss, hands),
        dealer,
        forced_stand,
        tuple(declarations),
        tuple(tricks),
        tuple(tricks_won),
        tuple(net),
        pot_after,
    )
    return Record(deal, seed, index, tuple(policies))


def read_records(path: Path) -> Iterator[tuple[int, Record]]:
    """Read a file of deal records, one line at a time.

    Parameters
    ----------
    path : Path
        A file of JSON lines; empty lines are passed over.

    Yields
    ------
    tuple of int and Record
        The line, from 1, and the record on it.

    Raises
    ------
    InputError
        At the end, with every problem found, or after `MOST_PROBLEMS` of them.
    """
    problems = Problems(str(path))
    empty = True
    try:
        with path.open("rb") as file:
            for line, text in _lines(file, problems):
                empty = False
                record = _parse(text, problems, line)
                if record is not None:
                    yield line, record
                if len(problems.found) >= MOST_PROBLEMS:
                    del problems.found[MOST_PROBLEMS:]
                    problems.add("", "too many problems: nothing after this was read", line=line)
                    break
    except OSError as error:
        problems.add("", f"cannot be read: {error.strerror}")
    if empty and not problems:
        problems.add("", "holds no deal records")
    problems.raise_if_any()


class LineFault(NamedTuple):
    """A rule that the deal on a line of a file breaks.

    Attributes
    ----------
    line : int
        From 1.
    rule : str
        Number in the rulebook.
    what : str
        What is wrong, and what would be right.
    """

    line: int
    rule: str
    what: str


class CheckResult(NamedTuple):
    """What the check of a file found.

    Attributes
    ----------
    deals : int
        Records checked.
    faults : list of LineFault
        The first faults, at most `MOST_FAULTS`.
    found : int
        All faults.
    """

    deals: int
    faults: list[LineFault]
    found: int


def check_file(path: Path) -> CheckResult:
    """Check every deal of a file against the rules.

    Parameters
    ----------
    path : Path
        A file of deal records.

    Returns
    -------
    CheckResult

    Raises
    ------
    InputError
        If the file cannot be read or a line is no record; says so for every such line.
    """
    deals, found = 0, 0
    faults: list[LineFault] = []
    for line, record in read_records(path):
        deals += 1
        for rule, what in check_deal(record.deal):
            found += 1
            if len(faults) < MOST_FAULTS:
                faults.append(LineFault(line, rule, what))
    return CheckResult(deals, faults, found)


def _lines(file: BinaryIO, problems: Problems) -> Iterator[tuple[int, bytes]]:
    """The lines that hold anything, with their numbers, up to one that is too long to be read."""
    line = 0
    while text := file.readline(MOST_LINE_BYTES + 1):
        line += 1
        if len(text) > MOST_LINE_BYTES:
            what = f"longer than {MOST_LINE_BYTES:,} bytes: nothing after this was read"
            problems.add("", what, line=line)
            return
        if text.strip():
            yield line, text.rstrip(b"\r\n")


class _NotARecordError(ValueError):
    """JSON that no record can be; the message says why."""


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different: of twins one would be dropped in silence."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        words = [word for word, _ in pairs]
        twin = next(word for word in words if words.count(word) > 1)
        raise _NotARecordError(f"the key {_shown(twin)} is there twice")
    return entries


def _no_constant(word: str) -> NoReturn:
    raise _NotARecordError(f"is not JSON: {word} is not a number")


def _parse(text: bytes, problems: Problems, line: int) -> Record | None:
    """Read a record from a line of a file, noting what is wrong."""
    try:
        data = json.loads(
            text.decode("utf-8"), object_pairs_hook=_no_twins, parse_constant=_no_constant
        )
    except UnicodeDecodeError:
        what = "is not UTF-8 text"
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg} at column {error.colno}"
    except RecursionError:
        what = "is nested too deeply to be a deal record"
    except _NotARecordError as error:
        what = str(error)
    except ValueError:
        what = "holds a number with too many digits"
    else:
        return from_dict(data, problems, line)
    problems.add("", what, line=line)
    return None


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = MOST_SHOWN
_SHORT.maxlevel = 2


def _shown(value: Any) -> str:
    """A value as a problem quotes it: short, and safe to print."""
    return _SHORT.repr(value)
