/* A recording as it was found: pages out of a flash image, a memory dump (raw, Intel HEX, TI-TXT or ELF) or what a UART
 * sent, put into order.
 *
 * Pages are recognised by magic and CRC at any offset; whatever else the bytes are is nobody's business, except that a
 * page that was begun (its magic and a plausible header are there) and whose CRC is wrong is listed as damage. A log
 * may come from anywhere: nothing in it is believed before it was checked. */
#ifndef HC_TRACE_LOG_H
#define HC_TRACE_LOG_H

#include "../../runtime/codec/codec.h"
#include "event.h"

enum hc_log_error {
    HC_LOG_OK = 0,
    HC_LOG_UNREADABLE = -1, /* no such file, a directory, no permission */
    HC_LOG_EMPTY = -2,      /* not one page in it */
    HC_LOG_NO_MEMORY = -3,
    HC_LOG_MISMATCH = -4, /* not of this program: another build id, a site that it has not */
    HC_LOG_DAMAGED = -5,  /* something that is needed is missing or contradicts itself */
    HC_LOG_WRITE = -6,    /* a file could not be written */
};

/* One line, without a newline; written only when a call fails. */
struct hc_log_message {
    char text[320];
};

struct hc_log;

enum { HC_LOG_FILE_MAX = 64 << 20 };

/* On success *OUT is the caller's; else *OUT is NULL. A file without a page is refused. */
enum hc_log_error hc_log_open_file(struct hc_log **out, const char *path, struct hc_log_message *message);
/* BYTES are copied; NAME stands for the file in messages. */
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
    const uint8_t *payload;
};
size_t hc_log_pages(const struct hc_log *log, const struct hc_log_page **out);

/* What a page of codec set paper has of one of its streams; false if the page contradicts itself. */
bool hc_log_lane(const struct hc_log_page *page, enum hc_lane lane, const uint8_t **bytes, uint8_t *length);

/* ---- damage ---- */

enum hc_log_damage_kind {
    HC_DAMAGE_TORN,      /* a page that was begun, at offset, has a wrong CRC */
    HC_DAMAGE_MISSING,   /* between page and the one before it, count pages are not there */
    HC_DAMAGE_CONFLICT,  /* two pages of one number; page is the one that is not believed */
    HC_DAMAGE_BEGINNING, /* a segment without its boot page or checkpoint */
    HC_DAMAGE_CONTENT,   /* the codec could not make sense of page */
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
    HC_BEGIN_LOST,       /* events without a beginning: they cannot be replayed */
    HC_BEGIN_BOOT,       /* a reset */
    HC_BEGIN_CHECKPOINT, /* a whole one */
    HC_BEGIN_UNFINISHED, /* chunks of a checkpoint that was never committed, and nothing else */
};

struct hc_log_segment {
    uint16_t boot, number;
    enum hc_segment_begin begin;
    size_t begin_page;             /* of its boot or commit page */
    size_t first_page, page_count; /* all its pages are among these; others may be, too: see .segment of each */
    uint8_t version;               /* of the trace; 0: not known. Only HC_TRACE_VERSION can be read */
    uint16_t cause;                /* of a boot: flags of the reset (hc_log_cause) */
    bool found;                    /* of a boot: RAM held the life before it, and what waited there was written */
    uint16_t count;                /* of a checkpoint: the position counter at which the segment begins */
    uint8_t sets;                  /* HC_PAPER_...; of a lost beginning: what the streams say */
    bool has_build;
    uint8_t build[8];
    bool frozen;                                   /* a freeze mark */
    uint16_t frozen_because;                       /* what hc_freeze was given: of an invariant its line */
    bool overflow;                                 /* events were lost at its end */
    bool damaged;                                  /* something is missing after its beginning */
    size_t pages[HC_STREAMS], payload[HC_STREAMS]; /* how many, and their bytes */
    size_t lanes[HC_LANES];                        /* bytes of each stream of codec set paper */
};
size_t hc_log_segments(const struct hc_log *log, const struct hc_log_segment **out);

/* ---- boots: the lives of the node ---- */

/* How the log of a life ends. */
enum hc_life_end {
    HC_LIFE_RESCUED, /* with the reset: what waited in RAM was written afterwards */
    HC_LIFE_FROZEN,  /* with a freeze */
    HC_LIFE_LOST,    /* what waited in RAM is lost */
    HC_LIFE_MISSING, /* what waited was written, but those pages are not there */
    HC_LIFE_OPEN,    /* no boot follows: what waited when the log was read is not in it */
    HC_LIFE_UNKNOWN, /* a boot follows that has lost its start */
};

struct hc_log_boot {
    uint16_t boot;
    size_t first_segment, segments; /* indexes */
    enum hc_life_end end;
    bool cause_known; /* what ended it: */
    uint16_t cause;
    size_t rescued;     /* bytes of rescue pages */
    uint32_t missing;   /* pages that are not there within it */
    size_t lost_starts; /* segments without their beginning */
};
size_t hc_log_boots(const struct hc_log *log, const struct hc_log_boot **out);

/* What the flags of a reset mean, in words. */
const char *hc_log_cause(uint16_t cause, char *out, size_t size);
/* How the life ended and up to where its log reaches: a sentence or two, without a period at the end. */
const char *hc_log_life(const struct hc_log_boot *boot, char *out, size_t size);

/* The first page of STREAM in segment S from page index FROM on (start with s->first_page); the number of pages when
 * there is none. */
size_t hc_log_next_page(const struct hc_log *log, const struct hc_log_segment *s, int stream, size_t from);

/* How many pages are missing between page and the one before it; 0 for the first of a boot. */
uint32_t hc_log_missing_before(const struct hc_log *log, size_t page);

/* ---- the program ---- */

/* Its sites, from the map in its ELF; kept, not copied. */
struct hc_site_table {
    const struct hc_site *sites;
    size_t count;
    uint16_t address; /* of the first one in the program; only what was rescued from a ring needs it */
};

#endif
