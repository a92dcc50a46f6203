/* The states of the MQ coder of ISO/IEC 14492 and 15444-1: adaptive binary arithmetic coding without multiplications.
 */
#ifndef HC_CODEC_MQ_H
#define HC_CODEC_MQ_H

#include <stdint.h>

/* What is known of one binary decision: place in the table of states << 1 | the more probable value. Starts at 0. */
typedef uint8_t hc_mq_context;

enum { HC_MQ_STATES = 47, HC_MQ_EVEN = 46 << 1 /* one half, for good */ };

struct hc_mq_state {
    uint16_t qe;       /* the less probable value's part of the interval */
    uint8_t next_more; /* state after the more probable value, << 1 */
    uint8_t next_less; /* state after the less probable one, << 1, | 1 where the two values change places */
};
extern const struct hc_mq_state hc_mq_states[HC_MQ_STATES];

#endif
