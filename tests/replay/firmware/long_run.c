/* More bytes of data in a row than an entry of the ring may have, also of those that a reset finds there. */
#include <hindcast.h>
#include <kit.h>

enum { ROUNDS = 4, BYTES = 600, LAST = 90, UPDATES = 60 };

volatile uint16_t sum;

static void read_bytes(uint16_t count)
{
    while (count--)
        sum = (uint16_t)(sum * 3 + U1RXBUF);
}

int main(void)
{
    TACTL = TASSEL1 | MC1;
    for (uint16_t round = 0; round < ROUNDS; round++) {
        read_bytes(BYTES);
        sum ^= TAR;
        for (uint16_t i = 0; i < UPDATES; i++)
            hc_update();
    }
    read_bytes(LAST);
    sum ^= TAR;
    WDTCTL = 0; /* a reset: the key is wrong */
    for (;;)
        hc_update();
}
