/* A TelosB's energy, from the states of its emulated parts and the currents in their datasheets at 3 V (the table is in
 * energy.c, each row with its source).
 *
 * Listeners on the wires that carry states measure how long each state lasted; currents are applied only on request.
 * Counted while the node has power. Not counted: the ADC and its reference, DAC, comparator, writes of the
 * microcontroller's own flash, pull-up resistors, the USB side. */
#ifndef HC_FIELD_ENERGY_H
#define HC_FIELD_ENERGY_H

#include "machine/board/telosb.h"

enum hc_consumer {
    HC_CONSUMER_CPU,
    HC_CONSUMER_RADIO,
    HC_CONSUMER_FLASH,
    HC_CONSUMER_LEDS,
    HC_CONSUMER_SHT11,
    HC_CONSUMERS,
};

enum { HC_PA_LEVELS = 32, HC_SUPPLY_MILLIVOLTS = 3000 };

struct hc_energy;

/* Measures BOARD from hc_energy_switch on. The board must not outlive it. Returns NULL on out-of-memory. */
struct hc_energy *hc_energy_new(struct hc_telosb *board);
void hc_energy_free(struct hc_energy *energy);

/* The supply comes or goes now. Call immediately after the board's reset, and immediately before its power is cut. */
void hc_energy_switch(struct hc_energy *energy, bool on);

struct hc_energy_report {
    hc_time powered; /* with supply */
    hc_time cpu[HC_MODES];
    uint64_t cycles; /* of MCLK, while the CPU was awake */
    hc_time radio[HC_CC2420_STATES];
    hc_time transmitting[HC_PA_LEVELS]; /* of that in TX_PREAMBLE, TX_FRAME and their likes, by PA_LEVEL */
    hc_time flash[HC_M25P80_WRITE_STATUS + 1];
    hc_time led[HC_TELOSB_LEDS];
    hc_time sht11[HC_SHT11_MEASURING + 1];
    double millijoules[HC_CONSUMERS];
    double total_millijoules, mean_milliwatts;
};

/* Up to now. */
void hc_energy_measure(const struct hc_energy *energy, struct hc_energy_report *out);

extern const char *const hc_consumer_names[HC_CONSUMERS];

/* Of the CPU, awake. */
double hc_energy_nanojoules_a_cycle(void);

#endif
