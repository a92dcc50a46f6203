/* The radio's driver without the layers above: on, power and channel, energy, standby, off, reception.
 * result: 0 ticks until on from off, 1 RSSI, 2 channel clear before and 3 during a carrier, 4 energy seen, 5 RSSI of
 * the carrier, 6 ticks until on from standby, 7 transmissions refused by a busy channel, 8 frames received, 9 the sum
 * of their sequence numbers. The test looks at `phase`. */
#include "drivers/board.h"
#include "drivers/cc2420.h"
#include "drivers/spi.h"
#include "kernel/sleep.h"
#include "kernel/timer.h"

enum { STEP = 3277 }; /* 100 ms for each phase */

volatile uint16_t result[10];
volatile uint16_t phase;
static uint32_t began;

static const uint8_t frame[] = { 9, 0x41, 0x88, 1, 0xff, 0xff, 0xff, 0xff };

static void started(void)
{
    result[phase ? 6 : 0] = (uint16_t)(timer_now() - began);
}

static void received(const uint8_t *f, const struct cc2420_footer *footer)
{
    (void)footer;
    result[8]++;
    result[9] += f[3];
}

static void energy(void)
{
    result[4]++;
}

static void granted(void)
{
}

static struct spi_client other = { .granted = granted };

static const struct cc2420_config config = { .channel = 20, .power = 31, .pan = 0x22, .address = 9 };
static const struct cc2420_events events = {
    .started = started, .received = received, .energy = energy, .granted = granted
};

static uint16_t rssi(void)
{
    cc2420_acquire();
    uint16_t dbm = (uint16_t)cc2420_rssi();
    cc2420_release();
    return dbm;
}

static bool transmit(void)
{
    cc2420_acquire();
    cc2420_load(frame);
    bool leaves = cc2420_transmit();
    cc2420_release();
    return leaves;
}

static void in_the_carrier(void)
{
    result[3] = cc2420_channel_clear();
    result[5] = rssi();
    result[7] += !transmit();
}

static void next(void *unused)
{
    (void)unused;
    switch (++phase) {
    case 1:
        result[1] = rssi();
        result[2] = cc2420_channel_clear();
        transmit();
        break;
    case 2:
        cc2420_set_power(3);
        cc2420_set_channel(15);
        break;
    case 3:
        transmit();
        break;
    case 4:
        cc2420_watch_channel(true);
        break; /* the test makes a carrier */
    case 5:
        in_the_carrier();
        break;
    case 6:
        cc2420_standby();
        break;
    case 7:
        began = timer_now();
        cc2420_on();
        break;
    case 8:
        transmit(); /* power and channel were kept */
        break;
    case 9:
        cc2420_off();
        break;
    case 10:
        cc2420_on();
        break;
    case 11:
        spi_acquire(&other); /* frames come, and nobody can read them */
        break;
    case 12:
        spi_release(&other);
        break;
    }
}

static struct timer stepping = TIMER(next, NULL);

int main(void)
{
    board_start();
    cc2420_init(&config, &events);
    began = timer_now();
    cc2420_on();
    timer_start_periodic(&stepping, STEP);
    kernel_run();
}
