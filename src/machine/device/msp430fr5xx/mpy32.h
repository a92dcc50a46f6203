/* MPY32, the hardware multiplier of the 5xx/6xx and FRAM families: operands of 16 or 32 bits (and 8, zero- or
 * sign-extended), products and sums of up to 64.
 *
 *     0x4c0 MPY, MPYS, MAC, MACS    first operand, 16 bits: its address is the operation
 *     0x4c8 OP2                     second operand, 16 bits: starts it
 *     0x4ca RESLO, RESHI, SUMEXT    RESLO and RESHI are RES0 and RES1
 *     0x4d0 MPY32L, H, MPYS32L, H, MAC32L, H, MACS32L, H    first operand, 32 bits
 *     0x4e0 OP2L, OP2H              second operand, 32 bits: OP2H starts it
 *     0x4e4 RES0 .. RES3
 *     0x4ec MPY32CTL0   MPYDLY32 9 | MPYDLYWRTEN 8 | OP2_32 7 | OP1_32 6 | MPYMx 5-4 | MPYSAT 3 | MPYFRAC 2 | MPYC 0
 *
 * The result is there at once (the hardware needs up to 11 cycles). SUMEXT: after MPY 0, after MPYS and MACS the sign,
 * after MAC the carry, also in MPYC. Of a product of two 16-bit operands RES2 and RES3 are the extension of RES1.
 *
 * Left out, and noted when used: MPYFRAC and MPYSAT. Registers keep their values through resets. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_MPY32_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_MPY32_H

#include "machine/device/msp430/dma_trigger.h"

/* DMA may be NULL. */
struct hc_mpy32 *hc_mpy32_new(struct hc_machine *m, struct hc_dma *dma);

#endif
