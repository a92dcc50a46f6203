/* Depth `messages`: what a node keeps of its partners, and how events are coded. Node and desk go through the same
 * states (FORMAT.md, "Messages").
 *
 * A channel is a partner and a direction: what is sent to it or received from it, by one node alone or by all. AAMap
 * and PCMap of the paper are one table of channels, the one used last first. Its place in it is a channel's alias; the
 * last one makes room for another. */
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
    HC_TRAFFIC_VERSION = 8,
    HC_TRAFFIC_PARTNERS_MAX = 22,
    HC_TRAFFIC_CHANNELS_MAX = 2 * HC_TRAFFIC_PARTNERS_MAX,
    HC_TRAFFIC_PAD = 1,   /* as an alias, behind that of a new channel: the coder rests */
    HC_TRAFFIC_RESET = 2, /* likewise: the node was reset; 8 bits: why */
    HC_TRAFFIC_REST = 0xffff,
    HC_TRAFFIC_LIFE = 2, /* boots, as pages have them, by which a loss of RAM counts */
};

/* Lower two bits of `next`. */
enum hc_traffic_channel_kind {
    HC_TRAFFIC_FROM = 0,     /* received from a partner, by this node alone */
    HC_TRAFFIC_FROM_ALL = 1, /* received, broadcast by a partner */
    HC_TRAFFIC_TO = 2,       /* sent to a partner */
    HC_TRAFFIC_TO_ALL = 3,   /* broadcast; the address is the node's own */
    HC_TRAFFIC_KIND = 3,
    HC_TRAFFIC_SENT = 2,
    HC_TRAFFIC_ALL = 1,
    HC_TRAFFIC_ONE = 4, /* what `next` goes up by */
};

struct hc_traffic_channel {
    uint8_t address[2];
    uint8_t round[2]; /* of sends: the epoch, 0: none yet; of receives: the digits that came last, that of the number
                         that comes next lowest */
    uint8_t next;     /* four times the lower six bits of the number that comes next, and kind */
};

/* ROUND of a channel as it is COUNT numbers later. */
static inline uint16_t hc_traffic_turn(uint16_t round, unsigned count)
{
    unsigned bits = count % HC_NUMBER_DIGITS * 2;

    return (uint16_t)(round >> bits | (uint32_t)round << (16 - bits));
}

/* What a segment begins with: 4 bytes, or all of it. */
struct hc_traffic_tables {
    uint16_t self;    /* the node's address, HC_MESSAGE_TO_ALL: not known */
    uint8_t flags;    /* HC_TRAFFIC_CUT, HC_TRAFFIC_FRESH; others are of no use to a reader */
    uint8_t known;    /* channels */
    uint16_t highest; /* epoch so far */
    struct hc_traffic_channel channels[2 * HC_MESSAGE_PARTNERS];
};

enum { HC_TRAFFIC_TABLES_HEAD = 6, HC_TRAFFIC_CHANNEL = 5, HC_TRAFFIC_FRESH_SIZE = 4 };

/* What a segment begins with, before its tables. */
struct hc_traffic_begin {
    uint8_t version, partners;
    uint8_t path_width; /* bits of a path that is written out; 0: none are recorded */
    uint8_t zero;
    uint8_t build[8];
};

enum {
    HC_TRAFFIC_CUT = 1,  /* events before this were lost */
    HC_TRAFFIC_FRESH = 2 /* RAM was lost before: there are no channels, and none follow */
};

/* Pieces of a page: a byte, as many bytes as it says, and a check. */
enum {
    HC_PIECE_SIZE = 0x1f,   /* of code: bytes */
    HC_PIECE_PATHS = 0x40,  /* paths: size as of code */
    HC_PIECE_ODD = 0x20,    /* every second one of paths: a piece that was written twice is told by it */
    HC_PIECE_TABLES = 0x80, /* the lower six bits: how many times four bytes */
    HC_PIECE_BEGIN = 0xc3,
};

/* The check of a header or a piece: begins with 0, and goes on with each byte. */
static inline uint8_t hc_traffic_sum(uint8_t sum, uint8_t byte)
{
    return (uint8_t)((sum << 1 | sum >> 7) + byte);
}

/* It is never a byte that is blank. */
static inline uint8_t hc_traffic_check(uint8_t sum)
{
    return sum == 0xff ? 0 : sum;
}

/* ---- the coder ----
 *
 * A binary range coder without carries. A context says how probable a 0 is: it / 256. */

enum hc_traffic_context {
    HC_TRAFFIC_CONTEXT_BITS = 0,  /* of a byte: by the three bits before */
    HC_TRAFFIC_CONTEXT_ODD = 8,   /* a number is not the expected one */
    HC_TRAFFIC_CONTEXT_PLACE = 9, /* the channel is not this one: by kind of the one used last, four for each, and
                                     alias; the first aliases of a kind share those of the next kind's */
    HC_TRAFFIC_CONTEXTS = 40,
    HC_TRAFFIC_CONTEXT_NEW = 0x60, /* of each, when a segment begins */
};

/* The part of RANGE in which the next bit is 0. */
static inline uint16_t hc_traffic_bound(uint16_t range, uint8_t context)
{
    uint16_t bound = 0;

    for (; context; context <<= 1) {
        range >>= 1;
        if (context & 0x80)
            bound += range;
    }
    return bound;
}

/* CONTEXT after BIT. */
static inline uint8_t hc_traffic_adapt(uint8_t context, bool bit)
{
    uint8_t p = bit ? context : -context; /* of the bit that did not come */

    p -= (p + 14) >> 4;
    return bit ? p : -p;
}

/* ---- the yardstick ---- */

enum { HC_LAMPORT_VERSION = 5, HC_LAMPORT_FCM_VERSION = 6, HC_FCM_CONTEXTS = 256 };

/* Of the last three bytes, the newest first: where the byte that came after them is kept. */
static inline uint8_t hc_fcm_context(const uint8_t last[3])
{
    return (uint8_t)(25 * last[2] + 5 * last[1] + last[0]);
}

#endif
