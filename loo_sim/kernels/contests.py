"""Contests in lanes: the three tricks of the k players in, who hold *slots* 0 to k - 1.

Slot 0 is the first player in from the dealer's left, who leads the first trick. All contests of a
batch have the same k. After the first trick each lane is turned so that its winner holds slot 0;
the third trick leaves no choice, so its order does not matter.

A card is chosen as the least of three keys. A key's high bits are its tier (`FIRST_TIER` is taken
from before `NEXT_TIER` before `LAST_TIER`); its low six bits order the cards of a tier: the card
code, the code turned over, or a random rank. With two cards left the middle row holds a copy of the
first card, which changes nothing.

Rows are uint8, one value a contest. Each function is one loop over few rows and casts every result
back to a byte: that is what lets the compiler keep 32 or 64 contests in a register.
"""

from __future__ import annotations

import numpy as np

from loo_sim.kernels.announcing import ACTION_BITS, KIND, SAYS_DEFEND, SAYS_MISS
from loo_sim.kernels.announcing import PREFERENCE as BATCH_PREFERENCE
from loo_sim.kernels.compiled import inner
from loo_sim.kernels.dealing import FIRST_TRUMP, TOP_TRUMP
from loo_sim.kernels.game import (
    DEFEND_WITH_OWN,
    FIRST_LEAD_HIGHEST,
    FIRST_LEAD_NEED,
    HEAD,
    HIGH_WORD,
    KINDS,
    LATER_LEAD_HIGHEST,
    LATER_LEAD_NEED,
    LEAD,
    LEAD_PLAIN,
    LEAD_TRUMP,
    LOSE,
    PEOPLE_MOVE,
    PLAYS_DRAW,
    RANDOM_WORD,
    SEAT_BITS,
    SIZES,
    UNDERTRUMP_OPTIONAL,
    WORDS_VARY,
)

REGISTER = 64
"""Lanes of a byte in the widest vector register."""
SHIFT_A, SHIFT_B, SHIFT_C = np.uint32(0), np.uint32(8), np.uint32(16)
BYTE = np.uint32(255)
SEAT = np.uint8(SEAT_BITS)
SLOTS = 16
A, B, C = np.int64(0), np.int64(SLOTS), np.int64(2 * SLOTS)
"""First rows of the cards in hand, a row a slot."""
WHO, TURNED, PREFERENCE = np.int64(3 * SLOTS), np.int64(4 * SLOTS), np.int64(5 * SLOTS)
"""First rows of seat + 16 action, of whose play words count where words vary, and of random ranks
of the cards in hand; the last two are turned with the slots."""
PLAYED = 6 * SLOTS
"""First row of the cards played: 16 rows a trick."""
WINNER, BEST, LED, WORD = 9 * SLOTS, 9 * SLOTS + 3, 9 * SLOTS + 4, 9 * SLOTS + 5
TALLY = WORD + 3
"""Three rows for whoever counts what came of it."""
CONTEST_ROWS = TALLY + 3
FIRST_TRICK, SECOND_TRICK = np.int64(0), np.int64(1)
NOT_LAST, NO_TRICKS = np.int64(0), np.int64(0)

TRUMP, TOP, PLAIN_SUIT = np.uint8(FIRST_TRUMP), np.uint8(TOP_TRUMP), np.uint8(3)
FLIP, RANDOM = np.uint8(HIGH_WORD), np.uint8(RANDOM_WORD)
FIRST_TIER, NEXT_TIER, LAST_TIER = np.uint8(0), np.uint8(64), np.uint8(128)
ZERO, ONE, TWO, THREE, FOUR = (np.uint8(number) for number in range(5))
RANK_BITS = np.uint8(3)
SECOND_TRICK_BIT = np.uint8(64)
FIRST_BEFORE_SECOND, SECOND_BEFORE_FIRST = np.uint8(1 << 4), np.uint8(1 | 1 << 2)


@inner
def play_tricks(game, k, lanes, s):
    """Play the contests of some lanes, all with `k` players in, side by side in `s.contest`.

    Parameters
    ----------
    game : Game
        The game.
    k : int
        Players in each contest, 2 to 16.
    lanes : uint16 (m,)
        Lanes of the batch whose slots hold the contests.
    s : Scratch
        In: `entry_in`, `hand`, and the random ranks in `row` where words are drawn. Out, in
        `contest`: rows `WINNER` + trick, the slot that won it; rows `WHO` + slot; rows `PLAYED` +
        16 trick + slot, the card of each slot in trick 1, of each slot turned (the winner of trick
        1 holds 0) in tricks 2 and 3. All other rows, and `words`, are used up.
    """
    c = s.contest
    settings = game.settings
    # The rows of random words are free by now.
    hand, holds = s.words[0, : lanes.size], c[WORD, : lanes.size]
    for slot in range(k):
        who = c[WHO + slot, : lanes.size]
        gather(s.entry_in[slot], lanes, who)
        find_hand(who, settings[DEFEND_WITH_OWN] != 0, holds)
        gather_hands(s.hand, holds, lanes, hand)
        unpack(hand, SHIFT_A, c[A + slot])
        unpack(hand, SHIFT_B, c[B + slot])
        unpack(hand, SHIFT_C, c[C + slot])
        if settings[PLAYS_DRAW]:
            prefer(s.row, c[WHO + slot], lanes, c[PREFERENCE + slot])
    # Whole registers: what is computed beyond the lanes is not looked at.
    n = (lanes.size + REGISTER - 1) // REGISTER * REGISTER
    who = TURNED if settings[WORDS_VARY] else WHO
    for slot in range(k):
        if settings[PEOPLE_MOVE] & settings[WORDS_VARY]:
            # A kind beyond the lanes must be one that there is, whatever lay there.
            fill(c[TURNED + slot, :n], ZERO)
            name_kind(s.row, c[WHO + slot], lanes, c[TURNED + slot])
        elif settings[WORDS_VARY]:
            copy(c[WHO + slot, :n], c[TURNED + slot, :n])
    first, second, third = c[WINNER, :n], c[WINNER + 1, :n], c[WINNER + 2, :n]
    play_trick(game, FIRST_TRICK, n, k, A, B, C, who, PREFERENCE, c)
    for slot in range(k):
        card = c[PLAYED + slot, :n]
        keep_other(c[A + slot, :n], card, c[B + slot, :n])
        keep_other(c[C + slot, :n], card, c[B + slot, :n])
    a, spare = turn(first, n, k, A, B, c)
    z, spare = turn(first, n, k, C, spare, c)
    preference = PREFERENCE
    if settings[WORDS_VARY]:
        who, spare = turn(first, n, k, TURNED, spare, c)
    if settings[PLAYS_DRAW]:
        preference, spare = turn(first, n, k, PREFERENCE, spare, c)
        for slot in range(k):
            prefer_second(c[preference + slot, :n])
    play_trick(game, SECOND_TRICK, n, k, a, a, z, who, preference, c)
    for slot in range(k):
        last = c[PLAYED + 2 * SLOTS + slot, :n]
        copy(c[a + slot, :n], last)
        keep_other(last, c[PLAYED + SLOTS + slot, :n], c[z + slot, :n])
    last_trick(n, k, c)
    unturn(first, second, np.uint8(k))
    unturn(first, third, np.uint8(k))


@inner
def gather(row, lanes, out):
    """The values of some lanes side by side."""
    for place in range(lanes.size):
        out[place] = row[lanes[place]]


@inner
def find_hand(who, defend_with_own, holds):
    """The row of `Scratch.hand` with the cards that each player plays: his own or the miss."""
    for place in range(holds.size):
        x = who[place]
        action = np.uint8(x >> ACTION_BITS)
        takes_miss = (action == SAYS_MISS) | ((action == SAYS_DEFEND) & (not defend_with_own))
        own = np.uint8(np.uint8(x & SEAT) + ONE)
        holds[place] = ZERO if takes_miss else own


@inner
def gather_hands(hands, row, lanes, out):
    """The hands of some lanes side by side, each of a row of its own."""
    for place in range(lanes.size):
        out[place] = hands[row[place], lanes[place]]


@inner
def unpack(hand, shift, row):
    """One card of each hand."""
    for place in range(hand.size):
        row[place] = np.uint8(np.uint32(hand[place] >> shift) & BYTE)


@inner
def prefer(rows, who, lanes, out):
    """Random ranks of the cards of whoever is in the slot."""
    for place in range(lanes.size):
        out[place] = rows[BATCH_PREFERENCE + (who[place] & SEAT_BITS), lanes[place]]


@inner
def name_kind(rows, who, lanes, out):
    """The kind of policy of whoever is in the slot: play words go with the person."""
    for place in range(lanes.size):
        out[place] = rows[KIND + (who[place] & SEAT_BITS), lanes[place]]


@inner
def play_trick(game, trick, n, k, a, b, z, who, preference, c):
    """Play trick `trick` (0 or 1), led by slot 0.

    Parameters
    ----------
    game : Game
        The game.
    trick : int
        0 or 1.
    n, k : int
        Contests; players in each.
    a, b, z, who, preference : int
        First rows of the three cards, of the players and of their random ranks.
    c : uint8 (CONTEST_ROWS, lanes)
        The rows.
    """
    settings, play, shared_word = game.settings, game.play, game.shared_word
    best, led, winner = c[BEST, :n], c[LED, :n], c[WINNER + trick, :n]
    one, other, lead = c[WORD, :n], c[WORD + 1, :n], c[WORD + 2, :n]
    card = c[PLAYED + trick * SLOTS, :n]
    fill(best, ZERO)
    words(play, shared_word, trick, NOT_LAST, k, LEAD_TRUMP, trick, c[who, :n], best, one)
    words(play, shared_word, trick, NOT_LAST, k, LEAD_PLAIN, trick, c[who, :n], best, other)
    words(play, shared_word, trick, NOT_LAST, k, LEAD, trick, c[who, :n], best, lead)
    need = settings[LATER_LEAD_NEED] if trick else settings[FIRST_LEAD_NEED]
    highest = settings[LATER_LEAD_HIGHEST] if trick else settings[FIRST_LEAD_HIGHEST] | (k == 2)
    choose_lead(
        c[a, :n], c[b, :n], c[z, :n], one, other, lead, c[preference, :n],
        np.uint8(need), highest != 0, trick == 0, card,
    )  # fmt: skip
    copy(card, led)
    copy(card, best)
    fill(winner, ZERO)
    losing_trump = LAST_TIER if settings[UNDERTRUMP_OPTIONAL] else NEXT_TIER
    for slot in range(1, k):
        last = np.int64(slot == k - 1)
        card = c[PLAYED + trick * SLOTS + slot, :n]
        words(play, shared_word, trick, last, k, HEAD, NO_TRICKS, c[who + slot, :n], best, one)
        words(play, shared_word, trick, last, k, LOSE, NO_TRICKS, c[who + slot, :n], best, other)
        if settings[PLAYS_DRAW]:
            choose_follow_or_draw(
                c[a + slot, :n], c[b + slot, :n], c[z + slot, :n], led, best, one, other,
                c[preference + slot, :n], losing_trump, card,
            )  # fmt: skip
        else:
            choose_follow(
                c[a + slot, :n], c[b + slot, :n], c[z + slot, :n], led, best, one, other,
                losing_trump, card,
            )  # fmt: skip
        head(card, led, np.uint8(slot), best, winner)


@inner
def words(play, shared_word, trick, last, k, kind, my_tricks, who, best, word):
    """Look up a play word in every lane; a word that all seats always share is filled in."""
    size = (trick * 2 + last) * SIZES + k
    shared = shared_word[size * KINDS + kind]
    if shared >= 0:
        fill(word, np.uint8(shared))
    else:
        place = size * 3 + my_tricks
        for lane in range(word.size):
            trumped = 1 if best[lane] >= TRUMP else 0
            word[lane] = play[who[lane] & SEAT_BITS, (place * 2 + trumped) * KINDS + kind]


@inner
def choose_lead(
    a, b, c, trump_word, plain_word, lead_word, preference, need, highest, top_duty, card
):
    """S11, S14: the card a leader plays.

    Parameters
    ----------
    a, b, c : uint8 (n,)
        His cards.
    trump_word, plain_word, lead_word : uint8 (n,)
        Which trump, which plain card; whether a trump (0), a plain card (1), any (2) where free.
    preference : uint8 (n,)
        Random ranks of the three cards, two bits each.
    need : uint8
        Trumps he must hold before he must lead one.
    highest, top_duty : bool
        Whether it must then be the highest; whether the highest live trump must be led.
    card : uint8 (n,)
        Modified in place.
    """
    for lane in range(card.size):
        x, y, z = a[lane], b[lane], c[lane]
        for_trumps, for_plain, to_lead = trump_word[lane], plain_word[lane], lead_word[lane]
        ranks = preference[lane]
        tx, ty, tz = x >= TRUMP, y >= TRUMP, z >= TRUMP
        trumps = np.uint8(np.uint8(np.uint8(tx) + np.uint8(ty)) + np.uint8(tz))
        top = top_duty & ((x == TOP) | (y == TOP) | (z == TOP))
        bound = trumps >= need
        free = not (top | bound)
        any_card = free & (to_lead == TWO) & (trumps > ZERO) & (trumps < THREE)
        plain_first = free & (to_lead == ONE)
        trump_tier = NEXT_TIER if plain_first else FIRST_TIER
        plain_tier = FIRST_TIER if plain_first | any_card else NEXT_TIER
        trump_order = FLIP if top | (bound & highest) else (RANDOM if any_card else for_trumps)
        plain_order = RANDOM if any_card else for_plain
        x_order = trump_order if tx else plain_order
        y_order = trump_order if ty else plain_order
        z_order = trump_order if tz else plain_order
        x_tier = trump_tier if tx else plain_tier
        y_tier = trump_tier if ty else plain_tier
        z_tier = trump_tier if tz else plain_tier
        x_key = key_of(x, x_tier, x_order, ranks)
        y_key = key_of(y, y_tier, y_order, np.uint8(ranks >> TWO))
        z_key = key_of(z, z_tier, z_order, np.uint8(ranks >> FOUR))
        card[lane] = least(x, y, z, x_key, y_key, z_key)


@inner
def choose_follow(a, b, c, led, best, head_word, lose_word, losing_trump, card):
    """S12: the card a follower plays, where no word is random.

    Parameters
    ----------
    a, b, c : uint8 (n,)
        His cards.
    led, best : uint8 (n,)
        The card led, and the best so far.
    head_word, lose_word : uint8 (n,)
        Which of the winning cards; which card where none wins.
    losing_trump : uint8
        Tier of a void player's losing trumps: `NEXT_TIER` if he must play them, else `LAST_TIER`.
    card : uint8 (n,)
        Modified in place.
    """
    for lane in range(card.size):
        x, y, z = a[lane], b[lane], c[lane]
        suit = suit_of(led[lane])
        fx, fy, fz = suit_of(x) == suit, suit_of(y) == suit, suit_of(z) == suit
        void = not (fx | fy | fz)
        losing = losing_trump if void else NEXT_TIER
        high, to_head, to_lose = best[lane], head_word[lane], lose_word[lane]
        x_tier = tier(x, fx, void, high, losing)
        y_tier = tier(y, fy, void, high, losing)
        z_tier = tier(z, fz, void, high, losing)
        x_key = np.uint8(x_tier | np.uint8(x ^ (to_lose if x_tier else to_head)))
        y_key = np.uint8(y_tier | np.uint8(y ^ (to_lose if y_tier else to_head)))
        z_key = np.uint8(z_tier | np.uint8(z ^ (to_lose if z_tier else to_head)))
        card[lane] = least(x, y, z, x_key, y_key, z_key)


@inner
def choose_follow_or_draw(a, b, c, led, best, head_word, lose_word, preference, losing_trump, card):
    """S12 as `choose_follow`, where a word may be random: then the random rank is the order."""
    for lane in range(card.size):
        x, y, z = a[lane], b[lane], c[lane]
        suit = suit_of(led[lane])
        fx, fy, fz = suit_of(x) == suit, suit_of(y) == suit, suit_of(z) == suit
        void = not (fx | fy | fz)
        losing = losing_trump if void else NEXT_TIER
        high, ranks = best[lane], preference[lane]
        to_head, to_lose = head_word[lane], lose_word[lane]
        x_tier = tier(x, fx, void, high, losing)
        y_tier = tier(y, fy, void, high, losing)
        z_tier = tier(z, fz, void, high, losing)
        x_order = to_lose if x_tier else to_head
        y_order = to_lose if y_tier else to_head
        z_order = to_lose if z_tier else to_head
        x_key = key_of(x, x_tier, x_order, ranks)
        y_key = key_of(y, y_tier, y_order, np.uint8(ranks >> TWO))
        z_key = key_of(z, z_tier, z_order, np.uint8(ranks >> FOUR))
        card[lane] = least(x, y, z, x_key, y_key, z_key)


@inner
def key_of(card, tier, order, ranks):
    """Key of a card: its tier, then its code, turned over or not, or its random rank (low bits)."""
    rank = np.uint8(ranks & RANK_BITS)
    return np.uint8(tier | (rank if order == RANDOM else np.uint8(card ^ order)))


@inner
def least(x, y, z, x_key, y_key, z_key):
    """The card with the least key."""
    chosen = y if y_key < x_key else x
    key = y_key if y_key < x_key else x_key
    return z if z_key < key else chosen


@inner
def suit_of(card):
    """Suit of a card code: 0 to 2 plain, 3 trumps."""
    return PLAIN_SUIT if card >= TRUMP else np.uint8(card & PLAIN_SUIT)


@inner
def tier(card, follows, void, best, losing):
    """Tier of a follower's card: winning, losing but owed, or to throw away."""
    owed = follows | (void & (card >= TRUMP))
    return (FIRST_TIER if card > best else losing) if owed else LAST_TIER


@inner
def head(card, led, slot, best, winner):
    """S13: where `card` beats the best so far it becomes the best, and `slot` the winner."""
    for lane in range(card.size):
        x, high, seat = card[lane], best[lane], winner[lane]
        beats = ((suit_of(x) == suit_of(led[lane])) | (x >= TRUMP)) & (x > high)
        best[lane] = x if beats else high
        winner[lane] = slot if beats else seat


@inner
def last_trick(n, k, c):
    """The third trick, whose cards are forced: fills the last row of `WINNER`."""
    leader, winner = c[WINNER + 1, :n], c[WINNER + 2, :n]
    led, best = c[LED, :n], c[BEST, :n]
    for slot in range(k):
        take_lead(c[PLAYED + 2 * SLOTS + slot, :n], leader, np.uint8(slot), led)
    copy(led, best)
    copy(leader, winner)
    for slot in range(k):
        head(c[PLAYED + 2 * SLOTS + slot, :n], led, np.uint8(slot), best, winner)


@inner
def take_lead(card, leader, slot, led):
    """The card led, where `slot` leads."""
    for lane in range(card.size):
        x, other = card[lane], led[lane]
        led[lane] = x if leader[lane] == slot else other


@inner
def turn(first, n, k, rows, spare, c):
    """Turn the slots so that slot `first` of each lane comes to 0; a rotation a bit of `first`.

    Returns
    -------
    turned, left_over : int
        `rows` and `spare`, whichever now is the first row of the turned slots first.
    """
    step = 1
    while step < k:
        for slot in range(k):
            ahead = slot + step if slot + step < k else slot + step - k
            pick(
                first, np.uint8(step), c[rows + ahead, :n], c[rows + slot, :n], c[spare + slot, :n]
            )
        rows, spare = spare, rows
        step *= 2
    return rows, spare


@inner
def pick(bits, mask, one, other, out):
    """`one` where the bit is set, else `other`."""
    for lane in range(out.size):
        x, y = one[lane], other[lane]
        out[lane] = x if np.uint8(bits[lane] & mask) else y


@inner
def unturn(first, slot, k):
    """Slots after the turn back to slots before it, in place."""
    for lane in range(slot.size):
        x = np.uint8(first[lane] + slot[lane])
        slot[lane] = np.uint8(x - k) if x >= k else x


@inner
def prefer_second(preference):
    """Random ranks of the two cards left for trick 2, in place of those of trick 1."""
    for lane in range(preference.size):
        later = np.uint8(preference[lane] & SECOND_TRICK_BIT)
        preference[lane] = SECOND_BEFORE_FIRST if later else FIRST_BEFORE_SECOND


@inner
def keep_other(row, card, middle):
    """Where the card played is the one of `row`, the middle card takes its place."""
    for lane in range(row.size):
        x, y = row[lane], middle[lane]
        row[lane] = y if x == card[lane] else x


@inner
def copy(source, row):
    """Copy a row."""
    for lane in range(row.size):
        row[lane] = source[lane]


@inner
def fill(row, value):
    """Fill a row with one value."""
    for lane in range(row.size):
        row[lane] = value
