/* REF_A, the reference module of the FR58xx/FR59xx (REFCTL0, 0x1b0).
 *
 *     REFBGRDY 13 | REFGENRDY 12 | BGMODE 11 | REFGENBUSY 10 | REFBGACT 9 | REFGENACT 8 | REFBGOT 7 | REFGENOT 6 |
 *     REFVSELx 5-4 (1.2, 2.0, 2.5, 2.5 V) | REFTCOFF 3 | REFOUT 1 | REFON 0
 *
 * REFGENRDY comes 75 us after the generator is switched on, by REFON or by a converter that asks for it; a request by
 * REFGENOT makes it ready in the same time. The voltage is exact at once. Left out: the output pin, REFGENBUSY (never
 * set: writes are never refused). */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_REF_A_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_REF_A_H

#include "machine/device.h"

struct hc_ref_a;

struct hc_ref_a *hc_ref_a_new(struct hc_machine *m);

/* What REFVSELx selects, in microvolts. */
int32_t hc_ref_a_microvolts(const struct hc_ref_a *ref);
/* REFTCOFF is clear and the generator runs: the temperature sensor works. */
bool hc_ref_a_has_temperature(const struct hc_ref_a *ref);

#endif
