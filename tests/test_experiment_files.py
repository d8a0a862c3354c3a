"""Experiment files: what they mean, and what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from loo_sim.claims.file import is_of_claims, load_claims
from loo_sim.experiment import load_experiment
from loo_sim.problems import InputError
from loo_sim.rules import PRESETS, UNITS_PER_STAKE
from loo_sim.settings import KEYS, Amount

ROOT = Path(__file__).parent.parent

AXES = (
    "one of: players, pot, policies, rounds, bankroll, rules, rules.preset, rules.deck, "
    "rules.min_players, "
    "rules.dealer_stake, rules.ante, rules.loo, rules.loo_cap, rules.defend, "
    "rules.dealer_may_fold, rules.defend_with, rules.first_lead, rules.later_lead, "
    "rules.undertrump, rules.club_law, rules.force_on_single, rules.end, "
    "policies.NAME.params.PARAMETER"
)

# File, words after -s, and the lines told; FILE stands for the file's path.
WRONG = {
    "no study": (
        "seed = 1",
        [],
        ["FILE: study: is missing (one of: deals, announce, lead, session, league, claims)"],
    ),
    "nearly a study, and a rule beside [rules]": (
        'study = "claim"\nloo = 6',
        [],
        [
            "FILE:1: study: 'claim' is no study of this version (did you mean 'claims'?)",
            "FILE:2: loo: no such key (did you mean 'rules.loo'?)",
        ],
    ),
    "a policy file": (
        'name = "mine"\n[announce]\notherwise = "fold"',
        [],
        [
            "FILE: study: is missing (this looks like a policy: loosim policies FILE shows it)",
            f"FILE:2: announce: no such key (one of: {', '.join(KEYS)})",
        ],
    ),
    "a league of one": (
        'study = "league"',
        [],
        [
            "FILE: policies: a league is of 2 to 16 policies, not of 1 policy "
            '(policies = ["trumps", "peel"])'
        ],
    ),
    "a league of a name twice, with the keys of sessions": (
        'study = "league"\npolicies = ["peel", "peel", "trumps"]\ntables = 5\nbankroll = 9',
        [],
        [
            "FILE:2: policies: 2 of a league's policies are called peel "
            "(name says what a policy file's policy is called)",
            "FILE:3: tables: has no place in a league without rounds "
            "(rounds = 10 plays it in sessions)",
            "FILE:4: bankroll: has no place in a league without rounds "
            "(rounds = 10 plays it in sessions)",
        ],
    ),
    "a league in sessions with the keys of deals": (
        'study = "league"\npolicies = ["peel", "trumps"]\nrounds = 0\ndeals = 5\npot = 3',
        [],
        [
            "FILE:3: rounds: 0 is not a whole number from 1 to 682 (each of 6 players deals once "
            "a round, 4,096 deals at most)",
            "FILE:4: deals: has no place in a league that has rounds (tables = ..., rounds = ...)",
            "FILE:5: pot: has no place in a league that has rounds (it begins with the stakes)",
        ],
    ),
    "until beside deals": (
        'study = "deals"\ndeals = 5\nuntil = 0.01',
        [],
        ["FILE:2: deals: is there beside until (with until, max_deals bounds the work)"],
    ),
    "bounds without until": (
        'study = "deals"\nmax_deals = 5\nmax_seconds = 3',
        [],
        [
            "FILE:2: max_deals: says how far to go, but not until when (until = 0.01)",
            "FILE:3: max_seconds: says how far to go, but not until when (until = 0.01)",
        ],
    ),
    "until nothing": (
        'study = "session"\nuntil = 0\nmax_tables = 0\nmax_seconds = nan\nmax_deals = 3',
        [],
        [
            "FILE:2: until: 0 is not a number of stakes above 0 "
            "(the half-width of a 95 % interval, as in until = 0.01)",
            "FILE:3: max_tables: 0 is not a whole number from 1 to 16,777,216",
            "FILE:4: max_seconds: nan is not a number of seconds above 0",
            'FILE:5: max_deals: has no place in the study "session" (max_tables = ...)',
        ],
    ),
    "a sweep that is none, until too much": (
        f'study = "league"\npolicies = ["peel", "tight"]\nuntil = 1{"0" * 400}\n[sweep]\nzip = 3',
        [],
        [
            f"FILE:3: until: 1{'0' * 400} is not a number of stakes above 0 "
            "(the half-width of a 95 % interval, as in until = 0.01)",
            "FILE:5: sweep.zip: is not a table of axes (write [sweep.zip] and axes below it)",
        ],
    ),
    "until a word, and swept": (
        'study = "deals"\nuntil = "soon"\n[sweep]\nuntil = [0.1, 0.2]',
        [],
        [
            "FILE:2: until: 'soon' is not a number of stakes above 0 "
            "(the half-width of a 95 % interval, as in until = 0.01)",
            "FILE:4: sweep.until: until is the same in all cells and cannot be an axis",
        ],
    ),
    "an aim of a study that has none": (
        'study = "deals"\naim = { seat = 0, standers = 0, miss_free = true }',
        [],
        ['FILE:2: aim: has no place in the study "deals" (it is of: announce)'],
    ),
    "an aim that is no table": (
        'study = "announce"\naim = 3',
        [],
        [
            "FILE:2: aim: 3 is not a table of a situation "
            "(as in aim = { seat = 1, standers = 0, miss_free = true })"
        ],
    ),
    "an aim with everything wrong": (
        'study = "announce"\n[aim]\nseat = 6\nstander = 1\nmiss_free = 1',
        [],
        [
            "FILE:2: aim.standers: is missing (0 to 5, for 6 players)",
            "FILE:3: aim.seat: 6 is not a whole number (0 to 5, for 6 players)",
            "FILE:4: aim.stander: no such key (did you mean 'standers'?)",
            "FILE:5: aim.miss_free: 1 is neither true nor false "
            "(whether nobody has taken the miss yet)",
        ],
    ),
    "an aim at what cannot be": (
        'study = "announce"',
        ["aim.seat=2", "aim.standers=3", "aim.miss_free=true"],
        ["FILE: aim: 3 cannot be in before seat 2 speaks (seats count from 0)"],
    ),
    "an aim at a dealer alone": (
        'study = "announce"\naim = { seat = 5, standers = 0, miss_free = true }',
        [],
        ["FILE:2: aim: the dealer speaks only if somebody is in (standers = 1)"],
    ),
    "an aim at a miss that nobody took": (
        'study = "announce"\naim = { seat = 2, standers = 0, miss_free = false }',
        [],
        ["FILE:2: aim: the miss is gone, and nobody is in who took it (miss_free = true)"],
    ),
    "a session with the keys of a deal": (
        'study = "session"\npot = 6\ndeals = 10',
        [],
        [
            'FILE:2: pot: has no place in the study "session" (it begins with the stakes)',
            'FILE:3: deals: has no place in the study "session" (tables = ..., rounds = ...)',
        ],
    ),
    "a session that sweeps the pot": (
        'study = "session"\n[sweep]\npot = [6, 9]',
        [],
        ['FILE:3: sweep.pot: has no place in the study "session" (it begins with the stakes)'],
    ),
    "deals with the keys of a session": (
        'study = "deals"\nrounds = 3\ntables = 5\n[sweep]\nbankroll = [5]',
        [],
        [
            'FILE:2: rounds: has no place in the study "deals" (it is of: session, league)',
            'FILE:3: tables: has no place in the study "deals" (it is of: session, league)',
            'FILE:5: sweep.bankroll: has no place in the study "deals" (it is of: session, league)',
        ],
    ),
    "a session that is too long": (
        'study = "session"\nplayers = 5\nrounds = 820\nbankroll = 2\ntables = 0',
        [],
        [
            "FILE:3: rounds: 820 is not a whole number from 1 to 819 (each of 5 players deals once "
            "a round, 4,096 deals at most)",
            "FILE:4: bankroll: 2 is not a whole number of stakes from 3 to 1,000,000 (leave it out "
            "if purses have no limit)",
            "FILE:5: tables: 0 is not a whole number from 1 to 16,777,216",
        ],
    ),
    "a misspelt key": (
        'study = "deals"\npolices = "peel"',
        [],
        ["FILE:2: polices: no such key (did you mean 'policies'?)"],
    ),
    "a negative seed": (
        'study = "deals"\nseed = -1',
        [],
        ["FILE:2: seed: -1 is not a whole number from 0 to 2**64 - 1"],
    ),
    "too large a seed": (
        'study = "deals"\nseed = 18446744073709551616',
        [],
        ["FILE:2: seed: 18446744073709551616 is not a whole number from 0 to 2**64 - 1"],
    ),
    "a seed of too many hexadecimal digits": (
        f'study = "deals"\nseed = 0x{"f" * 5000}',
        [],
        ["FILE: not valid TOML: a number has too many digits"],
    ),
    "true is no seed": (
        'study = "deals"\nseed = true',
        [],
        ["FILE:2: seed: True is not a whole number from 0 to 2**64 - 1"],
    ),
    "deals as a float": (
        'study = "deals"\ndeals = 1e6',
        [],
        ["FILE:2: deals: 1000000.0 is not a whole number from 1 to 4,000,000,000"],
    ),
    "too many deals": (
        'study = "deals"\ndeals = 4_000_000_001',
        [],
        ["FILE:2: deals: 4000000001 is not a whole number from 1 to 4,000,000,000"],
    ),
    "a name that leaves the folder": (
        'study = "deals"\nname = "../x"',
        [],
        [
            "FILE:2: name: '../x' cannot name a result (up to 100 letters, digits, '-', '_' and "
            "'.', not starting with '-' or '.')"
        ],
    ),
    "too many players": (
        'study = "deals"\nplayers = 17',
        [],
        [
            "FILE:2: players: 17 players cannot play: these rules (min_players = 5, deck = 52) "
            "take 5 to 16"
        ],
    ),
    "too few players": (
        'study = "deals"\nplayers = 4',
        [],
        [
            "FILE:2: players: 4 players cannot play: these rules (min_players = 5, deck = 52) "
            "take 5 to 16"
        ],
    ),
    "players as text": (
        'study = "deals"\nplayers = "six"',
        [],
        [
            "FILE:2: players: 'six' players cannot play: these rules (min_players = 5, "
            "deck = 52) take 5 to 16"
        ],
    ),
    "a pot below the single one": (
        'study = "deals"\npot = 2',
        [],
        [
            "FILE:2: pot: a pot of 2 stakes cannot be: with 6 players dealer_stake = 3 and "
            "ante = 0 put 3 in; from 3 to 1,000,000"
        ],
    ),
    "a pot that is no number": (
        'study = "deals"\npot = "big"',
        [],
        ["FILE:2: pot: 'big' is not a number of stakes"],
    ),
    "a pot that is no number of units": (
        'study = "deals"\npot = 3.3',
        [],
        [
            "FILE:2: pot: a pot of 3.3 stakes is no whole number of units (729 to the stake); "
            "the nearest whole stake is 3"
        ],
    ),
    "an unknown policy": (
        'study = "deals"\npolicies = ["pel"]',
        [],
        [
            "FILE:2: policies: 'pel': there is no policy 'pel' (did you mean 'peel'?; a policy "
            "file's path ends in .toml)"
        ],
    ),
    "policies for some seats": (
        'study = "deals"\npolicies = ["peel", "tight"]',
        [],
        [
            "FILE:2: policies: there are 2 policies for 6 players (give one for all, or one a "
            "seat, the dealer's last)"
        ],
    ),
    "policies as a number": (
        'study = "deals"\npolicies = 3',
        [],
        [
            "FILE:2: policies: 3 is neither a policy nor a list of policies (a name, a path, or "
            'a list of them: "peel", ["peel"])'
        ],
    ),
    "no policies": (
        'study = "deals"\npolicies = []',
        [],
        [
            "FILE:2: policies: [] is neither a policy nor a list of policies (a name, a path, or "
            'a list of them: "peel", ["peel"])'
        ],
    ),
    "rules as a word": (
        'study = "deals"\nrules = "peel"',
        [],
        ['FILE:2: rules: is not a table of rules (write rules.preset = "peel")'],
    ),
    "an unknown rule": (
        'study = "deals"\n[rules]\npreset = "peel"\nlo = 3',
        [],
        ["FILE:4: rules.lo: no such option of the rules (did you mean 'loo'?)"],
    ),
    "an unknown preset": (
        'study = "deals"\n[rules]\npreset = "pell"',
        [],
        ["FILE:3: rules.preset: there is no preset 'pell' (did you mean 'peel'?)"],
    ),
    "rules that do not go together": (
        'study = "deals"\n[rules]\nloo_cap = 9',
        [],
        ['FILE:3: rules.loo_cap: loo_cap caps only loo = "pot", and loo is 3 (set loo = "pot")'],
    ),
    "nobody announces": (
        'study = "announce"\n[rules]\npreset = "enquire"',
        [],
        [
            "FILE: pot: force_on_single makes everyone stand at the single pot, so nobody "
            'announces (a pot above 3 stakes, or study = "deals")'
        ],
    ),
    "everything at once": (
        'study = "dealt"\nsed = 1\ndeals = 0\nplayers = 3\n[rules]\nloo = 0',
        [],
        [
            "FILE:1: study: 'dealt' is no study of this version (did you mean 'deals'?)",
            "FILE:2: sed: no such key (did you mean 'seed'?)",
            "FILE:3: deals: 0 is not a whole number from 1 to 4,000,000,000",
            'FILE:6: rules.loo: 0 is not a whole number of stakes from 1 to 1,000,000 or "pot"',
        ],
    ),
    "no TOML": (
        'study = "deals"\nseed 1',
        [],
        [
            "FILE:2: not valid TOML: Expected '=' after a key in a key/value pair at column 6 "
            "(a line is key = value, or a [table] heading)"
        ],
    ),
    "an axis that cannot be": (
        'study = "deals"\n[sweep]\nseed = [1, 2]',
        [],
        ["FILE:3: sweep.seed: seed is the same in all cells and cannot be an axis"],
    ),
    "an unknown axis": (
        'study = "deals"\n[sweep]\nplayer = [5, 6]',
        [],
        ["FILE:3: sweep.player: no such axis (did you mean 'players'?)"],
    ),
    "an unlikely axis": (
        'study = "deals"\n[sweep]\nxyz = [5, 6]',
        [],
        [f"FILE:3: sweep.xyz: no such axis ({AXES})"],
    ),
    "an axis without a list": (
        'study = "deals"\n[sweep]\nplayers = 5',
        [],
        ["FILE:3: sweep.players: 5 is not a list of values (write them between [ and ])"],
    ),
    "an axis without values": (
        'study = "deals"\n[sweep]\nplayers = []',
        [],
        ["FILE:3: sweep.players: has no values"],
    ),
    "a value twice": (
        'study = "deals"\n[sweep]\n"rules.loo" = [3, 6, 3]',
        [],
        ["FILE:3: sweep.rules.loo: has the value 3 twice"],
    ),
    "a wrong value in a sweep names its first cell": (
        'study = "deals"\n[sweep]\npot = [3, 6]\nplayers = [5, 20]',
        [],
        [
            "FILE:4: sweep.players: 20 players cannot play: these rules (min_players = 5, "
            "deck = 52) take 5 to 16 (in the cell pot = 3, players = 20, and in 1 more)"
        ],
    ),
    "a wrong rule in a sweep": (
        'study = "deals"\n[sweep]\nrules.loo = [3, "pod"]',
        [],
        [
            "FILE:3: sweep.rules.loo: 'pod' is not a whole number of stakes from 1 to 1,000,000 "
            'or "pot" (in the cell rules.loo = pod)'
        ],
    ),
    "what is wrong in every cell names none": (
        'study = "deals"\nplayers = 17\n[sweep]\npot = [3, 6]',
        [],
        [
            "FILE:2: players: 17 players cannot play: these rules (min_players = 5, deck = 52) "
            "take 5 to 16"
        ],
    ),
    "axes that should move together": (
        'study = "deals"\n[sweep.zip]\nplayers = [5, 6]\npot = [3, 6, 9]',
        [],
        [
            "FILE:2: sweep.zip: its axes move together but differ in length: players has 2, "
            "pot has 3"
        ],
    ),
    "an axis in two places": (
        'study = "deals"\n[sweep]\npot = [3, 6]\n[sweep.zip]\npot = [3, 6]',
        [],
        ["FILE:5: sweep.zip.pot: is an axis of [sweep] too (leave one of them out)"],
    ),
    "a list beside axes": (
        'study = "deals"\n[sweep]\npot = [3, 6]\n[[sweep.list]]\nplayers = 5',
        [],
        ["FILE:4: sweep.list: stands beside other axes (the cells of a list stand alone)"],
    ),
    "a list with other axes": (
        'study = "deals"\n[[sweep.list]]\nplayers = 5\n[[sweep.list]]\npot = 3',
        [],
        ["FILE:4: sweep.list.2: has other axes than the first cell (each cell gives every axis)"],
    ),
    "a cell twice": (
        'study = "deals"\n[[sweep.list]]\nplayers = 5\n[[sweep.list]]\nplayers = 5',
        [],
        ["FILE:4: sweep.list.2: is the same cell as number 1"],
    ),
    "no number of players and a wrong policy": (
        'study = "deals"\nplayers = 10_000_000_000\npolicies = ["peel", "pel"]',
        [],
        [
            "FILE:2: players: 10000000000 players cannot play: these rules (min_players = 5, "
            "deck = 52) take 5 to 16",
            "FILE:3: policies: 'pel': there is no policy 'pel' (did you mean 'peel'?; a policy "
            "file's path ends in .toml)",
        ],
    ),
    "too many cells": (
        f'study = "deals"\n[sweep]\npot = {list(range(3, 204))}\nrules.loo = {list(range(1, 101))}',
        [],
        ["FILE:2: sweep: has 20,100 cells (at most 10,000)"],
    ),
    "an override that is wrong": (
        'study = "deals"',
        ["rules.loo=none"],
        [
            "-s rules.loo=none: rules.loo: 'none' is not a whole number of stakes from 1 to "
            '1,000,000 or "pot"'
        ],
    ),
    "an override that is none": (
        'study = "deals"',
        ["players"],
        ["-s players: is not key=value (as in -s players=8)"],
    ),
    "an override of an unknown key": (
        'study = "deals"',
        ["player=8"],
        ["-s player=8: player: no such key (did you mean 'players'?)"],
    ),
    "an override of an axis": (
        'study = "deals"\n[sweep]\nplayers = [5, 6]',
        ["players=8"],
        [
            "-s players=8: players: has no effect: it is an axis of the sweep "
            "(-s sweep.players=[8] sweeps this value alone)"
        ],
    ),
    "an override that smuggles in a second key": (
        'study = "deals"',
        ["seed=1\ndeals=5"],
        ["-s seed=1\ndeals=5: seed: '1\\ndeals=5' is not a whole number from 0 to 2**64 - 1"],
    ),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "x.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_told_whole(case, tmp_path):
    text, overrides, expected = WRONG[case]
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_experiment(path, overrides)
    told = [str(problem).replace(str(path), "FILE") for problem in caught.value.problems]
    assert told == expected


def test_a_wrong_policy_file_is_told_with_its_own_lines(tmp_path):
    (tmp_path / "mine.toml").write_text('name = "mine"\n[announce]\notherwise = "pass"\n')
    path = written(tmp_path, 'study = "deals"\nseed = -1\npolicies = "mine.toml"')
    with pytest.raises(InputError) as caught:
        load_experiment(path)
    places = {(Path(problem.source).name, problem.line) for problem in caught.value.problems}
    assert places == {("x.toml", 2), ("mine.toml", 3)}


def test_a_missing_policy_file_is_blamed_on_who_named_it(tmp_path):
    path = written(tmp_path, 'study = "deals"\npolicies = "mine.toml"')
    with pytest.raises(InputError) as caught:
        load_experiment(path)
    (problem,) = caught.value.problems
    assert (problem.source, problem.line, problem.key) == (str(path), 2, "policies")
    assert problem.what == "'mine.toml': there is no such file"


def test_what_is_left_out_has_its_usual_value(tmp_path):
    experiment = load_experiment(written(tmp_path, 'study = "deals"'))
    (cell,) = experiment.cells
    assert (experiment.name, experiment.seed, experiment.amount) == ("x", 1, Amount(1_000_000))
    assert (cell.players, cell.pot, cell.rules) == (6, 3 * UNITS_PER_STAKE, PRESETS["standard"])
    assert [policy.name for policy in cell.policies] == ["peel"] * 6
    assert cell.axes == {}


@pytest.mark.parametrize(
    ("text", "words", "amount"),
    [
        ('study = "deals"\nuntil = 0.5', [], Amount(10**9, 0.5)),
        ('study = "session"\nuntil = 1', [], Amount(10**6, 1)),
        ('study = "deals"\nuntil = 0.5\nmax_deals = 7\nmax_seconds = 9', [], Amount(7, 0.5, 9)),
        ('study = "deals"\ndeals = 5', ["until=0.25", "max_deals=8"], Amount(8, 0.25)),
        ('study = "deals"\nuntil = 0.5\nmax_deals = 7', ["deals=5"], Amount(5)),
        ('study = "session"\nuntil = 0.5\nmax_seconds = 7', ["tables=5"], Amount(5)),
    ],
)
def test_how_much_is_done_is_said_in_one_way_and_the_command_line_wins(
    text, words, amount, tmp_path
):
    assert load_experiment(written(tmp_path, text), words).amount == amount


def test_the_usual_pot_is_what_the_deal_puts_in(tmp_path):
    text = 'study = "deals"\nplayers = 7\n[rules]\ndealer_stake = 4\nante = 2'
    (cell,) = load_experiment(written(tmp_path, text)).cells
    assert cell.pot == (4 + 2 * 6) * UNITS_PER_STAKE


def test_a_pot_may_be_a_part_of_a_stake(tmp_path):
    text = 'study = "deals"\npot = 4.333333333333333'
    (cell,) = load_experiment(written(tmp_path, text)).cells
    assert cell.pot == 4 * UNITS_PER_STAKE + UNITS_PER_STAKE // 3


def test_policies_by_seat_and_from_files(tmp_path):
    (tmp_path / "mine.toml").write_text('name = "mine"\n[announce]\notherwise = "stand"\n')
    text = 'study = "deals"\nplayers = 5\npolicies = ["peel", "mine.toml", "tight", "peel", "peel"]'
    (cell,) = load_experiment(written(tmp_path, text)).cells
    assert [policy.name for policy in cell.policies] == ["peel", "mine", "tight", "peel", "peel"]


def test_axes_are_combined_each_with_each_and_the_last_moves_fastest(tmp_path):
    text = 'study = "deals"\n[sweep]\nplayers = [5, 6]\n"rules.loo" = [3, "pot"]'
    cells = load_experiment(written(tmp_path, text)).cells
    assert [(c.players, c.rules.loo) for c in cells] == [(5, 3), (5, "pot"), (6, 3), (6, "pot")]
    assert cells[1].name == "players = 5, rules.loo = pot"


def test_zipped_axes_move_together_and_combine_with_the_others_as_one(tmp_path):
    text = """study = "deals"
[sweep]
players = [5, 6]
[sweep.zip]
pot = [3, 6, 9]
rules.loo = [1, 2, 3]
"""
    cells = load_experiment(written(tmp_path, text)).cells
    found = [(c.players, c.pot // UNITS_PER_STAKE, c.rules.loo) for c in cells]
    assert found == [(p, 3 * i, i) for p in (5, 6) for i in (1, 2, 3)]


def test_a_list_gives_its_cells_one_by_one(tmp_path):
    text = """study = "deals"
[[sweep.list]]
players = 8
"rules.preset" = "peel"
[[sweep.list]]
"rules.preset" = "classic"
players = 3
"""
    cells = load_experiment(written(tmp_path, text)).cells
    assert [(c.players, c.rules) for c in cells] == [(8, PRESETS["peel"]), (3, PRESETS["classic"])]
    assert [list(c.axes) for c in cells] == [["players", "rules.preset"]] * 2


def test_policies_can_be_swept_by_name_and_by_table(tmp_path):
    by_seat = '["peel", "tight", "tight", "tight", "tight", "tight"]'
    text = f'study = "deals"\n[sweep]\npolicies = ["loose", {by_seat}]'
    cells = load_experiment(written(tmp_path, text)).cells
    assert [[p.name for p in c.policies] for c in cells] == [
        ["loose"] * 6,
        ["peel", *["tight"] * 5],
    ]


@pytest.mark.parametrize(
    "value", ["9" * 5000, "0x" + "f" * 5000, "[" * 3000], ids=["digits", "hexadecimal", "brackets"]
)
def test_values_that_toml_cannot_read_are_told_as_any_other(tmp_path, value):
    for key in ("seed", "players"):
        with pytest.raises(InputError) as caught:
            load_experiment(written(tmp_path, 'study = "deals"'), [f"{key}={value}"])
        (problem,) = caught.value.problems
        assert (problem.source, problem.key) == (f"-s {key}={value}", key)


MIXED = ", ".join(
    f'{{ when = "{when}", do = "stand", chance = {1 / place} }}'
    for place, when in enumerate(
        [f"over_best == {n}" for n in range(12)]
        + [f"high == {n}" for n in range(2, 15)]
        + [f"plain_suits == {n}" for n in (1, 2, 3)],
        start=2,
    )
)


def test_a_policy_that_mixes_in_too_many_ways_is_told_before_anything_is_run(tmp_path):
    policy = tmp_path / "mixed.toml"
    policy.write_text(f'name = "mixed"\n[announce]\nrules = [{MIXED}]\n')
    text = 'study = "deals"\npolicies = "mixed.toml"\n[sweep]\nplayers = [5, 6]'
    with pytest.raises(InputError) as caught:
        load_experiment(written(tmp_path, text))
    assert str(caught.value) == (
        f"{policy}: announce: all policies together make more than 252 different sets of chances "
        "(use fewer different chances, or round those of the table; in the cell players = 5, and "
        "in 1 more)"
    )


def test_overrides_replace_keys_rules_and_axes(tmp_path):
    text = 'study = "deals"\n[rules]\nloo = 3\n[sweep]\nplayers = [5, 6]\nrules.ante = [0, 1]'
    words = ["pot=20", "rules.loo=pot", "sweep.players=[7]", "sweep.rules.ante=[2]", "name=y"]
    experiment = load_experiment(written(tmp_path, text), words)
    (cell,) = experiment.cells
    assert experiment.name == "y"
    assert (cell.players, cell.pot // UNITS_PER_STAKE) == (7, 20)
    assert (cell.rules.loo, cell.rules.ante) == ("pot", 2)
    assert experiment.overrides == tuple(words)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda p: p.stem
)
def test_the_experiments_that_come_with_loosim_are_sound(path):
    read = load_claims if is_of_claims(path) else load_experiment
    assert read(path).name == path.stem


def test_a_policy_that_rounding_would_decide_is_told_before_a_session_is_run(tmp_path):
    policy = tmp_path / "tie.toml"
    policy.write_text(
        'name = "tie"\nabout = ""\n[announce]\n'
        'rules = [{ when = "3 * trick >= pot", do = "stand" }]\notherwise = "fold"\n'
    )
    path = written(tmp_path, 'study = "session"\npolicies = ["tie.toml"]')
    with pytest.raises(InputError) as caught:
        load_experiment(path)
    assert [str(problem) for problem in caught.value.problems] == [
        f"{policy}:4: announce.rules.1.when: in '(3 * trick) >= pot' both sides are so nearly "
        "equal that rounding decides (let the pot stand on one side only)"
    ]
    assert load_experiment(written(tmp_path, 'study = "deals"\npolicies = ["tie.toml"]')).cells
