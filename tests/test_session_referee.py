"""Sessions on the referee: S3, S4, S16 and S17 against books kept again, hand work, formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import comb, sqrt
from pathlib import Path
from typing import Literal

import pytest

from loo_sim.cards import parse_cards
from loo_sim.draws import Dealt, deal_cards, first_dealer, philox, seat_choices
from loo_sim.policies.parse import load_policy, read_policy
from loo_sim.policies.player import PolicyPlayer
from loo_sim.policies.policy import Policy
from loo_sim.referee import Deal, play_deal
from loo_sim.rules import MOST_EXTRA_DEALS, MOST_LOO, PRESETS, Rules
from loo_sim.session import Table, pass_deal, play_table

STAKE = 729
SEED = 3
MIXED = ("trumps", "peel", "pot-odds", "tight", "loose", "random")
load = cache(load_policy)
End = Literal["leave", "split", "no-loo"]


def people(count: int, *names: str) -> list[Policy]:
    """A policy a person, the names taken in turn."""
    return [load(names[person % len(names)]) for person in range(count)]


def stakes(units: Sequence[int]) -> list[float]:
    return [unit / STAKE for unit in units]


def owed_and_won(rules: Rules, deal: Deal) -> list[int]:
    """What each seat takes, or (negative) owes, from the tricks (S7, S8, S10, S15, S16)."""
    said = deal.said
    seats_in = [seat for seat in range(deal.players) if said.get(seat, "fold") != "fold"]
    if not seats_in:
        return [0] * (deal.players - 1) + [deal.pot]
    if len(seats_in) == 1:
        return [deal.pot if seat in seats_in else 0 for seat in range(deal.players)]
    loo = rules.loo
    owed = loo * STAKE if isinstance(loo, int) else min(deal.pot, MOST_LOO)
    if loo == "pot" and rules.loo_cap is not None:
        owed = min(owed, rules.loo_cap * STAKE)
    winners = [trick.winner for trick in deal.tricks]
    result = [0] * deal.players
    for seat in seats_in:
        if said[seat] != "defend":
            result[seat] = winners.count(seat) * (deal.pot // 3) if seat in winners else -owed
    return result


def assert_adds_up(table: Table, rounds: int) -> None:
    """Keep the books of a session a second time: who deals, who leaves, every purse, the pot."""
    rules, count, bankroll = table.rules, len(table.policies), table.bankroll
    brought = bankroll or 0
    purses, pot = [brought] * count, 0
    there = list(range(count))
    left: dict[int, int] = {}
    dealt_last = table.deals[0].dealer - 1

    def those_left_of(person: int) -> list[int]:
        round_table = [*range(person + 1, count), *range(person + 1)]
        return [each for each in round_table if each in there]

    def short(person: int, due: int) -> bool:
        return bankroll is not None and purses[person] < due * STAKE

    def pass_on() -> None:
        nonlocal dealt_last
        while there and short(those_left_of(dealt_last)[0], rules.dealer_stake):
            gone = those_left_of(dealt_last)[0]
            there.remove(gone)
            left[gone] = number
        if there:
            dealt_last = those_left_of(dealt_last)[0]
        for person in list(there):
            if person != dealt_last and short(person, rules.ante):
                there.remove(person)
                left[person] = number

    for number, played in enumerate(table.deals):
        pass_on()
        assert played.dealer == dealt_last
        assert list(played.seated) == those_left_of(dealt_last)
        assert len(played.seated) >= rules.min_players
        for person in there:
            put_in = (rules.dealer_stake if person == dealt_last else rules.ante) * STAKE
            purses[person] -= put_in
            pot += put_in
        assert played.deal.pot == pot
        nets = owed_and_won(rules, played.deal)
        assert played.looed == sum(net < 0 for net in nets)
        for person, net in zip(played.seated, nets, strict=True):
            paid = net if bankroll is None or purses[person] + net >= 0 else -purses[person]
            purses[person] += paid
            pot -= paid
        assert (list(played.purses), played.pot_after) == (purses, pot)
        assert sum(played.purses) + played.pot_after == count * brought
        assert bankroll is None or min(played.purses) >= 0
        for person in [each for each in there if bankroll is not None and purses[each] == 0]:
            there.remove(person)
            left[person] = number + 1
    if len(table.deals) < rounds * count:
        number = len(table.deals)
        pass_on()
        assert len(there) < rules.min_players
    if rules.end == "split" and there:
        share, pot = divmod(pot, len(there))
        for person in there:
            purses[person] += share
    assert (table.purses, table.pot) == (purses, pot)
    assert sum(table.purses) + table.pot == count * brought
    assert (sorted(table.here), table.left_at) == (sorted(there), left)


HOUSE_RULES: dict[str, Rules] = {
    **{name: replace(rules, min_players=2) for name, rules in PRESETS.items()},
    "antes": Rules(min_players=2, dealer_stake=2, ante=1),
    "antes above the stake": Rules(min_players=2, dealer_stake=1, ante=2),
    "antes alone": Rules(min_players=2, dealer_stake=0, ante=1),
    "capped loo": Rules(min_players=2, loo="pot", loo_cap=7),
    "small pack": Rules(min_players=2, deck=32),
    "own cards": Rules(min_players=2, defend_with="own", dealer_may_fold=True),
}


@pytest.mark.parametrize("bankroll", [None, 12, 40])
@pytest.mark.parametrize("name", HOUSE_RULES)
def test_the_books_add_up_after_every_deal(name: str, bankroll: int | None) -> None:
    units = None if bankroll is None else bankroll * STAKE
    for end in ("leave", "split"):
        rules = replace(HOUSE_RULES[name], end=end)
        for number, names in enumerate([MIXED, ("random",), ("always-stand", "loose")]):
            for count in (2, 6):
                table = play_table(rules, people(count, *names), 4, SEED, number, units)
                assert_adds_up(table, 4)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_books_add_up_where_play_goes_on_until_nobody_is_looed(preset: str) -> None:
    rules = replace(PRESETS[preset], end="no-loo")
    for number in range(4):
        assert_adds_up(play_table(rules, people(6, *MIXED), 1, SEED, number), 1)


def test_everyone_deals_equally_often_and_the_deal_passes_to_the_left() -> None:
    for count in (5, 7):
        table = play_table(Rules(), people(count, "tight"), 4, SEED, 9)
        assert Counter(played.dealer for played in table.deals) == dict.fromkeys(range(count), 4)
        first = first_dealer(SEED, 9, count)
        for number, played in enumerate(table.deals):
            dealer = (first + number) % count
            assert played.dealer == dealer
            assert played.seated == tuple((dealer + 1 + seat) % count for seat in range(count))


def test_a_deal_is_that_of_its_number_with_each_policy_in_its_seat() -> None:
    policies = people(6, *MIXED)
    table_no = 2**31 + 5
    table = play_table(PRESETS["unlimited"], policies, 2, SEED, table_no)
    for number, played in enumerate(table.deals):
        index = table_no * 2**32 + number
        players = [
            PolicyPlayer(policies[person], seat_choices(SEED, index, seat))
            for seat, person in enumerate(played.seated)
        ]
        dealt = deal_cards(SEED, index, 6)
        assert played.deal == play_deal(PRESETS["unlimited"], dealt, played.deal.pot, players)


def test_a_smaller_table_is_dealt_as_any_table_of_that_many() -> None:
    rules = Rules(min_players=2)
    table = play_table(rules, people(6, "random"), 10, SEED, 1, 9 * STAKE)
    sizes = {len(played.seated) for played in table.deals}
    assert len(sizes) > 1
    for number, played in enumerate(table.deals):
        assert played.deal.dealt == deal_cards(SEED, 2**32 + number, len(played.seated))


def test_the_same_table_plays_the_same_session_and_another_another() -> None:
    def play(seed: int, number: int) -> Table:
        return play_table(Rules(), people(5, "random"), 2, seed, number)

    assert play(SEED, 0) == play(SEED, 0)
    assert play(SEED, 0).deals != play(SEED, 1).deals
    assert play(SEED, 0).deals != play(SEED + 1, 0).deals


@pytest.mark.parametrize(("count", "most"), [(2, 10.83), (5, 18.47), (7, 22.46), (16, 37.70)])
def test_the_first_dealer_is_anyone_alike(count: int, most: float) -> None:
    """`most` is the chi-square that is passed once in a thousand, with count - 1 degrees."""
    tables = 600 * count
    drawn = Counter(first_dealer(SEED, number, count) for number in range(tables))
    assert set(drawn) == set(range(count))
    assert sum((times - 600) ** 2 / 600 for times in drawn.values()) < most


@pytest.mark.parametrize("count", [3, 5, 9])
def test_if_everyone_always_stands_the_pot_holds_the_loos_and_the_stake(count: int) -> None:
    """All thirds are taken, so a pot is 3 stakes, and 3 more for each who won no trick before."""
    rules = Rules(min_players=3, defend="never")
    table = play_table(rules, people(count, "always-stand"), 5, SEED, 0)
    pot, purses = 3, [0] * count
    for played in table.deals:
        assert played.deal.pot == pot * STAKE
        winners = Counter(played.seated[trick.winner] for trick in played.deal.tricks)
        purses[played.dealer] -= 3
        for person in range(count):
            purses[person] += winners[person] * pot // 3 if winners[person] else -3
        assert stakes(played.purses) == purses
        assert count - 3 <= count - len(winners) <= count - 1
        pot = 3 * (count - len(winners))
        assert played.pot_after == pot * STAKE
        pot += 3


def test_the_first_dealer_is_drawn_from_a_stream_of_his_own() -> None:
    """Word 0 of stream 17 of the first deal, whose number has the table as its high word."""
    for seed, number in ((0, 0), (SEED, 9), (2**32 + 5, 2**31 + 5)):
        word = philox((0, number, 17, 0), (seed % 2**32, seed // 2**32))[0]
        assert first_dealer(seed, number, 7) == word * 7 >> 32


def test_the_first_dealer_does_not_follow_from_the_table_before() -> None:
    """Chi-square with 24 degrees passes 51.18 once in a thousand."""
    drawn = [first_dealer(SEED, number, 5) for number in range(5001)]
    pairs = Counter(pairwise(drawn))
    assert sum((pairs[i, j] - 200) ** 2 / 200 for i in range(5) for j in range(5)) < 51.18


TURN_UP, MISS = "2s", "9c 9d 9h"


def deal_these(
    monkeypatch: pytest.MonkeyPatch, first: int, deals: Sequence[Sequence[str]]
) -> list[tuple[int, int]]:
    """Let person `first` deal first, and each deal have these hands by seat, spades trumps.

    Returns
    -------
    list of tuple of int
        Grows with each deal by what it was asked for: its number, and how many seats.
    """
    coming = iter(deals)
    asked: list[tuple[int, int]] = []

    def dealt(seed: int, index: int, players: int, deck: int) -> Dealt:
        asked.append((index, players))
        hands = [parse_cards(hand) for hand in next(coming)]
        return Dealt(parse_cards(TURN_UP)[0], list(parse_cards(MISS)), [list(h) for h in hands])

    monkeypatch.setattr("loo_sim.session.deal_cards", dealt)
    monkeypatch.setattr("loo_sim.session.first_dealer", lambda seed, table, players: first)
    return asked


ALL_THREE = ["As Ks Qs", "2h 3h 4h", "5d 6d 7d"]
ONE_AND_TWO = ["As 2h 3d", "Ah Kd 4c", "Qh Qd 5c"]
ONE_EACH = ["As 6c 4h", "3h 7c Ad", "2h 8c 4d"]


@pytest.mark.parametrize("end", ["leave", "split", "no-loo"])
def test_three_people_play_a_round(monkeypatch: pytest.MonkeyPatch, end: End) -> None:
    """Everyone stands on every hand; the numbers are worked by hand.

    Deal 1: person 2 deals and puts in 3. Person 0 has the three best trumps, takes 3; the others
    pay 3 each.
    Deal 2: person 0 puts 3 to those 6. Person 1 leads the ace of trumps and takes that trick, then
    leads the three of diamonds to the king of person 2, who also takes the last with the ace of
    hearts: 3 and 6 of the 9. Person 0 is looed.
    Deal 3: person 1 puts 3 to those 3. Person 2 takes a trick with the ace of trumps and leads the
    six of clubs to the seven of person 0 and the eight of person 1, who leads the four of diamonds
    to the ace of person 0. 2 each, nobody is looed and the pot is empty: over under every `end`.
    """
    deal_these(monkeypatch, 2, [ALL_THREE, ONE_AND_TWO, ONE_EACH])
    rules = Rules(min_players=3, end=end)
    table = play_table(rules, people(3, "always-stand"), 1, SEED, 0)
    assert [played.seated for played in table.deals] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert [played.deal.pot / STAKE for played in table.deals] == [3, 9, 6]
    assert [stakes(played.purses) for played in table.deals] == [
        [3, -3, -6],
        [-3, 0, 0],
        [-1, -1, 2],
    ]
    assert [played.looed for played in table.deals] == [2, 1, 0]
    assert [played.pot_after / STAKE for played in table.deals] == [6, 3, 0]
    assert (stakes(table.purses), table.pot, table.left_at) == ([-1, -1, 2], 0, {})


@pytest.mark.parametrize(("end", "last", "pot"), [("leave", 11, 1), ("split", 12, 0)])
def test_people_with_four_stakes_each_play_until_one_has_it_all(
    monkeypatch: pytest.MonkeyPatch, end: End, last: int, pot: int
) -> None:
    """Everyone stands on every hand; the numbers are worked by hand.

    Deal 1: person 2 puts in 3 of his 4. Person 0 takes 3; person 1 pays 3; person 2 owes 3, pays
    the 1 that he has and is out. The pot holds 4.
    Deal 2: the deal passes over his place to person 0, who puts in 3. Person 1 takes all 7, person
    0 pays 3 and keeps 1.
    Deal 3: person 1 puts 3 to those 3 and takes 6; person 0 owes 3, pays his 1, and is out. One
    person is left, so play is over, though another round was meant to come. The pot holds 1.
    """
    two = [["As Ks Qs", "2h 3h 4h"], ["2h 3h 4h", "As Ks Qs"]]
    asked = deal_these(monkeypatch, 2, [ALL_THREE, *two])
    rules = Rules(min_players=2, end=end)
    table = play_table(rules, people(3, "always-stand"), 2, SEED, 7, 4 * STAKE)
    assert asked == [(7 * 2**32, 3), (7 * 2**32 + 1, 2), (7 * 2**32 + 2, 2)]
    assert [played.seated for played in table.deals] == [(0, 1, 2), (1, 0), (0, 1)]
    assert [played.deal.pot / STAKE for played in table.deals] == [3, 7, 6]
    assert [stakes(played.purses) for played in table.deals] == [[7, 1, 0], [1, 8, 0], [0, 11, 0]]
    assert [played.looed for played in table.deals] == [2, 1, 1]
    assert (stakes(table.purses), table.pot) == ([0, last, 0], pot * STAKE)
    assert (table.here, table.left_at) == ([1], {2: 1, 0: 3})


def test_a_table_is_over_when_too_few_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    deal_these(monkeypatch, 2, [ALL_THREE])
    table = play_table(Rules(min_players=3), people(3, "always-stand"), 2, SEED, 0, 4 * STAKE)
    assert (len(table.deals), table.here) == (1, [0, 1])
    assert (stakes(table.purses), table.pot) == ([7, 1, 0], 4 * STAKE)


@pytest.mark.parametrize(
    ("purses", "last_dealer", "dealer", "here"),
    [
        pytest.param([9, 9, 9, 9], 0, 1, [0, 1, 2, 3], id="everyone can pay"),
        pytest.param([3, 3, 3, 3], 3, 0, [0, 1, 2, 3], id="just enough, round the end"),
        pytest.param([9, 2, 2, 9], 0, 3, [0, 3], id="passed over, they leave with an ante in hand"),
        pytest.param([2, 9, 9, 9], 0, 1, [0, 1, 2, 3], id="an ante is all that he owes now"),
        pytest.param([0.5, 9, 0.5, 9], 0, 1, [1, 3], id="no ante"),
        pytest.param([9, 2, 2, 2], 0, 0, [0], id="the last dealer is the next who can"),
        pytest.param([2, 2, 2, 2], 1, 1, [], id="nobody can deal"),
    ],
)
def test_who_cannot_pay_leaves_before_the_deal(
    purses: list[float], last_dealer: int, dealer: int, here: list[int]
) -> None:
    """The dealer owes 3 stakes, everyone else 1."""
    rules = Rules(min_players=2, dealer_stake=3, ante=1)
    at = Table(rules, people(4, "tight"), STAKE, last_dealer)
    at.purses = [int(purse * STAKE) for purse in purses]
    at.here = list(range(4))
    assert pass_deal(at) == (len(here) >= 2)
    assert (at.here, at.dealer) == (here, dealer)
    assert at.left_at == dict.fromkeys(set(range(4)) - set(here), 0)


def test_nobody_plays_where_nobody_can_deal() -> None:
    table = play_table(Rules(end="split"), people(5, "tight"), 2, SEED, 0, 2 * STAKE)
    assert (table.deals, table.here, table.pot) == ([], [], 0)
    assert (stakes(table.purses), table.left_at) == ([2] * 5, dict.fromkeys(range(5), 0))


def test_the_dealer_owes_no_ante() -> None:
    rules = Rules(min_players=2, dealer_stake=1, ante=2)
    at = Table(rules, people(3, "tight"), STAKE, 2)
    at.purses = [STAKE, 2 * STAKE, STAKE]
    at.here = [0, 1, 2]
    assert pass_deal(at)
    assert (at.dealer, at.here, at.left_at) == (0, [0, 1], {2: 0})


def test_without_a_bankroll_nobody_ever_leaves() -> None:
    """Unlimited loos of people who always stand, so that debts grow with the pots."""
    rules = replace(PRESETS["unlimited"], ante=1)
    table = play_table(rules, people(5, "always-stand"), 4, SEED, 0)
    assert min(table.purses) < -(2**17) * STAKE
    assert (table.here, table.left_at, len(table.deals)) == ([0, 1, 2, 3, 4], {}, 20)


def test_the_pot_at_the_end_is_left_or_split() -> None:
    """Sixteenths of these pots are not whole units, so some stay."""
    odd = False
    for number in range(5):
        policies = people(16, "always-stand")
        left = play_table(Rules(), policies, 1, SEED, number)
        split = play_table(Rules(end="split"), policies, 1, SEED, number)
        assert split.deals == [
            played._replace(deal=replace(played.deal, rules=split.rules)) for played in left.deals
        ]
        assert left.pot == left.deals[-1].pot_after >= 13 * 3 * STAKE
        share = left.pot // 16
        assert split.purses == [purse + share for purse in left.purses]
        assert split.pot == left.pot - 16 * share < 16
        odd |= split.pot > 0
    assert odd


def test_no_loo_plays_on_to_the_first_deal_in_which_nobody_is_looed() -> None:
    extras = []
    for number in range(40):
        left = play_table(Rules(), people(5, "loose"), 1, SEED, number)
        on = play_table(Rules(end="no-loo"), people(5, "loose"), 1, SEED, number)
        assert [played.purses for played in on.deals[:5]] == [p.purses for p in left.deals]
        last = [played.looed for played in on.deals[4:]]
        assert last.count(0) == 1
        assert last[-1] == 0
        extras.append(len(last) - 1)
    assert min(extras) == 0
    assert max(extras) > 1


def test_no_loo_gives_up_where_somebody_is_looed_in_every_deal() -> None:
    """Of five who always stand, three at most win a trick."""
    rules = Rules(end="no-loo", defend="never")
    table = play_table(rules, people(5, "always-stand"), 1, SEED, 0)
    assert len(table.deals) == 5 + MOST_EXTRA_DEALS == 1005
    assert table.pot >= 2 * 3 * STAKE


def test_no_loo_cannot_go_on_with_too_few() -> None:
    rules = Rules(min_players=5, end="no-loo")
    table = play_table(rules, people(5, "always-stand"), 1, SEED, 0, 6 * STAKE)
    assert len(table.deals) < 5 + MOST_EXTRA_DEALS
    assert len(table.here) < 5
    assert table.deals[-1].looed > 0
    assert table.pot == table.deals[-1].pot_after


def test_an_unlimited_loo_is_the_pot_up_to_the_cap() -> None:
    """Of five who always stand two or more are looed, so the pot at least doubles up to the cap."""
    table = play_table(Rules(loo="pot", defend="never"), people(5, "always-stand"), 10, SEED, 0)
    pot = 0
    for played in table.deals:
        pot += 3 * STAKE
        assert played.deal.pot == pot
        pot = pot % 3 + played.looed * min(pot, 2**36)
        assert played.pot_after == pot
    assert 2 * 2**36 <= pot <= 4 * 2**36 + 2
    assert sum(table.purses) == -pot


@pytest.mark.parametrize(
    ("pot", "cap", "loo"),
    [
        (2**36 - 1, None, 2**36 - 1),
        (2**36, None, 2**36),
        (2**36 + 1, None, 2**36),
        (2**40, None, 2**36),
        (8 * STAKE, 7, 7 * STAKE),
        (2**40, 7, 7 * STAKE),
    ],
)
def test_most_that_a_loo_can_be(pot: int, cap: int | None, loo: int) -> None:
    assert Rules(loo="pot", loo_cap=cap).loo_units(pot) == loo


def test_a_single_pot_makes_everyone_stand_in_a_session() -> None:
    rules = replace(PRESETS["enquire"], dealer_stake=2, ante=1)
    for number in range(5):
        table = play_table(rules, people(4, "tight"), 3, SEED, number)
        before = 0
        for played in table.deals:
            assert played.deal.forced_stand == (before == 0)
            before = played.pot_after
        assert {played.deal.forced_stand for played in table.deals} == {False, True}


DUEL = """
name = "{name}"
about = "against one other: stands before the dealer on some hands, and deals to fold"
[announce]
rules = [{{ when = "not dealer and {when}", do = "stand" }}]
otherwise = "fold"
"""


def ruin(p: float, bankroll: int) -> tuple[float, float]:
    """Gambler's ruin (Feller, volume 1, XIV.2 and XIV.3): steps of 1, `bankroll` units each.

    Returns
    -------
    chance : float
        That the one who wins a step with chance `p` is ruined.
    steps : float
        Mean number of steps until either is.
    """
    q = 1 - p
    chance = 1 / (1 + (p / q) ** bankroll)
    return chance, (bankroll - 2 * bankroll * (1 - chance)) / (q - p)


def test_ruin_of_two_is_the_gamblers(tmp_path: Path) -> None:
    """Each puts in 1; whoever does not deal takes both by standing, else the dealer does.

    Person 0 stands with a trump in hand and person 1 without one, so that person 0 wins each deal
    with the chance of a trump, 1 - C(39, 3) / C(51, 3), whoever deals.
    """
    policies = []
    for name, when in (("with", "trumps >= 1"), ("without", "trumps == 0")):
        file = tmp_path / f"{name}.toml"
        file.write_text(DUEL.format(name=name, when=when))
        policies.append(read_policy(file))
    rules = Rules(min_players=2, dealer_stake=1, ante=1, defend="never")
    tables, brought = 3000, 3
    ruined = deals = squares = 0
    for number in range(tables):
        table = play_table(rules, policies, 400, SEED, number, brought * STAKE)
        assert sorted(table.purses) == [0, 2 * brought * STAKE]
        assert table.pot == 0
        ruined += table.purses[0] == 0
        deals += len(table.deals)
        squares += len(table.deals) ** 2
    chance, steps = ruin(1 - comb(39, 3) / comb(51, 3), brought)
    assert abs(ruined / tables - chance) < 4 * sqrt(chance * (1 - chance) / tables)
    mean = deals / tables
    assert abs(mean - steps) < 4 * sqrt((squares / tables - mean**2) / tables)


def test_ruin_of_one_who_never_takes_a_pot(tmp_path: Path) -> None:
    """He loses an ante each time that the other deals, and never his own: out with his third."""
    rules = Rules(min_players=2, dealer_stake=0, ante=1, defend="never")
    file = tmp_path / "folds.toml"
    file.write_text('name = "folds"\nabout = "always folds"\n[announce]\notherwise = "fold"\n')
    table = play_table(rules, [read_policy(file), load("always-stand")], 9, SEED, 0, 3 * STAKE)
    assert [played.dealer for played in table.deals].count(1) == 3
    assert table.deals[-1].dealer == 1
    assert table.left_at == {0: len(table.deals)}
    assert stakes(table.purses) == [0, 6]
