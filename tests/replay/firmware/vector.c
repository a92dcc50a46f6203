/* Enters a handler through its vector, as an interrupt would. HIDDEN: so that no instruction shows it. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

enum { ROUNDS = 2000 };

#ifdef HIDDEN
volatile uint16_t address = 0xffec;
#else
enum { address = 0xffec };
#endif
volatile uint16_t ticks, seen, rounds;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    seen ^= TAR;
}

int main(void)
{
    TACCR0 = 8000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (;;) {
        seen += TAR;
        hc_update();
        if (++rounds % ROUNDS == 0)
            __asm__ volatile("push #1f\n\tpush r2\n\tbr %0\n1:" ::"r"(*(const uint16_t *)(uintptr_t)address)
                             : "memory");
    }
}
