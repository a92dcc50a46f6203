/* Codec set hindcast: its state, and what codec.c calls. */
#ifndef HC_CODEC_MIXED_H
#define HC_CODEC_MIXED_H

#include "mq.h"

struct hc_codec;
struct hc_arrival;
struct hc_mixed;

#include "model.h"

/* A page is full when this many bytes of its code are complete: the decision that did so may have completed another
 * one, to end the code takes two, and two of the check follow. */
enum { HC_MIXED_FULL = 239 };

/* It is ended earlier after so many events: a decoder that meets more of them has lost its way. */
enum { HC_MIXED_EVENTS = 0x4000 };

struct hc_mixed {
    struct hc_coder {
        uint16_t a, c; /* size and lower end of the interval */
        uint16_t bits; /* of the byte under way, behind a one */
        uint8_t at;    /* bytes that are complete */
    } coder;
    uint16_t events; /* begun in this page */
    uint8_t page[256];
    struct hc_model model;
};

void hc_mixed_start(struct hc_codec *codec);
/* VALUE: of a timer the difference to what was predicted. */
void hc_mixed_read(struct hc_codec *codec, uint16_t site, uint16_t value);
void hc_mixed_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes);
void hc_mixed_interrupt(struct hc_codec *codec, struct hc_arrival *arrival);
void hc_mixed_mark(struct hc_codec *codec, uint8_t code, uint16_t value);
void hc_mixed_finish(struct hc_codec *codec);

#endif
