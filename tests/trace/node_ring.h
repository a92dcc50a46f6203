/* Where the node's encoder takes its events from the ring (port/msp430/encode.S): the functions of codec.h, by way of
 * the ring. */
#ifndef TESTS_TRACE_NODE_RING_H
#define TESTS_TRACE_NODE_RING_H

#include "ram.h"
#include "ring.h"

void __hc_page_full(uint8_t length);

static void node_put(uint16_t a, uint16_t b)
{
    uint16_t *unit = (uint16_t *)(void *)(__hc_ram.ring + __hc_ram.head);
    unit[0] = a;
    unit[1] = b;
    __hc_ram.head = (__hc_ram.head + 4) & (HC_RING - 1);
}

/* A page that became full waits, and taking with it. */
static void node_take(void)
{
    while (__hc_ram.recorder.tail != __hc_ram.head) {
        __hc_ram.recorder.flags = 0;
        __hc_take();
    }
}

static void node_put_read(uint16_t site, uint16_t value)
{
    node_put((uint16_t)(uintptr_t)&node_sites[site], value);
    node_take();
}

static void node_put_interrupt(const struct hc_arrival *a)
{
    uint16_t tag = (uint16_t)(a->vector << 1);
    if (a->flags & HC_ARRIVAL_HASHED)
        tag |= HC_RING_HASHED | HC_RING_LONG;
    if (a->laps)
        tag |= HC_RING_LONG;
    if (a->flags & HC_ARRIVAL_ASLEEP) {
        node_put(tag | HC_RING_ASLEEP, 0);
    } else {
        node_put(tag, a->pc);
        node_put(a->count, 0);
        if (tag & HC_RING_LONG)
            node_put(a->laps, a->hash);
    }
    node_take();
}

static void node_put_memory(uint16_t address, uint16_t size, const uint8_t *bytes)
{
    node_put(HC_RING_MEMORY + 2 * size, address);
    for (uint16_t i = 0; i < size; i += 4)
        node_put((uint16_t)(bytes[i] | bytes[i + 1] << 8), (uint16_t)(bytes[i + 2] | bytes[i + 3] << 8));
    node_take();
}

#define hc_encode_read(codec, site, value) ((void)(codec), node_put_read(site, value))
#define hc_encode_based(codec, site, value, base) \
    (node_put(HC_RING_BASE + HC_SITE_ADDRESS(&node_sites[site]), base), node_put_read(site, value))
#define hc_encode_interrupt(codec, arrival) ((void)(codec), node_put_interrupt(arrival))
#define hc_encode_memory(codec, address, size, bytes) ((void)(codec), node_put_memory(address, size, bytes))
#define hc_encode_mark(codec, code, value) ((void)(codec), (void)(code), (void)(value))

#endif
