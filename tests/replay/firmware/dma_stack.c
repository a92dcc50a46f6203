/* DMA writes the time to the top of the stack, and interrupts come before the program looks: the hash of their position
 * has what the replay does not know yet. (The shift is a loop that nobody counts, so that there is a hash.) */
#include <kit.h>

volatile uint16_t ticks, seen, rounds;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    TACCR0 += 211 + (TAR & 63);
    ticks++;
    seen ^= TBR;
}

__attribute__((noinline)) static uint16_t fetch(void)
{
    volatile uint16_t word = 0;
    DMA0SA = (uint16_t)TBR_;
    DMA0DA = (uint16_t)&word;
    DMA0SZ = 1;
    DMA0CTL = DMADT_0 | DMAEN;
    DMA0CTL |= DMAREQ;
    uint16_t shifted = (uint16_t)(seen << (rounds & 7));
    while (!(DMA0CTL & DMAIFG))
        ;
    return word ^ shifted;
}

int main(void)
{
    BCSCTL1 = 0x87;
    DCOCTL = 0xe0;
    DMACTL0 = DMA0TSEL_0;
    TBCTL = TBSSEL_2 | MC_2;
    TACCR0 = 500;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | ID_3 | MC_2;
    kit_enable_interrupts();
    for (;; rounds++) {
        for (uint8_t n = fetch() & 7; n; n--)
            seen += n;
        if (P1IN & 1)
            seen++;
    }
}
