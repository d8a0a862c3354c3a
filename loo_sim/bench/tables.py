"""What the benchmark found, as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table


def rows_table(result: dict[str, Any]) -> Table:
    """Nanoseconds a deal of every engine, out of what `run_bench` found."""
    from rich.table import Table

    table = Table(
        title="One deal from shuffle to payment, one thread",
        caption=f"least of {result['repeats']} measurements of {result['deals']:,} deals, in turn; "
        f"peak memory {result['peak_memory_mb']:,.0f} MB",
    )
    table.add_column("study")
    table.add_column("policy")
    table.add_column("players", justify="right")
    table.add_column("rules")
    table.add_column("engine")
    table.add_column("ns a deal", justify="right")
    table.add_column("million deals/s", justify="right")
    table.add_column("times as fast\nas scalar C", justify="right")
    before = None
    for row in result["rows"]:
        what = (row["study"], row["policy"], row["players"], row["rules"])
        if before is not None and what[:2] != before[:2]:
            table.add_section()
        shown = ("",) * 4 if what == before else tuple(map(str, what))
        ratio = row["ratio_to_c"]
        table.add_row(
            *shown,
            row["engine"],
            f"{row['ns_per_deal']:,.1f}",
            f"{1e3 / row['ns_per_deal']:.2f}",
            "" if ratio is None else f"{ratio:.2f}",
        )
        before = what
    return table


def targets_table(result: dict[str, Any]) -> Table:
    """What is asked of the engine and whether it is met, out of what `run_bench` found."""
    from rich.table import Table

    told = [
        f"{row['engine']}, {row['players']} players, threads or processes {row['threads']}: "
        f"{row['ns_per_deal']:,.1f} ns by the clock, given {row['processors']:.2f} processors"
        for row in result["threads"]
    ]
    if result["compile_seconds"] is not None:
        spent = "; ".join(f"{name} {s:.1f}" for name, s in result["compile_seconds"].items())
        told.append(f"seconds of compiling, each after those before it: {spent}")
    table = Table(title="What is asked", caption="\n".join(told))
    for name in ("", "players", "measured", "asked", ""):
        table.add_column(name, justify="right" if name == "measured" else "left")
    for row in result["targets"]:
        table.add_row(
            row["what"],
            "" if row["players"] is None else str(row["players"]),
            f"{row['measured']:,.2f}",
            f"{row['bound']} {row['asked']:,g} {row['unit']}".strip(),
            "met" if row["is_met"] else "not met",
        )
    return table
