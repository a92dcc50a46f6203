/* What codec set hindcast predicts from. */
#ifndef HC_CODEC_MODEL_H
#define HC_CODEC_MODEL_H

#include "mq.h"

enum {
    HC_SUCCESSORS = 64,
    HC_VALUES = 32,
    HC_DELTA_SLOTS = 8,
    HC_DELTA_CONTEXTS = 32,
    HC_DATA_SLOTS = 128,
};

struct hc_model {
    uint8_t symbol, outcome; /* of the last event */
    uint8_t successor[HC_SUCCESSORS];
    hc_mq_context succeeds[HC_SUCCESSORS];
    hc_mq_context tree[64];
    uint16_t value[HC_VALUES];
    hc_mq_context same[HC_VALUES * 2], bit[16];
    hc_mq_context delta[HC_DELTA_SLOTS][HC_DELTA_CONTEXTS];
    uint8_t guess[HC_DATA_SLOTS];
    uint8_t before, before2;
    hc_mq_context guessed[HC_DATA_SLOTS];
    hc_mq_context literal[256];
    hc_mq_context asleep[16], hashed[4], near[4], pcs[32];
    uint16_t pc[16];
};

#endif
