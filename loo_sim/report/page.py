"""Puts the report's page together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from loo_sim.report import (
    advice,
    break_even,
    crib,
    evenings,
    leads,
    league,
    looed,
    miss,
    picker,
    pot_path,
    purses,
    ruin,
    running,
    seats,
    sensitivity,
    situations,
    sobol,
    strategy,
    swings,
    trust,
    values,
)
from loo_sim.report.exhibit import Exhibit, Table
from loo_sim.report.hands import GRIDS
from loo_sim.report.missing import MARK, MOST_NAMED
from loo_sim.report.provenance import (
    game_rows,
    how_it_was_made,
    what_befell,
)
from loo_sim.report.result import Cell, Result
from loo_sim.report.style import ACTIONS, ActionStyle

MOST_IN_FULL, MOST_SEATS_IN_FULL = 6, 48
"""Games whose every exhibit is shown, the first whatever it is, and seats of all of them together,
each of which has maps of its own; a longer page would be too large to open on a phone."""

MOST_COMPARED, MOST_LINES = 24, 12
"""Games that the comparisons show; as lines of a chart, which must not be taller than a sheet."""

MOST_SITUATIONS = 256
"""Situations of all games together whose matrices are on the page: all 255 of sixteen players."""


MARGINS = (
    "The number is the margin over the next best announcement, in stakes; hatched: too close to "
    "call. Ranks of trumps count as if the lowest trump were turned up: A is the highest trump "
    "still out."
)
"""How the squares of a map of values are read."""


@dataclass
class Section:
    """A part of the page.

    Attributes
    ----------
    slug, title : str
    lead : list of str
        Paragraphs before the exhibits.
    key : mapping of str to ActionStyle
        Announcements whose colours and letters are explained before the exhibits.
    reads : str
        How else the squares are to be read, after the key.
    exhibits : list of Exhibit
    drawers : list of Drawer
        Matrices that open with a click.
    values : callable or None
        Makes the table of the values in them, which is too long for the page.
    tables : list of Table
        Shown in full, unlike the numbers of an exhibit.
    notes : list of str
        What cannot be shown, and why.
    """

    slug: str
    title: str
    lead: list[str] = field(default_factory=list)
    key: Mapping[str, ActionStyle] = field(default_factory=dict)
    reads: str = MARGINS
    exhibits: list[Exhibit] = field(default_factory=list)
    drawers: list[situations.Drawer] = field(default_factory=list)
    values: Callable[[], Table] | None = None
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def render(
    result: Result,
    played: list[tuple[str, str]],
    findings: list[str],
    parts: list[Section],
) -> str:
    """The page as HTML.

    Parameters
    ----------
    result : Result
        What was read.
    played : list of (str, str)
        The lines under the page's title, names and values.
    findings : list of str
        Sentences that open the page.
    parts : list of Section
        From `sections`.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("loo_sim.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = _unbroken
    unit = result.cells[0].unit if result.cells else "deals"
    page = environment.get_template("report.html.jinja").render(
        name=result.name,
        played=played,
        findings=findings,
        broken_sums=trust.broken_sums(trust.held(result.cells)),
        not_done=[(cell, what_befell(cell)) for cell in result.not_done],
        sections=parts,
        made=how_it_was_made(result),
        games=games_table(result.cells[:MOST_COMPARED]),
        left_out=max(len(result.cells) - MOST_COMPARED, 0),
        seed=result.manifest["seed"],
        study=result.manifest["study"],
        unit=unit,
        actions=ACTIONS,
        picker_data=picker.picker_data(_in_full(result.having("announce"))),
        picker_script=picker.script(),
        of_hands=any(part.key for part in parts),
    )
    return "\n".join(line.rstrip() for line in page.splitlines()) + "\n"


def games_table(cells: Sequence[Cell]) -> Table:
    """The list of games."""
    unit = cells[0].unit if cells else "deals"
    return Table(
        "The games of this run",
        ("no.", "game", "players", "pot, stakes", "rules", "policies", unit, "status"),
        tuple(game_rows(cells)),
    )


def made_tables(result: Result) -> dict[str, Table]:
    """By name, the tables of the part that closes the page; all games are in theirs."""
    made = Table("How it was made", ("what", "value"), tuple(how_it_was_made(result)))
    return {"made": made, "games": games_table(result.cells)}


def _unbroken(text: str) -> str:
    """A text whose intervals, percentages and hands no line break tears apart."""
    for sign in (" %", " ± ", "≈ ", "♠ ", "♥ ", "♦ ", "♣ "):
        text = text.replace(sign, sign.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def sections(result: Result) -> list[Section]:
    """The parts of the page between its findings and how it was made."""
    if result.ranges:
        return _design_sections(result)
    made = [
        _comparison(result),
        _session_comparison(result),
        _league_comparison(result),
        _sensitivity_section(result),
        *_sections_by_game(result),
        _trust_section(result),
    ]
    shown = [part for part in made if part.exhibits or part.tables or part.notes]
    games = max((result.having(table) for table in _BY_GAME), key=len)
    full = len(_in_full(games))
    if full < len(games):
        which = "first is" if full == 1 else f"first {full} are"
        shown[0].notes.append(
            f"Of {len(games)} games the {which} shown in full; charts and tables that "
            f"compare games have at most {MOST_COMPARED} of them, those of lines {MOST_LINES}. The "
            "tables of the result directory hold them all."
        )
    return shown


def _design_sections(result: Result) -> list[Section]:
    """The parts about a design for Sobol indices, none of whose games means anything by itself."""
    section = Section("sensitivity", "What the swept settings change")
    section.lead = [sobol.how_designed(result)]
    found = sobol.by_figure(result)
    shown = found[: sobol.MOST_FIGURES]
    section.exhibits = [sobol.indices_exhibit(rows, result.ranges) for rows in shown]
    none = sobol.why_none(result)
    section.notes = [none] if none else []
    if len(shown) < len(found):
        section.notes.append(
            f"Of {len(found)} figures the first {len(shown)} are shown; the table sobol has all."
        )
    trust_section = _trust_section(result)
    made = [section, *_missing_section(result.not_done)]
    return [*made, trust_section] if trust_section.exhibits else made


def _in_full(games: list[Cell]) -> list[Cell]:
    """Those of the games whose every exhibit is shown: the first ones."""
    seats = accumulate(cell.players for cell in games)
    room = sum(up_to <= MOST_SEATS_IN_FULL for up_to in seats)
    return games[: min(MOST_IN_FULL, max(room, 1))]


def _compared(result: Result, there: list[Cell], most: int = MOST_COMPARED) -> list[Cell]:
    """The games of a comparison: the first of the sweep, if any of them are `there`."""
    first = list(result.cells[:most])
    return first if any(cell in there for cell in first) else there[:most]


def _sections_by_game(result: Result) -> list[Section]:
    """The parts about one game each; those without figures are named where theirs would be."""
    in_full = {table: _in_full(result.having(table)) for table in _BY_GAME}
    if not any(in_full.values()):
        return []
    made: list[Section] = []
    missing: list[Cell] = []
    for cell in result.cells:
        if not any(table in cell.tables for table in _BY_GAME) or cell in result.not_done:
            missing.append(cell)
            continue
        for table, sections_of in _BY_GAME.items():
            if cell in in_full[table]:
                made += [*_missing_section(missing), *sections_of(cell, len(in_full[table]))]
                missing = []
    return made + _missing_section(missing)


def _missing_section(cells: list[Cell]) -> list[Section]:
    """What stands in the place of games without figures that follow each other, if any do."""
    if not cells:
        return []
    name = cells[0].label if len(cells) == 1 else f"{len(cells)} games"
    section = Section(f"missing-{cells[0].number}", f"{MARK} No figures: {name}")
    section.notes = [
        f"Game {cell.number}, {cell.label}: {what_befell(cell)}" for cell in cells[:MOST_NAMED]
    ]
    if len(cells) > MOST_NAMED:
        section.notes.append(f"And {len(cells) - MOST_NAMED} more games.")
    return [section]


def _comparison(result: Result) -> Section:
    """What is seen best with all games side by side."""
    section = Section("seats", "Seat by seat")
    deals = _compared(result, result.having("deals"))
    if deals:
        lines = _compared(result, result.having("deals"), MOST_LINES)
        section.exhibits.append(seats.seat_value_exhibit(lines))
        missing = [cell for cell in deals if 0 < len(cell.tables.get("deals", ())) < cell.players]
        section.notes += [f"Not every seat has figures: {cell.label}." for cell in missing]
    swung = _compared(result, [cell for cell in deals if swings.has_swings(cell)])
    if len(swung) > 1 and not sensitivity.shows_each_game(result.cells):
        section.exhibits.append(swings.mean_swing_exhibit(swung))
    offering = [cell for cell in result.cells if miss.has_offers(cell)]
    announced = _compared(result, offering)
    if any(len(miss.blind_miss(cell)) > 1 for cell in announced if cell in offering):
        section.exhibits.append(miss.blind_exhibit(_compared(result, offering, MOST_LINES)))
    if len(announced) > 1:
        section.tables.append(strategy.shares_by_game(announced))
    return section


def _session_comparison(result: Result) -> Section:
    """Sessions side by side."""
    cells = _compared(result, result.having("session"))
    section = Section("seats", "Seat by seat" if len(cells) == 1 else "Game by game")
    if len(cells) > 1 and not sensitivity.shows_each_game(result.cells):
        section.exhibits.append(pot_path.mean_pot_exhibit(cells))
    if cells:
        lines = _compared(result, result.having("session"), MOST_LINES)
        section.exhibits.append(seats.seat_value_exhibit(lines))
    return section


def _league_comparison(result: Result) -> Section:
    """Leagues side by side."""
    section = Section("games", "Game by game")
    cells = _compared(result, result.having("league"))
    if len(cells) > 1:
        section.tables.append(league.games_table(cells))
    return section


def _sensitivity_section(result: Result) -> Section:
    """How the figures of a sweep depend on what was swept."""
    section = Section("sensitivity", "What the swept settings change")
    section.exhibits = sensitivity.exhibits(list(result.cells))
    section.lead = [sensitivity.SHARED] if section.exhibits else []
    return section


def _trust_section(result: Result) -> Section:
    """Why the figures can be believed."""
    section = Section("trust", "Why believe this")
    sums = trust.held(result.cells)
    made = (
        trust.precision_exhibit(result),
        running.running_exhibit(result),
        trust.chances_exhibit(result.cells),
    )
    section.exhibits = [exhibit for exhibit in made if exhibit]
    if sums:
        section.lead = [trust.tell_sums(sums)]
        section.tables = [trust.sums_table(sums)]
    return section


def _pot_section(cell: Cell) -> Section:
    section = Section(f"pot-{cell.number}", f"The pot and the players: {cell.label}")
    if "swings" in cell.tables:
        section.exhibits.append(swings.swing_exhibit(cell))
    section.exhibits.append(seats.announcement_exhibit(cell))
    by_seat = looed.seat_exhibit(cell)
    if by_seat:
        section.exhibits.append(by_seat)
    return section


def _path_section(cell: Cell) -> Section:
    return Section(
        f"path-of-{cell.number}",
        f"The pot of an evening: {cell.label}",
        lead=[
            f"{pot_path.describe_pot(cell)} {pot_path.what_is_left(cell)}",
            pot_path.honest_error(cell),
        ],
        exhibits=[pot_path.path_exhibit(cell), pot_path.gap_exhibit(cell)],
    )


def _evening_section(cell: Cell) -> Section:
    lasts = ruin.out_exhibit if cell.bankroll else ruin.ruin_exhibit
    people = evenings.evenings(cell)
    return Section(
        f"evening-{cell.number}",
        f"What may happen to a purse: {cell.label}",
        exhibits=[
            *([evenings.evenings_exhibit(cell, people)] if people else []),
            purses.final_exhibit(cell),
            purses.lowest_exhibit(cell),
            lasts(cell),
        ],
    )


def _league_section(cell: Cell) -> Section:
    return Section(
        f"league-{cell.number}",
        f"Which way of playing is better: {cell.label}",
        exhibits=[league.standing_exhibit(cell), league.pairs_exhibit(cell)],
    )


def _miss_section(cell: Cell) -> Section:
    section = Section(f"miss-{cell.number}", f"Taking the miss: {cell.label}")
    if len(miss.on_offer(cell)):
        told = (advice.late_to_speak(cell), miss.blind_for_first(cell))
        section.lead = [sentence for sentence in told if sentence]
        section.exhibits.append(miss.miss_map_exhibit(cell))
    else:
        section.notes.append("The miss never was on offer.")
    return section


def _situations_section(cell: Cell, most: int) -> Section:
    """The matrices of the `most` common situations."""
    drawn = (situations.multiples_exhibit(cell, trumps) for trumps in GRIDS)
    return Section(
        f"situations-{cell.number}",
        f"What to announce in every situation: {cell.label}",
        lead=[situations.how_common(cell, most)],
        key=ACTIONS,
        exhibits=[exhibit for exhibit in drawn if exhibit],
        drawers=situations.drawers(cell, most),
        values=lambda: situations.all_values(cell),
    )


def _strategy_sections(cell: Cell) -> list[Section]:
    made = []
    for spot in strategy.spots(cell):
        section = Section(
            f"strategy-{cell.number}-{spot.slug}", f"What to announce: {spot.title}, {cell.label}"
        )
        kinds = strategy.matrix(cell, spot)
        section.key = ACTIONS
        section.lead = [strategy.three_trumps(kinds)]
        grids = (strategy.grid_exhibit(cell, spot, kinds, trumps) for trumps in GRIDS)
        section.exhibits = [grid for grid in grids if grid]
        samples = strategy.sample_values(cell, spot)
        if samples.rows:
            section.tables.append(samples)
        made.append(section)
    return made


def _value_section(cell: Cell) -> Section:
    """What each announcement is worth, how safe it is, and how large the pot must be."""
    section = Section(f"worth-{cell.number}", f"What each choice is worth: {cell.label}")
    found = strategy.spots(cell)
    for spot in found:
        section.lead.append(values.divide(cell, spot))
        section.exhibits += [
            break_even.break_even_exhibit(cell, spot),
            looed.looed_exhibit(cell, spot),
        ]
    if found:
        section.lead.append(break_even.how_the_pot_counts(cell))
        section.tables = [
            crib.crib(cell, found),
            *(table for spot in found for table in values.value_tables(cell, spot)),
        ]
    return section


def _announce_sections(cell: Cell, games: int) -> list[Section]:
    return [
        _miss_section(cell),
        *_strategy_sections(cell),
        _situations_section(cell, MOST_SITUATIONS // games),
        _value_section(cell),
    ]


def _leads_section(cell: Cell) -> Section:
    section = Section(f"leading-{cell.number}", f"What to lead: {cell.label}")
    exhibit = leads.leads_exhibit(cell)
    if exhibit:
        section.exhibits.append(exhibit)
    else:
        section.notes.append("The leader never had a choice.")
    return section


_BY_GAME: Mapping[str, Callable[[Cell, int], list[Section]]] = {
    "deals": lambda cell, _: [_pot_section(cell)],
    "announce": _announce_sections,
    "lead": lambda cell, _: [_leads_section(cell)],
    "session": lambda cell, _: [_path_section(cell), _evening_section(cell)],
    "league": lambda cell, _: [_league_section(cell)],
}
"""By table, what makes the parts about one of so many games that are shown in full."""
