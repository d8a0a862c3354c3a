"""The command ``loosim solve``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from loo_sim.console import (
    CHECK_FAILED,
    DONE,
    FAILED,
    MOST_ROWS_SHOWN,
    Output,
    common_options,
    from_here,
    tell_error,
)


@click.command(short_help="Find a strategy of announcing near equilibrium.")
@click.option("--players", type=int, help="Seats, 6 by default.")
@click.option(
    "--pot",
    "pots",
    multiple=True,
    metavar="X,...",
    help="Stakes in the pot when play begins, one or several. By default what the deal puts in.",
)
@click.option("--rules", metavar="R", help="A preset and options: peel,loo=3.")
@click.option(
    "--policy", metavar="NAME", help="Whose way of playing the cards is held fixed: a name or file."
)
@click.option(
    "--carry",
    default="none",
    metavar="WHAT",
    help="What a value counts of a pot that is left: none (the default: this deal only), or equal "
    "(1/players of it for each, as in sessions).",
)
@click.option(
    "--until",
    type=float,
    help="Go on until leaving the strategy gains all seats together no more than this at most, and "
    "a quarter of it at least, in stakes a deal; 0.02 by default.",
)
@click.option(
    "--max-deals", type=click.IntRange(1), help="But learn from no more deals than this, a pot."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Directory of the strategy.",
)
@click.option("--fresh", is_flag=True, help="Start over, whatever is done or begun already.")
@common_options
def solve(
    players: int | None,
    pots: tuple[str, ...],
    rules: str | None,
    policy: str | None,
    carry: str,
    until: float | None,
    max_deals: int | None,
    output: Path,
    fresh: bool,
    seed: int | None,
    jobs: int | None,
    out: Output,
) -> int:
    """Find a strategy of announcing near equilibrium, and measure what leaving it gains.

    The strategy is a policy like any other: run, deal, advise and league take DIR/policy.toml, and
    report tells it. How the cards are played is held fixed. The same command goes on with what was
    broken off.
    """
    from loo_sim.runner.progress import make_progress
    from loo_sim.runner.results import partial_of
    from loo_sim.runner.signals import exit_code
    from loo_sim.settings import DEFAULTS
    from loo_sim.strategy.request import MAX_DEALS, PLAY, UNTIL, request_of_words
    from loo_sim.strategy.solving import command, solve_all

    request = request_of_words(
        players,
        pots,
        rules,
        PLAY if policy is None else policy,
        carry,
        DEFAULTS["seed"] if seed is None else seed,
        UNTIL if until is None else until,
        MAX_DEALS if max_deals is None else max_deals,
    )
    progress = make_progress(out.quiet, out.no_color)
    again = command(request, output)
    try:
        found = solve_all(request, output, jobs, progress, fresh)
    except KeyboardInterrupt as stop:
        kept = partial_of(output.resolve())
        click.echo(f"stopped; what was learned is kept in {from_here(kept)}", err=True)
        click.echo(f"go on with: {again}", err=True)
        return exit_code(stop)
    except BrokenPipeError:
        raise
    except OSError as error:
        tell_error(error)
        click.echo(f"once that is mended, go on with: {again}", err=True)
        return FAILED
    if out.json:
        out.data(found.manifest)
    else:
        if found.again:
            out.hint("it was solved before")
        _tell(found.manifest, found.directory, out)
    return DONE if found.manifest["reached"] else CHECK_FAILED


def _tell(manifest: Mapping[str, Any], directory: Path, out: Output) -> None:
    """A row a pot, of each its seats if they are not too many, and what it means."""
    import pandas as pd

    from loo_sim.rounding import interval
    from loo_sim.solution import GAIN

    gain, deals = pd.read_parquet(directory / f"{GAIN}.parquet"), manifest["gain_deals"]
    if len(gain) <= MOST_ROWS_SHOWN:
        seats = [
            (
                f"{row['pot']:g}",
                "dealer" if row["seat"] == row["players"] - 1 else str(row["seat"]),
                interval(row["value"], row["value_se"], deals),
                interval(row["gain_low"], row["gain_low_se"], deals),
                interval(row["gain_high"], row["gain_high_se"], deals),
            )
            for row in gain.to_dict("records")
        ]
        out.table(("pot", "seat", "value", "gain, lower bound", "gain, upper bound"), seats)
    rows = [
        (
            f"{game['pot']:g}",
            f"{game['deals']:,}",
            f"{game['gain_low']:.4f}",
            f"{game['gain_high']:.4f}",
            "yes" if game["reached"] else "no",
        )
        for game in manifest["games"]
    ]
    titles = ("pot", "deals learned from", "lower bounds", "upper bounds", "small enough")
    out.table(titles, rows)
    carried = {
        "none": "this deal only",
        "equal": "this deal, and an equal part for each of what is left in the pot",
    }[manifest["carry"]]
    lines = (
        "In stakes a deal, with 95 % intervals: what a seat gets where all keep to the strategy,",
        "and what it gains by leaving it, between two bounds; below, the bounds of all seats added",
        f"up. Measured on {deals:,} fresh deals. Values count {carried}.",
        f"Held fixed: the cards are played as {manifest['play']} plays them; seats look at their",
        "hand, how many are in and whether the miss is there.",
    )
    click.echo("\n".join(lines))
    if not manifest["reached"]:
        click.echo(
            f"It stopped short of the target of {manifest['until']:g} stakes: more --max-deals may "
            "reach it.",
            err=True,
        )
    place = from_here(directory)
    again = shlex.join(["loosim", "report", str(place)])
    out.hint(f"the strategy is in {place}; {again} tells it")
