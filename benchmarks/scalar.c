/* Scalar baseline: three-card Loo the way a C programmer would write it who wants it fast.

   Standard rules, every seat on the policy `trumps`: stand on two trumps or more, or on one with at
   most two live trumps above it; else fold; the dealer defends the miss where he may not fold. Play:
   lead the lowest trump, without one the highest plain card; head with the lowest card that wins;
   else lose the lowest.

       scalar PLAYERS DEALS SEED     plays DEALS deals; prints nanoseconds and counts as JSON
       scalar PLAYERS check < FILE   plays the deals given, one a line: the live card numbers of the
                                     miss, of seat 0, of seat 1, ...; prints one JSON object a line

   A hand is a 64-bit mask of live cards. Bit 3 * rank + suit is a plain card (rank 0-12, suit 0-2),
   bit 39 + t is live trump t (0-11): the order of the bits is the order of the cards, so that "the
   lowest card" and "the cards that beat this one" are one instruction each. The turned-up card plays
   no part in any rule, so it is not drawn. Numbers in brackets, as S11, are those of the rulebook.

   Each deal is played by itself, in scalar instructions, but in an order that suits the processor: the
   cards of BATCH deals are drawn first, hand by hand, so that it need not wait for the cards before;
   then the deals are played sorted by the number of players in, so that it foresees the loops. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

typedef uint64_t Cards;

enum { LIVE = 51, RANKS = 13, PLAIN_SUITS = 3, FIRST_TRUMP = 39, TOP_TRUMP = 50, HAND = 3 };
enum { MAX_PLAYERS = 16, UNITS_PER_STAKE = 729, POT = 3 * UNITS_PER_STAKE };
enum { LOO = 3 * UNITS_PER_STAKE };
enum Action { FOLD, STAND, MISS, DEFEND, TAKE_POT, ACTIONS };
enum { WHOLE_POT = 4, RESULTS = 5, DEFENCES = 5, MAX_IN = 17 };
enum { BATCH = 128 };

/* What a player in takes by tricks won, a third of the pot each, or pays (S15, S16). */
static const int PAYMENT[] = {-LOO, POT / 3, 2 * (POT / 3), 3 * (POT / 3)};

#define INLINE static inline __attribute__((always_inline))

#define TRUMPS (~(Cards)0 << FIRST_TRUMP)

static const Cards SUIT[PLAIN_SUITS] = {
    01111111111111 << 0, 01111111111111 << 1, 01111111111111 << 2,
};

/* ------------------------------------------------------------------ random numbers and the deal */

/* xoshiro256++ (Blackman and Vigna 2019), seeded with splitmix64. */
static uint64_t state[4];

static uint64_t rotate_left(uint64_t x, int k) { return x << k | x >> (64 - k); }

static inline uint64_t next_random(void) {
    const uint64_t result = rotate_left(state[0] + state[3], 23) + state[0];
    const uint64_t t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotate_left(state[3], 45);
    return result;
}

static void seed_random(uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        state[i] = z ^ z >> 31;
    }
}

/* The n-th card of `cards`, from 0. */
static inline Cards nth_card(Cards cards, uint64_t n) {
#ifdef __BMI2__
    return _pdep_u64((Cards)1 << n, cards);
#else
    while (n--) cards &= cards - 1;
    return cards & -cards;
#endif
}

/* Whether a draw must be done again lest some orders come up more often than others. */
static __attribute__((noinline, cold)) int is_biased(uint64_t fraction, uint64_t count) {
    const uint64_t orders = count * (count - 1) * (count - 2);
    return fraction < -orders % orders;
}

/* Draws a hand from the `count` cards `left`: a partial Fisher-Yates shuffle, the cards left being the
   rest of the pack. One random word gives all three whole numbers below `count`, `count - 1` and
   `count - 2` (Lemire 2019; Brackett-Rozinsky and Lemire 2024), without division but in the rare
   case, in which alone the number of orders matters. */
static inline Cards draw_hand(Cards *left, uint64_t count) {
    const uint64_t most_orders = LIVE * (LIVE - 1) * (LIVE - 2);
    uint64_t place[HAND], fraction;
    do {
        fraction = next_random();
        for (int i = 0; i < HAND; i++) {
            const unsigned __int128 product = (unsigned __int128)fraction * (count - i);
            place[i] = product >> 64;
            fraction = (uint64_t)product;
        }
    } while (__builtin_expect(fraction < most_orders, 0) && is_biased(fraction, count));
    const Cards before = *left;
    for (int i = 0; i < HAND; i++) *left ^= nth_card(*left, place[i]);
    return before ^ *left;
}

/* Deals side by side: the hands, the miss first, then seat 0; a bit for each seat that stands. */
typedef struct {
    Cards hand[MAX_PLAYERS + 1][BATCH];
    uint32_t stood[BATCH];
} Batch;

static void deal_hands(int players, Batch *batch) {
    Cards left[BATCH];
    for (int i = 0; i < BATCH; i++) left[i] = ((Cards)1 << LIVE) - 1;
    for (int hand = 0; hand <= players; hand++)
        for (int i = 0; i < BATCH; i++)
            batch->hand[hand][i] = draw_hand(&left[i], LIVE - HAND * hand);
}

/* ------------------------------------------------------------------------------------- one deal */

typedef struct {
    int64_t seat[MAX_PLAYERS][ACTIONS][RESULTS];
    int64_t pot[MAX_IN][DEFENCES][MAX_IN];
} Counts;

static inline int lowest(Cards cards) { return __builtin_ctzll(cards); }
static inline int highest(Cards cards) { return 63 - __builtin_clzll(cards); }

static inline int stands(Cards hand) {
    const Cards trumps = hand & TRUMPS;
    return ((trumps & (trumps - 1)) | trumps >> (TOP_TRUMP - 2)) != 0;
}

static void announce(int players, Batch *batch) {
    memset(batch->stood, 0, sizeof batch->stood);
    for (int seat = 0; seat < players; seat++)
        for (int i = 0; i < BATCH; i++)
            batch->stood[i] |= (uint32_t)stands(batch->hand[seat + 1][i]) << seat;
}

/* The card that leads (S11, S14). */
static inline int lead(Cards hand, int first_trick, int in) {
    const Cards trumps = hand & TRUMPS;
    if (!trumps) return highest(hand);
    const int must_be_highest = first_trick && (in == 2 || hand >> TOP_TRUMP);
    return must_be_highest ? highest(hand) : lowest(trumps);
}

/* Plays the three tricks between the `in` hands; `tricks` receives who won how many (S11-S14). */
INLINE void play(Cards *hand, const int in, int *tricks) {
    int leader = 0;
    for (int trick = 0; trick < HAND; trick++) {
        int best = lead(hand[leader], trick == 0, in), winner = leader;
        const Cards led = best >= FIRST_TRUMP ? TRUMPS : SUIT[best % PLAIN_SUITS];
        hand[leader] ^= (Cards)1 << best;
        for (int i = 1, player = leader; i < in; i++) {
            if (++player == in) player = 0;
            Cards legal = hand[player] & led;
            if (!legal) legal = hand[player] & TRUMPS;
            const Cards wins = legal & (~(Cards)1 << best);
            int card;
            if (wins) {
                card = best = lowest(wins);
                winner = player;
            } else {
                card = lowest(legal ? legal : hand[player]);
            }
            hand[player] ^= (Cards)1 << card;
        }
        tricks[winner]++;
        leader = winner;
    }
}

/* Plays and counts the deals of a batch that have so many players `in` (S6-S14). */
INLINE void play_deals(const Batch *batch, const uint8_t *deals, int number, const int in, int dealer,
                       Counts *counts) {
    for (int i = 0; i < number; i++) {
        const int deal = deals[i];
        const int defends = !(batch->stood[deal] >> dealer & 1);
        uint32_t seats = batch->stood[deal] | 1u << dealer;
        Cards hand[MAX_PLAYERS];
        int seat[MAX_PLAYERS], tricks[MAX_PLAYERS];
        for (int slot = 0; slot < in; slot++, seats &= seats - 1) {
            seat[slot] = __builtin_ctz(seats);
            hand[slot] = batch->hand[seat[slot] + 1][deal];
            tricks[slot] = 0;
        }
        hand[in - 1] = batch->hand[defends ? 0 : dealer + 1][deal];
        play(hand, in, tricks);

        int looed = 0; /* a defender wins and loses nothing (S10) */
        for (int slot = 0; slot < in - 1; slot++) {
            counts->seat[seat[slot]][STAND][tricks[slot]]++;
            looed += tricks[slot] == 0;
        }
        const int of_dealer = tricks[in - 1];
        counts->seat[dealer][defends ? DEFEND : STAND][of_dealer]++;
        looed += !defends & (of_dealer == 0);
        counts->pot[in][defends ? 1 + of_dealer : 0][looed]++;
    }
}

/* Plays the first `number` deals of a batch, dealt and announced. */
static void play_batch(int players, int number, const Batch *batch, Counts *counts) {
    const int dealer = players - 1;
    uint8_t deals[MAX_IN][BATCH];
    int numbers[MAX_IN] = {0};
    for (int deal = 0; deal < number; deal++) {
        /* The dealer is in whatever he holds, if anybody before him is (S9): he stands or defends. */
        const uint32_t others = batch->stood[deal] & ~(1u << dealer);
        const int in = others ? __builtin_popcount(others) + 1 : 0;
        deals[in][numbers[in]++] = deal;
    }
    counts->seat[dealer][TAKE_POT][WHOLE_POT] += numbers[0]; /* S7 */
    counts->pot[0][0][0] += numbers[0];
    /* The usual numbers have code of their own. */
    play_deals(batch, deals[2], numbers[2], 2, dealer, counts);
    play_deals(batch, deals[3], numbers[3], 3, dealer, counts);
    play_deals(batch, deals[4], numbers[4], 4, dealer, counts);
    play_deals(batch, deals[5], numbers[5], 5, dealer, counts);
    play_deals(batch, deals[6], numbers[6], 6, dealer, counts);
    for (int in = 7; in <= players; in++)
        play_deals(batch, deals[in], numbers[in], in, dealer, counts);
}

/* --------------------------------------------------------------------------------------- the run */

/* Counts the folds of `deals` deals: who did nothing else folded. */
static void count_folds(Counts *counts, int players, int64_t deals) {
    for (int seat = 0; seat < players; seat++) {
        int64_t other = 0;
        for (int action = STAND; action < ACTIONS; action++)
            for (int result = 0; result < RESULTS; result++)
                other += counts->seat[seat][action][result];
        counts->seat[seat][FOLD][0] = deals - other;
    }
}

static void print_row(const int64_t *row, int n) {
    putchar('[');
    for (int i = 0; i < n; i++) printf("%s%" PRId64, i ? ", " : "", row[i]);
    putchar(']');
}

static void print_counts(const Counts *counts, int players, int64_t deals) {
    int64_t net[MAX_PLAYERS] = {0}, pot_after = deals * POT; /* units */
    for (int seat = 0; seat < players; seat++) {
        for (int tricks = 0; tricks <= HAND; tricks++)
            net[seat] += counts->seat[seat][STAND][tricks] * PAYMENT[tricks];
        net[seat] += counts->seat[seat][TAKE_POT][WHOLE_POT] * POT;
        pot_after -= net[seat];
    }
    printf("\"seat_counts\": [");
    for (int seat = 0; seat < players; seat++) {
        printf("%s[", seat ? ", " : "");
        for (int action = 0; action < ACTIONS; action++) {
            if (action) printf(", ");
            print_row(counts->seat[seat][action], RESULTS);
        }
        putchar(']');
    }
    printf("], \"pot_counts\": [");
    for (int in = 0; in < MAX_IN; in++) {
        printf("%s[", in ? ", " : "");
        for (int defence = 0; defence < DEFENCES; defence++) {
            if (defence) printf(", ");
            print_row(counts->pot[in][defence], MAX_IN);
        }
        putchar(']');
    }
    printf("], \"net\": ");
    print_row(net, players);
    printf(", \"pot_after\": %" PRId64, pot_after);
}

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void run(int players, int64_t deals, uint64_t seed) {
    static Counts counts;
    static Batch batch;
    seed_random(seed);
    const double start = nanoseconds();
    for (int64_t done = 0; done < deals; done += BATCH) {
        deal_hands(players, &batch);
        announce(players, &batch);
        play_batch(players, deals - done < BATCH ? deals - done : BATCH, &batch, &counts);
    }
    const double spent = nanoseconds() - start;
    count_folds(&counts, players, deals);
    printf("{\"players\": %d, \"deals\": %" PRId64 ", \"seed\": %" PRIu64 ", ", players, deals, seed);
    printf("\"ns_per_deal\": %.3f, ", spent / (double)deals);
    print_counts(&counts, players, deals);
    printf("}\n");
}

/* The bit of a live card from its number: the plain suits one after another, then the trumps. */
static Cards card_of(int number) {
    const int suit = number / RANKS, rank = number % RANKS;
    return (Cards)1 << (number < FIRST_TRUMP ? PLAIN_SUITS * rank + suit : number);
}

static int check(int players) {
    static Batch batch;
    static Counts counts;
    const int needed = HAND * (players + 1);
    int number;
    for (int i = 0; scanf("%d", &number) == 1; i = (i + 1) % needed) {
        if (number < 0 || number >= LIVE) {
            fprintf(stderr, "scalar: %d is not the number of a live card (0 to 50)\n", number);
            return 2;
        }
        if (i % HAND == 0) batch.hand[i / HAND][0] = 0;
        batch.hand[i / HAND][0] |= card_of(number);
        if (i < needed - 1) continue;
        memset(&counts, 0, sizeof counts);
        announce(players, &batch);
        play_batch(players, 1, &batch, &counts);
        count_folds(&counts, players, 1);
        putchar('{');
        print_counts(&counts, players, 1);
        printf("}\n");
    }
    return 0;
}

int main(int argc, char **argv) {
    const int players = argc > 2 ? atoi(argv[1]) : 0;
    if (players < 5 || players > MAX_PLAYERS) {
        fprintf(stderr, "usage: scalar PLAYERS DEALS SEED, or scalar PLAYERS check; 5 to 16 players\n");
        return 2;
    }
    if (strcmp(argv[2], "check") == 0) return check(players);
    run(players, atoll(argv[2]), argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
    return 0;
}
