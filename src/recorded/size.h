/* The sizes of an instrumented program, in bytes. */
#ifndef HC_RECORDED_SIZE_H
#define HC_RECORDED_SIZE_H

#include <stdbool.h>
#include <stdint.h>

struct hc_image;

/* Bytes that are programmed: code, constants, initial values, vectors. */
uint32_t hc_size_flash_bytes(const struct hc_image *image);

/* The recorder's share of them: its code and constants, without the table of sites. 0 if there is no recorder. */
uint32_t hc_size_runtime_bytes(const struct hc_image *image);

/* The recorder's RAM: __hc_ram to __hc_ram_end. */
uint32_t hc_size_runtime_ram(const struct hc_image *image);

/* The table of sites in flash. */
uint32_t hc_size_sites_bytes(const struct hc_image *image);

/* Whether calls of the recorder of the kind WHAT ("loop that reads" ...) do anything: the link step makes some that
 * were put into loops and handlers return at once. */
bool hc_size_update_made(const struct hc_image *image, const char *what);

#endif
