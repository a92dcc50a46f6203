/* The recorder's RAM: one block in .noinit. Its beginning is shared with assembly (port/.../layout.h). */
#ifndef HC_RAM_H
#define HC_RAM_H

#include "codec/codec.h"
#include "layout.h"
#include "record.h"

#include <stddef.h>

struct hc_ram {
    uint16_t count, laps;    /* position counter */
    volatile int16_t room;   /* bytes free in the ring; far below 0 once something was lost */
    volatile uint16_t head;  /* offset of the next unit to be written */
    volatile uint16_t state; /* HC_RUNNING, HC_INTERRUPTED */
    uint16_t vector;
    uint16_t recorder_sp;
    volatile uint16_t interrupts; /* how many came while the recorder ran */
    uint16_t run_unit, target;
    uint16_t scratch[2];
    uint16_t application[14];   /* r4..r15 of the program while the recorder runs, and what leads back to it */
    uint16_t application_sp;    /* points at its SR */
    volatile uint16_t work;     /* HC_WORK_... */
    uint16_t reason;            /* of HC_WORK_FREEZE */
    volatile uint16_t run_site; /* 0: the next read begins another entry */
    uint16_t limit;             /* how much room hc_update leaves alone */
    uint16_t later;             /* enables of NMIs that came too early */
    uint8_t ring[HC_RING];
    uint8_t stack[HC_STACK];
    struct hc_recorder recorder;
};

extern struct hc_ram __hc_ram;

#define HC_RAM_CHECK(member, offset) _Static_assert(offsetof(struct hc_ram, member) == (offset), #member)
HC_RAM_CHECK(count, HC_RAM_COUNT);
HC_RAM_CHECK(laps, HC_RAM_LAPS);
HC_RAM_CHECK(room, HC_RAM_ROOM);
HC_RAM_CHECK(head, HC_RAM_HEAD);
HC_RAM_CHECK(state, HC_RAM_STATE);
HC_RAM_CHECK(vector, HC_RAM_VECTOR);
HC_RAM_CHECK(recorder_sp, HC_RAM_RECORDER_SP);
HC_RAM_CHECK(interrupts, HC_RAM_INTERRUPTS);
HC_RAM_CHECK(scratch, HC_RAM_SCRATCH);
HC_RAM_CHECK(application, HC_RAM_APPLICATION);
HC_RAM_CHECK(application_sp, HC_RAM_APPLICATION_SP);
HC_RAM_CHECK(target, HC_RAM_TARGET);
HC_RAM_CHECK(work, HC_RAM_WORK);
HC_RAM_CHECK(reason, HC_RAM_REASON);
HC_RAM_CHECK(run_site, HC_RAM_RUN_SITE);
HC_RAM_CHECK(run_unit, HC_RAM_RUN_UNIT);
HC_RAM_CHECK(limit, HC_RAM_LIMIT);
HC_RAM_CHECK(later, HC_RAM_LATER);
HC_RAM_CHECK(ring, HC_RAM_RING);
HC_RAM_CHECK(stack, HC_RAM_STACK);
HC_RAM_CHECK(recorder.next, HC_RAM_NEXT);
HC_RAM_CHECK(recorder.place, HC_RAM_PLACE);
HC_RAM_CHECK(recorder.erased, HC_RAM_ERASED);
HC_RAM_CHECK(recorder.segment, HC_RAM_SEGMENT);
HC_RAM_CHECK(recorder.saved, HC_RAM_SAVED);
HC_RAM_CHECK(recorder.present, HC_RAM_PRESENT);
HC_RAM_CHECK(recorder.page, HC_RAM_PAGE);
HC_RAM_CHECK(recorder.made, HC_RAM_MADE);
HC_RAM_CHECK(recorder.checksum, HC_RAM_CHECKSUM);
HC_RAM_CHECK(recorder.beginning, HC_RAM_BEGINNING);
HC_RAM_CHECK(recorder.tries, HC_RAM_TRIES);
HC_RAM_CHECK(recorder.start, HC_RAM_START);
_Static_assert(sizeof(struct hc_page_header) == HC_PAGE_HEADER, "as pages have it");

#endif
