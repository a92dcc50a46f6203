/* Where the node's encoder takes its events from the ring (port/msp430/encode.S): the functions of codec.h, by way of
 * the ring. */
#ifndef TESTS_TRACE_NODE_RING_H
#define TESTS_TRACE_NODE_RING_H

#include "ram.h"
#include "ring.h"

/* They keep no register. */
#define NODE_CALL(function)             \
    __asm__ volatile("call #" #function \
                     :                  \
                     :                  \
                     : "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory")
#define hc_codec_start(codec) NODE_CALL(hc_codec_start)
#define hc_codec_finish(codec) node_finish()

static void node_put(uint16_t word)
{
    *(uint16_t *)__hc_ram.head = word;
    __hc_ram.head += 2;
}

/* A page that became full waits, and taking with it. An entry that would be long begins at the ring's start. */
static void node_take(void)
{
    enum { LONGEST = 64 };
    while (__hc_ram.recorder.tail != __hc_ram.head) {
        __hc_ram.recorder.flags = 0;
        __asm__ volatile("mov #60, r12");
        NODE_CALL(__hc_take);
    }
    if (__hc_ram.head > (uint16_t)(uintptr_t)__hc_ram.ring + HC_RING - LONGEST)
        __hc_ram.head = __hc_ram.recorder.tail = (uint16_t)(uintptr_t)__hc_ram.ring;
}

/* Where bytes follow bytes of the same site they share an entry, as long as none but they come; those of no data, if
 * they are equal. */
static uint16_t node_run_site = NODE_SITES; /* none */
static uint8_t *node_run_size;

static bool node_add_again(uint16_t site, uint16_t value)
{
    if (site != node_run_site || *node_run_size == HC_RING_AGAIN || node_run_size[-1] != value)
        return false;
    ++*node_run_size;
    return true;
}

static bool node_add_byte(uint16_t site, uint16_t value)
{
    if (site != node_run_site || *node_run_size == HC_RING_MORE)
        return false;
    if (++*node_run_size & 1)
        node_put(value);
    else
        *(uint8_t *)(__hc_ram.head - 1) = (uint8_t)value;
    return true;
}

static void node_put_read(uint16_t site, uint16_t value)
{
    bool byte = !HC_SITE_WORD(&node_sites[site]), data = HC_SITE_CLASS(&node_sites[site]) >= HC_SITE_DATA;
    if (byte && (data ? node_add_byte(site, value) : node_add_again(site, value)))
        return;
    node_take();
    node_put((uint16_t)(uintptr_t)&node_sites[site]);
    node_run_size = (uint8_t *)__hc_ram.head + 1;
    node_run_site = byte ? site : NODE_SITES;
    node_put(value);
}

static void node_put_interrupt(const struct hc_arrival *a)
{
    uint16_t tag = (uint16_t)(a->vector << 1);
    node_run_site = NODE_SITES;
    node_take();
    if (a->flags & HC_ARRIVAL_ASLEEP) {
        node_put(tag | HC_RING_ASLEEP);
        return;
    }
    node_put(tag | (a->flags & HC_ARRIVAL_HASHED ? HC_RING_HASHED : 0));
    node_put(a->pc);
    node_put(a->count);
    if (a->flags & HC_ARRIVAL_HASHED) {
        node_put((uint16_t)a->hash);
        node_put((uint16_t)(a->hash >> 16));
    }
}

static void node_put_memory(uint16_t address, uint16_t size, const uint8_t *bytes)
{
    node_run_site = NODE_SITES;
    node_take();
    node_put(HC_RING_MEMORY + 2 * size);
    node_put(address);
    for (uint16_t i = 0; i < size; i += 2)
        node_put((uint16_t)(bytes[i] | bytes[i + 1] << 8));
}

/* Bases come with interrupts: as if there had been one. */
static void node_put_based(uint16_t site, uint16_t value, uint16_t base)
{
    node_run_site = NODE_SITES;
    node_take();
    __hc_ram.recorder.codec.timer[HC_TIMER_SLOT(HC_SITE_ADDRESS(&node_sites[site]))] = base;
    node_put_read(site, value);
}

static void node_finish(void)
{
    node_run_site = NODE_SITES;
    node_take();
    NODE_CALL(hc_codec_finish);
}

#define hc_encode_read(codec, site, value) ((void)(codec), node_put_read(site, value))
#define hc_encode_based(codec, site, value, base) ((void)(codec), node_put_based(site, value, base))
#define hc_encode_interrupt(codec, arrival) ((void)(codec), node_put_interrupt(arrival))
#define hc_encode_memory(codec, address, size, bytes) ((void)(codec), node_put_memory(address, size, bytes))

#endif
