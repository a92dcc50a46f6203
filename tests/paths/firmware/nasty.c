/* Ways that code can go: loops of all kinds, switches, recursion, calls by pointer, functions that do not return, more
 * paths than numbers, flags that live across branches, labels in assembly, jumps into loops, interrupts that interrupt
 * each other, and themselves. WHEN: cycles until the first interrupt; 0: every 97, and another every 61. */
#include <kit.h>
#include <messages.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif

#ifndef DEEPEST
#define DEEPEST 3 /* handlers, one in the other: a fourth is the other one */
#endif
#define KEEP __attribute__((noinline))

uint16_t when __attribute__((section(".noinit")));
volatile uint16_t finished, result, ticks, tocks, seed = 7, input;
typedef uint16_t function(uint16_t);

static KEEP uint16_t draw(void)
{
    seed = (uint16_t)(seed * 25173 + 13849);
    return seed >> 5;
}

KEEP uint16_t many(uint16_t bits)
{
    uint16_t n = 0;
#define IF(k)                 \
    if (bits & (1u << (k)))   \
        n += (k) * input + 1; \
    else                      \
        n ^= (k) + 5 + input;
    IF(0) IF(1) IF(2) IF(3) IF(4) IF(5) IF(6) IF(7) IF(8) IF(9) IF(10) IF(11) IF(12) IF(13) IF(14) IF(15) return n;
}

KEEP uint16_t chosen(uint16_t n)
{
    switch (n & 15) {
    case 0:
        return 3;
    case 1:
        result++;
        break;
    case 2:
        result += 2; /* fallthrough */
    case 3:
        result += n;
        break;
    case 4:
    case 9:
        return draw();
    case 5:
        for (uint16_t i = 0; i < (n >> 4 & 3); i++)
            result ^= i;
        break;
    case 7:
        return n > 50 ? draw() : result;
    default:
        result--;
    }
    return result;
}

KEEP long wide(long a, long b)
{
    long n = 0;
    while (a > b) { /* flags of two comparisons */
        a -= b + 9;
        if (a < 5)
            n++;
        else if ((unsigned long)a >= 0x10000)
            n += 3;
        if (n > 40)
            break;
    }
    return n + (a == b);
}

KEEP uint16_t recursive(uint16_t n)
{
    if (n < 2)
        return 1;
    if (n & 1)
        return (uint16_t)(recursive(n - 1) + n);
    return (uint16_t)(recursive(n - 2) ^ recursive(n - 1));
}

static uint16_t odd(uint16_t n);

static KEEP uint16_t even(uint16_t n)
{
    return n ? odd(n - 1) : 1;
}

static KEEP uint16_t odd(uint16_t n)
{
    return n ? even(n - 1) : 0;
}

/* A loop with two ways in. */
KEEP uint16_t irreducible(uint16_t n)
{
    uint16_t turns = 0;

    if (n & 1)
        goto second;
first:
    turns += 3;
    if (n-- == 0)
        return turns;
    if (draw() & 4)
        goto first;
second:
    turns++;
    if (n & 2)
        n--;
    if (n > 1) {
        n -= 2;
        goto first;
    }
    if (n) {
        n = 0;
        goto second;
    }
    return turns;
}

KEEP uint16_t assembled(uint16_t n)
{
    uint16_t turns;

    __asm__ volatile("clr %0\n"
                     "1:\tadd #3, %0\n"
                     "\tsub #1, %1\n"
                     "\tjn 2f\n"
                     "\tjne 1b\n"
                     "2:\n"
                     : "=&r"(turns), "+r"(n));
    return turns > 20 ? turns : n;
}

static KEEP uint16_t silent(uint16_t n)
{
    result += n;
    return result;
}

static function *const table[] = { many, chosen, recursive, silent, irreducible };

KEEP uint16_t by_pointer(uint16_t n)
{
    function *f = table[n % 5];
    uint16_t found = f(n % 5 == 2 ? n & 7 : n & 63);
    return silent(found) + silent(1);
}

/* Not recorded, but what it calls is. */
KEEP uint16_t unseen_twice(function *f, uint16_t n)
{
    return f(n) + f(n + 1);
}

KEEP uint16_t through_unseen(uint16_t n)
{
    uint16_t found = unseen_twice(chosen, n);
    found += silent(found);
    return found + unseen_twice(silent, n);
}

_Noreturn KEEP void end(uint16_t n)
{
    if (n & 1)
        result++;
    finished = 0xd09e;
    for (;;)
        hc_update();
}

KEEP uint16_t nested_loops(uint16_t n)
{
    uint16_t sum = 0;
    for (uint16_t i = 0; i < n; i++) {
        for (uint16_t k = i; k; k >>= 1)
            if (k & 1)
                sum += silent(k);
        do {
            sum ^= i;
            if (sum == 77)
                continue;
            if (sum > 30000)
                goto out;
        } while (sum++ & 3);
    }
out:
    return sum;
}

KIT_INTERRUPT(TIMERB0_VECTOR) void inner(void)
{
    if (!when)
        TBCCR0 += 61;
    tocks++;
    if (tocks & 1)
        chosen(tocks);
}

KIT_INTERRUPT(TIMERA0_VECTOR) void outer(void)
{
    static uint16_t nested;

    if (when)
        TACTL = 0; /* that was the only one */
    ticks++;
    if (++nested < DEEPEST && ticks & 2)
        kit_enable_interrupts(); /* the other one may come, and this one again */
    if (wide(ticks & 63, 3) > 2)
        by_pointer(ticks);
    else
        recursive(3);
    kit_disable_interrupts();
    nested--;
}

static void start(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    hc_message_send(1, 2);
    TACCTL0 = CCIE;
    TBCCTL0 = when ? 0 : CCIE;
    TACCR0 = when ? when : 4097;
    TBCCR0 = 61;
    TACTL = TASSEL_2 | MC_1 | TACLR;
    TBCTL = TBSSEL_2 | (when ? 0 : MC_2 | ID_3) | TBCLR;
    kit_enable_interrupts();
}

int main(void)
{
    if (!when)
        when = 0;
    start();
    for (uint16_t i = 0; i < (when ? 1 : 12); i++) {
        input = i;
        result += many(draw());
        result ^= chosen(draw());
        result += (uint16_t)wide((long)draw() * 70, draw() & 255);
        result += recursive(draw() & 7);
        result += even(draw() & 15);
        result += irreducible(draw() & 15);
        result += assembled(draw() & 15);
        result ^= by_pointer(draw());
        result ^= through_unseen(draw());
        result += nested_loops(draw() & 15);
        hc_update();
    }
    kit_disable_interrupts();
    end(result);
}
