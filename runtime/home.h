/* The address of the codec: code that knows it is shorter (codec/codec.h). */
#ifndef HC_HOME_H
#define HC_HOME_H

#include "critical.h"

#ifdef __MSP430__
extern struct hc_codec __hc_codec; /* in the recorder's RAM, by link.c */
#define HC_CODEC_FIXED (&__hc_codec)
extern const struct hc_site __start_hc_sites[] __attribute__((weak)); /* by the linker */
#else
#define HC_CODEC_FIXED (codec)
#endif

/* The codec's page is full: it is stored, or events are lost. */
void __hc_page_complete(uint8_t stream, const uint8_t *page, uint8_t length);

#define HC_CODEC_SITES(codec) HC_SITES
#define HC_CODEC_PAGE(codec, stream, bytes, length) __hc_page_complete(stream, bytes, length)

#endif
