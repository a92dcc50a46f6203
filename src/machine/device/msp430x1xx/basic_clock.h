/* The basic clock module of the F1xx family: the DCO, LFXT1 and XT2, and the three clocks made from them.
 *
 *     0x56 DCOCTL    DCOx  7-5 | MODx 4-0
 *     0x57 BCSCTL1   XT2OFF 7 | XTS 6 | DIVAx 5-4 | XT5V 3 | RSELx 2-0
 *     0x58 BCSCTL2   SELMx 7-6 | DIVMx 5-4 | SELS 3 | DIVSx 2-1 | DCOR 0
 *
 * DCO: the typical frequencies of the F1611's datasheet at 3 V. The modulator's mix of two frequencies is modelled as
 * its average period. A real DCO is never at rest, and calibration loops that wait for one exact count end only because
 * of that; here each change of RSELx, DCOx or MODx draws an error of up to 0.25 % (seeded, the same in every run).
 * After SCG0 has stopped the DC generator the DCO needs 6 us to start, for which the CPU waits and SMCLK stands still.
 *
 * Crystals run at once when switched on. LFXT1 in HF mode and XT2 are watched: starting and stopping them sets OFIFG,
 * and a fault, which lasts until 50 us after the start, keeps it set and gives MCLK the DCO, with its internal
 * resistor.
 *
 * Checked against SLAU049F, chapter 4. It contradicts itself, and is read so: a PUC keeps XT2OFF, XTS and DIVAx (their
 * notation, not the register table) and resets all of BCSCTL2 (the text: after a PUC MCLK comes from the DCO); an
 * oscillator that is off keeps no fault (figure 4-10 and the text above it, not figure 4-9).
 *
 * Left out: a change of source waits for no edge, so that it comes up to two cycles early; the clocks are not seen on
 * the MCLK, SMCLK and ACLK pins; XT5V does nothing (as on the chip). */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_BASIC_CLOCK_H
#define HC_MACHINE_DEVICE_MSP430X1XX_BASIC_CLOCK_H

#include "sfr.h"

struct hc_basic_clock;

/* SFR holds OFIFG. With a 32,768 Hz crystal at LFXT1, none at XT2 and no external resistor. */
struct hc_basic_clock *hc_basic_clock_new(struct hc_machine *m, struct hc_sfr *sfr);

/* What the board has soldered, in Hz; 0: nothing there. Before the machine is reset. */
void hc_basic_clock_set_crystals(struct hc_basic_clock *c, uint32_t lfxt1_hz, uint32_t xt2_hz);

/* The resistor at the Rosc pin for DCOR = 1 (100,000: 2.6 times the internal frequency); 0: none, the DCO stops. */
void hc_basic_clock_set_rosc(struct hc_basic_clock *c, uint32_t ohms);

struct hc_clock *hc_basic_clock_aclk(struct hc_basic_clock *c);
struct hc_clock *hc_basic_clock_smclk(struct hc_basic_clock *c);

/* How long MCLK's oscillator needs to start, in the low-power mode of NOW; 0 when it runs. CLOCK is a
 * struct hc_basic_clock: fits hc_dma_set_startup. */
hc_time hc_basic_clock_startup(void *clock, hc_time now);

#endif
