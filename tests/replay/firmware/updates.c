/* Programs that know nothing of the recorder. SHAPE is how their main loop is made. BUS: they use that of its flash
 * chip. */
#include <kit.h>

#define SLEEPS 1   /* and is woken by each interrupt */
#define SPINS 2    /* never sleeps */
#define ATOMIC 3   /* looks for work with interrupts off, as TinyOS does, in functions of its own */
#define HANDLERS 4 /* sleeps for good: all is done in handlers */
#define RUNNING 5  /* ends in theory */
#define JUMPS 6    /* by goto */

#ifndef CALIBRATION
#define CALIBRATION 2000
#endif

volatile uint16_t ticks, work;
uint16_t sum;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    TACCR0 += 328;
    ticks++;
    sum = (uint16_t)(sum << 1 | sum >> 15) ^ TBR;
    work = ticks & 1;
#if SHAPE != HANDLERS
    KIT_WAKE_ON_EXIT();
#endif
}

static uint16_t now(void)
{
    return TAR;
}

/* Thousands of reads before the main loop. */
static void calibrate(void)
{
    for (uint16_t i = 0; i < CALIBRATION; i++)
        sum += now();
}

static void wait(uint16_t time)
{
    uint16_t start = TAR;

    while (TAR - start < time)
        ;
}

/* How long it takes nobody foresees. */
static __attribute__((noinline, unused)) void use(void)
{
    for (uint8_t i = sum & 7; i; i--)
        sum ^= TBR;
    work = 0;
}

static __attribute__((noinline, unused)) void idle(void)
{
    kit_sleep(CPUOFF | GIE);
    __asm__ volatile("dint\n\tnop" ::: "memory");
}

static __attribute__((noinline, unused)) void loop(void)
{
#if SHAPE == SLEEPS
    for (;;) {
        use();
        kit_sleep(CPUOFF | GIE);
    }
#elif SHAPE == SPINS
    for (;;)
        if (work)
            use();
#elif SHAPE == ATOMIC
    for (;;) {
        __asm__ volatile("dint\n\tnop" ::: "memory");
        while (!work)
            idle();
        __asm__ volatile("eint" ::: "memory");
        use();
    }
#elif SHAPE == JUMPS
again:
    if (work)
        use();
    goto again;
#endif
}

int main(void)
{
#ifdef BUS
    U0TXBUF = 0;
#endif
    TACTL = TASSEL_1 | MC_2;
    TBCTL = TBSSEL_2 | MC_2;
    calibrate();
    wait(3000);
    TACCR0 = TAR + 328;
    TACCTL0 = CCIE;
    __asm__ volatile("eint" ::: "memory");
#if SHAPE == RUNNING
    while (ticks < 60000)
        if (work)
            use();
#elif SHAPE == HANDLERS
    for (;;)
        kit_sleep(CPUOFF | GIE);
#else
    loop();
#endif
    return 0;
}
