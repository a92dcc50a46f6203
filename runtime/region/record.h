/* The recorder of depth `region`: the hooks that `hindcast cc --record=region` puts at the region's border, and
 * hc_update. Plain C: a port is critical.h (a critical section) and a sink. */
#ifndef HC_REGION_RECORD_H
#define HC_REGION_RECORD_H

#include "codec/page.h"
#include "config.h"
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

/* As wide as the CPU's registers. */
typedef uintptr_t hc_word;

struct hc_region_ram {
    uint16_t ticks;               /* inputs as expected since the last record */
    uint16_t hash;                /* of what went out */
    uint32_t was_inside;          /* a bit for each level: what an entry interrupted was inside */
    uint8_t depth;                /* entries within each other; 0: nobody is inside */
    bool inside;                  /* the region's own code runs */
    bool stopped;                 /* nothing is recorded any more */
    uint8_t entry;                /* the last one from outside, and one */
    uint8_t visits;               /* since the last check */
    uint16_t written, read;       /* places in the ring */
    uint16_t idle;                /* calls of hc_update */
    uint16_t seen;                /* `written`, then */
    hc_word tag[HC_REGION_CACHE]; /* address, and one; 0: nothing */
    hc_word unit[HC_REGION_CACHE];
    uint8_t ring[HC_REGION_RING];
};

extern struct hc_region_ram __hc_ram;

/* Made with the region: predictions by input, and by entry the one that came after it last, and one. */
extern uint16_t __hcr_last[];
extern uint8_t __hcr_next[];
extern const hc_word __hcr_interrupts;

/* log.c: the place in the log. Takes up to 31 bytes; false: not now. */
bool hc_region_log(const uint8_t *bytes, uint8_t size);

#endif
