/* Looks at flags as drivers of radios do, at 4 MHz: at most so many times for a pulse that is soon over, between them
 * at the time, and 400 times in a row with interrupts off. The pulse is a byte of the UART on its way, a millisecond; a
 * handler sends it a third of a millisecond after the search began. '.' is sent, or '!' if the pulse before was missed.
 */
#include <kit.h>

enum { LOOKS = 800, PULSES = 6, PAUSE = 13 };

volatile uint16_t busy;
static volatile uint8_t next = '.';

KIT_INTERRUPT(TIMERA0_VECTOR) void begin(void)
{
    TACCTL0 = 0;
    U1TXBUF = next;
}

KIT_INTERRUPT(TIMERB0_VECTOR) void tick(void)
{
    TBCCR0 += 8192;
    KIT_WAKE_ON_EXIT();
}

static void pulse(void)
{
    uint16_t i = LOOKS, then = TAR;

    TACCR0 = then + 11;
    TACCTL0 = CCIE;
    while (i && U1TCTL & TXEPT)
        i--;
    next = i ? '.' : '!';
    while (!(U1TCTL & TXEPT))
        ;
    then = TAR;
    while ((uint16_t)(TAR - then) < PAUSE)
        ;
}

static void listen(void)
{
    kit_disable_interrupts();
    for (uint16_t i = 0; i < 400; i++)
        if (P1IN & 0x10)
            busy++;
    kit_enable_interrupts();
}

int main(void)
{
    BCSCTL1 = (uint8_t)(BCSCTL1 | 7);
    DCOCTL = 0xa4;
    kit_uart_init(4000000, 9600);
    TACTL = TASSEL_1 | MC_2;
    TBCCR0 = 8192;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_2;
    for (;;) {
        kit_sleep(LPM0_bits | GIE);
        listen();
        for (uint16_t n = 0; n < PULSES; n++)
            pulse();
    }
}
