/* The recorder's C side: from the ring through the codec to pages of the log. */
#ifndef HC_RECORD_H
#define HC_RECORD_H

#include "codec/codec.h"
#include "config.h"
#include "critical.h"
#include "log.h"
#include "part.h"

#include <stdbool.h>
#include <stdint.h>

/* The sink's own. */
enum { HC_SINK_SAVED = 14 };

/* What a reset needs to go on behind the last event that is in pages for sure, besides the ring from `tail` on. While
 * it is being changed, what it was before holds. */
struct hc_kept {
    uint16_t check, bits; /* of the encoder, when it last put its state away; its events are `taken` */
    uint16_t tail_before, taken_before, check_before, bits_before;
    volatile uint16_t changes; /* not 0: it is being changed */
};

struct hc_recorder {
    uint16_t tail;              /* where the oldest entry of the ring begins that was not encoded yet */
    uint16_t flags;             /* HC_RAM_FLAG_... */
    struct hc_page_header next; /* of the next page: boot and sequence are always right */
    uint16_t place;             /* of it */
    uint16_t erased;            /* the sector that was erased last, its first page */
    uint16_t segment;           /* the last one whose beginning is whole in the log */
    uint8_t saved[HC_SINK_SAVED];
    uint16_t present; /* the segment that the program is in */

    /* The beginning of a segment, while it waits to be written: records from start on. */
    uint16_t page; /* the next page of it; bit 0: it is being written */
    uint16_t made; /* where it ends, and what the page holds that makes it valid; 0: none waits */
    union {
        uint16_t checksum; /* of its words */
        uint16_t sums_at;  /* while memory is copied: the block's sums in the table */
    };
    uint16_t beginning; /* stream of that page */
    uint16_t tries;     /* calls for a checkpoint, since there was a page of events */
    uint16_t start;

    /* A checkpoint that is being copied. */
    uint16_t copied;    /* the piece of memory under way: its place in __hc_link; 0: there is none */
    uint16_t copied_at; /* up to where */
    uint16_t sums_end;  /* of the table of sums, in unused memory */
    uint16_t lowest;    /* up to where memory is unused */
    uint16_t fails;     /* how often an interrupt came in its last step */
    uint16_t pass;      /* HC_PASS_... */

    uint16_t shelf,
        shelf_end; /* pages that wait in unused memory (shelf.h): the oldest, where they end; equal: there is none */

    uint16_t window,
        window_at;       /* the self-check's: the piece, its place in __hc_link; where it goes on, 0: at its start */
    uint16_t age, stamp; /* of the page, in units of 256 ticks; the clock when it was looked at */

    uint16_t taken;    /* events of the segment when the encoder last put its state away */
    uint16_t boundary; /* entries of the ring up to here are of the segment before; 0: there are none */

    uint8_t spare[HC_PAGE_PAYLOAD], spare_length, spare_stream;
    uint16_t spare_segment;
    struct hc_codec codec;
#if HC_RECORDER_C && !defined HC_KEPT
#define HC_KEPT (__hc_ram.recorder.kept)
    struct hc_kept kept;
#endif
};

/* ---- record.c or port/.../record.S ---- */

/* Called on the recorder's stack; those of assembly keep no registers. */
void __hc_record_reset(void);
void __hc_record_update(void);

/* An event is lost: nothing is appended any more until there is another checkpoint. */
void __hc_record_lose(void);
/* Whether the next update has to go on. */
void __hc_record_more(void);
/* All events of the segment before are in its pages: the last one goes to the spare page, which is free. */
void __hc_record_begin_segment(void);
/* Writes the next page of a beginning that waits. */
void __hc_record_waiting(void);

/* ---- record.c, after a reset ---- */

/* The sink is open then, and the part fast. True when the log is ready, after PATIENCE looks at most (0: 65,536). */
bool hc_record_open_log(uint16_t patience);
void hc_record_close_log(void);

/* ---- encode.c or port/.../encode.S ---- */

/* Encodes what the ring holds: UNITS of it (a read is one, as each byte more of a run, an interrupt two), not beyond
 * `boundary`, and not more than fits while the spare page waits. Taking is a transaction: a reset in its middle finds
 * what was put away last, and the ring from there on. */
void __hc_take(int16_t units);

/* encode.c: the segment whose events are being encoded: the one before, while some of its events are in the ring. */
uint16_t __hc_coded_segment(void);
/* encode.c: for a reset to find, what the encoder has now. After the codec was started or has finished. */
void __hc_keep(void);

/* ---- encode.c, with codec set paper ---- */

/* Replay gets as far as the codec set that ends first: when a page of one is in the log, all that the other holds back
 * follows. */
void __hc_record_even_out(void);

#endif
