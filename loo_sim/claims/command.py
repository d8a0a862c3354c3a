"""What ``loosim run`` does with a file of claims."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loo_sim.console import CELLS_FAILED, DONE, FAILED, Output, from_here, tell_error

if TYPE_CHECKING:
    from loo_sim.claims.file import ClaimsFile
    from loo_sim.claims.running import Tried
    from loo_sim.runner.engines import Choice

TITLES = ("claim", "says", "verdict", "cases")


def run_claims(
    path: Path,
    jobs: int | None,
    out: Output,
    *,
    output: Path | None,
    overrides: tuple[str, ...],
    fresh: bool,
    keep_going: bool,
    only_failed: bool,
    dry_run: bool,
    engine: Choice,
) -> int:
    """Put a file of claims to the test, or say what that would take; the exit code.

    Parameters
    ----------
    path : Path
        The file.
    jobs, out, output, overrides, fresh, keep_going, only_failed, dry_run, engine
        The options of ``loosim run``.
    """
    from loo_sim.claims.file import load_claims
    from loo_sim.claims.running import command_of, try_claims
    from loo_sim.runner.progress import make_progress

    claims = load_claims(path, overrides)
    if dry_run:
        return _tell_forecast(claims, jobs, out, output, fresh, only_failed, engine)
    again = command_of(claims, output, engine)
    try:
        tried = try_claims(
            claims,
            output,
            jobs,
            make_progress(out.quiet, out.no_color),
            out.verbose,
            fresh=fresh,
            fail_fast=not keep_going,
            only_failed=only_failed,
            engine=engine,
        )
    except BrokenPipeError:
        raise
    except OSError as error:
        tell_error(error)
        click.echo(f"once that is mended, go on with: {again}", err=True)
        return FAILED
    return _tell(tried, again, out)


def _tell(tried: Tried, again: str, out: Output) -> int:
    """Tell the verdicts, or what is in their way; the exit code."""
    from loo_sim.claims.told import cases_in_words, not_measured
    from loo_sim.runner.signals import exit_code

    if tried.stopped is not None:
        click.echo(f"stopped; what is done is kept in {from_here(tried.directory)}", err=True)
        click.echo(f"go on with: {again}", err=True)
        return exit_code(tried.stopped)
    for what in tried.failed:
        click.echo(f"failed: {what}", err=True)
    if tried.found is None:
        click.echo("a part has no finished cell, so no claim was judged", err=True)
        click.echo(f"go on with: {again}", err=True)
        return CELLS_FAILED
    for claim in tried.found["claims"]:
        if nothing := not_measured(claim):
            click.echo(f"{claim['id']}: {nothing}", err=True)
    if out.json:
        out.data(tried.found)
    else:
        rows = [
            (
                claim["id"],
                claim["says"],
                claim["told"],
                cases_in_words(claim),
            )
            for claim in tried.found["claims"]
        ]
        out.table(TITLES, rows)
        for claim in tried.found["claims"]:
            if not claim["for"] + claim["against"] + claim["open"]:
                what = "nothing that came up is as its tests ask"
                click.echo(f"{claim['id']}: {what}; look at when and where", err=True)
        report = shlex.join(["loosim", "report", str(from_here(tried.directory))])
        out.hint(f"all is in {from_here(tried.directory)}; {report} tells it, with every figure")
    if tried.failed:
        click.echo(f"the failed cells again: {again}", err=True)
        return CELLS_FAILED
    return DONE


def _tell_forecast(
    claims: ClaimsFile,
    jobs: int | None,
    out: Output,
    output: Path | None,
    fresh: bool,
    only_failed: bool,
    engine: Choice,
) -> int:
    """Say what each part would take, and what of it is there; the exit code."""
    from loo_sim.claims.running import place_of_claims
    from loo_sim.result import PARTS
    from loo_sim.runner.failures import NoFailuresError
    from loo_sim.runner.forecast import as_json, duration, forecast, sentences
    from loo_sim.runner.progress import make_progress

    place, progress = place_of_claims(claims, output), make_progress(out.quiet, out.no_color)
    found, threads = {}, engine.threads(jobs)
    nothing_failed: list[NoFailuresError] = []
    for name, part in claims.parts.items():
        try:
            where = place / PARTS / name
            found[name] = forecast(part, where, threads, progress, fresh, only_failed)
        except NoFailuresError as error:
            nothing_failed.append(error)
    if not found:
        raise nothing_failed[0]
    if out.json:
        out.data({name: as_json(of_part) for name, of_part in found.items()})
        return DONE
    for name, of_part in found.items():
        click.echo(f"part {name}")
        for title, told in sentences(of_part):
            click.echo(f"  {title:8}{told}")
    seconds = sum(of_part.seconds or 0.0 for of_part in found.values())
    if seconds:
        click.echo(f"in all about {duration(seconds)}")
    out.hint("nothing was run")
    return DONE
