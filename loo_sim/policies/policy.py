"""What a policy is, once its file has been read: rules for announcing and for playing cards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from loo_sim.policies.language import MONEY_NAMES
from loo_sim.policies.table import PolicyTable
from loo_sim.policies.tree import Arithmetic, Node, Number

ACTIONS = ("fold", "stand", "miss", "defend")
"""What may be announced, in the order in which chances are summed."""

RANDOM = "random"
ANNOUNCE_WORDS = (*ACTIONS, RANDOM)

PLAY_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "lead_trump": ("low", "high", RANDOM),
        "lead_plain": ("low", "high", RANDOM),
        "head": ("low", "high", RANDOM),
        "lose": ("low", "high", RANDOM),
        "lead": ("trump", "plain", RANDOM),
    }
)
"""The words of each kind of play, in the order of their numbers in compiled tables."""

PLAY_DEFAULTS: Mapping[str, str] = MappingProxyType(
    {"lead_trump": "low", "lead_plain": "high", "head": "low", "lose": "low", "lead": "trump"}
)


@dataclass(frozen=True)
class Rule:
    """One rule: where its condition holds, do this.

    Attributes
    ----------
    when : Node
        The condition.
    text : str
        The condition as it was written.
    do : str
        One of `ANNOUNCE_WORDS`, or of the `PLAY_WORDS` of its kind.
    chance : Fraction
        Share of the cases left to this rule that it takes, at most 1; 0 only where a parameter or
        a sweep says so.
    chance_from : str
        The parameter that `chance` is the value of; empty if a number stands there.
    params : tuple of str
        The parameters that the condition speaks of.
    """

    when: Node
    text: str
    do: str
    chance: Fraction = Fraction(1)
    chance_from: str = ""
    params: tuple[str, ...] = ()

    @cached_property
    def told(self) -> str:
        """What it does, whatever its layout: condition, word and chance, as JSON."""
        return json.dumps([str(self.when), self.do, str(self.chance)])

    @cached_property
    def mixes(self) -> bool:
        """Whether it leaves something to chance, but for the word `random`."""
        return 0 < self.chance < 1

    @cached_property
    def looks_at_pot(self) -> bool:
        """Whether its condition speaks of money."""
        return not MONEY_NAMES.isdisjoint(self.when.names())

    @cached_property
    def may_divide_by_zero(self) -> bool:
        """Whether a divisor is other than a number or a bare sum of money, which is never 0."""
        return any(
            sign == "/"
            and str(divisor) not in MONEY_NAMES
            and not (isinstance(divisor, Number) and divisor.value)
            for node in self.when.walk()
            if isinstance(node, Arithmetic)
            for sign, divisor in zip(node.signs, node.parts[1:], strict=True)
        )


@dataclass(frozen=True)
class Choice:
    """Rules in the order in which they are tried, and what to do where none applies."""

    rules: tuple[Rule, ...]
    otherwise: str


class Play(NamedTuple):
    """How cards are played: a choice of word for each kind, in the order of `PLAY_WORDS`.

    Attributes
    ----------
    lead_trump, lead_plain : Choice
        Which card to lead among legal trumps, and among plain cards.
    head : Choice
        Which of the winning cards to play.
    lose : Choice
        Which card to play when none wins.
    lead : Choice
        Whether to lead a trump or a plain card where both are legal.
    """

    lead_trump: Choice
    lead_plain: Choice
    head: Choice
    lose: Choice
    lead: Choice


@dataclass(frozen=True)
class Policy:
    """A way to announce and to play.

    Attributes
    ----------
    name, about : str
        Name, and one line about it.
    announce : Choice
        Rules for announcing; none where a table speaks.
    table : PolicyTable or None
        Chances of each announcement by situation and hand, before `announce.otherwise`.
    play : Play
        Rules for playing cards.
    source : str
        The file it was read from, as it was named.
    text : str
        The text of that file.
    digest : str
        SHA-256 (hexadecimal) of what it does: its name, rules, words and table, whatever the
        layout and the comments of its file.
    params : mapping of str to (float or bool)
        Its parameters and their values.
    changes : mapping of str to (float or bool)
        Numbers of it that are not those of its file, by their places there (see `variants`).
    """

    name: str
    about: str
    announce: Choice
    table: PolicyTable | None
    play: Play
    source: str
    text: str
    digest: str
    params: Mapping[str, float] = field(default_factory=dict, hash=False)
    changes: Mapping[str, float] = field(default_factory=dict, hash=False)

    def condition(self, rule: Rule) -> str:
        """The condition of one of its rules, with the values of its parameters."""
        told = parameters_in_words({name: self.params[name] for name in rule.params})
        return f"{rule.text} ({told})" if told else rule.text


def parameters_in_words(params: Mapping[str, float]) -> str:
    """Parameters as a policy file writes them: ``reach = 2, brave = true``."""
    return ", ".join(
        f"{name} = {str(value).lower() if isinstance(value, bool) else f'{value:.6g}'}"
        for name, value in params.items()
    )


def policy_digest(name: str, announce: Choice, table: PolicyTable | None, play: Play) -> str:
    """The digest of a policy with these parts."""

    def told(choice: Choice) -> str:
        return (
            f"[[{', '.join(rule.told for rule in choice.rules)}], {json.dumps(choice.otherwise)}]"
        )

    # JSON with sorted keys, put together by hand: rules keep their parts of it, and a sweep asks
    # for the digests of thousands of policies that have most rules in common.
    playing = ", ".join(
        f'"{kind}": {told(choice)}' for kind, choice in sorted(play._asdict().items())
    )
    content = (
        f'{{"announce": {told(announce)}, "name": {json.dumps(name)}, "play": {{{playing}}}, '
        f'"table": {json.dumps(table and table.digest)}}}'
    )
    return hashlib.sha256(content.encode()).hexdigest()


def fallback(otherwise: str, legal: Collection[str]) -> str:
    """What `otherwise` comes to: itself if legal, else fold, else defend, else stand.

    Parameters
    ----------
    otherwise : str
        One of `ANNOUNCE_WORDS`.
    legal : collection of str
        The legal announcements.
    """
    if otherwise == RANDOM:
        return RANDOM
    return next(word for word in (otherwise, "fold", "defend", "stand") if word in legal)
