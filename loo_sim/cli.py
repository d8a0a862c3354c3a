"""The commands; each imports the modules that it needs when it is called."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

import click

from loo_sim import __version__
from loo_sim.console import (
    CELLS_FAILED,
    CHECK_FAILED,
    DONE,
    FAILED,
    MOST_ROWS_SHOWN,
    WRONG_INPUT,
    Command,
    Output,
    common_options,
    engine_options,
    from_here,
    tell_error,
    write_on_any_terminal,
)
from loo_sim.strategy.advise_command import advise
from loo_sim.strategy.solve_command import solve
from loo_sim.tuning.command import tune

MOST_FAULTS_SHOWN = 20
MOST_CELLS_NAMED = 10

_SAME = {True: "same to the byte", False: "differs"}


class Commands(click.Group):
    """The commands, with one way to end when the user or the machine is in the way."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; the nearest is named where there is none."""
        from loo_sim.problems import nearest

        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(
                f"there is no command '{args[0]}' ({nearest(args[0], self.list_commands(ctx))})",
                ctx,
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and exit with its code."""
        from loo_sim.problems import InputError
        from loo_sim.runner.signals import exit_code

        try:
            code = super().invoke(ctx)
            sys.stdout.flush()
        except InputError as error:
            for problem in error.problems:
                click.echo(problem, err=True)
            code = WRONG_INPUT
        except KeyboardInterrupt as stop:
            click.echo("stopped", err=True)
            code = exit_code(stop)
        except BrokenPipeError:
            # The reader has what it wanted; what is still buffered goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = DONE
        except OSError as error:
            tell_error(error)
            click.echo("once that is mended, the same command does it all again", err=True)
            code = FAILED
        ctx.exit(code or DONE)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="loosim")
def cli() -> None:
    """Analyse three-card Loo: simulate deals, tell them, check them, report on them."""


def run_options(command: Command) -> Command:
    """Give a command the options of `run`, which `sweep` has too."""
    options: tuple[Callable[[Any], Any], ...] = (
        click.argument("experiment", type=click.Path(path_type=Path)),
        click.option("-o", "--output", type=click.Path(path_type=Path), help="Result directory."),
        click.option(
            "-s",
            "--set",
            "overrides",
            multiple=True,
            metavar="KEY=VALUE",
            help="Replace a key of the file: -s players=8 -s rules.loo=6.",
        ),
        click.option(
            "--fresh", is_flag=True, help="Start over, whatever is done or begun already."
        ),
        click.option(
            "--keep-going/--fail-fast",
            default=True,
            help="Where a cell fails, go on with the others (the default); or stop there, keeping "
            "what is done.",
        ),
        click.option(
            "--only-failed",
            is_flag=True,
            help="Run the cells that failed before, and no others.",
        ),
        click.option(
            "--dry-run", is_flag=True, help="Run nothing; say what it would take, and what is done."
        ),
        engine_options,
        common_options,
    )
    decorated: Any = command
    for option in reversed(options):
        decorated = option(decorated)
    return cast(Command, decorated)


@cli.command()
@run_options
def run(experiment: Path, seed: int | None, jobs: int | None, out: Output, **options: Any) -> int:
    """Run an experiment file and write its result directory.

    A file of claims (study = "claims") has several runs, its parts, and puts claims to the test by
    them.

    The same command goes on with a run that was broken off, and runs cells again that failed; what
    is done is not done again.
    """
    return _run(experiment, (), seed, jobs, out, **options)


@cli.command(short_help="Run an experiment file over a grid of settings.")
@click.option(
    "--axis",
    "axes",
    multiple=True,
    metavar="KEY=VALUES",
    help="An axis, in place of the file's or beside them: --axis players=5,6,8, --axis pot=3:12:3 "
    "(12 included), --axis rules.loo=3,pot, --axis policies.mine.params.bluff=0:1:0.1.",
)
@click.option(
    "--sobol",
    type=int,
    metavar="POINTS",
    help="Sobol indices over the ranges of axes: --sobol 64 --axis pot=3:12 --axis players=5:8; "
    "POINTS * (axes + 2) cells.",
)
@run_options
def sweep(
    experiment: Path,
    axes: tuple[str, ...],
    sobol: int | None,
    seed: int | None,
    jobs: int | None,
    out: Output,
    **options: Any,
) -> int:
    """Run an experiment file over a grid: every combination of the values of its axes.

    It does what run does with a file that has a table [sweep]. Cells share their deals, so that
    they are compared on the same cards. Any key of the file can be an axis but those that all cells
    share (seed, deals, ...), any rule, and any number of a policy: a parameter
    (policies.NAME.params.X), or one that stands in its file (policies.NAME.announce.rules.2.chance,
    policies.NAME.announce.rules.2.when.1 for the first number of a condition).

    With --sobol axes are ranges (a:b, or a:b:step), and what is told is how much of a figure's
    variance over them each accounts for.

    The same command goes on with a run that was broken off, and runs cells again that failed; what
    is done is not done again.
    """
    from loo_sim.problems import InputError

    word = f"sweep.sobol.points={sobol}"
    if sobol is not None:
        options["overrides"] += (word,)
    try:
        return _run(experiment, axes, seed, jobs, out, must_sweep=True, **options)
    except InputError as error:
        raise InputError(
            replace(problem, source=f"--sobol {sobol}", key="")
            if problem.source == f"-s {word}"
            else problem
            for problem in error.problems
        ) from None


def _run(
    experiment: Path,
    axes: tuple[str, ...],
    seed: int | None,
    jobs: int | None,
    out: Output,
    *,
    output: Path | None,
    overrides: tuple[str, ...],
    fresh: bool,
    keep_going: bool,
    only_failed: bool,
    dry_run: bool,
    engine: Any,
    must_sweep: bool = False,
) -> int:
    """Run an experiment, or say what it would take; the exit code."""
    from loo_sim.claims.file import is_of_claims
    from loo_sim.experiment import load_experiment

    if seed is not None:
        overrides = (*overrides, f"seed={seed}")
    if not must_sweep and is_of_claims(experiment):
        from loo_sim.claims.command import run_claims

        return run_claims(
            experiment,
            jobs,
            out,
            output=output,
            overrides=overrides,
            fresh=fresh,
            keep_going=keep_going,
            only_failed=only_failed,
            dry_run=dry_run,
            engine=engine,
        )
    checked = load_experiment(experiment, overrides, axes)
    if must_sweep and not checked.cells[0].axes:
        raise click.UsageError("there is no axis: give --axis KEY=VALUES, or [sweep] in the file")

    from loo_sim.runner.progress import make_progress
    from loo_sim.runner.run import run_experiment

    progress = make_progress(out.quiet, out.no_color)
    if dry_run:
        return _tell_forecast(checked, output, engine, jobs, progress, fresh, only_failed, out)
    try:
        ended = run_experiment(
            checked,
            output,
            jobs,
            progress,
            out.verbose,
            fresh=fresh,
            fail_fast=not keep_going,
            only_failed=only_failed,
            engine=engine,
        )
    except BrokenPipeError:
        raise
    except OSError as error:
        return _tell_failure(checked, output, engine, error)
    if out.json:
        out.data(ended.manifest)
    elif ended.headline:
        swept = any(cell for cell, _ in ended.headline)
        titles = ("cell", *ended.titles) if swept else ended.titles
        rows = [(cell, *row) if swept else row for cell, row in ended.headline]
        out.table(titles, rows[:MOST_ROWS_SHOWN])
        if len(rows) > MOST_ROWS_SHOWN:
            out.hint(f"and {len(rows) - MOST_ROWS_SHOWN} more rows")
    if not out.json and "sobol" in ended.manifest:
        _tell_indices(ended.manifest["sobol"])
    return _tell_end(ended, out)


def _tell_indices(sobol: Mapping[str, Any]) -> None:
    """Say what the Sobol indices of a run come to, or why it has none."""
    from loo_sim.sobol_words import no_indices, sentences

    if sobol["why"]:
        click.echo(no_indices(sobol))
    else:
        for sentence in sentences(sobol["indices"]):
            click.echo(sentence)


def _tell_forecast(
    experiment: Any,
    output: Path | None,
    engine: Any,
    jobs: int | None,
    progress: Any,
    fresh: bool,
    only_failed: bool,
    out: Output,
) -> int:
    """Say what a run would take and what of it is there; the exit code."""
    from loo_sim.runner.forecast import as_json, forecast, sentences
    from loo_sim.runner.run import place_of

    place = place_of(experiment, output)
    found = forecast(experiment, place, engine.threads(jobs), progress, fresh, only_failed)
    if out.json:
        out.data(as_json(found))
        return DONE
    for title, told in sentences(found):
        click.echo(f"{title:8}{told}")
    if engine.engine == "dask":
        out.hint("workers take as long as so many threads here, and each the memory of one")
    out.hint("nothing was run")
    return DONE


def _tell_failure(experiment: Any, output: Path | None, engine: Any, error: OSError) -> int:
    """Say what kept a run from going on, and how to resume it; the exit code."""
    from loo_sim.runner.manifest import command
    from loo_sim.runner.results import partial_of
    from loo_sim.runner.run import place_of

    tell_error(error)
    partial = partial_of(place_of(experiment, output))
    kept = f"what is done is kept in {from_here(partial)}; " if partial.exists() else ""
    again = command(experiment, output, engine)
    click.echo(f"{kept}once that is mended, go on with: {again}", err=True)
    return FAILED


def _tell_end(ended: Any, out: Output) -> int:
    """Say where a run's result is and what is missing from it; the exit code."""
    from loo_sim.runner.manifest import DONE as CELL_DONE
    from loo_sim.runner.manifest import FAILED as CELL_FAILED
    from loo_sim.runner.manifest import NOT_RUN
    from loo_sim.runner.run import cells_done, precision_in_words
    from loo_sim.runner.signals import exit_code
    from loo_sim.studies import find_study

    cells = ended.manifest["cells"]
    failed = [cell for cell in cells if cell["status"] == CELL_FAILED]
    for cell in failed:
        click.echo(f"{_where(cell)} failed: {cell['error']}", err=True)
    wide = [cell for cell in cells if cell["precision"] and not cell["precision"]["reached"]]
    for cell in wide:
        study = find_study(ended.manifest["study"])
        click.echo(f"{_where(cell)}: {precision_in_words(cell['precision'], study)}", err=True)
    if ended.stopped is not None:
        told = f"stopped: {cells_done(sum(c['status'] == CELL_DONE for c in cells), len(cells))}"
        if ended.partial is None:
            click.echo(f"{told}, nothing was kept", err=True)
        else:
            if ended.broken_off:
                told += f", {ended.broken_off} of the next"
            click.echo(f"{told}, kept in {from_here(ended.partial)}", err=True)
            click.echo(f"go on with: {ended.manifest['command']}", err=True)
        return exit_code(ended.stopped)
    left = [cell for cell in cells if cell["status"] == NOT_RUN]
    if left:
        done = cells_done(sum(cell["status"] == CELL_DONE for cell in cells), len(cells))
        click.echo(f"not run: {_listed(map(_where, left), len(left))}", err=True)
        click.echo(f"{done}, kept in {from_here(ended.partial)}", err=True)
        click.echo(f"go on with: {ended.manifest['command']}", err=True)
        return CELLS_FAILED
    if ended.directory is None:
        click.echo("no cell was finished, nothing was written", err=True)
        return CELLS_FAILED
    if failed:
        click.echo(f"the failed cells alone: {ended.manifest['command']}", err=True)
    place = from_here(ended.directory)
    again = shlex.join(["loosim", "report", str(place)])
    out.hint(f"the result is in {place}; {again} tells it")
    if failed:
        return CELLS_FAILED
    return CHECK_FAILED if wide else DONE


def _listed(words: Iterable[str], count: int) -> str:
    """The first words, and how many more there are."""
    told = ", ".join(islice(words, MOST_CELLS_NAMED))
    more = count - MOST_CELLS_NAMED
    return f"{told}, and {more:,} more" if more > 0 else told


def _where(cell: Mapping[str, Any]) -> str:
    """A cell of a manifest in words."""
    axes = ", ".join(f"{axis} = {value}" for axis, value in cell["axes"].items())
    return f"the cell {axes}" if axes else "the only cell"


@cli.command(short_help="Write the report of a result as one page of HTML.")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The page, FILE.html.")
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write each figure as PNG and SVG, and each table as CSV.",
)
@common_options
def report(directory: Path, output: Path | None, figures: Path | None, out: Output) -> int:
    """Write the report of a result directory, or of a solved strategy."""
    from loo_sim.report import write_report

    written = write_report(directory, output, figures)
    if out.json:
        content = {
            "path": str(written.path),
            "findings": written.findings,
            "figures": None if written.figures is None else str(written.figures),
        }
        out.data(content)
    else:
        for finding in written.findings:
            click.echo(finding)
        click.echo(written.path)
        if written.figures is not None:
            click.echo(written.figures)
    return DONE


@cli.command(short_help="Set two results, or two cells of one, side by side.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path), required=False)
@click.option(
    "--cells",
    type=click.IntRange(0),
    nargs=2,
    metavar="I J",
    help="Cell I of A beside cell J of B, or of A alone; from 0.",
)
@common_options
def compare(a: Path, b: Path | None, cells: tuple[int, int] | None, out: Output) -> int:
    """Set two results, or two cells of one, side by side: B - A, with honest intervals."""
    if b is None and cells is None:
        raise click.UsageError("two results, or one with --cells I J, are compared")

    from loo_sim.compare import compare as compare_results
    from loo_sim.side_by_side import TITLES, as_json, figure_rows, left_out_in_words, sentences

    found = compare_results(a, a if b is None else b, cells)
    if out.json:
        out.data(as_json(found), indent=None)
        return DONE
    if found.differences:
        out.table(("setting", f"A: {found.a}", f"B: {found.b}"), found.differences)
    else:
        click.echo("the two experiments: same")
    rows, left = figure_rows(found)
    if rows:
        titles = ("cell", *TITLES) if len(found.pairs) > 1 else TITLES
        out.table(titles, rows)
    if left:
        click.echo(f"and {left:,} figures that differ less clearly; --json or Python has them")
    for sentence in sentences(found):
        click.echo(sentence)
    left_out = left_out_in_words(found)
    if left_out:
        out.hint(left_out)
    return DONE


@cli.command(short_help="Print what repeats a result, or do it again.")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the experiment file and its policy files.",
)
@click.option("--run", "again", is_flag=True, help="Run it, in a temporary place, and compare.")
@common_options
def reproduce(
    directory: Path, output: Path | None, again: bool, jobs: int | None, out: Output
) -> int:
    """Print what repeats a result: an experiment file, with what is not here as it was there."""
    from loo_sim.reproduce import recipe_of, run_recipe, with_comments, write_recipe

    recipe = recipe_of(directory)
    if output is not None:
        write_recipe(recipe, output)
    same: dict[str, bool] = {}
    stopped = None
    if again:
        from loo_sim.runner.progress import make_progress

        progress = make_progress(out.quiet, out.no_color)
        ended, same = run_recipe(recipe, directory, jobs, progress)
        stopped = ended.stopped
    if out.json:
        content = {
            "command": recipe.manifest["command"],
            "experiment": recipe.toml,
            "policies": [vars(policy) for policy in recipe.policies],
            "differences": [{"key": key, "what": what} for key, what in recipe.differences],
            "written": None if output is None else str(output),
            "same": same if again else None,
        }
        out.data(content)
    elif again:
        if same:
            rows = [(name, _SAME[is_same]) for name, is_same in same.items()]
            out.table(("table", "of the new run"), rows)
    elif output is not None:
        click.echo(output / recipe.place)
    else:
        click.echo(with_comments(recipe, directory), nl=False)
    if again or output is not None:
        for policy in recipe.policies:
            out.hint(f"{policy.source} is {policy.state}; its policy is kept in the result")
        for key, what in recipe.differences:
            out.hint(f"not here as it was there: {key}: {what}")
    if stopped is not None:
        from loo_sim.runner.signals import exit_code

        click.echo("stopped: the new run is thrown away", err=True)
        return exit_code(stopped)
    return DONE if all(same.values()) else CHECK_FAILED


@cli.command(short_help="Check a result: its files, and pieces counted again.")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--chunks", type=click.IntRange(1), help="Chunks to recompute, 8 by default.")
@click.option("--all", "whole", is_flag=True, help="Recompute all of them.")
@common_options
def verify(
    directory: Path,
    chunks: int | None,
    whole: bool,
    seed: int | None,
    jobs: int | None,
    out: Output,
) -> int:
    """Check a result: its files as they were written, chunks of it chosen at random recomputed.

    Exit code 4 if anything is not as it was; --seed chooses the chunks.
    """
    if whole and chunks is not None:
        raise click.UsageError("--all and --chunks N exclude each other")

    from loo_sim.runner.progress import make_progress
    from loo_sim.verification import ALL, CHUNKS, as_json, sentence
    from loo_sim.verification import verify as verify_result

    progress = make_progress(out.quiet, out.no_color)
    wanted = ALL if whole else chunks or CHUNKS
    found = verify_result(directory, wanted, seed, jobs, progress)
    if out.json:
        out.data(as_json(found))
        return DONE if found.same else CHECK_FAILED
    for problem in found.altered:
        click.echo(problem)
    for kept in found.differing[:MOST_FAULTS_SHOWN]:
        click.echo(f"{kept.told(found.unit)}: differs")
    if len(found.differing) > MOST_FAULTS_SHOWN:
        click.echo(f"and {len(found.differing) - MOST_FAULTS_SHOWN} more that differ")
    click.echo(sentence(found))
    for key, what in found.differences:
        out.hint(f"not here as it was there: {key}: {what}")
    if found.recomputed < found.chunks:
        out.hint(f"chosen at random; --seed {found.seed} chooses the same chunks")
    return DONE if found.same else CHECK_FAILED


@cli.command(short_help="Tell deals in words: any deal of any seed, or of a run.")
@click.option(
    "--index", type=click.IntRange(0, 2**64 - 1), default=0, help="Number of the first deal."
)
@click.option("--count", type=click.IntRange(1), default=1, help="Deals to tell.")
@click.option("--players", type=int, help="Seats, 6 by default.")
@click.option("--pot", type=float, help="Stakes in the pot; by default what the deal puts in.")
@click.option("--rules", metavar="R", help="A preset and options: peel,loo=3.")
@click.option("--policy", multiple=True, metavar="NAME", help="A name or file; once, or a seat.")
@click.option(
    "--experiment",
    type=click.Path(path_type=Path),
    help="Take the game and the seed from an experiment file or a result directory.",
)
@click.option("--cell", type=click.IntRange(0), help="Which cell of it, from 0.")
@click.option(
    "--table", type=click.IntRange(0, 2**32 - 1), help="Which table of a session; --index within."
)
@click.option("--turn", type=click.IntRange(0), help="Which turn of a league, from 0.")
@common_options
def deal(
    seed: int | None,
    index: int,
    count: int,
    players: int | None,
    pot: float | None,
    rules: str | None,
    policy: tuple[str, ...],
    experiment: Path | None,
    cell: int | None,
    table: int | None,
    turn: int | None,
    out: Output,
) -> int:
    """Tell deals in words, or as deal records with --json: any deal of any run."""
    from loo_sim.draws import TABLE_DEALS
    from loo_sim.narrate import narrate, narrate_purses
    from loo_sim.records import to_line
    from loo_sim.runner.replay import at_table, cell_of_run, cell_of_words, in_turn, reasons, replay
    from loo_sim.settings import DEFAULTS

    given = {
        "--seed": seed,
        "--players": players,
        "--pot": pot,
        "--rules": rules,
        "--policy": policy or None,
    }
    in_league = False
    if experiment is not None:
        clash = [option for option, value in given.items() if value is not None]
        if clash:
            raise click.UsageError(f"{clash[0]} comes from the --experiment")
        study, seed, game = cell_of_run(experiment, cell or 0)
        if table is not None and not game.rounds:
            raise click.UsageError("--table is one of a session")
        in_league = study == "league"
        turns = len(game.policies) if in_league else 0
        if turn is not None and turn >= turns:
            what = f"0 to {turns - 1} here" if in_league else "one of a league"
            raise click.UsageError(f"--turn is {what}")
    else:
        for option, value in (("--cell", cell), ("--table", table), ("--turn", turn)):
            if value is not None:
                raise click.UsageError(f"{option} is one of an --experiment")
        seed = DEFAULTS["seed"] if seed is None else seed
        game = cell_of_words(players, pot, rules, policy)
    index += (table or 0) * TABLE_DEALS
    for number in range(index, min(index + count, 2**64)):
        played = in_turn(game, seed, number, turn or 0) if in_league else game
        of_table = None
        if game.rounds:
            played, of_table = at_table(played, seed, number)
        record = replay(played, seed, number)
        if out.json:
            click.echo(to_line(record))
            continue
        why = reasons(played, record.deal)
        told = [narrate(record.deal, record.policies, number, seed, why)]
        if of_table is not None:
            where, place = divmod(number, TABLE_DEALS)
            by_seat = " ".join(map(str, of_table.seated))
            told.insert(0, f"Table {where}, deal {place}; by seat, people {by_seat}.")
            told.append(narrate_purses(of_table))
        click.echo("\n".join(told) + "\n")
    return DONE


@cli.command(short_help="Check deal records from any source against the rules.")
@click.argument("file", type=click.Path(path_type=Path))
@common_options
def check(file: Path, out: Output) -> int:
    """Check deal records from any source against the rules; - reads standard input."""
    from loo_sim.records import check_file

    if file == Path("-"):
        file = Path("/dev/stdin")
    result = check_file(file)
    if out.json:
        content = {"deals": result.deals, "faults": [fault._asdict() for fault in result.faults]}
        out.data(content, indent=None)
    else:
        for fault in result.faults[:MOST_FAULTS_SHOWN]:
            click.echo(f"{file}:{fault.line}: {fault.rule}: {fault.what}")
        if result.found > MOST_FAULTS_SHOWN:
            click.echo(f"and {result.found - MOST_FAULTS_SHOWN} more faults")
        deals = "1 deal" if result.deals == 1 else f"{result.deals:,} deals"
        faults = "1 fault" if result.found == 1 else f"{result.found:,} faults"
        click.echo(f"{deals}, {faults}")
    return CHECK_FAILED if result.found else DONE


@cli.command(short_help="List the built-in policies, or show one whole.")
@click.argument("name", required=False)
@common_options
def policies(name: str | None, out: Output) -> int:
    """List the built-in policies, or show one whole.

    A policy's parameters are the numbers that its file names in [params]; loosim sweep varies them:
    --axis policies.NAME.params.X=0:1:0.1, as it does any other number of the file:
    --axis policies.NAME.announce.rules.2.chance=0.2,0.4.
    """
    from loo_sim.policies.parse import builtin_names, load_policy
    from loo_sim.policies.policy import parameters_in_words

    if name is None:
        found = [load_policy(word) for word in builtin_names()]
        if out.json:
            listed = [
                {"name": policy.name, "about": policy.about, "params": dict(policy.params)}
                for policy in found
            ]
            out.data(listed)
        else:
            rows = [(p.name, p.about, parameters_in_words(p.params)) for p in found]
            out.table(("policy", "about", "parameters"), rows)
        return DONE
    policy = load_policy(name)
    text = Path(policy.source).read_text(encoding="utf-8")
    if out.json:
        content = {
            "name": policy.name,
            "about": policy.about,
            "params": dict(policy.params),
            "toml": text,
        }
        out.data(content)
    else:
        click.echo(text, nl=False)
    return DONE


@cli.command(short_help="List the presets of house rules, or show one.")
@click.argument("name", required=False)
@common_options
def rules(name: str | None, out: Output) -> int:
    """List the presets of house rules, or show all options of one (peel, or peel,loo=3)."""
    from loo_sim.problems import Problems
    from loo_sim.rules import PRESET_NOTES, parse_rules
    from loo_sim.runner.replay import rules_table

    if name is None:
        if out.json:
            out.data(dict(PRESET_NOTES))
        else:
            out.table(("preset", "about"), list(PRESET_NOTES.items()))
        return DONE
    problems = Problems("rules")
    found = parse_rules(rules_table(name, problems), problems, key="")
    problems.raise_if_any()
    assert found is not None
    options = found.to_dict()
    if out.json:
        out.data(options)
    else:
        shown = {option: "none" if value is None else value for option, value in options.items()}
        out.table(
            ("option", "value"),
            [(o, v if isinstance(v, str) else str(v).lower()) for o, v in shown.items()],
        )
    return DONE


@cli.command()
@click.option("--compile", "compiling", is_flag=True, help="Time compiling the kernels too.")
@common_options
def bench(compiling: bool, seed: int | None, out: Output) -> int:
    """Measure deals per second here, beside the scalar baselines."""
    from loo_sim.bench.run import run_bench
    from loo_sim.bench.tables import rows_table, targets_table

    result = run_bench(seed=1 if seed is None else seed, compiling=compiling, tell=out.hint)
    if out.json:
        out.data(result)
    else:
        out.show(rows_table(result))
        out.show(targets_table(result))
        for sentence in result["left_out"]:
            out.hint(sentence)
    return DONE


cli.add_command(advise)
cli.add_command(tune)
cli.add_command(solve)


def main() -> None:
    """Entry point: SIGTERM ends a command as Ctrl-C does."""
    from loo_sim.runner.signals import raise_terminated

    signal.signal(signal.SIGTERM, raise_terminated)
    write_on_any_terminal()
    cli(prog_name="loosim")
