/* A bench for the CC2420: a machine without a program, and radios on SPI buses of their own. Two radios can be linked,
 * so that each hears what the other sends; everything that a radio sends is logged. */
#ifndef TESTS_MACHINE_CC2420_BENCH_H
#define TESTS_MACHINE_CC2420_BENCH_H

#include "machine/device/chip/cc2420.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SNOP, SXOSCON, STXCAL, SRXON, STXON, STXONCCA, SRFOFF, SXOSCOFF, SFLUSHRX, SFLUSHTX, SACK, SACKPEND };
enum { SRXDEC = 12, STXENC, SAES };
enum { MAIN = 0x10, MDMCTRL0, MDMCTRL1, RSSI, SYNCWORD, TXCTRL, FSCTRL = 0x18, SECCTRL0, SECCTRL1, BATTMON };
enum {
    IOCFG0 = 0x1c,
    IOCFG1,
    MANFIDL,
    MANFIDH,
    AGCCTRL = 0x23,
    FSMSTATE = 0x2c,
    DACTST = 0x2e,
    TXFIFO = 0x3e,
    RXFIFO = 0x3f
};
enum { KEY0 = 0x100, RXNONCE = 0x110, SABUF = 0x120, KEY1 = 0x130, TXNONCE = 0x140 };
enum { IEEEADDR = 0x160, PANID = 0x168, SHORTADR = 0x16a };
enum { XOSC16M_STABLE = 0x40, TX_UNDERFLOW = 0x20, ENC_BUSY = 0x10, TX_ACTIVE = 0x08, LOCK = 0x04, RSSI_VALID = 0x02 };

enum { SENT_MAX = 512, LINK_DBM = -60, LINK_SNR = 30 };

/* One radio with its wires, and what it did. */
struct node {
    struct hc_machine *m;
    struct hc_spi_bus *bus;
    struct hc_cc2420 *radio;
    hc_wire csn, resetn, vreg_en, fifo, fifop, sfd, cca;
    int csn_driver, resetn_driver, vreg_driver;
    struct node *peer;
    int transmissions;
    struct hc_radio_signal signal;
    hc_time start, end, byte_at[SENT_MAX];
    int sent;
    uint8_t byte[SENT_MAX];
    hc_time sfd_rise, sfd_fall;
    hc_event link;
    struct {
        struct hc_radio_signal signal;
        hc_time start, byte_end, end;
        uint8_t byte;
    } ahead;
};

struct bench {
    struct hc_machine *m;
    struct node a, b;
    hc_time t0;
};

static const struct hc_region bench_regions[] = {
    { "io", HC_IO, 0x0000, 0x01ff, 0 },
    { "ram", HC_RAM, 0x0200, 0xffff, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};
static const struct hc_part bench_part = { "bare", HC_CPU_MSP430, bench_regions, 0x10000, 16, 0 };

/* ---- the link: each hears the other at LINK_DBM ---- */

static inline bool hears(const struct node *n, struct hc_radio_signal signal)
{
    return n && hc_cc2420_listening(n->radio) == signal.mhz && hc_cc2420_listens_reversed(n->radio) == signal.reversed;
}

/* A radio says what it will send HC_RADIO_AHEAD of time; here it happens. */
static inline hc_time link_happens(void *owner, hc_time now)
{
    struct node *n = owner;
    if (n->ahead.start == now) {
        n->transmissions++;
        n->signal = n->ahead.signal;
        n->start = now;
        n->sent = 0;
        n->ahead.start = HC_NEVER;
        if (n->peer)
            hc_cc2420_carrier(n->peer->radio, LINK_DBM, now);
    }
    if (n->ahead.byte_end == now) {
        if (n->sent < SENT_MAX) {
            n->byte_at[n->sent] = now;
            n->byte[n->sent++] = n->ahead.byte;
        }
        n->ahead.byte_end = HC_NEVER;
        if (hears(n->peer, n->signal))
            hc_cc2420_air_byte(n->peer->radio, n->ahead.byte, LINK_SNR, now);
    }
    if (n->ahead.end == now) {
        n->end = now;
        n->ahead.end = HC_NEVER;
        if (n->peer)
            hc_cc2420_carrier(n->peer->radio, HC_CC2420_SILENCE, now);
    }
    hc_time next = n->ahead.start < n->ahead.byte_end ? n->ahead.start : n->ahead.byte_end;
    return next < n->ahead.end ? next : n->ahead.end;
}

static inline void link_rearm(struct node *n)
{
    hc_event_arm(hc_events(n->m), n->link, link_happens(n, HC_NEVER - 1));
}

static inline void link_start(void *owner, struct hc_cc2420 *radio, struct hc_radio_signal signal, hc_time at)
{
    struct node *n = owner;
    (void)radio;
    assert_int_equal(at, hc_now(n->m) + HC_RADIO_AHEAD);
    n->ahead.signal = signal;
    n->ahead.start = at;
    link_rearm(n);
}

static inline void link_byte(void *owner, struct hc_cc2420 *radio, uint8_t byte, hc_time at)
{
    struct node *n = owner;
    (void)radio;
    /* the byte before ends as this one begins */
    if (n->ahead.byte_end != HC_NEVER)
        link_happens(n, n->ahead.byte_end);
    n->ahead.byte = byte;
    n->ahead.byte_end = at;
    link_rearm(n);
}

static inline void link_end(void *owner, struct hc_cc2420 *radio, hc_time at)
{
    struct node *n = owner;
    (void)radio;
    n->ahead.end = at;
    link_rearm(n);
}

static inline void sfd_changed(void *owner, int32_t level, hc_time now)
{
    struct node *n = owner;
    if (level)
        n->sfd_rise = now;
    else
        n->sfd_fall = now;
}

/* ---- time ---- */

/* Starts the clock that `at` counts from. */
static inline void mark(struct bench *b)
{
    b->t0 = hc_now(b->m);
}

/* A little after US microseconds: times that are sums of rounded ones have come by then. */
static inline void at(struct bench *b, unsigned us)
{
    hc_machine_run(b->m, b->t0 + hc_us(us) + hc_ns(100));
}

static inline void pass(struct bench *b, unsigned us)
{
    hc_machine_run(b->m, hc_now(b->m) + hc_us(us));
}

/* T in microseconds since mark, rounded. */
static inline unsigned since(const struct bench *b, hc_time t)
{
    return (unsigned)hc_to_us(t - b->t0);
}

/* ---- SPI ---- */

static inline void chip_select(struct node *n, bool selected)
{
    hc_wire_drive(n->m, n->csn, n->csn_driver, selected ? HC_LOW : HC_HIGH);
}

static inline uint8_t exchange(struct node *n, uint8_t mosi)
{
    return hc_spi_exchange(n->bus, mosi, hc_now(n->m));
}

static inline uint8_t strobe(struct node *n, int which)
{
    chip_select(n, true);
    uint8_t status = exchange(n, (uint8_t)which);
    chip_select(n, false);
    return status;
}

static inline uint8_t status_of(struct node *n)
{
    return strobe(n, SNOP);
}

static inline uint16_t get(struct node *n, int reg)
{
    chip_select(n, true);
    exchange(n, (uint8_t)(0x40 | reg));
    uint16_t high = exchange(n, 0);
    uint16_t value = (uint16_t)(high << 8 | exchange(n, 0));
    chip_select(n, false);
    return value;
}

static inline void set(struct node *n, int reg, uint16_t value)
{
    chip_select(n, true);
    exchange(n, (uint8_t)reg);
    exchange(n, (uint8_t)(value >> 8));
    exchange(n, (uint8_t)value);
    chip_select(n, false);
}

static inline void ram_write(struct node *n, int address, const uint8_t *bytes, int count)
{
    chip_select(n, true);
    exchange(n, (uint8_t)(0x80 | (address & 0x7f)));
    exchange(n, (uint8_t)(address >> 1 & 0xc0));
    for (int i = 0; i < count; i++)
        exchange(n, bytes[i]);
    chip_select(n, false);
}

static inline void ram_read(struct node *n, int address, uint8_t *bytes, int count)
{
    chip_select(n, true);
    exchange(n, (uint8_t)(0x80 | (address & 0x7f)));
    exchange(n, (uint8_t)((address >> 1 & 0xc0) | 0x20));
    for (int i = 0; i < count; i++)
        bytes[i] = exchange(n, 0);
    chip_select(n, false);
}

static inline void fifo_write(struct node *n, int fifo, const uint8_t *bytes, int count)
{
    chip_select(n, true);
    exchange(n, (uint8_t)fifo);
    for (int i = 0; i < count; i++)
        exchange(n, bytes[i]);
    chip_select(n, false);
}

static inline void fifo_read(struct node *n, uint8_t *bytes, int count)
{
    chip_select(n, true);
    exchange(n, 0x40 | RXFIFO);
    for (int i = 0; i < count; i++)
        bytes[i] = exchange(n, 0);
    chip_select(n, false);
}

static inline int level(const struct node *n, hc_wire w)
{
    return hc_wire_level(n->m, w);
}

/* ---- set-up ---- */

static inline hc_wire bench_wire(struct node *n, const char *name, const char *pin, int pull)
{
    char text[24];
    snprintf(text, sizeof text, "%s.%s", name, pin);
    return hc_wire_new(n->m, text, pull);
}

static inline void bench_node(struct node *n, struct hc_machine *m, const char *name, uint64_t seed)
{
    n->m = m;
    n->bus = hc_spi_bus_new(m, name);
    n->csn = bench_wire(n, name, "csn", 1);
    n->resetn = bench_wire(n, name, "resetn", 1);
    n->vreg_en = bench_wire(n, name, "vreg_en", 0);
    n->fifo = bench_wire(n, name, "fifo", 0);
    n->fifop = bench_wire(n, name, "fifop", 0);
    n->sfd = bench_wire(n, name, "sfd", 0);
    n->cca = bench_wire(n, name, "cca", 0);
    n->csn_driver = hc_wire_driver(m, n->csn);
    n->resetn_driver = hc_wire_driver(m, n->resetn);
    n->vreg_driver = hc_wire_driver(m, n->vreg_en);
    n->radio = hc_cc2420_new(m, &(struct hc_cc2420_config){ name, n->bus, n->csn, n->resetn, n->vreg_en, n->fifo,
                                                            n->fifop, n->sfd, n->cca, seed });
    n->link = hc_event_new(hc_events(m), "link", link_happens, n);
    n->ahead.start = n->ahead.byte_end = n->ahead.end = HC_NEVER;
    hc_cc2420_set_medium(
        n->radio, (struct hc_radio_medium){
                      .transmit_start = link_start, .transmit_byte = link_byte, .transmit_end = link_end, .owner = n });
    hc_wire_listen(m, n->sfd, sfd_changed, n);
}

/* Two linked radios without supply. */
static inline int bench_unpowered(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->m = hc_machine_new(&bench_part, NULL);
    bench_node(&b->a, b->m, "a", 1);
    bench_node(&b->b, b->m, "b", 2);
    b->a.peer = &b->b;
    b->b.peer = &b->a;
    hc_machine_reset(b->m, HC_POR);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    mark(b);
    *state = b;
    return 0;
}

/* Powered, crystals running, idle. */
static inline int bench_idle(void **state)
{
    bench_unpowered(state);
    struct bench *b = *state;
    hc_wire_drive(b->m, b->a.vreg_en, b->a.vreg_driver, HC_HIGH);
    hc_wire_drive(b->m, b->b.vreg_en, b->b.vreg_driver, HC_HIGH);
    pass(b, 300);
    strobe(&b->a, SXOSCON);
    strobe(&b->b, SXOSCON);
    pass(b, 1000);
    return 0;
}

static inline int bench_free(void **state)
{
    struct bench *b = *state;
    hc_machine_free(b->m);
    free(b);
    return 0;
}

#endif
