/* The recorder's C side: from the ring through the codec to pages of the log. */
#ifndef HC_RECORD_H
#define HC_RECORD_H

#include "codec/codec.h"
#include "config.h"
#include "part.h"

#include <stdbool.h>
#include <stdint.h>

/* The sink's own. */
enum { HC_SINK_SAVED = 14 };

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
    uint16_t page;      /* the next page of it */
    uint16_t made;      /* where it ends, and what the page holds that makes it valid; 0: none waits */
    uint16_t checksum;  /* of its words */
    uint16_t beginning; /* stream of that page */
    uint16_t tries;     /* calls for a checkpoint, since there was a page of events */
    uint16_t start;

    /* A checkpoint that is being copied. */
    uint16_t copied;    /* the piece of memory under way: its place in __hc_link; 0: there is none */
    uint16_t copied_at; /* up to where */
    uint16_t sums_end;  /* of the table of sums, in unused memory */
    uint16_t lowest;    /* up to where memory is unused */

    uint16_t window, window_at; /* the self-check's: the piece, its place in __hc_link; where it goes on, 0: at its start */
    uint16_t age, stamp;        /* of the page, in units of 256 ticks; the clock when it was looked at */

    uint16_t taken;    /* events of the segment when the encoder last put its state away */
    uint16_t boundary; /* entries of the ring up to here are of the segment before; 0: there are none */

    uint8_t spare[HC_PAGE_PAYLOAD], spare_length, spare_stream;
    uint16_t spare_segment;
    struct hc_codec codec;
};

/* ---- port/.../record.S ---- */

/* Called on the recorder's stack; they keep no registers. */
void __hc_record_reset(void);
void __hc_record_update(void);

/* An event is lost. */
void __hc_record_lose(void);
/* Writes the next page of a beginning that waits. */
void __hc_record_waiting(void);

/* ---- record.c or port/.../encode.S ---- */

/* Encodes what the ring holds, or until a page is full and another one waits to be written. */
void __hc_take(void);
/* For the first time: the codec, with nothing in it. */
void __hc_record_open(void);
/* Replay gets as far as the codec set that ends first: when a page of one is in the log, all that the other holds back
 * follows. */
void __hc_record_even_out(void);

/* ---- port/.../log.S ---- */

/* True when a page could be programmed now. The sink is open. Finds the end of the log first if need be, and erases. */
bool hc_log_ready(void);

/* Programs a page with LENGTH bytes, at least one; waits until the log is ready, which it was once before. A mark
 * freezes the log: it goes to the log's last page, where it is found after a reset. */
void hc_log_write(uint8_t stream, uint16_t segment, const uint8_t *payload, uint8_t length);

/* Writes the spare page, if there is one. */
void hc_log_flush(void);

/* When half of a sector is used, erasing the next one begins, once. The log is ready. */
void hc_log_erase_ahead(void);

#endif
