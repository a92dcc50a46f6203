/* What a codec remembers. Private to the codecs; see codec.h. */
#ifndef HC_CODEC_STATE_H
#define HC_CODEC_STATE_H

#include <stdint.h>

enum { HC_TIMERS = 4 };

/* The slot of a timer: registers of one timer block share it. */
#define HC_TIMER_SLOT(address) ((address) >> 5 & (HC_TIMERS - 1))

struct hc_codec {
    const struct hc_site *sites;
    hc_page_fn *page;
#ifndef HC_CODEC_SETS
    uint8_t sets; /* set by the caller between hc_codec_open and hc_codec_start */
#endif
    uint16_t timer[HC_TIMERS]; /* the last value read */
    uint8_t pages[HC_PAGE_SIZE];
};

#endif
