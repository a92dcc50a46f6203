/* The timers from the CPU's side: interrupts with their vectors, flags that reads clear, software capture, and times
 * that two clocks must agree on. */
#include <kit.h>

volatile uint16_t result[16];
volatile uint16_t finished;

static volatile uint16_t ticks, others[8], latency;

KIT_INTERRUPT(TIMERA0_VECTOR) void ccr0(void)
{
    latency = TAR;
    if (++ticks == 10)
        KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(TIMERB1_VECTOR) void timer_b(void)
{
    uint16_t source = TBIV;
    others[source / 2]++;
    if (source == 0x0e && others[7] == 4)
        KIT_WAKE_ON_EXIT();
}

/* Up mode, sleeping between interrupts: ten periods of 328 counts of ACLK, timed by Timer_B. */
static void up_mode(void)
{
    TBCTL = TBSSEL_1 | MC_2 | TBCLR;
    TACCR0 = 327;
    TACCTL0 = CCIE;
    TACTL = TASSEL_1 | MC_1 | TACLR;
    kit_sleep(SCG1 | SCG0 | CPUOFF | GIE);
    result[0] = TBR;
    kit_disable_interrupts();
    TACTL = 0;
    result[1] = ticks;
    result[2] = TACCTL0 & CCIFG;
    result[3] = latency; /* still the count at which the flag was set */
}

/* TBIV names every source once in a period, the first by priority. */
static void vectors(void)
{
    TBCTL = TBCLR;
    TBCCR0 = 99;
    TBCCR1 = 40;
    TBCCR2 = 40;
    TBCCR6 = 60;
    TBCCTL1 = TBCCTL2 = TBCCTL6 = CCIE;
    TBCTL = TBSSEL_1 | MC_1 | TBIE;
    kit_sleep(SCG1 | SCG0 | CPUOFF | GIE);
    kit_disable_interrupts();
    TBCTL = 0;
    result[4] = others[1];
    result[5] = others[2];
    result[6] = others[6];
    result[7] = others[7];
    result[8] = others[0] + others[3] + others[4] + others[5];
    TBCCTL1 = TBCCTL2 = TBCCTL6 = 0;
}

/* The same clock as the CPU: what lies between two captures is the instructions' cycles. */
static void software_capture(void)
{
    TACTL = TASSEL_2 | MC_2 | TACLR;
    TACCTL1 = CM_3 | CCIS_2 | CAP;
    TACCTL1 |= CCIS0;
    uint16_t first = TACCR1;
    result[9] = TACCTL1 & (CCIFG | COV | CCI);
    TACCTL1 &= (uint16_t)~(CCIFG | CCIS0);
    uint16_t second = TACCR1;
    TACCTL1 |= CCIS0; /* the second capture has been read, this one is not */
    TACCTL1 &= (uint16_t)~CCIS0;
    result[10] = TACCTL1 & (CCIFG | COV | CCI);
    result[11] = second - first;
    TACCTL1 = 0;
    __asm__ volatile("mov &0x170, %0\n\tmov &0x170, %1" : "=r"(first), "=r"(second));
    result[12] = second - first; /* mov &abs, reg: 3 cycles */
    TACTL = 0;
}

/* Polled flags, no interrupt: up/down with TACCR0 = 100 has TACCR1 = 60 at 60 and 140 of 200. */
static void polled(void)
{
    TBCTL = TBSSEL_1 | MC_2 | TBCLR;
    TACCR0 = 100;
    TACCR1 = 60;
    TACCTL0 = TACCTL1 = 0;
    TACTL = TASSEL_1 | MC_3 | TACLR;
    while (!(TACCTL1 & CCIFG))
        continue;
    uint16_t start = TBR;
    TACCTL1 = 0;
    while (!(TACCTL1 & CCIFG))
        continue;
    result[13] = TBR - start;
    while (!(TACTL & TAIFG))
        continue;
    result[14] = TBR - start;
    result[15] = TACCTL0 & CCIFG;
}

int main(void)
{
    up_mode();
    vectors();
    software_capture();
    polled();
    finished = 0xd09e;
    for (;;)
        continue;
}
