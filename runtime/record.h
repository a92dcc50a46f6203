/* The recorder's C side: from the ring through the codec to pages of the log. */
#ifndef HC_RECORD_H
#define HC_RECORD_H

#include "codec/codec.h"
#include "config.h"
#include "part.h"

#include <stdbool.h>
#include <stdint.h>

/* A checkpoint's unit of memory, and how many there may be. */
enum { HC_CHUNK = 240, HC_CHUNKS = (HC_MEMORY_MAX + HC_CHUNK - 1) / HC_CHUNK };

/* hc_recorder.flags */
enum {
    HC_LOG_OPENED = 0x01,  /* the end of the log is known */
    HC_LOG_FROZEN = 0x02,  /* nothing is erased any more */
    HC_LOG_WAITING = 0x04, /* pages of a checkpoint wait in memory, from `page` on */
    HC_LOG_SPARE = 0x08,   /* `spare` holds a page to be written */
    HC_LOG_TRUSTED = 0x10, /* this sector was erased since the start: its pages are blank */
    HC_LOG_SINK = 0x20,    /* the sink is open */
    HC_LOG_FULL = 0x40,    /* frozen, and no page is left: recording has ended */
    HC_LOG_UNEVEN = 0x80,  /* a codec set is ahead of the other */
};

/* The sink's own. */
enum { HC_SINK_SAVED = 12 };

struct hc_recorder {
    uint16_t site; /* of the last read, its descriptor's address */
    uint16_t tail; /* offset of the next unit to be taken from the ring */
    uint16_t flags;
    struct hc_page_header next; /* of the next page: boot and sequence are always right */
    uint16_t place;             /* of it */
    uint16_t erased;            /* the sector that was erased last, its first page */
    uint16_t segment;           /* of what the codec encodes */
    uint8_t saved[HC_SINK_SAVED];
    uint16_t page; /* of a checkpoint, the next one: its address */
    uint16_t seen; /* interrupts, before it was begun */
    uint8_t spare[HC_PAGE_PAYLOAD], spare_stream, spare_length;
    struct hc_codec codec;
};

/* ---- record.c ---- */

/* Called from assembly, on the recorder's stack. */
void __hc_record_reset(void);
void __hc_record_update(void);

/* Encodes and writes what lies in the ring up to offset END. The sink is open. */
void hc_record_finish(uint16_t end);
/* Models as after a reset: a segment begins. */
void hc_record_begin(void);

/* ---- log.c ---- */

/* True when the sink is open: it was, or could be opened, because the program does not use it. */
bool hc_log_reach(bool urgent);

/* True when a page could be programmed now. The sink is open. Finds the end of the log first if need be, and erases. */
bool hc_log_ready(void);

/* Programs a page; waits until the log is ready. A page's worth of PAYLOAD is read, whatever its LENGTH. A mark freezes
 * the log: it goes to the log's last page, where it is found after a reset. */
void hc_log_write(uint8_t stream, uint16_t segment, const uint8_t *payload, uint8_t length);

/* Writes the spare page, if there is one. */
void hc_log_flush(void);

/* When half of a sector is used, erasing the next one begins, once. The log is ready. */
void hc_log_erase_ahead(void);

/* ---- checkpoint.c ---- */

/* The page that begins a segment at a reset, in the spare page; returns its length, 0 when it does not fit. */
uint8_t hc_checkpoint_boot(void);

/* Memory, registers and peripherals; a new segment has begun when it returns, but its pages may have to wait. The log
 * has room, the spare page is empty. */
void hc_checkpoint_take(void);

/* Writes the next page that waits. */
void hc_checkpoint_write(void);

#endif
