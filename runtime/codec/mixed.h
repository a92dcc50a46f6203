/* Codec set hindcast: its state, and what codec.c calls. */
#ifndef HC_CODEC_MIXED_H
#define HC_CODEC_MIXED_H

struct hc_codec;
struct hc_arrival;

#include "model.h"
#include "page.h"

#include <stdbool.h>

/* Bytes of code in a full page. After them: | check 2 | index 1 | count 1 | sum 2 |. */
enum { HC_MIXED_FULL = HC_PAGE_PAYLOAD - HC_MIXED_TRAILER };

/* Index of a page without a self-check. */
enum { HC_MIXED_UNCHECKED = 255 };

/* Values of a byte that counts predicted events, up to the next mispredicted one. */
enum { HC_MIXED_RUN = 255 };

struct hc_mixed {
    struct hc_coder {     /* offsets in the page; addresses in port/msp430/encode.S */
        uint16_t next;    /* the next unused byte of the page */
        uint16_t bits_at; /* where bits go when there are eight of them */
        uint16_t run;     /* the counting byte: HC_MIXED_RUN minus the number of events */
        uint16_t bits;    /* the newest lowest; above them a one */
    } coder;
    struct hc_model model;
    uint8_t page[HC_PAGE_PAYLOAD];
    uint16_t taken;    /* events of the segment, modulo 2^16 */
    uint16_t first;    /* of them, before this page was started */
    uint8_t index, at; /* the page's self-check: after how many of its events, at which position counter */
    uint16_t sum;
};

void hc_mixed_start(struct hc_codec *codec);
/* VALUE: for a timer, the difference to the prediction. */
void hc_mixed_read(struct hc_codec *codec, uint16_t site, uint16_t value);
void hc_mixed_interrupt(struct hc_codec *codec, struct hc_arrival *arrival);
void hc_mixed_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes);
void hc_mixed_finish(struct hc_codec *codec);
bool hc_mixed_self_check(struct hc_codec *codec, uint8_t count, uint16_t sum);

#endif
