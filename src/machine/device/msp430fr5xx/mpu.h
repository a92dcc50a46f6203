/* MPU, the memory protection unit of the FR58xx/FR59xx: three segments of main FRAM and the information memory.
 *
 *     0x5a0 MPUCTL0    MPUPW 15-8: 0xa5 in the high byte, reads 0x96 | MPUSEGIE 4 | MPULOCK 1 | MPUENA 0
 *     0x5a2 MPUCTL1    MPUIPIFG 4 | MPUSEGIIFG 3 | MPUSEG3IFG 2 | MPUSEG2IFG 1 | MPUSEG1IFG 0
 *     0x5a4 MPUSEGB2   0x5a6 MPUSEGB1    borders: address / 16, on 1 KB
 *     0x5a8 MPUSAM     for each segment VS | XE | WE | RE (1 in bits 3-0, 2, 3, info memory in bits 15-12)
 *     0x5aa MPUIPC0, 0x5ac MPUIPSEGB2, 0x5ae MPUIPSEGB1    storage
 *
 * A write to a segment without WE does not happen, sets the segment's flag, and is a PUC (VS = 1) or, with MPUSEGIE, a
 * system NMI. Left out, and noted when MPUSAM asks for it: protection from reads and execution, and the IP
 * encapsulation. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_MPU_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_MPU_H

#include "sys.h"

/* START..END: where main FRAM is. */
struct hc_mpu *hc_mpu_new(struct hc_machine *m, struct hc_sys *sys, uint32_t start, uint32_t end);

#endif
