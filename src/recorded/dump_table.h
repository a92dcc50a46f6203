/* The table __hc_dump of an instrumented ELF: which registers of peripherals a checkpoint holds.
 *
 *     pairs of bytes: {distance from the end of the last register, in units of `gap` bytes; how many registers} */
#ifndef HC_RECORDED_DUMP_TABLE_H
#define HC_RECORDED_DUMP_TABLE_H

#include "image/image.h"

struct hc_dump_layout {
    uint8_t gap;        /* 1 or 2 */
    uint32_t bytes_end; /* registers below it have 8 bits, others 16 */
};

typedef void hc_dumped_fn(void *owner, uint32_t address, int size);

/* Calls FN for each register, in the order of the table. */
void hc_dump_table_each(const struct hc_image *image, struct hc_dump_layout layout, hc_dumped_fn *fn, void *owner);

#endif
