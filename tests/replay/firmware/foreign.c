/* Leans on everything that nobody has written: memory that no section claims, what is left on the stack, variables that
 * keep their values over a reset, what a reset leaves of peripherals. Where it goes depends on all of that. It resets
 * itself by the watchdog now and then. BURST: reads that are more than a recorder can keep. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
static void hc_checkpoint(void)
{
}
#endif

#ifndef BURST
#define BURST 0
#endif

enum { KEPT = 6, RESIDUE = 12, DEPTH = 80, UNCLAIMED = 1000, ROUNDS = 250 };

extern char __stack[];

__attribute__((section(".noinit"))) volatile uint16_t kept[KEPT];
__attribute__((section(".noinit"))) volatile uint16_t starts;
volatile uint16_t sum, ticks, rounds;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks += TAR & 7;
    sum ^= ticks;
    KIT_WAKE_ON_EXIT();
}

/* What earlier calls left. */
static __attribute__((noinline)) uint16_t residue(void)
{
    volatile uint16_t left[RESIDUE];
    uint16_t all = 0;

    for (uint8_t i = 0; i < RESIDUE; i++)
        all = (uint16_t)(all << 1 | all >> 15) ^ left[i];
    return all;
}

/* Memory below the stack, where nothing is. */
static uint16_t unclaimed(uint16_t at)
{
    const volatile uint16_t *top = (const volatile uint16_t *)(uintptr_t)__stack;

    return top[-DEPTH - (int16_t)(at % UNCLAIMED)];
}

static void start_timer(void)
{
    TACCR0 = 20000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
}

int main(void)
{
    starts++;
    for (uint8_t i = 0; i < KEPT; i++)
        for (uint8_t n = kept[i] & 15; n; n--)
            sum += kept[(i + n) % KEPT];
    start_timer();
    for (rounds = 0; rounds < ROUNDS; rounds++) {
        uint16_t r = residue() ^ unclaimed(rounds * 37) ^ P6OUT ^ TBCCR3;
        for (uint8_t n = r & 7; n; n--)
            sum += r >> n;
        kept[rounds % KEPT] += sum;
        for (uint16_t n = rounds % 64 == 63 ? BURST : 0; n; n--)
            sum += TAR;
        if (rounds == ROUNDS - 30 && !BURST)
            hc_checkpoint(); /* what waits for its page to become full is written before the reset */
        hc_update();
        kit_sleep(CPUOFF | GIE);
    }
    P6OUT = (uint8_t)sum; /* survives the reset, as do registers that only a POR changes */
    TBCCR3 = sum;
    WDTCTL = 0; /* a wrong key resets */
    for (;;)
        ;
}
