#include "messages.h"

#ifdef __HINDCAST_MESSAGES__
#error \
    "messages_dsn.c: --record=messages makes numbers of its own; use messages.c and a byte of the frame, or --record=all"
#endif

enum { KEPT = 0x5a17 };

struct hc_message_mark __hc_message __attribute__((used)); /* by the desk */

/* Times that the numbers came round or began anew. It outlives resets; a loss of power begins anew. */
static uint16_t epoch __attribute__((section(".noinit")));
static uint16_t epoch_check __attribute__((section(".noinit")));
static uint8_t started, last;

__attribute__((noinline)) void __hc_message_mark(void)
{
    __asm__ volatile("" ::: "memory");
}

static void put(uint8_t to[2], uint16_t word)
{
    to[0] = (uint8_t)word;
    to[1] = (uint8_t)(word >> 8);
}

static void mark(uint8_t kind, uint16_t from, uint16_t to, uint8_t number)
{
    __hc_message.kind = kind;
    __hc_message.number = number;
    put(__hc_message.from, from);
    put(__hc_message.to, to);
    put(__hc_message.epoch, epoch);
    __hc_message_mark();
}

static void next_epoch(void)
{
    if (!started && (epoch ^ KEPT) != epoch_check)
        epoch = 0;
    started = 1;
    epoch_check = ++epoch ^ KEPT;
}

void hc_message_sent(uint16_t from, uint16_t to, uint8_t number)
{
    if (!started || number <= last)
        next_epoch();
    last = number;
    mark(HC_MESSAGE_SENT, from, to, number);
}

void hc_message_receive(uint16_t from, uint16_t to, uint8_t number)
{
    mark(HC_MESSAGE_RECEIVED, from, to, number);
}
