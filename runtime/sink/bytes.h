/* Sinks that take and give a byte at a time: pages are put together in bytes.c. */
#ifndef HC_SINK_BYTES_H
#define HC_SINK_BYTES_H

#include "sink.h"

/* From the beginning of PAGE on, bytes are programmed (HC_SINK_PROGRAM) or read (HC_SINK_READ). */
void hc_sink_begin(uint8_t what, uint16_t page);
/* The next one. Returns what was read. */
uint8_t hc_sink_exchange(uint8_t byte);

#endif
