"""What each chunk of work gives of a figure: that of its own deals, whoever counted them."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean, stdev
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from fake_study import fake_study, kind_of
from kernel_deals import seats

from loo_sim.experiment import Cell, load_experiment
from loo_sim.rules import PRESETS
from loo_sim.runner.run import run_experiment
from loo_sim.studies import announce, deals, lead, league, session
from loo_sim.studies.moments import Running

SEED, CHUNK, CHUNKS = 3, 40, 3


def cell_of(study: ModuleType) -> Cell:
    rules = replace(PRESETS["standard"], min_players=3)
    names = ("peel", "loose", "random") if study is league else ("peel", "loose", "random", "tight")
    rounds = 2 if study is session else 0
    return Cell({}, 4, 2 * rules.single_pot(4), rules, tuple(seats(names, len(names))), rounds)


def followed(study: ModuleType, cell: Cell) -> list[tuple[Running, ...]]:
    """The figures after none, one, two ... chunks."""
    game, counts = study.encode(cell), study.empty_counts(cell)
    found = [study.running(cell, 0, counts)]
    for chunk in range(CHUNKS):
        study.add_counts(game, SEED, chunk * CHUNK, CHUNK, counts)
        found.append(study.running(cell, (chunk + 1) * CHUNK, counts))
    return found


def alone(study: ModuleType, cell: Cell, chunk: int) -> dict[str, pd.DataFrame]:
    """The tables of the deals of one chunk."""
    game, counts = study.encode(cell), study.empty_counts(cell)
    study.add_counts(game, SEED, chunk * CHUNK, CHUNK, counts)
    return {name: table.to_pandas() for name, table in study.tables(cell, CHUNK, counts).items()}


def of_swings(tables: dict[str, pd.DataFrame]) -> dict[str, list[float]]:
    swings = tables["swings"]
    changes = np.repeat(swings["pot_swing"], swings["n"]).tolist()
    return {"pot_swing": [CHUNK, CHUNK, mean(changes), stdev(changes) / CHUNK**0.5]}


def of_hands(tables: dict[str, pd.DataFrame]) -> dict[str, list[float]]:
    return {
        row["figure"]: [row["n"], row["n"], row["plain_mean"], row["plain_mean_se"]]
        for row in tables["precision"].to_dict("records")
    }


def of_leads(tables: dict[str, pd.DataFrame]) -> dict[str, list[float]]:
    row = lead.pooled(tables["lead"])
    name = "lowest_minus_highest"
    return {name: [row["n"], row["n"], row[name], row[f"{name}_se"]]}


def of_tables(tables: dict[str, pd.DataFrame]) -> dict[str, list[float]]:
    (row,) = tables["session"].to_dict("records")
    return {"pot": [CHUNK, CHUNK * row["deals"], row["pot"], row["pot_se"]]}


def of_pairs(tables: dict[str, pd.DataFrame]) -> dict[str, list[float]]:
    return {
        f"{row['policy']} minus {row['rival']}": [CHUNK, CHUNK, row["net_diff"], row["net_diff_se"]]
        for row in tables["league"].to_dict("records")
    }


@pytest.mark.parametrize(
    ("study", "read", "figures"),
    [
        (deals, of_swings, 1),
        (announce, of_hands, 3),
        (lead, of_leads, 1),
        (session, of_tables, 1),
        (league, of_pairs, 3),
    ],
)
def test_a_chunk_gives_what_a_run_of_its_deals_alone_would_tell(study, read, figures):
    cell = cell_of(study)
    found = followed(study, cell)
    for chunk in range(CHUNKS):
        expected = read(alone(study, cell, chunk))
        given = {
            now.figure: now.since(then)
            for now, then in zip(found[chunk + 1], found[chunk], strict=True)
        }
        assert len(given) == figures
        for figure, values in given.items():
            assert values == pytest.approx(expected[figure], nan_ok=True), figure


EXPERIMENT = """
study = "deals"
players = 5
pot = 3
seed = 4
deals = 95
"""


def table_of(path, jobs: int) -> pd.DataFrame:
    path.mkdir()
    file = path / "e.toml"
    file.write_text(EXPERIMENT)
    with fake_study():
        run_experiment(load_experiment(file), path / "out", jobs=jobs)
    return pd.read_parquet(path / "out" / "running.parquet")


def test_the_table_has_every_chunk_whoever_counted_it(tmp_path):
    table = table_of(tmp_path / "one", jobs=1)
    pd.testing.assert_frame_equal(table, table_of(tmp_path / "three", jobs=3))
    assert table["chunk"].tolist() == list(range(10))
    assert set(table["figure"]) == {"kind"}
    for row in table.itertuples():
        kinds = [
            kind_of(4, number) for number in range(10 * row.chunk, min(10 * row.chunk + 10, 95))
        ]
        assert (row.n, row.deals) == (len(kinds), len(kinds))
        assert row.mean == pytest.approx(mean(kinds))
        assert row.mean_se == pytest.approx(stdev(kinds) / len(kinds) ** 0.5)
