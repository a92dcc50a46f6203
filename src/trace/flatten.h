/* Memory dumps as programmers write them: Intel HEX, TI-TXT, ELF. */
#ifndef HC_TRACE_FLATTEN_H
#define HC_TRACE_FLATTEN_H

#include <stddef.h>
#include <stdint.h>

/* Reads the memory dump NAME with contents BYTES. Returns memory from address 0, erased where the dump has nothing;
 * *OUT_SIZE bytes, owned by the caller. Returns NULL if it is not such a file, or on out-of-memory. */
uint8_t *hc_flatten(const char *name, const uint8_t *bytes, size_t size, size_t *out_size);

#endif
