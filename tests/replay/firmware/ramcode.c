/* Code in RAM: a function that the linker puts there, as initialised data, and one whose bytes the program copies to a
 * buffer (and in every other round to another one). Interrupts come in both. It ends after ROUNDS, if that is not 0. */
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

enum { ROOM = 100 };

static uint16_t buffer[2][ROOM / 2];
volatile uint16_t rounds, ticks, seen, sum;

uint16_t shift_left(uint16_t value, uint16_t n);

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    seen ^= TAR;
    sum = (uint16_t)(sum * 3 + ticks);
}

/* Called by its address: no CALL of the linker's reaches from flash to RAM in all compilers. */
__attribute__((section(".data.placed"), noinline)) static uint16_t placed(uint16_t x)
{
    for (uint8_t i = 0; i < 9; i++)
        x = (uint16_t)(x ^ sum ^ shift_left(x, i)) + P1IN % 2;
    return x;
}

/* What is copied, and what lies behind it. */
__attribute__((section(".text.copied"), noinline, used)) static uint16_t copied(uint16_t x)
{
    for (uint8_t i = 0; i < 7; i++)
        x = (uint16_t)(x << 1) + sum;
    return x;
}

__attribute__((section(".text.copied"), noinline, used)) static void copied_end(void)
{
}

static uint16_t call_copy(uint8_t which)
{
    const uint8_t *from = (const uint8_t *)(uintptr_t)copied;
    uint16_t (*call)(uint16_t) = (uint16_t (*)(uint16_t))(uintptr_t)buffer[which];

    memcpy(buffer[which], from, (size_t)((uintptr_t)copied_end - (uintptr_t)copied));
    return call(rounds);
}

int main(void)
{
    TACCR0 = 9001;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    do {
        rounds++;
        sum += placed(rounds);
        sum ^= call_copy(rounds & 1);
        sum ^= call_copy(rounds & 1);
        hc_update();
    } while (rounds != ROUNDS);
    kit_disable_interrupts();
    for (;;)
        kit_sleep(CPUOFF);
}
