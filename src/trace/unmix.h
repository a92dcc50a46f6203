/* The decoder of codec set hindcast. It is asked as hc_feed is, and has no pointers but to what does not change: a copy
 * of it is a place to come back to. */
#ifndef HC_TRACE_UNMIX_H
#define HC_TRACE_UNMIX_H

#include "rescue.h"
#include "stream.h"

enum hc_unmix_next {
    HC_NEXT_UNKNOWN,   /* not yet looked at */
    HC_NEXT_EXPECTED,  /* what the program leads to: a read, or an interrupt of the sleeping CPU */
    HC_NEXT_INTERRUPT, /* in .arrival */
    HC_NEXT_MEMORY,
    HC_NEXT_MARK,
};

/* A page that was begun, for its self-check. */
struct hc_unmix_page {
    size_t page;    /* index in the log */
    uint64_t first; /* events of the segment before it was begun */
};

struct hc_unmix {
    struct hc_mixed mixed; /* of it the models */
    struct hc_page_stream pages;
    enum hc_feed_status status; /* final, once it is not HC_FEED_OK */
    bool in_page;
    const uint8_t *code; /* of the page under way, without its trailer */
    uint16_t length;
    uint16_t check;
    uint16_t at;     /* the next byte of it that has no use yet */
    uint16_t bits;   /* not yet used, the next one highest of eight; below them a one */
    uint8_t run;     /* how many events more are as guessed */
    bool goes_on;    /* and the run behind them: there is no surprise at its end */
    bool surprised;  /* the next number is not as guessed */
    size_t consumed; /* bytes of payload */
    enum hc_unmix_next next;
    struct hc_arrival arrival;

    uint64_t noted;             /* events, up to the end of the last page */
    size_t begun;               /* pages */
    struct hc_unmix_page *list; /* of them; what is in it is the same each time that it is written */
    const struct hc_rescue *rescue;
    bool rescued; /* the page under way is that of the rescue */
    bool in_ring; /* the code has ended, what follows is in the ring */
};

/* LIST: room for all mixed pages of SEGMENT; RESCUE: of it. Both must live as long as U and all its copies. */
void hc_unmix_open(struct hc_unmix *u, const struct hc_log *log, const struct hc_log_segment *segment,
                   struct hc_unmix_page *list, const struct hc_rescue *rescue);

/* What comes next; anything but HC_FEED_OK is the end of the code. With in_ring set (and HC_FEED_END) events go on in
 * the ring. */
enum hc_feed_status hc_unmix_peek(struct hc_unmix *u);

/* The next event is taken: each only where hc_unmix_peek has set .next accordingly. */
enum hc_feed_status hc_unmix_read(struct hc_unmix *u, uint16_t site, const struct hc_site *s, uint16_t *value);
enum hc_feed_status hc_unmix_wake(struct hc_unmix *u, uint8_t *vector);
void hc_unmix_take_interrupt(struct hc_unmix *u);
/* BYTES: room for 65535. */
enum hc_feed_status hc_unmix_memory(struct hc_unmix *u, uint16_t *address, uint16_t *size, uint8_t *bytes);
enum hc_feed_status hc_unmix_mark(struct hc_unmix *u, uint8_t *code, uint16_t *value);

#endif
