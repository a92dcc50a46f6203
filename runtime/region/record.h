/* The recorder of depth `region`: the hooks that `hindcast cc --record=region` puts at the region's border, and
 * hc_update. Plain C: a port is critical.h (a critical section) and a sink. */
#ifndef HC_REGION_RECORD_H
#define HC_REGION_RECORD_H

#include "codec/page.h"
#include "config.h"
#include "critical.h"
#include "model.h"

#include <stdbool.h>
#include <stdint.h>

#ifndef HC_REGION_RING
#define HC_REGION_RING 300 /* bytes of code that wait */
#endif
#ifndef HC_REGION_CHECKS
#define HC_REGION_CHECKS 1 /* a check every so many visits; 0: only when the log is flushed */
#endif
#ifndef HC_REGION_IDLE
#define HC_REGION_IDLE 400 /* calls of hc_update with nothing new, after which what waits is written */
#endif

/* Ports with a clock write what waits after HC_FLUSH seconds. */
#if HC_FLUSH && defined HC_NO_CLOCK
#define HC_REGION_TIMED 1
#else
#define HC_REGION_TIMED 0
#endif

/* As wide as the CPU's registers. */
typedef uintptr_t hc_word;

/* Of an address: which of those that share a line. */
#if UINTPTR_MAX <= 0xffff && HC_REGION_CACHE >= 128
typedef uint8_t hc_region_tag;
#else
typedef hc_word hc_region_tag;
#endif

enum { HC_REGION_PIECE = 31, HC_REGION_CODE = 16 }; /* bytes of a piece; of the longest record */
enum { HC_REGION_WRITE = 4 * HC_REGION_PIECE };     /* so much is written at a time: waking a chip takes long */

struct hc_region_ram {
    uint16_t ticks;         /* inputs as expected since the last record */
    uint16_t hash;          /* of what went out */
    uint32_t was_inside;    /* a bit for each level: what an entry interrupted was inside */
    uint8_t depth;          /* entries within each other; 0: nobody is inside */
    bool inside;            /* the region's own code runs */
    bool stopped;           /* nothing is recorded any more */
    uint8_t context;        /* outside: the entry that was left last, and one; 0: none since the call or the start */
    uint8_t visits, inner;  /* that ended since the last check: outermost, others */
    uint16_t written, read; /* places in the ring */
    uint16_t idle;          /* calls of hc_update */
    uint16_t seen;          /* `written`, then */
    uint8_t size;           /* bytes that are encoded and not written */
    uint16_t flushed;       /* `written`, when what waited was written last */
    bool due;               /* what waits is to be written */
    bool busy;              /* hc_update has work, whatever the ring has */
#if HC_REGION_TIMED
    bool watched;   /* something waits, and the clock was looked at, */
    uint16_t clock; /* here */
    uint8_t stamp;  /* and it said so */
    uint16_t age;   /* of what waits, in 1/128 s */
#endif
    hc_region_tag tag[HC_REGION_CACHE];
    hc_word unit[HC_REGION_CACHE];
    uint8_t ring[HC_REGION_RING]; /* records that are not encoded yet */
};

extern struct hc_region_ram __hc_ram;

/* Made with the region: predictions by input, and by entry the one that came after it last, and one. */
extern uint16_t __hcr_last[];
extern uint8_t __hcr_next[];
extern const hc_word __hcr_interrupts;

/* Records in the ring. Head: form in the highest 2 bits, group in the others. Ticks: a byte; 255: two bytes follow that
 * have them. A record does not come round: behind HC_RING_LAST none begins. */
enum {
    HC_RING_NUMBER = 0x00, /* a number of 2 bytes */
    HC_RING_WIDE = 0x40,   /* of 4 bytes */
    HC_RING_BYTE = 0x80,   /* a byte: groups HC_REGION_EVENT, HC_REGION_SUM */
    HC_RING_ESCAPE = 0xc0, /* two bytes; instead of the group enum hc_region_escape */
    HC_RING_RECORD = 8,    /* bytes of the longest */
    HC_RING_LAST = HC_REGION_RING - HC_RING_RECORD,
};

/* code.c: takes a record out of the ring, which has one, and encodes it. Only while less than HC_REGION_WRITE waits. */
void hc_region_encode(void);
/* Writes up to HC_REGION_WRITE of what is encoded, if there is any. */
void hc_region_write(void);

/* log.c: the place in the log. Returns how many of SIZE bytes it took. */
uint8_t hc_region_log(const uint8_t *bytes, uint8_t size);

#endif
