/* A kernel for random nodes: threads on stacks of their own that yield to each other; PREEMPTIVE: from which the tick
 * takes the CPU, too (../firmware/switch.S). Without THREADS there is one, main. */
#ifndef KERNEL_H
#define KERNEL_H

#include "world.h"

#ifdef THREADS
enum { CANARY = 0xca9a, SAVED = 7, ALL = 12 };

uint16_t *stacks[THREADS];
uint16_t stack[THREADS][STACK];
volatile uint8_t current;
volatile uint16_t mixed;

void switch_to(uint16_t **from, uint16_t *to);
void yield_by_reti(void);
void thread_in_assembly(void);

static uint8_t following(void)
{
    return (uint8_t)((current + 1) % THREADS);
}

#ifdef PREEMPTIVE
uint16_t *schedule(uint16_t *sp)
{
    stacks[current] = sp;
    current = following();
    return stacks[current];
}

void thread_yield(void)
{
    yield_by_reti();
}
#else
void thread_yield(void)
{
    uint8_t from = current;

    current = following();
    switch_to(&stacks[from], stacks[current]);
}
#endif

/* A stack as the one that switch_to, or an interrupt, leaves. */
static void create(uint8_t n, void (*entry)(void))
{
    uint16_t *sp = stack[n] + STACK;

    stack[n][0] = CANARY;
    *--sp = (uint16_t)(uintptr_t)entry;
#ifdef PREEMPTIVE
    *--sp = GIE;
    sp -= ALL;
#else
    sp -= SAVED;
#endif
    stacks[n] = sp;
}
#else
static void thread_yield(void)
{
}
#endif

#endif
