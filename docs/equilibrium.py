"""Writes docs/equilibrium.md, with its pictures, from the strategies that `equilibrium` is made of.

    python docs/equilibrium.py [FOLDER]

FOLDER (results/equilibrium) is where experiments/equilibrium.py left them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from bench_tables import table

from loo_sim.machine import usable_cores
from loo_sim.policies.parse import load_policy
from loo_sim.report import splits, style
from loo_sim.report.announced import (
    Strategy,
    crib,
    how_it_plays,
    matrix,
    met,
    percent,
    spots,
    strategies,
    totals,
)
from loo_sim.report.exhibit import Table
from loo_sim.report.gains import games_table
from loo_sim.rounding import with_error
from loo_sim.rules import UNITS_PER_STAKE, Rules
from loo_sim.solution import Solution, read_solution
from loo_sim.strategy.announcing import Announcing
from loo_sim.strategy.gains import gain_of, moments_of
from loo_sim.strategy.mixtures import PARTS, chances_of

DOCS = Path(__file__).parent
PAGE = DOCS / "equilibrium.md"
EXPERIMENTS = DOCS.parent / "experiments"
PLAYERS = (5, 6, 7, 8)
SHOWN = (5, 6, 8)
"""Players whose strategies are shown at length."""
SITUATIONS = 12
TRUMPS = 1
"""The grid of hands that is drawn: with one trump most is undecided."""
RIVALS = (str(EXPERIMENTS / "policies" / "crib.toml"), "trumps", "peel", "tight")
DEALS, FIRST = 2**22, 2**61
"""Deals that rivals are measured on: nothing was learned from these, nor looked at."""
PIXELS = 1000

OPENING = """\
# What near-equilibrium play looks like

The built-in policy `equilibrium` announces so that nobody gains much by announcing otherwise
while all others keep to it. It was found by [`loosim solve`](solve.md) for 5 to 8 players at pots
of 3, 6, 9, 15 and 30 stakes, standard rules; for other pots it takes the nearest. With more than
two players that is no proof of being right against people who play otherwise: it says what holds
where everybody does it.

Held fixed: cards are played as [`sharp`](play.md) plays them; a seat looks at its hand, at how
many are in and at whether the miss is there, not at who is in; only this deal counts, not what is
left in the pot.

Where its own players hardly ever come (five in before the dealer, say) it has had few deals to
learn from, and announces some rare hands wrongly there. That counts little in the gains, as it
comes up so seldom.

Everything below is written by `make equilibrium`, which solves all of it anew (half an hour on
two cores).
"""

HOW_NEAR = """\
## How near

What leaving the strategy gains, all seats together, on 16.8 million fresh deals a game: a
deviation fitted on other deals than it is valued on (lower bound), and one fitted and valued on
the same (upper bound, too high on average: most of it is what chance did for it).
"""

READING = """\
In the tables: seat 0 speaks first, *1 in* is one player in so far, the miss being there unless it
says *gone*. Of a band of hands that is not all played alike the shares are given. Trumps are
ranked among those still out.
"""

CRIB = """\
## A few rules to remember

Nobody remembers tables. These rules ([crib.toml](../experiments/policies/crib.toml)) were made
after them; a *rich* pot is one of which a trick pays as much as a loo costs (9 stakes):

1. Stand on three trumps, on the best trump, and on two trumps; if two are in already and the pot
   is not rich, on two only with a nine or better among them.
2. Stand on one of the three best trumps if nobody is in, if the miss is gone, or if a trick pays
   two stakes.
3. Against nobody but the miss stand on one trump, an eight or better.
4. In a rich pot, once the miss is gone, stand on one nine of trumps or better while two at most
   are in; in a pot richer still on any trump or any ace.
5. Take the miss if nobody is in and the pot is rich, or few are still to speak (two at a pot of
   3, three at one of 6); in a pot half as rich again take it whenever it is there.
6. Else fold. A dealer who may not fold defends.

What a player gives up who announces by them (or as another policy does) while all others keep to
`equilibrium`: the mean over all seats, in stakes a deal, the standard error of the last digits in
brackets.
"""


def main(folder: Path) -> None:
    """Write the page."""
    found = {players: read_solution(folder / str(players)) for players in PLAYERS}
    parts = [OPENING, HOW_NEAR, markdown(_gains(found.values())), READING]
    for players in SHOWN:
        parts += _of_players(strategies(found[players]))
    parts += [CRIB, table(*_losses(found.values()))]
    PAGE.write_text("\n".join(part.rstrip() + "\n" for part in parts), encoding="utf-8")


def markdown(found: Table) -> str:
    """A table of the report as Markdown."""
    return table(found.columns, found.rows)


def _gains(solutions: Iterable[Solution]) -> Table:
    """Bounds of the gains of every game."""
    rows: list[tuple[str, ...]] = []
    for solution in solutions:
        pairs = [
            (game.cell, solution.gain[solution.gain["pot"] == game.cell.pot])
            for game in strategies(solution)
        ]
        found = games_table(pairs, solution.manifest["gain_deals"])
        for (cell, _), (_, *bounds) in zip(pairs, found.rows, strict=True):
            rows.append((str(cell.players), f"{cell.pot:g}", *bounds))
    return Table("", ("players", "pot", "lower bound", "upper bound", "gain (95 %)"), tuple(rows))


def _of_players(games: Sequence[Strategy]) -> Iterator[str]:
    """What is shown of a number of players."""
    single, players = games[0], games[0].cell.players
    yield f"## {players} players"
    plays = how_it_plays(single)
    yield f"At a pot of {single.cell.pot:g} stakes: {plays[0].lower()}{plays[1:]}"
    yield markdown(crib(single, SITUATIONS))
    for one, name in zip(spots(single), ("first", "dealer"), strict=True):
        path = DOCS / f"equilibrium_{players}_{name}.png"
        exhibit = splits.grid_exhibit(single, one, TRUMPS)
        with style.drawing(path.stem):
            exhibit.draw().savefig(
                path,
                dpi=PIXELS / style.WIDTH,
                bbox_inches="tight",
                pad_inches=0.06,
                metadata={"Software": None},
                pil_kwargs={"optimize": True},
            )
        yield f"{exhibit.title}:\n\n![{exhibit.title}]({path.name})"
    yield (
        "With the pot (all hands of the seat; the dealer as he most often finds the table with the "
        "miss there):"
    )
    yield markdown(_by_pot(games))


def _by_pot(games: Sequence[Strategy]) -> Table:
    """What the first seat and the dealer announce, pot by pot."""
    rows = []
    for game in games:
        first, dealer = spots(game)
        opening, closing = (totals(matrix(game, one.key)) for one in (first, dealer))
        most = met(game)
        miss = sum(one.share * totals(matrix(game, one.key))["miss"] for one in most)
        rows.append(
            (
                f"{game.cell.pot:g}",
                *(percent(opening[action]) for action in ("stand", "miss", "fold")),
                dealer.spot.title,
                *(percent(closing[action]) for action in ("stand", "miss", "defend", "fold")),
                percent(miss),
            )
        )
    heads = ("pot", "first stands", "takes the miss", "folds", "dealer", "stands", "takes the miss")
    return Table("", (*heads, "defends", "folds", "miss taken, of all deals"), tuple(rows))


def _losses(
    solutions: Iterable[Solution],
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """What announcing by other policies gives up, by players and pot."""
    rivals = [load_policy(name) for name in RIVALS]
    jobs, rows = usable_cores(), []
    with ThreadPoolExecutor(jobs) as pool:
        for solution in solutions:
            for pot in solution.pots:
                units = round(pot * UNITS_PER_STAKE)
                of = Announcing(Rules(), solution.players, units, solution.policy, carry=False)
                strategy = np.round(chances_of(of, solution.policy) * PARTS).astype(np.uint8)
                moments = moments_of(of, strategy, 1, FIRST, DEALS, pool, jobs)
                told = []
                for rival in rivals:
                    gain, se = gain_of(of, strategy, chances_of(of, rival), moments, DEALS)
                    # Seats were measured on the same deals: errors are added up.
                    told.append(with_error(-gain.mean(), se.mean(), DEALS))
                rows.append((str(solution.players), f"{pot:g}", *told))
    return ("players", "pot", *(f"`{rival.name}`" for rival in rivals)), rows


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results/equilibrium"))
