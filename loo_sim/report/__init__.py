"""The strategy report: one page that a card player can read, made of a result directory."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from loo_sim.claims.running import is_tried
from loo_sim.problems import InputError, Problem
from loo_sim.report.export import check_folder, export
from loo_sim.result import read_manifest
from loo_sim.solution import is_solution, read_solution
from loo_sim.tuning.place import FRESH, is_search, read_found

if TYPE_CHECKING:
    from loo_sim.report.page import Section
    from loo_sim.report.result import Result

    _Page = tuple[Result, list[tuple[str, str]], list[str], list[Section]]
    """What was read, the lines under the title, the findings, the parts."""


@dataclass(frozen=True)
class ReportResult:
    """A report that was written.

    Attributes
    ----------
    path : Path
        The page.
    findings : list of str
        The sentences that open it.
    figures : Path or None
        The folder of its figures and tables as files, if they were asked for.
    """

    path: Path
    findings: list[str]
    figures: Path | None


def write_report(
    directory: Path, output: Path | None = None, figures: Path | None = None
) -> ReportResult:
    """Write the report of a result directory.

    Parameters
    ----------
    directory : Path
        What ``loosim run`` or ``loosim sweep`` wrote; or ``loosim tune``: the page is then of its
        fresh deals, with a part about the search before the others; or a solved strategy, or claims
        that were put to the test.
    output : Path, optional
        The page to write; ``reports/<name of the directory>.html`` by default.
    figures : Path, optional
        A folder for each figure as PNG and SVG, and each table as CSV.

    Returns
    -------
    ReportResult

    Raises
    ------
    InputError
        If the directory holds no result that can be read, `output` is a file but no page, or
        `figures` is not empty and holds anything but such files as they were written.
    OSError
        If the page or the figures cannot be written.
    """
    searched, solved, tried = is_search(directory), is_solution(directory), is_tried(directory)
    place = directory / FRESH if searched else directory
    if searched:
        read_found(directory)
    if not solved and not tried:
        read_manifest(place)
    path = output or Path("reports") / f"{_file_name(directory.resolve().name)}.html"
    _check_page(path)
    if figures is not None:
        check_folder(figures, path)
    # The page loads matplotlib and pandas, which a wrong directory should not wait for.
    from loo_sim.report.page import made_tables, render

    with _seldom_collected():
        page_of = _solved if solved else _tried if tried else _played
        result, played, findings, parts = page_of(place)
        if searched:
            from loo_sim.report.tuned import search_section

            findings, part = search_section(directory)
            parts.insert(0, part)
        path.parent.mkdir(parents=True, exist_ok=True)
        page = render(result, played, findings, parts)
        path.write_text(page, encoding="utf-8", newline="\n")
        if figures is not None:
            export(parts, made_tables(result), figures)
    return ReportResult(path, findings, figures)


def _check_page(path: Path) -> None:
    """Refuse a file that is there and is no page, as one of the result itself.

    Raises
    ------
    InputError
    """
    start = b"<!DOCTYPE html>"
    if path.is_file():
        with path.open("rb") as file:
            is_page = file.read(len(start)) in (start, b"")
        if not is_page:
            hint = "nothing was overwritten; name another file"
            raise InputError([Problem(str(path), None, "", "is there, and is no page", hint)])


def _played(directory: Path) -> _Page:
    """What the page of a run is made of."""
    from loo_sim.report.findings import find
    from loo_sim.report.page import sections
    from loo_sim.report.provenance import what_was_played
    from loo_sim.report.result import read_result

    result = read_result(directory)
    return result, what_was_played(result), find(result), sections(result)


def _solved(directory: Path) -> _Page:
    """What the page of a solved strategy is made of."""
    from loo_sim.report import solved
    from loo_sim.report.announced import strategies

    solution = read_solution(directory)
    games = strategies(solution)
    return (
        solved.as_result(solution, games),
        solved.what_was_solved(solution),
        solved.findings(solution, games),
        solved.sections(solution, games),
    )


def _tried(directory: Path) -> _Page:
    """What the page of claims is made of."""
    from loo_sim.report.books import page_of

    return page_of(directory)


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """While Python looks for objects that hold each other less often.

    The parts of figures do, but far more come and go that do not: a tenth of a report's time would
    go into looking for them.
    """
    usual = gc.get_threshold()
    gc.set_threshold(50_000, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _file_name(name: str) -> str:
    """A name as a file's name: letters, digits, dots, dashes and underscores alone."""
    kept = "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in name)
    return kept.strip(".") or "report"
