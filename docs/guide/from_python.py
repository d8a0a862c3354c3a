"""The jobs of loosim from Python, cell by cell: run it whole, or open it as a notebook.

Each ``# %%`` begins a cell, as editors and Jupytext know them. Everything is written into a folder
of its own, which is removed at the end.
"""

# %% [markdown]
# # loosim from Python
#
# Every command has a function of the same name in `loo_sim`. Functions take what the commands take
# and give back pandas frames in place of tables on a terminal.

# %%
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import loo_sim

temporary = TemporaryDirectory()
folder = Path(temporary.name)


def show(frame: pd.DataFrame, places: int = 3) -> None:
    """Print a frame without its index."""
    print(frame.round(places).to_string(index=False))


# %% [markdown]
# ## Run an experiment
#
# An experiment is a file. What the file says can be replaced for one run by name: `deals=...`,
# `rules={"loo": 6}`.

# %%
experiment = folder / "first.toml"
experiment.write_text(
    """
study = "deals"
players = 6
pot = 6
policies = "peel"
deals = 200_000
"""
)
six = loo_sim.run(experiment, output=folder / "six")
seats = six.tables["deals"]
show(seats[["seat", "net", "net_se", "stood", "took_miss", "looed"]])

# %% [markdown]
# An estimate `x` stands beside its standard error `x_se`. What players take out of the pot and what
# is left in it must be what was in it, to the last unit:

# %%
pot = six.tables["pot"]
left = (pot["share"] * pot["pot_after"]).sum()
print(f"{seats['net'].sum():.4f} taken, {left:.4f} left")
assert abs(seats["net"].sum() + left - 6) < 1e-9

# %% [markdown]
# ## Compare two results
#
# The same deals under a loo of 6 stakes. Both results have the same cards; how much luck they have
# in common their tables do not tell, so that `compare` takes the largest error there can be.

# %%
dear = loo_sim.run(experiment, output=folder / "dear", rules={"loo": 6})
comparison = loo_sim.compare(six.directory, dear.directory)
nets = comparison.tables["deals"].query("estimate == 'net'")
show(nets[["seat", "a", "b", "difference", "low", "high", "differs"]])
assert (nets["se"] >= (nets["a_se"] ** 2 + nets["b_se"] ** 2) ** 0.5).all()

# %% [markdown]
# Two games of one sweep are compared chunk by chunk, which leaves out the luck that they share: the
# table `difference` has what each game has more than the first.

# %%
sweep = loo_sim.run(experiment, output=folder / "loo", axes={"rules.loo": [3, 6]})
show(sweep.tables["difference"][["rules.loo", "figure", "difference", "low", "high"]])

# %% [markdown]
# ## A policy of one's own, in a league, tuned
#
# A policy is a file too. In a league every policy plays every seat on the same deals.

# %%
(folder / "mine.toml").write_text(
    """
name = "mine"

[params]
reach = 2

[announce]
rules = [
  { when = "trumps >= 2 or (trumps == 1 and over_best <= reach)", do = "stand" },
  { when = "miss_free and standers == 0 and to_act <= 2", do = "miss" },
]
"""
)
league = folder / "league.toml"
league.write_text(
    """
study = "league"
players = 6
pot = 6
policies = ["mine.toml", "peel", "tight"]
deals = 40_000
"""
)
played = loo_sim.run(league, output=folder / "league")
show(played.tables["league"][["policy", "rival", "net_diff", "low", "high"]])

# %%
tuned = loo_sim.tune(league, output=folder / "tune", axes={"policies.mine.params.reach": "0:6:1"})
for sentence in tuned.found["sentences"]:
    print(sentence)

# %% [markdown]
# ## Advice for a hand

# %%
advice = loo_sim.advise("Kh 7h 2c", "9h", 6, before="fold,stand", pot=9)
show(advice.table[["action", "value", "se", "looed"]])
print(advice.verdict.best, round(advice.verdict.margin, 3))

# %% [markdown]
# ## Deal records
#
# A record is a plain dictionary, the same that `loosim deal --json` prints as a line.

# %%
record = loo_sim.deal(seed=1, index=7, players=6, pot=6, policies="peel")
print(record["turn_up"], *[said["action"] for said in record["declarations"]])
assert sum(record["net"]) + record["pot_after"] == record["pot"] == 6 * record["units_per_stake"]

# %% [markdown]
# ## Solve a game
#
# `max_deals` keeps this short, so the strategy is rough. It says how rough: what all seats together
# could gain by leaving it lies between the two bounds.

# %%
solved = loo_sim.solve(folder / "solved", players=5, pots=[3], max_deals=1_000_000)
show(solved.gain[["seat", "value", "gain_low", "gain_high"]], places=4)
policy = solved.directory / "policy.toml"
told = loo_sim.advise("Kh 7h 2c", "9h", 5, before="fold,fold", policies=str(policy))
print(told.verdict.best)

# %%
temporary.cleanup()
