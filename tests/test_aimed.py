"""Aimed deals: legal, random but for the hand they hold, and worth what plain deals say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numba
import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest
from kernel_deals import (
    ACTIONS,
    SMALL,
    deals_of,
    differing,
    game_of,
    live_codes,
    policy,
    seats,
)
from scipy.stats import chi2, norm
from table_player import Lookup, table_players
from test_kernels_announcements import HOUSE, cells_of, no_counts
from test_kernels_enumeration import DECK, PLAYERS, POT, SPADES, every_deal, table

from loo_sim.cards import all_hands, hand_classes, hand_index, pack
from loo_sim.draws import AIM_STREAM, block, deal_cards, seat_choices
from loo_sim.experiment import Cell
from loo_sim.kernels.aimed import Aim, count_aimed, deal_aimed, make_aim, run_aimed
from loo_sim.kernels.batch import LANES, make_scratch
from loo_sim.kernels.counting import count_announcements
from loo_sim.kernels.game import MISS, STAND, Game, encode
from loo_sim.kernels.whole_deals import WholeDeals, keep_batch, no_deals
from loo_sim.policies.compile import compile_tables
from loo_sim.policies.features import Situation
from loo_sim.policies.player import PolicyPlayer
from loo_sim.referee import play_deal
from loo_sim.rules import PRESETS, UNITS_PER_STAKE, Rules
from loo_sim.studies import aimed, announce
from loo_sim.studies.by_hand import half_widths
from loo_sim.studies.estimates import Z95

STAKES = UNITS_PER_STAKE
few = pytest.mark.skipif(SMALL, reason="needs many deals")


def play_aimed(game: Game, aim: Aim, seed: int, first: int, count: int) -> WholeDeals:
    """Consecutive aimed deals, each played whole by the kernels."""
    out, s = no_deals(game, count), make_scratch()
    for done in range(0, count, LANES):
        n = min(LANES, count - done)
        s.number[:n] = np.uint64(first + done) + np.arange(n, dtype=np.uint64)
        deal_aimed(game, aim, np.uint64(seed), n, s)
        keep_batch(game, done, n, s, out)
    return out


def aim_at(rules: Rules, situation: Situation, slots: Sequence[int] | None = None) -> Aim:
    """An aim with every class in turn, or with the slots given."""
    every = range(len(hand_classes(rules.deck).size)) if slots is None else slots
    return make_aim(rules.deck, situation, np.array(every, np.uint16))


def classes_held(rules: Rules, whole: WholeDeals, seat: int) -> list[int]:
    """The class of the hand that a seat holds in each deal, from the cards."""
    class_of, turned = hand_classes(rules.deck).class_of, pack(rules.deck)
    found = []
    for turn_up, words in zip(
        whole.turn_up.tolist(), whole.hand[:, seat + 1].tolist(), strict=True
    ):
        code, numbers = live_codes(turned[turn_up], rules.deck)
        live = {code[card]: numbers[card] for card in code}
        hand = [live[words >> shift & 255] for shift in (0, 8, 16)]
        found.append(int(class_of[hand_index(hand)]))
    return found


GAMES = [
    (PRESETS["standard"], 5, ["random"], Situation(2, 1, True)),
    (PRESETS["standard"], 16, ["chancy", "trumps"], Situation(4, 2, False)),
    (PRESETS["peel"], 3, ["peel", "random"], Situation(0, 0, True)),
    (PRESETS["club"], 6, ["loose", "random"], Situation(5, 3, False)),
    (PRESETS["club"], 5, ["tight", "random"], Situation(0, 0, True)),
    (PRESETS["enquire"], 4, ["turncoat", "late-dice"], Situation(3, 1, False)),
    (HOUSE, 6, ["random", "turncoat"], Situation(3, 1, True)),
    (replace(HOUSE, defend="lone", club_law=True), 9, ["tight", "random"], Situation(8, 2, False)),
]


@pytest.mark.parametrize(("rules", "players", "names", "situation"), GAMES)
def test_an_aimed_deal_is_a_deal_in_which_the_seat_holds_a_hand_of_its_slot(
    rules: Rules, players: int, names: list[str], situation: Situation
) -> None:
    """No card is there twice, and the referee plays these cards as the kernels do."""
    pot, seed, first, count = 7 * STAKES, 3, 2**40 - 100, 20 if SMALL else 400
    policies = seats(names, players)
    game = game_of(policies, rules, players, pot)
    slots = np.random.default_rng(1).integers(0, len(hand_classes(rules.deck).size), 37).tolist()
    whole = play_aimed(game, aim_at(rules, situation, slots), seed, first, count)
    held = classes_held(rules, whole, situation.seat)
    assert held == [slots[index % 37] for index in range(first, first + count)]
    for index, deal in enumerate(deals_of(rules, pot, whole), first):
        cards = [deal.dealt.turn_up, *deal.dealt.miss, *(c for h in deal.dealt.hands for c in h)]
        assert len(set(cards)) == 3 * players + 4
        at_table = [
            PolicyPlayer(plan, seat_choices(seed, index, seat))
            for seat, plan in enumerate(policies)
        ]
        assert not differing(deal, play_deal(rules, deal.dealt, pot, at_table))


def test_an_aimed_deal_is_the_plain_deal_with_the_wanted_cards_exchanged() -> None:
    rules, players, seat, seed = PRESETS["peel"], 6, 2, 8
    game = game_of(seats(["peel"], players), rules, players, 3 * STAKES)
    whole = play_aimed(game, aim_at(rules, Situation(seat, 0, True)), seed, 0, 300)
    for index, deal in enumerate(deals_of(rules, 3 * STAKES, whole)):
        plain = deal_cards(seed, index, players)
        order = [*plain.miss, *(card for hand in plain.hands for card in hand)]
        rest = [card for card in pack(52) if card not in order and card != plain.turn_up]
        order += rest
        _, numbers = live_codes(plain.turn_up, 52)
        of_class = np.flatnonzero(hand_classes(52).class_of == index % 4861)
        word = block(seed, index, AIM_STREAM, 0)[0]
        wanted = all_hands(52)[of_class[word * len(of_class) >> 32]].tolist()
        for place, card in enumerate(wanted, 3 * (seat + 1)):
            where = [numbers[known] for known in order].index(card)
            order[place], order[where] = order[where], order[place]
        assert deal.dealt.turn_up == plain.turn_up
        assert [*deal.dealt.miss, *(c for h in deal.dealt.hands for c in h)] == order[:21]


@pytest.mark.parametrize(("rules", "players", "names", "situation"), GAMES)
def test_counts_are_those_of_the_referee(
    rules: Rules, players: int, names: list[str], situation: Situation
) -> None:
    pot, seed, first, count = 17 * STAKES + 1, 5, 2**32 - 50, 30 if SMALL else 300
    tables = compile_tables(seats(names, players), rules, players, pot)
    game = encode(rules, tables, pot)
    aim = aim_at(rules, situation)
    counts = no_counts(rules, 1)[0]
    dealt = np.zeros(len(counts), np.int64)
    count_aimed(game, aim, seed, first, count, counts, dealt)
    lookup = Lookup(tables, rules.deck)
    expected: Counter[tuple[int, ...]] = Counter()
    whole = play_aimed(game, aim, seed, first, count)
    for index, deal in enumerate(deals_of(rules, pot, whole), first):
        at_table = table_players(lookup, players, seed, index)
        for row, *cell in cells_of(rules, pot, deal.dealt, at_table):
            if row == situation.row:
                expected[tuple(cell)] += 1
    found = {tuple(cell): int(counts[tuple(cell)]) for cell in np.argwhere(counts).tolist()}
    assert found == expected
    assert sum(expected.values()) > (0 if SMALL else 5)
    slots = [index % len(counts) for index in range(first, first + count)]
    assert dealt.tolist() == np.bincount(slots, minlength=len(counts)).tolist()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="NUMBA_DISABLE_JIT: nothing is compiled")
def test_an_aim_is_data() -> None:
    """Nothing compiles again for another game or situation."""
    for rules, players, names, situation in GAMES:
        game = game_of(seats(names, players), rules, players, 7 * STAKES)
        counts = no_counts(rules, 1)[0]
        dealt = np.zeros(len(counts), np.int64)
        count_aimed(game, aim_at(rules, situation), 1, 0, 3, counts, dealt)
        play_aimed(game, aim_at(rules, situation), 1, 0, 3)
    assert len(run_aimed.signatures) == len(deal_aimed.signatures) == 1


@few
def test_the_other_cards_lie_at_random() -> None:
    """Any other card is equally often in every other hand, or undealt; members alike often too."""
    rules, players, seat, deals = PRESETS["peel"], 3, 1, 60_000
    game = game_of(seats(["peel"], players), rules, players, 3 * STAKES)
    of_class = hand_classes(52).names.index("As7sKh")
    members = np.flatnonzero(hand_classes(52).class_of == of_class)
    assert len(members) == 3
    whole = play_aimed(game, aim_at(rules, Situation(seat, 0, True), [of_class]), 4, 0, deals)
    live = whole.turn_up == 0
    code, numbers = live_codes(pack(52)[0], 52)
    lies = np.zeros((51, players + 1), np.int64)
    for card in code:
        holds = ((whole.hand[live][:, :, None] >> np.array([0, 8, 16])) & 255) == code[card]
        lies[numbers[card]] = holds.any(axis=2).sum(axis=0)
    n = live.sum()
    trumps = [numbers[card] for card in code if card.suit == "c" and card.rank in (14, 7)]
    kings = [numbers[card] for card in code if card.suit != "c" and card.rank == 13]
    assert lies[trumps].tolist() == [[0, 0, n, 0]] * 2
    assert lies[kings, seat + 1].sum() == n
    fair = [(lies[kings, seat + 1], n / 3)]
    for card in set(range(51)) - set(trumps) - set(kings):
        assert lies[card, seat + 1] == 0
        there = lies[card, [0, 1, 3]]
        fair.append((np.append(there, n - there.sum()), n * np.array([3, 3, 3, 39]) / 48))
    for seen, expected in fair:
        statistic = ((seen - expected) ** 2 / expected).sum()
        assert statistic < chi2.isf(1e-3 / len(fair), len(seen) - 1)


@few
@pytest.mark.parametrize(
    ("rules", "players", "names", "situation"),
    [
        (PRESETS["peel"], 3, ["peel"], Situation(1, 1, True)),
        (replace(PRESETS["standard"], deck=32), 5, ["chancy"], Situation(3, 1, False)),
    ],
)
def test_hands_are_worth_what_plain_deals_say(
    rules: Rules, players: int, names: list[str], situation: Situation
) -> None:
    """Chances that the situation comes up and a result comes of it, for every class of hand."""
    pot, deals = 8 * STAKES, 2_000_000
    game = game_of(seats(names, players), rules, players, pot)
    counts = no_counts(rules, 1)[0]
    dealt = np.zeros(len(counts), np.int64)
    count_aimed(game, aim_at(rules, situation), 6, 0, deals, counts, dealt)
    plain = no_counts(rules, players)
    count_announcements(game, 7, 0, deals, plain)
    size = hand_classes(rules.deck).size
    n = dealt, deals * size / size.sum()
    seen = [
        np.hstack([array.sum(axis=2), array.sum(axis=1)]).astype(float)
        for array in (counts, plain[situation.row])
    ]
    both = (seen[0] + seen[1]) / (n[0] + n[1])[:, None]
    shares = [array / per[:, None] for array, per in zip(seen, n, strict=True)]
    error = np.sqrt(both * (1 / n[0] + 1 / n[1])[:, None])
    # Normal theory holds where both expect some thirty; the bound is for all of them together.
    usual = both * np.minimum(*n)[:, None] > 30
    deviation = abs(shares[0] - shares[1])[usual] / error[usual]
    assert usual.sum() > 1000
    assert deviation.max() < norm.isf(1e-3 / usual.sum())
    assert (deviation**2).mean() == pytest.approx(1, abs=0.15)


# --- the pack of twelve cards, where everything is known exactly ----------------------------------

SIMULATED = 400_000


def exact_values(
    preset: str, name: str, situation: Situation
) -> tuple[npt.NDArray[np.float64], dict[str, npt.NDArray[np.float64]]]:
    """Chance that the situation comes up and means of the figures there, by class of hand.

    All 92,400 deals, by the referee; of seat 0 where it opens, or of the dealer after seat 0.
    """
    at = table(preset, name, SPADES)
    seat = situation.seat
    of_class = hand_classes(DECK).class_of[every_deal()[:, seat + 1]]
    classes = int(of_class.max()) + 1
    everywhere = np.ones(len(every_deal()), bool)
    results: dict[str, npt.NDArray[np.float64]] = {}
    if seat == 0:
        chance = np.ones(len(every_deal()))
        for figure, said in (("stand", STAND), ("miss", MISS)):
            answers = at.chances(1, 1, said != MISS)[every_deal()[:, 2]]
            results[figure] = sum(
                answers[:, answer] * at.come_of(said, answer, everywhere)[:, 2]
                for answer in range(len(ACTIONS))
                if answers[:, answer].any()
            )
    else:
        said = STAND if situation.miss_free else MISS
        chance = at.chances(0, 0, True)[every_deal()[:, 1], said]
        for figure, answer in (("stand", STAND), ("miss", MISS))[: 1 + situation.miss_free]:
            results[figure] = at.come_of(said, answer, everywhere)[:, 3]
    if "miss" in results:
        results["miss_minus_stand"] = results["miss"] - results["stand"]

    def total(value: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.bincount(of_class, value, classes)

    with np.errstate(invalid="ignore"):
        means = {
            figure: total(chance * value) / total(chance) / STAKES
            for figure, value in results.items()
        }
    return total(chance) / total(np.ones(len(chance))), means


@few
@pytest.mark.parametrize(
    ("preset", "name", "situation"),
    [
        ("standard", "loose", Situation(0, 0, True)),
        ("peel", "dithering", Situation(0, 0, True)),
        ("standard", "dithering", Situation(1, 1, True)),
        ("unlimited", "trumps", Situation(1, 1, True)),
        ("unlimited", "dithering", Situation(1, 1, False)),
        ("enquire", "dithering", Situation(1, 1, False)),
    ],
)
def test_every_hand_of_a_small_pack_meets_its_exact_value(
    preset: str, name: str, situation: Situation
) -> None:
    rules = table(preset, name, SPADES).rules
    cell = Cell({}, PLAYERS, POT, rules, (policy(name),) * PLAYERS, aim=situation)
    counts = announce.empty_counts(cell)
    announce.add_counts(announce.encode(cell), 9, 0, SIMULATED, counts)
    tables = announce.tables(cell, SIMULATED, counts)
    share, means = exact_values(preset, name, situation)
    names, size = hand_classes(DECK).names, hand_classes(DECK).size
    frame = tables["announce"].to_pandas()
    (pooled,) = aimed.aggregate_by_weight(frame, ["seat"]).to_dict("records")
    rows = frame.set_index("hand")
    assert set(rows.index) == {names[i] for i in np.flatnonzero(share)}
    here = [names.index(hand) for hand in rows.index]
    weight = (share * size / size.sum())[here]
    assert (abs(rows["weight"] - weight) <= 4.5 * rows["weight_se"] + 1e-12).all()
    assert (rows["weight_se"] > 0).any() == (share[here] < 1).any()
    for figure in ("stand", "miss", "miss_minus_stand"):
        if figure not in means:
            assert rows[figure].isna().all()
            continue
        exact = means[figure][here]
        assert (abs(rows[figure] - exact) <= 4.5 * rows[f"{figure}_se"] + 1e-9).all()
        whole = (weight * exact).sum() / weight.sum()
        assert abs(pooled[figure] - whole) <= 4 * pooled[f"{figure}_se"] + 1e-9
    assert abs(pooled["weight"] - weight.sum()) <= 4 * pooled["weight_se"] + 1e-9
    assert pooled["n"] == counts[0].sum()


# --- where the deals go ---------------------------------------------------------------------------


def test_slots_go_in_proportion_with_one_for_every_class() -> None:
    given = aimed.allot(np.array([1.0, 2.0, 4.0, 1.0]), 20)
    assert given.tolist() == [1 + 2, 1 + 4, 1 + 8, 1 + 2]
    draw = np.random.default_rng(2)
    needed = draw.lognormal(sigma=3, size=700)
    given = aimed.allot(needed, 5000)
    assert given.sum() == 5000
    assert (abs(given - 1 - needed / needed.sum() * 4300) < 1).all()


def test_any_number_of_deals_holds_each_class_in_its_proportion() -> None:
    times = np.array([1, 40, 7, 2, 350, 100])
    slots = aimed.spread(times)
    assert np.bincount(slots).tolist() == times.tolist()
    for first in range(1, len(slots) + 1):
        seen = np.bincount(slots[:first], minlength=len(times))
        # Places of different classes interleave: each is off by half a slot of its own, and the
        # whole by as much for every class.
        assert (abs(seen - times * first / len(slots)) <= 1 + 3 * times / len(slots)).all()


def test_the_deals_needed_are_the_largest_variance_over_the_chance_of_the_situation() -> None:
    """Against samples written out, with the prior deals of the average class among them."""
    rules = Rules(loo=3, deck=12, min_players=2)
    cell = Cell({}, 2, 9 * STAKES, rules, (), aim=Situation(1, 1, True))
    counts, dealt = announce.empty_counts(cell)
    draw = np.random.default_rng(4)
    worth = np.array([-3.0, 3, 6, 9, 9])
    samples = []
    for of_class in range(len(dealt)):
        n = int(draw.integers(0, 60))
        dealt[of_class] = n + draw.integers(1, 200)
        chances = draw.dirichlet(np.full(5, 0.3), size=2)
        own, other = (draw.choice(5, n, p=chance) for chance in chances)
        np.add.at(counts, (of_class, own, other), 1)
        samples.append((worth[own], worth[other], worth[other] - worth[own]))
    n = np.array([len(stand) for stand, _, _ in samples])
    prior = aimed.PRIOR_DEALS
    share = (n + prior * n.sum() / dealt.sum()) / (dealt + prior)
    expected = np.zeros(len(n))
    for figure in range(3):
        squares = np.array(
            [((x[figure] - x[figure].mean()) ** 2).sum() if len(x[0]) else 0 for x in samples]
        )
        freedom = np.maximum(n - 1, 0)
        variance = (squares + prior * squares.sum() / freedom.sum()) / (freedom + prior)
        expected = np.maximum(expected, variance / share)
    assert aimed.deals_needed(cell, (counts, dealt)) == pytest.approx(expected)


def test_where_the_situation_never_comes_up_all_classes_are_dealt_alike() -> None:
    cell = Cell({}, 5, 6 * STAKES, Rules(), (), aim=Situation(3, 2, False))
    counts, dealt = announce.empty_counts(cell)
    dealt[:] = 7
    assert (aimed.deals_needed(cell, (counts, dealt)) == 1).all()
    tables = announce.tables(cell, 7 * len(dealt), (counts, dealt))
    assert tables["announce"].num_rows == 0
    (row,) = announce.headline(tables)
    told = ["seat 3, 2 in, miss gone", *["–"] * 5, "never came up"]
    assert [figure.told for figure in row] == told
    assert np.isnan(announce.half_width(tables))
    (row,) = tables["aim"].to_pylist()
    assert (row["hands"], row["in_situation"], row["worst"], row["gain"]) == (0, 0, None, None)


def test_the_dealer_is_called_so() -> None:
    cell = Cell({}, 5, 6 * STAKES, Rules(), (), aim=Situation(4, 2, True))
    tables = announce.tables(cell, 0, announce.empty_counts(cell))
    assert announce.headline(tables)[0][0].told == "dealer, 2 in"
    assert tables["aim"]["dealer"].to_pylist() == [True]


# --- tables ---------------------------------------------------------------------------------------


def aimed_sample() -> tuple[Cell, tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]]:
    """Counts of some hands in a situation, none of the others having come up."""
    cell = Cell({}, 5, 9 * STAKES, Rules(loo=3), (), aim=Situation(3, 1, True))
    counts, dealt = announce.empty_counts(cell)
    draw = np.random.default_rng(6)
    for of_class in (0, 700, 2500, 4860):
        dealt[of_class] = draw.integers(200, 400)
        n = draw.integers(50, 190)
        np.add.at(counts, (of_class, draw.integers(0, 5, n), draw.integers(0, 4, n)), 1)
    return cell, (counts, dealt)


def test_a_weight_is_the_exact_chance_of_the_hand_times_the_share_that_came_to_the_situation() -> (
    None
):
    cell, (counts, dealt) = aimed_sample()
    deals = int(dealt.sum())
    rows = announce.tables(cell, deals, (counts, dealt))["announce"].to_pandas()
    size = hand_classes(52).size
    for row, of_class in zip(rows.itertuples(), (0, 700, 2500, 4860), strict=True):
        came = int(counts[of_class].sum())
        assert row.n == came
        assert row.hand == hand_classes(52).names[of_class]
        share = came / dealt[of_class]
        assert row.weight == pytest.approx(size[of_class] / 20825 * share)
        error = sqrt(share * (1 - share) / (dealt[of_class] - 1))
        assert row.weight_se == pytest.approx(size[of_class] / 20825 * error)


def test_the_aim_table_says_what_plain_deals_would_have_taken() -> None:
    cell, (counts, dealt) = aimed_sample()
    deals = int(dealt.sum())
    tables = announce.tables(cell, deals, (counts, dealt))
    (aim,) = tables["aim"].to_pylist()
    worth = np.array([-3.0, 3, 6, 9, 9])
    widths, plain = [], []
    for of_class in (0, 700, 2500, 4860):
        cells = np.argwhere(counts[of_class]).repeat(counts[of_class][counts[of_class] > 0], axis=0)
        stand, miss = worth[cells[:, 0]], worth[cells[:, 1]]
        variance = max(np.var(x, ddof=1) for x in (stand, miss, miss - stand))
        widths.append(Z95 * sqrt(variance / len(cells)))
        # In N plain deals the hand comes to the situation N P q times.
        chance = hand_classes(52).size[of_class] / 20825 * len(cells) / dealt[of_class]
        plain.append((variance, chance))
    assert aim["worst"] == pytest.approx(max(widths))
    assert aim["median"] == pytest.approx(np.median(widths))
    assert aim["worst_hand"] == hand_classes(52).names[(0, 700, 2500, 4860)[np.argmax(widths)]]
    needed = max(Z95**2 * variance / max(widths) ** 2 / chance for variance, chance in plain)
    assert aim["plain_deals"] == pytest.approx(needed)
    assert aim["gain"] == pytest.approx(needed / deals)
    assert (aim["seat"], aim["standers"], aim["miss_free"], aim["n"]) == (3, 1, True, deals)
    assert aim["in_situation"] == counts.sum()
    assert announce.half_width(tables) == aim["worst"]


def test_pooled_errors_are_those_of_repeated_samples() -> None:
    """Strata of a known population, sampled again and again: unbiased, scattered as claimed."""
    draw = np.random.default_rng(8)
    share, came = np.array([0.5, 0.3, 0.2]), np.array([0.9, 0.2, 0.5])
    centre, spread, dealt = np.array([-1.0, 4.0, 0.5]), np.array([1.0, 2.0, 3.0]), 200
    weight = share * came
    runs = 2000
    n = draw.binomial(dealt, came, size=(runs, 3))
    # Mean and error of normal samples, drawn as such.
    mean = centre + draw.normal(size=n.shape) * spread / np.sqrt(n)
    se = spread * np.sqrt(draw.chisquare(n - 1) / (n - 1) / n)
    rows = pd.DataFrame(
        {
            "run": np.repeat(np.arange(runs), 3),
            "n": n.ravel(),
            "weight": (share * n / dealt).ravel(),
            "weight_se": (share * np.sqrt(n / dealt * (1 - n / dealt) / (dealt - 1))).ravel(),
            "stand": mean.ravel(),
            "stand_se": se.ravel(),
        }
    )
    found = aimed.aggregate_by_weight(rows, ["run"])
    for name, truth in (
        ("stand", (weight * centre).sum() / weight.sum()),
        ("weight", weight.sum()),
    ):
        value, claimed = found[name], found[f"{name}_se"]
        scatter = value.std(ddof=1)
        assert abs(value.mean() - truth) < 4 * scatter / sqrt(runs) + 0.02 * scatter
        assert scatter == pytest.approx(sqrt((claimed**2).mean()), rel=0.06)


def test_pooling_leaves_out_what_is_empty_and_an_unknown_error_stays_unknown() -> None:
    rows = pd.DataFrame(
        {
            "seat": [0, 0, 1, 1],
            "n": [9, 4, 5, 1],
            "weight": [0.1, 0.3, 0.2, 0.1],
            "weight_se": [0.01, 0.02, 0.0, 0.0],
            "miss": [2.0, np.nan, 1.0, 4.0],
            "miss_se": [0.5, np.nan, 0.4, np.nan],
        }
    )
    found = aimed.aggregate_by_weight(rows, ["seat"])
    assert found["n"].tolist() == [13, 6]
    assert found["weight"].tolist() == pytest.approx([0.4, 0.3])
    assert found["miss"].tolist() == pytest.approx([2.0, 2.0])
    assert found.loc[0, "miss_se"] == pytest.approx(0.5)
    assert np.isnan(found.loc[1, "miss_se"])


def test_a_hand_that_came_up_once_leaves_the_widest_interval_unknown() -> None:
    cell, (counts, dealt) = aimed_sample()
    counts[3000, 1, 1] = dealt[3000] = 1
    tables = announce.tables(cell, int(dealt.sum()), (counts, dealt))
    (aim,) = tables["aim"].to_pylist()
    assert aim["hands"] == 5
    assert (aim["worst"], aim["gain"]) == (None, None)
    assert aim["median"] is not None
    assert np.isnan(announce.half_width(tables))
    assert announce.headline(tables)[0][-1].told == "–"


@few
def test_aiming_gains_where_the_situation_is_rare_with_some_hands() -> None:
    """The worst hand, against the same number of deals alike for every hand and plain ones."""
    situation, deals = Situation(3, 2, True), 2**25
    cell = Cell({}, 5, 6 * STAKES, PRESETS["standard"], (policy("trumps"),) * 5, aim=situation)
    game = announce.encode(cell)
    assert np.array_equal(game.aim.slots, announce.encode(cell).aim.slots)
    alike = aimed.AimedGame(game.game, aim_at(cell.rules, situation))
    worst, gain = [], []
    for each in (game, alike):
        counts = announce.empty_counts(cell)
        announce.add_counts(each, 11, 0, deals, counts)
        (row,) = announce.tables(cell, deals, counts)["aim"].to_pylist()
        worst.append(row["worst"])
        gain.append(row["gain"])
    assert worst[0] < 0.85 * worst[1]
    assert gain[0] > 1.5 * gain[1] > 3


def test_a_hand_is_known_as_widely_as_its_widest_figure_and_from_30_deals_on() -> None:
    rows = pa.table(
        {
            "n": [30, 29, 4000, 1],
            "stand_se": [0.1, 0.0, 0.01, None],
            "miss_se": [0.2, 0.0, 0.03, None],
            "miss_minus_stand_se": [0.15, 0.0, 0.02, None],
        }
    )
    assert half_widths(rows, miss_free=True).tolist() == pytest.approx(
        [Z95 * 0.2, np.inf, Z95 * 0.03, np.inf]
    )
    assert half_widths(rows, miss_free=False).tolist() == pytest.approx(
        [Z95 * 0.1, np.inf, Z95 * 0.01, np.inf]
    )
