"""Writes docs/claims.md: what the old books say, what became of it, and how much skill there is.

Usage: python docs/old_books.py [DIRECTORY]

DIRECTORY (results/old_books) is what loosim run experiments/old_books.toml wrote.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from loo_sim.claims.running import read_tried
from loo_sim.claims.told import cases_in_words
from loo_sim.report.books import RULE, skill_tables
from loo_sim.report.exhibit import Table

PAGE = Path(__file__).parent / "claims.md"

HEAD = """\
# What the old books say

<!-- Written by docs/old_books.py (make old-books): change that, not this. -->

Printed advice on three-card Loo, paraphrased, and put to the test. Each claim is judged by the rule
below, out of figures with intervals, under the rules `standard` and `peel` (Peel wrote for a loo of
twice the deal and for other rules of leading: what fails under `standard` alone does not refute
him), and against two tables of opponents: his own policy `peel` at every seat, and one near
equilibrium for the same rules ([`equilibrium`](equilibrium.md); `near-peel`, found alike). All
values are for one deal, against those opponents. Thresholds were set before anything was measured.

Peel: W. H. Peel, *Round Games with Cards*, 1891. EW: *Enquire Within Upon Everything*. Cassell:
*Cassell's Book of In-door Amusements*. Britannica: *Encyclopaedia Britannica*.

Every figure behind a verdict, with its interval, is in [the report](../reports/old_books.html).
`make old-books` makes it and this page, in half an hour on two cores, from
[experiments/old_books.toml](../experiments/old_books.toml), which holds the claims as they were
tested. [Claims of your own](files.md#claims) can be tested alike.

## Verdicts

| id | claim | source | put to the test as | verdict | cases |
|---|---|---|---|---|---|
"""

HOW = """
## How a verdict is made

{rule}

`loo_sim/claims/verdict.py` is that rule, tests/test_claims_verdict.py holds it to examples.

## By rules and opponents

| id | rules | opponents | verdict | cases |
|---|---|---|---|---|
"""

SKILL = """
## How much skill there is (C17)

What the better of two policies gets more, in one seat each at tables of their own where every
policy of the league has every seat in turn, and the standard deviation of that difference
(*spread*). The better one is ahead with a chance of 95 % after (1.645 spread / edge)² deals or
evenings, with one of 75 % after 0.168 times as many (for a few deals that is rough). This is normal
theory. Its 95 % was held against the results of single deals, added up exactly, and its chance
after one evening against the purses: both were right to a percentage point, if to be even counts
half (tests/test_claims_ahead.py). So much is added to both ends of the intervals for one evening.
Of evenings with loos of the whole pot it says nothing, since a few that got out of hand make up the
mean and the spread: of these no chance is given. In an evening everyone deals ten times and the pot
is carried over. An edge is over these rivals, and says nothing about stronger ones.
"""

ELSEWHERE = """
For comparison: of online poker it was found that skilled players do better than relatively
unskilled ones at least three quarters of the time after 1,471 hands (R. J. D. Potter van Loon,
M. J. van den Assem and D. van Dolder, *Beyond Chance? The Persistence of Performance in Online
Poker*, PLOS ONE 10(3), 2015). That compares groups of people, this compares policies: the figures
stand beside each other, no more.
"""


def main(directory: Path) -> None:
    """Write the page."""
    found, _ = read_tried(directory)
    page = HEAD
    page += _rows(
        (
            claim["id"],
            claim["says"],
            claim["source"],
            claim["reads"],
            f"**{claim['verdict']}**{claim['told'].removeprefix(claim['verdict'])}",
            cases_in_words(claim),
        )
        for claim in found["claims"]
    )
    page += HOW.format(rule=RULE)
    page += _rows(
        (claim["id"], one["rules"], one["opponents"], one["told"], cases_in_words(one))
        for claim in found["claims"]
        for one in claim["tables"]
    )
    page += SKILL
    for table in skill_tables(directory, found):
        page += _table(table)
    page += ELSEWHERE
    PAGE.write_text(page, encoding="utf-8", newline="\n")
    print(PAGE)


def _rows(rows: Iterable[tuple[str, ...]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _table(table: Table) -> str:
    head = f"\n{table.caption}:\n\n| {' | '.join(table.columns)} |\n"
    return head + f"|{'---|' * len(table.columns)}\n" + _rows(table.rows)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results/old_books"))
