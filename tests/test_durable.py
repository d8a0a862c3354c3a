"""Large JSON texts, written and digested in pieces, are those that json.dumps makes."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from loo_sim.runner.durable import digest_of, json_pieces

leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_pieces_make_the_text_of_json(content):
    for indent in (1, 2):
        text = b"".join(json_pieces(content, indent)).decode()
        assert text == json.dumps(content, indent=indent)
    assert b"".join(json_pieces(content)).decode() == json.dumps(content, sort_keys=True)


@given(st.dictionaries(st.text(), st.lists(values, max_size=3), max_size=3))
def test_digests_are_of_the_whole_text(content):
    text = json.dumps(content, sort_keys=True)
    assert digest_of(content) == hashlib.sha256(text.encode()).hexdigest()


def test_no_piece_is_as_large_as_the_whole():
    content = {"cells": [{"number": number} for number in range(1_000)], "name": "x"}
    pieces = list(json_pieces(content, 2))
    assert max(map(len, pieces)) < 100
