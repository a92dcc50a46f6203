#include "drivers/uart.h"

#include "drivers/clock.h"
#include "kernel/critical.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

enum { BAUD = 115200, LAST_BYTE_TICKS = 4 }; /* a byte takes 87 us */

/* A ring: bytes from `head` are being sent, those of the unfinished line follow after `tail`. */
static uint8_t ring[UART_QUEUE];
static volatile uint16_t head;
static uint16_t tail, line;
static bool line_broken;
static volatile bool sending;
static bool holding; /* SMCLK, until the last byte has left */

static struct {
    char text[UART_LINE];
    volatile uint8_t length;
    volatile bool complete; /* and not yet delivered */
    void (*received)(char *line);
} input;

uint16_t uart_dropped;

static void let_go(void *unused);
static struct timer last_byte = TIMER(let_go, NULL);

void uart_init(void)
{
    kit_uart_init(CLOCK_HZ, BAUD);
}

/* ---- out ---- */

static void let_go(void *unused)
{
    (void)unused;
    if (sending || !holding)
        return;
    holding = false;
    kernel_release_smclk();
}

static void await_last_byte(void *unused)
{
    (void)unused;
    timer_start_once(&last_byte, LAST_BYTE_TICKS);
}

KIT_INTERRUPT(USART1TX_VECTOR) void uart_transmit_handler(void)
{
    uint16_t next = head;
    if (next != tail) {
        TXBUF1 = ring[next];
        head = (next + 1) % UART_QUEUE;
    } else {
        IE2 &= (uint8_t)~UTXIE1;
        IFG2 |= UTXIFG1; /* the request stands: it was taken, but not used */
        sending = false;
        task_post(await_last_byte, NULL);
    }
    KERNEL_HANDLER_END();
}

static void send(void)
{
    if (!holding)
        kernel_hold_smclk();
    holding = true;
    sending = true;
    IE2 |= UTXIE1;
}

static void put(char c)
{
    uint16_t next = (line + 1) % UART_QUEUE;
    if (next == head)
        line_broken = true;
    if (line_broken)
        return;
    ring[line] = (uint8_t)c;
    line = next;
}

static bool end(void)
{
    uint16_t state = critical_enter();
    bool fits = !line_broken;
    if (fits && line != tail) {
        tail = line;
        send();
    } else if (!fits) {
        line = tail;
        uart_dropped++;
    }
    line_broken = false;
    critical_leave(state);
    return fits;
}

void uart_text(const char *text)
{
    while (*text)
        put(*text++);
}

/* By subtraction: a 32-bit division for each digit would keep the radio waiting for milliseconds. */
void uart_unsigned(uint32_t value)
{
    static const uint32_t powers[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
    bool begun = false;
    for (uint8_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        char digit = '0';
        for (; value >= powers[i]; value -= powers[i])
            digit++;
        begun |= digit != '0' || powers[i] == 1;
        if (begun)
            put(digit);
    }
}

void uart_signed(int32_t value)
{
    if (value < 0)
        put('-');
    uart_unsigned(value < 0 ? 0 - (uint32_t)value : (uint32_t)value);
}

void uart_hex(uint16_t value)
{
    for (uint8_t i = 0; i < 4; i++, value <<= 4)
        put("0123456789abcdef"[value >> 12]);
}

bool uart_end(void)
{
    put('\n');
    return end();
}

bool uart_line(const char *text)
{
    uart_text(text);
    return uart_end();
}

bool uart_write(const void *bytes, uint16_t count)
{
    for (const char *p = bytes; count; count--)
        put(*p++);
    return end();
}

/* ---- in ---- */

static void deliver(void *unused)
{
    (void)unused;
    input.text[input.length] = 0;
    input.received(input.text);
    input.length = 0;
    input.complete = false;
}

KIT_INTERRUPT(USART1RX_VECTOR) void uart_receive_handler(void)
{
    char c = (char)RXBUF1;
    if (input.complete) {
        if (c == '\n')
            uart_dropped++;
    } else if (c == '\n') {
        input.complete = true;
        task_post(deliver, NULL);
    } else if (input.length < UART_LINE - 1) {
        input.text[input.length++] = c;
    }
    KERNEL_HANDLER_END();
}

void uart_listen(void (*received)(char *line))
{
    if (!input.received)
        kernel_hold_smclk();
    input.received = received;
    IE2 |= URXIE1;
}
