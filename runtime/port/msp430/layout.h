/* The recorder's RAM as assembly sees it: offsets in struct hc_ram (ram.h), which checks them. */
#ifndef HC_LAYOUT_H
#define HC_LAYOUT_H

#include "config.h"
#include "ring.h"

/* The sink's own bytes. Where pages are programmed in pieces, how far the page is, and its CRC so far, come last. */
#if HC_SINK_YIELDS
#define HC_SINK_SAVED 18
#define HC_SINK_WRITTEN 14
#define HC_SINK_CRC 16
#else
#define HC_SINK_SAVED 14
#endif

#define HC_RAM_COUNT 0
#if HC_ORDERED
#define HC_RAM_UNITS 2 /* which the encoder may still take, see encode.S */
#else
#define HC_RAM_LAPS 2
#endif
#define HC_RAM_ROOM 4
#define HC_RAM_HEAD 6
#define HC_RAM_STATE 8
#define HC_RAM_SAVED_15 10 /* the program's r15 while an interrupt is appended */
#define HC_RAM_RECORDER_SP 12
#define HC_RAM_IDLE 14
#define HC_RAM_NEWEST 16
#define HC_RAM_TARGET 18
#define HC_RAM_TOP 20
#define HC_RAM_CLOCK 22
#define HC_RAM_APPLICATION 24    /* r4..r15 while the recorder runs; 0 and an address: entry.S' way back */
#define HC_RAM_APPLICATION_SP 52 /* points at the program's SR */
#define HC_RAM_WORK 54
#define HC_RAM_REASON 56
#define HC_RAM_LIMIT 58 /* hc_update begins when there is less room */
#define HC_RAM_LATER 60 /* NMIs that have to wait */
#define HC_RAM_MAGIC 62
#define HC_RAM_RING 64
#define HC_RAM_STACK (HC_RAM_RING + HC_RING + HC_RING_SLACK)
#define HC_RAM_STACK_TOP (HC_RAM_STACK + HC_STACK)
#define HC_RAM_TAIL HC_RAM_STACK_TOP /* of struct hc_recorder */
#define HC_RAM_FLAGS (HC_RAM_STACK_TOP + 2)
#define HC_RAM_NEXT (HC_RAM_STACK_TOP + 4)
#define HC_RAM_PLACE (HC_RAM_STACK_TOP + 14)
#define HC_RAM_ERASED (HC_RAM_STACK_TOP + 16)
#define HC_RAM_SEGMENT (HC_RAM_STACK_TOP + 18)
#define HC_RAM_SAVED (HC_RAM_STACK_TOP + 20)
#define HC_RAM_BEHIND_SAVED (HC_RAM_SAVED + HC_SINK_SAVED)
#define HC_RAM_PRESENT (HC_RAM_BEHIND_SAVED + 0)
#define HC_RAM_PAGE (HC_RAM_BEHIND_SAVED + 2)
#define HC_RAM_MADE (HC_RAM_BEHIND_SAVED + 4)
#define HC_RAM_CHECKSUM (HC_RAM_BEHIND_SAVED + 6)
#define HC_RAM_SUMS_AT HC_RAM_CHECKSUM /* while memory is copied */
#define HC_RAM_BEGINNING (HC_RAM_BEHIND_SAVED + 8)
#define HC_RAM_TRIES (HC_RAM_BEHIND_SAVED + 10)
#define HC_RAM_START (HC_RAM_BEHIND_SAVED + 12)
#define HC_RAM_COPIED (HC_RAM_BEHIND_SAVED + 14)
#define HC_RAM_COPIED_AT (HC_RAM_BEHIND_SAVED + 16)
#define HC_RAM_SUMS_END (HC_RAM_BEHIND_SAVED + 18)
#define HC_RAM_LOWEST (HC_RAM_BEHIND_SAVED + 20)
#define HC_RAM_FAILS (HC_RAM_BEHIND_SAVED + 22)
#define HC_RAM_PASS (HC_RAM_BEHIND_SAVED + 24)
#define HC_RAM_SHELF (HC_RAM_BEHIND_SAVED + 26)
#define HC_RAM_SHELF_END (HC_RAM_BEHIND_SAVED + 28)
#define HC_RAM_WINDOW (HC_RAM_BEHIND_SAVED + 30)
#define HC_RAM_WINDOW_AT (HC_RAM_BEHIND_SAVED + 32)
#define HC_RAM_AGE (HC_RAM_BEHIND_SAVED + 34)
#define HC_RAM_STAMP (HC_RAM_BEHIND_SAVED + 36)
#define HC_RAM_TAKEN (HC_RAM_BEHIND_SAVED + 38)
#define HC_RAM_BOUNDARY (HC_RAM_BEHIND_SAVED + 40)

/* While a rescue is in progress, what RAM said of the previous boot is kept where the program's registers were, one
 * word each, so that a second reset finds it. HC_RAM_MAGIC is inverted then. */
#define HC_RAM_ENDED HC_RAM_APPLICATION
#define HC_ENDED_BOOT 0
#define HC_ENDED_SEGMENT 1
#define HC_ENDED_SEQUENCE 2
#define HC_ENDED_FLAGS 3
#define HC_ENDED_SPARE 4 /* number of the spare page, once it is being written */

/* HC_RAM_FLAGS */
#define HC_RAM_FLAG_OPENED 1       /* the end of the log is known */
#define HC_RAM_FLAG_FROZEN 2       /* nothing is erased any more */
#define HC_RAM_FLAG_FULL 4         /* and no page is left: recording has ended */
#define HC_RAM_FLAG_SPARE 8        /* `spare` holds a page to be written */
#define HC_RAM_FLAG_SHELF 0x10     /* the shelf holds others, to be written before that */
#define HC_RAM_FLAG_UNEVEN 0x20    /* a codec set is ahead of the other */
#define HC_RAM_FLAG_AHEAD 0x40     /* when the log is opened: `erased` says truly which sector is blank */
#define HC_RAM_FLAG_TRUSTED 0x100  /* this sector was erased since the start: its pages are blank */
#define HC_RAM_FLAG_BLANK 0x200    /* so is the next page, as was seen */
#define HC_RAM_FLAG_SEEN 0x400     /* a page was seen to be blank since the start: so are those behind it, probably */
#define HC_RAM_FLAG_PIECES 0x800   /* the page that is being written may be left half done */
#define HC_RAM_FLAG_ERASING 0x1000 /* no page was written since the last erase began */

#define HC_RAM_FLAGS_WAIT (HC_RAM_FLAG_SPARE | HC_RAM_FLAG_SHELF)

/* HC_RAM_STATE: 0, or hc_update has begun and */
#define HC_RUNNING 1     /* the CPU executes the recorder's code, on its stack, with the program's registers put away */
#define HC_INTERRUPTED 2 /* was interrupted: the program handles it */

/* HC_RAM_LIMIT */
#define HC_LIMIT (HC_RING - HC_BATCH)
#define HC_LIMIT_IDLE (HC_LIMIT - 2)
#define HC_LIMIT_LATER (HC_RESERVE | 1) /* bit 0: of hc_update_later */
#define HC_LIMIT_HANDLED (HC_LIMIT_LATER + 2)
#define HC_LIMIT_TURN (HC_RING / 8 * 5 | 1)

/* In HC_RAM_UNITS: the encoder must check its surroundings before it takes more, because an interrupt came or the page
 * is nearly full. */
#define HC_LOOK_AROUND 0xc000

/* HC_RAM_WORK: what hc_update has to do besides emptying the ring */
#define HC_WORK_FREEZE 1
#define HC_WORK_CHECKPOINT 2
#define HC_WORK_SINK 4    /* to be opened and closed once more, as it was busy */
#define HC_WORK_FLUSH 8   /* the page is old */
#define HC_WORK_MORE 16   /* to go on with */
#define HC_WORK_LATE 64   /* and all that waits goes to the sink, courtesy or not */
#define HC_WORK_HANDED 32 /* what came before HC_WORK_FREEZE was handed out: the mark may follow */
#define HC_WORK_CHECK 128 /* the page wants its self-check, for which the ring must be empty */
#define HC_WORK_LOOK 256  /* to look at the clock: the CPU has slept */

/* Each interrupt that finds the CPU asleep, and of the calls of hc_update that have nothing to do one in HC_IDLE, looks
 * at the clock; the time is counted in steps of at least this many ticks, a quarter of a second. */
#define HC_CLOCK_STEP 0x2000
#define HC_IDLE 16

/* Initial HC_RAM_ROOM: two words stay free, in which an interrupt's entry starts before its size is checked. And the
 * value after an event was dropped: nothing fits until a checkpoint resets it. Far enough from 0 that taking units from
 * the ring never makes it positive. */
#define HC_ROOM (HC_RING - 4)
#define HC_ROOM_LOST 0xc000

#endif
