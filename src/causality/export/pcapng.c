/*     section header   0x0a0d0d0a | length | 0x1a2b3c4d | 1.0 | section's length unknown | length
 *     interface        1 | length | type 230 (802.15.4 without FCS) | snapshot length | if_name, if_tsresol | length
 *     packet           6 | length | interface | time high, low | captured | original | bytes | epb_flags | length
 *
 * All in this host's order, little-endian; options and bytes are padded to 4. */
#include "export.h"

#include <string.h>

enum {
    LINK_TYPE = 230,
    SNAPSHOT = 127,
    IF_NAME = 2,
    IF_TSRESOL = 9,
    EPB_FLAGS = 2,
    INBOUND = 1,
    OUTBOUND = 2,
    CHECKSUM = 2
};

struct block {
    size_t size;
    uint8_t at[300];
};

static void put(struct block *b, uint64_t value, int size)
{
    for (int i = 0; i < size; i++)
        b->at[b->size++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct block *b, const void *bytes, size_t size)
{
    memcpy(b->at + b->size, bytes, size);
    b->size += size;
    while (b->size % 4)
        b->at[b->size++] = 0;
}

static void put_option(struct block *b, unsigned code, const void *bytes, size_t size)
{
    put(b, code, 2);
    put(b, size, 2);
    put_bytes(b, bytes, size);
}

static void write_block(FILE *out, uint32_t type, const struct block *body)
{
    struct block head = { 0 };

    put(&head, type, 4);
    put(&head, body->size + 12, 4);
    fwrite(head.at, 1, head.size, out);
    fwrite(body->at, 1, body->size, out);
    fwrite(head.at + 4, 1, 4, out);
}

void hc_pcapng_begin(const struct hc_export *e, FILE *out)
{
    struct block section = { 0 };

    put(&section, 0x1a2b3c4d, 4);
    put(&section, 1, 2);
    put(&section, 0, 2);
    put(&section, UINT64_MAX, 8);
    write_block(out, 0x0a0d0d0a, &section);
    for (size_t n = 0; n < e->history->node_count; n++) {
        struct block interface = { 0 };
        char name[24];
        put(&interface, LINK_TYPE, 2);
        put(&interface, 0, 2);
        put(&interface, SNAPSHOT, 4);
        snprintf(name, sizeof name, "node-%u", e->history->nodes[n].address);
        put_option(&interface, IF_NAME, name, strlen(name));
        put_option(&interface, IF_TSRESOL, "\x09", 1);
        put(&interface, 0, 4);
        write_block(out, 1, &interface);
    }
}

void hc_pcapng_add(const struct hc_export *e, FILE *out, const struct hc_stream_event *s)
{
    const struct hc_radio_frame *f = &s->frame;
    struct block b = { 0 };
    int length = f->length - CHECKSUM, present = f->present < length ? f->present : length;
    uint64_t time = (uint64_t)(s->time + e->shift);
    uint32_t flags = f->sent ? OUTBOUND : INBOUND;

    if (s->kind != HC_STREAM_FRAME || length <= 0)
        return;
    put(&b, s->node, 4);
    put(&b, time >> 32, 4);
    put(&b, time & UINT32_MAX, 4);
    put(&b, (uint64_t)present, 4);
    put(&b, (uint64_t)length, 4);
    put_bytes(&b, f->byte, (size_t)present);
    put_option(&b, EPB_FLAGS, &flags, sizeof flags);
    put(&b, 0, 4);
    write_block(out, 6, &b);
}
