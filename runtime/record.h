/* The recorder's C side: from the ring through the codec to pages of the log. */
#ifndef HC_RECORD_H
#define HC_RECORD_H

#include "codec/codec.h"
#include "config.h"
#include "critical.h"
#include "layout.h"
#include "log.h"
#include "part.h"

#include <stdbool.h>
#include <stdint.h>

/* What a reset needs to continue after the last event that is certainly in pages, besides the ring from `tail`. While
 * it is being changed, its previous contents are valid. */
struct hc_kept {
    uint16_t check, bits; /* of the encoder, when it last saved its state; its events are `taken` */
    uint16_t tail_before, taken_before, check_before, bits_before;
    volatile uint16_t changes; /* not 0: it is being changed */
};

struct hc_recorder {
    uint16_t tail;              /* where the oldest ring entry that is not yet encoded starts */
    uint16_t flags;             /* HC_RAM_FLAG_... */
    struct hc_page_header next; /* of the next page: boot and sequence are always right */
    uint16_t place;             /* of it */
    uint16_t erased;            /* the sector that was erased last, its first page */
    uint16_t segment;           /* the last segment whose start is completely in the log */
    uint8_t saved[HC_SINK_SAVED];
    uint16_t present; /* the segment that the program is in */

    /* The start of a segment that waits to be written: records from `start`. */
    uint16_t page; /* its next page; bit 0: it is being written */
    uint16_t made; /* its end, and the contents of the page that makes it valid; 0: none waits */
    union {
        uint16_t checksum; /* of its words */
        uint16_t sums_at;  /* while memory is copied: the block's sums in the table */
    };
    uint16_t beginning; /* stream of that page */
    uint16_t tries;     /* requests for a checkpoint since there was a page of events */
    uint16_t start;

    /* A checkpoint that is being copied. */
    uint16_t copied;    /* the current piece of memory: its address in __hc_link; 0: none */
    uint16_t copied_at; /* up to where */
    uint16_t sums_end;  /* of the table of sums, in unused memory */
    uint16_t lowest;    /* the end of unused memory */
    uint16_t fails;     /* how often an interrupt came in its last step */
    uint16_t pass;      /* HC_PASS_... */

    uint16_t shelf, shelf_end; /* pages that wait in unused memory (shelf.h): the oldest, and their end; equal: none */

    uint16_t window,
        window_at; /* of the self-check: the piece, its address in __hc_link; where it continues, 0: at its start */
    uint16_t age, stamp; /* of the page, in units of 256 ticks; the clock when it was looked at */

    uint16_t taken;    /* events of the segment when the encoder last saved its state */
    uint16_t boundary; /* ring entries up to here belong to the previous segment; 0: none */

    uint8_t spare[HC_PAGE_PAYLOAD], spare_length, spare_stream;
    uint16_t spare_segment;
    struct hc_codec codec;
#if HC_RECORDER_C && !defined HC_KEPT
#define HC_KEPT (__hc_ram.recorder.kept)
    struct hc_kept kept;
#endif
};

/* ---- record.c or port/.../record.S ---- */

/* Called on the recorder's stack; those in assembly preserve no registers. */
void __hc_record_reset(void);
void __hc_record_update(void);

/* An event is lost: nothing is appended any more until the next checkpoint. */
void __hc_record_lose(void);
/* Whether the next update has to continue. */
void __hc_record_more(void);
/* All events of the previous segment are in its pages: the last page goes to the spare page, which is free. */
void __hc_record_begin_segment(void);
/* Writes the next page of a checkpoint that waits. */
void __hc_record_waiting(void);

/* ---- record.c, after a reset ---- */

/* The sink must be open, and the part fast. Returns true when the log is ready, after at most PATIENCE polls (0:
 * 65,536). */
bool hc_record_open_log(uint16_t patience);
void hc_record_close_log(void);

/* ---- encode.c or port/.../encode.S ---- */

/* Encodes entries of the ring: UNITS of them (a read is one, like each further byte of a run; an interrupt is two), not
 * beyond `boundary`, and not more than fits while the spare page waits. This is a transaction: a reset in its middle
 * finds the state saved last, and the ring from there. */
void __hc_take(int16_t units);

/* encode.c: the segment whose events are being encoded: the previous one while some of its events are in the ring. */
uint16_t __hc_coded_segment(void);
/* encode.c: saves the encoder's present state for a reset to find. Call after the codec was started or has finished. */
void __hc_keep(void);

/* ---- encode.c, with codec set paper ---- */

/* A replay gets only as far as the codec set that ends first: when a page of one is in the log, everything that the
 * other holds back follows. */
void __hc_record_even_out(void);

#endif
