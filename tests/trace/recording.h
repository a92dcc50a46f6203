/* Recordings for tests: events, the image that the codecs and a simple sink make of them, and questions put to a feed
 * in the order of the events, as a replay would. */
#ifndef TESTS_TRACE_RECORDING_H
#define TESTS_TRACE_RECORDING_H

#include "trace/feed.h"

enum { RECORDING_SITES = 100, RECORDING_SITES_AT = 0x5000 /* in the program */, RECORDING_MEMORY = 300 };

struct recorded {
    enum hc_event_kind kind;
    uint16_t site, value, base;
    bool has_base;
    struct hc_arrival arrival;
    uint16_t address, size;
    uint8_t bytes[RECORDING_MEMORY];
};

struct recording {
    struct hc_codec codec;
    struct hc_site sites[RECORDING_SITES];
    struct hc_site_table table;
    struct recorded *event;
    size_t events, event_room;
    uint8_t *image;
    size_t size, room;
    uint16_t boot, segment;
    uint32_t sequence;
    uint8_t filler; /* behind payloads */
};

/* Some of each class. SETS: HC_PAPER_... */
void recording_start(struct recording *r, uint8_t sets);
void recording_stop(struct recording *r);

/* Makes the CRC of a page right. */
void recording_seal(uint8_t *page);

/* A new segment with a boot page. The events before it are forgotten, the image is not. */
void recording_boot(struct recording *r);

/* An event that is asked for, but not encoded. */
void recording_remember(struct recording *r, const struct recorded *event);
void recording_add(struct recording *r, const struct recorded *event);
void recording_end(struct recording *r);

/* A page of any stream, as a sink writes it. */
void recording_page(struct recording *r, uint8_t stream, const uint8_t *payload, uint8_t length);

/* An event of the kind that SEED says, as a program might make it or not. Marks only where all is in order. */
void recording_random(const struct recording *r, uint64_t *seed, struct recorded *event);
uint32_t recording_number(uint64_t *seed);

/* The same, of those that a ring can hold. */
void recording_ring_event(const struct recording *r, uint64_t *seed, struct recorded *event);

/* The node is reset: ENCODED events are in pages and in the code under way, the others wait in the ring; COUNT: the
 * position counter. Writes the pages of the rescue. */
void recording_rescue(struct recording *r, size_t encoded, uint16_t count);

/* Asks FEED for the events. Returns how many were answered, and why no more; the answers were right, or the running
 * test fails. */
size_t recording_ask(const struct recording *r, struct hc_feed *feed, enum hc_feed_status *status);

/* Opens the image, feeds its last segment; false when it does not even open, with MESSAGE. */
bool recording_replay(const struct recording *r, const uint8_t *image, size_t size, size_t *answered,
                      enum hc_feed_status *status, struct hc_log_message *message);

#endif
