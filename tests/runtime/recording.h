/* Firmware that was instrumented by hand, linked by hand: what the link step does to an ELF file is done to a machine's
 * memory. And what was recorded, as it passes the border between recorder and codec, and as it lies in flash. */
#ifndef TESTS_RUNTIME_RECORDING_H
#define TESTS_RUNTIME_RECORDING_H

#include "support/harness.h"

#include "../../runtime/codec/page.h"
#include "machine/board/telosb.h"

/* A TelosB with build/tests/runtime/NAME.elf, vectors redirected, after power-on. */
void recording_start(struct harness *h, const char *name);

/* The same on a board that is there already (with its flash chip's contents): reset again. */
void recording_restart(struct harness *h, enum hc_reset kind);

/* From the next reset on so many bytes, the stack's included, are all that no section lies in. */
void recording_set_free(struct harness *h, uint32_t bytes);

/* ---- pages of the flash chip ---- */

struct recording_page {
    uint32_t address;
    uint8_t stream, length;
    uint16_t boot, segment;
    uint32_t sequence;
    uint8_t payload[HC_PAGE_PAYLOAD];
};

/* Whether it ends a checkpoint. */
bool recording_is_commit(const struct recording_page *page);

/* All whole pages at any place of SIZE bytes, in the order of their sequence numbers; *COUNT of them, to be freed. */
struct recording_page *recording_find(const uint8_t *bytes, size_t size, int *count);

/* The same of the flash chip. */
struct recording_page *recording_pages(const struct hc_m25p80 *flash, int *count);

#endif
