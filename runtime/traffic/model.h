/* Depth `messages`: what a node keeps of its partners, and what follows of it for a message. Node and desk go through
 * the same states (FORMAT.md, "Messages").
 *
 * An entry is a partner (AAMap and PCMap of the paper in one): its alias is its place in the table. Broadcasts are
 * counted beside what is sent to one node alone. */
#ifndef HC_TRAFFIC_MODEL_H
#define HC_TRAFFIC_MODEL_H

#include "../message_number.h"

#include <stdbool.h>

#ifndef HC_MESSAGE_PARTNERS
#define HC_MESSAGE_PARTNERS 20
#endif
#define HC_MESSAGE_TO_ALL 0xffff

enum {
    HC_TRAFFIC_VERSION = 1,
    HC_TRAFFIC_PARTNERS_MAX = 30,
    HC_TRAFFIC_NEW = 31,    /* as an alias: a partner that has none yet */
    HC_TRAFFIC_USED = 0x80, /* in last[0]: used since the hand passed */
    HC_TRAFFIC_LEVEL_MAX = 7,
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
    HC_TRAFFIC_PAD = 0x63,      /* the rest of the piece is empty */
    HC_TRAFFIC_KIND = 0x60,
    HC_TRAFFIC_ALIAS = 0x1f,
};

struct hc_traffic_entry {
    uint16_t address;
    uint16_t epoch;   /* of what is sent to it; 0: none yet */
    uint16_t gray[2]; /* digits of what came from it: to this node, to all */
    uint8_t next;     /* number of the next message to it, of the epoch */
    uint8_t last[2];  /* lower six bits of the newest number from it */
    uint8_t follow;   /* the symbol that came after one of this alias */
};

struct hc_traffic_tables {
    uint16_t self;    /* the node's address, HC_MESSAGE_TO_ALL: not known */
    uint16_t highest; /* epoch so far */
    uint16_t epoch;   /* of broadcasts */
    uint8_t next;     /* of broadcasts */
    uint8_t known;    /* entries in use */
    uint8_t hand;     /* where the next entry to be replaced is looked for */
    uint8_t before;   /* the symbol that came last */
    uint8_t level;    /* of runs: 2^level symbols that come as expected are a bit */
    uint8_t follow;   /* the symbol that came after one of kind OWN */
    struct hc_traffic_entry entries[HC_MESSAGE_PARTNERS];
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
    *t = (struct hc_traffic_tables){ .self = HC_MESSAGE_TO_ALL, .before = HC_TRAFFIC_OWN };
}

/* The prediction of what comes next. */
static inline uint8_t *hc_traffic_expected(struct hc_traffic_tables *t)
{
    if (t->before >= HC_TRAFFIC_OWN)
        return &t->follow;
    return &t->entries[t->before & HC_TRAFFIC_ALIAS].follow;
}

static inline uint16_t hc_traffic_fresh(struct hc_traffic_tables *t)
{
    return ++t->highest;
}

/* The alias of ADDRESS; HC_TRAFFIC_NEW if it has none. */
static inline uint8_t hc_traffic_find(const struct hc_traffic_tables *t, uint16_t address)
{
    for (uint8_t i = 0; i < t->known; i++)
        if (t->entries[i].address == address)
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
            t->entries[alias].last[0] ^= HC_TRAFFIC_USED;
        } while (!(t->entries[alias].last[0] & HC_TRAFFIC_USED)); /* it was set: another round */
    }
    t->entries[alias] = (struct hc_traffic_entry){ .address = address, .last = { HC_NUMBER_LOW, HC_NUMBER_LOW } };
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

/* How far NUMBER, lower six bits, is ahead of what was expected; 32 and more: behind. */
static inline uint8_t hc_traffic_ahead(const struct hc_traffic_entry *e, uint8_t all, uint8_t number)
{
    return (number - e->last[all] - 1) & HC_NUMBER_LOW;
}

static inline uint8_t hc_traffic_digit_place(uint8_t number)
{
    return (number & (HC_NUMBER_DIGITS - 1)) * 2;
}

/* The digit that is expected with the lower bits of NUMBER. */
static inline uint8_t hc_traffic_digit(const struct hc_traffic_entry *e, uint8_t all, uint8_t number)
{
    return e->gray[all] >> hc_traffic_digit_place(number) & 3;
}

/* NUMBER was received. Late ones change nothing. */
static inline void hc_traffic_note(struct hc_traffic_entry *e, uint8_t all, uint8_t number)
{
    if (hc_traffic_ahead(e, all, number) > HC_NUMBER_LOW / 2)
        return;
    e->gray[all] ^= (uint16_t)(hc_traffic_digit(e, all, number) ^ number >> HC_NUMBER_LOW_BITS)
                    << hc_traffic_digit_place(number);
    e->last[all] = (e->last[all] & HC_TRAFFIC_USED) | (number & HC_NUMBER_LOW);
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
