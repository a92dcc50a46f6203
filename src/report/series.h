/* Values over the time of a recording whose length nobody knows before: bins that get twice as wide when they are used
 * up. */
#ifndef HC_REPORT_SERIES_H
#define HC_REPORT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HC_SERIES_CHANNELS = 72 };

struct hc_series {
    size_t bins;                         /* how many there are at most; even */
    size_t used;                         /* up to the last one that was written */
    uint64_t width;                      /* of a bin, in microseconds */
    uint32_t *value[HC_SERIES_CHANNELS]; /* NULL: nothing yet */
    bool highest[HC_SERIES_CHANNELS];    /* keeps the highest value, not the sum */
    bool no_memory;
};

/* BINS: at most. */
void hc_series_init(struct hc_series *s, size_t bins);
void hc_series_free(struct hc_series *s);

/* Adds VALUE to CHANNEL at TIME, or keeps it if it is the highest there. */
void hc_series_add(struct hc_series *s, size_t channel, uint64_t time_us, uint64_t value);

#endif
