/* A small program for a Cortex-M3 (qemu-system-arm -M mps2-an385) that reads registers of peripherals, records what it
 * reads, and tells on UART1 what it has read, for the test to compare with the log. */
#include "hindcast.h"

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define TIMER0_CTRL REGISTER(0x40000000)
#define TIMER0_VALUE REGISTER(0x40000004)
#define TIMER0_RELOAD REGISTER(0x40000008)
#define UART1_DATA REGISTER(0x40005000)
#define UART1_STATE REGISTER(0x40005004)
#define UART1_CTRL REGISTER(0x40005008)
#define UART1_BAUDDIV REGISTER(0x40005010)
#define GPIO0_DATA REGISTER(0x40010000)

enum { READS = 200, TX_FULL = 1 };

static void send(char c)
{
    while (UART1_STATE & TX_FULL)
        ;
    UART1_DATA = (uint32_t)c;
}

static void send_number(uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        send("0123456789abcdef"[value >> shift & 15]);
    send('\n');
}

/* Semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit. */
static void leave(void)
{
    register uint32_t operation __asm__("r0") = 0x18, reason __asm__("r1") = 0x20026;
    __asm__ volatile("bkpt 0xab" ::"r"(operation), "r"(reason));
}

int main(void)
{
    UART1_BAUDDIV = 16;
    UART1_CTRL = 1;
    TIMER0_RELOAD = 0xffffffff;
    TIMER0_CTRL = 1;
    for (int i = 0; i < READS; i++) {
        uint32_t now = TIMER0_VALUE;
        send_number(now);
        if (i % 50 == 0)
            send_number(GPIO0_DATA & 0xff);
        hc_update();
    }
    hc_freeze(7);
    for (int i = 0; i < 1000; i++)
        hc_update();
    leave();
    for (;;)
        ;
}

/* ---- start-up ---- */

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];

void reset(void)
{
    for (uint32_t *from = data_load, *to = data_start; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;)
        *to++ = 0;
    main();
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = { stack_top, (void *)reset };
