/* Calibrates the DCO step by step: Timer_A counts SMCLK and captures ACLK/8, until one interval is `target` counts. */
#include <kit.h>

volatile uint16_t target; /* set by the test */
volatile uint16_t result[2];
volatile uint16_t finished;

static uint16_t next_edge(void)
{
    while (!(TACCTL2 & CCIFG))
        continue;
    TACCTL2 &= (uint16_t)~CCIFG;
    return TACCR2;
}

static void faster(void)
{
    uint8_t next = (uint8_t)(DCOCTL + 1);
    DCOCTL = next;
    if (next == 0)
        BCSCTL1++;
}

static void slower(void)
{
    uint8_t next = (uint8_t)(DCOCTL - 1);
    DCOCTL = next;
    if (next == 0xff)
        BCSCTL1--;
}

int main(void)
{
    BCSCTL1 = XT2OFF | DIVA_3 | RSEL2;
    BCSCTL2 = 0;
    TACCTL2 = CM_1 | CCIS_1 | CAP;
    TACTL = TASSEL_2 | MC_2 | TACLR;
    uint16_t last = next_edge();
    for (;;) {
        uint16_t edge = next_edge();
        uint16_t counts = edge - last;
        last = edge;
        result[1]++;
        if (counts == target)
            break;
        if (counts < target)
            faster();
        else
            slower();
    }
    TACTL = 0;
    TACCTL2 = 0;
    BCSCTL1 &= (uint8_t)~DIVA_3;
    finished = 0xd09e;
    for (;;)
        continue;
}
