/* What power failures may break, and what not: a variable each. */
#include <kit.h>

struct record {
    uint16_t a, b;
    uint8_t text[4];
};

uint16_t counter = 7;      /* read, then written */
uint16_t guarded = 7;      /* the same, with a checkpoint in between */
uint16_t only_written;     /* before it is read */
uint16_t only_read = 3;    /* never written */
uint16_t constant = 5;     /* read, and the same value stored */
struct record copied_back; /* by memcpy, there and back */
union {
    uint16_t whole;
    uint8_t half[2];
} overlapping;                  /* a word is read, a byte of it written */
static volatile uint16_t depth; /* of a recursion */

volatile uint16_t result;
volatile uint16_t finished;

__attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("nop");
}

static __attribute__((noinline)) void count(void)
{
    *(volatile uint16_t *)&counter += 1; /* the culprit */
}

static __attribute__((noinline)) void count_guarded(void)
{
    uint16_t value = *(volatile uint16_t *)&guarded;
    checkpoint();
    *(volatile uint16_t *)&guarded = (uint16_t)(value + 1);
    checkpoint();
}

static __attribute__((noinline)) void write_first(void)
{
    *(volatile uint16_t *)&only_written = 9;
    result = (uint16_t)(result + *(volatile uint16_t *)&only_written + *(volatile uint16_t *)&only_read);
    *(volatile uint16_t *)&constant = *(volatile uint16_t *)&constant;
}

static __attribute__((noinline)) void copy(void)
{
    struct record there;
    memcpy(&there, &copied_back, sizeof there);
    there.a++;
    there.text[1]++;
    memcpy(&copied_back, &there, sizeof there);
}

static __attribute__((noinline)) void overlap(void)
{
    result = (uint16_t)(result + *(volatile uint16_t *)&overlapping.whole);
    *(volatile uint8_t *)&overlapping.half[1] = 0x55;
}

static __attribute__((noinline)) uint16_t recurse(uint16_t n)
{
    depth = n;
    return n ? (uint16_t)(n + recurse((uint16_t)(n - 1))) : 0;
}

int main(void)
{
    count();
    count_guarded();
    write_first();
    copy();
    overlap();
    result = (uint16_t)(result + recurse(4));
    checkpoint();
    finished = 0xd09e;
    return 0;
}
