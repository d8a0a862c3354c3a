"""The rule that makes a verdict of a claim's cases: holds, fails, depends on, too close to call.

1. A *case* is one figure in one set of circumstances: its *factors* (rules, opponents, players,
   pot, seat, ...). The claim says that the figure is above, or below, a threshold. The intervals
   of all cases of a claim hold together with 95 % (Bonferroni), normal theory. A case is *for* the
   claim if its interval lies wholly on the claim's side of the threshold, *against* it if wholly on
   the other side, and *open* else.
2. If fewer than half of the cases are for or against, and those are all alike, but for exceptions
   (3), or if none is: **too close to call**.
3. If at most the share `exceptions` of the decided cases (those for or against) is against:
   **holds**. If at most that share is for: **fails**. The share is 0 unless the claim itself allows
   for exceptions ("almost always", "seldom").
4. Else it **depends on** the fewest factors, two at most, that sort the decided cases into groups
   in which all agree, but for strays: a case is one if most of its group are on the other side. At
   most a tenth (`STRAYS`) of the rarer kind, for or against, may be strays. If no two factors do,
   it depends on those two that leave the fewest strays, *and more*; where they leave equally many,
   on those whose groups are the purest (Gini's impurity, the sum of ``n 2 p (1 - p)``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

LEVEL = 0.95
"""With which the intervals of all cases of a claim hold together."""

STRAYS = 0.1
MOST_FACTORS = 2

HOLDS, FAILS, DEPENDS, OPEN = "holds", "fails", "depends on", "too close to call"
Side = Literal["for", "against", "open"]


class Case(NamedTuple):
    """A figure in one set of circumstances, held against a claim.

    Attributes
    ----------
    factors : mapping of str to object
        The circumstances, in the order in which they are told.
    side : {"for", "against", "open"}
    """

    factors: Mapping[str, Any]
    side: Side


class Group(NamedTuple):
    """The decided cases with certain values of the factors that a claim depends on.

    Attributes
    ----------
    values : tuple of object
    supporting, opposing : int
    """

    values: tuple[Any, ...]
    supporting: int
    opposing: int

    @property
    def strays(self) -> int:
        """Cases on the other side than most."""
        return min(self.supporting, self.opposing)

    @property
    def impurity(self) -> float:
        """Gini's, times the number of cases: ``n 2 p (1 - p)``."""
        return 2 * self.supporting * self.opposing / (self.supporting + self.opposing)

    @property
    def holds(self) -> bool:
        """Whether most are for the claim."""
        return self.supporting > self.opposing

    @property
    def fails(self) -> bool:
        """Whether most are against it."""
        return self.opposing > self.supporting


class Verdict(NamedTuple):
    """What is said of a claim.

    Attributes
    ----------
    word : str
        `HOLDS`, `FAILS`, `DEPENDS` or `OPEN`.
    on : tuple of str
        The factors that it depends on.
    and_more : bool
        Whether these leave too many strays.
    holds_with, fails_with : tuple of tuple
        Values of the factors `on` with which most decided cases are for, or against, the claim.
    cases : mapping of str to int
        How many cases are ``for``, ``against`` and ``open``.
    oddest : Group or None
        Where all groups are mostly alike, the one with the most exceptions.
    """

    word: str
    on: tuple[str, ...]
    and_more: bool
    holds_with: tuple[tuple[Any, ...], ...]
    fails_with: tuple[tuple[Any, ...], ...]
    cases: Mapping[str, int]
    oddest: Group | None = None


def side_of(low: float, high: float, threshold: float, above: bool) -> Side:
    """On which side of a claim a case is.

    Parameters
    ----------
    low, high : float
        The ends of its interval.
    threshold : float
        What the claim says that the figure is above, or below.
    above : bool
        Which of the two.
    """
    if low > threshold:
        return "for" if above else "against"
    if high < threshold:
        return "against" if above else "for"
    return "open"


def quantile_of(cases: int) -> float:
    """Standard errors on each side of the intervals of so many cases, which hold together.

    Bonferroni: the normal quantile of ``1 - 0.05 / (2 cases)``.
    """
    from scipy import stats

    return float(stats.norm.ppf(1 - (1 - LEVEL) / (2 * max(cases, 1))))


def judge(cases: Sequence[Case], exceptions: float = 0.0) -> Verdict:
    """Say what the cases of a claim come to, by the rule of this module.

    Parameters
    ----------
    cases : sequence of Case
        All with the same factors.
    exceptions : float
        Share of the decided cases that may be on the other side.
    """
    counted = Counter(case.side for case in cases)
    counts = {side: counted[side] for side in ("for", "against", "open")}
    decided = [case for case in cases if case.side != "open"]
    supporting, opposing = counts["for"], counts["against"]

    def plain(word: str) -> Verdict:
        return Verdict(word, (), False, (), (), counts)

    holds, fails = (rarer <= exceptions * len(decided) for rarer in (opposing, supporting))
    if not decided or (2 * len(decided) < len(cases) and (holds or fails)):
        return plain(OPEN)
    if holds:
        return plain(HOLDS)
    if fails:
        return plain(FAILS)
    most = STRAYS * min(supporting, opposing)
    on, groups = _separating(decided, most)
    holds_with = tuple(group.values for group in groups if group.holds)
    fails_with = tuple(group.values for group in groups if group.fails)
    oddest = None
    if not holds_with or not fails_with:
        oddest = max(groups, key=lambda group: group.strays / (group.supporting + group.opposing))
    and_more = sum(group.strays for group in groups) > most
    return Verdict(DEPENDS, on, and_more, holds_with, fails_with, counts, oddest)


def _separating(decided: Sequence[Case], most: float) -> tuple[tuple[str, ...], list[Group]]:
    """The fewest factors that leave at most so many strays, or the best there are; their groups."""
    factors = [
        name for name in decided[0].factors if len({case.factors[name] for case in decided}) > 1
    ]
    best: tuple[tuple[str, ...], list[Group]] = ((), _groups(decided, ()))
    least = _rank(best[1])
    for number in range(1, MOST_FACTORS + 1):
        for names in combinations(factors, number):
            groups = _groups(decided, names)
            if _rank(groups) < least:
                best, least = (names, groups), _rank(groups)
        if least[0] <= most:
            break
    return best


def _rank(groups: Sequence[Group]) -> tuple[int, float]:
    """By which factors are compared: the fewer strays, then the purer, the better."""
    impurity = sum(group.impurity for group in groups)
    return sum(group.strays for group in groups), round(impurity, 9)


def _groups(decided: Sequence[Case], names: Sequence[str]) -> list[Group]:
    """The cases by the values of some factors, in the order in which they first come up."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for case in decided:
        values = tuple(case.factors[name] for name in names)
        found.setdefault(values, [0, 0])[case.side == "against"] += 1
    return [Group(values, *counted) for values, counted in found.items()]
