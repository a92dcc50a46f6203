/* What the tests of clocks, watchdog and timers share: a machine of those devices only, asleep, its registers reached
 * through the bus, and a count of the interrupts it accepts. */
#ifndef TESTS_MACHINE_CLOCK_BENCH_H
#define TESTS_MACHINE_CLOCK_BENCH_H

#include "machine/device.h"
#include "machine/device/msp430/timer.h"
#include "machine/device/msp430x1xx/basic_clock.h"
#include "machine/device/msp430x1xx/watchdog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* One period of ACLK (32,768 Hz), and of the DCO after reset (RSEL 4, DCO 3: 750 kHz). */
#define ACLK_PERIOD ((hc_time)1 << 25)
#define DCO_PERIOD hc_period(750000)

enum { WDTCTL = 0x120, IE1 = 0x00, IFG1 = 0x02, DCOCTL = 0x56, BCSCTL1 = 0x57, BCSCTL2 = 0x58 };
enum { RESET_CODE = 0x4000, HANDLER = 0x4010, STACK = 0x3900 };

struct bench {
    struct hc_machine *m;
    struct hc_sfr *sfr;
    struct hc_basic_clock *clock;
    struct hc_clock *aclk, *smclk;
    int interrupts[16];
    hc_time accepted[16]; /* when, the last time */
    int notes;
};

static const struct hc_region bench_regions[] = {
    { "io", HC_IO, 0x0000, 0x01ff, 0 },
    { "ram", HC_RAM, 0x0200, 0xffff, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};
static const struct hc_part bench_part = { "bench", HC_CPU_MSP430, bench_regions, 0x10000, 16, 0 };

static void bench_interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct bench *b = owner;

    (void)pc;
    b->interrupts[vector]++;
    b->accepted[vector] = hc_now(m);
}

static void bench_noted(void *owner, const char *text)
{
    (void)text;
    ((struct bench *)owner)->notes++;
}

/* After a reset: a stack, then sleep. Every interrupt returns at once. */
static void bench_load_code(struct hc_machine *m)
{
    static const uint16_t reset_code[] = { 0x4031, STACK, 0xd032, HC_SR_CPUOFF, 0x3fff };

    for (int i = 0; i < 5; i++)
        hc_poke16(m, RESET_CODE + 2 * (uint32_t)i, reset_code[i]);
    hc_poke16(m, HANDLER, 0x1300);
    for (uint32_t vector = 0; vector < 16; vector++)
        hc_poke16(m, 0xffe0 + 2 * vector, vector == 15 ? RESET_CODE : HANDLER);
}

static struct bench *bench_new(void)
{
    struct bench *b = calloc(1, sizeof *b);

    b->m = hc_machine_new(&bench_part, NULL);
    b->sfr = hc_sfr_new(b->m);
    b->clock = hc_basic_clock_new(b->m, b->sfr);
    b->aclk = hc_basic_clock_aclk(b->clock);
    b->smclk = hc_basic_clock_smclk(b->clock);
    hc_watchdog_new(b->m, b->sfr, b->aclk, b->smclk);
    hc_machine_set_note(b->m, bench_noted, b);
    return b;
}

/* Power on and asleep at time 0. */
static void bench_start(struct bench *b)
{
    bench_load_code(b->m);
    hc_hook_interrupt(b->m, bench_interrupted, b);
    hc_machine_reset(b->m, HC_POR);
    hc_set_register(b->m, HC_SP, STACK);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
}

static int bench_free(void **state)
{
    struct bench *b = *state;

    hc_machine_free(b->m);
    free(b);
    return 0;
}

#include "f1xx_bus.h"

/* To time T exactly: the CPU sleeps. */
static inline void run_to(struct bench *b, hc_time t)
{
    hc_machine_run(b->m, t);
}

/* To just before edge N of ACLK, which is at N periods, and to it. */
static inline void before_edge(struct bench *b, uint64_t n)
{
    run_to(b, n * ACLK_PERIOD - 1);
}

static inline void to_edge(struct bench *b, uint64_t n)
{
    run_to(b, n * ACLK_PERIOD);
}

#define assert_near(value, wanted, percent)                                  \
    assert_in_range((value), (uint64_t)((wanted) * (1 - (percent) / 100.0)), \
                    (uint64_t)((wanted) * (1 + (percent) / 100.0)) + 1)

#endif
