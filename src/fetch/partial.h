/* The file in which a chip grows: FILE.partial, FILE once it is whole.
 *
 *     0            chip's size      + 16     + 20        + 24         + 30      + 32
 *     contents     "hindcast fetch1"  size     chip's id   serial       node      a bit for each 4 KB that are read
 *
 * What is not read is 0xff. Numbers have the high byte first. The tail is cut off when the file gets its name. */
#ifndef HC_FETCH_PARTIAL_H
#define HC_FETCH_PARTIAL_H

#include "mote.h"

struct hc_partial {
    int fd; /* -1: not open */
    char *path, *partial;
    struct hc_mote_identity identity;
    uint32_t read; /* chunks that are in it */
    uint8_t *map;
};

/* Opens PATH.partial or creates it; RESTART: always creates it. Fails if it belongs to another chip or is not ours. */
enum hc_fetch_error hc_partial_open(struct hc_partial *p, const char *path, const struct hc_mote_identity *identity,
                                    bool restart, struct hc_fetch_message *message);
/* Closes the file; an empty one is deleted. */
void hc_partial_close(struct hc_partial *p);

bool hc_partial_has(const struct hc_partial *p, uint32_t address);
enum hc_fetch_error hc_partial_get(const struct hc_partial *p, uint32_t address, uint8_t to[HC_MOTE_CHUNK],
                                   struct hc_fetch_message *message);
enum hc_fetch_error hc_partial_put(struct hc_partial *p, uint32_t address, const uint8_t from[HC_MOTE_CHUNK],
                                   struct hc_fetch_message *message);

/* Renames the file to its final name and closes it. */
enum hc_fetch_error hc_partial_finish(struct hc_partial *p, struct hc_fetch_message *message);

#endif
