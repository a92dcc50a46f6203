/* What compilers make: loops of shifts, library calls, jump tables, computed gotos, function pointers; ticks in some
 * places only. Timer interrupts come all the time. */
#include <kit.h>
#include <msp430.h>

volatile uint16_t finished, sink;
uint16_t __hc_count, __hc_laps;

#define TICK() __asm__ volatile("inc &__hc_count\n\tjnz 1f\n\tinc &__hc_laps\n1:" ::: "memory", "r2")

static volatile uint16_t four = 4, seven = 7;

__attribute__((noinline)) static uint16_t shift(uint16_t x, uint16_t by)
{
    return (uint16_t)(x << by) ^ (uint16_t)(x >> (by & 3));
}

__attribute__((noinline)) static uint32_t divide(uint32_t x, uint16_t y)
{
    return x / y + x % y;
}

__attribute__((noinline)) static uint16_t choose(uint16_t n)
{
    switch (n) {
    case 0:
        return sink + 1;
    case 1:
        return (uint16_t)(sink * 3);
    case 2:
        return sink ^ 5;
    case 3:
        return (uint16_t)(sink << 3);
    case 4:
        return (uint16_t)~sink;
    case 5:
        return sink & seven;
    default:
        return 0;
    }
}

__attribute__((noinline)) static uint16_t interpret(const uint8_t *program)
{
    static const void *const labels[] = { &&add, &&twice, &&stop };
    uint16_t value = 1;

    goto *labels[*program++];
add:
    value += four;
    goto *labels[*program++];
twice:
    TICK();
    value *= 2;
    goto *labels[*program++];
stop:
    return value;
}

__attribute__((noinline)) static uint16_t up(uint16_t x)
{
    return x + 1;
}

__attribute__((noinline)) static uint16_t down(uint16_t x)
{
    TICK();
    return x - 1;
}

static uint16_t (*const functions[])(uint16_t) = { up, down, up };

__attribute__((noinline)) static uint16_t factorial(uint16_t n)
{
    TICK();
    return n < 2 ? 1 : (uint16_t)(n * factorial(n - 1));
}

KIT_INTERRUPT(TIMERA0_VECTOR) void on_timer(void)
{
    sink += shift(sink, 3);
}

int main(void)
{
    static const uint8_t program[] = { 0, 0, 1, 0, 1, 1, 0, 2 };

    WDTCTL = WDTPW | WDTHOLD;
    TACCR0 = 613;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    __asm__ volatile("eint");
    for (uint16_t i = 0; i < 400; i++) {
        TICK();
        sink += shift(i, i & 15);
        sink += (uint16_t)divide((uint32_t)i * 77777u, four);
        sink += choose(i & 7);
        sink += interpret(program);
        sink += functions[i % 3](i);
        sink += factorial(i & 7);
        for (uint16_t k = 0; k < seven; k++)
            sink += up(k);
    }
    __asm__ volatile("dint");
    finished = 0xd09e;
    return 0;
}
