/* Checkpoints that hold, and a program that counts what it has already done: only after a failure, so that the
 * continuous run never writes the count. */
#include "power/torn/checkpoint.h"

KIT_PERSISTENT volatile uint16_t done = 0, repeated = 0;

int main(void)
{
    restore();
    for (uint16_t round = 0; round < 4; round++) {
        checkpoint();
        if (done != round)
            repeated++;
        done = (uint16_t)(round + 1);
    }
    return 0;
}
