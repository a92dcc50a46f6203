/* A pair that occurs thirty times and does harm in fourteen of them, not in the nearest: `last` is read and then
 * written in each round, but what was read counts only from round 16 on. */
#include <kit.h>

enum { ROUNDS = 30, COUNTS_FROM = 16 };

static volatile uint8_t last; /* in FRAM */
KIT_PERSISTENT volatile uint16_t sum = 0;

int main(void)
{
    uint16_t total = 0;

    for (uint8_t round = 0; round < ROUNDS; round++) {
        uint8_t before = last;
        last = (uint8_t)(round + 1);
        if (round >= COUNTS_FROM)
            total += before;
    }
    sum = total;
    return 0;
}
