/* Figure 3 of ScEpTIC's paper: the checkpoint is taken within f1; f1 returns, and the call of f2 overwrites its return
 * address. Executed again, f1 returns to where f2 was called. The stack is in FRAM. The fix: a checkpoint after f1's
 * return that is no call, whose own return address the next call would overwrite: hindcast power --checkpoint-at. */
#include "figure.h"

volatile uint16_t x, y;

static __attribute__((noinline)) void f1(void)
{
    checkpoint();
    x = 1;
}

static __attribute__((noinline)) void f2(void)
{
    y = 2;
}

int main(void)
{
    f1();
    f2();
    checkpoint();
    return 0;
}
