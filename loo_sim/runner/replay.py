"""Shows any deal of a run: the referee plays it again, cards and choices alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from loo_sim.draws import TABLE_DEALS, deal_cards, league_order, seat_choices
from loo_sim.experiment import Cell, game_cell, load_experiment
from loo_sim.overrides import toml_value
from loo_sim.policies.player import PolicyPlayer, reason
from loo_sim.problems import InputError, Problem, Problems
from loo_sim.records import Record
from loo_sim.referee import Deal, play_deal
from loo_sim.rules import MOST_STAKES, UNITS_PER_STAKE
from loo_sim.session import TableDeal, play_table
from loo_sim.settings import DEFAULTS, SEEDS, is_whole
from loo_sim.shelf import Shelf
from loo_sim.sweep import OF_POLICY, Point
from loo_sim.views import Situation


def replay(cell: Cell, seed: int, index: int) -> Record:
    """Deal number `index` of a cell, played by the referee.

    Parameters
    ----------
    cell : Cell
        The game.
    seed : int
        0 to 2**64 - 1.
    index : int
        0 to 2**64 - 1.
    """
    players = [
        PolicyPlayer(policy, seat_choices(seed, index, seat))
        for seat, policy in enumerate(cell.policies)
    ]
    dealt = deal_cards(seed, index, cell.players, cell.rules.deck)
    deal = play_deal(cell.rules, dealt, cell.pot, players)
    return Record(deal, seed, index, tuple(policy.name for policy in cell.policies))


def at_table(cell: Cell, seed: int, index: int) -> tuple[Cell, TableDeal]:
    """The game as it stands at a deal of a session: its pot, and who sits where.

    A record has every loo in full. What a person of a limited purse paid is in the `TableDeal`.

    Parameters
    ----------
    cell : Cell
        Of a session, one policy a person.
    seed : int
        0 to 2**64 - 1.
    index : int
        Deal d of table t is ``t * TABLE_DEALS + d``.

    Returns
    -------
    cell : Cell
        One policy a seat.
    deal : TableDeal
        The person in each seat, and what became of pot and purses.

    Raises
    ------
    InputError
        If the table has no such deal.
    """
    table, number = divmod(index, TABLE_DEALS)
    bankroll = None if cell.bankroll is None else cell.bankroll * UNITS_PER_STAKE
    deals = play_table(cell.rules, cell.policies, cell.rounds, seed, table, bankroll).deals
    if number >= len(deals):
        what = f"has no deal {number}"
        raise InputError([Problem(f"table {table}", None, "", what, f"from 0 to {len(deals) - 1}")])
    deal = deals[number]
    policies = tuple(cell.policies[person] for person in deal.seated)
    seated = replace(cell, players=len(policies), policies=policies, pot=deal.deal.pot, rounds=0)
    return seated, deal


def in_turn(cell: Cell, seed: int, index: int, turn: int) -> Cell:
    """The game that a league plays at a deal, or at a table, in one of its turns.

    Parameters
    ----------
    cell : Cell
        Of the study `league`.
    seed : int
        0 to 2**64 - 1.
    index : int
        Number of the deal; where the league is played in sessions, of a deal of the table.
    turn : int
        From 0, below the number of policies.

    Returns
    -------
    Cell
        One policy a seat, or a person.
    """
    number = index - index % TABLE_DEALS if cell.rounds else index
    order = league_order(seed, number, len(cell.policies))
    places = [order[(seat + turn) % len(order)] for seat in range(cell.players)]
    return replace(cell, policies=tuple(cell.policies[place] for place in places))


def reasons(cell: Cell, deal: Deal) -> list[str]:
    """Which part of its policy made each seat announce what it did, in words.

    Parameters
    ----------
    cell : Cell
        The game.
    deal : Deal
        One that its policies have played.

    Returns
    -------
    list of str
        One a seat: ``rule 2: trumps >= 2``; empty where the seat had no choice, or said nothing.
    """
    told = [""] * cell.players
    standers, miss_free = 0, True
    for seat, said in deal.declarations if not deal.forced_stand else ():
        situation = Situation(cell.rules, cell.players, seat, standers, miss_free, cell.pot)
        hand, turn_up = deal.dealt.hands[seat], deal.dealt.turn_up
        told[seat] = reason(cell.policies[seat], situation, hand, turn_up, said)
        standers += said in ("stand", "miss")
        miss_free = miss_free and said != "miss"
    return told


def rules_table(text: str, problems: Problems) -> dict[str, Any]:
    """Rules written in one word, ``peel,loo=3``, as a table of the options that it names.

    Notes an item that is neither, and an option that is there twice.
    """
    table: dict[str, Any] = {}
    for item in filter(None, (item.strip() for item in text.split(","))):
        before, equals, after = map(str.strip, item.partition("="))
        option, value = (before, toml_value(after)) if equals else ("preset", item)
        if not option:
            problems.add("rules", f"'{item}' names no option", "as in peel,loo=3")
        elif option in table:
            problems.add(f"rules.{option}", f"is there twice in '{text}'", "leave one of them out")
        else:
            table[option] = value
    return table


def cell_of_words(
    players: int | None = None,
    pot: float | None = None,
    rules: str | None = None,
    policies: Sequence[str] = (),
) -> Cell:
    """A game given on a command line; what is None or empty has its usual value.

    Parameters
    ----------
    players : int, optional
        Seats.
    pot : float, optional
        Stakes in the pot when play begins; by default what the deal puts in.
    rules : str, optional
        As ``peel,loo=3``.
    policies : sequence of str
        Names or paths: one for all, or one a seat.

    Raises
    ------
    InputError
        With everything that is wrong.
    """
    problems = Problems("game")
    options: dict[str, Any] = {
        "players": DEFAULTS["players"] if players is None else players,
        "policies": list(policies) or DEFAULTS["policies"],
        "rules": rules_table(rules or "", problems),
    }
    if pot is not None:
        options["pot"] = pot
    cell = game_cell(options, problems)
    problems.raise_if_any()
    assert cell is not None
    return cell


def cell_of_run(path: Path, number: int) -> tuple[str, int, Cell]:
    """The study, the seed and a cell of an experiment file or of a result.

    Parameters
    ----------
    path : Path
        An experiment file, a result directory or its manifest.
    number : int
        Which cell, from 0.

    Returns
    -------
    study : str
    seed : int
    cell : Cell

    Raises
    ------
    InputError
        If the file is wrong, has no such cell or one that is aimed, or a policy has changed since
        the run.
    """
    if path.is_dir() or path.suffix == ".json":
        return _cell_of_manifest(path if path.is_dir() else path.parent, number)
    experiment = load_experiment(path)
    _check_number(path, number, len(experiment.cells))
    cell = experiment.cells[number]
    _refuse_aim(path, cell.aim)
    return experiment.study, experiment.seed, cell


def _cell_of_manifest(directory: Path, number: int) -> tuple[str, int, Cell]:
    """The study, the seed and a cell of a result."""
    from loo_sim.result import read_manifest

    manifest = read_manifest(directory)
    _check_number(directory, number, len(manifest["cells"]))
    _refuse_aim(directory, manifest["experiment"].get("aim"))
    found: Mapping[str, Any] = manifest["cells"][number]
    where = f"cells.{number}"
    problems = Problems(str(directory))
    if not is_whole(manifest["seed"], 0, SEEDS - 1):
        problems.add("seed", f"{manifest['seed']!r} is not a whole number from 0 to 2**64 - 1")
    for seat, policy in enumerate(found["policies"]):
        named = policy if isinstance(policy, dict) else {}
        if not all(isinstance(named.get(key), str) for key in ("name", "digest", "source")):
            problems.add(f"{where}.policies.{seat}", "lacks its name, its digest or its source")
        elif not isinstance(named.get("changes", {}), dict):
            problems.add(f"{where}.policies.{seat}", "changes are no object")
    problems.raise_if_any()
    sources = [policy["source"] for policy in found["policies"]]
    options = {
        "study": manifest["study"],
        "players": found["players"],
        "rules": found["rules"],
        "policies": sources,
    }
    for key in ("rounds", "bankroll"):
        if found.get(key):
            options[key] = found[key]
    cell = game_cell(options, problems, _changed_numbers(found, where, problems))
    pot: Any = found.get("pot_units")
    if cell and not is_whole(pot, cell.pot, MOST_STAKES * UNITS_PER_STAKE):
        problems.add(
            f"{where}.pot_units",
            f"{pot!r} is no number of units that can lie in the pot",
            f"from {cell.pot}, which the deal puts in, to {MOST_STAKES * UNITS_PER_STAKE}",
        )
    for seat, (policy, then) in enumerate(
        zip(cell.policies if cell else (), found["policies"], strict=False)
    ):
        if policy.digest != then["digest"]:
            problems.add(
                f"{where}.policies.{seat}",
                f"the policy {policy.name!r} is not what it was when this was run",
                "run the experiment again",
            )
    problems.raise_if_any()
    assert cell is not None
    return manifest["study"], manifest["seed"], replace(cell, pot=pot)


def _changed_numbers(found: Mapping[str, Any], where: str, problems: Problems) -> Point:
    """The numbers of policies that a cell of a manifest replaces, as axes of a sweep."""
    from loo_sim.policies.variants import can_vary

    values: dict[str, Any] = {}
    shelf = Shelf(Path())
    for seat, policy in enumerate(found["policies"]):
        known, changes = shelf.find(policy["source"]), policy.get("changes", {})
        # A policy that cannot be had is told when the game is made.
        if not isinstance(known, tuple) and not can_vary(known, changes):
            what = f"the policy {known.name!r} no longer has the numbers that were replaced"
            problems.add(f"{where}.policies.{seat}", what, "run the experiment again")
        values |= {f"{OF_POLICY}{policy['name']}.{p}": value for p, value in changes.items()}
    problems.raise_if_any()
    return Point(values, dict.fromkeys(values, f"{where}.policies"))


def _refuse_aim(path: Path, aim: object) -> None:
    """A deal that was aimed at a situation is no deal of the seed: a hand was put into it."""
    if aim is not None:
        what = "aims at a situation: its deals hang on a pilot, and are not told one by one"
        raise InputError([Problem(str(path), None, "aim", what, "loosim deal --players P --pot X")])


def _check_number(path: Path, number: int, cells: int) -> None:
    if number >= cells:
        raise InputError(
            [Problem(str(path), None, "", f"has no cell {number}", f"from 0 to {cells - 1}")]
        )
