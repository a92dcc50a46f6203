/* The supply voltage supervisor of the F15x/F16x.
 *
 *     0x55 SVSCTL   VLD 7:4 | PORON | SVSON (r) | SVSOP (r) | SVSFG
 *
 * VLD 0 switches it off; 1 to 14 compare AVCC with 1.9 to 3.7 V, 15 compares SVSIN with 1.2 V (typical values of the
 * data sheet, with typical hysteresis for the way up). SVSOP is 1 while the voltage is low, which sets SVSFG; SVSFG
 * stays set until software clears it, and a low voltage sets it again at once. With PORON, SVSFG being set makes a POR,
 * and the device stays in reset until the voltage is back.
 *
 * Switching on takes 50 us, a change from one level to another 12 us, during which SVSON and SVSOP are 0 and
 * nothing sets SVSFG. Only a loss of power resets SVSCTL, no PUC or POR. Not modelled: the brown-out reset itself,
 * which whoever cuts the supply brings about (hc_machine_power_off). */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_SVS_H
#define HC_MACHINE_DEVICE_MSP430X1XX_SVS_H

#include "machine/device.h"

struct hc_svs;

/* AVCC: a wide wire in microvolts. Makes the wide wire "svsin" (microvolts at the pin) and "svsout" (SVSOP). */
struct hc_svs *hc_svs_new(struct hc_machine *m, hc_wire avcc);

hc_wire hc_svs_input(const struct hc_svs *svs);
hc_wire hc_svs_output(const struct hc_svs *svs);

#endif
