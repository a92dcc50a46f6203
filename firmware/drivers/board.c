#include "drivers/board.h"

#include "drivers/clock.h"
#include "drivers/ds2411.h"
#include "drivers/m25p80.h"
#include "drivers/spi.h"
#include "kernel/random.h"
#include "kernel/timer.h"

#include <kit.h>

enum { NO_ID = 0xffff };

uint16_t node_id = NO_ID;

/* Outputs and what they are at first; every pin that is not named is an input.
 *     P1   6 SHT11 clock, 7 SHT11 supply (off)
 *     P3   1 SIMO, 3 UCLK
 *     P4   2 radio CSn, 4 flash S, 5 radio VREG_EN (off), 6 radio RESETn, 7 flash HOLD
 *     P5   4-6 LEDs (off)
 *     P6   analog */
static void pins_init(void)
{
    P1OUT = 0;
    P1DIR = BIT6 | BIT7;
    P2OUT = 0;
    P2DIR = 0;
    P3OUT = 0;
    P3DIR = BIT1 | BIT3;
    P4OUT = BIT2 | BIT4 | BIT6 | BIT7;
    P4DIR = BIT2 | BIT4 | BIT5 | BIT6 | BIT7;
    P5OUT = BIT4 | BIT5 | BIT6;
    P5DIR = BIT4 | BIT5 | BIT6;
    P6SEL = 0xff;
}

static void identify(void)
{
    uint8_t serial[6];
    if (node_id == NO_ID && ds2411_read(serial))
        node_id = (uint16_t)(serial[0] | serial[1] << 8);
    if (node_id == NO_ID)
        node_id = 1;
}

void board_start(void)
{
    pins_init();
    clock_calibrate();
    timer_init();
    spi_init();
    m25p80_init();
    identify();
    random_seed(node_id);
}
