/* Lines out, more of them than the queue holds; and an echo of the lines that come in. */
#include "drivers/board.h"
#include "drivers/uart.h"
#include "kernel/critical.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

volatile uint16_t result[4];

static void greet(void *unused)
{
    (void)unused;
    uart_text("node ");
    uart_unsigned(node_id);
    uart_text(" ");
    uart_signed(-40000);
    uart_text(" 0x");
    uart_hex(0xbeef);
    uart_end();
    uart_unsigned(4294967295ul);
    uart_end();
}

static void flood(void *unused)
{
    (void)unused;
    uint16_t state = critical_enter(); /* nothing leaves meanwhile */
    for (uint16_t i = 0; i < 40; i++) {
        uart_text("line ");
        uart_unsigned(i);
        result[0] += uart_end();
    }
    critical_leave(state);
    result[1] = uart_dropped;
}

static void echo(char *line)
{
    uart_text("got ");
    uart_text(line);
    uart_end();
}

static void listen(void *unused)
{
    (void)unused;
    uart_listen(echo);
}

static struct timer greeting = TIMER(greet, NULL), flooding = TIMER(flood, NULL), listening = TIMER(listen, NULL);

int main(void)
{
    board_start();
    uart_init();
    timer_start_once(&greeting, TIMER_MS(10));
    timer_start_once(&flooding, TIMER_MS(100));
    timer_start_once(&listening, TIMER_MS(300));
    kernel_run();
}
