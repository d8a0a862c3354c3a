"""What a search leaves in its directory: ``tune.json`` and ``tune.parquet``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loo_sim.sweep import column_values
from loo_sim.tuning.halving import Again, Apart, Search
from loo_sim.tuning.search import Plan, fresh_seed
from loo_sim.tuning.told import name_of, not_again, sentences, verdict_of

SCHEMA = "loosim.tune/1"
LEVEL = 0.95
"""At which all that is said of ties holds."""


def as_json(plan: Plan, found: Search, again: Again, failed: Sequence[int]) -> dict[str, Any]:
    """What ``tune.json`` holds, and ``loosim tune --json`` prints."""
    experiment = plan.experiment
    cells, amount = experiment.cells, experiment.amount.most
    axes = column_values([cell.axes for cell in cells])

    def candidate(number: int) -> dict[str, Any]:
        fresh = again.found.get(number)
        return {
            "axes": axes[number],
            "name": name_of(cells[number]),
            **_figure("", found.found[number]),
            **(_figure("fresh_", fresh) if fresh else {}),
        }

    return {
        "schema": SCHEMA,
        "name": experiment.name,
        "study": experiment.study,
        "figure": plan.sought.words,
        "unit": plan.sought.unit,
        "sought": plan.superlative,
        "counted": experiment.unit,
        "seed": experiment.seed,
        "fresh_seed": fresh_seed(experiment.seed),
        "tried": len(cells),
        "failed": [{"axes": axes[one], "name": name_of(cells[one])} for one in sorted(failed)],
        "rungs": [rung._asdict() for rung in plan.rungs],
        "fresh_amount": amount,
        "level": LEVEL,
        "verdict": verdict_of(found, again),
        "winner": candidate(found.winner),
        "plateau": [candidate(one) for one in sorted(again.plateau)],
        "ahead": [candidate(one) for one in sorted(again.ahead)],
        "not_measured_again": [candidate(one) for one in sorted(not_again(found, again))],
        "sentences": sentences(plan, found, again, failed),
    }


def _figure(prefix: str, apart: Apart) -> dict[str, float]:
    """A figure of a candidate, by the names of its columns."""
    return {
        f"{prefix}value": apart.value,
        f"{prefix}value_se": apart.value_se,
        f"{prefix}difference": apart.difference,
        f"{prefix}difference_se": apart.difference_se,
        f"{prefix}low": apart.low,
        f"{prefix}high": apart.high,
    }


_NOTHING = _figure("", Apart(0.0, 0.0, 0.0, 0.0, 0.0))


def table_of(plan: Plan, found: Search, again: Again, failed: Sequence[int]) -> memoryview:
    """The file ``tune.parquet``: a row a candidate, in the order of the sweep."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    cells = plan.experiment.cells
    rows = []
    for number, axes in enumerate(column_values([cell.axes for cell in cells])):
        rung, own = found.rung.get(number), found.found.get(number)
        fresh = again.found.get(number)
        rows.append(
            {
                **axes,
                "rung": rung,
                "deals": plan.rungs[rung - 1].amount if rung else None,
                **(_figure("", own) if own else dict.fromkeys(_NOTHING)),
                "fresh_deals": plan.experiment.amount.most if fresh else None,
                **(
                    _figure("fresh_", fresh)
                    if fresh
                    else {f"fresh_{column}": None for column in _NOTHING}
                ),
                "tied": _is_tied(number, found, again),
                "failed": number in failed,
            }
        )
    own_columns = [name for name in rows[0] if name not in cells[0].axes]
    types = {"rung": pa.int64(), "deals": pa.int64(), "fresh_deals": pa.int64()}
    types |= {"tied": pa.bool_(), "failed": pa.bool_()}
    columns = {
        **{axis: pa.array([row[axis] for row in rows]) for axis in cells[0].axes},
        **{
            name: pa.array([row[name] for row in rows], types.get(name, pa.float64()))
            for name in own_columns
        },
    }
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return memoryview(sink.getvalue())


def _is_tied(number: int, found: Search, again: Again) -> bool | None:
    """Whether a candidate is on the plateau; None if that was not measured."""
    if number not in found.found:
        return None
    if number not in found.plateau:
        return False
    return number in again.plateau if number in again.found else None
