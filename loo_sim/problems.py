"""Collects everything that is wrong with a user's input, to be told in one go."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Problem:
    """One thing wrong with an input.

    Attributes
    ----------
    source : str
        The file's name, or what stands in for it (``"--rules"``).
    line : int or None
        Line of the file, from 1; None where there is no line.
    key : str
        The dotted key the problem is about; empty if it is about the whole.
    what : str
        What is wrong, as a sentence without a full stop.
    hint : str
        What would be right; empty if nothing can be said.
    """

    source: str
    line: int | None
    key: str
    what: str
    hint: str = ""

    def __str__(self) -> str:
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        key = f"{self.key}: " if self.key else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{where}: {key}{self.what}{hint}"


class InputError(ValueError):
    """A user's input is wrong; carries every problem found in it.

    Attributes
    ----------
    problems : tuple of Problem
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass
class Problems:
    """A growing list of problems about one source.

    Attributes
    ----------
    source : str
        The file's name, or what stands in for it.
    found : list of Problem
        In the order in which they were noted.
    """

    source: str
    found: list[Problem] = field(default_factory=list)

    def add(self, key: str, what: str, hint: str = "", line: int | None = None) -> None:
        """Note one problem."""
        self.found.append(Problem(self.source, line, key, what, hint))

    def __bool__(self) -> bool:
        return bool(self.found)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self.found)

    def raise_if_any(self) -> None:
        """Raise `InputError` with every problem noted, in order of line.

        Raises
        ------
        InputError
            If at least one problem was noted.
        """
        if self.found:
            raise InputError(sorted(self.found, key=lambda problem: problem.line or 0))


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint that names the known word most like `word`, or all of them if none is like it.

    Parameters
    ----------
    word : str
        What the user wrote.
    known : iterable of str
        What would have been understood.

    Returns
    -------
    str
        ``"did you mean 'pot'?"`` or ``"one of: a, b, c"``.
    """
    words = list(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else "one of: " + ", ".join(words)
