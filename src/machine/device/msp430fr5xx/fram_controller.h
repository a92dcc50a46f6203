/* FRCTL, the FRAM controller of the FR58xx/FR59xx.
 *
 *     0x140 FRCTL0   FRCTLPW 15-8: 0xa5 in the high byte, reads 0x96 | NWAITSx 6-4
 *     0x144 GCCTL0   UBDRSTEN 7 | UBDIE 6 | CBDIE 5 | FRPWR 2 | FRLPMPWR 1
 *     0x146 GCCTL1   ACCTEIFG 3 | UBDIFG 2 | CBDIFG 1
 *
 * The password opens GCCTL0 and GCCTL1, too; a word with a wrong one is a PUC. FRAM follows up to 8 MHz; a faster MCLK
 * needs NWAITSx so that MCLK / (NWAITSx + 1) is no faster, or ACCTEIFG is set and the part is reset by a PUC, which is
 * noted. (TI's first header and datasheet have a system NMI for it, which the parts that were sold do not.)
 *
 * Wait states: an access that the cache does not hold costs NWAITSx cycles of MCLK. The cache has two sets of two lines
 * of 8 bytes, the older line of a set is replaced; instructions and data share it. Writes go through it: each waits,
 * and a line that is held is updated. The guide does not say which line is replaced, nor what a write costs. With
 * NWAITSx = 0 nothing is counted and nothing gets slower; else instructions run one at a time.
 *
 * FRAM keeps its contents without supply and never fails: CBDIFG and UBDIFG are set by software only. Left out: FRPWR
 * and FRLPMPWR (power-up times); both are storage. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_FRAM_CONTROLLER_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_FRAM_CONTROLLER_H

#include "sys.h"

struct hc_fram_controller;

/* START..END: where FRAM is. */
struct hc_fram_controller *hc_fram_controller_new(struct hc_machine *m, struct hc_sys *sys, uint32_t start,
                                                  uint32_t end);

#endif
