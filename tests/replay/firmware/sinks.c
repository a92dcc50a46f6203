/* For logs in the part's own memory and on a wire: interrupts and reads of a timer, now and then. LIMIT: ticks after
 * which an invariant does not hold any more. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
#define HC_INVARIANT(condition) ((void)0)
static void hc_update(void)
{
}
#endif

#ifndef LIMIT
#define LIMIT 0xffff
#endif

volatile uint16_t ticks, sum;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    sum += TAR;
}

int main(void)
{
    BCSCTL1 = 0x86; /* 4 MHz or so: the flash is programmed at a rate that follows from it */
    DCOCTL = 0xe0;
    kit_uart_init(4000000, 115200);
    TACCR0 = 1021;
    TACCTL0 = CCIE;
    TACTL = TASSEL_1 | MC_1;
    kit_enable_interrupts();
    for (;;) {
        for (uint16_t i = 0; i < 3000; i++)
            sum = (uint16_t)(sum << 1 | sum >> 15) ^ i;
        sum += TAR;
        HC_INVARIANT(ticks < LIMIT);
        hc_update();
    }
}
