/* The non-maskable interrupt, from a write to locked flash. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t result[4];

KIT_INTERRUPT(NMI_VECTOR) void nmi(void)
{
    result[0]++;
    result[1] = IE1 & (NMIIE | OFIE | ACCVIE);
    result[2] = FCTL3 & ACCVIFG;
}

int main(void)
{
    kit_disable_interrupts();
    IE1 |= ACCVIE;
    *(volatile uint16_t *)0x8000 = 0;
    result[3] = result[0]; /* the flag stays, the enable does not: no second one */
    IE1 |= ACCVIE;
    FCTL3 = FWKEY | LOCK;
    finished = 0xd09e;
    return 0;
}
