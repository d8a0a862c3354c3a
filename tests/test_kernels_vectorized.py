"""The loops that a deal's time is spent in are vectorised: the compiler says so of each.

What a loop costs cannot be asserted, but a condition or an index written otherwise makes a loop of
single lanes out of one of registers without changing a result. LLVM's vectoriser remarks on every
loop that it takes; each function is compiled alone, in a process of its own, since its options hold
for the whole process.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

REGISTER_BITS = 128
"""The narrowest vector register of any machine that is asked for: SSE2, NEON."""

ROWS = {
    "b": "uint8",
    "i": "int8",
    "h": "uint16",
    "w": "uint32",
    "q": "uint64",
    "l": "int64",
    "d": "float64",
}
"""Rows by letter; a capital is a single value, `?` a truth value, `n` an int64."""

LOOPS = {
    "philox.block_words": ("QqQQwwww", 64),
    "dealing.turn_cards": ("wQb", 64),
    "dealing.draw_pair": ("wnii", 32),
    "dealing.start_hand": ("iiiiii", 8),
    "dealing.lift3": ("iiiiii", 8),
    "dealing.lift6": ("iiiiiiiii", 8),
    "dealing.double_index": ("iiih", 16),
    "dealing.halve": ("h", 16),
    "dealing.code_card": ("iI", 8),
    "dealing.pack_hand": ("iiiw", 32),
    "announcing.stand_where_forced": ("bb", 8),
    "announcing.say_nothing_alone": ("bb", 8),
    "announcing.name": ("bBb", 8),
    "announcing.put": ("bbBb", 8),
    "announcing.draw_mixture": ("wBBWWWb", 32),
    "announcing.step": ("bb", 8),
    "announcing.step_back": ("bb", 8),
    "batch.rank_cards": ("wwb", 64),
    "contests.find_hand": ("b?b", 8),
    "contests.unpack": ("wWb", 32),
    "contests.choose_lead": ("bbbbbbbB??b", 8),
    "contests.choose_follow": ("bbbbbbbBb", 8),
    "contests.choose_follow_or_draw": ("bbbbbbbbBb", 8),
    "contests.head": ("bbBbb", 8),
    "contests.take_lead": ("bbBb", 8),
    "contests.pick": ("bBbbb", 8),
    "contests.unturn": ("bbB", 8),
    "contests.prefer_second": ("b", 8),
    "contests.keep_other": ("bbb", 8),
    "counting.count_tricks": ("bbbbb", 8),
    "counting.fate": ("bbb", 8),
    "counting.add_to_pot": ("bbb", 8),
    "counting.play_none_where_gone": ("bb", 8),
    "counting.play_none_where_next_had": ("bbb", 8),
    "purses.put_in": ("nlll", 64),
    "purses.note_pot": ("bllldl", 64),
    "purses.pay": ("bll?lllll", 64),
    "purses.note_outcome": ("bww", 32),
    "purses.count_looed": ("bb", 8),
    "purses.note_looed": ("bbbllll", 64),
    "purses.note_clean": ("bbllll", 64),
    "sessions.raise_class": ("lnnnnw", 64),
    "sessions.force_on_single": ("lnb", 64),
    "sessions.come_to": ("bb", 8),
    "sums.add_moments": ("lll", 64),
}
"""Arguments of each hot loop, and the bits of its widest value."""

NOT_VECTORISED = {"counting.tally": ("bq", 64)}
"""A loop whose lanes may change the same place: what the absence of a remark looks like."""

SCRIPT = """
import importlib, json, sys
import llvmlite.binding as llvm

llvm.set_option("", "--pass-remarks=loop-vectorize")
from numba import types

rows, functions = json.loads(sys.argv[1])

def kind(letter):
    if letter in "?n":
        return {"?": types.boolean, "n": types.int64}[letter]
    of = getattr(types, rows[letter.lower()])
    return of if letter.isupper() else types.Array(of, 1, "C")

for name, arguments in functions.items():
    module, function = name.split(".")
    print("##", name, file=sys.stderr, flush=True)
    compiled = getattr(importlib.import_module(f"loo_sim.kernels.{module}"), function)
    compiled.compile(tuple(kind(letter) for letter in arguments))
"""


@cache
def widths(folder: Path) -> dict[str, list[int]]:
    """The widths, in lanes, of the loops that were vectorised in each function."""
    functions = {name: arguments for name, (arguments, _) in {**LOOPS, **NOT_VECTORISED}.items()}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([ROWS, functions])],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder)},  # what is kept is not compiled
        capture_output=True,
        check=True,
        text=True,
    )
    found: dict[str, list[int]] = {}
    for line in done.stderr.splitlines():
        if line.startswith("## "):
            current = found.setdefault(line.removeprefix("## "), [])
        for width in re.findall(r"vectorized loop \(vectorization width: (\d+)", line):
            current.append(int(width))
    return found


@pytest.fixture(scope="module")
def remarks(tmp_path_factory):
    return widths(tmp_path_factory.mktemp("kernels"))


@pytest.mark.parametrize("name", LOOPS)
def test_a_hot_loop_fills_a_register(remarks, name):
    bits = LOOPS[name][1]
    assert remarks[name]
    assert min(remarks[name]) * bits >= REGISTER_BITS


@pytest.mark.parametrize("name", NOT_VECTORISED)
def test_a_loop_that_is_not_vectorised_is_told_from_one_that_is(remarks, name):
    assert remarks[name] == []
