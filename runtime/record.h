/* The recorder's C side: from the ring through the codec to pages of the log. */
#ifndef HC_RECORD_H
#define HC_RECORD_H

#include "codec/codec.h"
#include "config.h"
#include "part.h"

#include <stdbool.h>
#include <stdint.h>

/* The sink's own. */
enum { HC_SINK_SAVED = 12 };

struct hc_recorder {
    uint16_t tail;              /* offset of the next unit to be taken from the ring */
    uint16_t flags;             /* HC_RAM_FLAG_... */
    struct hc_page_header next; /* of the next page: boot and sequence are always right */
    uint16_t place;             /* of it */
    uint16_t erased;            /* the sector that was erased last, its first page */
    uint16_t segment; /* of pages with events; that of a beginning is the next one until all of it is written */
    uint8_t saved[HC_SINK_SAVED];
    uint16_t present;   /* the segment that the program is in, for tools */
    uint16_t page;      /* of the beginning of a segment, the next one to be written: its address */
    uint16_t made;      /* where it ends; 0: none waits */
    uint16_t checksum;  /* of its words */
    uint16_t beginning; /* stream of the page that makes it valid */
    uint16_t tries;     /* calls for a checkpoint, since there was a page of events */
    uint16_t start;     /* of a beginning that waits, its address */
    uint8_t spare[HC_PAGE_PAYLOAD], spare_length, spare_stream;
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
