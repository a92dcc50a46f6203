/* Begins again through its reset vector, with interrupts on and its peripherals as they are. */
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

enum { ROUNDS = 900, REST = 30 };

__attribute__((section(".noinit"))) volatile uint16_t starts;
volatile uint16_t ticks, seen, rounds;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    seen ^= TAR;
    KIT_WAKE_ON_EXIT();
}

int main(void)
{
    starts++;
    P6OUT = (uint8_t)starts;
    TACCR0 = 8000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (rounds = 0; rounds < ROUNDS; rounds++) {
        for (uint8_t n = (seen ^ P6OUT) & 7; n; n--)
            seen += n;
        if (rounds == ROUNDS - REST)
            hc_checkpoint(); /* so that what waits is written */
        hc_update();
        kit_sleep(CPUOFF | GIE);
    }
    __asm__ volatile("br &0xfffe");
    return 0;
}
