/* ADC12_B, the converter of the FR58xx/FR59xx: up to 32 results, 8, 10 or 12 bits.
 *
 *     0x800 ADC12CTL0   ADC12SHT1x 15-12 | ADC12SHT0x 11-8 | ADC12MSC 7 | ADC12ON 4 | ADC12ENC 1 | ADC12SC 0
 *     0x802 ADC12CTL1   ADC12PDIV 14-13 | ADC12SHSx 12-10 | ADC12SHP 9 | ADC12ISSH 8 | ADC12DIVx 7-5 | ADC12SSELx 4-3 |
 *                       ADC12CONSEQx 2-1 | ADC12BUSY 0
 *     0x804 ADC12CTL2   ADC12RES 5-4 | ADC12DF 3 | ADC12PWRMD 0
 *     0x806 ADC12CTL3   ADC12TCMAP 7 | ADC12BATMAP 6 | ADC12CSTARTADDx 4-0
 *     0x808 ADC12LO, ADC12HI    0x80c ADC12IFGR0-2    0x812 ADC12IER0-2    0x818 ADC12IV
 *     0x820 ADC12MCTL0-31   ADC12WINC 14 | ADC12DIF 13 | ADC12VRSEL 11-8 | ADC12EOS 7 | ADC12INCHx 4-0
 *     0x860 ADC12MEM0-31
 *
 * A conversion takes the sample time of ADC12SHTx, one cycle to synchronise, and 10, 12 or 14 cycles for 8, 10 or 12
 * bits; its input is read at the end of the sample time. Channel 30 is the temperature sensor (ADC12TCMAP), 31 half the
 * supply (ADC12BATMAP). References: ADC12VRSEL 0 the supply, 1 REF_A's voltage; the others, all of which involve pins,
 * are noted and taken as the supply.
 *
 * Left out, and noted when used: the extended sample mode (ADC12SHP = 0: taken as 4 cycles), differential inputs
 * (ADC12DIF: the positive input alone), the other internal channels. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_ADC12_B_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_ADC12_B_H

#include "machine/device/msp430/dma_trigger.h"
#include "ref_a.h"

enum { HC_ADC12_B_CHANNELS = 32, HC_ADC12_B_TRIGGERS = 8 };

struct hc_adc12_b;

struct hc_adc12_b_wiring {
    hc_wire avcc; /* microvolts */
    struct hc_ref_a *ref;
    hc_wire trigger[HC_ADC12_B_TRIGGERS]; /* by ADC12SHSx; 0 is ADC12SC */
    struct hc_clock *modclk, *aclk, *smclk;
    struct hc_dma *dma;
};

struct hc_adc12_b *hc_adc12_b_new(struct hc_machine *m, const struct hc_adc12_b_wiring *wiring, int vector);

/* The voltage at input CHANNEL at time NOW, in microvolts: a function of time alone. None set: 0 V. */
typedef int32_t hc_adc12_b_source_fn(void *owner, hc_time now);
void hc_adc12_b_set_source(struct hc_adc12_b *adc, int channel, hc_adc12_b_source_fn *call, void *owner);

/* What the sensor feels, in hundredths of a degree Celsius; 2500 until it is set. Saved in snapshots. */
void hc_adc12_b_set_temperature(struct hc_adc12_b *adc, int32_t centidegrees);

#endif
