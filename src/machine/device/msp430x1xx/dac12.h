/* DAC12: the two 12-bit digital-to-analog converters of the F15x/F16x.
 *
 *     0x1c0 DAC12_0CTL   0x1c2 DAC12_1CTL
 *         15 (storage) | SREF 14:13 | RES | LSEL 11:10 | CALON | IR | AMP 7:5 | DF | IE | IFG | ENC | GRP
 *     0x1c8 DAC12_0DAT   0x1ca DAC12_1DAT
 *
 * While DAC12ENC is 1, only CALON and the low four bits of the control register can be changed. Only a POR resets the
 * registers.
 *
 *     LSEL   the data latch takes DAC12_xDAT
 *     0      at once, whatever DAC12ENC says; DAC12IFG is not set
 *     1      when DAC12_xDAT is written
 *     2, 3   at the rising edge of Timer_A OUT1, Timer_B OUT2
 *
 * DAC12GRP of channel 0 joins both: LSEL of channel 1 counts for both, and both data registers must have been written
 * since the last update. DAC12_0IFG triggers DMA while DAC12_0IE is 0.
 *
 *     output = Vref * (IR ? 1 : 3) * data / (RES ? 256 : 4096), at most AVCC;    0 when AMP is 1
 *
 * CALON clears itself after the data sheet's time for the chosen AMP. Not modelled: the settling of the output, offsets
 * (so that calibration changes nothing), and the switch of P6.6 and P6.7 to analog. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_DAC12_H
#define HC_MACHINE_DEVICE_MSP430X1XX_DAC12_H

#include "machine/device/msp430/dma.h"

enum { HC_DAC12_CHANNELS = 2, HC_DAC12_HIGH_IMPEDANCE = -1 };

struct hc_dac12;

struct hc_dac12_wiring {
    hc_wire avcc;             /* wide, in microvolts; HC_NO_WIRE: 3 V */
    hc_wire vref, veref;      /* wide, in microvolts (see adc12.h) */
    hc_wire ta_out1, tb_out2; /* each may be HC_NO_WIRE */
    struct hc_dma *dma;       /* whose interrupt vector the DAC shares; NULL: the DAC drives VECTOR alone */
};

/* Makes the wide wires "dac12.0" and "dac12.1": microvolts, or HC_DAC12_HIGH_IMPEDANCE. */
struct hc_dac12 *hc_dac12_new(struct hc_machine *m, const struct hc_dac12_wiring *wiring, int vector);

hc_wire hc_dac12_output(const struct hc_dac12 *dac, int channel);

#endif
