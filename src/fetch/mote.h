/* A mote with the dump program at the other end of a line: who it is, and what its chip holds.
 *
 * Whatever is lost, doubled or changed on the line costs a repetition. A mote that is silent is given up after some
 * ten seconds, as is one of whose answers none is whole after some more; one whose chip is busy after half a minute. */
#ifndef HC_FETCH_MOTE_H
#define HC_FETCH_MOTE_H

#include "frame.h"
#include "message.h"

/* The line: a port, or what a test makes of it. Each returns 0 or an error with a message. */
struct hc_mote_line {
    void *owner;
    const char *name; /* for messages */
    enum hc_fetch_error (*set_rate)(void *owner, unsigned rate, struct hc_fetch_message *message);
    enum hc_fetch_error (*send)(void *owner, const void *bytes, size_t count, struct hc_fetch_message *message);
    /* As hc_port_receive. */
    enum hc_fetch_error (*receive)(void *owner, uint8_t *to, size_t room, int ms, size_t *count,
                                   struct hc_fetch_message *message);
    int64_t (*now_ms)(void *owner); /* a clock */
    bool (*stopped)(void *owner);   /* has the user had enough? */
};

struct hc_mote_identity {
    uint8_t signature, chip[3]; /* the chip's answers to RES and RDID */
    uint64_t serial;            /* 0: unknown */
    uint16_t node;
    uint32_t size; /* of the chip, by these answers */
};

struct hc_mote {
    struct hc_mote_line line;
    unsigned rate;
    uint64_t requests, repeated; /* of these, how many were not the first of their kind */
    uint64_t heard;              /* bytes */
    struct hc_fetch_frames frames;
};

/* What is read and checked at a time. */
enum { HC_MOTE_CHUNK = DUMP_COUNT_MAX };

/* Tries RATE or, if it is 0, all rates at which the dump program may be built. */
enum hc_fetch_error hc_mote_find(struct hc_mote *mote, const struct hc_mote_line *line, unsigned rate,
                                 struct hc_mote_identity *identity, struct hc_fetch_message *message);

/* Reads the chip's bytes at ADDRESS, a multiple of HC_MOTE_CHUNK, checked by sums that the mote computes separately.
 * *BLANK: how many of them the mote only reported as blank. */
enum hc_fetch_error hc_mote_read(struct hc_mote *mote, uint32_t address, uint8_t to[HC_MOTE_CHUNK], unsigned *blank,
                                 struct hc_fetch_message *message);

/* Whether the chip has BYTES at ADDRESS, according to its sums. */
enum hc_fetch_error hc_mote_compare(struct hc_mote *mote, uint32_t address, const uint8_t bytes[HC_MOTE_CHUNK],
                                    bool *same, struct hc_fetch_message *message);

#endif
