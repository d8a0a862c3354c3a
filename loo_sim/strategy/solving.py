"""Solving what was asked for, game by game, and going on with what was broken off."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from loo_sim import __version__
from loo_sim.machine import machine, usable_cores, versions
from loo_sim.rules import UNITS_PER_STAKE
from loo_sim.runner.progress import Progress
from loo_sim.runner.signals import Stopper
from loo_sim.solution import GAIN, SCHEMA, TABLE
from loo_sim.strategy.announcing import Announcing
from loo_sim.strategy.gains import Gains
from loo_sim.strategy.place import NOW, Arrays, Place, policy_text, strategy_table
from loo_sim.strategy.regrets import Regrets
from loo_sim.strategy.request import MAX_DEALS, PLAY, UNTIL, Request
from loo_sim.strategy.solver import FRESH_DEALS, Look, Solved, solve
from loo_sim.strategy.values import Values, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

SAVE_SECONDS = 20.0
"""What was learned is kept as often as this, and where the work is broken off."""

MOST_BYTES = 10**9
"""Memory for the sums of all threads; with many players fewer threads work."""


@dataclass(frozen=True)
class Found:
    """What solving ended with.

    Attributes
    ----------
    directory : Path
    manifest : mapping
    again : bool
        Whether it was there before.
    """

    directory: Path
    manifest: Mapping[str, Any]
    again: bool


def solve_all(
    request: Request,
    directory: Path,
    jobs: int | None = None,
    progress: Progress | None = None,
    fresh: bool = False,
) -> Found:
    """Solve every game of a request, and write the directory of the strategy.

    The same request leads to the same files whatever `jobs`, or how often it was broken off.

    Parameters
    ----------
    request : Request
        What is solved.
    directory : Path
        Where it goes.
    jobs : int, optional
        Threads; by default one for each usable core.
    progress : Progress, optional
        By default nothing is told.
    fresh : bool
        Start over.

    Raises
    ------
    InputError
        If it may not be written there.
    KeyboardInterrupt
        If a signal broke it off; what was learned is kept beside `directory`.
    OSError
        If writing fails; likewise.
    """
    progress = progress or Progress()
    begun = monotonic()
    place = Place(directory.resolve(), request.identity(), fresh)
    try:
        finished = place.finished()
        if finished is not None:
            return Found(place.directory, finished, again=True)
        solved = []
        with Stopper() as stopper, progress:
            for number, of in enumerate(request.games):
                solved.append(_solve_one(request, number, of, place, jobs, stopper, progress))
            manifest = _manifest(request, solved, directory, jobs, monotonic() - begun)
            tables = {
                TABLE: strategy_table(
                    [(of, one.strategy) for of, (one, _) in zip(request.games, solved, strict=True)]
                ),
                GAIN: _gain_table(request, solved),
            }
            about = _about(request)
            with stopper.shield():
                place.finish(manifest, policy_text(request.name, about, request.first.play), tables)
        return Found(place.directory, manifest, again=False)
    finally:
        place.close()


def _solve_one(
    request: Request,
    number: int,
    of: Announcing,
    place: Place,
    jobs: int | None,
    stopper: Stopper,
    progress: Progress,
) -> tuple[Solved, Values]:
    """Solve a game, or take it from where it is kept."""
    from loo_sim.kernels.compiled import compiling

    name = f"game-{number}.npz"
    kept = place.kept(name)
    if kept is not None:
        return _solved_of(kept)
    threads = _threads(of, jobs)
    regrets, looks = Regrets(of, request.seed, threads), list[Look]()
    before = place.kept(NOW)
    if before is not None and int(before["game"]) == number:
        regrets.restore(before)
        looks += [Look(*look) for look in json.loads(str(before["looks"]))]
    saved = monotonic()

    def save() -> None:
        state = {**regrets.state(), "game": np.array(number), "looks": np.array(json.dumps(looks))}
        place.keep(NOW, state)

    def keep() -> None:
        nonlocal saved
        if monotonic() - saved >= SAVE_SECONDS:
            save()
            saved = monotonic()

    pot = of.pot / UNITS_PER_STAKE
    progress.start_cell(f"{of.players} players, pot {pot:g}", "deals")
    try:
        with progress.compiling(), compiling():
            regrets.get_ready()
        progress.advance(regrets.deals)
        solved = solve(
            of, request.seed, request.target, threads, regrets, looks, stopper, keep, progress
        )
        values = value_of(
            of, solved.strategy, request.seed, FRESH_DEALS, solved.gains.deals, threads
        )
    except KeyboardInterrupt:
        save()
        raise
    with stopper.shield():
        place.keep(name, _arrays_of(solved, values))
        place.forget(NOW)
    progress.end_cell(_told(of, solved))
    return solved, values


def _threads(of: Announcing, jobs: int | None) -> int:
    """How many threads have room for their sums."""
    from loo_sim.kernels.alternatives import MOMENTS, SUMS

    each = of.places * of.classes * 8 * (2 * SUMS + 2 * MOMENTS)
    return min(jobs or usable_cores(), max(1, MOST_BYTES // each))


def _told(of: Announcing, solved: Solved) -> str:
    pot = of.pot / UNITS_PER_STAKE
    gains = solved.gains
    return (
        f"{of.players} players, pot {pot:g}: leaving it gains all seats together "
        f"{gains.sum_low:.4f} to {gains.sum_high:.4f} stakes a deal, after {solved.deals:,} deals"
    )


def _arrays_of(solved: Solved, values: Values) -> Arrays:
    return {
        "strategy": solved.strategy,
        "told": np.array(json.dumps(solved.told())),
        **{f"gains_{key}": np.asarray(value) for key, value in asdict(solved.gains).items()},
        **{f"values_{key}": np.asarray(value) for key, value in values._asdict().items()},
    }


def _solved_of(kept: Arrays) -> tuple[Solved, Values]:
    told = json.loads(str(kept["told"]))
    gains = Gains(
        int(kept["gains_deals"]),
        *(kept[f"gains_{key}"] for key in ("low", "low_se", "high", "high_se")),
    )
    looks = [Look(**look) for look in told["looks"]]
    solved = Solved(kept["strategy"], told["kind"], told["deals"], gains, looks, told["reached"])
    return solved, Values(kept["values_mean"], kept["values_se"])


def _about(request: Request) -> str:
    pots = ", ".join(f"{pot:g}" for pot in request.pots)
    return (
        f"near equilibrium for {request.first.players} players, pots {pots}; cards played as "
        f"{request.first.play.name}"
    )


def _gain_table(request: Request, solved: list[tuple[Solved, Values]]) -> pa.Table:
    """A row a pot and seat: its value, and the bounds of what leaving the strategy gains."""
    import pyarrow as pa

    players = request.first.players
    columns: dict[str, Any] = {
        "players": np.full(players * len(solved), players),
        "pot": np.repeat(request.pots, players),
        "seat": np.tile(np.arange(players), len(solved)),
        "value": np.concatenate([values.mean for _, values in solved]),
        "value_se": np.concatenate([values.se for _, values in solved]),
    }
    for bound in ("low", "high"):
        for name in (bound, f"{bound}_se"):
            parts = [getattr(one.gains, name) for one, _ in solved]
            columns[f"gain_{name}"] = np.concatenate(parts)
    return pa.table(columns)


def _manifest(
    request: Request,
    solved: list[tuple[Solved, Values]],
    directory: Path,
    jobs: int | None,
    seconds: float,
) -> dict[str, Any]:
    """The manifest, all but the digests of the files and its own."""
    identity = request.identity()
    return {
        "schema": SCHEMA,
        "name": request.name,
        "version": __version__,
        "status": "done",
        "reached": all(one.reached for one, _ in solved),
        "players": request.first.players,
        "pots": request.pots,
        "rules": request.first.rules.to_dict(),
        "play": request.first.play.name,
        "carry": request.carry,
        "seed": request.seed,
        "until": request.target.until,
        "deals": max(one.deals for one, _ in solved),
        "gain_deals": max(one.gains.deals for one, _ in solved),
        "games": [
            {
                "pot": pot,
                **one.told(),
                "gain_low": one.gains.sum_low,
                "gain_high": one.gains.sum_high,
            }
            for pot, (one, _) in zip(request.pots, solved, strict=True)
        ],
        "identity": identity,
        "digests": {"kernels": identity["kernels"], "play": request.first.play.digest},
        "command": command(request, directory),
        "versions": versions(),
        "machine": machine(),
        "jobs": jobs or usable_cores(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
    }


def command(request: Request, directory: Path) -> str:
    """The command that solves the same, or goes on with it."""
    words = ["loosim", "solve", "--players", str(request.first.players)]
    for pot in request.pots:
        words += ["--pot", f"{pot:g}"]
    if request.rules_word:
        words += ["--rules", request.rules_word]
    if request.play_word != PLAY:
        words += ["--policy", request.play_word]
    if request.first.carry:
        words += ["--carry", "equal"]
    if request.target.until != UNTIL:
        words += ["--until", f"{request.target.until:g}"]
    if request.target.max_deals != MAX_DEALS:
        words += ["--max-deals", str(request.target.max_deals)]
    return shlex.join([*words, "--seed", str(request.seed), "-o", str(directory)])
