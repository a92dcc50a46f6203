#include "energy.h"

#include <stdlib.h>
#include <string.h>

const char *const hc_consumer_names[HC_CONSUMERS] = { "cpu", "radio", "flash", "leds", "sht11" };

/* ---- currents ----
 *
 * Nanoamperes at 3 V and 25 C; typical values where the datasheet has them. */

/* TI SLAS368, MSP430F15x/F16x/F161x, supply current: 500 uA at 1 MHz, in proportion to the frequency, which is a charge
 * for each cycle. LPM0 is given for SMCLK at 1 MHz and LPM1 not at all: as LPM0. */
enum { CPU_PICOCOULOMBS_A_CYCLE = 500 };
static const uint32_t cpu_nanoamperes[HC_MODES] = {
    [HC_MODE_ACTIVE] = 0, /* by cycles */
    [HC_MODE_LPM0] = 75000, [HC_MODE_LPM1] = 75000, [HC_MODE_LPM2] = 17000, [HC_MODE_LPM3] = 2600, [HC_MODE_LPM4] = 200,
};

/* Chipcon SWRS041, electrical specifications: regulator off 0.02 uA, power-down 20 uA, idle 426 uA, receive 18.8 mA. It
 * has no number for calibration and for the synthesizer alone: as for receiving, where the synthesizer runs too.
 * Transmission: by level, below. */
static const uint32_t radio_nanoamperes[HC_CC2420_STATES] = {
    [HC_CC2420_OFF] = 20,
    [HC_CC2420_VREG_START] = 20000,
    [HC_CC2420_POWER_DOWN] = 20000,
    [HC_CC2420_XOSC_START] = 426000,
    [HC_CC2420_IDLE] = 426000,
    [HC_CC2420_RX_CALIBRATE] = 18800000,
    [HC_CC2420_RX_SFD_SEARCH] = 18800000,
    [HC_CC2420_RX_WAIT] = 18800000,
    [HC_CC2420_RX_FRAME] = 18800000,
    [HC_CC2420_RX_OVERFLOW] = 18800000,
    [HC_CC2420_TX_CALIBRATE] = 18800000,
    [HC_CC2420_TX_WAIT] = 18800000,
    [HC_CC2420_TX_ACK_CALIBRATE] = 18800000,
};

/* Chipcon SWRS041, output power settings: every fourth PA_LEVEL from 3 to 31. */
static const uint32_t transmit_nanoamperes[] = { 8500000,  9900000,  11200000, 12500000,
                                                 13900000, 15200000, 16500000, 17400000 };

/* ST M25P80, DC characteristics: standby 50 uA, deep power-down 10 uA, read 4 mA, program, erase and write status 15 mA
 * (all maxima; it has no typical values). */
static const uint32_t flash_nanoamperes[] = {
    [HC_M25P80_OFF] = 0,
    [HC_M25P80_STANDBY] = 50000,
    [HC_M25P80_DEEP_POWER_DOWN] = 10000,
    [HC_M25P80_ACTIVE] = 4000000,
    [HC_M25P80_PROGRAM] = 15000000,
    [HC_M25P80_ERASE] = 15000000,
    [HC_M25P80_WRITE_STATUS] = 15000000,
};

/* Nominal currents of the mote's LEDs at 3 V, as R. Fonseca et al., "Quanto" (OSDI 2008), table 1, lists them. */
static const uint32_t led_nanoamperes[HC_TELOSB_LEDS] = {
    [HC_TELOSB_RED] = 4300000, [HC_TELOSB_GREEN] = 3700000, [HC_TELOSB_BLUE] = 1700000
};

/* Sensirion SHT1x: 0.3 uA asleep, 550 uA measuring. */
static const uint32_t sht11_nanoamperes[] = {
    [HC_SHT11_OFF] = 0, [HC_SHT11_IDLE] = 300, [HC_SHT11_MEASURING] = 550000
};

/* Between the table's rows, and below the lowest, straight lines. */
static double transmit_current(int level)
{
    enum { LEAST = 3, STEP = 4, ROWS = sizeof transmit_nanoamperes / sizeof *transmit_nanoamperes };
    int row = level < LEAST ? 0 : (level - LEAST) / STEP;
    if (row > ROWS - 2)
        row = ROWS - 2;
    double low = transmit_nanoamperes[row], high = transmit_nanoamperes[row + 1];
    return low + (high - low) * (level - (LEAST + row * STEP)) / STEP;
}

/* ---- time in states ---- */

enum { STATES_MAX = HC_CC2420_STATES };

struct meter {
    struct hc_energy *energy;
    hc_wire wire;
    hc_time since;
    int32_t state;
    int level; /* the radio's PA_LEVEL when the state began */
    hc_time in[STATES_MAX];
};

struct hc_energy {
    struct hc_telosb *board;
    bool on;
    hc_time on_since, powered;
    struct meter radio, flash, led[HC_TELOSB_LEDS], sht11;
    hc_time transmitting[HC_PA_LEVELS];
    struct hc_statistics cpu_then;
    hc_time cpu[HC_MODES];
    uint64_t cycles;
};

static bool is_transmitting(int32_t state)
{
    switch (state) {
    case HC_CC2420_TX_PREAMBLE:
    case HC_CC2420_TX_FRAME:
    case HC_CC2420_TX_UNDERFLOW:
    case HC_CC2420_TX_ACK_PREAMBLE:
    case HC_CC2420_TX_ACK:
        return true;
    default:
        return false;
    }
}

static void add_up(struct meter *meter, hc_time now)
{
    struct hc_energy *energy = meter->energy;
    hc_time lasted = now - meter->since;

    meter->since = now;
    if (!energy->on)
        return;
    meter->in[meter->state] += lasted;
    if (meter == &energy->radio && is_transmitting(meter->state))
        energy->transmitting[meter->level] += lasted;
}

static void changed(void *owner, int32_t level, hc_time now)
{
    struct meter *meter = owner;

    add_up(meter, now);
    meter->state = level;
    meter->level = hc_cc2420_pa_level(meter->energy->board->radio);
}

static void start_meter(struct hc_energy *energy, struct meter *meter, hc_wire wire)
{
    struct hc_machine *m = energy->board->machine;

    meter->energy = energy;
    meter->wire = wire;
    meter->state = hc_wire_level(m, wire);
    hc_wire_listen(m, wire, changed, meter);
}

struct hc_energy *hc_energy_new(struct hc_telosb *board)
{
    struct hc_energy *energy = calloc(1, sizeof *energy);

    if (!energy)
        return NULL;
    energy->board = board;
    start_meter(energy, &energy->radio, hc_wire_find(board->machine, "radio.state"));
    start_meter(energy, &energy->flash, hc_wire_find(board->machine, "flash.state"));
    start_meter(energy, &energy->sht11, hc_wire_find(board->machine, "sht11.state"));
    for (int i = 0; i < HC_TELOSB_LEDS; i++)
        start_meter(energy, &energy->led[i], hc_led_wire(board->led[i]));
    return energy;
}

void hc_energy_free(struct hc_energy *energy)
{
    free(energy);
}

/* Works on a copy as well: meters know their energy by a pointer, which is set anew. */
static void add_up_all(struct hc_energy *energy)
{
    hc_time now = hc_now(energy->board->machine);
    struct meter *meters[] = { &energy->radio,  &energy->flash,  &energy->sht11,
                               &energy->led[0], &energy->led[1], &energy->led[2] };
    struct hc_statistics cpu;

    for (size_t i = 0; i < sizeof meters / sizeof *meters; i++) {
        meters[i]->energy = energy;
        add_up(meters[i], now);
    }
    hc_machine_statistics(energy->board->machine, &cpu);
    if (energy->on) {
        energy->powered += now - energy->on_since;
        energy->cycles += cpu.cycles - energy->cpu_then.cycles;
        for (int i = 0; i < HC_MODES; i++)
            energy->cpu[i] += cpu.in_mode[i] - energy->cpu_then.in_mode[i];
    }
    energy->on_since = now;
    energy->cpu_then = cpu;
}

void hc_energy_switch(struct hc_energy *energy, bool on)
{
    add_up_all(energy);
    energy->on = on;
}

/* ---- what that makes ---- */

static double millijoules(hc_time time, double nanoamperes)
{
    return hc_seconds(time) * nanoamperes * 1e-9 * HC_SUPPLY_MILLIVOLTS;
}

static double sum(const hc_time *time, const uint32_t *nanoamperes, int states)
{
    double total = 0;

    for (int i = 0; i < states; i++)
        total += millijoules(time[i], nanoamperes[i]);
    return total;
}

static void price(struct hc_energy_report *out)
{
    out->millijoules[HC_CONSUMER_CPU] = sum(out->cpu, cpu_nanoamperes, HC_MODES) +
                                        (double)out->cycles * CPU_PICOCOULOMBS_A_CYCLE * 1e-12 * HC_SUPPLY_MILLIVOLTS;
    out->millijoules[HC_CONSUMER_RADIO] = sum(out->radio, radio_nanoamperes, HC_CC2420_STATES);
    for (int level = 0; level < HC_PA_LEVELS; level++)
        out->millijoules[HC_CONSUMER_RADIO] += millijoules(out->transmitting[level], transmit_current(level));
    out->millijoules[HC_CONSUMER_FLASH] = sum(out->flash, flash_nanoamperes, HC_M25P80_WRITE_STATUS + 1);
    out->millijoules[HC_CONSUMER_LEDS] = sum(out->led, led_nanoamperes, HC_TELOSB_LEDS);
    out->millijoules[HC_CONSUMER_SHT11] = sum(out->sht11, sht11_nanoamperes, HC_SHT11_MEASURING + 1);
    out->total_millijoules = 0;
    for (int i = 0; i < HC_CONSUMERS; i++)
        out->total_millijoules += out->millijoules[i];
    out->mean_milliwatts = out->powered ? out->total_millijoules / hc_seconds(out->powered) : 0;
}

void hc_energy_measure(const struct hc_energy *energy, struct hc_energy_report *out)
{
    struct hc_energy now = *energy;

    add_up_all(&now);
    out->powered = now.powered;
    out->cycles = now.cycles;
    memcpy(out->cpu, now.cpu, sizeof out->cpu);
    memcpy(out->radio, now.radio.in, sizeof out->radio);
    memcpy(out->transmitting, now.transmitting, sizeof out->transmitting);
    memcpy(out->flash, now.flash.in, sizeof out->flash);
    memcpy(out->sht11, now.sht11.in, sizeof out->sht11);
    for (int i = 0; i < HC_TELOSB_LEDS; i++)
        out->led[i] = now.led[i].in[1];
    price(out);
}

double hc_energy_nanojoules_a_cycle(void)
{
    return 1e-3 * CPU_PICOCOULOMBS_A_CYCLE * HC_SUPPLY_MILLIVOLTS / 1000;
}
