/* The 16 x 16 bit hardware multiplier of the F1xx family.
 *
 *     0x130 MPY    0x132 MPYS   0x134 MAC     0x136 MACS      first operand; the address chooses the operation
 *     0x138 OP2                                               second operand; writing it starts the operation
 *     0x13a RESLO  0x13c RESHI  0x13e SUMEXT                  result; SUMEXT is read-only
 *
 *     operation   RESHI:RESLO                      SUMEXT
 *     MPY         OP1 * OP2, unsigned              0
 *     MPYS        OP1 * OP2, signed                sign of the result: 0 or 0xffff
 *     MAC         RESHI:RESLO + OP1 * OP2          carry of the sum: 0 or 1
 *     MACS        the same, signed                 sign of the 32-bit result, even when the sum does not fit
 *
 * The four first-operand addresses are one register. A byte written to an operand or result clears its high byte
 * (signed bytes need SXT, as in the guide's examples). No reset changes any register. Results are there for the
 * instruction that follows; the hardware needs one more between the write of OP2 and a read of the result by @Rn or
 * @Rn+. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_MULTIPLIER_H
#define HC_MACHINE_DEVICE_MSP430X1XX_MULTIPLIER_H

#include "machine/device/msp430/dma_trigger.h"

struct hc_multiplier;

/* DMA may be NULL. The trigger "multiplier ready" is raised by each operation. */
struct hc_multiplier *hc_multiplier_new(struct hc_machine *m, struct hc_dma *dma);

#endif
