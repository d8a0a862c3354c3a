"""Exhibits about ruin: how often a purse does not last the evening."""

from __future__ import annotations

from math import sqrt

import pandas as pd
from matplotlib.figure import Figure

from loo_sim.report import style
from loo_sim.report.dots import PERCENT, Dot, draw_dots
from loo_sim.report.exhibit import Exhibit, Table, each, make_exhibit
from loo_sim.report.ranking import Candidate, extremes
from loo_sim.report.result import Cell
from loo_sim.rounding import (
    listed,
    percent_interval,
    percent_with_error,
    share_error,
    stakes,
)
from loo_sim.studies.estimates import Z95

RARE = 0.05
"""A bankroll is told that surely keeps ruin below this share of tables."""

LINES_A_PANEL = len(style.LINES) - 1
"""Policies drawn in one panel."""

LONGEST_NAME = 24
"""Signs of a policy's name in the figure."""


def wilson(share: float, n: float) -> tuple[float, float]:
    """The ends of Wilson's 95 % interval of a share of `n` independent observations.

    With z the 97.5 % quantile of the normal distribution:
    ``(p + z^2 / 2n ± z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)`` (E. B. Wilson 1927,
    *Journal of the American Statistical Association* 22, 209-212).
    """
    squares = Z95**2 / n
    middle = share + squares / 2
    half = Z95 * sqrt(share * (1 - share) / n + squares / n / 4)
    low, high = (middle - half) / (1 + squares), (middle + half) / (1 + squares)
    # At 0 and 1 an end is exact, but for the rounding of its last digit.
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def ruin_by_policy(cell: Cell) -> pd.DataFrame:
    """How often a person of each policy would be ruined, by what was brought.

    People at one table are not independent. The error of their mean is therefore taken as if they
    were one person, which is the most that it can be.

    Returns
    -------
    DataFrame
        A row for each `policy`, in the order of people, and `brought` stakes, ascending: `ruined`,
        the mean share of tables over its people.
    """
    policies = list(dict.fromkeys(cell.policies))
    rows = cell.tables["ruin"]
    rows = rows.assign(policy=[policies.index(cell.policies[person]) for person in rows["person"]])
    pooled = pd.DataFrame(rows.groupby(["policy", "brought"], as_index=False)["ruined"].mean())
    return pooled.assign(policy=[policies[place] for place in pooled["policy"]])


def _worst(cell: Cell) -> pd.DataFrame:
    """For each bankroll, ascending, the `person` who is ruined most often, and how often."""
    ruin = cell.tables["ruin"]
    worst = ruin.loc[ruin.groupby("brought")["ruined"].idxmax()]
    return worst.sort_values("brought", ignore_index=True)


def what_to_bring(cell: Cell) -> str:
    """A sentence on the bankroll with which hardly anybody is ruined."""
    worst = list(each(_worst(cell)))
    enough = [place for place, row in enumerate(worst) if wilson(row.ruined, cell.deals)[1] < RARE]
    told = [
        f"{percent_interval(row.ruined, cell.deals)} of them for {cell.person_name(row.person)}"
        for row in worst
    ]
    if not enough:
        return (
            f"Not even with {stakes(worst[-1].brought)} stakes is it sure that everyone is ruined "
            f"at less than one table in twenty: it is {told[-1]}."
        )
    first = enough[0]
    less = f"; with {stakes(worst[first - 1].brought)} it is up to {told[first - 1]}"
    return (
        f"With {stakes(worst[first].brought)} stakes everyone is ruined at less than one table in "
        f"twenty, up to {told[first]}{less if first else ''}."
    )


def draw_ruin(cell: Cell) -> Figure:
    """Share of tables at which a policy is ruined against what was brought, with intervals."""
    ruin = ruin_by_policy(cell)
    policies = list(dict.fromkeys(ruin["policy"]))
    panels = [
        policies[start : start + LINES_A_PANEL] for start in range(0, len(policies), LINES_A_PANEL)
    ]
    brought = sorted(set(ruin["brought"]))
    figure = style.new_figure(0.5 + 2.8 * len(panels))
    for axes, members in zip(
        figure.subplots(len(panels), 1, squeeze=False, sharex=True)[:, 0], panels, strict=True
    ):
        for policy, (colour, marker, dash) in zip(members, style.LINES, strict=False):
            rows = ruin[ruin["policy"] == policy]
            bands = [wilson(share, cell.deals) for share in rows["ruined"]]
            axes.fill_between(
                rows["brought"], *zip(*bands, strict=True), color=colour, alpha=0.25, lw=0
            )
            axes.plot(
                rows["brought"],
                rows["ruined"],
                color=colour,
                marker=marker,
                linestyle=dash,
                markersize=4.5,
                linewidth=1.2,
                label=style.shortened(policy, LONGEST_NAME),
            )
        axes.axhline(RARE, color=style.QUIET, lw=0.8, ls=":")
        axes.set_xscale("log")
        axes.minorticks_off()
        axes.set_xticks(brought, [f"{amount:,}" for amount in brought], fontsize=8)
        axes.set_ylim(-0.02, 1.02)
        axes.yaxis.set_major_formatter(PERCENT)
        axes.set_ylabel("ruined, share of tables")
        axes.grid(axis="y")
        axes.legend(loc="upper right")
    axes.set_xlabel("stakes brought")
    return figure


def ruin_exhibit(cell: Cell) -> Exhibit:
    """Ruin by bankroll, first passage, where purses have no limit."""
    ruin = ruin_by_policy(cell)
    policies = list(dict.fromkeys(ruin["policy"]))
    people = [cell.policies.count(policy) for policy in policies]
    by_policy = {policy: ruin[ruin["policy"] == policy]["ruined"].tolist() for policy in policies}
    rows = [
        (
            f"{brought:,}",
            *(percent_with_error(by_policy[policy][place], cell.deals) for policy in policies),
        )
        for place, brought in enumerate(sorted(set(ruin["brought"])))
    ]
    several = [
        f"{policy} ({number} people)"
        for policy, number in zip(policies, people, strict=True)
        if number > 1
    ]
    pooled = (
        f" The curve of {listed(several)} is the mean of theirs; their errors are counted as if "
        "they were one person’s, the most that they can be."
        if several
        else ""
    )
    return make_exhibit(
        f"ruin-{cell.number}",
        f"Ruin by what was brought: {cell.label}",
        "Lines of the share of tables at which a person is ruined against the stakes brought, on a "
        "logarithmic scale, in bands of 95 %; a dotted line marks one table in twenty.",
        f"{what_to_bring(cell)} Ruined is who at some deal could not have put in what was due, or "
        "had nothing left after it. Purses have no limit here, so that such a person plays on: "
        f"each is looked at alone, as if the others had enough.{pooled}",
        lambda: draw_ruin(cell),
        Table(
            "Share of tables at which a person is ruined, by the stakes brought (standard error of "
            "the last digits in brackets)",
            ("brought", *policies),
            tuple(rows),
        ),
    )


def who_was_out(cell: Cell) -> str:
    """A sentence on who is out most and least often, where purses are limited."""
    rows = cell.tables["purse"].sort_values("person", ignore_index=True)
    if not rows["out"].any():
        bound = percent_interval(0.0, cell.deals)
        return f"With {stakes(cell.bankroll or 0)} stakes each, nobody is ever out ({bound})."
    people = [
        Candidate(
            f"for {cell.person_name(row.person)}",
            row.out,
            share_error(row.out, row.n),
            row.n,
            percent_interval(row.out, row.n),
        )
        for row in each(rows)
    ]
    return extremes(
        f"With {stakes(cell.bankroll or 0)} stakes each, the share of tables at which a person is "
        "out before the end",
        people,
        "people",
    )


def out_exhibit(cell: Cell) -> Exhibit:
    """How often each person is out, where purses are limited."""
    rows = cell.tables["purse"].sort_values("person", ignore_index=True)
    dots = [
        Dot(cell.person_name(row.person), row.out, *wilson(row.out, row.n)) for row in each(rows)
    ]
    return make_exhibit(
        f"out-{cell.number}",
        f"Who is out before the end: {cell.label}",
        "A dot for each person at the share of tables at which he is out, with its 95 % interval "
        "(Wilson).",
        f"{who_was_out(cell)} Out is who cannot put in what is due, or has nothing left after a "
        f"deal; the others play on while {cell.rules['min_players']} or more are left.",
        lambda: draw_dots(dots, "out before the end, share of tables", PERCENT),
        Table(
            "Share of tables at which a person is out (standard error of the last digits in "
            "brackets)",
            ("person", "out"),
            tuple(
                (cell.person_name(row.person), percent_with_error(row.out, row.n))
                for row in each(rows)
            ),
        ),
    )
