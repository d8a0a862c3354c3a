"""Solves games and writes the policies that come of it: the built-in `equilibrium`, and two more.

Usage: python experiments/equilibrium.py [NAME [FOLDER]]

NAME is one of `POLICIES` (`equilibrium`). Solved strategies go to FOLDER (results/NAME), one a
number of players; the policy is put together from them. Broken off, it goes on where it was;
`equilibrium` takes half an hour on two cores, `near-peel` twenty minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

import loo_sim
from loo_sim.policies.parse import BUILTIN
from loo_sim.strategy.place import write_table

PLAY = "sharp"
MAX_DEALS = 2**25
"""A pot of 30 stakes makes gains ten times as large as one of 3: what more deals would bring is
little beside what the play of cards leaves open."""

BESIDE = Path(__file__).parent / "policies"


class Solved(NamedTuple):
    """A policy to be solved for.

    Attributes
    ----------
    folder : Path
        Where its two files go.
    rules : str
        A preset, and options.
    players, pots : tuple of int
        The games that its table knows; pots in stakes.
    about, told : str
        Its line about itself, and what its file says of the games.
    """

    folder: Path
    rules: str
    players: tuple[int, ...]
    pots: tuple[int, ...]
    about: str
    told: str


POLICIES = {
    "equilibrium": Solved(
        BUILTIN,
        "standard",
        (5, 6, 7, 8),
        (3, 6, 9, 15, 30),
        "near equilibrium for 5 to 8 players at pots of 3 to 30; cards played as sharp",
        "docs/equilibrium.md tells what it is like, and\n# what leaving it gains.",
    ),
    "near-peel": Solved(
        BESIDE,
        "peel",
        (5, 6, 8),
        (3, 6, 9, 15, 30),
        "near equilibrium under the rules peel, for 5, 6 and 8 players at pots of 3 to 30",
        "It is what\n# experiments/old_books.toml holds Peel's advice against under his own rules.",
    ),
    "near-32": Solved(
        BESIDE,
        "standard,deck=32",
        (5, 6),
        (3, 9),
        "near equilibrium with the 32-card pack, for 5 and 6 players at pots of 3 and 9",
        "It is what\n# experiments/old_books.toml compares the packs by.",
    ),
}

POLICY = """\
# Found by experiments/equilibrium.py{named}: what each seat announces where nobody gains much by
# leaving it, the cards played as the policy `sharp` plays them. The table knows {players} players
# at pots of {pots} stakes (of others the nearest). {told}
name = "{name}"
about = "{about}"

[announce]
table = "{name}.parquet"
otherwise = "fold"
"""


def main(name: str, folder: Path) -> None:
    """Solve, and write the policy."""
    wanted = POLICIES[name]
    tables = []
    for players in wanted.players:
        found = loo_sim.solve(
            folder / str(players),
            players=players,
            pots=wanted.pots,
            rules=wanted.rules,
            policy=PLAY,
            max_deals=MAX_DEALS,
            progress=True,
        )
        tables.append(found.table)
    table = pa.Table.from_pandas(pd.concat(tables, ignore_index=True), preserve_index=False)
    write_table(table, wanted.folder / f"{name}.parquet")
    sharp = (BUILTIN / f"{PLAY}.toml").read_text(encoding="utf-8")
    play = sharp[sharp.index("[play]") :]
    head = POLICY.format(
        named="" if name == "equilibrium" else f" {name}",
        players=_listed(wanted.players),
        pots=_listed(wanted.pots),
        told=wanted.told,
        name=name,
        about=wanted.about,
    )
    (wanted.folder / f"{name}.toml").write_text(f"{head}\n{play}", encoding="utf-8")


def _listed(numbers: tuple[int, ...]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


if __name__ == "__main__":
    wanted = sys.argv[1] if len(sys.argv) > 1 else "equilibrium"
    if wanted not in POLICIES:
        sys.exit(f"there is no '{wanted}': one of {', '.join(POLICIES)}")
    main(wanted, Path(sys.argv[2] if len(sys.argv) > 2 else f"results/{wanted}"))
