/* One megabyte of flash contents, shared between machines until one of them writes.
 *
 *     memory ── 16 sectors ── 256 pages each ── 256 bytes each
 *
 * Every node of the tree is counted; what is shared is copied when it is written, so that a snapshot costs one
 * increment and a clone only what it changes. A node that is absent is erased (all ones). The counts are atomic:
 * machines that share pages may run on different threads, but one memory belongs to one machine. */
#ifndef HC_MACHINE_DEVICE_CHIP_COW_MEMORY_H
#define HC_MACHINE_DEVICE_CHIP_COW_MEMORY_H

#include <stddef.h>
#include <stdint.h>

enum {
    HC_COW_PAGE = 256,
    HC_COW_SECTOR_PAGES = 256,
    HC_COW_SECTORS = 16,
    HC_COW_PAGES = HC_COW_SECTORS * HC_COW_SECTOR_PAGES,
};

struct hc_cow;

/* Erased. NULL when memory is exhausted. */
struct hc_cow *hc_cow_new(void);

/* Another owner of the same contents; each owner releases its own. Nanoseconds. */
struct hc_cow *hc_cow_share(struct hc_cow *c);
void hc_cow_release(struct hc_cow *c);

/* 256 bytes, valid until the memory changes. */
const uint8_t *hc_cow_page(const struct hc_cow *c, unsigned page);

/* The page for writing; *C may be replaced by a copy of its own. NULL when memory is exhausted, *C unharmed. */
uint8_t *hc_cow_page_write(struct hc_cow **c, unsigned page);

/* Makes a whole sector erased. -1 when memory is exhausted, *C unharmed. */
int hc_cow_erase_sector(struct hc_cow **c, unsigned sector);

#endif
