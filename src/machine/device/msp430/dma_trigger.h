/* The lines by which peripherals ask the DMA controller for transfers. A source sets its line when its flag is set and
 * clears it when the flag is cleared; the controller tells the source when a transfer took the request, and the source
 * clears its flag (URXIFG, UTXIFG, TACCR2 CCIFG ...) as the user's guide says. */
#ifndef HC_MACHINE_DEVICE_MSP430_DMA_TRIGGER_H
#define HC_MACHINE_DEVICE_MSP430_DMA_TRIGGER_H

#include "machine/device.h"

/* Numbered as the DMAxTSEL field numbers them: of the F15x/F16x, and then of the FR5969. */
enum hc_dma_trigger {
    HC_DMA_DMAREQ,
    HC_DMA_TACCR2,
    HC_DMA_TBCCR2,
    HC_DMA_URXIFG0, /* also I2C data received */
    HC_DMA_UTXIFG0, /* also I2C transmit ready */
    HC_DMA_DAC12_0IFG,
    HC_DMA_ADC12IFG,
    HC_DMA_TACCR0,
    HC_DMA_TBCCR0,
    HC_DMA_URXIFG1,
    HC_DMA_UTXIFG1,
    HC_DMA_MULTIPLIER,
    HC_DMA_TRIGGER_12,
    HC_DMA_TRIGGER_13,
    HC_DMA_CHAIN, /* previous channel's DMAIFG */
    HC_DMA_DMAE0,

    HC_DMA_FR_TA0CCR0 = 1,
    HC_DMA_FR_TA0CCR2,
    HC_DMA_FR_TA1CCR0,
    HC_DMA_FR_TA1CCR2,
    HC_DMA_FR_TA2CCR0,
    HC_DMA_FR_TA3CCR0,
    HC_DMA_FR_TB0CCR0,
    HC_DMA_FR_TB0CCR2,
    HC_DMA_FR_AES0 = 11, /* to 13 */
    HC_DMA_FR_UCA0RXIFG = 14,
    HC_DMA_FR_UCA0TXIFG,
    HC_DMA_FR_UCA1RXIFG,
    HC_DMA_FR_UCA1TXIFG,
    HC_DMA_FR_UCB0RXIFG0, /* also SPI */
    HC_DMA_FR_UCB0TXIFG0,
    HC_DMA_FR_UCB0RXIFG1, /* and so on for the other own addresses, to 25 */
    HC_DMA_FR_ADC12IFG = 26,
    HC_DMA_FR_MPY = 29,
    HC_DMA_FR_CHAIN,
    HC_DMA_FR_DMAE0,

    HC_DMA_TRIGGERS = 32,
};

struct hc_dma;

typedef void hc_dma_taken_fn(struct hc_device *source, enum hc_dma_trigger trigger);

/* Called while the part is wired. */
void hc_dma_connect(struct hc_dma *dma, enum hc_dma_trigger trigger, struct hc_device *source, hc_dma_taken_fn *taken);

/* CALL is told, before the choice changes, whether a channel will have chosen TRIGGER: a source that nobody listens to
 * need not raise its line in time. None has at first, and after a POR. */
typedef void hc_dma_watch_fn(struct hc_device *source, bool chosen);
void hc_dma_watch(struct hc_dma *dma, enum hc_dma_trigger trigger, hc_dma_watch_fn *call);

/* DMA may be NULL: a part without a controller. */
void hc_dma_request(struct hc_dma *dma, enum hc_dma_trigger trigger, bool level);

#endif
