/* Sinks that transfer one byte at a time: bytes.c assembles the pages. */
#ifndef HC_SINK_BYTES_H
#define HC_SINK_BYTES_H

#include "sink.h"

/* Bytes from the start of PAGE are programmed (HC_SINK_PROGRAM) or read (HC_SINK_READ). */
void hc_sink_begin(uint8_t what, uint16_t page);
/* Transfers the next byte. Returns what was read. */
uint8_t hc_sink_exchange(uint8_t byte);
/* Programs the next SIZE bytes. */
void hc_sink_put(const uint8_t *bytes, uint8_t size);

#endif
