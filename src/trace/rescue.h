/* What waited in a node's RAM when it was reset, and was written after the reset (FORMAT.md): the page under way,
 * then entries of the ring that were not encoded yet. Nothing of it is believed before it was checked. */
#ifndef HC_TRACE_RESCUE_H
#define HC_TRACE_RESCUE_H

#include "log.h"

struct hc_rescue {
    bool there;    /* the segment has such pages */
    size_t pages;  /* of events, before it */
    bool damaged;  /* they make no sense: nothing of them is used */
    char text[80]; /* then: why */
    struct hc_page_rescue head;
    uint8_t *bytes;         /* all payloads, the bits that were under way put in their place */
    const uint8_t *code;    /* head.next bytes of it */
    struct hc_event *event; /* of the ring; reads have the value that was read, also of timers */
    size_t events;
    bool incomplete; /* the last entry of the ring was being written: it is left out */
};

/* Reads that of segment S. OUT must be closed. */
enum hc_log_error hc_rescue_open(struct hc_rescue *out, const struct hc_log *log, const struct hc_log_segment *s,
                                 const struct hc_site_table *sites);
void hc_rescue_close(struct hc_rescue *rescue);

#endif
