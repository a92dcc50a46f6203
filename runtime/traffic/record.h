/* The recorder of depth `messages`: hc_message_send and hc_message_receive (messages.h) of its own, hc_update. Its RAM
 * outlives resets, and what waits there goes on as if nothing had happened, but for a symbol that tells of it. */
#ifndef HC_TRAFFIC_RECORD_H
#define HC_TRAFFIC_RECORD_H

#include "codec/page.h"
#include "config.h"
#include "layout.h"
#include "model.h"

struct hc_traffic_ram {
#if HC_TRAFFIC_LAMPORT
    struct {
        uint16_t self;
        uint8_t flags, known; /* as below; of the others none is used */
        uint16_t highest, zero;
    } tables;
    uint32_t clock;
    uint8_t bits; /* the byte under way: above the oldest bit is a one */
#if HC_TRAFFIC_FCM
    uint8_t last[3], expected[HC_FCM_CONTEXTS];
#endif
#else
    uint16_t low, high;                    /* of the coder */
    uint8_t contexts[HC_TRAFFIC_CONTEXTS]; /* less HC_TRAFFIC_CONTEXT_NEW */
    struct hc_traffic_tables tables;       /* as a segment begins with them; their flags are HC_TRAFFIC_FLAG_... */
#endif
    uint16_t magic; /* RAM holds a life of this build. Cleared while tables are changed or something is written: a reset
                       then loses what is in RAM, and the log says so */
    uint16_t place; /* of the page */
    uint8_t at;     /* offset in the page; 0: it is to be begun */
    uint8_t stream; /* HC_STREAM_MESSAGES, 0: the log's end is not known; from here on as the header of a page has it */
    uint16_t boot, segment, sequence;
    uint8_t sequence_high;
    uint8_t age;                     /* seconds that are left until what waits is old */
    uint8_t fill;                    /* bytes of code */
    uint8_t code[HC_TRAFFIC_BUFFER]; /* right behind, as in a piece */
#if HC_FLUSH
    uint16_t stamp; /* the highest bit: that of the clock when it was looked at */
#endif
};

enum {
    HC_TRAFFIC_FLAG_CUT = HC_TRAFFIC_CUT,     /* events were lost: none is recorded before the next segment */
    HC_TRAFFIC_FLAG_FRESH = HC_TRAFFIC_FRESH, /* no segment was begun since RAM was lost */
    HC_TRAFFIC_FLAG_BEGIN = 0x04,             /* a segment is to be begun */
    HC_TRAFFIC_FLAG_FROZEN = 0x08,            /* nothing is erased any more */
};

#endif
