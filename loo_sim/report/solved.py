"""The page of a solved strategy: what it is worth to leave it, and what it announces."""

from __future__ import annotations

import pandas as pd

from loo_sim.cards import hand_classes
from loo_sim.policies.policy import Choice, Policy
from loo_sim.report import announced, gains, splits
from loo_sim.report.announced import Strategy
from loo_sim.report.convergence import convergence_exhibit, looks_of
from loo_sim.report.gains import NEAR
from loo_sim.report.hands import GRIDS
from loo_sim.report.page import MOST_IN_FULL, MOST_SITUATIONS, Section
from loo_sim.report.provenance import rules_in_words
from loo_sim.report.result import Result
from loo_sim.report.style import ACTIONS
from loo_sim.rounding import listed, stakes
from loo_sim.solution import SCHEMA, Solution

STUDY = "solve"
"""What stands for the study on the page of a solved strategy."""

_COUNTED = {
    "none": "this deal only: what the pot carries over is not counted",
    "equal": "this deal, and an equal part for each player of what is left in the pot",
}


def as_result(solution: Solution, games: list[Strategy]) -> Result:
    """A solution as the frame of the page takes it: its games without tables."""
    manifest = {**solution.manifest, "study": STUDY, "experiment": {}}
    return Result(solution.directory, manifest, tuple(game.cell for game in games))


def what_was_solved(solution: Solution) -> list[tuple[str, str]]:
    """The lines that open the page: names and values."""
    manifest = solution.manifest
    pots = [stakes(pot) for pot in solution.pots]
    return [
        ("players", str(solution.players)),
        ("rules", rules_in_words(solution.rules.to_dict())),
        ("pot when play begins", f"{listed(pots)} stakes"),
        ("solved for", "what to announce, everyone by the same strategy"),
        ("held fixed", f"the play of the cards: {play_in_words(solution.policy)}"),
        ("looked at", "hand, seat, how many are in, whether the miss is there; not who is in"),
        ("deals", f"{manifest['deals']:,} to find it, {manifest['gain_deals']:,} for the gains"),
        ("values", f"in stakes a deal; {_COUNTED[manifest['carry']]}"),
    ]


def play_in_words(policy: Policy) -> str:
    """How a policy plays its cards: the word of each choice, or that rules make it."""

    def word(choice: Choice) -> str:
        return "by rules" if choice.rules else choice.otherwise

    return ", ".join(
        f"{kind.replace('_', ' ')} {word(choice)}" for kind, choice in policy.play._asdict().items()
    )


def findings(solution: Solution, games: list[Strategy]) -> list[str]:
    """What is found, as sentences; of several games, of that with the highest bound of gains."""
    worst = max(games, key=lambda game: gains.total_bounds(_gain(solution, game)).most)
    gain = _gain(solution, worst)
    told = [
        gains.tell_most(worst.cell, gain, solution.manifest["gain_deals"]),
        gains.tell_total(gain),
        announced.how_it_plays(worst),
    ]
    if len(games) == 1:
        return told
    first, *others = (f"{one[0].lower()}{one[1:]}" for one in told)
    named = f"With {worst.cell.label}"
    return [
        f"{named}, of the {len(games)} pots the one with the highest bound: {first}",
        *(f"{named}: {one}" for one in others),
    ]


def _gain(solution: Solution, game: Strategy) -> pd.DataFrame:
    """The rows of a game."""
    return solution.gain[solution.gain["pot"] == game.cell.pot]


def sections(solution: Solution, games: list[Strategy]) -> list[Section]:
    """The parts of the page between its findings and how it was made."""
    full = games[:MOST_IN_FULL]
    made = [part for game in full for part in _sections_of(solution, game, len(full))]
    if len(games) > 1:
        found = [(game.cell, _gain(solution, game)) for game in games]
        pots = Section("pots", "Pot by pot")
        pots.tables = [gains.games_table(found, solution.manifest["gain_deals"])]
        made.insert(0, pots)
    if len(full) < len(games):
        made[0].notes.append(
            f"Of {len(games)} pots the first {len(full)} are shown; the tables hold them all."
        )
    return [*made, _trust_section(solution)]


def _sections_of(solution: Solution, game: Strategy, games: int) -> list[Section]:
    cell, deals = game.cell, solution.manifest["gain_deals"]
    gain = _gain(solution, game)
    worth = Section(f"gains-of-{cell.number}", f"What leaving it could gain: {cell.label}")
    if games > 1:
        worth.lead = [gains.tell_most(cell, gain, deals), gains.tell_total(gain)]
    worth.exhibits = [
        gains.gain_exhibit(cell, gain, deals),
        gains.value_exhibit(cell, gain, deals),
    ]
    until = solution.manifest.get("until", NEAR)
    if found := convergence_exhibit(cell, looks_of(solution.manifest, cell.pot), until):
        worth.exhibits.append(found)
    crib = Section(f"crib-{cell.number}", f"The strategy in short: {cell.label}")
    if games > 1:
        crib.lead = [announced.how_it_plays(game)]
    crib.tables = [announced.crib(game)]
    made = [worth, crib]
    for one in announced.spots(game):
        section = Section(
            f"strategy-{cell.number}-{one.spot.slug}",
            f"What to announce: {one.spot.title}, {cell.label}",
            lead=[announced.tell(game, one)],
            key=ACTIONS,
            reads=splits.READS,
        )
        section.exhibits = [splits.grid_exhibit(game, one, trumps) for trumps in GRIDS]
        made.append(section)
    most = MOST_SITUATIONS // games
    everywhere = Section(
        f"situations-{cell.number}",
        f"What to announce in every situation: {cell.label}",
        lead=[splits.how_common(game, most)],
        key=ACTIONS,
        reads=splits.READS,
        exhibits=[splits.multiples_exhibit(game, trumps) for trumps in GRIDS],
        drawers=splits.drawers(game, most),
        values=lambda: announced.all_chances(game),
    )
    return [*made, everywhere]


def _trust_section(solution: Solution) -> Section:
    """Why the strategy can be believed, as far as its files tell."""
    hands = len(hand_classes(solution.rules.deck).names)
    situations = len(solution.table.rows)
    return Section(
        "trust",
        "Why believe this",
        lead=[
            f"All {hands * situations:,} rows of the strategy, {hands:,} classes of hands in each "
            f"of {situations:,} situations, were checked: their chances add up to 1, and none is "
            "of an announcement that the rules forbid. The files are as they were written: their "
            f"digests are those of the manifest ({SCHEMA}), and the manifest’s own holds.",
            "The gains are those that the solver measured. The lower bound is what a deviation "
            "gained on deals that had no part in choosing it, so that luck cannot have chosen it; "
            "the upper one chooses with the very deals that it is valued on, and is too high on "
            "average. A better deviation among those that look at more, or play their cards "
            "otherwise, is not excluded by either.",
        ],
    )
