"""Solves the games that the built-in policy `equilibrium` knows, and writes its two files.

Usage: python experiments/equilibrium.py [FOLDER]

Solved strategies go to FOLDER (results/equilibrium), one a number of players; the policy is put
together from them. Broken off, it goes on where it was; it takes half an hour on two cores.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa

import loo_sim
from loo_sim.policies.parse import BUILTIN
from loo_sim.strategy.place import write_table

PLAYERS = (5, 6, 7, 8)
POTS = (3, 6, 9, 15, 30)
PLAY = "sharp"
MAX_DEALS = 2**25
"""A pot of 30 stakes makes gains ten times as large as one of 3: what more deals would bring is
little beside what the play of cards leaves open."""

POLICY = """\
# Found by experiments/equilibrium.py: what each seat announces where nobody gains much by leaving
# it, the cards played as the policy `sharp` plays them. The table knows 5 to 8 players at pots of
# 3, 6, 9, 15 and 30 stakes (of others the nearest); docs/equilibrium.md tells what it is like, and
# what leaving it gains.
name = "equilibrium"
about = "near equilibrium for 5 to 8 players at pots of 3 to 30; cards played as sharp"

[announce]
table = "equilibrium.parquet"
otherwise = "fold"
"""


def main(folder: Path) -> None:
    """Solve, and write the policy."""
    tables = []
    for players in PLAYERS:
        found = loo_sim.solve(
            folder / str(players),
            players=players,
            pots=POTS,
            policy=PLAY,
            max_deals=MAX_DEALS,
            progress=True,
        )
        tables.append(found.table)
    table = pa.Table.from_pandas(pd.concat(tables, ignore_index=True), preserve_index=False)
    write_table(table, BUILTIN / "equilibrium.parquet")
    sharp = (BUILTIN / f"{PLAY}.toml").read_text(encoding="utf-8")
    play = sharp[sharp.index("[play]") :]
    (BUILTIN / "equilibrium.toml").write_text(f"{POLICY}\n{play}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results/equilibrium"))
