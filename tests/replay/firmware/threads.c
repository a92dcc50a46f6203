/* A kernel with threads, each on a stack of its own. By default they yield to each other (switch.S: switch_to, RET);
 * PREEMPTIVE: the tick takes the CPU from them, too, and all changes are by RETI. They share what does not count:
 * the library's arithmetic, a thread in assembly. Interrupts read registers meanwhile, and two threads call hc_update.
 * It ends after ROUNDS, if that is not 0. HELPFUL: the first one calls nothing but hc_update; where the tick took the
 * CPU from another in there, it goes on with that. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

#ifndef ROUNDS
#define ROUNDS 0
#endif

enum { THREADS = 4, STACK = 80, TICK = 32003, SAVED = 7, ALL = 12 };

uint16_t *stacks[THREADS];
static uint16_t stack[THREADS][STACK];
static volatile uint8_t current;
volatile uint16_t mixed, ticks, seen, rounds[THREADS];
volatile uint32_t product = 12345;

void switch_to(uint16_t **from, uint16_t *to);
void yield_by_reti(void);
void thread_in_assembly(void);
void thread_yield(void);
void tick(void);
uint16_t *schedule(uint16_t *sp);

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

void tick(void)
{
    ticks++;
    seen ^= TAR;
}
#else
void thread_yield(void)
{
    uint8_t from = current;

    current = following();
    switch_to(&stacks[from], stacks[current]);
}

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    seen ^= TAR;
}
#endif

KIT_INTERRUPT(TIMERB0_VECTOR) void other(void)
{
    TBCCR0 += 17777 + (TBR & 255);
    product = product * 17 + ticks;
}

/* Counts nothing itself; the library's loops do not either. */
static __attribute__((noinline)) uint16_t compute(uint16_t x)
{
    uint32_t p = product * 7919u + x;
    uint16_t result = (uint16_t)(p / (x | 1u)) ^ (uint16_t)(p % 1009u);

    product = p;
    return (uint16_t)(result << (x & 7));
}

static void first(void)
{
    for (;;) {
        rounds[1]++;
        mixed ^= compute(rounds[1]);
        thread_yield();
        mixed ^= compute(rounds[1]);
        seen += TAR;
        thread_yield();
    }
}

static void second(void)
{
    for (;;) {
        rounds[2]++;
        thread_yield();
        thread_yield();
        mixed += compute(mixed);
        hc_update();
        if (P1IN & 1)
            seen++;
    }
}

/* A stack as the one that switch_to, or an interrupt, leaves. */
static void create(uint8_t n, void (*entry)(void))
{
    uint16_t *sp = stack[n] + STACK;

#ifdef PREEMPTIVE
    *--sp = (uint16_t)(uintptr_t)entry;
    *--sp = GIE;
    sp -= ALL;
#else
    *--sp = (uint16_t)(uintptr_t)entry;
    sp -= SAVED;
#endif
    stacks[n] = sp;
}

int main(void)
{
    create(1, first);
    create(2, second);
    create(3, thread_in_assembly);
    TACCR0 = TICK;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    TBCCR0 = 500;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_2 | MC_2;
    kit_enable_interrupts();
    do {
        rounds[0]++;
        hc_update();
#ifndef HELPFUL
        thread_yield();
#endif
    } while (rounds[0] != ROUNDS);
    kit_disable_interrupts();
    for (;;)
        kit_sleep(CPUOFF);
}
