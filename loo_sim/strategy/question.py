"""What advice is asked for: cards, announcements and the game, read and checked together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from loo_sim.cards import HAND_SIZE, Card, pack, parse_cards
from loo_sim.experiment import Cell
from loo_sim.problems import InputError, Problems, nearest
from loo_sim.runner.replay import cell_of_words
from loo_sim.views import Situation

SOURCE = "advise"
WORDS = {"fold": "fold", "stand": "stand", "miss": "miss"}
_FORMS = {
    **dict.fromkeys(("f", "folds", "folded", "pass", "passes"), "fold"),
    **dict.fromkeys(("s", "stands", "stood"), "stand"),
    **dict.fromkeys(("m", "misses", "took-miss", "takes-miss"), "miss"),
    **WORDS,
}
_SUIT_SIGNS = str.maketrans(dict(zip("♣♦♥♠♧♢♡♤", "cdhscdhs", strict=True)) | {"\ufe0f": None})
_RUN = re.compile(r"[fsm]{2,16}")


@dataclass(frozen=True)
class Question:
    """A hand to be advised on, its situation and the game.

    Attributes
    ----------
    cell : Cell
        Players, pot, rules, and one policy a seat.
    hand : tuple of Card
        Three cards, in the order given.
    turn_up : Card
        The card turned up.
    before : tuple of str
        What each seat before announced: ``fold``, ``stand`` or ``miss``.
    """

    cell: Cell
    hand: tuple[Card, ...]
    turn_up: Card
    before: tuple[str, ...]

    @property
    def situation(self) -> Situation:
        """What everybody at the table knows when the hand's seat announces."""
        return situation_after(self.cell, self.before)


def situation_after(cell: Cell, before: Sequence[str]) -> Situation:
    """The situation of the seat that speaks once those before it announced this."""
    standers = sum(word != "fold" for word in before)
    return Situation(
        cell.rules, cell.players, len(before), standers, "miss" not in before, cell.pot
    )


def ask(
    hand: str | Sequence[str],
    turn_up: str,
    players: int | None = None,
    before: str | Sequence[str] = (),
    pot: float | None = None,
    rules: str | None = None,
    policies: Sequence[str] = (),
    lead: bool = False,
    problems: Problems | None = None,
) -> Question:
    """Read what advice is asked for.

    Parameters
    ----------
    hand : str or sequence of str
        Three cards, as `cards.parse_cards` reads them; signs of suits (``K♥``) will do too.
    turn_up : str
        The card turned up.
    players : int, optional
        Seats.
    before : str or sequence of str
        A word for each seat before: ``fold,stand,miss``, ``f s m`` or ``fsm``.
    pot : float, optional
        Stakes in the pot when play begins; by default what the deal puts in.
    rules : str, optional
        As ``peel,loo=3``.
    policies : sequence of str
        Names or paths: one for all, or one a seat; commas may stand between them.
    lead : bool
        Whether it is also asked what to lead.
    problems : Problems, optional
        What is wrong already with what was asked.

    Returns
    -------
    Question

    Raises
    ------
    InputError
        With everything that is wrong; or if the seat has nothing to choose.
    """
    problems = Problems(SOURCE) if problems is None else problems
    cell = None
    names = [name.strip() for word in policies for name in word.split(",")]
    try:
        cell = cell_of_words(players, pot, rules, names)
    except InputError as error:
        problems.found += error.problems
    deck = 52 if cell is None else cell.rules.deck
    cards = _cards("hand", hand, deck, problems)
    if cards and len(cards) != HAND_SIZE:
        what = f"{_counted(len(cards), 'card')} given: {' '.join(map(str, cards))}"
        problems.add("hand", what, "a hand has three, as in 'Kh 7h 2c'")
    for card in dict.fromkeys(cards):
        if cards.count(card) > 1:
            problems.add("hand", f"{card.name} is there {_times(cards.count(card))}")
    turned = _cards("turn-up", turn_up, deck, problems)
    if turned and len(turned) != 1:
        problems.add("turn-up", f"{_counted(len(turned), 'card')} given", "one card is turned up")
    for card in dict.fromkeys(cards):
        if len(turned) == 1 and card in turned:
            what = f"{card.name} is turned up, and in the hand"
            problems.add("hand", what, "the card turned up is in nobody's hand")
    said = _announcements(before, problems)
    _check_before(said, None if cell is None else cell.players, problems)
    if cell is not None and not problems:
        _check_choice(Question(cell, tuple(cards), turned[0], tuple(said)), problems)
    leader = next((seat for seat, word in enumerate(said) if word not in ("fold", "")), None)
    if lead and leader is not None:
        what = f"seat {leader} leads, the first player in: that is not yours to choose"
        problems.add("lead", what, "it is where all before fold")
    problems.raise_if_any()
    assert cell is not None
    return Question(cell, tuple(cards), turned[0], tuple(said))


def _cards(key: str, given: str | Sequence[str], deck: int, problems: Problems) -> list[Card]:
    """The cards of a text; what is none is noted, as are cards that the pack does not have."""
    if not isinstance(given, str):
        listed = isinstance(given, list | tuple)
        if not listed or not all(isinstance(word, str | Card) for word in given):
            problems.add(key, f"{given!r} is not a text of cards", "as in 'Kh 7h 2c'")
            return []
        given = " ".join(map(str, given))
    try:
        cards = parse_cards(given.translate(_SUIT_SIGNS))
    except ValueError as error:
        what, _, hint = str(error).partition(": ")
        problems.add(key, what, hint)
        return []
    if not cards:
        problems.add(key, "no card is given", "as in 'Kh 7h 2c'" if key == "hand" else "as in 9h")
    there = pack(deck)
    for card in dict.fromkeys(cards):
        if card not in there:
            lowest = there[0]
            what = f"{card.name} is not in a pack of {deck}"
            problems.add(key, what, f"from the {lowest.name.split()[1]} up")
    return cards


def _announcements(given: str | Sequence[str], problems: Problems) -> list[str]:
    """What was announced before, in whole words; what is no announcement is noted."""
    words = [given] if isinstance(given, str) else given
    listed = isinstance(words, list | tuple)
    if not listed or not all(isinstance(word, str) for word in words):
        problems.add("before", f"{given!r} is not a list of announcements", "as in 'fold,stand'")
        return []
    parts = [part.lower() for word in words for part in word.replace(",", " ").split()]
    said = []
    for seat, word in enumerate(w for p in parts for w in (p if _RUN.fullmatch(p) else [p])):
        if word.startswith("defend"):
            what = f"seat {seat} cannot defend: only the dealer may, and nobody speaks after him"
            problems.add("before", what)
        elif word not in _FORMS:
            problems.add("before", *_no_announcement(word))
        said.append(_FORMS.get(word, ""))
    return said


def _no_announcement(word: str) -> tuple[str, str]:
    """What is wrong with a word, and a hint; of letters run together which one it is."""
    hint = nearest(word, WORDS)
    wrong = [letter for letter in word if letter not in _FORMS]
    if hint.startswith("one of") and 0 < len(wrong) < len(word) / 2:
        return f"'{wrong[0]}' of '{word}' is no announcement", "f, s or m for each seat"
    return f"'{word}' is no announcement", hint


def _check_before(said: Sequence[str], players: int | None, problems: Problems) -> None:
    """Note announcements of more seats than there are before the last, and a miss taken twice."""
    if players is not None and len(said) >= players:
        what = f"{len(said)} announcements are too many with {players} players"
        hint = f"at most {players - 1} seats speak before the dealer, one word each"
        problems.add("before", what, hint)
    takers = [seat for seat, word in enumerate(said) if word == "miss"]
    for seat in takers[1:]:
        what = f"seat {seat} cannot take the miss, which seat {takers[0]} has taken"
        problems.add("before", what, "only the first to ask gets it; seats count from 0")


def _check_choice(question: Question, problems: Problems) -> None:
    """Note why there is nothing to choose, if so."""
    cell, situation = question.cell, question.situation
    if cell.rules.everyone_must_stand(cell.players, cell.pot, question.turn_up.suit):
        by_club = cell.rules.club_law and question.turn_up.suit == "c"
        why = "clubs are trumps (club_law)" if by_club else "the pot is single (force_on_single)"
        problems.add("", f"there is nothing to choose: {why}, so everyone must stand")
    elif situation.is_dealer and not situation.standers:
        what = "there is nothing to choose: all before the dealer fold, and he takes the pot"
        problems.add("before", what)


def _times(number: int) -> str:
    return "twice" if number == 2 else f"{number} times"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"
