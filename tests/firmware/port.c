/* Port interrupts: P2.0 counts falling edges out of LPM4; P1.0 makes an edge itself. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t result[4];

KIT_INTERRUPT(PORT2_VECTOR) void port2(void)
{
    if (P2IFG & BIT0) {
        P2IFG &= (uint8_t)~BIT0;
        result[0]++;
        P6OUT ^= BIT1;
        KIT_WAKE_ON_EXIT();
    }
}

KIT_INTERRUPT(PORT1_VECTOR) void port1(void)
{
    result[1]++;
    P1IFG = 0;
}

int main(void)
{
    P6OUT = 0;
    P6DIR |= BIT1;
    P2IES |= BIT0;
    P2IFG = 0;
    P2IE = BIT0;
    while (result[0] < 3)
        kit_sleep(LPM4_bits | GIE);

    P1OUT &= (uint8_t)~BIT0;
    P1DIR |= BIT0;
    P1IES &= (uint8_t)~BIT0;
    P1IFG = 0;
    P1IE = BIT0;
    P1OUT |= BIT0;
    P1OUT &= (uint8_t)~BIT0;
    kit_disable_interrupts();
    P1IE = 0;

    P2OUT &= (uint8_t)~BIT6;
    P2DIR |= BIT6;
    P2IES &= (uint8_t)~BIT6;
    P2IFG = 0;
    P2IES |= BIT6;
    result[2] = P2IFG & BIT6;
    P2IFG = 0;
    P2IES &= (uint8_t)~BIT6;
    result[3] = P2IFG & BIT6;
    finished = 0xd09e;
    return 0;
}
