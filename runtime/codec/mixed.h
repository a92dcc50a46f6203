/* Codec set hindcast: its state, and what codec.c calls. */
#ifndef HC_CODEC_MIXED_H
#define HC_CODEC_MIXED_H

struct hc_codec;
struct hc_arrival;

#include "model.h"
#include "page.h"

/* A page is full when so many bytes of its code are complete: no decision completes more than one, another one ends
 * the code, and two of the check follow. */
enum { HC_MIXED_FULL = HC_PAGE_PAYLOAD - 3 };

struct hc_mixed {
    struct hc_coder {
        uint16_t a, c; /* size and lower end of the interval */
        uint16_t bits; /* of the byte under way, in its place when it is complete; a carry above them; then a one */
        uint8_t *next; /* where it goes */
    } coder;
    uint8_t page[HC_PAGE_SIZE];
    struct hc_model model;
};

void hc_mixed_start(struct hc_codec *codec);
/* VALUE: of a timer the difference to what was predicted. */
void hc_mixed_read(struct hc_codec *codec, uint16_t site, uint16_t value);
void hc_mixed_interrupt(struct hc_codec *codec, struct hc_arrival *arrival);
void hc_mixed_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes);
void hc_mixed_mark(struct hc_codec *codec, uint8_t code, uint16_t value);
void hc_mixed_finish(struct hc_codec *codec);

#endif
