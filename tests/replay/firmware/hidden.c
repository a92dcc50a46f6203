/* Reads TACTL, of which one bit is the world's, through a pointer of which the instrumenter cannot know that it leads
 * to a register. MASK: what it uses of it. */
#include <kit.h>

volatile uint16_t hidden = 0x0160;
uint16_t sum, turns;

static __attribute__((noinline)) uint16_t look(const uint16_t *at)
{
    return *at & MASK;
}

int main(void)
{
    TACTL = TASSEL_1 | MC_2;
    for (;;) {
        sum += TAR;
        if (++turns > 200)
            sum += look((const uint16_t *)(uintptr_t)hidden);
    }
}
