/* Where pages go. A program has one sink, chosen at build time (config.h).
 *
 * The log is an area of the sink, divided into sectors, the unit of erasing. Places are page numbers (address / 256). A
 * page is programmed once after an erase. Programming and erasing may continue after the call has returned; until then
 * the sink is not ready. None of these functions waits for that.
 *
 * All are called on the recorder's stack, with interrupts as the program has them, between hc_sink_open and
 * hc_sink_close. */
#ifndef HC_SINK_H
#define HC_SINK_H

#include "config.h"

/* The sink's default area: see sink/NAME.c. */
#if HC_SINK_M25P80
#if HC_PORT_CONTIKI
#define HC_SINK_START 0x010000 /* the node's id is in the first sector */
#else
#define HC_SINK_START 0x000000
#endif
#define HC_SINK_END 0x100000
#define HC_SINK_SECTOR 0x10000
#elif HC_SINK_FLASH
#define HC_SINK_START 0xc000
#define HC_SINK_END 0xf000
#define HC_SINK_SECTOR 0x1000
#elif HC_SINK_FRAM
#define HC_SINK_START 0x10000
#define HC_SINK_END 0x14000
#define HC_SINK_SECTOR 0x1000
#else /* a wire: what was sent is gone */
#define HC_SINK_START 0x000000
#define HC_SINK_END 0x100000
#define HC_SINK_SECTOR 0x10000
#endif

#ifndef HC_LOG_START
#define HC_LOG_START HC_SINK_START
#endif
#ifndef HC_LOG_END
#define HC_LOG_END HC_SINK_END
#endif
#ifndef HC_LOG_SECTOR
#define HC_LOG_SECTOR HC_SINK_SECTOR
#endif

#if HC_LOG_SECTOR & (HC_LOG_SECTOR - 1) || HC_LOG_SECTOR % 512 || HC_LOG_START % HC_LOG_SECTOR || \
    HC_LOG_END % HC_LOG_SECTOR || HC_LOG_END < HC_LOG_START + 2 * HC_LOG_SECTOR
#error "the log must be at least two whole sectors, of a power of two of bytes"
#endif

/* Chip selects on the bus of the flash chip, low when in use: bits of P4OUT. The radio's and its own. */
#ifndef HC_SINK_SELECTS
#define HC_SINK_SELECTS 0x14
#endif

/* What hc_sink_transfer does. */
#define HC_SINK_PROGRAM 2
#define HC_SINK_READ 3

/* Results of programming, where it goes in pieces (HC_SINK_YIELDS). */
#define HC_SINK_DONE 0
#define HC_SINK_MORE 1 /* pieces are left: to be called again with the same page */
#define HC_SINK_GONE 2 /* the bus is somebody else's: likewise, or to be given up */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

/* Makes the sink usable. */
void hc_sink_open(void);
/* Restores the state before hc_sink_open for the program. Returns false if the sink needs another open and close when
 * it is ready, in order to sleep. */
bool hc_sink_close(void);

/* No page or sector is being programmed or erased. */
bool hc_sink_ready(void);

/* Call the following only when ready. */

/* Erases the sector of the log that starts at PAGE. */
void hc_sink_erase(uint16_t page);
/* Reads the header of PAGE into `next` of the recorder. Returns whether it has a page's magic. */
bool hc_sink_look(uint16_t page);
/* Whether the first SIZE bytes of PAGE contain anything; SIZE is 1 to HC_PAGE_SIZE. */
bool hc_sink_used(uint16_t page, uint16_t size);
/* Programs PAGE: the header `next` of the recorder, its number of bytes of PAYLOAD, anything up to the CRC. Or reads
 * it, with the header into `next`; returns 0 if it is a complete page. With HC_SINK_YIELDS a page is programmed
 * by several calls (HC_SINK_MORE); the page and its contents must not change in between. */
uint16_t hc_sink_transfer(uint8_t what, uint16_t page, const uint8_t *payload);
#if HC_SINK_YIELDS
/* How much of a page was programmed; 0: no page is half done. To be set to 0 at a reset, and for one that is given up.
 */
#define hc_sink_written (*(volatile uint16_t *)(void *)(__hc_ram.recorder.saved + HC_SINK_WRITTEN))
#endif

#endif
#endif
