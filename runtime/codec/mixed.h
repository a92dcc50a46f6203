/* Codec set hindcast: its state, and what codec.c calls. */
#ifndef HC_CODEC_MIXED_H
#define HC_CODEC_MIXED_H

struct hc_codec;
struct hc_arrival;

#include "model.h"
#include "page.h"

/* Bytes of code in a page that is full; the trailer follows. */
enum { HC_MIXED_FULL = HC_PAGE_PAYLOAD - HC_MIXED_TRAILER };

/* The self-check of a page, the rest of its trailer: docs/trace.md. */
enum { HC_MIXED_UNCHECKED = 255 };
struct hc_mixed_check {
    uint8_t index; /* events of the page before it; HC_MIXED_UNCHECKED: there is none */
    uint8_t count; /* of the position counter, the low byte */
    uint16_t sum;
};

/* What a byte of the page counts: events as guessed, up to the next that is not. */
enum { HC_MIXED_RUN = 255 };

struct hc_mixed {
    struct hc_coder {
        uint8_t *next;    /* the next byte of the page that has no use yet */
        uint8_t *bits_at; /* where bits go, when there are eight of them */
        uint8_t *run;     /* the byte that counts: HC_MIXED_RUN less what came */
        uint16_t bits;    /* the newest lowest; above them a one */
    } coder;
    struct hc_model model;
    uint8_t page[HC_PAGE_PAYLOAD];
};

void hc_mixed_start(struct hc_codec *codec);
/* VALUE: of a timer the difference to what was predicted. */
void hc_mixed_read(struct hc_codec *codec, uint16_t site, uint16_t value);
void hc_mixed_interrupt(struct hc_codec *codec, struct hc_arrival *arrival);
void hc_mixed_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes);
void hc_mixed_mark(struct hc_codec *codec, uint8_t code, uint16_t value);
void hc_mixed_finish(struct hc_codec *codec);

#endif
