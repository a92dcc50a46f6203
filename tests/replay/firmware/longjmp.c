/* Loops that are made by longjmp, and errors that are handled by it. Nothing else in them counts, and a turn leaves the
 * registers as the one before did. It ends after ROUNDS, if that is not 0. */
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

int save_context(uint16_t context[9]) __attribute__((returns_twice));
void restore_context(uint16_t context[9], int value);

static uint16_t context[9], outer[9];
volatile uint16_t rounds, turns, errors, ticks, seen, sum;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    seen ^= TAR;
    sum = (uint16_t)(sum * 5 + turns);
}

KIT_INTERRUPT(TIMERB0_VECTOR) void other(void)
{
    TBCCR0 += 7777 + (TBR & 255);
    sum ^= turns;
}

static void by_jumps(void)
{
    turns = 12;
    save_context(context);
    sum += turns;
    if (--turns)
        restore_context(context, 1);
}

static __attribute__((noinline)) void fail(int error)
{
    restore_context(outer, error);
}

static __attribute__((noinline)) uint16_t deep(uint16_t n)
{
    if (n == 0) {
        fail((rounds & 3) + 1);
        return 0;
    }
    return (uint16_t)(deep(n - 1) + n);
}

static void handle_errors(void)
{
    int error = save_context(outer);

    if (error == 0)
        sum += deep(4);
    errors += (uint16_t)error;
}

int main(void)
{
    TACCR0 = 14001;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    TBCCR0 = 500;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_2 | MC_2;
    kit_enable_interrupts();
    do {
        rounds++;
        by_jumps();
        handle_errors();
        hc_update();
    } while (rounds != ROUNDS);
    kit_disable_interrupts();
    for (;;)
        kit_sleep(CPUOFF);
}
