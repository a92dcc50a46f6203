/* Memory dumps as programmers write them: Intel HEX, TI-TXT, ELF. */
#ifndef HC_TRACE_FLATTEN_H
#define HC_TRACE_FLATTEN_H

#include <stddef.h>
#include <stdint.h>

/* What the file NAME with contents BYTES says of memory, from address 0 on, erased where it says nothing; *OUT_SIZE
 * bytes, the caller's. NULL when it is no such file, or memory is exhausted. */
uint8_t *hc_flatten(const char *name, const uint8_t *bytes, size_t size, size_t *out_size);

#endif
