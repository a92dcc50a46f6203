/* Loops and calls of all forms, which count by hand how often a turn is completed and how often a call returns. Built
 * with calls of checkpoint() placed at loop latches, or behind calls, those must be as many; what is computed must be
 * what it is without. */
#include <kit.h>

volatile uint16_t result[100]; /* of each part: what it computes, checkpoints, turns, returns */
volatile uint16_t count;
volatile uint16_t finished;

static uint16_t passed, turns, returns;
static uint16_t trace;

void checkpoint(void)
{
    passed++;
    trace = (uint16_t)(trace * 3 + turns);
}

/* Returns are counted by the callee, as what runs last in it. */
static __attribute__((noinline)) uint16_t twice(uint16_t x)
{
    returns++;
    return (uint16_t)(2 * x);
}

struct pair {
    uint16_t a, b;
};

static __attribute__((noinline)) struct pair both(uint16_t x)
{
    returns++;
    return (struct pair){ x, (uint16_t)~x };
}

static __attribute__((noinline)) void nothing(void)
{
    returns++;
}

static uint16_t simple_loops(void)
{
    uint16_t s = 0, n = 7;
    for (uint16_t i = 0; i < 10; i++, turns++)
        s = (uint16_t)(s + i);
    while (n) {
        n--;
        turns++;
    }
    do {
        n++;
        turns++;
    } while (n < 5);
    for (;;) {
        if (++s > 60)
            break;
        turns++;
    }
    return (uint16_t)(s * n);
}

static uint16_t unbraced(void)
{
    uint16_t s = 0;
    for (uint16_t i = 0; i < 4; i++, turns++)
        while (s % 5 != 4)
            s++, turns++;
    while (s++ < 20)
        if (s & 1)
            s++, turns++;
        else
            turns++;
    do
        s++, turns++;
    while (s & 3);
    return s;
}

static uint16_t continues(void)
{
    uint16_t s = 0, n = 20;
    while (n--) {
        turns++;
        if (n & 1)
            continue;
        switch (n) {
        case 4:
            s += 7;
            break;
        case 6:
            s += 2;
            continue;
        default:
            s++;
        }
        if (n == 2) {
            turns--;
            break;
        }
    }
    do {
        turns++;
        if (++n % 3)
            continue;
        s++;
    } while (n < 12);
    for (uint16_t i = 0; i < 9; i++) {
        turns++;
        if (i % 2)
            continue;
        s += i;
    }
    return s;
}

static uint16_t jumps(void)
{
    uint16_t s = 0, n = 3;
again:
    s++;
    if (s < 9) {
        turns++;
        goto again;
    }
    while (n) {
        if (n == 1)
            goto next;
        s += n;
    next:
        n--;
        turns++;
    }
    do {
        if (s > 1000)
            continue;
        s++;
    } while (0);
    return s;
}

static uint16_t middle(uint16_t n)
{
    uint16_t s = 0;
    switch (n & 1) {
    case 0:
        do {
            s++;
            n--; /* fall through */
        case 1:
            s += 3;
            n--;
            turns++;
        } while ((int16_t)n > 0);
    }
    return s;
}

static uint16_t leaves(uint16_t n)
{
    for (uint16_t i = 0;; i++, turns++)
        while (n--) {
            if (n == 3)
                return i;
            turns++;
        }
}

static uint16_t calls(void)
{
    uint16_t (*pointer)(uint16_t) = twice;
    uint16_t s = (uint16_t)(twice(3) + twice(twice(4)) * 2);
    nothing();
    s = (uint16_t)(s + both(5).b + pointer(1) + (*pointer)(2));
    if (twice(s) > 4)
        nothing();
    else
        s++;
    for (uint16_t i = twice(0); twice(i) < 6; i = (uint16_t)(i + twice(1)), turns++)
        s += sizeof(twice(1));
    return s ? twice(s) : s;
}

static void note(uint16_t value)
{
    result[count] = value;
    count++;
}

/* By a macro, so that no call comes between. */
#define PART(call)                                           \
    do {                                                     \
        passed = turns = returns = 0;                        \
        uint16_t value = (call);                             \
        returns++;                                           \
        uint16_t seen = passed;                              \
        note(value), note(seen), note(turns), note(returns); \
    } while (0)

int main(void)
{
    PART(simple_loops());
    PART(unbraced());
    PART(continues());
    PART(jumps());
    PART(middle(8));
    PART(middle(9));
    PART(leaves(6));
    PART(calls());
    finished = 0xd09e;
    return trace == 0xffff;
}
