/* The recorder's RAM: one block in .noinit. Its first part is shared with assembly (port/.../layout.h). */
#ifndef HC_RAM_H
#define HC_RAM_H

#include "codec/codec.h"
#include "layout.h"
#include "record.h"

#include <stddef.h>

struct hc_ram {
    uint16_t count; /* position counter */
#if HC_ORDERED
    volatile uint16_t units; /* that the encoder may still take */
#else
    uint16_t laps; /* of the counter */
#endif
    volatile int16_t room;   /* bytes free in the ring; far below 0 after a loss */
    volatile uint16_t head;  /* where the next entry starts: an address, like all places in the ring */
    volatile uint16_t state; /* HC_RUNNING, HC_INTERRUPTED */
    uint16_t saved_15;
    uint16_t recorder_sp;     /* of the recorder while the program runs */
    volatile uint16_t idle;   /* calls of hc_update with nothing to do until it reads the clock; each interrupt that is
                               * lost   while the recorder runs adds one */
    volatile uint16_t newest; /* the newest entry; its own address: none */
    uint16_t target;
    uint16_t top;             /* where the last entry before the ring's end ended */
    uint16_t clock;           /* where the counter is that tells the time; `head`: there is none */
    uint16_t application[14]; /* r4..r15 of the program while the recorder runs, and the way back to it */
    uint16_t application_sp;  /* points at its SR */
    volatile uint16_t work;   /* HC_WORK_... */
    uint16_t reason;          /* of HC_WORK_FREEZE */
    uint16_t limit;           /* how much room hc_update leaves unused */
    uint16_t later;           /* enables of NMIs that came too early */
    uint16_t magic;           /* after a reset: this RAM belongs to a boot of this program */
    uint8_t ring[HC_RING + HC_RING_SLACK];
    uint8_t stack[HC_STACK];
    struct hc_recorder recorder;
#if HC_DMA
    uint16_t dma[5]; /* dma.inc */
#endif
};

#ifndef __hc_ram /* critical.h may say where it is */
extern struct hc_ram __hc_ram;
#endif

#define HC_RAM_IS(member, offset) _Static_assert(offsetof(struct hc_ram, member) == (offset), #member)
HC_RAM_IS(count, HC_RAM_COUNT);
#if HC_ORDERED
HC_RAM_IS(units, HC_RAM_UNITS);
#else
HC_RAM_IS(laps, HC_RAM_LAPS);
#endif
HC_RAM_IS(room, HC_RAM_ROOM);
HC_RAM_IS(head, HC_RAM_HEAD);
HC_RAM_IS(state, HC_RAM_STATE);
HC_RAM_IS(saved_15, HC_RAM_SAVED_15);
HC_RAM_IS(recorder_sp, HC_RAM_RECORDER_SP);
HC_RAM_IS(idle, HC_RAM_IDLE);
HC_RAM_IS(newest, HC_RAM_NEWEST);
HC_RAM_IS(target, HC_RAM_TARGET);
HC_RAM_IS(top, HC_RAM_TOP);
HC_RAM_IS(clock, HC_RAM_CLOCK);
HC_RAM_IS(application, HC_RAM_APPLICATION);
HC_RAM_IS(application_sp, HC_RAM_APPLICATION_SP);
HC_RAM_IS(work, HC_RAM_WORK);
HC_RAM_IS(reason, HC_RAM_REASON);
HC_RAM_IS(limit, HC_RAM_LIMIT);
HC_RAM_IS(later, HC_RAM_LATER);
HC_RAM_IS(magic, HC_RAM_MAGIC);
HC_RAM_IS(ring, HC_RAM_RING);
HC_RAM_IS(stack, HC_RAM_STACK);
HC_RAM_IS(recorder.tail, HC_RAM_TAIL);
HC_RAM_IS(recorder.flags, HC_RAM_FLAGS);
HC_RAM_IS(recorder.next, HC_RAM_NEXT);
HC_RAM_IS(recorder.place, HC_RAM_PLACE);
HC_RAM_IS(recorder.erased, HC_RAM_ERASED);
HC_RAM_IS(recorder.segment, HC_RAM_SEGMENT);
HC_RAM_IS(recorder.saved, HC_RAM_SAVED);
HC_RAM_IS(recorder.present, HC_RAM_PRESENT);
HC_RAM_IS(recorder.page, HC_RAM_PAGE);
HC_RAM_IS(recorder.made, HC_RAM_MADE);
HC_RAM_IS(recorder.checksum, HC_RAM_CHECKSUM);
HC_RAM_IS(recorder.beginning, HC_RAM_BEGINNING);
HC_RAM_IS(recorder.tries, HC_RAM_TRIES);
HC_RAM_IS(recorder.start, HC_RAM_START);
HC_RAM_IS(recorder.copied, HC_RAM_COPIED);
HC_RAM_IS(recorder.copied_at, HC_RAM_COPIED_AT);
HC_RAM_IS(recorder.sums_end, HC_RAM_SUMS_END);
HC_RAM_IS(recorder.lowest, HC_RAM_LOWEST);
HC_RAM_IS(recorder.sums_at, HC_RAM_SUMS_AT);
HC_RAM_IS(recorder.fails, HC_RAM_FAILS);
HC_RAM_IS(recorder.pass, HC_RAM_PASS);
HC_RAM_IS(recorder.shelf, HC_RAM_SHELF);
HC_RAM_IS(recorder.shelf_end, HC_RAM_SHELF_END);
HC_RAM_IS(recorder.window, HC_RAM_WINDOW);
HC_RAM_IS(recorder.window_at, HC_RAM_WINDOW_AT);
HC_RAM_IS(recorder.age, HC_RAM_AGE);
HC_RAM_IS(recorder.stamp, HC_RAM_STAMP);
HC_RAM_IS(recorder.taken, HC_RAM_TAKEN);
HC_RAM_IS(recorder.boundary, HC_RAM_BOUNDARY);
_Static_assert(sizeof(struct hc_page_header) == HC_PAGE_HEADER, "as pages have it");

#endif
