"""From the tables of the parts to the cases of each claim, and its verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from loo_sim.claims.circumstances import axes_in_words
from loo_sim.claims.measured import Contrast, Interval, Measured
from loo_sim.claims.verdict import Case, Side, Verdict, judge, quantile_of, side_of

if TYPE_CHECKING:
    from loo_sim.claims.file import Claim, ClaimsFile, Test

WHAT = "what"
"""The factor that tells the tests of a claim apart."""


class Tested(NamedTuple):
    """A case with its figure.

    Attributes
    ----------
    test : Test
    factors : mapping of str to object
        `WHAT` first if the claim has several tests.
    figure : Measured
    interval : Interval
        All of the claim's hold together with 95 %.
    side : {"for", "against", "open"}
    """

    test: Test
    factors: Mapping[str, Any]
    figure: Measured
    interval: Interval
    side: Side


class Judged(NamedTuple):
    """A claim with its cases and its verdict.

    Attributes
    ----------
    claim : Claim
    cases : tuple of Tested
    verdict : Verdict
    by_table : mapping of (str, str) to Verdict
        The same rule applied to the cases of one set of rules and one table of opponents, where
        the claim's parts have both as axes.
    """

    claim: Claim
    cases: tuple[Tested, ...]
    verdict: Verdict
    by_table: Mapping[tuple[str, str], Verdict]


RULES, OPPONENTS = "rules.preset", "policies"


def judge_claims(claims: ClaimsFile, places: Mapping[str, Path]) -> list[Judged]:
    """Read what the parts came to, and judge every claim.

    Parameters
    ----------
    claims : ClaimsFile
        What is claimed, and which part measures it.
    places : mapping of str to Path
        The result directory of each part that has one.
    """
    figures: dict[int, list[tuple[dict[str, Any], Measured]]] = {}
    for name, place in places.items():
        tests = [
            (number, test) for number, test in enumerate(_all_tests(claims)) if test.part == name
        ]
        if tests:
            for number, found in _measure(place, claims.parts[name].study, tests):
                figures.setdefault(number, []).append(found)
    judged = []
    number = 0
    for claim in claims.claims:
        of_tests = []
        for test in claim.tests:
            of_tests.append((test, contrasted(figures.get(number, []), test.contrast)))
            number += 1
        judged.append(_judge(claim, of_tests))
    return judged


def _all_tests(claims: ClaimsFile) -> Iterator[Test]:
    return (test for claim in claims.claims for test in claim.tests)


def _measure(
    place: Path, study: str, tests: Sequence[tuple[int, Test]]
) -> Iterator[tuple[int, tuple[dict[str, Any], Measured]]]:
    """The figures of some tests in every game of a part."""
    from loo_sim.claims.figures import STUDIES, Game
    from loo_sim.report.result import read_result

    known = STUDIES[study]
    for cell in read_result(place).cells:
        if not cell.has(known.table):
            continue
        axes = axes_in_words(cell.axes, cell.policies)
        game = Game(cell)
        for number, test in tests:
            if not _is_chosen(axes, test.where):
                continue
            for found, figure in known.figures[test.figure].of(game, test.when, test.by):
                factors = {**axes, **found}
                if _is_chosen(factors, test.where):
                    yield number, (factors, figure)


def _is_chosen(factors: Mapping[str, Any], where: Mapping[str, tuple[Any, ...]]) -> bool:
    """Whether circumstances are among those that count, as far as they are known."""
    return all(
        str(factors[name]) in map(str, values) for name, values in where.items() if name in factors
    )


def contrasted(
    figures: Sequence[tuple[dict[str, Any], Measured]],
    contrast: Mapping[str, tuple[Any, Any]],
) -> list[tuple[dict[str, Any], Measured]]:
    """Differences along some circumstances: of each, the second value's figure less the first's.

    Along two it is a difference of differences; but where these go together, so that there are only
    games with both first values and with both second ones, the difference of these two. Where one
    of the figures is missing there is none.

    Parameters
    ----------
    figures : sequence of (dict, Measured)
        With their circumstances.
    contrast : mapping of str to (object, object)
        The first value and the second, by circumstance.
    """
    if not contrast:
        return list(figures)
    corners = list(product((0, 1), repeat=len(contrast)))
    groups: dict[str, tuple[dict[str, Any], dict[tuple[int, ...], Measured]]] = {}
    for factors, figure in figures:
        ends = tuple(
            [str(value) for value in values].index(str(factors[name]))
            for name, values in contrast.items()
            if str(factors[name]) in map(str, values)
        )
        if len(ends) == len(contrast):
            rest = {name: value for name, value in factors.items() if name not in contrast}
            groups.setdefault(repr(rest), (rest, {}))[1][ends] = figure
    found: list[tuple[dict[str, Any], Measured]] = []
    for rest, there in groups.values():
        if set(there) == {corners[0], corners[-1]}:
            found.append((rest, Contrast([(-1, there[corners[0]]), (1, there[corners[-1]])])))
        elif len(there) == len(corners):
            signs = [prod(1 if end else -1 for end in at) for at in corners]
            terms = zip(signs, (there[at] for at in corners), strict=True)
            found.append((rest, Contrast(list(terms))))
    return found


def _judge(
    claim: Claim, of_tests: Sequence[tuple[Test, Sequence[tuple[dict[str, Any], Measured]]]]
) -> Judged:
    """The verdict on a claim, out of the figures of its tests."""
    z = quantile_of(sum(len(figures) for _, figures in of_tests))
    names = list(dict.fromkeys(name for _, figures in of_tests for f, _ in figures for name in f))
    cases = []
    for test, figures in of_tests:
        for factors, figure in figures:
            interval = figure.interval(z)
            told = {WHAT: test.what} if len(of_tests) > 1 else {}
            # A test that does not tell cases apart by something has one value of it.
            told |= {name: factors.get(name, "") for name in names}
            side = side_of(*interval, test.threshold, test.above)
            cases.append(Tested(test, told, figure, interval, side))
    tables: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        if RULES in case.factors and OPPONENTS in case.factors:
            table = str(case.factors[RULES]), str(case.factors[OPPONENTS])
            tables.setdefault(table, []).append(Case(case.factors, case.side))
    return Judged(
        claim,
        tuple(cases),
        judge([Case(case.factors, case.side) for case in cases], claim.exceptions),
        {table: judge(of_table, claim.exceptions) for table, of_table in tables.items()},
    )
