/* Codec set paper: its state, and what codec.c calls. */
#ifndef HC_CODEC_PAPER_H
#define HC_CODEC_PAPER_H

#include "page.h"

/* Sites whose runs are counted; for others each read is written at once. */
#ifndef HC_PAPER_SITES
#define HC_PAPER_SITES 64
#endif

enum {
    HC_PAPER_START = HC_LANES, /* of the bytes of streams in a page */
    HC_PAPER_ROOM = HC_PAGE_PAYLOAD - HC_LANES,
    HC_PAPER_ESCAPE = 63, /* instead of a site's index: the site's number follows in 16 bits */
    HC_PAPER_RUN_MAX = 255,
    HC_LZRW_WINDOW = 128,
    HC_LZRW_HASH = 64,
    HC_LZRW_MATCH_MIN = 3,
    HC_LZRW_MATCH_MAX = 255,
    HC_LZRW_OFFSET_MAX = HC_LZRW_WINDOW - HC_LZRW_MATCH_MIN,
};

/* A stream's part of the next page, at HC_PAPER_START. */
struct hc_paper_lane {
    uint8_t bytes[HC_PAGE_SIZE];
    uint8_t at;   /* bytes that are complete */
    uint8_t used; /* bits of the next one */
};

struct hc_paper_run {
    uint16_t value;
    uint8_t length; /* 0: none begun */
};

struct hc_paper {
    struct hc_paper_lane lane[HC_LANES];
    struct hc_paper_run run[HC_PAPER_SITES];
    uint8_t runs; /* begun */
    /* LZRW-T: the last bytes, including those held back, and where their triples were last. */
    uint8_t window[HC_LZRW_WINDOW], hash[HC_LZRW_HASH];
    uint8_t head;            /* where the next byte goes */
    uint8_t filled;          /* bytes in the window, up to its size */
    uint8_t pending;         /* bytes held back as literals */
    uint8_t matched, offset; /* a match under way */
};

struct hc_codec;
struct hc_arrival;

void hc_paper_start(struct hc_codec *codec);
void hc_paper_state(struct hc_codec *codec, uint16_t site, uint16_t value);
void hc_paper_timer(struct hc_codec *codec, uint16_t delta);
void hc_paper_byte(struct hc_codec *codec, uint8_t byte);
void hc_paper_interrupt(struct hc_codec *codec, const struct hc_arrival *arrival);
void hc_paper_finish(struct hc_codec *codec);

#endif
