/* Values over the time of a recording of unknown length: a fixed number of bins, whose width doubles when all are in
 * use. */
#ifndef HC_REPORT_SERIES_H
#define HC_REPORT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HC_SERIES_CHANNELS = 72 };

struct hc_series {
    size_t bins;                         /* the maximum number; even */
    size_t used;                         /* number of bins up to the last one written */
    uint64_t width;                      /* of a bin, in microseconds */
    uint32_t *value[HC_SERIES_CHANNELS]; /* NULL: empty */
    bool highest[HC_SERIES_CHANNELS];    /* stores the maximum instead of the sum */
    bool no_memory;
};

/* BINS: at most. */
void hc_series_init(struct hc_series *s, size_t bins);
void hc_series_free(struct hc_series *s);

/* Adds VALUE to CHANNEL at TIME, or stores it if it is the maximum there. */
void hc_series_add(struct hc_series *s, size_t channel, uint64_t time_us, uint64_t value);

#endif
