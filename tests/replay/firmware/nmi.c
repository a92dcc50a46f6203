/* Non-maskable interrupts (oscillator faults, which the test brings about) in a program and its handlers. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

volatile uint16_t faults, ticks, sum;

KIT_INTERRUPT(NMI_VECTOR) void fault(void)
{
    faults++;
    sum ^= TAR;
    IFG1 &= (uint8_t)~OFIFG;
    IE1 |= OFIE; /* last: it may come again at once */
}

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    sum += TAR;
}

int main(void)
{
    TACCR0 = 20000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    IFG1 &= (uint8_t)~OFIFG;
    IE1 |= OFIE;
    kit_enable_interrupts();
    for (;;) {
        for (uint16_t i = 0; i < 1000; i++)
            sum = (uint16_t)(sum << 1 | sum >> 15) ^ i;
        sum += TAR;
        hc_update();
    }
}
