/* A recording as it was found: the pages of a flash image, a memory dump (raw, Intel HEX, TI-TXT or ELF) or UART
 * output, put into order.
 *
 * Pages are recognised by magic and CRC at any offset. All other bytes are ignored, except that a page with magic, a
 * plausible header and a wrong CRC is listed as damage. A log may come from anywhere: nothing in it is trusted before
 * it was checked. */
#ifndef HC_TRACE_LOG_H
#define HC_TRACE_LOG_H

#include "../../runtime/codec/codec.h"
#include "event.h"

enum hc_log_error {
    HC_LOG_OK = 0,
    HC_LOG_UNREADABLE = -1, /* no such file, a directory, no permission */
    HC_LOG_EMPTY = -2,      /* contains no page */
    HC_LOG_NO_MEMORY = -3,
    HC_LOG_MISMATCH = -4, /* of another program: another build id, or a site that it does not have */
    HC_LOG_DAMAGED = -5,  /* something required is missing or inconsistent */
};

/* One line, without a newline; written only when a call fails. */
struct hc_log_message {
    char text[320];
};

struct hc_log;

enum { HC_LOG_FILE_MAX = 64 << 20 };

/* On success the caller owns *OUT; otherwise *OUT is NULL. A file without a page is refused. */
enum hc_log_error hc_log_open_file(struct hc_log **out, const char *path, struct hc_log_message *message);
/* BYTES are copied; NAME is used in messages. */
enum hc_log_error hc_log_open_memory(struct hc_log **out, const char *name, const void *bytes, size_t size,
                                     struct hc_log_message *message);
void hc_log_free(struct hc_log *log);
const char *hc_log_name(const struct hc_log *log);

/* ---- pages, in the order in which they were written ---- */

struct hc_log_page {
    size_t offset; /* in the file */
    uint8_t stream, length;
    uint16_t boot, segment;
    uint32_t sequence;
    bool torn; /* of stream messages: what lies behind its pieces is neither one nor blank */
    const uint8_t *payload;
};
size_t hc_log_pages(const struct hc_log *log, const struct hc_log_page **out);

/* A page's part of one of set paper's streams; returns false if the page is inconsistent. */
bool hc_log_lane(const struct hc_log_page *page, enum hc_lane lane, const uint8_t **bytes, uint8_t *length);

/* ---- damage ---- */

enum hc_log_damage_kind {
    HC_DAMAGE_TORN,      /* an incomplete page at offset has a wrong CRC */
    HC_DAMAGE_MISSING,   /* count pages are missing between page and the one before it */
    HC_DAMAGE_CONFLICT,  /* two pages have the same number; page is the one that is ignored */
    HC_DAMAGE_BEGINNING, /* a segment without its boot page or checkpoint */
    HC_DAMAGE_CONTENT,   /* the codec could not decode page */
};

struct hc_log_damage {
    enum hc_log_damage_kind kind;
    size_t offset;  /* in the file */
    size_t page;    /* index into the pages, or the number of pages if there is none */
    uint32_t count; /* pages missing */
    char text[120]; /* a sentence without the file's name */
};
size_t hc_log_damages(const struct hc_log *log, const struct hc_log_damage **out);

/* ---- segments, in order: each can be replayed by itself ---- */

enum hc_segment_begin {
    HC_BEGIN_LOST,       /* events without a start: they cannot be replayed */
    HC_BEGIN_BOOT,       /* a reset */
    HC_BEGIN_CHECKPOINT, /* a whole one */
    HC_BEGIN_UNFINISHED, /* only chunks of a checkpoint that was never committed */
};

struct hc_log_segment {
    uint16_t boot, number;
    enum hc_segment_begin begin;
    size_t begin_page;             /* of its boot or commit page */
    size_t first_page, page_count; /* all its pages are in this range; others may be, too: see .segment of each */
    uint8_t version;               /* of the trace; 0: unknown. Only HC_TRACE_VERSION can be read */
    uint16_t cause;                /* of a boot: flags of the reset (hc_log_cause) */
    bool found;                    /* of a boot: RAM still held the previous boot's events, and they were written */
    uint16_t count;                /* of a checkpoint: the position counter at the segment's start */
    bool messages;                 /* of depth `messages`: nothing to replay */
    uint8_t sets;                  /* HC_PAPER_...; of a lost start: what the streams say */
    bool has_build;
    uint8_t build[8];
    bool frozen;                                   /* a freeze mark */
    uint16_t frozen_because;                       /* the argument of hc_freeze: of an invariant its line */
    bool overflow;                                 /* events were lost at its end */
    bool damaged;                                  /* pages are missing after its start */
    size_t pages[HC_STREAMS], payload[HC_STREAMS]; /* their number, and their bytes */
    size_t lanes[HC_LANES];                        /* bytes of each stream of codec set paper */
};
size_t hc_log_segments(const struct hc_log *log, const struct hc_log_segment **out);

/* ---- boots: the lives of the node ---- */

/* How the log of a boot ends. */
enum hc_life_end {
    HC_LIFE_RESCUED, /* with the reset: the events in RAM were written afterwards */
    HC_LIFE_FROZEN,  /* with a freeze */
    HC_LIFE_LOST,    /* the events in RAM were lost */
    HC_LIFE_MISSING, /* the events in RAM were written, but those pages are missing */
    HC_LIFE_OPEN,    /* no boot follows: the events in RAM when the log was read are not in it */
    HC_LIFE_UNKNOWN, /* a boot follows that has lost its start */
};

struct hc_log_boot {
    uint16_t boot;
    size_t first_segment, segments; /* indexes */
    enum hc_life_end end;
    bool cause_known; /* what ended it: */
    uint16_t cause;
    size_t rescued;     /* bytes of rescue pages */
    uint32_t missing;   /* pages within it are missing */
    size_t lost_starts; /* segments without their beginning */
};
size_t hc_log_boots(const struct hc_log *log, const struct hc_log_boot **out);

/* The meaning of a reset's flags, in words. */
const char *hc_log_cause(uint16_t cause, char *out, size_t size);
/* How the boot ended and how far its log reaches: a sentence or two, without a full stop at the end. */
const char *hc_log_life(const struct hc_log_boot *boot, char *out, size_t size);

/* The first page of STREAM in segment S from page index FROM (start with s->first_page); the number of pages if there
 * is none. */
size_t hc_log_next_page(const struct hc_log *log, const struct hc_log_segment *s, int stream, size_t from);

/* How many pages are missing between page and the one before it; 0 for the first of a boot. */
uint32_t hc_log_missing_before(const struct hc_log *log, size_t page);

/* ---- the program ---- */

/* The program's sites, from the map in its ELF; referenced, not copied. */
struct hc_site_table {
    const struct hc_site *sites;
    size_t count;
    uint16_t address; /* of the first site in the program; needed only for a rescued ring */
};

#endif
