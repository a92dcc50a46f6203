/* Calls within calls, of which the program keeps account itself: what a backtrace says of arguments can be compared.
 *
 * Functions have up to four parameters, a to d, which they do not change. Each writes them down on entry; values that
 * are needed after a call make compilers save registers in every function.
 *
 * gcc/frames-os.elf and gcc/frames-o2.elf are kept, for Debian has no msp430-elf-gcc. Made by GCC 12.2:
 *
 *     FIRMWARE_CC=msp430-elf-gcc firmware/kit/build frames-os.elf -Os -gdwarf-4 tests/debug/frames.c
 *
 * The test goes by lines of this file: whoever changes it makes them anew. */
#include <kit.h>

enum { DEEPEST = 40, ARGUMENTS = 4 };
enum { LEAF = 1, EVEN, ODD, TREE, WIDE, THROUGH, LINKED };

struct account {
    uint16_t function;
    uint16_t argument[ARGUMENTS];
};

volatile struct account account[DEEPEST];
volatile struct account *volatile next = account;
volatile uint16_t finished, sum, interrupts;

#define FUNCTION static __attribute__((noinline))
/* Moved on first: an interrupt meanwhile takes the next. */
#define ENTER(f, a, b, c, d)                  \
    do {                                      \
        next++;                               \
        next[-1].function = (f);              \
        next[-1].argument[0] = (uint16_t)(a); \
        next[-1].argument[1] = (uint16_t)(b); \
        next[-1].argument[2] = (uint16_t)(c); \
        next[-1].argument[3] = (uint16_t)(d); \
    } while (0)
#define LEAVE() (next--)

FUNCTION uint16_t leaf(uint16_t a, uint8_t b)
{
    ENTER(LEAF, a, b, 0, 0);
    sum += a; /* in leaf */
    sum ^= b;
    LEAVE();
    return a + b;
}

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    interrupts++;
    leaf(interrupts, 7);
}

FUNCTION int16_t odd(int16_t a, uint16_t b, _Bool c);

FUNCTION int16_t even(int16_t a, uint16_t b, _Bool c)
{
    ENTER(EVEN, a, b, c, 0);
    int16_t kept = (int16_t)(3 * a), r = a ? odd(a - 1, b + 1, !c) : (int16_t)leaf(b, c);
    LEAVE();
    return r + kept + (c ? (int16_t)b : a);
}

FUNCTION int16_t odd(int16_t a, uint16_t b, _Bool c)
{
    ENTER(ODD, a, b, c, 0);
    uint16_t kept = b * 5;
    int16_t r = a ? even(a - 1, b + 2, c) : (int16_t)leaf(b, 100);
    LEAVE();
    return r - (int16_t)kept + a;
}

FUNCTION uint16_t tree(uint16_t a, int16_t b, uint8_t c, uint16_t d)
{
    ENTER(TREE, a, b, c, d);
    uint16_t low = c, high = d, all = leaf(a ^ d, c);
    if (a) {
        low = tree(a - 1, -b, c + 1, d ^ a);
        high = tree(a - 1, b - 1, c + 2, low);
    }
    uint16_t r = low + 3 * high + all + a + (uint16_t)b + c + d;
    LEAVE();
    return r;
}

/* Long arguments take two registers each. */
FUNCTION uint32_t wide(uint32_t a, uint32_t b)
{
    ENTER(WIDE, a, b, 0, 0);
    uint32_t r = a;
    for (uint8_t i = 0; i < 3; i++)
        r += b ^ leaf((uint16_t)(a >> 8) + i, i);
    LEAVE();
    return r + a;
}

FUNCTION uint16_t through(uint16_t (*a)(uint16_t, uint8_t), uint16_t b)
{
    ENTER(THROUGH, (uintptr_t)a, b, 0, 0);
    uint16_t r = a(b, 9) + a(b + 1, 10);
    LEAVE();
    return r + b;
}

struct link {
    struct link *next;
    uint16_t kind;
};
struct link links[3] = { { &links[1], 5 }, { &links[2], 6 }, { NULL, 5 } };

/* Compilers put what is after the loop before it: what follows that return is described as if the stack were empty. */
FUNCTION void linked(struct link *a, uint16_t b, uint16_t c)
{
    ENTER(LINKED, (uintptr_t)a, b, c, 0);
    if (b > 1000 || c == 3)
        sum++;
    else
        for (struct link *l = a; l; l = l->next)
            if (l->kind == b)
                leaf(b + c, (uint8_t)c);
    LEAVE();
}

int main(void)
{
    TACCR0 = 397;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (uint16_t n = 0; n < 4; n++) {
        sum += (uint16_t)even(5, n, n & 1);
        sum += tree(3, (int16_t)n - 2, 11, 400 + n);
        sum += (uint16_t)wide(0x12345678ul + n, 0x0bad0000ul);
        sum += through(leaf, n);
        linked(links, 5, n + 2);
    }
    finished = 0xd09e;
    for (;;)
        ;
}
