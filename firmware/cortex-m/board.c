#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYSTICK_CTRL REGISTER(0xe000e010)
#define SYSTICK_LOAD REGISTER(0xe000e014)
#define SYSTICK_VALUE REGISTER(0xe000e018)
#define NVIC_ENABLE REGISTER(0xe000e100)
#define NVIC_DISABLE REGISTER(0xe000e180)
#define UART(n, offset) REGISTER(0x40004000 + 0x1000 * (n) + (offset))

enum { DATA = 0, STATE = 4, CTRL = 8, INTERRUPT = 12, BAUDDIV = 16 };
enum { FULL = 1, SEND = 1, RECEIVE = 2, RECEIVE_INTERRUPT = 8, RECEIVED = 2 };
enum { UART1_RECEIVES = 2, CLOCK = 25000000 };

static void send(int uart, uint8_t byte)
{
    while (UART(uart, STATE) & FULL)
        ;
    UART(uart, DATA) = byte;
}

/* The recorder's way out: the log goes over UART0. */
void hc_sink_put(uint8_t byte)
{
    send(0, byte);
}

/* What a recorder that knows nothing of the CPU asks for (--port=generic). */
uint16_t hc_port_lock(void)
{
    return (uint16_t)board_lock();
}

void hc_port_unlock(uint16_t before)
{
    board_unlock(before);
}

void board_say(const char *text)
{
    while (*text)
        send(1, (uint8_t)*text++);
}

void board_listen(bool on)
{
    if (on)
        NVIC_ENABLE = 1u << UART1_RECEIVES;
    else
        NVIC_DISABLE = 1u << UART1_RECEIVES;
}

void board_start(void)
{
    UART(0, BAUDDIV) = UART(1, BAUDDIV) = 16;
    UART(0, CTRL) = SEND;
    UART(1, CTRL) = SEND | RECEIVE | RECEIVE_INTERRUPT;
    board_listen(true);
    SYSTICK_LOAD = CLOCK / 1000 - 1;
    SYSTICK_VALUE = 0;
    SYSTICK_CTRL = 7;
}

/* Semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit. */
void board_leave(void)
{
    register uint32_t operation __asm__("r0") = 0x18, reason __asm__("r1") = 0x20026;
    __asm__ volatile("bkpt 0xab" ::"r"(operation), "r"(reason));
    for (;;)
        ;
}

uint32_t board_lock(void)
{
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}

void board_unlock(uint32_t before)
{
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
}

/* ---- what compilers call by themselves ---- */

void *memcpy(void *to, const void *from, size_t size)
{
    uint8_t *t = to;

    for (const uint8_t *f = from; size; size--) {
        *t++ = *f++;
        __asm__ volatile("" ::: "memory"); /* or this would be a call of memcpy */
    }
    return to;
}

void *memset(void *to, int value, size_t size)
{
    for (uint8_t *t = to; size; size--) {
        *t++ = (uint8_t)value;
        __asm__ volatile("" ::: "memory");
    }
    return to;
}

/* ---- interrupts and start-up ---- */

static void on_receive(void)
{
    UART(1, INTERRUPT) = RECEIVED;
    board_byte((uint8_t)UART(1, DATA));
}

static void stay(void)
{
    for (;;)
        ;
}

extern uint32_t data_load[], data_start[], data_end[], bss_start[], bss_end[], stack_top[];
int main(void);

void reset(void)
{
    for (uint32_t *from = data_load, *to = data_start; to < data_end;)
        *to++ = *from++;
    for (uint32_t *to = bss_start; to < bss_end;)
        *to++ = 0;
    main();
    stay();
}

enum { HARD_FAULT = 3, SYSTICK = 15, IRQ = 16 };

__attribute__((section(".vectors"), used)) static void (*const vectors[IRQ + UART1_RECEIVES + 1])(void) = {
    [0] = (void (*)(void))stack_top,     [1] = reset, [HARD_FAULT] = stay, [SYSTICK] = board_tick,
    [IRQ + UART1_RECEIVES] = on_receive,
};
