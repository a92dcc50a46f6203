/* A checkpoint that holds, and a counter in FRAM between checkpoints: it counts twice after a failure, which is no
 * fault of the checkpoint's. */
#include "power/torn/checkpoint.h"

KIT_PERSISTENT volatile uint16_t rounds = 0;

int main(void)
{
    uint16_t sum = 1;

    restore();
    for (uint16_t round = 0; round < 4; round++) {
        sum = (uint16_t)(sum * 3 + round);
        rounds++;
        checkpoint();
    }
    return (int)sum;
}
