/* Depth `region`: what a node expects, and how it writes down what came otherwise. Node and desk go through the same
 * states (FORMAT.md, "Regions").
 *
 * The code of a region runs again at the desk and asks for its inputs in the same order. So the log has no names of
 * places: it counts inputs that came as expected, a tick each, and has the value of the next one. What a record means
 * follows from the place that it is for; only what may come anywhere says so (enum hc_region_escape).
 *
 *     record:  | ticks before it: 1 as after the last record of the same group; else 0, a number: ticks and one |
 *              | a number or a byte, by its place |
 *     escape:  | 0, the number 0 | kind, 2 bits | ticks, a number | what KIND says |
 *
 * Numbers are adaptive: hc_region_learn. Bits fill bytes from the highest to the lowest. */
#ifndef HC_REGION_MODEL_H
#define HC_REGION_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HC_REGION_VERSION = 2,
    HC_REGION_LEVELS = 31, /* entries within each other */
    HC_REGION_INNER = 8,   /* a check every so many entries that end within others */
    HC_REGION_COPIES = 16, /* slots of a copy, used in turn */
};

/* Records are of groups: inputs by slot, what crosses the border while the outside runs, checks. */
enum { HC_REGION_GROUPS = 64, HC_REGION_EVENT = 0, HC_REGION_SUM = 1, HC_REGION_LEVEL_MOST = 124 };

enum hc_region_escape {
    HC_REGION_ENTER, /* within a visit: the number of an entry, a byte */
    HC_REGION_CHECK, /* of the hash of all that went out, a byte; then up to a whole byte */
    HC_REGION_END,   /* why nothing follows: enum hc_region_end, a byte; the number of an entry, or 0, a byte */
};

/* What both sides know of the records so far. All is 0 at first. */
struct hc_region_groups {
    uint8_t group;                      /* of the last record */
    uint8_t after[HC_REGION_GROUPS];    /* ticks that came after one of the group; 255: so many or more */
    uint8_t distance[HC_REGION_GROUPS]; /* levels: of ticks that came otherwise, */
    uint8_t number[HC_REGION_GROUPS];   /* of numbers in records, */
    uint8_t rare;                       /* of ticks before an escape */
};

/* A number n with a level: k = level / 4. n < 2^k: a one, n in k bits. Else a zero, and one more for each power of two
 * from 2^(k+1) on that n reaches, a one, and n without its highest bit. K: bits that n needs, at least LEVEL / 4. */
static inline uint8_t hc_region_learn(uint8_t level, uint8_t k)
{
    uint8_t more = k - (level >> 2);

    if (!more)
        return level ? level - 1 : 0;
    return level + more < HC_REGION_LEVEL_MOST ? level + more : HC_REGION_LEVEL_MOST;
}

enum hc_region_end {
    HC_REGION_LOST,      /* the ring was full */
    HC_REGION_INTERRUPT, /* the region was entered while it ran, and was not built for that */
    HC_REGION_TANGLED,   /* a call to the outside returned while another one was the last: threads, longjmp */
    HC_REGION_DEEP,      /* more than HC_REGION_LEVELS entries within each other */
    HC_REGION_ENDS,
};

/* ---- memory that the region saw ---- */

/* A cache of units (aligned words of the CPU), direct-mapped: the last value that the region loaded or stored there.
 * At first each line has the unit at its number, and 0 there. */
#ifndef HC_REGION_CACHE
#define HC_REGION_CACHE 128 /* a power of two */
#endif

/* Differences as small numbers: 0, -1, 1, -2 ... */
static inline uint32_t hc_region_fold(uint32_t difference)
{
    return difference << 1 ^ (difference & 0x80000000 ? 0xffffffff : 0);
}

static inline uint32_t hc_region_unfold(uint32_t number)
{
    return number >> 1 ^ (number & 1 ? 0xffffffff : 0);
}

/* Of BITS bits, as a signed one of 32. */
static inline uint32_t hc_region_difference(uint32_t value, uint32_t expected, unsigned bits)
{
    uint32_t difference = value - expected;

    if (bits == 8)
        return (uint32_t)(int32_t)(int8_t)difference;
    return bits == 16 ? (uint32_t)(int32_t)(int16_t)difference : difference;
}

#ifndef HC_ROTATED /* left, by a bit; a port may know a faster way */
#define HC_ROTATED(x) (uint16_t)((x) << 1 | (x) >> 15)
#endif

static inline uint16_t hc_region_hash(uint16_t hash, uint16_t value)
{
    return (uint16_t)(HC_ROTATED(hash) + value);
}

/* What a check has of it. */
static inline uint8_t hc_region_sum(uint16_t hash)
{
    return (uint8_t)(hash ^ hash >> 8);
}

#endif
