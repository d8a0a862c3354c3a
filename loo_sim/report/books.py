"""The page of claims that were put to the test: each with its verdict, its figures, its terms."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, isnan, sqrt
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.claims.cases import OPPONENTS, RULES, WHAT
from loo_sim.claims.figures import STUDIES, is_nearly_normal, pairs_of
from loo_sim.claims.measured import Ahead, AheadAfterOne
from loo_sim.claims.running import SCHEMA, read_tried
from loo_sim.claims.told import (
    cases_in_words,
    not_measured,
    values_in_words,
    verdict_in_short,
)
from loo_sim.claims.verdict import DEPENDS, FAILS, HOLDS, OPEN, STRAYS
from loo_sim.report import style
from loo_sim.report.exhibit import Exhibit, Table, make_exhibit
from loo_sim.report.page import Section
from loo_sim.report.provenance import rules_in_words
from loo_sim.report.result import Cell, Result, read_result
from loo_sim.result import PARTS, read_manifest
from loo_sim.rounding import NONE, listed, percent_in_words, signed, with_ends, with_error
from loo_sim.studies.estimates import Z95

LOOKS = {
    "for": style.ActionStyle("H", "#004488", "#ffffff"),
    "against": style.ActionStyle("F", "#bb5566", "#ffffff"),
    "open": style.ActionStyle("?", "#e6e6e6", "#000000"),
}
"""How a case is shown: it holds, it fails, or it is too close to call."""

_DOWN = (RULES, OPPONENTS, "policy")
"""Factors that tell the rows of a map of cases apart, below what is asked; others its columns."""

_ROW, _FOOT, _SIGN = 0.22, 0.1, 0.062
_LEFT = 2.1
"""Inches: a row of a map, room below it, a sign in the name of a column; room for names of rows."""

_WIDEST = 0.3
MOST_COLUMNS, MOST_ROWS = 48, 40
"""Of a map whose names can be read, and that is no taller than a sheet; else there is a table."""

RULE = (
    "A case is one figure in one set of circumstances. The intervals of all cases of a claim hold "
    "together with 95 % (Bonferroni). A case is for the claim (H) if its interval lies wholly on "
    "the side of the threshold that the claim names, against it (F) if wholly on the other, else "
    "too close to call (?). A claim holds if no decided case is against it, and fails if none is "
    "for it; one that says “almost always” may allow for a share of exceptions. If fewer than "
    "half of the cases are decided, all alike but for these, it is too close to call. Else it "
    "depends on the fewest circumstances, two at most, that sort the decided cases: of the rarer "
    f"kind no more than {100 * STRAYS:.0f} % may be on the wrong side, or it is said that it "
    "depends on more."
)


def as_result(directory: Path, found: Mapping[str, Any]) -> Result:
    """What was found, as the frame of the page takes it: without games of its own."""
    manifest = {
        **found,
        "experiment": {},
        "status": "done",
        "digests": {name: part["digest"] for name, part in found["parts"].items()},
    }
    return Result(directory, manifest, ())


def what_was_tested(directory: Path, found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines that open the page: names and values.

    Rules and opponents are those that verdicts are told apart by, or else those of all games.
    """
    parts = found["parts"].values()
    games = sum(part["cells"] for part in parts)
    tables = {
        (table["rules"], table["opponents"]) for c in found["claims"] for table in c["tables"]
    } or {
        (rules_in_words(cell["rules"]), policy["name"])
        for name in found["parts"]
        for cell in read_manifest(directory / PARTS / name)["cells"]
        for policy in cell["policies"]
    }
    return [
        ("claims", str(len(found["claims"]))),
        ("measured by", f"{_many(len(parts), 'run')} of {_many(games, 'game')}"),
        ("rules", listed(sorted({rules for rules, _ in tables}), "and")),
        ("opponents", listed(sorted({opponents for _, opponents in tables}), "and")),
        ("intervals", "of 95 %, for all cases of a claim together"),
    ]


def _many(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def findings(found: Mapping[str, Any]) -> list[str]:
    """What is found, as sentences."""

    def named(word: str) -> list[str]:
        return [claim["id"] for claim in found["claims"] if claim["verdict"] == word]

    told = [
        f"{len(ids)} {one if len(ids) == 1 else several} ({', '.join(ids)})"
        for word, one, several in (
            (HOLDS, "holds", "hold"),
            (FAILS, "fails", "fail"),
            (DEPENDS, "depends on the circumstances", "depend on the circumstances"),
            (OPEN, "is too close to call", "are too close to call"),
        )
        if (ids := named(word))
    ]
    sentences = [f"Of {_many(len(found['claims']), 'claim')} {listed(told, 'and')}."]
    for word in (FAILS, HOLDS):
        says = [
            f"{claim['id']} “{claim['says'].rstrip('.')}”"
            for claim in found["claims"]
            if claim["verdict"] == word
        ]
        if says:
            how = "fails" if word == FAILS else "holds"
            sentences.append(f"What {how} in every case that was decided: {'; '.join(says)}.")
    return sentences


def skill_finding(directory: Path, found: Mapping[str, Any]) -> list[str]:
    """How often the better of two is ahead after one evening, as a sentence, if that was measured.

    Parameters
    ----------
    directory, found
        As `skill_tables` takes them.
    """
    chances = [
        (AheadAfterOne(diff, se, variance, n), f"{names['policy']} over {names['rival']}")
        for _, cell in _leagues(directory, found)
        if cell.rounds and is_nearly_normal(cell.rounds, cell.rules["loo"])
        for names, diff, se, variance, n in pairs_of(cell)
    ]
    if len(chances) < 2:
        return []
    chances.sort(key=lambda one: one[0].value)

    def told(chance: AheadAfterOne) -> str:
        ends = chance.interval(Z95)
        return f"{with_ends(*(100 * part for part in (chance.value, *ends)))} %"

    (least, who), (most, whom) = chances[0], chances[-1]
    return [
        f"After one evening the better of two players is ahead with a chance of {told(least)} "
        f"({who}) up to {told(most)} ({whom})."
    ]


def sections(directory: Path, found: Mapping[str, Any], table: pd.DataFrame) -> list[Section]:
    """The parts of the page between its findings and how it was made."""
    made = [_summary(found)]
    for claim in found["claims"]:
        made.append(_section_of(claim, table[table["claim"] == claim["id"]]))
    skill = _skill_section(directory, found)
    if skill.tables:
        made.append(skill)
    made.append(_parts_section(found))
    return made


def _summary(found: Mapping[str, Any]) -> Section:
    section = Section("verdicts", "The claims and their verdicts", lead=[RULE])
    section.exhibits = [_overview(found["claims"])]
    section.tables = [
        Table(
            "The claims and what became of them",
            ("claim", "says", "source", "verdict", "cases"),
            tuple(
                (
                    claim["id"],
                    claim["says"],
                    claim["source"],
                    claim["told"],
                    cases_in_words(claim),
                )
                for claim in found["claims"]
            ),
            words=True,
        )
    ]
    return section


def _overview(claims: Sequence[Mapping[str, Any]]) -> Exhibit:
    """Of each claim, how many of its cases are for it, against it, and open."""
    sides = tuple(LOOKS)

    def draw() -> Figure:
        figure = style.new_figure(0.7 + 0.22 * len(claims))
        axes = figure.subplots()
        for place, claim in enumerate(claims):
            total, left = max(sum(claim[side] for side in sides), 1), 0.0
            for side in sides:
                share = claim[side] / total
                look = LOOKS[side]
                axes.barh(place, share, left=left, color=look.colour, height=0.8)
                if share > 0.05:
                    axes.text(
                        left + share / 2,
                        place,
                        f"{look.letter} {claim[side]}",
                        color=look.ink,
                        ha="center",
                        va="center_baseline",
                        fontsize=7.5,
                    )
                left += share
        names = [f"{claim['id']} {claim['verdict'].removesuffix(' on')}" for claim in claims]
        axes.set_yticks(range(len(claims)), names)
        axes.set_ylim(len(claims) - 0.5, -0.5)
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
        axes.set_xlabel("of the claim’s cases: H holds, F fails, ? too close to call")
        return figure

    decided = sum(claim["for"] + claim["against"] for claim in claims)
    total = decided + sum(claim["open"] for claim in claims)
    share = percent_in_words(decided / total) if total else NONE
    return make_exhibit(
        "claims-overview",
        "How the cases of each claim came out",
        "A bar for each claim, cut into the shares of its cases that are for it, against it, and "
        "open.",
        f"Of {total:,} cases {share} are decided. How many cases are for a claim is no measure of "
        "how true it is: what cases there are was chosen by whoever put it to the test.",
        draw,
        Table(
            "Cases by claim",
            ("claim", "verdict", "for", "against", "open"),
            tuple(
                (claim["id"], claim["verdict"], *(f"{claim[side]:,}" for side in sides))
                for claim in claims
            ),
        ),
    )


def _section_of(claim: Mapping[str, Any], cases: pd.DataFrame) -> Section:
    """The part of one claim."""
    short = verdict_in_short(claim["verdict"], claim["on"])
    section = Section(f"claim-{_slug(claim['id'])}", f"{claim['id']}: {short}")
    section.lead = [f"“{claim['says']}” Source: {claim['source'].rstrip('.')}."]
    if claim["reads"]:
        section.lead.append(f"Put to the test as: {claim['reads']}")
    if claim["exceptions"]:
        share = percent_in_words(claim["exceptions"])
        section.lead.append(f"Of the decided cases up to {share} may be otherwise.")
    section.lead.append(f"Verdict: {claim['told']} ({cases_in_words(claim)}).")
    if nothing := not_measured(claim):
        section.notes = [f"{nothing[0].upper()}{nothing[1:]}."]
    if not len(cases):
        return section
    if len(claim["tables"]) > 1:
        section.tables = [
            Table(
                f"{claim['id']} by rules and opponents",
                ("rules", "opponents", "verdict", "cases"),
                tuple(
                    (one["rules"], one["opponents"], one["told"], cases_in_words(one))
                    for one in claim["tables"]
                ),
                words=True,
            )
        ]
    exhibit = _cases_exhibit(claim, cases)
    if exhibit is None:
        section.notes.append("There are too many cases for a map of them; the table has them all.")
        section.tables.append(_cases_table(claim, cases))
    else:
        section.exhibits = [exhibit]
    return section


def _slug(claim: str) -> str:
    """The id of a claim, which letters in two sizes do not tell apart, as part of a page's ids."""
    return claim.lower()


def _cases_exhibit(claim: Mapping[str, Any], cases: pd.DataFrame) -> Exhibit | None:
    """A map of the cases of a claim: a square each, with its side; None if they are too many."""
    factors = [json.loads(text) for text in cases["factors"]]
    telling = [name for name in factors[0] if len({str(case[name]) for case in factors}) > 1]
    asked = [WHAT] if WHAT in factors[0] else []
    down = [name for name in telling if name in _DOWN]
    along = [name for name in telling if name not in (*_DOWN, WHAT)]
    columns = _places(factors, along)
    rows: dict[Any, int] = {}
    heads: dict[int, str] = {}
    for group in _places(factors, asked):
        if group:
            heads[len(rows) + len(heads)] = str(group[0])
        of_group = {_key(case, down) for case in factors if _key(case, asked) == group}
        for key in _places(factors, down):
            if key in of_group:
                rows[group, key] = len(rows) + len(heads)
    high = len(rows) + len(heads)
    if len(columns) > MOST_COLUMNS or high > MOST_ROWS:
        return None

    def label(names: Sequence[str], values: tuple[Any, ...]) -> str:
        told = zip(names, values, strict=True)
        return ", ".join(values_in_words(name, [value]) for name, value in told if value != "")

    def draw() -> Figure:
        wide = min((style.WIDTH - _LEFT - 0.05) / len(columns), _WIDEST)
        tops = [style.shortened(label(along, values) or "all", 36) for values in columns]
        top = 0.15 + _SIGN * max(map(len, tops))
        figure = style.map_figure(top + _ROW * high + _FOOT)
        axes = style.map_axes(figure, (_LEFT, top, wide * len(columns), _ROW * high))
        squares = []
        for case, side in zip(factors, cases["side"], strict=True):
            look = LOOKS[side]
            where = rows[_key(case, asked), _key(case, down)], columns[_key(case, along)]
            squares.append(style.Square(*where, look.colour, look.ink, look.letter, noise=False))
        small = min(8.0, 72 * wide * 0.85)
        style.draw_squares(axes, squares, high, len(columns), max(small, style.LEGIBLE))
        names = [style.shortened(label(down, key), 40) for _, key in rows]
        axes.set_yticks(list(rows.values()), names, fontsize=7.5)
        for place, head in heads.items():
            at = (0.02 / style.WIDTH, 1 - (top + (place + 0.5) * _ROW) / figure.get_figheight())
            figure.text(*at, style.shortened(head, 90), fontsize=8, weight="bold", va="center")
        axes.xaxis.tick_top()
        axes.set_xticks(
            range(len(columns)), tops, rotation=90, fontsize=min(7.0, max(small, style.LEGIBLE))
        )
        return figure

    return make_exhibit(
        f"cases-{_slug(claim['id'])}",
        f"{claim['id']}, case by case",
        "A square for each case, rows by what is asked, rules and opponents, columns by the other "
        "circumstances; coloured and lettered by whether the claim holds there.",
        f"{cases_in_words(claim).capitalize()}. H: the claim holds, F: it fails, ?: too close to "
        "call; no square: no such case, or it never came up.",
        draw,
        _cases_table(claim, cases),
    )


def _cases_table(claim: Mapping[str, Any], cases: pd.DataFrame) -> Table:
    """The cases of a claim with their figures, a row each."""
    n = len(cases)
    differences = {test["what"] for test in claim["tests"] if test["contrast"]}
    return Table(
        f"The {n:,} cases of {claim['id']}" if n > 1 else f"The case of {claim['id']}",
        ("case", "figure", "value with its interval", "claimed", "deals", "side"),
        tuple(_case_row(row, row["what"] in differences) for row in cases.to_dict("records")),
    )


def _places(factors: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[Any, int]:
    """The rows or columns of a map, with their places: numbers by size, others as they came."""
    first: dict[str, dict[Any, int]] = {
        name: {
            value: place
            for place, value in enumerate(dict.fromkeys(case[name] for case in factors))
        }
        for name in names
    }

    def rank(key: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            (0, value) if isinstance(value, int | float) else (1, first[name][value])
            for name, value in zip(names, key, strict=True)
        )

    keys = sorted({_key(case, names) for case in factors}, key=rank)
    return {key: place for place, key in enumerate(keys)}


def _key(case: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(case[name] for name in names)


_FIGURES = {name: kind for of in STUDIES.values() for name, kind in of.figures.items()}


def _case_row(row: Mapping[Any, Any], is_difference: bool) -> tuple[str, ...]:
    kind = _FIGURES[row["figure"]]
    scale = 100 if kind.unit == "share" else 1
    unit = f" {kind.unit}" if kind.unit == "stakes" else ""
    if kind.unit == "share":
        unit = " percentage points" if is_difference else " %"
    ends = [row[name] * scale for name in ("value", "low", "high")]
    told = signed(with_ends(*ends)) if all(map(isfinite, ends[:2])) else NONE
    threshold = row["threshold"] * scale
    above = "above" if row["is_above"] else "below"
    case = f"{row['what']}: {row['circumstances']}" if row["what"] else row["circumstances"]
    return (
        case,
        f"{kind.words}, difference" if is_difference else kind.words,
        f"{told}{unit}" if told != NONE else NONE,
        f"{above} {signed(f'{threshold:g}')}{unit}",
        f"{row['n']:,.0f}",
        LOOKS[row["side"]].letter,
    )


def skill_tables(directory: Path, found: Mapping[str, Any]) -> list[Table]:
    """How much skill there is: the pairs of policies of every league among the parts.

    Parameters
    ----------
    directory : Path
        Of the test of claims.
    found : mapping
        What its ``claims.json`` holds.
    """
    return [_pairs_table(name, cell) for name, cell in _leagues(directory, found)]


def _leagues(directory: Path, found: Mapping[str, Any]) -> Iterator[tuple[str, Cell]]:
    """The games of the parts that are leagues, each with its part's name."""
    for name, part in found["parts"].items():
        if part["study"] == "league":
            for cell in read_result(directory / PARTS / name).cells:
                if cell.has("league"):
                    yield name, cell


def _skill_section(directory: Path, found: Mapping[str, Any]) -> Section:
    section = Section("skill", "How much skill there is")
    section.tables = skill_tables(directory, found)
    section.lead = [
        "What the better of two policies gets more, of deals (or whole evenings) in one seat each "
        "at tables of their own; the spread is the standard deviation of that difference in one "
        "deal or evening. The better one is ahead with 95 % after (1.645 spread / edge)² of them "
        "(normal theory, right to a percentage point of the chance, if to be even counts half; of "
        "evenings with loos of the whole pot it says nothing, and none is told). Intervals are of "
        "95 % each; after an edge the standard error of its last digits stands in brackets. All "
        "are among the policies named: an edge is over these rivals, and says "
        "nothing about stronger ones."
    ]
    return section


def _pairs_table(part: str, cell: Cell) -> Table:
    one, several = ("evening", "evenings") if cell.rounds else ("deal", "deals")
    is_normal = is_nearly_normal(cell.rounds, cell.rules["loo"])
    of_evenings = bool(cell.rounds) and is_normal  # of one deal normal theory says nothing
    rows = []
    for names, diff, se, variance, n in pairs_of(cell):
        ahead, after = Ahead(diff, se, variance, n), AheadAfterOne(diff, se, variance, n)
        chance = after.interval(Z95)
        rows.append(
            (
                f"{names['policy']} over {names['rival']}",
                with_error(diff, se, n),
                NONE if isnan(variance) else f"{sqrt(variance):.3g}",
                with_error(diff / sqrt(variance), se / sqrt(variance), n),
                *[_count(ahead.value, *ahead.interval(Z95))] * is_normal,
                *(
                    [f"{with_ends(*(100 * part for part in (after.value, *chance)))} %"]
                    * of_evenings
                ),
            )
        )
    pot = "" if cell.rounds else f", pot {cell.pot:g}"
    return Table(
        f"{part}: {cell.players} players{pot}, loo {cell.rules['loo']}, {cell.deals:,} {cell.unit}",
        (
            "better over worse",
            f"edge, stakes a{'n' if cell.rounds else ''} {one}",
            "spread, stakes",
            "edge / spread",
            *[f"{several} until ahead with 95 %"] * is_normal,
            *(["ahead after one evening"] * of_evenings),
        ),
        tuple(rows),
    )


def _count(value: float, low: float, high: float) -> str:
    """A number of deals with its interval, to three digits."""

    def told(number: float) -> str:
        return f"{float(f'{number:.3g}'):,.0f}" if number >= 10 else f"{number:.2g}"

    if not isfinite(value) or not isfinite(low):
        return NONE
    if not isfinite(high):
        return f"more than {told(low)}"
    if told(low) == told(high):
        return told(value)
    return f"{told(value)} ({told(low)} to {told(high)})"


def _parts_section(found: Mapping[str, Any]) -> Section:
    section = Section("parts", "What the figures come from")
    section.lead = [
        "Each part is an ordinary result, kept with the claims, of which loosim report makes a "
        "page of its own. Values are in stakes and for one deal, against the opponents named; "
        "those of evenings, for an evening."
    ]
    section.tables = [
        Table(
            "The parts",
            ("part", "study", "games", "deals or tables"),
            tuple(
                (name, part["study"], f"{part['cells']:,}", f"{part['deals']:,}")
                for name, part in found["parts"].items()
            ),
        )
    ]
    section.notes = [
        f"{_many(part['failed'], 'game')} of {name} failed, so that there are no cases of "
        f"{'it' if part['failed'] == 1 else 'them'}."
        for name, part in found["parts"].items()
        if part["failed"]
    ]
    section.notes += [f"The claims are those of {found['command']} ({SCHEMA})."]
    return section


def page_of(
    directory: Path,
) -> tuple[Result, list[tuple[str, str]], list[str], list[Section]]:
    """What the page is made of: the result, the lines under its title, findings, parts.

    Raises
    ------
    InputError
        If the directory is not as it was written.
    """
    found, table = read_tried(directory)
    return (
        as_result(directory, found),
        what_was_tested(directory, found),
        [*findings(found), *skill_finding(directory, found)],
        sections(directory, found, table),
    )
