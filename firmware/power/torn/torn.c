/* Six rounds with a checkpoint after each; what a round computes is in registers, and goes to FRAM, where it is written
 * before it is read: nothing is wrong with the windows, but the checkpoint itself may be torn. */
#include "checkpoint.h"

enum { ROUNDS = 6 };

KIT_PERSISTENT volatile uint16_t history[ROUNDS] = { 0 };
KIT_PERSISTENT volatile uint16_t total = 0;

int main(void)
{
    uint16_t sum = 1;

    restore();
    for (uint16_t round = 0; round < ROUNDS; round++) {
        sum = (uint16_t)(sum * 3 + round);
        history[round] = sum;
        checkpoint();
    }
    total = sum;
    return (int)sum;
}
