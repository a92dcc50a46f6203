/* What makes positions hard: one function called twice, goto loops, recursion, library loops, interrupts within
 * interrupts, in the recorder's stubs and in hc_update, polling, sleep. SIZE sets how often. */
#include "border.h"

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

#ifndef SIZE
#define SIZE 2
#endif

enum { P1IN = 0x20, P1OUT = 0x21, P1IFG = 0x23, IFG2 = 0x03, U1RXBUF = 0x7e, TAR = 0x170, TACCR0 = 0x172 };
enum { TACCTL0 = 0x162, TACTL = 0x160, TAIV = 0x12e, TBR = 0x190, ME1 = 0x04 };

volatile uint16_t result[16];
volatile uint16_t depth;
uint16_t seen[3];
uint8_t from[24], to[24];
uint32_t product = 1;

__attribute__((noinline)) static uint16_t twice(uint16_t x)
{
    TICK();
    return (uint16_t)((x << 1) ^ (x >> 3) ^ result[0]);
}

__attribute__((noinline)) static uint16_t fibonacci(uint16_t n)
{
    TICK();
    return n < 2 ? n : (uint16_t)(fibonacci(n - 1) + fibonacci(n - 2));
}

static uint16_t by_goto(uint16_t n)
{
    uint16_t sum = 0;
again:
    TICK();
    sum = (uint16_t)(sum + n * 3);
    if (--n)
        goto again;
    return sum;
}

static void library(void)
{
    memcpy(to, from, sizeof to);
    memset(from, (int)result[1], sizeof from / 2);
    product = product * 7919u + result[2];
    result[3] = (uint16_t)(product / 13);
    result[4] = (uint16_t)(product % 1009);
}

/* Changes in place: not recorded. */
static void peripherals(void)
{
    REGISTER8(P1OUT) ^= 1;
    REGISTER8(P1IFG) &= (uint8_t)~2;
    REGISTER16(TACCTL0) |= 0x10;
    REGISTER16(TACCR0) += 100;
    result[5] = (uint16_t)(result[5] + REGISTER8(P1OUT));
}

static void reads(void)
{
    result[6] = READ(TAR, TIMER | WORD, 0xffff);
    result[7] ^= READ(P1IN, STATE, 0x44);
    if (READ(P1IN, STATE, 1))
        result[8]++;
#ifdef RAW
    result[11] = REGISTER16(TAR); /* what the recorder never sees */
#endif
    result[9] = (uint16_t)(READ_VIA(&to[2]) + READ_VIA(U1RXBUF));
}

static void waits(void)
{
    POLL(__hc_poll_set8, IFG2, 0x10);
    POLL(__hc_poll_clear8, IFG2, 0x23);
    POLL(__hc_poll_set16, TACCTL0, 1);
}

void on_5(void)
{
    TICK();
    uint16_t which = READ(TAIV, VECTOR | WORD, 0x0e);
    seen[0] = (uint16_t)(seen[0] + which);
}

void on_6(void)
{
    TICK();
    seen[1] = (uint16_t)(seen[1] ^ READ(TAR, TIMER | WORD, 0xffff));
    if (depth < 3) {
        depth++;
        __asm__ volatile("nop\n eint\n nop" ::: "memory");
        seen[1] = (uint16_t)(seen[1] + twice(seen[1]));
        __asm__ volatile("dint\n nop" ::: "memory");
        depth--;
    }
}

void on_13(void)
{
    TICK();
    seen[2] = (uint16_t)(seen[2] * 5 + 1);
    hc_update();
}

/* Cannot be masked. */
void on_14(void)
{
    TICK();
    seen[2] = (uint16_t)(seen[2] ^ READ(TBR, TIMER | WORD, 0xffff));
}

int main(void)
{
    REGISTER16(TACTL) = 0x0120;
    __asm__ volatile("nop\n eint\n nop" ::: "memory");
    for (uint16_t i = 0; i < SIZE; i++) {
        TICK();
        result[0] = twice(result[6]);
        result[1] = twice(result[0]);
        result[2] = fibonacci(3 + i);
        result[10] = by_goto(4);
        peripherals();
        library();
        reads();
        waits();
        hc_update();
        __asm__ volatile("bis #0x18, r2\n nop" ::: "memory", "r2"); /* sleeps until an interrupt */
    }
    result[15] = 0xd09e;
    __asm__ volatile("dint\n nop" ::: "memory");
    for (;;)
        __asm__ volatile("bis #0x10, r2\n nop" ::: "memory", "r2");
}
