/* What a codec remembers. Private to the codecs, but part of what the recorder has to find room for; see codec.h. */
#ifndef HC_CODEC_STATE_H
#define HC_CODEC_STATE_H

#include "mixed.h"
#include "paper.h"

enum { HC_TIMERS = 2 };

/* The slot of a timer: its counter and its capture registers share it. */
#define HC_TIMER_SLOT(address) ((address) >> 6 & (HC_TIMERS - 1))

struct hc_codec {
    const struct hc_site *sites;
    hc_page_fn *page;
#ifndef HC_CODEC_SETS
    uint8_t sets; /* the caller sets it between hc_codec_open and hc_codec_start */
#endif
    uint16_t timer[HC_TIMERS]; /* the last value read of each */
#ifdef HC_CODEC_HAS_MIXED
    struct hc_mixed mixed;
#endif
#ifdef HC_CODEC_HAS_PAPER
    struct hc_paper paper;
#endif
};

#endif
