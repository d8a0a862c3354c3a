"""Kernels broken on purpose, one rule each.

A mutant is a text of a kernel module and what stands there instead. `test_kernels_mutants` applies
each to a copy of the package, in which `mutant_deals` must then find a deal that is played or
counted wrongly.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """A rule broken: what it is, and the text of a module (once there) with its replacement."""

    name: str
    module: str
    old: str
    new: str


MUTANTS = [
    Mutant(
        "no duty to head the trick",
        "contests",
        "return (FIRST_TIER if card > best else losing) if owed else LAST_TIER",
        "return losing if owed else LAST_TIER",
    ),
    Mutant(
        "a void player need not trump",
        "contests",
        "owed = follows | (void & (card >= TRUMP))",
        "owed = follows",
    ),
    Mutant(
        "a leader free to lead at random does so with nothing but plain cards or trumps too",
        "contests",
        " & (trumps > ZERO) & (trumps < THREE)",
        "",
    ),
    Mutant(
        "a player who can follow suit may trump",
        "contests",
        "owed = follows | (void & (card >= TRUMP))",
        "owed = follows | (card >= TRUMP)",
    ),
    Mutant(
        "nobody need undertrump",
        "contests",
        "losing_trump = LAST_TIER if settings[UNDERTRUMP_OPTIONAL] else NEXT_TIER",
        "losing_trump = LAST_TIER",
    ),
    Mutant(
        "everybody must undertrump",
        "contests",
        "losing_trump = LAST_TIER if settings[UNDERTRUMP_OPTIONAL] else NEXT_TIER",
        "losing_trump = NEXT_TIER",
    ),
    Mutant(
        "the highest live trump need not be led",
        "contests",
        "top = top_duty & (",
        "top = False & (",
    ),
    Mutant(
        "against one opponent any trump may be led",
        "contests",
        "settings[FIRST_LEAD_HIGHEST] | (k == 2)",
        "settings[FIRST_LEAD_HIGHEST]",
    ),
    Mutant(
        "the first lead is never bound to the highest trump of several",
        "game",
        'settings[FIRST_LEAD_HIGHEST] = rules.first_lead == "highest"',
        "settings[FIRST_LEAD_HIGHEST] = False",
    ),
    Mutant(
        "a single trump must be led under every rule",
        "game",
        'settings[FIRST_LEAD_NEED] = 1 if rules.first_lead == "any-trump" else 2',
        "settings[FIRST_LEAD_NEED] = 1",
    ),
    Mutant(
        "later leads are free",
        "game",
        'settings[LATER_LEAD_NEED] = NEVER if rules.later_lead == "free" else 1',
        "settings[LATER_LEAD_NEED] = NEVER",
    ),
    Mutant(
        "later leads are never free",
        "game",
        'settings[LATER_LEAD_NEED] = NEVER if rules.later_lead == "free" else 1',
        "settings[LATER_LEAD_NEED] = 1",
    ),
    Mutant(
        "later leads need not be the highest trump",
        "game",
        'settings[LATER_LEAD_HIGHEST] = rules.later_lead == "highest"',
        "settings[LATER_LEAD_HIGHEST] = False",
    ),
    Mutant(
        "a free leader never begins with a plain card",
        "contests",
        "plain_first = free & (to_lead == ONE)",
        "plain_first = False",
    ),
    Mutant(
        "trumps do not beat plain cards",
        "contests",
        "beats = ((suit_of(x) == suit_of(led[lane])) | (x >= TRUMP)) & (x > high)",
        "beats = (suit_of(x) == suit_of(led[lane])) & (x > high)",
    ),
    Mutant(
        "any higher card wins, of whatever suit",
        "contests",
        "beats = ((suit_of(x) == suit_of(led[lane])) | (x >= TRUMP)) & (x > high)",
        "beats = x > high",
    ),
    Mutant(
        "the first player in leads the second trick too",
        "contests",
        "ahead = slot + step if slot + step < k else slot + step - k",
        "ahead = slot",
    ),
    Mutant(
        "the third trick is won as if its leader had led the first player's suit",
        "contests",
        "led[lane] = x if leader[lane] == slot else other",
        "led[lane] = x if slot == ZERO else other",
    ),
    Mutant(
        "the winner of the third trick is told from another seat",
        "contests",
        "    unturn(first, third, np.uint8(k))\n",
        "",
    ),
    Mutant(
        "cards at random are taken by the inverse order",
        "batch",
        "order.index(place) << (2 * place)",
        "order[place] << (2 * place)",
    ),
    Mutant(
        "the preference for the second trick is turned round",
        "contests",
        "SECOND_BEFORE_FIRST if later else FIRST_BEFORE_SECOND",
        "FIRST_BEFORE_SECOND if later else SECOND_BEFORE_FIRST",
    ),
    Mutant(
        "seats draw from the stream of their right-hand neighbour",
        "batch",
        "stream = np.uint64(seat + 1)",
        "stream = np.uint64(seat)",
    ),
    Mutant(
        "the second card of a pair is drawn from one too many",
        "dealing",
        "n, m = np.uint32(left), np.uint32(left - 1)",
        "n, m = np.uint32(left), np.uint32(left)",
    ),
    Mutant(
        "the miss is there again for the next to ask",
        "announcing",
        "less = STEP_MISS if action == SAYS_MISS else STEP_OUT",
        "less = STEP_OUT",
    ),
    Mutant(
        "a defender always plays the miss",
        "contests",
        "((action == SAYS_DEFEND) & (not defend_with_own))",
        "(action == SAYS_DEFEND)",
    ),
    Mutant(
        "a defender never plays the miss",
        "contests",
        "((action == SAYS_DEFEND) & (not defend_with_own))",
        "False",
    ),
    Mutant(
        "a dealer before whom all fold must speak",
        "announcing",
        "said[lane] = SAYS_NOTHING if situation[lane] <= OPENING else x",
        "said[lane] = x",
    ),
    Mutant(
        "club law is forgotten",
        "game",
        "settings[CLUB_LAW] = rules.club_law",
        "settings[CLUB_LAW] = False",
    ),
    Mutant(
        "a single pot forces nobody",
        "game",
        "rules.force_on_single and pot == rules.single_pot(players)",
        "False",
    ),
    Mutant(
        "every pot forces everybody",
        "game",
        "rules.force_on_single and pot == rules.single_pot(players)",
        "rules.force_on_single",
    ),
    Mutant(
        "a loo is three stakes under every rule",
        "game",
        "settings[LOO] = rules.loo_units(pot)",
        "settings[LOO] = 3 * 729",
    ),
    Mutant(
        "a lone player is not paid",
        "settling",
        "    if result == WHOLE_POT:\n        return pot\n",
        "    if result == WHOLE_POT:\n        return 0\n",
    ),
    Mutant(
        "a defender takes his thirds",
        "settling",
        "if action in (FOLD, SILENT, DEFEND):",
        "if action in (FOLD, SILENT) or (action == DEFEND and result == 0):",
    ),
    Mutant(
        "a defender is looed",
        "settling",
        "if action in (FOLD, SILENT, DEFEND):",
        "if action in (FOLD, SILENT) or (action == DEFEND and result > 0):",
    ),
    Mutant(
        "what cannot be divided is paid out",
        "settling",
        "return result * (pot // TRICKS)",
        "return result * pot // TRICKS",
    ),
    Mutant(
        "a defender's thirds leave the pot",
        "settling",
        "paid = TRICKS - max(defended - 1, 0)",
        "paid = TRICKS",
    ),
    Mutant(
        "loos do not go into the pot",
        "settling",
        " + looed * loo",
        "",
    ),
    Mutant(
        "whoever wins one trick is counted as looed",
        "counting",
        "looed = ONE if x == ZERO else ZERO",
        "looed = ONE if x <= ONE else ZERO",
    ),
    Mutant(
        "a dealer before whom all fold is not counted as paid",
        "counting",
        "    for place in range(s.start[2]):\n",
        "    for place in range(s.start[1], s.start[2]):\n",
    ),
    Mutant(
        "the next seat does not answer to an alternative",
        "counting",
        "for later in range(seat + 1, players):",
        "for later in range(seat + 2, players):",
    ),
    Mutant(
        "a miss that is gone has a result",
        "counting",
        "miss = s.row[RESULT + TAKES_MISS, lane] if situation & 1 else NO_MISS",
        "miss = s.row[RESULT + TAKES_MISS, lane]",
    ),
    Mutant(
        "a miss is worth what it is worth to the next seat, whatever that says",
        "counting",
        "both_fold = (said[lane] == SAYS_FOLD) & (next_said[lane] == SAYS_FOLD)",
        "both_fold = said[lane] == SAYS_FOLD",
    ),
    Mutant(
        "a miss is played alike by seats that draw their cards, or have words of their own",
        "counting",
        "all_play_alike = (settings[WORDS_VARY] | settings[PLAYS_DRAW]) == 0",
        "all_play_alike = True",
    ),
]
