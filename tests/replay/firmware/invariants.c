/* Invariants of every kind, each violated at known rounds. hc_on_violation tells the UART of those that want it: a
 * second account of what a replay must find. */
#include <hindcast.h>
#include <kit.h>

volatile uint16_t ticks, round_number;
static uint16_t level, depth;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    ticks++;
    KIT_WAKE_ON_EXIT();
}

HC_AT(small, (uint16_t value), value < 40, HC_SEND);
HC_GLOBAL(shallow, depth < 3, HC_SEND);
HC_ALWAYS(level_known, level != 7, HC_SEND);
HC_WITHIN(in_time, 5, HC_SEND);
HC_EVERY(regular, 3, 5, HC_SEND);
HC_ORDER(counted, value == last + 1, HC_SEND);
HC_AT(silent, (uint16_t value), value != 21, HC_LOG);
HC_AT(ends, (uint16_t value), value < 90, HC_FREEZE | HC_SEND);

void hc_on_violation(uint16_t line, uint8_t times)
{
    kit_put_unsigned(line);
    kit_put(" ");
    kit_put_unsigned(times);
    kit_put("\n");
}

static void descend(uint16_t n)
{
    HC_THROUGHOUT(shallow);
    if (!n)
        return;
    depth++;
    descend(n - 1);
    depth--;
}

static void turn(uint16_t n)
{
    HC_CHECK(small, n);
    HC_CHECK(silent, n);
    HC_CHECK(ends, n);
    level = n % 11;
    descend(n == 12 ? 4 : 2);
    if (n % 4 == 0 && n != 24) /* once it does not come */
        HC_HAPPENED(regular, n);
    HC_STILL(regular, n);
    if (n % 10 == 0)
        HC_BEGIN(in_time, n);
    if (n % 10 == 4 || n == 37) /* 34 is left out: 37 is late */
        if (n != 34)
            HC_END(in_time, n);
    HC_VALUE(counted, n == 17 ? 100 : n);
    hc_check_always();
}

int main(void)
{
    kit_uart_init(1000000, 9600);
    TACCR0 = 3000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (; round_number < 100; round_number++) {
        while (ticks < 2 * round_number)
            kit_sleep(CPUOFF | GIE);
        turn(round_number);
    }
    for (;;)
        kit_sleep(CPUOFF | GIE);
}
