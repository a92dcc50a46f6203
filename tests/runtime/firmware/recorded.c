/* Reads of all classes, interrupts of a sleeping and of a busy CPU, hc_update now and then. What it read is summed up,
 * so that a test can compare. */
#include "sites.h"

#include <hindcast.h>

SITE(site_ifg1, 0x0002, 0x0082);                    /* a state, some bits */
SITE(site_tbr, 0x0190 | 1 << 12 | 1 << 14, 0xffff); /* timer */
SITE(site_tar, 0x0170 | 1 << 12 | 1 << 14, 0xffff);
SITE(site_rxbuf, 0x007e | 2 << 12, 0x00ff); /* data */
SITE(site_tbiv, 0x011e | 3 << 12 | 1 << 14, 0x000e);
SITE(site_via, 0 | 1 << 14, 0xffff);

volatile uint16_t finished, rounds, limit = 300;
volatile uint16_t reads, interrupts, vectors;
volatile uint32_t sum;
volatile uint16_t ram_word = 0x1234;
volatile uint16_t
    wishes; /* 1 freeze, 2 checkpoint, 4 that something does not hold, 8 a checkpoint without interrupts */
volatile uint16_t invariant_line;
volatile uint16_t busy_rounds = 20, interval = 300;

static void saw(uint16_t value)
{
    sum = sum * 5 + value;
    reads++;
}

KIT_INTERRUPT(TIMERB0_VECTOR) void compare(void)
{
    interrupts++;
    saw(READ(site_tbr));
    TBCCR0 += interval + (rounds & 63);
    KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(TIMERB1_VECTOR) void others(void)
{
    uint16_t vector = READ(site_tbiv);
    saw(vector);
    vectors++;
    if (vector == 2)
        TBCCR1 += 333;
    saw(READ(site_tbr));
}

/* What hc_update_later leaves in the ring must not keep a checkpoint from its end. */
static void take_checkpoint_later(void)
{
    kit_disable_interrupts();
    for (uint16_t i = 0; TICK(), i < 20; i++)
        saw(READ(site_tar));
    hc_checkpoint();
    hc_update_later();
    kit_enable_interrupts();
}

int main(void)
{
    BCSCTL1 = (uint8_t)(BCSCTL1 | 7); /* some 4 MHz, as programs for this board run at */
    DCOCTL = 0x60;
    TACTL = TASSEL1 | MC1; /* SMCLK, continuous */
#ifdef WITH_UART
    kit_uart_init(4000000, 115200);
#endif
    TBCTL = TBSSEL0 | MC1; /* ACLK */
    TBCCR0 = 50;
    TBCCTL0 = CCIE;
    TBCCR1 = 100;
    TBCCTL1 = CCIE;
    kit_enable_interrupts();
    while (TICK(), rounds < limit) {
        rounds++;
        saw(READ(site_ifg1));
        saw(READ(site_tar));
        for (uint16_t i = 0; TICK(), i < (rounds & 15); i++)
            saw(READ(site_rxbuf));
        saw(READ_VIA(site_via, &TACCR1));
        if (READ_VIA(site_via, &ram_word) != 0x1234)
            finished = 0xdead;
        for (volatile uint16_t i = 0; TICK(), i < busy_rounds; i++)
            ;
        if (wishes & 1)
            hc_freeze(77);
        if (wishes & 2)
            hc_checkpoint();
        invariant_line = __LINE__ + 1;
        HC_INVARIANT(!(wishes & 4));
        if (wishes & 8)
            take_checkpoint_later();
        wishes = 0;
        hc_update();
        kit_sleep(LPM0_bits | GIE);
    }
    finished = 0xd09e;
    while (TICK(), 1) {
        hc_update();
        kit_sleep(LPM0_bits | GIE);
    }
}
