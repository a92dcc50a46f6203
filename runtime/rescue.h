/* Data that was in RAM at a reset is written after it: the last second of the previous boot (FORMAT.md, rescue). */
#ifndef HC_RESCUE_H
#define HC_RESCUE_H

#include "sink.h"

#include <stdbool.h>
#include <stdint.h>

/* Others are the program's to set up. */
#define HC_OPENS_AT_RESET (HC_SINK_M25P80 || HC_SINK_FLASH || HC_SINK_FRAM)

/* Bytes of unused memory in which it is assembled: a header, code, the ring. */
#define HC_RESCUE_HEAD 16
#define HC_RESCUE_ROOM (HC_RESCUE_HEAD + HC_PAGE_PAYLOAD + HC_RING + HC_RING_SLACK)

/* In `magic` of the recorder's RAM: it belongs to a boot of this build. */
uint16_t hc_rescue_magic(void);

/* Call after a reset, before anything is changed. If RAM belongs to a boot of this program that also wrote the last
 * page of the log, writes the unwritten data and returns true: the log is open, and its numbers are the new boot's.
 * Overwrites unused memory. Waits for the sink as long as an erase may take. */
bool hc_rescue(void);

#endif
