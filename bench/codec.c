/* bench-codec: what the codecs make of events that bench-events wrote.
 *
 *   codec FILE... */
#include "events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t payload[HC_STREAMS], pages[HC_STREAMS];

static void count_page(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    (void)codec, (void)page;
    payload[stream] += length;
    pages[stream]++;
}

static void encode(struct hc_codec *codec, const struct event *e, bool ordered)
{
    if (e->kind == HC_EVENT_READ && e->has_base) {
        hc_encode_based(codec, e->site, e->value, e->base);
    } else if (e->kind == HC_EVENT_READ) {
        hc_encode_read(codec, e->site, e->value);
    } else {
        uint32_t count = ordered ? e->count_ordered : e->count_paper;
        struct hc_arrival a = { e->vector, e->flags, e->pc, (uint16_t)count, (uint16_t)(count >> 16), e->hash };
        hc_encode_interrupt(codec, &a);
    }
}

struct events {
    struct hc_site site[EVENT_SITES];
    struct event *event;
    size_t count;
};

static size_t total(const struct events *events, uint8_t sets)
{
    static struct hc_codec codec;
    size_t sum = 0;
    memset(payload, 0, sizeof payload);
    memset(pages, 0, sizeof pages);
    hc_codec_open(&codec, events->site, count_page);
    codec.sets = sets;
    hc_codec_start(&codec);
    for (size_t i = 0; i < events->count; i++)
        encode(&codec, &events->event[i], sets == 0);
    hc_codec_finish(&codec);
    for (int i = 0; i < HC_STREAMS; i++)
        sum += payload[i];
    return sum;
}

static bool load(struct events *out, const char *path)
{
    static struct event_site site[EVENT_SITES];
    uint32_t sites;
    FILE *in = fopen(path, "rb");
    if (!in || fread(&sites, sizeof sites, 1, in) != 1 || fread(site, sizeof site, 1, in) != 1)
        return false;
    for (int i = 0; i < EVENT_SITES; i++)
        out->site[i] = site[i].site;
    long begin = ftell(in);
    fseek(in, 0, SEEK_END);
    out->count = (size_t)(ftell(in) - begin) / sizeof *out->event;
    fseek(in, begin, SEEK_SET);
    out->event = malloc(out->count * sizeof *out->event);
    bool good = out->event && fread(out->event, sizeof *out->event, out->count, in) == out->count;
    fclose(in);
    return good;
}

int main(int argc, char **argv)
{
    double product = 1;
    for (int i = 1; i < argc; i++) {
        struct events events;
        if (!load(&events, argv[i])) {
            fprintf(stderr, "bench-codec: %s: cannot be read\n", argv[i]);
            return 3;
        }
        size_t ours = total(&events, 0);
        size_t paper = total(&events, HC_PAPER_ALL);
        printf(
            "%-24s %zu events, paper %zu (interrupts %zu, registers %zu, data %zu, hashes %zu), hindcast %zu: %.3f\n",
            argv[i], events.count, paper, payload[HC_STREAM_INTERRUPTS], payload[HC_STREAM_REGISTERS],
            payload[HC_STREAM_DATA], payload[HC_STREAM_HASHES], ours, (double)ours / (double)paper);
        product *= (double)ours / (double)paper;
        free(events.event);
    }
    printf("geometric mean %.3f\n", pow(product, 1.0 / (argc - 1)));
    return 0;
}
