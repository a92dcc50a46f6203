/* A log of what an ideal recorder sees, in version 5 of the trace: pages with self-checks, checkpoints as records, what
 * is rescued after a reset. Written from FORMAT.md, with the host's codec for the code of pages; sums and windows
 * are this file's own, so that the replay has a second source. */
#ifndef TESTS_REPLAY_IDEAL_LOG_H
#define TESTS_REPLAY_IDEAL_LOG_H

#include "ideal.h"

#include "runtime/codec/codec.h"

struct ideal_log {
    struct ideal *from;
    struct hc_codec codec;
    struct hc_site sites[64];
    uint8_t *image;
    size_t size, room;
    uint16_t boot, segment;
    uint32_t sequence;

    struct hc_event ring[256]; /* not encoded yet */
    bool based[256];           /* a timer's interrupt, with its CCR0: */
    uint16_t base[256];
    size_t waiting;
    bool has_base[2]; /* of what is encoded next: timers A and B */
    uint16_t next_base[2];

    size_t window; /* number of the next one */
    unsigned updates, checks, unchecked_updates;
    unsigned patience;     /* so many updates of a page go by before its self-check */
    bool wants_checkpoint; /* at the next update */
    uint64_t early;        /* this interrupt of the loop in main (the first is 1) is written a turn early */
    uint64_t interrupts;
    unsigned checks_before_early;
    bool spare; /* a page waits: it is written with the rescue */
    uint8_t spare_page[HC_PAGE_PAYLOAD], spare_length;
    bool holds; /* pages are held back, as by a busy sink */
};

/* FROM has just been started, and runs from now on with this log. */
void ideal_log_start(struct ideal_log *log, struct ideal *from);
void ideal_log_stop(struct ideal_log *log);

/* The node is reset here, CAUSE as the boot page has it; RESCUE: what waits in RAM is written first. AT_WORK: so many
 * events of the ring the encoder had taken since it put its state away. */
void ideal_log_reset(struct ideal_log *log, uint16_t cause, bool rescue, size_t at_work);
/* What waits in the page under way is written. */
void ideal_log_flush(struct ideal_log *log);
/* A page as the recorder writes it. */
void ideal_log_page(struct ideal_log *log, uint8_t stream, const void *payload, size_t length);
void ideal_log_save(const struct ideal_log *log, const char *path);

#endif
