/* The log stays in RAM, where the test finds it. */
#include "reentry.h"

#include <hindcast.h>
#include <kit.h>

volatile unsigned shared;
volatile unsigned working; /* 1: interrupts may come; 2: all is written */
uint8_t log_bytes[1024];
unsigned log_length;

static volatile unsigned result;
static unsigned interrupts;

void hc_sink_put(uint8_t byte)
{
    if (log_length < sizeof log_bytes)
        log_bytes[log_length++] = byte;
}

/* For the build with --port=generic. */
uint16_t hc_port_lock(void)
{
    uint16_t before = kit_status();

    kit_disable_interrupts();
    return before;
}

void hc_port_unlock(uint16_t before)
{
    kit_set_status(before);
}

unsigned leaf(unsigned *local)
{
    *local += 7;
    return twice(*local);
}

void notify(unsigned count)
{
    result ^= apply(twice, count);
}

static unsigned thrice(unsigned value)
{
    return 3 * value;
}

KIT_INTERRUPT(PORT1_VECTOR) void on_port1(void)
{
    P1IFG = 0;
    interrupts++;
    shared += 5;
    kit_enable_interrupts();
    arrived(interrupts);
    shared ^= 1;
}

int main(void)
{
    P1IE = 1;
    kit_enable_interrupts();
    working = 1;
    result = sum_to(3);
    result += apply(thrice, result);
    result += apply(twice, 4);
    result += twice(result);
    working = 0;
    for (unsigned i = 0; i < 40; i++)
        hc_update();
    working = 2;
    for (;;)
        ;
}
