/* Which codec an event goes to. */
#include "codec.h"

#ifndef HC_CODEC_IN_ASSEMBLY

#ifndef HC_CODEC_HOME
void hc_codec_open(struct hc_codec *codec, const struct hc_site *sites, hc_page_fn *page)
{
    codec->sites = sites;
    codec->page = page;
}
#endif

void hc_codec_start(struct hc_codec *codec)
{
    HC_CODEC_FIX(codec);
    for (uint8_t i = 0; i < HC_TIMERS; i++)
        codec->timer[i] = 0;
#ifdef HC_CODEC_HAS_MIXED
    hc_mixed_start(codec);
#endif
#ifdef HC_CODEC_HAS_PAPER
    hc_paper_start(codec);
#endif
}

static void encode_timer(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    uint16_t *last = &codec->timer[HC_TIMER_SLOT(HC_SITE_ADDRESS(&HC_CODEC_SITES(codec)[site]))];
    uint16_t delta = value - *last;

    *last = value;
#ifdef HC_CODEC_HAS_PAPER
    if (HC_CODEC_IS_PAPER(codec, HC_PAPER_REGISTERS)) {
        hc_paper_timer(codec, delta);
        return;
    }
#endif
#ifdef HC_CODEC_HAS_MIXED
    hc_mixed_read(codec, site, delta);
#endif
    (void)site;
}

static void encode_state(struct hc_codec *codec, uint16_t site, uint16_t value)
{
#ifdef HC_CODEC_HAS_PAPER
    if (HC_CODEC_IS_PAPER(codec, HC_PAPER_REGISTERS)) {
        hc_paper_state(codec, site, value);
        return;
    }
#endif
#ifdef HC_CODEC_HAS_MIXED
    hc_mixed_read(codec, site, value);
#endif
}

static void encode_data(struct hc_codec *codec, uint16_t site, uint16_t value)
{
#ifdef HC_CODEC_HAS_PAPER
    if (HC_CODEC_IS_PAPER(codec, HC_PAPER_DATA)) {
        hc_paper_byte(codec, (uint8_t)value);
        if (HC_SITE_WORD(&HC_CODEC_SITES(codec)[site]))
            hc_paper_byte(codec, (uint8_t)(value >> 8));
        return;
    }
#endif
#ifdef HC_CODEC_HAS_MIXED
    hc_mixed_read(codec, site, value);
#endif
}

void hc_encode_read(struct hc_codec *codec, uint16_t site, uint16_t value)
{
    HC_CODEC_FIX(codec);
    switch (HC_SITE_CLASS(&HC_CODEC_SITES(codec)[site])) {
    case HC_SITE_TIMER:
        encode_timer(codec, site, value);
        break;
    case HC_SITE_DATA:
        encode_data(codec, site, value);
        break;
    default:
        encode_state(codec, site, value);
        break;
    }
}

void hc_encode_based(struct hc_codec *codec, uint16_t site, uint16_t value, uint16_t base)
{
    HC_CODEC_FIX(codec);
    codec->timer[HC_TIMER_SLOT(HC_SITE_ADDRESS(&HC_CODEC_SITES(codec)[site]))] = base;
    hc_encode_read(codec, site, value);
}

void hc_encode_interrupt(struct hc_codec *codec, struct hc_arrival *arrival)
{
    HC_CODEC_FIX(codec);
#ifdef HC_CODEC_HAS_PAPER
    if (HC_CODEC_IS_PAPER(codec, HC_PAPER_INTERRUPTS)) {
        hc_paper_interrupt(codec, arrival);
        return;
    }
#endif
#ifdef HC_CODEC_HAS_MIXED
    hc_mixed_interrupt(codec, arrival);
#endif
}

void hc_encode_memory(struct hc_codec *codec, uint16_t address, uint16_t size, const uint8_t *bytes)
{
    HC_CODEC_FIX(codec);
#ifdef HC_CODEC_HAS_PAPER
    if (HC_CODEC_IS_PAPER(codec, HC_PAPER_DATA)) {
        const uint8_t head[] = { (uint8_t)address, (uint8_t)(address >> 8), (uint8_t)size, (uint8_t)(size >> 8) };
        for (uint8_t i = 0; i < sizeof head; i++)
            hc_paper_byte(codec, head[i]);
        for (uint16_t i = 0; i < size; i++)
            hc_paper_byte(codec, bytes[i]);
        return;
    }
#endif
#ifdef HC_CODEC_HAS_MIXED
    hc_mixed_memory(codec, address, size, bytes);
#endif
}

bool hc_encode_self_check(struct hc_codec *codec, uint16_t count, uint16_t sum)
{
    HC_CODEC_FIX(codec);
    (void)codec, (void)count, (void)sum;
#ifdef HC_CODEC_HAS_MIXED
    if (!HC_CODEC_IS_PAPER(codec, HC_PAPER_ALL))
        return hc_mixed_self_check(codec, (uint8_t)count, sum);
#endif
    return false;
}

void hc_codec_finish(struct hc_codec *codec)
{
    HC_CODEC_FIX(codec);
#ifdef HC_CODEC_HAS_MIXED
    if (HC_CODEC_USES_MIXED(codec))
        hc_mixed_finish(codec);
#endif
#ifdef HC_CODEC_HAS_PAPER
    hc_paper_finish(codec);
#endif
}

#endif
