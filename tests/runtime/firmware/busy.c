/* A program that gives its recorder much to do: reads of all classes, interrupts of several timers, memory that
 * changes, a stack that is deep at times, hc_update from there too. For test_same.c. */
#include <hindcast.h>
#include <kit.h>

#ifndef MEMORY
#define MEMORY 600
#endif

#define REGISTER8(address) (*(volatile uint8_t *)(address))
#define REGISTER16(address) (*(volatile uint16_t *)(address))

uint16_t memory[MEMORY / 2];
volatile uint16_t sum, ticks;

KIT_INTERRUPT(TIMERB0_VECTOR) void compare(void)
{
    ticks++;
    sum += TBR;
    TBCCR0 += 40 + (ticks & 63);
    KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(TIMERA0_VECTOR) void other(void)
{
    memory[ticks % (MEMORY / 2)] += TAR;
    TACCR0 += 9000;
}

static uint16_t bytes(uint16_t count)
{
    uint16_t out = 0;
    while (count--)
        out = (uint16_t)(out * 3 + REGISTER8(0x7e)); /* U1RXBUF */
    return out;
}

__attribute__((noinline)) static uint16_t dive(uint16_t depth)
{
    volatile uint16_t local[6] = { depth, sum, TAR };
    if (depth)
        local[1] += dive(depth - 1);
    else if (ticks & 1)
        hc_update();
    return local[0] ^ local[1] ^ local[2];
}

int main(void)
{
    BCSCTL1 = (uint8_t)(BCSCTL1 | 7);
    DCOCTL = 0x60;
    WDTCTL = 0x5a80;
    TACTL = TASSEL1 | MC1;
    TBCTL = TBSSEL0 | MC1;
    TBCCR0 = 50;
    TBCCTL0 = CCIE;
    TACCR0 = 5000;
    TACCTL0 = CCIE;
    kit_enable_interrupts();
    for (uint16_t round = 0;; round++) {
        sum += bytes(round & 15);
        for (uint16_t i = 0; i < (round & 7); i++)
            memory[(uint16_t)(round * 7 + i * 31) % (MEMORY / 2)] = (uint16_t)(sum + TAR);
        sum += P1IN;
        if (round % 97 == 96)
            sum += dive(round % 25 + round / 700);
        hc_update();
        if (round % 64 == 63)
            kit_sleep(LPM0_bits | GIE);
    }
}
