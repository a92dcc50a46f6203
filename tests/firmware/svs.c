/* The supervisor on at 2.2 V with reset; a second start, which it caused, finishes. */
#include <kit.h>

__attribute__((section(".noinit"))) volatile uint16_t result[3];
__attribute__((section(".noinit"))) static volatile uint16_t marker;
volatile uint16_t finished;

int main(void)
{
    if (marker != 0x5a5a) {
        marker = 0x5a5a;
        result[0] = result[1] = 0;
        SVSCTL = 0x30 | PORON;
        while (!(SVSCTL & SVSON))
            result[1]++;
    }
    result[0]++;
    result[2] = SVSCTL & SVSFG;
    if (result[0] < 2)
        for (;;)
            ;
    finished = 0xd09e;
    return 0;
}
