/* A constant whose value is that of an address in the recorder. */
#include <kit.h>
#include <msp430.h>

const unsigned table[2] = { ADDRESS, 0x1234 };
volatile unsigned sink;

int main(void)
{
    for (unsigned i = 0;; i++) {
        sink = table[i & 1];
        kit_sleep(LPM3_bits | GIE);
    }
}
