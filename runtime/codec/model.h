/* What codec set hindcast guesses from. Everything starts as 0. */
#ifndef HC_CODEC_MODEL_H
#define HC_CODEC_MODEL_H

#include <stdint.h>

/* Powers of two. Decoder and encoder must agree, and port/msp430/encode.S. */
enum { HC_MODEL_TIMERS = 32, HC_MODEL_STATES = 16, HC_MODEL_WAKES = 2, HC_MODEL_PLACES = 4 };
enum { HC_MODEL_BYTES = 64, HC_MODEL_BYTE_LEVELS = 8 };

/* How large numbers of a kind are: 0 none has been other than guessed lately; else four levels for each power of two.
 */
typedef uint8_t hc_level;

struct hc_model_slot {
    uint16_t guess; /* the last one */
    hc_level level; /* of what is added to it */
};

struct hc_model {
    uint16_t check;  /* all events hashed */
    uint16_t recent; /* the last few events, three bits each, the newest in more of them */

    struct hc_model_slot timer[HC_MODEL_TIMERS]; /* what was read of timers, by recent events */
    struct hc_model_slot state[HC_MODEL_STATES]; /* what else was read but data, by site */
    struct hc_model_slot wake[HC_MODEL_WAKES];   /* interrupts of the sleeping CPU, by recent events */
    struct hc_model_slot place[HC_MODEL_PLACES]; /* where interrupts of like vectors came: PC */
    struct hc_model_slot sudden, count, sample;  /* the vector; count; words of data */

    /* Bytes come in runs, frames for one: what was last at the same place of a run that began with a like byte. */
    uint8_t byte[HC_MODEL_BYTES];
    hc_level byte_level[HC_MODEL_BYTE_LEVELS];
    uint8_t at; /* in these; 0 a run begins */
};

#endif
