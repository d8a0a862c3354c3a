"""docs/reference.md is what docs/reference.py writes now, and every name in it has a meaning."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def reference() -> Iterator[Any]:
    """The script, imported as it runs: its folder is where its imports are looked for."""
    sys.path.insert(0, str(DOCS))
    import reference

    yield reference
    sys.path.remove(str(DOCS))


def faults(found: Any, drift: type[Exception]) -> list[str]:
    with pytest.raises(drift) as caught:
        found.end()
    first, *told = str(caught.value).splitlines()
    assert first == "meanings.toml and the code do not agree:"
    return told


def test_the_page_is_what_the_code_generates_now(reference) -> None:
    words = reference.Meanings(reference.MEANINGS.read_text(encoding="utf-8"))
    written = reference.page(reference.make_samples(), words)
    assert reference.PAGE.read_text(encoding="utf-8") == written, (
        "docs/reference.md is not what the code generates now: run make reference"
    )


def anchors(page: Path) -> list[str]:
    """Where links may lead within a page."""
    headings = re.findall(r"^##* (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_its_contents_lead_to_its_headings() -> None:
    page = DOCS / "reference.md"
    found = anchors(page)[1:]
    assert len(set(found)) == len(found)
    contents = page.read_text(encoding="utf-8").partition("\n## ")[0]
    assert re.findall(r"\]\(#([^)]+)\)", contents) == found


def test_links_to_it_lead_to_its_headings() -> None:
    found = anchors(DOCS / "reference.md")
    for page in (DOCS.parent / "README.md", *DOCS.rglob("*.md")):
        links = re.findall(r"reference\.md#([^)]*)\)", page.read_text(encoding="utf-8"))
        assert set(links) <= set(found), page


def test_a_name_needs_a_meaning_and_a_meaning_a_name(reference) -> None:
    found = reference.Meanings('[axes]\npot = "stakes"\nspare = "x"\n')
    assert found.of("axes", ("pot", "rules"))["pot"] == "stakes"
    assert faults(found, reference.DriftError) == [
        "[axes] lacks the meaning of 'rules': add it",
        "[axes] has a meaning of 'spare', which is nowhere: remove it",
    ]


def test_a_column_needs_a_meaning_and_a_meaning_a_column(reference) -> None:
    text = '[tables.deals.pot]\n"" = "a row"\n"{a,b}" = ["stakes", "both"]\nspare = ["", "x"]\n'
    found = reference.Meanings(text)
    kinds = ("a", "a_se", "b", "b_q05", "b_q95", "c_se", "d")
    about, rows = found.columns("deals", "pot", dict.fromkeys(kinds, "double"))
    assert about == "a row"
    assert rows[0] == ("`a`, `a_se`, `b`, `b_q05` ... `b_q95`", "float64", "stakes", "both")
    found.no_more_tables()
    told = faults(found, reference.DriftError)
    # An error without its estimate is a column of its own.
    assert [line.partition(":")[0] for line in told] == [
        "[tables.deals.pot] lacks the meaning of 'c_se'",
        "[tables.deals.pot] lacks the meaning of 'd'",
        "[tables.deals.pot] has a meaning of 'spare', which is nowhere",
    ]


def test_a_table_that_nobody_makes_is_told(reference) -> None:
    found = reference.Meanings('[tables.deals.gone]\n"" = "a row"\n')
    found.no_more_tables()
    assert "[tables.deals] has a meaning of 'gone'" in faults(found, reference.DriftError)[0]


def test_every_place_of_json_needs_a_meaning(reference) -> None:
    text = (
        '[json.x]\n"" = "about"\n"a[].{b,c}" = "both"\nwhole = "not looked into"\n'
        'perhaps = "a number, or null"\nspare = "x"\n'
    )
    found = reference.Meanings(text)
    printed = [
        {"a": [{"b": 1, "c": 0.5}], "whole": {"z": [1]}, "perhaps": None},
        {"a": [], "whole": {}, "perhaps": 2.5, "new": {"deep": True}},
    ]
    about, rows = found.json("x", printed)
    assert about == "about"
    assert rows == [
        ("`a[].{b,c}`", "number", "both"),
        ("`whole`", "object", "not looked into"),
        ("`perhaps`", "number", "a number, or null"),
        ("`spare`", "", "x"),
    ]
    told = faults(found, reference.DriftError)
    assert [line.partition(":")[0] for line in told] == [
        "[json.\"x\"] lacks the meaning of 'new.deep'",
        "[json.\"x\"] has a meaning of 'spare', which no sample printed",
    ]


def test_a_study_and_a_command_without_a_sample_are_told(reference, monkeypatch) -> None:
    monkeypatch.setitem(reference.cli.commands, "brew", reference.cli.commands["run"])
    monkeypatch.setattr(reference, "STUDY_NAMES", (*reference.STUDY_NAMES, "tea"))
    samples = reference.Samples({}, {"run": []})
    for parts, what in ((reference._tables, "tea"), (reference._json, "brew")):
        with pytest.raises(reference.DriftError, match=rf"(?s)reference_samples.py.*{what}"):
            list(parts(samples, reference.Meanings("")))
