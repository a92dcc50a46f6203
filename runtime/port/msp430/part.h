/* What differs between parts: vectors, the peripheral space, timers. For C and assembly. HC_PART_... is given by the
 * link step; without it the compiler's own macro decides. */
#ifndef HC_PART_H
#define HC_PART_H

#if defined HC_PART_MSP430FR5969 || defined __MSP430FR5969__

#define HC_PART_FR59XX 1
#define HC_VECTORS 64
#define HC_VECTOR_FIRST 38      /* the lowest that the part has, at 0xffcc */
#define HC_VECTOR_IS_NMI(n) ((n) == 61 || (n) == 62)
#define HC_PERIPHERALS_END 0x1000
#define HC_WDTCTL 0x015c
#define HC_WDT_HOLD 0x5a84
#define HC_WDT_RESET 0x5a0c     /* as after a reset, counting from 0 */
#define HC_TIMER_FR(iv) ((iv) - 0x2e)
#define HC_TA0 0x0340
#define HC_TA1 0x0380
#define HC_TB0 0x03c0
#define HC_TA2 0x0400
#define HC_TA3 0x0440

#else

#define HC_PART_F1XX 1
#define HC_VECTORS 16
#define HC_VECTOR_FIRST 0
#define HC_VECTOR_IS_NMI(n) ((n) == 14)
#define HC_PERIPHERALS_END 0x0200
#define HC_WDTCTL 0x0120
#define HC_WDT_HOLD 0x5a80
#define HC_WDT_RESET 0x5a08
#define HC_TAIV 0x012e
#define HC_TBIV 0x011e
#define HC_TA 0x0160
#define HC_TB 0x0180

#endif

/* Of a timer whose control register is at T. */
#define HC_CCTL0(t) ((t) + 0x02)
#define HC_CCR0(t) ((t) + 0x12)
#define HC_CAP 0x0100

#endif
