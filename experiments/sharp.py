"""How the cards are best played by words: every single change of a word, and what play is worth.

Usage: python experiments/sharp.py [DEALS]

Two tables. In the first each row is one word changed, and what one player gains who makes the
change, in each game: his own net, paired on DEALS (1,000,000) deals a seat, all others and all
announcements as they were. In the second is what a player in wins by the words of `sharp`, what
cards drawn at random from the legal ones win less, and what the best cards win more: found by an
exact search of the three tricks, all cards known to him, which no play against these words can
better.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loo_sim.policies.parse import BUILTIN
from loo_sim.policies.policy import PLAY_DEFAULTS
from loo_sim.rounding import with_error
from loo_sim.strategy.sight import gain_of_words, worth_of_play
from loo_sim.tomlwrite import document

GAMES = (
    ("trumps", 5, 3),
    ("trumps", 6, 3),
    ("peel", 6, 6),
    ("peel", 8, 15),
)
"""Announced as, players, stakes in the pot."""
SEED = 6
"""Another than that of the deals on which the words of `sharp` were chosen."""
PLACES = ("in_play == 2", "in_play == 3", "in_play >= 4")
OTHERS_TO_PLAY = ("last", "not last and in_play == 3", "not last and in_play >= 4")
BEST = ("best_is_trump", "not best_is_trump")
SHARP = {
    "lead_trump": [("trick_no == 2", "high")],
    "lead_plain": [],
    "head": [("trick_no == 2 and not last", "high")],
    "lose": [],
}


class Change(NamedTuple):
    """A word in place of another: of a kind of play, where a condition holds."""

    kind: str
    when: str
    do: str


def changes() -> Iterator[Change]:
    """Every single change of a word that can make a difference under the standard rules.

    The third trick leaves no choice, and the first lead against one opponent none among trumps. A
    word is changed from low to high or from high to low: `random` is a mean of both.
    """
    for trick in (1, 2):
        for place in PLACES:
            for kind in ("lead_trump", "lead_plain"):
                if (trick, place, kind) != (1, PLACES[0], "lead_trump"):
                    yield _other(kind, f"trick_no == {trick} and {place}")
        for best in BEST:
            for place in OTHERS_TO_PLAY:
                yield _other("head", f"trick_no == {trick} and {place} and {best}")
            for place in PLACES:
                yield _other("lose", f"trick_no == {trick} and {place} and {best}")


def _other(kind: str, when: str) -> Change:
    """The change to the word that `sharp` does not say there."""
    is_changed = any(when.startswith("trick_no == 2") for _ in SHARP[kind])
    said = "high" if is_changed and " and last" not in when else PLAY_DEFAULTS[kind]
    return Change(kind, when, "low" if said == "high" else "high")


def policy(name: str, announced: str, change: Change | None = None) -> str:
    """A policy file: announced as a built-in policy does, played as `sharp` but for a change."""
    text = (BUILTIN / f"{announced}.toml").read_text(encoding="utf-8")
    body = text[text.index("\n[") : text.index("[play]")]
    play = {
        kind: {
            "rules": [
                {"when": when, "do": do}
                for when, do in [
                    *(
                        (change.when, change.do)
                        for _ in range(change is not None and change.kind == kind)
                    ),
                    *rules,
                ]
            ],
            "otherwise": PLAY_DEFAULTS[kind],
        }
        for kind, rules in SHARP.items()
    }
    return f'name = "{name}"\n{body}{document({"play": play})}'


def gain_of(change: Change, announced: str, players: int, pot: float, deals: int) -> str:
    """What a player gains by a change, in stakes a deal."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.toml", Path(folder) / "after.toml"
        before.write_text(policy("before", announced), encoding="utf-8")
        after.write_text(policy("after", announced, change), encoding="utf-8")
        gain, se = gain_of_words(before, after, players, pot, SEED, deals)
    return with_error(gain, se, players * deals)


def main(deals: int = 1_000_000) -> None:
    """Print both tables."""
    titles = [f"{name}, {players} players, pot {pot}" for name, players, pot in GAMES]
    print("| kind | where | word | " + " | ".join(titles) + " |")
    print("|---|---|---|" + "---|" * len(titles))
    for change in changes():
        gains = [gain_of(change, *game, deals) for game in GAMES]
        print("| " + " | ".join([*change, *gains]) + " |", flush=True)
    print("\n| game | net of a player in | drawn at random | best, all cards known |")
    print("|---|---|---|---|")
    for title, (name, players, pot) in zip(titles, GAMES, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sharp.toml"
            path.write_text(policy("sharp", name), encoding="utf-8")
            found = worth_of_play(path, players, pot, SEED, deals)
        cells = [with_error(*pair, found.n) for pair in (found.net, found.random, found.sight)]
        print("| " + " | ".join([title, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
