/* What time travel is tried on: calls, a recursion, interrupts that nest and that come in sleep, a variable that is
 * changed from everywhere. It never ends. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t result[4];
volatile uint16_t ticks, nested, rounds, shared;
volatile uint32_t sum;

KIT_INTERRUPT(PORT1_VECTOR) void port1(void)
{
    P1IFG = 0;
    nested++;
    shared += 3;
}

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    if (ticks % 4 == 0) {
        P1IFG = 1;
        kit_enable_interrupts();
        shared ^= 0x55;
    }
    KIT_WAKE_ON_EXIT();
}

static uint16_t __attribute__((noinline)) depth(uint16_t n)
{
    return n ? 1 + depth(n - 1) : shared;
}

static void __attribute__((noinline)) add(uint16_t n)
{
    for (uint16_t i = 0; i < n; i++)
        sum += i * depth(i & 3);
}

int main(void)
{
    P1IE = 1;
    TACCR0 = 700;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (;;) {
        add(rounds % 20);
        rounds++;
        shared = rounds;
        if (rounds % 8 == 0) {
            uint16_t seen = ticks;
            while (ticks == seen)
                kit_sleep(CPUOFF | GIE);
        }
    }
}
