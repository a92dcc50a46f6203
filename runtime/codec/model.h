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
#ifndef HC_MODEL_TIMERS
#define HC_MODEL_TIMERS 16
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
#define HC_MODEL_SURPRISED 8
#endif

/* Numbers of one kind are like each other: is it more than 0, 1, 3, 7, 15; is it negative. */
enum { HC_NUMBER_SIZES = 5, HC_NUMBER = 6 };
enum {
    HC_KIND_TIMER,
    HC_KIND_STATE = HC_MODEL_TIMERS,
    HC_KIND_SAMPLE,
    HC_KIND_VECTOR,
    HC_KIND_PC,
    HC_KIND_COUNT,
    HC_KINDS
};

struct hc_model {
    uint8_t last, recent; /* the last event as a small number, the last few of them hashed */
    uint16_t check;       /* all of them hashed */
    hc_mq_context sudden[HC_MODEL_SUDDEN];

    hc_mq_context number[HC_NUMBER][HC_KINDS]; /* this way round a kind is found without a multiplication */
    /* Of any kind: sizes of large ones, the second bit of those that are not too large. */
    hc_mq_context large[16 - HC_NUMBER_SIZES], second[8];

    /* What is read but bytes: the last value of states, by site, and whether it changes; the last sample. */
    uint8_t value[HC_MODEL_STATES];
    hc_mq_context changed[HC_MODEL_STATES];
    uint16_t sample;

    /* Bytes: what followed the same two bytes last time. */
    uint8_t byte[2], surprises;
    uint8_t guess[HC_MODEL_DATA];
    hc_mq_context surprised[HC_MODEL_SURPRISED];
    hc_mq_context literal[HC_MODEL_LITERAL];

    /* Interrupts: which one followed which; where those of like vectors came last. */
    uint8_t vector;
    uint8_t successor[HC_MODEL_VECTORS];
    hc_mq_context succeeded[HC_MODEL_VECTORS];
    struct hc_model_place {
        uint16_t pc, count;
    } place[HC_MODEL_VECTORS];
    hc_mq_context laps, hashed;
};

#endif
