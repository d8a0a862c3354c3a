"""Prints the tables of docs/performance.md from what the benchmark found.

loosim bench --compile --json | python docs/bench_tables.py
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from loo_sim.bench.cases import PLAYERS, POLICIES, STANDARD


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def by_players(rows: Sequence[dict[str, Any]]) -> Iterable[Sequence[str]]:
    """Nanoseconds of a study, a row a policy and engine, and how many times as fast as C."""
    found = {(row["study"], row["policy"], row["engine"], row["players"]): row for row in rows}
    for study in ("deals", "session"):
        for policy in POLICIES:
            for engine in ("loosim", "scalar-c", "scalar-numba"):
                cells = []
                for players in PLAYERS:
                    row = found.get((study, policy, engine, players))
                    if row is not None:
                        ratio = row["ratio_to_c"]
                        cells.append(ns(row) + (f" ({ratio:.2f})" if ratio else ""))
                if cells:
                    yield f"`{study}`", f"`{policy}`", f"`{engine}`", *cells


def ns(row: dict[str, Any]) -> str:
    """Nanoseconds to three figures."""
    spent = row["ns_per_deal"]
    return f"{spent:.1f}" if spent < 100 else f"{spent:,.0f}"


def main() -> None:
    """Read the result and print its tables."""
    result = json.load(sys.stdin)
    processor = result["machine"]["processor"]
    print(f"{processor}; {json.dumps(result['versions'])}; {result['peak_memory_mb']:.0f} MB\n")
    standard = [row for row in result["rows"] if row["rules"] == STANDARD]
    titles = ("study", "policy", "engine", *(f"{players} players" for players in PLAYERS))
    print(table(titles, by_players(standard)))
    announced = (
        (str(row["players"]), f"`{row['study']}`", ns(row), f"{1e3 / row['ns_per_deal']:.2f}")
        for row in sorted(standard, key=lambda row: (row["players"], row["study"]))
        if row["study"] in ("announce", "alternatives")
    )
    print(table(("players", "study", "ns a deal", "million deals a second"), announced))
    targets = (
        (
            target["what"],
            "" if target["players"] is None else str(target["players"]),
            f"{target['measured']:,.2f} {target['unit']}".strip(),
            f"{target['bound']} {target['asked']:,g}",
            "yes" if target["is_met"] else "no",
        )
        for target in result["targets"]
    )
    print(table(("", "players", "measured", "asked", "met"), targets))
    threads = (
        (str(r["players"]), f"`{r['engine']}`", str(r["threads"]), ns(r), f"{r['processors']:.2f}")
        for r in sorted(result["threads"], key=lambda row: row["players"])
    )
    titles = ("players", "engine", "threads", "ns a deal", "processors given")
    print(table(titles, threads))
    if result["compile_seconds"] is not None:
        print(table(("kernels", "processor seconds"), compiled(result["compile_seconds"])))


def compiled(seconds: dict[str, float]) -> Iterable[Sequence[str]]:
    """Seconds of compiling, a row a study, and their sum."""
    for name, spent in seconds.items():
        yield name, f"{spent:.1f}"
    yield "all", f"{sum(seconds.values()):.1f}"


if __name__ == "__main__":
    main()
