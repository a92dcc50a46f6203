/* Values that came in unusual ways: by DMA, by the multiplier, in parts, through the library, from a stack that nobody
 * initialised, before a reset. It never ends. */
#include <kit.h>
#include <string.h>

volatile uint16_t in = 7;
uint8_t source[8], target[8], flags, copied[8];
uint16_t sum, product, quotient, left_over, fed;
uint32_t halves;
uint64_t wide, third;
volatile uint16_t finished, way = 1;
uint16_t chosen, returned, by_pointer, counted, kept_apart, selected;

static uint16_t __attribute__((noinline)) reads_what_was_there(void)
{
    volatile uint16_t slot[3];
    return slot[1]; /* never set */
}

static void __attribute__((noinline)) uses_the_stack(uint16_t first)
{
    volatile uint16_t slot[6];
    for (uint8_t i = 0; i < 6; i++)
        slot[i] = first + i; /* dirt */
}

static void transfer(const volatile void *from, void *to, uint16_t bytes, uint16_t steps)
{
    DMA0SA = (uint16_t)(uintptr_t)from;
    DMA0DA = (uint16_t)(uintptr_t)to;
    DMA0SZ = bytes;
    DMACTL0 = 0;
    DMA0CTL = DMADT_1 | steps | DMADSTINCR_3 | DMASBDB | DMAEN | DMAREQ;
    while (!(DMA0CTL & DMAIFG))
        ;
}

static uint16_t __attribute__((noinline)) picks(uint16_t which)
{
    if (which) { /* picked */
        way++;
        return 5;
    }
    return 9;
}

static uint16_t __attribute__((noinline)) one_more(uint16_t n)
{
    return n + 1; /* one more */
}

static uint16_t __attribute__((noinline)) two_more(uint16_t n)
{
    return n + 2; /* two more */
}

static uint16_t (*volatile more[])(uint16_t) = { one_more, two_more };

static uint16_t __attribute__((noinline)) counts(uint16_t turns)
{
    uint16_t n = 0;
    while (turns--) { /* turn */
        n += 3;
        way = n;
    }
    return n;
}

/* Values that are constants, of which something chose one. */
static void __attribute__((noinline)) choose(void)
{
    uint16_t one;
    if (way) { /* chosen */
        way = way + 1;
        one = 1000;
    } else {
        way = 7;
        one = 2000;
    }
    chosen = one; /* after the choice */
    returned = picks(way);
    by_pointer = more[1](40); /* called by pointer */
    counted = counts(in - 2);
    if (in) { /* before */
        way = 1;
        one = 3;
    }
    selected = way ? (finished ? 1 : 2) : 3; /* selected */
    kept_apart = one + (uint16_t)(in - 7);   /* always */
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    for (uint8_t i = 0; i < 8; i++)
        source[i] = (uint8_t)(in + i); /* filled */
    transfer(source, target, 8, DMASRCINCR_3);
    sum = target[3] + 1;
    transfer(&P1DIR, &fed, 1, 0);
    MPY = in;
    OP2 = in + 2;
    product = RESLO; /* multiplied */
    uses_the_stack(in);
    left_over = reads_what_was_there();
    memcpy(copied, source, sizeof copied);
    quotient = source[5] / in; /* divided */
    ((volatile uint16_t *)&halves)[0] = in;
    ((volatile uint16_t *)&halves)[1] = in + 1; /* second half */
    flags |= 4;
    flags |= 0x10;                                         /* set */
    ((volatile uint16_t *)&wide)[2] = (uint16_t)(in << 1); /* long before */
    third = wide / 3;
    ((volatile uint16_t *)&wide)[0] = 5; /* last */
    choose();
    finished = 0xD09E;
    for (;;)
        ;
}
