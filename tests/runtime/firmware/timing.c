/* A program whose time matters: it fills its log, changes CHANGING of its MEMORY bytes of variables all the
 * time, and serves a watchdog, if it keeps
 * it (WATCHDOG), in its main loop only. FAST: at 4 MHz. STOPPED: SMCLK stands still from some moment on, 1 by SCG1, 2
 * as there is no crystal. */
#include "parts.h"

#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
static void hc_freeze(uint16_t reason)
{
    (void)reason;
}
static void hc_checkpoint(void)
{
}
#endif

#ifndef MEMORY
#define MEMORY 200
#endif
#ifndef CHANGING
#define CHANGING (MEMORY / 4)
#endif

uint16_t memory[MEMORY / 2];
volatile uint16_t sum, rounds, ticks, late, wishes; /* 1: freeze, 2: a checkpoint */

#ifdef WATCHDOG
void kit_reset_hook(void) /* which otherwise stops it */
{
}

static void serve(void)
{
    WDTCTL = WDTPW | WDTCNTCL;
}
#else
static void serve(void)
{
}
#endif

/* Every 5 ms. */
KIT_INTERRUPT(TIMER_B_VECTOR) void tick(void)
{
    uint16_t behind = TBR - TBCCR0;
    if (behind > late)
        late = behind;
    TBCCR0 += 164;
    ticks++;
}

static void stop_clock(void)
{
#if STOPPED == 1
    __asm__ volatile("bis %0, r2" ::"i"(SCG1));
#elif STOPPED == 2
    BCSCTL2 = SELS;
#endif
}

static void start(void)
{
    serve();
#ifdef FAST
    run_at_4_mhz();
#endif
    TACTL = TASSEL_2 | MC_2;
    TBCTL = TBSSEL_1 | MC_2;
    TBCCR0 = 164;
    TBCCTL0 = CCIE;
    kit_enable_interrupts();
}

static void change_memory(void)
{
    static uint16_t at;
    for (uint16_t i = 0; i < 8; i++) {
        at += 17;
        if (at >= CHANGING / 2)
            at -= CHANGING / 2;
        memory[at] += sum + i;
    }
}

int main(void)
{
    start();
    for (;;) {
        serve();
        rounds++;
        sum = (uint16_t)(sum << 1 | sum >> 15) ^ TAR;
        sum += P1IN;
        change_memory();
        if (wishes & 1)
            hc_freeze(1);
        if (wishes & 2)
            hc_checkpoint();
        wishes = 0;
        if (rounds == 100)
            stop_clock();
        hc_update();
    }
}
