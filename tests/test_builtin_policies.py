"""The built-in policies: what each says on hands whose answer its description gives."""

from __future__ import annotations

import re
import shutil
from fractions import Fraction
from functools import cache

import pytest

from loo_sim.cards import Card, parse_cards
from loo_sim.draws import Choices
from loo_sim.policies.parse import BUILTIN, builtin_names, load_policy, read_policy
from loo_sim.policies.player import PolicyPlayer, chances, reason
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.views import Situation, Turn

STAKE = UNITS_PER_STAKE
loaded = cache(load_policy)
CHOICES = Choices(0, ((2, 0, 1), (1, 0)))


@pytest.mark.parametrize("name", builtin_names())
def test_every_rule_of_a_built_in_policy_can_apply(name, tmp_path):
    # A copy is looked through as any file is; the built-in one is not, at each start.
    copy = tmp_path / f"{name}.toml"
    for file in BUILTIN.glob(f"{name}.*"):  # its table too
        shutil.copy(file, tmp_path)
    assert read_policy(copy).digest == loaded(name).digest


def said(
    name: str,
    hand: str,
    *,
    rules: str = "standard",
    players: int = 6,
    seat: int = 2,
    standers: int = 1,
    miss_free: bool = True,
    pot: float = 3,
) -> str:
    """The only announcement that a policy makes with the two of spades turned up."""
    situation = Situation(PRESETS[rules], players, seat, standers, miss_free, int(pot * STAKE))
    given = chances(loaded(name), situation, parse_cards(hand), Card.parse("2s"))
    (action,) = [action for action, chance in given.items() if chance]
    return action


def test_the_nine_are_there_and_named_after_their_files() -> None:
    assert builtin_names() == (
        "always-stand", "equilibrium", "loose", "peel", "pot-odds", "random", "sharp", "tight",
        "trumps",
    )  # fmt: skip
    for name in builtin_names():
        policy = loaded(name)
        assert policy.name == name
        assert policy.about


@pytest.mark.parametrize("name", sorted(set(builtin_names()) - {"random"}))
@pytest.mark.parametrize("hand", ["As3h4d", "As3s5h", "AsKsQs"])
def test_all_stand_on_the_best_trump(name: str, hand: str) -> None:
    """Its holder cannot be looed, so that standing beats folding."""
    for seat, standers in [(0, 0), (2, 2), (5, 1), (5, 5)]:
        if name == "equilibrium" and standers == 5:
            continue  # where its own players never come it has learned next to nothing
        assert said(name, hand, seat=seat, standers=standers) == "stand"
        if standers:
            assert said(name, hand, seat=seat, standers=standers, miss_free=False) == "stand"


@pytest.mark.parametrize("name", ["trumps", "tight", "peel", "pot-odds"])
def test_the_careful_fold_rags_and_the_dealer_defends_where_he_may_not_fold(name: str) -> None:
    assert said(name, "4h5d7c") == "fold"
    assert said(name, "4h5d7c", seat=5) == "defend"
    assert said(name, "4h5d7c", seat=5, miss_free=False) == "fold"
    assert said(name, "4h5d7c", seat=5, rules="enquire") == "fold"


def test_random_is_uniform_over_what_is_legal() -> None:
    policy = loaded("random")
    hand, turn_up = parse_cards("As7sKh"), Card.parse("2s")

    def given(rules: Rules, seat: int, standers: int, free: bool) -> dict[str, Fraction]:
        situation = Situation(rules, 6, seat, standers, free, 3 * STAKE)
        return chances(policy, situation, hand, turn_up)

    third, half = Fraction(1, 3), Fraction(1, 2)
    assert given(Rules(), 0, 0, True) == {"fold": third, "stand": third, "miss": third}
    assert given(Rules(), 3, 2, False) == {"fold": half, "stand": half}
    assert given(Rules(), 5, 2, True) == {"stand": third, "miss": third, "defend": third}
    assert given(Rules(), 5, 2, False) == {"fold": half, "stand": half}
    assert given(PRESETS["peel"], 5, 2, True) == {"fold": third, "stand": third, "miss": third}
    freer = Rules(dealer_may_fold=True)
    assert set(given(freer, 5, 2, True).values()) == {Fraction(1, 4)}


def test_random_plays_by_its_order_of_preference() -> None:
    player = PolicyPlayer(loaded("random"), CHOICES)
    hand = parse_cards("KsAh3d")
    lead = Turn(0, 1, 4, 0, 0, "s", None)
    assert player.play(lead, hand, hand) == Card.parse("3d")  # position 2 comes first
    assert player.play(lead, hand, hand[:2]) == Card.parse("Ks")  # then position 0
    second = Turn(0, 2, 4, 0, 1, "s", Card.parse("Qh"))
    assert player.play(second, hand[1:], hand[1:]) == Card.parse("3d")  # position 1 of two


def test_always_stand() -> None:
    for hand in ("4h5d7c", "3s4h5d", "AsKsQs"):
        assert said("always-stand", hand) == "stand"
        assert said("always-stand", hand, seat=5) == "stand"


@pytest.mark.parametrize(
    ("hand", "action"),
    [("3s4s5h", "stand"), ("3s4s5s", "stand"), ("Qs3h4d", "stand"), ("JsAhKd", "fold"),
     ("AhKdQc", "fold")],
)  # fmt: skip
def test_trumps(hand: str, action: str) -> None:
    """Two trumps, or one with at most two live trumps above it (queen: ace and king)."""
    assert said("trumps", hand) == action


@pytest.mark.parametrize(
    ("hand", "tight", "loose"),
    [
        ("3s4s5h", "fold", "stand"),
        ("Js4s5h", "stand", "stand"),
        ("KsAh4d", "stand", "stand"),
        ("9s4h5d", "fold", "stand"),  # T J Q K A above it
        ("8s4h5d", "fold", "miss"),
        ("3sKh5d", "fold", "stand"),
        ("JhQhKd", "fold", "stand"),
        ("ThQhKd", "fold", "miss"),
    ],
)
def test_tight_and_loose(hand: str, tight: str, loose: str) -> None:
    assert said("tight", hand, standers=2) == tight
    assert said("loose", hand, standers=2) == loose
    if loose == "miss":
        assert said("loose", hand, seat=3, standers=3) == "fold"


def test_pot_odds_widens_with_the_pot() -> None:
    # With loo 3: one trump needs over_best + standers <= 3 + 3 * trick / loo = 3 + pot / 3.
    jack, eight, three = "Js4h5d", "8s4h5d", "3s4h5d"  # 3, 6 and 11 live trumps above
    assert said("pot-odds", jack, standers=1) == "stand"
    assert said("pot-odds", jack, standers=2) == "fold"
    assert said("pot-odds", eight, standers=1, pot=9) == "fold"
    assert said("pot-odds", eight, standers=1, pot=12) == "stand"
    assert said("pot-odds", three, standers=1, pot=26, miss_free=False) == "fold"
    assert said("pot-odds", three, standers=1, pot=27) == "stand"
    # A loo of 6 halves the odds.
    assert said("pot-odds", eight, standers=1, pot=12, rules="peel") == "fold"
    assert said("pot-odds", eight, standers=1, pot=24, rules="peel") == "stand"
    # Rags take the miss once a trick pays one and a half loos: with more than 13.5 stakes.
    assert said("pot-odds", "4h5d7c", pot=13) == "fold"
    assert said("pot-odds", "4h5d7c", pot=14) == "miss"
    assert said("pot-odds", "QhJdJc", pot=8) == "fold"
    assert said("pot-odds", "QhJdJc", pot=9) == "stand"


RICH = 18  # stakes: under `peel` a loo costs 6, so that a trick of this pool pays as much


@pytest.mark.parametrize(
    ("claim", "hand", "where", "action"),
    [
        ("C3", "3s4s5h", {}, "stand"),
        ("C3", "3s4s5s", {"seat": 0, "standers": 0}, "stand"),
        ("C4", "3s4s9h", {"seat": 0, "standers": 0}, "fold"),
        ("C4", "3s4sTh", {"seat": 0, "standers": 0}, "stand"),
        ("C6", "5sQhKd", {"seat": 0, "standers": 0}, "stand"),
        ("C6", "5sQhKh", {"seat": 0, "standers": 0}, "fold"),  # one suit
        ("C6", "5sJhKd", {"seat": 0, "standers": 0}, "fold"),
        ("C6", "4sQhKd", {"seat": 0, "standers": 0}, "fold"),  # the second lowest trump
        ("C6", "5sQhKd", {"seat": 1}, "fold"),
        ("C5", "JsQhKh", {"seat": 4, "standers": 4}, "stand"),
        ("C5", "JsJhKh", {"seat": 4, "standers": 4}, "fold"),
        ("C7", "Ks3h4d", {"seat": 4, "standers": 4}, "stand"),
        ("C8", "Qs3h4d", {}, "fold"),
        ("C8", "Qs3h4d", {"players": 5}, "stand"),
        ("C8", "Qs3h4d", {"pot": 9}, "stand"),
        ("C8", "Qs3h4d", {"players": 5, "standers": 2}, "fold"),
        ("C1", "8s3h4d", {"standers": 2, "pot": RICH}, "stand"),
        ("C1", "8s3h4d", {"standers": 2, "pot": RICH - 1}, "fold"),
        ("C1", "7s3h4d", {"standers": 2, "pot": RICH}, "fold"),
        ("C1", "7sQh4d", {"standers": 2, "pot": RICH}, "stand"),
        ("C9", "8s3h4d", {"seat": 3, "standers": 3, "pot": RICH}, "fold"),
        ("C2", "AhKdQc", {"standers": 2, "pot": RICH}, "stand"),
        ("C2", "AhKdQc", {"standers": 2, "pot": RICH - 1}, "fold"),
        ("C2", "AhKdJc", {"standers": 2, "pot": RICH}, "fold"),
        ("C2", "KhKdQc", {"standers": 2, "pot": RICH}, "fold"),
        ("C12", "4h5d7c", {"players": 5, "seat": 3, "standers": 1}, "miss"),
        ("C12", "4h5d7c", {"players": 6, "seat": 3, "standers": 1}, "fold"),
        ("C10", "4h5d7c", {"seat": 0, "standers": 0, "pot": RICH}, "fold"),
        ("C11", "4h5d7c", {"seat": 2, "standers": 2, "pot": RICH}, "fold"),
        ("C11", "4h5d7c", {"seat": 2, "standers": 1, "pot": RICH}, "miss"),
        ("C13", "4h5d7c", {"seat": 4, "standers": 2, "pot": RICH}, "miss"),
        ("C13", "4h5d7c", {"seat": 4, "standers": 3, "pot": RICH}, "fold"),
    ],
)
def test_peel(claim: str, hand: str, where: dict[str, int], action: str) -> None:
    assert said("peel", hand, rules="peel", **where) == action  # type: ignore[arg-type]
    if action != "fold":
        defaults = {"players": 6, "seat": 2, "standers": 1, "pot": 3} | where
        situation = Situation(
            PRESETS["peel"],
            defaults["players"],
            defaults["seat"],
            defaults["standers"],
            True,
            defaults["pot"] * STAKE,
        )
        why = reason(loaded("peel"), situation, parse_cards(hand), Card.parse("2s"), action)
        number = int(why.removeprefix("rule ").partition(":")[0])
        assert claim in claims_of_peel()[number - 1]


def claims_of_peel() -> list[list[str]]:
    """The claims that the comment above each rule of `peel` cites."""
    found: list[list[str]] = []
    comment = ""
    for line in (BUILTIN / "peel.toml").read_text().splitlines():
        if line.startswith("  {"):
            found.append(re.findall(r"C\d+(?=:)", comment))
            comment = ""
        elif line.startswith("  #"):
            comment += line
    return found


def test_peel_leads_as_he_says() -> None:
    """C15: the trump when several are in, the higher plain card against one or two."""
    player = PolicyPlayer(loaded("peel"), CHOICES)
    hand = parse_cards("7sKhQd")
    for in_play, card in [(2, "Kh"), (3, "Kh"), (4, "7s"), (6, "7s")]:
        turn = Turn(0, 1, in_play, 0, 0, "s", None)
        assert player.play(turn, hand, hand) == Card.parse(card)


def test_peel_cites_a_claim_for_every_rule() -> None:
    assert all(claims_of_peel())
    assert len(claims_of_peel()) == len(loaded("peel").announce.rules) == 10


@pytest.mark.parametrize(
    ("words", "turn", "hand", "legal", "card"),
    [
        # trumps: lead_trump low, lead_plain high, head low, lose low. Spades are trumps.
        ("trumps", (1, 4, 0, None), "Ks3s9h", "Ks3s", "3s"),
        ("trumps", (1, 4, 0, None), "Kh3h9d", "Kh3h9d", "Kh"),
        ("trumps", (1, 4, 0, None), "KhKc9d", "KhKc9d", "Kh"),  # suits in the order c, d, h, s
        ("trumps", (1, 4, 1, "Th"), "Kh3hJh", "KhJh", "Jh"),  # heads as cheaply as it can
        ("trumps", (1, 4, 1, "Th"), "4c3h9d", "3h", "3h"),
        ("trumps", (1, 4, 1, "Ah"), "4c3d9d", "4c3d9d", "3d"),
        ("trumps", (1, 4, 1, "Ah"), "4c4d9d", "4c4d9d", "4c"),
        ("trumps", (2, 4, 1, "Ks"), "4s2d", "4s2d", "2d"),  # plain cards before trumps
        ("trumps", (1, 4, 0, None), "Ks3h4h", "Ks3h4h", "Ks"),  # lead: a trump where both may
        ("tight", (1, 4, 0, None), "Ks3s9h", "Ks3s", "Ks"),  # lead_trump high
    ],
)
def test_words_of_play(
    words: str, turn: tuple[int, int, int, str | None], hand: str, legal: str, card: str
) -> None:
    trick_no, in_play, position, best = turn
    seen = Turn(0, trick_no, in_play, 0, position, "s", Card.parse(best) if best else None)
    player = PolicyPlayer(loaded(words), CHOICES)
    assert player.play(seen, parse_cards(hand), parse_cards(legal)) == Card.parse(card)


def test_a_policy_says_why() -> None:
    def why(name: str, hand: str, seat: int = 2, **where: bool) -> str:
        situation = Situation(Rules(), 6, seat, 1, where.get("free", True), 3 * STAKE)
        cards, turn_up = parse_cards(hand), Card.parse("2s")
        given = chances(loaded(name), situation, cards, turn_up)
        action = max(given, key=lambda word: given[word])
        return reason(loaded(name), situation, cards, turn_up, action)

    assert why("trumps", "3s4s5h") == "rule 1: trumps >= 2"
    assert why("trumps", "Qs4h5h") == ("rule 2: trumps == 1 and over_best <= reach (reach = 2)")
    assert why("trumps", "4h5d7c") == "otherwise fold"
    assert why("trumps", "4h5d7c", seat=5) == "otherwise fold, which is illegal here"
    assert why("random", "4h5d7c") == "otherwise random"
