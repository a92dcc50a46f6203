#include "drivers/clock.h"

#include "kernel/sleep.h"

/* While the DCO is measured ACLK is the crystal's eighth: a loop that is slower than it looks still sees each edge. */
enum { PERIODS = 8, ACLK_HZ = 32768 };

static uint16_t next_edge(void)
{
    TACCTL2 &= (uint16_t)~CCIFG;
    while (!(TACCTL2 & CCIFG))
        ;
    return TACCR2;
}

/* Periods of SMCLK in one of ACLK, which Timer_A's third capture input is wired to. */
static uint16_t smclk_periods(void)
{
    TACTL = TASSEL_2 | MC_2 | TACLR;
    TACCTL2 = CM_1 | CCIS_1 | CAP | SCS;
    uint16_t start = next_edge(), end = next_edge();
    TACTL = TACCTL2 = 0;
    return end - start;
}

/* DCO and MOD are one number of eight bits that rises with the frequency: found bit by bit. */
void clock_calibrate(void)
{
    uint8_t control = 0;
    BCSCTL1 = XT2OFF | DIVA_3 | RSEL2 | RSEL1 | RSEL0;
    BCSCTL2 = 0;
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        DCOCTL = control | bit;
        if (smclk_periods() <= CLOCK_HZ / ACLK_HZ * PERIODS)
            control |= bit;
        kernel_task_done();
    }
    DCOCTL = control;
    BCSCTL1 = XT2OFF | RSEL2 | RSEL1 | RSEL0;
}

/* A loop of 4 cycles takes 0.954 us; the call makes up for the difference in short waits, a 21st turn in long ones. */
void clock_spin(uint16_t us)
{
    uint16_t turns = us + (us >> 4) + 1;
    __asm__ volatile("1: nop\n\tdec %0\n\tjnz 1b" : "+r"(turns));
}
