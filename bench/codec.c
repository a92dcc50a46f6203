/* bench-codec: what the codecs make of events that bench-events wrote, and what others make of the same.
 *
 *   codec FILE...
 *
 * The raw log that gzip, xz and S-LZW get has the used bits of each read in one or two bytes, and five bytes for an
 * interrupt: vector, return address, count. */
#include "compress.h"
#include "events.h"
#include "slzw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t size, hashes;

static void count_page(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    (void)codec;
    size += length;
    if (stream == HC_STREAM_PAPER)
        hashes += page[HC_LANE_HASHES];
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
    size = hashes = 0;
    hc_codec_open(&codec, events->site, count_page);
    codec.sets = sets;
    hc_codec_start(&codec);
    for (size_t i = 0; i < events->count; i++)
        encode(&codec, &events->event[i], sets == 0);
    hc_codec_finish(&codec);
    return size;
}

/* ---- others, over the raw log ---- */

struct raw {
    uint8_t *bytes;
    size_t size;
};

static void make_raw(struct raw *raw, const struct events *events)
{
    raw->bytes = malloc(events->count * 5 + 1);
    raw->size = 0;
    for (size_t i = 0; raw->bytes && i < events->count; i++) {
        const struct event *e = &events->event[i];
        uint8_t *to = raw->bytes + raw->size;
        if (e->kind == HC_EVENT_READ) {
            memcpy(to, &e->value, 2);
            raw->size += 1 + (events->site[e->site].mask > 0xff);
        } else {
            const uint8_t record[5] = { e->vector, (uint8_t)e->pc, (uint8_t)(e->pc >> 8), (uint8_t)e->count_paper,
                                        (uint8_t)(e->count_paper >> 8) };
            memcpy(to, record, sizeof record);
            raw->size += sizeof record;
        }
    }
}

static void print_others(const struct events *events)
{
    struct raw raw;
    make_raw(&raw, events);
    printf("%-24s raw %zu, gzip -9 %zu, xz -9 %zu, S-LZW %zu, with mini-cache %zu\n", "", raw.size,
           compress_by("gzip -9", raw.bytes, raw.size), compress_by("xz -9", raw.bytes, raw.size),
           slzw_size(raw.bytes, raw.size), slzw_mini_cache_size(raw.bytes, raw.size, 32));
    free(raw.bytes);
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
        printf("%-24s %zu events, paper %zu (hashes %zu), hindcast %zu: %.3f\n", argv[i], events.count, paper, hashes,
               ours, (double)ours / (double)paper);
        print_others(&events);
        product *= (double)ours / (double)paper;
        free(events.event);
    }
    printf("geometric mean %.3f\n", pow(product, 1.0 / (argc - 1)));
    return 0;
}
