/* What the debuggers' sessions debug. The scripts refer to lines by the words in the comments at their ends. */
#include <kit.h>

struct reading {
    uint16_t sensor;
    int16_t value;
    uint32_t when;
    char unit;
};

enum { TICK = 500, READINGS = 4 };

volatile uint16_t ticks;
struct reading readings[READINGS];
struct reading *latest;
volatile uint16_t total = 1000;
volatile uint16_t phase;

/* Comes every half a millisecond, so that stepping has something to step past. */
KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++; /* in tick */
}

static int16_t scale(int16_t value, int16_t by)
{
    int16_t product = 0;

    while (by > 0) {
        product += value;
        by--;
    }
    return product; /* scaled */
}

static void record(uint16_t sensor, int16_t raw)
{
    struct reading *r = &readings[sensor % READINGS];

    r->sensor = sensor;
    r->value = scale(raw, 3); /* scaling */
    r->when = 100000ul * sensor;
    r->unit = (char)('A' + sensor);
    latest = r; /* recorded */
}

static void start_timer(void)
{
    TACCR0 = TICK;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
}

int main(void)
{
    start_timer();
    for (uint16_t sensor = 1; sensor <= 3; sensor++)
        record(sensor, (int16_t)(-10 * (int16_t)sensor));
    total = 2000; /* first change */
    total += ticks > 0;
    for (;;) {
        phase++; /* round */
        if (phase == 60000u)
            phase = 0; /* wrapped */
    }
}
