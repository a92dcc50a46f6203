/* Data that was in a node's RAM at a reset and was written after it (FORMAT.md): the current page, then ring entries
 * that were not yet encoded. Nothing of it is trusted before it was checked. */
#ifndef HC_TRACE_RESCUE_H
#define HC_TRACE_RESCUE_H

#include "log.h"

struct hc_rescue {
    bool there;    /* the segment has such pages */
    size_t pages;  /* of events, before it */
    bool damaged;  /* they are inconsistent: none of them is used */
    char text[80]; /* then: why */
    struct hc_page_rescue head;
    uint8_t *bytes;         /* all payloads, including the bits that were not yet a whole byte */
    const uint8_t *code;    /* head.next bytes of it */
    struct hc_event *event; /* of the ring; reads have the value that was read, timers included */
    size_t events;
    bool incomplete; /* the last entry of the ring was incomplete: it is omitted */
};

/* Reads the rescue of segment S. Close OUT afterwards. */
enum hc_log_error hc_rescue_open(struct hc_rescue *out, const struct hc_log *log, const struct hc_log_segment *s,
                                 const struct hc_site_table *sites);
void hc_rescue_close(struct hc_rescue *rescue);

#endif
