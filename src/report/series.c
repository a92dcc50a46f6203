#include "series.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_WIDTH = 1000 };

void hc_series_init(struct hc_series *s, size_t bins)
{
    *s = (struct hc_series){ .bins = bins, .width = FIRST_WIDTH };
}

void hc_series_free(struct hc_series *s)
{
    for (size_t i = 0; i < HC_SERIES_CHANNELS; i++)
        free(s->value[i]);
    *s = (struct hc_series){ 0 };
}

static void put(struct hc_series *s, size_t channel, size_t bin, uint64_t value)
{
    uint32_t *at = &s->value[channel][bin];
    uint64_t sum = s->highest[channel] ? value : (uint64_t)*at + value;

    if (!s->highest[channel] || sum > *at)
        *at = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* Each two bins become one. */
static void widen(struct hc_series *s)
{
    for (size_t channel = 0; channel < HC_SERIES_CHANNELS; channel++) {
        uint32_t *value = s->value[channel];
        if (!value)
            continue;
        for (size_t i = 0; i < s->bins / 2; i++) {
            uint32_t a = value[2 * i], b = value[2 * i + 1];
            value[i] = 0;
            put(s, channel, i, a);
            put(s, channel, i, b);
        }
        memset(value + s->bins / 2, 0, (s->bins - s->bins / 2) * sizeof *value);
    }
    s->width *= 2;
    s->used = (s->used + 1) / 2;
}

void hc_series_add(struct hc_series *s, size_t channel, uint64_t time_us, uint64_t value)
{
    if (channel >= HC_SERIES_CHANNELS || s->no_memory)
        return;
    if (!s->value[channel] && !(s->value[channel] = calloc(s->bins, sizeof(uint32_t)))) {
        s->no_memory = true;
        return;
    }
    while (time_us / s->width >= s->bins)
        widen(s);
    size_t bin = (size_t)(time_us / s->width);
    s->used = bin >= s->used ? bin + 1 : s->used;
    put(s, channel, bin, value);
}
