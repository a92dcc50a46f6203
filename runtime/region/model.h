/* Depth `region`: what a node expects, and how it writes down what came otherwise. Node and desk go through the same
 * states (FORMAT.md, "Regions").
 *
 * The code of a region runs again at the desk and asks for its inputs in the same order. So the log has no names of
 * places: it counts inputs that came as expected, a tick each, and has the value of the next one.
 *
 *     record:  | kind, 2 bits | ticks before it, 6 bits (63: a number follows, to be added) | what KIND says |
 *
 * A number is 7 bits a byte, the lowest first; the highest bit of a byte says that more follow. */
#ifndef HC_REGION_MODEL_H
#define HC_REGION_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
    HC_REGION_VERSION = 1,
    HC_REGION_TICKS = 63,  /* in a head; so many or more */
    HC_REGION_LEVELS = 31, /* entries within each other */
    HC_REGION_RECORD = 12, /* bytes of the longest record */
};

enum hc_region_record {
    HC_REGION_VALUE, /* the difference to what was expected, folded: a number */
    HC_REGION_ENTER, /* the number of an entry */
    HC_REGION_CHECK, /* the low byte of the hash of all that went out */
    HC_REGION_END,   /* why nothing follows: enum hc_region_end; the number of an entry, or 0 */
};

enum hc_region_end {
    HC_REGION_LOST,      /* the ring was full */
    HC_REGION_INTERRUPT, /* the region was entered while it ran, and was not built for that */
    HC_REGION_TANGLED,   /* a call to the outside returned while another one was the last: threads, longjmp */
    HC_REGION_DEEP,      /* more than HC_REGION_LEVELS entries within each other */
    HC_REGION_ENDS,
};

/* ---- memory that the region saw ---- */

/* A cache of units (aligned words of the CPU), direct-mapped: the last value that the region loaded or stored there. */
#ifndef HC_REGION_CACHE
#define HC_REGION_CACHE 64 /* a power of two */
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

static inline uint16_t hc_region_hash(uint16_t hash, uint16_t value)
{
    hash = (uint16_t)(hash << 3 | hash >> 13);
    return (uint16_t)(hash + value + (hash >> 7 ^ 0x5a));
}

#endif
