/* The state of a codec. Private to the codecs, but the recorder must provide room for it; see codec.h. */
#ifndef HC_CODEC_STATE_H
#define HC_CODEC_STATE_H

#include "mixed.h"
#include "paper.h"

/* The slot of a timer, shared by its counter and its capture registers. The F1xx's two timers differ in its lowest bit.
 */
#if defined HC_CODEC_SETS && !defined HC_PART_MSP430FR5969
enum { HC_TIMERS = 2 };
#else
enum { HC_TIMERS = 8 };
#endif
#define HC_TIMER_SLOT(address) ((address) >> 6 & (HC_TIMERS - 1))

struct hc_codec {
#ifndef HC_CODEC_HOME
    const struct hc_site *sites;
    hc_page_fn *page;
#endif
#ifndef HC_CODEC_SETS
    uint8_t sets; /* the caller sets it between hc_codec_open and hc_codec_start */
#endif
#ifdef HC_CODEC_HAS_MIXED
    struct hc_mixed mixed;
#endif
    uint16_t timer[HC_TIMERS]; /* the prediction for the next value read of each */
#ifdef HC_CODEC_HAS_PAPER
    struct hc_paper paper;
#endif
};

#endif
