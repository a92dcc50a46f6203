/* What a check says when it fails; also a part of programs for regions of 32-bit CPUs (wide/program). */
#ifndef HC_NATIVE_FINDING_H
#define HC_NATIVE_FINDING_H

#include "program.h"

#include <stddef.h>

/* "signed addition overflows: 32767 and 1 in 16 bits" */
void hc_native_describe(const struct hc_native_site *s, uint32_t a, uint32_t b, char *out, size_t size);

#endif
