"""Successive halving on paired deals: who goes on from rung to rung, who is tied with the best.

In the first rung all candidates are measured on few deals, in each next one the better half on
twice as many (Karnin, Koren and Somekh 2013, *Almost optimal exploration in multi-armed bandits*;
Jamieson and Talwalkar 2016, *Non-stochastic best arm identification*). Those of a rung share their
deals, so that they are told apart by paired differences. Those that were never told apart from the
best of their last rung are measured again on fresh deals, which chose nobody.

The best of all candidates is lost with a chance of at most 5 % (Bonferroni): half of that is shared
out over the rungs, and in each over all the others, since those left there were chosen by deals
that are in it too; half over the comparisons on fresh deals, which are fixed before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from loo_sim.studies.paired import Difference, Pieces, difference

TAIL = 0.025
"""Chance that the best candidate is lost in the search; as much again, on fresh deals."""
MOST_AGAIN = 24
"""Candidates that are measured again."""

_UNKNOWN = Difference(nan, nan, 0, 0)


class Rung(NamedTuple):
    """So many candidates at most, each measured on so many deals (or tables)."""

    candidates: int
    amount: int


class Apart(NamedTuple):
    """A candidate's figure, and what it has more than another one's on the same deals.

    Attributes
    ----------
    value, value_se : float
        Its own.
    difference, difference_se : float
        What it has more.
    half : float
        Half-width of the interval of that, which holds together with those of the others.
    """

    value: float
    value_se: float
    difference: float
    difference_se: float
    half: float

    @property
    def low(self) -> float:
        """Lower end of the interval of the difference."""
        return self.difference - self.half

    @property
    def high(self) -> float:
        """Upper end of the interval of the difference."""
        return self.difference + self.half

    def side(self, sign: int) -> int:
        """1 if it surely is better than the other (larger; smaller if `sign` is -1), -1 if worse.

        0 if neither can be said.
        """
        return sign * ((self.low > 0) - (self.high < 0))


@dataclass(frozen=True)
class Search:
    """What the rungs came to.

    Attributes
    ----------
    winner : int
        The best of the last rung.
    rung : dict of int to int
        By candidate, the last rung that it was in, from 1.
    found : dict of int to Apart
        By candidate, its figure there, and what it has more than the best there; those that failed
        are left out.
    plateau : tuple of int
        The winner, and those that were not surely worse than the best of their last rung: those of
        later rungs first, and the better ones.
    """

    winner: int
    rung: dict[int, int]
    found: dict[int, Apart]
    plateau: tuple[int, ...]


Measure = Callable[[int, Sequence[int], int], Mapping[int, Pieces]]
"""Measures candidates in a rung (its number from 1, they, deals of each); without those that fail.
"""


def schedule(candidates: int, most: int, least: int) -> list[Rung]:
    """The rungs: candidates are halved and deals doubled, until one is left or `most` is reached.

    Rung r of R, from 0, has ``ceil(candidates / 2^r)`` candidates, each on
    ``floor(most / 2^(R - 1 - r))`` deals. R is what leaves one candidate after the last rung, or
    less if the first would have fewer than `least` deals.

    Parameters
    ----------
    candidates : int
        Two at least.
    most, least : int
        Deals (or tables) of the last rung, and the fewest of any.
    """
    halvings = min((candidates - 1).bit_length(), (most // least).bit_length()) - 1
    return [
        Rung(-(-candidates // 2**number), most // 2 ** (halvings - number))
        for number in range(halvings + 1)
    ]


def compare(pieces: Mapping[int, Pieces], reference: int, each: float) -> dict[int, Apart]:
    """Candidates measured on the same deals, less one of them.

    Parameters
    ----------
    pieces : mapping of int to Pieces
        By candidate, the figure by chunks of the work.
    reference : int
        The one.
    each : float
        What each interval leaves on each side.

    Returns
    -------
    dict of int to Apart
        In the order of `pieces`.
    """
    found = {}
    for candidate, own in pieces.items():
        value = value_of(own)
        apart = Difference(0.0, 0.0, value.chunks, value.deals)
        half = 0.0
        if candidate != reference:
            apart = difference(own, pieces[reference]) or _UNKNOWN
            half = apart.half_width(each)
        found[candidate] = Apart(value.mean, value.se, apart.mean, apart.se, half)
    return found


def value_of(pieces: Pieces) -> Difference:
    """The mean of a figure with its error, from the spread of the chunks: what it has above 0."""
    return difference(pieces, pieces._replace(mean=np.zeros_like(pieces.mean))) or _UNKNOWN


def _mean(pieces: Pieces) -> float:
    return float(np.average(pieces.mean, weights=pieces.weight))


def search(rungs: Sequence[Rung], measure: Measure, sign: int) -> Search | None:
    """Measure rung after rung, the better half going on.

    Parameters
    ----------
    rungs : sequence of Rung
        As `schedule` gives them.
    measure : callable
        Measures.
    sign : int
        1 if the largest figure is sought, -1 if the smallest.

    Returns
    -------
    Search or None
        None if in some rung no candidate could be measured.
    """
    candidates = rungs[0].candidates
    each = TAIL / len(rungs) / (candidates - 1)
    left: list[int] = list(range(candidates))
    rung_of: dict[int, int] = {}
    last: dict[int, Apart] = {}
    ranks: dict[int, tuple[int, int]] = {}
    ordered: list[int] = []
    for number, rung in enumerate(rungs, start=1):
        pieces = measure(number, left, rung.amount)
        if not pieces:
            return None
        failed = set(left) - pieces.keys()
        last = {one: apart for one, apart in last.items() if one not in failed}
        # Of equal ones the first that was tried counts as the better.
        ordered = sorted(pieces, key=lambda one: (-sign * _mean(pieces[one]), one))
        found = compare(pieces, ordered[0], each)
        for place, candidate in enumerate(ordered):
            rung_of[candidate], last[candidate] = number, found[candidate]
            ranks[candidate] = -number, place
        if number < len(rungs):
            left = sorted(ordered[: rungs[number].candidates])
    tied = (one for one, apart in last.items() if apart.side(sign) >= 0)
    return Search(ordered[0], rung_of, last, tuple(sorted(tied, key=lambda one: ranks[one])))


@dataclass(frozen=True)
class Again:
    """What the plateau came to on fresh deals.

    Attributes
    ----------
    found : dict of int to Apart
        By candidate, its figure, and what it has more than the winner. Their intervals hold
        together with 95 %. Empty if the winner could not be measured.
    plateau : tuple of int
        Those that are not surely worse than another: where some are ahead of the winner he is not
        among them.
    ahead : tuple of int
        Those that surely are better than the winner.
    """

    found: dict[int, Apart]
    plateau: tuple[int, ...]
    ahead: tuple[int, ...]


def judge(pieces: Mapping[int, Pieces], winner: int, sign: int) -> Again:
    """Hold what candidates came to on fresh deals against the winner of the search.

    The winner was chosen before, by other deals, so that his figure here is not the luckiest of
    many, and each interval is of a comparison that was fixed beforehand.

    Parameters
    ----------
    pieces : mapping of int to Pieces
        By candidate, without those that failed.
    winner : int
        The search's.
    sign : int
        As for `search`.
    """
    if winner not in pieces:
        return Again({}, (), ())
    found = compare(pieces, winner, TAIL / max(len(pieces) - 1, 1))
    sides = {candidate: apart.side(sign) for candidate, apart in found.items()}
    ahead = tuple(one for one, side in sides.items() if side > 0)
    tied = tuple(one for one, side in sides.items() if side >= 0 and not (ahead and one == winner))
    return Again(found, tied, ahead)
