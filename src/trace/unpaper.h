/* The decoder of codec set paper: reads a segment's four streams at once. */
#ifndef HC_TRACE_UNPAPER_H
#define HC_TRACE_UNPAPER_H

#include "stream.h"

struct hc_unpaper_runs {
    struct hc_paper_run *run;
    size_t count, room;
};

struct hc_unpaper {
    size_t sites;
    struct hc_unpaper_runs *states; /* by site */
    uint16_t *timer;                /* differences, in the order of the reads */
    size_t timers, timer_room;
    uint8_t *data;
    size_t bytes, byte_room;
    struct hc_event *interrupt; /* with their hashes */
    size_t interrupts, interrupt_room;
    enum hc_feed_status end[HC_LANES]; /* why each stream ends: HC_FEED_END or HC_FEED_DAMAGE */
    size_t payload;                    /* bytes of all pages */
};

/* Reads the streams that SETS assigns to set paper. Returns HC_LOG_NO_MEMORY or HC_LOG_OK; damage is in .end. Close it
 * in either case. */
enum hc_log_error hc_unpaper_open(struct hc_unpaper *u, const struct hc_log *log, const struct hc_log_segment *segment,
                                  const struct hc_site_table *sites);
void hc_unpaper_close(struct hc_unpaper *u);

#endif
