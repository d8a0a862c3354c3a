"""The rules of one game of Loo: every option of the rulebook, the presets, what goes together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal

from loo_sim.cards import HAND_SIZE
from loo_sim.problems import Problems, nearest

UNITS_PER_STAKE = 729
"""Units of money to the stake: 3**6, so that thirds stay whole through six defended misses."""

POT_LOO = "pot"
"""The `loo` of unlimited loo: a looed player pays as much as the pot held before payment."""


@dataclass(frozen=True)
class Rules:
    """The rules of a game; the default values are the preset ``standard``.

    Built from a user's words by `parse_rules`, which checks them; nothing is checked here, so that
    tests may play with small packs.

    Attributes
    ----------
    deck : int
        Cards in the pack: 52, or 32 (seven to ace).
    min_players : int
        Fewest players.
    dealer_stake : int
        Stakes that the dealer puts into the pot at each deal.
    ante : int
        Stakes that each of the others puts in.
    loo : int or "pot"
        Stakes that a looed player pays; ``"pot"``: as much as the pot held before payment.
    loo_cap : int or None
        With ``loo = "pot"``, the most stakes a loo can be.
    defend : str
        When the dealer may defend the miss: ``any`` (somebody stood and the miss is there),
        ``lone`` (exactly one player stood, on his own hand), ``never``.
    dealer_may_fold : bool
        The dealer may fold even where he could defend.
    defend_with : str
        Whose cards a defending dealer plays: those of the ``miss``, or his ``own``.
    first_lead : str
        What the first leader must lead beside the ace of trumps (the king, if the ace is turned
        up): ``any-trump`` if he has one; of ``two-trumps`` or more any; of two or more the
        ``highest``. Against one opponent it is the highest in any case.
    later_lead : str
        What a later leader who has a trump must lead: ``any-trump``, his ``highest``, or any card
        (``free``).
    undertrump : str
        Whether a void player whose trumps all lose ``must`` play one, or it is ``optional``.
    club_law : bool
        When clubs are trumps everyone must stand on the dealt hand.
    force_on_single : bool
        When the pot holds only the dealer's stake and the antes everyone must stand.
    end : str
        What becomes of the pot at a session's end: ``leave`` it and report it, ``split`` it
        equally, or play on until nobody is looed (``no-loo``).
    """

    deck: int = 52
    min_players: int = 5
    dealer_stake: int = 3
    ante: int = 0
    loo: int | Literal["pot"] = 3
    loo_cap: int | None = None
    defend: Literal["any", "lone", "never"] = "any"
    dealer_may_fold: bool = False
    defend_with: Literal["miss", "own"] = "miss"
    first_lead: Literal["any-trump", "two-trumps", "highest"] = "any-trump"
    later_lead: Literal["any-trump", "highest", "free"] = "any-trump"
    undertrump: Literal["must", "optional"] = "must"
    club_law: bool = False
    force_on_single: bool = False
    end: Literal["leave", "split", "no-loo"] = "leave"

    @property
    def max_players(self) -> int:
        """Most players: three cards each, three for the miss and one turned up."""
        return (self.deck - HAND_SIZE - 1) // HAND_SIZE

    def single_pot(self, players: int) -> int:
        """Units in a pot that holds only the dealer's stake and the antes."""
        return (self.dealer_stake + self.ante * (players - 1)) * UNITS_PER_STAKE

    def loo_units(self, pot: int) -> int:
        """Units that a looed player pays when the pot held `pot` units before payment.

        Where the loo is the pot it is at most `MOST_LOO`.
        """
        if isinstance(self.loo, int):
            return self.loo * UNITS_PER_STAKE
        cap = MOST_LOO if self.loo_cap is None else self.loo_cap * UNITS_PER_STAKE
        return min(pot, cap)

    def everyone_must_stand(self, players: int, pot: int, trump_suit: str) -> bool:
        """Whether club law or a single pot makes everyone stand on the dealt hand.

        Parameters
        ----------
        players : int
            Seats.
        pot : int
            Units in the pot when play begins.
        trump_suit : str
            ``c``, ``d``, ``h`` or ``s``.
        """
        return (self.club_law and trump_suit == "c") or (
            self.force_on_single and pot == self.single_pot(players)
        )

    def may_fold(self, is_dealer: bool, standers: int, miss_free: bool) -> bool:
        """S6 and S9: anyone may fold, but not a dealer who could defend (`dealer_may_fold`)."""
        return self.dealer_may_fold or not self.may_defend(is_dealer, standers, miss_free)

    def may_defend(self, is_dealer: bool, standers: int, miss_free: bool) -> bool:
        """S9: the dealer may defend a miss still there against whom `defend` says."""
        allowed = {"any": standers >= 1, "lone": standers == 1, "never": False}
        return is_dealer and miss_free and allowed[self.defend]

    def legal_actions(self, is_dealer: bool, standers: int, miss_free: bool) -> tuple[str, ...]:
        """What may be announced, in the order fold, stand, miss, defend.

        Parameters
        ----------
        is_dealer : bool
            Whether the dealer speaks; he speaks only if somebody is in.
        standers : int
            Players in so far.
        miss_free : bool
            Whether nobody has taken the miss yet.
        """
        legal = {
            "fold": self.may_fold(is_dealer, standers, miss_free),
            "stand": True,
            "miss": miss_free,
            "defend": self.may_defend(is_dealer, standers, miss_free),
        }
        return tuple(action for action, is_legal in legal.items() if is_legal)

    def to_dict(self) -> dict[str, Any]:
        """Every option and its value, flat, as deal records and manifests hold them."""
        return dict(vars(self))


PRESETS: Mapping[str, Rules] = MappingProxyType(
    {
        "standard": Rules(),
        "peel": Rules(
            min_players=3,
            loo=6,
            defend="lone",
            first_lead="highest",
            later_lead="highest",
            undertrump="optional",
        ),
        "enquire": Rules(
            min_players=3,
            defend="never",
            first_lead="highest",
            later_lead="free",
            undertrump="optional",
            force_on_single=True,
        ),
        "classic": Rules(min_players=3, defend="lone", first_lead="two-trumps"),
        "unlimited": Rules(loo="pot"),
        "club": Rules(club_law=True),
    }
)
"""The named house rules of the rulebook."""

PRESET_NOTES: Mapping[str, str] = MappingProxyType(
    {
        "standard": "the rules page: loo of 3 stakes, the dealer may defend the miss",
        "peel": "Peel 1891: loo of 6, defence only against a lone player, highest trump leads",
        "enquire": "Enquire Within: no defence, a single pot makes everyone stand",
        "classic": "Hoffmann and Britannica: defence only against a lone player, two-trump leads",
        "unlimited": "standard with unlimited loo: a looed player pays as much as the pot held",
        "club": "standard with club law: clubs as trumps make everyone stand",
    }
)

CHOICES: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "deck": (52, 32),
        "defend": ("any", "lone", "never"),
        "defend_with": ("miss", "own"),
        "first_lead": ("any-trump", "two-trumps", "highest"),
        "later_lead": ("any-trump", "highest", "free"),
        "undertrump": ("must", "optional"),
        "end": ("leave", "split", "no-loo"),
    }
)
FLAGS = ("dealer_may_fold", "club_law", "force_on_single")
LEAST = {"min_players": 2, "dealer_stake": 0, "ante": 0, "loo": 1, "loo_cap": 1}
"""Of options that are numbers, the least."""
MOST_STAKES = 1_000_000
"""Largest number of stakes that any option may name: sums of units stay far inside an int64."""

MOST_LOO = 2**36
"""Units, some 94 million stakes: the most that an unlimited loo can be, so that sums stay whole."""

MOST_EXTRA_DEALS = 1_000
"""With ``end = "no-loo"``, the most deals that are played after the last."""

OPTIONS = tuple(field.name for field in fields(Rules))


def parse_rules(
    options: Mapping[str, Any],
    problems: Problems,
    key: str = "rules",
    line_of: Callable[[str], int | None] | None = None,
) -> Rules | None:
    """Resolve a preset and the options that override it, noting everything that is wrong.

    Parameters
    ----------
    options : mapping of str to object
        ``preset`` (default ``standard``) and any options of the rulebook.
    problems : Problems
        Where problems are noted.
    key : str
        Dotted key under which the options stand; empty for none.
    line_of : callable, optional
        From a dotted key to its line in the source.

    Returns
    -------
    Rules or None
        None if a problem was noted.
    """
    before = len(problems.found)

    def wrong(option: str, what: str, hint: str = "") -> None:
        dotted = f"{key}.{option}" if key else option
        problems.add(dotted, what, hint, line_of(dotted) if line_of else None)

    preset = options.get("preset", "standard")
    if not isinstance(preset, str) or preset not in PRESETS:
        wrong("preset", f"there is no preset {preset!r}", nearest(str(preset), PRESETS))
        preset = "standard"
    given: dict[str, Any] = {}
    for option, value in options.items():
        if option == "preset":
            continue
        if option not in OPTIONS:
            wrong(option, "no such option of the rules", nearest(option, (*OPTIONS, "preset")))
            continue
        fault = option_fault(option, value)
        if fault:
            wrong(option, *fault)
        else:
            given[option] = value
    rules = replace(PRESETS[preset], **given)
    for option, what, hint in _senseless(rules, given):
        wrong(option, what, hint)
    return rules if len(problems.found) == before else None


def option_fault(option: str, value: Any) -> tuple[str, str] | None:
    """What is wrong with one option's value alone, and what would be right."""
    if option in CHOICES:
        choices = CHOICES[option]
        if type(value) is type(choices[0]) and value in choices:
            return None
        shown = ", ".join(repr(choice).replace("'", '"') for choice in choices)
        return f"{value!r} is not one of its values", f"one of: {shown}"
    if option in FLAGS:
        return None if isinstance(value, bool) else (f"{value!r} is not true or false", "")
    if option == "loo" and value == POT_LOO:
        return None
    if option == "loo_cap" and value is None:
        return None
    least = LEAST[option]
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= MOST_STAKES:
        return None
    either = ' or "pot"' if option == "loo" else ""
    counted = "" if option == "min_players" else "of stakes "
    return f"{value!r} is not a whole number {counted}from {least} to {MOST_STAKES:,}{either}", ""


def _senseless(rules: Rules, given: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Combinations that make no sense: option to blame, what is wrong (naming both), a hint."""
    faults = []
    if rules.loo_cap is not None and rules.loo != POT_LOO:
        faults.append(
            ("loo_cap", f'loo_cap caps only loo = "pot", and loo is {rules.loo}', 'set loo = "pot"')
        )
    if rules.defend == "never" and rules.defend_with == "own":
        faults.append(
            (
                "defend_with",
                'defend_with = "own" says whose cards a defender plays, but defend is "never"',
                'set defend = "any" or "lone", or leave defend_with out',
            )
        )
    if rules.defend == "never" and given.get("dealer_may_fold"):
        faults.append(
            (
                "dealer_may_fold",
                'dealer_may_fold = true speaks of a dealer who could defend, but defend is "never"',
                "leave it out: with no defence he may always fold",
            )
        )
    if rules.dealer_stake == 0 and rules.ante == 0:
        faults.append(
            (
                "dealer_stake",
                "dealer_stake and ante are both 0, so nobody ever puts anything into the pot",
                "set one of them to 1 or more",
            )
        )
    if rules.min_players > rules.max_players:
        faults.append(
            (
                "min_players",
                f"min_players = {rules.min_players} is more than the {rules.max_players} whom "
                f"deck = {rules.deck} serves",
                f"from 2 to {rules.max_players}",
            )
        )
    return faults


def players_fault(rules: Rules, players: Any) -> str | None:
    """What is wrong with a number of players under `rules`, and which are legal; None if fine."""
    low, high = rules.min_players, rules.max_players
    if isinstance(players, int) and not isinstance(players, bool) and low <= players <= high:
        return None
    return (
        f"{players!r} players cannot play: these rules (min_players = {low}, "
        f"deck = {rules.deck}) take {low} to {high}"
    )


def pot_fault(rules: Rules, players: int, stakes: Any) -> str | None:
    """What is wrong with a pot of `stakes` stakes when play begins; None if fine."""
    single = rules.single_pot(players) // UNITS_PER_STAKE
    if isinstance(stakes, bool) or not isinstance(stakes, int | float):
        return f"{stakes!r} is not a number of stakes"
    if not single <= stakes <= MOST_STAKES:
        return (
            f"a pot of {stakes:g} stakes cannot be: with {players} players dealer_stake = "
            f"{rules.dealer_stake} and ante = {rules.ante} put {single} in; "
            f"from {single} to {MOST_STAKES:,}"
        )
    if stakes * UNITS_PER_STAKE != int(stakes * UNITS_PER_STAKE):
        return (
            f"a pot of {stakes:g} stakes is no whole number of units ({UNITS_PER_STAKE} to the "
            f"stake); the nearest whole stake is {round(stakes)}"
        )
    return None
