"""How the commands tell what they have to tell: options that all have, tables, any terminal."""

from __future__ import annotations

import codecs
import functools
import inspect
import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from rich.table import Table

DONE, FAILED, WRONG_INPUT, CELLS_FAILED, CHECK_FAILED = range(5)
"""Exit codes; a signal gives 128 and its number."""

MOST_ROWS_SHOWN = 40

Command = TypeVar("Command", bound=Callable[..., Any])

_PLAIN = str.maketrans({"±": "+-", "−": "-", "–": "-", "…": "..."})


@dataclass(frozen=True)
class Output:
    """How a command tells what it has to tell.

    Attributes
    ----------
    json : bool
        Results as JSON.
    quiet : bool
        No progress and no hints on stderr.
    verbose : bool
        Everything that may help when something fails.
    no_color : bool
        No colours.
    """

    json: bool
    quiet: bool
    verbose: bool
    no_color: bool

    def hint(self, text: str) -> None:
        """Tell something beside the result, on stderr."""
        if not self.quiet:
            click.echo(text, err=True)

    def data(self, content: Any, indent: int | None = 2) -> None:
        """Print JSON on stdout, in characters that every terminal and pipe carries."""
        click.echo(json.dumps(content, indent=indent))

    def table(self, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table on stdout."""
        from rich import box
        from rich.table import Table

        table = Table(*titles, box=box.SIMPLE_HEAD)
        for row in rows:
            table.add_row(*row)
        self.show(table)

    def show(self, table: Table) -> None:
        """Print a table on stdout, whole where no terminal says how wide it may be."""
        from rich.console import Console

        for column in table.columns:
            column.overflow = "fold"  # a figure cut short would be another figure
        width = None if sys.stdout.isatty() else 200
        Console(no_color=self.no_color or None, width=width, markup=False).print(table)


def from_here(path: Path) -> Path:
    """A path as a user would type it: from the working directory, where it is below that."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def common_options(command: Command) -> Command:
    """Give a command the options that all have.

    The command is passed those that say how to tell things as its argument `out`; and `seed` and
    `jobs` if it names them, since every command takes these two and not all can use them.
    """
    from loo_sim.problems import InputError

    used = inspect.signature(command).parameters.keys() & {"seed", "jobs"}

    @functools.wraps(command)
    def called(as_json: bool, quiet: bool, verbose: bool, no_color: bool, **others: Any) -> Any:
        for word in {"seed", "jobs"} - used:
            del others[word]
        try:
            return command(out=Output(as_json, quiet, verbose, no_color), **others)
        except (click.ClickException, InputError, OSError):
            raise
        except Exception as error:
            if verbose:
                raise
            click.echo(f"loosim failed: {type(error).__name__}: {error}", err=True)
            click.echo("this is a mistake in loosim, not yours; --verbose tells where", err=True)
            return FAILED

    def helped(word: str, text: str) -> str:
        return text if word in used else "Taken by all commands; changes nothing here."

    options = (
        click.option("--no-color", is_flag=True, help="No colours (also: NO_COLOR)."),
        click.option("--verbose", is_flag=True, help="Tell more on stderr."),
        click.option("--quiet", is_flag=True, help="No progress and no hints on stderr."),
        click.option("--json", "as_json", is_flag=True, help="Results as JSON on stdout."),
        click.option(
            "--jobs",
            type=click.IntRange(1, 1024),
            help=helped("jobs", "Threads; by default one a usable core."),
        ),
        click.option(
            "--seed",
            type=click.IntRange(0, 2**64 - 1),
            help=helped("seed", "Seed of all random numbers."),
        ),
    )
    decorated: Any = called
    for option in options:
        decorated = option(decorated)
    return cast(Command, decorated)


def tell_error(error: OSError) -> None:
    """Say what the machine would not do."""
    where = f"{error.filename}: " if error.filename else ""
    click.echo(f"loosim failed: {where}{error.strerror or error}", err=True)


def engine_options(command: Command) -> Command:
    """Give a command the options that say what counts; it is passed a `Choice` as `engine`."""

    @functools.wraps(command)
    def called(engine: str, scheduler: str, **others: Any) -> Any:
        from loo_sim.problems import Problems
        from loo_sim.runner.engines import chosen

        problems = Problems("loosim")
        choice = chosen(engine, scheduler, problems)
        problems.raise_if_any()
        return command(engine=choice, **others)

    decorated = click.option(
        "--scheduler",
        default="",
        metavar="WHERE",
        help="Of --engine dask: tcp://HOST:8786, a scheduler file, or local:N, which starts one "
        "here with N workers; by default local with as many as --jobs.",
    )(called)
    return cast(
        Command,
        click.option(
            "--engine",
            default="threads",
            metavar="ENGINE",
            help="What counts: threads of this process (the default), inline (one, without any), "
            "or dask (workers of a scheduler; needs loosim[cluster]).",
        )(decorated),
    )


def write_on_any_terminal() -> None:
    """Let stdout and stderr carry any text, whatever the terminal's encoding lacks.

    What has a plain twin is written so (``±`` as ``+-``); bytes of a file's name that are no text
    pass as they came; the rest becomes a question mark.
    """
    codecs.register_error("loosim", _plainly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # ASCII is what is said where nothing is known (LANG=C); UTF-8 is what is likely.
            known = codecs.lookup(stream.encoding).name != "ascii"
            stream.reconfigure(encoding=stream.encoding if known else "utf-8", errors="loosim")


def _plainly(error: UnicodeError) -> tuple[bytes, int]:
    """Encode what a stream's encoding lacks."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end].translate(_PLAIN)
    encoded = (
        bytes([ord(sign) - 0xDC00])
        if "\udc80" <= sign <= "\udcff"
        else sign.encode("ascii", "replace")
        for sign in text
    )
    return b"".join(encoded), error.end
