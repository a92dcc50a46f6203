/* Depth `messages`: what a node keeps of its partners, and what follows of it for a message. Node and desk go through
 * the same states (FORMAT.md, "Messages").
 *
 * An entry is a partner (AAMap and PCMap of the paper in one): its alias is its place in the table. Broadcasts are
 * counted beside what is sent to one node alone. */
#ifndef HC_TRAFFIC_MODEL_H
#define HC_TRAFFIC_MODEL_H

#include "../message_number.h"

#include <stdbool.h>
#include <stddef.h>

#ifndef HC_MESSAGE_PARTNERS
#define HC_MESSAGE_PARTNERS 20
#endif
#define HC_MESSAGE_TO_ALL 0xffff

enum {
    HC_TRAFFIC_VERSION = 1,
    HC_TRAFFIC_PARTNERS_MAX = 28,
    HC_TRAFFIC_NEW = 31,    /* as an alias: a partner that has none yet */
    HC_TRAFFIC_USED = 0x80, /* in last[0]: used since the hand passed */
    HC_TRAFFIC_LEVEL_MAX = 7,
    HC_TRAFFIC_WINDOW = 29, /* symbols that are remembered */
    HC_TRAFFIC_CONTEXT = 4, /* of them at most are compared */
    HC_TRAFFIC_NONE = 0x7f, /* no symbol */
};

/* A symbol: kind in bits 5 and 6, alias below. Those of kind OWN have no alias. */
enum hc_traffic_symbol {
    HC_TRAFFIC_TO = 0x00,       /* sent to a partner */
    HC_TRAFFIC_FROM = 0x20,     /* received from a partner, by this node alone */
    HC_TRAFFIC_FROM_ALL = 0x40, /* received, broadcast by a partner */
    HC_TRAFFIC_OWN = 0x60,      /* kinds of their own: */
    HC_TRAFFIC_TO_ALL = 0x60,   /* broadcast */
    HC_TRAFFIC_RESET = 0x61,    /* the node was reset; 8 bits: why */
    HC_TRAFFIC_ADDRESS = 0x62,  /* the node's address; 16 bits */
    HC_TRAFFIC_ODD = 0x64,      /* before a symbol: its number is not the expected one, and follows */
    HC_TRAFFIC_PAD = 0x63,      /* the rest of the piece is empty */
    HC_TRAFFIC_KIND = 0x60,
    HC_TRAFFIC_ALIAS = 0x1f,
};

struct hc_traffic_tables {
    uint16_t self;                     /* the node's address, HC_MESSAGE_TO_ALL: not known */
    uint16_t highest;                  /* epoch so far */
    uint16_t epoch;                    /* of broadcasts */
    uint8_t next;                      /* of broadcasts */
    uint8_t known;                     /* partners */
    uint8_t hand;                      /* where the next partner to be forgotten is looked for */
    uint8_t level;                     /* of runs: 2^level symbols that come as expected are a bit */
    uint8_t pending;                   /* a symbol that was expected and did not come, HC_TRAFFIC_NONE */
    uint8_t window[HC_TRAFFIC_WINDOW]; /* the symbols that came last, the newest first */

    /* By alias. */
    uint16_t addresses[HC_MESSAGE_PARTNERS];
    uint16_t epochs[HC_MESSAGE_PARTNERS];  /* of what is sent to it; 0: none yet */
    uint16_t gray[2][HC_MESSAGE_PARTNERS]; /* digits of what came from it: to this node, to all */
    uint8_t nexts[HC_MESSAGE_PARTNERS];    /* number of the next message to it, of the epoch */
    uint8_t last[2][HC_MESSAGE_PARTNERS];  /* lower six bits of the newest number from it */
};

/* What a segment begins with. */
struct hc_traffic_begin {
    uint8_t version, partners, flags, zero;
    uint8_t build[8];
};

enum {
    HC_TRAFFIC_CUT = 1,  /* events before this were lost */
    HC_TRAFFIC_FRESH = 2 /* RAM was lost before: tables are as hc_traffic_clear leaves them, and no others follow */
};

/* Pieces of a page: a byte, as many bytes as it says, and a check. */
enum {
    HC_PIECE_SIZE = 0x1f,   /* of code: bytes */
    HC_PIECE_ODD = 0x20,    /* every second one: a piece that was written twice is told by it */
    HC_PIECE_TABLES = 0x80, /* the lower six bits: how many times four bytes */
    HC_PIECE_BEGIN = 0xc3,
};

/* What follows a header or a piece whose CRC is this: never a byte that is blank. */
static inline uint8_t hc_traffic_check(uint16_t crc)
{
    uint8_t check = (uint8_t)crc;

    return check == 0xff ? 0 : check;
}

static inline void hc_traffic_clear(struct hc_traffic_tables *t)
{
    for (size_t i = 0; i < sizeof *t; i++)
        ((uint8_t *)t)[i] = 0;
    t->self = HC_MESSAGE_TO_ALL;
    t->pending = HC_TRAFFIC_NONE;
}

struct hc_traffic_guess {
    uint8_t first, second; /* HC_TRAFFIC_NONE: there is none */
};

/* What may come next: what came after the symbols before it the last time. The longer they agree, the better. */
static inline struct hc_traffic_guess hc_traffic_expected(const struct hc_traffic_tables *t)
{
    struct hc_traffic_guess guess = { HC_TRAFFIC_NONE, HC_TRAFFIC_NONE };
    uint8_t best = 0, next_best = 0;

    for (unsigned i = 1; i < HC_TRAFFIC_WINDOW; i++) {
        uint8_t n = 0, symbol = t->window[i - 1];
        while (n < HC_TRAFFIC_CONTEXT && i + n < HC_TRAFFIC_WINDOW && t->window[i + n] == t->window[n])
            n++;
        if (n > best) {
            if (symbol != guess.first) {
                guess.second = guess.first;
                next_best = best;
            }
            guess.first = symbol;
            best = n;
        } else if (n > next_best && symbol != guess.first) {
            guess.second = symbol;
            next_best = n;
        }
    }
    if (t->pending != HC_TRAFFIC_NONE && t->pending != guess.first)
        guess.second = t->pending;
    return guess;
}

/* SYMBOL came where FIRST was expected. */
static inline void hc_traffic_follow(struct hc_traffic_tables *t, uint8_t first, uint8_t symbol)
{
    t->pending = symbol == first || symbol == t->pending ? HC_TRAFFIC_NONE : first;
    for (uint8_t i = HC_TRAFFIC_WINDOW - 1; i; i--)
        t->window[i] = t->window[i - 1];
    t->window[0] = symbol;
}

/* Bits in which an alias is written, or `known` for a partner that has none. */
static inline uint8_t hc_traffic_alias_bits(const struct hc_traffic_tables *t)
{
    uint8_t bits = 0;

    while (t->known >> bits)
        bits++;
    return bits;
}

static inline uint16_t hc_traffic_fresh(struct hc_traffic_tables *t)
{
    return ++t->highest;
}

/* The alias of ADDRESS; HC_TRAFFIC_NEW if it has none. */
static inline uint8_t hc_traffic_find(const struct hc_traffic_tables *t, uint16_t address)
{
    for (uint8_t i = 0; i < t->known; i++)
        if (t->addresses[i] == address)
            return i;
    return HC_TRAFFIC_NEW;
}

/* An alias for ADDRESS, which has none. The partner whose place it takes is forgotten: what is sent to it later gets a
 * fresh epoch, and of what comes from it the number is recorded. PARTNERS: how many entries there are. */
static inline uint8_t hc_traffic_enter(struct hc_traffic_tables *t, uint16_t address, uint8_t partners)
{
    uint8_t alias = t->known;

    if (alias < partners) {
        t->known++;
    } else {
        do {
            alias = t->hand++;
            if (t->hand >= partners)
                t->hand = 0;
            t->last[0][alias] ^= HC_TRAFFIC_USED;
        } while (!(t->last[0][alias] & HC_TRAFFIC_USED)); /* it was set: another round */
    }
    t->addresses[alias] = address;
    t->epochs[alias] = t->gray[0][alias] = t->gray[1][alias] = 0;
    t->nexts[alias] = 0;
    t->last[0][alias] = t->last[1][alias] = HC_NUMBER_LOW;
    return alias;
}

/* Counts a message that is sent with these counters; *SENT_EPOCH and the result: epoch and place in it. */
static inline uint8_t hc_traffic_count(struct hc_traffic_tables *t, uint16_t *epoch, uint8_t *next,
                                       uint16_t *sent_epoch)
{
    if (!*epoch)
        *epoch = hc_traffic_fresh(t);
    uint8_t n = *next;
    *sent_epoch = *epoch;
    *next = (n + 1) & HC_NUMBER_LOW;
    if (!*next)
        *epoch = *epoch == t->highest ? hc_traffic_fresh(t) : *epoch + 1;
    return n;
}

/* Of a partner: digits and newest number of what it sent to this node, or to ALL. (Not by an index: that is a
 * multiplication.) */
static inline uint16_t *hc_traffic_gray(struct hc_traffic_tables *t, uint8_t all, uint8_t alias)
{
    return (all ? t->gray[1] : t->gray[0]) + alias;
}

static inline uint8_t *hc_traffic_last(struct hc_traffic_tables *t, uint8_t all, uint8_t alias)
{
    return (all ? t->last[1] : t->last[0]) + alias;
}

/* How far NUMBER, lower six bits, is ahead of what was expected; 32 and more: behind. */
static inline uint8_t hc_traffic_ahead(struct hc_traffic_tables *t, uint8_t all, uint8_t alias, uint8_t number)
{
    return (number - *hc_traffic_last(t, all, alias) - 1) & HC_NUMBER_LOW;
}

static inline uint8_t hc_traffic_digit_place(uint8_t number)
{
    return (number & (HC_NUMBER_DIGITS - 1)) * 2;
}

/* The digit that is expected with the lower bits of NUMBER. */
static inline uint8_t hc_traffic_digit(struct hc_traffic_tables *t, uint8_t all, uint8_t alias, uint8_t number)
{
    return *hc_traffic_gray(t, all, alias) >> hc_traffic_digit_place(number) & 3;
}

/* NUMBER was received. Late ones change nothing. */
static inline void hc_traffic_note(struct hc_traffic_tables *t, uint8_t all, uint8_t alias, uint8_t number)
{
    uint8_t *last = hc_traffic_last(t, all, alias);

    if (hc_traffic_ahead(t, all, alias, number) > HC_NUMBER_LOW / 2)
        return;
    *hc_traffic_gray(t, all, alias) ^=
        (uint16_t)(hc_traffic_digit(t, all, alias, number) ^ number >> HC_NUMBER_LOW_BITS)
        << hc_traffic_digit_place(number);
    *last = (*last & HC_TRAFFIC_USED) | (number & HC_NUMBER_LOW);
}

/* ---- the yardstick ---- */

enum { HC_LAMPORT_VERSION = 2, HC_LAMPORT_FCM_VERSION = 3, HC_FCM_CONTEXTS = 256 };

/* Of the last three bytes, the newest first: where the byte that came after them is kept. */
static inline uint8_t hc_fcm_context(const uint8_t last[3])
{
    return (uint8_t)(25 * last[2] + 5 * last[1] + last[0]);
}

/* The level after a run that was full, or was cut short. */
static inline void hc_traffic_adapt(struct hc_traffic_tables *t, bool full)
{
    if (full)
        t->level += t->level < HC_TRAFFIC_LEVEL_MAX;
    else
        t->level -= t->level > 0;
}

#endif
