/* What the figures share: a checkpoint that only marks the place. */
#include <kit.h>

static __attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("nop");
}
