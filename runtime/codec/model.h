/* What codec set hindcast predicts from. Everything starts as 0. */
#ifndef HC_CODEC_MODEL_H
#define HC_CODEC_MODEL_H

#include "chance.h"

/* Powers of two. Decoder and encoder must agree, and port/msp430/encode.S. */
enum { HC_MODEL_SUDDEN = 4, HC_MODEL_TIMERS = 16, HC_MODEL_STATES = 16, HC_MODEL_VECTORS = 4 };
enum { HC_MODEL_DATA = 128, HC_MODEL_SURPRISED = 8 };

/* Numbers of one kind are like each other. The first are those of timers. */
enum {
    HC_KIND_STATE = HC_MODEL_TIMERS,
    HC_KIND_SAMPLE,
    HC_KIND_VECTOR,
    HC_KIND_PC,
    HC_KIND_COUNT,
    HC_KINDS,
};
enum { HC_NUMBER_SIZES = 5 };

struct hc_model {
    uint8_t recent; /* the last few events hashed */
    uint8_t vector; /* the last one */
    uint16_t check; /* all events hashed */
    hc_chance sudden[HC_MODEL_SUDDEN];

    struct hc_model_number {
        hc_chance differs;               /* from `last`; of timers only */
        hc_chance size[HC_NUMBER_SIZES]; /* is it more than 0, 1, 3, 7, 15 */
        hc_chance negative;
        uint8_t last;
    } number[HC_KINDS];
    hc_chance large[16 - HC_NUMBER_SIZES]; /* sizes beyond, of any kind */

    hc_chance laps, hashed;
    uint8_t first; /* of the run of bytes, see below */

    /* What is read but timers and data: the last value by site. */
    struct hc_model_guess {
        uint8_t value;
        hc_chance differs;
    } state[HC_MODEL_STATES], successor[HC_MODEL_VECTORS]; /* the interrupt that followed another */

    /* Where interrupts of like vectors came last. */
    struct hc_model_place {
        uint16_t pc, count;
    } place[HC_MODEL_VECTORS];
    hc_chance moved[HC_MODEL_VECTORS];

    uint16_t sample; /* the last one */

    /* Bytes come in runs, frames for one: what was last at the same place of a run that began with a like byte. */
    uint8_t position, guess[HC_MODEL_DATA];
    hc_chance surprised[HC_MODEL_SURPRISED];
};

#endif
