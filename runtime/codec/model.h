/* The predictors of codec set hindcast. Everything starts as 0. */
#ifndef HC_CODEC_MODEL_H
#define HC_CODEC_MODEL_H

#include <stdint.h>

/* Powers of two. Decoder and encoder must agree, including port/msp430/encode.S. */
enum { HC_MODEL_TIMERS = 32, HC_MODEL_STATES = 16, HC_MODEL_WAKES = 2, HC_MODEL_PLACES = 4 };
enum { HC_MODEL_BYTES = 64, HC_MODEL_BYTE_LEVELS = 8 };

/* The magnitude of recent numbers of a kind: 0 if all were as predicted; otherwise four levels for each power of two.
 */
typedef uint8_t hc_level;

struct hc_model_slot {
    uint16_t guess; /* the last one */
    hc_level level; /* of the increment */
};

struct hc_model {
    uint16_t check;  /* all events hashed */
    uint16_t recent; /* the last few events, three bits each; the newest has more */

    struct hc_model_slot timer[HC_MODEL_TIMERS]; /* values read from timers, by recent events */
    struct hc_model_slot state[HC_MODEL_STATES]; /* values of other reads except data, by site */
    struct hc_model_slot wake[HC_MODEL_WAKES];   /* interrupts of the sleeping CPU, by recent events */
    struct hc_model_slot place[HC_MODEL_PLACES]; /* where interrupts of similar vectors came: PC */
    struct hc_model_slot sudden, count, sample;  /* the vector; count; words of data */

    /* Bytes come in runs, such as frames: what was last at the same index of a run that started with a similar byte. */
    uint8_t byte[HC_MODEL_BYTES];
    hc_level byte_level[HC_MODEL_BYTE_LEVELS];
    uint8_t at; /* index in the run; 0: a run starts */
};

#endif
