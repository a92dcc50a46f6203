/* The recorder of depth `messages`: hc_message_send and hc_message_receive (messages.h) of its own, hc_update. Its RAM
 * outlives resets, and what waits there goes on as if nothing had happened, but for a symbol that tells of it. */
#ifndef HC_TRAFFIC_RECORD_H
#define HC_TRAFFIC_RECORD_H

#include "codec/page.h"
#include "config.h"
#include "model.h"

#if !defined HC_TRAFFIC_BUFFER && HC_TRAFFIC_LAMPORT
#define HC_TRAFFIC_BUFFER 31
#endif
#ifndef HC_TRAFFIC_BUFFER
#define HC_TRAFFIC_BUFFER 19 /* bytes of code that wait; a piece */
#endif

struct hc_traffic_ram {
    uint16_t magic; /* RAM holds a life of this build */
#if HC_TRAFFIC_LAMPORT
    uint32_t clock;
#if HC_TRAFFIC_FCM
    uint8_t last[3], expected[HC_FCM_CONTEXTS];
#endif
#else
    struct hc_traffic_tables tables; /* as a segment begins with them */
#endif
    uint16_t place;                   /* of the page */
    uint16_t boot, segment, sequence; /* as pages have them */
    uint8_t sequence_high;
    uint8_t at;    /* offset in the page; 0: it is to be begun */
    uint8_t flags; /* HC_TRAFFIC_FLAG_... */
    uint8_t run;   /* symbols that came as expected and are in no bit yet */
    uint8_t fill;  /* bytes of code */
    uint8_t bits;  /* the byte under way: above the oldest bit is a one */
#if HC_FLUSH
    uint8_t stamp, age; /* the clock when it was looked at, and how old the oldest code is, in eighths of a second */
#endif
    uint8_t head; /* of the piece that is being written; 0: none is */
    uint8_t code[HC_TRAFFIC_BUFFER];
};

enum {
    HC_TRAFFIC_FLAG_CUT = HC_TRAFFIC_CUT,     /* events were lost: none is recorded before the next segment */
    HC_TRAFFIC_FLAG_FRESH = HC_TRAFFIC_FRESH, /* no segment was begun since RAM was lost */
    HC_TRAFFIC_FLAG_BEGIN = 0x04,             /* a segment is to be begun */
    HC_TRAFFIC_FLAG_OPENED = 0x08,            /* the log's end was found */
    HC_TRAFFIC_FLAG_ERASED = 0x10,            /* the sector that is begun next was erased */
    HC_TRAFFIC_FLAG_ODD = HC_PIECE_ODD,
    HC_TRAFFIC_FLAG_BUSY = 0x40,  /* the tables are being changed */
    HC_TRAFFIC_FLAG_AWAKE = 0x80, /* the sink is to be opened and closed, to rest */
};

#endif
