/* ADC12: the 12-bit analog-to-digital converter of the F13x to F16x.
 *
 *     0x1a0 ADC12CTL0   SHT1 15:12 | SHT0 11:8 | MSC | REF2_5V | REFON | ADC12ON | ADC12OVIE | ADC12TOVIE | ENC |
 * ADC12SC 0x1a2 ADC12CTL1   CSTARTADD 15:12 | SHS 11:10 | SHP | ISSH | ADC12DIV 7:5 | ADC12SSEL 4:3 | CONSEQ 2:1 |
 * ADC12BUSY 0x1a4 ADC12IFG    0x1a6 ADC12IE    0x1a8 ADC12IV 0x140 ADC12MEM0 to 0x15e ADC12MEM15 0x080 ADC12MCTL0 to
 * 0x08f ADC12MCTL15   EOS | SREF 6:4 | INCH 3:0      (bytes)
 *
 * While ENC is 1, only the low four bits of ADC12CTL0 and CONSEQ can be changed. Only a POR resets the registers.
 *
 * A conversion: SHI (the source that SHS selects, inverted by ISSH) rises; in pulse mode (SHP) the input is sampled for
 * the SHT periods of ADC12CLK from its next edge on, else for as long as SHI is high; 13 periods later the result
 * is in ADC12MEMx. The input is looked at once, at the end of the sample period.
 *
 *     result = 4095 * (Vin - VR-) / (VR+ - VR-), rounded, limited to 0 ... 4095
 *
 * The temperature diode gives 0.986 V + 3.55 mV/C (typical). Not modelled: settling (an early use of the reference and
 * short sampling of the diode are noted), noise, the loads of the inputs, the ADC12CLK output on P2.6, and the stop of
 * MCLK as a conversion clock while the CPU sleeps. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_ADC12_H
#define HC_MACHINE_DEVICE_MSP430X1XX_ADC12_H

#include "machine/device/msp430/dma_trigger.h"

enum { HC_ADC12_VEREF_PLUS = 8, HC_ADC12_VEREF_MINUS = 9, HC_ADC12_TEMPERATURE = 10 };

struct hc_adc12;

struct hc_adc12_wiring {
    hc_wire avcc;                      /* wide, in microvolts; HC_NO_WIRE: 3 V */
    hc_wire ta_out1, tb_out0, tb_out1; /* SHS 1, 2, 3; each may be HC_NO_WIRE */
    struct hc_clock *aclk, *smclk;
    struct hc_dma *dma; /* may be NULL */
};

/* VECTOR: 7 on the F1611. */
struct hc_adc12 *hc_adc12_new(struct hc_machine *m, const struct hc_adc12_wiring *wiring, int vector);

/* Voltage at a channel at time T, in microvolts above AVSS: a function of its arguments only, for T may lie in the
 * past. (A converter that runs freely and interrupts nobody is computed when somebody looks.) */
typedef int64_t hc_adc12_fn(void *owner, int channel, hc_time t);

/* CHANNEL 0 to 7: A0 to A7; 8: VeREF+ (instead of its wire); 9: VREF-/VeREF-; 10: instead of the diode. Without a
 * source or a wire, 0 V. A source comes before a wire. */
void hc_adc12_set_source(struct hc_adc12 *adc, int channel, hc_adc12_fn *microvolts, void *owner);

/* CHANNEL (0 to 7, 9) has the voltage that WIRE carries, in microvolts; once for a channel. */
void hc_adc12_set_wire(struct hc_adc12 *adc, int channel, hc_wire wire);

/* Wide wires in microvolts: "vref+", the output of the internal reference (0 while it is off), and "veref+", the input
 * for an external one. DAC12 uses both. */
hc_wire hc_adc12_vref(const struct hc_adc12 *adc);
hc_wire hc_adc12_veref(const struct hc_adc12 *adc);

/* Of the diode; 25,000 (25 C) at first. */
void hc_adc12_set_temperature(struct hc_adc12 *adc, int32_t millidegrees);

#endif
