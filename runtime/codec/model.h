/* What codec set hindcast predicts from. Everything starts as 0. */
#ifndef HC_CODEC_MODEL_H
#define HC_CODEC_MODEL_H

#include "mq.h"

/* Sizes are powers of two. More is better, up to a point: see docs/trace.md. */
#ifndef HC_MODEL_DATA
#define HC_MODEL_DATA 128
#endif
#ifndef HC_MODEL_LITERAL
#define HC_MODEL_LITERAL 64
#endif
#ifndef HC_MODEL_DELTAS
#define HC_MODEL_DELTAS 16
#endif
#ifndef HC_MODEL_STATES
#define HC_MODEL_STATES 16
#endif
#ifndef HC_MODEL_PLACES
#define HC_MODEL_PLACES 8
#endif

enum {
    HC_MODEL_SUDDEN = 16,
    HC_MODEL_WAKES = 8,
    HC_MODEL_GUESSED = 32,
};

/* Numbers of one kind: is it more than 0, 1, 3, 7, 15; is it negative; the second bit of 2..3 and of 4..7. */
enum { HC_NUMBER_SIZES = 5, HC_NUMBER_SIGN = 5, HC_NUMBER_SECOND = 6, HC_NUMBER = 8 };

struct hc_model {
    uint8_t last;   /* event, as a small number */
    uint8_t recent; /* the last few of them, hashed */
    uint16_t check; /* a hash over all of them */

    hc_mq_context sudden[HC_MODEL_SUDDEN], other;

    /* States, by site. */
    uint16_t value[HC_MODEL_STATES];
    hc_mq_context changed[HC_MODEL_STATES][2], changes[16];

    /* Numbers: of timers by site and history; samples; counts at known and new places; distances between places. */
    hc_mq_context delta[HC_MODEL_DELTAS][HC_NUMBER];
    hc_mq_context sample[HC_NUMBER], count[2][HC_NUMBER], jump[HC_NUMBER];
    hc_mq_context large[16 - HC_NUMBER_SIZES], second[14]; /* of all large numbers */

    /* Bytes: what followed the same two bytes last time. */
    uint8_t byte[2], surprises;
    uint8_t guess[HC_MODEL_DATA];
    hc_mq_context surprised[HC_MODEL_GUESSED];
    hc_mq_context literal[HC_MODEL_LITERAL];

    /* Interrupts: which one followed which; where they came lately, the newest first. */
    uint8_t vector;
    uint8_t successor[HC_MODEL_WAKES];
    hc_mq_context succeeded[HC_MODEL_WAKES], vectors[16];
    struct hc_model_place {
        uint16_t pc, count;
    } place[HC_MODEL_PLACES];
    hc_mq_context elsewhere[HC_MODEL_PLACES], laps, hashed;
};

#endif
