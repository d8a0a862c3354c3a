"""The command ``loosim advise``."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from loo_sim.console import CHECK_FAILED, DONE, Output, common_options

if TYPE_CHECKING:
    from loo_sim.strategy.advise import Advice


@click.command(short_help="Say what each announcement is worth with a hand.")
@click.argument("hand", nargs=-1, required=True, metavar="HAND")
@click.option("--turn-up", required=True, metavar="CARD", help="The card turned up: 9h.")
@click.option("--players", type=int, help="Seats, 6 by default.")
@click.option(
    "--before",
    multiple=True,
    metavar="WORDS",
    help="What each seat before you announced, from the dealer's left: fold,stand,miss or fsm.",
)
@click.option("--pot", type=float, help="Stakes in the pot; by default what the deal puts in.")
@click.option("--rules", metavar="R", help="A preset and options: peel,loo=3.")
@click.option("--policy", multiple=True, metavar="NAME", help="A name or file; once, or a seat.")
@click.option("--lead", is_flag=True, help="Also what each first lead is worth, if you stand.")
@click.option(
    "--until",
    type=float,
    metavar="STAKES",
    help="Half-width of the 95 % intervals, 0.05 by default.",
)
@click.option(
    "--max-deals",
    type=int,
    metavar="N",
    help="Deals drawn at most, kept or not; 20,000,000 by default.",
)
@common_options
def advise(
    hand: tuple[str, ...],
    turn_up: str,
    players: int | None,
    before: tuple[str, ...],
    pot: float | None,
    rules: str | None,
    policy: tuple[str, ...],
    lead: bool,
    until: float | None,
    max_deals: int | None,
    seed: int | None,
    jobs: int | None,
    out: Output,
) -> int:
    """Say what each announcement is worth with a hand, and which to make.

    HAND is three cards: "Kh 7h 2c", Kh,7h,2c or kh7h2c. The others' hands are drawn given what
    they announced, under the policy that they are taken to follow.

    Exit code 4 if the values are not known as well as was asked for within the deals allowed.
    """
    from loo_sim.runner.progress import LineProgress, Progress
    from loo_sim.runner.signals import exit_code

    with _starting_fast():
        from loo_sim.strategy.advise import advice

        found = advice(
            "advise",
            " ".join(hand),
            turn_up,
            players,
            before=before,
            pot=pot,
            rules=rules,
            policies=policy,
            lead=lead,
            until=until,
            max_deals=max_deals,
            seed=seed,
            jobs=jobs,
            progress=Progress() if out.quiet else LineProgress(),
        )
    if found.deals or found.stop is None:
        if out.json:
            out.data(found.to_dict())
        elif found.deals:
            _tell(found, out)
    if found.stop is not None:
        what = f"after {found.deals:,} deals" if found.deals else "nothing was found"
        click.echo(f"stopped: {what}", err=True)
        return exit_code(found.stop)
    if not found.reached:
        click.echo(_not_reached(found), err=True)
        return CHECK_FAILED
    return DONE


@contextmanager
def _starting_fast() -> Iterator[None]:
    """Leave out what no part of the answer needs, a third of a second of the start.

    numba loads scipy to see whether it may multiply matrices, and takes it for absent where its
    import fails. The collector would look through all that is imported again and again, and at the
    end of the process, and find nothing: what is there by then stays.
    """
    collects = gc.isenabled()
    gc.disable()
    blocked = "scipy" not in sys.modules
    if blocked:
        sys.modules["scipy"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if blocked:
            del sys.modules["scipy"]
        gc.freeze()
        if collects:
            gc.enable()


def _tell(found: Advice, out: Output) -> None:
    """Tell the answer: the situation, the table, sentences, what was assumed."""
    from loo_sim.strategy.advise_told import (
        assumptions,
        rows,
        sentences,
        situation_in_words,
        titles,
    )

    click.echo(situation_in_words(found))
    out.table(titles(found, "if you"), rows(found, found.actions))
    if found.leads:
        out.table(titles(found, "if you lead"), rows(found, found.leads))
    for sentence in sentences(found):
        click.echo(sentence)
    click.echo("\nAssumed:")
    for sentence in assumptions(found):
        click.echo(f"- {sentence}")


def _not_reached(found: Advice) -> str:
    """Say how far the deals that were allowed went."""
    if not found.deals:
        return (
            f"none of {found.tried:,} deals drawn was as announced: what was announced before is "
            "too rare under these policies; --max-deals allows more"
        )
    width = found.half_width
    known = "not enough to tell an error" if width != width else f"known to ± {width:.2g} stakes"
    return (
        f"{found.deals:,} deals of {found.tried:,} drawn: {known}, not ± {found.until:g}; "
        "--max-deals allows more"
    )
