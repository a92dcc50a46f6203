/* The DMA controller of the F15x/F16x, and that of the FRAM families: three channels.
 *
 * The F15x/F16x, with 16-bit addresses:
 *     0x0122 DMACTL0   DMA2TSEL | DMA1TSEL | DMA0TSEL     0x01e0 DMA0CTL, 0x01e2 DMA0SA, 0x01e4 DMA0DA, 0x01e6 DMA0SZ
 *     0x0124 DMACTL1   DMAONFETCH | ROUNDROBIN | ENNMI    0x01e8 DMA1CTL ...    0x01f0 DMA2CTL ...
 *
 * The FR58xx/FR59xx, with 20-bit addresses, whose high words stand above the low ones (a write to a low word clears
 * it):
 *
 *     0x0500 DMACTL0   DMA1TSEL 12-8 | DMA0TSEL 4-0       0x0510 DMA0CTL, 0x0512 DMA0SA, 0x0516 DMA0DA, 0x051a DMA0SZ
 *     0x0502 DMACTL1   DMA2TSEL 4-0                       0x0520 DMA1CTL ...    0x0530 DMA2CTL ...
 *     0x0508 DMACTL4   DMARMWDIS | ROUNDROBIN | ENNMI     0x050e DMAIV: 2, 4, 6; reading it clears that DMAIFG
 *
 * Peripherals ask for transfers through dma_trigger.h. A transfer happens at its own MCLK cycle, by an event; until the
 * controller lets go of the bus the CPU is held. Cycles, counted from the MCLK edge that follows the trigger:
 *
 *     single        1 synchronisation, 2 transfer, 1 wait           (guide: 4, and 5 in a low-power mode)
 *     block         1 synchronisation, 2 for each transfer, 1 wait
 *     burst-block   like block, and after every 4 transfers the CPU runs for 2 cycles
 *     low-power     1 more to synchronise; where MCLK is an oscillator that sleeps, its start-up time before that
 *
 * An instruction is not divided here, so a transfer always waits for the instruction's end: DMAONFETCH = 0 behaves
 * like 1, up to the length of one instruction.
 *
 * Checked against SLAU049F, chapter 8. What is read into it: of "one or two" cycles to synchronise it is one while the
 * CPU runs, two while it sleeps, which makes its maxima; RXDMAEN and TXDMAEN win over RXRDYIE and TXRDYIE (8.2.9, not
 * table 8-2).
 *
 * The interrupt vector is shared with DAC12, the flags of neither are cleared by accepting it: this device owns the
 * vector and ORs in what hc_dma_share_vector says. */
#ifndef HC_MACHINE_DEVICE_MSP430_DMA_H
#define HC_MACHINE_DEVICE_MSP430_DMA_H

#include "dma_trigger.h"

struct hc_dma_layout;
extern const struct hc_dma_layout hc_dma_f1, hc_dma_fr;

/* The same for any layout; hc_dma_new is for hc_dma_f1. */
struct hc_dma *hc_dma_new_layout(struct hc_machine *m, int vector, const struct hc_dma_layout *layout);

/* VECTOR: the shared vector's index (0 on the F1611). Makes the wire "dmae0", the external trigger. */
struct hc_dma *hc_dma_new(struct hc_machine *m, int vector);

/* The request of the module that shares the vector (DAC12: any DAC12IFG AND DAC12IE), told whenever it changes. */
void hc_dma_share_vector(struct hc_dma *dma, bool request);

/* A non-maskable interrupt is requested. With ENNMI set what is in progress ends (DMAABORT) after the present transfer.
 */
void hc_dma_nmi(struct hc_dma *dma);

/* Time that MCLK's oscillator needs to start in the present low-power mode, 0 if it runs; none set: never waits. */
typedef hc_time hc_dma_startup_fn(void *owner, hc_time now);
void hc_dma_set_startup(struct hc_dma *dma, hc_dma_startup_fn *call, void *owner);

#endif
