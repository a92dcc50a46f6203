/* For the tests of the command line: says "ready", then does what it hears.
 *
 *     f   faults: writes to memory that is not there
 *     q   sleeps for ever
 *     l   switches the red LED over
 *     b   is busy for ever
 *     other characters come back */
#include <kit.h>

#define VACANT ((volatile uint16_t *)0x0a00)

volatile uint16_t heard;

__attribute__((noinline)) void fail_here(void)
{
    *VACANT = 1;
}

static void stay_busy(void)
{
    for (;;)
        heard ^= 1;
}

__attribute__((noinline)) void never_called(void)
{
    heard = 0xffff;
}

KIT_INTERRUPT(USART1RX_VECTOR) void receive(void)
{
    char c = (char)RXBUF1;

    heard++;
    if (c == 'f')
        fail_here();
    else if (c == 'l')
        P5OUT ^= 0x10;
    else if (c == 'q')
        KIT_SAVED_SR |= LPM4_bits;
    else if (c == 'b')
        stay_busy();
    else if (heard == 0xffff)
        never_called();
    else
        kit_put_char(c);
}

int main(void)
{
    BCSCTL1 = (BCSCTL1 & ~7) | 4; /* RSEL: some 0.8 MHz; both ends of the line count the same clock */
    P5OUT |= 0x70;
    P5DIR |= 0x70;
    kit_uart_init(800000, 9600);
    ME2 &= (uint8_t)~URXE1; /* nothing is to arrive before it is listened to */
    kit_put("ready\n");
    while (!(UTCTL1 & TXEPT))
        ;
    ME2 |= URXE1;
    IE2 |= URXIE1;
    kit_sleep(LPM0_bits | GIE);
    for (;;)
        kit_sleep(LPM0_bits | GIE);
}
