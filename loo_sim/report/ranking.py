"""Says which of several seats or games has the highest and the lowest mean, if any surely has."""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from loo_sim.rounding import interval, listed
from loo_sim.studies.paired import Pieces, difference

MOST_NAMED = 3
"""Candidates named one by one."""

SAME = "the same, piece by piece of the work"
"""Said of figures that no luck tells apart, as the games do not differ in them at all."""


class Candidate(NamedTuple):
    """A seat or a game that is compared with others.

    Attributes
    ----------
    name : str
        With its preposition: ``for seat 3``, ``with 6 players``.
    value, error : float
        Its mean and standard error.
    n : int
        Deals, or tables, that the mean was taken over.
    told : str
        The mean with its interval in words; in stakes, if it is left out.
    pieces : Pieces or None
        The same figure by chunks of work, those of the others holding the same deals, if known.
    """

    name: str
    value: float
    error: float
    n: int
    told: str = ""
    pieces: Pieces | None = None


def widened(others: int) -> float:
    """Half-width in standard errors when one is compared with so many others (Bonferroni).

    Each comparison is made at ``5 % / others``, both sides together. The wrong one is then called
    highest in at most 2.5 % of the runs, and the wrong one lowest in as many.
    """
    return NormalDist().inv_cdf(1 - 0.025 / others)


def not_told_apart(candidates: list[Candidate], highest: bool) -> list[Candidate]:
    """The highest (or lowest) candidate, and all others that it does not surely surpass.

    Candidates that share their deals are told apart by their differences on them, chunk by chunk
    of the work. Where these are not known only each one's own error is: the sum of the two is the
    most that the error of a difference can be.

    Parameters
    ----------
    candidates : list of Candidate
        One at least.
    highest : bool
        False for the lowest.

    Returns
    -------
    list of Candidate
        The extreme one first; it alone if it surpasses all others.
    """
    ordered = sorted(candidates, key=lambda one: one.value, reverse=highest)
    first, others = ordered[0], ordered[1:]
    return [
        first,
        *(one for one in others if not _surpasses(first, one, len(others), 1 if highest else -1)),
    ]


def _surpasses(first: Candidate, other: Candidate, others: int, sign: int) -> bool:
    """Whether the first is surely above the other (below, if the sign is -1)."""
    paired = None
    if first.pieces is not None and other.pieces is not None:
        paired = difference(first.pieces, other.pieces)
    if paired is None:
        return abs(first.value - other.value) > widened(others) * (first.error + other.error)
    return sign * paired.mean > paired.half_width(0.025 / others)


def extremes(what: str, candidates: list[Candidate], kind: str) -> str:
    """A sentence on the candidates for which something is highest and lowest.

    Parameters
    ----------
    what : str
        Begins the sentence: ``The mean change of the pot``.
    candidates : list of Candidate
        One at least.
    kind : str
        What they are, in the plural.
    """
    high, low = (not_told_apart(candidates, highest) for highest in (True, False))
    if len(candidates) == 1:
        return f"{what} is known {_told(candidates[0])} alone."
    if _are_alike(candidates):
        return f"{what} is {SAME}, in all {len(candidates)} {kind} ({_mean(candidates[0])})."
    if len(high) == len(low) == len(candidates):
        return f"{what} is too close to call between the {len(candidates)} {kind}."
    return f"{what} is highest {_one_of(high, kind)} and lowest {_one_of(low, kind)}."


def _one_of(candidates: list[Candidate], kind: str) -> str:
    """Candidates that are not told apart, in words."""
    if len(candidates) == 1:
        return _told(candidates[0])
    alike = _are_alike(candidates)
    if len(candidates) > MOST_NAMED:
        if alike:
            return f"in {len(candidates)} {kind} ({SAME}: {_mean(candidates[0])})"
        return f"in one of {len(candidates)} {kind} (too close to call)"
    if alike:
        names = listed([one.name for one in candidates])
        return f"{names} ({SAME}: {_mean(candidates[0])})"
    return f"{listed([_told(one) for one in candidates], 'or')} (too close to call)"


def _are_alike(candidates: list[Candidate]) -> bool:
    """Whether all have one figure in every chunk of the work, not merely about the same."""
    pieces = [one.pieces for one in candidates if one.pieces and len(one.pieces.chunk)]
    return len(pieces) == len(candidates) and all(
        all(map(np.array_equal, pieces[0], others)) for others in pieces[1:]
    )


def _told(one: Candidate) -> str:
    return f"{one.name} ({_mean(one)})"


def _mean(one: Candidate) -> str:
    return one.told or interval(one.value, one.error, one.n, " stakes")
