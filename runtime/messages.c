#include "messages.h"

#ifndef __HINDCAST_MESSAGES__ /* whose recorder has these functions: traffic/record.c */

#include "message_number.h"

enum { KEPT = 0x5a17 };

struct hc_message_mark __hc_message __attribute__((used)); /* by the desk */

/* Destinations, the one used last first. */
static struct partner {
    uint16_t address, epoch;
    uint8_t next; /* of the epoch */
} partners[HC_MESSAGE_PARTNERS];
static uint8_t known; /* partners */

/* The highest epoch that any destination has had. It outlives resets, so that numbers go on; a loss of power begins
 * anew. */
static uint16_t highest __attribute__((section(".noinit")));
static uint16_t highest_check __attribute__((section(".noinit")));
static uint8_t started;

__attribute__((noinline)) void __hc_message_mark(void)
{
    __asm__ volatile("" ::: "memory");
}

static void put(uint8_t to[2], uint16_t word)
{
    to[0] = (uint8_t)word;
    to[1] = (uint8_t)(word >> 8);
}

static void mark(uint8_t kind, uint16_t from, uint16_t to, uint8_t number, uint16_t epoch)
{
    __hc_message.kind = kind;
    __hc_message.number = number;
    put(__hc_message.from, from);
    put(__hc_message.to, to);
    put(__hc_message.epoch, epoch);
    __hc_message_mark();
}

/* ---- epochs ---- */

static void set_highest(uint16_t epoch)
{
    highest = epoch;
    highest_check = epoch ^ KEPT;
}

/* One that no message has had: the counters of a destination always ascend. */
static uint16_t fresh_epoch(void)
{
    if (!started) {
        started = 1;
        if ((highest ^ KEPT) != highest_check)
            set_highest(0);
    }
    set_highest(highest + 1);
    return highest;
}

static void next_epoch(struct partner *p)
{
    p->next = 0;
    if (p->epoch == highest)
        p->epoch = fresh_epoch();
    else
        p->epoch++;
}

/* ---- destinations ---- */

/* The place of ADDRESS; where it is not known, the place that it gets. */
static uint8_t find(uint16_t address)
{
    uint8_t i = 0;

    while (i < known && partners[i].address != address)
        i++;
    if (i < known)
        return i;
    if (known < HC_MESSAGE_PARTNERS)
        known++;
    partners[known - 1] = (struct partner){ address, fresh_epoch(), 0 };
    return known - 1;
}

static struct partner *to_front(uint8_t place)
{
    struct partner p = partners[place];

    for (; place; place--)
        partners[place] = partners[place - 1];
    partners[0] = p;
    return &partners[0];
}

uint8_t hc_message_send(uint16_t from, uint16_t to)
{
    struct partner *p = to_front(find(to));
    uint16_t epoch = p->epoch;
    uint8_t number = hc_number(hc_number_gray(epoch), p->next);

    if (++p->next > HC_NUMBER_LOW)
        next_epoch(p);
    mark(HC_MESSAGE_SENT, from, to, number, epoch);
    return number;
}

void hc_message_receive(uint16_t from, uint16_t to, uint8_t number)
{
    mark(HC_MESSAGE_RECEIVED, from, to, number, 0);
}

#endif
