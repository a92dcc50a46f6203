/* What is chosen when the recorder is compiled, and what follows from it. For C and assembly.
 *
 *     HC_SINK_M25P80, HC_SINK_FLASH, HC_SINK_FRAM, HC_SINK_UART, HC_SINK_NONE      one of them 1; default M25P80
 *     HC_CODEC_INTERRUPTS_PAPER, HC_CODEC_REGISTERS_PAPER, HC_CODEC_DATA_PAPER     1: that kind in codec set paper
 *     HC_RING        bytes between the program and hc_update
 *     HC_FLUSH       seconds after which a page is written though it is not full; 0: never
 *     HC_FLUSH_BELOW millivolts: while the supply is lower, a page waits for half a second at most; 0: not watched
 *     HC_STACK       bytes of the recorder's own stack
 *     HC_LOG_START, HC_LOG_END      the part of the sink that is ours
 *     HC_SINK_SHARED 1: the program uses the flash chip as well: it is never put to sleep
 *     HC_SINK_YIELDS 1: handlers of the program may use the flash chip's bus at any time
 *     HC_LOG_SECTOR  what is erased and reused at a time, where the sink leaves the choice
 *     HC_DMA         1: DMA writes memory */
#ifndef HC_CONFIG_H
#define HC_CONFIG_H

#if !defined HC_SINK_M25P80 && !defined HC_SINK_FLASH && !defined HC_SINK_FRAM && !defined HC_SINK_UART && \
    !defined HC_SINK_NONE
#define HC_SINK_M25P80 1
#endif

#ifndef HC_CODEC_SETS
#ifdef HC_CODEC_INTERRUPTS_PAPER
#define HC_CODEC_SET_INTERRUPTS 1
#else
#define HC_CODEC_SET_INTERRUPTS 0
#endif
#ifdef HC_CODEC_REGISTERS_PAPER
#define HC_CODEC_SET_REGISTERS 2
#else
#define HC_CODEC_SET_REGISTERS 0
#endif
#ifdef HC_CODEC_DATA_PAPER
#define HC_CODEC_SET_DATA 4
#else
#define HC_CODEC_SET_DATA 0
#endif
#define HC_CODEC_SETS (HC_CODEC_SET_INTERRUPTS + HC_CODEC_SET_REGISTERS + HC_CODEC_SET_DATA)
#endif

#if HC_SINK_M25P80
#define HC_SINK_NAME "m25p80"
#elif HC_SINK_FLASH
#define HC_SINK_NAME "flash"
#elif HC_SINK_FRAM
#define HC_SINK_NAME "fram"
#elif HC_SINK_UART
#define HC_SINK_NAME "uart"
#else
#define HC_SINK_NAME "none"
#endif

#if !defined HC_SINK_SHARED && HC_PORT_CONTIKI
#define HC_SINK_SHARED 1
#endif
#ifndef HC_SINK_SHARED
#define HC_SINK_SHARED 0
#endif
#if !defined HC_SINK_YIELDS && (HC_PORT_TINYOS || HC_PORT_CONTIKI)
#define HC_SINK_YIELDS 1
#endif
#ifndef HC_SINK_YIELDS
#define HC_SINK_YIELDS 0
#endif

/* All events are in one order, and each sets the position counter to 0. Otherwise reads count, and an interrupt sets it
 * to 1, as in the paper. */
#define HC_ORDERED (HC_CODEC_SETS == 0)

#if !defined HC_RING && HC_PORT_TINYOS /* a frame is read by an interrupt for every second byte */
#define HC_RING 1024
#endif
#ifndef HC_RING
#define HC_RING 480
#endif
#ifndef HC_FLUSH
#if HC_SINK_FRAM
#define HC_FLUSH 0 /* the recorder's RAM is in FRAM, too: after a reset, waiting data is still there */
#else
#define HC_FLUSH 10
#endif
#endif

/* Pages may wait in unused memory. FRAM is never busy, and RAM would not survive a power failure. */
#if HC_SINK_FRAM
#define HC_HAS_SHELF 0
#else
#define HC_HAS_SHELF 1
#endif

#ifndef HC_FLUSH_BELOW
#define HC_FLUSH_BELOW 0
#endif

/* Seconds for which a program that needs the bus is not disturbed. */
#if HC_FLUSH
#define HC_LATE HC_FLUSH
#else
#define HC_LATE 10
#endif
#ifndef HC_STACK
#if HC_ORDERED && !HC_RECORDER_C && HC_SINK_YIELDS
#define HC_STACK 120
#elif HC_ORDERED && !HC_RECORDER_C
#define HC_STACK 88
#else
#define HC_STACK 256
#endif
#endif

/* hc_update leaves events in the ring until this many bytes wait: encoding in batches is cheaper and does not lengthen
 * every short wake-up. It is small enough that one update empties the ring as a rule. */
#ifndef HC_BATCH
#define HC_BATCH (HC_RING / 60 * 10 + 4)
#endif

/* A page is programmed in pieces, where it can be, while the ring has so much room. */
#ifndef HC_PIECES_ROOM
#define HC_PIECES_ROOM (HC_RING / 4)
#endif

/* A program may make this many between two calls of hc_update or hc_update_later; if there is less room, an interrupt
 * may delay its task. */
#ifndef HC_RESERVE
#define HC_RESERVE (HC_RING / 64 * 50)
#endif

#if HC_RING % 2 || HC_RING < 64 || HC_RING > 8192 || HC_STACK % 2 || HC_FLUSH > 500
#error "HC_RING must be even, 64 to 8192, HC_STACK even, HC_FLUSH at most 500"
#endif

#endif
