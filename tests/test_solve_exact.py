"""loosim solve on a pack so small that everything can be computed exactly."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import exact_three
import numpy as np
import pytest
from exact_announcing import (
    DEALER,
    DEALER_GONE,
    FIRST,
    FOLD,
    MISS,
    RULES,
    STAND,
    exact,
    solve_by_cfr,
)
from kernel_deals import SMALL
from scipy.optimize import linprog

from loo_sim.policies.parse import load_policy
from loo_sim.rules import PRESETS, UNITS_PER_STAKE
from loo_sim.strategy.announcing import Announcing
from loo_sim.strategy.gains import gain_of, gains, measure, moments_of
from loo_sim.strategy.mixtures import PARTS, chances_of, mixed, pure
from loo_sim.strategy.regrets import Regrets

pytestmark = pytest.mark.skipif(SMALL, reason="needs many deals")

POT, JOBS, SEED, FRESH = 3, 2, 1, 2**62
ROUNDS = 128
PLAY = load_policy("sharp")


@cache
def whole(carry):
    return exact(POT, carry, PLAY)


def announcing(carry):
    return Announcing(RULES, 2, POT * UNITS_PER_STAKE, PLAY, carry)


@cache
def learned(carry):
    """The average strategy after some rounds."""
    regrets = Regrets(announcing(carry), SEED, JOBS)
    with ThreadPoolExecutor(JOBS) as pool:
        for _ in range(ROUNDS):
            regrets.learn(pool)
    return regrets.average()


def measured(of, strategy, deals=2**20):
    with ThreadPoolExecutor(JOBS) as pool:
        return measure(of, strategy, SEED, FRESH, deals, pool, JOBS)


def said(of, action):
    """Everybody announces one thing wherever it is legal, and the first legal one elsewhere."""
    strategy = np.zeros((of.places, of.classes, 4), dtype=np.uint8)
    strategy[:, :, 0] = PARTS * of.legal[:, np.newaxis, 0]
    for place in (FIRST, DEALER, DEALER_GONE):
        legal = of.legal[place]
        strategy[place] = 0
        strategy[place, :, action if legal[action] else int(legal.argmax())] = PARTS
    return strategy


@pytest.mark.parametrize("carry", [False, True])
def test_the_strategy_gains_nothing_to_speak_of_to_leave(carry):
    average = learned(carry)
    of, game = announcing(carry), whole(carry)
    assert game.gains(average).sum() <= 0.001
    for strategy in (mixed(of, average), pure(average)):
        assert 0 <= game.gains(strategy / PARTS).sum() <= 0.001


def test_the_value_is_that_of_an_independent_solver_and_of_a_linear_program():
    """Two players who share what is left in the pot: what one gets the other does not."""
    game = whole(True)
    for worth in game.worth.values():
        # Together they get the pot in every deal.
        np.testing.assert_allclose(worth.sum(axis=0), POT * game.chance, atol=1e-12)
    by_cfr = solve_by_cfr(game, 2000)
    value = game.value(by_cfr)
    assert game.gains(by_cfr).sum() < 1e-5
    assert value == pytest.approx(value_by_program(game), abs=1e-5)
    assert game.value(learned(True)) == pytest.approx(value, abs=0.0005)


def value_by_program(game):
    """The first seat's value: x maximizes what the dealer's best answers leave it.

    Variables are its chances by class and announcement, and for each class of the dealer what the
    first seat gets after standing and after the miss.
    """
    classes = len(game.chance)
    chances, answers = 3 * classes, 2 * classes
    cost = np.zeros(chances + answers)
    cost[:chances:3] = -game.worth[FOLD, FOLD][0].sum(axis=1)
    cost[chances:] = -1.0
    rows = []
    for number, (before, place) in enumerate(((STAND, DEALER), (MISS, DEALER_GONE))):
        for answer in game.legal(place):
            of = game.worth.get((before, answer))
            for dealer in range(classes):
                row = np.zeros(chances + answers)
                row[chances + number * classes + dealer] = 1.0
                row[before:chances:3] = -of[0][:, dealer]
                rows.append(row)
    sums = np.zeros((classes, chances + answers))
    for hand in range(classes):
        sums[hand, 3 * hand : 3 * hand + 3] = 1.0
    bounds = [(0, None)] * chances + [(None, None)] * answers
    found = linprog(
        cost, np.array(rows), np.zeros(len(rows)), sums, np.ones(classes), bounds=bounds
    )
    assert found.success
    return -found.fun


@pytest.mark.parametrize("carry", [False, True])
@pytest.mark.parametrize("action", [STAND, MISS, FOLD])
def test_bad_policies_show_the_right_gain(carry, action):
    of = announcing(carry)
    strategy = said(of, action)
    right = whole(carry).gains(strategy / PARTS)
    found = measured(of, strategy)
    assert right.max() > 0.1
    # So few classes: each comes so often that both bounds find the best deviation.
    assert (np.abs(found.low - right) <= 4.5 * found.low_se + 1e-12).all()
    assert (np.abs(found.high - right) <= 4.5 * found.high_se + 1e-12).all()
    assert (found.low <= found.high + 1e-12).all()


@pytest.mark.parametrize("carry", [False, True])
def test_what_is_measured_lies_around_the_exact_gain(carry):
    of = announcing(carry)
    strategy = mixed(of, learned(carry))
    right = whole(carry).gains(strategy / PARTS)
    found = measured(of, strategy)
    assert (found.low - 4 * found.low_se <= right).all()
    assert (right <= found.high + 4 * found.high_se).all()
    assert (found.low >= -4 * found.low_se).all()
    fewer = measured(of, strategy, 2**17)
    assert found.sum_high < fewer.sum_high


@pytest.mark.parametrize("seed", range(4))
def test_any_strategy_is_measured_right_and_no_gain_is_negative(seed):
    of = announcing(bool(seed % 2))
    random = np.random.default_rng(seed)
    chances = random.dirichlet((0.3,) * 4, (of.places, of.classes)) * of.legal[:, np.newaxis]
    chances /= chances.sum(axis=2, keepdims=True)
    strategy = mixed(of, chances)
    right, found = whole(of.carry).gains(strategy / PARTS), measured(of, strategy)
    assert right.min() > 0
    assert (found.low >= -4 * found.low_se).all()
    assert (found.low - 4.5 * found.low_se <= right).all()
    assert (right <= found.high + 4.5 * found.high_se).all()


def test_the_gain_of_another_strategy_is_right():
    of, game = announcing(False), whole(False)
    strategy = pure(learned(False))
    other = said(of, MISS) / PARTS
    with ThreadPoolExecutor(JOBS) as pool:
        moments = moments_of(of, strategy, SEED, FRESH, 2**20, pool, JOBS)
    gain, se = gain_of(of, strategy, other, moments, 2**20)
    for seat, places in ((0, (FIRST,)), (1, (DEALER, DEALER_GONE))):
        right = sum(
            np.nansum(
                game.values(strategy / PARTS, seat, place) * (other - strategy / PARTS)[place]
            )
            for place in places
        )
        assert right < -0.05
        assert abs(gain[seat] - right) <= 4.5 * se[seat]


def test_gains_by_hand():
    """Two hands of the first seat in one situation; sums and squares made up."""
    of = announcing(False)
    moments = np.zeros((2, of.places, of.classes, 10), dtype=np.int64)
    unit = UNITS_PER_STAKE
    # Hand 0: standing gains 1 stake a deal in all of 4 deals; hand 1: the miss gains 2 in one half
    # and loses 2 in the other.
    moments[:, FIRST, 0, 0] = 2
    moments[:, FIRST, 0, 1] = 2 * unit
    moments[:, FIRST, 0, 4] = 2 * unit**2
    moments[:, FIRST, 1, 0] = 1
    moments[0, FIRST, 1, 2], moments[1, FIRST, 1, 2] = 2 * unit, -2 * unit
    moments[:, FIRST, 1, 5] = 4 * unit**2
    strategy = said(of, FOLD)
    found = gains(of, strategy, moments, 10)
    assert found.high[0] == pytest.approx(4 / 10)
    assert found.high_se[0] == pytest.approx(np.sqrt((4 / 10 - 0.16) / 10))
    # Standing gains sqrt(2) standard errors in either half: too little to leave the strategy for.
    assert found.low[0] == 0
    moments[:, FIRST, 0, [0, 1, 4]] *= 4
    assert gains(of, strategy, moments, 40).low[0] == pytest.approx(16 / 40)


def test_a_deviation_is_valued_on_the_half_that_it_was_not_fitted_on():
    """The miss gains 2 stakes in 100 deals of one half, and loses 3 in 100 of the other."""
    of, unit = announcing(False), UNITS_PER_STAKE
    moments = np.zeros((2, of.places, of.classes, 10), dtype=np.int64)
    for half, gain in enumerate((2, -3)):
        moments[half, FIRST, 7, [0, 2, 5]] = 100, 100 * gain * unit, 100 * gain**2 * unit**2
    found = gains(of, said(of, FOLD), moments, 1000)
    assert found.low[0] == pytest.approx(-300 / 1000)
    assert found.low_se[0] == pytest.approx(np.sqrt((900 / 1000 - 0.09) / 1000))
    assert found.high[0] == 0  # over all 200 deals it loses
    moments = moments[::-1]
    assert gains(of, said(of, FOLD), moments, 1000).low[0] == pytest.approx(-300 / 1000)


def test_learning_can_be_broken_off_and_shared():
    def after(jobs, stops):
        regrets = Regrets(announcing(True), SEED, jobs)
        with ThreadPoolExecutor(jobs) as pool:
            for number in range(6):
                if number in stops:
                    state = {name: array.copy() for name, array in regrets.state().items()}
                    regrets = Regrets(announcing(True), SEED, jobs)
                    regrets.restore(state)
                regrets.learn(pool)
        return regrets.state()

    one, other = after(1, ()), after(2, (2, 5))
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.tobytes() == other[name].tobytes()


def test_a_policy_as_chances():
    of = announcing(False)
    for name in ("trumps", "random"):
        chances = chances_of(of, load_policy(name))
        np.testing.assert_allclose(chances.sum(axis=2), 1.0)
        assert not (chances[FIRST] * ~of.legal[FIRST]).any()
    random = chances_of(of, load_policy("random"))
    np.testing.assert_allclose(random[FIRST], [[1 / 3, 1 / 3, 1 / 3, 0]] * of.classes, atol=1e-9)
    np.testing.assert_allclose(random[DEALER], [[0, 1 / 3, 1 / 3, 1 / 3]] * of.classes, atol=1e-9)


@cache
def three_players():
    return exact_three.tables()


def exact_gains(of, strategy):
    return exact_three.exact_gains(strategy / PARTS, of.legal, three_players())


@pytest.fixture
def three():
    """Three players and sixteen cards."""
    rules = replace(PRESETS["standard"], deck=exact_three.DECK, min_players=3)
    return Announcing(rules, 3, POT * UNITS_PER_STAKE, load_policy("trumps"), carry=False)


@pytest.mark.long
def test_three_players_gain_what_enumeration_says(three):
    regrets = Regrets(three, SEED, JOBS)
    with ThreadPoolExecutor(JOBS) as pool:
        for _ in range(4 * ROUNDS):
            regrets.learn(pool)
    strategy = mixed(three, regrets.average())
    right = exact_gains(three, strategy)
    assert (right >= -1e-12).all()
    assert right.sum() <= 0.001
    found = measured(three, strategy)
    assert (found.low - 4 * found.low_se <= right).all()
    assert (right <= found.high + 4 * found.high_se).all()
    bad = said_by_three(three)
    right, found = exact_gains(three, bad), measured(three, bad)
    assert right.min() > 0.05
    assert (np.abs(found.low - right) <= 4.5 * found.low_se + 0.002).all()
    assert (np.abs(found.high - right) <= 4.5 * found.high_se + 0.002).all()


@pytest.mark.long
def test_the_few_lines_play_as_the_referee_does(three):
    """Some contests of two and three hands."""
    from exact_announcing import Saying

    from loo_sim.cards import Card, live_cards
    from loo_sim.draws import Dealt
    from loo_sim.policies.player import PolicyPlayer
    from loo_sim.referee import play_deal

    _, two, others = three_players()
    turn_up = Card(11, "s")
    live, random = live_cards(turn_up, exact_three.DECK), np.random.default_rng(5)
    number = {tuple(hand): place for place, hand in enumerate(exact_three.HANDS.tolist())}
    for _ in range(2000):
        cards = random.permutation(15)[:12].reshape(4, 3)
        cards.sort(axis=1)
        a, b, c, _ = (number[tuple(hand)] for hand in cards.tolist())
        dealt = Dealt(
            turn_up, [live[i] for i in cards[3]], [[live[i] for i in h] for h in cards[:3]]
        )
        for last, code in (("stand", others[a, b, c]), ("fold", two[a, b])):
            # A dealer who could defend may not fold, unless a house rule lets him.
            rules = replace(three.rules, dealer_may_fold=True)
            players = [
                Saying(said, PolicyPlayer(three.play, lambda: None))
                for said in ("stand", "stand", last)
            ]
            deal = play_deal(rules, dealt, three.pot, players)
            assert sum(won << (2 * i) for i, won in enumerate(deal.tricks_won)) == code


def said_by_three(of):
    """Everybody stands, which is always legal."""
    strategy = np.zeros((of.places, of.classes, 4), dtype=np.uint8)
    strategy[:, :, STAND] = PARTS
    return strategy
