"""Card names, the live cards of a deal, and the classes of hands that play alike.

A deal has one card turned up, whose suit is trumps and which nobody holds. The cards left are the
*live* cards: `m - 1` trumps and three plain suits of `m`, where `m` is the number of ranks (13 in
the whole pack). Live cards are numbered from 0: the plain suits in the order c, d, h, s with the
trump suit left out, each from its lowest rank up, and then the live trumps from the lowest up.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

RANKS = "23456789TJQKA"
SUITS = "cdhs"
SUIT_NAMES = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
_RANK_WORDS = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)
RANK_NAMES = dict(zip(RANKS, _RANK_WORDS, strict=True))
ACE = 14
HAND_SIZE = 3


class Card(NamedTuple):
    """A card. Cards sort by rank, then by suit in the order c, d, h, s.

    Attributes
    ----------
    rank : int
        2 to 14; 11 is the jack, 14 the ace.
    suit : str
        ``c``, ``d``, ``h`` or ``s``.

    Examples
    --------
    >>> str(Card.parse("10H"))
    'Th'
    """

    rank: int
    suit: str

    def __str__(self) -> str:
        return RANKS[self.rank - 2] + self.suit

    @property
    def name(self) -> str:
        """The card in words: ``the ten of hearts``."""
        return f"the {RANK_NAMES[RANKS[self.rank - 2]]} of {SUIT_NAMES[self.suit]}"

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read a card: rank then suit, any case, ``10`` or ``T`` for the ten.

        Raises
        ------
        ValueError
            If `text` names no card; the message says what a card looks like.
        """
        word = text.strip()
        rank, suit = word[:-1].upper().replace("10", "T"), word[-1:].lower()
        if len(rank) != 1 or rank not in RANKS or suit not in SUIT_NAMES:
            raise ValueError(
                f"'{text}' is not a card: write a rank ({' '.join(reversed(RANKS))}) "
                f"and a suit ({' '.join(SUITS)}), as in Th"
            )
        return cls(RANKS.index(rank) + 2, suit)


def parse_cards(text: str) -> list[Card]:
    """Read cards written with spaces or commas between them, or without anything (``As7sKh``).

    Raises
    ------
    ValueError
        At the first word that is not a card.
    """
    words: list[str] = []
    for word in text.replace(",", " ").split():
        plain = word.replace("10", "T")
        whole = len(plain) > 2 and len(plain) % 2 == 0
        words += [plain[i : i + 2] for i in range(0, len(plain), 2)] if whole else [word]
    return [Card.parse(word) for word in words]


def lowest_rank(deck: int) -> int:
    """Lowest rank of a pack of `deck` cards: 2 for 52, 7 for 32."""
    return ACE + 1 - deck // 4


def pack(deck: int) -> list[Card]:
    """Every card of a pack of `deck` cards, by suit and then by rank."""
    return [Card(rank, suit) for suit in SUITS for rank in range(lowest_rank(deck), ACE + 1)]


def live_cards(turn_up: Card, deck: int = 52) -> list[Card]:
    """The live cards in the order of their numbers: plain suits first, trumps last.

    Parameters
    ----------
    turn_up : Card
        The card turned up.
    deck : int
        Cards in the pack.

    Returns
    -------
    list of Card
        `deck - 1` cards; the card at position i is live card number i.
    """
    cards = [card for card in pack(deck) if card != turn_up]
    return [card for card in cards if card.suit != turn_up.suit] + [
        card for card in cards if card.suit == turn_up.suit
    ]


def hand_index(numbers: Sequence[int]) -> int:
    """Index of a hand among all hands of live cards (its combinadic).

    Parameters
    ----------
    numbers : sequence of int
        Three different live card numbers, in any order.

    Returns
    -------
    int
        ``C(c,3) + C(b,2) + a`` for the numbers sorted ``a < b < c``: 0 to 20,824 in the whole pack.
    """
    a, b, c = sorted(numbers)
    return comb(c, 3) + comb(b, 2) + a


@lru_cache(maxsize=4)
def all_hands(deck: int = 52) -> npt.NDArray[np.int64]:
    """Every hand of three live cards, in the order of `hand_index`.

    Returns
    -------
    ndarray of int64, shape (C(deck - 1, 3), 3)
        Live card numbers, ascending in each row. Read-only.
    """
    live = deck - 1
    hands = np.array(
        [(a, b, c) for c in range(2, live) for b in range(1, c) for a in range(b)], dtype=np.int64
    )
    hands.setflags(write=False)
    return hands


class HandClasses(NamedTuple):
    """The hands that play alike, since the plain suits are interchangeable.

    Attributes
    ----------
    class_of : ndarray of int64, shape (hands,)
        Class of each hand, by `hand_index`.
    size : ndarray of int64, shape (classes,)
        Number of hands in each class.
    names : tuple of str
        Representative of each class, with spades trumps and the lowest spade turned up:
        ``As7sKh``. Trumps first, then plain cards by rank; plain suits are called h, d, c in the
        order of first use.
    member : ndarray of int64, shape (classes,)
        Index of the representative among all hands.
    ordered : ndarray of int64, shape (hands, 3)
        Live card numbers of each hand in the order of its class's name, by `hand_index`.
    """

    class_of: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    names: tuple[str, ...]
    member: npt.NDArray[np.int64]
    ordered: npt.NDArray[np.int64]


@lru_cache(maxsize=4)
def hand_classes(deck: int = 52) -> HandClasses:
    """Sort every hand into its class: 4,861 classes in the whole pack.

    Classes are ordered by their trumps and then by their plain cards, from the highest down, hands
    with more trumps first.

    Parameters
    ----------
    deck : int
        Cards in the pack.

    Returns
    -------
    HandClasses
    """
    ranks = deck // 4
    live = live_cards(Card(lowest_rank(deck), "s"), deck)
    hands = all_hands(deck)
    # A card's code grows with its worth, so that the largest sorted triple of codes over all
    # renamings of the plain suits is a canonical form: trumps, rank, then h before d before c.
    codes, forms = [], []
    for renaming in permutations(range(3)):
        number = np.arange(deck - 1)
        suit, rank = number // ranks, number % ranks
        renamed = np.array([*renaming, 3])[suit]
        code = np.where(suit == 3, 3 * ranks + rank, 3 * rank + renamed)[hands]
        triple = np.sort(code, axis=1)
        codes.append(code)
        forms.append((triple[:, 2] * 64 + triple[:, 1]) * 64 + triple[:, 0])
    form, naming = np.max(forms, axis=0), np.argmax(forms, axis=0)
    canonical = np.array(codes)[naming, np.arange(naming.size)]
    ordered = np.take_along_axis(hands, np.argsort(-canonical, axis=1), axis=1)
    _, first, class_of, size = np.unique(
        -form, return_index=True, return_inverse=True, return_counts=True
    )
    # The hand whose own naming (c, d, h = 0, 1, 2) is the canonical one represents its class.
    own = np.full(first.size, -1, dtype=np.int64)
    is_own = forms[0] == form
    own[class_of[is_own]] = np.flatnonzero(is_own)
    words = [str(card) for card in live]
    names = tuple(words[a] + words[b] + words[c] for a, b, c in ordered[own].tolist())
    for array in (class_of, size, own, ordered):
        array.setflags(write=False)
    return HandClasses(class_of, size, names, own, ordered)


@lru_cache(maxsize=1)
def class_numbers() -> dict[str, int]:
    """The number of each class of the whole pack, by its name."""
    return {name: number for number, name in enumerate(hand_classes().names)}


@lru_cache(maxsize=4)
def classes_in_whole_pack(deck: int) -> npt.NDArray[np.int64]:
    """For each class of a pack its number among those of the whole one, where it has its name.

    Parameters
    ----------
    deck : int
        Cards in the pack.

    Returns
    -------
    ndarray of int64, shape (classes,)
        Read-only.
    """
    found = np.array([class_numbers()[name] for name in hand_classes(deck).names], dtype=np.int64)
    found.setflags(write=False)
    return found
