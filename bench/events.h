/* A file of events, as bench-events writes and bench-codec reads it: the number of sites, EVENT_SITES of them, events
 * up to the end. */
#ifndef BENCH_EVENTS_H
#define BENCH_EVENTS_H

#include "trace/log.h"

enum { EVENT_SITES = 256 };

struct event_site {
    struct hc_site site;
    char where[52]; /* "spi.c:86" */
};

struct event {
    uint8_t kind;
    uint8_t vector, flags, has_base;
    uint16_t site, value, base, pc;
    uint32_t hash, count_ordered, count_paper;
};

#endif
