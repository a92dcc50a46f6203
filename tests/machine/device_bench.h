/* What the tests of ports, memory and analog devices share: a bare machine with the F1611's memory map, MCLK and SMCLK
 * of 1 MHz and ACLK of 32,768 Hz, the CPU asleep, registers reached through the bus, interrupts counted, notes kept. */
#ifndef TESTS_MACHINE_DEVICE_BENCH_H
#define TESTS_MACHINE_DEVICE_BENCH_H

#include "machine/device.h"
#include "machine/device/msp430x1xx/sfr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BENCH_RESET = 0x4000, BENCH_HANDLER = 0x4010, BENCH_STACK = 0x3900 };

struct bench {
    struct hc_machine *m;
    struct hc_sfr *sfr;
    struct hc_clock *aclk, *smclk;
    void *device; /* the one under test */
    int interrupts[16];
    int resets;
    int notes;
    char note[256]; /* the last one */
};

static const struct hc_region bench_regions[] = {
    { "peripherals", HC_IO, 0x0000, 0x01ff, 0 },
    { "information flash", HC_FLASH, 0x1000, 0x10ff, 0 },
    { "RAM", HC_RAM, 0x1100, 0x38ff, 0 },
    { "flash", HC_FLASH, 0x4000, 0xffff, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};
static const struct hc_part bench_part = { "bench", HC_CPU_MSP430, bench_regions, 0x10000, 16, 0 };

static void bench_interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    (void)m;
    (void)pc;
    ((struct bench *)owner)->interrupts[vector]++;
}

static void bench_noted(void *owner, const char *text)
{
    struct bench *b = owner;

    b->notes++;
    snprintf(b->note, sizeof b->note, "%s", text);
}

static enum hc_action bench_was_reset(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    ((struct bench *)owner)->resets++;
    return HC_CONTINUE;
}

static struct bench *bench_new(void)
{
    struct bench *b = calloc(1, sizeof *b);

    b->m = hc_machine_new(&bench_part, NULL);
    b->sfr = hc_sfr_new(b->m);
    b->aclk = hc_clock_new(b->m, "aclk");
    b->smclk = hc_clock_new(b->m, "smclk");
    hc_clock_set(b->aclk, (hc_time)1 << 25, 0);
    hc_clock_set(b->smclk, hc_period(1000000), 0);
    hc_clock_set(hc_mclk(b->m), hc_period(1000000), 0);
    hc_machine_set_note(b->m, bench_noted, b);
    return b;
}

/* Power on. A reset sets up a stack and sleeps; every interrupt returns at once. */
static void bench_start(struct bench *b)
{
    static const uint16_t reset_code[] = { 0x4031, BENCH_STACK, 0xd032, HC_SR_CPUOFF, 0x3fff };

    for (int i = 0; i < 5; i++)
        hc_poke16(b->m, BENCH_RESET + 2 * (uint32_t)i, reset_code[i]);
    hc_poke16(b->m, BENCH_HANDLER, 0x1300);
    for (uint32_t vector = 0; vector < 16; vector++)
        hc_poke16(b->m, 0xffe0 + 2 * vector, vector == 15 ? BENCH_RESET : BENCH_HANDLER);
    hc_hook_interrupt(b->m, bench_interrupted, b);
    hc_hook_pc(b->m, BENCH_RESET, bench_was_reset, b);
    hc_machine_reset(b->m, HC_POR);
    hc_machine_run(b->m, hc_us(20));
    b->resets = 0;
}

static int bench_free(void **state)
{
    struct bench *b = *state;

    hc_machine_free(b->m);
    free(b);
    return 0;
}

#include "f1xx_bus.h"

#endif
