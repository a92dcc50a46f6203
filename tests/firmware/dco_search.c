/* Calibrates the DCO by bisection of RSEL, DCO and MOD: Timer_B times eight periods of ACLK by polling its compare
 * flag, Timer_A counts SMCLK meanwhile. The greatest setting that is not faster than `target` counts is taken. */
#include <kit.h>

volatile uint16_t target; /* set by the test */
volatile uint16_t result[2];
volatile uint16_t finished;

enum { PERIOD = 8 };

static void apply(uint16_t setting)
{
    BCSCTL1 = (uint8_t)((BCSCTL1 & ~7) | (setting >> 8 & 7));
    DCOCTL = (uint8_t)setting;
}

static uint16_t wait_and_read(void)
{
    TBCCR0 = (uint16_t)(TBR + PERIOD);
    TBCCTL0 &= (uint16_t)~CCIFG;
    while (!(TBCCTL0 & CCIFG))
        continue;
    return TAR;
}

static uint16_t measure(uint16_t setting)
{
    apply(setting);
    uint16_t start = wait_and_read();
    return (uint16_t)(wait_and_read() - start);
}

int main(void)
{
    TACTL = TASSEL_2 | MC_2;
    TBCTL = TBSSEL_1 | MC_2;
    BCSCTL1 = XT2OFF | RSEL2;
    BCSCTL2 = 0;
    uint16_t setting = 0;
    for (uint16_t step = 0x400; step; step >>= 1)
        if (measure(setting | step) <= target)
            setting |= step;
    if ((setting & 0xe0) == 0xe0)
        setting &= (uint16_t)~0x1f;
    apply(setting);
    result[0] = setting;
    finished = 0xd09e;
    for (;;)
        continue;
}
