/* The watchdog timer of the F1xx family (WDTCTL, 0x120), and the RST/NMI pin, whose use WDTCTL selects.
 *
 *     WDTPW 15-8 | WDTHOLD 7 | WDTNMIES 6 | WDTNMI 5 | WDTTMSEL 4 | WDTCNTCL 3 | WDTSSEL 2 | WDTISx 1-0
 *
 * Runs after every reset, from SMCLK / 32768. The high byte reads 0x69 and is written 0x5a; anything else, and any byte
 * write, is a key violation: a PUC with WDTIFG set. The counter is 16 bits that nobody can read; WDTISx picks one of
 * them, whose rise ends the interval and clears the counter. A bit that is high when it is picked without WDTCNTCL ends
 * the interval at once.
 *
 * Makes the wire "rst_nmi", which rests high. As RST (WDTNMI = 0) a low level is a POR and holds the CPU until it
 * rises, and NMIIFG stays clear.
 *
 * Checked against SLAU049F, chapters 2 and 10. Where these differ about NMIIFG and a PUC (figure 2-5 clears it, the
 * register's notation keeps it) the figure is followed. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_WATCHDOG_H
#define HC_MACHINE_DEVICE_MSP430X1XX_WATCHDOG_H

#include "sfr.h"

struct hc_watchdog;

struct hc_watchdog *hc_watchdog_new(struct hc_machine *m, struct hc_sfr *sfr, struct hc_clock *aclk,
                                    struct hc_clock *smclk);

#endif
