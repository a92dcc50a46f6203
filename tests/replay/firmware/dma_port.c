/* DMA writes the time into a port's output register (not port 4: the flash chip is selected there). READ_BACK: the
 * program reads it while it may. DESTINATION: another register. */
#include <kit.h>

#ifndef DESTINATION
#define DESTINATION P5OUT
#endif

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

volatile uint16_t ticks, seen, rounds;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    seen ^= TAR;
    KIT_WAKE_ON_EXIT();
}

int main(void)
{
    P5OUT = 0;
    P5DIR = 0xff;
    DMACTL0 = DMA0TSEL_0; /* by software */
    DMA0SA = (uint16_t)TAR_;
    DMA0DA = (uint16_t)(uintptr_t)&DESTINATION;
    DMA0SZ = 1;
    TACCR0 = 8000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (;;) {
        DMA0CTL = DMADT_4 | DMASRCBYTE | DMADSTBYTE | DMAEN;
        DMA0CTL |= DMAREQ;
        rounds++;
        for (uint8_t n = seen & 7; n; n--)
            seen += n;
#ifdef READ_BACK
        if (rounds == 600)
            seen += P5OUT;
#endif
        if (rounds % 64 == 0) {
            DMA0CTL = 0;
            P5OUT = 0x55; /* known again */
            seen ^= P5OUT;
        }
        if (rounds % 512 == 0)
            hc_checkpoint(); /* so that what waits is written */
        hc_update();
        kit_sleep(CPUOFF | GIE);
    }
}
