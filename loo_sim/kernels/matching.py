"""Entry kernels of regret matching: a strategy drawn for some deals, and regrets added up."""

from __future__ import annotations

import numpy as np

from loo_sim.draws import SOLVE_STREAM
from loo_sim.kernels.compiled import entry, inner
from loo_sim.kernels.philox import block_words

WORDS_A_BLOCK = 4
BYTE_BITS = np.uint32(8)
PART = np.float32(2.0**-24)
"""A word without its low byte is so many parts of 1: a number that single precision holds."""


@entry
def draw_rows(chances, class_of, seed, hands, words, rows):
    """Draw an announcement for every hand in some situations.

    Parameters
    ----------
    chances : float32 (situations, classes, 3)
        Chance of folding; of folding or standing; of either or the miss.
    class_of : uint16 (hands,)
        Class of each hand.
    seed : uint64
        Key.
    hands : uint64 (hands,)
        Number of each hand's draw: no two draws of a search have the same.
    words : uint32 (4, hands)
        Work rows.
    rows : uint8 (situations, hands)
        Modified in place: the announcements.
    """
    for row in range(rows.shape[0]):
        word = row % WORDS_A_BLOCK
        if word == 0:
            block = np.uint64(row // WORDS_A_BLOCK)
            block_words(
                seed, hands, np.uint64(SOLVE_STREAM), block, words[0], words[1], words[2], words[3]
            )
        for hand in range(hands.size):
            fold, stand, miss = chances[row, class_of[hand]]
            part = np.float32(words[word, hand] >> BYTE_BITS) * PART
            passed = np.uint8(np.uint8(part >= fold) + np.uint8(part >= stand))
            rows[row, hand] = np.uint8(passed + np.uint8(part >= miss))


@inner
def match(regret, legal):
    """Regret matching: chances in proportion to what is regretted (Hart and Mas-Colell, 2000).

    Returns
    -------
    fold, stand, miss, defend : float
        Chances; those of what is not legal are 0.
    """
    fold, stand = wanted(regret[0], legal[0]), wanted(regret[1], legal[1])
    miss, defend = wanted(regret[2], legal[2]), wanted(regret[3], legal[3])
    total = fold + stand + miss + defend
    if total > 0.0:
        return fold / total, stand / total, miss / total, defend / total
    return even(legal)


@inner
def wanted(regret, legal):
    """A regret that counts: of what is legal, and above 0."""
    return regret if legal and regret > 0.0 else 0.0


@inner
def even(legal):
    """Equal chances for all that is legal."""
    fold, stand, miss, defend = 1.0 * legal[0], 1.0 * legal[1], 1.0 * legal[2], 1.0 * legal[3]
    total = fold + stand + miss + defend
    return fold / total, stand / total, miss / total, defend / total


@inner
def erring(chances, legal, error):
    """The chances of a hand that errs with chance `error`."""
    fold, stand, miss, defend = chances
    a, b, c, d = even(legal)
    kept = 1.0 - error
    return (
        kept * fold + error * a,
        kept * stand + error * b,
        kept * miss + error * c,
        kept * defend + error * d,
    )


@inner
def spread(chances, passed):
    """Sums of chances as thresholds, exact where a chance is 0: what has none is never drawn."""
    fold, stand, miss, defend = chances
    last = 1.0 - defend
    second = last if miss == 0.0 else last - miss
    first = second if stand == 0.0 else second - stand
    nothing = fold == 0.0
    passed[0] = 0.0 if nothing else first
    nothing = nothing & (stand == 0.0)
    passed[1] = 0.0 if nothing else second
    nothing = nothing & (miss == 0.0)
    passed[2] = 0.0 if nothing else last


@entry
def choose(regret, legal, error, chances):
    """The strategy that regrets lead to.

    Parameters
    ----------
    regret : float64 (situations, classes, 4)
        Sums of regrets.
    legal : bool (situations, 4)
        What may be announced.
    error : float
        Chance of announcing anything that is legal, each alike.
    chances : float32 (situations, classes, 3)
        Modified in place, as `draw_rows` reads it.
    """
    for situation in range(regret.shape[0]):
        may = legal[situation]
        for hand in range(regret.shape[1]):
            chance = match(regret[situation, hand], may)
            spread(erring(chance, may, error), chances[situation, hand])


@entry
def add_regrets(sums, errs, legal, weight, regret, total):
    """Add the regrets of a round, and the strategy that it was played by to its total.

    Parameters
    ----------
    sums : int64 (2, parts, situations, classes, 4)
        What the alternatives gained on folding, as `alternatives.SUMS`, by strategy: the one that
        is learned, and the one that errs. Parts are added.
    errs : int64 (situations,)
        Which of the two a situation learns from.
    legal : bool (situations, 4)
        What may be announced.
    weight : float
        Number of the round, from 1: regrets from before are kept in the proportion
        ``(weight - 1) / weight``, and the strategy counts `weight` times.
    regret, total : float64 (situations, classes, 4)
        Modified in place: sums of regrets, in the units of `sums`; weighted sum of strategies.
    """
    _, parts, situations, classes, _ = sums.shape
    keep = (weight - 1.0) / weight
    for situation in range(situations):
        may, gained = legal[situation], sums[errs[situation]]
        for hand in range(classes):
            regrets, played = regret[situation, hand], total[situation, hand]
            fold, stand, miss, defend = match(regrets, may)
            by_standing, by_miss, by_defending = np.int64(0), np.int64(0), np.int64(0)
            for part in range(parts):
                by_standing += gained[part, situation, hand, 1]
                by_miss += gained[part, situation, hand, 2]
                by_defending += gained[part, situation, hand, 3]
            mean = stand * by_standing + miss * by_miss + defend * by_defending
            regrets[0] = regrets[0] * keep - mean
            regrets[1] = regrets[1] * keep + (by_standing - mean)
            regrets[2] = regrets[2] * keep + (by_miss - mean)
            regrets[3] = regrets[3] * keep + (by_defending - mean)
            played[0] += weight * fold
            played[1] += weight * stand
            played[2] += weight * miss
            played[3] += weight * defend
