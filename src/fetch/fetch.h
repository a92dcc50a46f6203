/* Reads a mote's flash chip into a file. */
#ifndef HC_FETCH_FETCH_H
#define HC_FETCH_FETCH_H

#include "mote.h"

struct hc_fetch_config {
    struct hc_mote_line line;
    const char *out;      /* OUT.partial until it is complete; an existing partial file is checked and continued */
    unsigned rate;        /* 0: all that are known */
    uint32_t first, last; /* addresses to read, in whole chunks; LAST may be beyond the end of the chip */
    bool restart;         /* ignore an existing partial file */
    /* Progress: DONE of ALL bytes; CHECKING: of those that existed before. May be NULL. */
    void (*progress)(void *owner, uint32_t done, uint32_t all, bool checking);
    void *owner; /* of progress */
};

struct hc_fetch_result {
    struct hc_mote_identity identity;
    unsigned rate;
    uint32_t first, last;            /* as read */
    uint32_t read, blank, continued; /* bytes: received, blank ones among them, and from an existing partial file */
    uint64_t requests, repeated, skipped; /* skipped: bytes that belonged to no frame */
};

/* Finds the mote, reads, checks, and renames the file. On failure what was read is kept in OUT.partial. */
enum hc_fetch_error hc_fetch(const struct hc_fetch_config *config, struct hc_fetch_result *result,
                             struct hc_fetch_message *message);

#endif
