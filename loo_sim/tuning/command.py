"""The command ``loosim tune``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from loo_sim.console import (
    CELLS_FAILED,
    DONE,
    FAILED,
    MOST_ROWS_SHOWN,
    Output,
    common_options,
    engine_options,
    from_here,
    tell_error,
)

if TYPE_CHECKING:
    from loo_sim.runner.engines import Choice


@click.command(short_help="Search a sweep for the cell with the largest figure.")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option(
    "--axis",
    "axes",
    multiple=True,
    metavar="KEY=VALUES",
    help="An axis, as sweep takes it: --axis policies.mine.params.reach=0:10:1.",
)
@click.option("--least", is_flag=True, help="Make the figure as small as possible.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Directory of the search.")
@click.option(
    "-s",
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY=VALUE",
    help="Replace a key of the file: -s deals=200000 -s pot=9.",
)
@click.option("--fresh", is_flag=True, help="Start over, whatever is done or begun already.")
@engine_options
@common_options
def tune(
    experiment: Path,
    axes: tuple[str, ...],
    least: bool,
    output: Path | None,
    overrides: tuple[str, ...],
    fresh: bool,
    engine: Choice,
    seed: int | None,
    jobs: int | None,
    out: Output,
) -> int:
    """Search the cells of a sweep for the one that makes the study's main figure largest.

    In a league that is what the policy whose numbers the axes vary gets more than its rivals. All
    candidates are measured on few deals, the better half of them on twice as many, and so on (up
    to the deals that the file says); those not told apart from the best are measured again on as
    many fresh deals, of the next seed. What is said of the winner comes from these.

    The same command goes on with a search that was broken off.
    """
    from loo_sim.experiment import load_experiment
    from loo_sim.runner.manifest import command
    from loo_sim.runner.progress import make_progress
    from loo_sim.runner.signals import exit_code
    from loo_sim.tuning.place import is_begun
    from loo_sim.tuning.search import AllFailedError, place_of_search, plan_search, run_search

    if seed is not None:
        overrides = (*overrides, f"seed={seed}")
    plan = plan_search(load_experiment(experiment, overrides, axes), least)
    progress = make_progress(out.quiet, out.no_color)
    place = place_of_search(plan.experiment, output)
    options = ["--least"] if least else []
    again = command(plan.experiment, output, engine, "tune", options)
    try:
        ended = run_search(plan, output, jobs, progress, out.verbose, fresh=fresh, engine=engine)
    except AllFailedError as error:
        click.echo(f"{error}; nothing was found", err=True)
        return CELLS_FAILED
    except KeyboardInterrupt as stop:
        if is_begun(place):
            click.echo(f"stopped; what is done is kept in {from_here(place)}", err=True)
            click.echo(f"go on with: {again}", err=True)
        else:
            click.echo("stopped; nothing was kept", err=True)
        return exit_code(stop)
    except BrokenPipeError:
        raise
    except OSError as error:
        tell_error(error)
        click.echo(f"once that is mended, go on with: {again}", err=True)
        return FAILED
    if out.json:
        out.data(ended.found)
    else:
        _tell(ended.directory, ended.found, out)
    for name, what in ended.failed.items():
        click.echo(f"the cell {name} failed: {what}", err=True)
    if ended.failed:
        click.echo(f"the failed cells again: {again}", err=True)
    return CELLS_FAILED if ended.failed else DONE


def _tell(directory: Path, content: Mapping[str, Any], out: Output) -> None:
    """Tell what was found: a short table, and sentences."""
    import pandas as pd

    from loo_sim.tuning.place import TABLE
    from loo_sim.tuning.told import TITLES, short_table

    table = pd.read_parquet(directory / TABLE)
    if len(table) > MOST_ROWS_SHOWN:
        shown = table[table["fresh_value"].notna()]
        out.table(TITLES, short_table(shown, content))
        click.echo(f"and {len(table) - len(shown):,} more candidates, in {directory / TABLE}")
    else:
        out.table(TITLES, short_table(table, content))
    for sentence in content["sentences"]:
        click.echo(sentence)
    place = from_here(directory)
    again = shlex.join(["loosim", "report", str(place)])
    out.hint(f"the search is in {place}; {again} tells it")
