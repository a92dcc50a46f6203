/* What differs between parts: vectors, the peripheral space, timers. For C and assembly. HC_PART_... is given by the
 * link step; without it the compiler's own macro decides. */
#ifndef HC_PART_H
#define HC_PART_H

#if defined HC_PART_MSP430FR5994 || defined HC_PART_MSP430F2617
#error "the recorder does not support this part yet: docs/parts.md says what is missing"
#endif

#if defined HC_PART_MSP430FR5969 || defined __MSP430FR5969__

#define HC_PART_FR59XX 1
#if HC_DMA
#error "what DMA writes cannot be recorded on this part"
#endif
#if HC_FLUSH_BELOW
#error "--flush-below: this part does not tell that its supply falls; with --sink=fram nothing is lost"
#endif
#define HC_VECTORS 64
#define HC_VECTOR_FIRST 38 /* the lowest that the part has, at 0xffcc */
#define HC_VECTOR_IS_NMI(n) ((n) == 61 || (n) == 62)
#ifndef HC_HANDLED /* numbers of the vectors that the program handles */
#define HC_HANDLED 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62
#endif
#define HC_NMI_ENABLES 0x0100 /* SFRIE1 */
#define HC_NMI_ALL 0x001a     /* OFIE, VMAIE, NMIIE */
#define HC_PERIPHERALS_END 0x1000
#define HC_PMMIFG 0x012a
#define HC_SFRIFG1 0x0102
#define HC_WDTCTL 0x015c
#define HC_WDT_HOLD 0x5a84
#define HC_WDT_RESET 0x5a0c                     /* as after a reset, counting from 0 */
#define HC_TIMER_ADDRESS(n) 0x0300 + (n) * 0x40 /* 1 TA0, 2 TA1, 3 TB0, 4 TA2, 5 TA3 */
#define HC_TIMERS_PRESENT 3                     /* of these, for a look at the clock */
#define HC_VECTOR_TURNS(n, timer) ((n) == 52 && (timer) == 1 || (n) == 48 && (timer) == 2 || (n) == 58 && (timer) == 3)
#define HC_LAP_REGISTER 0x0100
#define HC_CODEC_TIMERS 16     /* bytes: see codec/state.h */
#define HC_CODEC_TIMER_FIRST 8 /* where that of timer 0 would be */
#define HC_BYTES_END 0         /* registers below are read by bytes, others by words */
#define HC_GAP 2               /* unit of distances in __hc_dump */

/* Registers that software alone writes, and others between them, that can be read without effect: first, how many, ...
 * SFRIE1; watchdog; REF; ports; timers without counters; eUSCI; ADC12_B. What devices/msp430fr5969.regs says that only
 * software changes must be here. */
#define HC_DUMP                                                                                                       \
    0x0100, 1, 0x015c, 1, 0x01b0, 1, 0x0202, 3, 0x0218, 2, 0x0222, 3, 0x0238, 2, 0x0322, 3, 0x0340, 4, 0x0352, 3,     \
        0x0380, 4, 0x0392, 3, 0x03c0, 8, 0x03d2, 7, 0x0400, 3, 0x0412, 2, 0x0440, 3, 0x0452, 2, 0x05c0, 2, 0x05c6, 2, \
        0x05e0, 2, 0x05e6, 2, 0x0640, 2, 0x0646, 1, 0x0660, 1, 0x0800, 4, 0x0812, 3

#else

#define HC_PART_F1XX 1
#define HC_VECTORS 16
#define HC_VECTOR_FIRST 0
#define HC_VECTOR_IS_NMI(n) ((n) == 14)
#ifndef HC_HANDLED
#define HC_HANDLED 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
#endif
#define HC_NMI_ENABLES 0x0000 /* IE1 */
#define HC_NMI_ALL 0x0032     /* OFIE, NMIIE, ACCVIE: off as soon as one comes */
#define HC_PERIPHERALS_END 0x0200
#define HC_CAUSE 0x0002
#define HC_CLOCK_CONTROL 0x0057
#define HC_WDTCTL 0x0120
#define HC_WDT_HOLD 0x5a80
#define HC_WDT_RESET 0x5a08
#define HC_TIMER_ADDRESS(n) 0x0140 + (n) * 0x20 /* 1 TA, 2 TB */
#define HC_TIMERS_PRESENT 2
#define HC_VECTOR_TURNS(n, timer) ((n) == 5 && (timer) == 1 || (n) == 12 && (timer) == 2) /* tells of overflows */
#define HC_LAP_REGISTER 0x0000
#define HC_CODEC_TIMERS 4 /* bytes: see codec/state.h */
#define HC_CODEC_TIMER_FIRST 0
#define HC_BYTES_END 0x0100 /* registers below are read by bytes, others by words */
#define HC_GAP 1

/* The supply voltage supervisor: the level at or below HC_FLUSH_BELOW millivolts, in the upper half of SVSCTL. */
#define HC_SVSCTL 0x0055
#define HC_SVSFG 0x01
#if HC_FLUSH_BELOW >= 3700
#define HC_SVS_LEVEL 0xe0
#elif HC_FLUSH_BELOW >= 3500
#define HC_SVS_LEVEL 0xd0
#elif HC_FLUSH_BELOW >= 3350
#define HC_SVS_LEVEL 0xc0
#elif HC_FLUSH_BELOW >= 3200
#define HC_SVS_LEVEL 0xb0
#elif HC_FLUSH_BELOW >= 3050
#define HC_SVS_LEVEL 0xa0
#elif HC_FLUSH_BELOW >= 2900
#define HC_SVS_LEVEL 0x90
#elif HC_FLUSH_BELOW >= 2800
#define HC_SVS_LEVEL 0x80
#elif HC_FLUSH_BELOW >= 2650
#define HC_SVS_LEVEL 0x70
#elif HC_FLUSH_BELOW >= 2500
#define HC_SVS_LEVEL 0x60
#elif HC_FLUSH_BELOW >= 2400
#define HC_SVS_LEVEL 0x50
#elif HC_FLUSH_BELOW >= 2300
#define HC_SVS_LEVEL 0x40
#elif HC_FLUSH_BELOW >= 2200
#define HC_SVS_LEVEL 0x30
#elif HC_FLUSH_BELOW >= 2100
#define HC_SVS_LEVEL 0x20
#elif HC_FLUSH_BELOW >= 1900
#define HC_SVS_LEVEL 0x10
#elif HC_FLUSH_BELOW
#error "--flush-below: the supervisor's lowest level is 1.9 V"
#endif

/* DMA. */
#define HC_DMA_VECTOR 0
#define HC_DMA_FIRST 0x01e0
#define HC_DMA_END 0x01f8
#define HC_DMA_CHANNEL 8 /* bytes of registers */
#define HC_DMA_DA 4
#define HC_DMA_SZ 6
#define HC_DMAIFG 0x0008
#define HC_DMAEN 0x0010
#define HC_DMADSTBYTE 0x0080
#define HC_DMADSTINCR1 0x0800
#define HC_DMADSTINCR 0x0c00
#define HC_DMA_REPEATED 0x4000

#if HC_DMA
#define HC_DUMP_DMA(...) __VA_ARGS__,
#define HC_DUMP_DMA_END , 0x01e0, 12
#else
#define HC_DUMP_DMA(...)
#define HC_DUMP_DMA_END
#endif
/* Registers that software alone writes, and others between them, that can be read without effect: first, how many, ...
 * IE, IFG, ME; ports 3, 4, 1, 2, 5, 6; BCS and comparator; USARTs; ADC12MCTL; watchdog; FCTL; timers without TAR;
 * ADC12; DAC12. Not the multiplier: no product waits across hc_update. */
#define HC_DUMP                                                                                          \
    0x0000, 6, 0x0019, 14, 0x0029, 6, 0x0031, 7, 0x0056, 6, 0x0070, 6, 0x0078, 6, 0x0080, 16, 0x0120, 1, \
        HC_DUMP_DMA(0x0122, 2) 0x0128, 3, 0x0160, 4, 0x0172, 3, 0x0180, 20, 0x01c0, 2, 0x01c8, 2 HC_DUMP_DMA_END

#endif

/* Of each timer. */
#define HC_TIMER_CTL 0x00
#define HC_TIMER_CCTL0 0x02
#define HC_TIMER_R 0x10
#define HC_TIMER_CCR0 0x12
#define HC_TIMER_CLOCK_MASK 0x0330 /* source and mode: */
#define HC_TIMER_CLOCK 0x0120      /* ACLK, comes round after 65,536 */
#define HC_TIMER_FLAG 1            /* it has come round */
#define HC_TIMER_ENABLE 2          /* and interrupts then */
#define HC_CAP 0x0100              /* of its control registers */

/* Instead of where a timer's counter is. */
#define HC_NO_CLOCK 0

#endif
