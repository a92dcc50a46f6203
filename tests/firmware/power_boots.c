/* Checkpoints that hold, and a count of starts that only the restore routine uses: it differs after failures, and
 * nothing else does. */
#include "power/torn/checkpoint.h"

KIT_PERSISTENT volatile uint16_t starts = 0, result[12] = { 0 };

__attribute__((noinline)) void boot(void)
{
    starts++;
    restore();
}

int main(void)
{
    uint16_t sum = 1;

    boot();
    for (uint16_t round = 0; round < 12; round++) {
        sum = (uint16_t)(sum * 5 + round);
        result[round] = sum;
        checkpoint();
    }
    return (int)sum;
}
