/* The first ports' names: <io.h>, <signal.h>, interrupt(), eint(). */
#include <io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

void kit_uart_init(unsigned long smclk_hz, unsigned long baud);
void kit_uart_drain(void);

static volatile unsigned ticks;

interrupt(TIMERB0_VECTOR) tick(void)
{
    if (++ticks == 3)
        LPM3_EXIT;
}

/* A program's own standard output. */
static char said[16];
static unsigned length;

int putchar(int c)
{
    if (length < sizeof said - 1)
        said[length++] = (char)c;
    return c;
}

void kit_put(const char *text);

int main(void)
{
    kit_uart_init(1000000, 115200);
    TBCCR0 = 3000;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_2 | MC_1;
    dint();
    eint();
    _BIS_SR(LPM0_bits);
    dint();
    printf("%d ticks", ticks);
    kit_put(said);
    kit_put("\n");
    kit_uart_drain();
    abort();
}
