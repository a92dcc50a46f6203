/* What the tests of the FR5969's and FR5994's devices share: the whole chip on its board, asleep after reset, its
 * registers reached through the bus, interrupts counted, notes kept. */
#ifndef TESTS_MACHINE_FR5969_BENCH_H
#define TESTS_MACHINE_FR5969_BENCH_H

#include "machine/board/launchpad_fr5969.h"
#include "machine/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BENCH_RESET = 0x4400, BENCH_HANDLER = 0x4420, BENCH_STACK = 0x2400, BENCH_VECTORS = 0xff80, VECTORS = 64 };
enum { WDTCTL = 0x15c, PMMCTL0 = 0x120, PM5CTL0 = 0x130, SYSRSTIV = 0x19e, SFRIE1 = 0x100, SFRIFG1 = 0x102 };
enum { CSCTL0 = 0x160, CSCTL1 = 0x162, CSCTL2 = 0x164, CSCTL3 = 0x166, CSCTL4 = 0x168, CSCTL5 = 0x16a };
enum { SYSSNIV = 0x19c, SYSUNIV = 0x19a, FRCTL0 = 0x140, GCCTL0 = 0x144, GCCTL1 = 0x146, PJSEL0 = 0x32a };

struct bench {
    struct hc_launchpad *board;
    struct hc_msp430fr5969 *chip;
    struct hc_machine *m;
    int interrupts[VECTORS];
    hc_time accepted[VECTORS]; /* when, the last time */
    int resets;
    int notes;
    char note[256]; /* the last one */
};

static void bench_interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct bench *b = owner;

    (void)pc;
    b->interrupts[vector]++;
    b->accepted[vector] = hc_now(m);
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

/* After each reset: the watchdog off, a stack, sleep. Every interrupt returns at once. */
static void bench_load(struct hc_machine *m)
{
    static const uint16_t reset_code[] = { 0x40b2, 0x5a80, WDTCTL, 0x4031, BENCH_STACK, 0xd032, HC_SR_CPUOFF, 0x3fff };

    for (uint32_t i = 0; i < sizeof reset_code / 2; i++)
        hc_poke16(m, BENCH_RESET + 2 * i, reset_code[i]);
    hc_poke16(m, BENCH_HANDLER, 0x1300);
    for (uint32_t vector = 0; vector < VECTORS; vector++)
        hc_poke16(m, BENCH_VECTORS + 2 * vector, vector == VECTORS - 1 ? BENCH_RESET : BENCH_HANDLER);
}

#include "bench.h"

#ifndef BENCH_PART
#define BENCH_PART hc_msp430fr5969_part
#endif

static int bench_set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    b->board = hc_launchpad_new_part(&BENCH_PART, NULL);
    b->chip = &b->board->chip;
    b->m = b->board->machine;
    hc_machine_set_note(b->m, bench_noted, b);
    bench_load(b->m);
    hc_hook_interrupt(b->m, bench_interrupted, b);
    hc_hook_pc(b->m, BENCH_RESET, bench_was_reset, b);
    hc_machine_reset(b->m, HC_POR);
    run_for(b, hc_us(100));
    b->resets = 0;
    *state = b;
    return 0;
}

static int bench_tear_down(void **state)
{
    struct bench *b = *state;

    hc_launchpad_free(b->board);
    free(b);
    return 0;
}

#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, bench_set_up, bench_tear_down)

static inline void set(struct bench *b, uint32_t address, uint16_t value)
{
    hc_bus_write(b->m, address, value, 2);
}

static inline void set8(struct bench *b, uint32_t address, uint8_t value)
{
    hc_bus_write(b->m, address, value, 1);
}

static inline uint16_t get(struct bench *b, uint32_t address)
{
    return hc_bus_read(b->m, address, 2);
}

static inline uint8_t get8(struct bench *b, uint32_t address)
{
    return (uint8_t)hc_bus_read(b->m, address, 1);
}

#endif
