/* An LED is switched on and off within a window. Switched twice it is as it was: absolute, nothing to warn of. With
 * TOGGLE its state is a variable in FRAM: executed again, the program switches it the other way. That is an anomaly of
 * the variable, whose effect is a wrong output. */
#include "../figures/figure.h"

volatile uint8_t lit;

int main(void)
{
    PM5CTL0 &= (uint16_t)~LOCKLPM5;
    P1DIR = BIT0;
    P1OUT = 0;
    checkpoint();
#ifdef TOGGLE
    lit ^= BIT0;
    P1OUT = lit;
#else
    P1OUT = BIT0;
    P1OUT = 0;
    lit = 0;
#endif
    checkpoint();
    return 0;
}
