/* Sleeps; each press of the user button moves the light from red to green to blue to none.
 * result: 0 presses, 1 ACLK cycles (Timer_B) at the last one */
#include <kit.h>

volatile uint16_t result[16];
volatile uint16_t finished;

KIT_INTERRUPT(PORT2_VECTOR) void pressed(void)
{
    P2IFG = 0;
    result[0]++;
    result[1] = TBR;
    P5OUT = (uint8_t)(result[0] > 3 ? 0xff : ~(0x08 << result[0]));
    if (result[0] == 4)
        finished = 0xd09e;
}

int main(void)
{
    P5OUT = 0xff;
    P5DIR = 0x70;
    TBCTL = TBSSEL_1 | MC_2;
    P2IES = 0x80;
    P2IFG = 0;
    P2IE = 0x80;
    for (;;)
        kit_sleep(LPM3_bits | GIE);
}
