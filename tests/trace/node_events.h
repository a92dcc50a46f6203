/* The same events on the node and on the host: see test_node.c. */
#ifndef TESTS_TRACE_NODE_EVENTS_H
#define TESTS_TRACE_NODE_EVENTS_H

#include "../../runtime/codec/codec.h"

#include <stdbool.h>

enum { NODE_SITES = 16, NODE_EVENTS = 4000 };

#ifdef HC_CODEC_IN_ASSEMBLY
__attribute__((section("hc_sites")))
#endif
static const struct hc_site node_sites[NODE_SITES] = {
    { 0x002, 0x01 },  { 0x020, 0x10 },   { 0x5190, 0xffff }, { 0x5194, 0xffff }, { 0x2076, 0xff },   { 0x6140, 0xfff },
    { 0x711e, 0x1e }, { 0x023, 0xff },   { 0x4180, 0x01 },   { 0x01c, 0x02 },    { 0x5170, 0xffff }, { 0x207e, 0xff },
    { 0x020, 0x08 },  { 0x4182, 0x40b }, { 0x5192, 0xffff }, { 0x030, 0x80 },
};

#ifdef HC_CODEC_IN_ASSEMBLY
#include "node_ring.h"
#endif

static uint16_t node_number(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return (uint16_t)(*seed >> 8);
}

static uint16_t node_value(uint32_t *seed)
{
    uint16_t n = node_number(seed);
    return n & 0x100 ? n & 3 : n & 0x200 ? n & 0x3f : node_number(seed);
}

static void node_interrupt(struct hc_codec *codec, uint32_t *seed, bool laps)
{
    struct hc_arrival a = { .vector = (uint8_t)(node_number(seed) & 15) };
    if (a.vector & 1)
        a.vector = (uint8_t)(node_number(seed) & 63);
    if (node_number(seed) & 1) {
        a.flags = HC_ARRIVAL_ASLEEP;
    } else {
        a.pc = (uint16_t)(0x4000 | (node_value(seed) & 0x3ffe));
        a.count = node_value(seed);
        a.laps = node_number(seed) & 7 || !laps ? 0 : 3;
        a.flags = node_number(seed) & 1 ? HC_ARRIVAL_HASHED : 0;
        a.hash = a.flags ? (uint32_t)node_number(seed) << 16 : 0;
        a.hash |= a.flags ? node_number(seed) : 0;
    }
    hc_encode_interrupt(codec, &a);
}

static void node_memory(struct hc_codec *codec, uint32_t *seed)
{
    uint8_t bytes[40];
    for (uint8_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)node_value(seed);
    hc_encode_memory(codec, node_number(seed), (uint16_t)(1 + node_number(seed) % sizeof bytes), bytes);
}

/* LAPS: the recorder has none if everything is of set hindcast, and its assembly encoder does not encode them. */
static void node_event(struct hc_codec *codec, uint32_t *seed, bool laps)
{
    uint16_t n = node_number(seed) & 127;
    if (n < 12) {
        node_interrupt(codec, seed, laps);
    } else if (n == 12) {
        node_memory(codec, seed);
    } else if (n == 14) {
        hc_codec_finish(codec);
    } else {
        uint16_t site = n < 32 ? 4 : n & (NODE_SITES - 1);
        uint16_t value = node_value(seed) & node_sites[site].mask;
        if (HC_SITE_CLASS(&node_sites[site]) == HC_SITE_TIMER && n & 64)
            hc_encode_based(codec, site, value, value - (node_value(seed) & 0xff));
        else
            hc_encode_read(codec, site, value);
        for (uint16_t again = n == 127 ? node_number(seed) & 127 : 0; again; again--)
            hc_encode_read(codec, 15, node_sites[15].mask & n);
    }
}

#endif
