/* The decoder of codec set hindcast, with hc_feed's interface. It has no pointers except to constant data, so a copy of
 * it is a place to return to. */
#ifndef HC_TRACE_UNMIX_H
#define HC_TRACE_UNMIX_H

#include "rescue.h"
#include "stream.h"

enum hc_unmix_next {
    HC_NEXT_UNKNOWN,   /* not yet looked at */
    HC_NEXT_EXPECTED,  /* a synchronous event: a read, or an interrupt of the sleeping CPU */
    HC_NEXT_INTERRUPT, /* in .arrival */
    HC_NEXT_MEMORY,
};

/* A page that was started, for its self-check. */
struct hc_unmix_page {
    size_t page;    /* index in the log */
    uint64_t first; /* events of the segment before it was started */
};

struct hc_unmix {
    struct hc_mixed mixed; /* of it the models */
    struct hc_page_stream pages;
    enum hc_feed_status status; /* final, once it is not HC_FEED_OK */
    bool in_page;
    const uint8_t *code; /* of the current page, without its trailer */
    uint16_t length;
    uint16_t check;
    uint16_t at;     /* its next unused byte */
    uint16_t bits;   /* unused bits, the next one highest of eight; followed by a one */
    uint8_t run;     /* the number of events still to come that are as predicted */
    bool goes_on;    /* and of the run after them: no surprise comes at its end */
    bool surprised;  /* the next number is not as predicted */
    size_t consumed; /* bytes of payload */
    enum hc_unmix_next next;
    struct hc_arrival arrival;

    uint64_t noted;             /* events, up to the end of the last page */
    size_t begun;               /* pages */
    struct hc_unmix_page *list; /* their number; the contents are the same each time it is written */
    const struct hc_rescue *rescue;
    bool rescued; /* the current page is the rescued one */
    bool in_ring; /* the code has ended; the ring follows */
};

/* LIST: room for all mixed pages of SEGMENT; RESCUE: the segment's. Both must outlive U and all its copies. */
void hc_unmix_open(struct hc_unmix *u, const struct hc_log *log, const struct hc_log_segment *segment,
                   struct hc_unmix_page *list, const struct hc_rescue *rescue);

/* What comes next; anything but HC_FEED_OK is the end of the code. With in_ring set (and HC_FEED_END) events continue
 * in the ring. */
enum hc_feed_status hc_unmix_peek(struct hc_unmix *u);

/* Takes the next event; each only if hc_unmix_peek has set .next accordingly. */
enum hc_feed_status hc_unmix_read(struct hc_unmix *u, uint16_t site, const struct hc_site *s, uint16_t *value);
enum hc_feed_status hc_unmix_wake(struct hc_unmix *u, uint8_t *vector);
void hc_unmix_take_interrupt(struct hc_unmix *u);
/* BYTES: room for 65535. */
enum hc_feed_status hc_unmix_memory(struct hc_unmix *u, uint16_t *address, uint16_t *size, uint8_t *bytes);

#endif
