/* What codec set hindcast predicts from. Everything starts as 0. */
#ifndef HC_CODEC_MODEL_H
#define HC_CODEC_MODEL_H

#include "mq.h"

/* Sizes are powers of two. More is better, up to a point: see docs/trace.md. Decoder and encoder must agree. */
#ifndef HC_MODEL_DATA
#define HC_MODEL_DATA 128
#endif
#ifndef HC_MODEL_LITERAL
#define HC_MODEL_LITERAL 64
#endif
#ifndef HC_MODEL_NUMBERS
#define HC_MODEL_NUMBERS 32
#endif
#ifndef HC_MODEL_STATES
#define HC_MODEL_STATES 16
#endif
#ifndef HC_MODEL_VECTORS
#define HC_MODEL_VECTORS 4
#endif
#ifndef HC_MODEL_SUDDEN
#define HC_MODEL_SUDDEN 4
#endif
#ifndef HC_MODEL_SURPRISED
#define HC_MODEL_SURPRISED 16
#endif

/* Numbers of one kind: is it more than 0, 1, 3; is it negative. */
enum { HC_NUMBER_SIZES = 3, HC_NUMBER_SIGN = 3, HC_NUMBER = 4 };

struct hc_model {
    uint8_t last, recent; /* the last event as a small number, the last few of them hashed */
    uint16_t check;       /* all of them hashed */
    hc_mq_context sudden[HC_MODEL_SUDDEN];

    /* What is read but bytes: the last value of states and samples, by site; how much it, or a timer, differs from
     * what was predicted, by site and history. */
    uint16_t value[HC_MODEL_STATES];
    hc_mq_context number[HC_MODEL_NUMBERS][HC_NUMBER];
    /* Of any kind: sizes of large ones, the second bit of small ones. */
    hc_mq_context large[16 - HC_NUMBER_SIZES], second[4];

    /* Bytes: what followed the same two bytes last time. */
    uint8_t byte[2], surprises;
    uint8_t guess[HC_MODEL_DATA];
    hc_mq_context surprised[HC_MODEL_SURPRISED];
    hc_mq_context literal[HC_MODEL_LITERAL];

    /* Interrupts: which one followed which; where the last one came. */
    uint8_t vector;
    uint8_t successor[HC_MODEL_VECTORS];
    uint16_t pc, count;
    hc_mq_context laps, hashed;
};

#endif
