/* A mote with the dump program at the end of a bad line, written from protocol.h apart from the firmware, with a clock
 * of its own: a byte takes a tenth of a millisecond. */
#ifndef TESTS_FETCH_FAKE_MOTE_H
#define TESTS_FETCH_FAKE_MOTE_H

#include "fetch/mote.h"

enum { FAKE_SIZE = 1 << 16, FAKE_LINE = 1 << 16 };

struct fake_mote {
    uint8_t chip[FAKE_SIZE];
    uint64_t serial;
    uint8_t version, signature, capacity;
    unsigned rate, host_rate;
    int busy;              /* the chip, for so many requests */
    int lies;              /* so many data frames have a wrong byte and a right CRC */
    const char *chatter;   /* another program, that says this all the time */
    unsigned noise;        /* one byte of so many is lost, doubled or changed; 0: none */
    int64_t receives_left; /* then the port is gone; -1: never */
    int64_t stop_after;    /* receives, then the user has had enough; -1: never */
    uint64_t random;
    int64_t tenths; /* of milliseconds since the beginning */
    uint32_t asked; /* requests that were understood */
    char line[64];
    size_t line_length;
    uint8_t out[FAKE_LINE];
    size_t out_size, out_at;
};

/* A chip with random contents, some blocks of it blank. */
void fake_mote_init(struct fake_mote *f, uint64_t seed);
struct hc_mote_line fake_mote_line(struct fake_mote *f);

#endif
