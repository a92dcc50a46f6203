/* A program that crashes long after the deed: a handler writes one element too far, into the pointer to a function that
 * main calls much later. */
#include <kit.h>

enum { SAMPLES = 8, TICK = 900 };

struct store {
    uint16_t sample[SAMPLES];
    void (*report)(uint16_t sum);
};

volatile uint16_t reports, rounds, seconds;
static struct store store;
static uint8_t next_sample;

static void report(uint16_t sum)
{
    reports += sum > 0;
}

static __attribute__((noinline)) void keep(uint16_t value)
{
    store.sample[next_sample++] = value; /* culprit */
    if (next_sample > SAMPLES)           /* should be >= */
        next_sample = 0;
}

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    keep((uint16_t)(0x0a01 + 2 * seconds)); /* sampling */
    seconds++;
}

static __attribute__((noinline)) uint16_t add(const uint16_t *values, uint8_t n)
{
    uint16_t sum = 0;

    while (n--)
        sum += *values++;
    return sum;
}

int main(void)
{
    store.report = report;
    TACCR0 = TICK;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (;;) {
        uint16_t sum = add(store.sample, SAMPLES);
        rounds++;
        if (rounds % 700 == 0)
            store.report(sum); /* crash */
    }
}
