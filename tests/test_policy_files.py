"""Policy files, TOML and Parquet: every problem told in one go, with its line, and no traceback."""

from __future__ import annotations

import os
import tempfile
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loo_sim.policies.parse import load_policy, read_policy
from loo_sim.policies.policy import Choice
from loo_sim.problems import InputError
from loo_sim.tomlfile import load

EXAMPLE = """\
name = "example"
about = "one line"
[announce]                                  # first rule that applies and is legal wins
rules = [
  { when = "over_best == 0", do = "stand" },
  { when = "trumps >= 2 and (seat > 0 or high >= 10)", do = "stand" },
  { when = "miss_free and standers <= 1 and folded >= 2 and pot >= 6", do = "miss", chance = 0.5 },
]
otherwise = "fold"                          # where folding is illegal the dealer defends
[play]
lead_trump = "low"
lead_plain = "high"
head = "low"
lose = { rules = [{ when = "in_play >= 4", do = "high" }], otherwise = "random" }
"""


def complaints(folder: Path, text: str | bytes) -> list[str]:
    """What reading a policy file complains of, without its path."""
    path = folder / "p.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(InputError) as caught:
        read_policy(path)
    lines = str(caught.value).replace(f"{folder}{os.sep}", "").splitlines()
    assert len(lines) == len(caught.value.problems)
    return lines


def test_the_example_of_the_guide_is_read(tmp_path: Path) -> None:
    path = tmp_path / "example.toml"
    path.write_text(EXAMPLE)
    policy = read_policy(path)
    assert (policy.name, policy.about, policy.source) == ("example", "one line", str(path))
    assert [rule.do for rule in policy.announce.rules] == ["stand", "stand", "miss"]
    assert [rule.chance for rule in policy.announce.rules] == [1, 1, Fraction(1, 2)]
    assert policy.announce.otherwise == "fold"
    assert policy.play.lead_trump == Choice((), "low")
    assert policy.play.lose.otherwise == "random"
    assert policy.play.lose.rules[0].text == "in_play >= 4"
    assert policy.play.lead == Choice((), "trump")  # not in the file: the default
    assert policy.table is None


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text('name = "short"\n[announce]\n')
    policy = read_policy(path)
    assert policy.announce == Choice((), "fold")
    assert [choice.otherwise for choice in policy.play] == ["low", "high", "low", "low", "trump"]


def test_the_digest_is_of_what_a_policy_does(tmp_path: Path) -> None:
    def digest(text: str) -> str:
        path = tmp_path / "p.toml"
        path.write_text(text)
        return read_policy(path).digest

    original = digest(EXAMPLE)
    assert len(original) == 64
    assert digest("# a comment\n" + EXAMPLE.replace("over_best == 0", " over_best  ==  0")) == (
        original
    )
    assert digest(EXAMPLE.replace("one line", "another")) == original
    for old, new in [
        ('"example"', '"other"'),
        ("seat > 0", "seat > 1"),
        ('do = "miss"', 'do = "stand"'),
        ("0.5", "0.25"),
        ('otherwise = "fold"', 'otherwise = "stand"'),
        ('lead_trump = "low"', 'lead_trump = "high"'),
        ("in_play >= 4", "in_play >= 5"),
    ]:
        assert digest(EXAMPLE.replace(old, new)) != original, new


def announce(rules: str, otherwise: str = '"fold"') -> str:
    """A policy whose rules begin on line 4."""
    return f'name = "p"\n[announce]\nrules = [\n{rules}\n]\notherwise = {otherwise}\n'


def rule(when: str, do: str, extra: str = "") -> str:
    return f'  {{ when = "{when}", do = "{do}"{extra} }},'


def play(lines: str) -> str:
    """A policy whose words of play begin on line 4."""
    return f'name = "p"\n[announce]\n[play]\n{lines}\n'


NAMES = (
    "trumps, over_best, over_second, high, middle, low, plain_suits, seat, to_act, players, "
    "dealer, standers, folded, miss_free, pot, trick, loo"
)
TURN_NAMES = "trick_no, last, in_play, my_tricks, best_is_trump"
IDLE = "never applies: nothing makes its condition true"
COVERED = "never applies: the rules before it take every case (put it before them, or leave it out)"

WRONG = {
    # The file as a whole
    "not toml": ("name = p\n", [
        'p.toml:1: not valid TOML: Invalid value at column 8 (text stands in quotes, as in '
        'do = "stand")']),
    "curly quotes": ("name = \u201cp\u201d\n", [
        "p.toml:1: not valid TOML: Invalid value at column 8 (quotes are straight: \" and no "
        "others)"]),
    "commas": ("x = 1,000,000\n", [
        "p.toml:1: not valid TOML: Expected newline or end of document after a statement at column "
        "6 (a long number is written 1_000_000)"]),
    "an experiment": ('name = "p"\nstudy = "deals"\n', [
        "p.toml: announce: is missing (a policy needs a table [announce]; this looks like an "
        "experiment: loosim run FILE plays it)",
        "p.toml:2: study: no such key here (one of: name, about, params, announce, play)"]),
    "not utf-8": (b'name = "p"\n# \xff\n', [
        "p.toml:2: is not text in UTF-8 (save it as UTF-8)"]),
    "key twice": ('name = "p"\nname = "q"\n[announce]\n', [
        "p.toml:2: not valid TOML: Cannot overwrite a value at column 11 (the same key or table "
        "stands twice)"]),
    "unclosed": ('name = "p"\n[announce]\nrules = [\n', [
        "p.toml:3: not valid TOML: Invalid value at the end of the file (a value, or the ] of an "
        "array, is missing)"]),
    "too deep": ("a = " + "[" * 9000, ["p.toml: arrays or tables are nested too deeply"]),
    "too long a number": ("a = " + "9" * 5000, [
        "p.toml: not valid TOML: a number has too many digits"]),
    "too long": ("#" * 1_000_001, ["p.toml: is longer than 1,000,000 bytes"]),
    "empty": ("", [
        "p.toml: announce: is missing (a policy needs a table [announce])",
        'p.toml: name: is missing (name = "...")']),
    "unknown keys": ('nam = "p"\n[announce]\nrule = []\n[plays]\n', [
        'p.toml: name: is missing (name = "...")',
        "p.toml:1: nam: no such key here (did you mean 'name'?)",
        "p.toml:3: announce.rule: no such key here (did you mean 'rules'?)",
        "p.toml:4: plays: no such key here (did you mean 'play'?)"]),
    "name is a number": ("name = 5\n[announce]\n", [
        "p.toml:1: name: 5 is not text (text stands in quotes)"]),
    "name is empty": ('name = " "\n[announce]\n', [
        "p.toml:1: name: is not one line of 1 to 60 characters"]),
    "about has two lines": ('name = "p"\nabout = "a\\nb"\n[announce]\n', [
        "p.toml:2: about: is not one line"]),
    "announce is a word": ('name = "p"\nannounce = "fold"\n', [
        "p.toml:2: announce: 'fold' is no table (write [announce] and its keys below)"]),
    # Rules
    "unknown word": (announce(rule("true", "stay")), [
        "p.toml:4: announce.rules.1.do: 'stay' is not a word for it (did you mean 'stand'?)"]),
    "word of play": (announce(rule("trumps > 1", "high"), '"standd"'), [
        "p.toml:4: announce.rules.1.do: 'high' is not a word for it (one of: fold, stand, miss, "
        "defend, random)",
        "p.toml:6: announce.otherwise: 'standd' is not a word for it (did you mean 'stand'?)"]),
    "unknown name": (announce(rule("trump > 1", "stand")), [
        "p.toml:4: announce.rules.1.when: column 1: unknown name 'trump' (did you mean "
        "'trumps'?)"]),
    "name of play": (announce(rule("last", "stand")), [
        "p.toml:4: announce.rules.1.when: column 1: 'last' is known only under [play] "
        f"(here: {NAMES})"]),
    "no condition": (announce('  { do = "stand" },'), [
        'p.toml:4: announce.rules.1.when: is missing (a rule is { when = "...", do = "..." })']),
    "no do": (announce('  { when = "dealer" },'), [
        'p.toml:4: announce.rules.1.do: is missing (a rule is { when = "...", do = "..." })']),
    "condition is a truth": (announce('  { when = true, do = "stand" },'), [
        "p.toml:4: announce.rules.1.when: True is not text (a condition stands in quotes)"]),
    "unknown key in a rule": (announce(rule("dealer", "stand", ", chanse = 0.5")), [
        "p.toml:4: announce.rules.1.chanse: no such key here (did you mean 'chance'?)"]),
    "chance of zero": (announce(rule("dealer", "stand", ", chance = 0")), [
        "p.toml:4: announce.rules.1.chance: 0 is no chance (a number above 0 and at most 1)"]),
    "chance in words": (announce(rule("dealer", "stand", ', chance = "half"')), [
        "p.toml:4: announce.rules.1.chance: 'half' is no chance (a number above 0 and at most "
        "1)"]),
    "chance is not a number": (announce(rule("dealer", "stand", ", chance = nan")), [
        "p.toml:4: announce.rules.1.chance: nan is no chance (a number above 0 and at most 1)"]),
    "rule is a word": (announce('  "stand",'), [
        "p.toml:4: announce.rules.1: 'stand' is no rule ({ when = \"...\", do = \"...\" })"]),
    "rules is a table": ('name = "p"\n[announce]\nrules = { when = "dealer", do = "stand" }\n', [
        'p.toml:3: announce.rules: is not an array (rules = [ { when = "...", do = "..." } ])']),
    "too many rules": (announce(rule("pot > 3", "stand") * 101), [
        "p.toml:3: announce.rules: more than 100 rules (a table says more than rules can)"]),
    "several at once": (
        announce("\n".join([
            rule("seat > 1 and", "stand"), rule("pot >= 6", "mis"), rule("pot", "stand")]), "3"),
        ["p.toml:4: announce.rules.1.when: column 13: the condition ends where a number, a name "
         "or '(' should be",
         "p.toml:5: announce.rules.2.do: 'mis' is not a word for it (did you mean 'miss'?)",
         "p.toml:6: announce.rules.3.when: column 1: 'pot' is a number, not a condition (compare "
         "it with something, as in pot >= 6)",
         "p.toml:8: announce.otherwise: 3 is not a word for it (one of: fold, stand, miss, "
         "defend, random)"]),
    # Rules that never apply
    "never true": (announce(rule("trumps == 2 and middle > 0", "stand")), [
        f"p.toml:4: announce.rules.1.when: {IDLE}"]),
    "more than sixteen players": (announce(rule("players > 16", "stand")), [
        f"p.toml:4: announce.rules.1.when: {IDLE}"]),
    "never true whatever the pot": (announce(rule("pot > 9 and high == 1", "stand")), [
        f"p.toml:4: announce.rules.1.when: {IDLE}"]),
    "miss gone": (announce(rule("not miss_free", "miss")), [
        "p.toml:4: announce.rules.1.when: never applies: where its condition holds, 'miss' is "
        "illegal (the miss can be taken only while miss_free)"]),
    "defence before the dealer": (announce(rule("to_act > 0", "defend")), [
        "p.toml:4: announce.rules.1.when: never applies: where its condition holds, 'defend' is "
        "illegal (only the dealer may defend, while miss_free and with somebody in)"]),
    "covered by one": (
        announce(rule("trumps >= 1", "stand") + "\n" + rule("over_best == 0", "miss")),
        [f"p.toml:5: announce.rules.2.when: {COVERED}"]),
    "covered by several": (
        announce("\n".join([
            rule("trumps == 0", "stand"), rule("trumps == 1 or trumps == 3", "stand"),
            rule("over_second < 12 and high > 0", "random"), rule("pot > 50", "miss")])),
        [f"p.toml:7: announce.rules.4.when: {COVERED}"]),
    # Divisions
    "division by a hand": (announce(rule("high / trumps > 3", "stand")), [
        "p.toml:4: announce.rules.1.when: divides by zero: 'trumps' is 0 where trumps = 0 and "
        "high = 2 (rule that case out before the division, with 'and')"]),
    "division by the pot": (announce(rule("1 / (pot - 5) > 0.5", "stand")), [
        "p.toml:4: announce.rules.1.when: divides by zero: 'pot - 5' is 0 where pot = 5 (rule "
        "that case out before the division, with 'and')"]),
    "division by 0": (announce(rule("pot / 0 > 1", "stand")), [
        "p.toml:4: announce.rules.1.when: divides by zero: '0' is 0 where pot = 3 (rule that case "
        "out before the division, with 'and')"]),
    "division of a number by 0": (announce(rule("1 / 0 > 1", "stand")), [
        "p.toml:4: announce.rules.1.when: divides by zero: '0' is 0 (rule that case out before the "
        "division, with 'and')"]),
    # Play
    "unknown play": (play('lead_trumps = "low"\nlose = "middle"\nlead = "low"'), [
        "p.toml:4: play.lead_trumps: no such key here (did you mean 'lead_trump'?)",
        "p.toml:5: play.lose: 'middle' is not a word for it (one of: low, high, random)",
        "p.toml:6: play.lead: 'low' is not a word for it (one of: trump, plain, random)"]),
    "play is a list": (play("head = []"), [
        "p.toml:4: play.head: list is neither a word nor a table with rules (head = \"low\", or a "
        "table [play.head] with rules and otherwise)"]),
    "chance in play": (play(
        'head = { rules = [{ when = "last", do = "low", chance = 0.5 }], otherwise = "high" }'), [
        "p.toml:4: play.head.rules.1.chance: belongs to rules of [announce] only"]),
    "name of announcing in play": (play('lose.rules = [{ when = "trumps > 1", do = "low" }]'), [
        "p.toml:4: play.lose.rules.1.when: column 1: 'trumps' is known only under [announce] "
        f"(here: {TURN_NAMES})"]),
    "a leader is never last": (play('lead_trump.rules = [{ when = "last", do = "low" }]'), [
        f"p.toml:4: play.lead_trump.rules.1.when: {IDLE}"]),
    "covered in play": (play(
        'head.rules = [{ when = "last", do = "low" }, { when = "in_play == 2", do = "high" }]'), [
        f"p.toml:4: play.head.rules.2.when: {COVERED}"]),
    # Tables
    "table is no path": ('name = "p"\n[announce]\ntable = 3\n', [
        "p.toml:3: announce.table: 3 is not the path of a Parquet file (relative to this file, "
        "ending in .parquet)"]),
    "no such table": ('name = "p"\n[announce]\ntable = "no.parquet"\n', [
        "p.toml:3: announce.table: there is no file no.parquet"]),
    "rules and table": (announce(rule("dealer", "stand")) + 'table = "no.parquet"\n', [
        "p.toml:7: announce.table: stands beside rules (a policy has a table or rules)",
        "p.toml:7: announce.table: there is no file no.parquet"]),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_policy_files(case: str, tmp_path: Path) -> None:
    text, expected = WRONG[case]
    assert complaints(tmp_path, text) == expected


@pytest.mark.parametrize(
    "rules",
    [
        # What may be so in some game under some house rules is no fault.
        [("true", "fold", ""), ("true", "defend", "")],  # the dealer may not always fold
        [("dealer", "defend", ""), ("dealer and miss_free", "stand", "")],  # nor always defend
        [("miss_free", "miss", ""), ("dealer", "fold", ""), ("not miss_free", "fold", "")],
        [("pot >= 0", "stand", ""), ("pot < 0", "fold", "")],  # money is not judged
        [("trick > loo or loo >= trick", "stand", ""), ("trumps == 2", "fold", "")],
        [("trumps >= 2", "stand", ", chance = 0.9"), ("trumps == 2", "fold", "")],
        [("players == 2 and dealer", "stand", ""), ("players == 16 and seat == 15", "fold", "")],
        [("over_best == 7 and trumps == 0", "stand", "")],  # the 32-card pack
        [("trumps > 0 and high / trumps > 3", "stand", "")],  # the division is ruled out
        [("trumps == 0 or not high / trumps > 3", "stand", "")],
        [("trumps == 0", "fold", ""), ("dealer and trumps == 0", "stand", ""),
         ("trick / loo > 0.5 or 3 / loo < pot / trick", "stand", "")],
        [("not dealer and trumps == 0", "fold", ""),
         ("not dealer and high / trumps > 3", "miss", "")],
        [("plain_suits == 3 and low == 2 and high == 2", "stand", "")],
    ],
)  # fmt: skip
def test_what_may_apply_is_no_fault(rules: list[tuple[str, str, str]], tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(announce("\n".join(rule(*words) for words in rules)))
    assert len(read_policy(path).announce.rules) == len(rules)


@pytest.mark.parametrize(
    ("kind", "when"),
    [
        ("lead", "trick_no == 2 and my_tricks == 1"),
        ("lead_plain", "trick_no == 3 and my_tricks == 2 and in_play == 16"),
        ("head", "last and in_play == 2 and best_is_trump"),
        ("lose", "trick_no == 3 and my_tricks == 1 and not last"),
    ],
)
def test_what_may_apply_in_play_is_no_fault(kind: str, when: str, tmp_path: Path) -> None:
    word = "trump" if kind == "lead" else "low"
    path = tmp_path / "p.toml"
    path.write_text(play(f'{kind}.rules = [{{ when = "{when}", do = "{word}" }}]'))
    assert getattr(read_policy(path).play, kind).rules[0].do == word


ROW = {
    "players": 5, "pot": 3.0, "seat": 4, "standers": 1, "miss_free": True, "hand": "As7sKh",
    "fold": 0.0, "stand": 0.5, "miss": 0.25, "defend": 0.25,
}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"stand": 0.6}], "row 1: chances 0 0.6 0.25 0.25 sum to 1.1, not 1"),
        (
            [{}, {"seat": 3, "standers": 0, "stand": 1.5, "miss": -0.5, "defend": 0.0}],
            "row 2: chances 0 1.5 -0.5 0 are not all from 0 to 1",
        ),
        (
            [{"miss_free": False, "defend": 0.0, "stand": 0.75}],
            "row 1: miss = 0.25, but the miss is gone",
        ),
        (
            [{"seat": 3}],
            "row 1: defend = 0.25, but only the dealer may defend, while the miss is free",
        ),
        ([{"hand": "Kh7sAs"}], "row 1: 'Kh7sAs' is no class of hands, as in As7sKh"),
        (
            [{}, {}, {}],
            "row 2: the same situation and hand as in a row before (and 1 more rows like it)",
        ),
        (
            [{"standers": 0}],
            "row 1: nobody announces with players = 5, seat = 4, standers = 0, miss_free = true",
        ),
        (
            [{"standers": 5}],
            "row 1: nobody announces with players = 5, seat = 4, standers = 5, miss_free = true",
        ),
        (
            [{"players": 17, "stand": 0.75, "defend": 0.0}],
            "row 1: players = 17 is no whole number from 2 to 16",
        ),
        (
            [{"seat": 1.5, "stand": 0.75, "defend": 0.0}],
            "row 1: seat = 1.5 is no whole number from 0 to 15",
        ),
        ([{"pot": 0.0}], "row 1: pot = 0 is no number of stakes"),
        ([{"pot": None}], "row 1: 'pot' is empty"),
    ],
)
def test_wrong_tables(rows: list[dict[str, object]], expected: str, tmp_path: Path) -> None:
    pd.DataFrame([ROW | row for row in rows]).to_parquet(tmp_path / "t.parquet")
    text = 'name = "p"\n[announce]\ntable = "t.parquet"\n'
    assert complaints(tmp_path, text) == [f"p.toml:3: announce.table: t.parquet, {expected}"]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"stand": ["much"]}, "t.parquet: 'stand' is not a number"),
        ({"miss_free": [1]}, "t.parquet: 'miss_free' is not true or false"),
        ({"hand": [7]}, "t.parquet: 'hand' is not text"),
        ({"fold": [True]}, "t.parquet: 'fold' is not a number"),
        ({name: [] for name in ROW}, "t.parquet: it has no rows"),
    ],
)
def test_tables_of_the_wrong_kind(
    columns: dict[str, list[object]], expected: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({name: [value] for name, value in ROW.items()} | columns)
    frame.to_parquet(tmp_path / "t.parquet")
    text = 'name = "p"\n[announce]\ntable = "t.parquet"\n'
    assert complaints(tmp_path, text) == [f"p.toml:3: announce.table: {expected}"]


def test_tables_without_a_column_or_that_are_none(tmp_path: Path) -> None:
    text = 'name = "p"\n[announce]\ntable = "t.parquet"\n'
    frame = pd.DataFrame([ROW]).rename(columns={"standers": "stander"})
    frame.to_parquet(tmp_path / "t.parquet")
    assert complaints(tmp_path, text) == [
        "p.toml:3: announce.table: t.parquet has no column 'standers' (did you mean 'stander'?)"
    ]
    (tmp_path / "t.parquet").write_text("players,pot")
    (line,) = complaints(tmp_path, text)
    assert line.startswith("p.toml:3: announce.table: t.parquet is not a Parquet file that can")


def test_policies_are_found_by_name_and_by_path(tmp_path: Path) -> None:
    assert load_policy("peel").name == "peel"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "mine.toml").write_text(EXAMPLE)
    assert load_policy("sub/mine.toml", tmp_path).name == "example"
    assert load_policy(str(tmp_path / "sub" / "mine.toml"), "elsewhere").name == "example"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("peal", "policy: there is no policy 'peal' (did you mean 'peel'?; a policy file's path "
                 "ends in .toml)"),
        ("qqq", "policy: there is no policy 'qqq' (one of: always-stand, equilibrium, loose, "
         "peel, pot-odds, random, sharp, tight, trumps; a policy file's path ends in .toml)"),
        ("mine", "policy: there is no policy 'mine' (did you mean 'mine.toml'?; a policy file's "
         "path ends in .toml)"),
        ("sub", "policy: there is no policy 'sub' (did you mean 'sub/policy.toml'?; a policy "
         "file's path ends in .toml)"),
        ("sub/mien.toml", "sub/mien.toml: there is no such file (did you mean 'sub/mine.toml'?)"),
        ("nowhere/x.toml", "nowhere/x.toml: there is no such file (there is no folder nowhere "
                           "either)"),
        ("sub.toml", "sub.toml: is a directory, not a file"),
    ],
)  # fmt: skip
def test_policies_that_are_not_there(
    name: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("sub.toml").mkdir()
    for path in ("sub/mine.toml", "sub/policy.toml", "mine.toml"):
        Path(path).write_text(EXAMPLE)
    with pytest.raises(InputError) as caught:
        load_policy(name)
    assert str(caught.value) == expected


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.toml")
    with pytest.raises(InputError, match="is not a regular file"):
        load(tmp_path / "p.toml")


TOML = """\
# [not.a.table]
top = "a # b"
dotted."quoted.key".plain = 1

"\\u0061 b" = 2
text = \"\"\"
key = 1
[x]
\\\"\"\" \"\"\"\"
lines = '''
[[y]]'''
[announce]
rules = [ # { when = 1 }
  { when = "a } ] [", do = "x", deep = { er = [1, 2] } },

  { when = 'b"', chance = 0.5 }, [7,
    8],
]
date = 1979-05-27 07:32:00
otherwise = "fold"
[[cell]]
x = 1
[cell.sub]
y = 2
[[cell]]
[[cell.part]]
z = -inf
[ "a" . ']' ]
"rules.loo" = [3, "pot"]
"""
LINES = {
    "top": 2, "dotted": 3, "dotted.quoted.key": 3, "dotted.quoted.key.plain": 3, "a b": 5,
    "text": 6, "lines": 10, "announce": 12, "announce.rules": 13, "announce.rules.1": 14,
    "announce.rules.1.do": 14, "announce.rules.1.deep.er.2": 14, "announce.rules.2.when": 16,
    "announce.rules.2.chance": 16, "announce.rules.3": 16, "announce.rules.3.1": 16,
    "announce.rules.3.2": 17, "announce.date": 19, "announce.otherwise": 20, "cell": 21,
    "cell.1": 21, "cell.1.x": 22, "cell.1.sub.y": 24, "cell.2": 25, "cell.2.part.1": 26,
    "cell.2.part.1.z": 27, "a.].rules.loo": 29, "a.].rules.loo.2": 29,
    # What is not there stands where the nearest thing around it does.
    "announce.rules.2.nothing": 16, "announce.nothing.at.all": 12, "cell.3": 21, "nothing": None,
}  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_key_of_a_toml_file_has_its_line(newline: str, tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_bytes(b"\xef\xbb\xbf" + TOML.replace("\n", newline).encode())
    file = load(path)
    assert file.data["announce"]["rules"][1]["chance"] == 0.5
    assert {key: file.line_of(key) for key in LINES} == LINES


def dotted_keys(value: object, prefix: str = "") -> set[str]:
    items: list[tuple[str, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [(str(number), item) for number, item in enumerate(value, start=1)]
    return {f"{prefix}{key}" for key, _ in items}.union(
        *(dotted_keys(item, f"{prefix}{key}.") for key, item in items)
    )


PIECES = st.lists(
    st.sampled_from(
        ["a", "b", "\"c d\"", "'e'", ".", " = ", "[", "]", "[[", "]]", "{", "}", ",", "\n", "\n[",
         "]\n", "1", "1.5", "\"x # y\"", "'''\nz'''", '"""w\n"""', "# c\n", "true", "a = ", "b = ",
         "[a]\n", "[[b]]\n", "a = [1, [2], {b = 3}]\n", "\\"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@given(PIECES | st.text())
@settings(max_examples=400, deadline=None)
def test_no_text_makes_the_reader_fail(text: str) -> None:
    """Any text is either refused as input, or every key in it has a line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.toml"
        path.write_bytes(text.encode("utf-8", "replace"))
        try:
            file = load(path)
        except InputError:
            return
    assert dotted_keys(file.data) <= set(file.lines)


@given(
    st.lists(st.tuples(st.sampled_from(EXAMPLE.splitlines()), st.integers(0, 100)), max_size=3),
    st.integers(0, len(EXAMPLE)),
    st.text(max_size=3),
)
@settings(max_examples=80, deadline=None)
def test_a_damaged_policy_file_is_read_or_refused(
    extra: list[tuple[str, int]], at: int, inserted: str
) -> None:
    lines = (EXAMPLE[:at] + inserted + EXAMPLE[at:]).splitlines()
    for line, place in extra:
        lines.insert(place % len(lines), line)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.toml"
        path.write_bytes("\n".join(lines).encode("utf-8", "replace"))
        try:
            policy = read_policy(path)
        except InputError as error:
            assert str(error).count("p.toml") >= len(error.problems)  # noqa: PT017
        else:
            assert policy.name
