/* Where a replay's events come from: a decoded log (trace/feed.h), or memory (tests).
 *
 * With codec set hindcast all events have one order; with set paper the interrupts have an order of their own, beside
 * the reads. A source hides that: it says what the next interrupt is only when it may be the next event. */
#ifndef HC_REPLAY_SOURCE_H
#define HC_REPLAY_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where an interrupt came. Of one that woke the CPU nothing but the vector is known. */
struct hc_source_interrupt {
    uint8_t vector;
    bool asleep;
    bool hashed;
    uint16_t pc;
    uint32_t count; /* laps << 16 | count */
    uint16_t hash;
};

struct hc_source_memory {
    uint32_t address;
    uint32_t size;
    const uint8_t *bytes; /* valid until the next call */
};

enum hc_source_answer {
    HC_SOURCE_OK,
    HC_SOURCE_END,     /* the log has nothing more */
    HC_SOURCE_DIFFERS, /* the log goes on with something else: see expected() */
    HC_SOURCE_DAMAGED, /* what follows is lost: see expected() */
};

struct hc_source;

struct hc_source_ops {
    /* True: *OUT is the next event, or may be (unordered streams). */
    bool (*interrupt)(struct hc_source *source, struct hc_source_interrupt *out);
    void (*take_interrupt)(struct hc_source *source);

    /* The program reads at SITE. BASE: the value that a read of class timer is relative to, or NULL for the timer's
     * last read. */
    enum hc_source_answer (*read)(struct hc_source *source, uint16_t site, const uint16_t *base, uint16_t *value);

    /* True: the next event is memory that hardware wrote, and it is taken. */
    bool (*memory)(struct hc_source *source, struct hc_source_memory *out);

    /* Nothing is left. Pages that are missing or damaged end a log as well: then *WHY is a sentence, else NULL. */
    bool (*at_end)(struct hc_source *source, const char **why);

    /* The next event in words ("a read of TAR at site 17, app.c:40"), for messages. */
    void (*expected)(struct hc_source *source, char *out, size_t size);

    /* The place in the log as plain data of position_size bytes. */
    void (*save)(const struct hc_source *source, void *position);
    void (*load)(struct hc_source *source, const void *position);

    void (*close)(struct hc_source *source);
};

struct hc_source {
    const struct hc_source_ops *ops;
    size_t position_size;
    bool ordered; /* one order of all events: each of them sets the position counter to 0 */
};

#endif
