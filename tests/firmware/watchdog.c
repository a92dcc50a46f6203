/* Lets the watchdog expire, then writes a wrong key, and looks after each reset at what WDTIFG says; then uses it as an
 * interval timer from LPM3. */
#include <kit.h>

enum { MAGIC = 0xb007 };

static volatile uint16_t magic __attribute__((section(".noinit")));
static volatile uint16_t boots __attribute__((section(".noinit")));
volatile uint16_t result[5] __attribute__((section(".noinit")));
volatile uint16_t finished;

static volatile uint16_t intervals;

void kit_reset_hook(void) /* the watchdog stays on */
{
}

KIT_INTERRUPT(WDT_VECTOR) void interval(void)
{
    if (++intervals == 5)
        KIT_WAKE_ON_EXIT();
}

int main(void)
{
    if (magic != MAGIC) {
        magic = MAGIC;
        boots = 0;
    }
    result[boots] = IFG1 & WDTIFG;
    IFG1 &= (uint8_t)~WDTIFG;
    if (boots++ == 0)
        for (;;)
            continue;
    if (boots == 2)
        WDTCTL = WDTHOLD;
    WDTCTL = WDTPW | WDTTMSEL | WDTCNTCL | WDTSSEL | WDTIS1;
    IE1 = WDTIE;
    kit_sleep(SCG1 | SCG0 | CPUOFF | GIE);
    result[3] = intervals;
    result[4] = WDTCTL;
    finished = 0xd09e;
    for (;;)
        continue;
}
