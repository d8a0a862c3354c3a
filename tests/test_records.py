"""Deal records: written and read back unchanged, and everything wrong with a file told at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Case, cases, play_case, random_players

from loo_sim.draws import deal_cards
from loo_sim.faults import check_deal
from loo_sim.problems import InputError, Problems
from loo_sim.records import (
    KEYS,
    MOST_FAULTS,
    MOST_LINE_BYTES,
    MOST_PROBLEMS,
    Record,
    check_file,
    from_dict,
    read_records,
    to_dict,
    to_line,
)
from loo_sim.referee import play_deal
from loo_sim.rules import OPTIONS, PRESETS

NAMES = ("random",) * 6


def record(index: int, preset: str = "standard") -> Record:
    rules = PRESETS[preset]
    pot = 9 * 729
    deal = play_deal(rules, deal_cards(5, index, 6), pot, random_players(5, index, 6))
    return Record(deal, 5, index, NAMES)


def written(path: Path, lines: list[str] | list[bytes]) -> Path:
    file = path / "deals.jsonl"
    file.write_bytes(b"".join(as_bytes(line) + b"\n" for line in lines))
    return file


def as_bytes(line: str | bytes) -> bytes:
    return line.encode() if isinstance(line, str) else line


def problems_of(file: Path) -> list[str]:
    """What is wrong with a file, without its name."""
    with pytest.raises(InputError) as caught:
        check_file(file)
    return [str(problem).removeprefix(str(file)) for problem in caught.value.problems]


def test_record_has_the_promised_keys_in_order() -> None:
    data = json.loads(to_line(record(0)))
    promised = """schema seed index rules players dealer policies units_per_stake pot hands miss
        turn_up forced_stand declarations tricks tricks_won net pot_after"""
    assert list(data) == promised.split() == list(KEYS)
    assert data["schema"] == "loosim.deal/1"
    assert data["units_per_stake"] == 729
    assert list(data["rules"]) == list(OPTIONS)
    assert set(data["declarations"][0]) == {"seat", "action"}
    played = next(
        data for data in (to_dict(record(index)) for index in range(20)) if data["tricks"]
    )
    assert list(played["tricks"][0]) == ["leader", "cards", "winner"]
    assert list(played["tricks"][0]["cards"][0]) == ["seat", "card"]


@pytest.mark.parametrize("preset", PRESETS)
def test_file_of_records_is_read_back_and_sound(preset: str, tmp_path: Path) -> None:
    records = [record(index, preset) for index in range(40)]
    file = written(tmp_path, [to_line(each) for each in records])
    assert list(read_records(file)) == list(enumerate(records, start=1))
    assert check_file(file) == (40, [], 0)


@settings(max_examples=60, deadline=None)
@given(cases(decks=(52, 32)), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_any_record_survives_json(case: Case, seed: int, index: int) -> None:
    one = Record(play_case(case), seed, index, ("x",) * case.players)
    problems = Problems("record")
    assert from_dict(json.loads(to_line(one)), problems, 1) == one, list(problems)


def test_blank_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    file = written(tmp_path, ["", to_line(record(0)), "  ", to_line(record(1))])
    assert [line for line, _ in read_records(file)] == [2, 4]


def test_card_spellings_of_other_programs_are_read() -> None:
    data = to_dict(record(0))
    data["hands"] = [
        [card.replace("T", "10").upper() if card[0] == "T" else card.lower() for card in hand]
        for hand in data["hands"]
    ]
    assert from_dict(data, Problems("record"), 1) == record(0)


def test_fault_is_told_with_line_and_rule(tmp_path: Path) -> None:
    wrong = to_dict(record(1))
    wrong["pot_after"] += 1
    file = written(tmp_path, [to_line(record(0)), json.dumps(wrong)])
    deals, faults, found = check_file(file)
    assert (deals, found) == (2, 2)
    assert [(fault.line, fault.rule) for fault in faults] == [(2, "S17"), (2, "S17")]
    assert faults[0].what.startswith(f"pot_after is {wrong['pot_after']} units, should be")


def test_kept_faults_are_bounded_but_all_are_counted(tmp_path: Path) -> None:
    wrong = to_dict(record(1))
    wrong["pot_after"] += 1
    file = written(tmp_path, [json.dumps(wrong)] * (MOST_FAULTS // 2 + 10))
    deals, faults, found = check_file(file)
    assert (deals, len(faults), found) == (MOST_FAULTS // 2 + 10, MOST_FAULTS, MOST_FAULTS + 20)


Change = Callable[[dict[str, Any]], object]


def put(key: str, value: object) -> Change:
    """A record with another value under a dotted key."""

    def change(data: dict[str, Any]) -> None:
        place: Any = data
        *way, last = [int(word) if word.isdigit() else word for word in key.split(".")]
        for word in way:
            place = place[word]
        place[last] = value

    return change


WRONG: list[tuple[Change, list[str]]] = [
    (lambda d: d.pop("pot"), ["pot: is missing"]),
    (lambda d: d.pop("rules"), ["rules: is missing"]),
    (
        lambda d: d.update(sead=d.pop("seed")),
        ["seed: is missing", "there is no key 'sead' (did you mean 'seed'?)"],
    ),
    (put("schema", "loosim.deal/2"), ["schema: 'loosim.deal/2' is not 'loosim.deal/1'"]),
    (put("schema", None), ["schema: None is not 'loosim.deal/1'"]),
    (put("seed", -1), ["seed: -1 is not a whole number from 0 to 18446744073709551615"]),
    (
        put("seed", 2**64),
        ["seed: 18446744073709551616 is not a whole number from 0 to " + "18446744073709551615"],
    ),
    (put("index", 1.0), ["index: 1.0 is not a whole number from 0 to 18446744073709551615"]),
    (put("index", True), ["index: True is not a whole number from 0 to 18446744073709551615"]),
    (put("pot", "3"), ["pot: '3' is not a whole number from 0 to 9223372036854775807"]),
    (put("pot", -729), ["pot: -729 is not a whole number from 0 to 9223372036854775807"]),
    (put("units_per_stake", 1), ["units_per_stake: 1 units to the stake, should be 729"]),
    (
        put("players", 5),
        ["hands: has 6 entries, but players is 5", "policies: has 6 entries, but players is 5"],
    ),
    (put("policies", ["random"]), ["policies: has 1 entries, but players is 6"]),
    (
        put("policies.2", "\x1b[2J"),
        [r"policies[2]: '\x1b[2J' is not a name in printable characters"],
    ),
    (put("policies.0", ""), ["policies[0]: '' is not a name in printable characters"]),
    (put("hands.0.1", "1x"), ["hands[0][1]: '1x' is not a card (a rank and a suit, as in Th)"]),
    (put("hands.3", 7), ["hands[3]: 7 is not a list"]),
    (put("hands.0.1", ["Ah"]), ["hands[0][1]: ['Ah'] is not a card (a rank and a suit, as in Th)"]),
    (put("miss", "AhKhQh"), ["miss: 'AhKhQh' is not a list"]),
    (put("turn_up", None), ["turn_up: None is not a card (a rank and a suit, as in Th)"]),
    (put("forced_stand", 0), ["forced_stand: 0 is not true or false"]),
    (
        put("declarations.0.action", "pass"),
        [
            "declarations[0].action: 'pass' is not an announcement "
            "(one of: fold, stand, miss, defend)"
        ],
    ),
    (put("declarations.1", 3), ["declarations[1]: 3 is not an object with seat, action"]),
    (
        put("declarations.0", {"seat": 0, "say": "fold"}),
        [
            "declarations[0].action: is missing",
            "declarations[0]: there is no key 'say' (one of: seat, action)",
        ],
    ),
    (
        put("tricks.0.leader", -1),
        ["tricks[0].leader: -1 is not a whole number from 0 to 9223372036854775807"],
    ),
    (put("tricks.2.cards", {}), ["tricks[2].cards: {} is not a list"]),
    (
        put("tricks.0.cards.0", {"seat": 0}),
        ["tricks[0].cards[0].card: is missing"],
    ),
    (put("net", None), ["net: None is not a list"]),
    (
        put("net.0", 0.5),
        ["net[0]: 0.5 is not a whole number from -9223372036854775807 to 9223372036854775807"],
    ),
    (put("rules.deck", 48), ["rules.deck: 48 is not one of its values (one of: 52, 32)"]),
    (put("rules.deck", [52]), ["rules.deck: [52] is not one of its values"]),
    (
        put("rules.preset", "peel"),
        ["rules: there is no key 'preset' (one of: " + ", ".join(OPTIONS) + ")"],
    ),
    (put("rules", []), ["rules: [] is not an object with " + ", ".join(OPTIONS)]),
    (
        put("rules.loo_cap", 5),
        ['rules.loo_cap: loo_cap caps only loo = "pot", and loo is 3 (set loo = "pot")'],
    ),
    (
        lambda d: d.update(pot=None, net=None, turn_up="?"),
        [
            "turn_up: '?' is not a card (a rank and a suit, as in Th)",
            "pot: None is not a whole number from 0 to 9223372036854775807",
            "net: None is not a list",
        ],
    ),
]


@pytest.mark.parametrize(("change", "messages"), WRONG, ids=[messages[0] for _, messages in WRONG])
def test_wrong_records_are_refused_with_every_problem(
    change: Change, messages: list[str], tmp_path: Path
) -> None:
    data = next(data for data in (to_dict(record(index)) for index in range(20)) if data["tricks"])
    change(data)
    file = written(tmp_path, [to_line(record(0)), json.dumps(data)])
    assert problems_of(file) == [f":2: {message}" for message in messages]


LINE = to_line(record(0))
NOT_JSON: list[tuple[str | bytes, str]] = [
    ("{", "is not JSON: Expecting property name enclosed in double quotes at column 2"),
    ("hello", "is not JSON: Expecting value at column 1"),
    (LINE[: len(LINE) // 2], "is not JSON: "),
    (LINE.replace('"pot":6561', '"pot":NaN'), "is not JSON: NaN is not a number"),
    (LINE.replace('"pot":6561', '"pot":-Infinity'), "is not JSON: -Infinity is not a number"),
    (LINE.replace('"pot":6561', '"pot":1e999'), "pot: inf is not a whole number from 0 to "),
    (LINE.replace('"pot":6561', '"pot":' + "9" * 5000), "holds a number with too many digits"),
    (LINE.replace('"pot":6561', '"pot":6561,"pot":6561'), "the key 'pot' is there twice"),
    (LINE.replace('"seat":0', '"seat":0,"seat":0', 1), "the key 'seat' is there twice"),
    (b"\xff\xfe\x00", "is not UTF-8 text"),
    ("[" * 100_000, "is nested too deeply to be a deal record"),
    (LINE.replace('"pot":6561', '"pot":' + "[" * 500 + "]" * 500), "pot: [[[...]]] is not a whole"),
    (LINE.replace('"deck":52', '"deck":' + "[" * 500 + "]" * 500), "rules.deck: [[[...]]] is not "),
    ("[]", "[] is not an object with schema, seed, index, rules, players, dealer, policies, "),
    ("null", "None is not an object with schema, "),
    ("3", "3 is not an object with schema, "),
    (LINE.replace("random", "\\ud800", 1), "policies[0]: '\\ud800' is not a name in printable"),
]


@pytest.mark.parametrize(("line", "message"), NOT_JSON, ids=[message for _, message in NOT_JSON])
def test_hostile_lines_are_refused_without_a_traceback(
    line: str | bytes, message: str, tmp_path: Path
) -> None:
    assert as_bytes(line) != LINE.encode()
    file = written(tmp_path, [LINE.encode(), as_bytes(line), LINE.encode(), as_bytes(line)])
    second, fourth = problems_of(file)
    assert second.startswith(f":2: {message}")
    assert fourth.startswith(f":4: {message}")
    second.encode()


def test_a_file_that_is_no_file_of_records(tmp_path: Path) -> None:
    assert problems_of(tmp_path / "none.jsonl") == [": cannot be read: No such file or directory"]
    assert problems_of(tmp_path) == [": cannot be read: Is a directory"]
    assert problems_of(written(tmp_path, [])) == [": holds no deal records"]
    assert problems_of(written(tmp_path, ["", "   "])) == [": holds no deal records"]


def test_a_line_without_an_end_is_not_read_into_memory(tmp_path: Path) -> None:
    file = written(tmp_path, [LINE, "[" + "1," * MOST_LINE_BYTES, "{"])
    assert problems_of(file) == [":2: longer than 262,144 bytes: nothing after this was read"]


def test_reading_stops_after_many_problems(tmp_path: Path) -> None:
    wrong = problems_of(written(tmp_path, ["{"] * (MOST_PROBLEMS + 500)))
    assert len(wrong) == MOST_PROBLEMS + 1
    assert wrong[-1] == f":{MOST_PROBLEMS}: too many problems: nothing after this was read"
    many = json.dumps({**to_dict(record(0)), "net": [None] * 20_000})
    assert len(problems_of(written(tmp_path, [many]))) == MOST_PROBLEMS + 1


def test_records_come_one_at_a_time(tmp_path: Path) -> None:
    """The first record is there before a later line is looked at."""
    records: Iterator[tuple[int, Record]] = read_records(written(tmp_path, [LINE, "{"]))
    assert next(records) == (1, record(0))
    with pytest.raises(InputError):
        next(records)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_no_value_anywhere_ends_in_a_traceback(data: st.DataObject) -> None:
    """A record with any JSON at any place is read, faulted or refused, and nothing else."""
    anything = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["seat", "card", "action", "x"]), inner, max_size=3)
        ),
        max_leaves=6,
    )
    spoilt: Any = to_dict(record(data.draw(st.integers(0, 10))))
    place, key = spoilt, data.draw(st.sampled_from(KEYS))
    while isinstance(place[key], list | dict) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(
            st.sampled_from(list(place) if isinstance(place, dict) else range(len(place)))
        )
    near = st.integers(-1, 17) | st.sampled_from(["Ah", "2c", "fold", "defend", "miss", "stand"])
    place[key] = data.draw(anything | near)
    problems = Problems("record")
    read = from_dict(spoilt, problems, 1)
    assert (read is None) == bool(problems)
    if read is not None:
        check_deal(read.deal)
