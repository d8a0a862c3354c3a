"""Advice for a hand: what each announcement is worth with it, given what was announced before."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from loo_sim.api import MOST_JOBS
from loo_sim.cards import hand_classes, hand_index
from loo_sim.kernels.batch import RANKS_OF_FIRST
from loo_sim.kernels.compiled import compiling
from loo_sim.kernels.game import Game, encode
from loo_sim.kernels.given import AS_DRAWN, OUTCOMES, Given, count_given
from loo_sim.machine import usable_cores
from loo_sim.policies.compile import Tables, compile_tables, leading_at_random
from loo_sim.problems import Problems
from loo_sim.referee import legal_leads
from loo_sim.rules import POT_LOO, UNITS_PER_STAKE
from loo_sim.runner.progress import Progress
from loo_sim.runner.signals import Stopper
from loo_sim.runner.stopping import LEAST_DEALS, is_reached, next_checkpoint
from loo_sim.settings import DEFAULTS, SEEDS, is_whole
from loo_sim.strategy.given import announcement_chances, hand_numbers, make_given
from loo_sim.strategy.question import Question, ask
from loo_sim.strategy.worths import (
    BreakEven,
    Counts,
    Option,
    Verdict,
    Worth,
    break_even_of,
    verdict_of,
    worth_of,
)
from loo_sim.studies.estimates import Z95, Floats

if TYPE_CHECKING:
    import pandas as pd

UNTIL = 0.05
"""Half-width of the 95 % interval of each value in stakes, where none is asked for."""
MOST_DEALS = 20_000_000
"""How often cards are drawn at most, where no number is given."""
LENGTH = 8192
"""Deals that a thread makes at a time."""
FIRST = 2 * LENGTH
"""Deals made before the intervals are looked at."""
MANY = 3
"""Players in; with two of them S11 leaves no choice between trumps."""


@dataclass(frozen=True)
class Advice:
    """What the announcements of a seat are worth.

    Attributes
    ----------
    question : Question
        Hand, situation and game.
    seed : int
        Seed.
    until : float
        Half-width asked for of the 95 % interval of each value, in stakes.
    made, tried, deals : int
        Deals made; how often cards were drawn for them; deals kept, as what was announced says.
        Each kept deal counts the same.
    actions : tuple of Worth
        A legal announcement each, in the order fold, stand, miss, defend.
    verdict : Verdict or None
        Which to make; None if no deal was kept.
    break_even : BreakEven or None
        The pot from which standing pays, the others announcing as they do at this one. None if
        nothing is won by it, if the loo grows with the pot, or if no deal was kept.
    leads : tuple of Worth
        What standing is worth with each legal first lead; empty if not asked for.
    lead_verdict : Verdict or None
        Which card to lead.
    reached : bool
        Whether all values are known as well as was asked for.
    stop : KeyboardInterrupt or None
        The signal that broke it off.
    """

    question: Question
    seed: int
    until: float
    made: int
    tried: int
    deals: int
    actions: tuple[Worth, ...]
    verdict: Verdict | None
    break_even: BreakEven | None
    leads: tuple[Worth, ...]
    lead_verdict: Verdict | None
    reached: bool
    stop: KeyboardInterrupt | None

    @property
    def half_width(self) -> float:
        """Half-width of the widest 95 % interval of a value, in stakes; NaN if not known."""
        return widest([*self.actions, *self.leads], self.deals)

    @property
    def table(self) -> pd.DataFrame:
        """A row an announcement: ``action, value, se, looed, tricks_0 ... tricks_3, whole_pot``."""
        import pandas as pd

        rows = []
        for worth in self.actions:
            tricks = worth.tricks or (nan,) * 4
            row = {"action": worth.name, "value": worth.value, "se": worth.se}
            row["looed"] = worth.looed
            row |= {f"tricks_{number}": chance for number, chance in enumerate(tricks)}
            rows.append(row | {"whole_pot": worth.whole_pot})
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """All of it, as ``loosim advise --json`` prints it; None stands for what is not known."""
        from loo_sim.strategy.advise_told import assumptions

        question, verdict, even = self.question, self.verdict, self.break_even
        cell, there = question.cell, question.situation
        deck = cell.rules.deck
        classes = hand_classes(deck)
        found: dict[str, Any] = {
            "hand": [str(card) for card in question.hand],
            "hand_class": classes.names[classes.class_of[hand_index(hand_numbers(question))]],
            "situation": {
                "players": cell.players,
                "seat": there.seat,
                "dealer": there.is_dealer,
                "before": list(question.before),
                "standers": there.standers,
                "miss_free": there.miss_free,
                "pot": cell.pot / UNITS_PER_STAKE,
                "turn_up": str(question.turn_up),
                "rules": cell.rules.to_dict(),
                "policies": [policy.name for policy in cell.policies],
            },
            "assumes": assumptions(self),
            "seed": self.seed,
            "deals": self.deals,
            "effective_deals": self.deals,
            "made_deals": self.made,
            "drawn_deals": self.tried,
            "until": self.until,
            "reached": self.reached,
            "actions": [{"action": worth.name, **_figures(worth)} for worth in self.actions],
            "best": verdict and verdict.best,
            "margin": verdict and _number(verdict.margin),
            "margin_se": verdict and _number(verdict.margin_se),
            "break_even_pot": even and _number(even.pot),
            "break_even_pot_se": even and _number(even.se),
        }
        if self.lead_verdict is not None:
            found |= {
                "leads": [{"card": worth.name, **_figures(worth)} for worth in self.leads],
                "best_lead": self.lead_verdict.best,
                "lead_margin": _number(self.lead_verdict.margin),
                "lead_margin_se": _number(self.lead_verdict.margin_se),
            }
        return found


def _figures(worth: Worth) -> dict[str, Any]:
    tricks = worth.tricks and [_number(chance) for chance in worth.tricks]
    return {
        "value": _number(worth.value),
        "se": _number(worth.se),
        "looed": _number(worth.looed),
        "tricks": tricks,
        "whole_pot": _number(worth.whole_pot),
    }


def _number(value: float) -> float | None:
    """A number, or None if it is not known: JSON has no NaN."""
    return None if value != value else value


def widest(worths: Sequence[Worth], deals: int) -> float:
    """Half-width of the widest 95 % interval of a value; NaN on too few deals to tell."""
    return max((Z95 * worth.se for worth in worths), default=0.0) if deals >= LEAST_DEALS else nan


@dataclass
class _Table:
    """A game with its alternatives, and what was counted of them."""

    game: Game
    given: Given
    options: tuple[Option, ...]
    counts: Counts = field(default_factory=lambda: np.zeros((OUTCOMES,) * 3, np.int64))


def advice(
    caller: str,
    hand: str | Sequence[str],
    turn_up: str,
    players: int | None,
    *,
    before: str | Sequence[str],
    pot: float | None,
    rules: str | None,
    policies: str | Sequence[str],
    lead: bool,
    until: float | None,
    max_deals: int | None,
    seed: int | None,
    jobs: int | None,
    progress: Progress,
) -> Advice:
    """Read a question and answer it: the command, and `loo_sim.advise`, whose words these are.

    Raises
    ------
    InputError
        With everything that is wrong, told as what `caller` was given.
    """
    problems = Problems(caller)
    for key, value, least, most in (
        ("max_deals", max_deals, 1, SEEDS),
        ("seed", seed, 0, SEEDS - 1),
        ("jobs", jobs, 1, MOST_JOBS),
    ):
        if value is not None and not is_whole(value, least, most):
            problems.add(key, f"{value!r} is not a whole number from {least} to {most:,}")
    if until is not None and not (
        isinstance(until, int | float) and not isinstance(until, bool) and 0 < until < inf
    ):
        problems.add("until", f"{until!r} is not a number of stakes above 0", "as in 0.01")
    if rules is not None and not isinstance(rules, str):
        problems.add("rules", f"{rules!r} is not text", 'as in "peel,loo=3"')
        rules = None
    words = [policies] if isinstance(policies, str) else policies
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        problems.add("policies", f"{policies!r} is neither a policy nor a list of policies")
        words = []
    question = ask(
        hand, turn_up, players, before, pot=pot, rules=rules, policies=words, lead=lead,
        problems=problems,
    )  # fmt: skip
    return advise_on(
        question,
        UNTIL if until is None else until,
        MOST_DEALS if max_deals is None else max_deals,
        lead,
        int(DEFAULTS["seed"]) if seed is None else seed,
        usable_cores() if jobs is None else jobs,
        progress,
    )


def advise_on(
    question: Question,
    until: float = UNTIL,
    most: int = MOST_DEALS,
    lead: bool = False,
    seed: int = 1,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Advice:
    """Say what each announcement is worth.

    The same deals are played out for each alternative. They are made until every value is known as
    well as is asked for; how many more are made is told by how wide the intervals are, as in a run
    (`runner.stopping`), so that the answer does not depend on `jobs`.

    Parameters
    ----------
    question : Question
        Hand, situation and game.
    until : float
        Half-width of the 95 % interval of each value, in stakes.
    most : int
        How often to draw cards at most, up to a block of deals; not all that is drawn is kept.
    lead : bool
        Also say what each legal first lead is worth; nobody may be in before.
    seed : int
        0 to 2**64 - 1.
    jobs : int
        Threads.
    progress : Progress, optional
        Told if getting the kernels ready takes a while.

    Returns
    -------
    Advice

    Raises
    ------
    InputError
        If a seat before never announces what it did.
    """
    cell = question.cell
    compiled = compile_tables(cell.policies, cell.rules, cell.players, cell.pot)
    chances = announcement_chances(question, compiled)
    played = [word for word in question.situation.legal if word != "fold"]
    options = {word: Option(word, axis, word != "defend") for axis, word in enumerate(played)}
    options = {"fold": Option("fold", None, pays=False)} | options
    tables = [
        _Table(
            encode(cell.rules, compiled, cell.pot),
            make_given(question, chances, [(word, AS_DRAWN) for word in played]),
            tuple(options[word] for word in question.situation.legal),
        )
    ]
    if lead:
        tables.append(_lead_table(question, compiled, chances))
    made, tried, reached, stop = 0, 0, False, None
    target = min(FIRST, most)
    loo = cell.rules.loo_units(cell.pot)
    worths: list[list[Worth]] = []
    while True:
        telling = progress.compiling() if progress and not made else nullcontext()
        with telling, compiling():
            done, drawn, stop = _count(tables, seed, made, target, jobs)
        made, tried = made + done, tried + drawn
        deals = int(tables[0].counts.sum())
        worths = [
            [worth_of(table.counts, option, cell.pot, loo) for option in table.options]
            for table in tables
        ]
        half_width = widest([*worths[0], *worths[-1]], deals)
        reached = is_reached(half_width, until)
        # As many deals as the rest of the drawings make, at the rate so far.
        room = made + (most - tried) * made // max(tried, 1)
        if stop or reached or room < made + min(LENGTH, most):
            break
        target = next_checkpoint(made, half_width, until, room, LENGTH)
    verdicts = [
        verdict_of(table.counts, table.options, cell.pot, loo) if deals else None
        for table in tables
    ]
    even = None
    if deals and cell.rules.loo != POT_LOO:
        even = break_even_of(tables[0].counts, options["stand"], cell.pot, loo)
    return Advice(
        question,
        seed,
        until,
        made,
        tried,
        deals,
        tuple(worths[0]),
        verdicts[0],
        even,
        tuple(worths[1]) if lead else (),
        verdicts[1] if lead else None,
        reached,
        stop,
    )


def _lead_table(question: Question, compiled: Tables, chances: list[Floats]) -> _Table:
    """The game in which the seat stands and leads each card that it may.

    Its words of the first lead are `random` in it, and the ranks of its cards are not drawn: the
    legal card of the first rank is led.
    """
    cell, seat = question.cell, question.situation.seat
    cards = legal_leads(cell.rules, question.hand, question.turn_up, 1, MANY).cards
    first = [question.hand.index(card) for card in cards]
    ranks = [int(RANKS_OF_FIRST[place]) for place in first]
    return _Table(
        encode(cell.rules, leading_at_random(compiled, [seat]), cell.pot),
        make_given(question, chances, [("stand", rank) for rank in ranks]),
        tuple(Option(str(card), axis) for axis, card in enumerate(cards)),
    )


def _count(
    tables: Sequence[_Table], seed: int, first: int, end: int, jobs: int
) -> tuple[int, int, KeyboardInterrupt | None]:
    """Make deals, by several threads, and count what comes of them.

    Returns
    -------
    made, tried : int
        Deals made and counted, and how often cards were drawn for them.
    stop : KeyboardInterrupt or None
        What broke it off.
    """

    def count(start: int) -> tuple[int, list[Counts], int]:
        many = min(LENGTH, end - start)
        found = [np.zeros_like(table.counts) for table in tables]
        tried = 0
        for table, counts in zip(tables, found, strict=True):
            tried = count_given(table.game, table.given, seed, start, many, counts)
        return many, found, tried

    futures: list[Future[tuple[int, list[Counts], int]]] = []
    stop = None
    with Stopper(), ThreadPoolExecutor(jobs) as pool:
        try:
            futures += (pool.submit(count, start) for start in range(first, end, LENGTH))
            for future in futures:
                future.result()
        except KeyboardInterrupt as signal:
            stop = signal
            pool.shutdown(cancel_futures=True)
    made = tried = 0
    for future in futures:
        if not future.cancelled():
            many, found, drawn = future.result()
            made, tried = made + many, tried + drawn
            for table, counts in zip(tables, found, strict=True):
                table.counts += counts
    return made, tried, stop
