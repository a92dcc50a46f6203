/* Takes frames from the UART at 115,200 baud (framing.h). A handler puts bytes into a ring, which is large enough for a
 * burst of 4 KB that the main loop cannot follow; the main loop gives them to the parser. At 4 MHz, without the kernel.
 */
#include "apps/parser/framing.h"

#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

enum { RING = 2048, CLOCK = 4000000, BAUD = 115200, AT_ONCE = 16 };

static uint8_t ring[RING];
static volatile uint16_t head;
static uint16_t tail;
volatile uint16_t bytes_received, bytes_lost, bytes_of_frames, visits;
struct framing_counts parser_counts;

KIT_INTERRUPT(USART1RX_VECTOR) void parser_receive(void)
{
    uint8_t byte = RXBUF1;
    uint16_t next = (head + 1) % RING;
    if (next == tail) {
        bytes_lost++;
        return;
    }
    ring[head] = byte;
    head = next;
    bytes_received++;
}

static void frame_received(const uint8_t *frame, uint8_t length)
{
    (void)frame;
    bytes_of_frames += length;
}

/* What lies in one piece. */
static uint8_t waiting(void)
{
    uint16_t to = head, count = (to >= tail ? to : RING) - tail;
    return count < AT_ONCE ? (uint8_t)count : AT_ONCE;
}

int main(void)
{
    BCSCTL1 = (uint8_t)(BCSCTL1 | 7);
    DCOCTL = 0xa4;
    kit_uart_init(CLOCK, BAUD);
    IE2 |= URXIE1;
    kit_enable_interrupts();
    for (;;) {
        uint8_t count = waiting();
        if (count) {
            framing_take(ring + tail, count, frame_received);
            framing_counts(&parser_counts);
            tail = (tail + count) % RING;
            visits += 2;
        }
        hc_update();
    }
}
