/* A made-up part for tests of the core: a little of every kind of memory, one device with one register and one event,
 * and programs written as instruction words. */
#ifndef TESTS_MACHINE_SMALL_PART_H
#define TESTS_MACHINE_SMALL_PART_H

#include "machine/cpu/msp430/decoded_code.h"
#include "machine/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/*   0x0000 I/O   0x0200 mirror of 0x1000   0x1000 RAM   0x2000 ROM   0x3000 vacant   0x4000 RAM, the program   0xff00
 * RAM, vectors */
static const struct hc_region small_regions[] = {
    { .name = "io", .kind = HC_IO, .start = 0x0000, .end = 0x01ff },
    { .name = "mirror", .kind = HC_MIRROR, .start = 0x0200, .end = 0x03ff, .mirrors = 0x1000 },
    { .name = "ram", .kind = HC_RAM, .start = 0x1000, .end = 0x1fff },
    { .name = "rom", .kind = HC_ROM, .start = 0x2000, .end = 0x20ff },
    { .name = "program", .kind = HC_RAM, .start = 0x4000, .end = 0x7fff },
    { .name = "vectors", .kind = HC_RAM, .start = 0xff00, .end = 0xffff },
    { 0 },
};

static const struct hc_part small_part = { "small", HC_CPU_MSP430, small_regions, 0x10000, 16, 0 };

enum { PROGRAM = 0x4000, STACK = 0x2000, PULSE = 0x0100, PULSE_VECTOR = 6, LOW_VECTOR = 3, NMI_VECTOR = 14 };

/* Register 0x100: writing n requests PULSE_VECTOR n cycles of 1 MHz later; reading gives how often that has happened.
 * Register 0x102: writing requests (1) or clears (0) LOW_VECTOR at once. */
struct pulse {
    struct hc_device base;
    hc_event fire;
    struct {
        uint16_t fired;
    } s;
};

static hc_time pulse_fire(void *owner, hc_time now)
{
    struct pulse *p = owner;
    (void)now;
    p->s.fired++;
    hc_interrupt(p->base.machine, PULSE_VECTOR, true);
    return HC_NEVER;
}

static uint16_t pulse_peek(struct hc_device *d, uint32_t address, int size)
{
    (void)address;
    (void)size;
    return ((struct pulse *)d)->s.fired;
}

static void pulse_write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct pulse *p = (struct pulse *)d;
    (void)size;
    if (address == PULSE)
        hc_event_arm(hc_events(d->machine), p->fire, hc_now(d->machine) + value * hc_period(1000000));
    else
        hc_interrupt(d->machine, LOW_VECTOR, value);
}

static void pulse_accepted(struct hc_device *d, int vector)
{
    hc_interrupt(d->machine, vector, false);
}

static const struct hc_device_ops pulse_ops = {
    .name = "pulse",
    .help = "an interrupt after a while",
    .read = pulse_peek,
    .peek = pulse_peek,
    .write = pulse_write,
    .interrupt_accepted = pulse_accepted,
};

/* Words from PROGRAM on; PC there, SP at STACK. */
static void small_program(struct hc_machine *m, const uint16_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_true(hc_poke16(m, PROGRAM + 2 * (uint32_t)i, words[i]));
    hc_poke16(m, 0xfffe, PROGRAM);
    hc_machine_reset(m, HC_POR);
    hc_set_register(m, HC_SP, STACK);
}

#define SMALL_PROGRAM(m, ...) \
    small_program((m), (const uint16_t[]){ __VA_ARGS__ }, sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2)

static inline struct hc_machine *small_machine(struct hc_code_store *store)
{
    struct hc_machine *m = hc_machine_new(&small_part, store);
    assert_non_null(m);
    struct pulse *p = HC_DEVICE_NEW(m, &pulse_ops, "pulse", struct pulse);
    p->fire = hc_event_new(hc_events(m), "pulse", pulse_fire, p);
    hc_device_claim(&p->base, PULSE, PULSE + 3);
    hc_device_owns_vector(&p->base, PULSE_VECTOR);
    hc_device_owns_vector(&p->base, LOW_VECTOR);
    return m;
}

/* Sets the handler of VECTOR. */
static inline void small_vector(struct hc_machine *m, int vector, uint16_t handler)
{
    assert_true(hc_poke16(m, 0xffe0 + 2 * (uint32_t)vector, handler));
}

#endif
