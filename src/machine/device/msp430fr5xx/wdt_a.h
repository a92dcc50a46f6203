/* WDT_A, the watchdog timer of the 5xx/6xx and FRAM families (WDTCTL, 0x15c).
 *
 *     WDTPW 15-8 | WDTHOLD 7 | WDTSSELx 6-5 | WDTTMSEL 4 | WDTCNTCL 3 | WDTISx 2-0
 *
 * Runs after every reset, from SMCLK / 32768. The high byte reads 0x69 and is written 0x5a; anything else, and any byte
 * write, is a key violation: a PUC. WDTSSELx: SMCLK, ACLK, VLOCLK, LFMODCLK. WDTISx: 2^31, 2^27, 2^23, 2^19, 2^15,
 * 2^13, 2^9, 2^6 clocks. The counter is 32 bits that nobody can read. As a watchdog its end is
 * a PUC, as an interval timer it sets WDTIFG (SFRIFG1), which accepting the interrupt clears.
 *
 * As a watchdog it keeps its clock running in low-power modes. Left out: that VLOCLK takes the place of a clock that is
 * switched off (SMCLKOFF). */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_WDT_A_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_WDT_A_H

#include "cs.h"

struct hc_wdt_a;

struct hc_wdt_a *hc_wdt_a_new(struct hc_machine *m, struct hc_sys *sys, struct hc_cs *cs, int vector);

#endif
