/* Pages: what a recording is made of, in flash and on the wire. All numbers are little-endian.
 *
 *      0       1       2       4        6          9        10                         254
 *      +-------+-------+-------+--------+----------+--------+--------------------------+-----+
 *      | 'H'   |stream | boot  |segment | sequence | length | payload, anything        | crc |
 *      +-------+-------+-------+--------+----------+--------+--------------------------+-----+
 *
 * A page lies anywhere in a sink and is followed by anything; crc is CRC-16/CCITT (polynomial 0x1021, start 0xffff,
 * most significant bit first) over all that is before it, with its own high byte first: over all 256 bytes it is 0.
 * Boot counts the starts of the node, segment the segments of the log over all boots, sequence the pages of the log
 * over all segments and streams: the next page written has the next number, modulo 2^24, so that a page that is not
 * there is missed. */
#ifndef HC_CODEC_PAGE_H
#define HC_CODEC_PAGE_H

#include "version.h"

/* For assembly, too. */
#define HC_PAGE_MAGIC 'H'
#define HC_PAGE_HEADER 10
#define HC_PAGE_LENGTH 9 /* where it is */
#define HC_PAGE_CRC 254  /* where it is */
#define HC_PAGE_SIZE 256
#define HC_PAGE_PAYLOAD (HC_PAGE_CRC - HC_PAGE_HEADER)
#define HC_MIXED_TRAILER 6                             /* bytes after the code of a page of codec set hindcast */
#define HC_PAGE_FRAME (HC_PAGE_SIZE - HC_PAGE_PAYLOAD) /* header and CRC */

#ifndef __ASSEMBLER__

#include <stdint.h>

struct hc_page_header {
    uint8_t magic, stream;
    uint16_t boot, segment, sequence;
    uint8_t sequence_high, length;
};

/* What a page's payload is. The first two are written by codecs, the others by the recorder. */
enum hc_stream {
    HC_STREAM_MIXED,      /* all events of codec set hindcast, in the order in which they happened */
    HC_STREAM_PAPER,      /* codec set paper: a piece of each of its streams */
    HC_STREAM_BOOT,       /* starts a segment: the state after reset */
    HC_STREAM_CHECKPOINT, /* a part of the records with a segment's initial state */
    HC_STREAM_COMMIT,     /* starts a segment: the records with its number are a complete checkpoint */
    HC_STREAM_RECOVERY,   /* the same, after the previous segment had lost events at its end */
    HC_STREAM_MARK,       /* the log was frozen; the reason: two bytes */
    HC_STREAM_RESCUE,     /* data that was in RAM when the node was reset */
    HC_STREAM_MESSAGES,   /* depth `messages`: its pages are different, see FORMAT.md */
    HC_STREAM_REGION,     /* depth `region`: pages of pieces, too */
    HC_STREAMS,
    HC_STREAM_OF_PIECES = HC_STREAM_MESSAGES, /* this and those behind it */
    HC_CODEC_STREAMS = HC_STREAM_BOOT,
};

/* The streams of codec set paper. A page of it starts with a byte for each, its length; then the streams follow. */
enum hc_lane {
    HC_LANE_INTERRUPTS,
    HC_LANE_REGISTERS, /* states, timers, vectors */
    HC_LANE_DATA,
    HC_LANE_HASHES, /* next to interrupts: what makes positions unique */
    HC_LANES,
};

/* Payloads of boot, commit and recovery pages start with this. */
struct hc_page_begin {
    uint8_t version; /* HC_TRACE_VERSION */
    uint8_t sets;    /* HC_PAPER_...: the kinds of events encoded by set paper */
    uint8_t build[8];
};

struct hc_page_boot {
    struct hc_page_begin begin;
    uint16_t cause; /* of the reset: the part's flags, FORMAT.md */
    uint16_t found; /* 1: RAM still held a boot of this build, and its unwritten data was written */
};

/* Of commit and recovery. */
struct hc_page_commit {
    struct hc_page_begin begin;
    uint16_t count; /* the position counter at the hc_update at which the segment starts */
};

/* Checkpoint pages: records | address | length, even | bytes |, in the order in which they apply. */
enum {
    HC_RECORD_HEAD = 4,
    HC_RECORD_FIRST = 0,       /* with length 0: a checkpoint starts here; ignore the records before it */
    HC_RECORD_PERIPHERALS = 1, /* the registers of __hc_dump, a word each */
};

/* A rescue starts with this; then come `next` bytes of code, one more if that is odd, and `ring` bytes of the ring. */
struct hc_page_rescue {
    uint16_t taken;   /* events of the segment that are in the code, modulo 2^16 */
    uint16_t check;   /* the hash over them */
    uint16_t bits;    /* not yet a whole byte: the newest lowest, above them a one */
    uint16_t bits_at; /* offset of their byte in the code */
    uint16_t next;    /* bytes of code */
    uint16_t count;   /* the position counter at the reset */
    uint16_t state;   /* what the recorder was doing: HC_RUNNING ... */
    uint16_t ring;    /* bytes of the ring */
};

/* The CRC of SIZE more bytes, continued from CRC (0xffff at the start). */
uint16_t hc_page_crc(uint16_t crc, const uint8_t *bytes, uint16_t size);

#endif
#endif
