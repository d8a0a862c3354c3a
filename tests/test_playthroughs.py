"""Deals written by hand from the rulebook, one for each odd rule, replayed through the referee.

The files in `playthroughs` are meant for a Loo player: cards, what is said, what is played, what
may not be said or played and why, and the result in stakes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import pytest

from loo_sim.cards import Card, parse_cards
from loo_sim.draws import Dealt
from loo_sim.faults import check_deal
from loo_sim.narrate import narrate
from loo_sim.problems import Problems
from loo_sim.records import Record, from_dict, to_dict
from loo_sim.referee import Deal, Declaration, Play, Trick, play_deal, played_turns
from loo_sim.rules import Rules, parse_rules
from loo_sim.views import Situation, Turn

FILES = sorted((Path(__file__).parent / "playthroughs").glob("*.txt"))
SAID = {
    "folds": "fold",
    "stands": "stand",
    "must stand": "stand",
    "takes the miss": "miss",
    "defends the miss": "defend",
}


@dataclass
class Playthrough:
    """A file, read: what decides the deal, and the deal that must come of it."""

    deal: Deal
    not_said: list[tuple[int, str, str]] = field(default_factory=list)
    cards: list[tuple[bool, int, int, Card, str]] = field(default_factory=list)


def stakes(text: str) -> int:
    """Units in an amount like ``-3`` or ``2 1/3``."""
    units = sum(Fraction(part) for part in text.split()) * 729
    assert units.denominator == 1
    return int(units)


def read_rules(text: str) -> Rules:
    preset, *options = (part.strip() for part in text.split(","))
    problems = Problems("rules")
    rules = parse_rules({"preset": preset, **tomllib.loads("\n".join(options))}, problems)
    assert rules is not None, list(problems)
    return rules


def read(path: Path) -> Playthrough:
    """Read a file; every line must be understood."""
    head: dict[str, str] = {}
    hands: list[list[Card]] = []
    declarations: list[Declaration] = []
    forced: list[bool] = []
    tricks: list[Trick] = []
    not_said: list[tuple[int, str, str]] = []
    cards: list[tuple[bool, int, int, Card, str]] = []
    text = re.sub(r"(?m)^(Why: .*(?:\n  (?!Not|May).*)*)", "", path.read_text())
    for line in filter(str.strip, text.splitlines()):
        key, value = (part.strip() for part in line.split(":", 1))
        if key == "Dealer" or key.startswith("Seat"):
            hand, said = value.split(",")
            assert key == "Dealer" or key == f"Seat {len(hands)}"
            if said.strip() != "says nothing":
                declarations.append(Declaration(len(hands), SAID[said.strip()]))
            hands.append(parse_cards(hand))
            forced.append(said.strip() == "must stand")
        elif key.startswith("Trick"):
            played, won = value.split(";")
            assert key == f"Trick {len(tricks) + 1}"
            plays = [Play(int(w[0]), Card.parse(w[1])) for w in map(str.split, played.split(","))]
            tricks.append(Trick(plays[0].seat, tuple(plays), int(won.split()[0])))
        elif key == "Not said":
            match = re.fullmatch(r"(\d+) (.*), because .* \((S\d+)\)", value)
            assert match, line
            not_said.append((int(match[1]), SAID[match[2]], match[3]))
        elif key in ("Not", "May"):
            match = re.fullmatch(r"(\d+) (\w\w), because .* \((S\d+)\)", value)
            assert match, line
            cards.append((key == "May", len(tricks), int(match[1]), Card.parse(match[2]), match[3]))
        else:
            assert key in ("Title", "Rules", "Pot", "Turn-up", "Miss", "Won", "Net", "Left"), line
            head[key] = value
    assert len(set(forced)) == 1
    deal = Deal(
        rules=read_rules(head["Rules"]),
        pot=stakes(head["Pot"]),
        dealt=Dealt(Card.parse(head["Turn-up"]), parse_cards(head["Miss"]), hands),
        dealer=len(hands) - 1,
        forced_stand=forced[0],
        declarations=tuple(declarations),
        tricks=tuple(tricks),
        tricks_won=tuple(int(won) for won in head["Won"].split(",")),
        net=tuple(stakes(net) for net in head["Net"].split(",")),
        pot_after=stakes(head["Left"]),
    )
    return Playthrough(deal, not_said, cards)


@dataclass(frozen=True)
class Scripted:
    """Says and plays at one seat what the file says."""

    action: str
    cards: tuple[Card, ...]

    def announce(self, situation: Situation, hand: Sequence[Card], turn_up: Card) -> str:
        return self.action

    def play(self, turn: Turn, hand: Sequence[Card], legal: Sequence[Card]) -> Card:
        return self.cards[turn.trick_no - 1]


def script(deal: Deal) -> list[Scripted]:
    plays = [play for trick in deal.tricks for play in trick.plays]
    return [
        Scripted(
            deal.said.get(seat, "silent"), tuple(play.card for play in plays if play.seat == seat)
        )
        for seat in range(deal.players)
    ]


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def playthrough(request: pytest.FixtureRequest) -> Playthrough:
    return read(request.param)


def test_every_odd_rule_has_its_playthrough() -> None:
    assert len(FILES) >= 25


def test_referee_plays_it_as_written(playthrough: Playthrough) -> None:
    deal = playthrough.deal
    assert play_deal(deal.rules, deal.dealt, deal.pot, script(deal)) == deal


def test_checker_finds_no_fault(playthrough: Playthrough) -> None:
    assert check_deal(playthrough.deal) == []


def test_cards_are_legal_or_not_as_marked(playthrough: Playthrough) -> None:
    turns = {(t.turn.trick_no, t.turn.seat): t for t in played_turns(playthrough.deal)}
    for may, trick_no, seat, card, rule in playthrough.cards:
        turn = turns[trick_no, seat]
        assert card in turn.hand
        assert (card in turn.legal.cards) == may, f"trick {trick_no}: {seat} {card}"
        assert turn.legal.rule == rule


def test_playing_a_forbidden_card_is_a_fault(playthrough: Playthrough) -> None:
    deal = playthrough.deal
    for may, trick_no, seat, card, rule in playthrough.cards:
        tricks = [
            trick._replace(
                plays=tuple(
                    Play(seat, card) if number == trick_no and play.seat == seat else play
                    for play in trick.plays
                )
            )
            for number, trick in enumerate(deal.tricks, start=1)
        ]
        faults = check_deal(replace(deal, tricks=tuple(tricks)))
        accused = [
            fault
            for fault in faults
            if fault.rule == rule
            and fault.what.startswith(f"trick {trick_no}: seat {seat} played {card} but")
        ]
        assert len(accused) == (not may)


def test_saying_what_may_not_be_said_is_a_fault(playthrough: Playthrough) -> None:
    deal = playthrough.deal
    for seat, action, rule in playthrough.not_said:
        declarations = [
            Declaration(seat, action) if declaration.seat == seat else declaration
            for declaration in deal.declarations
        ]
        faults = check_deal(replace(deal, declarations=tuple(declarations)))
        assert (faults[0].rule, faults[0].what.split(";")[0]) == (
            rule,
            f"seat {seat} said {action}",
        )


def test_record_keeps_all_of_it(playthrough: Playthrough) -> None:
    record = Record(playthrough.deal, 7, 11, ("someone",) * playthrough.deal.players)
    problems = Problems("record")
    assert from_dict(to_dict(record), problems, 1) == record, list(problems)


def test_told_in_words_it_names_every_card_and_every_loo(playthrough: Playthrough) -> None:
    deal = playthrough.deal
    told = narrate(deal, ["someone"] * deal.players, 0, 1)
    for cards in (*deal.dealt.hands, deal.dealt.miss, [deal.dealt.turn_up]):
        assert " ".join(map(str, cards)) in told
    assert told.count("is looed") == sum(net < 0 for net in deal.net)
    assert told.count("wins the trick") == len(deal.tricks)
