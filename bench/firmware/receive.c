/* Takes bytes from a serial line at BAUD: a handler puts them into a ring of 64, the main loop takes them out. At 4
 * MHz. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

enum { RING = 64, CLOCK = 4000000 };

static uint8_t ring[RING];
static volatile uint8_t head, tail;
volatile uint16_t received, sum;

KIT_INTERRUPT(USART1RX_VECTOR) void receive(void)
{
    uint8_t byte = RXBUF1, next = (uint8_t)((head + 1) % RING);
    if (next == tail)
        return;
    ring[head] = byte;
    head = next;
}

int main(void)
{
    BCSCTL1 = (uint8_t)(BCSCTL1 | 7);
    DCOCTL = 0xa4;
    TBCTL = TBSSEL_1 | MC_2;
    kit_uart_init(CLOCK, BAUD);
    IE2 |= URXIE1;
    kit_enable_interrupts();
    for (;;) {
        for (; tail != head; tail = (uint8_t)((tail + 1) % RING)) {
            sum += ring[tail];
            received++;
        }
        hc_update();
    }
}
